"""The text of a recall: which thoughts, turns and questions go into the budget, and in which order.

What a treatment depends on comes first, then the findings of the day, then the other thoughts by relevance. For a
question, what bears most on the query stands before all of these; for a conclusion nothing does. A part of the budget,
and whatever is left of it, goes to exchanges word for word, the best first, since a thought leaves something out; the
other thoughts of such an exchange need no line. An exchange with something that was corrected since is told by its
thoughts alone. Questions of the day of which nothing is told are listed, so that nobody asks them again. A thought or a
question is included completely or left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, islice, takewhile
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.memory.base import tokens
from osler.memory.recall_text import SEMICOLON, day_text, dialogue_text, exchange_text
from osler.memory.tim.fact_lines import ROWS, LineKey, ThoughtWords, Weight, words_of
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.thought import Thought
from osler.memory.tim.thought_space import ThoughtSpace
from osler.prompts import phrases

_COMMA = {Language.EN: ", ", Language.ZH: "、"}
_ASKED_FOR, _FIRST_LINES = 0.6, 200
"""Share of the budget for what bears most on the query, and the most tokens; the first thought is always included."""
_VITAL = 0.4
"""Share of the budget for what a treatment depends on, before a question."""
_TODAY = 0.4
"""Share of the budget that a conclusion keeps for the findings of the day from what a treatment depends on."""
_WHOLE = 0.35
"""Share of the budget that is kept from other thoughts for exchanges word for word."""
_NAMED = 0.15
"""Share of the budget that is kept from other thoughts for listing questions."""
_SMALLEST = 3
"""Tokens below which nothing is tried any more."""
_MISSES = 12
"""After as many thoughts or turns that did not fit, no others are tried."""


class _ThoughtLine(NamedTuple):
    """A thought in words, and the line that it would be alone."""

    thought: Thought
    words: ThoughtWords
    line: str
    size: int
    """Tokens of the line, rounded up."""


@dataclass(frozen=True)
class Told:
    """The part of a memory that is included, and what had to be left out."""

    text: str
    kept: tuple[Thought, ...]
    """The thoughts that have lines, in the order of the text."""
    whole: tuple[int, ...]
    """Turns that are told word for word."""
    quoted: tuple[Thought, ...]
    """The other thoughts that were said in these turns."""
    asked: tuple[int, ...]
    """Turns whose questions are listed, since nothing else of them is included."""
    dropped: tuple[int, ...]
    """Turns with something left out."""


class PageWriter:
    """Writes the recalls of one memory. The words of thoughts and turns are kept: most are told again and again."""

    def __init__(self, language: Language, speaker: Speaker, bank: MemoryBank, space: ThoughtSpace) -> None:
        """Take what there is to tell of."""
        self.language, self._speaker, self._bank, self._space = language, speaker, bank, space
        self._words: dict[int, _ThoughtLine] = {}
        self._today: date | None = None
        self._exchanges: dict[int, tuple[str, int]] = {}
        self._questions: dict[int, tuple[str, int]] = {}

    def words(self, thought: Thought) -> _ThoughtLine:
        """How a thought is told."""
        known = self._words.get(thought.id)
        if known is None or known.thought is not thought:
            words = words_of(self._undated(thought), self.language)
            line = self.line(thought, words, [words.said])
            known = self._words[thought.id] = _ThoughtLine(thought, words, line, tokens(line) + 1)
        return known

    def _undated(self, thought: Thought) -> Thought:
        """Leave out a time that is only the day on which the thought was said: the line says that itself."""
        day = self._day(thought.turn)
        is_only_that = len(thought.turns) == 1 and day is not None and thought.reported == day.isoformat()
        return thought.model_copy(update={"reported": ""}) if is_only_that else thought

    def line(self, first: Thought, words: ThoughtWords, said: Iterable[str]) -> str:
        """The line that begins with a thought, and all that it says."""
        if words.key in ROWS:
            return self.row(str(words.key[0]), said)
        line = phrases("tim_lines", self.language)
        text = SEMICOLON[self.language].join(dict.fromkeys(said))
        if words.heading:
            text = line["answer"].format(topic=words.heading, text=text)
        when = self._when(first.turns, text)
        return line["fact"].format(number=first.id, text=line["said"].format(text=text, when=when) if when else text)

    def row(self, part: str, names: Iterable[str]) -> str:
        """The line of all things of a kind."""
        things = SEMICOLON[self.language].join(dict.fromkeys(names))
        return phrases("tim_lines", self.language)[part].format(things=things)

    def exchange(self, turn: int) -> tuple[str, int]:
        """A turn word for word, and its tokens with the date."""
        if turn not in self._exchanges:
            # What the doctor thinks now is a thought of its own.
            said = self._bank[turn].model_copy(update={"differential": ()})
            text = exchange_text(said, self.language, self._speaker)
            day = tokens(day_text(said.at, self.language)) + 1 if said.at else 0
            self._exchanges[turn] = text, tokens(text) + 1 + day
        return self._exchanges[turn]

    def question(self, turn: int) -> tuple[str, int]:
        """What was asked in a turn, on one line, and its tokens."""
        if turn not in self._questions:
            text = " ".join(self._bank[turn].question.split())
            self._questions[turn] = text, tokens(text) + 1
        return self._questions[turn]

    def _when(self, turns: Sequence[int], text: str) -> str:
        """Say in which turns of the day something was said, or on which other days, if the text does not say that."""
        comma, now = _COMMA[self.language], [str(turn) for turn in turns if self._is_today(turn)]
        dates = (day.isoformat() for turn in turns if not self._is_today(turn) and (day := self._day(turn)))
        days = [date for date in dict.fromkeys(dates) if date not in text]
        numbers = phrases("tim_lines", self.language)["turns"].format(turns=comma.join(now))
        return comma.join([*days, numbers] if now else days)

    def _begin(self, budget: int) -> _Page:
        """An empty page; lines that were written on another day have other dates."""
        today = next((self._day(turn) for turn in self._bank.newest), None)
        if today != self._today:
            self._today, self._words = today, {}
        return _Page(self, budget, self._question_room(budget))

    def only(self, found: Sequence[Thought], budget: int) -> Told:
        """Tell these thoughts and nothing else, as many as fit."""
        page = self._begin(budget)
        for one in found:
            page.add(self.words(one), 0)
        return self._told(page, (), (one.turn for one in found if one.id not in page.told))

    def choose(self, items: Iterable[Thought | int], budget: int) -> Told:
        """Tell these thoughts, and these turns word for word, in their order as long as there is room.

        What does not fit is passed over. The lines of a turn that is told word for word are left out. Questions of the
        day of which nothing is told are listed.
        """
        page, turns = self._begin(budget), set[int]()
        for item in items:
            if isinstance(item, int):
                turns.add(item)
                page.add_whole(item, page.for_questions)
            else:
                turns.update(item.turns)
                if page.whole.isdisjoint(item.turns) or item.is_by_model:
                    page.add(self.words(item), page.for_questions)
        covered = page.turns | page.whole
        asked = page.list_questions(turn for turn in self._turns_today() if turn not in covered)
        return self._told(page, asked, turns - covered)

    def write(
        self, found: Sequence[Thought], turns: Sequence[int], unread: Sequence[int], budget: int, *, bears: bool = True
    ) -> Told:
        """Fill the budget for the next question.

        Args:
            found: Thoughts, those that bear most on the query first.
            turns: Turns, likewise.
            unread: Turns of which a model could form no thoughts: they are told word for word or not at all.
            budget: In tokens.
            bears: Whether any of it bears on the query at all.
        """
        page = self._begin(budget)
        lines = [self.words(one) for one in found]
        if bears:
            self._add_asked_for(page, lines)
        self._add_vital(page, lines)
        page.pin()
        page.add_all(self._findings_today(budget), page.for_questions)
        return self._fill(page, _by_weight(lines), turns, unread)

    def write_to_conclude(
        self, found: Sequence[Thought], turns: Sequence[int], unread: Sequence[int], budget: int, *, last: int | None
    ) -> Told:
        """Fill the budget for a conclusion.

        Args:
            found: As for `write`.
            turns: As for `write`.
            unread: As for `write`.
            budget: In tokens.
            last: The turn that the doctor has word for word beside the recall: the rest of it comes last.
        """
        page, today = self._begin(budget), self._findings_today(budget, last)
        vital = [self.words(one) for one in islice(self._space.vital, budget // _SMALLEST)]
        page.add_all(vital, min(budget * _TODAY, sum(line.words.size for line in today)))
        page.pin()
        page.add_all(today, 0)
        page.add_all(vital, 0)
        rest = _by_weight(self.words(one) for one in found)
        rest.sort(key=lambda line: line.thought.turns == (last,))
        return self._fill(page, rest, [turn for turn in turns if turn != last], unread)

    def _findings_today(self, budget: int, but: int | None = None) -> list[_ThoughtLine]:
        """The thoughts of the day, as many as could fit: the newest first, but for those of one turn.

        Without a calendar there are none: everything would be of the same day.
        """
        if self._today is None:
            return []
        numbers = chain.from_iterable(self._space.of_turn(turn) for turn in self._turns_today() if turn != but)
        return _by_weight(self.words(self._space[number]) for number in islice(numbers, budget // _SMALLEST))

    def _fill(self, page: _Page, rest: Sequence[_ThoughtLine], turns: Iterable[int], unread: Sequence[int]) -> Told:
        """Fill what is left with other thoughts, exchanges and questions."""
        page.add_all([*map(self.words, self._space.doctors_own), *rest], page.for_questions + page.budget * _WHOLE)
        self._add_whole(page, dict.fromkeys([*reversed(unread), *turns]), page.for_questions)
        covered = {*page.whole, *chain.from_iterable(one.turns for one in page.kept)}
        asked = page.list_questions(turn for turn in self._turns_today() if turn not in covered)
        page.add_all(rest, 0)
        return self._told(page, asked, self._dropped(page, unread))

    def _add_whole(self, page: _Page, turns: Iterable[int], reserve: float) -> None:
        missed = 0
        for turn in turns:
            if turn not in self._space.corrected_turns:
                missed += not page.add_whole(turn, reserve)
            if missed >= _MISSES:
                return

    def quoted(self, turn: int) -> list[Thought]:
        """The active thoughts that the words of a turn tell; a model or the doctor may have thought more than those."""
        thoughts = map(self._space.__getitem__, self._space.of_turn(turn))
        return [one for one in thoughts if not (one.is_by_model or one.is_doctors)]

    def _add_asked_for(self, page: _Page, found: Sequence[_ThoughtLine]) -> None:
        reserve = 0.0
        for one in found:
            if one.words.weight >= Weight.INFERRED:
                continue
            if not page.add(one, reserve) and reserve:
                break
            reserve = page.budget - min(page.budget * _ASKED_FOR, _FIRST_LINES)

    def _add_vital(self, page: _Page, found: Sequence[_ThoughtLine]) -> None:
        near = (one for one in found if self._space.is_vital(one.thought))
        vital = chain(near, map(self.words, islice(self._space.vital, page.budget // _SMALLEST)))
        reserve = 0.0
        for one in vital:
            if page.add(one, reserve):
                reserve = reserve or max(page.for_questions, page.left - page.budget * _VITAL)

    def _turns_today(self) -> Iterator[int]:
        """The turns of the day, the newest first; what was asked on another day may be asked again."""
        return takewhile(self._is_today, self._bank.newest)

    def _is_today(self, turn: int) -> bool:
        """Whether a turn is of the present consultation and of the newest turn's day: only these have numbers."""
        return turn > 0 and self._day(turn) == self._today

    def _day(self, turn: int) -> date | None:
        at = self._bank[turn].at
        return None if at is None else at.date()

    def _question_room(self, budget: int) -> float:
        """The room for listing questions: what all of them take, up to a share of the budget."""
        most, needed = budget * _NAMED, 0
        for turn in self._turns_today():
            needed += self.question(turn)[1]
            if needed >= most:
                return most
        return needed

    def _dropped(self, page: _Page, unread: Sequence[int]) -> set[int]:
        """Turns with an active thought that is not told, and those that had to be told word for word and are not."""
        done = {turn for turn in page.turns | page.whole if page.told.issuperset(self._space.of_turn(turn))}
        return (self._space.turns - done) | (set(unread) - page.whole)

    def _told(self, page: _Page, asked: Sequence[int], dropped: Iterable[int]) -> Told:
        kept, whole = page.kept, tuple(sorted(page.whole))
        has_line = {one.id for one in kept}
        quoted = {one.id: one for turn in whole for one in self.quoted(turn) if one.id not in has_line}
        return Told(page.text(), kept, whole, tuple(quoted.values()), tuple(asked), tuple(sorted(set(dropped))))

    def dialogue(self, turns: Sequence[int]) -> list[str]:
        """Turns word for word, if there are any."""
        told = ((self._bank[turn], self.exchange(turn)[0]) for turn in turns)
        return [dialogue_text(told, self.language)] if turns else []


