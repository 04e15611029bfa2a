"""Verify a run: re-run consultations with the recorded answers, and list what differs."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from rich.console import Group
from rich.text import Text

from osler import __version__
from osler.agents.patients import check_patients
from osler.errors import printable
from osler.eval.scoring import EXACT, exact_verdicts
from osler.memory import check_memories
from osler.replay.pages import shown
from osler.replay.rerun import rerun
from osler.runs.events import Called, CallFailure, Ending, Failed, Remembered
from osler.runs.plan import Cell
from osler.runs.store import RunFile, StoredVerdict
from osler.runs.transcript import Transcript
from osler.settings.names import ONE_STEP
from osler.simulator.build import check_strategies

_LISTED = 20
"""Consultations on the page."""
_AROUND = 24
"""Characters before the first that differs."""
_LONGEST = 90
"""Characters of an excerpt."""
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
"""What can differ, by the type of event: its name on the page, and the fields that are compared.

The names are the page's own: `guard` is what an intervention changed, `ledger` what a reply
disclosed."""
_KINDS = ("calls", *chain.from_iterable(_COMPARED.values()), "verdict", "ending")
"""What can differ, in the order in which one thing leads to the next; `calls`: a model was asked
more or less often."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was."""

    kind: str
    """One of `_KINDS`."""
    turn: int
    before: str
    after: str


def verify(
    run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]
) -> dict[Cell, list[Difference]]:
    """Re-run consultations, one after the other, and list what differs in each.

    Consultations that never took place, such as those whose worker died, are left out.

    Args:
        run: The run.
        numbers: Which of its consultations.
        tell: Called after each with how many are done.

    Raises:
        UserError: A memory, a strategy or a patient of theirs is not installed.
    """
    columns = {run.cell(number).column for number in numbers}
    check_memories(sorted({column.memory for column in columns} - {ONE_STEP}))
    check_strategies(column.strategy for column in columns)
    check_patients(run.settings.for_column(column) for column in columns)
    return asyncio.run(_verify(run, numbers, tell))


async def _verify(
    run: RunFile, numbers: Sequence[int], tell: Callable[[int], None]
) -> dict[Cell, list[Difference]]:
    forks = run.forks()
    verified = {}
    for count, number in enumerate(numbers, start=1):
        recorded = run.transcript(number)
        if recorded is not None and not all(isinstance(event, Failed) for event in recorded.events):
            fork = forks.get(number)
            first_turn = fork.turn if fork else 0
            verified[run.cell(number)] = await _verify_one(run, number, recorded, first_turn)
        tell(count)
        # Without a model nothing else would wait, and a Ctrl-C would not be heard.
        await asyncio.sleep(0)
    return verified


async def _verify_one(
    run: RunFile, number: int, recorded: Transcript, first_turn: int
) -> list[Difference]:
    record = run.record(recorded.header.case)
    again = await rerun(recorded, record, run.settings, first_turn)
    differences = _differences(recorded, again)
    verdicts_before = run.verdicts(number, EXACT)
    if verdicts_before:
        verdicts_after = exact_verdicts(again, record) if again.ending.is_answer else []
        turn = recorded.events[-1].turn
        before = _verdict_pieces(verdicts_before, turn)
        after = _verdict_pieces(verdicts_after, turn)
        differences += _compared(before, after)
    return differences


def other_version(run: RunFile) -> str | None:
    """Return one line if the run was made with another version or other prompts."""
    about = run.about()
    changed = run.changed_prompts()
    if about.get("version") == __version__ and not changed:
        return None
    prompts = f" and other prompts ({', '.join(changed)})" if changed else ""
    made_with = f"the run was made with version {about.get('version')}{prompts}"
    return f"{made_with}; this is {__version__}, and it is verified all the same"


def verify_page(
    verified: Mapping[Cell, Sequence[Difference]], never_held: int, seconds: float
) -> Group:
    """One line when nothing differs, else every kind with its first place, and where it occurs."""
    differing = {cell: differences for cell, differences in verified.items() if differences}
    outcome = f"{len(differing)} of them differ" if differing else "no difference"
    summary = f"{len(verified)} consultation(s) re-run in {seconds:.1f} s: {outcome}"
    lines = [Text(summary, style="bold")]
    if never_held:
        note = f"{never_held} had never begun, so there is nothing to re-run"
        lines.append(Text(note, style="dim"))
    by_kind: dict[str, list[_Place]] = defaultdict(list)
    for cell, differences in differing.items():
        for difference in differences:
            by_kind[difference.kind].append(_Place(cell, difference))
    for kind in _KINDS:
        if kind in by_kind:
            lines += _kind_lines(kind, by_kind[kind])
    if len(differing) > 1:
        lines.append(Text())
        for cell, differences in islice(differing.items(), _LISTED):
            lines.append(Text(_line(cell, differences)))
    if len(differing) > _LISTED:
        lines.append(Text(f"… and {len(differing) - _LISTED} more"))
    return Group(*lines)


class _Place(NamedTuple):
    """A difference, and the consultation that has it."""

    cell: Cell
    difference: Difference


def _kind_lines(kind: str, places: Sequence[_Place]) -> Iterator[Text]:
    """How often a kind of difference occurs, and the first one."""
    cell, first = places[0]
    consultations = len({place.cell for place in places})
    where = f"first in turn {first.turn} of {_name(cell)}"
    count = f"  {len(places)} in {consultations} consultation(s), {where}"
    yield Text(f"\n{kind}", style="bold yellow").append(count, style="not bold default")
    yield Text("  before  ", style="red").append(first.before, style="default")
    yield Text("  after   ", style="green").append(first.after, style="default")


