"""The figures of probes, column by column, and their table for the terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

from rich.console import Group
from rich.text import Text

from osler.eval.probes.gold import MemoryProbe
from osler.eval.probes.key_facts import KeyAnswer, KeyFactFigures, key_fact_figures, key_fact_rows
from osler.eval.probes.scoring import Score, holds_some
from osler.eval.statistics import NO_INTERVAL, Figure
from osler.language import Language
from osler.memory.base import Fact, Recall
from osler.ranking import ranked
from osler.runs.plan import Column
from osler.runs.short_names import ShortNames, backbone_name
from osler.runs.transcript import Transcript
from osler.wide_table import WideTable


@dataclass(frozen=True)
class ProbeAnswer:
    """A probe in one wording: what was recalled, and what the answer is worth."""

    recall: Recall
    score: Score | None
    """None: the model failed."""
    turn: int = 0
    """The last turn that the memory knew of when it was asked."""

    @property
    def ranked(self) -> tuple[Fact, ...]:
        """What was recalled, the best first; nothing if the memory does not rank its items."""
        facts = self.recall.facts
        if len({fact.score for fact in facts}) < 2:
            return ()
        return tuple(facts[place] for place in ranked([fact.score for fact in facts], range(len(facts))))


@dataclass(frozen=True)
class Probed:
    """A probe with all its askings in order: at earlier turns for what was told, and at the end every wording."""

    probe: MemoryProbe
    asked: tuple[ProbeAnswer, ...]

    @property
    def at_the_end(self) -> tuple[ProbeAnswer, ...]:
        """The askings at the end of the consultation, a wording each."""
        return self.asked[-len(self.probe.wordings) :]

    def places(self, language: Language) -> list[int | None]:
        """For each wording, return the rank of the first item that says something true of the thing.

        None if no item does, or if the memory does not rank them. Nothing for what is not known.
        """
        if self.probe.gold.status is None:
            return []
        return [
            next((n for n, fact in enumerate(one.ranked, 1) if holds_some(self.probe, fact, language)), None)
            for one in self.at_the_end
        ]

    def agreements(self) -> list[tuple[int, bool]]:
        """Whether two answers say the same, for each pair of askings, with the turn of the later one.

        An answer of not known agrees with none. No pairs for what was never told, or where the model failed.
        """
        if self.probe.gold.status is None:
            return []
        scored = [(one.turn, one.score.content) for one in self.asked if one.score is not None]
        pairs = combinations(scored, 2)
        return [(turn, said is not None and said == before) for (_, before), (turn, said) in pairs]

    @property
    def consistency(self) -> float | None:
        """Share of the pairs that agree; None if there is no pair."""
        pairs = self.agreements()
        return sum(agree for _, agree in pairs) / len(pairs) if pairs else None


class LeftOut(NamedTuple):
    """Consultations of a run that were not probed."""

    unanswered: int
    """Without an answer of the doctor: the memory stopped half-way."""
    not_rebuilt: int
    """Whose memory asks its model what it did not ask then, as with other prompts."""


@dataclass(frozen=True)
class Examined:
    """One consultation's memory, probed."""

    transcript: Transcript
    probes: tuple[Probed, ...]
    unheard: int
    """Requests of the memory to its model when it was asked at the end: they have no answer in the transcript."""
    key_facts: tuple[KeyAnswer, ...] = ()
    """What the memory has of the record's key facts; none without visits."""


@dataclass(frozen=True)
class ProbeFigures:
    """One column."""

    column: Column
    consultations: int
    patients: int
    probes: int
    """Each asked in all its wordings at the end; what was told also at some turns before."""
    answers: int
    unanswered: int
    """The model that answers failed: not scored."""
    unheard: int
    """Requests of the memory to its model when it was asked at the end. They have no recorded answer, so it recalls as
    it does when the model fails."""
    retrieval: Figure
    correctness: Figure
    coherence: Figure
    consistency: Figure
    """Of what was told: share of pairs of answers to one probe, asked at several turns and in several wordings, that
    say the same, right or wrong. An answer of not known agrees with none."""
    consistency_by_turn: dict[int, float]
    """By the turn of the later answer of a pair."""
    by_kind: dict[str, dict[str, Figure]]
    """The three scores by kind of probe; only the kinds there were."""
    top_k: dict[int, Figure]
    """Whether one of the first k items says something true of the thing; empty if the memory ranks nothing."""
    key_facts: KeyFactFigures

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        told = asdict(self)
        del told["column"]
        return {**self.column.as_json(), **told}


_SHOWN = ("retrieval", "correctness")
_SCORES = (*_SHOWN, "coherence")
_TOLD, _NOT_KNOWN = "told", "not known"
KINDS = (_TOLD, "present", "absent", "normal", "not done", "when", _NOT_KNOWN)
"""Kinds of probes, in the order of tables; `told` is everything but `not known`."""


def probe_figures(examined: Sequence[Examined], ks: Sequence[int]) -> list[ProbeFigures]:
    """One entry for each column, in the order they come."""
    groups: dict[Column, list[Examined]] = defaultdict(list)
    for one in examined:
        groups[one.transcript.header.column].append(one)
    return [_figures(column, some, ks) for column, some in groups.items()]


