"""Post-think: after each turn, decide how the stored thoughts change. Three modes with the same output.

With a model, the thoughts and actions are the model's own (see `model_answer`): `one` asks it once a turn for new
thoughts and actions together; `paper` asks as the papers do, once for thoughts, once for what to forget, once for what
to merge. `rules` needs no model and is the only mode in which rules form or arrange thoughts. It is used if there is no
model or if it is asked for, never in place of a failed answer. In every mode, the illnesses that the doctor thinks of
are one thought, the newest.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from pydantic import BaseModel

from osler.language import Language, Speaker
from osler.memory.ask_model import ask_json
from osler.memory.base import MemorySettings, Thinker, Turn
from osler.memory.recall_text import dialogue_text, exchange_text, illnesses
from osler.memory.tim.actions import Action, ActionPlan, Again, Insert, Supersede
from osler.memory.tim.corrections import arranged
from osler.memory.tim.fact_lines import dated
from osler.memory.tim.model_answer import Everything, Forgets, Merges, ModelAnswer, Thoughts
from osler.memory.tim.rules_thoughts import rules_thoughts
from osler.memory.tim.thought import Draft, Thought, ThoughtStatus
from osler.prompts import phrases, prompt

_TWO = 2
"""Smallest number of thoughts at which one can contradict another, or be merged with it."""


PostThink = Callable[[Turn, Sequence[Thought], int], Awaitable[ActionPlan]]
"""Thinks about a finished turn: what should change, given thoughts that may be about the same things and the number of
the next one."""


class RulesThink:
    """Without a model: the reader of language finds the thoughts, rules arrange them."""

    def __init__(self, language: Language, speaker: Speaker = Speaker.PATIENT) -> None:
        """Know the language, and who answers."""
        self._language, self._speaker = language, speaker

    async def __call__(self, turn: Turn, near: Sequence[Thought], first: int) -> ActionPlan:
        """Return what should change."""
        said = [thought for thought in near if not thought.is_doctors]
        new = rules_thoughts(turn, self._language, self._speaker)
        actions = arranged(new, said, turn, self._language, self._speaker)
        return ActionPlan([*actions, *_doctors_own(turn, near, self._language)])


def _doctors_own(turn: Turn, near: Sequence[Thought], language: Language) -> list[Action]:
    """Replace what the doctor thought of before by what it thinks of now."""
    if not turn.differential:
        return []
    words = phrases("tim_lines", language)
    draft = Draft(
        subject=words["doctor"],
        relation=words["thinks"],
        object=illnesses(turn, language),
        is_doctors=True,
        inferred=True,
    )
    before = [one for one in near if one.is_doctors and one.status is ThoughtStatus.ACTIVE]
    if any(one.object == draft.object for one in before):
        return [Again(one.id) for one in before if one.object == draft.object]
    return [Insert(draft), *(Supersede(one.id, "the doctor thinks otherwise now") for one in before)]


class _ModelThink:
    """A model that forms and arranges the thoughts itself."""

    def __init__(self, settings: MemorySettings, thinker: Thinker, most: int) -> None:
        """Take a model, and the most tokens that it may answer with."""
        self._language, self._thinker, self._most = settings.language, thinker, most
        self._speaker, self._about = settings.speaker, settings.about

    async def _ask(self, name: str, schema: type[BaseModel], proposal: ModelAnswer, **slots: object) -> bool:
        """Ask the model and take its answer; return whether any answer could be read."""
        answer = await ask_json(self._thinker, name, self._language, schema, self._most, **slots)
        proposal.requests += answer.requests
        if answer.data is None:
            proposal.refuse_answer()
        else:
            proposal.take(answer.data)
        return answer.data is not None

    def _exchange(self, turn: Turn) -> dict[str, str]:
        """Return what the prompts for new thoughts say of an exchange: of a consultation, or of two people who talk.

        At an earlier visit nobody knew how the present one would begin.
        """
        words = phrases("tim_lines", self._language)
        said = turn.model_copy(update={"number": 0})
        text = dialogue_text([(said, exchange_text(said, self._language, self._speaker))], self._language)
        if turn.said_by:
            kind, names = "talk", {"asked_by": turn.asked_by or words["doctor"], "said_by": turn.said_by}
        else:
            kind, names = "consultation", {}
            if turn.number > 0 and self._about:
                text = f"{words['known'].format(about=self._about)}\n{text}"
        rules = prompt("tim_rules", self._language).fill(subject=words[f"subject_{kind}"].format(**names))
        return {"of": words[f"of_{kind}"].format(**names), "exchange": text, "rules": rules}


class OneThink(_ModelThink):
    """One structured request a turn. If neither the answer nor its repair can be read, the turn leaves no thought."""

    async def __call__(self, turn: Turn, near: Sequence[Thought], first: int) -> ActionPlan:
        """Return what should change."""
        proposal = _proposal(near, first)
        facts = numbered(proposal.shown, self._language)
        read = await self._ask("tim_think", Everything, proposal, **self._exchange(turn), facts=facts, first=first)
        proposal.is_unread = not read
        proposal.actions += _doctors_own(turn, near, self._language)
        return proposal


class PaperThink(_ModelThink):
    """The papers' separate requests: generate; then, on the group with its old and new thoughts, forget and merge."""

    async def __call__(self, turn: Turn, near: Sequence[Thought], first: int) -> ActionPlan:
        """Return what should change."""
        proposal = _proposal(near, first)
        read = await self._ask("tim_generate", Thoughts, proposal, **self._exchange(turn), first=first)
        proposal.is_unread = not read
        for name, schema in (("tim_forget", Forgets), ("tim_merge", Merges)):
            if read and len(proposal.shown) >= _TWO:
                await self._ask(name, schema, proposal, facts=numbered(proposal.shown, self._language))
        proposal.actions += _doctors_own(turn, near, self._language)
        return proposal


def _proposal(near: Sequence[Thought], first: int) -> ModelAnswer:
    """An answer that may name the thoughts that the model is shown: all but the doctor's own."""
    return ModelAnswer(shown={thought.id: thought for thought in near if not thought.is_doctors}, first=first)


def numbered(thoughts: Mapping[int, Draft], language: Language) -> str:
    """Thoughts with their numbers, for a prompt; what is protected shows its kind."""
    words = phrases("tim_lines", language)
    lines = []
    for number, thought in sorted(thoughts.items()):
        text = dated(thought, language)
        if thought.is_protected:
            text = words["marked"].format(text=text, kind=thought.kind)
        lines.append(words["numbered"].format(number=number, text=text))
    return "\n".join(lines) or words["nothing"]
