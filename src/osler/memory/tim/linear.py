"""Thoughts as lines of a prompt: `Fact #j: s r o`, with the turn each comes from.

What was asked in a turn stands in brackets behind its first fact, unless the fact shows it by itself. Where the budget
is small, facts with one head are told in one line, the other facts of a turn in another, and what was asked is cut
short. A question of which no fact is told is named at the end, so that nobody asks it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from osler.memory.base import tokens
from osler.memory.tim.relations import is_protected
from osler.memory.tim.thought import Thought
from osler.records.language import Language
from osler.words import content

_FACT = {Language.EN: "Fact {numbers}: {text} (turn {turns})", Language.ZH: "事实{numbers}：{text}（第{turns}轮）"}
_ABOUT = {Language.EN: "{text} [{topic}]", Language.ZH: "{text}［{topic}］"}
_SILENT = {Language.EN: "Also asked: {topics}", Language.ZH: "还问过：{topics}"}
_COLON = {Language.EN: ": ", Language.ZH: "："}
_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_STOP = {Language.EN: ". ", Language.ZH: "。"}
_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_PATIENT = frozenset({"patient", "患者"})
_SHOWN = 0.6
"""Share of the words of a question that a fact must hold to show by itself what was asked."""
_CUT = {Language.EN: 5, Language.ZH: 9}
"""What is left of a question when room is scarce: words in English, characters in Chinese."""
_NAMED = 0.5
"""Share of the budget that questions without a fact may take; the oldest fall out first."""
_UNKNOWN = frozenset({"does not know", "has not been done", "不知道", "查过", "做过", "没做过", "没有查过", "没有"})


@dataclass(frozen=True)
class Told:
    """What is said of a memory, and what had to be left out."""

    text: str
    kept: tuple[Thought, ...]
    dropped: tuple[int, ...]
    """Turns of which something is left out."""


Topic = Callable[[int], str]
"""What was asked in a turn, in its words of weight."""


def tell(thoughts: Sequence[Thought], topic: Topic, language: Language, budget: int) -> Told:
    """As much of the thoughts as the budget holds: in full if it can be, in short if it must."""
    full = _in_full(thoughts, topic, language)
    if tokens(full) <= budget:
        return Told(full, tuple(_ordered(thoughts)), ())
    turns = sorted({*_silent(thoughts), *(thought.turn for thought in thoughts)})
    firsts = {members[0].id for members in _by_turn(thoughts).values()}
    kept: list[Thought] = []
    for thought in sorted(thoughts, key=lambda one: _weight(one, one.id in firsts, language)):
        # Questions make room for what a treatment hangs on, and for nothing else.
        room = 0.0 if is_protected(thought, language) else _NAMED * budget
        if tokens(_in_short([*kept, thought], turns, topic, language, room)) <= budget:
            kept.append(thought)
    dropped = sorted({thought.turn for thought in thoughts} - {thought.turn for thought in kept})
    room = min(_NAMED * budget, budget - 1 - tokens(_in_short(kept, turns, topic, language, 0.0)))
    return Told(_in_short(kept, turns, topic, language, room), tuple(_ordered(kept)), tuple(dropped))


def _weight(thought: Thought, first: bool, language: Language) -> int:
    """What a treatment hangs on, then the answer of each turn, then what else was said in it.

    What is there comes before what is not. That something is not known comes last: its question is named anyway.
    """
    if is_protected(thought, language):
        return 0
    if thought.certainty == 0 or _is_unknown(thought):
        return 5
    if thought.negated:
        return 2 if first else 4
    return 1 if first else 3


def _is_unknown(thought: Thought) -> bool:
    return thought.relation in _UNKNOWN and (thought.negated or thought.certainty == 0)


def _ordered(thoughts: Sequence[Thought]) -> list[Thought]:
    return sorted(thoughts, key=lambda thought: (thought.turn, thought.id))


def _by_turn(thoughts: Sequence[Thought]) -> dict[int, list[Thought]]:
    turns: dict[int, list[Thought]] = {}
    for thought in _ordered(thoughts):
        turns.setdefault(thought.turn, []).append(thought)
    return turns


def _in_full(thoughts: Sequence[Thought], topic: Topic, language: Language) -> str:
    """One fact to a line."""
    lines: list[str] = []
    for turn, members in _by_turn(thoughts).items():
        asked = topic(turn)
        for thought in members:
            needed = thought is members[0] and asked and not _shows(thought, asked, 1.0, language)
            text = _ABOUT[language].format(text=thought.triple, topic=asked) if needed else thought.triple
            lines.append(_line([thought], text, language))
    silent = [asked for turn in _silent(thoughts) if (asked := topic(turn))]
    return "\n".join([*lines, *_named(silent, language)])


def _in_short(thoughts: Sequence[Thought], turns: Sequence[int], topic: Topic, language: Language, room: float) -> str:
    """What is said of the patient by its relation, everything else by its turn, and the questions of other turns."""
    abouts = {members[0].id: _about(members, topic(turn), language) for turn, members in _by_turn(thoughts).items()}
    heads: dict[tuple[str, str], list[Thought]] = {}
    for thought in _ordered(thoughts):
        if thought.subject in _PATIENT and thought.object:
            heads.setdefault((thought.subject, thought.relation), []).append(thought)
    shared = {head: members for head, members in heads.items() if len(members) > 1}
    lines = []
    for (subject, relation), members in shared.items():
        parts = [_with(thought.object, abouts.get(thought.id, ""), language) for thought in members]
        lines.append(
            _line(members, f"{subject} {relation}{_COLON[language]}{_SEMICOLON[language].join(parts)}", language)
        )
    listed = {thought.id for members in shared.values() for thought in members}
    for members in _by_turn([thought for thought in thoughts if thought.id not in listed]).values():
        about = next((abouts[thought.id] for thought in members if abouts.get(thought.id)), "")
        told = _STOP[language].join(thought.triple for thought in members)
        lines.append(_line(members, _with(told, about, language), language))
    covered = {thought.turn for thought in thoughts}
    others = [asked for turn in turns if turn not in covered and (asked := _cut(topic(turn), language))]
    while others and tokens(_named(others, language)[0]) > room:
        others = others[1:]
    return "\n".join([*lines, *_named(others, language)])


def _silent(thoughts: Sequence[Thought]) -> list[int]:
    """Turns that left no thought: those between two thoughts that were formed one right after the other."""
    formed = sorted(thoughts, key=lambda thought: thought.id)
    turns: list[int] = []
    for before, after in pairwise(formed):
        if after.id == before.id + 1:
            turns += range(before.turn + 1, after.turn)
    return turns


def _named(topics: Sequence[str], language: Language) -> list[str]:
    return [_SILENT[language].format(topics=_SEMICOLON[language].join(dict.fromkeys(topics)))] if topics else []


def _about(members: Sequence[Thought], asked: str, language: Language) -> str:
    """What was asked, cut short; empty where the facts of the turn show it."""
    if not asked or any(_shows(thought, asked, _SHOWN, language) for thought in members[:1]):
        return ""
    return _cut(asked, language)


def _cut(asked: str, language: Language) -> str:
    if language is Language.ZH:
        return asked if len(asked) <= _CUT[language] + 1 else f"{asked[: _CUT[language]]}…"
    words = asked.split()
    return asked if len(words) <= _CUT[language] + 1 else f"{' '.join(words[: _CUT[language]])}…"


def _shows(thought: Thought, asked: str, share: float, language: Language) -> bool:
    wanted = set(content(asked, language))
    return len(wanted & set(content(thought.triple, language))) >= share * len(wanted)


def _with(text: str, about: str, language: Language) -> str:
    return _ABOUT[language].format(text=text, topic=about) if about else text


def _line(thoughts: Sequence[Thought], text: str, language: Language) -> str:
    joint = _COMMA[language]
    turns = [str(thought.turn) for thought in thoughts]
    return _FACT[language].format(
        numbers=joint.join(f"#{thought.id}" for thought in thoughts),
        text=text,
        turns=joint.join(turns if len(set(turns)) > 1 else turns[:1]),
    )
