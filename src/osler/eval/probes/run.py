"""Probing all memories of a run; the run itself is only read."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from osler.errors import UserError
from osler.eval.probes.asking import Answerer, Examined, examine, model_answerer, rules_answerer
from osler.eval.probes.figures import Figures, figures
from osler.models import open_backbone, parse_spec
from osler.runs.plan import ONE_STEP, Column
from osler.runs.store import RunFile


@dataclass(frozen=True)
class ProbedRun:
    """What the probes of a run came to."""

    figures: list[Figures]
    excluded: int
    """Consultations that ended without an answer of the doctor: their memory stopped half-way."""


async def probe_run(
    run: RunFile,
    ks: Sequence[int],
    *,
    memories: Sequence[str] | None = None,
    strategies: Sequence[str] | None = None,
    answered_by: str = "rules",
    limit: int | None = None,
    seconds: float = 60.0,
) -> ProbedRun:
    """Probe the consultations of a run.

    Args:
        run: The run.
        ks: Where rankings are cut.
        memories: Only these; None: all.
        strategies: Only these; None: all.
        answered_by: The backbone that answers from what is recalled, or `rules`.
        limit: Consultations of each column.
        seconds: For one answer of a model.

    Raises:
        UserError: A memory or backbone that there is not, or nothing to probe.
    """
    columns = run.columns()
    _check("memory", memories, {column.memory for column in columns})
    _check("strategy", strategies, {column.strategy for column in columns})
    settings, done, excluded = run.settings, list[Examined](), 0
    seen: Counter[Column] = Counter()
    async with _answerer(answered_by, seconds) as answerer:
        for transcript in run.transcripts():
            header = transcript.header
            column = header.column
            if (memories and column.memory not in memories) or (strategies and column.strategy not in strategies):
                continue
            if limit is not None and seen[column] >= limit:
                continue
            if header.memory == ONE_STEP:  # the whole record was put before the doctor: there is no memory to probe
                continue
            if not transcript.ending.is_answer:
                excluded += 1
                continue
            seen[column] += 1
            done.append(await examine(transcript, run.record(header.case), settings, answerer))
    if not done:
        raise UserError(f"the run {run.path} has no consultation to probe", "hold some with `osler simulate`")
    return ProbedRun(figures(done, ks, settings.seed), excluded)


def _check(what: str, named: Sequence[str] | None, there: set[str]) -> None:
    for name in named or ():
        if name not in there:
            raise UserError(f"the run has no {what} {name!r}", f"it has {', '.join(sorted(there - {''})) or 'none'}")


@asynccontextmanager
async def _answerer(spec: str, seconds: float) -> AsyncIterator[Answerer]:
    """Whatever answers, open as long as it is needed."""
    parsed = parse_spec(spec)
    if parsed.kind == "rules":
        yield rules_answerer
        return
    backbone = open_backbone(parsed, timeout=seconds)
    try:
        yield model_answerer(backbone)
    finally:
        await backbone.close()
