"""What the rules' ladder said of the consultations of a run when they were held."""

from __future__ import annotations

from collections.abc import Iterator

from osler.eval.ladder import LADDER
from osler.runs.store import RunFile, StoredVerdict

_LADDER = LADDER.partition("/")[0]


class Verdicts:
    """The ladder's, of this version or the last before it; models that judge have no calls on record to repeat."""

    def __init__(self, run: RunFile) -> None:
        """Read them all: one consultation's are no cheaper."""
        ladders = [judge for judge in run.judges() if judge.partition("/")[0] == _LADDER]
        judge = LADDER if LADDER in ladders else (ladders or [LADDER])[-1]
        self._said = {row["number"]: list(_spoken(dict(row))) for row in run.scores(judge)}

    def of(self, number: int) -> list[StoredVerdict]:
        """Of one consultation; empty when it failed, or nobody has judged it."""
        return self._said.get(number, [])


def _spoken(row: dict[str, object]) -> Iterator[StoredVerdict]:
    for kind in ("diagnosis", "treatment"):
        if row[f"{kind}_verdict"] is not None:
            verdict, rung, because = (str(row[f"{kind}_{part}"]) for part in ("verdict", "rung", "because"))
            rank = row.get(f"{kind}_rank")
            yield StoredVerdict(kind, verdict, rung, because, rank if isinstance(rank, int) else None)
