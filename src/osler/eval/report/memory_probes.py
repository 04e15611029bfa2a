"""How well the memories of a run remember: a sample of them is rebuilt and probed, without a model."""

from __future__ import annotations

from osler.eval.probes.asking import examine, rules_answerer
from osler.eval.probes.figures import Figures, figures
from osler.eval.report.snapshot import Row, Snapshot, column_of, sampled

KS = (1, 2, 3, 5, 10)
CONSULTATIONS = 90
"""That are probed, over all columns: some ten seconds."""
FEWEST = 5
_OURS = frozenset({"none", "raw", "tim"})


def can_be_rebuilt(memory: str) -> bool:
    """Whether reading a run may make this memory: a report runs no code that a run names, and asks no server."""
    name, *options = (part.strip() for part in memory.split(","))
    embedders = [option.partition("=")[2].strip() for option in options if option.startswith("embedder")]
    return name in _OURS and all(embedder == "hash" for embedder in embedders)


async def probed(run: Snapshot, rows: list[Row], seed: int) -> list[Figures]:
    """The figures of each column that can be rebuilt."""
    fitting = [row for row in rows if can_be_rebuilt(row["memory"])]
    columns = len(set(map(column_of, fitting)))
    if not columns:
        return []
    settings, done = run.file.settings, []
    for row in sampled(fitting, max(FEWEST, CONSULTATIONS // columns), seed, "probes"):
        transcript = run.file.transcript(row["number"])
        if transcript is not None:
            done.append(await examine(transcript, run.file.record(row["record"]), settings, rules_answerer))
    return figures(done, KS, seed)
