"""The words around a case that fill a prompt's slots, in each language."""

from __future__ import annotations

from osler.agents.messages import Briefing, Case
from osler.language import Language, Speaker
from osler.records.labels import label
from osler.records.schema import Sex


def case_slots(case: Case) -> dict[str, object]:
    """What stands at the head of every case."""
    unknown = "sex not known" if case.language is Language.EN else "性别不详"
    sex = label(case.sex, case.language) if case.sex is not Sex.UNKNOWN else unknown
    return {"age": case.age, "sex": sex, "complaint": case.complaint}


def briefing_slots(briefing: Briefing) -> dict[str, object]:
    """What the doctor sees: the case, the recall, the last exchange word for word."""
    case = briefing.case
    nothing = "(nothing)" if case.language is Language.EN else "（没有）"
    return {
        **case_slots(case),
        "speaker": _speaker(case),
        "recall": briefing.recall or nothing,
        "exchange": _exchange(briefing),
    }


def _exchange(briefing: Briefing) -> str:
    """What was said last, and what the doctor was handed with it."""
    english = briefing.case.language is Language.EN
    if not briefing.question:
        if briefing.turn == 1:
            return "Nothing has been asked yet." if english else "你还没有问过问题。"
        return (
            "In your last turn you said nothing, so nobody answered."
            if english
            else "上一轮你什么也没说，所以没有人回答。"
        )
    asked, told, report = (
        ("Your last question: ", "The reply: ", "Reports that you were handed: ")
        if english
        else ("你上一次问：", "对方回答：", "交到你手上的报告：")
    )
    lines = [asked + briefing.question, told + briefing.reply]
    return "\n".join([*lines, report + briefing.results] if briefing.results else lines)


def _speaker(case: Case) -> str:
    if case.speaker is Speaker.PATIENT:
        return "The patient answers." if case.language is Language.EN else "由患者本人回答。"
    kin = label(case.speaker, case.language)
    return f"The patient's {kin} answers." if case.language is Language.EN else f"由患者的{kin}代为回答。"
