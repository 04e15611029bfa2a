"""Whatever a model writes, reading it takes time in proportion to its length, and never holds up
the others."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from osler.agents.gate import check
from osler.agents.messages import Selection
from osler.agents.parsing import conclusion_of, named_of, plan_of
from osler.eval.exact_diagnosis import judge_diagnosis
from osler.eval.exact_treatment import judge_treatment
from osler.loosejson import DEEPEST, json_begun, json_of
from osler.memory.base import Turn
from osler.memory.core.rules_facts import rules_facts
from osler.models import ask
from osler.records import Language, PatientRecord, RecordPool
from osler.runs.events import Called
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.settings.names import PLAIN
from osler.settings.run_settings import RunSettings
from osler.simulator.build import case_of
from osler.simulator.worker import simulate_one
from tests.agents.scripted import scripted
from tests.simulator.test_consultation import Held

POOL = RecordPool.open()
PIECES = (
    *(
        "[",
        "{",
        '{"a":',
        '{"a":[1,',
        '{"',
        '[{"a":1},',
        "}",
        "(",
        '"',
        "*",
        "* ",
        "```json\n",
        "\n",
        " ",
        "a",
        "a ",
    ),
    *("no ", "7", "1.", "diagnosis: ", "<think>", "，", "？", "刚", "（A）", "没有"),
)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Of this process, the least of some tries: other work on the machine is not counted."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("reader", [json_of, json_begun])
def test_sixteen_times_the_text_is_not_256_times_the_work(
    reader: Callable[[str], object], piece: str
) -> None:
    def read(length: int) -> float:
        pieces = piece * (length // len(piece))
        closed = pieces[::-1].translate(str.maketrans("[{", "]}"))
        texts = pieces, f'{{"a": {pieces}', f'{{"a": {pieces}{closed}}}'
        return seconds(lambda: [reader(text) for text in texts], times=5)

    short, long = read(2_500), read(40_000)
    assert long < 80 * short, f"{short:.6f} s, then {long:.6f} s"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", PIECES)
def test_what_a_doctor_wrote_is_read_in_the_time_of_ordinary_words(piece: str) -> None:
    def read(text: str) -> float:
        return seconds(
            lambda: [reader(text) for reader in (conclusion_of, named_of, plan_of)], times=2
        )

    ordinary = read("Gout is likely. Give colchicine, 0.5 mg twice a day.\n" * 96)
    assert read((piece * 5000)[:5000]) < 100 * ordinary


def test_brackets_within_brackets_are_read_as_deep_as_forms_go() -> None:
    def nested(depth: int) -> str:
        return '{"a": ' * depth + "1" + "}" * depth

    value: Any = json_of(nested(DEEPEST))
    for _ in range(DEEPEST):
        value = value["a"]
    assert value == 1
    assert json_of(f'{{"diagnosis": {"[" * 900}{"]" * 900}}}') is None
    assert json_begun(f'{{"diagnosis": {"[" * 900}{"]" * 900}}}') is None
    told = conclusion_of(f'{{"diagnosis": {"[" * 300}{"]" * 300}, "x": {{"diagnosis": "Gout"}}}}')
    assert told is not None and told.diagnosis == "Gout"


@pytest.mark.parametrize(
    "number",
    ["9" * 5_000, "-" + "9" * 5_000, "1e400", "NaN", "Infinity", "0." + "9" * 5_000],
    ids=range(6),
)
def test_a_number_that_cannot_be_kept_spoils_no_answer(number: str) -> None:
    assert (json_of(f'{{"sure": {number}, "diagnosis": "Gout"}}') or {}).get("diagnosis") == "Gout"
    assert (json_begun(f'{{"ids": [{number}], "a": [1], "b') or {}).get("a") == [1]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("name", "language"),
    [
        (f"痛风{'（A）' * 60}中", Language.ZH),
        (f"痛风{'（A ）  ' * 60}中", Language.ZH),
        (f"痛风{'可能' * 60}x", Language.ZH),
        (f"Gout{'?' * 900}x", Language.EN),
    ],
    ids=range(4),
)
def test_a_name_that_goes_on_without_end_is_read_and_judged(name: str, language: Language) -> None:
    record = POOL.get(f"bladder-cancer-{language.value}")
    named_of(name)
    judge_diagnosis(name, record.diagnosis)
    assert record.treatment is not None
    judge_treatment(name, record.treatment, ((name,),), is_other_illness=True)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "reply",
    [
        *(
            "刚刚" * 60,
            "我" + "刚刚" * 60,
            "请您" * 60,
            "说是" * 60,
            "可能" * 60,
            f"我{'刚' * 200}好",
        ),
        *(
            f"A{' ' * 400}x",
            f"A 7{'a' * 400},",
            f"7{' ' * 900}x",
            "fever and " * 200,
            f"{'a' * 1900}our",
        ),
    ],
    ids=range(11),
)
@pytest.mark.parametrize("language", list(Language))
def test_a_reply_that_goes_on_without_end_is_checked_and_remembered(
    reply: str, language: Language
) -> None:
    record = POOL.get(f"bladder-cancer-{language.value}")
    question = "Does it hurt?" if language is Language.EN else "疼吗？"
    rules_facts(Turn(number=1, question=question, reply=reply), language)
    rules_facts(Turn(number=1, question=f"{reply}？", reply="是的。"), language)
    check(
        reply,
        Selection(question=question, case=case_of(record), entries=record.entries[:2]),
        record.diagnosis,
    )


async def held(record: PatientRecord, text: str) -> tuple[float, Transcript]:
    """A consultation in which every model says the same, and how long it took."""
    settings = RunSettings(
        turns=2, patient_backbone="pat", memory_backbone="mem", ram_backbone="ram"
    )
    made = Held(**{name: scripted(lambda _: text)[0] for name in ("doc", "pat", "mem", "ram")})
    start = time.process_time()
    transcript = await simulate_one(
        record, Cell(record.id, Column.of("doc", PLAIN, "tim"), 1), settings, made
    )
    return time.process_time() - start, transcript


@pytest.mark.timeout(120)
@pytest.mark.parametrize("case", ["bladder-cancer-en", "bladder-cancer-zh"])
async def test_a_consultation_of_models_that_do_not_stop_takes_a_few_times_as_long(
    case: str,
) -> None:
    record = POOL.get(case)
    move = {
        "differential": [],
        "action": "ask",
        "question": "Any fever?" if case.endswith("en") else "发烧吗？",
    }
    await held(record, json.dumps(move))  # dictionaries are loaded once
    ordinary, _ = await held(record, json.dumps(move, ensure_ascii=False))
    for piece in ("*", '{"a":[', "a", "no, ", "7", "刚", "？", "\n- ", '"diagnosis": "'):
        text = (piece * 30_000)[:30_000]
        took, transcript = await held(record, f"{text}x")
        assert took < 5.0 + 10 * ordinary, (
            f"{piece!r} took {took:.1f} s, ordinary words {ordinary:.1f} s"
        )
        assert any(call.unread for call in transcript.of(Called))


async def test_what_goes_far_beyond_the_tokens_asked_for_is_not_read_and_the_transcript_says_so() -> (
    None
):
    long = "A patient with a cough. " * 1000
    backbone, _ = scripted([long, long])
    answer = await ask(backbone.client, [], max_tokens=100)
    assert (answer.text, answer.finish) == (long[:1600], "length")
    assert (await ask(backbone.client, [])).text == long, "who allows any length reads it all"
    _, transcript = await held(POOL.get("bladder-cancer-en"), long)
    calls = transcript.of(Called)
    assert calls and all(
        call.answer == long and call.unread == len(long) - 16 * 1000 for call in calls[:1]
    )
    _, transcript = await held(POOL.get("bladder-cancer-en"), "A short answer.")
    assert {call.unread for call in transcript.of(Called)} == {None}
