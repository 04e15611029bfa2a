"""Refresh the summary with a model.

It gets the summary so far and the new exchange, and writes the summary anew.

What it writes is taken as it is, with one exception: an entry of the constraints or the key data
that it leaves out without naming it as replaced is kept, so that no allergy and no number is lost.
Key data that it names as replaced and writes again goes; a constraint stays.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, NamedTuple

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
        self._language = settings.language
        self._about = settings.about
        self._thinker = thinker
        self._most = min(most, _MOST)
        self._tokens = tokens

    async def __call__(
        self, summary: StructuredSummary, dialogue: str, turns: tuple[int, ...]
    ) -> tuple[bool, Change]:
        """Take some turns, whose text is `dialogue`, into the summary.

        Return whether an answer could be read, and the change.
        """
        visible: list[SummaryEntry] = []
        for field in SummaryField:
            visible += self._visible(summary, field, dialogue)
        # What is known before the first question may be out of date in an earlier visit.
        about = self._about if turns[-1] > 0 else ""
        answer = await ask_json(
            self._thinker,
            "summary_refresh",
            self._language,
            SummaryAnswer,
            self._tokens,
            about=about or phrases("tim_lines", self._language)["nothing"],
            summary=_as_json(visible),
            exchange=dialogue,
            entries=self._most,
        )
        if answer.data is None:
            return False, Change(refused=(UNREAD,), proposed=1, requests=answer.requests)
        taken = _TakenAnswer(summary, turns, self._language, self._most)
        taken.take(visible, answer.data)
        return True, taken.change(answer.requests)

    def _visible(
        self, summary: StructuredSummary, field: SummaryField, dialogue: str
    ) -> list[SummaryEntry]:
        """The entries of a field that the model sees.

        The newest, and of a protected field also those that bear on the exchange.
        """
        newest = summary.last(field, self._most)
        if field not in PROTECTED:
            return newest
        entries = {entry.id: entry for entry in summary.near(dialogue, {field})}
        for entry in newest:
            entries.setdefault(entry.id, entry)
        return list(entries.values())


class _WrittenText(NamedTuple):
    """A text that a model wrote for a protected field."""

    field: SummaryField
    text: str


@dataclass
class _TakenAnswer:
    """A model's new summary, as it is taken in."""

    summary: StructuredSummary
    turns: tuple[int, ...]
    language: Language
    most: int
    inserted: list[str] = dataclass_field(default_factory=list)
    superseded: list[str] = dataclass_field(default_factory=list)
    forgotten: list[str] = dataclass_field(default_factory=list)
    refused: list[str] = dataclass_field(default_factory=list)

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

    def take(self, visible: Sequence[SummaryEntry], data: Mapping[str, Any]) -> None:
        """Take in all fields, the protected ones first, so that nothing is said twice."""
        # A field that is missing was cut off, and stays as it is.
        fields = [field for field in SummaryField if field.value in data]
        new = {field: self._texts(field, data[field.value]) for field in fields}
        protected = [entry for entry in visible if entry.field in PROTECTED]
        self._take_protected(protected, new, data.get("replaced"))
        for field in fields:
            if field not in PROTECTED:
                self._take_list(field, new[field])

    def _texts(self, field: SummaryField, value: object) -> list[str]:
        """The entries that a model wrote for a field, each once."""
        texts: dict[str, str] = {}
        for text in _entries(value):
            if len(text) > LONGEST:
                self.refused.append(f"{field}: an entry of {len(text)} characters is too long")
            else:
                texts.setdefault(_comparable(text), text)
        most = self.most
        if field is SummaryField.TOPIC:
            most = 1
        elif field in PROTECTED:
            most = len(texts)
        if len(texts) > most:
            excess = len(texts) - most
            self.refused.append(f"{field}: {excess} of {len(texts)} entries are too many")
        return list(texts.values())[-most:]

    def _take_protected(
        self,
        visible: Sequence[SummaryEntry],
        new: Mapping[SummaryField, Sequence[str]],
        replaced: object,
    ) -> None:
        """Settle each protected entry that the model saw, then add what else it wrote."""
        written: dict[str, _WrittenText] = {}
        for field in SummaryField:
            if field in PROTECTED:
                for text in new.get(field, ()):
                    written[_comparable(text)] = _WrittenText(field, text)
        exact = {_comparable(text) for text in _entries(replaced)}
        paraphrases = exact - {_comparable(entry.text) for entry in visible}
        unknown = [
            text
            for text in sorted(paraphrases)
            if not any(self._covers(text, entry.text) for entry in visible)
        ]
        for entry in visible:
            self._settle(entry, written, exact, paraphrases)
        self.refused += [f"replaced: there is no such entry: {text}" for text in unknown]
        for rest in written.values():
            self._add(rest.field, rest.text)

    def _settle(
        self,
        entry: SummaryEntry,
        written: dict[str, _WrittenText],
        replaced: Collection[str],
        paraphrases: Collection[str],
    ) -> None:
        """Decide what becomes of a protected entry.

        Written again, it stays; replaced, in its own words or in others, it goes; a text that says
        more takes its place; said by another entry, it goes. Otherwise the model forgot it, and it
        stays. What is used up of `written` is removed from it.
        """
        own = _comparable(entry.text)
        is_replaced_data = own in replaced and entry.field is SummaryField.DATA
        if own in written and not is_replaced_data:
            del written[own]
        elif own in replaced or any(self._covers(text, entry.text) for text in paraphrases):
            written.pop(own, None)
            self._drop_superseded(entry)
        elif wider := self._wider_text(entry, written):
            turns = tuple(sorted({*entry.turns, *self.turns}))
            self.summary.put(entry.model_copy(update={"text": wider, "turns": turns}))
            self.inserted.append(f"{entry.field}: {wider}")
            self.superseded.append(f"{entry.field}: {entry.text}")
            del written[_comparable(wider)]
        elif self._is_covered(entry.text, entry.id):
            self._drop_superseded(entry)
        else:
            self.refused.append(
                f"{entry.field}: left out, not named as replaced, and kept: {entry.text}"
            )

    def _drop_superseded(self, entry: SummaryEntry) -> None:
        self.summary.drop(entry.id)
        self.superseded.append(f"{entry.field}: {entry.text}")

    def _wider_text(self, entry: SummaryEntry, written: Mapping[str, _WrittenText]) -> str:
        """The first written text that says all that an entry says; empty if there is none."""
        for candidate in written.values():
            if self._covers(candidate.text, entry.text):
                return candidate.text
        return ""

    def _take_list(self, field: SummaryField, texts: Sequence[str]) -> None:
        """Make these the entries of a field; what is there already stays as it is."""
        written = {_comparable(text): text for text in texts}
        for entry in self.summary.of(field):
            if written.pop(_comparable(entry.text), None) is None:
                self.summary.drop(entry.id)
                self.forgotten.append(f"{field}: {entry.text}")
        for text in written.values():
            self._add(field, text)

    def _add(self, field: SummaryField, text: str) -> None:
        """Add an entry, unless it is a fact and a protected entry says it already."""
        if field not in STATED or not self._is_covered(text):
            self.summary.add(field, text, self.turns)
            self.inserted.append(f"{field}: {text}")

    def _is_covered(self, text: str, apart_from: int = 0) -> bool:
        """Check whether another entry of the protected fields says all that a text says."""
        near = self.summary.near(text, PROTECTED)
        return any(self._covers(entry.text, text) for entry in near if entry.id != apart_from)

    def _covers(self, text: str, other: str) -> bool:
        """Check whether a text says all that the other one says.

        It has its words and numbers, denies if that denies, and has what is no plain word as it is
        written: `<5 µg`.
        """
        comparable = _comparable(text)
        words = set(content(other, self.language))
        # Without a content word, every word has to be there as it is written.
        exact_words = [
            word
            for word in _comparable(other).split()
            if not words or not _is_plain(word, self.language)
        ]
        return (
            words <= set(content(text, self.language))
            and values(other) <= values(text)
            and all(word in comparable for word in exact_words)
            and denies(text, self.language) == denies(other, self.language)
        )


