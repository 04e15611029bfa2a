"""`--prompts`: single prompts of one's own in place of Osler's."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import osler as package
from osler.errors import UserError
from osler.eval.compare import compare
from osler.eval.probes.run import probe_run
from osler.eval.runs import load_run
from osler.language import Language
from osler.prompts import bundled_names, bundled_prompt, phrases, prompt, using_prompts
from osler.prompts.own import is_phrases, own_prompts
from osler.replay.verify import verify
from osler.runs.events import Called, Role
from osler.runs.store import RunFile
from osler.simulator.batch import RunOptions, retry_run
from tests.conftest import REPO, Run
from tests.simulator.model_server import ModelServer, model_server

MARK = "Speak as a sailor would."
SOURCE = REPO / "src" / "osler"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the patient's prompt in both languages, a sentence longer."""
    folder = tmp_path / "mine"
    for language in Language:
        write(folder, f"{language}/patient", bundled_prompt("patient", language).text + MARK)
    return folder


def write(folder: Path, name: str, text: str) -> None:
    file = folder / f"{name}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def options(server: ModelServer, folder: Path | None, out: Path) -> dict[str, Any]:
    return {
        "cases": ["gout"],
        "patient": server.spec,
        "ram": "rules",
        "turns": 2,
        "judges": ["none"],
        "quiet": True,
        "prompts": folder,
        "out": out,
    }


def prompts_of(run: Any, role: Role = Role.PATIENT) -> list[str]:
    calls: list[Called] = []
    for transcript in run.transcripts():
        calls += [call for call in transcript.of(Called) if call.role is role]
    return [call.messages[0].content for call in calls]


@pytest.mark.parametrize("workers", [None, 2])
def test_it_is_read_in_place_of_oslers_in_every_process(
    server: ModelServer, folder: Path, tmp_path: Path, workers: int | None
) -> None:
    run = package.simulate(**options(server, folder, tmp_path / "run"), workers=workers)
    prompts = prompts_of(run)
    assert len(prompts) >= 4 and all(MARK in text for text in prompts)
    hashes = own_prompts(folder) or {}
    assert set(hashes) == {"en/patient", "zh/patient"}
    with using_prompts(hashes):
        expected = {f"{each}/patient": prompt("patient", each).hash for each in Language}
    assert expected.items() <= run.file.prompts().items()
    shutil.rmtree(folder)  # the run has the texts
    with RunFile.open(run.path) as file:
        assert file.changed_prompts() == []
        assert not any(verify(file, list(file.answered()), lambda _: None).values())
    run = package.simulate(**options(server, None, tmp_path / "other"))
    assert not [text for text in prompts_of(run) if MARK in text], "it is the run's alone"
    assert any(
        "prompts" in line
        for line in compare([load_run(run.path), load_run(tmp_path / "run.osler")]).warnings
    )


def test_it_is_shown(osler: Run, server: ModelServer, folder: Path) -> None:
    start = ("simulate", "--case", "gout-en", "--patient", server.spec, "--ram", "rules")
    more = ("--turns", "1", "--judge", "none", "--quiet", "--out", "new")
    done = osler(*start, *more, "--prompts", str(folder))
    assert done.returncode == 0, done.stderr
    for page in (osler("show", "new", "gout-en"), osler("runs", "status", "new")):
        assert re.search(
            r"prompts en/patient [0-9a-f]{12}, zh/patient [0-9a-f]{12}",
            " ".join(page.stdout.split()),
        )
        assert MARK not in page.stdout
    assert "prompts" not in osler("show", "new", "gout-en").stderr


def test_a_run_goes_on_with_the_same_texts_alone(
    server: ModelServer, folder: Path, tmp_path: Path
) -> None:
    given = options(server, folder, tmp_path / "run")
    package.simulate(**{**given, "cases": ["gout-en"]})
    moved = folder.rename(tmp_path / "moved")
    run = package.simulate(**{**given, "prompts": moved})
    assert run.file.status().done == 2
    write(moved, "zh/patient", bundled_prompt("patient", Language.ZH).text)
    with pytest.raises(UserError, match=r"prompts: en/patient \w{12}, zh/patient (\w{12}) → en/pa"):
        package.simulate(**{**given, "prompts": moved})
    with pytest.raises(UserError, match=r"prompts: en/patient .* → none"):
        package.simulate(**{**given, "prompts": None})


def test_what_failed_is_tried_again_with_them(folder: Path, tmp_path: Path) -> None:
    from tests.models.server import Step

    with model_server(lambda number: Step(status=400) if number <= 1 else None) as server:
        given = options(server, folder, tmp_path / "run")
        package.simulate(**{**given, "cases": ["gout-en"], "concurrency": 1})
        with RunFile.open(tmp_path / "run.osler") as run:
            assert run.status().failed == 1
        shutil.rmtree(folder)
        retry_run(tmp_path / "run.osler", RunOptions(quiet=True, judges=("none",)))
    run_again = load_run(tmp_path / "run.osler")
    assert run_again.file.status().failed == 0
    assert prompts_of(run_again) and all(MARK in text for text in prompts_of(run_again))


