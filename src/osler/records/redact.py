"""Remove a diagnosis from texts: from what an import names and opens with, and from reports before they are told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from osler.language import Language
from osler.language.lexicon import concepts
from osler.language.words import content, plain
from osler.ranking import reaches
from osler.records.schema import RESULTS, Category

# "…, suggestive of X" and "consistent with X" interpret; the finding comes before them.
_INTERPRETS = {
    Language.EN: re.compile(
        r",?\s*(?:which (?:is|are) )?(?:highly |most |strongly )?"
        r"(?:suggest\w*(?: of)?|consistent with|indicat\w+(?: of)?|diagnostic (?:of|for)"
        r"|compatible with|characteristic of|associated with|confirm\w*|typical (?:of|for)|due to|seen in)\b.*$",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(r"[，,]?(?:提示|符合|考虑|支持|证实|诊断为).*$"),
}
_SENTENCE_END = re.compile(r"(?<=\.)\s+|(?<=。)\s*")
_CLAUSE_END = re.compile(r"(?<=[;,，；：。])\s*|(?<=\.)\s+")
_WHOLE = 0.95
"""Score from which a name is the phrase for a symptom and nothing more."""


class Redactor:
    """Takes a diagnosis out of texts. A symptom that the patient comes with ("腰痛2年") stays, if it is the truth."""

    def __init__(self, names: tuple[str, ...], language: Language, complaint: str) -> None:
        """Take all names of the diagnosis, and the record's opening words."""
        self._language, self._interprets = language, _INTERPRETS[language]
        known, opening = concepts(language), plain(complaint)
        self._names = [
            plain(name)
            for name in names
            if name and not (opening.startswith(plain(name)) and _is_symptom(name, language))
        ]
        self._telling = {word for name in self._names for word in content(name, language) if word not in known.idf}
        """Words of the diagnosis that no phrase for symptoms, tests and history has."""

    def redact(self, text: str) -> str:
        """Return the text without what names or clearly means the diagnosis."""
        sentences = _SENTENCE_END.split(text)
        kept = [self._sentence(sentence) for sentence in sentences]
        return text if kept == sentences else self._joined(kept)

    def _sentence(self, sentence: str) -> str:
        """Remove the interpretation first, "consistent with coarctation"; then the clause that still gives it away."""
        if found := self._interprets.search(sentence):
            rest = sentence[: found.start()].strip()
            is_telling = self._telling & set(content(found[0], self._language))
            if self.names_it(sentence) or (is_telling and len(content(rest, self._language)) > 1):
                sentence = rest and rest + (sentence[-1] if sentence[-1] in ".。" else "")
        if not self.names_it(sentence):
            return sentence
        clauses = [clause for clause in _CLAUSE_END.split(sentence) if not self.names_it(clause)]
        return self._joined(clauses).strip(" ,;，；：")

    def _joined(self, parts: list[str]) -> str:
        return ("" if self._language is Language.ZH else " ").join(filter(None, parts))

    def names_it(self, text: str) -> bool:
        """Check whether a text has a name of the diagnosis."""
        level = plain(text)
        named = (name for name in self._names if name in level)
        return any(self._language is Language.ZH or re.search(rf"\b{re.escape(name)}\b", level) for name in named)


def _is_symptom(name: str, language: Language) -> bool:
    meanings = concepts(language).best(name)
    return any(reaches(score, _WHOLE) and not meaning.endswith("-history") for meaning, score in meanings.items())


def withhold_diagnosis(data: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Take the diagnosis out of an imported record's opening words and names of entries.

    Returns the record's fields, and how many entries were left out because they say nothing else. Reports are redacted
    when they are told.
    """
    truth = data.get("diagnosis") or {}
    complaint = data.get("complaint") or ""
    redactor = Redactor((truth.get("name", ""), *truth.get("aliases", ())), data["language"], complaint)
    entries: dict[str, dict[str, Any]] = {}
    for entry in data["entries"]:
        told = redactor.redact(entry["report"])
        is_beginning = told != entry["report"] and entry["report"].startswith(entry["name"].rstrip("…"))
        name = (told[: len(entry["name"])] if is_beginning else redactor.redact(entry["name"])).strip(" .。…")
        if not name or (entry["report"] and not told and Category(entry["category"]) not in RESULTS):
            continue
        number = sum(other == name or other.startswith(f"{name} (") for other in entries)
        changed = name if not number else f"{name} ({number + 1})"
        is_telling = is_beginning or redactor.names_it(entry["name"])
        kept = {**entry, "name": changed} if is_telling else entry
        entries[kept["name"]] = kept
    symptoms = (entry["report"] for entry in entries.values() if entry["category"] is Category.SYMPTOM)
    opening = redactor.redact(complaint) or next(filter(None, map(redactor.redact, symptoms)), None)
    left_out = len(data["entries"]) - len(entries)
    return {**data, "complaint": opening, "entries": list(entries.values())}, left_out
