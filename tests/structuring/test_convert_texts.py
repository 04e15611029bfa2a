"""Many texts: what is done is kept, what fails is told, and nothing is asked for twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from osler.errors import UserError
from osler.models import BackboneError, FailureKind
from osler.models.cache import ResponseCache
from osler.records import Diagnosis, RecordPool
from osler.records.text_case import TextCase
from osler.records.validation import Problem
from osler.structuring.convert_texts import RecordFolder, TextConversion
from osler.structuring.source_text import read_cases
from tests.agents.scripted import ScriptedClient, scripted
from tests.conftest import Run, small_record
from tests.models.server import Step, serving
from tests.structuring.model import StructuringModel, entry

ILLNESSES = ["Gout", "Migraine", "Croup", "Scabies", "Mumps", "Asthma"]


def text(number: int) -> str:
    return f"A {20 + number}-year-old woman has had pain in the hip for {number + 2} days. She denies fever."


def story_file(folder: Path, count: int = 6) -> Path:
    rows = [
        {"id": f"hip-{n}", "note": text(n), "diagnosis": ILLNESSES[n % 6]} for n in range(count)
    ]
    path = folder / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def model(prompt: str) -> str:
    """Answers as a good model would."""
    opening, denial = prompt.split("<text>")[-1].split("</text>")[0].strip().split(". ")
    return StructuringModel(
        {
            "sex": "female",
            "age": opening[2:4],
            "complaint_source": opening,
            "complaint": "My hip hurts.",
        },
        [entry(opening, "Hip pain", opening), entry(denial, "Fever", "Denies fever.", "absent")],
    )(prompt)


def convert(
    source: Path,
    target: Path,
    script: Callable[[str], str] = model,
    cache: Path | None = None,
    **options: Any,
) -> tuple[TextConversion, ScriptedClient, list[str]]:
    backbone, client = scripted(script)
    told: list[str] = []
    kept = ResponseCache(cache) if cache else None
    work = TextConversion(RecordFolder(target), backbone, kept, tell=told.append, **options)
    try:
        asyncio.run(work.run(list(read_cases(source))))
        return work, client, told
    finally:
        if kept:
            kept.close()


@pytest.mark.parametrize("out", ["done.jsonl", "done"])
def test_texts_become_sound_records_that_are_not_asked_for_again(
    tmp_path: Path, out: str, osler: Run
) -> None:
    source, target = story_file(tmp_path), tmp_path / out
    result, client, told = convert(source, target)
    assert result.converted == 6 and len(client.prompts) == 24
    assert "hip-0: 2 entries, 0 dropped, 0 not used" in told
    assert {record.id: record.diagnosis.name for record in RecordPool.open(target)} == {
        f"hip-{n}": illness for n, illness in enumerate(ILLNESSES)
    }
    assert osler("records", "validate", target).returncode == 0
    again, client, _ = convert(source, target)
    assert (again.converted, again.earlier, client.prompts) == (0, 6, [])


def test_a_remark_on_a_diagnosis_is_told_and_kept_in_the_report(tmp_path: Path) -> None:
    def inspect(diagnosis: Diagnosis) -> str | None:
        return "look at it" if diagnosis.name == "Croup" else None

    _, _, told = convert(story_file(tmp_path), tmp_path / "done.jsonl", inspect=inspect)
    assert told[told.index("hip-2: 2 entries, 0 dropped, 0 not used") + 1] == "  note: look at it"
    assert "  note: look at it\n" in (tmp_path / "done.jsonl.report.txt").read_text()
    assert told.count("  note: look at it") == 1


def test_a_failing_record_is_told_and_the_others_are_kept(tmp_path: Path) -> None:
    def sometimes(prompt: str) -> str:
        return "I cannot do that." if "for 3 days" in prompt else model(prompt)

    source, target = story_file(tmp_path), tmp_path / "done.jsonl"
    result, _, told = convert(source, target, sometimes)
    assert result.converted == 5 and len(result.failed) == 1
    assert any(line.startswith("failed: hip-1: no entry") for line in told)
    result, client, _ = convert(source, target)
    assert (result.converted, result.earlier) == (1, 5) and all(
        "for 3 days" in prompt for prompt in client.prompts
    )


def test_a_server_that_goes_away_half_way_loses_nothing(tmp_path: Path) -> None:
    calls = 0

    def dies(prompt: str) -> str:
        nonlocal calls
        calls += 1
        if calls > 201:
            raise BackboneError(FailureKind.UNREACHABLE, "it is gone")
        return model(prompt)

    source, target, cache = story_file(tmp_path, 100), tmp_path / "done.jsonl", tmp_path / "answers"
    with pytest.raises(UserError, match="re-run the same command to resume"):
        convert(source, target, dies, cache)
    done = [record.id for record in RecordPool.open(target)]
    assert 40 <= len(done) <= 50
    result, client, _ = convert(source, target, cache=cache)
    assert result.converted == 100 - len(done) and result.earlier == len(done)
    assert len(client.prompts) == 400 - 201, "every answer was paid for once"
    assert len(list(RecordPool.open(target))) == 100


def test_a_run_that_is_killed_within_a_record_goes_on(tmp_path: Path) -> None:
    source, target = story_file(tmp_path), tmp_path / "done.jsonl"
    convert(source, target)
    whole = target.read_bytes()
    target.write_bytes(whole[: len(whole) - 40])
    result, _, _ = convert(source, target)
    assert (result.converted, result.earlier) == (1, 5)
    assert len(list(RecordPool.open(target))) == 6


def test_one_server_failure_fails_one_record(tmp_path: Path) -> None:
    def once(prompt: str) -> str:
        if "for 5 days" in prompt:
            raise BackboneError(FailureKind.TIMEOUT, "too slow")
        return model(prompt)

    result, _, _ = convert(story_file(tmp_path), tmp_path / "done.jsonl", once, concurrency=1)
    assert result.converted == 5 and "too slow" in result.failed[0]


def test_a_wrong_key_stops_at_once(tmp_path: Path) -> None:
    def locked(prompt: str) -> str:
        raise BackboneError(FailureKind.UNAUTHORIZED, "no key")

    with pytest.raises(UserError, match="no key"):
        convert(story_file(tmp_path), tmp_path / "done.jsonl", locked)


def cases(path: Path) -> list[TextCase | Problem]:
    return list(read_cases(path))


def case(path: Path) -> TextCase:
    (found,) = cases(path)
    assert isinstance(found, TextCase)
    return found


def test_a_folder_of_notes_is_one_case_a_file(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_text("A 30-year-old man.\n\nDiagnosis: Gout.")
    (tmp_path / "病例一.md").write_text("患者男，45岁，腹痛3天。")
    first, second = cases(tmp_path)
    assert isinstance(first, TextCase) and isinstance(second, TextCase)
    assert first.id == "a-b" and first.paragraphs == ("A 30-year-old man.", "Diagnosis: Gout.")
    assert second.id.isascii() and second.language == "zh"


def test_the_truth_and_the_exam_question_are_not_shown_to_the_model(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    item = {
        "note": "Pain.",
        "final_diagnosis": "Gout (podagra)",
        "options": ["Gout", "Mumps"],
        "answer": "A",
    }
    path.write_text(
        json.dumps([{**item, "history": {"drugs": ["aspirin", "none"]}, "treatment": "Rest"}])
    )
    found = case(path)
    assert found.paragraphs == ("note: Pain.", "drugs: aspirin\nnone")
    assert found.known == {
        "diagnosis": {"name": "Gout", "aliases": ["podagra"]},
        "treatment": {"name": "Rest"},
    }
    assert set(found.left_out) == {"final_diagnosis", "options", "answer", "treatment"}


def test_a_known_format_tells_the_truth_and_the_text_stays_whole(tmp_path: Path) -> None:
    actor = {"Demographics": "8-month-old boy", "History": "He denies fever, rash.", "Symptoms": {}}
    osce = {
        "Patient_Actor": {**actor, "Symptoms": {"Primary_Symptom": "Cough"}},
        "Correct_Diagnosis": "Croup",
    }
    (tmp_path / "x.jsonl").write_text(json.dumps({"OSCE_Examination": osce}) + "\n")
    found = case(tmp_path / "x.jsonl")
    assert found.known["diagnosis"]["name"] == "Croup" and found.known["age"].value == 8
    assert "He denies fever, rash." in "\n".join(found.paragraphs)
    assert "Croup" not in "\n".join(found.paragraphs)


def test_records_that_are_structured_already_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps(small_record()) + "\n")
    with pytest.raises(UserError, match="structured records already"):
        cases(tmp_path / "x.jsonl")


@pytest.mark.parametrize("name", ["done.xlsx", "done.csv"])
def test_only_what_can_be_resumed_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"folder or a \.jsonl file"):
        RecordFolder(tmp_path / name)


def test_the_command_says_what_is_wrong_in_one_line(tmp_path: Path, osler: Run) -> None:
    source = story_file(tmp_path)
    for args, reason in (
        ((source,), "there is no OUT"),
        ((source, "--with", "rules"), "rules have no model"),
        (
            (tmp_path / "none.txt", "--with", "m@http://127.0.0.1:1/v1"),
            "there is no file or folder",
        ),
        ((source, "--with", "m@http://127.0.0.1:1/v1", "--to", "yaml"), "do not go with --with"),
    ):
        done = osler("records", "convert", *args)
        assert done.returncode == 2 and reason in done.stderr and done.stderr.count("\n") == 1, (
            done.stderr
        )


def verdicts(*reasons: str) -> dict[str, Any]:
    rows = [
        {"number": number, "supported": not reason, "reason": reason}
        for number, reason in enumerate(reasons, 1)
    ]
    return {"verdicts": rows}


async def test_the_command_structures_a_note_with_a_server_and_prints_the_cost(
    tmp_path: Path, osler: Run
) -> None:
    note = tmp_path / "note.txt"
    note.write_text(f"{text(1)}\n\nDiagnosis: Gout.")
    opening, denial = text(1).split(". ")
    patient = {
        "age": "21",
        "sex": "female",
        "complaint_source": opening,
        "complaint": "My hip hurts.",
    }
    patient |= {"diagnosis": "Gout", "diagnosis_source": "Diagnosis: Gout."}
    rows = [entry(opening, "Hip pain", opening), entry(denial, "Rash", "No rash.", "absent")]
    answers = [
        patient,
        verdicts(*4 * [""]),
        {"entries": rows},
        verdicts("", "it does not tell of a rash"),
    ]
    answers += [{"entries": []}]
    async with serving(*(Step(text=json.dumps(answer)) for answer in answers)) as server:
        done = await asyncio.to_thread(osler, "records", "convert", note, "--with", server.spec)
    assert done.returncode == 0, done.stdout
    assert "note: 1 entries, 1 dropped, 1 not used" in done.stdout
    assert (
        "  dropped: Rash (absent) — 'She denies fever.': the text does not support it"
        in done.stdout
    )
    assert "  not used: She denies fever." in done.stdout
    assert "5 model call(s), 70 tokens, cost unknown" in done.stdout
    forms = [request["response_format"]["json_schema"]["name"] for request in server.requests]
    assert forms == ["PatientProposal", "Verdicts", "EntryProposals", "Verdicts", "EntryProposals"]
    (record,) = RecordPool.open(tmp_path / "note.records.jsonl")
    assert record.diagnosis.name == "Gout" and record.entries[0].source is not None
    assert not (tmp_path / ".note.records.jsonl.answers").exists()
