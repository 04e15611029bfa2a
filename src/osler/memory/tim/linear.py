"""Thoughts as lines of a prompt: `Fact #j: s r o`, with the turn each comes from.

With room enough every fact stands under what was asked when it came. Where the budget is small, facts with one head are
told in one line, and what was asked is only named where the fact itself does not show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from osler.memory.base import tokens
from osler.memory.tim.relations import is_protected
from osler.memory.tim.thought import Thought
from osler.records.language import Language
from osler.words import content

_ASKED = {Language.EN: "Asked in turn {turn}: {topic}", Language.ZH: "第{turn}轮问过：{topic}"}
_FACT = {Language.EN: "Fact {numbers}: {text} (turn {turns})", Language.ZH: "事实{numbers}：{text}（第{turns}轮）"}
_ABOUT = {Language.EN: "{text} [{topic}]", Language.ZH: "{text}［{topic}］"}
_JOINT = {Language.EN: ("; ", ", "), Language.ZH: ("；", "、")}
_SHOWN = 0.6
"""Share of the words of a question that a fact must hold to show by itself what was asked."""
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
    """As much of the thoughts, best first, as the budget holds: in full if it can be, in short if it must."""
    full = _in_full(thoughts, topic, language)
    if tokens(full) <= budget:
        return Told(full, tuple(_ordered(thoughts)), ())
    kept: list[Thought] = []
    for thought in sorted(thoughts, key=lambda one: _weight(one, language)):
        if tokens(_in_short([*kept, thought], topic, language)) <= budget:
            kept.append(thought)
    turns = sorted({thought.turn for thought in thoughts} - {thought.turn for thought in kept})
    return Told(_in_short(kept, topic, language), tuple(_ordered(kept)), tuple(turns))


def _weight(thought: Thought, language: Language) -> int:
    """What a treatment hangs on first, then what is there, then what is not, then what nobody knows."""
    if is_protected(thought, language):
        return 0
    if thought.certainty == 0 or _is_unknown(thought):
        return 3
    return 2 if thought.negated else 1


def _is_unknown(thought: Thought) -> bool:
    return thought.relation in _UNKNOWN and (thought.negated or thought.certainty == 0)


def _ordered(thoughts: Sequence[Thought]) -> list[Thought]:
    return sorted(thoughts, key=lambda thought: (thought.turn, thought.id))


def _in_full(thoughts: Sequence[Thought], topic: Topic, language: Language) -> str:
    lines: list[str] = []
    turn = 0
    for thought in _ordered(thoughts):
        if thought.turn != turn:
            turn = thought.turn
            lines += [_ASKED[language].format(turn=turn, topic=asked)] if (asked := topic(turn)) else []
        lines.append(_line([thought], thought.triple, language))
    return "\n".join(lines)


def _in_short(thoughts: Sequence[Thought], topic: Topic, language: Language) -> str:
    """Facts with one head and relation in one line."""
    heads: dict[tuple[str, str], list[Thought]] = {}
    for thought in _ordered(thoughts):
        heads.setdefault((thought.subject, thought.relation), []).append(thought)
    lines = []
    for (subject, relation), members in heads.items():
        texts = dict.fromkeys(_short(thought, topic, language) for thought in members)
        told = " ".join(part for part in (subject, relation, _JOINT[language][0].join(texts)) if part)
        lines.append(_line(members, told, language))
    return "\n".join(lines)


def _short(thought: Thought, topic: Topic, language: Language) -> str:
    asked = topic(thought.turn)
    wanted = set(content(asked, language))
    shown = len(wanted & set(content(f"{thought.triple} {thought.sentence}", language)))
    if not wanted or shown >= _SHOWN * len(wanted):
        return thought.object
    return _ABOUT[language].format(text=thought.object, topic=asked)


def _line(thoughts: Sequence[Thought], text: str, language: Language) -> str:
    joint = _JOINT[language][1]
    return _FACT[language].format(
        numbers=joint.join(f"#{thought.id}" for thought in thoughts),
        text=text,
        turns=joint.join(dict.fromkeys(str(thought.turn) for thought in thoughts)),
    )
