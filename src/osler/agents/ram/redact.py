"""Remove the diagnosis from a record's reports before any participant is given them."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.lexicon import concepts
from osler.language.words import content, plain
from osler.records.schema import Diagnosis, PatientRecord

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
_CLAUSE_END = re.compile(r"(?<=[.;,，；。])\s*")


def without_diagnosis(record: PatientRecord) -> PatientRecord:
    """Return the record without anything that gives the diagnosis away; the bundled ones come back unchanged."""
    redactor = _Redactor(record.diagnosis, record.language)
    entries = tuple(
        entry.model_copy(update={"report": redactor.redact(entry.report), "said": redactor.redact(entry.said)})
        for entry in record.entries
    )
    return record if entries == record.entries else record.model_copy(update={"entries": entries})


class _Redactor:
    """Takes a diagnosis out of texts."""

    def __init__(self, diagnosis: Diagnosis, language: Language) -> None:
        self._language, self._interprets = language, _INTERPRETS[language]
        self._names = [plain(name) for name in diagnosis.names]
        known = concepts(language).idf
        self._telling = {word for name in diagnosis.names for word in content(name, language) if word not in known}
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
            if self._names_it(sentence) or (is_telling and len(content(rest, self._language)) > 1):
                sentence = rest and rest + (sentence[-1] if sentence[-1] in ".。" else "")
        if not self._names_it(sentence):
            return sentence
        clauses = [clause for clause in _CLAUSE_END.split(sentence) if not self._names_it(clause)]
        return self._joined(clauses).strip(" ,;，；")

    def _joined(self, parts: list[str]) -> str:
        return ("" if self._language is Language.ZH else " ").join(filter(None, parts))

    def _names_it(self, text: str) -> bool:
        level = plain(text)
        named = (name for name in self._names if name in level)
        return any(self._language is Language.ZH or re.search(rf"\b{re.escape(name)}\b", level) for name in named)
