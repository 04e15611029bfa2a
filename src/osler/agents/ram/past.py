"""Find what earlier visits say about a question.

Only what the entries of the record do not answer counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from osler.agents.messages import Selection
from osler.agents.ram.evidence import read_asks
from osler.agents.rules.stated import check_statement
from osler.language import Language
from osler.language.lexicon import concepts, terms
from osler.language.lexicon.drugs import drugs_in
from osler.language.lexicon.phrases import concepts_in
from osler.language.lexicon.thesaurus import load
from osler.ranking import reaches
from osler.records.redact import Redactor
from osler.records.schema import PatientRecord
from osler.records.visits import PastExchange

_SHARE = 0.5
"""Share of a question's words, by weight, that an exchange must have to be about it."""
_LIKELY = 0.5
"""Probability from which a question asks for a symptom."""
_MOST = 3
"""Maximum number of exchanges about one question."""
_LONGEST = 5000
"""Characters of earlier visits that a model is shown."""


def past_of(record: PatientRecord) -> tuple[PastExchange, ...]:
    """Return what was said at a record's earlier visits, without what gives the diagnosis away."""
    redactor = Redactor(record.diagnosis.names, record.language, record.complaint)
    return tuple(
        exchange._replace(
            reply=redactor.redact(exchange.reply), results=redactor.redact(exchange.results)
        )
        for exchange in record.past
    )


def latest(past: Sequence[PastExchange]) -> tuple[PastExchange, ...]:
    """Return the latest exchanges, as many as a prompt has room for."""
    room = _LONGEST
    for place in reversed(range(len(past))):
        room -= len(past[place].text)
        if room < 0:
            return tuple(past[place + 1 :])
    return tuple(past)


def past_about(selection: Selection, past: Sequence[PastExchange]) -> tuple[PastExchange, ...]:
    """Return the latest exchanges about what the rules found no entry for, in order.

    That is the whole question if they found nothing, else the drugs that no entry names.
    """
    question, language = selection.question, selection.case.language
    drugs = _unanswered_drugs(selection)
    relevant = {
        exchange for exchange in past if not drugs.isdisjoint(drugs_in(exchange.text).values())
    }
    if not selection.entries:
        words: frozenset[str] = frozenset()
        if not _asks_for_symptom(selection):
            words = terms(question, language)
        for exchange in past:
            verdict = check_statement(question, (exchange,), language)
            if verdict is not None or _is_about(exchange, words, language):
                relevant.add(exchange)
    return tuple(sorted(relevant))[-_MOST:]


def _unanswered_drugs(selection: Selection) -> set[int]:
    """Return the drugs of a question that neither an entry nor the complaint names."""
    texts = [selection.case.complaint]
    for entry in selection.entries:
        texts += [entry.name, entry.report, entry.said]
    answered = drugs_in("\n".join(texts)).values()
    return set(drugs_in(selection.question).values()) - set(answered)


def _is_about(exchange: PastExchange, words: frozenset[str], language: Language) -> bool:
    weight = concepts(language).weight
    total = sum(map(weight, sorted(words)))
    shared = sum(map(weight, sorted(words & terms(exchange.text, language))))
    return bool(words) and reaches(shared, _SHARE * total)


def _asks_for_symptom(selection: Selection) -> bool:
    """Check whether a question asks how the patient feels today.

    Earlier visits say nothing of that.
    """
    question, language = selection.question, selection.case.language
    whole_question = read_asks(question, language, selection.case.speaker)[0]
    meanings = whole_question.meant.items()
    likelihood = sum(share for concept, share in meanings if concept in _symptoms())
    if reaches(likelihood, _LIKELY):
        return True
    return not concepts_in(question, language).isdisjoint(_symptoms())


@cache
def _symptoms() -> frozenset[str]:
    return frozenset(concept["id"] for concept in load("symptoms.yaml"))
