"""Check a model's proposals after a turn: taken unchanged, or refused for their form.

A thought is refused if it is empty, too long or one too many; an action, if it names a thought that
the model was not shown or that is gone by then. Allergies, medicines, pregnancy and conditions, as
the model itself marks them, are forgotten only for a new thought that the action names, and merged
only into one of their kind. What was inferred stays inferred when it is merged, unless the model
names a stated part that says the same. Without inferences, what the model infers is refused.
Nothing else is judged, and nothing is reworded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from osler.memory.core.ask_model import LONGEST, UNREAD
from osler.memory.core.fact import Fact, FactKind
from osler.memory.tim.actions import ActionPlan, Again, Forget, Insert, Merge, Supersede

MOST = 30
"""Thoughts that one turn can give: more is a model going round in circles."""
_SHOWN = 60
"""Characters of a refused thought that its refusal shows."""
_NUMBER = re.compile(r"\s*#?(\d+)\s*")


class _Triple(BaseModel):
    subject: str
    relation: str
    object: str
    negated: bool
    when: str
    kind: Literal[
        "allergy", "medicine", "pregnancy", "condition", "open", "deciding", "other", "trivial"
    ]
    basis: Literal["stated", "inferred", "not known"]


class _Numbered(BaseModel):
    id: int


class _Parts(BaseModel):
    ids: list[int]


class _NewThought(_Triple, _Numbered):
    """The fields of the last class come first."""


class _Gone(_Numbered):
    by: int
    why: str


class _Joined(_Triple, _Parts):
    same_as: int
    why: str


class Thoughts(BaseModel):
    """The form of the generator's answer."""

    thoughts: list[_NewThought] = Field(max_length=MOST)


class Forgets(BaseModel):
    """The form of the organizer's answer on what to forget."""

    forget: list[_Gone]


class Merges(BaseModel):
    """The form of the organizer's answer on what to merge."""

    merge: list[_Joined]


class Everything(Merges, Forgets, Thoughts):
    """The form of all three answers in one, and what was said again."""

    again: list[int]


class _Refusal(Exception):
    """Why something that a model proposed is not done."""


