"""A consultation's own line to a model: within its limits, and never paying twice for the same answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from autogen_core.models import ChatCompletionClient, CreateResult, LLMMessage

from osler.models.completion import Completion, Source
from osler.models.errors import BackboneError
from osler.models.wire import written
from osler.models.wrapper import Call, Wrapper, plain

Keep = Callable[[str, Completion], Awaitable[None]]
"""Stores an answer that was just paid for, under the key of its request; returns once it is written."""


def request_key(backbone: str, trial: int, messages: Sequence[LLMMessage], options: Mapping[str, Any]) -> str:
    """Names a request by all that decides its answer: model, address, sampling, messages, schema and trial."""
    whole = [backbone, trial, [plain(message) for message in messages], sorted(options.items())]
    return hashlib.sha256(written(whole, errors="surrogatepass")).hexdigest()


class KeptAnswers:
    """What models said in this consultation before it was interrupted: given again in the same order."""

    def __init__(self, kept: Iterable[tuple[str, str]] = ()) -> None:
        """Take keys and answers, in the order they came."""
        self._by_key: dict[str, deque[str]] = defaultdict(deque)
        for key, body in kept:
            self._by_key[key].append(body)

    def next(self, key: str) -> Completion | None:
        """The next kept answer to that request."""
        waiting = self._by_key.get(key)
        return Completion.model_validate_json(waiting.popleft()) if waiting else None


class Answers(Protocol):
    """A store of answers by the key of their request."""

    def get(self, key: str) -> Completion | None:
        """The answer, if it is there."""
        ...

    def put(self, key: str, answer: Completion) -> None:
        """Keep an answer."""
        ...


class RunAnswers:
    """Answers that all consultations of a run in this process share: each request is made once, also at one moment.

    The latest are kept: consultations that ask the same are those of one patient, and follow each other.
    """

    def __init__(self, most: int = 4096) -> None:
        """Keep so many answers."""
        self._most = most
        self._asked: dict[str, asyncio.Future[Completion]] = {}

    async def answer(self, key: str, ask: Callable[[], Awaitable[Completion]]) -> Completion:
        """The answer to that request, marked where somebody else had asked; who failed leaves it to the next."""
        while (first := self._asked.get(key)) is not None:
            await asyncio.wait({first})
            if not first.cancelled():
                none = {"source": Source.RUN, "tokens_in": 0, "tokens_out": 0, "tokens_cached": 0}
                return first.result().model_copy(update=none)
        mine = self._asked[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await ask()
        except BaseException:
            del self._asked[key]
            mine.cancel()
            raise
        mine.set_result(answer)
        if len(self._asked) > self._most:
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


class Line(Wrapper):
    """Answers from what was kept or cached, and asks the model for the rest, if the limits let it."""

    def __init__(
        self,
        inner: ChatCompletionClient,
        *,
        backbone: str,
        trial: int,
        kept: KeptAnswers,
        keep: Keep,
        own: Allowance,
        run: Allowance,
        cache: Answers | None = None,
        shared: RunAnswers | None = None,
    ) -> None:
        """Wrap the client that all consultations share.

        Args:
            inner: The shared client.
            backbone: Model, address and sampling, for the key of requests.
            trial: The consultation's trial: another trial is another answer.
            kept: Answers of this consultation from before it was interrupted.
            keep: Stores every answer that was paid for; the consultation waits until it is written.
            own: The limits of this consultation.
            run: The limits of the run.
            cache: Answers of any consultation, where the user wants that.
            shared: Answers of this run's consultations, where the same request is to be made once.
        """
        super().__init__(inner)
        self._backbone, self._trial = backbone, trial
        self._kept, self._keep, self._own, self._run, self._cache = kept, keep, own, run, cache
        self._shared = shared

    async def around(self, call: Call, messages: Sequence[LLMMessage], options: Mapping[str, Any]) -> CreateResult:
        """The answer, wherever it comes from."""
        self._own.check()
        key = request_key(self._backbone, self._trial, messages, options)
        answer = self._again(key)
        if answer is None:
            answer = await (self._once(key, call) if self._shared is not None else self._paid(key, call))
        self._own.used(answer)
        return answer

    async def _paid(self, key: str, call: Call) -> Completion:
        """The model's answer, which is stored before anybody goes on."""
        self._run.check()
        try:
            result = await call()
        except BackboneError as error:
            if error.answer is not None:  # it cannot be used, and was paid for all the same
                paid = Completion.of(error.answer, self.model)
                self._run.used(paid)
                self._own.used(paid)
            raise
        answer = Completion.of(result, self.model)
        self._run.used(answer)
        await asyncio.shield(self._keep(key, answer))  # others wait for the same write
        if self._cache is not None:
            self._cache.put(key, answer)
        return answer

    async def _once(self, key: str, call: Call) -> Completion:
        """The answer that this run has to the request; kept for this consultation, too, which may be interrupted."""
        assert self._shared is not None
        answer = await self._shared.answer(key, lambda: self._paid(key, call))
        if answer.source is Source.RUN:
            await asyncio.shield(self._keep(key, answer))
        return answer

    def _again(self, key: str) -> Completion | None:
        """An answer that was paid for before, marked as such."""
        if answer := self._kept.next(key):
            return answer if answer.source is Source.RUN else answer.model_copy(update={"source": Source.EARLIER})
        if self._cache is not None and (answer := self._cache.get(key)):
            return answer.model_copy(update={"source": Source.CACHE})
        return None
