"""What the page shows of one consultation, as plain data: its turns, its calls and, separately, the true diagnosis."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from osler.eval.course import Course
from osler.eval.faithfulness import ReplyVerdict
from osler.eval.faithfulness.patient_verdicts import counts_in, faults_in, ruler_agreement, ruler_notes
from osler.eval.measures import key_elements
from osler.language import Language
from osler.records.schema import Part, PatientRecord
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    E,
    Event,
    Failed,
    Intervened,
    LessonsRecalled,
    Recalled,
    Remembered,
    Retrieved,
    Role,
    Visited,
)
from osler.runs.plan import COLUMN
from osler.runs.store import CellState, RunFile
from osler.runs.store.explanations import explanations
from osler.runs.transcript import Transcript, heard
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
    state: str
    transcript: Transcript
    record: PatientRecord


def ended(file: RunFile, cell: int) -> EndedConsultation:
    """A consultation that has ended, and its patient's record. Raises NotFound if there is none."""
    found = file.ask("SELECT record, state FROM cells WHERE number = :cell", {"cell": cell})
    if not found:
        raise NotFound("the run has no such consultation", "go back to the table")
    transcript = file.transcript(cell)
    if transcript is None:
        raise NotFound("this consultation has not been held yet", "wait for the run to reach it")
    return EndedConsultation(cell, found[0]["state"], transcript, file.record(found[0]["record"]))


def consultation(file: RunFile, key: str, ended: EndedConsultation) -> Data:
    """Return one consultation with its measures, without the true diagnosis."""
    body = file.ask("SELECT body FROM measures WHERE cell = :cell", {"cell": ended.cell})
    ruler, faults = faults_in(file, ended.cell)
    lost = explanations(file, judge_of(file), ended.cell).get(ended.cell)
    measures = None
    if body:
        measures = {**json.loads(body[0][0]), **counts_in(file, ended.cell, ruler)}
        measures.pop("faults", None)  # the words of a leak name the diagnosis
    return {
        "run": key,
        "cell": ended.cell,
        "state": ended.state,
        **consultation_data(ended.transcript, ended.record, faults),
        "measures": measures,
        "lost": {"cause": lost.cause, "turn": lost.lost_at} if lost else None,
        "patient_ruler": {"name": ruler, "notes": [*ruler_notes([file], ruler), ruler_agreement([file], ruler)]},
        "same": _same_patient(file, ended.cell, ended.record.patient),
    }


def exact_call(ended: EndedConsultation, number: int) -> Data:
    """The prompt of one call, and its answer. Raises NotFound if there is no such call."""
    events = ended.transcript.events
    event = events[number] if 0 <= number < len(events) else None
    if not isinstance(event, Called):
        raise NotFound("there is no such call", "open the consultation again")
    return event.model_dump(mode="json", include={"messages", "answer", "thought"})


def truth(file: RunFile, ended: EndedConsultation) -> Data:
    """Return diagnosis, treatment, what a good work-up asks for and when it was asked, and every judge's verdict."""
    record, course = ended.record, Course.of(ended.transcript, ended.record)
    asked, own = course.asked, course.own.asked
    verdicts = file.ask(
        "SELECT kind, judge, verdict, rung, because, rank FROM verdicts WHERE cell = :cell ORDER BY at, judge, kind",
        {"cell": ended.cell},
    )
    faults = faults_in(file, ended.cell)[1]
    lost = explanations(file, judge_of(file), ended.cell).get(ended.cell)
    return {
        "diagnosis": record.diagnosis.model_dump(mode="json"),
        "treatment": record.treatment.model_dump(mode="json") if record.treatment else None,
        "order": str(record.exam_order) if record.exam_order else None,
        "key_entries": [
            {
                "name": entry.name,
                "part": entry.part.value,
                "relevance": entry.relevance.value,
                "asked_in_turn": own.get(entry.name, asked.get(entry.name)),
                "by_strategy": entry.name in asked and entry.name not in own,
            }
            for part in Part
            for entry in key_elements(record, part)
        ],
        "leaks": [{"turn": turn, "names": list(verdict.leaks)} for turn, verdict in faults.items() if verdict.leaks],
        "verdicts": [dict(one) for one in verdicts],
        "lost": {"cause": lost.cause, "turn": lost.lost_at, "line": lost.line, "steps": lost.steps} if lost else None,
    }


