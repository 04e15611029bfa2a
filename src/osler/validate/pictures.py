"""The figures of a validation: lengths, the disclosure curve, and the two-sample test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osler.eval.intervals import Interval
from osler.eval.report import drawing
from osler.eval.report.drawing import LONGEST_LABEL, Point, Series
from osler.runs.short_names import cut_names
from osler.validate.disclosure import DisclosureCurve
from osler.validate.figures import LanguageFigures, PatientFigures
from osler.validate.tables import LANGUAGE_NAMES, LENGTH_UNITS
from osler.validate.two_sample import FeatureSet, RepeatedResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_LENGTHS = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 100)
"""Where the curve of lengths has a point."""


@dataclass(frozen=True)
class ValidationPicture:
    """A figure with its name as a file, and its words."""

    name: str
    title: str
    caption: str
    drawing: Drawing


def draw(figures: LanguageFigures) -> list[ValidationPicture]:
    """All figures of a language that have something to show."""
    labels = _labels(figures.patients)
    with drawing.style():
        pictures = [
            _lengths(figures, labels),
            _disclosure(figures, labels),
            _areas(figures, labels),
        ]
    return [picture for picture in pictures if picture is not None]


def _labels(patients: Sequence[PatientFigures]) -> dict[str, str]:
    names = cut_names((patient.name for patient in patients), LONGEST_LABEL)
    return {name: drawing.drawable(label) for name, label in names.items()}


def _lengths(figures: LanguageFigures, labels: dict[str, str]) -> ValidationPicture:
    unit = LENGTH_UNITS[figures.language]
    series = []
    for place, patient in enumerate(figures.patients):
        points = [Point(size, patient.replies.share_up_to(size)) for size in _LENGTHS]
        if patient.replies.n:
            series.append(Series.of(labels[patient.name], place, points))
    return ValidationPicture(
        f"lengths-{figures.language}",
        f"Lengths of replies, {LANGUAGE_NAMES[figures.language]}",
        f"Share of replies that have at most so many {unit}.",
        drawing.lines(series, unit),
    )


def _disclosure(figures: LanguageFigures, labels: dict[str, str]) -> ValidationPicture | None:
    """As a model read the replies; without one, as the consultations noted it."""
    is_read = any(patient.read is not None for patient in figures.patients)
    series = []
    for place, patient in enumerate(figures.patients):
        curve = patient.ledger
        if is_read:
            curve = patient.read.curve if patient.read else None
        if curve is not None and curve.longest:
            series.append(Series.of(labels[patient.name], place, _curve_points(curve)))
    if not series:
        return None
    how = "as a model read the replies" if is_read else "by the events of the consultations"
    return ValidationPicture(
        f"disclosure-{figures.language}",
        f"Disclosure, {LANGUAGE_NAMES[figures.language]}",
        f"Share of the record's entries that are told by turn, {how}.",
        drawing.lines(series, "turn"),
    )


def _curve_points(curve: DisclosureCurve) -> Iterator[Point]:
    step = max(1, curve.longest // 12)
    for turn in sorted({1, *range(step, curve.longest + 1, step), curve.longest}):
        figure = curve.at(turn)
        if figure.value is not None:
            yield Point(turn, figure.value)


def _areas(figures: LanguageFigures, labels: dict[str, str]) -> ValidationPicture | None:
    series: list[Series] = []
    for place, patient in enumerate(figures.patients):
        area = patient.tests[FeatureSet.WORDS].area if patient.tests else None
        if area is not None and area.value is not None:
            point = Point(area.n, area.value, area.interval)
            series.append(Series.of(labels[patient.name], place, [point]))
    if not series:
        return None
    place = len(figures.patients)
    controls = [("human, half against half", figures.ceiling), ("shuffled", figures.control)]
    series += _control_series(controls, place)
    return ValidationPicture(
        f"two-sample-{figures.language}",
        f"Simulated or human? {LANGUAGE_NAMES[figures.language]}",
        "Area under the curve of a classifier, in per cent; 50 %: not to be told apart. Lines: 95 %"
        " intervals over interviews (n); of the controls, the lowest and highest of n draws.",
        drawing.bars(series),
    )


def _control_series(
    controls: Iterable[tuple[str, RepeatedResult | None]], place: int
) -> Iterator[Series]:
    for number, (name, result) in enumerate(controls):
        if result is not None:
            point = Point(result.draws, result.mean, Interval(result.lowest, result.highest))
            yield Series.of(name, place + number, [point])
