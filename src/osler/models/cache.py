"""Reuse model answers: a cache across runs, sharing within a run, and what came before a stop."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from pydantic_core import to_json

from osler.errors import StorageError, UserError
from osler.models.chat import ChatRequest, ClientWrapper, response_format
from osler.models.completion import AnswerSource, Completion
from osler.models.errors import BackboneError
from osler.private import private_file
from osler.seeds import derive

StoreAnswer = Callable[[str, Completion], Awaitable[None]]
"""Stores an answer that was just paid for under its request's key; returns once it is written."""

_OF_NO_USE = ""
"""The key of an answer of no use: it was paid for, and nobody will ask for it."""
_SEEDS = 2**31
"""llama.cpp takes seeds of 32 bits, and reads the largest of them as none."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"
)


def request_key(backbone: str, trial: int, request: ChatRequest) -> str:
    """Build a request's key from all that decides its answer: backbone, trial and content."""
    options: list[tuple[str, Any]] = []
    if request.max_tokens is not None:
        options.append(("max_tokens", request.max_tokens))
    if request.schema is not None:
        options.append(("response_format", response_format(request.schema)))
    return hashlib.sha256(to_json([backbone, trial, request.messages, options])).hexdigest()


class ResponseCache:
    """Answers stored over runs: one SQLite file that several processes may share.

    Off unless asked for: a comparison wants fresh answers.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the file; raises UserError if it cannot be used."""
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            private_file(path)
            self._file = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=NORMAL")
            self._file.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"the cache {path} cannot be used ({error})", "give another --cache, or none"
            ) from None

    def get(self, key: str) -> Completion | None:
        """Return the answer to that request, if one is stored."""
        row = self._file.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
        if row:
            return Completion.model_validate_json(row[0])
        return None

    def put(self, key: str, answer: Completion) -> None:
        """Store an answer. The first one stays: a cache is there to give the same answer again."""
        try:
            self._file.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, answer.model_dump_json())
            )
        except sqlite3.Error as error:
            raise StorageError(
                f"the cache {self._path} cannot be written ({error})",
                "make room, then resume the run",
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class EarlierAnswers:
    """Answers of this consultation from before it was interrupted, again in the same order."""

    def __init__(self, stored: Iterable[tuple[str, str]]) -> None:
        """Take keys and answers, in the order they came."""
        self._by_key: dict[str, deque[str]] = defaultdict(deque)
        for key, body in stored:
            self._by_key[key].append(body)

    def next(self, key: str) -> Completion | None:
        """Return the next earlier answer to that request."""
        waiting = self._by_key.get(key)
        if waiting:
            return Completion.model_validate_json(waiting.popleft())
        return None


@dataclass
class SharedAnswers:
    """Answers shared by all consultations of a run in this process.

    Identical requests, even concurrent ones, are sent once. Only recent answers are kept, because
    repeats come from consultations with the same patient, which run close together. An answer keeps
    the tokens it took: whoever gets it is charged for it, so that costs do not depend on who asked
    first.
    """

    most: int = 4096
    _answers: dict[str, asyncio.Future[Completion]] = field(default_factory=dict)

    def learn(self, stored: Iterable[tuple[str, str]]) -> None:
        """Take over answers that were paid for before, by key; needs a running event loop."""
        for key, body in stored:
            self._begin(key).set_result(Completion.model_validate_json(body))

    def _begin(self, key: str) -> asyncio.Future[Completion]:
        answer = asyncio.get_running_loop().create_future()
        self._answers[key] = answer
        return answer

    async def answer(self, key: str, ask: Callable[[], Awaitable[Completion]]) -> Completion:
        """Return the answer to that request, sent once.

        If it fails, the next consultation that waits asks again.
        """
        # In a loop: while this consultation waited for a failed request, another may have begun
        # the next attempt.
        while (first := self._answers.get(key)) is not None:
            await asyncio.wait({first})
            if not first.cancelled():
                return first.result().model_copy(update={"source": AnswerSource.RUN})
        future = self._begin(key)
        try:
            answer = await ask()
        except BaseException:
            del self._answers[key]
            future.cancel()
            raise
        future.set_result(answer)
        if len(self._answers) > self.most:
            self._forget_oldest()
        return answer

    def _forget_oldest(self) -> None:
        """Forget the oldest answer; requests under way are waited for."""
        for key, future in self._answers.items():
            if future.done():
                del self._answers[key]
                return


class Allowance(Protocol):
    """What a consultation, or a run, may still use. `check` raises when it is used up."""

    def check(self) -> None:
        """Raise if nothing may be asked any more."""
        ...

    def used(self, answer: Completion) -> None:
        """Count an answer."""
        ...


@dataclass(eq=False)
class CachingClient(ClientWrapper):
    """The client of a consultation: takes a stored or shared answer, or else asks the model."""

    backbone: str
    """Model, address and sampling, for the key of requests."""
    trial: int
    """The consultation's trial: another trial is another answer."""
    earlier: EarlierAnswers
    """Answers of this consultation from before it was interrupted."""
    store: StoreAnswer
    """Stores every answer that was paid for; the consultation waits until it is written."""
    own: Allowance
    """The limits of this consultation."""
    run: Allowance
    """The limits of the run."""
    cache: ResponseCache | None = None
    """Answers of any consultation, if the user wants that."""
    shared: SharedAnswers | None = None
    """Answers of this run's consultations, if the same request is to be made once."""
    seed: int = 0
    """The run's seed.

    With the request, its trial and how often it was made it gives the seed of each sampling."""
    _requests: Counter[str] = field(default_factory=Counter)

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the answer, wherever it comes from."""
        self.own.check()
        key = request_key(self.backbone, self.trial, request)
        self._requests[key] += 1
        seed = derive(self.seed, key, self._requests[key], "sampling") % _SEEDS
        answer = self._stored_answer(key)
        if answer is None:
            answer = await self._new_answer(key, replace(request, seed=seed))
        self.own.used(answer)
        return answer

    async def _new_answer(self, key: str, request: ChatRequest) -> Completion:
        """Ask, or wait for another consultation of this run that asks the same."""
        if self.shared is None:
            return await self._ask_model(key, request)
        answer = await self.shared.answer(key, lambda: self._ask_model(key, request))
        if answer.source is AnswerSource.RUN:
            # For this consultation, too, which may be interrupted.
            await asyncio.shield(self.store(key, answer))
        return answer

    async def _ask_model(self, key: str, request: ChatRequest) -> Completion:
        """Return the model's answer, which is stored before anybody goes on."""
        self.run.check()
        try:
            answer = await self.inner.complete(request)
        except BackboneError as error:
            if error.answer is not None:  # it cannot be used, and was paid for all the same
                self.run.used(error.answer)
                self.own.used(error.answer)
                spent = error.answer.model_copy(update={"text": "", "thought": None})
                await asyncio.shield(self.store(_OF_NO_USE, spent))
            raise
        self.run.used(answer)
        await asyncio.shield(self.store(key, answer))  # others wait for the same write
        if self.cache is not None:
            self.cache.put(key, answer)
        return answer

    def _stored_answer(self, key: str) -> Completion | None:
        """Return an answer that was paid for before, marked as such."""
        earlier = self.earlier.next(key)
        if earlier is not None:
            # An answer of another consultation keeps its mark: its cost is counted there.
            if earlier.source is not AnswerSource.RUN:
                earlier.source = AnswerSource.EARLIER
            return earlier
        cached = self.cache.get(key) if self.cache is not None else None
        if cached is not None:
            cached.source = AnswerSource.CACHE
        return cached
