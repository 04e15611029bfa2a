"""The words around a case that fill a prompt's slots, in each language."""

from __future__ import annotations

from osler.agents.participant import Briefing, Case
from osler.records.labels import label
from osler.records.language import Language
from osler.records.schema import Sex, Speaker


def case_slots(case: Case) -> dict[str, object]:
    """What stands at the head of every case."""
    unknown = "sex not known" if case.language is Language.EN else "性别不详"
    sex = label(case.sex, case.language) if case.sex is not Sex.UNKNOWN else unknown
    return {"age": case.age, "sex": sex, "complaint": case.complaint}


def briefing_slots(briefing: Briefing) -> dict[str, object]:
    """What the doctor sees: the case, the recall, the last exchange."""
    case = briefing.case
    nothing = "(nothing yet)" if case.language is Language.EN else "（还没有）"
    return {
        **case_slots(case),
        "speaker": _speaker(case),
        "recall": briefing.recall or nothing,
        "question": briefing.question or nothing,
        "reply": briefing.reply,
    }


def _speaker(case: Case) -> str:
    if case.speaker is Speaker.PATIENT:
        return "The patient answers." if case.language is Language.EN else "由患者本人回答。"
    kin = label(case.speaker, case.language)
    return f"The patient's {kin} answers." if case.language is Language.EN else f"由患者的{kin}代为回答。"
