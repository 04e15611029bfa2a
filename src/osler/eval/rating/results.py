"""The results of a rating: means by column, agreement between raters, and all ratings as CSV."""

from __future__ import annotations

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
from osler.eval.write_files import check_folder, write_whole
from osler.runs.plan import COLUMN, Column, told_variants
from osler.tables import DASH, Table, csv_text, on_terminal

RatingsByItem = dict[KeyItem, list[float]]
"""The ratings of each item on one scale, one by each rater who gave any."""
_HEADER = (
    "item",
    "rater",
    "case",
    "patient",
    *COLUMN,
    "trial",
    "turn",
    "concludes",
    *(scale.name.replace(" ", "_") for scale in SCALES),
    "comment",
)


def ratings_page(ratings: Sequence[Rating], key: Key) -> Group:
    """Means with intervals, agreement, and how much each rater rated."""
    by_scale = [_by_item(ratings, place) for place in range(len(SCALES))]
    raters = sorted({rating.rater for rating in ratings})
    complete = Counter(rating.rater for rating in ratings if None not in rating.values)
    lines = [
        f"{printable(rater)}: {complete[rater]} of {len(key.items)} items rated on all three scales"
        for rater in raters
    ]
    tables = [_means(by_scale, key), _agreement(by_scale, len(raters))]
    return Group(on_terminal(tables), Text("\n" + "\n".join(lines)))


def _by_item(ratings: Sequence[Rating], place: int) -> RatingsByItem:
    """The ratings on the scale at this place."""
    by_item: RatingsByItem = defaultdict(list)
    for rating in ratings:
        value = rating.values[place]
        if value is not None:
            by_item[rating.item].append(value)
    return by_item


def _means(by_scale: Sequence[RatingsByItem], key: Key) -> Table:
    """A row for each column and scale, so that no figure is cut on a narrow terminal."""
    rows = []
    for column in sorted({item.column for item in key.items}):
        memory = " ".join((column.memory, *told_variants(column.variants)))
        names = [printable(name) for name in (column.backbone, column.strategy, memory)]
        for scale, by_item in zip(SCALES, by_scale, strict=True):
            rows.append([*names, scale.name, *_mean_cells(by_item, column, scale)])
    header = [*COLUMN[:-1], "scale", "mean", "interval", "n"]
    return Table.of("95 % intervals over patients; n items", header, rows)


def _mean_cells(by_item: RatingsByItem, column: Column, scale: RatingScale) -> list[str]:
    """Mean, interval and n.

    Each item counts once, by the mean of its raters, however many of them rated it.
    """
    by_patient: dict[str, list[float]] = defaultdict(list)
    for item, values in by_item.items():
        if item.column == column:
            by_patient[item.patient].append(sum(values) / len(values))
    figure = Figure.of(by_patient, Interval(min(scale.values), max(scale.values)))
    if figure.value is None:
        return [DASH, DASH, "0"]
    if figure.interval is None:
        interval = f"{DASH} (too few patients)"
    else:
        interval = f"[{figure.interval.low:.3f}, {figure.interval.high:.3f}]"
    return [f"{figure.value:.3f}", interval, str(figure.n)]


def _agreement(by_scale: Sequence[RatingsByItem], raters: int) -> Table:
    rows = []
    for scale, by_item in zip(SCALES, by_scale, strict=True):
        alpha = krippendorff_alpha(list(by_item.values()))
        if alpha.value is not None:
            cell = f"{alpha.value:.3f}"
        elif raters < 2:
            cell = f"{DASH} (one rater only)"
        elif alpha.n:
            cell = f"{DASH} (all ratings are equal)"
        else:
            cell = f"{DASH} (no item was rated by two)"
        rows.append([scale.name, cell, str(alpha.n)])
    header = ["scale", "alpha", "items of two or more raters"]
    return Table.of("agreement (Krippendorff's alpha, ordinal)", header, rows)


def write_table(ratings: Sequence[Rating], path: Path, *, force: bool) -> None:
    """Write the ratings as CSV, a row for each rater and item.

    Raises:
        UserError: The file is there already, or cannot be written.
    """
    table = Table.of("ratings", _HEADER, map(_rating_row, ratings))
    check_folder(path.parent)
    # With a byte order mark: spreadsheets read Chinese wrongly without one.
    write_whole({path: csv_text(table).encode("utf-8-sig", "replace")}, force=force)


def _rating_row(rating: Rating) -> list[str]:
    item = rating.item
    values = ["" if value is None else f"{value:g}" for value in rating.values]
    return [
        item.id,
        rating.rater,
        item.case,
        item.patient,
        *item.column.as_row().values(),
        str(item.trial),
        str(item.turn),
        str(int(item.concludes)),
        *values,
        rating.comment,
    ]
