"""What came of a verification, as a page for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from osler.errors import printable
from osler.replay.seen import Kind
from osler.replay.verify import Verification, Verified
from osler.runs.plan import Cell

_LISTED = 20


def verify_page(verification: Verification, seconds: float) -> Group:
    """One line when nothing differs; else every kind with its first place, and the consultations concerned."""
    count, differing = len(verification.verified), verification.differing
    came = f"{len(differing)} of them differ" if differing else "no difference"
    lines = [Text(f"{count} consultation(s) re-run in {seconds:.1f} s: {came}", style="bold")]
    if verification.not_held:
        lines.append(Text(f"{verification.not_held} had never begun, so there is nothing to re-run", style="dim"))
    for kind in Kind:
        lines += _kind(kind, differing)
    if len(differing) > 1:
        lines += [Text(), *(Text(_line(one)) for one in differing[:_LISTED])]
    if len(differing) > _LISTED:
        lines.append(Text(f"… and {len(differing) - _LISTED} more"))
    return Group(*lines)


def _kind(kind: Kind, differing: list[Verified]) -> Iterator[Text]:
    found = [(one, each) for one in differing for each in one.differences if each.kind is kind]
    if not found:
        return
    one, first = found[0]
    places = len({each.cell for each, _ in found})
    told = f"  {len(found)} in {places} consultation(s), first in turn {first.turn} of {_name(one.cell)}"
    yield Text(f"\n{kind.value}", style="bold yellow").append(told, style="not bold default")
    yield Text("  before  ", style="red").append(first.before, style="default")
    yield Text("  after   ", style="green").append(first.after, style="default")


def _line(one: Verified) -> str:
    kinds = Counter(each.kind.value for each in one.differences)
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return f"{_name(one.cell)}: {told}, from turn {min(each.turn for each in one.differences)}"


def _name(cell: Cell) -> str:
    return printable(f"{cell.case} ({cell.column}, trial {cell.trial})")
