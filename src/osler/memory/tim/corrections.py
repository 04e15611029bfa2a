"""Decide without a model which old thoughts a new turn repeats or retires.

A model's decisions are in `model_answer`; `actions` carries out both. A turn retires an old thought only if both are
about the same thing of the same person and cannot both be true: the turn denies it or says that it has ended, gives
another amount of the same thing, or, where it takes back or changes something, another value of a detail that has one
value at a time (a side, a time, a drug, a person). In doubt both stay: a lost fact is worse than an outdated one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.language.answers import read_answer
from osler.language.cues import finder, groups
from osler.language.lexicon.concept_model import meant
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import things
from osler.language.lexicon.thesaurus import QUALITIES
from osler.language.numerals import whole_values, without_numbers
from osler.language.times_and_values import number_finder, time_finder, value_finder
from osler.language.words import content, plain, words
from osler.memory.base import Turn
from osler.memory.tim.actions import Action, Again, Insert, Supersede
from osler.memory.tim.fact_lines import COLONS, topic_of
from osler.memory.tim.thought import PATIENT, Draft, Thought, ThoughtKind, ThoughtStatus
from osler.ranking import reaches

Words = frozenset[str]
_NONE: Words = frozenset()
_LIKELY = 0.06
"""Probability from which on a text may mean a concept."""
_FIGURE = 10
"""A number from which on a bare one is a value: smaller ones count things."""
_SINGLE = ("side", "drug", "time", "amount")
"""Details of which a thing has one value at a time."""
_ONE_PERSON = ("mother", "father", "wife", "husband", "son", "daughter", "child")
"""Groups of names for one person each."""
_BROAD = QUALITIES | {
    *("medicines", "past-illnesses", "family-illnesses", "marriage", "children", "hospital-stays", "work"),
    *("none", "other", "reassurance", "plan-consent", "paperwork", "comfort", "associated-symptoms", "second-opinion"),
    *("expectations", "worries", "own-idea"),
}
"""Concepts that many unlike things belong to."""


@dataclass(frozen=True)
class Marks:
    """What a text is about and the values that it gives."""

    words: Words
    """Words of weight, without numbers and times; in Chinese, also the shorter words within them."""
    things: Words
    """Concepts that it names."""
    likely: Words
    """Concepts that it may mean, and those that it names."""
    topic: Words
    """Words of what was asked."""
    slots: Mapping[str, Words] = field(compare=False)
    """Its sides, drugs and times, and its amounts for each unit, as `amount UNIT`."""

    @property
    def drugs(self) -> Words:
        """The drugs that it names."""
        return self.slots.get("drug", _NONE)

    def shared(self, other: Marks) -> int:
        """Count the drugs, concepts and words that both have."""
        own, its = ((one.drugs | one.likely | one.words) for one in (self, other))
        return len(own & its)

    def is_kin(self, other: Marks) -> bool:
        """Check whether it names a concept of another text, or all words of what was asked there."""
        is_topic = bool(other.topic) and other.topic <= self.words
        return is_topic or not self.things.isdisjoint(other.things)

    def is_about(self, other: Marks) -> bool:
        """Check whether it is about the thing of another text: the same drugs, or else a kindred thing."""
        if self.drugs and other.drugs:
            return self.drugs == other.drugs
        return self.is_kin(other) or (self.has_unit_of(other) and not self.likely.isdisjoint(other.likely))

    def may_mean(self, other: Marks) -> bool:
        """Check whether it names a drug of another text or all that was asked there, or means a concept of it."""
        is_drug = not self.drugs.isdisjoint(other.drugs)
        return is_drug or self.is_kin(other) or not self.likely.isdisjoint(other.likely)

    def differs(self, other: Marks, kind: str) -> bool:
        """Check whether it gives a value of a kind that the other text has otherwise."""
        if kind == "amount":
            pairs = ((mine, its) for mine in self.slots for its in other.slots if self._is_one_unit(mine, its, other))
            return any(self.slots[mine].isdisjoint(other.slots[its]) for mine, its in pairs)
        return kind in other.slots and not self.slots.get(kind, _NONE) <= other.slots[kind]

    def _is_one_unit(self, new: str, old: str, other: Marks) -> bool:
        """Check whether two slots hold amounts of one unit, which an answer and a dose may leave out."""
        first, second = set(new.split()), set(old.split())
        if "amount" not in first & second:
            return False
        if not self.drugs.isdisjoint(other.drugs):
            return first <= second or second <= first
        return first <= second and (len(first) > 1 or bool(other.topic))

    def answers_another(self, other: Marks) -> bool:
        """Check whether both answer questions, and the other one a question that this one says nothing about."""
        is_apart = other.topic.isdisjoint(self.words - self.topic) and not other.topic <= self.words
        return bool(self.topic and other.topic) and is_apart

    def has_unit_of(self, other: Marks) -> bool:
        """Check whether both give an amount in the same unit."""
        return any(name in other.slots for name in self.slots if name.startswith("amount "))

    def echoes(self, other: Marks, kinds: Sequence[str]) -> bool:
        """Check whether both have the same value of one of these kinds."""
        return any(
            not said.isdisjoint(other.slots.get(name, _NONE))
            for name, said in self.slots.items()
            if name.partition(" ")[0] in kinds
        )


@lru_cache(maxsize=1024)
def marks_of(text: str, language: Language) -> Marks:
    """Read a text for what it is about and the values that it gives."""
    timeless = content(time_finder(language).sub(" ", text), language)
    words = [word for word in timeless if not (whole_values(word, language) or "'" in word)]
    if language is Language.ZH:
        words += [word[start : start + 2] for word in words for start in range(len(word) - 1)]
    named, [guessed] = things(text, language) - _BROAD, meant([text], language)
    likely = {name for name, share in guessed.items() if reaches(share, _LIKELY)} - _BROAD
    return Marks(frozenset(words), named, named | likely, _NONE, dict(_slots(text, language)))


def _slots(text: str, language: Language) -> Iterator[tuple[str, Words]]:
    """The values of a text by kind."""
    if sides := frozenset(plain(hit[0]) for hit in finder("sides", language).finditer(text)):
        yield "side", sides
    if drugs := drugs_in(text):
        yield "drug", frozenset(f"#{number}" for number in drugs.values())
    if times := frozenset(plain(hit[0]) for hit in time_finder(language).finditer(text)):
        yield "time", times
    amounts: dict[str, Words] = {}
    for finds in (value_finder(language), number_finder(language)):
        for hit in finds.finditer(text):
            unit = " ".join(("amount", *sorted(content(without_numbers(hit[0], language), language))))
            numbers = frozenset(f"{number:g}" for number in whole_values(hit[0], language))
            amounts[unit] = amounts.get(unit, _NONE) | numbers
        text = time_finder(language).sub(" ", finds.sub(" ", text))
    if bare := frozenset(f"{number:g}" for number in whole_values(text, language) if number >= _FIGURE):
        amounts["amount"] = amounts.get("amount", _NONE) | bare
    yield from amounts.items()


@lru_cache(maxsize=1024)
def _marks(draft: Draft, language: Language) -> Marks:
    """The marks of a thought: what was asked says what it is about, but gives no value of it."""
    asked, said = marks_of(topic_of(draft), language), marks_of(f"{draft.object} {draft.reported}", language)
    drugs = {"drug": said.drugs or asked.drugs} if said.drugs or asked.drugs else {}
    return Marks(
        words=asked.words | said.words,
        things=asked.things | said.things,
        likely=asked.likely | said.likely,
        topic=asked.words,
        slots={**said.slots, **drugs},
    )


def _holder(subject: str, language: Language) -> str:
    """Return whom something is about; the names of one relative are the same."""
    name, listed = plain(subject), groups("relatives", language)
    if name in PATIENT:
        return "patient"
    return next((group for group in _ONE_PERSON if name in listed[group]), name)


def arranged(
    new: Sequence[Draft],
    old: Sequence[Thought],
    turn: Turn,
    language: Language,
    speaker: Speaker = Speaker.PATIENT,
) -> list[Action]:
    """Decide what to do with a turn's new thoughts and with old ones that may be about the same things."""
    live = {one.id: one for one in old if one.status is ThoughtStatus.ACTIVE}
    again: dict[int, None] = {}
    fresh: list[Draft] = []
    for draft in new:
        same = [one.id for one in live.values() if repeats(draft, one, language)]
        again.update(dict.fromkeys(same))
        if not same and not any(repeats(draft, one, language) for one in fresh):
            fresh.append(draft)
    actions: list[Action] = [Again(id_) for id_ in again if turn.number not in live[id_].turns]
    reader = TurnReader(turn, fresh, language, speaker)
    fresh = reader.drafts
    retired = reader.retired([one for id_, one in live.items() if id_ not in again])
    for place, draft in enumerate(fresh):
        actions.append(Insert(draft))
        actions += [Supersede(id_, why) for id_, (by, why) in retired.items() if by == place]
    return actions


