"""Facts in short, for a small budget: what each turn told, then in a line each what was denied, is normal, was asked.

What was asked stands once, cut short, and lends its words to the facts beside it: they need no subject of their own.
A turn that was answered with no begins with it, since the rest of the answer alone would read as a yes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from osler.language import Language
from osler.language.words import content
from osler.memory.base import tokens
from osler.memory.tim.normal import is_normal
from osler.memory.tim.phrased import COLON, NO, about, cut, in_order, lean, listed, named, sentences, shows
from osler.memory.tim.terse import terse
from osler.memory.tim.thought import PATIENT, Thought
from osler.memory.tim.unanswered import tells_nothing
from osler.ranking import reaches

Topic = Callable[[int], str]
"""What was asked in a turn, in its words of weight."""

_DENIED = {Language.EN: "Denied", Language.ZH: "否认"}
_NORMAL = {Language.EN: "Normal", Language.ZH: "正常"}
_SHOWN = 0.6
"""Share of the words of a question that a fact must hold to show by itself what was asked."""
_NAMED = 0.5
"""The same for what is normal, of which little more than the name is told: `blood count` for `blood count done`."""
_HAS_NOT = frozenset({"does not have", "has not had", "没有"})


class _Line(NamedTuple):
    """What one turn told, and what was asked in it, where that is not plain."""

    number: int
    said: tuple[str, ...]
    asked: tuple[str, ...]


@dataclass
class Brief:
    """The short form of one memory's facts. Any part of them can be told, and what is left out is named."""

    topic: Topic
    language: Language
    thoughts: Sequence[Thought]
    """All there is to tell."""
    _made: dict[tuple[int, ...], _Line] = field(default_factory=dict, init=False, repr=False)
    """Lines by what is told in them and where else that was said: most of them stay while the last facts are chosen."""

    def text(self, thoughts: Sequence[Thought], turns: Sequence[int], room: float) -> str:
        """The facts, and what else was asked in these turns as far as the room for that goes; the oldest falls out."""
        shared = self._shared(thoughts)
        told = [members for members in shared if not self._is_in_order(members)]
        fine = [one for members in shared if self._is_in_order(members) for one in members]
        lines = [self._written(line) for line in self._lines(told)]
        covered = {turn for members in told for turn in members[0].turns}
        covered.update(
            turn for one in fine for turn in one.turns if shows(one, self.topic(turn), _NAMED, self.language)
        )
        noes = {self._noes[members[0].turn].id for members in shared if self._says_no(members)}
        denied = [one.id for one in ordered(thoughts) if one.id in self._denials and one.id not in noes]
        covered.update(turn for turn, no in self._noes.items() if no.id in denied)
        lines.append(self._list(_DENIED, [self._denials[number] for number in denied]))
        lines.append(self._list(_NORMAL, [self._fine[one.id] for one in fine]))
        others = [asked for turn in turns if turn not in covered and (asked := self._cut(turn))]
        while others and tokens(named(others, self.language)) > room:
            others = others[1:]
        return "\n".join(filter(None, [*lines, named(others, self.language)]))

    def _list(self, head: Mapping[Language, str], things: Iterable[str]) -> str:
        """Things of one kind in one line; empty when there are none."""
        row = listed(things, self.language)
        return f"{head[self.language]}{COLON[self.language]}{row}" if row else ""

    def _shared(self, thoughts: Iterable[Thought]) -> list[list[Thought]]:
        """What is told in lines, turn by turn."""
        told = (one for one in thoughts if one.id not in self._denials and not tells_nothing(one))
        return list(by_turn(told).values())

    def told_with(self, thoughts: Sequence[Thought]) -> list[Thought]:
        """The denials that these thoughts bring with them: a turn's line says that its answer was no."""
        kept = {thought.id for thought in thoughts}
        noes = (self._noes[members[0].turn] for members in self._shared(thoughts) if self._says_no(members))
        return [no for no in noes if no.id not in kept]

    @cached_property
    def _noes(self) -> Mapping[int, Thought]:
        """Turns whose question was answered with no, each with the thought that says so."""
        return {one.turn: one for one in self.thoughts if one.id in self._denials and self._answers(one)}

    @cached_property
    def _denials(self) -> Mapping[int, str]:
        """Thoughts that deny something and say nothing else, each with what it denies."""
        telling = (one for one in self.thoughts if one.negated and one.object and not tells_nothing(one))
        return {one.id: what for one in telling if (what := self._denied(one))}

    @cached_property
    def _fine(self) -> Mapping[int, str]:
        """Thoughts that only say that something is in order, each with its name, and its value where it has one."""
        return {one.id: name for one in self.thoughts if is_normal(one) and (name := in_order(one, self.language))}

    def _is_in_order(self, members: Sequence[Thought]) -> bool:
        """Whether nothing in a turn is told but what is in order."""
        return all(one.id in self._fine for one in members) and not self._says_no(members)

    def _says_no(self, members: Sequence[Thought]) -> bool:
        """Whether the line of a turn begins with no: it has to be an answer to that turn's question alone."""
        return members[0].turn in self._noes and len(members[0].turns) == 1

    def _lines(self, shared: Sequence[list[Thought]]) -> list[_Line]:
        """A line for each turn. What an earlier one says in the same words is told there, with both questions.

        What was asked in a turn that has a line of its own is not told elsewhere.
        """
        own = {members[0].turn for members in shared}
        lines: list[_Line] = []
        where: dict[str, int] = {}
        for members in shared:
            first = members[0]
            asked = tuple(turn for turn in first.turns if turn == first.turn or turn not in own)
            key = (*asked, 0, *(one.id for one in members))
            if (line := self._made.get(key)) is None:
                line = self._made[key] = self._turn(members, asked)
            # A no belongs to the question that it answers, and to no other.
            no = self._says_no(members)
            place = None if no else where.get(line.said[0])
            if place is not None and set(line.said) <= set(lines[place].said):
                lines[place] = lines[place]._replace(asked=lines[place].asked + line.asked)
                continue
            if not no:
                where = dict.fromkeys(line.said, len(lines)) | where
            lines.append(line)
        return lines

    def _turn(self, members: Sequence[Thought], asked: Sequence[int]) -> _Line:
        """What one turn told, and what was asked in these turns."""
        first, no = members[0], self._says_no(members)
        unclear = [turn for turn in asked if no or not shows(first, self.topic(turn), _SHOWN, self.language)]
        lent = content(self.topic(first.turn), self.language) if first.turn in unclear else ()
        said, subject = [NO[self.language]] if no else [], ""
        for thought in members:
            noted = thought.model_copy(update={"object": terse(thought.object, self.language)})
            said.append(lean(noted, subject, lent, self.language))
            subject = thought.subject
        return _Line(first.id, tuple(said), tuple(topic for turn in unclear if (topic := self._cut(turn))))

    def _written(self, line: _Line) -> str:
        said, topics = sentences(line.said, self.language), listed(line.asked, self.language)
        return f"#{line.number}{COLON[self.language]}{about(said, topics, self.language)}"

    def _denied(self, thought: Thought) -> str:
        """What a thought denies and nothing else; empty when it says more."""
        if self._answers(thought):
            return self._cut(thought.turn)
        return thought.object if thought.subject in PATIENT and thought.relation in _HAS_NOT else ""

    def _answers(self, thought: Thought) -> bool:
        """Whether it is the question over again."""
        own = set(content(f"{thought.subject} {thought.object}", self.language)) - PATIENT
        wanted = set(content(self.topic(thought.turn), self.language))
        return own <= wanted and reaches(len(own), _SHOWN * len(wanted))

    def _cut(self, turn: int) -> str:
        return cut(self.topic(turn), self.language)


def by_turn(thoughts: Iterable[Thought]) -> dict[int, list[Thought]]:
    """Thoughts under the turn they come from, in their order."""
    turns: dict[int, list[Thought]] = {}
    for thought in ordered(thoughts):
        turns.setdefault(thought.turn, []).append(thought)
    return turns


def ordered(thoughts: Iterable[Thought]) -> list[Thought]:
    """In the order in which they were told."""
    return sorted(thoughts, key=attrgetter("turn", "id"))
