"""The text of a recall: which facts, exchanges and questions go into the budget.

A recall has parts, such as what bears on the query, what a treatment depends on and the findings of
the day. Each part in turn takes at most a share of the budget, best first; what is then left goes
to the parts again, in the same order. So no part crowds out another where room is short, and no
room is lost where it is not. The parts of a second group, such as exchanges word for
word, have the room that those of the first leave.

An exchange word for word stands in the place of the lines that tell what it says. An exchange with
something that was corrected since is told by its facts alone. Questions of the day of which nothing
is told are listed, so that nobody asks them again. Everything is told whole or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, islice, takewhile
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.memory.base import Query, Recall, tokens
from osler.memory.core.fact import Fact
from osler.memory.core.fact_lines import FactLine, Rank, Row, fact_line, recalled_facts, row_text
from osler.memory.core.recall_text import LEAST, day_text, dialogue_text, exchange_text
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.retrieve import Hit
from osler.memory.tim.thought_space import ThoughtSpace

_SHARE, _SHARE_TO_CONCLUDE = 0.4, 0.6
"""Share of the budget that a part takes, at most, before the parts behind it have had theirs."""
_QUESTIONS_SHARE = 0.15
"""Share of the budget, at most, that is left free for listing questions."""

Part = Iterable[Fact | int]
"""Facts, and turns to tell word for word, the best first."""


class Found(NamedTuple):
    """What a search found for a query."""

    facts: Sequence[Hit]
    """The best first."""
    turns: Sequence[Hit]
    """The best first."""
    unread: Sequence[int]
    """Turns of which a model could form no facts: they are told word for word or not at all. The
    oldest first."""
    bears: bool = True
    """Whether any of it bears on the query at all."""


class PageWriter:
    """Writes the recalls of one memory.

    Lines and exchanges are cached: most are told again and again.
    """

    def __init__(
        self, language: Language, speaker: Speaker, bank: MemoryBank, space: ThoughtSpace
    ) -> None:
        """Take what there is to tell of."""
        self.language, self._speaker, self.bank, self.space = language, speaker, bank, space
        self._lines: dict[int, FactLine] = {}
        self._today: date | None = None
        self._exchanges: dict[int, tuple[str, int]] = {}
        self._questions: dict[int, tuple[str, int]] = {}

    def line(self, fact: Fact) -> FactLine:
        """How a fact is told."""
        line = self._lines.get(fact.id)
        if line is None or line.fact is not fact:
            line = self._lines[fact.id] = self._new_line(fact)
        return line

    def _new_line(self, fact: Fact) -> FactLine:
        # Turns of today are told by their numbers, all others by their dates.
        turns_today = [turn for turn in fact.turns if self.is_today(turn)]
        other_days = [self._day(turn) for turn in fact.turns if not self.is_today(turn)]
        other_dates = list(dict.fromkeys(day.isoformat() for day in other_days if day))
        content, first_day = fact, self._day(fact.turn)
        if not fact.also and first_day is not None and fact.reported == first_day.isoformat():
            # The line says that already: it is when the fact was said.
            content = fact.model_copy(update={"reported": ""})
        return fact_line(content, self.language, other_dates, turns_today)._replace(fact=fact)

    def exchange(self, turn: int) -> tuple[str, int]:
        """A turn word for word, and its tokens with the date."""
        if turn not in self._exchanges:
            # What the doctor thinks now is a fact of its own.
            spoken = self.bank[turn].model_copy(update={"differential": ()})
            text = exchange_text(spoken, self.language, self._speaker)
            date_size = tokens(day_text(spoken.at, self.language)) + 1 if spoken.at else 0
            self._exchanges[turn] = text, tokens(text) + 1 + date_size
        return self._exchanges[turn]

    def question(self, turn: int) -> tuple[str, int]:
        """What was asked in a turn, on one line, and its tokens."""
        if turn not in self._questions:
            text = " ".join(self.bank[turn].question.split())
            self._questions[turn] = text, tokens(text) + 1
        return self._questions[turn]

    def _findings_today(self, last_turn: int | None) -> list[Fact]:
        """The facts of the day but for those of the turn that the doctor has word for word.

        Those with the most to tell come first, then the newest.

        Without a calendar there are none: everything would be of the same day.
        """
        if self._today is None:
            return []
        turns = [turn for turn in self.turns_today() if turn != last_turn]
        numbers = chain.from_iterable(map(self.space.of_turn, turns))
        facts = [self.space[number] for number in numbers]
        return sorted(facts, key=lambda fact: self.line(fact).rank)

    def turns_today(self) -> Iterator[int]:
        """The turns of the day, the newest first.

        What was asked on another day may be asked again.
        """
        return takewhile(self.is_today, self.bank.newest)

    def is_today(self, turn: int) -> bool:
        """Whether a turn is of the present consultation and of the newest turn's day.

        Turns of earlier visits have negative numbers, which mean nothing to a reader.
        """
        return turn > 0 and self._day(turn) == self._today

    def _day(self, turn: int) -> date | None:
        at = self.bank[turn].at
        return None if at is None else at.date()

    def notice_new_day(self) -> None:
        """Note the day of the newest turn; called before lines are written or a page is filled.

        Lines that were written on another day tell other turns by their dates.
        """
        newest = next(self.bank.newest, None)
        today = None if newest is None else self._day(newest)
        if today != self._today:
            self._today = today
            self._lines.clear()

    def page(self, query: Query, found: Found, budget: int) -> Page:
        """Fill a page for a question or a conclusion."""
        self.notice_new_day()
        space, last_turn = self.space, query.beside
        near = [space[hit.number] for hit in found.facts]
        if query.is_to_conclude:
            near = [fact for fact in near if not space.is_vital(fact)]
        near.sort(key=lambda fact: self._is_told_late(fact, last_turn))
        # A fact takes a token at least, so no more of them can be told.
        vital = list(islice(space.vital, budget))
        today = self._findings_today(last_turn)
        # No fact stands for an unread turn, so these come first, the newest before the others.
        numbers = dict.fromkeys([*reversed(found.unread), *(hit.number for hit in found.turns)])
        exchanges = [number for number in numbers if number != last_turn]
        if query.is_to_conclude:
            # Who concludes asks nothing more: questions are listed only where facts leave room.
            return self.fill(
                [[vital, today], [space.doctors_own, near, exchanges]],
                budget,
                share=_SHARE_TO_CONCLUDE,
                questions_share=0.0,
            )
        if not found.bears:
            return self.fill([[vital, today], [space.doctors_own, near, exchanges]], budget)
        return self.fill([[near, vital, today], [space.doctors_own, exchanges]], budget)

    def _is_told_late(self, fact: Fact, last_turn: int | None) -> bool:
        """Whether nobody said a fact, it says nothing, or the doctor has it word for word."""
        return self.line(fact).rank >= Rank.INFERRED or fact.turns == (last_turn,)

    def fill(
        self,
        groups: Sequence[Sequence[Part]],
        budget: int,
        *,
        share: float = _SHARE,
        lists_questions: bool = True,
        questions_share: float = _QUESTIONS_SHARE,
    ) -> Page:
        """Fill a page with parts, group by group; those of the first tell their best item.

        A part is told at first up to its share, then as far as the parts of its group left room.
        """
        self.notice_new_day()
        page = Page(self, budget)
        for_questions = 0.0
        if lists_questions:
            for_questions = page.room_for_questions(budget * questions_share)
        for place, group in enumerate(groups):
            parts = [list(part) for part in group]
            for part in parts:
                room = min(page.left - for_questions, budget * share)
                page.add_part(part, room, is_leading=place == 0)
            for part in parts:
                page.add_part(part, page.left - for_questions)
        if lists_questions:
            page.list_questions()
        return page


class Page:
    """The lines, exchanges and questions of one recall while they are chosen."""

    def __init__(self, writer: PageWriter, budget: int) -> None:
        """Start empty."""
        self._writer = writer
        self._space = writer.space
        self.left = float(budget)
        """Tokens."""
        self._lines: dict[int | Row, list[FactLine]] = {}
        """By the number of the fact, or by row."""
        self._replaceable: defaultdict[int, list[FactLine]] = defaultdict(list)
        """By turn, the lines in whose place it can be told word for word."""
        self._told: set[int] = set()
        """The numbers of the facts that are told, by lines or in exchanges."""
        self._tried: set[int] = set()
        """The turns of every fact and exchange for which room was looked for."""
        self._whole: set[int] = set()
        """The turns that are told word for word."""
        self._questions: dict[int, str] = {}
        """The questions that are listed, by turn."""

    def add_part(self, part: Part, room: float, *, is_leading: bool = False) -> None:
        """Tell as much of a part as there is room for.

        Args:
            part: The best item first.
            room: Tokens that the part may take.
            is_leading: Whether the best item may take all that is left on the page, also what is
                left free for other parts and for questions.
        """
        before = self.left
        for item in part:
            if self.left < LEAST:
                return
            is_first = self.left == before
            must_remain = 0.0 if is_leading and is_first else before - room
            if isinstance(item, int):
                self._add_exchange(item, must_remain)
            else:
                self._add_fact(item, must_remain)

    def _add_fact(self, fact: Fact, must_remain: float) -> None:
        """Tell a fact, if that leaves as many tokens as must remain."""
        self._tried.update(fact.turns)
        if fact.id in self._told:
            return
        line = self._writer.line(fact)
        key = line.row or fact.id
        same_row = self._lines.get(key, [])
        size = line.size
        if same_row:
            # The row has its beginning, and tells each thing once.
            is_there = any(other.words == line.words for other in same_row)
            size = 0 if is_there else tokens(line.words) + 1
        if size > self.left - must_remain:
            return
        self.left -= size
        self._lines.setdefault(key, []).append(line)
        self._told.add(fact.id)
        if self._is_replaceable(line):
            self._replaceable[fact.turn].append(line)

    def _is_replaceable(self, line: FactLine) -> bool:
        """Whether the words of its turn tell a fact as well as its line.

        A model may have thought more than was said, and what a treatment depends on stays.
        """
        fact = line.fact
        is_of_this_turn_alone = line.row is None and not fact.also
        return is_of_this_turn_alone and not fact.is_by_model and not self._space.is_vital(fact)

    def _add_exchange(self, turn: int, must_remain: float) -> None:
        """Tell a turn word for word in the place of its lines, if there is room."""
        self._tried.add(turn)
        if turn in self._whole or turn in self._space.corrected_turns:
            return
        replaced = self._replaceable[turn]
        size = self._writer.exchange(turn)[1] - sum(line.size for line in replaced)
        if size > self.left - must_remain:
            return
        self.left -= size
        self._whole.add(turn)
        for line in replaced:
            del self._lines[line.fact.id]
        self._told.update(fact.id for fact in self._in_words_of(turn))

    def _in_words_of(self, turn: int) -> list[Fact]:
        """The facts that the words of a turn tell; a model or the doctor may have thought more."""
        facts = [self._space[number] for number in self._space.of_turn(turn)]
        return [fact for fact in facts if not (fact.is_by_model or fact.is_doctors)]

    def room_for_questions(self, most: float) -> float:
        """The room that all questions of the day take, up to a maximum."""
        needed = 0.0
        for turn in self._writer.turns_today():
            needed += self._writer.question(turn)[1]
            if needed >= most:
                return most
        return needed

    def list_questions(self) -> None:
        """List what was asked today in turns of which nothing is told, the newest first."""
        covered = self.turns
        for turn in self._writer.turns_today():
            question, size = self._writer.question(turn)
            if turn in covered or not question:
                continue
            if not self._questions:
                size = tokens(row_text("asked", [question], self._writer.language)) + 1
            if size <= self.left:
                self.left -= size
                self._questions[turn] = question

    @property
    def questions(self) -> list[int]:
        """The turns whose questions are listed."""
        return sorted(self._questions)

    @property
    def lines(self) -> list[list[FactLine]]:
        """The lines in the order of the text; what the doctor thought comes last."""
        return sorted(self._lines.values(), key=lambda line: line[0].row is Row.THOUGHT)

    @property
    def facts(self) -> list[Fact]:
        """The facts that have lines, in the order of the text."""
        return [line.fact for lines in self.lines for line in lines]

    @property
    def whole(self) -> list[int]:
        """The turns that are told word for word."""
        return sorted(self._whole)

    @property
    def turns(self) -> set[int]:
        """The turns of which something is told."""
        return self._whole.union(*(fact.turns for fact in self.facts))

    @property
    def text(self) -> str:
        """All lines, then the questions, then the exchanges."""
        writer = self._writer
        texts = [self._text_of(lines) for lines in self.lines]
        if self._questions:
            questions = [self._questions[turn] for turn in self.questions]
            texts.append(row_text("asked", questions, writer.language))
        if self._whole:
            exchanges = [(writer.bank[turn], writer.exchange(turn)[0]) for turn in self.whole]
            texts.append(dialogue_text(exchanges, writer.language))
        return "\n".join(texts)

    def _text_of(self, lines: Sequence[FactLine]) -> str:
        row = lines[0].row
        if row is None:
            return lines[0].text
        return row_text(row, [line.words for line in lines], self._writer.language)

    @property
    def tried_but_untold(self) -> tuple[int, ...]:
        """The turns of what was tried of which nothing is told."""
        return tuple(sorted(self._tried - self.turns))

    def turns_with_untold_facts(self, unread: Sequence[int]) -> tuple[int, ...]:
        """The turns with a fact that is not told, tried or not, and unread turns not told."""
        space = self._space
        untold = {turn for turn in space.turns if not self._told.issuperset(space.of_turn(turn))}
        return tuple(sorted(untold | (set(unread) - self._whole)))

    def recall(self, hits: Mapping[int, Hit], dropped: tuple[int, ...]) -> Recall:
        """The recall, with its facts and exchanges for code to read.

        Args:
            hits: How well facts fit the query, by their numbers.
            dropped: The turns with something left out.
        """
        bank, by_number = self._writer.bank, {fact.id: fact for fact in self.facts}
        turns = sorted({*self.turns, *self._questions})
        for turn in self.whole:
            for fact in self._in_words_of(turn):
                by_number.setdefault(fact.id, fact)
        facts: list[Fact] = []
        for fact in by_number.values():
            hit = hits.get(fact.id)
            facts += recalled_facts(
                fact,
                self._writer.language,
                lambda turn: bank[turn].at,
                hit.score if hit else 0.0,
                hit.turn if hit else None,
            )
        exchanges = [bank[turn] if turn in self._whole else bank.question(turn) for turn in turns]
        return Recall(
            text=self.text, facts=tuple(facts), exchanges=tuple(exchanges), dropped=dropped
        )

    @property
    def tells_anything(self) -> bool:
        """Whether a fact or an exchange is told, not only questions."""
        return bool(self._lines or self._whole)
