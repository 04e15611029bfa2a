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
from osler.words import content, numbers

_FACT = {Language.EN: "Fact #{number}: {text} (turn {turns})", Language.ZH: "事实#{number}：{text}（第{turns}轮）"}
_DENIED = {Language.EN: "Denied ", Language.ZH: "否认"}
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
_NAMED = 0.3
"""Share of the budget that questions without a fact may take; the oldest fall out first."""
_HAS_NOT = frozenset({"does not have", "没有"})
_OWN_WORDS = frozenset({"says", "说"})
"""What the patient says in so many words belongs to what was asked, and not to what else was said."""
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


def tell(
    thoughts: Sequence[Thought], topic: Topic, language: Language, budget: int, silent: Sequence[int] = ()
) -> Told:
    """As much of the thoughts as the budget holds: in full if it can be, in short if it must."""
    full = _in_full(thoughts, topic, language, silent)
    if tokens(full) <= budget:
        return Told(full, tuple(_ordered(thoughts)), ())
    turns = sorted({*silent, *(turn for thought in thoughts for turn in thought.turns)})
    firsts = {members[0].id for members in _by_turn(thoughts).values()}
    order = {turn: place for place, turn in enumerate(dict.fromkeys(thought.turn for thought in thoughts))}
    kept: list[Thought] = []
    # One turn after the other: half of a report reads as if the other half were normal.
    for thought in sorted(
        thoughts, key=lambda one: (_weight(one, one.id in firsts, language), order[one.turn], one.id)
    ):
        # Questions make room for what a treatment hangs on, and for nothing else.
        room = 0.0 if is_protected(thought, language) and not thought.negated else _NAMED * budget
        if tokens(_in_short([*kept, thought], turns, topic, language, room)) <= budget:
            kept.append(thought)
    dropped = sorted({thought.turn for thought in thoughts} - {thought.turn for thought in kept})
    room = min(_NAMED * budget, budget - 1 - tokens(_in_short(kept, turns, topic, language, 0.0)))
    return Told(_in_short(kept, turns, topic, language, room), tuple(_ordered(kept)), tuple(dropped))


def _weight(thought: Thought, first: bool, language: Language) -> int:
    """What a treatment hangs on, then the answer of each turn and what was measured, then what else was said.

    What is there comes before what is not. That something is not known comes last: its question is named anyway.
    """
    if thought.certainty == 0 or _is_unknown(thought):
        return 5
    if thought.negated:
        return 2 if first or is_protected(thought, language) else 4
    if is_protected(thought, language):
        return 0
    return 1 if first or thought.subject not in _PATIENT or numbers(thought.object) else 3


def _is_unknown(thought: Thought) -> bool:
    return thought.relation in _UNKNOWN and (
        thought.negated or thought.certainty == 0 or thought.relation == "has not been done"
    )


def _ordered(thoughts: Sequence[Thought]) -> list[Thought]:
    return sorted(thoughts, key=lambda thought: (thought.turn, thought.id))


def _by_turn(thoughts: Sequence[Thought]) -> dict[int, list[Thought]]:
    turns: dict[int, list[Thought]] = {}
    for thought in _ordered(thoughts):
        turns.setdefault(thought.turn, []).append(thought)
    return turns


def _in_full(thoughts: Sequence[Thought], topic: Topic, language: Language, silent: Sequence[int]) -> str:
    """One fact to a line."""
    abouts = _abouts(thoughts, topic, 1.0, language)
    lines = [
        _line(thought, _with(thought.triple, abouts.get(thought.id, ""), language), language)
        for thought in _ordered(thoughts)
    ]
    others = [asked for turn in silent if (asked := topic(turn))]
    return "\n".join([*lines, *_named(others, language)])


def _abouts(thoughts: Sequence[Thought], topic: Topic, share: float, language: Language) -> dict[int, str]:
    """What was asked, behind the first fact of each turn that does not show it.

    A fact of several turns tells what was asked in each of them, or in none.
    """
    said: dict[int, Thought] = {}
    for thought in _ordered(thoughts):
        for turn in thought.turns:
            said.setdefault(turn, thought)
    unclear = [thought for turn, thought in said.items() if not _shows(thought, topic(turn), share, language)]
    return {thought.id: _joined([topic(turn) for turn in thought.turns], language) for thought in unclear}


def _joined(topics: Sequence[str], language: Language) -> str:
    """What was asked in some turns; once, where it was the same."""
    return _SEMICOLON[language].join(topics if len(set(topics)) > 1 else topics[:1])


def _in_short(thoughts: Sequence[Thought], turns: Sequence[int], topic: Topic, language: Language, room: float) -> str:
    """What is said of the patient by its relation, everything else by its turn, then denials and open questions."""
    once = [thought.model_copy(update={"also": ()}) for thought in _ordered(thoughts)]
    abouts = _abouts(once, lambda turn: _cut(topic(turn), language), _SHOWN, language)
    denied = [thought for thought in once if _is_denial(thought)]
    heads: dict[str, list[Thought]] = {}
    for thought in once:
        if (
            thought not in denied
            and thought.subject in _PATIENT
            and thought.object
            and thought.relation not in _OWN_WORDS
        ):
            heads.setdefault(f"{thought.subject} {thought.relation}", []).append(thought)
    shared = {head: members for head, members in heads.items() if len(members) > 1}
    listed = {thought.id for members in (*shared.values(), denied) for thought in members}
    lines = [_brief(members, _listing(members, abouts, language), language, head) for head, members in shared.items()]
    for members in _by_turn([thought for thought in once if thought.id not in listed]).values():
        about = next((abouts[thought.id] for thought in members if abouts.get(thought.id)), "")
        lines.append(_brief(members, _with(_run_on(members, language), about, language), language))
    if denied:
        lines.append(_DENIED[language] + _brief(denied, _listing(denied, abouts, language), language))
    covered = {thought.turn for thought in thoughts}
    others = [asked for turn in turns if turn not in covered and (asked := _cut(topic(turn), language))]
    while others and tokens(_named(others, language)[0]) > room:
        others = others[1:]
    return "\n".join([*lines, *_named(others, language)])


def _is_denial(thought: Thought) -> bool:
    return (
        thought.subject in _PATIENT and thought.relation in _HAS_NOT and thought.certainty > 0 and bool(thought.object)
    )


def _listing(members: Sequence[Thought], abouts: dict[int, str], language: Language) -> str:
    """What shares a head, one after the other."""
    return _SEMICOLON[language].join(_with(one.object, abouts.get(one.id, ""), language) for one in members)


def _run_on(members: Sequence[Thought], language: Language) -> str:
    """The facts of a turn; a subject stands once as long as it stays the same."""
    said = [members[0].triple]
    for before, thought in pairwise(members):
        goes_on = thought.subject == before.subject and thought.relation
        said.append(f"{thought.relation} {thought.object}".strip() if goes_on else thought.triple)
    return _STOP[language].join(said)


def _brief(members: Sequence[Thought], text: str, language: Language, head: str = "") -> str:
    """Facts without the turns they come from: where room is scarce, another fact is worth more."""
    numbers = " ".join(f"#{thought.id}" for thought in members)
    return f"{numbers}{_COLON[language]}{head}{_COLON[language] if head else ''}{text}"


def _named(topics: Sequence[str], language: Language) -> list[str]:
    return [_SILENT[language].format(topics=_SEMICOLON[language].join(dict.fromkeys(topics)))] if topics else []


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


def _line(thought: Thought, text: str, language: Language) -> str:
    turns = _COMMA[language].join(map(str, thought.turns))
    return _FACT[language].format(number=thought.id, text=text, turns=turns)
