"""Refuse patient replies with obvious faults, found by checks that are cheap and certain.

A reply is refused if it names the diagnosis, has digits or a drug that the patient was never given or told, has no
words, or has sentences in the other language's script. Tone, length and numbers in words are never a reason: whether a
reply is true is measured elsewhere, by other code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from osler.agents.messages import Selection
from osler.language import Language
from osler.language.lexicon.drugs import drugs_in
from osler.language.numerals import values, written_values
from osler.language.words import plain, sentences
from osler.prompts import phrases
from osler.records.schema import Diagnosis


class FaultKind(StrEnum):
    """What is wrong with a reply."""

    DIAGNOSIS = "diagnosis"
    NUMBER = "number"
    DRUG = "drug"
    EMPTY = "empty"
    LANGUAGE = "language"


@dataclass(frozen=True)
class ReplyFault:
    """One fault, the words it is about, and the sentences they are in."""

    kind: FaultKind
    words: tuple[str, ...]
    sentences: tuple[str, ...]

    def reason(self, language: Language) -> str:
        """Return what the patient's model is told about it."""
        joined = (", " if language is Language.EN else "、").join(self.words)
        return phrases("faults", language)[self.kind].format(words=joined)


_LIST_MARK = re.compile(r"^\s*(?:[-*•·]\s+|[(（]?\d{1,2}[.、)）](?!\d)\s*)", re.MULTILINE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_LATIN = re.compile(r"[a-z]+(?:['-][a-z]+)*")
_SHORT_NAME = 4
"""Names in capitals of up to this many letters (ALL, AS) are told from words by their capitals."""
_FEW = 3
"""A sentence may hold this many words of the other script."""


def check(reply: str, selection: Selection, diagnosis: Diagnosis) -> tuple[ReplyFault, ...]:
    """Find the faults of a reply to what the patient was given."""
    language = selection.case.language
    if not any(char.isalnum() for char in reply):
        return (ReplyFault(FaultKind.EMPTY, (), ()),)
    given = _given(selection)
    known_values, known_drugs = values(given), set(drugs_in(given).values())
    names = tuple(name for name in diagnosis.names if not mentions_name(given, name))
    given_words = frozenset(_LATIN.findall(plain(given)))

    def numbers(sentence: str) -> Iterable[str]:
        said = written_values(_LIST_MARK.sub("", sentence))
        return (told for told, readings in said if not any(known_values >= reading for reading in readings))

    searches: dict[FaultKind, Callable[[str], Iterable[str]]] = {
        FaultKind.DIAGNOSIS: lambda sentence: (name for name in names if mentions_name(sentence, name)),
        FaultKind.NUMBER: numbers,
        FaultKind.DRUG: lambda sentence: (name for name, drug in drugs_in(sentence).items() if drug not in known_drugs),
        FaultKind.LANGUAGE: lambda sentence: [sentence] if _in_other_script(sentence, given_words, language) else (),
    }
    faults = []
    parts = sentences(reply, language)
    for kind, search in searches.items():
        hits = {sentence: found for sentence in parts if (found := tuple(search(sentence)))}
        if hits:
            words = dict.fromkeys(word for found in hits.values() for word in found)
            faults.append(ReplyFault(kind, tuple(words), tuple(hits)))
    return tuple(faults)


def without(reply: str, faults: Iterable[ReplyFault], language: Language) -> str:
    """Return the reply without the faulty sentences, or an empty text if nothing is left."""
    cut = {sentence for fault in faults for sentence in fault.sentences}
    kept = [sentence for sentence in sentences(reply, language) if sentence not in cut]
    text = (" " if language is Language.EN else "").join(kept)
    return text if any(char.isalnum() for char in text) else ""


def _given(selection: Selection) -> str:
    """Return everything the patient was given, as one text."""
    case, before = selection.case, selection.before
    texts = [case.complaint, case.age, selection.question, selection.results]
    texts += [before.question, before.reply] if before else []
    for entry in selection.entries:
        if entry.name in selection.earlier:
            continue
        texts += [entry.name, *entry.aliases, entry.report, entry.said, entry.when or ""]
    return "\n".join(texts)


def mentions_name(text: str, name: str) -> bool:
    """Check whether a text contains the name as whole words."""
    if name.isupper() and name.isascii() and len(name) <= _SHORT_NAME:
        return re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text) is not None
    level, wanted = plain(text), plain(name)
    if wanted not in level:
        return False
    # Chinese has no spaces between words; a Latin name within it still ends where its letters do.
    return _CHINESE.search(wanted) is not None or bool(re.search(rf"(?<![a-z]){re.escape(wanted)}(?![a-z])", level))


def _in_other_script(sentence: str, given: frozenset[str], language: Language) -> bool:
    """Check whether a sentence is mostly in the other script; names and units that were given do not count."""
    level = plain(sentence)
    chinese, latin = len(_CHINESE.findall(level)), [word for word in _LATIN.findall(level) if word not in given]
    if language is Language.EN:
        return chinese > max(_FEW, len(latin))
    return len(latin) > max(_FEW, chinese) or len(_KANA.findall(level)) > _FEW
