"""What a transcript says, taken apart by kind: each piece as one text that can be compared and shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Concluded,
    Event,
    Failed,
    Intervened,
    Recalled,
    Remembered,
    Retrieved,
)
from osler.runs.transcript import Transcript

_CLOSE = 0.0015
"""Scores nearer than this are the same: another processor rounds otherwise."""


class Kind(StrEnum):
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
    """What a reply told of the retrieved, and what it should not have told."""
    THOUGHT = "thought"
    CONCLUSION = "conclusion"
    VERDICT = "verdict"
    ENDING = "ending"


@dataclass(frozen=True)
class Seen:
    """What an event says, as it is compared and shown."""

    turn: int
    text: str
    scores: tuple[float, ...] = ()

    def same(self, other: Seen) -> bool:
        """Whether both say the same, with scores that are as good as equal."""
        close = len(self.scores) == len(other.scores) and all(
            abs(one - two) < _CLOSE for one, two in zip(self.scores, other.scores, strict=True)
        )
        return close and self.text == other.text

    @property
    def shown(self) -> str:
        """The text with its scores."""
        return self.text + (f" (scores {', '.join(f'{score:.3f}' for score in self.scores)})" if self.scores else "")


View = dict[Kind, dict[Hashable, Seen]]
"""By kind and place: the turn, or the number of the call."""


@dataclass
class _Keys:
    """Numbers what may happen several times: calls by role, refusals by turn and role."""

    counts: Counter[Hashable] = field(default_factory=Counter)

    def next(self, *group: Hashable) -> Hashable:
        self.counts[group] += 1
        return (*group, self.counts[group])


def view(transcript: Transcript) -> View:
    """All of a transcript."""
    pieces: View = {kind: {} for kind in Kind}
    keys = _Keys()
    for event in transcript.events:
        for kind, key, seen in _seen(event, keys):
            pieces[kind][key] = seen
    failed = next(iter(transcript.of(Failed)), None)
    why = f" ({failed.kind}: {failed.message})" if failed else ""
    last = max((event.turn for event in transcript.events), default=0)
    pieces[Kind.ENDING][0] = Seen(last, f"{transcript.ending}{why}")
    return pieces


def _seen(event: Event, keys: _Keys) -> Iterator[tuple[Kind, Hashable, Seen]]:
    turn = event.turn
    match event:
        case Called():
            sent = "\n".join(f"{message.role}: {message.content}" for message in event.messages)
            yield Kind.PROMPT, keys.next("called", event.role), Seen(turn, sent)
        case Recalled():
            recall = event.recall
            lines = [recall.text, *(f"[{one.turn}] {one.triple}{' (denied)' * one.denied}" for one in recall.facts)]
            lines += [f"[{one.number}] {one.question} {one.reply}".rstrip() for one in recall.exchanges]
            lines += [f"dropped {recall.dropped}"] if recall.dropped else []
            yield Kind.RECALL, turn, Seen(turn, "\n".join(lines), tuple(fact.score for fact in recall.facts))
        case Asked():
            again = ", repeated" if event.repeated else ""
            yield Kind.QUESTION, turn, Seen(turn, f"{event.question} [{event.maker}{again}]")
        case Intervened():
            key = keys.next("intervened", turn, event.role)
            yield Kind.GUARD, key, Seen(turn, f"{event.kind}: {event.draft} because {'; '.join(event.reasons)}")
        case Retrieved():
            names = ", ".join(one.name for one in event.entries) or "no entry"
            told = (
                f"{names} [asked for {', '.join(event.asked_for) or 'nothing known'}] [{event.maker}]{_things(event)}"
            )
            yield Kind.RETRIEVAL, turn, Seen(turn, told, tuple(one.score for one in event.entries))
        case Answered():
            yield Kind.REPLY, turn, Seen(turn, f"{event.reply} [{event.maker}]")
            yield Kind.LEDGER, turn, Seen(turn, f"disclosed {event.disclosed}")
        case Remembered():
            yield Kind.THOUGHT, event.of, Seen(event.of, _thoughts(event))
        case Concluded():
            other = "; ".join(event.differential)
            told = f"{event.diagnosis} | {event.treatment} | {other} | {event.reasoning}"
            yield Kind.CONCLUSION, 0, Seen(turn, told)
        case Failed():
            pass  # part of the ending


def _things(event: Retrieved) -> str:
    """What of it is nowhere in the record, and what the doctor was handed itself."""
    missing = [f"{thing.name}: {thing.unrecorded}" for thing in event.things if thing.unrecorded]
    return "".join(f"\n{line}" for line in (*missing, event.results) if line)


def _thoughts(event: Remembered) -> str:
    names = ("inserted", "superseded", "merged", "forgotten", "refused")
    lines = [f"{name} {line}" for name in names for line in getattr(event.change, name)]
    group = [] if event.change.group is None else [f"group {event.change.group}"]
    return "\n".join(group + lines)
