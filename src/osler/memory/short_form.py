"""Summaries of turns, by a model or from facts by rules, and recalls made of turns and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from osler.language import Language, Speaker
from osler.language.words import sentences
from osler.memory.ask_model import ask_json
from osler.memory.base import Change, Fact, FrozenModel, MemorySettings, Recall, Turn, tokens
from osler.memory.recall_text import SEMICOLON, RecallLine, dialogue_text
from osler.memory.tim.fact_lines import ROWS, LineKey, ThoughtWords, Weight, facts_of, words_of
from osler.memory.tim.rules_thoughts import rules_thoughts
from osler.memory.tim.thought import Thought
from osler.prompts import phrases

_ANSWER = 300
"""Maximum tokens of a model's summary."""
_SHORT = 24
"""Maximum tokens of one fact in a summary by rules; a sentence that is longer is better read in its turn."""


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
    settings: MemorySettings, name: str, turns: list[Turn], said: str, most: int | None = None
) -> tuple[ShortForm | None, int]:
    """Summarise turns, told in `said`, and return how many requests it took.

    With a model, by the prompt of that name; None if the call failed or no answer could be used. Without one, by rules.
    """
    language = settings.language
    if settings.thinker is None:
        return rules_summary(turns, language, settings.speaker, most), 0
    line, last = phrases("tim_lines", language), turns[-1]
    names = {"asked_by": last.asked_by or line["doctor"], "said_by": last.said_by}
    of = line["of_talk" if last.said_by else "of_consultation"].format(**names)
    date = f"{last.at:%Y-%m-%d}" if last.at else line["nothing"]
    found = await ask_json(settings.thinker, name, language, SummaryAnswer, _ANSWER, of=of, date=date, said=said)
    text = " ".join(str((found.data or {}).get("summary", "")).split())
    if not text:
        return None, found.requests
    numbers = tuple(turn.number for turn in turns)
    return ShortForm(text=text, turns=numbers, facts=sentence_facts(text, last, language)), found.requests


def change_by_summaries(
    change: Change, settings: MemorySettings, made: int, failed: Sequence[str], requests: int
) -> Change:
    """A change with the number of summaries that were made beside it, and what there is no summary of."""
    by_model = settings.thinker is not None
    update = {
        "makers": {"model" if by_model else "rules": made} if made else {},
        "refused": tuple(f"no summary of {one}: the model's answer could not be used" for one in failed),
        "proposed": made + len(failed) if by_model else 0,
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


def rules_summary(turns: Iterable[Turn], language: Language, speaker: Speaker, most: int | None = None) -> ShortForm:
    """Put the facts of turns together without a model; if there is a maximum of tokens, not the longest of them.

    What a treatment depends on comes first, then reports, then what else is there, then what was denied. That something
    is normal or not known is left out.
    """
    said = {turn.number: turn for turn in turns}
    found: list[tuple[int, Thought, ThoughtWords]] = []
    for turn in said.values():
        for draft in rules_thoughts(turn, language, speaker):
            thought = Thought(**draft.model_dump(), id=len(found) + 1, turn=turn.number)
            words, is_report = words_of(thought, language), bool(draft.sentence) and draft.sentence in turn.results
            rank = 0 if draft.is_protected else 1 if is_report else 2 + words.weight
            if words.weight <= Weight.DENIED and (most is None or is_report or words.size <= _SHORT):
                found.append((rank, thought, words))
    found.sort(key=lambda one: one[0])
    kept: list[tuple[Thought, ThoughtWords]] = []
    for _, thought, words in found:
        if most is None or tokens(_joined([*(one for _, one in kept), words], language)) <= most:
            kept.append((thought, words))
    facts = (
        fact
        for thought, _ in kept
        for fact in facts_of(thought, language, thought.turn, 1.0, lambda number: said[number].at)
    )
    return ShortForm(text=_joined([words for _, words in kept], language), turns=tuple(said), facts=tuple(facts))


def _joined(told: Sequence[ThoughtWords], language: Language) -> str:
    """Facts in one line; those of one line of a recall share their heading."""
    line, semicolon = phrases("tim_lines", language), SEMICOLON[language]
    rows: dict[LineKey, list[ThoughtWords]] = {}
    for words in told:
        rows.setdefault(words.key, []).append(words)
    parts = []
    for key, row in rows.items():
        text = semicolon.join(dict.fromkeys(words.said for words in row))
        if key in ROWS:
            text = line[str(key[0])].format(things=text)
        elif row[0].heading:
            text = line["answer"].format(topic=row[0].heading, text=text)
        parts.append(text)
    return semicolon.join(parts)


def recall_of(
    lines: Sequence[RecallLine], short: Iterable[ShortForm], turns: Mapping[int, Turn], language: Language
) -> Recall:
    """A recall of these lines, with the facts of the summaries among them; a summarised turn has its question alone."""
    whole = {line.turn.number for line in lines if not line.short}
    exchanges, facts = {number: turns[number] for number in whole}, list[Fact]()
    for summary in short:
        facts += summary.facts
        for number in summary.turns:
            exchanges.setdefault(number, turns[number].question_alone)
    return Recall(
        text=dialogue_text(lines, language),
        facts=tuple(facts),
        exchanges=tuple(exchanges[number] for number in sorted(exchanges)),
        dropped=tuple(number for number in turns if number not in whole),
    )
