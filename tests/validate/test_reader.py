"""What a model reads in replies: facts with quotes, and how two replies agree."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from osler.language import Language
from osler.records import PatientRecord
from osler.validate.reader import ReadPair, ReplyReader
from tests.agents.scripted import ScriptedClient, scripted
from tests.validate import data


def reader_of(*answers: Any) -> tuple[ReplyReader, ScriptedClient]:
    backbone, client = scripted([json.dumps(answer, ensure_ascii=False) for answer in answers])
    return ReplyReader(backbone), client


def record(language: Language) -> PatientRecord:
    return PatientRecord.model_validate(data.record("a", language.value))


def fact(words: str, entry: int = 0, *, asked: bool = True) -> dict[str, Any]:
    return {"words": words, "asked": asked, "entry": entry}


@pytest.mark.parametrize(
    ("language", "reply", "first", "second"),
    [
        (Language.EN, "Yes, and I cough.", "Yes", "I cough"),
        (Language.ZH, "抽，还咳嗽。", "抽", "还咳嗽"),
    ],
)
def test_facts_are_counted_and_found_in_the_record(
    language: Language, reply: str, first: str, second: str
) -> None:
    form = {"facts": [fact(first, 3), fact(second, 1, asked=False)]}
    reader, client = reader_of(form)
    read = asyncio.run(reader.read_reply("?", reply, record(language)))
    assert read is not None
    assert (read.facts, read.volunteered) == (2, 1)
    names = {entry.name for entry in (record(language).entries[0], record(language).entries[2])}
    assert read.entries == names
    [prompt] = client.prompts
    assert f"<answer>{reply}</answer>" in prompt
    assert all(
        f"{place}. {entry.name}" in prompt
        for place, entry in enumerate(record(language).entries, 1)
    )
    assert "Bronchitis" not in prompt and "支气管炎" not in prompt


@pytest.mark.parametrize("wrong", [fact("not there"), fact("Yes", 9), fact("Yes", -1), fact("")])
def test_a_form_that_cannot_be_used_is_asked_for_once_more(wrong: dict[str, Any]) -> None:
    reader, client = reader_of({"facts": [wrong]}, {"facts": [fact("Yes", 1)]})
    read = asyncio.run(reader.read_reply("Cough?", "Yes.", record(Language.EN)))
    assert read is not None and read.facts == 1
    assert len(client.prompts) == 2 and reader.unread == 0 and reader.usage.forms == 1
    reader, client = reader_of({"facts": [wrong]}, {"facts": [wrong]})
    assert asyncio.run(reader.read_reply("Cough?", "Yes.", record(Language.EN))) is None
    assert len(client.prompts) == 2 and reader.unread == 1


PAIRS = [
    ({"facts": [{"first": "Yes", "second": "Yes", "agree": True}]}, ReadPair(same=1)),
    ({"facts": [{"first": "Yes", "second": "Yes", "agree": False}]}, ReadPair(contradicting=1)),
    ({"facts": []}, ReadPair()),
]


@pytest.mark.parametrize(("form", "expected"), PAIRS)
def test_pairs_are_counted(form: dict[str, Any], expected: ReadPair) -> None:
    reader, _ = reader_of(form)
    read = asyncio.run(reader.read_pair("?", "Yes.", "Yes!", Language.EN))
    assert read == expected


@pytest.mark.parametrize("question", ["Cough?", "Fever?", "Pain?", "Rash?", "Sleep?", "Work?"])
def test_missing_is_what_the_human_alone_tells_whichever_reply_is_read_first(question: str) -> None:
    def answer(prompt: str) -> str:
        first = prompt.partition("First reply: <answer>")[2].partition("</answer>")[0]
        if first == "human words":
            return '{"facts": [{"first": "human words", "second": "", "agree": true}]}'
        return '{"facts": [{"first": "", "second": "human words", "agree": true}]}'

    backbone, _ = scripted(answer)
    read = asyncio.run(
        ReplyReader(backbone).read_pair(question, "human words", "others", Language.EN)
    )
    assert read == ReadPair(missing=1)


def test_the_reader_is_not_told_who_is_human_and_sees_them_in_both_orders() -> None:
    backbone, client = scripted(lambda _: '{"facts": []}')
    reader = ReplyReader(backbone)
    for number in range(12):
        asyncio.run(reader.read_pair(f"Q{number}?", "human words", "others", Language.EN))
    firsts = {prompt.partition("First reply: <answer>")[2][:5] for prompt in client.prompts}
    assert firsts == {"human", "other"}
    assert not any("simulated" in prompt for prompt in client.prompts)


@pytest.mark.parametrize(
    "wrong",
    [
        {"first": "", "second": " ", "agree": True},
        {"first": "Yes", "second": "", "agree": False},
        {"first": "Never", "second": "", "agree": True},
    ],
)
def test_a_pair_without_quotes_is_not_believed(wrong: dict[str, Any]) -> None:
    reader, _ = reader_of({"facts": [wrong]}, {"facts": [wrong]})
    assert asyncio.run(reader.read_pair("?", "Yes.", "Yes!", Language.EN)) is None
    assert reader.unread == 1
