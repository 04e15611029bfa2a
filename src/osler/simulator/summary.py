"""What a run came to, in one table: answers, failures, and how the participants worked."""

from __future__ import annotations

from collections import defaultdict
from sqlite3 import Row

from rich.table import Table
from rich.text import Text

from osler.eval.ladder import LADDER
from osler.eval.verdict import Verdict
from osler.events import Ending
from osler.simulator.store import RunFile


def summary(run: RunFile, patient: str) -> Table | Text:
    """One column per backbone and memory, so that no figure is cut on a narrow terminal.

    A failed consultation is counted as failed, never as wrong.
    """
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in run.scores(LADDER):
        groups[row["backbone"], row["memory"]].append(row)
    if not groups:
        return Text("no consultation has ended yet")
    columns = {group: _figures(some) for group, some in groups.items()}
    table = Table(title=f"patient: {patient}", title_justify="left")
    table.add_column("", no_wrap=True)
    for backbone, memory in columns:
        table.add_column(Text(f"{backbone}\n{memory}"), justify="right")
    for name in next(iter(columns.values())):
        table.add_row(name, *(figures[name] for figures in columns.values()))
    return table


def _figures(some: list[Row]) -> dict[str, str]:
    answered = [row for row in some if row["state"] == "done"]
    right = sum(row["diagnosis_verdict"] == Verdict.CORRECT for row in answered)
    treatments = [row["treatment_verdict"] for row in answered if row["treatment_verdict"] is not None]
    treated = sum(verdict == Verdict.CORRECT for verdict in treatments)
    replies = sum(row["replies"] for row in some)
    return {
        "consultations": str(len(some)),
        "failed": str(len(some) - len(answered)),
        "unparsed": str(sum(row["ending"] == Ending.UNPARSED for row in some)),
        "diagnosis right": _share(right, len(answered)),
        "treatment right": _share(treated, len(treatments)),
        "turns": _mean(sum(row["turns"] for row in answered), len(answered)),
        "repeated questions": _mean(sum(row["repeats"] for row in answered), len(answered)),
        "replies": str(replies),
        "that leak": str(sum(row["leaks"] for row in some)),
        "that fabricate": str(sum(row["fabrications"] for row in some)),
        "replaced by rules": _share(sum(row["replaced"] for row in some), replies),
    }


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


def _mean(whole: int, count: int) -> str:
    return f"{whole / count:.1f}" if count else "–"
