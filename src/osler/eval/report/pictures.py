"""The figures of a report: what each shows, or why it is missing."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from osler.errors import UserError
from osler.eval.compare import ColumnFigures
from osler.eval.experience import experience_figures
from osler.eval.probes.figures import Examined, ProbeFigures, probe_figures
from osler.eval.probes.run import NotRebuiltError, examine
from osler.eval.report import drawing
from osler.eval.report.drawing import LONGEST_LABEL, Point, Series
from osler.eval.report.snapshot import Row, Snapshot, sampled
from osler.eval.statistics import Figure
from osler.language import Language
from osler.memory.embedders import open_embedder
from osler.memory.registry import BUILT_IN
from osler.runs.events import Remembered
from osler.runs.plan import Column, told_variants
from osler.runs.short_names import cut_names, numbered
from osler.seeds import derive

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MOST_COLUMNS = 16
"""Maximum columns in one figure; more cannot be told apart, and the table has all."""
_KS = (1, 2, 3, 5, 10)
_PROBED, _FEWEST_PROBED = 90, 5
"""Consultations that are probed, over all columns and of each: some ten seconds."""

_MOST_THOUGHTS, _FEWEST_THOUGHTS = 1_500, 30
_MOST_MAPS = 4
_READ = 150
"""Consultations that are read for thoughts, over all columns; they have more than are shown."""
_LONGEST = 500
_NUMBER = re.compile(r"^#\d+\s+")
_PERPLEXITY, _DIMENSIONS = 30, 50
"""For the map, vectors are first reduced to this many dimensions: distances stay, and it takes seconds."""


@dataclass(frozen=True)
class Picture:
    """A figure with its words; without a drawing, the words say why."""

    name: str
    title: str
    caption: str
    drawing: Drawing | None = None


class Pictures:
    """Draws the figures of one run; every column looks the same in all of them."""

    def __init__(self, run: Snapshot, rows: list[Row], columns: list[ColumnFigures]) -> None:
        """Take what is to be drawn."""
        self._run, self._rows, self._columns = run, rows, columns[:MOST_COLUMNS]
        self._seed = run.file.settings.seed
        self._labels = labels_of(self._columns)
        left = len(columns) - len(self._columns)
        self._left_out = f" {left} further column(s) are in the table alone." if left else ""

    def draw(self) -> list[Picture]:
        """All of them."""
        with drawing.style():
            accuracy = [self._accuracy(kind) for kind in ("diagnosis", "treatment")]
            return [*accuracy, *self._experience(), *self._memory(), self._tokens(), *self._thoughts()]

    def _accuracy(self, kind: str) -> Picture:
        series = self._series(lambda column: [(column.figures[kind].n, column.figures[kind])])
        name, title = f"accuracy-{kind}", f"{kind.capitalize()} right"
        if not series:
            return Picture(name, title, f"No {kind} has been judged, so there is nothing to draw.")
        caption = (
            f"Share of consultations whose {kind} was judged correct. Lines are 95 % intervals with patients as units;"
            f" n is the number of consultations that were judged. What failed is left out.{self._left_out}"
        )
        if any(column.undecided[kind] for column in self._columns):
            caption += " Undecided verdicts are not counted as correct; the table has the upper bound."
        return Picture(name, title, caption, drawing.bars(series))

    def _experience(self) -> list[Picture]:
        """Accuracy by number of earlier cases, if the run has streams."""
        named = {one.name: (one.run, one.column, self._of(one)) for one in self._columns}
        found = experience_figures(named)
        if found is None:
            return []
        parts = {one.column: one.parts["diagnosis"] for one in found.columns}

        def by_block(column: ColumnFigures) -> Iterable[tuple[float, Figure]]:
            own = parts.get(column.column, {})
            return [((block.first + block.last) / 2, own[str(block)].right) for block in found.blocks if own]

        caption = (
            "Share of right diagnoses by how many cases of its stream the doctor had seen before, in blocks of equal"
            " length, with 95 % intervals. All columns see the same cases in the same order."
        )
        series = self._series(by_block)
        return [Picture("maturation", "Experience", caption + self._left_out, drawing.lines(series, "earlier cases"))]

    def _of(self, column: ColumnFigures) -> list[Row]:
        return [row for row in self._rows if row["column"] == column.column]

    def _memory(self) -> list[Picture]:
        try:
            found, not_rebuilt = asyncio.run(_probed(self._run, self._rows, self._seed))
        except UserError as error:  # a memory with options that this version has not
            return [Picture("memory", "Memories", f"They could not be rebuilt: {error}.")]
        known = {one.column: one for one in found}
        sample = max((one.consultations for one in found), default=0)
        about = (
            f" A sample of at most {sample} consultation(s) per column, their memories rebuilt from the transcripts,"
            " asked about what the patients told; answered without a model, by rules that read what was recalled and do"
            " not mind the wording: answers differ only where recalls do."
        )
        missing = [self._labels[column.column] for column in self._columns if column.column not in known]
        if missing:
            about += f" Not probed: {', '.join(missing)}."
        if not_rebuilt:
            about += f" {not_rebuilt} consultation(s) left out, whose memory was made with other prompts."
        return [self._consistency(known, about), self._retrieval(known), *self._key_facts(known)]

    def _key_facts(self, known: dict[Column, ProbeFigures]) -> list[Picture]:
        """What the memories still had of earlier visits, if the run has visits."""
        series = self._series(lambda one: known[one.column].key_facts.by_visit.items() if one.column in known else ())
        if not series:
            return []
        caption = (
            "Share of the facts of earlier visits, which the last one hangs on, that the memory had right at the end,"
            " by the visit at which they were said last, with 95 % intervals, in the same sample."
        )
        return [Picture("visits", "Facts of earlier visits", caption, drawing.lines(series, "visit", every=True))]

    def _consistency(self, known: dict[Column, ProbeFigures], about: str) -> Picture:
        def by_turn(column: ColumnFigures) -> Iterable[tuple[float, Figure]]:
            found = known[column.column].consistency_by_turn if column.column in known else {}
            return [(turn, Figure(value, 1)) for turn, value in found.items()]

        series, title = self._series(by_turn), "Consistency by turn"
        if not series:
            return Picture("consistency", title, "No memory could be asked about anything a patient told." + about)
        caption = (
            "Share of pairs of answers to the same question, asked after several turns and in several wordings, that"
            " say the same, right or wrong, by the turn of the later answer; an answer of not known counts as"
            " disagreement." + about
        )
        return Picture("consistency", title, caption, drawing.lines(series, "turn"))

    def _retrieval(self, known: dict[Column, ProbeFigures]) -> Picture:
        series = self._series(lambda one: known[one.column].top_k.items() if one.column in known else ())
        title = "Retrieval accuracy over k"
        if not series:
            return Picture("retrieval", title, "No memory that was asked ranks what it recalls.")
        caption = (
            "Share of questions where one of the first k recalled items tells something of the truth, with 95 %"
            " intervals, in the same sample; memories that do not rank what they recall have no line."
        )
        return Picture("retrieval", title, caption, drawing.lines(series, "k", every=True))

    def _tokens(self) -> Picture:
        def cost(column: ColumnFigures) -> Iterable[tuple[float, Figure]]:
            read, written = column.figures["tokens_in"].value, column.figures["tokens_out"].value
            return [] if read is None or written is None else [(read + written, column.figures["diagnosis"])]

        series, title = self._series(cost), "Tokens against accuracy"
        if not any(one.points[0].x for one in series):
            return Picture("tokens", title, "No tokens were counted in this run: no model was asked, or none told.")
        caption = (
            "Mean tokens of a consultation, read and written, against the share of right diagnoses (95 %). An answer"
            " that was shared counts in every consultation that used it."
        )
        return Picture("tokens", title, caption + self._left_out, drawing.scatter(series, "tokens per consultation"))

    def _thoughts(self) -> list[Picture]:
        columns = _thoughts_of(self._run, self._rows, self._seed)
        if not columns:
            return [Picture("thoughts", "Thoughts", "No column of this run keeps thoughts (the memory tim does).")]
        return [self._map(place, key, some) for place, (key, some) in enumerate(columns.items(), start=1)]

    def _map(self, place: int, key: Column, some: list[MappedThought]) -> Picture:
        name, title = f"thoughts-{place}", f"Thoughts of {self._labels.get(key, key.memory)}"
        spots = asyncio.run(_placed(some, self._seed)) if len(some) >= _FEWEST_THOUGHTS else {}
        if not spots:
            return Picture(name, title, f"{len(some)} thought(s) were kept: too few, or too much alike, for a map.")
        caption = (
            f"t-SNE of {len(some)} thoughts (a sample under the run's seed) by their hashed words: what is worded alike"
            " lies together; distances between clusters mean nothing. Colour: the turn. Discs are English, triangles"
            " Chinese."
        )
        return Picture(name, title, caption, drawing.cloud(spots))

    def _series(self, points_of: Callable[[ColumnFigures], Iterable[tuple[float, Figure]]]) -> list[Series]:
        """Make a series for each column that has a point: its position, and the figure with its interval."""
        found = []
        for place, column in enumerate(self._columns):
            points = [Point(x, one.value, one.interval) for x, one in points_of(column) if one.value is not None]
            if points:
                found.append(Series.of(self._labels[column.column], place, points))
        return found


async def _probed(run: Snapshot, rows: list[Row], seed: int) -> tuple[list[ProbeFigures], int]:
    """Score how well the memories of each column remember, without a model; count what cannot be rebuilt."""
    fitting = [row for row in rows if _can_be_rebuilt(row["memory"])]
    columns = len({row["column"] for row in fitting})
    settings, done, not_rebuilt = run.file.settings, list[Examined](), 0
    for row in sampled(fitting, max(_FEWEST_PROBED, _PROBED // (columns or 1)), seed, "probes"):
        transcript = run.file.transcript(row["number"])
        if transcript is None:
            continue
        try:
            done.append(await examine(transcript, run.file.record(row["record"]), settings))
        except NotRebuiltError:
            not_rebuilt += 1
    return probe_figures(done, _KS), not_rebuilt


def _can_be_rebuilt(memory: str) -> bool:
    """Check whether reading a run may build this memory: a report runs no code that a run names, and asks no server."""
    name, *options = (part.strip() for part in memory.split(","))
    embedders = [option.partition("=")[2].strip() for option in options if option.startswith("embedder")]
    return name in BUILT_IN and all(embedder == "hash" for embedder in embedders)


class MappedThought(NamedTuple):
    """A thought that was inserted after a turn."""

    text: str
    turn: int
    language: Language


def _thoughts_of(run: Snapshot, rows: list[Row], seed: int) -> dict[Column, list[MappedThought]]:
    """Thoughts of each column that keeps any, sampled under the seed."""
    keeping = [row for row in rows if row["memory"].split(",")[0] == "tim"]
    found: dict[Column, list[MappedThought]] = {row["column"]: [] for row in keeping}
    found = dict(list(found.items())[:_MOST_MAPS])
    for row in sampled(keeping, _READ // (len(found) or 1), seed, "thoughts"):
        if row["column"] in found and (transcript := run.file.transcript(row["number"])) is not None:
            found[row["column"]] += [
                MappedThought(_NUMBER.sub("", line[:_LONGEST]), event.of, transcript.header.language)
                for event in transcript.of(Remembered)
                for line in event.change.inserted
            ]
    return {column: _drawn(thoughts, _MOST_THOUGHTS // len(found), seed) for column, thoughts in found.items()}


def _drawn(thoughts: list[MappedThought], most: int, seed: int) -> list[MappedThought]:
    order = sorted(range(len(thoughts)), key=lambda place: derive(seed, str(place), 1, "thoughts"))
    return [thoughts[place] for place in sorted(order[:most])]


async def _placed(thoughts: list[MappedThought], seed: int) -> dict[str, list[tuple[float, float, int]]]:
    """The map, by t-SNE of the thoughts' vectors: place and turn of each, English ones as discs, Chinese as triangles.

    Nothing where too few of them differ.
    """
    import numpy as np
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    rows = await open_embedder("hash").embed([thought.text for thought in thoughts])
    if len(np.unique(rows, axis=0)) < _FEWEST_THOUGHTS:
        return {}
    state = seed % 2**32
    size = min(_DIMENSIONS, len(thoughts))
    less = PCA(size, svd_solver="randomized", random_state=state).fit_transform(rows.astype(np.float64))
    perplexity = min(_PERPLEXITY, (len(thoughts) - 1) / 3)
    less += np.random.default_rng(state).normal(scale=1e-4, size=less.shape)  # so that equal ones can be told apart
    spots = TSNE(2, perplexity=perplexity, init="pca", random_state=state).fit_transform(less)
    found: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for thought, (x, y) in zip(thoughts, spots, strict=True):
        found["^" if thought.language is Language.ZH else "o"].append((float(x), float(y), thought.turn))
    return found


def labels_of(columns: list[ColumnFigures]) -> dict[Column, str]:
    """Return what figures call the columns: as short as tells them apart; a single backbone is not named."""
    alone = len({column.backbone for column in columns}) == 1
    strategies = cut_names((column.column.strategy for column in columns), LONGEST_LABEL // 3)
    room = LONGEST_LABEL - 1 - max(map(len, strategies.values()), default=0)
    longest = 0 if alone else 1 + max((len(column.backbone_name) for column in columns), default=0)
    memories = cut_names(map(_remembered, columns), max(room - longest, 2 * room // 5))
    room -= 1 + max(map(len, memories.values()), default=0)
    models = cut_names(("" if alone else column.backbone_name for column in columns), room)
    named = {}
    for column in columns:
        model = models["" if alone else column.backbone_name]
        parts = (model, strategies[column.column.strategy], memories[_remembered(column)])
        named[column.column] = drawing.drawable(" ".join(filter(None, parts)))
    return numbered(named)


def _remembered(column: ColumnFigures) -> str:
    return " ".join((column.memory_name, *told_variants(column.column.variants)))
