"""What the page shows of a run, as plain data: its line in the list, table and makers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from osler.eval.runs import Run
from osler.eval.scoring import EXACT
from osler.runs.plan import told_variants
from osler.runs.short_names import backbone_name, backbone_names, memory_names
from osler.runs.store import RunFile
from osler.runs.store.columns import column_makers
from osler.runs.store.explanations import explanations
from osler.runs.store.run_table import TableQuery, TableValues, table_page, table_values
from osler.settings.stored import setting_rows
from osler.view.run_list import ListedRun

_LIVE_SECONDS = 300.0
"""Seconds without a write after which a run that was never closed counts as dead."""
_STATUS = ("total", "done", "failed", "todo", "tokens", "cost")


def run(listed: ListedRun) -> dict[str, Any]:
    """One line of the list of runs."""
    with listed.open() as file:
        settings = file.about()["settings"]
        status = file.status()
        judge = judge_of(file)
        values = table_values(file)
        causes = {explanation.cause for explanation in explanations(file, judge).values()}
        return {
            "key": listed.key,
            "name": listed.name,
            **{name: getattr(status, name) for name in _STATUS},
            "live": file.is_open() and listed.changed_within(_LIVE_SECONDS),
            "unjudged": len(file.unjudged(judge)),
            "patient_backbone": settings["patient_backbone"],
            "settings": setting_rows(settings),
            **asdict(values),
            "strategies": [name for name in values.strategies if name],
            "names": _names(file, values),
            "judge": judge,
            "causes": sorted(causes),
        }


def _names(file: RunFile, values: TableValues) -> dict[str, str]:
    """Short names for the models, memories and variants of a run."""
    settings = file.about()["settings"]
    seats = ("patient_backbone", "ram_backbone", "memory_backbone")
    names = {settings[seat]: backbone_name(settings[seat]) for seat in seats if settings.get(seat)}
    names |= backbone_names(values.backbones) | memory_names(values.memories)
    for column in file.columns():
        names[column.as_row()["variants"]] = ", ".join(told_variants(column.variants))
    return names


def judge_of(file: RunFile) -> str:
    """Return the default judge.

    The run's own, or the exact stage, which is quick to see, or else the first judge.
    """
    is_exact = file.has_verdicts(EXACT) and file.own_judge() is None
    if is_exact:
        return EXACT
    return Run(file).judge()


def makers(file: RunFile) -> dict[str, Any]:
    """Return who made what in every column, over the consultations with an answer.

    There is nothing if rules did everything.
    """
    columns = column_makers(file)
    if all(counted.makers.is_by_rules_alone for counted in columns):
        return {"columns": []}
    rows = [
        {
            **counted.column.as_row(),
            "consultations": counted.consultations,
            "makers": asdict(counted.makers),
        }
        for counted in columns
    ]
    return {"columns": rows}


def table(file: RunFile, query: TableQuery) -> dict[str, Any]:
    """A page of the run's table."""
    page = table_page(file, query)
    forks = forks_of(file)
    rows = [
        {**vars(row), "fork": forks.get(row.cell), "snippet": page.snippets.get(row.cell)}
        for row in page.rows
    ]
    return {"total": page.total, "offset": query.offset, "rows": rows}


def forks_of(file: RunFile) -> dict[int, dict[str, Any]]:
    """Return which consultation each fork was forked from, and after which turn."""
    return {
        number: {"run": fork.run, "case": fork.parent.case, "turn": fork.turn}
        for number, fork in file.forks().items()
    }
