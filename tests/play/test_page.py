from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from osler.play import lobby as lobby_module
from osler.play.lobby import PlayLobby, veiled
from osler.play.played_runs import PlayRequest
from osler.records.pool import RecordPool
from osler.runs.events import Ending, Role
from osler.runs.plan import Selector
from osler.runs.store import RunFile, RunWriter
from osler.simulator.batch import about
from tests.models.server import Step, serving
from tests.play.conftest import client_of, settled


def start(page: TestClient, **request: Any) -> dict[str, Any]:
    return settled(page, page.post("/api/play", json={"as": "doctor", **request}).json())


def say(page: TestClient, state: dict[str, Any], **move: str) -> dict[str, Any]:
    return settled(page, page.post(f"/api/play/{state['id']}", json=move).json())


def test_a_doctor_on_the_page_and_what_was_missed_in_which_order(page: TestClient) -> None:
    state = start(page, case="sprain", language="en")
    assert (
        state["waiting_for"] == "you"
        and state["turns_left"] == 20
        and state["lines"] == state["known"] == []
    )
    state = say(page, state, say="Was a radiograph taken?")
    state = say(page, state, say="What did palpation show?")
    assert [(line["turn"], line["who"]) for line in state["lines"]] == [
        (1, "doctor"), (1, "patient"), (2, "doctor"), (2, "patient"),
    ]  # fmt: skip
    assert state["memory"][0]["turn"] == 1 and state["memory"][0]["inserted"], (
        "what TiM would have remembered"
    )
    assert state["recalled"] and state["turns_left"] == 18 and state["result"] is None
    state = say(page, state, diagnosis="Ankle sprain", treatment="Aspirin")
    result = state["result"]
    assert (result["run"], result["key"], result["cell"]) == (
        "play-doctor",
        "key of play-doctor.osler",
        1,
    )
    assert {said["kind"]: said["verdict"] for said in result["verdicts"]} == {
        "diagnosis": "correct",
        "treatment": "unsafe",
    }
    assert all(said["because"] for said in result["verdicts"])
    (harm,) = result["truth"].pop("unsafe")
    assert harm == {"name": "Aspirin", "because": "x"}
    assert result["truth"] == {"diagnosis": "Ankle sprain", "treatment": "Rest and a bandage"}
    assert result["missed"] == [
        {"name": "Ankle pain", "part": "diagnosis", "key": True},
        {"name": "Asthma", "part": "treatment", "key": True},
        {"name": "Rash", "part": "diagnosis", "key": False},
    ]
    assert result["order"] == [
        {"name": "Palpation", "should": 1, "asked_in_turn": 2, "after": ["Radiograph"]},
        {"name": "Radiograph", "should": 2, "asked_in_turn": 1, "after": []},
    ]
    with RunFile.open("play-doctor") as run:
        transcript = run.find(Selector("sprain"))
        assert (transcript.header.backbone, transcript.header.memory, transcript.header.trial) == (
            "human",
            "tim",
            1,
        )
        assert transcript.ending is Ending.CONCLUDED


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("role", ["doctor", "patient"])
def test_no_state_tells_the_truth_or_the_id_before_the_end(language: str, role: str) -> None:
    record = RecordPool.open().get(f"bladder-cancer-{language}")
    names = {
        record.id,
        record.patient,
        *record.diagnosis.names,
        *(record.treatment.names if record.treatment else ()),
    }
    said = (
        "What did the ultrasound, CT and MRI show?"
        if language == "en"
        else "超声、CT和核磁的结果是什么？"
    )
    with client_of(PlayLobby(backbones=())) as page:
        state = start(page, **{"as": role, "case": veiled(record.id)})
        for _ in range(4):
            shown = json.dumps(state, ensure_ascii=False).casefold()
            assert not [name for name in names if name.casefold() in shown]
            state = say(page, state, say=said)
        assert state["turn"] >= 4 and state["case"]["complaint"] == record.complaint
        listed = page.get("/api/cases", params={"language": language}).json()["cases"]
    assert len(listed) == 44 and {one["language"] for one in listed} == {language}
    assert set(listed[0]) == {"id", "language", "specialty", "age", "sex", "complaint"}
    assert [one["id"] for one in listed] == sorted(one["id"] for one in listed), (
        "files lie in the order of diagnoses"
    )
    assert not [one for one in listed if record.id in one["id"]] and veiled(record.id) in {
        one["id"] for one in listed
    }


def test_a_patient_is_shown_what_the_record_says_about_the_question(page: TestClient) -> None:
    state = start(page, **{"as": "patient", "case": "sprain"})
    known: list[dict[str, str]] = []
    while state["waiting_for"] != "over":
        known += state["known"]
        state = say(page, state, say="No, never.")
    assert {"name": "Ankle pain", "told": "Pain at the outer ankle."} in known
    assert {"name": "Rash", "told": "no."} in known, "what has no report is told by its status"
    assert state["result"]["truth"]["diagnosis"] == "Ankle sprain"
    assert state["result"]["run"] == "play-patient"


