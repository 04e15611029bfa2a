"""Thoughts as lines of a prompt: `Fact #j: s r o`, with the turn each comes from.

What was asked in a turn stands in brackets behind its first fact, unless the fact shows it by itself. Where the budget
is small the facts are told in short. A question of which no fact is told is named at the end, so that nobody asks it
again. All of this is for the facts of the rules: what a model thought is told as it is (see `telling`).
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.language import Language
from osler.language.words import numbers
from osler.memory.base import tokens
from osler.memory.tim.brief import Brief, Topic, by_turn, ordered
from osler.memory.tim.normal import is_normal
from osler.memory.tim.phrased import ANYTHING, about, named, shows
from osler.memory.tim.relations import is_protected
from osler.memory.tim.telling import Told, dated, fact_line, tell_whole
from osler.memory.tim.thought import PATIENT, Maker, Speaker, Thought
from osler.memory.tim.unanswered import tells_nothing
from osler.ranking import ranked

_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_NAMED = 0.3
"""Share of the budget that is kept from facts for questions without one; the oldest of these fall out first."""

_LINE = 4
"""Tokens that a line takes beside its facts."""
_NEAREST = 8
"""A turn this many places behind the one nearest to the query is told as soon as that if it is half as long."""


def tell(
    thoughts: Sequence[Thought], topic: Topic, language: Language, budget: int, silent: Sequence[int] = ()
) -> Told:
    """As much of the thoughts as the budget holds: in full if it can be, else in short; a model's whole."""
    if any(thought.maker is Maker.MODEL for thought in thoughts):
        return tell_whole(thoughts, topic, language, budget, silent)
    if any(thought.speaker is Speaker.DOCTOR for thought in thoughts):
        return _with_the_doctors(thoughts, topic, language, budget, silent)
    full = _in_full(thoughts, topic, language, silent)
    if tokens(full) <= budget:
        return Told(full, tuple(ordered(thoughts)), ())
    turns = sorted({*silent, *(turn for thought in thoughts for turn in thought.turns)})
    once = _said_once(thoughts)
    brief = Brief(topic, language, once)
    kept = _fitting(_by_weight(once, language), turns, brief, budget)
    kept += brief.told_with(kept)
    room = max(0.0, budget - 1 - tokens(brief.text(kept, turns, 0.0)))
    # What tells nothing has its question named, as long as there is room for that.
    mute = [thought for thought in thoughts if tells_nothing(thought)]
    dropped = sorted({thought.turn for thought in thoughts} - {thought.turn for thought in (*kept, *mute)})
    return Told(brief.text(kept, turns, room), tuple(ordered(kept)), tuple(dropped))


def _with_the_doctors(
    thoughts: Sequence[Thought], topic: Topic, language: Language, budget: int, silent: Sequence[int]
) -> Told:
    """What was said, and below it what the doctor itself thought, as long as there is room for that."""
    own, left = list[Thought](), budget
    for thought in (one for one in thoughts if one.speaker is Speaker.DOCTOR):
        size = tokens(fact_line(thought, dated(thought, language), language)) + 1
        if size <= left:
            own.append(thought)
            left -= size
    said = tell([one for one in thoughts if one.speaker is not Speaker.DOCTOR], topic, language, left, silent)
    lines = [fact_line(one, dated(one, language), language) for one in own]
    return Told("\n".join(filter(None, [said.text, *lines])), (*said.kept, *own), said.dropped)


def _said_once(thoughts: Sequence[Thought]) -> list[Thought]:
    """Without what is said again beside the answer to another question, in the same words."""
    repeats: set[int] = set()
    heard: set[tuple[str, bool]] = set()
    for members in by_turn(thoughts).values():
        repeats.update(one.id for one in members[1:] if (one.object, one.negated) in heard)
        heard.update((one.object, one.negated) for one in members if one.object)
    return [thought for thought in thoughts if thought.id not in repeats]


