"""The results of a rating: means by column, agreement between raters, and all ratings as CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from rich.console import Group
from rich.text import Text

from osler.errors import printable
from osler.eval.intervals import Interval
from osler.eval.rating.export import Key, KeyItem
from osler.eval.rating.import_sheets import Rating
from osler.eval.rating.sheet import SCALES, RatingScale
from osler.eval.statistics import Figure, krippendorff_alpha
from osler.eval.text_tables import Grid, page
from osler.eval.write_files import check_folder, write_whole
from osler.runs.plan import COLUMN, Column, told_variants

ByItem = dict[KeyItem, list[float]]
_HEADER = (
    *("item", "rater", "case", "patient", *COLUMN, "trial", "turn", "concludes"),
    *(scale.name.replace(" ", "_") for scale in SCALES),
    "comment",
)


def ratings_page(ratings: Sequence[Rating], key: Key) -> Group:
    """Means with intervals, agreement, and how much each rater rated."""
    by_scale = [_by_item(ratings, place) for place in range(len(SCALES))]
    raters = sorted({rating.rater for rating in ratings})
    whole = Counter(rating.rater for rating in ratings if None not in rating.values)
    rated = [f"{printable(one)}: {whole[one]} of {len(key.items)} items rated on all three scales" for one in raters]
    return Group(page([_means(by_scale, key), _agreement(by_scale, len(raters))]), Text("\n" + "\n".join(rated)))


def _by_item(ratings: Sequence[Rating], place: int) -> ByItem:
    given: ByItem = defaultdict(list)
    for rating in ratings:
        if (value := rating.values[place]) is not None:
            given[rating.item].append(value)
    return given


def _means(by_scale: Sequence[ByItem], key: Key) -> Grid:
    """A row for each system and scale, so that no figure is cut on a narrow terminal."""
    rows = []
    for system in sorted({item.system for item in key.items}):
        told = (system.backbone, system.strategy, " ".join((system.memory, *told_variants(system.variants))))
        for scale, given in zip(SCALES, by_scale, strict=True):
            rows.append([*map(printable, told), scale.name, *_figures(given, system, scale)])
    return Grid("95 % intervals over patients; n items", [*COLUMN[:-1], "scale", "mean", "interval", "n"], rows)


def _figures(given: ByItem, system: Column, scale: RatingScale) -> tuple[str, str, str]:
    """Mean, interval and n. Each item counts once, by the mean of its raters, however many of them rated it."""
    patients: dict[str, list[float]] = defaultdict(list)
    for item, values in given.items():
        if item.system == system:
            patients[item.patient].append(sum(values) / len(values))
    found = Figure.of(patients, Interval(min(scale.values), max(scale.values)))
    if found.value is None:
        return "–", "–", "0"
    around = f"[{found.interval.low:.3f}, {found.interval.high:.3f}]" if found.interval else "– (too few patients)"
    return f"{found.value:.3f}", around, str(found.n)


def _agreement(by_scale: Sequence[ByItem], raters: int) -> Grid:
    rows = []
    for scale, given in zip(SCALES, by_scale, strict=True):
        alpha = krippendorff_alpha(list(given.values()))
        why = "all ratings are equal" if alpha.n else "no item was rated by two"
        nothing = f"– ({'one rater only' if raters < 2 else why})"
        rows.append([scale.name, nothing if alpha.value is None else f"{alpha.value:.3f}", str(alpha.n)])
    header = ["scale", "alpha", "items of two or more raters"]
    return Grid("agreement (Krippendorff's alpha, ordinal)", header, rows)


def write_table(ratings: Sequence[Rating], path: Path, *, force: bool) -> None:
    """Write the ratings as CSV, a row for each rater and item.

    Raises:
        UserError: The file is there already, or cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_HEADER)
    for rating in ratings:
        item = rating.item
        names = (item.id, rating.rater, item.case, item.patient, *item.system.as_row().values())
        values = ["" if value is None else f"{value:g}" for value in rating.values]
        row = (*map(_harmless, names), item.trial, item.turn, int(item.concludes), *values, _harmless(rating.comment))
        writer.writerow(row)
    check_folder(path.parent)
    write_whole({path: text.getvalue().encode("utf-8-sig", "replace")}, force=force)


def _harmless(text: str) -> str:
    """Mark a text that a spreadsheet would take for a formula, so that it is not one."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
