"""What was said, what was inferred and what is not known stay apart, in the ledger and for the
doctor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from osler.errors import UserError
from osler.language import Language
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.base import Change, Query
from osler.memory.core.fact import FactStatus
from osler.memory.tim.memory import TimMemory
from tests.memory.scripted_thinker import ScriptedThinker

EN, ZH = Language.EN, Language.ZH
BOTH = pytest.mark.parametrize("language", [EN, ZH])
INFERRED, UNKNOWN = {EN: "(inferred)", ZH: "（推断）"}, {EN: "(not known)", ZH: "（不详）"}
Row = dict[str, Any]


def row(object_: str, basis: str = "stated", kind: str = "other", **more: object) -> Row:
    """A thought, or with `ids` what thoughts are merged into."""
    return {
        "subject": "-",
        "relation": "-",
        "object": object_,
        "negated": False,
        "when": "",
        "kind": kind,
        "basis": basis,
        **more,
    }


class Notes:
    """A memory whose model answers as it is told to, turn by turn."""

    def __init__(self, language: Language = EN, spec: str = "tim", budget: int = 2000) -> None:
        self.thinker = ScriptedThinker()
        made = MemorySettings(language=language, budget=budget, thinker=self.thinker)
        memory = memory_factory(spec)(made)
        assert isinstance(memory, TimMemory)
        self.memory = memory
        self._turns = 0

    async def turn(
        self,
        thoughts: Sequence[Row] = (),
        forget: Sequence[Row] = (),
        merge: Sequence[Row] = (),
        words: str = "-",
        at: datetime | None = None,
        again: Sequence[int] = (),
    ) -> Change:
        """A turn after which the model answers this."""
        self._turns += 1
        lists: Row = {"thoughts": [*thoughts], "forget": [*forget], "merge": [*merge]}
        self.thinker.answers["tim_think"] = lists | {"again": [*again]}
        turn = Turn(number=self._turns, question=words, reply=words, at=at)
        return await self.memory.remember(turn)

    @property
    def last_prompt(self) -> str:
        return self.thinker.asked[-1][1]

    async def line(self, words: str) -> str:
        """The line of a recall that has these words."""
        text = (await self.memory.recall(Query(""))).text
        return next(line for line in text.splitlines() if words in line)


@BOTH
@pytest.mark.parametrize(
    ("parts", "says", "same_as", "inferred"),
    [
        (("inferred", "inferred"), "stated", 0, True),
        (("stated", "inferred"), "stated", 0, True),
        (("stated", "inferred"), "stated", 2, True),
        (("stated", "inferred"), "stated", 1, False),
        (("stated", "inferred"), "inferred", 1, True),
        (("stated", "stated"), "stated", 0, False),
        (("stated", "stated"), "inferred", 0, True),
    ],
)
async def test_a_merge_of_an_inference_is_one_unless_a_stated_part_says_the_same(
    language: Language, parts: tuple[str, str], says: str, same_as: int, inferred: bool
) -> None:
    notes = Notes(language)
    whole = row("blisters, a severe reaction", says, ids=[1, 2], same_as=same_as)
    change = await notes.turn(
        [row("blisters", parts[0]), row("a severe reaction", parts[1])], merge=[whole]
    )
    assert change.refused == () and len(change.merged) == 2
    merged = notes.memory.ledger[2]
    assert merged.status is FactStatus.ACTIVE and merged.inferred is inferred
    assert (INFERRED[language] in await notes.line("blisters, a severe")) is inferred


@BOTH
async def test_a_stated_allergy_does_not_become_a_part_of_a_guess(language: Language) -> None:
    notes = Notes(language)
    thoughts = [row("a rash from zortifen", kind="allergy"), row("probably", "inferred", "allergy")]
    whole = row("probably all of its class", kind="allergy", ids=[1, 2], same_as=0)
    change = await notes.turn(thoughts, merge=[whole])
    assert len(change.refused) == 1 and "#1 (allergy) was stated" in change.refused[0]
    assert INFERRED[language] not in await notes.line("a rash from zortifen")
    assert INFERRED[language] in await notes.line("probably")


@BOTH
@pytest.mark.parametrize("basis", ["inferred", "not known"])
async def test_what_somebody_says_takes_the_place_of_what_was_inferred_or_not_known(
    language: Language, basis: str
) -> None:
    notes = Notes(language)
    mark = {"inferred": INFERRED, "not known": UNKNOWN}[basis][language]
    await notes.turn([row("maybe pregnant", basis, "pregnancy")])
    assert mark in await notes.line("maybe pregnant")
    said = row("eight weeks pregnant", kind="pregnancy", id=2)
    change = await notes.turn([said], [{"id": 1, "by": 2, "why": "she knows now"}])
    assert f"#1 - - maybe pregnant{'' if language is ZH else ' '}{mark} [pregnancy]" in (
        notes.last_prompt
    )
    assert change.refused == () and notes.memory.ledger[0].by == 2
    assert mark not in (await notes.memory.recall(Query(""))).text


@BOTH
async def test_that_something_is_not_known_is_told_among_what_a_treatment_depends_on(
    language: Language,
) -> None:
    notes = Notes(language, budget=60)
    await notes.turn([row("blood thinners", "not known", "medicine", negated=True)])
    for part in range(20):
        await notes.turn([row(f"garden number {part}")], words=f"garden {part}")
    told = (await notes.memory.recall(Query("garden 7"))).text
    assert f"blood thinners{'' if language is ZH else ' '}{UNKNOWN[language]}" in told
    change = await notes.turn(forget=[{"id": 1, "by": 0, "why": "bored"}])
    assert "#1 (medicine)" in change.refused[0], "it goes only for what is known"


@BOTH
@pytest.mark.parametrize("spec", ["tim,inferences=off", "tim,inferences=off,mode=paper"])
async def test_without_inferences_nothing_is_noted_that_nobody_said(
    language: Language, spec: str
) -> None:
    notes = Notes(language, spec)
    thoughts = [row("a cough"), row("no zortifen", "inferred"), row("a fever")]
    notes.thinker.answers["tim_generate"] = {"thoughts": thoughts}
    notes.thinker.answers["tim_forget"] = {"forget": []}
    notes.thinker.answers["tim_merge"] = {
        "merge": [row("an infection", "inferred", ids=[1, 3], same_as=0)]
    }
    merge = [row("an infection", "inferred", ids=[1, 3], same_as=0)]
    change = await notes.turn(thoughts, merge=merge)
    assert [thought.object for thought in notes.memory.ledger] == ["a cough", "a fever"]
    assert len(change.refused) == 2 and all("inferences are off" in line for line in change.refused)
    assert "zortifen" not in (await notes.memory.recall(Query("zortifen"))).text


@BOTH
@pytest.mark.parametrize("prompt", ["tim_think", "tim_generate", "tim_merge"])
async def test_the_model_is_asked_for_inferences_only_if_they_are_wanted(
    language: Language, prompt: str
) -> None:
    texts = []
    for inferences in ("on", "off"):
        mode = "one" if prompt == "tim_think" else "paper"
        notes = Notes(language, f"tim,inferences={inferences},mode={mode}")
        notes.thinker.answers["tim_generate"] = {"thoughts": [row("one"), row("two")]}
        notes.thinker.answers["tim_forget"] = {"forget": []}
        notes.thinker.answers["tim_merge"] = {"merge": []}
        await notes.turn()
        texts.append(next(text for name, text in notes.thinker.asked if name == prompt))
    value = {EN: 'is "inferred"', ZH: "写inferred"}[language]
    assert value in texts[0] and value not in texts[1]


def test_an_option_with_another_value_is_named() -> None:
    for wrong in ("inferences=some", "facts=none"):
        with pytest.raises(UserError) as error:
            memory_factory(f"tim,{wrong}")(MemorySettings())
        assert wrong.partition("=")[0] in str(error.value)


@BOTH
@pytest.mark.parametrize("kind", ["allergy", "medicine", "pregnancy", "condition", "open"])
async def test_what_may_end_is_always_laid_before_the_model_with_its_day(
    language: Language, kind: str
) -> None:
    """Its outcome may be told in words that share nothing with it."""
    notes = Notes(language, "tim,groups=64")
    standing = row("zortifen drops", kind=kind)
    await notes.turn([standing], at=datetime.fromisoformat("2021-03-04"))
    denied = row("no quince", kind=kind, negated=True)
    await notes.turn([denied], at=datetime.fromisoformat("2021-03-04"))
    for part in range(60):
        day = datetime.fromisoformat("2022-05-06")
        await notes.turn([row(f"garden number {part}")], words=f"garden {part}", at=day)
    await notes.turn(words="garden", at=datetime.fromisoformat("2022-05-06"))
    line = next(one for one in notes.last_prompt.splitlines() if "zortifen" in one)
    assert f"[{kind}]" in line and "2021-03-04" in line
    assert "no quince" in notes.last_prompt


@BOTH
async def test_an_open_episode_gives_way_to_its_outcome(language: Language) -> None:
    notes = Notes(language)
    course = row("drops for a week", kind="open")
    await notes.turn([course])
    outcome = row("the drops healed it", id=2)
    await notes.turn([outcome], [{"id": 1, "by": 2, "why": "the outcome is told"}])
    text = (await notes.memory.recall(Query(""))).text
    assert "healed" in text and "for a week" not in text


@BOTH
async def test_what_is_said_again_has_the_day_on_which_it_was_said_last(language: Language) -> None:
    notes = Notes(language)
    days = [datetime.fromisoformat(day) for day in ("2021-03-04", "2022-05-06", "2024-07-08")]
    await notes.turn([row("zortifen 5 mg", kind="medicine")], at=days[0])
    change = await notes.turn([row("a cough")], again=[1, 2, 9], at=days[1])
    assert change.refused == ("#2 is new", "there is no thought #9") and change.proposed == 4
    await notes.turn(at=days[2])
    assert "2022-05-06" in notes.last_prompt and "2021-03-04" not in notes.last_prompt
    line = await notes.line("zortifen")
    assert "2022-05-06" in line and "2021-03-04" not in line
    other = Notes(language)
    other.memory.state = json.loads(json.dumps(notes.memory.state))
    assert other.memory.ledger[0].turns == (1, 2) and await other.line("zortifen") == line


@pytest.mark.parametrize("basis", ["inferred", "not known"])
async def test_what_nobody_said_cannot_be_said_again(basis: str) -> None:
    notes = Notes()
    await notes.turn([row("zortifen", basis)])
    change = await notes.turn(again=[1])
    assert len(change.refused) == 1 and "#1 was never said" in change.refused[0]
    assert notes.memory.ledger[0].turns == (1,)


async def test_an_earlier_form_is_refused_with_the_remedy() -> None:
    old = json.loads(json.dumps(Notes().memory.state | {"version": 5}))
    with pytest.raises(UserError) as error:
        Notes().memory.state = old
    assert "form 5" in str(error.value) and "version of Osler" in error.value.remedy
