"""A thought as a line of a prompt, in the words that it has: `Fact #j: s r o`, with its time and its turns.

What a model wrote is told as it stands. That it denies something is said beside it where its words do not, and so is
that nobody said it. Where the budget is small, thoughts are left out, each as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from osler.language import Language
from osler.language.words import plain
from osler.memory.base import tokens
from osler.memory.tim.negation import NEGATION
from osler.memory.tim.phrased import named
from osler.memory.tim.thought import Draft, Maker, Thought

_FACT = {Language.EN: "Fact #{number}: {text} (turn {turns})", Language.ZH: "事实#{number}：{text}（第{turns}轮）"}
_WHEN = {Language.EN: "{text}, {when}", Language.ZH: "{text}，{when}"}
_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_NEGATIVE = {Language.EN: " (negative)", Language.ZH: "（阴性）"}
_INFERRED = {Language.EN: " (inferred)", Language.ZH: "（推断）"}


@dataclass(frozen=True)
class Told:
    """What is said of a memory, and what had to be left out."""

    text: str
    kept: tuple[Thought, ...]
    dropped: tuple[int, ...]
    """Turns of which something is left out."""


def stated(thought: Draft, language: Language) -> str:
    """The triple; of a model's, with what only its marks tell. The rules have all of it in their words."""
    if thought.maker is Maker.RULES:
        return thought.triple
    unsaid = thought.negated and not NEGATION[language].search(plain(thought.relation))
    negative = _NEGATIVE[language] if unsaid else ""
    return f"{thought.triple}{negative}{_INFERRED[language] if thought.inferred else ''}"


def dated(thought: Draft, language: Language) -> str:
    """What it states, with the time at which it was so, where only another sentence said that."""
    text = stated(thought, language)
    if not thought.reported or thought.reported in thought.triple:
        return text
    return _WHEN[language].format(text=text, when=thought.reported)


def fact_line(thought: Thought, text: str, language: Language) -> str:
    """A thought as one line."""
    turns = _COMMA[language].join(map(str, thought.turns))
    return _FACT[language].format(number=thought.id, text=text, turns=turns)


def tell_whole(
    thoughts: Sequence[Thought], topic: Callable[[int], str], language: Language, budget: int, silent: Sequence[int]
) -> Told:
    """As many thoughts as the budget holds, unaltered: allergies, medicines and pregnancy first, inferences last.

    Questions of which nothing is told have the rest of the room; the oldest of them fall out first.
    """
    left, kept = budget, set[int]()
    for thought in sorted(thoughts, key=lambda one: (one.negated or not one.is_protected, one.inferred)):
        size = tokens(fact_line(thought, dated(thought, language), language)) + 1  # the end of the line, rounded up
        if size <= left:
            left -= size
            kept.add(thought.id)
    told = sorted((one for one in thoughts if one.id in kept), key=attrgetter("turn", "id"))
    lines = [fact_line(one, dated(one, language), language) for one in told]
    covered = {turn for one in told for turn in one.turns}
    turns = sorted({*silent, *(turn for one in thoughts for turn in one.turns)} - covered)
    topics = [asked for turn in turns if (asked := topic(turn))]
    while topics and tokens(named(topics, language)) >= left:
        topics = topics[1:]
    dropped = sorted({one.turn for one in thoughts if one.id not in kept})
    return Told("\n".join(filter(None, [*lines, named(topics, language)])), tuple(told), tuple(dropped))
