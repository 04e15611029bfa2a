"""Differences between a recorded consultation and its re-run: kind, turn, and a short before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from osler.replay.rerun import CANCELLED
from osler.replay.scenes import shown
from osler.runs.events import Called, Ending, Event, Failed, Remembered
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript

_AROUND, _LONGEST = 24, 90
_NOTHING = "(nothing)"
_CLOSE = 0.0015
"""Scores nearer than this are the same: another processor rounds otherwise."""


class DifferenceKind(StrEnum):
    """What can differ, in the order in which one thing leads to the next."""

    CALLS = "calls"
    """A model was asked more or less often."""
    PROMPT = "prompt"
    RECALL = "recall"
    QUESTION = "question"
    GUARD = "guard"
    RETRIEVAL = "retrieval"
    REPLY = "reply"
    LEDGER = "ledger"
    """What a reply told of the retrieved."""
    THOUGHT = "thought"
    CONCLUSION = "conclusion"
    VERDICT = "verdict"
    ENDING = "ending"


_COMPARED: Mapping[str, Mapping[DifferenceKind, set[str]]] = {
    "called": {DifferenceKind.PROMPT: {"messages"}},
    "recalled": {DifferenceKind.RECALL: {"recall"}},
    "asked": {DifferenceKind.QUESTION: {"question", "maker", "repeated"}},
    "intervened": {DifferenceKind.GUARD: {"kind", "draft", "reasons"}},
    "retrieved": {DifferenceKind.RETRIEVAL: {"entries", "asked_for", "things", "maker", "results"}},
    "answered": {DifferenceKind.REPLY: {"reply", "maker"}, DifferenceKind.LEDGER: {"disclosed"}},
    "remembered": {DifferenceKind.THOUGHT: {"change"}},
    "concluded": {DifferenceKind.CONCLUSION: {"diagnosis", "treatment", "differential", "reasoning"}},
}
"""The fields that are compared of each type of event, and what a difference in them is called."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was."""

    kind: DifferenceKind
    turn: int
    before: str
    after: str


@dataclass(frozen=True)
class _Piece:
    """Something that is compared: its values by the place they have in it."""

    turn: int
    values: Mapping[str, object]


_Pieces = dict[tuple[DifferenceKind, Hashable], _Piece]


def differences(before: Transcript, after: Transcript) -> list[Difference]:
    """All that differs between a consultation and its re-run, in the order of kinds and turns.

    What a time limit had cut off is compared as far as it went, since a re-run has no clock.
    """
    cut = before.ending is Ending.TIME_LIMIT
    then, now = _pieces(before), _pieces(after)
    if cut:
        now = {key: piece for key, piece in now.items() if key in then and key[0] is not DifferenceKind.ENDING}
        then = {key: piece for key, piece in then.items() if key[0] is not DifferenceKind.ENDING}
    for key in {*then} ^ {*now}:
        if key[0] is DifferenceKind.PROMPT:  # a call that is missing or new is a difference of calls
            (then if key in then else now).pop(key)
    found = [*_in_calls(before, after, cut=cut), *_compared(then, now)]
    return sorted(found, key=lambda each: (list(DifferenceKind).index(each.kind), each.turn))


def verdict_differences(before: Sequence[StoredVerdict], after: Sequence[StoredVerdict], turn: int) -> list[Difference]:
    """What a judge says otherwise than it did."""
    return list(_compared(_verdicts(before, turn), _verdicts(after, turn)))


def _verdicts(said: Sequence[StoredVerdict], turn: int) -> _Pieces:
    return {(DifferenceKind.VERDICT, one.kind): _Piece(turn, {**asdict(one), "tokens": None}) for one in said}


def _pieces(transcript: Transcript) -> _Pieces:
    pieces: _Pieces = {}
    counts: Counter[Hashable] = Counter()
    for event in transcript.events:
        for kind, fields in _COMPARED.get(event.type, {}).items():
            turn = event.of if isinstance(event, Remembered) else event.turn
            # Calls are numbered by role, other events by turn: what happens twice in a turn is told apart as well.
            group = (event.role, turn if kind not in {DifferenceKind.PROMPT, DifferenceKind.CONCLUSION} else 0)
            counts[kind, group] += 1
            pieces[kind, (group, counts[kind, group])] = _Piece(turn, _values(event, fields))
    ended = {"ending": transcript.ending} | {
        f"failed {failed.kind}": failed.message for failed in transcript.of(Failed)
    }
    last = max((event.turn for event in transcript.events), default=0)
    pieces[DifferenceKind.ENDING, 0] = _Piece(last, ended)
    return pieces


def _values(event: Event, fields: set[str]) -> dict[str, object]:
    return dict(_leaves(event.model_dump(include=fields)))


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, object]]:
    """The values in a nested one, each with its place, such as `entries.2.name`."""
    if isinstance(value, Mapping):
        inner: Iterator[tuple[object, Any]] = iter(value.items())
    elif isinstance(value, list | tuple):
        inner = enumerate(value, 1)
    else:
        yield place, value
        return
    for name, one in inner:
        yield from _leaves(one, f"{place}.{name}" if place else str(name))


def _compared(then: _Pieces, now: _Pieces) -> Iterator[Difference]:
    for key in {**then, **now}:
        one, two = then.get(key), now.get(key)
        before, after = (piece.values if piece else {} for piece in (one, two))
        places = [place for place in {**before, **after} if not _same(before.get(place), after.get(place))]
        if places or one is None or two is None:
            told = (
                "; ".join(f"{place}: {values[place]}" for place in places if place in values)
                for values in (before, after)
            )
            turn = (one or two or _Piece(0, {})).turn
            yield Difference(key[0], turn, *_excerpts(*told))


def _same(one: object, two: object) -> bool:
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) < _CLOSE
    return one == two


def _in_calls(before: Transcript, after: Transcript, *, cut: bool) -> Iterator[Difference]:
    then, now = _calls(before), _calls(after)
    for role in dict.fromkeys(call.role for call in (*then, *now)):
        one, two = ([call for call in calls if call.role is role] for calls in (then, now))
        if len(one) != len(two) and not (cut and len(two) > len(one)):
            first = max(one, two, key=len)[min(len(one), len(two))]
            yield Difference(DifferenceKind.CALLS, first.turn, f"{role}: {len(one)}", f"{role}: {len(two)}")


def _calls(transcript: Transcript) -> list[Called]:
    """Without those that were cancelled with their consultation, which may or may not have begun."""
    return [call for call in transcript.of(Called) if not (call.failure or "").endswith(CANCELLED)]


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts from shortly before they differ, each cut to a line's length."""
    shorter = min(len(before), len(after))
    apart = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    start = max(0, apart - _AROUND)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    left = text[start : start + _LONGEST]
    return f"{'…' if start else ''}{shown(left)}{'…' if len(text) > start + _LONGEST else ''}" if text else _NOTHING
