"""What the rules decide is the same on every processor: the same consultations, word for word."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise

from tests.conftest import REPO
from tests.transcripts import KEPT, MEMORIES, sample

REMEDY = "what the rules say has changed; if it was meant to, run `make transcripts`"


def kept() -> dict[str, str]:
    found: dict[str, str] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def changed(*args: str, **environment: str) -> set[str]:
    """Hold consultations in a process of their own; return the names of those that are not as they are kept.

    On one thread: several, on a machine that is busy, wait for each other most of the time.
    """
    command = [sys.executable, "-m", "tests.transcripts", *args]
    there: Mapping[str, str] = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment}
    done = subprocess.run(command, cwd=REPO, env=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    held, known = json.loads(done.stdout), kept()
    return {name for name, found in held.items() if found != known.get(name)}


def test_the_sample_has_every_patient_once_in_both_languages_by_turns() -> None:
    records = sample()
    assert len({record.patient for record in records}) == len(records) == 44
    assert all(one.language != two.language for one, two in pairwise(records))


def test_consultations_are_those_that_are_kept() -> None:
    assert changed() == set(), REMEDY
    assert len(kept()) == len(sample()) * len(MEMORIES)


def test_consultations_are_the_same_with_the_plainest_instructions_of_the_processor() -> None:
    """Sums of other widths and in another order, and sets in another order."""
    built = import_module("numpy._core._multiarray_umath")  # where numpy says what it can do without
    features = [name for name in built.__cpu_dispatch__ if built.__cpu_features__[name]]
    kernels = "ARMV8" if platform.machine() in {"aarch64", "arm64"} else "Prescott"
    plainest = {"NPY_DISABLE_CPU_FEATURES": " ".join(features), "OPENBLAS_CORETYPE": kernels, "PYTHONHASHSEED": "4711"}
    assert changed("--memory", "tim", "--every", "5", **plainest) == set(), REMEDY


def test_consultations_are_the_same_when_every_score_is_a_little_off() -> None:
    assert changed("--memory", "tim", "--every", "5", "--noise", "1e-9") == set(), REMEDY
