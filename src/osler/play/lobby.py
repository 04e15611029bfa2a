"""The table people play at: finds each a patient and a run, and looks after those who sit there."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from osler.errors import UserError
from osler.memory import check_memories, memory_names
from osler.play.cases import Card, called, cards, drawn
from osler.play.request import PlayCase, PlayRequest
from osler.play.saving import keep, next_trial, run_for, times_played
from osler.play.session import PlaySession
from osler.records.pool import RecordPool
from osler.runs.plan import RULES, WITHOUT_MODEL, Cell
from osler.simulator.build import check_strategies
from osler.simulator.clients import Clients, ClientSettings

MOST = 16
"""People at one table."""
IDLE = 30 * 60.0
"""Seconds without a move after which a place is given up."""


class LobbyFull(UserError):
    """Nobody else can sit down now."""


class PlayLobby:
    """Where consultations with people are held, within one event loop. Close it when the loop ends."""

    def __init__(
        self,
        pool: RecordPool | None = None,
        *,
        clients: ClientSettings | None = None,
        backbones: Collection[str] | None = None,
        memories: Collection[str] = (),
        out: str | Path | None = None,
        key_of: Callable[[Path], str | None] = lambda _: None,
    ) -> None:
        """Lay a table.

        Args:
            pool: The patients; the bundled ones unless given.
            clients: How models are asked.
            backbones: The specs a player may choose besides `rules`; None: any backbone and any memory. On a page, a
                spec is a way to make this machine open files and addresses, and a memory's name to make it import
                modules.
            memories: Where backbones are limited, the memories a player may choose besides those that are built in or
                registered.
            out: The run of all who name none.
            key_of: What the page calls a run.
        """
        self.pool = pool or RecordPool.open()
        self.key_of = key_of
        self._clients = Clients(clients)
        self._backbones = None if backbones is None else frozenset({RULES, *backbones})
        self._memories = frozenset({*memory_names(), *memories})
        self._out = out
        self._cards: tuple[Card, ...] | None = None
        self._seats: dict[str, PlaySession] = {}
        self._reading, self._sitting_down = asyncio.Lock(), asyncio.Lock()

    async def cards(self) -> tuple[Card, ...]:
        """All patients; read once."""
        async with self._reading:
            if self._cards is None:
                self._cards = await asyncio.to_thread(cards, self.pool)
            return self._cards

    async def sit(self, wish: PlayRequest) -> tuple[str, PlaySession]:
        """A place for a player, and what it is called.

        Raises:
            UserError: The wish cannot be met, with the remedy.
        """
        wish = replace(wish, out=wish.out or self._out)
        self._check(wish)
        everybody = await self.cards()
        await self.sweep()
        async with self._sitting_down:  # one after the other, so that no two are given the same trial
            self._make_room()
            taken = [seat.sitting for seat in self._seats.values() if not seat.over]
            sitting = await asyncio.to_thread(self._sitting, wish, everybody, taken)
            name, seat = secrets.token_urlsafe(9), PlaySession(sitting, self._clients, keep)
            self._seats[name] = seat
        return name, seat

    def at(self, name: str) -> PlaySession | None:
        """The seat of that name."""
        return self._seats.get(name)

    async def leave(self, name: str) -> None:
        """Give up a seat; what was asked there is kept."""
        if (seat := self._seats.pop(name, None)) is not None:
            await seat.leave()

    async def sweep(self, idle: float = IDLE) -> None:
        """Give up the seats where nothing has happened for long."""
        now = time.monotonic()
        for name in [name for name, seat in self._seats.items() if now - seat.last_news > idle]:
            await self.leave(name)

    async def close(self) -> None:
        """Everybody leaves, and the models are closed."""
        for name in list(self._seats):
            await self.leave(name)
        await self._clients.close()

    def _make_room(self) -> None:
        if len(self._seats) < MOST:
            return
        ended = [name for name, seat in self._seats.items() if seat.over]
        if not ended:
            raise LobbyFull(f"{MOST} consultations are being played", "end or leave one of them first")
        del self._seats[ended[0]]

    def _check(self, wish: PlayRequest) -> None:
        """Open everything once, so that a wrong name is heard of before the first question."""
        wish.check()
        if self._backbones is not None:
            if wish.opposite not in self._backbones:
                remedy = _choose(self._backbones, "--backbone")
                raise UserError(f"{wish.opposite!r} cannot be played with here", remedy)
            if wish.memory not in self._memories:
                raise UserError(f"there is no memory {wish.memory!r} here", _choose(self._memories, "--memory"))
        check_memories([wish.memory])
        check_strategies([wish.column.strategy])
        if wish.opposite not in WITHOUT_MODEL:
            self._clients.open(wish.opposite)

    def _sitting(self, wish: PlayRequest, everybody: tuple[Card, ...], taken: list[PlayCase]) -> PlayCase:
        among = [card for card in everybody if wish.language in (None, card.language)]
        run = run_for(wish)
        if wish.case is not None:
            card = called(wish.case, among)
        else:
            preferred = [card for card in among if wish.language is None and card.language is wish.preferred]
            among = preferred or among
            card = drawn(among, times_played(run), {sitting.record.patient for sitting in taken}, wish.seed)
        record = self.pool.get(card.record)
        trial = next_trial(run, record, wish)
        cell = Cell(record.id, wish.column, trial)
        while any((sitting.run, sitting.cell) == (run, cell) for sitting in taken):
            cell = replace(cell, trial=cell.trial + 1)
        return PlayCase(wish.chair, record, cell, wish.settings, run)


def _choose(among: Collection[str], option: str) -> str:
    return f"choose one of {', '.join(sorted(among))}, or start `osler view {option} NAME`"
