"""Refuse patient replies with obvious faults, found by checks that are cheap and certain.

A reply is refused if it names the diagnosis, has digits or a drug that the patient was never given
or told, has no words, or has sentences in the other language's script. Tone, length and numbers in
words are never a reason: whether a reply is true is measured elsewhere, by other code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from osler.agents.messages import Selection
from osler.language import Language
from osler.language.lexicon.drugs import drugs_in
from osler.language.numerals import values, written_values
from osler.language.words import join_sentences, plain, sentences
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


@dataclass(frozen=True)
class _Allowed:
    """What a reply may contain, since the patient was given it."""

    values: frozenset[float]
    drugs: frozenset[int]
    latin_words: frozenset[str]
    secret_names: tuple[str, ...]
    """Names of the diagnosis that nobody used before."""
    language: Language


def check(reply: str, selection: Selection, diagnosis: Diagnosis) -> tuple[ReplyFault, ...]:
    """Find the faults of a reply to what the patient was given."""
    if not has_words(reply):
        return (ReplyFault(FaultKind.EMPTY, (), ()),)
    given_text = _given_text(selection)
    allowed = _Allowed(
        values=values(given_text),
        drugs=frozenset(drugs_in(given_text).values()),
        latin_words=frozenset(_LATIN.findall(plain(given_text))),
        secret_names=tuple(name for name in diagnosis.names if not mentions_name(given_text, name)),
        language=selection.case.language,
    )
    reply_sentences = sentences(reply, allowed.language)
    faults = []
    for kind in (FaultKind.DIAGNOSIS, FaultKind.NUMBER, FaultKind.DRUG, FaultKind.LANGUAGE):
        # Dictionaries for their keys: each sentence and each word once, in order.
        faulty_sentences: dict[str, None] = {}
        faulty_words: dict[str, None] = {}
        for sentence in reply_sentences:
            hits = _faulty_words(kind, sentence, allowed)
            if hits:
                faulty_sentences[sentence] = None
                faulty_words |= dict.fromkeys(hits)
        if faulty_sentences:
            faults.append(ReplyFault(kind, tuple(faulty_words), tuple(faulty_sentences)))
    return tuple(faults)


def _faulty_words(kind: FaultKind, sentence: str, allowed: _Allowed) -> list[str]:
    """Return the words of a sentence that have a fault of this kind."""
    match kind:
        case FaultKind.DIAGNOSIS:
            return [name for name in allowed.secret_names if mentions_name(sentence, name)]
        case FaultKind.NUMBER:
            return _foreign_numbers(sentence, allowed.values)
        case FaultKind.DRUG:
            drugs = drugs_in(sentence)
            return [name for name, drug in drugs.items() if drug not in allowed.drugs]
        case FaultKind.LANGUAGE:
            is_foreign = _in_other_script(sentence, allowed.latin_words, allowed.language)
            return [sentence] if is_foreign else []
        case FaultKind.EMPTY:
            return []  # only a whole reply is empty


def _foreign_numbers(sentence: str, given_values: frozenset[float]) -> list[str]:
    """Return the numbers of a sentence of which no reading was given."""
    without_list_marks = _LIST_MARK.sub("", sentence)
    foreign = []
    for number, readings in written_values(without_list_marks):
        # A reading is all the values that it has: "3点20" may be 3.2, or 3 and 20.
        if not any(reading <= given_values for reading in readings):
            foreign.append(number)
    return foreign


def has_words(text: str) -> bool:
    """Check whether a text says anything."""
    return any(char.isalnum() for char in text)


def remove_faulty(reply: str, faults: Iterable[ReplyFault], language: Language) -> str:
    """Return the reply without the faulty sentences, or an empty text if nothing is left."""
    faulty: set[str] = set()
    for fault in faults:
        faulty.update(fault.sentences)
    rest = [sentence for sentence in sentences(reply, language) if sentence not in faulty]
    text = join_sentences(rest, language)
    return text if has_words(text) else ""


def _given_text(selection: Selection) -> str:
    """Return everything the patient was given, as one text."""
    case = selection.case
    texts = [case.complaint, case.age, selection.question, selection.results]
    for exchange in selection.conversation:
        texts += [exchange.question, exchange.reply]
    if selection.person is not None:
        texts += selection.person.lines.values()
    texts += [exchange.text for exchange in selection.past_again]
    for entry in selection.entries:
        if entry.name in selection.earlier or entry.name in selection.hidden:
            continue
        texts += [entry.name, *entry.aliases, entry.report, entry.said, entry.when or ""]
    return "\n".join(texts)


def mentions_name(text: str, name: str) -> bool:
    """Check whether a text contains the name as whole words."""
    if name.isupper() and name.isascii() and len(name) <= _SHORT_NAME:
        return re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text) is not None
    plain_text, plain_name = plain(text), plain(name)
    if plain_name not in plain_text:
        return False
    # Chinese has no spaces between words; a Latin name within it still ends where its letters do.
    if _CHINESE.search(plain_name):
        return True
    return re.search(rf"(?<![a-z]){re.escape(plain_name)}(?![a-z])", plain_text) is not None


def _in_other_script(sentence: str, given_words: frozenset[str], language: Language) -> bool:
    """Check whether a sentence is mostly in the other script.

    Names and units that were given do not count.
    """
    plain_sentence = plain(sentence)
    chinese = len(_CHINESE.findall(plain_sentence))
    latin = sum(word not in given_words for word in _LATIN.findall(plain_sentence))
    if language is Language.EN:
        return chinese > max(_FEW, latin)
    return latin > max(_FEW, chinese) or len(_KANA.findall(plain_sentence)) > _FEW