def _line(cell: Cell, differences: Sequence[Difference]) -> str:
    """A consultation with its differences, in one line."""
    kinds = Counter(difference.kind for difference in differences)
    counts = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    first = min(difference.turn for difference in differences)
    return f"{_name(cell)}: {counts}, from turn {first}"


def _name(cell: Cell) -> str:
    return printable(f"{cell.case} ({cell.column}, trial {cell.trial})")


class _Key(NamedTuple):
    """Names a piece in a consultation, so that it is found again in the re-run."""

    kind: str
    """One of `_KINDS`."""
    place: Hashable
    """Which of its kind it is."""


class _Piece(NamedTuple):
    """A part of a consultation that is compared as a whole."""

    turn: int
    values: Mapping[str, object]
    """By their places in it, such as `entries.2.name`."""


_Pieces = dict[_Key, _Piece]


def _differences(before: Transcript, after: Transcript) -> list[Difference]:
    """All that differs between a consultation and its re-run, in the order of kinds and turns.

    What a time limit had cut off is compared as far as it went, since a re-run has no clock.
    """
    is_cut = before.ending is Ending.TIME_LIMIT
    pieces_before = _pieces(before)
    pieces_after = _pieces(after)
    for key in pieces_before.keys() ^ pieces_after.keys():
        # A prompt that only one of them has is a difference of calls; what only the re-run has,
        # the time limit cut off.
        if key.kind == "prompt" or (is_cut and key in pieces_after):
            pieces_before.pop(key, None)
            pieces_after.pop(key, None)
    if is_cut:
        del pieces_before[_ENDING], pieces_after[_ENDING]
    differences = [
        *_in_calls(before, after, is_cut=is_cut),
        *_compared(pieces_before, pieces_after),
    ]
    return sorted(differences, key=lambda entry: (_KINDS.index(entry.kind), entry.turn))


_ENDING = _Key("ending", 0)


def _pieces(transcript: Transcript) -> _Pieces:
    pieces: _Pieces = {}
    counts: Counter[Hashable] = Counter()
    for event in transcript.events:
        for kind, fields in _COMPARED.get(event.type, {}).items():
            turn = event.of if isinstance(event, Remembered) else event.turn
            # Calls are numbered by role, other events by turn: what happens twice in a turn is told
            # apart as well.
            group = (kind, event.role, turn if kind not in {"prompt", "conclusion"} else 0)
            counts[group] += 1
            values = dict(_leaves(event.model_dump(include=fields)))
            pieces[_Key(kind, (group, counts[group]))] = _Piece(turn, values)
    ending: dict[str, object] = {"ending": transcript.ending}
    ending |= {failed.kind: failed.message for failed in transcript.of(Failed)}
    last_turn = max((event.turn for event in transcript.events), default=0)
    pieces[_ENDING] = _Piece(last_turn, ending)
    return pieces


def _verdict_pieces(verdicts: Sequence[StoredVerdict], turn: int) -> _Pieces:
    pieces: _Pieces = {}
    for verdict in verdicts:
        values = {**asdict(verdict), "tokens": None}
        pieces[_Key("verdict", verdict.kind)] = _Piece(turn, values)
    return pieces


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, object]]:
    """The values in a nested one, each with its place, such as `entries.2.name`."""
    if isinstance(value, list | tuple):
        value = dict(enumerate(value, 1))
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{place}.{name}" if place else str(name))
    else:
        yield place, value


def _compared(before: _Pieces, after: _Pieces) -> Iterator[Difference]:
    missing = _Piece(0, {})
    for key in {**before, **after}:
        first = before.get(key, missing)
        second = after.get(key, missing)
        places = [
            place
            for place in {**first.values, **second.values}
            if not _same(first.values.get(place), second.values.get(place))
        ]
        if places or key not in before or key not in after:
            excerpts = _excerpts(_at(places, first.values), _at(places, second.values))
            yield Difference(key.kind, first.turn or second.turn, *excerpts)


def _at(places: Sequence[str], values: Mapping[str, object]) -> str:
    """The values at some places, as one text."""
    return "; ".join(f"{place}: {values[place]}" for place in places if place in values)


def _same(first: object, second: object) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) < _CLOSE
    return first == second


def _in_calls(before: Transcript, after: Transcript, *, is_cut: bool) -> Iterator[Difference]:
    """Roles whose model was called more or less often, with the first call that differs."""
    all_before = _completed_calls(before)
    all_after = _completed_calls(after)
    for role in dict.fromkeys(call.role for call in (*all_before, *all_after)):
        calls_before = [call for call in all_before if call.role is role]
        calls_after = [call for call in all_after if call.role is role]
        shorter, longer = sorted((calls_before, calls_after), key=len)
        was_cut_off = is_cut and len(calls_after) > len(calls_before)
        if len(shorter) == len(longer) or was_cut_off:
            continue
        first_extra = longer[len(shorter)]
        yield Difference(
            "calls",
            first_extra.turn,
            f"{role}: {len(calls_before)}",
            f"{role}: {len(calls_after)}",
        )


def _completed_calls(transcript: Transcript) -> list[Called]:
    """Without calls that were cancelled with their consultation: they may not have begun."""
    calls = []
    for call in transcript.of(Called):
        if call.failure is None or call.failure.kind != CallFailure.CANCELLED:
            calls.append(call)
    return calls


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """Both texts from shortly before they differ, each cut to a line's length."""
    shorter = min(len(before), len(after))
    apart = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    start = max(0, apart - _AROUND)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    """A line's length of a text, with `…` for what is left out."""
    if not text:
        return _NOTHING
    before = "…" if start else ""
    after = "…" if len(text) > start + _LONGEST else ""
    return f"{before}{shown(text[start : start + _LONGEST])}{after}"