async def test_a_memory_is_rebuilt_with_them_to_be_probed(
    server: ModelServer, tmp_path: Path
) -> None:
    mine = {"en/tim_think": bundled_prompt("tim_think", Language.EN).text + MARK}
    run = await package.asimulate(
        cases=["gout-en"], memories=["tim"], memory_backbone=server.spec, turns=2, prompts=mine,
        quiet=True, out=tmp_path / "run",
    )  # fmt: skip
    asked = prompts_of(run, Role.MEMORY)
    assert asked and all(MARK in text for text in asked)
    figures, left_out = await probe_run(run.file, [1])
    assert figures and not left_out.not_rebuilt


PATIENT = bundled_prompt("patient", Language.EN).text
NOTES = bundled_prompt("notes", Language.EN).text
REFUSED = [
    ("en/patiant", PATIENT, "en/patiant.txt is none of Osler's prompts"),
    ("fr/patient", PATIENT, "fr/patient.txt is none of Osler's prompts"),
    ("patient", PATIENT, "patient.txt is none of Osler's prompts"),
    ("en/read_diagnosis", PATIENT, "en/read_diagnosis.txt is read by no one in a consultation"),
    ("en/patient", " \n", "en/patient.txt has no text"),
    ("en/patient", PATIENT.replace("{question}", ""), "en/patient.txt lacks the slot 'question'; add {question}"),
    ("en/patient", PATIENT + "{answer}", "en/patient.txt has the slot 'answer', which is not filled in"),
    ("en/patient", PATIENT + "{}", "en/patient.txt has the slot ''"),
    ("en/patient", PATIENT + "{who.age}", "en/patient.txt has the slot 'who.age'"),
    ("en/patient", PATIENT + "{who:>9d}", "en/patient.txt has the slot 'who:>9d'"),
    ("en/patient", PATIENT + '{"a": 1', "en/patient.txt cannot be read ("),
    ("en/notes", NOTES.replace("absent:", "gone:"), "en/notes.txt lacks the line 'absent'; add absent: …"),
    ("en/notes", f"{NOTES}\nmore: a", "en/notes.txt has the line 'more'"),
    ("en/notes", NOTES.replace("{when}", ""), "en/notes.txt, line 'when' lacks the slot 'when'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "line"), REFUSED)
def test_what_cannot_stand_in_place_is_refused_in_a_line(
    tmp_path: Path, server: ModelServer, name: str, text: str, line: str
) -> None:
    write(tmp_path / "mine", name, text)
    with pytest.raises(UserError) as caught:
        package.simulate(**options(server, tmp_path / "mine", tmp_path / "run"))
    assert line in str(caught.value) and "\n" not in str(caught.value)
    assert server.requests == 0 and not (tmp_path / "run.osler").exists()


def test_a_folder_that_is_none_or_empty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no folder"):
        own_prompts(tmp_path / "nowhere")
    (tmp_path / ".hidden.txt").write_text("")
    with pytest.raises(UserError, match="has no prompts"):
        own_prompts(tmp_path)
    (tmp_path / "README.md").write_text("Mine.")
    with pytest.raises(UserError, match=r"README.md is none of Osler's prompts"):
        own_prompts(tmp_path)
    with pytest.raises(UserError, match="prompts is 5; give a folder"):
        own_prompts(5)


def test_every_prompt_of_oslers_may_stand_in_its_own_place() -> None:
    for language in Language:
        for name in bundled_names(language):
            text = bundled_prompt(name, language).text
            if name.startswith(("autogen", "bench_", "judge_", "probe_", "read_", "structure_")):
                with pytest.raises(UserError, match="is read by no one in a consultation"):
                    own_prompts({f"{language}/{name}": text})
            else:
                assert own_prompts({f"{language}/{name}": text}) == {f"{language}/{name}": text}


def test_lists_of_phrases_are_told_by_their_form() -> None:
    """By how the code reads them: a list has its lines checked one by one."""
    code = "\n".join(file.read_text("utf-8") for file in SOURCE.rglob("*.py"))
    read = set(re.findall(r"""phrases\(\s*["'](\w+)["']""", code)) | {
        "judge_patient_lines",
        "validate_lines",
    }
    for language in Language:
        lists = {
            name for name in bundled_names(language) if is_phrases(bundled_prompt(name, language))
        }
        assert lists == read


async def test_texts_hold_for_their_block_alone() -> None:
    before = phrases("notes", Language.EN)
    with using_prompts({"en/notes": "absent: nope."}):
        assert phrases("notes", Language.EN) == {"absent": "nope."}
        assert phrases("notes", Language.ZH)["absent"] != "nope."
    assert phrases("notes", Language.EN) == before
