"""The figures of probes as a table for the terminal."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from osler.eval.probes.figures import Figures, Mean

_KIND = "  {kind}: {score}"
_SHOWN = ("retrieval", "correctness")


def page(found: list[Figures], answered_by: str, excluded: int) -> Group:
    """One column per backbone and memory; means with their 95 % intervals over patients."""
    table = Table(title=f"answers by: {answered_by}", title_justify="left")
    table.add_column("", no_wrap=True)
    for one in found:
        table.add_column(Text(f"{one.backbone}\n{one.memory}"), justify="right")
    rows = [_rows(one) for one in found]
    for name in dict.fromkeys(name for row in rows for name in row):
        table.add_row(Text(name), *(Text(row.get(name, "–")) for row in rows))
    notes = [Text("Means over all wordings, 95 % intervals over patients. Consistency is agreement, right or wrong.")]
    if excluded:
        notes.append(Text(f"{excluded} consultation(s) without an answer of the doctor were left out."))
    if any(one.missing for one in found):
        notes.append(Text("Some requests of a memory to its model have no recorded answer; it was rebuilt without."))
    return Group(table, *notes)


def _rows(one: Figures) -> dict[str, str]:
    return {
        "consultations": str(one.consultations),
        "probes": str(one.probes),
        "answers": str(one.answers),
        "unanswered": str(one.unanswered),
        "retrieval accuracy": _mean(one.retrieval),
        "response correctness": _mean(one.correctness),
        "contextual coherence": _mean(one.coherence),
        **{
            _KIND.format(kind=kind, score=score): _mean(means[score])
            for kind, means in one.by_kind.items()
            for score in _SHOWN
        },
        "consistency": _mean(one.consistency),
        **{f"  turn {turn}": f"{value:.3f}" for turn, value in one.consistency_by_turn.items()},
        **{f"top {k} retrieval": _mean(mean) for k, mean in one.top_k.items()},
    }


def _mean(mean: Mean) -> str:
    if mean.value is None:
        return "–"
    if mean.interval is None:
        return f"{mean.value:.3f}"
    return f"{mean.value:.3f} [{mean.interval.low:.2f}, {mean.interval.high:.2f}]"
