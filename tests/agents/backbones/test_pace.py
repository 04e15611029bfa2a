"""How fast an endpoint is asked, on a clock that only moves when somebody waits."""

from __future__ import annotations

import asyncio

import pytest

from osler.agents.backbones.pace import Pace, Rates


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def paced(clock: Clock, **rates: float) -> Pace:
    at_once = rates.pop("at_once", None)
    return Pace(Rates(None if at_once is None else int(at_once), **rates), clock=clock, sleep=clock.sleep)


async def test_calls_per_minute_are_kept_over_any_length_of_time() -> None:
    clock = Clock()
    pace = paced(clock, per_minute=60)
    began = []
    for _ in range(30):
        async with pace.slot(10):
            began.append(clock.now)
    assert began[-1] - began[0] == pytest.approx(28, abs=1.5)


async def test_tokens_per_minute_count_what_was_used_and_not_what_was_guessed() -> None:
    clock = Clock()
    pace = paced(clock, tokens_per_minute=6000)
    for _ in range(20):
        async with pace.slot(100) as slot:
            slot.went_well(500)
    assert clock.now - 100 == pytest.approx(20 * 500 / 100, rel=0.1)


async def test_no_more_calls_at_once_than_allowed_and_in_the_order_they_came() -> None:
    pace, under_way, most, order = paced(Clock(), at_once=3), 0, 0, []

    async def call(number: int) -> None:
        nonlocal under_way, most
        async with pace.slot(1):
            under_way += 1
            most = max(most, under_way)
            order.append(number)
            await asyncio.sleep(0.001)
            under_way -= 1

    await asyncio.gather(*(call(number) for number in range(20)))
    assert most == 3 and order == list(range(20))


async def test_a_server_that_says_too_many_is_asked_less_and_then_more_again() -> None:
    clock = Clock()
    pace = paced(clock, at_once=16)

    async def refused() -> None:
        async with pace.slot(1) as slot:
            await asyncio.sleep(0)
            slot.too_many(None)

    await asyncio.gather(*(refused() for _ in range(16)))
    assert pace.at_once == 8, "one round of refusals halves it once"
    for _ in range(300):
        clock.now += 1
        async with pace.slot(1) as slot:
            slot.went_well(1)
    assert pace.at_once == 16


async def test_everybody_waits_as_long_as_one_was_told_to() -> None:
    clock = Clock()
    pace = paced(clock, at_once=4)
    async with pace.slot(1) as slot:
        slot.too_many("7")
    async with pace.slot(1):
        assert clock.now == 107


async def test_who_is_cancelled_while_waiting_takes_no_place() -> None:
    pace = paced(Clock(), at_once=1)
    async with pace.slot(1):
        waiting = [asyncio.create_task(_enter(pace)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        waiting[1].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert waiting[2].result() == "in"
    assert await _enter(pace) == "in"


async def _enter(pace: Pace) -> str:
    async with pace.slot(1):
        return "in"
