"""What counts as a repeated question: what the retrieval had found for an earlier one, and nothing
else."""

from __future__ import annotations

import pytest

from osler.agents.messages import Selection
from osler.agents.ram.agent import Ram
from osler.eval.measures import key_elements
from osler.records import Language, PatientRecord, RecordPool
from osler.records.schema import Part
from osler.runs.events import Thing
from osler.simulator.build import case_of
from osler.simulator.repeats import Repeats

POOL = RecordPool.open()
FORMS = {
    Language.EN: ("Do you have {}?", "What about {}?", "{}?"),
    Language.ZH: ("您有没有{}？", "{}呢？", "{}？"),
}


def repeated(record: PatientRecord, *questions: str) -> list[str]:
    """The questions that ask for nothing new, with the retrieval by rules."""
    ram, so_far = Ram(record, case_of(record)), Repeats()
    return [question for question in questions if so_far.saw(ram.select(question))]


@pytest.mark.parametrize("form", range(3))
def test_who_asks_for_each_key_element_once_by_its_name_repeats_nothing(form: int) -> None:
    records = list(POOL)
    assert len(records) == 88
    for record in records:
        names = [entry.name for part in Part for entry in key_elements(record, part)]
        assert (
            repeated(record, *(FORMS[record.language][form].format(name) for name in names)) == []
        )


@pytest.mark.parametrize(
    ("case", "first", "again"),
    [
        ("pneumonia-en", "Do you have a fever?", "Have you had a fever?"),
        ("pneumonia-en", "What medicines do you take?", "What medicines do you take?"),
        ("pneumonia-zh", "您发烧吗？", "您有没有发热？"),
        ("pneumonia-zh", "您平时吃什么药？", "您平时吃什么药？"),
    ],
)
def test_what_was_asked_for_is_a_repeat_in_other_words_too(
    case: str, first: str, again: str
) -> None:
    record = POOL.get(case)
    between = "Do you smoke?" if record.language is Language.EN else "您抽烟吗？"
    assert repeated(record, first, between, again) == [again]


@pytest.mark.parametrize("case", ["pneumonia-en", "pneumonia-zh"])
def test_what_nothing_is_found_for_is_never_a_repeat(case: str) -> None:
    record = POOL.get(case)
    nothing = Selection(case=case_of(record), question="Xyzzy?", entries=())
    so_far = Repeats()
    assert not so_far.saw(nothing) and not so_far.saw(nothing)


def test_where_a_model_read_the_question_each_thing_counts_by_itself() -> None:
    record = POOL.get("gout-en")
    pain, fever = record.entries[0], record.entries[1]
    about_pain = Thing(name="pain", entries=(pain.name,))
    about_fever = Thing(name="fever", entries=(fever.name,))
    onset = Thing(name="onset of pain", entries=(pain.name,))

    def found(*things: Thing) -> Selection:
        names = {name for thing in things for name in thing.entries}
        entries = tuple(entry for entry in record.entries if entry.name in names)
        return Selection(case=case_of(record), question="?", entries=entries, things=things)

    so_far = Repeats()
    assert not so_far.saw(found(about_pain, about_fever))
    assert so_far.saw(found(about_fever)), "one of the two"
    assert not so_far.saw(found(onset)), "the same entry, for a new thing"
    assert not so_far.saw(found(about_fever, Thing(name="rash"))), (
        "a new thing, though the record has none"
    )
    assert so_far.saw(found(onset, about_pain))
