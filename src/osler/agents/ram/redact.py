"""Records whose reports name the diagnosis: the words that do are taken out before anybody can be given them."""

from __future__ import annotations

import re

from osler.language import Language
from osler.language.lexicon import concepts
from osler.language.words import content, plain
from osler.records.schema import Diagnosis, Entry, PatientRecord

# "…, suggestive of X" and "consistent with X" interpret; what was found stands before them.
_INTERPRETS = {
    Language.EN: re.compile(
        r",?\s*(?:which (?:is|are) )?(?:highly |most |strongly )?"
        r"(?:suggest\w*(?: of)?|consistent with|indicat\w+(?: of)?|diagnostic (?:of|for)"
        r"|compatible with|characteristic of|associated with|confirm\w*|typical (?:of|for)|due to|seen in)\b.*$",
        re.IGNORECASE,
    ),
    Language.ZH: re.compile(r"[，,]?(?:提示|符合|考虑|支持|证实|诊断为).*$"),
}
_CLAUSE = re.compile(r"(?<=[.;,，；。])\s*")


def without_diagnosis(record: PatientRecord) -> PatientRecord:
    """The same record with no entry that gives the diagnosis away; the bundled ones come back as they are."""
    entries = tuple(_redacted(entry, record.diagnosis, record.language) for entry in record.entries)
    return record if entries == record.entries else record.model_copy(update={"entries": entries})


def _redacted(entry: Entry, diagnosis: Diagnosis, language: Language) -> Entry:
    texts = {"report": _uninterpreted(entry.report, diagnosis, language), "said": entry.said}
    update = {
        name: _cut(text, diagnosis, language)
        for name, text in texts.items()
        if text != getattr(entry, name) or _names_it(text, diagnosis, language)
    }
    return entry.model_copy(update=update) if update else entry


def _uninterpreted(text: str, diagnosis: Diagnosis, language: Language) -> str:
    """The text without an interpretation that has a telling word of the diagnosis: "consistent with coarctation".

    Telling is a word that no phrase by which patients and doctors speak of symptoms, tests and history has.
    """
    if _INTERPRETS[language].search(text) is None:
        return text
    known = concepts(language).idf
    telling = {word for name in diagnosis.names for word in content(name, language) if word not in known}

    def cut(sentence: str) -> str:
        found = _INTERPRETS[language].search(sentence)
        if found is None or not telling & set(content(found[0], language)):
            return sentence
        rest = sentence[: found.start()].strip()
        end = sentence[-1:] if sentence[-1:] in ".。" else ""
        return rest + end if len(content(rest, language)) > 1 else sentence

    parts = re.split(r"(?<=[.。])(\s*)", text)
    return "".join(cut(part) for part in parts).strip()


def _cut(text: str, diagnosis: Diagnosis, language: Language) -> str:
    """Sentence by sentence: first without its interpretation, then without the clause that still tells."""
    kept = []
    for sentence in re.split(r"(?<=[.。])\s*", text):
        if _names_it(sentence, diagnosis, language):
            sentence = _INTERPRETS[language].sub("", sentence)
        clauses = [
            clause for clause in _CLAUSE.split(sentence) if clause and not _names_it(clause, diagnosis, language)
        ]
        kept.append(("" if language is Language.ZH else " ").join(clauses).strip(" ,;，；"))
    return (" " if language is Language.EN else "").join(filter(None, kept))


def _names_it(text: str, diagnosis: Diagnosis, language: Language) -> bool:
    """Whether a text has a name of the diagnosis in it."""
    level = plain(text)
    names = (plain(name) for name in diagnosis.names)
    if language is Language.ZH:
        return any(name in level for name in names)
    return any(name in level and re.search(rf"\b{re.escape(name)}\b", level) for name in names)
