"""Reuse model answers: an on-disk cache across runs, sharing within a run, and answers saved before an interruption."""

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
"""Stores an answer that was just paid for, under the key of its request; returns once it is written."""

_OF_NO_USE = ""
"""The key under which an answer of no use is stored: it was paid for, and nobody will ask for it."""
_SEEDS = 2**31
"""llama.cpp takes seeds of 32 bits, and reads the largest of them as none."""
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"


def request_key(backbone: str, trial: int, request: ChatRequest) -> str:
    """Build a request's key from all that decides its answer: model, address, sampling, messages, schema and trial."""
    options: list[tuple[str, Any]] = []
    if request.max_tokens is not None:
        options.append(("max_tokens", request.max_tokens))
    if request.schema is not None:
        options.append(("response_format", response_format(request.schema)))
    return hashlib.sha256(to_json([backbone, trial, request.messages, options])).hexdigest()


class ResponseCache:
    """Answers kept over runs: one SQLite file that several processes may share.

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
            raise UserError(f"the cache {path} cannot be used ({error})", "give another --cache, or none") from None

    def get(self, key: str) -> Completion | None:
        """Return the answer to that request, if one is stored."""
        row = self._file.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
        return Completion.model_validate_json(row[0]) if row else None

    def put(self, key: str, answer: Completion) -> None:
        """Store an answer. The first one stays: a cache is there to give the same answer again."""
        try:
            self._file.execute("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, answer.model_dump_json()))
        except sqlite3.Error as error:
            raise StorageError(
                f"the cache {self._path} cannot be written ({error})", "make room, then resume the run"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class EarlierAnswers:
    """Model answers of this consultation from before it was interrupted: returned again in the same order."""

    def __init__(self, stored: Iterable[tuple[str, str]]) -> None:
        """Take keys and answers, in the order they came."""
        self._by_key: dict[str, deque[str]] = defaultdict(deque)
        for key, body in stored:
            self._by_key[key].append(body)

    def next(self, key: str) -> Completion | None:
        """Return the next earlier answer to that request."""
        waiting = self._by_key.get(key)
        return Completion.model_validate_json(waiting.popleft()) if waiting else None


@dataclass
class SharedAnswers:
    """Answers shared by all consultations of a run in this process.

    Identical requests, even concurrent ones, are sent once. Only recent answers are kept, because repeats come from
    consultations with the same patient, which run close together. An answer keeps the tokens it took: whoever gets it
    is charged for it, so that costs do not depend on who asked first.
    """

    most: int = 4096
    _asked: dict[str, asyncio.Future[Completion]] = field(default_factory=dict)

    def learn(self, stored: Iterable[tuple[str, str]]) -> None:
        """Take over answers that were paid for before, by the keys of their requests. Needs a running event loop."""
        for key, body in stored:
            known = self._asked[key] = asyncio.get_running_loop().create_future()
            known.set_result(Completion.model_validate_json(body))

    async def answer(self, key: str, ask: Callable[[], Awaitable[Completion]]) -> Completion:
        """Return the answer to that request, sent once; if it fails, the next consultation that waits asks again."""
        while (first := self._asked.get(key)) is not None:
            await asyncio.wait({first})
            if not first.cancelled():
                return first.result().model_copy(update={"source": AnswerSource.RUN})
        mine = self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await ask()
        except BaseException:
            del self._asked[key]
            mine.cancel()
            raise
        mine.set_result(answer)
        if len(self._asked) > self.most:
            oldest = next(known for known, one in self._asked.items() if one.done())
            del self._asked[oldest]
        return answer


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
    """The client of one consultation: uses a stored, cached or shared answer, or else asks the model."""

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
    """The run's seed: with the request, its trial and how often it was made it gives the seed of each sampling."""
    _made: Counter[str] = field(default_factory=Counter)

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the answer, wherever it comes from."""
        self.own.check()
        key = request_key(self.backbone, self.trial, request)
        self._made[key] += 1
        request = replace(request, seed=derive(self.seed, key, self._made[key], "sampling") % _SEEDS)
        answer = self._found(key)
        if answer is None and self.shared is not None:
            answer = await self.shared.answer(key, lambda: self._paid(key, request))
            if answer.source is AnswerSource.RUN:
                await asyncio.shield(self.store(key, answer))  # for this consultation, too, which may be interrupted
        elif answer is None:
            answer = await self._paid(key, request)
        self.own.used(answer)
        return answer

    async def _paid(self, key: str, request: ChatRequest) -> Completion:
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

    def _found(self, key: str) -> Completion | None:
        """Return an answer that was paid for before, marked as such."""
        if answer := self.earlier.next(key):
            if answer.source is not AnswerSource.RUN:
                answer.source = AnswerSource.EARLIER
        elif self.cache is not None and (answer := self.cache.get(key)):
            answer.source = AnswerSource.CACHE
        return answer
