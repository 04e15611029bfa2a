"""What a run came to, in one table: answers, failures, and how the participants worked."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from sqlite3 import Row

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
"""Rows that are left out where they hold nothing but zeros."""


def summary(run: RunFile, patient: str) -> Group | Text:
    """One column each, so that no figure is cut on a narrow terminal.

    A failed consultation is counted as failed and one that has no verdict as not judged, never as wrong.
    """
    groups: dict[Column, list[Row]] = defaultdict(list)
    for row in run.scores(LADDER):
        groups[Column.from_row(dict(row))].append(row)
    if not groups:
        return Text("no consultation has ended yet")
    columns = {group: _figures(some) for group, some in groups.items()}
    names = ShortNames.of(columns)
    headers = [names.header(column) for column in columns]
    rows = [[name, *(figures[name] for figures in columns.values())] for name in next(iter(columns.values()))]
    shown = [row for row in rows if row[0] not in _UNLESS_ZERO or set(row[1:]) != {"0"}]
    known = {row[0] for row in shown}
    more = [row for row in _maker_rows(groups.values()) if row[0] not in known]
    note = next(iter(ruler_notes([run], RULES)))
    return Group(WideTable(f"patient: {backbone_name(patient)}", headers, shown + more), Text(note, style="dim"))


def _maker_rows(groups: Iterable[list[Row]]) -> list[list[str]]:
    answered = [[row for row in some if row["state"] == "done"] for some in groups]
    makers = [Makers.together(Makers.read(json.loads(row["measures"] or "{}")) for row in some) for some in answered]
    return maker_rows(makers, [len(some) for some in answered])


def _figures(some: list[Row]) -> dict[str, str]:
    answered = [row for row in some if row["state"] == "done"]
    judged = sum(row["diagnosis_verdict"] is not None for row in answered)
    replies = sum(row["replies"] for row in some)
    return {
        "consultations": str(len(some)),
        "failed": str(len(some) - len(answered)),
        "unparsed": str(sum(row["ending"] == Ending.UNPARSED for row in some)),
        _NOT_JUDGED: str(len(answered) - judged),
        _MEMORY_FAILED: str(sum(map(_memory_failed, answered))),
        "diagnosis right": _right("diagnosis", answered),
        "treatment right": _right("treatment", answered),
        "turns": _mean(sum(row["turns"] for row in answered), len(answered)),
        "repeated questions": _mean(sum(row["repeats"] for row in answered), len(answered)),
        "replies": str(replies),
        "that leak": _measured("leaks", some),
        "that fabricate": _measured("fabrications", some),
    }


def _right(kind: str, answered: list[Row]) -> str:
    """The share of what was judged, with its n where that is not every consultation with an answer."""
    verdicts = [row[f"{kind}_verdict"] for row in answered if row[f"{kind}_verdict"] is not None]
    share = _share(sum(verdict == Verdict.CORRECT for verdict in verdicts), len(verdicts))
    return share if len(verdicts) in {0, len(answered)} else f"{share} (n={len(verdicts)})"


def _measured(name: str, some: list[Row]) -> str:
    """The sum of a measure; consultations that were stored without measures have none."""
    return str(sum(json.loads(row["measures"] or "{}").get(name, 0) for row in some))


def _memory_failed(row: Row) -> bool:
    return bool(json.loads(row["measures"] or "{}").get("memory_failures"))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def _mean(whole: int, count: int) -> str:
    return f"{whole / count:.1f}" if count else "–"
