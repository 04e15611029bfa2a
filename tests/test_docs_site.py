"""The documentation site: its reference has all that it is about, and what leads nowhere stops its
build."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import osler
from docs.generate import PAGES, with_generated_text
from osler.eval.measures.registry import all_measures
from osler.settings.declared import options_in
from osler.settings.run_settings import settings_class
from tests.conftest import LONGEST_WAIT, REPO

REFERENCE = sorted((REPO / "docs" / "reference").glob("*.md"))
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", re.MULTILINE)


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    """The pages of the reference as the site has them."""
    return {page.stem: with_generated_text(page.read_text(encoding="utf-8")) for page in REFERENCE}


def test_every_generated_text_has_its_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    assert set(re.findall(r"<!-- generated: (.+) -->", pages)) == set(PAGES)


def test_the_reference_has_every_command_with_its_options(reference: dict[str, str]) -> None:
    commands = reference["commands"]
    for heading in ("simulate", "runs repair", "records convert", "bench memory", "rate import"):
        assert f"## osler {heading}\n" in commands
    assert r"`--results [patient\|report]`" in commands, "choices"
    assert "At least 50. Default: 2000." in commands, "default and bounds"
    assert "(default: 20, x ≥ 1)" in commands, "the same where typer prints them"
    assert "`run <path>`" in commands, "arguments"


def test_the_reference_has_every_setting_in_its_group(reference: dict[str, str]) -> None:
    groups = dict(re.findall(r"^## (\w+)\n\n(.*?)\n\n", reference["settings"], re.M | re.S))
    assert set(groups) >= {"Doctor", "Memory", "Limits", "Execution"}
    rows = re.findall(r"^\| `--[\w-]+` \| `(\w+)` \|", reference["settings"], re.MULTILINE)
    assert sorted(rows) == sorted(options_in(settings_class()))
    [budget] = re.findall(r"^\| `--budget` .+$", groups["Memory"], re.MULTILINE)
    assert "| whole number, at least 50, repeatable | `2000` | axis |" in budget


def test_the_reference_has_measures_with_formula_and_denominator(
    reference: dict[str, str],
) -> None:
    rows = {
        row.split(" | ")[2]: row.split(" | ")
        for row in reference["measures"].splitlines()
        if row.startswith("| ")
    }
    assert {f"`{measure.name}`" for measure in all_measures()} <= set(rows)
    assert rows["`diagnosis_right`"][1] == "诊断正确"
    assert rows["`diagnosis_right`"][4].startswith("1 if the judge")
    assert rows["`diagnosis_right`"][5].startswith("Consultations with an answer")


def test_the_reference_has_records_runs_and_python(reference: dict[str, str]) -> None:
    assert "| `exam_order` |" in reference["records"]
    assert "| `transcripts` |" in reference["run_file"] and "### asked" in reference["run_file"]
    assert "| `diagnosis_right` |" in reference["run_tables"]
    assert "## osler.load_run" in reference["python"] and "### Run.scores()" in reference["python"]


def test_what_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    page = "# A page\n\n[a page](nowhere.md), [a heading](#no-such-heading)\n\n"
    built = build(tmp_path, f"{page}```{{toctree}}\nmissing\n```\n")
    assert built.returncode != 0
    for name in ("nowhere", "no-such-heading", "missing"):
        assert name in built.stderr


def test_a_page_whose_links_lead_somewhere_is_built(tmp_path: Path) -> None:
    built = build(tmp_path, "# A page\n\n[here](#a-page)\n")
    assert built.returncode == 0, built.stderr


def build(folder: Path, page: str) -> subprocess.CompletedProcess[str]:
    """Build a site of one page with the settings of the real one, as `make docs` does."""
    (folder / "index.md").write_text(page, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "--builder", "dummy", "--fail-on-warning"]
    return subprocess.run(
        [
            *command,
            "--keep-going",
            "--quiet",
            "--conf-dir",
            str(REPO / "docs"),
            str(folder),
            str(folder / "built"),
        ],
        capture_output=True,
        text=True,
        timeout=LONGEST_WAIT,
        check=False,
    )


def test_releases_are_dated_and_the_newest_is_this_one() -> None:
    changelog = (REPO / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## .+$", changelog, re.MULTILINE)
    releases = RELEASE.findall(changelog)
    assert headings[0] == "## Unreleased" and len(headings) == len(releases) + 1
    assert releases[0][0] == osler.__version__
    assert [date for _, date in releases] == sorted((date for _, date in releases), reverse=True)


def test_the_citation_file_is_valid_and_names_this_version() -> None:
    citation = yaml.safe_load((REPO / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation), (
        "what CFF 1.2.0 asks for"
    )
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert all("name" in author or "family-names" in author for author in citation["authors"])
    assert citation["license"] == "Apache-2.0"
    [newest, *_] = RELEASE.findall((REPO / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert (citation["version"], str(citation["date-released"])) == newest
