"""Refresh the summary without a model, from the facts that rules form of a turn."""

from __future__ import annotations

from collections.abc import Sequence

from osler.language import Language, Speaker
from osler.language.answers import answer_opening
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import things
from osler.language.lexicon.thesaurus import QUALITIES
from osler.language.questions import read_questions
from osler.language.reader import denies
from osler.language.times_and_values import time_finder, value_finder
from osler.language.words import alike, content, numbers, plain
from osler.memory.base import Change, Turn
from osler.memory.core.fact import PATIENT, Fact, FactKind
from osler.memory.core.fact_lines import cut, topic_of
from osler.memory.core.rules_facts import question_topic, rules_facts
from osler.memory.summary.entries import StructuredSummary, SummaryEntry, SummaryField
from osler.prompts import phrases

_BROAD = QUALITIES | {
    "medicines",
    "past-illnesses",
    "family-illnesses",
    "marriage",
    "children",
    "hospital-stays",
    "work",
    "none",
    "other",
    "reassurance",
    "plan-consent",
    "paperwork",
    "comfort",
    "associated-symptoms",
    "second-opinion",
    "expectations",
    "worries",
    "own-idea",
}
"""Concepts that many unlike things belong to."""


class RulesRefresh:
    """Fills the fields by rules."""

    def __init__(self, language: Language, speaker: Speaker) -> None:
        """Know the language, and who answers."""
        self._language = language
        self._speaker = speaker
        self._words = phrases("tim_lines", language) | phrases("summary_lines", language)

    def __call__(self, summary: StructuredSummary, turn: Turn, before: Turn | None) -> Change:
        """Take a turn into the summary; `before` is the turn before it."""
        facts = rules_facts(turn, self._language, self._speaker)
        change = self._take_facts(summary, turn, facts)
        self._take_question(summary, turn, is_answered=bool(facts))
        if before is not None and turn.differential:
            self._take_differential(summary, turn, before)
        return change

    def _take_facts(self, summary: StructuredSummary, turn: Turn, facts: Sequence[Fact]) -> Change:
        """Add the facts that are new, in place of their exact opposites.

        A fact that is there already gets the turn too.
        """
        added: list[SummaryEntry] = []
        replaced: list[SummaryEntry] = []
        for fact in facts:
            same = summary.same_as(fact)
            if same:
                turns = tuple(sorted({*same.turns, turn.number}))
                summary.put(same.model_copy(update={"turns": turns}))
                continue
            opposite = summary.same_as(fact.opposite)
            # An older turn that is taken in again replaces nothing.
            if opposite and opposite.turns[-1] < turn.number:
                summary.drop(opposite.id)
                replaced.append(opposite)
            added.append(summary.add(self._field(fact), self._text(fact), (turn.number,), fact))
        lines = tuple(f"{entry.field}: {entry.text}" for entry in added)
        superseded = tuple(f"{entry.field}: {entry.text}" for entry in replaced)
        return Change(
            inserted=lines, makers={"rules": len(lines)} if lines else {}, superseded=superseded
        )

    def _field(self, fact: Fact) -> SummaryField:
        if fact.denied:
            return SummaryField.FACTS
        is_named = fact.kind is not FactKind.MEDICINE or drugs_in(f"{topic_of(fact)} {fact.object}")
        if fact.is_protected and is_named:
            return SummaryField.CONSTRAINTS
        timeless = time_finder(self._language).sub(" ", fact.object)
        is_measured = topic_of(fact) or value_finder(self._language).search(timeless)
        if is_measured and numbers(timeless):
            return SummaryField.DATA
        return SummaryField.FACTS

    def _text(self, fact: Fact) -> str:
        """A fact in a few words.

        That the patient has it or says it takes no words, nor that a drug was asked for.
        """
        words = self._words
        topic = topic_of(fact)
        if not drugs_in(topic):
            topic = cut(topic, self._language)
        text = fact.object
        if fact.denied and not denies(text, self._language):
            text = words["no"].format(thing=text)
        if fact.relation == words["may_have"]:
            text = words["with_subject"].format(subject=fact.relation, text=text)
        if fact.subject not in PATIENT and fact.subject not in topic:
            text = words["with_subject"].format(subject=fact.subject, text=text)
        if fact.reported:
            text = words["when"].format(text=text, when=fact.reported)
        needs_no_topic = not topic or (fact.asked and drugs_in(fact.object))
        if needs_no_topic:
            return text
        return words["answer"].format(topic=topic, text=text)

    def _take_question(self, summary: StructuredSummary, turn: Turn, *, is_answered: bool) -> None:
        """Note what was asked, and whether it is still open."""
        if not read_questions(turn.question, self._language):
            return
        topic = question_topic(turn.question, self._language)
        if not topic:
            return
        topic_words = frozenset(content(topic, self._language))
        for field in (SummaryField.POINTS, SummaryField.OPEN):
            for entry in summary.of(field):
                if alike(topic_words, frozenset(content(entry.text, self._language))):
                    summary.drop(entry.id)
        summary.add(SummaryField.POINTS, topic, (turn.number,))
        if not is_answered and says_nothing(turn, self._language):
            summary.add(SummaryField.OPEN, topic, (turn.number,))

    def _take_differential(self, summary: StructuredSummary, turn: Turn, before: Turn) -> None:
        """Note the illnesses that the doctor no longer thinks of, and what the reply was about."""
        thought = {plain(illness) for illness in turn.differential}
        excluded = {plain(entry.text): entry for entry in summary.of(SummaryField.EXCLUDED)}
        for level, entry in excluded.items():
            if any(level.startswith(illness) for illness in thought):
                summary.drop(entry.id)
        reason = question_topic(before.question, self._language)
        for illness in before.differential:
            if plain(illness) not in thought:
                text = self._words["excluded"].format(
                    option=illness, reason=cut(reason, self._language)
                )
                summary.add(SummaryField.EXCLUDED, text, (before.number,))


def says_nothing(turn: Turn, language: Language) -> bool:
    """Check whether a reply only leaves open what was asked."""
    opened, rest = answer_opening(turn.reply, language)
    return (
        not turn.results
        and (opened == "unsure" or not turn.reply.strip())
        and not content(rest, language)
    )


def names_something(entry: SummaryEntry, language: Language) -> bool:
    """Check whether a fact that rules formed names a drug, or a thing that doctors ask about."""
    if entry.fact is None:
        return False
    text = f"{topic_of(entry.fact)} {entry.fact.object}"
    return bool(drugs_in(text) or things(text, language) - _BROAD)


def thought_of(entry: SummaryEntry) -> Fact:
    """The fact of an entry that rules formed, as a thought with its number and turns."""
    assert entry.fact is not None
    *also, turn = entry.turns
    place = {"id": entry.id, "turn": turn, "also": tuple(also)}
    return entry.fact.model_copy(update=place)
