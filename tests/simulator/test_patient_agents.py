"""`--patient-agent`: whole runs with other patients than Osler's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import osler as package
from osler.agents.patients import PatientSettings, Selection
from osler.errors import UserError
from osler.eval.course import Course
from osler.eval.faithfulness.exact import exactly_faulty
from osler.eval.runs import load_run
from osler.records import RecordPool
from osler.replay.verify import verify
from osler.runs.events import Answered, Ending, Maker, Retrieved
from osler.runs.store import RunFile
from osler.simulator.build import consultation_team
from tests.conftest import Run
from tests.simulator.model_server import ModelServer, model_server

MODULE = '''
from osler.agents.patients import PatientSettings, Reply, Selection


class Patient:
    """Says its complaint again."""

    def __init__(self, settings: PatientSettings) -> None:
        self.settings = settings

    async def respond(self, selection: Selection) -> str:
        return f"{selection.case.complaint} {await self.settings.ask(selection.question)}"


class Broken(Patient):
    async def respond(self, selection: Selection) -> str:
        return [][1]
'''
ALL = ("osler", "agentclinic", "craftmd", "patientsim")
SETTINGS: dict[str, Any] = {"ram": "rules", "turns": 2, "quiet": True, "judges": ["none"]}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def my_patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that can be imported here."""
    (tmp_path / "my_patients.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    sys.modules.pop("my_patients", None)
    return "my_patients"


def test_each_patient_is_a_column_in_both_languages(server: ModelServer, tmp_path: Path) -> None:
    run = package.simulate(
        cases=["gout"], patient=server.spec, patient_agent=ALL, out=tmp_path / "run", **SETTINGS
    )
    transcripts = list(run.transcripts())
    assert {transcript.header.variants["patient_agent"] for transcript in transcripts} == {*ALL}
    assert len(transcripts) == 2 * len(ALL)
    for transcript in transcripts:
        header = transcript.header
        assert header.patient_agent == header.variants["patient_agent"]
        name = "patient" if header.patient_agent == "osler" else f"patient_{header.patient_agent}"
        assert f"{header.language}/{name}" in header.prompts
        assert transcript.ending is Ending.TURN_LIMIT and len(transcript.of(Retrieved)) == 2
        replies = transcript.of(Answered)
        assert len(replies) == 2
        if header.language == "en":
            assert {reply.maker for reply in replies} == {Maker.MODEL}
    with RunFile.open(run.path) as file:
        assert "patient_agent" in file.about()["settings"]["varied"]
        verified = verify(file, list(file.answered()), lambda _: None)
        assert len(verified) == len(transcripts) and not any(verified.values())


def test_one_that_is_given_once_is_a_setting_and_shown(osler: Run, server: ModelServer) -> None:
    given = ("--patient", server.spec, "--ram", "rules", "--turns", "1", "--judge", "none")
    start = ("simulate", "--case", "gout-en", *given, "--out", "new", "--quiet")
    done = osler(*start, "--patient-agent", "craftmd")
    assert done.returncode == 0, done.stderr
    shown = osler("show", "new", "gout-en").stdout
    assert "patient agent craftmd" in " ".join(shown.split()) and "patient_agent" not in shown
    again = osler(*start)
    assert again.returncode == 2 and "patient_agent: craftmd → osler" in again.stderr
    assert "patient agent craftmd" in osler("runs", "status", "new").stdout


@pytest.mark.parametrize("player", ["rules", "human"])
def test_only_a_model_plays_another_patient(tmp_path: Path, player: str) -> None:
    with pytest.raises(UserError, match=f"played by a model, and --patient is {player}; name a"):
        package.simulate(
            cases=["gout-en"],
            patient=player,
            patient_agent="craftmd",
            out=tmp_path / "r",
            **SETTINGS,
        )
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_played_is_refused_before_a_file_is_made(
    server: ModelServer, tmp_path: Path
) -> None:
    both: Any = {"patient": server.spec, "out": tmp_path / "run", **SETTINGS}
    with pytest.raises(UserError, match="does not know what was told at earlier visits"):
        package.simulate(**both, patient_agent=["osler", "agentclinic"], visits=True)
    with pytest.raises(UserError, match="there is no patient 'craft'"):
        package.simulate(**both, patient_agent="craft")

    class Inner:
        def __init__(self, settings: PatientSettings) -> None:
            pass

    with pytest.raises(UserError, match="workers cannot import the patient"):
        package.simulate(**both, patient_agent=Inner, workers=2)
    assert not list(tmp_path.iterdir()) and server.requests == 0


class Mine:
    """Says how many entries it knows."""

    def __init__(self, settings: PatientSettings) -> None:
        self.known = len(settings.entries)

    async def respond(self, selection: Selection) -> str:
        return f"I know {self.known} things."


def test_a_class_is_taken_in_python_and_by_a_team(server: ModelServer, tmp_path: Path) -> None:
    for _ in range(2):  # the second resumes
        run = package.simulate(
            cases=["gout-en"], patient=server.spec, patient_agent=[Mine, "osler"],
            out=tmp_path / "run", **SETTINGS,
        )  # fmt: skip
    agents = {transcript.header.variants["patient_agent"] for transcript in run.transcripts()}
    assert agents == {f"{__name__}:Mine", "osler"}
    assert run.file.status().done == 2
    told = f"I know {len(RecordPool.open().get('gout-en').entries)} things."
    mine = [t for t in run.transcripts() if t.header.patient_agent != "osler"]
    assert {reply.reply for t in mine for reply in t.of(Answered)} == {told}
    team = consultation_team(
        RecordPool.open().get("gout-en"), patient=server.spec, patient_agent=Mine, turns=1
    )
    assert team is not None


def test_workers_have_it_too(server: ModelServer, tmp_path: Path, my_patients: str) -> None:
    agents = [f"{my_patients}:Patient", "agentclinic"]
    run = package.simulate(
        cases=["gout"], patient=server.spec, patient_agent=agents, workers=2,
        out=tmp_path / "run", **SETTINGS,
    )  # fmt: skip
    assert run.file.status().done == 4 and not run.file.status().failed
    for transcript in run.transcripts():
        first = transcript.of(Answered)[0].reply
        complaint = RecordPool.open().get(transcript.header.case).complaint
        assert first.startswith(complaint) == (transcript.header.patient_agent != "agentclinic")


def test_a_fault_is_the_patients_and_told_in_a_line(
    osler: Run, server: ModelServer, my_patients: str
) -> None:
    done = osler(
        *("simulate", "--case", "gout-en", "--patient", server.spec, "--ram", "rules"),
        *("--patient-agent", f"{my_patients}:Broken", "--out", "new", "--quiet"),
    )
    line = "the patient my_patients:Broken failed: IndexError: list index out of range (my_patients.py:17 in respond)"
    assert done.returncode == 1 and line in done.stderr.splitlines()[0]
    assert '  File "my_patients.py", line 17, in respond' in done.stderr
    told = " ".join(osler("runs", "failures", "new").stdout.split())
    assert line in told and "patient_error" in told


async def test_a_patient_with_the_whole_record_may_tell_all_of_it(
    server: ModelServer, tmp_path: Path
) -> None:
    """What it volunteers is not called an invention; what stands nowhere is."""
    record = RecordPool.open().get("gout-en")
    far = next(entry for entry in record.entries if any(map(str.isdigit, entry.report)))

    class Volunteers:
        def __init__(self, settings: PatientSettings) -> None:
            pass

        async def respond(self, selection: Selection) -> str:
            return f"{far.report} And 987654."

    run = package.simulate(
        cases=["gout-en"], patient=server.spec, patient_agent=Volunteers,
        out=tmp_path / "run", **SETTINGS,
    )  # fmt: skip
    [transcript] = load_run(run.path).transcripts()
    faulty = exactly_faulty(Course.of(transcript, record), record)
    assert {reply.faults.unknown_digits for reply in faulty} == {("987654",)}
