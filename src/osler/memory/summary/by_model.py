"""Refresh the summary with a model.

It gets the summary so far and the new exchange, and writes the summary anew.

What it writes is taken as it is, with one exception: an entry of the constraints or the key data
that it leaves out without naming it as replaced is kept, so that no allergy and no number is lost.
Key data that it names as replaced and writes again goes; a constraint stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from osler.language import Language
from osler.language.numerals import values
from osler.language.reader import denies
from osler.language.words import content, plain
from osler.memory.base import Change, MemorySettings, Thinker
from osler.memory.core.ask_model import LONGEST, UNREAD, ask_json
from osler.memory.summary.entries import (
    PROTECTED,
    STATED,
    StructuredSummary,
    SummaryEntry,
    SummaryField,
)
from osler.prompts import phrases

_MOST = 15
"""Entries of a field that a model is shown and may write; of protected fields, also those that bear
on the exchange."""
_REASON = ": "
"""Between an excluded option and the reason, where they are one text."""
_EDGE = " \t\n.;,。；，"
_MARKS = ".;,:!?()'\"、。；，：！？（）-"


class _Excluded(BaseModel):
    option: str
    reason: str


class SummaryAnswer(BaseModel):
    """The form of the model's answer."""

    topic: str
    confirmed_facts: list[str]
    constraints: list[str]
    excluded_options: list[_Excluded]
    key_data: list[str]
    open_questions: list[str]
    points_discussed: list[str]
    replaced: list[str]


class ModelRefresh:
    """Asks the model for the new summary."""

    def __init__(self, settings: MemorySettings, thinker: Thinker, most: int, tokens: int) -> None:
        """Take a model, the most entries of a field, and the most tokens of an answer."""
        self._language, self._about = settings.language, settings.about
        self._thinker, self._most, self._tokens = thinker, min(most, _MOST), tokens

    async def __call__(
        self, summary: StructuredSummary, said: str, turns: tuple[int, ...]
    ) -> tuple[bool, Change]:
        """Take some turns, told in `said`, into the summary.

        Return whether an answer could be read, and the change.
        """
        shown = [entry for one in SummaryField for entry in self._shown(summary, one, said)]
        answer = await ask_json(
            self._thinker,
            "summary_refresh",
            self._language,
            SummaryAnswer,
            self._tokens,
            about=(self._about if turns[-1] > 0 else "")
            or phrases("tim_lines", self._language)["nothing"],
            summary=_as_json(shown),
            exchange=said,
            entries=self._most,
        )
        if answer.data is None:
            return False, Change(refused=(UNREAD,), proposed=1, requests=answer.requests)
        taken = _TakenAnswer(summary, turns, self._language, self._most)
        taken.take(shown, answer.data)
        return True, taken.change(answer.requests)

    def _shown(
        self, summary: StructuredSummary, one: SummaryField, said: str
    ) -> list[SummaryEntry]:
        """The entries of a field that the model sees.

        All, or the newest and those that bear on the exchange.
        """
        newest = summary.last(one, self._most)
        if one not in PROTECTED:
            return newest
        return list({entry.id: entry for entry in (*summary.near(said, {one}), *newest)}.values())


