"""Two consultations of one patient side by side, or one below the other in a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from osler.errors import UserError
from osler.replay.pages import Line, line_text, scenes, shown
from osler.runs.events import Answered
from osler.runs.store import StoredVerdict
from osler.runs.transcript import Transcript

_NARROW = 80


@dataclass(frozen=True)
class Side:
    """One of the two consultations, with the verdicts on it."""

    run: str
    transcript: Transcript
    verdicts: Sequence[StoredVerdict] = ()

    def turns(self) -> dict[int, list[Line]]:
        """Return what was said in each turn, without earlier visits and the ending."""
        said = {
            scene.turn: [line for line in scene.lines if line.kind != "ending"] for scene in scenes(self.transcript)
        }
        return {turn: lines for turn, lines in said.items() if lines and turn > 0}

    def ending(self) -> list[Line]:
        """Return what the doctor concluded, or what failed."""
        return [line for scene in scenes(self.transcript) for line in scene.lines if line.kind == "ending"]

    def told(self) -> list[str]:
        """Return the entries disclosed to the doctor, in order."""
        return list(dict.fromkeys(name for event in self.transcript.of(Answered) for name in event.disclosed))


_Row = tuple[Text, Text, Text]
"""The turn and whether it differs, the left, the right."""


def check_same_patient(left: Transcript, right: Transcript) -> None:
    """Raise a `UserError` if the two are of different patients."""
    if left.header.patient != right.header.patient:
        raise UserError(
            f"{left.header.case!r} and {right.header.case!r} are different patients",
            "give two consultations of the same one",
        )


@dataclass(frozen=True)
class DiffPage:
    """Title, turns with the first difference marked, endings, and what only one of them was told."""

    left: Side
    right: Side

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it for the width there is."""
        narrow = options.max_width < _NARROW
        left, right = self.left.turns(), self.right.turns()
        differing = {turn: _difference(left.get(turn), right.get(turn)) for turn in sorted({*left, *right})}
        first = next(((turn, what) for turn, what in differing.items() if what), self._difference_of_endings())
        yield Text(self.left.transcript.header.case, style="bold").append(f"  {_summary(first)}", style="not bold")
        yield Text()
        rows: list[_Row | Text] = []
        rows.append((Text(), Text(_name(self.left, self.right), "bold"), Text(_name(self.right, self.left), "bold")))
        for turn, what in differing.items():
            if first == (turn, what):
                rows.append(_rule(*first))
            mark = Text(f"{turn:>2} {'≠' if what else ' '}", style="yellow" if what else "dim")
            rows.append((mark, _said(left.get(turn), what), _said(right.get(turn), what)))
        if first and first[1] not in differing.values():
            rows.append(_rule(*first))
        rows.append((Text(), _ending(self.left), _ending(self.right)))
        yield from _stacked(rows) if narrow else _tables(rows)
        names = ("first", "second") if narrow else ("left", "right")
        for name, side, other in zip(names, (self.left, self.right), (self.right, self.left), strict=True):
            known = other.told()
            if only := [entry for entry in side.told() if entry not in known]:
                told = Text(f"\nonly the {name} was told: ", style="bold")
                yield told.append(shown(", ".join(only)), style="not bold")

    def _difference_of_endings(self) -> tuple[int, str] | None:
        last = max(self.left.transcript.turns, self.right.transcript.turns) + 1
        if [line.text for line in self.left.ending()] != [line.text for line in self.right.ending()]:
            return last, "the conclusion differs"
        return (last, "the ending differs") if self.left.transcript.ending != self.right.transcript.ending else None


def _rule(turn: int, what: str) -> Text:
    return Text(f"── first difference, turn {turn}: {what}", style="bold yellow")


def _difference(left: list[Line] | None, right: list[Line] | None) -> str | None:
    """Return what differs first in a turn of both, or None if nothing does."""
    if left is None or right is None:
        return "one asks on, the other does not"
    for what, kinds in (("question", {"doctor"}), ("reply", {"patient", "report"})):
        one, two = ([line.text for line in side if line.kind in kinds] for side in (left, right))
        if one != two:
            return f"the {what} differs"
    return None


def _summary(first: tuple[int, str] | None) -> str:
    if first is None:
        return "nothing differs in what was said"
    turn, what = first
    return f"the same for {turn - 1} turn(s), then {what}" if turn > 1 else f"from the first turn {what}"


def _name(side: Side, other: Side) -> str:
    """Return what distinguishes a side from the other one."""
    parts, others = (
        {"run": one.run, "case": one.transcript.header.case, **one.transcript.header.parts} for one in (side, other)
    )
    return " · ".join(shown(f"{name} {value}") for name, value in parts.items() if value and value != others.get(name))


def _said(lines: list[Line] | None, difference: str | None) -> Text:
    if lines is None:
        return Text("—", style="dim")
    text = Text("\n").join(line_text(line) for line in lines)
    if not difference:
        text.stylize("dim")
    return text


def _ending(side: Side) -> Text:
    transcript = side.transcript
    lines = [line_text(line) for line in side.ending()]
    ended = f"{transcript.ending.value} after {transcript.turns} turn(s), {transcript.repeats} repeated"
    lines.append(Text(ended, "dim"))
    if side.verdicts:
        lines.append(Text("; ".join(f"{one.kind} {one.verdict}" for one in side.verdicts), style="dim"))
    return Text("\n").join(lines)


def _tables(rows: list[_Row | Text]) -> Iterator[RenderableType]:
    """The rows between two lines over the whole width are one table."""
    table = _table()
    for row in rows:
        if isinstance(row, Text):
            yield from (table, row, Text())
            table = _table()
        else:
            table.add_row(*row)
    yield table


def _table() -> Table:
    table = Table(box=None, expand=True, show_header=False, padding=(0, 1, 1, 0))
    table.add_column(width=4, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    return table


def _stacked(rows: list[_Row | Text]) -> Iterator[Text]:
    for row in rows:
        if isinstance(row, Text):
            yield row
        else:
            mark, left, right = row
            yield Text.assemble(mark, " ", left)
            if left.plain != right.plain:
                yield Text.assemble(Text("   │", style="yellow"), " ", right)
        yield Text()
