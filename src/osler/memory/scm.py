"""Self-Controlled Memory: a controller decides how closely each recall looks into the archive.

The newest turns are the flash memory, which is always recalled. All older turns are the archive; a
long one has a summary. The controller decides twice. Is history needed for this query at all? If
not, the archive is not searched. And of each turn found that has a summary: is the summary enough,
or are the words of the turn wanted?

With a model, each decision is a short request; after a failed call, history is needed and all turns
are wanted in full. Without one, history is needed if the query shares words with the archive
(`level`), and the words of a turn are wanted if its score is at least half of the best. In both
ways, a query without words and a recall for a conclusion always get history.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from osler.language.lexicon.drugs import drugs_in
from osler.language.numerals import values
from osler.memory.base import Change, MemorySettings, Query, Recall, Turn, tokens
from osler.memory.core.ask_model import ask_json
from osler.memory.core.recall_text import LineRoom, RecallLine, exchange_text
from osler.memory.core.short_form import ShortForm, change_by_summaries, recall_of, summarised
from osler.memory.core.turn_memory import EmbeddedTurnMemory, Scores
from osler.memory.options import MemoryOptions
from osler.ranking import exceeds, reaches

_LONG = 40
"""Tokens from which a turn has a summary: one sentence takes about half of that."""
_SHORTER = 0.75
"""Share of a turn's tokens that its summary may take: a longer one saves too little."""
_RECENCY = 0.05
"""Weight of recency, 1 now and 1/e a day ago, beside the cosine: more than unrelated turns reach,
less than related."""
_LISTED = 10
"""Summaries about which a model is asked; of further ones, the summary has to do."""
_ANSWER = 60
"""Maximum tokens of a decision."""
_HALF = 0.5
"""Share of the best score from which the words of a turn are wanted, without a model."""
_DAY = 86400.0
"""Seconds."""
_SHORT = "short:"
_NO = {"no", "false", "否", "不", "不需要"}


class ScmOptions(MemoryOptions):
    """The options of `scm`."""

    flash: int = Field(default=2, ge=1)
    """How many of the newest turns are always recalled."""
    level: float = Field(default=0.5, ge=0.0)
    """BM25 score that a turn of the archive must exceed for history to be needed; only without a
    model."""
    embedder: str = "hash"


class HistoryDecision(BaseModel):
    """Whether history is needed."""

    needed: bool


class FullTextDecision(BaseModel):
    """The numbers of the summaries that are not enough."""

    full: list[int]


