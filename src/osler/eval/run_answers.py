"""The final answers of a run as judges see them, and the verdicts that are stored on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from osler.eval.judge import Kind, Opinion
from osler.eval.ladder import LADDER
from osler.eval.verdict import Verdict
from osler.language import Language
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict

KINDS: tuple[Kind, ...] = ("diagnosis", "treatment")
OWN_RUNGS = frozenset({"reader", "judge", "person"})
"""The rungs of verdicts that a judge gave itself, and did not take over from the ladder or a panel."""
_LADDERS = f"{LADDER.split('/')[0]}/"
"""Begins the name of every version of the ladder."""


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
    by_ladder: StoredVerdict

    @property
    def is_undecided(self) -> bool:
        """Check whether the ladder leaves it to a judge."""
        return self.by_ladder.verdict == Verdict.UNDECIDED

    @property
    def can_be_judged(self) -> bool:
        """Check whether there is something to read."""
        return bool(self.content.text.strip()) and self.by_ladder.verdict != Verdict.UNPARSED

    def verdict(self, opinion: Opinion, tokens: int | None = 0) -> StoredVerdict:
        """A judge's opinion as it is stored, with the tokens that count for this answer."""
        return stored_opinion(self.content.kind, replace(opinion, tokens=tokens))


def answers_of(store: RunFile) -> Iterator[RunAnswer]:
    """Yield all answers that the ladder has judged, with its verdict."""
    for row in store.scores(LADDER):
        for kind in KINDS:
            verdict, rung, because = (row[f"{kind}_{name}"] for name in ("verdict", "rung", "because"))
            if verdict is not None:
                rank = row["diagnosis_rank"] if kind == "diagnosis" else None
                yield RunAnswer(
                    AnswerPlace(row["number"], kind),
                    AnswerContent(row["record"], kind, row[kind] or ""),
                    Language(row["language"]),
                    StoredVerdict(kind, verdict, rung, because, rank),
                )


def stored_opinion(kind: Kind, opinion: Opinion) -> StoredVerdict:
    """A judge's opinion as it is stored."""
    said = StoredVerdict(kind, opinion.verdict.value, opinion.rung, opinion.because, None, opinion.tokens)
    return _with_own_rank(said)


def has_judged_differentials(judge: str) -> bool:
    """Check whether a judge read the differentials too: only the ladder does, of whatever version."""
    return judge.startswith(_LADDERS)


def _with_own_rank(verdict: StoredVerdict) -> StoredVerdict:
    """Keep no rank but that of a correct diagnosis, which comes first: the others are the ladder's."""
    is_first = verdict.kind == "diagnosis" and verdict.verdict == Verdict.CORRECT
    return replace(verdict, rank=1 if is_first else None)


def by_content(answers: Iterable[RunAnswer]) -> dict[AnswerContent, list[RunAnswer]]:
    """Group answers that are the same."""
    same: dict[AnswerContent, list[RunAnswer]] = defaultdict(list)
    for one in answers:
        same[one.content].append(one)
    return dict(same)


def stored_verdicts(store: RunFile, judge: str) -> dict[AnswerPlace, StoredVerdict]:
    """All verdicts that are stored under a judge's name."""
    found = store.ask("SELECT cell, kind, verdict, rung, because, rank FROM verdicts WHERE judge = ?", (judge,))
    return {AnswerPlace(cell, kind): StoredVerdict(kind, *rest) for cell, kind, *rest in found}


def own_opinions(store: RunFile, judge: str, answers: Iterable[RunAnswer]) -> dict[AnswerContent, Opinion]:
    """What a judge itself said of these answers before."""
    stored = stored_verdicts(store, judge)
    known = {}
    for one in answers:
        said = stored.get(one.place)
        if said is not None and said.rung in OWN_RUNGS:
            known[one.content] = Opinion(Verdict(said.verdict), said.because, rung=said.rung)
    return known


def store_verdicts(store: RunWriter, judge: str, verdicts: Mapping[AnswerPlace, StoredVerdict]) -> None:
    """Store verdicts under the name of a judge that is not the ladder; those that are stored stay as they are."""
    before = stored_verdicts(store, judge)
    new: dict[int, list[StoredVerdict]] = defaultdict(list)
    for place, verdict in verdicts.items():
        own = _with_own_rank(verdict)
        if before.get(place) != replace(own, tokens=None):
            new[place.number].append(own)
    for number, some in new.items():
        store.scored(number, StoredScore(judge, some))
