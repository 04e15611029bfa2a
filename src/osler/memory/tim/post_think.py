"""Post-think: after each turn, decide how the stored thoughts change.

Three modes with the same output.

With a model, the thoughts and actions are the model's own (see `model_answer`): `one` asks it once
a turn for new thoughts and actions together; `paper` asks as the papers do, once for thoughts, once
for what to forget, once for what to merge. `rules` needs no model and is the only mode in which
rules form thoughts. It is used if there is no model or if it is asked for, never in place of a
failed answer. Rules cannot read what an answer corrects: only a fact that is told once more, or
denied, in exactly the same words stays one thought, and every other old thought stays beside the
new one. In every mode, the illnesses that the doctor thinks of are one thought, the newest.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from pydantic import BaseModel

from osler.language import Language, Speaker
from osler.memory.base import MemorySettings, Thinker, Turn
from osler.memory.core.ask_model import ask_json
from osler.memory.core.fact import Fact, FactKind, FactStatus
from osler.memory.core.fact_lines import dated
from osler.memory.core.recall_text import dialogue_text, exchange_text, illnesses
from osler.memory.core.rules_facts import rules_facts
from osler.memory.tim.actions import Action, ActionPlan, Again, Insert, Supersede
from osler.memory.tim.model_answer import Everything, Forgets, Merges, ModelAnswer, Thoughts
from osler.memory.tim.thought_space import ThoughtSpace
from osler.prompts import phrases, prompt

_TWO = 2
"""Smallest number of thoughts at which one can contradict another, or be merged with it."""


PostThink = Callable[[Turn, Sequence[Fact], int], Awaitable[ActionPlan]]
"""Thinks about a finished turn: what should change, given thoughts that may be about the same
things and the number of the next one."""


def plan_by_rules(turn: Turn, space: ThoughtSpace, speaker: Speaker) -> ActionPlan:
    """Return what should change where no model thinks.

    A fact that an active thought tells in the same words was only told again. A fact that takes the
    place of one is that very one, denied or affirmed. Every other fact is new.
    """
    plan = ActionPlan()
    for fact in rules_facts(turn, space.language, speaker):
        if same := space.same_as(fact):
            plan.actions.append(Again(same.id))
            continue
        plan.actions.append(Insert(fact))
        if opposite := space.same_as(fact.opposite):
            plan.actions.append(Supersede(opposite.id, "the opposite is said now"))
    plan.actions += _doctors_own(turn, space.doctors_own, space.language)
    return plan


def _doctors_own(turn: Turn, near: Sequence[Fact], language: Language) -> list[Action]:
    """Replace what the doctor thought of before by what it thinks of now."""
    if not turn.differential:
        return []
    words = phrases("tim_lines", language)
    fact = Fact(
        subject=words["doctor"],
        relation=words["thinks"],
        object=illnesses(turn, language),
        is_doctors=True,
        inferred=True,
    )
    before = [
        thought for thought in near if thought.is_doctors and thought.status is FactStatus.ACTIVE
    ]
    same = [thought for thought in before if thought.object == fact.object]
    if same:
        return [Again(thought.id) for thought in same]
    why = "the doctor thinks otherwise now"
    return [Insert(fact), *(Supersede(thought.id, why) for thought in before)]


class _ModelThink:
    """A model that forms and arranges the thoughts itself."""

    def __init__(
        self, settings: MemorySettings, thinker: Thinker, most: int, inferences: bool = True
    ) -> None:
        """Take a model, the most tokens that it may answer with, and whether it may infer."""
        self._language, self._thinker, self._most = settings.language, thinker, most
        self._inferences = inferences
        self._speaker, self._about = settings.speaker, settings.about

    async def _ask(
        self, name: str, schema: type[BaseModel], answer: ModelAnswer, **slots: object
    ) -> bool:
        """Ask the model and add its reply to its answer; return whether it could be read."""
        reply = await ask_json(self._thinker, name, self._language, schema, self._most, **slots)
        answer.requests += reply.requests
        if reply.data is None:
            answer.refuse_answer()
            return False
        answer.take(reply.data)
        return True

    @property
    def _merging(self) -> str:
        """What the basis of a merged thought is, for a prompt."""
        words = phrases("tim_lines", self._language)
        return words["merging_on" if self._inferences else "merging_off"]

    def _empty_answer(self, near: Sequence[Fact], first: int) -> ModelAnswer:
        """An answer to fill: it may name the thoughts shown, all but the doctor's own."""
        shown = {thought.id: thought for thought in near if not thought.is_doctors}
        return ModelAnswer(shown=shown, first=first, allows_inferences=self._inferences)

    def _exchange_slots(self, turn: Turn) -> dict[str, str]:
        """Return the slots of the prompts for new thoughts that depend on the exchange.

        They are `of` (what the exchange is a part of: a consultation, or a talk of two people with
        names), `exchange` (its words) and `rules` (how to write thoughts of whom).
        """
        words = phrases("tim_lines", self._language)
        # A turn without a number is told without it: numbers in these prompts are of thoughts.
        unnumbered = turn.model_copy(update={"number": 0})
        lines = exchange_text(unnumbered, self._language, self._speaker)
        text = dialogue_text([(unnumbered, lines)], self._language)
        if turn.said_by:
            kind = "talk"
            names = {"asked_by": turn.asked_by or words["doctor"], "said_by": turn.said_by}
        else:
            kind, names = "consultation", {}
            # At an earlier visit nobody knew how the present one would begin.
            if turn.number > 0 and self._about:
                text = f"{words['known'].format(about=self._about)}\n{text}"
        subject = words[f"subject_{kind}"].format(**names)
        rules = prompt("tim_rules", self._language).fill(
            subject=subject,
            kinds=words[f"kinds_{kind}"],
            inferences=words["inferences_on" if self._inferences else "inferences_off"],
        )
        return {"of": words[f"of_{kind}"].format(**names), "exchange": text, "rules": rules}


