"""What the rater sees of one moment: the talk so far in short, what was recalled, and what the doctor did next."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from osler.eval.rating.blinding import Mask, clean, without_form
from osler.eval.rating.moments import Drawn
from osler.language import Language
from osler.runs.events import Answered, Asked, Concluded, Recalled
from osler.runs.transcript import Transcript, heard

_DOCTOR = {Language.EN: "Doctor: ", Language.ZH: "医生："}
_PATIENT = {Language.EN: "Patient: ", Language.ZH: "患者："}
_NOTHING = {Language.EN: "(nothing)", Language.ZH: "（无）"}
_CONCLUDED = {
    Language.EN: "Diagnosis: {diagnosis}\nTreatment: {treatment}",
    Language.ZH: "诊断：{diagnosis}\n治疗：{treatment}",
}
_DIFFERENTIAL = {Language.EN: "\nAlso considered: ", Language.ZH: "\n鉴别诊断："}
_REASONING = {Language.EN: "\nBecause: ", Language.ZH: "\n依据："}
_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_SHORT = 240
"""Characters of an earlier question or reply that are shown."""


class ItemTexts(NamedTuple):
    """The texts of one item, in the order of their columns."""

    before: str
    last: str
    recalled: str
    step: str


def digest(texts: Sequence[str]) -> str:
    """A fingerprint of an item's texts that does not mind how a program saved their line breaks."""
    return hashlib.sha256("\0".join(" ".join(text.split()) for text in texts).encode()).hexdigest()[:16]


def shown(transcript: Transcript, drawn: Drawn, mask: Mask) -> ItemTexts:
    """The moment as the rater reads it: nothing of what came after, and no name of a system or a case."""
    language, turn = transcript.header.language, drawn.turn
    asked = {event.turn: heard(event, language) for event in transcript.of(Asked)}
    replies = {event.turn: event.reply for event in transcript.of(Answered)}
    recalls = {event.turn: event for event in transcript.of(Recalled)}
    before = [_PATIENT[language] + _short(recalls[1].query)]
    for earlier in range(1, turn - 1):
        before += [_DOCTOR[language] + _short(asked[earlier])]
        before += [_PATIENT[language] + _short(replies[earlier])] if earlier in replies else []
    last = f"{_DOCTOR[language]}{asked[turn - 1]}\n{_PATIENT[language]}{replies.get(turn - 1, _NOTHING[language])}"
    lines = without_form(recalls[turn].recall.text)
    recalled = "\n".join(f"• {line}" for line in lines) if lines else _NOTHING[language]
    conclusion = transcript.conclusion
    step = asked[turn] if drawn.place.turn is not None or conclusion is None else _concluded(conclusion, language)
    return ItemTexts(*(clean(mask.hide(text, drawn.held.case)) for text in ("\n".join(before), last, recalled, step)))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def _concluded(conclusion: Concluded, language: Language) -> str:
    said = _CONCLUDED[language].format(diagnosis=conclusion.diagnosis, treatment=conclusion.treatment)
    if conclusion.differential:
        said += _DIFFERENTIAL[language] + _COMMA[language].join(conclusion.differential)
    return said + (_REASONING[language] + conclusion.reasoning if conclusion.reasoning else "")
