"""Personas and biases by name: the factors of a persona, and how a setting's text is read."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.errors import UserError


class Personality(StrEnum):
    """How the patient deals with the doctor."""

    PLAIN = "plain"
    VERBOSE = "verbose"
    PLEASING = "pleasing"
    IMPATIENT = "impatient"
    DISTRUSTFUL = "distrustful"
    ANXIOUS = "anxious"


class SpeechLevel(StrEnum):
    """How well the patient uses the language."""

    A = "A"
    """Simple words and short sentences; medical words are not understood."""
    B = "B"
    """Everyday words."""
    C = "C"
    """An educated speaker, who knows some medical words."""


class HistoryRecall(StrEnum):
    """How well the patient remembers the history."""

    FULL = "full"
    VAGUE = "vague"
    """Half of it only vaguely."""
    POOR = "poor"
    """Much of it not at all, or only vaguely."""


class Honesty(StrEnum):
    """What the patient admits of habits."""

    OPEN = "open"
    PLAYS_DOWN = "plays_down"
    DENIES = "denies"


class Confusion(StrEnum):
    """How confused the patient is."""

    NONE = "none"
    SOME = "some"
    MUCH = "much"


class PersonaFactors(BaseModel):
    """A persona: each factor with one of its values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    personality: Personality = Personality.PLAIN
    language: SpeechLevel = SpeechLevel.B
    recall: HistoryRecall = HistoryRecall.FULL
    honesty: Honesty = Honesty.OPEN
    confusion: Confusion = Confusion.NONE

    @classmethod
    def of(cls, text: str) -> PersonaFactors:
        """Read `personality=distrustful,recall=vague`.

        Raises:
            UserError: There is no such factor, or it has no such value.
        """
        values: dict[str, str] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            factor, _, value = part.partition("=")
            values[factor.strip()] = value.strip()
        for factor, value in values.items():
            choices = _choices(factor)
            if not choices:
                raise UserError(
                    f"a persona has no factor {factor!r}",
                    f"give FACTOR=VALUE with one of {', '.join(cls.model_fields)}",
                )
            if value not in choices:
                raise UserError(
                    f"the persona's {factor} is {value!r}", f"give one of {', '.join(choices)}"
                )
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise UserError(f"{text!r} is no persona", "give FACTOR=VALUE") from error

    @property
    def only_speech(self) -> bool:
        """Whether every fact is told, however it is said."""
        return self.recall is HistoryRecall.FULL and self.honesty is Honesty.OPEN

    def __str__(self) -> str:
        """As a column names it: what is not the default, in the order of the factors."""
        default = PersonaFactors()
        named = [f"{name}={value}" for name, value in self if value != getattr(default, name)]
        return ",".join(named) or f"personality={self.personality}"


def _choices(factor: str) -> tuple[str, ...]:
    field = PersonaFactors.model_fields.get(factor)
    if field is None:
        return ()
    kind = type(field.default)
    return tuple(value.value for value in kind)


def persona_text(text: str) -> str:
    """Return a persona as columns name it; an empty text is the record's own."""
    return str(PersonaFactors.of(text)) if text.strip() else ""


_OF_BOTH = ("recency", "frequency", "false_consensus")
_OF_PEOPLE = ("sex", "origin", "education", "income", "religion", "orientation")
BIASES: dict[str, tuple[str, ...]] = {
    "doctor": (*_OF_BOTH, "confirmation", "anchoring", "status_quo", *_OF_PEOPLE),
    "patient": (*_OF_BOTH, "self_diagnosis", "mistrust", *_OF_PEOPLE),
}
"""The biases of each side, by name."""
NO_BIAS = "none"


def bias_text(text: str) -> str:
    """Check `SIDE:NAME`, or `none`, and return it.

    Raises:
        UserError: There is no such side or bias.
    """
    if text in ("", NO_BIAS):
        return NO_BIAS
    side, _, name = text.partition(":")
    if name in BIASES.get(side, ()):
        return text
    if side in BIASES:
        raise UserError(
            f"there is no bias {name!r} of the {side}", f"give one of {', '.join(BIASES[side])}"
        )
    raise UserError(
        f"{text!r} is no bias", "give none, doctor:NAME or patient:NAME, as doctor:confirmation"
    )


def bias_of(side: str, text: str) -> str | None:
    """Return the name of the bias if it is this side's."""
    of_side, _, name = text.partition(":")
    return name if of_side == side else None