class ScmMemory(EmbeddedTurnMemory):
    """Flash memory, archive and controller."""

    name = "scm"

    def __init__(self, settings: MemorySettings) -> None:
        """Start empty."""
        self._options = ScmOptions.of(self.name, settings.options)
        super().__init__(settings, self._options.embedder)
        self.clear_own()

    async def after(self, turn: Turn, change: Change) -> Change:
        """Summarise a long turn."""
        line = self._lines[turn.number]
        if tokens(line) < _LONG:
            return change
        short, requests = await summarised(self._settings, "scm_turn", [turn], line)
        if short is not None and not self._is_worth_keeping(short, turn):
            short = None
        if short is not None:
            self._short[turn.number] = short
        failed = [f"turn {turn.number}"] if requests and short is None else []
        return change_by_summaries(change, self._settings, int(short is not None), failed, requests)

    def _is_worth_keeping(self, short: ShortForm, turn: Turn) -> bool:
        """Check whether a summary saves tokens and, if by rules, has every number and drug."""
        if not 0 < tokens(short.text) <= tokens(self._lines[turn.number]) * _SHORTER:
            return False
        told_text = f"{turn.reply}\n{turn.results}"
        return self._settings.thinker is not None or (
            values(told_text) <= values(short.text)
            and {*drugs_in(told_text).values()} <= {*drugs_in(short.text).values()}
        )

    async def recall(self, query: Query) -> Recall:
        """Return the newest turns and, if the controller wants it, what the archive has.

        For a conclusion nobody is asked whether history is needed.
        """
        if not query.is_to_conclude:
            return await self._recall(query)
        async with self._one_at_a_time:
            return await self._recall(query)

    async def _recall(self, query: Query) -> Recall:
        numbers = [number for number in self._turns if number != query.beside]
        flash = numbers[-self._options.flash :]
        flash.reverse()
        archive = numbers[: len(numbers) - len(flash)]
        requests = 0
        room = LineRoom(self._settings.budget, self._language)
        for number in self.that_may_fit(flash, room):
            room.add([self.whole(number)])
        is_needed: bool | None = bool(archive)
        if archive and not query.is_to_conclude:
            is_needed, requests = await self._needs_history(query, flash, archive)
        if is_needed is not False:
            turns, in_full, more_requests = await self._found(
                query, archive, all_in_full=is_needed is None
            )
            requests += more_requests
            self._add_archive(room, turns, in_full)
        lines = room.lines
        short = [self._short[line.turn.number] for line in lines if line.short]
        recall = recall_of(lines, short, self._turns, self._language, query.beside)
        return recall.model_copy(update={"requests": requests})

    async def scores(self, query: str) -> Scores:
        """The cosine of each turn and the query, and a little for recency: today comes first."""
        cosines = await self.cosines(query)
        seconds = self.seconds
        if not len(seconds):
            return cosines
        total: Scores = cosines + _RECENCY * np.exp((seconds - seconds.max()) / _DAY)
        return total

    # The controller.

    async def _needs_history(
        self, query: Query, flash: Sequence[int], archive: Sequence[int]
    ) -> tuple[bool | None, int]:
        """Decide whether history is needed; None if the model failed.

        Also returns how many requests that took.
        """
        if not self.bm25.terms(query.text):
            return True, 0
        if self._settings.thinker is None:
            scores = self.bm25.totals(query.text)[self.bm25.places(archive)]
            return exceeds(float(scores.max()), self._options.level), 0
        answer = await ask_json(
            self._settings.thinker,
            "scm_needed",
            self._language,
            HistoryDecision,
            _ANSWER,
            count=len(archive),
            recent=self.dialogue(reversed(flash)),
            query=self._heard(query),
        )
        if answer.data is None:
            return None, answer.requests
        return str(answer.data["needed"]).strip().casefold() not in _NO, answer.requests

    async def _found(
        self, query: Query, archive: Sequence[int], *, all_in_full: bool
    ) -> tuple[list[int], set[int], int]:
        """Return the turns of the archive, best first, and those that are wanted in full.

        Also returns how many requests that took.
        """
        scores = await self.scores(query.text)
        in_archive = frozenset(archive)
        numbers = list(self._turns)
        ranking: list[int] = []
        score_of: dict[int, float] = {}
        for place in self.best_first(scores).tolist():
            number = numbers[place]
            if number in in_archive:
                ranking.append(number)
                score_of[number] = float(scores[place])
        with_summary = [number for number in ranking if number in self._short][:_LISTED]
        requests = 0
        if self._settings.thinker is None:
            least = score_of[ranking[0]] * _HALF if ranking else 0.0
            full = {number for number in with_summary if reaches(score_of[number], least)}
        elif all_in_full:
            full = set(with_summary)
        else:
            full, requests = await self._wanted_in_full(query, with_summary)
        return ranking, full, requests

    def _add_archive(
        self, room: LineRoom, numbers: Iterable[int], in_full: Collection[int]
    ) -> None:
        """Tell turns of the archive as far as they fit."""
        for number in numbers:
            if room.is_full:
                return
            # Without a summary, a turn is too long or not: nothing need be written to see that.
            if number in self._short or self._sizes[number] <= room.left:
                room.add(self._forms(number, in_full=number in in_full))

    def _dated(self, number: int) -> str:
        """The summary of a turn, with its date if it has one."""
        at = self._turns[number].at
        text = self._short[number].text
        if at:
            return f"{at:%Y-%m-%d} {text}"
        return text

    async def _wanted_in_full(self, query: Query, numbers: Sequence[int]) -> tuple[set[int], int]:
        """Ask the model for which of these turns the summary is not enough."""
        if not numbers or self._settings.thinker is None:
            return set(), 0
        # The model names a summary by its place in this list.
        by_place = {str(place): number for place, number in enumerate(numbers, start=1)}
        summaries = "\n".join(
            f"{place}. {self._dated(number)}" for place, number in by_place.items()
        )
        answer = await ask_json(
            self._settings.thinker,
            "scm_full",
            self._language,
            FullTextDecision,
            _ANSWER,
            query=self._heard(query),
            summaries=summaries,
        )
        places = answer.data.get("full") if answer.data else None
        if not isinstance(places, list):
            return set(numbers), answer.requests
        named = {str(place).strip() for place in places}
        full = {number for place, number in by_place.items() if place in named}
        return full, answer.requests

    def _heard(self, query: Query) -> str:
        """What was said last: the exchange, with who said what, or else the text of the query."""
        if query.exchange is None:
            return query.text
        update = {"number": 0, "results": "", "differential": ()}
        exchange = query.exchange.model_copy(update=update)
        return exchange_text(exchange, self._language, self._settings.speaker)

    def _forms(self, number: int, *, in_full: bool) -> list[RecallLine]:
        """How a turn may be told: in full, or in short if that is enough or it is too long."""
        if number not in self._short:
            return [self.whole(number)]
        short = self.in_short(number, self._short[number].text, f"{_SHORT}{number}")
        if in_full:
            return [self.whole(number), short]
        return [short]

    # State.

    def clear_own(self) -> None:
        """Forget the summaries."""
        self._short: dict[int, ShortForm] = {}
        """The summaries of long turns, by number."""
        self._saved_short = 0
        """How many summaries `delta` has returned."""

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """What changed since the last call, or all."""
        state = super().delta(everything)
        self._saved_short = len(self._short)
        return state

    def own_delta(self, everything: bool) -> dict[str, Any]:
        """The new summaries."""
        count = len(self._short) - (0 if everything else self._saved_short)
        new = list(islice(reversed(self._short.values()), count))
        if not new:
            return {}
        rows = [short.model_dump(mode="json", exclude_defaults=True) for short in reversed(new)]
        return {"short": rows}

    def apply_own(self, delta: dict[str, Any]) -> None:
        """Take in what `own_delta` returned."""
        for short in map(ShortForm.model_validate, delta["short"]):
            self._short[short.turns[0]] = short
        self._saved_short = len(self._short)

    def drop_own(self, turns: Collection[int]) -> list[str]:
        """Forget the summaries of these turns; they are no items of their own."""
        for number in turns:
            self._short.pop(number, None)
        self._saved_short = min(self._saved_short, len(self._short))
        return []
