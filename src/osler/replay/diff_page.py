"""Two consultations side by side, or one below the other where the terminal is narrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from osler.locale import load_texts
from osler.replay.diff import Parting, Row, Side, only, parting, rows
from osler.replay.labels import shown
from osler.runs.events import Failed

_NARROW = 80
_WHAT = {
    "question": "the question differs",
    "reply": "the reply differs",
    "length": "one asks on, the other does not",
    "conclusion": "the conclusion differs",
    "ending": "the ending differs",
}


@dataclass(frozen=True)
class _Both:
    """What stands beside each other; `mark` is the turn, and whether it differs."""

    mark: Text
    left: Text
    right: Text


@dataclass(frozen=True)
class DiffPage:
    """Prints itself for the width there is."""

    left: Side
    right: Side

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Title, turns with the first difference marked, endings, and what only one of them was told."""
        parted = parting(self.left.transcript, self.right.transcript)
        yield Text(self.left.transcript.header.case, style="bold").append(f"  {_summary(parted)}", style="not bold")
        yield Text()
        stacked = options.max_width < _NARROW
        lines = list(self._lines(parted))
        yield from _stacked(lines) if stacked else _tables(lines)
        for side, other, name in ((self.left, self.right, "left"), (self.right, self.left, "right")):
            if told := only(side.transcript, other.transcript):
                place = name if not stacked else ("first" if name == "left" else "second")
                yield Text(f"\nonly the {place} was told: ", style="bold").append(
                    shown(", ".join(told)), style="not bold"
                )

    def _lines(self, parted: Parting | None) -> Iterator[_Both | Text]:
        left, right = self.left.transcript, self.right.transcript
        yield _Both(Text(), Text(_name(self.left, self.right), "bold"), Text(_name(self.right, self.left), "bold"))
        mine, theirs = load_texts(left.header.language, "replay"), load_texts(right.header.language, "replay")
        for row in rows(left, right):
            if parted is not None and row.turn == parted.turn:
                yield _rule(parted)
            mark = Text(f"{row.turn:>2} {'≠' if row.parts_at else ' '}", style="yellow" if row.parts_at else "dim")
            yield _Both(mark, _said(row, row.left, mine), _said(row, row.right, theirs))
        if parted is not None and parted.what in {"conclusion", "ending"}:
            yield _rule(parted)
        yield _Both(Text(), _ending(self.left, mine), _ending(self.right, theirs))


def _summary(parted: Parting | None) -> str:
    if parted is None:
        return "nothing differs in what was said"
    before = f"the same for {parted.turn - 1} turn(s), then " if parted.turn > 1 else "from the first turn "
    return f"{before}{_WHAT[parted.what]}"


def _rule(parted: Parting) -> Text:
    return Text(f"── first difference, turn {parted.turn}: {_WHAT[parted.what]}", style="bold yellow")


def _name(side: Side, other: Side) -> str:
    """What distinguishes a side from the other one."""
    mine, theirs = side.transcript.header, other.transcript.header
    parts = {
        "run": (side.run, other.run),
        "case": (mine.case, theirs.case),
        "doctor": (mine.backbone, theirs.backbone),
        "strategy": (mine.strategy, theirs.strategy),
        "memory": (mine.memory, theirs.memory),
        **{name: (mine.variants.get(name, ""), theirs.variants.get(name, "")) for name in mine.variants},
        "trial": (mine.trial, theirs.trial),
    }
    return " · ".join(
        shown(f"{name} {value}") for name, (value, another) in parts.items() if value not in ("", another)
    )


def _said(row: Row, turn: tuple[str, str] | None, labels: Mapping[str, str]) -> Text:
    if turn is None:
        return Text("—", style="dim")
    dim = "" if row.parts_at else "dim"
    text = Text(f"{labels['doctor']}: ", style="cyan").append(shown(turn[0]), style=dim or "default")
    return text.append(f"\n{labels['patient']}: ", style="green").append(shown(turn[1]), style=dim or "default")


def _ending(side: Side, labels: Mapping[str, str]) -> Text:
    transcript = side.transcript
    text = Text()
    if said := transcript.conclusion:
        text.append(f"{labels['diagnosis']}: ", style="bold").append(shown(said.diagnosis))
        text.append(f"\n{labels['treatment']}: ", style="bold").append(shown(said.treatment))
    for failed in transcript.of(Failed):
        text.append(f"{labels['failed']}: ", style="red").append(shown(failed.message))
    text.append(f"\n{transcript.ending.value} after {transcript.turns} turn(s), {transcript.repeats} repeated", "dim")
    if side.verdicts:
        text.append("\n" + "; ".join(f"{one.kind} {one.verdict}" for one in side.verdicts), style="dim")
    return text


def _tables(lines: list[_Both | Text]) -> Iterator[RenderableType]:
    """What stands between two lines over the whole width is one table."""
    table = _table()
    for line in lines:
        if isinstance(line, Text):
            yield table
            yield line
            yield Text()
            table = _table()
        else:
            table.add_row(line.mark, line.left, line.right)
    yield table


def _table() -> Table:
    table = Table(box=None, expand=True, show_header=False, padding=(0, 1, 1, 0))
    table.add_column(width=4, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    return table


def _stacked(lines: list[_Both | Text]) -> Iterator[Text]:
    for line in lines:
        if isinstance(line, Text):
            yield line
        elif line.left.plain == line.right.plain:
            yield Text.assemble(line.mark, " ", line.left)
        else:
            yield Text.assemble(line.mark, " ", line.left)
            yield Text.assemble(Text("   │", style="yellow"), " ", line.right)
        yield Text()
