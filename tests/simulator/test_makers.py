"""Makers in a consultation: what counts as a repeat, and what a reader sees of them."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from osler.agents.autogen import Participant
from osler.agents.messages import Conclusion, Question
from osler.agents.ram.agent import Ram
from osler.agents.rules.patient import RulesPatient
from osler.memory import MemorySettings, memory_factory
from osler.records import Language, RecordPool
from osler.replay.pages import transcript_page
from osler.runs.events import (
    Answered,
    Asked,
    Called,
    Ending,
    Intervened,
    Intervention,
    Journal,
    Maker,
    Role,
)
from osler.runs.transcript import Header, Transcript
from osler.simulator.build import case_of
from osler.simulator.consultation import Seats, consult

POOL = RecordPool.open()
FEVER = {Language.EN: "Do you have a fever?", Language.ZH: "您发烧吗？"}
PAIN = {Language.EN: "Where does it hurt?", Language.ZH: "哪里疼？"}


class Asks(Participant):
    """A doctor with questions of given makers."""

    def __init__(self, *moves: Question) -> None:
        super().__init__("doctor", "asks")
        self._moves: Iterator[Question] = iter(moves)

    async def respond(self, content: Any) -> Question | Conclusion:
        return next(self._moves, Conclusion(diagnosis="x", treatment="y"))


async def held(case: str, *moves: tuple[str, Maker]) -> Transcript:
    record = POOL.get(case)
    journal, about = Journal(), case_of(record)
    doctor = Asks(*(Question(text=text, maker=maker) for text, maker in moves))
    memory = memory_factory("raw")(MemorySettings(language=record.language))
    await consult(
        Seats(doctor, Ram(record, about), RulesPatient(), memory), about, journal, len(moves)
    )
    header = Header(
        case=case,
        patient=record.patient,
        language=record.language,
        backbone="tiny@http://127.0.0.1:9/v1",
        memory="raw",
        seed=0,
        turn_limit=len(moves),
        version="0",
        prompts={},
    )
    return Transcript(header=header, ending=Ending.CONCLUDED, events=tuple(journal.events))


@pytest.mark.parametrize("language", [Language.EN, Language.ZH])
async def test_a_strategy_never_repeats_and_a_model_that_asks_the_same_again_does(
    language: Language,
) -> None:
    fever, pain = FEVER[language], PAIN[language]
    transcript = await held(
        f"pneumonia-{language}",
        (fever, Maker.MODEL),
        (fever, Maker.STRATEGY),
        (pain, Maker.STRATEGY),
        (pain, Maker.MODEL),
        ("", Maker.SILENT),
        ("", Maker.SILENT),
    )
    assert [event.repeated for event in transcript.of(Asked)] == [
        False,
        False,
        False,
        True,
        False,
        False,
    ]


def text_of(shown: RenderableType) -> str:
    out = StringIO()
    Console(file=out, width=200).print(shown)
    return out.getvalue()


@pytest.mark.parametrize(
    ("language", "doctor", "silent", "refused"),
    [
        (Language.EN, "Doctor (strategy)", "(silent)", "refused"),
        (Language.ZH, "医生 (策略)", "(沉默)", "被拒"),
    ],
)
async def test_a_line_tells_its_maker_unless_it_is_whom_one_expects(
    language: Language, doctor: str, silent: str, refused: str
) -> None:
    moves = ((FEVER[language], Maker.STRATEGY), (PAIN[language], Maker.MODEL), ("", Maker.SILENT))
    plain = await held(f"pneumonia-{language}", *moves)
    more = (
        Intervened(
            turn=2, role=Role.DOCTOR, kind=Intervention.REFUSED, draft="draft", reasons=("why",)
        ),
        Called(turn=2, role=Role.DOCTOR, model="m", messages=(), tokens_in=1000, tokens_out=234),
    )
    transcript = plain.model_copy(update={"events": plain.events + more})
    assert transcript.of(Answered)
    for details in (True, False):
        told = text_of(transcript_page(transcript, details=details))
        assert doctor in told and silent in told
        assert not any(f"{name} (" in told for name in ("Patient", "患者")), (
            "its seat is the rules'"
        )
        assert "model)" not in told and "模型" not in told
        assert (
            "made by: questions 1 model, 1 strategy, 1 silent; retrievals 2 rules; replies 2 rules"
            in told
        )
        assert "tokens: doctor 1,234" in told
        assert ("draft" in told and "why" in told) == details
    assert refused in text_of(transcript_page(transcript, details=True))


async def test_a_consultation_of_the_rules_says_nothing_of_makers() -> None:
    plain = await held("pneumonia-en", (FEVER[Language.EN], Maker.RULES))
    transcript = plain.model_copy(
        update={"header": plain.header.model_copy(update={"backbone": "rules"})}
    )
    for details in (True, False):
        told = text_of(transcript_page(transcript, details=details))
        assert "made by" not in told and "(rules)" not in told
