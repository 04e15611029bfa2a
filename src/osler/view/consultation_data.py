"""What the page shows of one consultation as plain data; the true diagnosis is separate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from osler.eval.course import Course
from osler.eval.faithfulness.patient_verdicts import (
    faults_in,
    ruler_notes,
    ruler_of,
)
from osler.eval.measures import Measure, Place, key_elements, measures_in
from osler.eval.twin_pairs import TwinPairs, pairs_among
from osler.language import Language
from osler.records.schema import Part, PatientRecord
from osler.runs.events import Asked, Called, Intervened, Recalled, Role
from osler.runs.lessons import LessonFit
from osler.runs.plan import Selector
from osler.runs.reply_faults import ReplyFaults
from osler.runs.scored import ScoredConsultation
from osler.runs.store import CellState, RunFile
from osler.runs.store.explanations import explanations
from osler.runs.store.run_table import others_of_patient
from osler.runs.store.scores import scored_consultations
from osler.runs.transcript import Transcript
from osler.runs.turns import NumberedCall, TurnView, earlier_visits
from osler.settings.stored import setting_rows
from osler.view.responses import NotFound
from osler.view.run_data import forks_of, judge_of

HIDDEN = "•••"
"""Replaces a name of the diagnosis until it is revealed."""
Data = dict[str, Any]
_NOT_OF_CALL = {"type", "turn", "at", "prompt", "messages", "answer", "thought", "cost"}
_CHANGE = {"group", "inserted", "merged", "superseded", "forgotten", "refused"}
_CONCLUSION = {"diagnosis", "treatment", "differential", "reasoning", "turn"}


class EndedConsultation(NamedTuple):
    """A consultation that has ended, read once for all that is shown of it."""

    cell: int
    state: CellState
    transcript: Transcript
    record: PatientRecord


def ended(file: RunFile, cell: int) -> EndedConsultation:
    """A consultation that has ended, and its patient's record. Raises NotFound if there is none."""
    state = file.state(cell)
    if state is None:
        raise NotFound("the run has no such consultation", "go back to the table")
    transcript = file.transcript(cell)
    if transcript is None:
        raise NotFound("this consultation has not been held yet", "wait for the run to reach it")
    return EndedConsultation(cell, state, transcript, file.record(transcript.header.case))


def consultation(file: RunFile, key: str, ended: EndedConsultation) -> Data:
    """Return one consultation with its measures, without the true diagnosis."""
    judge = judge_of(file)
    ruler = ruler_of([file])
    faults = faults_in(file, ended.cell, ruler)
    lost = explanations(file, judge, ended.cell).get(ended.cell)
    scored = next(scored_consultations(file, judge, ruler, ended.cell), None)
    return {
        "run": key,
        "cell": ended.cell,
        "state": ended.state.value,
        **consultation_data(ended.transcript, ended.record, faults),
        "measures": _measures(file, scored) if scored and scored.measures else None,
        "lost": {"cause": lost.cause, "turn": lost.lost_at} if lost else None,
        "patient_ruler": {"name": ruler, "notes": list(ruler_notes([file], ruler))},
        "same": _same_patient(file, ended.cell, ended.record.patient),
    }


def _measures(file: RunFile, scored: ScoredConsultation) -> Data:
    """Every measure that the page shows, with its label in both languages, and who made what."""
    pairs = pairs_among(_with_twin(file, scored))
    figures = [
        {
            "name": measure.name,
            "label": measure.label._asdict(),
            "unit": measure.unit_of_one.value,
            "value": measure.of(scored) if measure.of_pair is None else _of_pair(measure, pairs),
        }
        for measure in measures_in(Place.PAGE)
        if (scored.reading is not None or not measure.needs_reader)
        and (measure.of_pair is None or pairs)
    ]
    return {"figures": figures, "makers": asdict(scored.makers)}


def _of_pair(measure: Measure, pairs: TwinPairs) -> float | None:
    """The number of the one pair that there is; None if its other half has no answer."""
    if measure.of_pair is None or not pairs.complete:
        return None
    return measure.of_pair(pairs.complete[0])


