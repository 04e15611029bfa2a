"""All figures of a validation, language by language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from osler.eval.statistics import Figure
from osler.language import Language
from osler.runs.events import Maker
from osler.runs.turns import total
from osler.settings.names import RULES
from osler.validate.cases import InterviewCase
from osler.validate.disclosure import DisclosureCurve, shares_told
from osler.validate.doctors import HUMAN, DoctorColumn, DoctorFigures, doctor_figures
from osler.validate.read_all import Readings
from osler.validate.reader import ReadPair
from osler.validate.replies import ReplyFigures, share_by_interview
from osler.validate.results import AskedInterview, PatientColumn, SimulatedReply
from osler.validate.two_sample import (
    FeatureSet,
    LabelledReply,
    RepeatedResult,
    TwoSampleResult,
    Unit,
    half_against_half,
    shuffled,
    two_sample_test,
)

Tell = Callable[[str], None]
"""Says what is being computed."""


@dataclass(frozen=True)
class ReadFigures:
    """What a model read in the replies of one patient."""

    facts: Figure
    """Per reply."""
    volunteered: Figure
    """Facts that were not asked for, per reply."""
    volunteering: Figure
    """The share of replies with such a fact."""
    curve: DisclosureCurve
    """Of the interviews whose replies were all read."""


@dataclass(frozen=True)
class AgreementFigures:
    """How simulated replies agree with the human ones: shares of the facts of both together."""

    facts: int
    same: Figure
    missing: Figure
    extra: Figure
    contradicting: Figure


@dataclass(frozen=True)
class SeatFigures:
    """What one seat used in all interviews that were asked."""

    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None


@dataclass(frozen=True)
class PatientFigures:
    """One patient, human or simulated, in one language."""

    name: str
    interviews: int
    failed: int
    """Interviews that a failure of a model left out."""
    replies: ReplyFigures
    ledger: DisclosureCurve | None = None
    """By the events of the consultations; only a simulated patient has them."""
    read: ReadFigures | None = None
    """None if nobody read the replies."""
    agreement: AgreementFigures | None = None
    tests: Mapping[FeatureSet, TwoSampleResult] | None = None
    """None with fewer than two interviews, and for the human."""
    replaced_replies: int = 0
    """Replies that the rules made in a model's place, or of which a part was cut out."""
    replaced_retrievals: int = 0
    """Questions for which rules retrieved in a model's place."""
    seats: Mapping[str, SeatFigures] | None = None


@dataclass(frozen=True)
class LanguageFigures:
    """Everything in one language."""

    language: Language
    patients: tuple[PatientFigures, ...]
    """The human first."""
    ceiling: RepeatedResult | None
    """How well human interviews are told from human interviews."""
    control: RepeatedResult | None
    """The test with shuffled labels, with the replies of the first simulated patient."""
    doctors: tuple[DoctorFigures, ...]


@dataclass(frozen=True)
class ValidationInput:
    """What figures are made of."""

    cases: Sequence[InterviewCase]
    columns: Sequence[PatientColumn]
    asked: Sequence[AskedInterview]
    doctors: Sequence[DoctorColumn]
    readings: Readings | None = None
    seed: int = 0


def language_figures(
    data: ValidationInput, language: Language, tell: Tell = lambda _: None
) -> LanguageFigures:
    """Compute all figures of one language."""
    cases = [case for case in data.cases if case.interview.language is language]
    whole_by_column: dict[PatientColumn, list[AskedInterview]] = {}
    for column in data.columns:
        whole_by_column[column] = [
            asked
            for asked in data.asked
            if asked.column == column and asked.language is language and asked.is_whole
        ]
    human = {case.interview.id: _human_replies(case) for case in cases}
    patients = [_human_figures(cases, human, data.readings, language)]
    for column, whole in whole_by_column.items():
        tell(f"{language}: {column.name}")
        patients.append(_simulated_figures(column, whole, cases, human, data, language))
    tell(f"{language}: controls")
    first_units = _units(next(iter(whole_by_column.values()), []), human)
    return LanguageFigures(
        language=language,
        patients=tuple(patients),
        ceiling=half_against_half(human, language, data.seed),
        control=shuffled(first_units, language, data.seed),
        doctors=tuple(doctor_figures(data.doctors, language)),
    )


def _human_replies(case: InterviewCase) -> list[str]:
    return [exchange.reply for exchange in case.interview.exchanges]


def _human_figures(
    cases: Sequence[InterviewCase],
    human: Mapping[str, Sequence[str]],
    readings: Readings | None,
    language: Language,
) -> PatientFigures:
    return PatientFigures(
        name=HUMAN,
        interviews=len(cases),
        failed=0,
        replies=ReplyFigures.of(human, language),
        read=_read_figures(None, cases, readings),
    )


