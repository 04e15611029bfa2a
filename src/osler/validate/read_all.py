"""Have a model read all replies: the human ones once, and those of every simulated patient."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from osler.errors import UserError
from osler.models import BackboneError, Completion
from osler.settings.names import Limits
from osler.simulator.clients import ConsultationClients
from osler.simulator.limits import RunLimiter
from osler.validate.cases import InterviewCase
from osler.validate.reader import ReaderUsage, ReadPair, ReadReply, ReplyReader
from osler.validate.results import AskedInterview, PatientColumn
from osler.validate.run import RunOptions, clients_of, together
from osler.validate.store import ValidationFolder

Key = tuple[PatientColumn | None, str]
"""A simulated patient, or None for the human, and an interview."""


@dataclass
class Readings:
    """What a model read in the replies; None stands for what it could not read."""

    judge: str = ""
    replies: dict[Key, list[ReadReply | None]] = field(default_factory=dict)
    pairs: dict[Key, list[ReadPair | None]] = field(default_factory=dict)
    usage: ReaderUsage = field(default_factory=ReaderUsage)
    unread: int = 0


async def read_all(
    cases: Sequence[InterviewCase],
    asked: Sequence[AskedInterview],
    judge: str,
    folder: ValidationFolder,
    options: RunOptions,
) -> Readings:
    """Read every reply, and every pair of a human and a simulated reply to one question.

    Answers are kept in the folder, so that nothing is paid for twice.

    Raises:
        UserError: The model cannot be reached.
    """
    clients = clients_of(folder, options)
    opened = ConsultationClients(
        clients, 1, (), _keep_nothing, Limits(), RunLimiter(Limits())
    ).open(judge)
    reader = ReplyReader(opened, options.settings.seed)
    gate = asyncio.Semaphore(options.concurrency)
    readings = Readings(judge=reader.name)
    by_id = {case.interview.id: case for case in cases}

    async def read_replies(key: Key, case: InterviewCase, replies: Sequence[str]) -> None:
        results = readings.replies[key] = []
        for exchange, reply in zip(case.interview.exchanges, replies, strict=True):
            async with gate:
                results.append(await reader.read_reply(exchange.question, reply, case.record))

    async def read_pairs(key: Key, case: InterviewCase, replies: Sequence[str]) -> None:
        results = readings.pairs[key] = []
        for exchange, reply in zip(case.interview.exchanges, replies, strict=True):
            async with gate:
                pair = await reader.read_pair(
                    exchange.question, exchange.reply, reply, case.interview.language
                )
                results.append(pair)

    tasks = []
    for case in cases:
        human = [exchange.reply for exchange in case.interview.exchanges]
        tasks.append(read_replies((None, case.interview.id), case, human))
    for interview in asked:
        if interview.is_whole:
            key = (interview.column, interview.interview)
            simulated = [reply.text for reply in interview.replies]
            tasks.append(read_replies(key, by_id[interview.interview], simulated))
            tasks.append(read_pairs(key, by_id[interview.interview], simulated))
    try:
        await together(tasks)
    except BackboneError as error:
        raise UserError(f"the judge {judge} failed: {error}", "re-run to resume") from None
    finally:
        await clients.close()
    readings.usage, readings.unread = reader.usage, reader.unread
    return readings


async def _keep_nothing(key: str, answer: Completion) -> None:
    """Answers are kept by the cache of the folder alone."""
