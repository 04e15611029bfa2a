"""Hold an interview again: a simulated patient is asked what the human doctor asked.

The seats are those of a run, and the consultation is held as a run holds it. Only the doctor is
another: it says the human doctor's turns, one after the other.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Briefing, Conclusion, Question
from osler.models import Completion
from osler.runs.events import Called, Failed, Journal, Maker, Role
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.runs.turns import TurnView, total
from osler.settings.names import ANSWER_TOKENS, RULES, Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.build import seat
from osler.simulator.clients import Clients, ConsultationClients
from osler.simulator.consultation import Seats
from osler.simulator.limits import RunLimiter
from osler.simulator.worker import hold
from osler.validate.cases import InterviewCase
from osler.validate.results import AskedInterview, PatientColumn, SeatUsage, SimulatedReply

_DOCTOR = Column.of(RULES, "", "none")
"""Seated as in a run, before the human doctor's words take the seat; it remembers nothing."""
_SEATS = (Role.PATIENT, Role.RAM)


@dataclass(frozen=True)
class AskSettings:
    """What decides the replies, beside the column, the interview and the record."""

    seed: int = 0
    temperature: float = 0.0
    answer_tokens: int = ANSWER_TOKENS


class QuotingDoctor(Participant):
    """Says the turns of a human doctor in their order, then ends."""

    concludes_once = True

    def __init__(self, questions: Sequence[str]) -> None:
        """Take the turns."""
        super().__init__("doctor", "Says what a human doctor said.")
        self._questions = iter(questions)

    async def respond(self, content: Any) -> Question | Conclusion:
        """Return the next turn."""
        briefing: Briefing = content
        question = next(self._questions, None) if briefing.turns_left else None
        if question is None:
            return Conclusion(diagnosis="", treatment="")
        return Question(text=question, maker=Maker.HUMAN)


async def ask_patient(
    case: InterviewCase, column: PatientColumn, settings: AskSettings, clients: Clients
) -> AskedInterview:
    """Ask a simulated patient all that the human doctor asked; a failure is part of the result.

    Raises:
        RunStopped: Nothing can be asked any more.
    """
    transcript = await _consultation(case, column, settings, clients)
    failures = transcript.of(Failed)
    return AskedInterview(
        column=column,
        interview=case.interview.id,
        language=case.interview.language,
        content=content_hash(case, settings),
        prompts=transcript.header.prompts,
        failure=failures[0].line if failures else "",
        replies=tuple(_replies(transcript)),
        usage=_usage(transcript),
    )


async def _consultation(
    case: InterviewCase, column: PatientColumn, settings: AskSettings, clients: Clients
) -> Transcript:
    """Hold the consultation: the only place that seats anybody."""
    questions = [exchange.question for exchange in case.interview.exchanges]
    run_settings = RunSettings(
        patient_backbone=column.patient,
        patient_agent=column.agent,
        ram_backbone=column.ram,
        turns=len(questions),
        seed=settings.seed,
        temperature=settings.temperature,
        answer_tokens=settings.answer_tokens,
    )
    journal = Journal()
    opened = ConsultationClients(
        clients,
        trial=1,
        kept=(),
        keep=_keep_nothing,
        limits=Limits(),
        run=RunLimiter(Limits()),
        turn=lambda: journal.turn,
        temperature=settings.temperature,
    )

    def seating() -> Seats:
        seats = seat(case.record, _DOCTOR, 1, run_settings, journal, opened)
        return replace(seats, doctor=QuotingDoctor(questions))

    cell = Cell(case.record.id, _DOCTOR, 1)
    return await hold(seating, case.record, cell, run_settings, journal, Limits())


async def _keep_nothing(key: str, answer: Completion) -> None:
    """Answers are kept by the cache of the folder alone."""


def content_hash(case: InterviewCase, settings: AskSettings) -> str:
    """Name all that decides the replies of any column."""
    questions = [exchange.question for exchange in case.interview.exchanges]
    parts = [repr(settings), case.record.model_dump_json(), *questions]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _replies(transcript: Transcript) -> list[SimulatedReply]:
    replies = []
    for turn in transcript.turn_views:
        if turn.answered is not None:
            reply = SimulatedReply(
                text=turn.answered.reply,
                maker=turn.answered.maker,
                entries=turn.retrieved_names,
                retrieved_by=turn.retrieved.maker if turn.retrieved else Maker.RULES,
                disclosed=turn.disclosed,
                things=things_asked(turn),
            )
            replies.append(reply)
    return replies


def things_asked(turn: TurnView) -> int | None:
    """How many things a question asks for; None if no model read it."""
    retrieved = turn.retrieved
    if retrieved is None or retrieved.maker not in {Maker.MODEL, Maker.RETRIED}:
        return None
    return len(retrieved.things)


def _usage(transcript: Transcript) -> dict[str, SeatUsage]:
    by_role: defaultdict[Role, list[Called]] = defaultdict(list)
    for call in transcript.of(Called):
        by_role[call.role].append(call)
    usage = {}
    for role in _SEATS:
        calls = by_role[role]
        usage[role.value] = SeatUsage(
            calls=len(calls),
            tokens_in=total(call.tokens_in for call in calls),
            tokens_out=total(call.tokens_out for call in calls),
            cost=total(call.cost for call in calls),
        )
    return usage