def _is_plain(word: str, language: Language) -> bool:
    """Check whether a word has no digits or signs, only letters of the language."""
    is_chinese = language is Language.ZH
    return all(
        "a" <= char <= "z" or char in _MARKS or (is_chinese and "\u4e00" <= char <= "\u9fff")
        for char in word
    )


def _as_json(entries: Sequence[SummaryEntry]) -> str:
    """The entries in the form in which the model writes them."""
    texts: dict[str, Any] = {field.value: [] for field in SummaryField}
    for entry in entries:
        if entry.field is SummaryField.EXCLUDED:
            option, _, reason = entry.text.partition(_REASON)
            texts[entry.field.value].append({"option": option, "reason": reason})
        else:
            texts[entry.field.value].append(entry.text)
    topics = texts[SummaryField.TOPIC.value]
    texts[SummaryField.TOPIC.value] = topics[0] if topics else ""
    return json.dumps(texts, ensure_ascii=False)


def _entries(value: object) -> Iterator[str]:
    """The texts of a field as models write it: a list, one text, or objects with texts."""
    rows = value if isinstance(value, list) else [value]
    for row in rows:
        parts = row.values() if isinstance(row, dict) else [row]
        texts = (" ".join(str(part).split()).strip(_EDGE) for part in parts if part is not None)
        text = _REASON.join(filter(None, texts))
        if text:
            yield text


def _comparable(text: str) -> str:
    """A text as it is compared with another."""
    return " ".join(plain(text).split()).strip(_EDGE)