def _figures(column: Column, some: list[Examined], ks: Sequence[int]) -> ProbeFigures:
    rows = [(one.transcript.header.patient, probed) for one in some for probed in one.probes]
    answers = [asked.score for _, probed in rows for asked in probed.asked]
    kinds = {kind: [row for row in rows if kind in _kinds(row[1].probe)] for kind in KINDS}
    return ProbeFigures(
        column=column,
        consultations=len(some),
        patients=len({patient for patient, _ in rows}),
        probes=len(rows),
        answers=len(answers) - answers.count(None),
        unanswered=answers.count(None),
        unheard=sum(one.unheard for one in some),
        **_scores(rows),
        consistency=_figure(((patient, probed.consistency) for patient, probed in rows)),
        consistency_by_turn=_by_turn([probed for _, probed in rows]),
        by_kind={kind: _scores(found) for kind, found in kinds.items() if found},
        top_k=_top_k(some, ks),
        key_facts=key_fact_figures((one.transcript.header.patient, fact) for one in some for fact in one.key_facts),
    )


def _kinds(probe: MemoryProbe) -> tuple[str, ...]:
    return (probe.kind,) if probe.kind == _NOT_KNOWN else (_TOLD, probe.kind)


def _scores(rows: list[tuple[str, Probed]]) -> dict[str, Figure]:
    """The three scores over every wording at the end; earlier answers count for consistency alone."""
    scored = [
        (patient, asked.score) for patient, probed in rows for asked in probed.at_the_end if asked.score is not None
    ]
    return {name: _figure(((patient, getattr(one, name)) for patient, one in scored)) for name in _SCORES}


def _by_turn(probes: list[Probed]) -> dict[int, float]:
    turns: dict[int, list[bool]] = defaultdict(list)
    for probed in probes:
        for turn, agree in probed.agreements():
            turns[turn].append(agree)
    return {turn: sum(agreed) / len(agreed) for turn, agreed in sorted(turns.items())}


def _top_k(some: list[Examined], ks: Sequence[int]) -> dict[int, Figure]:
    if not any(asked.ranked for one in some for probed in one.probes for asked in probed.asked):
        return {}
    places = [
        (one.transcript.header.patient, place)
        for one in some
        for probed in one.probes
        for place in probed.places(one.transcript.header.language)
    ]
    return {k: _figure(((patient, place is not None and place <= k) for patient, place in places)) for k in ks}


def _figure(values: Iterable[tuple[str, float | None]]) -> Figure:
    """The mean of the values of patients, those that are known."""
    found: dict[str, list[float]] = defaultdict(list)
    for patient, value in values:
        if value is not None:
            found[patient].append(float(value))
    return Figure.of(found)


_CONSISTENCY = (
    "Consistency: what was told is asked for after several turns and in several wordings; share of pairs of answers"
    " that say the same, right or wrong, by the turn of the later one. An answer of not known counts as disagreement."
)

_KEY_FACTS = (
    "Key facts of earlier visits: right has what is so now, outdated only what was corrected since; without a model the"
    " recall itself is looked at, by visit at which the fact was said last."
)


_NOT_REBUILT = (
    "{count} consultation(s) were left out: the memory now asks its model what it did not ask then, so it cannot be"
    " rebuilt. Use the version of Osler that made the run, or run it again."
)

_UNHEARD = (
    "Asks its model at each recall. A probe has no recorded answer, so that it recalls as it does when the model fails:"
    " {memories}."
)


def page(found: list[ProbeFigures], answered_by: str, left_out: LeftOut) -> Group:
    """Column by column; means with their 95 % intervals over patients."""
    names = ShortNames.of(one.column for one in found)
    headers = [names.header(one.column) for one in found]
    table = WideTable(f"answers by: {backbone_name(answered_by)}", headers, list(_rows(found)))
    notes = [Text("Means over all wordings, 95 % intervals over patients."), Text(_CONSISTENCY)]
    if any(one.retrieval.lacks_interval for one in found):
        notes.append(Text(f"{NO_INTERVAL}."))
    if left_out.unanswered:
        notes.append(Text(f"{left_out.unanswered} consultation(s) without an answer of the doctor were left out."))
    if left_out.not_rebuilt:
        notes.append(Text(_NOT_REBUILT.format(count=left_out.not_rebuilt)))
    if any(one.key_facts.shares for one in found):
        notes.append(Text(_KEY_FACTS))
    if asking := sorted({one.column.memory for one in found if one.unheard}):
        notes.append(Text(_UNHEARD.format(memories="; ".join(asking))))
    return Group(table, *notes)


def _rows(found: list[ProbeFigures]) -> Iterator[list[str]]:
    """Every row: its name, and a cell for each column; a dash if one has no such figure."""
    for name in ("consultations", "probes", "answers", "unanswered"):
        yield [name, *(str(getattr(one, name)) for one in found)]
    yield ["retrieval accuracy", *(_mean(one.retrieval) for one in found)]
    yield ["response correctness", *(_mean(one.correctness) for one in found)]
    yield ["contextual coherence", *(_mean(one.coherence) for one in found)]
    for kind in KINDS:
        if any(kind in one.by_kind for one in found):
            for name in _SHOWN:
                yield [f"  {kind}: {name}", *(_mean(one.by_kind.get(kind, {}).get(name)) for one in found)]
    yield ["consistency", *(_mean(one.consistency) for one in found)]
    for turn in sorted({turn for one in found for turn in one.consistency_by_turn}):
        values = [one.consistency_by_turn.get(turn) for one in found]
        yield [f"  turn {turn}", *("–" if value is None else f"{value:.3f}" for value in values)]
    for k in sorted({k for one in found for k in one.top_k}):
        yield [f"top {k} retrieval", *(_mean(one.top_k.get(k)) for one in found)]
    for name, figures in key_fact_rows([one.key_facts for one in found]):
        yield [name, *map(_mean, figures)]


def _mean(figure: Figure | None) -> str:
    if figure is None or figure.value is None:
        return "–"
    around = f" [{figure.interval.low:.2f}, {figure.interval.high:.2f}]" if figure.interval else ""
    return f"{figure.value:.3f}{around}"
