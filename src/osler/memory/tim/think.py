"""Post-think: from a finished turn to what should change in the space. Three ways, one form.

`rules` needs no model. `one` asks a model once a turn for new thoughts and actions together. `paper` asks as the papers
do: once for thoughts, once for what to forget, once for what to merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel, Field

from osler.loosejson import json_begun
from osler.memory.base import Thinker, Turn
from osler.memory.tim.arrange import Action, Forget, Merge, Supersede, arrange
from osler.memory.tim.extract import of_whom, think
from osler.memory.tim.faithful import as_said, said_once
from osler.memory.tim.plan import Plan, permitted
from osler.memory.tim.thought import Draft, Thought
from osler.prompts import prompt
from osler.records.language import Language
from osler.records.schema import Speaker

_TOKENS = 400
_MOST = 12
"""Thoughts one turn can give: more is a model going round in circles."""
_LONGEST = 160


class PostThink(Protocol):
    """A way to think about a finished turn."""

    async def __call__(self, turn: Turn, near: Sequence[Thought]) -> Plan:
        """What should change, given the thoughts that may be about the same things."""
        ...


class RulesThink:
    """Without a model: patterns form the thoughts, rules arrange them."""

    def __init__(self, language: Language, speaker: Speaker = Speaker.PATIENT) -> None:
        """Know the language, and who answers."""
        self._language, self._speaker = language, speaker

    async def __call__(self, turn: Turn, near: Sequence[Thought]) -> Plan:
        """What should change."""
        return Plan(arrange(think(turn, self._language, self._speaker), list(near), turn.number, self._language))


class _Triple(BaseModel):
    subject: str
    relation: str
    object: str
    negated: bool
    when: str


class _Gone(BaseModel):
    id: int
    why: str


class _Joined(BaseModel):
    ids: list[int]
    subject: str
    relation: str
    object: str


class _Everything(BaseModel):
    thoughts: list[_Triple] = Field(max_length=_MOST)
    forget: list[_Gone]
    merge: list[_Joined]


class _Thoughts(BaseModel):
    thoughts: list[_Triple] = Field(max_length=_MOST)


class _Forgets(BaseModel):
    forget: list[_Gone]


class _Merges(BaseModel):
    merge: list[_Joined]


class ModelThink:
    """One structured request a turn. What the model leaves out of the turn, or gets wrong, the rules make good."""

    def __init__(self, language: Language, thinker: Thinker, speaker: Speaker = Speaker.PATIENT) -> None:
        """Take a model."""
        self._language, self._thinker, self._speaker = language, thinker, speaker

    async def __call__(self, turn: Turn, near: Sequence[Thought]) -> Plan:
        """What should change."""
        template = prompt("tim_think", self._language)
        said = await self._thinker(
            template,
            template.fill(question=turn.question, reply=turn.reply, facts=numbered(near, self._language)),
            _Everything,
            _TOKENS,
        )
        data = json_begun(said or "")
        if data is None:
            plan = await RulesThink(self._language, self._speaker)(turn, near)
            return Plan(plan.actions, 1, ("the answer could not be read",), 1)
        drafts = _drafts(data, turn, self._language, self._speaker)
        actions = _settled(drafts, _changes(data), turn, near, self._language)
        return _checked(actions, near, turn, self._language, requests=1, proposed=_count(data))


class PaperThink:
    """Separate requests: generate, forget, merge."""

    def __init__(self, language: Language, thinker: Thinker, speaker: Speaker = Speaker.PATIENT) -> None:
        """Take a model."""
        self._language, self._thinker, self._speaker = language, thinker, speaker

    async def __call__(self, turn: Turn, near: Sequence[Thought]) -> Plan:
        """What should change."""
        first = await self._ask("tim_generate", _Thoughts, question=turn.question, reply=turn.reply)
        who = self._language, self._speaker
        drafts = _drafts(first, turn, *who) if first is not None else think(turn, *who)
        requests, unread = 1, () if first is not None else ("the answer could not be read",)
        changes: list[Action] = []
        proposed = _count(first or {})
        if near:
            # Numbers of their own for what has none yet: only what is already there can be named.
            facts = numbered(near, self._language)
            for name, schema in (("tim_forget", _Forgets), ("tim_merge", _Merges)):
                data = await self._ask(name, schema, facts=facts)
                requests += 1
                changes += _changes(data or {})
                proposed += _count(data or {})
        actions = _settled(drafts, changes, turn, near, self._language)
        plan = _checked(actions, near, turn, self._language, requests=requests, proposed=proposed)
        return Plan(plan.actions, requests, plan.refused + unread, proposed + len(unread))

    async def _ask(self, name: str, schema: type[BaseModel], **slots: str) -> dict[str, Any] | None:
        template = prompt(name, self._language)
        return json_begun(await self._thinker(template, template.fill(**slots), schema, _TOKENS) or "")


def numbered(thoughts: Sequence[Thought], language: Language) -> str:
    """Thoughts with their numbers, for a prompt."""
    nothing = "(none)" if language is Language.EN else "（没有）"
    return "\n".join(f"#{thought.id} {thought.triple}" for thought in thoughts) or nothing


def _checked(
    actions: list[Action], near: Sequence[Thought], turn: Turn, language: Language, *, requests: int, proposed: int
) -> Plan:
    kept, refused = permitted(actions, {thought.id: thought for thought in near}, turn.number, language)
    return Plan(kept, requests, refused, proposed)


def _settled(
    drafts: list[Draft], changes: list[Action], turn: Turn, near: Sequence[Thought], language: Language
) -> list[Action]:
    """Every draft put in by the rules of arrangement, so that repeats and corrections are seen; then the changes."""
    arranged = arrange(drafts, list(near), turn.number, language)
    touched = {action.old_id for action in arranged if isinstance(action, Supersede)}
    touched |= {action.id for action in arranged if isinstance(action, Forget)}
    touched |= {number for action in arranged if isinstance(action, Merge) for number in action.ids}
    others = [
        action
        for action in changes
        if not (isinstance(action, Forget) and action.id in touched)
        and not (isinstance(action, Merge) and touched & set(action.ids))
    ]
    return [*arranged, *others]


def _drafts(data: dict[str, Any], turn: Turn, language: Language, speaker: Speaker) -> list[Draft]:
    """A model's thoughts that were said, and the rules' own for what it left out or got wrong."""
    heard = think(turn, language, speaker)
    proposed = [as_said(_draft(row), turn, heard, language) for row in _rows(data, "thoughts")[:_MOST]]
    said = of_whom([draft for draft in proposed if draft], turn.question, speaker, language)
    return said_once(said, heard, language)


def _draft(row: dict[str, Any]) -> Draft:
    subject, relation, object_, when = (
        " ".join(str(row.get(name) or "").split())[:_LONGEST] for name in ("subject", "relation", "object", "when")
    )
    return Draft(subject=subject, relation=relation, object=object_, negated=row.get("negated") is True, reported=when)


def _changes(data: dict[str, Any]) -> list[Action]:
    actions: list[Action] = [
        Forget(id=row["id"], why=str(row.get("why") or "")[:_LONGEST])
        for row in _rows(data, "forget")
        if isinstance(row.get("id"), int) and row["id"] > 0
    ]
    for row in _rows(data, "merge"):
        named = row.get("ids")
        listed = named if isinstance(named, list) else ()
        ids = dict.fromkeys(number for number in listed if isinstance(number, int) and number > 0)
        if ids:
            draft = Draft(
                subject=str(row.get("subject") or "")[:_LONGEST],
                relation=str(row.get("relation") or "")[:_LONGEST],
                object=str(row.get("object") or "")[:_LONGEST],
            )
            actions.append(Merge(ids=tuple(ids), draft=draft, why="said as one"))
    return actions


def _rows(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = data.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _count(data: dict[str, Any]) -> int:
    return sum(len(_rows(data, key)) for key in ("thoughts", "forget", "merge"))