def _with_twin(file: RunFile, scored: ScoredConsultation) -> Iterator[ScoredConsultation]:
    """The consultation, and the one with its twin in the same column and trial."""
    yield scored
    if scored.pair is None:
        return
    halves = {scored.pair.base, scored.pair.twin}
    for number, cell in file.cells(Selector(case=scored.patient, trial=scored.trial), ended=True):
        if cell.case in halves - {scored.case} and cell.column == scored.column:
            yield from scored_consultations(file, scored.judge, scored.patient_ruler, number)


def exact_call(ended: EndedConsultation, number: int) -> Data:
    """The prompt of one call, and its answer. Raises NotFound if there is no such call."""
    events = ended.transcript.events
    event = events[number] if 0 <= number < len(events) else None
    if not isinstance(event, Called):
        raise NotFound("there is no such call", "open the consultation again")
    return event.model_dump(mode="json", include={"messages", "answer", "thought"})


def truth(file: RunFile, ended: EndedConsultation) -> Data:
    """Return diagnosis, treatment, all verdicts, and when a good work-up's entries were asked."""
    record = ended.record
    lost = explanations(file, judge_of(file), ended.cell).get(ended.cell)
    leaks = []
    for turn, reply_faults in faults_in(file, ended.cell).items():
        names = [*reply_faults.names_diagnosis, *reply_faults.leaks]
        if names:
            leaks.append({"turn": turn, "names": names})
    verdicts = file.every_verdict(ended.cell)
    return {
        "diagnosis": record.diagnosis.model_dump(mode="json"),
        "treatment": record.treatment.model_dump(mode="json") if record.treatment else None,
        "order": str(record.exam_order) if record.exam_order else None,
        "key_entries": _key_entries(ended),
        "leaks": leaks,
        "verdicts": [{"judge": judge, **asdict(verdict)} for judge, verdict in verdicts],
        "lost": (
            {"cause": lost.cause, "turn": lost.lost_at, "line": lost.line, "steps": lost.steps}
            if lost
            else None
        ),
    }


def _key_entries(ended: EndedConsultation) -> list[Data]:
    """The entries of a good work-up, and the turn in which each was asked for."""
    course = Course.of(ended.transcript, ended.record)
    turn_of = course.asked
    own_turn_of = course.own.asked
    rows: list[Data] = []
    for part in Part:
        for entry in key_elements(ended.record, part):
            is_own = entry.name in own_turn_of
            rows.append(
                {
                    "name": entry.name,
                    "part": entry.part.value,
                    "relevance": entry.relevance.value,
                    "asked_in_turn": own_turn_of.get(entry.name, turn_of.get(entry.name)),
                    "by_strategy": entry.name in turn_of and not is_own,
                }
            )
    return rows


def consultation_data(
    transcript: Transcript, record: PatientRecord, faults: Mapping[int, ReplyFaults]
) -> Data:
    """Return what happened, and what is wrong with the replies.

    Prompts are left out; `exact_call` has them.
    """
    turns = transcript.turn_views
    conclusion = transcript.conclusion
    failed = next((turn.failed for turn in turns if turn.failed), None)
    header = transcript.header
    return {
        "header": {
            **header.model_dump(mode="json", exclude={"speaker", "seed", "prompts"}),
            **header.column.as_row(),
            "settings": setting_rows(header.settings),
            "patient_backbone": header.patient_backbone,
            "ram_backbone": header.ram_backbone,
        },
        "about": about(record),
        "ending": transcript.ending.value,
        "turns": [
            _turn(turn, turn.asked, record.language, faults.get(turn.number, ReplyFaults()))
            for turn in turns
            if turn.asked
        ],
        "visits": _visits(transcript),
        "closing": _behind([turn for turn in turns if turn.number > 0 and not turn.asked]),
        "conclusion": (
            conclusion.model_dump(mode="json", include=_CONCLUSION) if conclusion else None
        ),
        "failed": failed.model_dump(mode="json", include={"kind", "message"}) if failed else None,
        "tokens": transcript.tokens(),
        "seconds": transcript.seconds,
    }


