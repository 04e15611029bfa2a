"""The form that a model fills in about a reply, and the faults that follow from it.

The model says of each claim how it is supported and shows its words; what is a fault, and which, is
computed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel

from osler.eval.reader.ask_form import UnusableFormError
from osler.eval.reader.model_judge import check_quotes, one_line
from osler.language import Language
from osler.prompts import phrases
from osler.runs.reply_faults import ReplyFaults

LINES = "judge_patient_lines"
"""The prompt file with the words for what is wrong with a form."""


class ClaimSupport(StrEnum):
    """How a claim of a reply is supported by what the patient was given."""

    GIVEN = "given"
    HARMLESS = "harmless"
    """It claims nothing that could be wrong: `I can't say`, courtesy, a denial of what no entry
    tells of."""
    INVENTED = "invented"
    OPPOSITE = "opposite"
    """It says the opposite of a fact."""
    DIAGNOSIS = "diagnosis"
    """It gives the diagnosis away."""
    OTHER_LANGUAGE = "other language"


_NO_FAULT = frozenset({ClaimSupport.GIVEN, ClaimSupport.HARMLESS})


class RepliedClaim(BaseModel):
    """One thing that a reply says."""

    words: str
    """The reply's own words."""
    support: ClaimSupport
    fact: int
    """Number of the fact that supports it or that it contradicts, from 1; 0 if there is none."""


class PatientForm(BaseModel):
    """What a model finds in a reply."""

    claims: list[RepliedClaim]


def faults_of_form(
    form: PatientForm, reply: str, facts: Sequence[str], language: Language
) -> ReplyFaults:
    """Compute what is wrong with a reply.

    Args:
        form: What the model said of it.
        reply: The reply, as far as the model was shown it.
        facts: The names of the facts that the model was shown, in the order of their numbers.
        language: Of the consultation.

    Raises:
        UnusableFormError: The words of a fault do not stand in the reply, or it contradicts a fact
            that does not exist.
    """
    faulty = [claim for claim in form.claims if claim.support not in _NO_FAULT]
    check_quotes((claim.words for claim in faulty), reply, language)
    opposites = [claim for claim in faulty if claim.support is ClaimSupport.OPPOSITE]
    if unknown := [claim for claim in opposites if not 0 < claim.fact <= len(facts)]:
        told = phrases(LINES, language)["fact"]
        raise UnusableFormError(
            [told.format(words=one_line(claim.words), number=claim.fact) for claim in unknown]
        )

    def words(support: ClaimSupport) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(one_line(claim.words) for claim in faulty if claim.support is support)
        )

    return ReplyFaults(
        leaks=words(ClaimSupport.DIAGNOSIS),
        fabrications=words(ClaimSupport.INVENTED),
        contradictions=tuple(
            dict.fromkeys(
                f"{one_line(claim.words)} ≠ {facts[claim.fact - 1]}" for claim in opposites
            )
        ),
        other_language=words(ClaimSupport.OTHER_LANGUAGE),
    )
