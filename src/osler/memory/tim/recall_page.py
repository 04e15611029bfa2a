"""The text of a recall: which facts, exchanges and questions go into the budget.

A recall has parts: what a treatment depends on, what bears on the query, the findings of the day.
Each part in turn takes at most a share of the budget, best first; what is then left goes to the
parts again, in the same order. So no part crowds out another where room is short, and no room is
lost where it is not. The parts of a later group, such as trivia, have the room that those before
leave.

The lines stand in the order of a patient's notes: allergies, medicines, pregnancy, conditions, then
everything else from the oldest to the newest, then what was only inferred, then trivia.

A turn is told by its facts or word for word, never both. Word for word it stands in the place of
the lines that rules made of it, if there are no others; a turn of which a model made facts, or with
something that was corrected since, is told by facts alone. Questions of the day of which nothing is
told are listed, so that nobody asks them again. Everything is told whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import chain, islice, takewhile
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.language.day_words import with_dates
from osler.memory.base import Query, tokens
from osler.memory.core.fact import Fact, FactKind
from osler.memory.core.fact_lines import FactLine, Rank, fact_line
from osler.memory.core.recall_text import day_text, exchange_text
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.page import SHARE, WIDE_SHARE, Page, RecallPart
from osler.memory.tim.retrieve import Hit
from osler.memory.tim.thought_space import ThoughtSpace

_LEAST_PINNED = 40
"""Tokens that what a treatment depends on may take of the smallest budget."""
_QUESTIONS_SHARE = 0.15
"""Share of the budget, at most, that is left free for listing questions."""


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
        self,
        language: Language,
        speaker: Speaker,
        bank: MemoryBank,
        space: ThoughtSpace,
        *,
        facts_only: bool = False,
    ) -> None:
        """Take what there is to tell of, and whether facts alone are told of it."""
        self.language, self._speaker, self.bank, self.space = language, speaker, bank, space
        self.facts_only = facts_only
        self._lines: dict[int, FactLine] = {}
        self._today: date | None = None
        self._exchanges: dict[int, tuple[str, int]] = {}
        self._questions: dict[int, tuple[str, int]] = {}

    def line(self, fact: Fact) -> FactLine:
        """How a fact is told."""
        line, kind = self._lines.get(fact.id), self.space.kind_of(fact)
        if line is None or line.fact is not fact or line.kind is not kind:
            line = self._lines[fact.id] = self._new_line(fact, kind)
        return line

    def _new_line(self, fact: Fact, kind: FactKind) -> FactLine:
        # What a model merged, or heard again, is true on the last of its days.
        turns = fact.turns[-1:] if fact.is_by_model else fact.turns
        # Turns of today are told by their numbers, all others by their dates.
        turns_today = [turn for turn in turns if self.is_today(turn)]
        other_days = [self._day(turn) for turn in turns if not self.is_today(turn)]
        other_dates = list(dict.fromkeys(day.isoformat() for day in other_days if day))
        content = self._with_its_day(fact, turns)
        line = fact_line(content, self.language, other_dates, turns_today, kind)
        return line._replace(fact=fact)

    def _with_its_day(self, fact: Fact, turns: Sequence[int]) -> Fact:
        """A fact as it is read beside the days of these turns."""
        day = self._day(turns[-1])
        if day is None or len({self._day(turn) for turn in turns}) > 1:
            return fact
        changed: dict[str, str] = {}
        if fact.reported and day.isoformat().startswith(fact.reported):
            changed["reported"] = ""  # the line says that already: it is when the fact was said
        elif not fact.is_by_model and not self.is_today(turns[-1]):
            # A model writes dates itself.
            changed["object"] = with_dates(fact.object, day, self.language)
            changed["reported"] = with_dates(fact.reported, day, self.language)
        return fact.model_copy(update=changed)

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

        What the diagnosis hangs on comes first, then what has the most to tell, then the newest.

        Without a calendar everything would be of the same day: only the deciding findings are then
        set apart.
        """
        turns = [turn for turn in self.turns_today() if turn != last_turn]
        numbers = chain.from_iterable(map(self.space.of_turn, turns))
        facts = [self.space[number] for number in numbers]
        facts = [fact for fact in facts if fact.kind is not FactKind.TRIVIAL]
        if self._today is None:
            facts = [fact for fact in facts if fact.kind is FactKind.DECIDING]
        return sorted(
            facts, key=lambda fact: (fact.kind is not FactKind.DECIDING, self.line(fact).rank)
        )

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
        facts = [space[hit.number] for hit in found.facts]
        facts = [fact for fact in facts if not self._is_beside(fact, last_turn)]
        trivia = [fact for fact in facts if fact.kind is FactKind.TRIVIAL]
        near = [fact for fact in facts if fact.kind is not FactKind.TRIVIAL]
        near.sort(key=self._is_told_late)
        # No fact stands for an unread turn, so these come first, the newest before the others.
        numbers = dict.fromkeys([*reversed(found.unread), *(hit.number for hit in found.turns)])
        exchanges = [number for number in numbers if number != last_turn]
        telling, silent = self._tellable_turns(exchanges, found.unread)
        share = WIDE_SHARE if query.is_to_conclude else SHARE
        # A fact takes a token at least, so no more of them can be told.
        pinned = list(islice(space.vital, budget))
        vital = RecallPart([fact for fact in pinned if not fact.inferred], share, _LEAST_PINNED)
        guesses = RecallPart([fact for fact in pinned if fact.inferred])
        findings = RecallPart(self._findings_today(last_turn), share)
        bearing, spoken = RecallPart(near, share), RecallPart(telling, share)
        standing, doctors = RecallPart(self._less_pressing()), RecallPart(space.doctors_own)
        others = RecallPart(self._others(last_turn, budget))
        last = [[others], [RecallPart(trivia), RecallPart(silent)]]
        if query.is_to_conclude or not found.bears:
            groups = [[vital, findings], [standing, guesses, doctors, bearing, spoken], *last]
        else:
            groups = [[vital, bearing, findings], [standing, guesses, doctors, spoken], *last]
        # Who concludes asks nothing more: questions are listed only where facts leave room.
        questions_share = 0.0 if query.is_to_conclude else _QUESTIONS_SHARE
        return self.fill(groups, budget, beside=last_turn, questions_share=questions_share)

    def _less_pressing(self) -> list[Fact]:
        """What is denied of allergies and the like, and what is open; each with the newest first.

        What there is of allergies and the like comes before them.
        """
        numbers = reversed(self.space.standing)
        facts = [self.space[number] for number in numbers]
        facts = [fact for fact in facts if not (self.space.is_vital(fact) or fact.inferred)]
        of_patient = [fact for fact in facts if self.space.kind_of(fact) is not FactKind.OTHER]
        return sorted(of_patient, key=lambda fact: fact.kind is FactKind.OPEN)

    def _others(self, last_turn: int | None, most: int) -> list[Fact]:
        """The newest facts, whatever they bear on, but for trivia."""
        facts = [fact for fact in self.space.newest if fact.kind is not FactKind.TRIVIAL]
        return [fact for fact in facts[:most] if not self._is_beside(fact, last_turn)]

    def _is_told_late(self, fact: Fact) -> bool:
        """Whether nobody said a fact, or it says nothing."""
        return self.line(fact).rank >= Rank.INFERRED

    def _is_beside(self, fact: Fact, last_turn: int | None) -> bool:
        """Whether the doctor has a fact word for word, and no treatment depends on it."""
        is_last = fact.turns == (last_turn,) and not fact.inferred
        return is_last and not self.space.is_vital(fact)

    def _tellable_turns(
        self, turns: Sequence[int], unread: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """The turns that can be told word for word, and those of them that left no fact.

        A turn of which a model formed facts is told by these.
        """
        telling: list[int] = []
        silent: list[int] = []
        for turn in turns:
            facts = [self.space[number] for number in self.space.of_turn(turn)]
            facts = [fact for fact in facts if not (fact.is_doctors or fact.inferred)]
            if turn in unread or (facts and not any(fact.is_by_model for fact in facts)):
                telling.append(turn)
            elif not facts:
                silent.append(turn)
        return telling, silent

    def fill(
        self,
        groups: Sequence[Sequence[RecallPart]],
        budget: int,
        *,
        beside: int | None = None,
        is_ranked: bool = False,
        repeats: bool = False,
        lists_questions: bool = True,
        questions_share: float = _QUESTIONS_SHARE,
    ) -> Page:
        """Fill a page with parts, group by group; those of the first tell their best item.

        A part is told at first up to its share, then as far as the parts of its group left room.

        Args:
            groups: The parts of each group.
            budget: Tokens of the page.
            beside: The turn that the reader has word for word.
            is_ranked: Whether the lines stand in the order in which they are given.
            repeats: Whether a turn may be told word for word beside its facts.
            lists_questions: Whether questions of which nothing is told are listed.
            questions_share: Share of the budget that is left free for them.
        """
        self.notice_new_day()
        page = Page(self, budget, beside, is_ranked=is_ranked, repeats=repeats)
        lists_questions = lists_questions and not self.facts_only
        for_questions = 0.0
        if lists_questions:
            for_questions = page.room_for_questions(budget * questions_share)
        for place, group in enumerate(groups):
            parts = [(list(part.items), max(budget * part.share, part.least)) for part in group]
            for items, most in parts:
                room = min(page.left - for_questions, most)
                page.add_items(items, room, is_leading=place == 0)
            for items, _ in parts:
                page.add_items(items, page.left - for_questions)
        if lists_questions:
            page.list_questions()
        return page