@dataclass
class _TakenAnswer:
    """A model's new summary, as it is taken in."""

    summary: StructuredSummary
    turns: tuple[int, ...]
    language: Language
    most: int
    inserted: list[str] = field(default_factory=list)
    superseded: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def change(self, requests: int) -> Change:
        """What changed."""
        return Change(
            inserted=tuple(self.inserted),
            makers={"model": len(self.inserted)} if self.inserted else {},
            superseded=tuple(self.superseded),
            forgotten=tuple(self.forgotten),
            refused=tuple(self.refused),
            proposed=len(self.inserted) + len(self.superseded) + len(self.refused),
            requests=requests,
        )

    def take(self, shown: Sequence[SummaryEntry], data: Mapping[str, Any]) -> None:
        """Take in all fields, the protected ones first.

        What they hold is not said again elsewhere.
        """
        new = {one: self._texts(one, data[one.value]) for one in SummaryField if one.value in data}
        self._take_protected(
            [entry for entry in shown if entry.field in PROTECTED], new, data.get("replaced")
        )
        for one in SummaryField:
            if (
                one in new and one not in PROTECTED
            ):  # a field that is missing was cut off, and stays as it is
                self._take_list(one, new[one])

    def _texts(self, one: SummaryField, value: object) -> list[str]:
        """The entries that a model wrote for a field, each once."""
        texts: dict[str, str] = {}
        for text in _entries(value):
            if len(text) > LONGEST:
                self.refused.append(f"{one}: an entry of {len(text)} characters is too long")
            else:
                texts.setdefault(_level(text), text)
        most = 1 if one is SummaryField.TOPIC else len(texts) if one in PROTECTED else self.most
        if len(texts) > most:
            self.refused.append(f"{one}: {len(texts) - most} of {len(texts)} entries are too many")
        return list(texts.values())[-most:]

    def _take_protected(
        self,
        shown: Sequence[SummaryEntry],
        new: Mapping[SummaryField, Sequence[str]],
        replaced: object,
    ) -> None:
        written = {
            _level(text): (one, text)
            for one in SummaryField
            if one in PROTECTED
            for text in new.get(one, ())
        }
        gone = {_level(text) for text in _entries(replaced)}
        inexact = gone - {_level(entry.text) for entry in shown}
        unknown = {
            text for text in inexact if not any(self._covers(text, entry.text) for entry in shown)
        }
        for entry in shown:
            level = _level(entry.text)
            if level in written and not (level in gone and entry.field is SummaryField.DATA):
                del written[level]
            elif level in gone or any(self._covers(text, entry.text) for text in inexact):
                written.pop(level, None)
                self.summary.drop(entry.id)
                self.superseded.append(f"{entry.field}: {entry.text}")
            elif wider := next(
                (text for _, text in written.values() if self._covers(text, entry.text)), ""
            ):
                turns = tuple(sorted({*entry.turns, *self.turns}))
                self.summary.put(entry.model_copy(update={"text": wider, "turns": turns}))
                self.inserted.append(f"{entry.field}: {wider}")
                self.superseded.append(f"{entry.field}: {entry.text}")
                del written[_level(wider)]
            elif self._is_held(entry.text, entry.id):
                self.summary.drop(entry.id)
                self.superseded.append(f"{entry.field}: {entry.text}")
            else:
                self.refused.append(
                    f"{entry.field}: left out, not named as replaced, and kept: {entry.text}"
                )
        self.refused += [f"replaced: there is no such entry: {text}" for text in sorted(unknown)]
        for one, text in written.values():
            self._add(one, text)

    def _take_list(self, one: SummaryField, texts: Sequence[str]) -> None:
        """Make these the entries of a field; what is there already stays as it is."""
        written = {_level(text): text for text in texts}
        for entry in self.summary.of(one):
            if written.pop(_level(entry.text), None) is None:
                self.summary.drop(entry.id)
                self.forgotten.append(f"{one}: {entry.text}")
        for text in written.values():
            self._add(one, text)

    def _add(self, one: SummaryField, text: str) -> None:
        """Add an entry, unless it is a fact and a protected entry says it already."""
        if one not in STATED or not self._is_held(text):
            self.summary.add(one, text, self.turns)
            self.inserted.append(f"{one}: {text}")

    def _is_held(self, text: str, apart_from: int = 0) -> bool:
        """Check whether another entry of the protected fields says all that a text says."""
        near = self.summary.near(text, PROTECTED)
        return any(self._covers(entry.text, text) for entry in near if entry.id != apart_from)

    def _covers(self, text: str, other: str) -> bool:
        """Check whether a text says all that the other one says.

        It has its words and numbers, denies if that denies, and has what is no plain word as it is
        written: `<5 µg`.
        """
        level = _level(text)
        words = set(content(other, self.language))
        exact = [
            word for word in _level(other).split() if not (words and _is_plain(word, self.language))
        ]
        return (
            words <= set(content(text, self.language))
            and values(other) <= values(text)
            and all(word in level for word in exact)
            and denies(text, self.language) == denies(other, self.language)
        )


def _is_plain(word: str, language: Language) -> bool:
    """Check whether a word has only letters that the words of the language are made of.

    No digits or signs.
    """
    is_chinese = language is Language.ZH
    return all(
        "a" <= char <= "z" or char in _MARKS or (is_chinese and "\u4e00" <= char <= "\u9fff")
        for char in word
    )


def _as_json(entries: Sequence[SummaryEntry]) -> str:
    """The entries in the form in which the model writes them."""
    texts: dict[str, Any] = {one.value: [] for one in SummaryField}
    for entry in entries:
        option, _, reason = entry.text.partition(_REASON)
        is_excluded = entry.field is SummaryField.EXCLUDED
        texts[entry.field.value].append(
            {"option": option, "reason": reason} if is_excluded else entry.text
        )
    texts[SummaryField.TOPIC.value] = next(iter(texts[SummaryField.TOPIC.value]), "")
    return json.dumps(texts, ensure_ascii=False)


def _entries(value: object) -> Iterator[str]:
    """The texts of a field as models write it: a list, one text, or objects with texts."""
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        parts = row.values() if isinstance(row, dict) else [row]
        texts = (" ".join(str(part).split()).strip(_EDGE) for part in parts if part is not None)
        if text := _REASON.join(filter(None, texts)):
            yield text


def _level(text: str) -> str:
    """A text as it is compared with another."""
    return " ".join(plain(text).split()).strip(_EDGE)
