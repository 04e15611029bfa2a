"""Earlier visits: their turns, with small talk between them, for the memory to hear first."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

import yaml
from pydantic import TypeAdapter

from osler.language import Language
from osler.memory.base import Memory, Turn
from osler.prompts import phrases
from osler.records.schema import PatientRecord
from osler.records.visits import Visit, VisitExchange, clock
from osler.runs.events import Journal, Role, Visited
from osler.seeds import derive
from osler.settings.run_settings import RunSettings
from osler.simulator.consultation import remember


class PastTurn(NamedTuple):
    """A turn from before the consultation."""

    visit: int
    """1 is the first visit; small talk has the number of the visit before it."""
    turn: Turn
    filler: bool = False


async def play_visits(
    record: PatientRecord, trial: int, settings: RunSettings, memory: Memory, journal: Journal
) -> None:
    """Let a memory hear what was said before the consultation, one turn after the other."""
    for past in history(record, trial, settings):
        journal.turn = past.turn.number
        journal.add(Visited, Role.SIMULATOR, visit=past.visit, told=past.turn, filler=past.filler)
        await remember(memory, past.turn, journal)


def history(record: PatientRecord, trial: int, settings: RunSettings) -> list[PastTurn]:
    """Return every turn before the consultation in order, the last with number 0.

    There are none unless visits are played.

    All columns hear the same. Small talk is spread evenly over the gaps after the visits, and drawn
    by the seed and the patient, so that a patient's records in two languages have it at the same
    places.
    """
    if not settings.visits or record.date is None:
        return []
    small_talk = _drawn(record, trial, settings)
    dates = [*(visit.date for visit in record.visits), record.date]
    past_turns: list[PastTurn] = []
    for number, (visit, until) in enumerate(zip(record.visits, dates[1:], strict=True), start=1):
        past_turns += [PastTurn(number, turn) for turn in _turns(visit, record)]
        count = _share(settings.filler, number - 1, len(record.visits))
        for place, exchange in enumerate(islice(small_talk, count), start=1):
            day = visit.date + timedelta(days=(until - visit.date).days * place // (count + 1))
            at = clock(day, len(visit.exchanges) + place)
            turn = Turn(number=0, question=exchange.question, reply=exchange.reply, at=at)
            past_turns.append(PastTurn(number, turn, filler=True))
    first = 1 - len(past_turns)
    return [
        past._replace(turn=past.turn.model_copy(update={"number": number}))
        for number, past in enumerate(past_turns, first)
    ]


def _turns(visit: Visit, record: PatientRecord) -> Iterator[Turn]:
    """Return the exchanges of a visit, then how it ended: the treatment, and what became of it."""
    speaker = visit.speaker if visit.speaker is not record.speaker else None
    line = phrases("visits", record.language)
    exchanges = list(visit.exchanges)
    reports = []
    if visit.treatment:
        reports.append(line["treatment"].format(told=visit.treatment))
    if visit.outcome:
        reports.append(line["outcome"].format(told=visit.outcome))
    if reports:
        results = "\n".join(reports)
        end = VisitExchange(question=line["end"], reply=line["goodbye"], results=results)
        exchanges.append(end)
    for minute, exchange in enumerate(exchanges):
        yield Turn(
            number=0,
            question=exchange.question,
            reply=exchange.reply,
            results=exchange.results,
            at=clock(visit.date, minute),
            speaker=speaker,
        )


def _share(total: int, place: int, places: int) -> int:
    """Return how many of a total belong to one of several places, if they are spread evenly."""
    return total * (place + 1) // places - total * place // places


def _drawn(record: PatientRecord, trial: int, settings: RunSettings) -> Iterator[VisitExchange]:
    """Small talk without end; nothing is said twice before everything was said once."""
    generator = random.Random(derive(settings.seed, record.patient, trial, "filler"))  # noqa: S311 -- no secret
    texts = list(filler(record.language))
    while True:
        generator.shuffle(texts)
        yield from texts


@cache
def filler(language: Language) -> tuple[VisitExchange, ...]:
    """Return all small talk of a language."""
    text = (files("osler.simulator") / "filler" / f"{language.value}.yaml").read_text(
        encoding="utf-8"
    )
    return TypeAdapter(tuple[VisitExchange, ...]).validate_python(yaml.safe_load(text))
