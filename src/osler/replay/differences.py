"""Where a consultation that was held again differs from its record: kind, turn, and a short before and after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from osler.replay.labels import shown
from osler.replay.recorded_failures import CANCELLED
from osler.replay.seen import Kind, Seen, view
from osler.runs.events import Called, Ending, Role
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript

_AROUND, _LONGEST = 24, 90
NOTHING = "(nothing)"


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was."""

    kind: Kind
    turn: int
    before: str
    after: str


def differences(before: Transcript, after: Transcript) -> list[Difference]:
    """All that differs between two courses of one consultation, in the order of kinds and turns.

    What the clock had cut off is compared as far as it went: no clock can be held again.
    """
    cut = before.ending is Ending.TIME_LIMIT
    then, now = view(before), view(after)
    found = list(_in_calls(before, after, cut=cut))
    for kind in Kind:
        if cut and kind is Kind.ENDING:
            continue
        keys = then[kind] if cut else {**then[kind], **now[kind]}
        if kind is Kind.PROMPT:
            keys = {key: seen for key, seen in then[kind].items() if key in now[kind]}
        for key in keys:
            one, two = then[kind].get(key), now[kind].get(key)
            if one is None or two is None or not one.same(two):
                found.append(_difference(kind, one, two))
    return sorted(found, key=lambda each: (list(Kind).index(each.kind), each.turn))


def verdict_differences(before: Sequence[StoredVerdict], after: Sequence[StoredVerdict], turn: int) -> list[Difference]:
    """What a judge says otherwise than it did."""
    then = {said.kind: Seen(turn, _verdict(said)) for said in before}
    now = {said.kind: Seen(turn, _verdict(said)) for said in after}
    both = [(then.get(kind), now.get(kind)) for kind in {**then, **now}]
    return [_difference(Kind.VERDICT, one, two) for one, two in both if one is None or two is None or not one.same(two)]


def _verdict(said: StoredVerdict) -> str:
    place = f", right at place {said.rank}" if said.rank else ""
    return f"{said.kind} {said.verdict} by {said.rung}: {said.because}{place}"


def _in_calls(before: Transcript, after: Transcript, *, cut: bool) -> Iterator[Difference]:
    then, now = _calls(before), _calls(after)
    for role in {**then, **now}:
        one, two = then[role], now[role]
        if len(one) != len(two) and not (cut and len(two) > len(one)):
            first = max(one, two, key=len)[min(len(one), len(two))]
            yield Difference(Kind.CALLS, first.turn, f"{role.value}: {len(one)}", f"{role.value}: {len(two)}")


def _calls(transcript: Transcript) -> dict[Role, list[Called]]:
    """By role; without those that were cut off with their consultation, which may or may not have begun."""
    calls: dict[Role, list[Called]] = defaultdict(list)
    for call in transcript.of(Called):
        if not (call.failure or "").endswith(CANCELLED):
            calls[call.role].append(call)
    return calls


def _difference(kind: Kind, one: Seen | None, two: Seen | None) -> Difference:
    turn = (one or two or Seen(0, "")).turn
    before, after = excerpts(one.shown if one else NOTHING, two.shown if two else NOTHING)
    return Difference(kind, turn, before, after)


def excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts from shortly before they part, each cut to a line's length."""
    shorter = min(len(before), len(after))
    apart = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    start = max(0, apart - _AROUND)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    left = text[start : start + _LONGEST]
    return f"{'…' if start else ''}{shown(left)}{'…' if len(text) > start + _LONGEST else ''}" if text else NOTHING
