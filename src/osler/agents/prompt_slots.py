"""What fills the slots of a doctor's prompts: the case, the recall and the last exchange."""

from __future__ import annotations

from osler.agents.messages import Briefing, Case
from osler.language import Speaker
from osler.locale import label
from osler.prompts import phrases
from osler.records.schema import Sex


def case_slots(case: Case) -> dict[str, object]:
    """What stands at the head of every case."""
    unknown = phrases("briefing", case.language)["sex_unknown"]
    sex = label(case.sex, case.language) if case.sex is not Sex.UNKNOWN else unknown
    return {"age": case.age, "sex": sex, "complaint": case.complaint}


def briefing_slots(briefing: Briefing) -> dict[str, object]:
    """What the doctor sees: the case, the recall, the last exchange word for word."""
    case = briefing.case
    return {
        **case_slots(case),
        "speaker": _speaker(case),
        "recall": briefing.recall.text or phrases("briefing", case.language)["no_recall"],
        "exchange": _exchange(briefing),
    }


def _exchange(briefing: Briefing) -> str:
    """What was said last, and what the doctor was handed with it."""
    line = phrases("briefing", briefing.case.language)
    if not briefing.question:
        return line["nothing_asked"] if briefing.turn == 1 else line["said_nothing"]
    lines = [line["question"].format(question=briefing.question), line["reply"].format(reply=briefing.reply)]
    return "\n".join([*lines, line["results"].format(results=briefing.results)] if briefing.results else lines)


def _speaker(case: Case) -> str:
    line = phrases("briefing", case.language)
    if case.speaker is Speaker.PATIENT:
        return line["patient_answers"]
    return line["relative_answers"].format(relative=label(case.speaker, case.language))
