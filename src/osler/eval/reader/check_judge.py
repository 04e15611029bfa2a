"""Examine a model as a judge on the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from osler.errors import UserError
from osler.eval.controls import tried
from osler.eval.reader.examination import examine
from osler.eval.reader.labelled_pairs import KINDS, labelled_pairs
from osler.eval.reader.marks import KeptExamination, keep, marks_of, require_agreement
from osler.eval.reader.model_judge import ModelJudge
from osler.language import Language
from osler.models import open_backbone


async def check_judge(
    spec: str, languages: Sequence[Language], concurrency: int, seconds: float
) -> tuple[list[str], bool]:
    """Run the controls and the labelled pairs through a model.

    Its marks are kept for the runs that it judges.

    Returns:
        What it got right and wrong, in lines, and whether it may judge.

    Raises:
        UserError: The model cannot be reached.
    """
    backbone = open_backbone(spec, timeout=seconds)
    judge = ModelJudge(backbone)
    gate = asyncio.Semaphore(concurrency)
    lines = [judge.name]
    refusals = []
    try:
        for language in languages:
            trial = await tried(judge, language, gate)
            lines.append(f"controls: {trial.line}")
            if trial.failed:
                refusals.append(f"{judge.name} cannot judge: {trial.line}")
        pairs = [pair for language in languages for pair in labelled_pairs(language)]
        examination = await examine(judge, judge.name, pairs, gate)
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    finally:
        await backbone.close()
    lines += [*examination.lines(), f"{examination.tokens:,} tokens for {len(pairs)} pairs"]
    if not refusals:
        keep(examination)
    for language, marks in marks_of(examination).items():
        try:
            require_agreement(judge.name, KINDS, language, KeptExamination(marks=marks))
        except UserError as error:
            refusals.append(error.message)
    return [*lines, *(refusals or ["it may judge runs"])], not refusals
