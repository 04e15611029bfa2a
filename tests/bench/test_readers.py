"""Each data set in its published layout becomes conversations with questions and their gold
turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from osler.bench.cases import BenchCase, BenchQuestion, Message, QuestionKind, TurnWriter, by_data
from osler.bench.readers import read_data
from osler.errors import UserError
from osler.language import Language
from tests.bench import data
from tests.conftest import SHARED, needs_shared_data


def read(name: str, folder: Path, **more: Any) -> list[BenchCase]:
    data.LAYOUTS[name](folder)
    return read_data(folder, **more)


def only(cases: list[BenchCase]) -> BenchCase:
    [case] = cases
    return case


def asked(case: BenchCase, text: str) -> BenchQuestion:
    return next(question for question in case.questions if text in question.text)


def test_messages_become_turns_and_each_knows_its_turn() -> None:
    writer = TurnWriter()
    said = [
        Message("A", "1"),
        Message("B", "2"),
        Message("B", "3"),
        Message("B", "4"),
        Message("A", "5"),
        Message("B", "6"),
    ]
    assert writer.session(said) == [1, 1, 2, 3, 3, 4]
    assert [(turn.question, turn.reply) for turn in writer.turns] == [
        ("1", "2"),
        ("", "3"),
        ("4", "5"),
        ("", "6"),
    ]
    assert writer.session(said[:2]) == [5, 5] and writer.sessions == [1, 5]


def test_scm_takes_dialogues_that_have_questions(tmp_path: Path) -> None:
    case = only(read("scm", tmp_path))
    assert (case.data, case.person, len(case.turns)) == ("scm en", "d1", 3)
    assert case.questions == (BenchQuestion("What is my dog called?", "Biscuit"),)


def test_gvd_joins_users_and_questions_in_both_languages(tmp_path: Path) -> None:
    english, chinese = read("gvd", tmp_path)
    assert (english.person, english.language, english.sessions) == ("Ann", Language.EN, (1, 2))
    assert [str(turn.at) for turn in english.turns] == [
        "2023-04-27 00:00:00",
        "2023-04-28 00:00:00",
    ]
    assert (chinese.data, chinese.turns[0].asked_by, chinese.questions[0].text) == (
        "gvd zh",
        "小安",
        "我放了什么？",
    )


def test_kdconv_asks_for_the_triples_of_many_dialogues_in_one_memory(tmp_path: Path) -> None:
    first, second = read("kdconv", tmp_path)
    assert (len(first.sessions), len(second.sessions)) == (15, 5)
    phone = asked(first, "第3公园的电话")
    [turn] = phone.turns
    assert "010-7003" in first.turns[turn - 1].reply and phone.relation == "电话"
    nearby = asked(first, "第3公园的周边景点")
    assert (
        nearby.kind is QuestionKind.MULTI
        and len(nearby.turns) == 2
        and nearby.parts == ("第3塔", "第3桥")
    )
    assert not any(
        "Information" in question.text or "（" in question.text for question in first.questions
    )


def test_kdconv_asks_now_and_then_for_what_was_not_said(tmp_path: Path) -> None:
    dialogue = {
        "messages": [
            {"message": "它在哪？", "attrs": [data.triple("塔", "地址", "东街")]},
            {"message": "东街。"},
        ]
    }
    rows = [
        {
            "messages": [
                {
                    "message": f"第{number}馆1元。",
                    "attrs": [data.triple(f"第{number}馆", "门票", "1元")],
                }
            ]
        }
        for number in range(12)
    ]
    data.write(tmp_path / "film_train.json", [dialogue, *rows])
    unanswerable = [
        one for one in only(read_data(tmp_path)).questions if one.kind is QuestionKind.UNANSWERABLE
    ]
    assert unanswerable and not any(one.answer or one.turns for one in unanswerable)
    assert all("地址" in one.text for one in unanswerable)


def test_locomo_sorts_sessions_and_finds_the_turns_of_its_evidence(tmp_path: Path) -> None:
    case = only(read("locomo", tmp_path))
    assert [str(case.turns[place].at) for place in (0, -1)] == [
        "2023-05-08 13:56:00",
        "2023-06-01 09:05:00",
    ]
    does, when, car = case.questions
    assert (
        does.kind is QuestionKind.MULTI
        and does.parts == ("paints", "rows")
        and does.turns == {1, 2}
    )
    assert "heron" in case.turns[0].reply and "row" in case.turns[1].question
    assert (when.answer, set(when.turns), when.kind) == ("2023", {3}, QuestionKind.TEMPORAL)
    assert car.kind is QuestionKind.UNANSWERABLE and not car.answer


def test_the_corrections_of_the_audit_are_taken_when_given(tmp_path: Path) -> None:
    errors = data.locomo_errors(tmp_path / "audit" / "errors_conv_0.json")
    for given in (errors, errors.parent):
        case = only(read("locomo", tmp_path / "data", corrections=given))
        assert (
            case.questions[1].answer == "1 June 2023" and case.questions[0].answer == "paints, rows"
        )


def test_a_correction_of_another_question_is_refused(tmp_path: Path) -> None:
    errors = data.locomo_errors(tmp_path / "errors.json")
    text = errors.read_text(encoding="utf-8").replace("qa1", "qa0")
    data.write(errors, text)
    with pytest.raises(UserError, match="locomo_0_qa0 is of another question"):
        read("locomo", tmp_path / "data", corrections=errors)


def test_perltqa_makes_turns_of_every_kind_of_memory(tmp_path: Path) -> None:
    case = only(read("perltqa", tmp_path))
    told = {
        question.text: [case.turns[turn - 1].reply for turn in sorted(question.turns)]
        for question in case.questions
    }
    assert told["What is Wu Lan's hobby?"] == ["chess"]
    assert told["Who is Li Bo?"] == ["Li Bo neighbour"]
    assert told["What did they plant?"][0] == "Wu Lan and Li Bo planted an oak."
    assert told["How tall is it?"] == ["It is tall: two metres."]
    assert asked(case, "plant").parts == ("oak", "planted")


def test_medmemorybench_asks_after_the_session_and_has_no_gold_in_noise(tmp_path: Path) -> None:
    case = only(read("medmemorybench", tmp_path))
    first, second = case.questions
    assert (first.asked_after, set(first.turns), first.answer) == (1, {1}, "5 mg")
    assert (second.asked_after, set(second.turns), second.kind) == (3, {1, 3}, QuestionKind.UPDATE)
    assert case.turns[1].question == "My aunt takes aspirin."


def test_all_data_sets_below_a_folder_are_read(tmp_path: Path) -> None:
    for name, layout in data.LAYOUTS.items():
        layout(tmp_path / name)
    expected = [
        "gvd en",
        "gvd zh",
        "kdconv travel",
        "locomo",
        "medmemorybench en",
        "perltqa en",
        "scm en",
    ]
    assert sorted(by_data(read_data(tmp_path))) == expected


@pytest.mark.parametrize(
    ("name", "file", "text", "fault"),
    [
        (
            "scm",
            "dialogue_en.json",
            "{",
            "dialogue_en.json is not as SCM publishes it: the file is not JSON",
        ),
        (
            "scm",
            "dialogue_en.json",
            '[{"id": "d1"}]',
            "d1: 'dialogue' is missing where a list belongs",
        ),
        ("gvd", "memory_bank_en.json", '{"Bob": {"history": {}}}', "has no user 'Ann'"),
        ("gvd", "memory_bank_en.json", '{"Ann": {"history": {"May": []}}}', "'May' is no date"),
        (
            "kdconv",
            "travel_dev.json",
            '[{"messages": [{"text": "a"}]}]',
            "dialogue 1: 'message' is missing",
        ),
        ("locomo", "locomo10.json", '[{"conversation": {}, "qa": []}]', "there is no session_1"),
        ("perltqa", "perltmem_en.json", "{}", "has no character 'Wu Lan'"),
        (
            "medmemorybench",
            "persona_3/eval/generated_queries.json",
            "[]",
            "is list where an object belongs",
        ),
    ],
)
def test_a_file_that_is_not_as_published_is_named_with_its_fault(
    name: str, file: str, text: str, fault: str, tmp_path: Path
) -> None:
    data.LAYOUTS[name](tmp_path)
    data.write(tmp_path / file, text)
    with pytest.raises(UserError) as raised:
        read_data(tmp_path)
    assert (
        fault in str(raised.value)
        and ".json" in str(raised.value)
        and "docs/bench.md" in str(raised.value)
    )


def test_a_missing_file_and_a_folder_without_data_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no data set that the bench knows"):
        read_data(tmp_path)
    data.scm(tmp_path)
    (tmp_path / "dialogue_en_questions.json").unlink()
    with pytest.raises(UserError, match=r"dialogue_en_questions\.json is missing"):
        read_data(tmp_path)


@needs_shared_data
def test_the_published_files_have_gold_turns_for_nearly_every_question() -> None:
    for name, cases in by_data(read_data(SHARED / "memory")).items():
        asked = [
            one
            for case in cases
            for one in case.questions
            if one.kind is not QuestionKind.UNANSWERABLE
        ]
        assert all(question.turns for question in asked), name
        assert all(
            max(question.turns) <= len(case.turns)
            for case in cases
            for question in case.questions
            if question.turns
        )
        assert sum(case.left_out for case in cases) <= 1
