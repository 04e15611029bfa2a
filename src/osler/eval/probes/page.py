"""The figures of probes as a table for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group
from rich.text import Text

from osler.eval.probes.figures import KINDS, Figures, Mean
from osler.runs.short_names import ShortNames, backbone_name
from osler.wide_table import WideTable

_SHOWN = ("retrieval", "correctness")


def page(found: list[Figures], answered_by: str, excluded: int) -> Group:
    """Column by column; means with their 95 % intervals over patients."""
    names = ShortNames.of(one.column for one in found)
    headers = [names.header(one.column) for one in found]
    rows = [[name, *cells] for name, cells in _rows(found)]
    table = WideTable(f"answers by: {backbone_name(answered_by)}", headers, rows)
    notes = [Text("Means over all wordings, 95 % intervals over patients. Consistency is agreement, right or wrong.")]
    if excluded:
        notes.append(Text(f"{excluded} consultation(s) without an answer of the doctor were left out."))
    if any(one.missing for one in found):
        notes.append(Text("Some requests of a memory to its model have no recorded answer; it was rebuilt without."))
    return Group(table, *notes)


def _rows(found: list[Figures]) -> Iterator[tuple[str, list[str]]]:
    """Every row: its name, and a cell for each column; a dash where one has no such figure."""
    yield "consultations", [str(one.consultations) for one in found]
    yield "probes", [str(one.probes) for one in found]
    yield "answers", [str(one.answers) for one in found]
    yield "unanswered", [str(one.unanswered) for one in found]
    yield "retrieval accuracy", [_mean(one.retrieval) for one in found]
    yield "response correctness", [_mean(one.correctness) for one in found]
    yield "contextual coherence", [_mean(one.coherence) for one in found]
    for kind in KINDS:
        for name in _SHOWN:
            if any(kind in one.by_kind for one in found):
                cells = (one.by_kind.get(kind, {}).get(name) for one in found)
                yield f"  {kind}: {name}", [_mean(cell) for cell in cells]
    yield "consistency", [_mean(one.consistency) for one in found]
    for turn in sorted({turn for one in found for turn in one.consistency_by_turn}):
        yield f"  turn {turn}", [_number(one.consistency_by_turn.get(turn)) for one in found]
    for k in sorted({k for one in found for k in one.top_k}):
        yield f"top {k} retrieval", [_mean(one.top_k.get(k)) for one in found]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _mean(mean: Mean | None) -> str:
    if mean is None or mean.value is None:
        return "–"
    if mean.interval is None:
        return f"{mean.value:.3f}"
    return f"{mean.value:.3f} [{mean.interval.low:.2f}, {mean.interval.high:.2f}]"
