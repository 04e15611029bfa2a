"""The final answers of a run as judges see them, and the verdicts that are stored on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from osler.eval.judge import Kind, Opinion
from osler.eval.scoring import EXACT
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict
from osler.runs.store.scores import scored_consultations

KINDS: tuple[Kind, ...] = ("diagnosis", "treatment")
OWN_RUNGS = frozenset({"reader", "judge", "person"})
"""The rungs of verdicts that a judge gave itself, and did not take over from the exact stage or a
panel."""


class AnswerPlace(NamedTuple):
    """Where a verdict is stored: a consultation's number, and the kind of answer."""

    number: int
    kind: str


class AnswerContent(NamedTuple):
    """What a verdict is about. The same answer to the same record is judged once."""

    case: str
    kind: Kind
    text: str


@dataclass(frozen=True)
class RunAnswer:
    """A diagnosis or treatment that a consultation ended with."""

    place: AnswerPlace
    content: AnswerContent
    language: Language
    by_names: StoredVerdict
    """What the exact stage says of it."""

    @property
    def is_undecided(self) -> bool:
        """Check whether the exact stage leaves it to a judge."""
        return self.by_names.verdict == Verdict.UNDECIDED

    @property
    def can_be_judged(self) -> bool:
        """Check whether there is something to read."""
        return bool(self.content.text.strip()) and self.by_names.verdict != Verdict.UNPARSED

    def verdict(self, opinion: Opinion, tokens: int | None = 0) -> StoredVerdict:
        """A judge's opinion as it is stored, with the tokens that count for this answer."""
        return stored_opinion(self.content.kind, replace(opinion, tokens=tokens))


def answers_of(store: RunFile) -> Iterator[RunAnswer]:
    """Yield all answers that have been scored, with what the exact stage says of them."""
    for consultation in scored_consultations(store, EXACT):
        texts = {"diagnosis": consultation.diagnosis, "treatment": consultation.treatment}
        for kind in KINDS:
            by_names = consultation.verdicts.get(kind)
            if by_names is not None:
                yield RunAnswer(
                    AnswerPlace(consultation.number, kind),
                    AnswerContent(consultation.case, kind, texts[kind]),
                    consultation.language,
                    replace(by_names, rank=None, tokens=None),
                )


def stored_opinion(kind: Kind, opinion: Opinion) -> StoredVerdict:
    """A judge's opinion as it is stored."""
    return StoredVerdict(
        kind, opinion.verdict.value, opinion.rung, opinion.because, tokens=opinion.tokens
    )


def by_content(answers: Iterable[RunAnswer]) -> dict[AnswerContent, list[RunAnswer]]:
    """Group answers that are the same."""
    groups: dict[AnswerContent, list[RunAnswer]] = defaultdict(list)
    for answer in answers:
        groups[answer.content].append(answer)
    return dict(groups)


def stored_verdicts(store: RunFile, judge: str) -> dict[AnswerPlace, StoredVerdict]:
    """All verdicts that are stored under a judge's name."""
    return {AnswerPlace(*place): verdict for place, verdict in store.verdicts_of(judge).items()}


def own_opinions(
    store: RunFile, judge: str, answers: Iterable[RunAnswer]
) -> dict[AnswerContent, Opinion]:
    """What a judge itself said of these answers before."""
    stored = stored_verdicts(store, judge)
    opinions = {}
    for answer in answers:
        before = stored.get(answer.place)
        if before is not None and before.rung in OWN_RUNGS:
            verdict = Verdict(before.verdict)
            opinions[answer.content] = Opinion(verdict, before.because, rung=before.rung)
    return opinions


def store_verdicts(
    store: RunWriter, judge: str, verdicts: Mapping[AnswerPlace, StoredVerdict]
) -> None:
    """Store verdicts under the name of a judge; those that are stored stay as they are."""
    before = stored_verdicts(store, judge)
    new: dict[int, list[StoredVerdict]] = defaultdict(list)
    for place, verdict in verdicts.items():
        if before.get(place) != replace(verdict, tokens=None):
            new[place.number].append(verdict)
    for number, new_verdicts in new.items():
        store.store_score(number, StoredScore(judge, new_verdicts))