@pytest.mark.parametrize(
    ("body", "status", "line"),
    [
        (b"{", 400, "the request is not JSON; send one object"),
        (b"[" * 30_000, 400, "the request is not JSON; send one object"),
        (
            b'{"as": "' + b"x" * 40_000 + b'"}',
            400,
            "the request is too large; use at most 2,000 characters",
        ),
        (b"[]", 400, "the request: "),
        (b'{"as": "nurse"}', 400, "as: Input should be 'doctor' or 'patient'"),
        (b'{"as": "doctor", "language": "fr"}', 400, "language: "),
        (b'{"as": "doctor", "case": "nobody"}', 400, "no record is called 'nobody'"),
        (
            b'{"as": "doctor", "patient": "local:/etc/passwd"}',
            400,
            "'local:/etc/passwd' cannot be played with here",
        ),
        (
            b'{"as": "patient", "doctor": "m@http://10.0.0.1/v1"}',
            400,
            "cannot be played with here; choose one of rules",
        ),
        (b'{"as": "doctor", "memory": "os:system"}', 400, "'os:system' cannot be played with here"),
        (b'{"as": "doctor", "patient": "human"}', 400, "both chairs cannot be yours"),
        (b'{"as": "doctor", "seed": 1}', 400, "seed: "),
    ],
)
def test_a_bad_wish_is_one_line(page: TestClient, body: bytes, status: int, line: str) -> None:
    answer = page.post("/api/play", content=body)
    assert (
        answer.status_code == status
        and line in answer.json()["error"]
        and "\n" not in answer.json()["error"]
    )


def test_a_bad_move_changes_nothing(page: TestClient) -> None:
    state = start(page, case="sprain")
    address = f"/api/play/{state['id']}"
    for move, status, line in [
        ({"say": " \n"}, 409, "nothing was said"),
        ({"say": "\ud800"}, 409, "nothing was said"),
        ({"say": "x" * 2001}, 409, "2,001 characters long; use at most 2,000"),
        ({"say": 3}, 400, "say: "),
        ({"diagnosis": "Sprain"}, 400, "treatment: "),
        ({"diagnosis": "Sprain", "treatment": " "}, 409, "nothing was said"),
        ({}, 400, "diagnosis: "),
    ]:
        answer = page.post(address, content=json.dumps(move))
        assert answer.status_code == status and line in answer.json()["error"]
    assert page.get(address).json() == state
    assert page.get(address, params={"seen": "x"}).status_code == 400
    for method in ("get", "delete"):
        assert getattr(page, method)("/api/play/nobody").status_code == 404
    say(page, state, diagnosis="Sprain", treatment="Rest")
    late = page.post(address, json={"say": "And now?"})
    assert (
        late.status_code == 409
        and late.json()["error"] == "the consultation is over; start another"
    )


def test_who_leaves_the_page_loses_nothing_and_a_stop_is_a_leave(
    page: TestClient, small_pool: Path
) -> None:
    silent, asked = start(page), say(page, start(page, case="sprain"), say="Any asthma?")
    for state in (silent, asked):
        assert page.delete(f"/api/play/{state['id']}").json() == {"left": True}
        assert page.get(f"/api/play/{state['id']}").status_code == 404
    with client_of(PlayLobby(RecordPool.open(small_pool), backbones=())) as other:
        say(other, start(other, case="sprain"), say="Any asthma?")
    with RunFile.open("play-doctor") as run:
        assert [transcript.ending for transcript in run.transcripts()] == [Ending.DOCTOR_ERROR] * 2
        assert [transcript.turns for transcript in run.transcripts()] == [1, 1]


def test_many_at_one_table_write_to_one_run(page: TestClient) -> None:
    def whole(number: int) -> int:
        state = say(page, start(page, case="sprain"), say=f"Any asthma, number {number}?")
        return say(page, state, diagnosis="Sprain", treatment="Rest")["result"]["cell"]  # type: ignore[no-any-return]

    with ThreadPoolExecutor(6) as people:
        cells = list(people.map(whole, range(6)))
    assert sorted(cells) == [1, 2, 3, 4, 5, 6]
    with RunFile.open("play-doctor") as run:
        headers = [transcript.header for transcript in run.transcripts()]
        assert [header.trial for header in headers] == [1, 2, 3, 4, 5, 6]
        assert len({header.seed for header in headers}) == 6


def test_the_table_has_a_limit_and_gives_up_who_is_idle(
    small_pool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby_module, "MOST", 3)
    lobby = PlayLobby(RecordPool.open(small_pool), backbones=())
    with client_of(lobby) as page:
        states = [start(page, case="sprain") for _ in range(3)]
        full = page.post("/api/play", json={"as": "doctor"})
        assert full.status_code == 429 and "end or leave one of them first" in full.json()["error"]
        say(page, states[0], diagnosis="Sprain", treatment="Rest")
        assert start(page)["waiting_for"] == "you", "what has ended makes room"
        assert page.get(f"/api/play/{states[0]['id']}").status_code == 404
        session = lobby.session(states[1]["id"])
        assert session is not None
        say(page, states[1], say="Any asthma?")
        session.last_news -= lobby_module.IDLE + 1
        assert start(page)["waiting_for"] == "you", "who is idle makes room"
        assert page.get(f"/api/play/{states[1]['id']}").status_code == 404
        assert page.get(f"/api/play/{states[2]['id']}").status_code == 200
    with RunFile.open("play-doctor") as run:
        assert sorted(transcript.ending for transcript in run.transcripts()) == [
            "concluded",
            "doctor_error",
        ]


