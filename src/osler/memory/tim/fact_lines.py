"""Thoughts as lines of a prompt, as many as the budget holds: `Fact #j: s r o`, with the turns each was said in.

What the patient denies and what is normal stands in one line each. Questions of which nothing is told are named at the
end, so that nobody asks them again. A thought is told whole or left out. What a model wrote is told as it stands; that
it denies something is said beside it where its words do not, and so is that nobody said it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content
from osler.memory.base import Fact, tokens
from osler.memory.tim.thought import PATIENT, Draft, Maker, Source, Thought
from osler.prompts import phrases

_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_COLONS = ":："
_PROTECTED = 0.6
"""Share of the budget that protected thoughts have before what bears on the query; the first one is told anyway."""


@dataclass(frozen=True)
class Told:
    """What is told of a memory, and what had to be left out."""

    text: str
    kept: tuple[Thought, ...]
    """In the order of the text."""
    asked: tuple[int, ...]
    """Turns whose questions are named, since nothing else is told of them."""
    dropped: tuple[int, ...]
    """Turns of which something is left out."""


def tell(
    thoughts: Sequence[Thought],
    topic: Callable[[int], str],
    language: Language,
    budget: int,
    silent: Sequence[int] = (),
) -> Told:
    """As many thoughts as the budget holds, and the questions of turns that are not told.

    Args:
        thoughts: The most relevant first.
        topic: What was asked in a turn.
        language: Of all of them.
        budget: In tokens.
        silent: Turns that left no thought.
    """
    page = _Page(language, budget)
    for thought in _in_order(thoughts, language, budget):
        page.add(thought)
    turns = {*silent, *(turn for one in thoughts for turn in one.turns)}
    covered = {turn for one in page.kept for turn in one.turns}
    asked = page.name_questions(sorted(turns - covered), topic)
    kept = {one.id for one in page.kept}
    dropped = sorted({one.turn for one in thoughts if one.id not in kept})
    return Told(page.text(), page.kept, asked, tuple(dropped))


@dataclass
class _Page:
    """The lines of one recall while they are chosen."""

    language: Language
    left: int
    """Tokens."""
    lines: dict[str, list[str]] = field(default_factory=lambda: {"fact": [], "denied": [], "normal": [], "asked": []})
    told: dict[str, list[Thought]] = field(default_factory=lambda: {"fact": [], "denied": [], "normal": []})

    @property
    def kept(self) -> tuple[Thought, ...]:
        """What is told, in the order of the text."""
        return tuple(one for part in self.told.values() for one in part)

    def add(self, thought: Thought) -> None:
        """Tell a thought, if there is room."""
        part, text = self._placed(thought)
        if text in self.lines[part] or self._fits(part, text):
            self.told[part].append(thought)
            if text not in self.lines[part]:
                self.lines[part].append(text)

    def name_questions(self, turns: Sequence[int], topic: Callable[[int], str]) -> tuple[int, ...]:
        """Name what was asked in these turns, the newest first; the turns whose questions found room."""
        named = [turn for turn in reversed(turns) if (asked := topic(turn)) and self._fits("asked", asked)]
        named.reverse()
        self.lines["asked"] = list(dict.fromkeys(map(topic, named)))
        return tuple(named)

    def text(self) -> str:
        """All lines."""
        rows = [self._row(part) for part in ("denied", "normal", "asked") if self.lines[part]]
        return "\n".join([*self.lines["fact"], *rows])

    def _row(self, part: str) -> str:
        things = _SEMICOLON[self.language].join(self.lines[part])
        return phrases("tim_lines", self.language)[part].format(things=things)

    def _placed(self, thought: Thought) -> tuple[str, str]:
        """The part of the text that a thought goes into, and its words there."""
        if is_plain_denial(thought):
            return "denied", _with_time(thought.object, thought, self.language)
        if name := normal_thing(thought, self.language):
            return "normal", name
        return "fact", fact_line(thought, self.language)

    def _fits(self, part: str, text: str) -> bool:
        """Whether there is room for some words; if so, it is taken."""
        size = tokens(text) + 1  # the end of the line or the mark before it, rounded up
        if part != "fact" and not self.lines[part]:
            size += tokens(phrases("tim_lines", self.language)[part]) + 1
        if size > self.left:
            return False
        self.left -= size
        return True


def _in_order(thoughts: Sequence[Thought], language: Language, budget: int) -> Iterable[Thought]:
    """Protected ones within their share, then what is there, then denials and what is normal; inferences last."""
    first: list[Thought] = []
    left = budget * _PROTECTED
    for one in thoughts:
        if (one.is_protected and not one.negated) or one.source is Source.DOCTOR:
            left -= tokens(fact_line(one, language)) + 1
            if left >= 0 or not first:
                first.append(one)
    chosen = {one.id for one in first}
    rest = [one for one in thoughts if one.id not in chosen]
    return [*first, *sorted(rest, key=lambda one: _weight(one, language))]


def _weight(thought: Thought, language: Language) -> int:
    if thought.inferred:
        return 3
    if normal_thing(thought, language):
        return 2
    return 1 if is_plain_denial(thought) else 0


def is_plain_denial(thought: Draft) -> bool:
    """Whether rules formed it and it says only that the patient does not have something."""
    return thought.maker is Maker.RULES and thought.negated and thought.subject in PATIENT and not topic_of(thought)


def topic_of(thought: Draft) -> str:
    """What a thought is the answer to, where rules formed it and it does not name that itself."""
    return thought.asked or (thought.relation.rstrip(_COLONS) if thought.relation.endswith(tuple(_COLONS)) else "")


def normal_thing(thought: Draft, language: Language) -> str:
    """The name of the thing of which rules noted only that it is normal; empty where a thought says more."""
    if thought.maker is not Maker.RULES or thought.negated or thought.subject not in PATIENT:
        return ""
    rest, found = finder("normal", language).subn("", thought.object)
    topic = topic_of(thought)
    if not found or (topic and content(rest, language)):
        return ""
    return topic or rest.strip(" ,，、")


def stated(thought: Draft, language: Language) -> str:
    """Subject, relation and object, with what only its marks tell."""
    words = phrases("tim_lines", language)
    if thought.maker is Maker.MODEL:
        unsaid = thought.negated and not finder("negation", language).search(thought.relation)
        text = words["negative"].format(text=thought.triple) if unsaid else thought.triple
        return words["inferred"].format(text=text) if thought.inferred else text
    topic = topic_of(thought)
    if not topic:
        relation = words["has_not"] if thought.negated else thought.relation
        return " ".join((thought.subject, relation, thought.object))
    said = words["topic_not" if thought.negated and not thought.phrase else "topic"].format(topic=topic)
    return " ".join((thought.subject, said, thought.phrase or thought.object))


def dated(thought: Draft, language: Language) -> str:
    """What it states, with the time at which it was so."""
    return _with_time(stated(thought, language), thought, language)


def fact_line(thought: Thought, language: Language) -> str:
    """A thought as one line. That the patient has something needs no words."""
    words = phrases("tim_lines", language)
    text = dated(thought, language)
    if thought.maker is Maker.RULES and thought.subject in PATIENT:
        text = text.removeprefix(thought.subject).lstrip()
        if thought.relation == words["has"] and not thought.negated:
            text = text.removeprefix(thought.relation).lstrip()
    turns = _COMMA[language].join(map(str, thought.turns))
    return words["fact"].format(number=thought.id, text=text, turns=turns)


def facts_of(thought: Thought, language: Language, turn: int, score: float) -> list[Fact]:
    """A thought for code to read: once for each turn in which it was said, the given one first."""
    return [
        Fact(
            subject=thought.subject,
            relation=thought.relation,
            object=_with_time(thought.object, thought, language),
            denied=thought.negated,
            turn=said,
            score=round(score, 4),
        )
        for said in dict.fromkeys((turn, *thought.turns))
    ]


def _with_time(text: str, thought: Draft, language: Language) -> str:
    if not thought.reported or thought.reported in text:
        return text
    return phrases("tim_lines", language)["when"].format(text=text, when=thought.reported)
