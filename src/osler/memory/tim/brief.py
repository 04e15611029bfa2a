"""Facts in short, for a small budget: a line for what each turn told, one for denials, one for what else was asked.

What was asked stands once, cut short, and lends its words to the facts beside it: they need no subject of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from osler.memory.base import tokens
from osler.memory.tim.extract.english_question import TESTED
from osler.memory.tim.thought import Thought
from osler.records.language import Language
from osler.words import content

Topic = Callable[[int], str]
"""What was asked in a turn, in its words of weight."""

PATIENT = frozenset({"patient", "患者"})
_ANYTHING = PATIENT | {"complaint", "症状"}
_DENIED = {Language.EN: "Denied ", Language.ZH: "否认"}
_ASKED = {Language.EN: "Also asked: ", Language.ZH: "还问过："}
_ABOUT = {Language.EN: "{text} [{topic}]", Language.ZH: "{text}［{topic}］"}
_COLON = {Language.EN: ": ", Language.ZH: "："}
_SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}
_STOP = {Language.EN: ". ", Language.ZH: "。"}
_CUT = {Language.EN: 4, Language.ZH: 7}
"""What is left of a question: words in English, characters in Chinese."""
_SHOWN = 0.6
"""Share of the words of a question that a fact must hold to show by itself what was asked."""
_HAS_NOT = frozenset({"does not have", "has not had", "没有"})
_EMPTY = frozenset({"is", "are", "was", "were", "says", "shows", "说", "是", "为", "显示"})
"""Relations that say nothing which the question did not."""
_NOT_DONE = re.compile(
    r"has not been (?:done|made|taken|tested|measured|checked|examined)|没有?\S{0,2}(?:查|做|拍|测|量|验|抽|照)过"
)
_VALUE = re.compile(r"[<>≤≥~]?\s*\d")


def tells_nothing(thought: Thought) -> bool:
    """Whether a thought only says that something is not known or was never examined: naming the question is enough."""
    if thought.certainty == 0:
        return True
    if thought.relation in _HAS_NOT:
        return TESTED.search(thought.object) is not None or thought.object in {"查过", "做过"}
    return _NOT_DONE.match(thought.relation) is not None


def named(topics: Iterable[str], language: Language) -> str:
    """The questions of which no fact is told, in one line; empty when there are none."""
    told = list(dict.fromkeys(topics))
    return _ASKED[language] + _SEMICOLON[language].join(told) if told else ""


def about(text: str, topic: str, language: Language) -> str:
    """A fact with what was asked, where that is not plain."""
    return _ABOUT[language].format(text=text, topic=topic) if topic else text


def shows(thought: Thought, asked: str, share: float, language: Language) -> bool:
    """Whether a fact holds that share of the words of a question."""
    wanted = set(content(asked, language))
    return len(wanted & set(content(thought.triple, language))) >= share * len(wanted)


@dataclass(frozen=True)
class Brief:
    """The short form of one memory's facts. Any part of them can be told, and what is left out is named."""

    topic: Topic
    language: Language

    def text(self, thoughts: Sequence[Thought], turns: Sequence[int], room: float) -> str:
        """The facts, and what else was asked in these turns as far as the room for that goes; the oldest falls out."""
        told = [thought for thought in thoughts if not tells_nothing(thought)]
        denied = {thought.id: what for thought in told if (what := self._denied(thought))}
        shared = list(by_turn(thought for thought in told if thought.id not in denied).values())
        lines = [self._turn(members) for members in shared]
        if denied:
            numbers = " ".join(f"#{number}" for number in denied)
            listed = _SEMICOLON[self.language].join(dict.fromkeys(denied.values()))
            lines.append(f"{_DENIED[self.language]}{numbers}{_COLON[self.language]}{listed}")
        covered = {turn for members in shared for turn in members[0].turns}
        covered.update(thought.turn for thought in told if thought.id in denied and self._answers(thought))
        others = [asked for turn in turns if turn not in covered and (asked := self._cut(turn))]
        while others and tokens(named(others, self.language)) > room:
            others = others[1:]
        return "\n".join(filter(None, [*lines, named(others, self.language)]))

    def _turn(self, members: list[Thought]) -> str:
        """What one turn told. What was asked stands behind it once, and so does what else the same words answered."""
        first = members[0]
        unclear = [turn for turn in first.turns if not shows(first, self.topic(turn), _SHOWN, self.language)]
        asked = content(self.topic(first.turn), self.language) if first.turn in unclear else ()
        said, subject = [], ""
        for thought in members:
            said.append(self._lean(thought, subject, asked))
            subject = thought.subject
        topics = _SEMICOLON[self.language].join(filter(None, dict.fromkeys(map(self._cut, unclear))))
        return f"#{first.id}{_COLON[self.language]}{about(_STOP[self.language].join(said), topics, self.language)}"

    def _lean(self, thought: Thought, before: str, asked: tuple[str, ...]) -> str:
        """A fact without a subject that was just named or that the question begins with, and without an empty verb."""
        own = content(thought.subject, self.language)
        lent = bool(asked) and (thought.subject in _ANYTHING or own == asked[: len(own)])
        if thought.relation in {"says", "说"}:
            return thought.object or thought.triple
        if not thought.object or not (lent or thought.subject in {before, "complaint", "症状"}):
            bare = thought.relation in _EMPTY and _VALUE.match(thought.object)
            return f"{thought.subject} {thought.object}" if bare else thought.triple
        verb = set(content(thought.relation, self.language))
        asked_so = bool(verb) and verb <= set(asked) and not thought.negated
        if lent and (asked_so or thought.relation in _EMPTY):
            return thought.object
        return f"{thought.relation} {thought.object}"

    def _denied(self, thought: Thought) -> str:
        """What a thought denies and nothing else; empty when it says more."""
        if not thought.negated or not thought.object:
            return ""
        if self._answers(thought):
            return self._cut(thought.turn)
        return thought.object if thought.subject in PATIENT and thought.relation in _HAS_NOT else ""

    def _answers(self, thought: Thought) -> bool:
        """Whether it is the question over again."""
        own = set(content(f"{thought.subject} {thought.object}", self.language)) - {"patient", "患者"}
        wanted = set(content(self.topic(thought.turn), self.language))
        return own <= wanted and len(own) >= _SHOWN * len(wanted)

    def _cut(self, turn: int) -> str:
        asked, most = self.topic(turn), _CUT[self.language]
        if self.language is Language.ZH:
            return asked if len(asked) <= most + 1 else f"{asked[:most]}…"
        words = asked.split()
        return asked if len(words) <= most + 1 else f"{' '.join(words[:most])}…"


def by_turn(thoughts: Iterable[Thought]) -> dict[int, list[Thought]]:
    """Thoughts under the turn they come from, in their order."""
    turns: dict[int, list[Thought]] = {}
    for thought in ordered(thoughts):
        turns.setdefault(thought.turn, []).append(thought)
    return turns


def ordered(thoughts: Iterable[Thought]) -> list[Thought]:
    """In the order in which they were told."""
    return sorted(thoughts, key=attrgetter("turn", "id"))