def _fitting(thoughts: Sequence[Thought], turns: Sequence[int], brief: Brief, budget: int) -> list[Thought]:
    """The weightiest that fit: as long a row of them as there is room for, then whatever else still goes in."""

    def fits(some: list[Thought]) -> bool:
        # Questions make room for what a treatment hangs on, and for nothing else.
        vital = is_protected(some[-1], brief.language) and not some[-1].negated
        return tokens(brief.text(some, turns, 0.0 if vital else _NAMED * budget)) <= budget

    fit, over = 0, len(thoughts) + 1
    while over - fit > 1:
        middle = (fit + over) // 2
        fit, over = (middle, over) if fits(list(thoughts[:middle])) else (fit, middle)
    kept = list(thoughts[:fit])
    left = budget - tokens(brief.text(kept, turns, 0.0))
    answers = {members[0].turn: members[0] for members in by_turn(thoughts).values()}
    for thought in thoughts[fit:]:
        if _is_aside(thought, answers[thought.turn], brief.language) and answers[thought.turn] not in kept:
            continue
        if tokens(thought.object) <= left and fits([*kept, thought]):
            kept.append(thought)
    return kept


def _is_aside(thought: Thought, answer: Thought, language: Language) -> bool:
    """Whether a thought would read as the answer if the answer were left out: of a rash, that the skin is not rough."""
    if thought is answer or answer.negated or is_protected(thought, language):
        return False
    return thought.negated or not _is_measured(thought)


def _by_weight(thoughts: Sequence[Thought], language: Language) -> list[Thought]:
    """What weighs most first; then what is short and bears on the query before what is long and does not.

    The facts of one turn stay together: half a report reads as if the other half were normal.
    """
    firsts = {members[0].id for members in by_turn(thoughts).values()}
    places = {turn: place for place, turn in enumerate(dict.fromkeys(thought.turn for thought in thoughts))}
    telling = [thought for thought in thoughts if not tells_nothing(thought)]
    weights = {one.id: _weight(one, one.id in firsts, language) for one in telling}
    lengths: dict[tuple[int, int], list[int]] = {}
    for one in telling:
        lengths.setdefault((weights[one.id], one.turn), []).append(tokens(one.object))

    def cost(one: Thought) -> float:
        own = lengths[weights[one.id], one.turn]
        return (_LINE + sum(own) / len(own)) * (_NEAREST + places[one.turn])

    found: list[Thought] = []
    for weight in sorted(set(weights.values())):
        alike = [one for one in telling if weights[one.id] == weight]
        order = ranked([-cost(one) for one in alike], [(places[one.turn], one.id) for one in alike])
        found += [alike[place] for place in order]
    return found


def _weight(thought: Thought, first: bool, language: Language) -> int:
    """What a treatment hangs on, what was measured, the answer of each turn and what has a name, then all else.

    What is there comes before what is not, and what is out of order before what is normal.
    """
    if thought.negated or is_normal(thought):
        return 3 if first or is_protected(thought, language) else 5
    if is_protected(thought, language):
        return 0
    if _is_measured(thought):
        return 1
    return 2 if first or thought.subject not in PATIENT or numbers(thought.object) else 4


def _is_measured(thought: Thought) -> bool:
    """Whether it gives a value to a thing that has a name."""
    return thought.subject not in ANYTHING and bool(numbers(thought.object))


def _in_full(thoughts: Sequence[Thought], topic: Topic, language: Language, silent: Sequence[int]) -> str:
    """One fact to a line."""
    abouts = _abouts(thoughts, topic, language)
    lines = [
        fact_line(thought, about(dated(thought, language), abouts.get(thought.id, ""), language), language)
        for thought in ordered(thoughts)
    ]
    return "\n".join(filter(None, [*lines, named([asked for turn in silent if (asked := topic(turn))], language)]))


def _abouts(thoughts: Sequence[Thought], topic: Topic, language: Language) -> dict[int, str]:
    """What was asked, behind the first fact of each turn that does not show it.

    A fact of several turns tells what was asked in each of them, or in none.
    """
    said: dict[int, Thought] = {}
    for thought in ordered(thoughts):
        for turn in thought.turns:
            said.setdefault(turn, thought)
    unclear = [thought for turn, thought in said.items() if not shows(thought, topic(turn), 1.0, language)]
    return {thought.id: _asked_in([topic(turn) for turn in thought.turns], language) for thought in unclear}


def _asked_in(topics: Sequence[str], language: Language) -> str:
    """What was asked in some turns; once, where it was the same."""
    return _SEMICOLON[language].join(topics if len(set(topics)) > 1 else topics[:1])
