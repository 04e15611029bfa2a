"""The end of a consultation, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from osler.errors import printable
from osler.locale import label
from osler.play.request import PlayRole
from osler.play.result import Result
from osler.play.saving import run_name
from osler.play.session import PlaySession
from osler.records.schema import Relevance
from osler.runs.events import Asked, Concluded


def ending(session: PlaySession, texts: Mapping[str, str]) -> Iterator[str]:
    """What came of it, what was missed, in which order it should have been asked for, and where it is kept."""
    assignment, result = session.assignment, session.result
    asked = sum(isinstance(event, Asked) for event in session.journal.events)
    yield ""
    yield texts["end"].format(asked=asked, limit=assignment.turn_limit)
    if result is not None:
        yield from _verdicts(session, result, texts)
        yield from _asking(session, result, texts)
    yield texts["was"].format(case=assignment.record.id)
    if session.kept is not None:
        run, memory = run_name(session.kept.run), assignment.cell.column.memory
        yield texts["kept"].format(run=run, case=assignment.record.id, memory=memory, trial=session.kept.trial)
    elif session.not_kept:
        yield texts["not_kept"].format(reason=session.not_kept)


def _verdicts(session: PlaySession, result: Result, texts: Mapping[str, str]) -> Iterator[str]:
    """What was said, what the judge says of it and why, and the truth."""
    concluded = next((event for event in session.journal.events if isinstance(event, Concluded)), None)
    if concluded is None and session.failed:
        yield texts["broken"].format(reason=session.failed)
    said = {said.kind: said for said in result.verdicts}
    who = texts["you_said"] if session.assignment.role is PlayRole.DOCTOR else texts["doctor_said"]
    answers = {"diagnosis": concluded.diagnosis, "treatment": concluded.treatment} if concluded else {}
    truths = {"diagnosis": result.diagnosis, "treatment": result.treatment or texts["no_treatment"]}
    for kind, truth in truths.items():
        yield ""
        yield texts["diagnosis"] if kind == "diagnosis" else texts["treatment"]
        if kind in answers:
            yield f"  {who}{printable(answers[kind])}"
        yield f"  {texts['truth']}{printable(truth)}"
        if kind in said:
            verdict = texts[f"verdict_{said[kind].verdict}"]
            yield texts["verdict_line"].format(verdict=verdict, because=printable(said[kind].because))


def _asking(session: PlaySession, result: Result, texts: Mapping[str, str]) -> Iterator[str]:
    """How the questions went."""
    language, figures = session.assignment.record.language, result.measures
    asked = result.key_total - len(result.missed)
    yield ""
    yield texts["coverage"].format(
        asked=asked, total=result.key_total, rounds=figures.rounds, expected=figures.rounds_expected
    )
    if session.assignment.role is PlayRole.PATIENT:
        yield texts["untrue"].format(fabrications=figures.fabrications, contradictions=figures.contradictions)
    if result.missed:
        yield texts["missed"]
    for entry in result.missed:
        decides = texts["deciding"] if entry.relevance is Relevance.DECIDING else ""
        yield texts["entry"].format(name=printable(entry.name), kind=label(entry.category, language) + decides)
    if result.order:
        yield texts["order"]
    for step in result.order:
        when = texts["turn"].format(turn=step.turn) if step.turn is not None else texts["never"]
        late = texts["after"].format(names=", ".join(map(printable, step.after))) if step.after else ""
        yield texts["step"].format(rank=step.rank, name=printable(step.name), when=when + late)
    if figures.order_pairs:
        kept = round((figures.order_share or 0) * figures.order_pairs)
        yield texts["pairs"].format(kept=kept, pairs=figures.order_pairs)
    yield ""
