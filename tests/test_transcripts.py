"""What the rules decide is the same on every processor: the same consultations, word for word."""

from __future__ import annotations

import asyncio
import os
import platform
import subprocess
import sys
from difflib import unified_diff
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from osler.language import Language
from tests.conftest import REPO
from tests.transcripts import (
    HASH_FILE,
    MEMORIES,
    READABLE,
    SNAPSHOTS,
    consultations,
    hash_over,
    sample,
    snapshot,
)

pytestmark = pytest.mark.xdist_group("transcripts")  # one process: they share the consultations

REMEDY = "what the rules say has changed; if it was meant to, run `make transcripts`"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Every consultation of the sample, as text."""
    return asyncio.run(consultations())


def difference(name: str, before: str, after: str) -> str:
    """How a consultation differs, line by line; empty if it does not."""
    lines = unified_diff(
        before.splitlines(), after.splitlines(), f"{name} before", f"{name} now", lineterm=""
    )
    return "\n".join(lines)


def run_elsewhere(folder: Path, *options: str, **environment: str) -> dict[str, str]:
    """Run consultations with tim and every fifth patient in a process of its own.

    On one thread: several, on a machine that is busy, wait for each other most of the time.
    """
    command = [sys.executable, "-m", "tests.transcripts", "--memory", "tim", "--every", "5"]
    command += ["--out", str(folder), *options]
    variables = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment}
    done = subprocess.run(
        command, cwd=REPO, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def assert_same(elsewhere: dict[str, str], pages: dict[str, str]) -> None:
    """Compare with the consultations of this process."""
    here = {snapshot(name).stem: text for name, text in pages.items()}
    assert len(elsewhere) == 9
    for name, text in elsewhere.items():
        changed = difference(name, here[name], text)
        assert not changed, changed


def test_the_sample_has_every_patient_once_in_both_languages_by_turns() -> None:
    records = sample()
    assert len({record.patient for record in records}) == len(records) == 44
    assert all(one.language != two.language for one, two in pairwise(records))


@pytest.mark.parametrize("name", READABLE)
def test_consultations_are_those_of_the_snapshots(name: str, pages: dict[str, str]) -> None:
    changed = difference(name, snapshot(name).read_text(encoding="utf-8"), pages[name])
    assert not changed, f"{REMEDY}\n{changed}"


def test_snapshots_are_in_both_languages_and_of_nothing_else() -> None:
    for language in Language:
        memories = {name.split()[1] for name in READABLE if f"-{language} " in name}
        assert memories >= {"raw", "tim"}
    assert {snapshot(name) for name in READABLE} == set(SNAPSHOTS.glob("*.md"))


def test_all_consultations_together_have_the_same_hash(pages: dict[str, str]) -> None:
    assert len(pages) == len(sample()) * len(MEMORIES)
    assert hash_over(pages) == HASH_FILE.read_text(encoding="utf-8").strip(), (
        f"{REMEDY}; to read where, compare what `python -m tests.transcripts --out FOLDER` writes"
        " before the change and after it"
    )


def test_consultations_are_the_same_with_the_plainest_instructions_of_the_processor(
    pages: dict[str, str], tmp_path: Path
) -> None:
    """Sums of other widths and in another order, and sets in another order."""
    # This is where numpy says what it can do without.
    built = import_module("numpy._core._multiarray_umath")
    features = [name for name in built.__cpu_dispatch__ if built.__cpu_features__[name]]
    kernels = "ARMV8" if platform.machine() in {"aarch64", "arm64"} else "Prescott"
    plainest = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(features),
        "OPENBLAS_CORETYPE": kernels,
        "PYTHONHASHSEED": "4711",
    }
    assert_same(run_elsewhere(tmp_path, **plainest), pages)


def test_consultations_are_the_same_when_every_score_is_a_little_off(
    pages: dict[str, str], tmp_path: Path
) -> None:
    assert_same(run_elsewhere(tmp_path, "--noise", "1e-9"), pages)
