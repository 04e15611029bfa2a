"""Refresh the summary without a model, from the facts that Think-in-Memory's rules form of a turn."""

from __future__ import annotations

from collections.abc import Sequence

from osler.language import Language, Speaker
from osler.language.answers import answer_opening
from osler.language.lexicon.drugs import drugs_in
from osler.language.questions import read_questions
from osler.language.reader import denies
from osler.language.times_and_values import time_finder, value_finder
from osler.language.words import alike, content, numbers, plain
from osler.memory.base import Change, Turn
from osler.memory.summary.entries import STATED, StructuredSummary, SummaryEntry, SummaryField
from osler.memory.tim.actions import Again, Insert, Supersede
from osler.memory.tim.corrections import arranged, marks_of
from osler.memory.tim.fact_lines import cut, topic_of
from osler.memory.tim.memory_bank import raw_text
from osler.memory.tim.rules_thoughts import question_topic, rules_thoughts
from osler.memory.tim.thought import PATIENT, Draft, Thought, ThoughtKind
from osler.prompts import phrases


class RulesRefresh:
    """Fills the fields by rules."""

    def __init__(self, language: Language, speaker: Speaker) -> None:
        """Know the language, and who answers."""
        self._language, self._speaker = language, speaker
        self._words = phrases("tim_lines", language) | phrases("summary_lines", language)

    def __call__(self, summary: StructuredSummary, turn: Turn, before: Turn | None) -> Change:
        """Take a turn into the summary; `before` is the turn before it."""
        drafts = rules_thoughts(turn, self._language, self._speaker)
        change = self._take_facts(summary, turn, drafts)
        self._take_question(summary, turn, is_answered=bool(drafts))
        if before is not None and turn.differential:
            self._take_differential(summary, turn, before)
        return change

    def _take_facts(self, summary: StructuredSummary, turn: Turn, drafts: Sequence[Draft]) -> Change:
        near = [
            thought_of(entry)
            for entry in summary.near(raw_text(turn), STATED)
            if entry.draft and entry.turns[-1] <= turn.number  # a turn that is taken in again replaces nothing newer
        ]
        added: list[SummaryEntry] = []
        superseded: list[str] = []
        for action in arranged(drafts, near, turn, self._language, self._speaker):
            match action:
                case Insert():
                    added.append(self._add(summary, action.draft, (turn.number,)))
                case Again() if action.id in summary:
                    old = summary[action.id]
                    summary.put(old.model_copy(update={"turns": (*old.turns, turn.number)}))
                case Supersede() if action.id in summary:
                    superseded.append(f"{summary[action.id].text} ({action.why})")
                    summary.drop(action.id)
        lines = tuple(f"{entry.field}: {entry.text}" for entry in added)
        return Change(inserted=lines, makers={"rules": len(lines)} if lines else {}, superseded=tuple(superseded))

    def _add(self, summary: StructuredSummary, draft: Draft, turns: tuple[int, ...]) -> SummaryEntry:
        return summary.add(self._field(draft), self._text(draft), turns, draft)

    def _field(self, draft: Draft) -> SummaryField:
        if draft.negated:
            return SummaryField.FACTS
        is_named = draft.kind is not ThoughtKind.MEDICINE or drugs_in(f"{topic_of(draft)} {draft.object}")
        if draft.is_protected and is_named:
            return SummaryField.CONSTRAINTS
        timeless = time_finder(self._language).sub(" ", draft.object)
        is_measured = topic_of(draft) or value_finder(self._language).search(timeless)
        return SummaryField.DATA if is_measured and numbers(timeless) else SummaryField.FACTS

    def _text(self, draft: Draft) -> str:
        """A fact in a few words; that the patient has or says it needs none, nor that a drug was asked for."""
        words, topic = self._words, topic_of(draft)
        topic = topic if drugs_in(topic) else cut(topic, self._language)
        is_denied = draft.negated and not denies(draft.object, self._language)
        said = words["no"].format(thing=draft.object) if is_denied else draft.object
        if draft.relation == words["may_have"]:
            said = words["with_subject"].format(subject=draft.relation, text=said)
        if draft.subject not in PATIENT and draft.subject not in topic:
            said = words["with_subject"].format(subject=draft.subject, text=said)
        said = words["when"].format(text=said, when=draft.reported) if draft.reported else said
        is_clear = not topic or (draft.asked and drugs_in(draft.object))
        return said if is_clear else words["answer"].format(topic=topic, text=said)

    def _take_question(self, summary: StructuredSummary, turn: Turn, *, is_answered: bool) -> None:
        """Note what was asked, and whether it is still open."""
        topic = question_topic(turn.question, self._language) if read_questions(turn.question, self._language) else ""
        if not topic:
            return
        asked = frozenset(content(topic, self._language))
        for field in (SummaryField.POINTS, SummaryField.OPEN):
            for entry in summary.of(field):
                if alike(asked, frozenset(content(entry.text, self._language))):
                    summary.drop(entry.id)
        summary.add(SummaryField.POINTS, topic, (turn.number,))
        if not is_answered and says_nothing(turn, self._language):
            summary.add(SummaryField.OPEN, topic, (turn.number,))

    def _take_differential(self, summary: StructuredSummary, turn: Turn, before: Turn) -> None:
        """Note the illnesses that the doctor no longer thinks of since the reply before, and what that was about."""
        thought = {plain(illness) for illness in turn.differential}
        excluded = {plain(entry.text): entry for entry in summary.of(SummaryField.EXCLUDED)}
        for level, entry in excluded.items():
            if any(level.startswith(illness) for illness in thought):
                summary.drop(entry.id)
        reason = question_topic(before.question, self._language)
        for illness in before.differential:
            if plain(illness) not in thought:
                text = self._words["excluded"].format(option=illness, reason=cut(reason, self._language))
                summary.add(SummaryField.EXCLUDED, text, (before.number,))


def says_nothing(turn: Turn, language: Language) -> bool:
    """Check whether a reply only leaves open what was asked."""
    opened, rest = answer_opening(turn.reply, language)
    return not turn.results and (opened == "unsure" or not turn.reply.strip()) and not content(rest, language)


def names_something(entry: SummaryEntry, language: Language) -> bool:
    """Check whether a fact that rules formed names a drug, or a thing that doctors ask about."""
    if entry.draft is None:
        return False
    marks = marks_of(f"{topic_of(entry.draft)} {entry.draft.object}", language)
    return bool(marks.things or marks.drugs)


def thought_of(entry: SummaryEntry) -> Thought:
    """The fact of an entry that rules formed, as a thought with its number and turns."""
    assert entry.draft is not None
    *also, turn = entry.turns
    return Thought(**vars(entry.draft), id=entry.id, turn=turn, also=tuple(also))
