"""What the doctor knows from its briefing: the findings so far, and the items it has asked about already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from osler.agents.participant import Briefing, Case
from osler.agents.rules.findings import (
    Findings,
    Statement,
    answer_statements,
    fact_statements,
    findings_answered,
    findings_named,
    text_statements,
)
from osler.agents.rules.item_names import items_named
from osler.agents.rules.knowledge import Item, by_question, knowledge
from osler.language import Language
from osler.language.words import plain
from osler.memory.base import Fact, Recall, Turn


class Known(NamedTuple):
    """Findings, and the ids of the items that need not be asked for again."""

    findings: Findings
    asked: frozenset[str]


def known_from(briefing: Briefing) -> Known:
    """All that the complaint, the recall and the last exchange tell; what was said later counts for more."""
    case, recall = briefing.case, briefing.recall
    complaint = findings_named(text_statements(case.complaint, case.language, case.speaker), case.language)
    findings: Findings = {name: True for name, there in complaint.items() if there}
    asked: set[str] = set()
    last = Turn(number=briefing.turn, question=briefing.question, reply=briefing.reply, results=briefing.results)
    for question, answer in _answers(recall, last, case):
        told = findings_named(answer, case.language)
        findings |= {name: there for name, there in told.items() if there or name not in findings}
        items = _items_asked(question, case.language)
        for item in items:
            findings |= findings_answered(item, answer, case.language)
        asked.update(item.id for item in items)
    asked.update(knowledge().item_of[name].id for name in findings)
    return Known(findings, frozenset(asked))


def _answers(recall: Recall, last: Turn, case: Case) -> Iterator[tuple[str, Sequence[Statement]]]:
    """Each question with what was said in answer to it; the text of a recall only where there is nothing else."""
    facts: dict[int, list[Fact]] = defaultdict(list)
    for fact in recall.facts:
        facts[fact.turn].append(fact)
    if recall.text and not (recall.facts or recall.exchanges):
        yield "", text_statements(recall.text, case.language, case.speaker)
    exchanges = {turn.number: turn for turn in recall.exchanges}
    for number in sorted({*facts, *exchanges}):
        turn = exchanges.get(number, Turn(number=number, question="", reply=""))
        yield turn.question, (*_stated(facts[number], case), *_said(turn, case))
    if last.question:
        yield last.question, _said(last, case)


def _stated(facts: Iterable[Fact], case: Case) -> Iterator[Statement]:
    return (statement for fact in facts for statement in fact_statements(fact, case.language))


def _said(turn: Turn, case: Case) -> tuple[Statement, ...]:
    reply = "\n".join(filter(None, (turn.reply, turn.results)))
    return answer_statements(turn.question, reply, case.language, case.speaker) if reply else ()


def _items_asked(question: str, language: Language) -> list[Item]:
    """The item with this question; of a question in other words, the items that it names."""
    item = by_question(language).get(plain(question))
    return [item] if item else items_named(question, language)
