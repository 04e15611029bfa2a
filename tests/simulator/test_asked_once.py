"""What the retrieval module asks its model is asked once within a run; it is held again, resumed
and forked all the same."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from osler.models.cache import SharedAnswers
from osler.models.completion import Completion
from osler.records import RecordPool
from osler.runs.events import Asked, Called, Ending, Intervened, Intervention, Retrieved, Role
from osler.runs.plan import Cell, Column, Plan
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.settings.names import Limits
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import RunOptions, simulate_plan
from osler.simulator.clients import Clients, ClientSettings, ConsultationClients
from osler.simulator.limits import RunLimiter
from osler.simulator.worker import simulate_one
from tests.agents.scripted import scripted
from tests.replay.runs import osler
from tests.simulator.model_server import ModelServer, model_server
from tests.simulator.test_consultation import Held

POOL = RecordPool.open()


def hold(
    server: ModelServer, out: Path, *, turns: int = 1, how: RunOptions | None = None
) -> list[Transcript]:
    """Three columns and two trials whose doctors, being rules, first ask the same."""
    settings = RunSettings(ram_backbone=server.spec, turns=turns)
    plan = Plan(
        POOL.only(ids=["gerd-en", "gerd-zh"]),
        ("rules",),
        ("none", "raw", "tim"),
        trials=2,
        settings=settings,
    )
    simulate_plan(plan, out, how or RunOptions(quiet=True), "bundled")
    with RunFile.open(out) as run:
        return list(run.transcripts())


def test_the_same_question_in_the_same_context_is_asked_once(tmp_path: Path) -> None:
    with model_server(latency=0.05) as server:
        held = hold(server, tmp_path / "run.osler")
    assert len(held) == 12 and set(server.prompts.values()) == {1} and len(server.prompts) == 2
    calls = [call for one in held for call in one.of(Called)]
    assert {call.role for call in calls} == {Role.RAM} and len(calls) == 12
    reused = [call for call in calls if call.source == "run"]
    assert len(reused) == 10 and all(call.answer and call.tokens_in for call in reused)
    noted = [event for one in held for event in one.of(Intervened)]
    assert [event.kind for event in noted] == [Intervention.REUSED] * 10
    by_case = {(one.header.case, one.of(Retrieved)[0].things) for one in held}
    assert len(by_case) == 2, "all columns are handed the same"


def test_a_run_with_such_answers_is_the_same_again_and_can_be_forked(tmp_path: Path) -> None:
    path = tmp_path / "run.osler"
    with model_server() as server:
        hold(server, path, turns=3)
        again = osler("verify", path)
        assert again.exit_code == 0 and "no difference" in again.output, again.output
        forked = osler(
            "fork",
            path,
            "gerd-en",
            "--memory",
            "raw",
            "--memory",
            "raw",
            "--trial",
            "2",
            "--at",
            "2",
        )
        assert forked.exit_code == 0, forked.output
    with RunFile.open(tmp_path / "run.forks.osler") as forks:
        [fork] = forks.transcripts()
    assert fork.of(Retrieved)[0].things and fork.of(Retrieved)[0].maker == "model"
    verified = osler("verify", tmp_path / "run.forks.osler")
    assert verified.exit_code == 0, verified.output


async def test_a_consultation_that_was_interrupted_asks_for_nothing_again() -> None:
    record = POOL.get("gerd-en")

    def told(transcript: Transcript) -> list[dict[str, object]]:
        untimed = {"at", "seconds"}
        return [
            event.model_dump(exclude=untimed)
            for event in transcript.events
            if event.type != "remembered"
        ]

    with model_server() as server:
        settings = RunSettings(ram_backbone=server.spec, turns=3)
        kept: dict[str, list[tuple[str, str]]] = {"none": [], "raw": []}
        held: dict[str, Transcript] = {}

        async def one(
            clients: Clients, memory: str, before: tuple[tuple[str, str], ...] = ()
        ) -> Transcript:
            async def keep(key: str, answer: Completion) -> None:
                kept[memory].append((key, answer.model_dump_json()))

            own = ConsultationClients(clients, 1, before, keep, Limits(), RunLimiter(Limits()))
            return await simulate_one(
                record, Cell(record.id, Column("rules", "", memory), 1), settings, own
            )

        clients = Clients(ClientSettings(retries=0))
        for memory in kept:
            held[memory] = await one(clients, memory)
        await clients.close()
        asked = server.requests
        assert any(call.source == "run" for call in held["raw"].of(Called))
        fresh = Clients(ClientSettings(retries=0))
        resumed = await one(fresh, "raw", tuple(kept["raw"]))
        await fresh.close()
        assert server.requests == asked
    assert [call.source for call in resumed.of(Called) if call.source != "run"] == [
        "earlier" for call in held["raw"].of(Called) if call.source != "run"
    ]
    for events in (left := told(held["raw"])), (right := told(resumed)):
        for event in events:
            event.pop("source", None)
    assert left == right


async def test_who_fails_leaves_it_to_the_next_and_only_the_latest_are_kept() -> None:
    shared, asked = SharedAnswers(most=2), list[str]()

    def answer(text: str) -> Completion:
        return Completion.from_text(text, model="m", finish="stop", usage=None)

    async def fails() -> Completion:
        asked.append("fails")
        await asyncio.sleep(0.01)
        raise ConnectionError("gone")

    async def works() -> Completion:
        asked.append("works")
        await asyncio.sleep(0.01)
        return answer("yes")

    first, second, third = await asyncio.gather(
        shared.answer("a", fails),
        shared.answer("a", works),
        shared.answer("a", works),
        return_exceptions=True,
    )
    assert isinstance(first, ConnectionError) and asked == ["fails", "works"]
    assert isinstance(second, Completion) and isinstance(third, Completion)
    assert sorted([second.source, third.source]) == ["model", "run"]
    waiting = asyncio.create_task(shared.answer("b", works))
    await asyncio.sleep(0)
    beside = asyncio.create_task(shared.answer("b", works))
    await asyncio.sleep(0)
    waiting.cancel()
    assert (await beside).text == "yes"
    with pytest.raises(asyncio.CancelledError):
        await waiting
    for key in "cde":
        await shared.answer(key, works)
    before = len(asked)
    await shared.answer("a", works)
    await shared.answer("e", works)
    assert len(asked) == before + 1, "the oldest was forgotten, the latest not"


async def test_a_question_that_was_cut_off_while_its_answer_was_looked_for_was_asked() -> None:
    def broken(_: str) -> str:
        raise RuntimeError("cut off")

    record, settings = POOL.get("gerd-en"), RunSettings(ram_backbone="ram", turns=3)
    held = await simulate_one(
        record,
        Cell(record.id, Column("rules", "", "raw"), 1),
        settings,
        Held(ram=scripted(broken)[0]),
    )
    assert held.ending is Ending.SIMULATOR_ERROR
    assert held.turns == 1 and held.of(Asked)[0].question and not held.replies
