"""What both languages share when a reply becomes thoughts: the question's reading, and drafts as they grow."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from osler.language import Language
from osler.language.words import content, numbers, words
from osler.memory.tim.thought import Draft

_LIGHT = frozenset("没有未无不见闻及从还也都就吃")
"""Chinese characters that a triple says in another way: `未见` as `没有`, `从昨天` as `开始于 昨天`, `吃` as `服用`."""
UNSURE = 0.5
UNKNOWN = 0.0


def listed(words: str) -> frozenset[str]:
    """A set of words, written as one line of them."""
    return frozenset(words.split())


class Titled(NamedTuple):
    """`Palpation: the skin is warm.`: a name, and all that is said under it."""

    name: str
    said: str


@dataclass(frozen=True)
class Question:
    """How a reply that leaves things out is completed."""

    topic: str
    """What it is about, in few words."""
    subject: str
    """Whom or what a yes or no is about."""
    yes: str
    no: str
    object: str
    """What follows `yes` or `no`."""
    holder: str
    """Whom or what a bare value belongs to."""
    value: str
    """The relation of the holder to a bare value."""
    matter: str
    """What is not known when the reply is `I don't know`."""
    examined: bool = False
    """Whether it asks for the result of a test."""
    presumed: bool = True
    """Whether a bare value belongs to the thing asked about: of `Where is the X?`, not of `Is the X …?`."""
    is_open: bool = False
    """Whether it asks what, which or when, so that a yes or no before the answer means nothing."""
    compound: bool = False
    """Whether it asks several things in one, so that a no is to none of them in particular."""
    thing: str = ""
    """What `it` can mean: the topic where it is one thing, and the complaint where a whole question was asked."""


@dataclass
class Sketch:
    """A draft while the reply is still being read: later words may add to it."""

    subject: str
    relation: str
    object: str
    sentence: str
    negated: bool = False
    certainty: float = 1.0
    reported: str = ""
    answer: bool = False
    """Whether it is a bare yes or no, completed by the question."""
    result: bool = False
    """Whether it is a measured value."""
    judged: bool = False
    """Whether its verdict has been heard."""
    torn: bool = False
    """Whether it cannot stand without the rest of its sentence."""

    def add(self, words: str, mark: str, heard: str = "") -> None:
        """More of the same statement, in the triple and in the sentence; `heard` is all that was said of it."""
        self.object = f"{self.object}{mark}{words}" if self.object else words
        self.hear(heard or words, mark)

    def hear(self, words: str, mark: str) -> None:
        """Words that belong to the sentence and not to the triple."""
        self.sentence = f"{self.sentence}{mark}{words}" if self.sentence else words

    def draft(self) -> Draft:
        """As it now stands."""
        return Draft(
            subject=self.subject,
            relation=self.relation,
            object=self.object,
            sentence=self.sentence,
            negated=self.negated,
            certainty=self.certainty,
            reported=self.reported,
        )


@dataclass
class Reading:
    """A reply as far as it has been read."""

    question: Question
    mark: str
    """What stands between two parts of one sentence."""
    sketches: list[Sketch] = field(default_factory=list)
    waiting: str = ""
    """Words that carry nothing alone and go to the sentence of the next thought."""
    dated: int = 0
    """Thoughts before this one already have their time."""
    condition: str = ""
    """`when he breathes in`, said before the clause it belongs to."""
    began: int = 0
    """The first thought of the sentence being read."""
    kin: str = ""
    """The relative last named, whom `he` or `she` may mean."""
    denied: bool = False
    """Whether the reply has said no: what follows without a subject is then not about what was asked."""

    def open(self, sketch: Sketch) -> None:
        """One thought more."""
        if self.waiting:
            sketch.sentence = f"{self.waiting}{self.mark}{sketch.sentence}"
            self.waiting = ""
        self.denied = self.denied or (sketch.answer and sketch.negated)
        self.sketches.append(sketch)

    def aside(self, words: str) -> None:
        """Words that carry nothing alone."""
        if len(self.sketches) > self.began:
            self.sketches[-1].hear(words, self.mark)
        else:
            self.waiting = f"{self.waiting}{self.mark}{words}" if self.waiting else words

    @property
    def last(self) -> Sketch | None:
        """The newest thought of the sentence being read."""
        return self.sketches[-1] if len(self.sketches) > self.began else None

    def about(self, examined: str) -> None:
        """From here on the reply reads out what an examination showed."""
        self.question = replace(
            self.question, topic=examined, holder=examined, value="", matter=examined, examined=True
        )

    def date(self, when: str, words: str, lasting: re.Pattern[str] | None = None) -> None:
        """A time said afterwards holds for all that was said since the last one, but for what is `lasting`."""
        since = self.sketches[self.dated :]
        over = [sketch for sketch in since if not (lasting and lasting.search(f"{sketch.relation}{sketch.object}"))]
        for sketch in over or since:
            sketch.reported = sketch.reported or when
            sketch.hear(words, " ")
        self.dated = len(self.sketches)


def whole(made: list[Sketch], core: str, topic: str, says: str, language: Language) -> list[Sketch]:
    """The statements as made, or the words themselves when a number or a word of weight would be missing from them."""
    told = " ".join(f"{sketch.subject} {sketch.relation} {sketch.object}" for sketch in made)
    if not made or (set(numbers(core)) <= set(numbers(told)) and not _lost(made, core, told, language)):
        return made
    first = made[0]
    return [replace(first, subject=topic, relation=says, object=core, result=False)]


def _lost(made: list[Sketch], core: str, told: str, language: Language) -> bool:
    """Whether a statement leaves out a word; a result is its name, its number and its verdict."""
    if any(sketch.result for sketch in made):
        return False
    if language is Language.ZH:
        return not set("".join(content(core, language))) - _LIGHT <= set(told.replace("疼", "痛"))
    weighty = {word for word in content(core, language) if "'" not in word}
    return not weighty <= set(words(told, language))
