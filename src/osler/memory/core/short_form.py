"""Summaries of turns, by a model or by rules, and recalls made of turns and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from osler.language import Language, Speaker
from osler.language.words import sentences
from osler.memory.base import Change, FrozenModel, MemorySettings, Recall, Turn, tokens
from osler.memory.core.ask_model import ask_json
from osler.memory.core.fact import Fact
from osler.memory.core.fact_lines import (
    FactLine,
    Rank,
    fact_line,
    headed,
    recalled_facts,
    row_text,
)
from osler.memory.core.recall_text import SEMICOLON, RecallLine, dialogue_text
from osler.memory.core.rules_facts import rules_facts
from osler.prompts import phrases

_ANSWER = 300
"""Maximum tokens of a model's summary."""
_SHORT = 24
"""Maximum tokens of one fact in a summary by rules; a sentence that is longer is better read in its
turn."""


class ShortForm(FrozenModel):
    """A text that stands for one or more turns."""

    text: str
    turns: tuple[int, ...]
    facts: tuple[Fact, ...] = ()
    """What the text says, for code to read; of a model's summary, its sentences."""


class SummaryAnswer(BaseModel):
    """What a model is asked for when it summarises."""

    summary: str


async def summarised(
    settings: MemorySettings, name: str, turns: list[Turn], dialogue: str, most: int | None = None
) -> tuple[ShortForm | None, int]:
    """Summarise turns, whose text is `dialogue`, and return how many requests it took.

    With a model, by the prompt of that name; None if the call failed or no answer could be used.
    Without one, by rules.
    """
    language = settings.language
    if settings.thinker is None:
        return rules_summary(turns, language, settings.speaker, most), 0
    words = phrases("tim_lines", language)
    last = turns[-1]
    template = words["of_talk"] if last.said_by else words["of_consultation"]
    answer = await ask_json(
        settings.thinker,
        name,
        language,
        SummaryAnswer,
        _ANSWER,
        of=template.format(asked_by=last.asked_by or words["doctor"], said_by=last.said_by),
        date=f"{last.at:%Y-%m-%d}" if last.at else words["nothing"],
        said=dialogue,
    )
    text = " ".join(str((answer.data or {}).get("summary", "")).split())
    if not text:
        return None, answer.requests
    numbers = tuple(turn.number for turn in turns)
    facts = sentence_facts(text, last, language)
    return ShortForm(text=text, turns=numbers, facts=facts), answer.requests


def change_by_summaries(
    change: Change, settings: MemorySettings, summaries: int, failed: Sequence[str], requests: int
) -> Change:
    """A change with the number of summaries written beside it, and of what they failed."""
    by_model = settings.thinker is not None
    maker = "model" if by_model else "rules"
    refused = [f"no summary of {part}: the model's answer could not be used" for part in failed]
    update = {
        "makers": {maker: summaries} if summaries else {},
        "refused": tuple(refused),
        "proposed": summaries + len(failed) if by_model else 0,
        "requests": requests,
    }
    return change.model_copy(update=update)


def sentence_facts(text: str, turn: Turn, language: Language) -> tuple[Fact, ...]:
    """The sentences of a text as facts of a turn."""
    line = phrases("tim_lines", language)
    subject = turn.said_by or line["patient"]
    return tuple(
        Fact(subject=subject, relation=line["says"], object=sentence, turn=turn.number, at=turn.at)
        for sentence in sentences(text, language)
    )


def rules_summary(
    turns: Iterable[Turn], language: Language, speaker: Speaker, most: int | None = None
) -> ShortForm:
    """Put the facts of turns together without a model.

    What a treatment depends on comes first, then reports, then what else is there, then what was
    denied. That something is normal or not known is left out, and if there is a maximum of tokens,
    so are long facts.
    """
    by_number = {turn.number: turn for turn in turns}
    ranked: list[tuple[int, FactLine]] = []
    for turn in by_number.values():
        for fact in rules_facts(turn, language, speaker):
            line = fact_line(fact.model_copy(update={"turn": turn.number}), language)
            is_report = bool(fact.sentence) and fact.sentence in turn.results
            is_short = most is None or is_report or tokens(line.words) < _SHORT
            if line.rank <= Rank.DENIED and is_short:
                place = 0 if fact.is_protected else 1 if is_report else 2 + line.rank
                ranked.append((place, line))
    ranked.sort(key=lambda pair: pair[0])
    lines: list[FactLine] = []
    for _, line in ranked:
        if most is None or tokens(_joined([*lines, line], language)) <= most:
            lines.append(line)
    facts: list[Fact] = []
    for line in lines:
        facts += recalled_facts(line.fact, language, lambda number: by_number[number].at)
    text = _joined(lines, language)
    return ShortForm(text=text, turns=tuple(by_number), facts=tuple(facts))


def _joined(lines: Sequence[FactLine], language: Language) -> str:
    """Facts in one line; those of one row, and answers to one question, share their heading."""
    groups: dict[tuple[object, ...], list[FactLine]] = {}
    for line in lines:
        fact = line.fact
        key = (line.row,) if line.row else (fact.turn, fact.subject, line.heading)
        groups.setdefault(key, []).append(line)
    parts = []
    for group in groups.values():
        words = [line.words for line in group]
        if group[0].row:
            parts.append(row_text(group[0].row, words, language))
        else:
            text = SEMICOLON[language].join(dict.fromkeys(words))
            parts.append(headed(group[0].heading, text, language))
    return SEMICOLON[language].join(parts)


def recall_of(
    lines: Sequence[RecallLine],
    short: Iterable[ShortForm],
    turns: Mapping[int, Turn],
    language: Language,
    beside: int | None = None,
) -> Recall:
    """A recall of these lines, with the facts of the summaries among them.

    A summarised turn has its question alone; the turn beside the recall is not missed.
    """
    whole = {line.turn.number for line in lines if not line.short}
    exchanges = {number: turns[number] for number in whole}
    facts: list[Fact] = []
    for summary in short:
        facts += summary.facts
        for number in summary.turns:
            exchanges.setdefault(number, turns[number].question_alone)
    return Recall(
        text=dialogue_text(lines, language),
        facts=tuple(facts),
        exchanges=tuple(exchanges[number] for number in sorted(exchanges)),
        dropped=tuple(number for number in turns if number not in whole and number != beside),
    )