def _visits(transcript: Transcript) -> list[Data]:
    """Return the visits before the consultation and the small talk, each with its first day."""
    visits = []
    for visit in earlier_visits(transcript.turn_views):
        first = visit.exchanges[0]
        visits.append(
            {
                "visit": visit.number,
                "filler": visit.filler,
                "date": first.at.date().isoformat() if first.at else "",
                "speaker": (first.speaker or transcript.header.speaker).value,
                "turns": [
                    turn.model_dump(include={"question", "reply", "results"})
                    for turn in visit.exchanges
                ],
            }
        )
    return visits


def about(record: PatientRecord) -> dict[str, str]:
    """Return what may be known of a patient before the first question."""
    age = record.age.label(record.language)
    return {
        "age": age,
        "sex": record.sex.value,
        "complaint": record.complaint,
        "speaker": record.speaker.value,
    }


def _turn(turn: TurnView, question_event: Asked, language: Language, faults: ReplyFaults) -> Data:
    retrieved = turn.retrieved.entries if turn.retrieved else ()
    return {
        "turn": turn.number,
        "question": turn.shown_question(language),
        "maker": question_event.maker.value,
        "repeated": question_event.repeated,
        "reply": turn.reply,
        "reply_maker": turn.answered.maker.value if turn.answered else None,
        "results": turn.results,
        "at": question_event.at,
        "ledger": {
            "asked_for": list(turn.asked_for),
            "things": [
                {"name": thing.name, "standing": thing.standing.value} for thing in turn.things
            ],
            "retrieved": [entry.model_dump() for entry in retrieved],
            "disclosed": list(turn.disclosed),
            **{kind: list(words) for kind, words in asdict(faults).items()},
            "names_diagnosis": [HIDDEN for _ in faults.names_diagnosis],
            "leaks": [HIDDEN for _ in faults.leaks],
        },
        "memory": turn.change.model_dump(mode="json", include=_CHANGE) if turn.change else None,
        **_behind([turn]),
    }


def _behind(turns: Sequence[TurnView]) -> Data:
    """Return recall, interventions and calls behind one turn, or behind all of the closing."""
    recalls: list[Recalled] = []
    lessons: list[LessonFit] = []
    interventions: list[Data] = []
    calls: list[Data] = []
    for turn in turns:
        recalls += turn.recalls
        for event in turn.lessons:
            lessons += event.recall.lessons
        interventions += map(_intervention, turn.interventions)
        # The prompt of a lesson may tell the truth.
        shown_calls = [call for call in turn.calls if call.call.role is not Role.EXPERIENCE]
        calls += map(_call, shown_calls)
    return {
        # Before a conclusion the memory may recall once more: the last recall is what it had.
        "recall": _recall(recalls[-1]) if recalls else None,
        "lessons": [
            {
                "case": fitting.lesson.case,
                "when": fitting.lesson.when,
                "text": fitting.lesson.text,
                "fit": fitting.fit,
            }
            for fitting in lessons
        ],
        "interventions": interventions,
        "calls": calls,
    }


def _intervention(event: Intervened) -> Data:
    return {
        "who": event.role.value,
        "kind": event.kind.value,
        "draft": event.draft,
        "reasons": list(event.reasons),
    }


def _call(numbered: NumberedCall) -> Data:
    call = numbered.call
    return {
        "number": numbered.number,
        **call.model_dump(mode="json", exclude=_NOT_OF_CALL),
        "failure": call.failure.line if call.failure else None,
    }


def _recall(recalled: Recalled) -> Data:
    fields = {"text", "facts", "exchanges", "dropped"}
    return {"query": recalled.query, **recalled.recall.model_dump(mode="json", include=fields)}


def _same_patient(file: RunFile, cell: int, patient: str) -> list[Data]:
    """Return other consultations of the same person, to compare with this one."""
    forks = forks_of(file)
    return [
        {**vars(consultation), "fork": forks.get(consultation.cell)}
        for consultation in others_of_patient(file, patient, cell)
    ]
