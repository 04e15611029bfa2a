"""A turn as a memory tells it word for word, with marked lines for what was not said aloud."""

from __future__ import annotations

from osler.language import Language
from osler.memory.base import Turn

_TURN = {Language.EN: "Turn {}", Language.ZH: "第{}轮"}
_THOUGHT = {Language.EN: "Doctor thought of: {}", Language.ZH: "医生考虑：{}"}
_ASKED = {Language.EN: "Doctor: {}", Language.ZH: "医生：{}"}
_REPLY = {Language.EN: "Patient: {}", Language.ZH: "患者：{}"}
_REPORT = {Language.EN: "Report: {}", Language.ZH: "报告：{}"}
_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}


def exchange(turn: Turn, language: Language) -> str:
    """What the doctor thought of and asked, what the patient replied, and the reports that came with the reply."""
    lines = [_TURN[language].format(turn.number)]
    if turn.differential:
        lines.append(_THOUGHT[language].format(illnesses(turn, language)))
    lines += [_ASKED[language].format(turn.question), _REPLY[language].format(turn.reply)]
    lines += [_REPORT[language].format(line) for line in turn.results.splitlines() if line.strip()]
    return "\n".join(lines)


def illnesses(turn: Turn, language: Language) -> str:
    """What the doctor thought of, in a row."""
    return _SEMICOLON[language].join(turn.differential)
