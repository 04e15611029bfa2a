"""Thoughts as lines of a prompt, as many as the budget holds: `Fact #j: what was said (turn n)`.

A model's thought is a line of its own. Of the thoughts that rules formed, those of one answer share a line, after what
was asked where they do not name it; what the patient denies and what is normal stands in one line each. Questions of
which nothing is told are named at the end, so that nobody asks them again. A thought is told whole or left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from osler.language import Language
from osler.memory.base import tokens
from osler.memory.tim.fact_words import denied_thing, normal_thing, told, topic_of
from osler.memory.tim.thought import Maker, Source, Thought
from osler.prompts import phrases

_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_PROTECTED = 0.4
"""Share of the budget that protected thoughts have before what bears on the query; the first one is told anyway."""
_NAMED = 0.2
"""Share of the budget that is kept from other thoughts for naming questions."""
_CUT = {Language.EN: 24, Language.ZH: 8}
"""Characters of what was asked that are told."""

Key = tuple[object, ...]


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
    turns = sorted({*silent, *(turn for one in thoughts for turn in one.turns)})
    page = _Page(language, budget)
    vital = [one for one in thoughts if _is_vital(one)]
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
    dropped = sorted({one.turn for one in thoughts if one.id not in page.ids})
    return Told(page.text(), page.kept, asked, tuple(dropped))


def _is_vital(thought: Thought) -> bool:
    """Whether a treatment hangs on it, or it is what the doctor itself thought."""
    return (thought.is_protected and not thought.negated) or thought.source is Source.DOCTOR


def _weight(thought: Thought, language: Language) -> int:
    """What is there first, then denials, what is normal, and what nobody said."""
    if thought.inferred:
        return 3
    if normal_thing(thought, language):
        return 2
    return 1 if denied_thing(thought, language) else 0


@dataclass
class _Page:
    """The lines of one recall while they are chosen."""

    language: Language
    left: int
    """Tokens."""
    lines: dict[Key, list[str]] = field(default_factory=dict)
    """Answers: what each line says, part by part."""
    heads: dict[Key, Thought] = field(default_factory=dict)
    """The first thought of each line."""
    rows: dict[str, list[str]] = field(default_factory=lambda: {"denied": [], "normal": [], "asked": []})
    told: dict[Key, list[Thought]] = field(default_factory=dict)
    ids: set[int] = field(default_factory=set)

    @property
    def kept(self) -> tuple[Thought, ...]:
        """What is told, in the order of the text."""
        order = [*self.lines, ("denied",), ("normal",)]
        return tuple(one for key in order for one in self.told.get(key, ()))

    def add(self, thought: Thought, reserve: float) -> None:
        """Tell a thought, if it is not told yet and there is room for it beside what is kept in reserve."""
        if thought.id in self.ids:
            return
        for part, thing in (("denied", denied_thing), ("normal", normal_thing)):
            if name := thing(thought, self.language):
                name = _cut(name, self.language) if part == "normal" else name
                if name in self.rows[part] or self._fits_row(part, name, reserve):
                    self._note((part,), thought)
                    self.rows[part] = list(dict.fromkeys([*self.rows[part], name]))
                return
        key = _line_of(thought)
        said = told(thought, self.language)
        size = tokens(said) if key in self.lines else tokens(self._line(thought, [said]))
        if self._fits(size, reserve):
            self.lines.setdefault(key, []).append(said)
            self.heads.setdefault(key, thought)
            self._note(key, thought)

    def name_questions(self, turns: Sequence[int], topic: Callable[[int], str]) -> tuple[int, ...]:
        """Name what was asked in these turns, the newest first; the turns whose questions found room."""
        named: dict[int, str] = {}
        for turn in reversed(turns):
            name = _cut(topic(turn), self.language)
            if name and self._fits_row("asked", name, 0):
                named[turn] = name
                self.rows["asked"] = [name, *self.rows["asked"]]
        self.rows["asked"] = list(dict.fromkeys(self.rows["asked"]))
        return tuple(sorted(named))

    def text(self) -> str:
        """All lines."""
        lines = [self._line(self.heads[key], said) for key, said in self.lines.items()]
        words = phrases("tim_lines", self.language)
        mark = _SEMICOLON[self.language]
        return "\n".join(
            [*lines, *(words[part].format(things=mark.join(row)) for part, row in self.rows.items() if row)]
        )

    def _note(self, key: Key, thought: Thought) -> None:
        self.told.setdefault(key, []).append(thought)
        self.ids.add(thought.id)

    def _line(self, head: Thought, said: Sequence[str]) -> str:
        words = phrases("tim_lines", self.language)
        text = _SEMICOLON[self.language].join(dict.fromkeys(said))
        if head.maker is Maker.RULES and (topic := _cut(topic_of(head), self.language)):
            text = words["answer"].format(topic=topic, text=text)
        turns = _COMMA[self.language].join(map(str, head.turns))
        return words["fact"].format(number=head.id, text=text, turns=turns)

    def _fits_row(self, part: str, name: str, reserve: float) -> bool:
        head = 0 if self.rows[part] else tokens(phrases("tim_lines", self.language)[part]) + 1
        return self._fits(tokens(name) + head, reserve)

    def _fits(self, size: int, reserve: float) -> bool:
        """Whether there is room for so many tokens and the mark before them, rounded up; if so, it is taken."""
        if size + 1 > self.left - reserve:
            return False
        self.left -= size + 1
        return True


def _line_of(thought: Thought) -> Key:
    """The line that a thought goes into: answers to one question share one, with the patient as their subject."""
    if thought.maker is Maker.MODEL or thought.source is Source.DOCTOR:
        return (thought.id,)
    return (thought.turns, topic_of(thought), thought.subject)


def _cut(text: str, language: Language) -> str:
    """The first words of what was asked."""
    most = _CUT[language]
    if len(text) <= most:
        return text
    short = text[:most] if language is Language.ZH else text[: most + 1].rpartition(" ")[0] or text[:most]
    return f"{short}…"
