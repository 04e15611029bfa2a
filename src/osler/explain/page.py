"""What `osler explain` prints.

It prints the causes by column, the first lost consultations, and what explaining cost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.eval.causes import LostCauses, cause_tables, causes_json
from osler.eval.compare import compare
from osler.eval.runs import load_run
from osler.eval.verdict import Verdict
from osler.explain.explain_run import Explained
from osler.runs.short_names import ShortNames
from osler.runs.store.explanations import explanations
from osler.tables import on_terminal

_MOST = 20
"""Consultations that are listed; all are in the JSON."""


def explained_page(path: Path, done: Explained) -> Group:
    """The tables, the first lost consultations, and what was done."""
    lost, causes = _read(path, done.judge)
    tables = cause_tables(causes)
    listed: list[RenderableType] = [_table(lost[:_MOST])] if lost else []
    if len(lost) > _MOST:
        listed.append(
            Text(f"{len(lost) - _MOST} more are not listed; --json lists all", style="dim")
        )
    undecided = sum(one["verdict"] == Verdict.UNDECIDED for one in lost)
    if undecided:
        remedy = f"`osler score {path} --judge SPEC` decides them, then explain again with --judge"
        listed.append(Text(f"{undecided} ending(s) are undecided: {remedy}", style="dim"))
    return Group(
        *([on_terminal(tables)] if tables else []), *listed, *(Text(line) for line in _lines(done))
    )


def _table(lost: list[dict[str, Any]]) -> Table:
    table = Table(title=Text("lost consultations"), title_justify="left")
    for name in ("consultation", "column", "cause", "turn", "what was missing"):
        table.add_column(Text(name), overflow="fold")
    for row in lost:
        turn = "–" if row["lost_at"] is None else str(row["lost_at"])
        table.add_row(
            *map(Text, (row["consultation"], row["column"], row["cause"], turn, row["line"]))
        )
    return table


def _lines(done: Explained) -> Iterator[str]:
    yield (
        f"{done.new} lost consultation(s) explained now, {done.before} before, by the verdicts of"
        f" {done.judge}"
    )
    if done.cost.calls:
        price = "" if done.cost.cost is None else f", {done.cost.cost:.4f} USD"
        used = f"{done.cost.calls:,} calls, {done.cost.tokens:,} tokens{price}"
        yield f"explaining this run has taken {used}, apart from what the run itself used"
    if done.by_people:
        yield (
            f"{done.by_people} lost consultation(s) were held by people, who cannot be asked again"
        )
    for reason, count in done.failures.items():
        yield f"{count} could not be explained, and will be tried again the next time: {reason}"


def as_text(path: Path, done: Explained) -> str:
    """The same as one line of JSON, with every lost consultation and its steps."""
    lost, causes = _read(path, done.judge)
    told = {
        **asdict(done),
        "cost": done.cost._asdict(),
        "causes": causes_json(causes),
        "consultations": lost,
    }
    return json.dumps(told, ensure_ascii=False)


def _read(path: Path, judge: str) -> tuple[list[dict[str, Any]], LostCauses | None]:
    """Return the explained consultations in the plan's order, and the causes of each column."""
    lost = []
    with load_run(path) as run:
        names = ShortNames.of(run.file.columns())
        for number, one in explanations(run.file, judge).items():
            cell = run.file.cell(number)
            trial = f" trial {cell.trial}" if cell.trial > 1 else ""
            told = {
                "number": number,
                "consultation": cell.case + trial,
                "column": names.name(cell.column),
            }
            lost.append(
                told | {name: value for name, value in asdict(one).items() if name != "settings"}
            )
        return lost, compare([run], judge=judge).causes if lost else None
