"""One recall while it is filled: its lines, exchanges and questions, and the order of its text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from osler.memory.base import Recall, tokens
from osler.memory.core.fact import PROTECTED, Fact, FactKind
from osler.memory.core.fact_lines import FactLine, Row, numbered_line, recalled_facts, row_text
from osler.memory.core.recall_text import LEAST, dialogue_text
from osler.memory.tim.retrieve import Hit

if TYPE_CHECKING:
    from osler.memory.tim.recall_page import PageWriter

SHARE, WIDE_SHARE = 0.4, 0.6
"""Share of the budget that a part takes, at most, before the parts behind it have had theirs: for a
question, and for a conclusion."""


class RecallPart(NamedTuple):
    """What a recall tells, as far as there is room."""

    items: Iterable[Fact | int]
    """Facts, and turns to tell word for word, the best first."""
    share: float = SHARE
    least: float = 0.0
    """Tokens that it may take, however small its share is."""


class Page:
    """The lines, exchanges and questions of one recall while they are chosen."""

    def __init__(
        self,
        writer: PageWriter,
        budget: int,
        beside: int | None = None,
        *,
        is_ranked: bool = False,
        repeats: bool = False,
    ) -> None:
        """Start empty; the arguments are those of `PageWriter.fill`."""
        self._writer = writer
        self._space = writer.space
        self._beside, self._is_ranked, self._repeats = beside, is_ranked, repeats
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

    def add_items(
        self, items: Sequence[Fact | int], room: float, *, is_leading: bool = False
    ) -> None:
        """Tell as many of the items of a part as there is room for.

        Args:
            items: The best first.
            room: Tokens that the part may take.
            is_leading: Whether the best item may take all that is left on the page, also what is
                left free for other parts and for questions.
        """
        before = self.left
        for item in items:
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
        if self._writer.facts_only:
            return
        self._tried.add(turn)
        if turn in self._whole or turn in self._space.corrected_turns:
            return
        replaced = self._replaceable[turn]
        if not self._repeats and self._has_other_lines(turn, replaced):
            return
        size = self._writer.exchange(turn)[1] - sum(line.size for line in replaced)
        if size > self.left - must_remain:
            return
        self.left -= size
        self._whole.add(turn)
        for line in replaced:
            del self._lines[line.fact.id]
        self._told.update(fact.id for fact in self._in_words_of(turn))

    def _has_other_lines(self, turn: int, replaced: Sequence[FactLine]) -> bool:
        """Whether something said in a turn is told by lines that its words cannot replace."""
        facts = [self._space[number] for number in self._space.of_turn(turn)]
        said = {fact.id for fact in facts if not (fact.is_doctors or fact.inferred)}
        return not said & self._told <= {line.fact.id for line in replaced}

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
            if turn in covered or turn == self._beside or not question:
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
        key = _is_thought if self._is_ranked else _place
        return sorted(self._lines.values(), key=lambda lines: key(lines[0]))

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
        writer, texts = self._writer, list[str]()
        number = 0
        for lines in self.lines:
            if row := lines[0].row:
                texts.append(row_text(row, [line.words for line in lines], writer.language))
            else:
                number += 1
                texts.append(numbered_line(number, lines[0].text, writer.language))
        if self._questions:
            questions = [self._questions[turn] for turn in self.questions]
            texts.append(row_text("asked", questions, writer.language))
        if self._whole:
            exchanges = [(writer.bank[turn], writer.exchange(turn)[0]) for turn in self.whole]
            texts.append(dialogue_text(exchanges, writer.language))
        return "\n".join(texts)

    @property
    def tried_but_untold(self) -> tuple[int, ...]:
        """The turns of what was tried of which nothing is told."""
        return tuple(sorted(self._tried - self.turns))

    def turns_with_untold_facts(self, unread: Sequence[int]) -> tuple[int, ...]:
        """The turns with a fact that is not told, tried or not, and unread turns not told.

        The turn that the reader has word for word is none of them.
        """
        space = self._space
        untold = {turn for turn in space.turns if not self._told.issuperset(space.of_turn(turn))}
        return tuple(sorted((untold | (set(unread) - self._whole)) - {self._beside}))

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


_ROWS = (None, Row.DENIED, Row.NORMAL, Row.THOUGHT)
"""Where rows stand: behind all other lines."""


def _place(line: FactLine) -> tuple[int, ...]:
    """Where a line stands among others: as notes of a patient are read.

    What a treatment depends on comes first, by its kind; then what was said, what was inferred, and
    trivia; each from the oldest to the newest.
    """
    fact = line.fact
    is_protected = line.kind in PROTECTED
    kind = PROTECTED.index(line.kind) if is_protected else len(PROTECTED)
    is_trivial = line.kind is FactKind.TRIVIAL
    # A denial of what a treatment depends on stands behind what there is of its kind.
    is_absent = is_protected and fact.denied
    row = _ROWS.index(line.row)
    return (row, kind, is_trivial, fact.inferred, is_absent, fact.turns[-1], fact.id)


def _is_thought(line: FactLine) -> tuple[int, ...]:
    return (line.row is Row.THOUGHT,)
