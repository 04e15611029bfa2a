"""The figures that the papers published, to be shown below a comparison."""

from __future__ import annotations

from osler.tables import Table

_MEMORIES = ("none", "raw", "tim")
_TABLE_3: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "HuatuoGPT-II 13B": ((18.18, 25.00, 27.27), (2.27, 4.54, 6.82)),
    "Baichuan2 13B": ((20.45, 20.45, 22.27), (2.27, 2.27, 4.54)),
    "ChatGLM2 6B": ((15.91, 22.72, 22.72), (0.0, 0.0, 2.27)),
    "ChatGLM3 6B": ((2.27, 20.45, 20.45), (2.27, 9.10, 9.10)),
    "GPT-3.5": ((18.18, 22.73, 22.73), (4.55, 6.82, 6.82)),
    "GPT-4": ((0.0, 50.00, 50.00), (0.0, 6.82, 6.82)),
}
"""Accuracy in per cent over 44 patients, none / raw / TiM: of the diagnosis, and of the
treatment."""


def paper_table() -> Table:
    """The papers' own figures."""
    rows = [
        [model, *(f"{value:.2f}" for value in (*diagnosis, *treatment))]
        for model, (diagnosis, treatment) in _TABLE_3.items()
    ]
    header = [
        "",
        *(f"diagnosis {memory}" for memory in _MEMORIES),
        *(f"treatment {memory}" for memory in _MEMORIES),
    ]
    note = (
        "published figures, 44 other patients, other prompts and judges: a landmark, not a"
        " competitor"
    )
    return Table.of("the papers' Table 3, accuracy %", header, rows, [note])
