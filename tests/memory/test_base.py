"""What all memories share: an estimate of how long a text is, and the dialogue as it stands."""

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.language import Language, Speaker
from osler.memory import MemorySettings, Turn, memory_factory
from osler.memory.base import Query, tokens


@given(st.text(alphabet="ab é。疼痛好\n1"))
def test_four_latin_characters_or_one_and_a_half_chinese_ones_are_a_token(text: str) -> None:
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in text)
    assert tokens(text) == round(chinese / 1.5 + (len(text) - chinese) / 4)


async def test_a_restored_dialogue_recalls_what_fits_and_goes_on() -> None:
    settings = MemorySettings(budget=30)
    first, second = memory_factory("raw")(settings), memory_factory("raw")(settings)
    for number in range(1, 5):
        await first.remember(
            Turn(number=number, question=f"Question {number}?", reply="Yes, since Monday.")
        )
    await second.remember(Turn(number=9, question="Of somebody else?", reply="This must go."))
    second.state = first.state
    assert await second.recall(Query("")) == await first.recall(Query(""))
    last = Turn(number=5, question="And now?", reply="Better.")
    await first.remember(last)
    await second.remember(last)
    recall = await second.recall(Query(""))
    assert (
        recall == await first.recall(Query(""))
        and "Better." in recall.text
        and recall.dropped[0] == 1
    )


@pytest.mark.parametrize(
    ("language", "speaker", "label"),
    [
        (Language.EN, Speaker.PATIENT, "Patient: He is feverish."),
        (Language.EN, Speaker.WIFE, "Patient's wife: He is feverish."),
        (Language.ZH, Speaker.PATIENT, "患者：He is feverish."),
        (Language.ZH, Speaker.WIFE, "患者的妻子：He is feverish."),
    ],
)
async def test_the_dialogue_says_who_spoke(
    language: Language, speaker: Speaker, label: str
) -> None:
    raw = memory_factory("raw")(MemorySettings(language=language, speaker=speaker))
    turn = Turn(number=1, question="Any fever?", reply="He is feverish.")
    await raw.remember(turn)
    recall = await raw.recall(Query(""))
    assert label in recall.text.splitlines() and recall.exchanges == (turn,) and not recall.facts


@pytest.mark.parametrize("language", list(Language))
async def test_the_dialogue_shows_the_date_where_it_changes(language: Language) -> None:
    raw, short = (
        memory_factory("raw")(MemorySettings(language=language, budget=budget))
        for budget in (2000, 15)
    )
    days = {-1: "2023-11-20T09:00", 0: "2023-11-20T09:01", 1: "2024-02-01T09:00"}
    for number, day in days.items():
        for memory in (raw, short):
            await memory.remember(
                Turn(number=number, question="?", reply="-", at=datetime.fromisoformat(day))
            )
    text = (await raw.recall(Query(""))).text
    assert (text.count("2023-11-20"), text.count("2024-02-01")) == (
        1,
        1,
    ) and "-1" not in text.replace("2023-11-20", "")
    assert (
        tokens((await short.recall(Query(""))).text) <= 15
        and (await short.recall(Query(""))).dropped
    )
    other = memory_factory("raw")(MemorySettings(language=language))
    other.state = json.loads(json.dumps(raw.state))
    assert await other.recall(Query("")) == await raw.recall(Query(""))


async def test_the_dialogue_of_others_has_their_names() -> None:
    raw = memory_factory("raw")(MemorySettings())
    await raw.remember(
        Turn(number=1, question="Coffee?", reply="Tea.", asked_by="Ann", said_by="Bo")
    )
    assert (await raw.recall(Query(""))).text.splitlines()[1:] == ["Ann: Coffee?", "Bo: Tea."]