def consultation_data(transcript: Transcript, record: PatientRecord, faults: Mapping[int, ReplyVerdict]) -> Data:
    """Return what happened, and what is wrong with the replies. Prompts are left out; `exact_call` has them."""
    asked = {event.turn for event in transcript.of(Asked)}
    by_turn: dict[int, list[tuple[int, Event]]] = defaultdict(list)
    for number, event in enumerate(transcript.events):
        by_turn[event.of if isinstance(event, Remembered) else event.turn].append((number, event))
    conclusion, failed = transcript.conclusion, next(iter(transcript.of(Failed)), None)
    return {
        "header": {
            **transcript.header.model_dump(mode="json", exclude={"speaker", "seed", "prompts"}),
            **transcript.header.column.as_row(),
        },
        "about": about(record),
        "ending": transcript.ending.value,
        "turns": [
            _turn(turn, by_turn[turn], record.language, faults.get(turn, ReplyVerdict())) for turn in sorted(asked)
        ],
        "visits": _visits(transcript),
        "closing": _behind(
            [pair for turn in sorted(by_turn) if turn > 0 and turn not in asked for pair in by_turn[turn]]
        ),
        "conclusion": conclusion.model_dump(mode="json", include=_CONCLUSION) if conclusion else None,
        "failed": failed.model_dump(mode="json", include={"kind", "message"}) if failed else None,
        "tokens": transcript.tokens(),
        "seconds": transcript.events[-1].at if transcript.events else 0.0,
    }


def _visits(transcript: Transcript) -> list[Data]:
    """Return what was said before the consultation: visits, and small talk after them, each with its first day."""
    found = []
    for (visit, filler), group in groupby(transcript.of(Visited), lambda event: (event.visit, event.filler)):
        turns = [event.told for event in group]
        found.append(
            {
                "visit": visit,
                "filler": filler,
                "date": turns[0].at.date().isoformat() if turns[0].at else "",
                "speaker": (turns[0].speaker or transcript.header.speaker).value,
                "turns": [turn.model_dump(include={"question", "reply", "results"}) for turn in turns],
            }
        )
    return found


def about(record: PatientRecord) -> dict[str, str]:
    """Return what may be known of a patient before the first question."""
    age = record.age.label(record.language)
    return {"age": age, "sex": record.sex.value, "complaint": record.complaint, "speaker": record.speaker.value}


def _turn(turn: int, events: list[tuple[int, Event]], language: Language, faults: ReplyVerdict) -> Data:
    asked, answered, retrieved = _first(events, Asked), _first(events, Answered), _first(events, Retrieved)
    assert asked is not None
    changes = [event.change for _, event in events if isinstance(event, Remembered)]
    return {
        "turn": turn,
        "question": heard(asked, language),
        "maker": asked.maker.value,
        "repeated": asked.repeated,
        "reply": answered.reply if answered else None,
        "reply_maker": answered.maker.value if answered else None,
        "results": retrieved.results if retrieved else "",
        "at": asked.at,
        "ledger": {
            "asked_for": list(retrieved.asked_for) if retrieved else [],
            "retrieved": [found.model_dump() for found in retrieved.entries] if retrieved else [],
            "disclosed": list(answered.disclosed) if answered else [],
            "leaks": [HIDDEN for _ in faults.leaks],
            "fabrications": [claim.quote for claim in faults.unsupported],
            "contradictions": list(faults.turned_round),
        },
        "memory": changes[-1].model_dump(mode="json", include=_CHANGE) if changes else None,
        **_behind(events),
    }


def _behind(events: list[tuple[int, Event]]) -> Data:
    """Return what is behind a turn: the recall, interventions and calls. The closing has it without a question."""
    recalled = _first(events[::-1], Recalled)  # before a conclusion the memory may recall once more
    shown = {"text", "facts", "exchanges", "dropped"}
    return {
        "recall": {"query": recalled.query, **recalled.recall.model_dump(mode="json", include=shown)}
        if recalled
        else None,
        "lessons": [
            {"case": one.lesson.case, "when": one.lesson.when, "text": one.lesson.text, "fit": one.fit}
            for _, event in events
            if isinstance(event, LessonsRecalled)
            for one in event.recall.lessons
        ],
        "interventions": [
            {"who": event.role.value, "kind": event.kind.value, "draft": event.draft, "reasons": list(event.reasons)}
            for _, event in events
            if isinstance(event, Intervened)
        ],
        "calls": [
            {"number": number, **event.model_dump(mode="json", exclude=_NOT_OF_CALL)}
            for number, event in events
            if isinstance(event, Called) and event.role is not Role.EXPERIENCE  # its prompt may tell the truth
        ],
    }


def _first(events: list[tuple[int, Event]], kind: type[E]) -> E | None:
    return next((event for _, event in events if isinstance(event, kind)), None)


def _same_patient(file: RunFile, cell: int, patient: str) -> list[Data]:
    """Return other consultations of the same person, to compare with this one."""
    found = file.ask(
        f"SELECT cells.number AS cell, {', '.join(COLUMN)}, trial, language"  # noqa: S608 -- our own columns
        " FROM cells JOIN records ON records.id = record"
        " WHERE patient = :patient AND cells.number != :cell AND state != :todo ORDER BY cells.number LIMIT 500",
        {"patient": patient, "cell": cell, "todo": CellState.TODO.value},
    )
    forks = forks_of(file)
    return [{**row, "fork": forks.get(row["cell"])} for row in found]
