"""Remove a diagnosis from texts: from what an import names and opens with, and from reports."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
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
        r"|compatible with|characteristic of|associated with|confirm\w*|typical (?:of|for)|due"
        r" to|seen in)\b.*$",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(r"[，,]?(?:提示|符合|考虑|支持|证实|诊断为).*$"),
}
_SENTENCE_END = re.compile(r"(?<=\.)\s+|(?<=。)\s*")
_CLAUSE_END = re.compile(r"(?<=[;,，；：。])\s*|(?<=\.)\s+")
_WHOLE = 0.95
"""Score from which a name is the phrase for a symptom and nothing more."""


class Redactor:
    """Takes a diagnosis out of texts.

    A symptom that the patient comes with ("腰痛2年") stays, if it is the truth.
    """

    def __init__(self, names: tuple[str, ...], language: Language, complaint: str) -> None:
        """Take all names of the diagnosis, and the record's opening words."""
        self._language = language
        opening = plain(complaint)
        self._names: list[str] = []
        for name in filter(None, names):
            is_complaint = opening.startswith(plain(name)) and _is_symptom(name, language)
            if not is_complaint:
                self._names.append(plain(name))
        words: set[str] = set()
        for name in self._names:
            words.update(content(name, language))
        self._telling = words.difference(concepts(language).idf)
        """Words of the diagnosis that no phrase for symptoms, tests and history has."""

    def redact(self, text: str) -> str:
        """Return the text without what names or clearly means the diagnosis."""
        sentences = _SENTENCE_END.split(text)
        redacted = [self._sentence(sentence) for sentence in sentences]
        # A text that names nothing keeps the spaces between its sentences as they are.
        return text if redacted == sentences else self._joined(redacted)

    def _sentence(self, sentence: str) -> str:
        """Remove the interpretation ("consistent with coarctation"), then clauses that name it."""
        sentence = self._without_interpretation(sentence)
        if not self.names_it(sentence):
            return sentence
        clauses = [clause for clause in _CLAUSE_END.split(sentence) if not self.names_it(clause)]
        return self._joined(clauses).strip(" ,;，；：")

    def _without_interpretation(self, sentence: str) -> str:
        match = _INTERPRETS[self._language].search(sentence)
        if match is None:
            return sentence
        finding = sentence[: match.start()].strip()
        is_telling = not self._telling.isdisjoint(content(match[0], self._language))
        # A single word before it is no finding: "MRI confirms X" would become "MRI."
        has_finding = len(content(finding, self._language)) > 1
        if not self.names_it(sentence) and not (is_telling and has_finding):
            return sentence
        if finding and sentence[-1] in ".。":
            return finding + sentence[-1]
        return finding

    def _joined(self, parts: list[str]) -> str:
        return ("" if self._language is Language.ZH else " ").join(filter(None, parts))

    def names_it(self, text: str) -> bool:
        """Check whether a text has a name of the diagnosis."""
        level = plain(text)
        for name in self._names:
            if name not in level:
                continue
            # Chinese has no spaces between words; an English name is not a part of a word.
            if self._language is Language.ZH or re.search(rf"\b{re.escape(name)}\b", level):
                return True
        return False


def _is_symptom(name: str, language: Language) -> bool:
    for meaning, score in concepts(language).best(name).items():
        if reaches(score, _WHOLE) and not meaning.endswith("-history"):
            return True
    return False


def withhold_diagnosis(data: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Take the diagnosis out of an imported record's opening words and names of entries.

    Returns the record's fields, and how many entries were left out because they say nothing else.
    Reports are redacted when they are told.
    """
    diagnosis = data.get("diagnosis") or {}
    complaint = data.get("complaint") or ""
    names = (diagnosis.get("name", ""), *diagnosis.get("aliases", ()))
    redactor = Redactor(names, data["language"], complaint)
    entries: dict[str, dict[str, Any]] = {}
    for entry in data["entries"]:
        redacted = _redact_entry(redactor, entry, entries)
        if redacted is not None:
            entries[redacted["name"]] = redacted
    opening = redactor.redact(complaint) or _first_symptom(redactor, entries.values())
    left_out = len(data["entries"]) - len(entries)
    return {**data, "complaint": opening, "entries": list(entries.values())}, left_out


def _redact_entry(
    redactor: Redactor, entry: dict[str, Any], others: Collection[str]
) -> dict[str, Any] | None:
    """The entry under a name without the diagnosis and of its own; None if nothing else is left."""
    report = redactor.redact(entry["report"])
    # A name cut from the beginning of its report is cut again from the redacted report.
    is_beginning = entry["report"].startswith(entry["name"].rstrip("…"))
    is_cut_anew = is_beginning and report != entry["report"]
    name = report[: len(entry["name"])] if is_cut_anew else redactor.redact(entry["name"])
    name = name.strip(" .。…")
    if not name:
        return None
    says_nothing_else = entry["report"] and not report
    # A test stays: that it was done may be told, even if its report may not.
    if says_nothing_else and Category(entry["category"]) not in RESULTS:
        return None
    if not is_cut_anew and not redactor.names_it(entry["name"]):
        return entry
    namesakes = [other for other in others if other == name or other.startswith(f"{name} (")]
    if namesakes:
        name = f"{name} ({len(namesakes) + 1})"
    return {**entry, "name": name}


def _first_symptom(redactor: Redactor, entries: Iterable[dict[str, Any]]) -> str | None:
    """The report of the first symptom that says more than the diagnosis."""
    for entry in entries:
        if entry["category"] is Category.SYMPTOM:
            report = redactor.redact(entry["report"])
            if report:
                return report
    return None
