"""How fast an endpoint is asked, on a clock that only moves when somebody waits."""

from __future__ import annotations

import asyncio

import pytest

from osler.models import ChatMessage, ChatRequest
from osler.models.rate_limit import RateLimiter, Rates


class Clock:
    """Time that passes by waiting alone."""

    def __init__(self) -> None:
        self.now = 100.0
        self._due: list[tuple[float, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        due = asyncio.Event()
        self._due.append((self.now + seconds, due))
        await due.wait()

    async def run(self) -> None:
        """Let time pass until nobody waits for anything."""
        await settled()
        while self._due:
            self._due.sort(key=lambda due: due[0])
            self.now, due = self._due.pop(0)
            due.set()
            await settled()


async def settled() -> None:
    """Let every task run until it waits for something."""
    for _ in range(50):
        await asyncio.sleep(0)


def request(tokens: int) -> ChatRequest:
    """A prompt of about so many tokens."""
    return ChatRequest((ChatMessage("user", "word" * (tokens - 4)),))


class Endpoint:
    """Calls that were let through, and when."""

    def __init__(self, **rates: float) -> None:
        at_once = rates.pop("at_once", None)
        self.clock = Clock()
        self.limiter = RateLimiter(
            Rates(None if at_once is None else int(at_once), **rates),
            clock=self.clock,
            sleep=self.clock.sleep,
        )
        self.turns: dict[int, asyncio.Task[float]] = {}

    @property
    def began(self) -> dict[int, float]:
        begun = {
            number: turn
            for number, turn in self.turns.items()
            if turn.done() and not turn.cancelled()
        }
        return {number: turn.result() for number, turn in begun.items()}

    async def ask(self, number: int, tokens: int = 4) -> None:
        self.turns[number] = asyncio.create_task(self.limiter.enter(request(tokens)))
        await settled()

    async def answer(
        self, number: int, status: int | None = 200, pause: float | None = None
    ) -> None:
        self.limiter.leave(self.began[number], status, pause)
        await settled()


async def test_calls_per_minute_are_kept_over_any_length_of_time() -> None:
    endpoint = Endpoint(per_minute=60)
    for number in range(30):
        await endpoint.ask(number)
    await endpoint.clock.run()
    assert list(endpoint.began) == list(range(30))
    assert endpoint.began[29] - endpoint.began[0] == pytest.approx(28, abs=1.5)


async def test_a_call_that_waited_for_a_place_still_keeps_the_rate() -> None:
    endpoint = Endpoint(per_minute=60, at_once=2)
    for number in range(6):
        await endpoint.ask(number)
    await endpoint.clock.run()
    endpoint.clock.now += 600  # two slow answers; the others have been waiting all the time
    await endpoint.answer(0)
    await endpoint.answer(1)
    await endpoint.clock.run()
    assert endpoint.began[3] - endpoint.began[2] <= 1
    await endpoint.answer(2)
    await endpoint.answer(3)
    await endpoint.clock.run()
    assert endpoint.began[5] - endpoint.began[4] == pytest.approx(1)


async def test_tokens_per_minute_count_what_was_used_and_not_what_was_guessed() -> None:
    endpoint = Endpoint(tokens_per_minute=6000)
    for number in range(20):
        await endpoint.ask(number, 100)
        await endpoint.clock.run()
        endpoint.limiter.used(request(100), 500)
        await endpoint.answer(number)
    assert endpoint.clock.now - 100 == pytest.approx(19 * 500 / 100, rel=0.1)


async def test_a_server_that_claims_too_much_does_not_stop_the_others_for_longer_than_a_minute() -> (
    None
):
    endpoint = Endpoint(tokens_per_minute=6000)
    await endpoint.ask(0, 10)
    endpoint.limiter.used(request(10), 2_000_000_000)
    await endpoint.ask(1, 10)
    await endpoint.clock.run()
    assert endpoint.began[1] - endpoint.began[0] == 60.0


async def test_no_more_calls_at_once_than_allowed_and_in_the_order_they_came() -> None:
    endpoint = Endpoint(at_once=3)
    for number in range(20):
        await endpoint.ask(number)
    for number in range(20):
        assert list(endpoint.began) == list(range(min(20, number + 3))), (
            "the next begins when one ends, and no sooner"
        )
        await endpoint.answer(number)


async def test_a_server_that_says_too_many_is_asked_less_and_then_more_again() -> None:
    endpoint = Endpoint(at_once=16)
    for number in range(16):
        await endpoint.ask(number)
    endpoint.clock.now += 1
    for number in range(16):
        await endpoint.answer(number, 429)
    assert endpoint.limiter.at_once == 8, "one round of refusals halves it once"
    for number in range(100, 400):
        await endpoint.ask(number)
        await endpoint.answer(number)
    assert endpoint.limiter.at_once == 16


@pytest.mark.parametrize("status", [500, 404, None])
async def test_other_failures_say_nothing_about_how_many_calls_a_server_takes(
    status: int | None,
) -> None:
    endpoint = Endpoint(at_once=4)
    await endpoint.ask(0)
    await endpoint.answer(0, 429)
    for number in range(1, 50):
        await endpoint.ask(number)
        await endpoint.answer(number, status)
    assert endpoint.limiter.at_once == 1


async def test_everybody_waits_as_long_as_one_was_told_to() -> None:
    endpoint = Endpoint(at_once=2)
    for number in range(3):  # the last one waits for a place already
        await endpoint.ask(number)
    await endpoint.answer(0, 429, 7)
    await endpoint.answer(1, 429, 3)
    await endpoint.ask(3)
    assert list(endpoint.began) == [0, 1]
    await endpoint.clock.run()
    assert endpoint.began[2] == 107
    await endpoint.answer(2)
    assert endpoint.began[3] == 107


async def test_who_is_gone_when_its_turn_comes_takes_no_place() -> None:
    endpoint = Endpoint(at_once=1)
    for number in range(4):
        await endpoint.ask(number)
    for number in (1, 2):
        endpoint.turns[number].cancel()
    await endpoint.answer(0)
    assert list(endpoint.began) == [0, 3]
    await endpoint.answer(3)
    await endpoint.ask(4)
    assert list(endpoint.began) == [0, 3, 4]