@dataclass(kw_only=True)
class ModelAnswer(ActionPlan):
    """A model's thoughts and actions after a turn, and the reasons against those refused."""

    shown: dict[int, Fact]
    """The thoughts that actions can name, by number: those shown to the model and, once taken, its
    new ones."""
    first: int
    """The number of its first new thought."""
    allows_inferences: bool = True
    """Whether thoughts are taken that nobody said."""
    _model_numbers: dict[int, int | None] = field(default_factory=dict)
    """For each number that the model gave a new thought of its own, the number in the ledger; None
    if the thought was refused."""

    def refuse_answer(self) -> None:
        """Note that an answer could not be read."""
        self.proposed += 1
        self.refused.append(UNREAD)

    def take(self, answer: Mapping[str, Any]) -> None:
        """Take what an answer proposes: new thoughts first, so that the actions can name them."""
        for key, take_row in (
            ("thoughts", self._insert),
            ("forget", self._forget),
            ("merge", self._merge),
        ):
            for place, row in enumerate(_rows(answer, key)):
                self.proposed += 1
                try:
                    if not isinstance(row, dict):
                        raise _Refusal(f"not in the form that was asked for: {_cut(row)}")
                    take_row(row, place)
                except _Refusal as refusal:
                    self.refused.append(str(refusal))
        # What is said again and forgotten or merged at once is gone by then.
        for value in _rows(answer, "again"):
            self.proposed += 1
            try:
                self._say_again(value)
            except _Refusal as refusal:
                self.refused.append(str(refusal))

    def _insert(self, row: dict[str, Any], place: int) -> None:
        model_number = _number(row.get("id")) or 0
        if model_number < self.first or model_number in self._model_numbers:
            model_number = self.first + place  # a model that gives no numbers counts its thoughts
        # Refused until it is taken below, so that no action can name it if this raises.
        self._model_numbers.setdefault(model_number, None)
        fact = _fact_of(row)
        self._check_basis(fact)
        if sum(isinstance(action, Insert) for action in self.actions) >= MOST:
            raise _Refusal(f"more than {MOST} thoughts in a turn: {_cut(fact.triple)}")
        number = self._next_number
        self._model_numbers[model_number] = number
        self.shown[number] = fact
        self.actions.append(Insert(fact))

    def _say_again(self, value: object) -> None:
        number = self._resolved(value)
        if number >= self.first:
            raise _Refusal(f"#{number} is new")
        if not _is_stated(self.shown[number]):
            raise _Refusal(f"#{number} was never said: what is said now is a new thought")
        self.actions.append(Again(number))

    def _forget(self, row: dict[str, Any], _: int) -> None:
        number = self._resolved(row.get("id"))
        by = self._resolved(row["by"]) if _number(row.get("by")) else None
        if by == number:
            raise _Refusal(f"#{number} cannot take its own place")
        # Any thought gives way to a new one that comes after it. To one that was there before, a
        # protected thought gives way only if that is newer and of its kind.
        newer: Fact | None = None
        is_by_new = False
        if by is not None and by > number:
            newer, is_by_new = self.shown[by], by >= self.first
        if not is_by_new:
            self._check_kind(number, newer)
        del self.shown[number]
        why = _why(row, "no reason was given")
        self.actions.append(Forget(number, why) if by is None else Supersede(number, why, by))

    def _merge(self, row: dict[str, Any], _: int) -> None:
        listed = row.get("ids")
        parts = listed if isinstance(listed, list) else []
        numbers = tuple(dict.fromkeys(map(self._resolved, parts)))
        if len(numbers) < 2:
            raise _Refusal("a merge of fewer than two thoughts")
        fact = self._with_basis_of_parts(_fact_of(row), numbers, row.get("same_as"))
        self._check_basis(fact)
        for number in numbers:
            self._check_kind(number, fact)
            self._check_stays_stated(number, fact)
        for number in numbers:
            del self.shown[number]
        self.actions.append(Merge(numbers, fact, _why(row, "said as one")))

    def _with_basis_of_parts(self, fact: Fact, numbers: Sequence[int], same_as: object) -> Fact:
        """Return a merged thought that is inferred, or not known, if its parts make it so.

        An inferred part makes the whole inferred, unless `same_as` is the number of a stated part.
        """
        parts = [self.shown[number] for number in numbers]
        has_inferred = any(part.inferred for part in parts)
        number = _number(same_as)
        named = self._model_numbers.get(number, number) if number else None
        is_said = any(part == named and _is_stated(self.shown[part]) for part in numbers)
        inferred = fact.inferred or (has_inferred and not is_said)
        unknown = fact.unknown or all(part.unknown for part in parts)
        return fact.model_copy(update={"inferred": inferred, "unknown": unknown and not inferred})

    def _check_basis(self, fact: Fact) -> None:
        """Refuse what nobody said if inferences are off."""
        if fact.inferred and not self.allows_inferences:
            raise _Refusal(f"inferences are off: {_cut(fact.triple)}")

    def _check_stays_stated(self, number: int, whole: Fact) -> None:
        """Refuse that a protected thought that somebody said becomes one that nobody said."""
        part = self.shown[number]
        if part.is_protected and _is_stated(part) and not _is_stated(whole):
            raise _Refusal(
                f"#{number} ({part.kind}) was stated and cannot become a part of what was not:"
                f" {_cut(part.triple)}"
            )

    @property
    def _next_number(self) -> int:
        """The number that the next thought gets in the ledger."""
        return self.first + sum(isinstance(action, Insert | Merge) for action in self.actions)

    def _resolved(self, value: object) -> int:
        """Return the number in the ledger of the thought that a model means."""
        number = _number(value)
        if number is None:
            raise _Refusal(f"no number: {_cut(value)}")
        # A number that the model gave no thought of its own is one that it was shown.
        in_ledger = self._model_numbers.get(number, number)
        if in_ledger is None or in_ledger not in self.shown:
            raise _Refusal(f"there is no thought #{number}")
        return in_ledger

    def _check_kind(self, number: int, newer: Fact | None) -> None:
        """Refuse that a protected thought gives way to nothing, or to one of another kind."""
        old = self.shown[number]
        if old.is_protected and (newer is None or newer.kind is not old.kind):
            raise _Refusal(
                f"#{number} ({old.kind}) gives way only to a new thought, or to a newer one of its"
                f" kind: {_cut(old.triple)}"
            )


def _fact_of(row: Mapping[str, Any]) -> Fact:
    """Return a thought as the model wrote it.

    Only line breaks and doubled spaces go, since it has to fit a line.
    """
    subject, relation, object_, when = (
        _text(row.get(name)) for name in ("subject", "relation", "object", "when")
    )
    basis = _text(row.get("basis")).lower().replace("_", " ")
    fact = Fact(
        subject=subject,
        relation=relation,
        object=object_,
        denied=_is_true(row.get("negated")),
        reported=when,
        is_by_model=True,
        kind=_kind(row.get("kind")),
        inferred=basis == "inferred",
        unknown=basis == "not known",
    )
    if not any(map(str.isalnum, relation + object_)):
        raise _Refusal("the thought is empty")
    if (length := len(fact.triple) + len(when)) > LONGEST:
        raise _Refusal(f"the thought is too long ({length} characters): {_cut(fact.triple)}")
    return fact


def _rows(answer: Mapping[str, Any], key: str) -> list[Any]:
    rows = answer.get(key)
    return rows if isinstance(rows, list) else []


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else " ".join(str(value).split())


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def _is_stated(fact: Fact) -> bool:
    return not (fact.inferred or fact.unknown)


def _kind(value: object) -> FactKind:
    level = _text(value).lower()
    return FactKind(level) if level in set(FactKind) else FactKind.OTHER


def _number(value: object) -> int | None:
    """Parse a number as models write it: 3, "3" or "#3"."""
    match = _NUMBER.fullmatch(str(value))
    return int(match[1]) if match else None


def _why(row: Mapping[str, Any], otherwise: str) -> str:
    return _text(row.get("why"))[:LONGEST] or otherwise


def _cut(value: object) -> str:
    text = _text(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
