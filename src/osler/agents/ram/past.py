"""Find what earlier visits say about a question, as far as the entries of the record do not answer it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from osler.agents.messages import Selection
from osler.agents.ram.evidence import read_asks
from osler.agents.rules.stated import confirmed
from osler.language import Language
from osler.language.lexicon import concepts, terms
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import meant
from osler.language.lexicon.thesaurus import load
from osler.ranking import reaches
from osler.records.redact import Redactor
from osler.records.schema import PatientRecord
from osler.records.visits import PastExchange

_SHARE = 0.5
"""Share of a question's words, by weight, that an exchange must have to be about it."""
_LIKELY = 0.5
_MOST = 3
_LONGEST = 5000
"""Characters of earlier visits that a model is shown."""


def past_of(record: PatientRecord) -> tuple[PastExchange, ...]:
    """Return what was said at a record's earlier visits, without anything that gives the diagnosis away."""
    redact = Redactor(record.diagnosis.names, record.language, record.complaint).redact
    return tuple(one._replace(reply=redact(one.reply), results=redact(one.results)) for one in record.past)


def latest(past: Sequence[PastExchange]) -> tuple[PastExchange, ...]:
    """Return the latest exchanges, as many as a prompt has room for."""
    room, first = _LONGEST, len(past)
    while first and (room := room - len(past[first - 1].text)) >= 0:
        first -= 1
    return tuple(past[first:])


def past_about(selection: Selection, past: Sequence[PastExchange]) -> tuple[PastExchange, ...]:
    """Return the latest exchanges about what the rules found no entry for, in order.

    That is the whole question if they found nothing, else the drugs that no entry names.
    """
    question, language = selection.question, selection.case.language
    told = "\n".join(text for entry in selection.entries for text in (entry.name, entry.report, entry.said))
    drugs = {*drugs_in(question).values()} - {*drugs_in(f"{told}\n{selection.case.complaint}").values()}
    found = {one for one in past if not drugs.isdisjoint(drugs_in(one.text).values())}
    if not selection.entries:
        words = terms(question, language) if not _asks_for_symptom(selection) else frozenset()
        found |= {one for one in past if _is_about(one, words, language)}
        found |= {one for one in past if confirmed(question, (one,), language) is not None}
    return tuple(sorted(found))[-_MOST:]


def _is_about(one: PastExchange, asked: frozenset[str], language: Language) -> bool:
    weight = concepts(language).weight
    total = sum(map(weight, sorted(asked)))
    shared = sum(map(weight, sorted(asked & terms(one.text, language))))
    return bool(asked) and reaches(shared, _SHARE * total)


def _asks_for_symptom(selection: Selection) -> bool:
    """Check whether a question asks how the patient feels today, of which earlier visits say nothing."""
    question, language = selection.question, selection.case.language
    asked = read_asks(question, language, selection.case.speaker)[0]
    likely = sum(share for concept, share in asked.meant.items() if concept in _symptoms())
    return reaches(likely, _LIKELY) or not meant(question, language).isdisjoint(_symptoms())


@cache
def _symptoms() -> frozenset[str]:
    return frozenset(concept["id"] for concept in load("symptoms.yaml"))