def test_looking_waits_for_news_and_no_longer(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.view.play_routes.LONG_POLL", 0.3)
    state = start(page, case="sprain")
    began = time.monotonic()
    assert page.get(f"/api/play/{state['id']}", params={"seen": state["seen"]}).json() == state
    assert time.monotonic() - began >= 0.25
    assert page.get(f"/api/play/{state['id']}", params={"seen": 0}).json() == state


def test_a_result_that_cannot_be_kept_is_still_shown(
    page: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.play.played_runs.PATIENCE", 0.2)
    state = say(page, start(page, case="sprain"), say="Any asthma?")
    request = PlayRequest(Role.DOCTOR)
    with RunWriter.create_or_resume("play-doctor", about(request.settings)):
        state = say(page, state, diagnosis="Ankle sprain", treatment="Rest")
    assert state["failed"].startswith("not kept: another process is writing to the run")
    assert (
        state["result"]["verdicts"][0]["verdict"] == "correct" and state["result"]["cell"] is None
    )


async def test_a_model_opposite_that_fails_ends_its_own_consultation_alone(
    small_pool: Path,
) -> None:
    async with serving(*[Step(status=400, message="bad prompt")] * 4) as server:
        lobby = PlayLobby(RecordPool.open(small_pool))
        _, well = await lobby.start(PlayRequest(Role.DOCTOR, "sprain", out="well"))
        _, ill = await lobby.start(
            PlayRequest(Role.PATIENT, "sprain", doctor=server.spec, out="ill")
        )
        await ill.your_turn(20)
        assert ill.over and ill.failed and "bad prompt" in ill.failed and ill.kept is not None
        await well.your_turn(20)
        well.say("Any asthma?")
        await well.your_turn(20)
        assert len([event for event in well.journal.events if event.type == "answered"]) == 1
        await asyncio.wait_for(lobby.close(), 240)
    with RunFile.open("ill") as run:
        assert run.find(Selector("sprain")).ending is Ending.BACKBONE_FAILURE and not run.judges()


async def test_what_a_model_opposite_said_is_paid_for_in_the_run(small_pool: Path) -> None:
    async with serving(Step(text="Yes, I have had asthma since childhood.")) as server:
        lobby = PlayLobby(RecordPool.open(small_pool))
        _, session = await lobby.start(
            PlayRequest(Role.DOCTOR, "sprain", patient=server.spec, memory="none", out="paid")
        )
        await session.your_turn(20)
        session.say("Do you have asthma?")
        await session.your_turn(20)
        session.conclude("Ankle sprain", "Rest and a bandage")
        await session.your_turn(20)
        await lobby.close()
    assert session.over and session.failed is None and (asked := len(server.requests))
    with RunFile.open("paid") as run:
        assert (run.status().done, run.status().calls, run.status().tokens) == (
            1,
            asked,
            14 * asked,
        )
        assert (
            run.find(Selector("sprain")).replies[0].reply
            == "Yes, I have had asthma since childhood."
        )


async def test_who_leaves_while_a_model_thinks_does_not_wait_for_it(small_pool: Path) -> None:
    async with serving(Step(hang=True)) as server:
        lobby = PlayLobby(RecordPool.open(small_pool))
        name, session = await lobby.start(
            PlayRequest(Role.DOCTOR, "sprain", patient=server.spec, memory="none", out="left")
        )
        await session.your_turn(20)
        session.say("Do you have asthma?")
        await session.your_turn(0.3)
        assert session.before is None and not session.over
        began = time.monotonic()
        await asyncio.wait_for(lobby.leave(name), 240)
        assert time.monotonic() - began < 20
        await lobby.close()
    with RunFile.open("left") as run:
        transcript = run.find(Selector("sprain"))
        assert (
            transcript.ending is Ending.DOCTOR_ERROR
            and transcript.turns == 1
            and not transcript.replies
        )


async def test_a_trial_is_fixed_when_one_sits_down(small_pool: Path) -> None:
    """What is derived from its number, like the memory's seed, must be that of the transcript."""
    lobby = PlayLobby(RecordPool.open(small_pool))
    request = PlayRequest(Role.DOCTOR, "sprain", memory="none")
    trials = []
    for _ in range(2):
        name, first = await lobby.start(request)
        _, second = await lobby.start(request)
        trials += [first.assignment.cell.trial, second.assignment.cell.trial]
        await first.your_turn(20)
        first.say("Any asthma?")
        await lobby.leave(name)
    assert trials == [1, 2, 3, 4]
    await lobby.close()
