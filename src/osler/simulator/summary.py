"""The table that is printed after a run: answers, failures, and how the participants worked."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from rich.console import Group
from rich.text import Text

from osler import row_labels
from osler.eval.faithfulness import RULES
from osler.eval.faithfulness.patient_verdicts import ruler_notes
from osler.eval.ladder import LADDER
from osler.eval.reader.marks import mark_notes
from osler.eval.verdict import Verdict
from osler.runs.events import Ending
from osler.runs.makers import Makers, Usage, maker_rows, saved_note, saved_usage
from osler.runs.plan import Column
from osler.runs.short_names import ShortNames, backbone_name
from osler.runs.store import RunFile
from osler.wide_table import WideTable

_NOT_JUDGED = "not judged"
_MEMORY_FAILED = "memory calls failed in"
_KINDS = ("diagnosis", "treatment")
_RIGHT = {kind: f"{kind} right (share)" for kind in _KINDS}
_AT_MOST = {kind: f"{kind} right at most (share)" for kind in _KINDS}
_UNDECIDED = {kind: row_labels.total(f"{kind} undecided") for kind in _KINDS}
_UNLESS_ZERO = {_NOT_JUDGED, _MEMORY_FAILED, *_UNDECIDED.values()}
"""Rows that are left out if they are all zeros."""
_REMEDY = "undecided is counted as not right, and at most as right; `osler score RUN --judge SPEC` lets a model decide"

Rows = list[dict[str, Any]]
"""The consultations of a column, with their scores and measures."""


def summary(run: RunFile, patient: str, judge: str | None = None) -> Group | Text:
    """One column each, with the verdicts of a judge or of the rules, so that no figure is cut on a narrow terminal.

    A failed consultation is counted as failed and one that has no verdict as not judged, never as wrong.
    """
    groups: dict[Column, Rows] = defaultdict(list)
    for row in map(dict, run.scores(judge or LADDER)):
        groups[Column.from_row(row)].append({**row, "measures": json.loads(row["measures"] or "{}")})
    if not groups:
        return Text("no consultation has ended yet")
    columns = [_figures(rows) for rows in groups.values()]
    rows = [[name, *(figures[name] for figures in columns)] for name in columns[0]]
    zeros = {name for name, *cells in rows if name in _UNLESS_ZERO and set(cells) == {"0"}}
    zeros |= {_AT_MOST[kind] for kind in _KINDS if _UNDECIDED[kind] in zeros}
    shown = [row for row in rows if row[0] not in zeros]
    known = {row[0] for row in shown}
    more = [row for row in _maker_rows(list(groups.values())) if row[0] not in known]
    names = ShortNames.of(groups)
    headers = [names.header(column) for column in groups]
    notes = [_REMEDY] if any(label in known for label in _UNDECIDED.values()) else []
    every = [Makers.read(row["measures"]) for rows in groups.values() for row in rows]
    notes += [row_labels.NOTE, *mark_notes([run], judge or LADDER)]
    notes += [*saved_note(every), *ruler_notes([run], RULES)[:1]]
    table = WideTable(f"patient: {backbone_name(patient)}", headers, shown + more)
    return Group(table, *(Text(note, style="dim") for note in notes))


def saved(run: RunFile) -> Usage:
    """What all consultations that have ended used, and in it what sharing answers saved."""
    return saved_usage(Makers.read(json.loads(row["measures"] or "{}")) for row in run.scores(LADDER))


def _maker_rows(groups: list[Rows]) -> list[list[str]]:
    answered = [[row["measures"] for row in rows if row["state"] == "done"] for rows in groups]
    return maker_rows([Makers.together(map(Makers.read, some)) for some in answered], [len(some) for some in answered])


def _figures(rows: Rows) -> dict[str, str]:
    answered = [row for row in rows if row["state"] == "done"]
    judged = sum(row["diagnosis_verdict"] is not None for row in answered)
    return {
        "consultations": str(len(rows)),
        "failed": str(len(rows) - len(answered)),
        "unparsed": str(sum(row["ending"] == Ending.UNPARSED for row in rows)),
        _NOT_JUDGED: str(len(answered) - judged),
        _MEMORY_FAILED: str(sum(bool(row["measures"].get("memory_failures")) for row in answered)),
        **_right("diagnosis", answered),
        **_right("treatment", answered),
        row_labels.mean("turns"): _mean("turns", answered),
        row_labels.mean("repeated questions"): _mean("repeats", answered),
        row_labels.total("replies"): str(sum(row["replies"] for row in rows)),
        row_labels.total("that leak"): str(sum(row["measures"].get("leaks", 0) for row in rows)),
        row_labels.total("that fabricate"): str(sum(row["measures"].get("fabrications", 0) for row in rows)),
    }


def _right(kind: str, answered: Rows) -> dict[str, str]:
    """The share of what was judged, its upper bound and what is undecided."""
    verdicts = [row[f"{kind}_verdict"] for row in answered if row[f"{kind}_verdict"] is not None]
    right, undecided = (verdicts.count(verdict) for verdict in (Verdict.CORRECT, Verdict.UNDECIDED))
    return {
        _RIGHT[kind]: _share(right, verdicts, answered),
        _AT_MOST[kind]: _share(right + undecided, verdicts, answered),
        _UNDECIDED[kind]: str(undecided),
    }


def _share(count: int, judged: list[str], answered: Rows) -> str:
    """With its n if that is not every consultation with an answer."""
    if not judged:
        return "–"
    share = f"{count / len(judged):.3f}"
    return share if len(judged) == len(answered) else f"{share} (n={len(judged)})"


def _mean(name: str, answered: Rows) -> str:
    return f"{sum(row[name] for row in answered) / len(answered):.1f}" if answered else "–"
