"""Thoughts as text: as typed facts, and as lines of a prompt, as many as fit the budget.

A line is `Fact #j: what was said (turn n)`. A model's thought is a line of its own, unchanged. Thoughts that rules
formed from one answer share a line, after what was asked if they do not name it; what the patient denies and what is
normal is in one line each. Questions without any thought are named at the end, so that nobody asks them again. A
thought is included completely or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from osler.language import Language
from osler.language.cues import finder
from osler.language.words import content
from osler.memory.base import Fact, tokens
from osler.memory.recall_text import SEMICOLON
from osler.memory.tim.thought import PATIENT, Draft, Thought
from osler.prompts import phrases

_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_COLONS = (":", "：")
_EDGE = " ,，、"
_PROTECTED = 0.4
"""Share of the budget for protected thoughts, before what bears on the query; the first one is always included."""
_NAMED = 0.2
"""Share of the budget that is kept from other thoughts for naming questions."""
_CUT = {Language.EN: 24, Language.ZH: 8}
"""Characters of what was asked that are told."""
_DENIED, _NORMAL = ("denied",), ("normal",)

Key = tuple[object, ...]
"""The thoughts of one line have the same."""


def dated(thought: Draft, language: Language) -> str:
    """Subject, relation and object, with what its marks tell and the time at which it was so."""
    words = phrases("tim_lines", language)
    if not thought.is_by_model:
        return _with_time(f"{thought.subject} {_predicate(thought, language)}", thought, language)
    unsaid = thought.negated and not finder("negation", language).search(thought.relation)
    text = words["negative"].format(text=thought.triple) if unsaid else thought.triple
    return _with_time(words["inferred"].format(text=text) if thought.inferred else text, thought, language)


def _told(thought: Draft, language: Language) -> str:
    """Return a thought for a line that has its topic; that the patient has or says something needs no words."""
    words = phrases("tim_lines", language)
    if not thought.is_by_model and thought.asked and thought.subject not in PATIENT:
        relation = words["has_not"] if thought.negated else thought.relation
        return _with_time(" ".join(filter(None, (thought.subject, relation, thought.object))), thought, language)
    if thought.is_by_model or thought.subject not in PATIENT:
        return dated(thought, language)
    if topic_of(thought):
        text = words["no"].format(thing=thought.object) if thought.negated else thought.object
    elif not thought.negated and thought.relation in (words["has"], words["says"]):
        text = thought.object
    else:
        text = _predicate(thought, language)
    return _with_time(text, thought, language)


def _predicate(thought: Draft, language: Language) -> str:
    """Return what is said of the subject of a thought that rules formed."""
    words = phrases("tim_lines", language)
    if topic := topic_of(thought):
        answer = words["no"].format(thing=thought.object) if thought.negated else thought.object
        return f"{words['topic'].format(topic=topic)} {answer}"
    return f"{words['has_not'] if thought.negated else thought.relation} {thought.object}".strip()


def topic_of(thought: Draft) -> str:
    """Return what a thought is the answer to, if rules formed it and it does not name that itself."""
    return thought.asked or (thought.relation[:-1] if thought.relation.endswith(_COLONS) else "")


def _denied_thing(thought: Draft, language: Language) -> str:
    """Return what the patient does not have; empty if a model formed the thought or it says something else."""
    if thought.is_by_model or not thought.negated or thought.subject not in PATIENT or topic_of(thought):
        return ""
    return _with_time(thought.object, thought, language)


def _normal_thing(thought: Draft, language: Language) -> str:
    """Return the thing that rules noted only as normal; empty if a thought says more."""
    if thought.is_by_model or thought.negated or thought.subject not in PATIENT:
        return ""
    rest, found = finder("all_normal", language).subn("", thought.object)
    topic = topic_of(thought)
    if not found or (topic and content(rest, language)):
        return ""
    return topic or rest.strip(_EDGE)


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


@dataclass(frozen=True)
class Told:
    """The part of a memory that is included, and what had to be left out."""

    text: str
    kept: tuple[Thought, ...]
    """In the order of the text."""
    asked: tuple[int, ...]
    """Turns whose questions are named, since nothing else of them is included."""
    dropped: tuple[int, ...]
    """Turns with something left out."""


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
    turns = sorted({*silent, *(turn for one in thoughts for turn in one.turns)})
    page = _Page(language, budget)
    vital = [one for one in thoughts if (one.is_protected and not one.negated) or one.is_doctors]
    for one in vital[:1]:
        page.add(one, 0)
    for one in vital:
        page.add(one, budget * (1 - _PROTECTED))
    needed = sum(tokens(_cut(topic(turn), language)) + 1 for turn in turns)
    for one in sorted(thoughts, key=lambda one: _weight(one, language)):
        page.add(one, min(budget * _NAMED, needed))
    covered = {turn for one in page.kept for turn in one.turns}
    asked = page.name_questions([turn for turn in turns if turn not in covered], topic)
    for one in thoughts:
        page.add(one, 0)
    told = {one.id for one in page.kept}
    dropped = sorted({one.turn for one in thoughts if one.id not in told})
    return Told(page.text(), page.kept, asked, tuple(dropped))


def _weight(thought: Thought, language: Language) -> int:
    """What is there first, then denials, what is normal, and what nobody said."""
    if thought.inferred:
        return 3
    if _normal_thing(thought, language):
        return 2
    return 1 if _denied_thing(thought, language) else 0


def _line_of(thought: Thought, language: Language) -> tuple[Key, str]:
    """Return the line that a thought goes into, and its words there: answers to one question share a line."""
    if name := _denied_thing(thought, language):
        return _DENIED, name
    if name := _normal_thing(thought, language):
        return _NORMAL, _cut(name, language)
    is_alone = thought.is_by_model or thought.is_doctors
    return (thought.id,) if is_alone else (thought.turns, topic_of(thought), thought.subject), _told(thought, language)


@dataclass
class _Page:
    """The lines of one recall while they are chosen."""

    language: Language
    left: int
    """Tokens."""
    lines: dict[Key, list[tuple[Thought, str]]] = field(default_factory=dict)
    """What each line tells, and in which words."""
    asked: list[str] = field(default_factory=list)
    """The questions that are named."""

    @property
    def _keys(self) -> list[Key]:
        """The lines in the order of the text: what is denied and what is normal comes last."""
        rows = [key for key in (_DENIED, _NORMAL) if key in self.lines]
        return [*(key for key in self.lines if key not in rows), *rows]

    @property
    def kept(self) -> tuple[Thought, ...]:
        """What is told, in the order of the text."""
        return tuple(one for key in self._keys for one, _ in self.lines[key])

    def add(self, thought: Thought, reserve: float) -> None:
        """Tell a thought, if it is not told yet and there is room for it beside what is kept in reserve."""
        key, said = _line_of(thought, self.language)
        line, new = self.lines.get(key, []), (thought, said)
        if any(one.id == thought.id for one, _ in line):
            return
        is_told = key in (_DENIED, _NORMAL) and any(said == text for _, text in line)
        if is_told or self._fits(said if line else self._line(key, [new]), reserve):
            self.lines[key] = [*line, new]

    def name_questions(self, turns: Sequence[int], topic: Callable[[int], str]) -> tuple[int, ...]:
        """Name what was asked in these turns, the newest first; the turns whose questions found room."""
        named = []
        for turn in reversed(turns):
            name = _cut(topic(turn), self.language)
            if name and self._fits(name if self.asked else self._row("asked", [name]), 0):
                named.append(turn)
                self.asked.insert(0, name)
        return tuple(sorted(named))

    def text(self) -> str:
        """All lines."""
        lines = [self._line(key, self.lines[key]) for key in self._keys]
        return "\n".join([*lines, *([self._row("asked", self.asked)] if self.asked else [])])

    def _line(self, key: Key, told: Sequence[tuple[Thought, str]]) -> str:
        said = [text for _, text in told]
        if key in (_DENIED, _NORMAL):
            return self._row(str(key[0]), said)
        head = told[0][0]
        words = phrases("tim_lines", self.language)
        text = SEMICOLON[self.language].join(dict.fromkeys(said))
        if not head.is_by_model and (topic := _cut(topic_of(head), self.language)):
            text = words["answer"].format(topic=topic, text=text)
        turns = _COMMA[self.language].join(map(str, head.turns))
        return words["fact"].format(number=head.id, text=text, turns=turns)

    def _row(self, part: str, names: Sequence[str]) -> str:
        things = SEMICOLON[self.language].join(dict.fromkeys(names))
        return phrases("tim_lines", self.language)[part].format(things=things)

    def _fits(self, text: str, reserve: float) -> bool:
        """Check whether a text and the mark before it fit, rounded up; if so, reserve the room."""
        size = tokens(text) + 1
        if size > self.left - reserve:
            return False
        self.left -= size
        return True


def _cut(text: str, language: Language) -> str:
    """The first words of what was asked."""
    most = _CUT[language]
    if len(text) <= most:
        return text
    short = text[:most] if language is Language.ZH else text[: most + 1].rpartition(" ")[0] or text[:most]
    return f"{short}…"
