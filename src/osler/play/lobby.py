"""The lobby: finds each player a patient and a run, and keeps track of the sessions.

A record's id is often its diagnosis (`gout-en`), and files lie in that order. So before the end a
player sees a short hash instead, and lists are sorted by it.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from osler.errors import UserError
from osler.language import Language
from osler.memory import check_memories, memory_names
from osler.play.played_runs import PlayAssignment, PlayRequest, next_trial, run_for, times_played
from osler.play.session import PlaySession
from osler.records.pool import RecordPool
from osler.records.schema import Sex
from osler.runs.plan import Cell
from osler.settings.names import HUMAN, RULES, WITHOUT_MODEL
from osler.simulator.build import check_strategies
from osler.simulator.clients import Clients, ClientSettings

MOST = 16
"""Sessions at one time."""
IDLE = 30 * 60.0
"""Seconds without a move after which a session is given up."""


def veiled(record_id: str) -> str:
    """Return a name for a record that reveals nothing of it."""
    return hashlib.sha256(f"veiled\0{record_id}".encode()).hexdigest()[:10]


class Card(BaseModel):
    """What may be known of a patient before they are chosen; the page shows it as JSON."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    id: str
    """The veiled name."""
    record: str = Field(exclude=True)
    """The record's id: for the program alone, like the patient's."""
    patient: str = Field(exclude=True)
    language: Language
    specialty: str | None
    age: str
    sex: Sex
    complaint: str


class LobbyFull(UserError):
    """No further session can be started now."""

    http_status = 429


class PlayLobby:
    """Runs consultations with people, within one event loop. Close it when the loop ends."""

    def __init__(
        self,
        pool: RecordPool | None = None,
        *,
        clients: ClientSettings | None = None,
        backbones: Collection[str] | None = None,
        memories: Collection[str] = (),
        key_of: Callable[[Path], str | None] = lambda _: None,
    ) -> None:
        """Open a lobby.

        Args:
            pool: The patients; the bundled ones unless given.
            clients: How models are asked.
            backbones: The backbones a player may choose besides `rules`; None: any, and any memory.
                On a page they are limited, because a spec can open files and addresses, and a
                memory's name imports modules.
            memories: If backbones are limited, the memories besides those that are built in or
                registered.
            key_of: What the page calls a run.
        """
        self.pool = pool or RecordPool.open()
        self.key_of = key_of
        self._clients = Clients(clients)
        self._backbones = None if backbones is None else frozenset({RULES, *backbones})
        self._memories = frozenset({*memory_names(), *memories})
        self._cards: tuple[Card, ...] | None = None
        self._sessions: dict[str, PlaySession] = {}
        self._starting = asyncio.Lock()

    async def cards(self) -> tuple[Card, ...]:
        """All patients; read once."""
        if self._cards is None:
            self._cards = await asyncio.to_thread(_cards, self.pool)
        return self._cards

    async def start(self, request: PlayRequest) -> tuple[str, PlaySession]:
        """Start a session; return its name, and the session.

        Raises UserError if the request cannot be met.
        """
        self._check(request)
        everybody = await self.cards()
        # One after the other, so that no two are given the same trial.
        async with self._starting:
            await self._make_room()
            assignments = [
                session.assignment for session in self._sessions.values() if not session.over
            ]
            assignment = await asyncio.to_thread(self._assignment, request, everybody, assignments)
            name = secrets.token_urlsafe(9)
            session = PlaySession(assignment, self._clients)
            self._sessions[name] = session
        return name, session

    def session(self, name: str) -> PlaySession | None:
        """The session of that name."""
        return self._sessions.get(name)

    async def leave(self, name: str) -> None:
        """Give up a session; what was asked there is stored."""
        session = self._sessions.pop(name, None)
        if session is not None:
            await session.leave()

    async def close(self) -> None:
        """End all sessions, and close the models."""
        for name in list(self._sessions):
            await self.leave(name)
        await self._clients.close()

    async def _make_room(self) -> None:
        """Give up idle sessions and, if there are still too many, forget one that has ended."""
        now = time.monotonic()
        sessions = self._sessions.items()
        idle = [name for name, session in sessions if now - session.last_news > IDLE]
        for name in idle:
            await self.leave(name)
        if len(self._sessions) < MOST:
            return
        ended = [name for name, session in self._sessions.items() if session.over]
        if not ended:
            raise LobbyFull(
                f"{MOST} consultations are being played", "end or leave one of them first"
            )
        del self._sessions[ended[0]]

    def _check(self, request: PlayRequest) -> None:
        """Open everything once, so that a wrong name is reported before the first question."""
        if request.opposite == HUMAN:
            raise UserError(
                "both chairs cannot be yours", "give a model or `rules` for the one opposite you"
            )
        if self._backbones is not None:
            chosen = {
                "backbone": (request.opposite, self._backbones),
                "memory": (request.memory, self._memories),
            }
            for kind, (name, allowed) in chosen.items():
                if name not in allowed:
                    remedy = (
                        f"choose one of {', '.join(sorted(allowed))}, or start `osler view --{kind}"
                        " NAME`"
                    )
                    raise UserError(f"{name!r} cannot be played with here", remedy)
        check_memories([request.memory])
        check_strategies([request.strategy])
        if request.opposite not in WITHOUT_MODEL:
            self._clients.open(request.opposite)

    def _assignment(
        self, request: PlayRequest, everybody: tuple[Card, ...], assignments: list[PlayAssignment]
    ) -> PlayAssignment:
        run = run_for(request)
        if request.case is not None:
            pool = self.pool.only(languages=[request.language] if request.language else None)
            by_veiled = {card.id: card.record for card in everybody}
            record = pool.find(by_veiled.get(request.case, request.case))
        else:
            playing = {assignment.record.patient for assignment in assignments}
            candidates = _candidates(request, everybody)
            card = _draw(candidates, times_played(run), playing, request.seed)
            record = self.pool.get(card.record)
        trial = next_trial(run, record, request)
        cell = Cell(record.id, request.column, trial)
        while any((assignment.run, assignment.cell) == (run, cell) for assignment in assignments):
            cell = replace(cell, trial=cell.trial + 1)
        return PlayAssignment(request.role, record, cell, request.settings, run)


def _cards(pool: RecordPool) -> tuple[Card, ...]:
    """All patients of a pool, sorted by their veiled names."""
    same = {"patient", "language", "specialty", "sex", "complaint"}
    cards = (
        Card(
            id=veiled(record.id),
            record=record.id,
            age=record.age.label(record.language),
            **record.model_dump(include=same),
        )
        for record in pool
    )
    return tuple(sorted(cards, key=lambda card: card.id))


def _candidates(request: PlayRequest, everybody: Sequence[Card]) -> list[Card]:
    """The patients in the language that is asked for, or else in the one that is preferred."""
    if request.language is not None:
        return [card for card in everybody if card.language is request.language]
    preferred = [card for card in everybody if card.language is request.preferred]
    return preferred or list(everybody)


def _draw(
    among: Collection[Card], times_played: Mapping[str, int], playing: Collection[str], seed: int
) -> Card:
    """Draw a patient by the seed: one of the least often played, if possible not played just now.

    Both are counted by the person: who has seen a patient in one language knows them in the other.
    """
    if not among:
        raise UserError("no patient passes the filters", "`osler records list` shows what there is")
    free = [card for card in among if card.patient not in playing] or among

    def place(card: Card) -> tuple[int, bytes]:
        return (
            times_played.get(card.patient, 0),
            hashlib.sha256(f"{seed}\0{card.record}".encode()).digest(),
        )

    return min(free, key=place)
