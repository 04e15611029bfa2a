"""Turns and facts as text: for a prompt, and for whoever reads what a memory recalled."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from osler.language import Language, Speaker
from osler.memory.base import Fact, Recall, Turn, exact_tokens
from osler.prompts import phrases

LEAST = 4
"""Tokens below which no further line is tried."""
COMMA = {Language.EN: ", ", Language.ZH: "、"}
SEMICOLON = {Language.EN: "; ", Language.ZH: "；"}


class RecallRow(NamedTuple):
    """One thing that was recalled, in one line."""

    text: str
    turn: int
    score: float


def recall_rows(recall: Recall, language: Language) -> tuple[RecallRow, ...]:
    """The facts, best first, then the exchanges; a recall of nothing but text has no rows."""
    facts = sorted(recall.facts, key=lambda fact: -fact.score)
    return (
        *(RecallRow(fact_text(fact, language), fact.turn, fact.score) for fact in facts),
        *(
            RecallRow(f"{turn.question} {turn.reply}".strip(), turn.number, 1.0)
            for turn in recall.exchanges
        ),
    )


def fact_text(fact: Fact, language: Language) -> str:
    """A fact in one line."""
    if fact.denied:
        return phrases("exchange", language)["denied"].format(fact=fact.triple)
    return fact.triple


def raw_text(turn: Turn) -> str:
    """An exchange as one text; what the doctor only thought was not said."""
    words = f"{turn.question} {turn.reply}"
    if turn.results:
        return f"{words} {turn.results}"
    return words


def exchange_text(turn: Turn, language: Language, speaker: Speaker = Speaker.PATIENT) -> str:
    """Return a turn word for word: what the doctor thought of and asked, the reply, the reports.

    A turn of an earlier visit has no number that means anything to a reader, so it is told without.
    """
    line = phrases("exchange", language)
    lines = [line["turn"].format(number=turn.number)] if turn.number > 0 else []
    if turn.differential:
        lines.append(line["thought"].format(illnesses=illnesses(turn, language)))
    lines.append(line["reply"].format(speaker=turn.asked_by or line["doctor"], reply=turn.question))
    lines.append(
        line["reply"].format(
            speaker=turn.said_by or line[(turn.speaker or speaker).value], reply=turn.reply
        )
    )
    lines += [
        line["report"].format(report=report)
        for report in turn.results.splitlines()
        if report.strip()
    ]
    return "\n".join(lines)


def day_text(at: datetime, language: Language) -> str:
    """The line before the turns of a day."""
    return phrases("exchange", language)["day"].format(date=at.date().isoformat())


def dialogue_text(told: Iterable[tuple[Turn, str] | RecallLine], language: Language) -> str:
    """Turns in words, one after the other, with the date where it changes."""
    lines = []
    day = None
    for turn, text, *_ in told:
        if turn.at is not None and turn.at.date() != day:
            day = turn.at.date()
            lines.append(day_text(turn.at, language))
        lines.append(text)
    return "\n".join(lines)


class RecallLine(NamedTuple):
    """A part of a recall: a turn word for word, or a summary."""

    turn: Turn
    """The turn that it is placed and dated by; of a summary, the first that it stands for."""
    text: str
    short: str = ""
    """The key of a summary; empty if it is the turn word for word."""


class LineRoom:
    """Room for lines within a budget. What does not fit is passed over."""

    def __init__(self, budget: int, language: Language) -> None:
        """Start empty."""
        self.left = float(budget)
        """Tokens."""
        self._language = language
        self._lines: list[RecallLine] = []
        self._days: set[str] = set()

    @property
    def is_full(self) -> bool:
        """Whether no further line is tried."""
        return self.left < LEAST

    @property
    def lines(self) -> list[RecallLine]:
        """The lines in the order of time."""
        return sorted(self._lines, key=lambda line: (line.turn.number, not line.short))

    def add(self, forms: Iterable[RecallLine]) -> None:
        """Take the first of the forms in which one thing may be told that fits."""
        for line in forms:
            cost = line_size(line.text)
            if cost > self.left:
                continue
            day = day_text(line.turn.at, self._language) if line.turn.at else ""
            cost += line_size(day) if day and day not in self._days else 0.0
            if cost <= self.left:
                self.left -= cost
                self._lines.append(line)
                self._days.add(day)
                return


def line_size(text: str) -> float:
    """Tokens of a line with its end."""
    return exact_tokens(f"{text}\n")


def illnesses(turn: Turn, language: Language) -> str:
    """Join the illnesses that the doctor thought of."""
    return SEMICOLON[language].join(turn.differential)
