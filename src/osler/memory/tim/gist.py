"""What a thought and an exchange say, as sets that can be compared without a model.

A mark is a word of weight, `=` and a number, or `#` and the name of a drug or of a thing that doctors ask about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from osler.language import Language
from osler.language.cues import finder
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import named
from osler.language.numerals import whole_values, without_numbers
from osler.language.reader import Mention, read
from osler.language.times_and_values import number_finder, time_finder, value_finder
from osler.language.words import content, plain
from osler.memory.base import Turn
from osler.memory.tim.fact_lines import topic_of
from osler.memory.tim.thought import PATIENT, Draft

Marks = frozenset[str]
_SINGLE = ("side", "person", "drug", "time", "amount")
"""Details of which a thing has one at a time."""


@dataclass(frozen=True)
class Gist:
    """What a thought says, apart from whether it is so."""

    subject: str
    topic: Marks
    """Words of what was asked, or of what was measured."""
    words: Marks
    """Words of its object, without times and numbers."""
    numbers: Marks
    when: str
    object_names: Marks
    """Drugs and things that its object names."""
    topic_names: Marks
    denied: tuple[Marks, ...]
    """Each thing that its sentence denies."""
    is_ended: bool
    """Whether it says that something was so and no longer is."""
    ended: Marks
    """The words next to that."""
    details: Mapping[str, Marks] = field(compare=False)
    """Its side, person, drug and time, and an amount for each unit, as `amount UNIT`."""
    parts: Marks = field(compare=False)
    """Its words, those of its topic and the numbers of its time; in Chinese, also the shorter words within them."""
    topic_parts: Marks = field(compare=False)
    """Words of its topic; in Chinese, also the characters within them: 酒 of 喝酒."""

    @property
    def names(self) -> Marks:
        """Of its object and its topic."""
        return self.object_names | self.topic_names

    @property
    def times(self) -> Marks:
        """The times that it gives."""
        return self.details.get("time", frozenset())

    @property
    def about(self) -> Marks:
        """Its words and those of its topic."""
        return self.words | self.topic

    @property
    def drugs(self) -> Marks:
        """The drugs that it or its topic names."""
        return self.details.get("drug", frozenset())

    def ends(self, other: Gist) -> bool:
        """Check whether it says that what the other says is over."""
        return self.is_ended and (self.is_about_same(other) or not self.ended.isdisjoint(other.topic_parts))

    def is_at_other_time(self, other: Gist) -> bool:
        """Check whether both may be true, one after the other."""
        return bool(self.when and other.when) and self.when != other.when

    def is_on_other_topic(self, other: Gist) -> bool:
        """Check whether the two answer different questions."""
        return bool(self.topic and other.topic) and self.topic != other.topic

    def denies(self, other: Gist, *, is_contrast: bool) -> bool:
        """Check whether its sentence denies what the other says.

        If only a part of that is denied, the sentence must say what it is instead: "no pain" leaves a chest pain as it
        is, "it isn't asthma, it's the heart" takes the asthma back.
        """
        return any(_denies(denied, other, is_contrast=is_contrast) for denied in self.denied)

    def is_about_same(self, other: Gist) -> bool:
        """Check whether it names the thing that the other is about: its drug, or what was asked for."""
        if other.drugs:
            return bool(other.drugs & self.drugs)
        if self.topic_names and other.topic_names and self.topic_names.isdisjoint(other.topic_names):
            return False
        is_named = bool(other.topic_names) and other.topic_names <= self.object_names
        return is_named or bool(other.topic and other.topic <= self.about) or self.about == other.about != frozenset()

    def is_newer_value(self, other: Gist) -> bool:
        """Check whether both measure the same thing, with other numbers."""
        if self.topic and not self.words and self.topic == other.topic:
            return self.differs(other, ("amount",))  # nothing but a number: the unit is that of before
        return self.is_about_same(other) and any(
            name.startswith("amount") and name in other.details and mine != other.details[name]
            for name, mine in self.details.items()
        )

    def has_unit_of(self, other: Gist) -> bool:
        """Check whether both give an amount in the same unit."""
        return any(name.startswith("amount ") and name != "amount " for name in self.details.keys() & other.details)

    def differs(self, other: Gist, kinds: Sequence[str] = _SINGLE) -> bool:
        """Check whether both have a detail of one of these kinds, and not the same one."""
        is_one_drug = not self.drugs.isdisjoint(other.drugs)
        return any(
            mine != its if name.startswith("amount") else mine.isdisjoint(its)
            for name, mine in self.details.items()
            for other_name, its in other.details.items()
            if name.partition(" ")[0] in kinds and _are_of_one_kind(name, other_name, is_one_drug=is_one_drug)
        )


def _denies(denied: Marks, other: Gist, *, is_contrast: bool) -> bool:
    names = frozenset(mark for mark in denied if mark.startswith("#"))
    said = denied - names
    common = said & (other.parts | other.numbers)
    if is_contrast and common and 2 * len(common) + bool(names & other.names) > len(said):
        return True
    if not said or common != said:
        return False
    is_topic = len(other.topic) == 1 and said <= other.topic_parts
    return is_topic or said == other.words or bool(names & other.drugs or (names and names == other.names))


def _are_of_one_kind(one: str, other: str, *, is_one_drug: bool) -> bool:
    """Check whether two details can be compared: one amount may leave out its unit, or a drug be in another one."""
    kind, _, unit = one.partition(" ")
    other_kind, _, other_unit = other.partition(" ")
    units, other_units = set(unit.split()), set(other_unit.split())
    return kind == other_kind and (is_one_drug or units <= other_units or other_units <= units)


@dataclass(frozen=True)
class Exchange:
    """A turn, as far as it shows which older thoughts it is about."""

    language: Language
    marks: Marks
    is_correction: bool
    """Whether the reply says that something was said wrongly."""
    is_switch: bool
    """Whether it says that, or that one thing took the place of another."""
    is_change: bool
    """Whether it says one of these, or that something is otherwise now."""
    is_contrast: bool
    """Whether the reply says that it is not this but that."""

    def shared(self, thought: Gist) -> Marks:
        """Return what the exchange has in common with a thought."""
        return self.marks & (thought.parts | thought.names | thought.numbers)


def exchange_of(turn: Turn, language: Language) -> Exchange:
    """Read a turn for what it has in common with older thoughts."""
    said = f"{turn.question} {turn.reply}"
    reply = " ".join(sentence.text for sentence in read(turn.reply, language).sentences if not sentence.is_question)
    is_added = says("added", reply, language)
    is_correction = says("correction", reply, language)
    is_switch = is_correction or says("switch", reply, language)
    is_not_that = is_correction or says("not_that", finder("kept_negation", language).sub(" ", reply), language)
    return Exchange(
        language=language,
        marks=_parts(content(said, language), language) | _numbers(said, language) | _names(said, language),
        is_correction=is_correction,
        is_switch=is_switch and not is_added,
        is_change=(is_switch or says("change", reply, language)) and not is_added,
        is_contrast=is_not_that and len({mention.denied for mention in _mentions(reply, language)}) > 1,
    )


def says(kind: str, text: str, language: Language) -> bool:
    """Check whether a text has a cue of a kind."""
    return finder(kind, language).search(text) is not None


@lru_cache(maxsize=8192)
def gist(draft: Draft, language: Language) -> Gist:
    """Read a thought for what it says."""
    object_ = finder("correction", language).sub(" ", draft.object)
    topic = frozenset(content(topic_of(draft), language))
    timeless = content(time_finder(language).sub(" ", object_), language)
    words = frozenset(word for word in timeless if not (whole_values(word, language) or "'" in word))
    denied = [f"{one.what or one.when} {one.value}" for one in _mentions(draft.sentence, language) if one.denied]
    denied = denied or [draft.object] * draft.negated
    level = plain(draft.subject)
    return Gist(
        subject="patient" if level in PATIENT else level,
        topic=topic,
        words=words,
        numbers=_numbers(object_, language),
        when=plain(draft.reported),
        object_names=_names(object_, language),
        topic_names=_names(topic_of(draft), language),
        denied=tuple(_marks(text, language) for text in denied),
        is_ended=says("ended", draft.object, language),
        ended=frozenset(_beside("ended", draft.object, language)),
        details=dict(_details(f"{draft.subject} {object_} {draft.reported}", topic_of(draft), language)),
        parts=_parts((*words, *topic), language) | _numbers(draft.reported, language),
        topic_parts=topic if language is Language.EN else topic.union(*topic),
    )


def _beside(kind: str, text: str, language: Language) -> Iterator[str]:
    """The words of weight next to a cue: behind it in English, on both sides in Chinese."""
    for hit in finder(kind, language).finditer(text):
        yield from content(text[hit.end() :], language)[:1]
        if language is Language.ZH:
            yield from content(text[: hit.start()], language)[-1:]


def _mentions(text: str, language: Language) -> list[Mention]:
    """What a text mentions, also in the parts that say it within another statement: "it turned out that it isn't"."""
    parts = (text, *finder("subordinate", language).split(text)[1:])
    return [mention for part in parts for mention in read(part, language).mentions]


def _marks(text: str, language: Language) -> Marks:
    words = (word for word in content(text, language) if "'" not in word)
    return frozenset(words) | _numbers(text, language) | _names(text, language)


def _numbers(text: str, language: Language) -> Marks:
    return frozenset(f"={number:g}" for number in whole_values(text, language))


def _names(text: str, language: Language) -> Marks:
    return frozenset(
        (*(f"#{drug}" for drug in drugs_in(text).values()), *(f"#{one}" for one in named(language).whole(text)))
    )


def _parts(words: Sequence[str], language: Language) -> Marks:
    """Words; in Chinese, also the shorter words within them: 结石 of 肾结石."""
    if language is Language.EN:
        return frozenset(words)
    spans = ((word, size) for word in words for size in range(2, len(word)))
    within = (word[start : start + size] for word, size in spans for start in range(len(word) - size + 1))
    return frozenset((*words, *within))


def _details(text: str, topic: str, language: Language) -> Iterator[tuple[str, Marks]]:
    """The single-valued details of a text, by kind; its topic may name the drug."""
    for name, cue in (("side", "sides"), ("person", "relatives")):
        if found := frozenset(plain(hit[0]) for hit in finder(cue, language).finditer(text)):
            yield name, found
    if drugs := drugs_in(text) or drugs_in(topic):
        yield "drug", frozenset(f"#{drug}" for drug in drugs.values())
    if times := frozenset(plain(hit[0]) for hit in time_finder(language).finditer(text)):
        yield "time", times
    amounts: dict[str, Marks] = {}
    for finds in (value_finder(language), number_finder(language)):
        for hit in finds.finditer(text):
            unit = " ".join(sorted(content(without_numbers(hit[0], language), language)))
            amounts[f"amount {unit}"] = amounts.get(f"amount {unit}", frozenset()) | _numbers(hit[0], language)
        text = time_finder(language).sub(" ", finds.sub(" ", text))
    yield from amounts.items()