def _by_weight(lines: Iterable[_ThoughtLine]) -> list[_ThoughtLine]:
    """Lines with the most to tell first, else in their order."""
    return sorted(lines, key=lambda line: line.words.weight)


@dataclass
class _Page:
    """The lines of one recall while they are chosen."""

    writer: PageWriter
    budget: int
    for_questions: float
    """Tokens that are kept for listing questions."""
    left: float = 0
    """Tokens."""
    lines: dict[LineKey, list[_ThoughtLine]] = field(default_factory=dict)
    sizes: dict[LineKey, int] = field(default_factory=dict)
    said: set[tuple[LineKey, str]] = field(default_factory=set)
    """What each line says."""
    of_turn: defaultdict[int, list[LineKey]] = field(default_factory=lambda: defaultdict(list))
    """The lines with what rules found in one turn alone, by turn; a model may have thought more than was said."""
    told: set[int] = field(default_factory=set)
    """The numbers of the thoughts that are told."""
    whole: set[int] = field(default_factory=set)
    """Turns that are told word for word."""
    pinned: list[LineKey] = field(default_factory=list)
    """Lines that come first and stay, whatever else is told."""
    asked: list[str] = field(default_factory=list)
    """The questions that are listed."""

    def __post_init__(self) -> None:
        self.left = self.budget

    @property
    def _keys(self) -> list[LineKey]:
        """The lines in the order of the text: the rows come last, if they are not pinned."""
        rows = [key for key in ROWS if key in self.lines and key not in self.pinned]
        return [*(key for key in self.lines if key not in rows), *rows]

    @property
    def kept(self) -> tuple[Thought, ...]:
        """The thoughts that have lines, in the order of the text."""
        return tuple(one.thought for key in self._keys for one in self.lines[key])

    @property
    def turns(self) -> set[int]:
        """The turns of these."""
        return {turn for one in self.kept for turn in one.turns}

    def pin(self) -> None:
        """Keep the lines so far."""
        self.pinned = list(self.lines)

    def add_all(self, thoughts: Iterable[_ThoughtLine], reserve: float) -> None:
        """Tell as many thoughts as there is room for."""
        missed = 0
        for one in thoughts:
            if one.thought.id in self.told:
                continue
            missed += not self.add(one, reserve)
            if missed >= _MISSES or self.left - reserve < _SMALLEST:
                return

    def add(self, known: _ThoughtLine, reserve: float) -> bool:
        """Tell a thought, if there is room for it beside what is kept in reserve; return whether it is told."""
        thought, words = known.thought, known.words
        if thought.id in self.told:
            return True
        is_new = words.key not in self.lines
        more = 0 if (words.key, words.said) in self.said else words.size
        size = known.size if is_new else more
        if size > self.left - reserve:
            return False
        self.left -= size
        if is_new:
            self.lines[words.key], self.sizes[words.key] = [], 0
            if words.key not in ROWS and len(thought.turns) == 1 and not thought.is_by_model:
                self.of_turn[thought.turn].append(words.key)
        self.lines[words.key].append(known)
        self.sizes[words.key] += size
        self.said.add((words.key, words.said))
        self.told.add(thought.id)
        return True

    def add_whole(self, turn: int, reserve: float) -> bool:
        """Tell a turn word for word in the place of its lines, if there is room; return whether there is."""
        own = [key for key in self.of_turn[turn] if key not in self.pinned]
        size = self.writer.exchange(turn)[1]
        freed = sum(self.sizes[key] for key in own)
        if size - freed > self.left - reserve:
            return False
        self.left -= size - freed
        self.whole.add(turn)
        for key in own:
            del self.lines[key]
        self.told.update(one.id for one in self.writer.quoted(turn))
        return True

    def list_questions(self, turns: Iterable[int]) -> list[int]:
        """List what was asked in these turns as far as there is room; return the turns whose questions are listed."""
        listed: list[int] = []
        for turn in turns:
            if self.left < _SMALLEST:
                break
            question, size = self.writer.question(turn)
            size = size if self.asked else tokens(self.writer.row("asked", [question])) + 1
            if question and size <= self.left:
                self.left -= size
                listed.append(turn)
                self.asked.insert(0, question)
        return sorted(listed)

    def text(self) -> str:
        """All lines, then the exchanges."""
        lines = [self._line(self.lines[key]) for key in self._keys]
        questions = [self.writer.row("asked", self.asked)] if self.asked else []
        return "\n".join([*lines, *questions, *self.writer.dialogue(sorted(self.whole))])

    def _line(self, told: Sequence[_ThoughtLine]) -> str:
        first = told[0]
        if len(told) == 1:
            return first.line
        return self.writer.line(first.thought, first.words, [one.words.said for one in told])
