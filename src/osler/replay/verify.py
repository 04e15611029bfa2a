"""Verify a run: re-run consultations with the recorded answers, and list what differs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group
from rich.text import Text

from osler import __version__
from osler.errors import printable
from osler.eval.ladder import LADDER
from osler.eval.scoring import spoken
from osler.memory import check_memories
from osler.replay.pages import shown
from osler.replay.rerun import CANCELLED, rerun
from osler.runs.events import Called, Ending, Failed, Remembered
from osler.runs.plan import ONE_STEP, Cell
from osler.runs.store import RunFile, StoredVerdict
from osler.runs.transcript import Transcript
from osler.simulator.build import check_strategies

_LISTED = 20
_AROUND, _LONGEST = 24, 90
_NOTHING = "(nothing)"
_CLOSE = 0.0015
"""Scores nearer than this are the same: another processor rounds otherwise."""
_COMPARED: Mapping[str, Mapping[str, set[str]]] = {
    "visited": {"visit": {"visit", "told", "filler"}},
    "called": {"prompt": {"messages"}},
    "recalled": {"recall": {"recall"}},
    "asked": {"question": {"question", "maker", "repeated"}},
    "intervened": {"guard": {"kind", "draft", "reasons"}},
    "retrieved": {"retrieval": {"entries", "asked_for", "things", "maker", "results"}},
    "answered": {"reply": {"reply", "maker"}, "ledger": {"disclosed"}},
    "remembered": {"thought": {"change"}},
    "concluded": {"conclusion": {"diagnosis", "treatment", "differential", "reasoning"}},
    "learned": {"lesson": {"lessons", "told", "maker"}},
}
"""What can differ, by the type of event: its name, and the fields that are compared."""
_KINDS = ("calls", *(kind for kinds in _COMPARED.values() for kind in kinds), "verdict", "ending")
"""What can differ, in the order in which one thing leads to the next; `calls`: a model was asked more or less often."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was."""

    kind: str
    """One of `_KINDS`."""
    turn: int
    before: str
    after: str


def verify(run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]) -> dict[Cell, list[Difference]]:
    """Re-run consultations, one after the other, and list what differs in each.

    Consultations that never took place, such as those whose worker died, are left out.

    Args:
        run: The run.
        numbers: Which of its consultations.
        tell: Called after each with how many are done.

    Raises:
        UserError: A memory or a strategy of theirs is not installed.
    """
    columns = {run.cell(number).column for number in numbers}
    check_memories(sorted({column.memory for column in columns} - {ONE_STEP}))
    check_strategies(column.strategy for column in columns)
    return asyncio.run(_verify(run, numbers, tell))


async def _verify(run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]) -> dict[Cell, list[Difference]]:
    settings, forks, judge = run.settings, run.forks(), stored_ladder(run)
    verified = {}
    for done, number in enumerate(numbers, start=1):
        recorded = run.transcript(number)
        if recorded is not None and not all(isinstance(event, Failed) for event in recorded.events):
            record, fork = run.record(recorded.header.case), forks.get(number)
            again = await rerun(recorded, record, settings, fork.turn if fork else 0)
            found = _differences(recorded, again)
            if before := run.verdicts(number, judge):
                now, last = spoken(again, record) if again.ending.is_answer else [], recorded.events[-1].turn
                found += _compared(_verdicts(before, last), _verdicts(now, last))
            verified[run.cell(number)] = found
        tell(done)
        await asyncio.sleep(0)  # without a model nothing else would wait, and a Ctrl-C would not be heard
    return verified


def stored_ladder(run: RunFile) -> str:
    """Return the ladder whose verdicts a run has: of this version, or the last before it.

    Models that judge have no calls on record that could be repeated.
    """
    name = LADDER.partition("/")[0]
    ladders = [judge for judge in run.judges() if judge.partition("/")[0] == name]
    return LADDER if LADDER in ladders else (ladders or [LADDER])[-1]


def other_version(run: RunFile) -> str | None:
    """Return one line if the run was made with another version or other prompts."""
    about = run.about()
    changed = run.changed_prompts()
    if about.get("version") == __version__ and not changed:
        return None
    told = f" and other prompts ({', '.join(changed)})" if changed else ""
    made = f"the run was made with version {about.get('version')}{told}"
    return f"{made}; this is {__version__}, and it is verified all the same"


def verify_page(verified: Mapping[Cell, Sequence[Difference]], never_held: int, seconds: float) -> Group:
    """One line when nothing differs; else every kind with its first place, and the consultations concerned."""
    differing = {cell: found for cell, found in verified.items() if found}
    came = f"{len(differing)} of them differ" if differing else "no difference"
    lines = [Text(f"{len(verified)} consultation(s) re-run in {seconds:.1f} s: {came}", style="bold")]
    if never_held:
        lines.append(Text(f"{never_held} had never begun, so there is nothing to re-run", style="dim"))
    for kind in _KINDS:
        if found := [(cell, one) for cell, some in differing.items() for one in some if one.kind == kind]:
            lines += _kind_lines(kind, found)
    if len(differing) > 1:
        lines += [Text(), *(Text(_line(cell, found)) for cell, found in [*differing.items()][:_LISTED])]
    if len(differing) > _LISTED:
        lines.append(Text(f"… and {len(differing) - _LISTED} more"))
    return Group(*lines)


