"""Find what earlier visits say about a question, as far as the entries of the record do not answer it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from osler.agents.messages import Selection
from osler.agents.rules.stated import confirmed
from osler.language import Language
from osler.language.lexicon import concepts, terms
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import meant
from osler.language.lexicon.thesaurus import load
from osler.language.questions import read_questions
from osler.ranking import reaches
from osler.records.redact import Redactor
from osler.records.schema import PatientRecord
from osler.records.visits import PastExchange

_SHARE = 0.6
"""Share of a topic's words, by weight, that an exchange must have to be about it."""
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

    That is every topic if they found nothing, else the drugs that no entry names.
    """
    question, language = selection.question, selection.case.language
    told = "\n".join(text for entry in selection.entries for text in (entry.name, entry.report, entry.said))
    drugs = {*drugs_in(question).values()} - {*drugs_in(f"{told}\n{selection.case.complaint}").values()}
    found = {one for one in past if not drugs.isdisjoint(drugs_in(one.text).values())}
    if not selection.entries:
        asked = read_questions(question, language, selection.case.speaker)
        topics = [terms(topic, language) for each in asked for topic in each.topics if not _is_symptom(topic, language)]
        found |= {one for one in past for topic in topics if _is_about(one, topic, language)}
        found |= {one for one in past if confirmed(question, (one,), language) is not None}
    return tuple(sorted(found))[-_MOST:]


def _is_about(one: PastExchange, topic: frozenset[str], language: Language) -> bool:
    weight = concepts(language).weight
    total = sum(map(weight, sorted(topic)))
    shared = sum(map(weight, sorted(topic & terms(one.text, language))))
    return bool(topic) and reaches(shared, _SHARE * total)


def _is_symptom(topic: str, language: Language) -> bool:
    """Check whether a topic is how the patient feels today, of which earlier visits say nothing."""
    found = meant(topic, language)
    return bool(found) and found <= _symptoms()


@cache
def _symptoms() -> frozenset[str]:
    return frozenset(concept["id"] for concept in load("symptoms.yaml"))
