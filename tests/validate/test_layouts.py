"""Interviews are read from three layouts; what is no speech and no exchange is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from osler.errors import UserError
from osler.language import Language
from osler.records import PatientRecord
from osler.validate.cases import match_records
from osler.validate.interviews import HumanExchange, Interview
from osler.validate.layouts import read_interviews
from tests.validate import data


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def test_spbench_is_a_folder_of_interviews(tmp_path: Path) -> None:
    rounds = [{"round": "1", "question": q, "answer": a} for q, a in data.ZH]
    rounds.append({"round": "5", "question": "再见", "answer": "（点头）"})
    write(tmp_path / "07.json", rounds)
    [interview] = read_interviews([tmp_path])
    assert (interview.id, interview.language) == ("spbench-07", Language.ZH)
    assert interview.exchanges[0] == HumanExchange("您哪里不舒服？", "我咳嗽。")
    assert len(interview.exchanges) == 4, "a nod is no reply"


def test_primock_names_no_language_and_has_a_note(tmp_path: Path) -> None:
    rows = [{"id": "day1", "note": "Imp: cold", "turns": data.turns(data.EN)}]
    [interview] = read_interviews([write(tmp_path / "primock.json", rows)])
    assert (interview.id, interview.language) == ("day1", Language.EN)
    assert interview.exchanges[0].reply == "Um, I have a cough."


def test_turns_of_one_side_in_a_row_are_one_turn(tmp_path: Path) -> None:
    rows = [
        ("patient", "Good morning."),
        ("doctor", "Hello."),
        ("doctor", "[writes (a lot)]"),
        ("doctor", "What is wrong?"),
        ("patient", "My head."),
        ("patient", "It hurts <sighs>."),
        ("doctor", "Goodbye."),
    ]
    own = {
        "id": "a",
        "language": "en",
        "record": "headache",
        "turns": [{"speaker": speaker, "text": text} for speaker, text in rows],
    }
    [interview] = read_interviews([write(tmp_path / "own.json", [own])])
    assert interview.exchanges == (HumanExchange("Hello. What is wrong?", "My head. It hurts ."),)
    assert interview.case == "headache"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([{"id": "a", "turns": []}], "language"),
        ([{"id": "a", "language": "fr", "turns": []}], "language"),
        ([], "no interview"),
        (3, "no list of interviews"),
    ],
)
def test_what_is_no_interview_is_refused_with_a_line(
    tmp_path: Path, content: Any, reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        read_interviews([write(tmp_path / "own.json", content)])


def test_two_interviews_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = [data.interview("a", data.EN, "en")] * 2
    with pytest.raises(UserError, match="two interviews are called 'a'"):
        read_interviews([write(tmp_path / "own.json", twice)])


def made(name: str, language: str = "en", **more: Any) -> PatientRecord:
    return PatientRecord.model_validate({**data.record(name, language), **more})


def test_a_record_is_found_by_id_patient_or_source() -> None:
    exchanges = (HumanExchange("q", "r"),)

    def found(name: str, *records: PatientRecord) -> list[str]:
        interview = Interview(name, Language.EN, exchanges)
        return [case.record.id for case in match_records([interview], records).cases]

    other = made("other")
    assert found("a", other, made("a")) == ["a"]
    assert found("a", other, made("x", patient="a")) == ["x"]
    assert found("a", other, made("x", source="cases/a.json")) == ["x"]
    with pytest.raises(UserError, match="no record has the id"):
        found("a", made("ab"))
    with pytest.raises(UserError, match="no record has the id"):
        found("a", made("a", language="zh"))
    with pytest.raises(UserError, match="several records: a, x"):
        found("a", made("a"), made("x", source="a"))
