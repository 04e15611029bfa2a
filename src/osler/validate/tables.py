"""The tables of a validation, for one language each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from osler.eval.figure_text import share_text
from osler.eval.intervals import FEWEST
from osler.eval.statistics import Figure
from osler.language import Language
from osler.tables import DASH, Table
from osler.validate.disclosure import TURNS, DisclosureCurve
from osler.validate.doctors import DoctorFigures
from osler.validate.figures import LanguageFigures, PatientFigures
from osler.validate.listed_words import WordList
from osler.validate.read_all import Readings
from osler.validate.two_sample import FeatureSet, RepeatedResult

LANGUAGE_NAMES = {Language.EN: "English", Language.ZH: "Chinese"}
LENGTH_UNITS = {Language.EN: "words", Language.ZH: "characters"}
_LIST_LABELS = {
    WordList.HEDGES: "with a listed hedge %",
    WordList.FILLERS: "with a listed filler %",
    WordList.UNKNOWN: 'with a listed "don\'t know" %',
}
_FEATURE_LABELS = {
    FeatureSet.WORDS: "AUC",
    FeatureSet.WRITTEN: "AUC with case\nand punctuation",
    FeatureSet.LENGTH: "AUC by\nlength alone",
}
Row = list[str]
CellOf = Callable[[PatientFigures], str]


def tables_of(figures: LanguageFigures, readings: Readings | None) -> list[Table]:
    """All tables of a language."""
    tables = [replies_table(figures, readings), two_sample_table(figures)]
    if len(figures.doctors) > 0:
        tables.append(doctors_table(figures))
    tables.append(usage_table(figures, readings))
    return tables


def replies_table(figures: LanguageFigures, readings: Readings | None) -> Table:
    """The replies of people and of simulated patients side by side."""
    patients = figures.patients
    rows = [_row(label, cell, patients) for label, cell in _reply_rows(figures.language)]
    if readings is not None:
        rows += [_row(label, cell, patients) for label, cell in _read_rows()]
    rows += _curve_rows("told, as read,", patients, _read_curve)
    rows += _curve_rows("told, by events,", patients, lambda patient: patient.ledger)
    title = f"Replies, {LANGUAGE_NAMES[figures.language]}"
    header = ["", *(patient.name for patient in patients)]
    return Table.of(title, header, rows, _reply_notes(figures, readings))


def _row(label: str, cell: CellOf, patients: Sequence[PatientFigures]) -> Row:
    return [label, *map(cell, patients)]


def _reply_rows(language: Language) -> Iterator[tuple[str, CellOf]]:
    unit = LENGTH_UNITS[language]
    yield "interviews", lambda patient: str(patient.interviews)
    yield "failed, left out", lambda patient: str(patient.failed)
    yield "replies", lambda patient: str(patient.replies.n)
    yield f"{unit}, median", lambda patient: _plain(patient.replies.quantile(0.5))
    yield f"{unit}, p90", lambda patient: _plain(patient.replies.quantile(0.9))
    yield f"{unit}, mean", lambda patient: number_text(patient.replies.mean_length)
    for word_list, label in _LIST_LABELS.items():
        yield label, _listed_cell(word_list)


def _listed_cell(word_list: WordList) -> CellOf:
    return lambda patient: share_text(patient.replies.listed[word_list])


def _read_rows() -> Iterator[tuple[str, CellOf]]:
    yield (
        "facts per reply",
        lambda patient: number_text(patient.read.facts if patient.read else None, 2),
    )
    yield (
        "volunteered facts per reply",
        lambda patient: number_text(patient.read.volunteered if patient.read else None, 2),
    )
    yield (
        "that volunteer a fact %",
        lambda patient: share_text(patient.read.volunteering if patient.read else None),
    )
    for name in ("same", "missing", "extra", "contradicting"):
        yield f"facts: {name} %", _agreement_cell(name)


def _agreement_cell(name: str) -> CellOf:
    def cell(patient: PatientFigures) -> str:
        return share_text(getattr(patient.agreement, name)) if patient.agreement else DASH

    return cell


def _read_curve(patient: PatientFigures) -> DisclosureCurve | None:
    return patient.read.curve if patient.read else None


def _curve_rows(
    label: str,
    patients: Sequence[PatientFigures],
    curve_of: Callable[[PatientFigures], DisclosureCurve | None],
) -> Iterator[Row]:
    """The share of the case that is told by turn; no row without any curve."""
    curves = [curve_of(patient) for patient in patients]
    longest = max((curve.longest for curve in curves if curve), default=0)
    for turn in TURNS:
        if turn < longest:
            cells = [share_text(curve.at(turn)) if curve else DASH for curve in curves]
            yield [f"{label} by turn {turn} %", *cells]
    if longest:
        yield [
            f"{label} at the end %",
            *(share_text(curve.at_end) if curve else DASH for curve in curves),
        ]


def _reply_notes(figures: LanguageFigures, readings: Readings | None) -> Iterator[str]:
    yield (
        "Both reply to the same turns of human doctors. 95 % intervals over interviews; listed"
        " words are counted, not understood. Told: share of the record's entries; by events: as the"
        " consultation noted it."
    )
    if readings is None:
        yield (
            "Nobody read the replies, so what is volunteered, what people told of the case and how"
            " facts agree is not measured: give --judge SPEC."
        )
    else:
        yield (
            f"Read by {readings.judge}. Facts: shares of the facts of both replies together;"
            " missing: told by the human alone; extra: by the simulated patient alone."
        )
        if readings.unread:
            yield (
                f"{readings.unread} reading(s) failed and are left out; an interview with one is"
                " not in the curve."
            )
    if any(patient.interviews < FEWEST for patient in figures.patients):
        yield f"No interval: too few interviews for one (fewer than {FEWEST})."


def two_sample_table(figures: LanguageFigures) -> Table:
    """How well a classifier tells simulated from human replies."""
    rows = []
    for patient in figures.patients[1:]:
        tests = patient.tests
        if tests is None:
            rows.append([patient.name, *[DASH] * (len(_FEATURE_LABELS) + 1)])
            continue
        rows.append(
            [
                patient.name,
                probability_text(tests[FeatureSet.WORDS].area),
                share_text(tests[FeatureSet.WORDS].accuracy),
                probability_text(tests[FeatureSet.WRITTEN].area),
                probability_text(tests[FeatureSet.LENGTH].area),
            ]
        )
    rows.append(_control_row("human, half against half", figures.ceiling))
    rows.append(_control_row("labels shuffled", figures.control))
    header = [
        "",
        _FEATURE_LABELS[FeatureSet.WORDS],
        "accuracy %",
        _FEATURE_LABELS[FeatureSet.WRITTEN],
        _FEATURE_LABELS[FeatureSet.LENGTH],
    ]
    title = f"Simulated or human? A classifier's guess, {LANGUAGE_NAMES[figures.language]}"
    return Table.of(title, header, rows, _two_sample_notes(figures))


def _control_row(name: str, result: RepeatedResult | None) -> Row:
    if result is None:
        return [name, DASH, DASH, DASH, DASH]
    text = f"{result.mean:.3f} ({result.lowest:.3f} to {result.highest:.3f})"
    return [name, text, DASH, DASH, DASH]


def _two_sample_notes(figures: LanguageFigures) -> Iterator[str]:
    yield (
        "AUC: chance that a simulated reply looks more simulated than a human reply of the same"
        " interview; .500: not to be told apart. Logistic regression on words and short runs of"
        " characters, tried on interviews it has not seen; 95 % intervals over interviews."
    )
    yield (
        "Half against half: the best a simulated patient can reach; shuffled: what the test shows"
        " where nothing is. Both: mean, lowest and highest of several draws."
    )
    if any(patient.tests is None for patient in figures.patients[1:]):
        yield "The test takes at least two interviews, the halves four."


def doctors_table(figures: LanguageFigures) -> Table:
    """The turns of human doctors and of others."""
    doctors = figures.doctors
    unit = LENGTH_UNITS[figures.language]
    rows = [
        ["consultations", *(str(doctor.consultations) for doctor in doctors)],
        ["turns per consultation", *(number_text(doctor.turns) for doctor in doctors)],
        [f"{unit} per turn, median", *(_plain(doctor.quantile(0.5)) for doctor in doctors)],
        [f"{unit} per turn, p90", *(_plain(doctor.quantile(0.9)) for doctor in doctors)],
        [f"{unit} per turn, mean", *(number_text(doctor.mean_length) for doctor in doctors)],
        [
            "question marks per turn",
            *(number_text(doctor.question_marks, 2) for doctor in doctors),
        ],
        ["things asked per turn", *(number_text(doctor.things, 2) for doctor in doctors)],
        ["order of topics, tau", *(number_text(doctor.order, 2) for doctor in doctors)],
        *_topic_rows(doctors),
    ]
    header = ["", *(doctor.name for doctor in doctors)]
    title = f"Doctors, {LANGUAGE_NAMES[figures.language]}"
    return Table.of(title, header, rows, _doctor_notes(doctors))


def _topic_rows(doctors: Sequence[DoctorFigures]) -> Iterator[Row]:
    """The topics in the order of the human doctors, the first of the columns."""
    human = doctors[0].places
    for topic in sorted(human, key=lambda category: (human[category], category)):
        cells = []
        for doctor in doctors:
            place = doctor.places.get(topic)
            cells.append(DASH if place is None else f"{100 * place:.0f}")
        yield [f"first {topic.replace('_', ' ')}, at %", *cells]


def _doctor_notes(doctors: Sequence[DoctorFigures]) -> Iterator[str]:
    yield (
        "Topics are the categories of the record's entries that RAM found for a turn. Order: how"
        " far topics first come up in the human doctors' mean order (of the others, for a human"
        " doctor): 1 the same, 0 unrelated, -1 reversed. First, at: share of the consultation"
        " that is over by then."
    )
    if any(doctor.things.value is None for doctor in doctors):
        yield "Things asked are counted only where RAM is a model: rules do not read them."


def usage_table(figures: LanguageFigures, readings: Readings | None) -> Table:
    """What the seats used, also in interviews that failed."""
    simulated = figures.patients[1:]
    rows = []
    for seat in ("patient", "ram"):
        for what in ("calls", "tokens_in", "tokens_out", "cost"):
            label = f"{seat}: {what.replace('_', ' ')}"
            if what == "cost":
                label += " in USD"
            rows.append([label, *(_usage_cell(patient, seat, what) for patient in simulated)])
    rows.append(
        [
            "replies cut, or by rules in place of the model",
            *(str(patient.replaced_replies) for patient in simulated),
        ]
    )
    rows.append(
        [
            "retrievals by rules in place of the model",
            *(str(patient.replaced_retrievals) for patient in simulated),
        ]
    )
    notes = []
    if readings is not None:
        usage = readings.usage
        cost = "unknown" if usage.cost is None else f"{usage.cost:.4f} USD"
        tokens = "unknown" if usage.tokens is None else f"{usage.tokens:,}"
        notes.append(
            f"The judge, in all languages: {usage.forms} forms, tokens {tokens}, cost {cost}."
        )
    title = f"Use of models, {LANGUAGE_NAMES[figures.language]}"
    return Table.of(title, ["", *(patient.name for patient in simulated)], rows, notes)


def _usage_cell(patient: PatientFigures, seat: str, what: str) -> str:
    seats = patient.seats or {}
    value = getattr(seats.get(seat), what, None)
    if value is None:
        return DASH
    return f"{value:.4f}" if what == "cost" else f"{value:,}"


def number_text(figure: Figure | None, digits: int = 1) -> str:
    """A mean with its interval; a dash if nothing was measured."""
    if figure is None or figure.value is None:
        return DASH
    text = f"{figure.value:.{digits}f}"
    if figure.interval is not None:
        text += f" [{figure.interval.low:.{digits}f}, {figure.interval.high:.{digits}f}]"
    return text


def probability_text(figure: Figure) -> str:
    """An area under a curve with its interval."""
    if figure.value is None:
        return DASH
    text = f"{figure.value:.3f}"
    if figure.interval is not None:
        text += f" [{figure.interval.low:.3f}, {figure.interval.high:.3f}]"
    return text


def _plain(value: float | None) -> str:
    return DASH if value is None else f"{value:.0f}"
