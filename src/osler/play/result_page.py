"""The end of a consultation, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from osler.errors import printable
from osler.eval.verdict import Verdict
from osler.play.request import PlayRole
from osler.play.result import Result
from osler.play.saving import run_name
from osler.play.session import PlaySession
from osler.play.texts import PlayTexts
from osler.records.labels import label
from osler.records.schema import Relevance
from osler.runs.events import Asked, Concluded


def ending(seat: PlaySession, words: PlayTexts) -> Iterator[str]:
    """What came of it, what was missed, in which order it should have been asked for, and where it is kept."""
    sitting, result = seat.sitting, seat.result
    asked = sum(isinstance(event, Asked) for event in seat.journal.events)
    yield ""
    yield words.end.format(asked=asked, limit=sitting.turn_limit)
    if result is not None:
        yield from _verdicts(seat, result, words)
        yield from _asking(seat, result, words)
    yield words.was.format(case=sitting.record.id)
    if seat.kept is not None:
        run, memory = run_name(seat.kept.run), sitting.cell.column.memory
        yield words.kept.format(run=run, case=sitting.record.id, memory=memory, trial=seat.kept.trial)
    elif seat.not_kept:
        yield words.not_kept.format(reason=seat.not_kept)


def _verdicts(seat: PlaySession, result: Result, words: PlayTexts) -> Iterator[str]:
    """What was said, what the judge says of it and why, and the truth."""
    concluded = next((event for event in seat.journal.events if isinstance(event, Concluded)), None)
    if concluded is None and seat.failed:
        yield words.broken.format(reason=seat.failed)
    said = {said.kind: said for said in result.verdicts}
    who = words.you_said if seat.sitting.chair is PlayRole.DOCTOR else words.doctor_said
    answers = {"diagnosis": concluded.diagnosis, "treatment": concluded.treatment} if concluded else {}
    truths = {"diagnosis": result.diagnosis, "treatment": result.treatment or words.no_treatment}
    for kind, truth in truths.items():
        yield ""
        yield words.diagnosis if kind == "diagnosis" else words.treatment
        if kind in answers:
            yield f"  {who}{printable(answers[kind])}"
        yield f"  {words.truth}{printable(truth)}"
        if kind in said:
            verdict = words.verdicts[Verdict(said[kind].verdict)]
            yield words.verdict.format(verdict=verdict, because=printable(said[kind].because))


def _asking(seat: PlaySession, result: Result, words: PlayTexts) -> Iterator[str]:
    """How the questions went."""
    language, figures = seat.sitting.record.language, result.measures
    asked = result.key_total - len(result.missed)
    yield ""
    yield words.coverage.format(
        asked=asked, total=result.key_total, rounds=figures.rounds, expected=figures.rounds_expected
    )
    if seat.sitting.chair is PlayRole.PATIENT:
        yield words.untrue.format(fabrications=figures.fabrications, contradictions=figures.contradictions)
    if result.missed:
        yield words.missed
    for entry in result.missed:
        decides = words.deciding if entry.relevance is Relevance.DECIDING else ""
        yield words.entry.format(name=printable(entry.name), kind=label(entry.category, language) + decides)
    if result.order:
        yield words.order
    for step in result.order:
        when = words.turn.format(turn=step.turn) if step.turn is not None else words.never
        late = words.after.format(names=", ".join(map(printable, step.after))) if step.after else ""
        yield words.step.format(rank=step.rank, name=printable(step.name), when=when + late)
    if figures.order_pairs:
        kept = round((figures.order_share or 0) * figures.order_pairs)
        yield words.pairs.format(kept=kept, pairs=figures.order_pairs)
    yield ""