def _kind_lines(kind: str, found: Sequence[tuple[Cell, Difference]]) -> Iterator[Text]:
    cell, first = found[0]
    places = len({one for one, _ in found})
    told = f"  {len(found)} in {places} consultation(s), first in turn {first.turn} of {_name(cell)}"
    yield Text(f"\n{kind}", style="bold yellow").append(told, style="not bold default")
    yield Text("  before  ", style="red").append(first.before, style="default")
    yield Text("  after   ", style="green").append(first.after, style="default")


def _line(cell: Cell, found: Sequence[Difference]) -> str:
    kinds = Counter(each.kind for each in found)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return f"{_name(cell)}: {told}, from turn {min(each.turn for each in found)}"


def _name(cell: Cell) -> str:
    return printable(f"{cell.case} ({cell.column}, trial {cell.trial})")


_Pieces = dict[tuple[str, Hashable], tuple[int, Mapping[str, object]]]
"""What is compared: by kind and place its turn, and its values by the place they have in it."""


def _differences(before: Transcript, after: Transcript) -> list[Difference]:
    """All that differs between a consultation and its re-run, in the order of kinds and turns.

    What a time limit had cut off is compared as far as it went, since a re-run has no clock.
    """
    cut = before.ending is Ending.TIME_LIMIT
    then, now = _pieces(before), _pieces(after)
    if cut:
        then = {key: piece for key, piece in then.items() if key[0] != "ending"}
        now = {key: piece for key, piece in now.items() if key in then}
    for key in {*then} ^ {*now}:
        if key[0] == "prompt":  # a call that is missing or new is a difference of calls
            (then if key in then else now).pop(key)
    found = [*_in_calls(before, after, cut=cut), *_compared(then, now)]
    return sorted(found, key=lambda each: (_KINDS.index(each.kind), each.turn))


def _pieces(transcript: Transcript) -> _Pieces:
    pieces: _Pieces = {}
    counts: Counter[Hashable] = Counter()
    for event in transcript.events:
        for kind, fields in _COMPARED.get(event.type, {}).items():
            turn = event.of if isinstance(event, Remembered) else event.turn
            # Calls are numbered by role, other events by turn: what happens twice in a turn is told apart as well.
            group = (kind, event.role, turn if kind not in {"prompt", "conclusion"} else 0)
            counts[group] += 1
            pieces[kind, (group, counts[group])] = turn, dict(_leaves(event.model_dump(include=fields)))
    ended = {"ending": transcript.ending, **{failed.kind: failed.message for failed in transcript.of(Failed)}}
    pieces["ending", 0] = max((event.turn for event in transcript.events), default=0), ended
    return pieces


def _verdicts(said: Sequence[StoredVerdict], turn: int) -> _Pieces:
    return {("verdict", one.kind): (turn, {**asdict(one), "tokens": None}) for one in said}


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, object]]:
    """The values in a nested one, each with its place, such as `entries.2.name`."""
    if isinstance(value, list | tuple):
        value = dict(enumerate(value, 1))
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{place}.{name}" if place else str(name))
    else:
        yield place, value


def _compared(then: _Pieces, now: _Pieces) -> Iterator[Difference]:
    nothing: tuple[int, Mapping[str, object]] = (0, {})
    for key in {**then, **now}:
        (turn, before), (turn_now, after) = then.get(key, nothing), now.get(key, nothing)
        places = [place for place in {**before, **after} if not _same(before.get(place), after.get(place))]
        if places or key not in then or key not in now:
            told = (
                "; ".join(f"{place}: {values[place]}" for place in places if place in values)
                for values in (before, after)
            )
            yield Difference(key[0], turn or turn_now, *_excerpts(*told))


def _same(one: object, two: object) -> bool:
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) < _CLOSE
    return one == two


def _in_calls(before: Transcript, after: Transcript, *, cut: bool) -> Iterator[Difference]:
    then, now = (  # without calls that were cancelled with their consultation, which may or may not have begun
        [call for call in transcript.of(Called) if not (call.failure or "").endswith(CANCELLED)]
        for transcript in (before, after)
    )
    for role in dict.fromkeys(call.role for call in (*then, *now)):
        one, two = ([call for call in calls if call.role is role] for calls in (then, now))
        if len(one) != len(two) and not (cut and len(two) > len(one)):
            first = max(one, two, key=len)[min(len(one), len(two))]
            yield Difference("calls", first.turn, f"{role}: {len(one)}", f"{role}: {len(two)}")


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts from shortly before they differ, each cut to a line's length."""
    shorter = min(len(before), len(after))
    apart = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    start = max(0, apart - _AROUND)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    left = text[start : start + _LONGEST]
    return f"{'…' if start else ''}{shown(left)}{'…' if len(text) > start + _LONGEST else ''}" if text else _NOTHING