def repeats(draft: Draft, old: Draft, language: Language) -> bool:
    """Check whether an old thought says all that a new one says, of the same person, as surely and as denied."""
    if draft.negated != old.negated or draft.certainty > old.certainty:
        return False
    if _holder(draft.subject, language) != _holder(old.subject, language):
        return False
    said, known = (set(content(f"{topic_of(one)} {one.object} {one.reported}", language)) for one in (draft, old))
    return said == known if draft.negated or not said else said <= known


def _are_two_tests(draft: Draft, old: Draft, language: Language) -> bool:
    """Check whether both are lines of a report, of tests with other names: CA125 and CA199."""
    if not (draft.relation.endswith(COLONS) and old.relation.endswith(COLONS)):
        return False
    first, second = (set(words(one.relation, language)) for one in (draft, old))
    return not (first <= second or second <= first)


class Denial(NamedTuple):
    """A thing that a turn denies or says has ended."""

    holder: str
    marks: Marks
    """Of that thing."""
    said: Marks
    """Of the words that say so."""
    is_allergy: bool = False
    """Whether an allergy is denied."""
    is_ended: bool = False


class TurnReader:
    """Finds which old thoughts a turn retires."""

    def __init__(self, turn: Turn, drafts: Sequence[Draft], language: Language, speaker: Speaker) -> None:
        """Read a turn, of which these are the new thoughts."""
        self._language = language
        self._question = marks_of(turn.question, language)
        self._exchange = marks_of(f"{turn.question} {turn.reply}", language)
        self._denials = list(self._read_denials(turn, turn.speaker or speaker))
        self._takes_back = self._says("correction", turn.reply)
        self.drafts = [one for place, one in enumerate(drafts) if not self._is_taken_back(one, drafts[place + 1 :])]
        """The new thoughts, without those that the same reply takes back."""

    def _says(self, kind: str, text: str) -> bool:
        return finder(kind, self._language).search(text) is not None

    def _is_taken_back(self, draft: Draft, later: Sequence[Draft]) -> bool:
        """Check whether a reply takes a thought back in a later sentence: "The left. Sorry, the right."."""
        its = _marks(draft, self._language)
        return any(
            one.sentence != draft.sentence
            and self._says("correction", one.sentence)
            and self._corrects(one, draft, its)
            for one in later
        )

    def _read_denials(self, turn: Turn, speaker: Speaker) -> Iterator[Denial]:
        """What the reply denies or says has ended; where it does not say what, the thing that was asked about."""
        language = self._language
        for one in read_answer(turn.question, turn.reply, language, speaker):
            if one.unsure:
                continue
            holder, said = _holder(one.whose or turn.said_by or "patient", language), marks_of(one.said, language)
            kept = finder("kept_negation", language).sub("", one.said)
            denied = [kept[hit.end() :] for hit in finder("negation", language).finditer(kept)]
            for text in [f"{one.what} {one.value} {one.when}"] * one.denied + denied:
                yield Denial(holder, marks_of(text, language), said, self._says("allergy", text))
            rest, ends = finder("ended", language).subn(" ", one.said)
            if ends:
                ended = marks_of(rest, language)
                yield Denial(holder, ended if ended.words else self._question, said, is_ended=True)

    def retired(self, live: Sequence[Thought]) -> dict[int, tuple[int, str]]:
        """Return the thoughts that no longer hold, each with the place of the new thought that says so, and why."""
        found: dict[int, tuple[int, str]] = {}
        corrected: dict[int, tuple[int, Thought]] = {}
        for old in live:
            its = _marks(old, self._language)
            for place, draft in enumerate(self.drafts):
                if why := self._denied(old, its) or self._replaces(draft, old, its):
                    found[old.id] = (place, why)
                elif self._corrects(draft, old, its):
                    corrected[old.id] = (place, old)
        # A correction is about one thing that was said: the turn with most in common.
        if rest := {id_: pair for id_, pair in corrected.items() if id_ not in found}:
            shared = {old.turn: self._exchange.shared(_marks(old, self._language)) for _, old in rest.values()}
            best = max(shared, key=lambda turn: (shared[turn], turn))
            found |= {id_: (place, "corrected") for id_, (place, old) in rest.items() if old.turn == best}
        return found

    def _denied(self, old: Thought, its: Marks) -> str:
        """Return how the turn denies an old thought, or an empty text."""
        holder = _holder(old.subject, self._language)
        for denial in self._denials:
            if not old.negated and denial.holder == holder and self._is_of(denial, its, old.kind):
                return "it has ended" if denial.is_ended else "the opposite is said now"
        return ""

    def _is_of(self, denial: Denial, its: Marks, kind: ThoughtKind) -> bool:
        """Check whether a denial is of what an old thought says; an allergy ends if its drug did nothing."""
        denied = denial.marks
        if kind is ThoughtKind.ALLERGY:
            drugs = self._exchange.drugs if denial.is_allergy else denial.said.drugs - denied.drugs
            return not its.drugs.isdisjoint(drugs)
        if denial.is_allergy:
            return False
        if denied.drugs:
            return not its.drugs.isdisjoint(denied.drugs)
        if denial.is_ended:
            return denied.may_mean(its)
        common = denied.words & its.words
        if its.things and its.things <= denied.things:
            return bool(common) and 2 * len(common) >= len(denied.words)
        is_all = 2 * len(common) >= len(its.words - its.topic) or common == its.topic
        is_same = is_all or not denied.things.isdisjoint(its.things)
        return bool(common) and common == denied.words and is_same

    def _replaces(self, draft: Draft, old: Thought, its: Marks) -> str:
        """Return why two thoughts cannot both be true, or an empty text if they can."""
        language, mine = self._language, _marks(draft, self._language)
        if _holder(draft.subject, language) != _holder(old.subject, language) or draft.certainty < old.certainty:
            return ""
        if draft.negated or _are_two_tests(draft, old, language):
            return ""
        if old.negated:
            own = mine.words - mine.topic
            is_it = bool(its.words) and its.words <= own and 2 * len(its.words) >= len(own)
            return "the opposite is said now" if is_it else ""
        if mine.differs(its, "time") or not mine.differs(its, "amount"):
            return ""
        if mine.answers_another(its) and not (mine.drugs or mine.has_unit_of(its)):
            return ""  # such as counts of two specimens
        is_asked = not (mine.drugs or mine.things) and self._question.is_about(its)
        return "a newer value" if is_asked or mine.is_about(its) else ""

    def _corrects(self, draft: Draft, old: Draft, its: Marks) -> bool:
        """Check whether a turn takes back or changes what an old thought says, or a question that repeats it."""
        mine = _marks(draft, self._language)
        if draft.negated or old.negated:
            return False
        if _holder(draft.subject, self._language) != _holder(old.subject, self._language):
            return self._takes_back and mine.may_mean(its)
        is_change = self._says("change", draft.sentence) and not self._says("added", draft.sentence)
        if mine.drugs and its.drugs and mine.drugs.isdisjoint(its.drugs):
            is_kin = not (mine.things | self._question.things).isdisjoint(its.things)
            return (is_change or self._takes_back) and draft.kind is old.kind and is_kin
        if is_change and mine.has_unit_of(its) and mine.differs(its, "amount"):
            return True
        if mine.answers_another(its) or not any(mine.differs(its, kind) for kind in _SINGLE):
            return False
        if self._takes_back:
            is_echo = self._exchange.echoes(its, ("amount",))
            return is_echo or self._exchange.may_mean(its) or self._exchange.shared(its) > 0
        return self._question.echoes(its, _SINGLE) and self._exchange.may_mean(its)