class OneThink(_ModelThink):
    """One structured request a turn.

    If neither the answer nor its repair can be read, the turn leaves no thought.
    """

    async def __call__(self, turn: Turn, near: Sequence[Fact], first: int) -> ActionPlan:
        """Return what should change."""
        answer = self._empty_answer(near, first)
        slots = {
            **self._exchange_slots(turn),
            "facts": numbered(answer.shown, self._language),
            "merging": self._merging,
        }
        is_read = await self._ask("tim_think", Everything, answer, **slots, first=first)
        answer.is_unread = not is_read
        answer.actions += _doctors_own(turn, near, self._language)
        return answer


class PaperThink(_ModelThink):
    """The papers' separate requests: generate.

    Then, on the group with its old and new thoughts, forget and merge.
    """

    async def __call__(self, turn: Turn, near: Sequence[Fact], first: int) -> ActionPlan:
        """Return what should change."""
        answer = self._empty_answer(near, first)
        slots = self._exchange_slots(turn)
        is_read = await self._ask("tim_generate", Thoughts, answer, **slots, first=first)
        answer.is_unread = not is_read
        organizer: list[tuple[str, type[BaseModel], dict[str, str]]] = [
            ("tim_forget", Forgets, {}),
            ("tim_merge", Merges, {"merging": self._merging}),
        ]
        for name, schema, more in organizer:
            if is_read and len(answer.shown) >= _TWO:
                facts = numbered(answer.shown, self._language)
                await self._ask(name, schema, answer, facts=facts, **more)
        answer.actions += _doctors_own(turn, near, self._language)
        return answer


def numbered(thoughts: Mapping[int, Fact], language: Language) -> str:
    """Thoughts with their numbers, kinds and days, for a prompt."""
    words = phrases("tim_lines", language)
    lines = []
    for number, thought in sorted(thoughts.items()):
        text = dated(thought, language)
        if thought.kind is not FactKind.OTHER:
            text = words["marked"].format(text=text, kind=thought.kind)
        day = thought.at.date().isoformat() if thought.at else ""
        if day and day not in text:
            text = words["said"].format(text=text, when=words["told"].format(day=day))
        lines.append(words["numbered"].format(number=number, text=text))
    return "\n".join(lines) or words["nothing"]