def _simulated_figures(
    column: PatientColumn,
    whole: Sequence[AskedInterview],
    cases: Sequence[InterviewCase],
    human: Mapping[str, Sequence[str]],
    data: ValidationInput,
    language: Language,
) -> PatientFigures:
    """The figures of one column over the interviews in which every turn was answered."""
    ids = {asked.interview for asked in whole}
    own_cases = [case for case in cases if case.interview.id in ids]
    texts = {asked.interview: [reply.text for reply in asked.replies] for asked in whole}
    own = [asked for asked in data.asked if asked.column == column and asked.language is language]
    return PatientFigures(
        name=column.name,
        interviews=len(whole),
        failed=len(own) - len(whole),
        replies=ReplyFigures.of(texts, language),
        ledger=_ledger(whole, own_cases),
        read=_read_figures(column, own_cases, data.readings),
        agreement=_agreement(column, own_cases, data.readings),
        tests=_tests(_units(whole, human), language, data.seed),
        replaced_replies=_count_replaced(column.patient, whole, lambda reply: reply.maker),
        replaced_retrievals=_count_replaced(column.ram, whole, lambda reply: reply.retrieved_by),
        seats=_seats(own),
    )


def _units(whole: Sequence[AskedInterview], human: Mapping[str, Sequence[str]]) -> list[Unit]:
    """The simulated (1) and the human (0) replies of each interview."""
    units = []
    for asked in whole:
        labelled = [LabelledReply(reply.text, True) for reply in asked.replies]
        labelled += [LabelledReply(text, False) for text in human[asked.interview]]
        units.append(Unit(asked.interview, tuple(labelled)))
    return units


def _tests(
    units: Sequence[Unit], language: Language, seed: int
) -> dict[FeatureSet, TwoSampleResult] | None:
    results = {}
    for feature_set in FeatureSet:
        result = two_sample_test(units, language, feature_set, seed)
        if result is None:
            return None
        results[feature_set] = result
    return results


def _ledger(whole: Sequence[AskedInterview], cases: Sequence[InterviewCase]) -> DisclosureCurve:
    entries = {case.interview.id: len(case.record.entries) for case in cases}
    shares = {}
    for asked in whole:
        told = [reply.disclosed for reply in asked.replies]
        shares[asked.interview] = shares_told(told, entries[asked.interview])
    return DisclosureCurve(shares)


def _read_figures(
    column: PatientColumn | None, cases: Sequence[InterviewCase], readings: Readings | None
) -> ReadFigures | None:
    if readings is None:
        return None
    facts: dict[str, list[float]] = {}
    volunteered: dict[str, list[float]] = {}
    volunteering: dict[str, list[float]] = {}
    shares: dict[str, list[float]] = {}
    for case in cases:
        name = case.interview.id
        replies = readings.replies[column, name]
        read = [reply for reply in replies if reply is not None]
        facts[name] = [float(reply.facts) for reply in read]
        volunteered[name] = [float(reply.volunteered) for reply in read]
        volunteering[name] = [float(reply.volunteered > 0) for reply in read]
        if len(read) == len(replies):
            told = [reply.entries for reply in read]
            shares[name] = shares_told(told, len(case.record.entries))
    return ReadFigures(
        facts=Figure.of(facts, scale=None),
        volunteered=Figure.of(volunteered, scale=None),
        volunteering=share_by_interview(volunteering),
        curve=DisclosureCurve(shares),
    )


def _agreement(
    column: PatientColumn, cases: Sequence[InterviewCase], readings: Readings | None
) -> AgreementFigures | None:
    if readings is None:
        return None
    pairs: dict[str, list[ReadPair]] = {}
    for case in cases:
        read = readings.pairs[column, case.interview.id]
        pairs[case.interview.id] = [pair for pair in read if pair is not None]
    return AgreementFigures(
        facts=sum(sum(pair.facts for pair in own) for own in pairs.values()),
        same=_share_of_facts(pairs, lambda pair: pair.same),
        missing=_share_of_facts(pairs, lambda pair: pair.missing),
        extra=_share_of_facts(pairs, lambda pair: pair.extra),
        contradicting=_share_of_facts(pairs, lambda pair: pair.contradicting),
    )


def _share_of_facts(
    pairs: Mapping[str, Sequence[ReadPair]], count: Callable[[ReadPair], int]
) -> Figure:
    """The share of an interview's facts that are counted, on average over interviews."""
    shares: dict[str, list[float]] = {}
    for name, own in pairs.items():
        facts = sum(pair.facts for pair in own)
        if facts:
            shares[name] = [sum(map(count, own)) / facts]
    return Figure.of(shares)


def _count_replaced(
    spec: str, whole: Sequence[AskedInterview], maker_of: Callable[[SimulatedReply], Maker]
) -> int:
    """Count what is not the model's own, where there is a model."""
    if spec == RULES:
        return 0
    return sum(
        maker_of(reply) in {Maker.RULES, Maker.CUT} for asked in whole for reply in asked.replies
    )


def _seats(own: Sequence[AskedInterview]) -> dict[str, SeatFigures]:
    """What was used in all interviews, also in those that failed."""
    seats = {}
    for name in sorted({name for asked in own for name in asked.usage}):
        used = [asked.usage[name] for asked in own if name in asked.usage]
        seats[name] = SeatFigures(
            calls=sum(usage.calls for usage in used),
            tokens_in=total(usage.tokens_in for usage in used),
            tokens_out=total(usage.tokens_out for usage in used),
            cost=total(usage.cost for usage in used),
        )
    return seats
