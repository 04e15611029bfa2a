"""One line adds an option, one word an axis: from a package of somebody else's, everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPO
from tests.settings.persona_package import install

_SCRIPT = """
import inspect, json
import osler
from osler.errors import UserError
from osler.eval.compare import compare
from osler.view import consultation_data, run_data
from osler.view.run_list import ListedRun
from osler.runs.plan import Selector
from osler.runs.store import RunFile

MODEL = "m@http://127.0.0.1:1/v1"


def hold(out, **options):
    return osler.simulate(
        cases=["gout-en"], backbones=[MODEL], patient="rules", strategies=["persona:Speaker"],
        turns=1, out=out, quiet=True, **options,
    )


def refused(out, **options):
    try:
        hold(out, **options)
    except UserError as error:
        return str(error)


run = hold("a", tone=["calm", "curt"], patience=3)
hold("b", patience=4)
two = [osler.load_run(name) for name in ("a", "b")]
transcripts = list(run.file.transcripts())
with RunFile.open("b") as single:
    stored = single.about()["settings"]
    [alone] = single.transcripts()
page = run_data.run(ListedRun("a", run.path))
number = next(iter(run.file.cells(Selector())))[0]
story = consultation_data.consultation(run.file, "a", consultation_data.ended(run.file, number))
print(json.dumps({
    "signature": str(inspect.signature(osler.simulate).parameters["tone"]),
    "help": osler.simulate.__doc__,
    "run": run.file.about()["settings"],
    "single run": stored,
    "headers": [transcript.header.settings for transcript in transcripts],
    "asked": [
        event.question for transcript in (*transcripts, alone) for event in transcript.events
        if event.type == "asked"
    ],
    "columns": sorted(run.compare()["column"].unique()),
    "against": sorted(set(run.compare()["against"].dropna())),
    "resumed": refused("b", patience=5),
    "other axis": refused("b", patience=4, tone="curt"),
    "wrong": refused("c", patience=0),
    "not a tone": refused("c", tone=["calm", "loud"]),
    "misspelt": refused("c", patince=2),
    "warnings": list(compare(two).warnings),
    "page": page["settings"],
    "variants": page["names"],
    "header on the page": story["header"]["settings"],
}))
"""


def _python(folder: Path, *args: str, packages: bool = True) -> subprocess.CompletedProcess[str]:
    path = [str(REPO / "src"), *([str(folder)] if packages else [])]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *args], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package is installed, and the runs are."""
    place = tmp_path_factory.mktemp("persona")
    install(place)
    return place


@pytest.fixture(scope="module")
def seen(folder: Path) -> dict[str, Any]:
    """What the package's settings do wherever settings show."""
    done = _python(folder, "-c", _SCRIPT)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_help_has_a_panel_for_it(folder: Path) -> None:
    shown = _python(folder, "-m", "osler", "simulate", "--help").stdout
    assert "─ Persona ─" in shown and "[calm|curt]" in shown
    assert "How the doctor speaks. Repeatable. Default: calm." in shown
    assert "How long it waits. At least 1. Default: 2." in shown


def test_python_shows_it_and_checks_it(seen: dict[str, Any]) -> None:
    assert seen["signature"].endswith("= 'calm'")
    assert (
        "tone: How the doctor speaks. One, or a list. Default: calm. One of calm, curt."
        in (seen["help"])
    )
    assert seen["wrong"] == "patience is 0; give 1 or more"
    assert seen["not a tone"] == "tone is 'loud'; give one of calm, curt"
    assert seen["misspelt"].endswith("did you mean 'patience'?")


def test_the_run_and_its_transcripts_keep_it(seen: dict[str, Any]) -> None:
    assert seen["run"]["patience"] == 3 and "tone" not in seen["run"]
    assert seen["run"]["varied"] == ["tone"]
    assert (seen["single run"]["tone"], seen["single run"]["patience"]) == ("calm", 4)
    assert [header["tone"] for header in seen["headers"]] == ["calm", "curt"]
    assert {header["patience"] for header in seen["headers"]} == {3}


def test_each_consultation_is_held_with_the_settings_of_its_column(seen: dict[str, Any]) -> None:
    assert seen["asked"] == [
        "Speak, I am calm for 3 minutes.",
        "Speak, I am curt for 3 minutes.",
        "Speak, I am calm for 4 minutes.",
    ]


def test_resuming_with_another_value_is_refused(seen: dict[str, Any]) -> None:
    assert "was made with other settings (patience: 4 → 5)" in seen["resumed"]
    assert "was made with other settings (tone: calm → curt)" in seen["other axis"]


def test_tables_and_warnings_have_it(seen: dict[str, Any]) -> None:
    assert [name.split()[-1] for name in seen["columns"]] == ["tone=calm", "tone=curt"]
    assert [name.split()[-1] for name in seen["against"]] == ["tone=calm"]
    differing = [line for line in seen["warnings"] if line.startswith("NOT COMPARABLE")]
    assert "NOT COMPARABLE: the patience differs between runs (3 / 4)" in differing
    assert "NOT COMPARABLE: the tone differs between runs (one for each column / calm)" in differing


def test_the_page_shows_it(seen: dict[str, Any]) -> None:
    assert ["patience", "3"] in seen["page"] and ["tone", "one for each column"] in seen["page"]
    assert {"tone=calm", "tone=curt"} <= set(seen["variants"].values())
    assert ["tone", "calm"] in seen["header on the page"]


def test_a_run_with_it_is_not_continued_where_the_package_is_not_installed(
    folder: Path, seen: dict[str, Any]
) -> None:
    run = str(folder / "runs" / "b.osler")
    done = _python(folder.parent, "-m", "osler", "runs", "retry", run, packages=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "the setting 'tone', which is not known here; install the package" in done.stderr
