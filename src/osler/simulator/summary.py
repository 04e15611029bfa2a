"""The table that is printed after a run: answers, failures, and how the participants worked."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from rich.console import Group
from rich.text import Text

from osler.eval.faithfulness import RULES
from osler.eval.faithfulness.patient_verdicts import ruler_notes
from osler.eval.ladder import LADDER
from osler.eval.verdict import Verdict
from osler.runs.events import Ending
from osler.runs.makers import Makers, maker_rows
from osler.runs.plan import Column
from osler.runs.short_names import ShortNames, backbone_name
from osler.runs.store import RunFile
from osler.wide_table import WideTable

_NOT_JUDGED = "not judged"
_MEMORY_FAILED = "memory calls failed in"
_UNLESS_ZERO = {_NOT_JUDGED, _MEMORY_FAILED}
"""Rows that are left out if they are all zeros."""

Rows = list[dict[str, Any]]
"""The consultations of a column, with their scores and measures."""


def summary(run: RunFile, patient: str) -> Group | Text:
    """One column each, so that no figure is cut on a narrow terminal.

    A failed consultation is counted as failed and one that has no verdict as not judged, never as wrong.
    """
    groups: dict[Column, Rows] = defaultdict(list)
    for row in map(dict, run.scores(LADDER)):
        groups[Column.from_row(row)].append({**row, "measures": json.loads(row["measures"] or "{}")})
    if not groups:
        return Text("no consultation has ended yet")
    columns = [_figures(rows) for rows in groups.values()]
    rows = [[name, *(figures[name] for figures in columns)] for name in columns[0]]
    shown = [row for row in rows if row[0] not in _UNLESS_ZERO or set(row[1:]) != {"0"}]
    known = {row[0] for row in shown}
    more = [row for row in _maker_rows(list(groups.values())) if row[0] not in known]
    names = ShortNames.of(groups)
    headers = [names.header(column) for column in groups]
    note = next(iter(ruler_notes([run], RULES)))
    return Group(WideTable(f"patient: {backbone_name(patient)}", headers, shown + more), Text(note, style="dim"))


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
        "diagnosis right": _right("diagnosis", answered),
        "treatment right": _right("treatment", answered),
        "turns": _mean("turns", answered),
        "repeated questions": _mean("repeats", answered),
        "replies": str(sum(row["replies"] for row in rows)),
        "that leak": str(sum(row["measures"].get("leaks", 0) for row in rows)),
        "that fabricate": str(sum(row["measures"].get("fabrications", 0) for row in rows)),
    }


def _right(kind: str, answered: Rows) -> str:
    """The share of what was judged, with its n if that is not every consultation with an answer."""
    verdicts = [row[f"{kind}_verdict"] for row in answered if row[f"{kind}_verdict"] is not None]
    if not verdicts:
        return "–"
    share = f"{sum(verdict == Verdict.CORRECT for verdict in verdicts) / len(verdicts):.3f}"
    return share if len(verdicts) == len(answered) else f"{share} (n={len(verdicts)})"


def _mean(name: str, answered: Rows) -> str:
    return f"{sum(row[name] for row in answered) / len(answered):.1f}" if answered else "–"
