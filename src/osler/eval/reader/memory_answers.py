"""What an answer about something that was said earlier says.

For probes, key facts and the memory bench.

An answer that is exactly equal to one of the answers that are listed needs no reader. Any other is
read by a model, which fills in a form; the score is computed from the form and from what is true.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel

from osler.eval.reader.ask_form import ask_form
from osler.eval.reader.model_judge import check_quotes, enclosed, one_line
from osler.language import Language
from osler.models import Backbone
from osler.prompts import phrases, prompt

_FORM_TOKENS = 200
"""Maximum tokens of a form."""
_MARKS_AROUND = " .。,;:!?、'\"“”‘’"
_LONGEST_TRUTH = 6000
"""Characters of what is true that a reader is shown."""


class Says(StrEnum):
    """What an answer says of the thing that was asked for."""

    TELLS = "tells"
    """That it is so, or something about it."""
    DENIES = "denies"
    NOT_DONE = "not done"
    NOT_KNOWN = "not known"
    NOTHING = "nothing"


class Agreement(StrEnum):
    """How what an answer says agrees with what is true."""

    ALL = "all"
    PART = "part"
    OUTDATED = "outdated"
    """It has what was so before and has been corrected since."""
    NONE = "none"
    """It says otherwise, or tells nothing of it."""


class AnswerForm(BaseModel):
    """What a reader finds in an answer."""

    words: str
    """The answer's own words that decide."""
    says: Says
    agrees: Agreement


@dataclass(frozen=True)
class AskedTruth:
    """A question and what is true."""

    question: str
    truth: str
    before: tuple[str, ...] = ()
    """What was so before and has been corrected since."""
    exact: Mapping[str, AnswerForm] = field(default_factory=dict)
    """What answers say that are exactly equal to these; made by `exact_forms`."""


def exact_forms(says: Says, agrees: Agreement, texts: Collection[str]) -> dict[str, AnswerForm]:
    """What each of these texts says if it is the whole answer."""
    return {_levelled(text): AnswerForm(words=text, says=says, agrees=agrees) for text in texts}


def _levelled(text: str) -> str:
    """A whole answer without case, width, and marks around it.

    Marks within it can be part of a number.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_MARKS_AROUND)


def exact_form(question: AskedTruth, answer: str, language: Language) -> AnswerForm | None:
    """What an answer says that is exactly one of those that are listed, or exactly `Not known`.

    It is None for any other.
    """
    not_known = exact_forms(
        Says.NOT_KNOWN, Agreement.NONE, [phrases("read_memory_lines", language)["not_known"]]
    )
    return {**not_known, **question.exact}.get(_levelled(answer))


class MemoryAnswerReader:
    """Reads answers: those that are exact by themselves, others with a model if there is one."""

    def __init__(self, backbone: Backbone | None, language: Language) -> None:
        """Take the model; without one, only exact answers are read."""
        self._backbone = backbone
        self._language = language

    async def read(self, question: AskedTruth, answer: str) -> AnswerForm | None:
        """Return what an answer says; None if nobody could read it.

        Raises:
            BackboneError: The model could not be reached.
        """
        exact = exact_form(question, answer, self._language)
        if exact is not None or self._backbone is None:
            return exact

        def checked(form: AnswerForm) -> AnswerForm:
            if form.says is not Says.NOTHING:
                check_quotes([form.words], answer, self._language)
            return form

        request = self._request(question, answer)
        read = await ask_form(
            self._backbone, request, AnswerForm, checked, _FORM_TOKENS, self._language
        )
        return read.result

    def _request(self, question: AskedTruth, answer: str) -> str:
        lines = phrases("read_memory_lines", self._language)
        truth = [lines["truth"].format(told=one_line(question.truth[:_LONGEST_TRUTH]))]
        if question.before:
            truth.append(lines["before"].format(told=one_line("; ".join(question.before))))
        return prompt("read_memory", self._language).fill(
            question=one_line(question.question), truth="\n".join(truth), answer=enclosed(answer)
        )
