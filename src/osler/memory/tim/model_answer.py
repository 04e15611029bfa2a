"""Check a model's proposals after a turn: taken unchanged, or refused for their form.

A thought is refused if it is empty, too long or one too many; an action, if it names a thought that the model was not
shown or that is gone by then. Allergies, medicines, pregnancy and conditions, as the model itself marks them, are
forgotten only for a new thought that the action names, and merged only into one of their kind. Nothing else is judged,
and nothing is reworded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, Field

from osler.memory.tim.actions import ActionPlan, Forget, Insert, Merge, Supersede
from osler.memory.tim.thought import Draft, ThoughtKind

MOST = 30
"""Thoughts that one turn can give: more is a model going round in circles."""
LONGEST = 400
"""Characters of a thought, and of a reason."""
UNREAD = "the answer could not be read"
_SHOWN = 60
"""Characters of a refused thought that its refusal shows."""
_NUMBER = re.compile(r"\s*#?(\d+)\s*")


class _Triple(BaseModel):
    subject: str
    relation: str
    object: str
    negated: bool
    when: str
    kind: Literal["allergy", "medicine", "pregnancy", "condition", "other"]
    inferred: bool


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
    """The form of all three answers in one."""


class _Refusal(Exception):
    """Why something that a model proposed is not done."""


@dataclass(kw_only=True)
class ModelAnswer(ActionPlan):
    """A model's thoughts and actions after one turn, as far as they were taken, and the reasons against the rest."""

    shown: dict[int, Draft]
    """The thoughts that actions can name, by number: those shown to the model and, once taken, its new ones."""
    first: int
    """The number of its first new thought."""
    _names: dict[int, int | None] = field(default_factory=dict)
    """The numbers by which the model calls its new thoughts, and those they got, or none if one was refused."""

    def refuse_answer(self) -> None:
        """Note that an answer could not be read."""
        self.proposed += 1
        self.refused.append(UNREAD)

    def take(self, answer: Mapping[str, Any]) -> None:
        """Take what an answer proposes: new thoughts first, so that the actions can name them."""
        for key, take_row in (("thoughts", self._insert), ("forget", self._forget), ("merge", self._merge)):
            rows = answer.get(key)
            for place, row in enumerate(rows if isinstance(rows, list) else ()):
                self.proposed += 1
                try:
                    if not isinstance(row, dict):
                        raise _Refusal(f"not in the form that was asked for: {_cut(row)}")
                    take_row(row, place)
                except _Refusal as refusal:
                    self.refused.append(str(refusal))

    def _insert(self, row: dict[str, Any], place: int) -> None:
        name = _number(row.get("id"))
        if name is None or name < self.first or name in self._names:
            name = self.first + place  # a model that does not number its thoughts counts them
        self._names.setdefault(name, None)
        draft = _draft(row)
        if sum(isinstance(action, Insert) for action in self.actions) >= MOST:
            raise _Refusal(f"more than {MOST} thoughts in a turn: {_cut(draft.triple)}")
        self._names[name] = self._next
        self.shown[self._next] = draft
        self.actions.append(Insert(draft))

    def _forget(self, row: dict[str, Any], _: int) -> None:
        number = self._named(row.get("id"))
        by = self._named(row["by"]) if _number(row.get("by")) else None
        if by == number:
            raise _Refusal(f"#{number} cannot take its own place")
        newer = by if by is not None and by > number else None
        if newer is None or newer < self.first:
            self._check_kind(number, None if newer is None else self.shown[newer])
        del self.shown[number]
        why = _why(row, "no reason was given")
        self.actions.append(Forget(number, why) if by is None else Supersede(number, why, by))

    def _merge(self, row: dict[str, Any], _: int) -> None:
        listed = row.get("ids")
        numbers = tuple(dict.fromkeys(self._named(one) for one in (listed if isinstance(listed, list) else ())))
        if len(numbers) < 2:
            raise _Refusal("a merge of fewer than two thoughts")
        draft = _draft(row)
        if all(self.shown[number].inferred for number in numbers):
            draft = draft.model_copy(update={"inferred": True})
        for number in numbers:
            self._check_kind(number, draft)
        for number in numbers:
            del self.shown[number]
        self.actions.append(Merge(numbers, draft, _why(row, "said as one")))

    @property
    def _next(self) -> int:
        """The number that the next thought gets in the ledger."""
        return self.first + sum(isinstance(action, Insert | Merge) for action in self.actions)

    def _named(self, value: object) -> int:
        """Return the thought that a model means by a number."""
        number = _number(value)
        found = self._names.get(number, number) if number is not None else None
        if found is None or found not in self.shown:
            raise _Refusal(f"there is no thought #{number}" if number is not None else f"no number: {_cut(value)}")
        return found

    def _check_kind(self, number: int, newer: Draft | None) -> None:
        """Refuse that a protected thought gives way to nothing, or to an older thought or one of another kind."""
        old = self.shown[number]
        if old.is_protected and (newer is None or newer.kind is not old.kind):
            raise _Refusal(
                f"#{number} ({old.kind}) gives way only to a new thought, or to a newer one of its kind: "
                f"{_cut(old.triple)}"
            )


def _draft(row: Mapping[str, Any]) -> Draft:
    """Return a thought as the model wrote it; only line breaks and doubled spaces go, since it has to fit a line."""
    subject, relation, object_, when = (_text(row.get(name)) for name in ("subject", "relation", "object", "when"))
    draft = Draft(
        subject=subject,
        relation=relation,
        object=object_,
        negated=_is_true(row.get("negated")),
        reported=when,
        is_by_model=True,
        kind=_kind(row.get("kind")),
        inferred=_is_true(row.get("inferred")),
    )
    if not any(map(str.isalnum, relation + object_)):
        raise _Refusal("the thought is empty")
    if (length := len(draft.triple) + len(when)) > LONGEST:
        raise _Refusal(f"the thought is too long ({length} characters): {_cut(draft.triple)}")
    return draft


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else " ".join(str(value).split())


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def _kind(value: object) -> ThoughtKind:
    level = _text(value).lower()
    return ThoughtKind(level) if level in set(ThoughtKind) else ThoughtKind.OTHER


def _number(value: object) -> int | None:
    """Parse a number as models write it: 3, "3" or "#3"."""
    found = _NUMBER.fullmatch(str(value))
    return int(found[1]) if found else None


def _why(row: Mapping[str, Any], otherwise: str) -> str:
    return _text(row.get("why"))[:LONGEST] or otherwise


def _cut(value: object) -> str:
    text = _text(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
