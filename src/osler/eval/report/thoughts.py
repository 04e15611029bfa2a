"""A map of what a memory noted, for a notebook or a paper.

Thoughts that are worded alike lie together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from osler.errors import UserError
from osler.eval.report import drawing
from osler.eval.runs import Run
from osler.language import Language

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FEWEST, _MOST = 30, 1_500
"""Thoughts on a map: fewer show nothing, more take minutes and cover each other."""
_LONGEST = 500
"""Characters of a thought that are compared."""
_NUMBER = re.compile(r"^#\d+\s+")
_DIMENSIONS = 50
"""Dimensions to which vectors are reduced before they are drawn."""
_PERPLEXITY = 30
"""About how many neighbours t-SNE gives each thought."""
_COLOURS = ("#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#0c2c84")
"""From the first turn to the last, told apart by lightness alone if need be."""
_MARKERS = {Language.EN: "o", Language.ZH: "^"}


class PlottedThought(NamedTuple):
    """A thought that was inserted after a turn."""

    text: str
    turn: int
    language: Language


def plot_thoughts(run: Run, memory: str = "tim") -> Figure:
    """Draw the thoughts of a run's memory as a map by t-SNE.

    Thoughts are compared by their words and characters. What is worded alike lies together;
    distances between clusters mean nothing. The colour is the turn; English thoughts are discs,
    Chinese ones triangles. Where there are more than 1,500 thoughts, every n-th is drawn.

    Args:
        run: The run, from `osler.load_run`.
        memory: The memory as the run was given it, with its options.

    Raises:
        UserError: matplotlib or scikit-learn is missing, or the memory has noted too little.
    """
    try:
        import matplotlib  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError:
        remedy = "pip install matplotlib scikit-learn"
        raise UserError("a plot of thoughts needs matplotlib and scikit-learn", remedy) from None
    thoughts = _thoughts_of(run, memory)
    different = len({thought.text for thought in thoughts})
    if different < _FEWEST:
        memories = ", ".join(sorted({column.memory for column in run.file.columns()}))
        raise UserError(
            f"the memory {memory!r} noted {different} different thought(s), and a plot needs"
            f" {_FEWEST}",
            f"choose another memory of the run ({memories}), or hold more consultations",
        )
    thoughts = thoughts[:: 1 + (len(thoughts) - 1) // _MOST]
    with drawing.style():
        return _draw(thoughts, _places_of(thoughts))


def _thoughts_of(run: Run, memory: str) -> list[PlottedThought]:
    thoughts = []
    for transcript in run.transcripts():
        if transcript.header.memory != memory:
            continue
        for turn in transcript.turn_views:
            for line in turn.change.inserted if turn.change else ():
                text = _NUMBER.sub("", line[:_LONGEST])
                thoughts.append(PlottedThought(text, turn.number, transcript.header.language))
    return thoughts


def _places_of(thoughts: Sequence[PlottedThought]) -> Any:
    """Return an array with the place of each thought, x and y."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.manifold import TSNE

    # Characters instead of words, since Chinese has no spaces between its words.
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3)).fit_transform(
        [thought.text for thought in thoughts]
    )
    # Distances hardly change with fewer dimensions, and the map takes seconds.
    dimensions = min(_DIMENSIONS, *vectors.shape)
    vectors = TruncatedSVD(dimensions, random_state=0).fit_transform(vectors)
    perplexity = min(_PERPLEXITY, (len(thoughts) - 1) / 3)
    return TSNE(2, perplexity=perplexity, init="pca", random_state=0).fit_transform(vectors)


def _draw(thoughts: Sequence[PlottedThought], places: Any) -> Figure:
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(drawing.WIDTH, 4.2), layout="constrained")
    axes = figure.subplots()
    turns = [thought.turn for thought in thoughts]
    first = min(turns) - 0.5
    last = max(turns) + 0.5
    width = (last - first) / len(_COLOURS)
    bounds = [first + width * step for step in range(len(_COLOURS) + 1)]
    look: dict[str, Any] = {
        "cmap": ListedColormap(_COLOURS),
        "norm": BoundaryNorm(bounds, len(_COLOURS)),
        "s": 14,
        "linewidths": 0,
    }
    for language, marker in _MARKERS.items():
        chosen = [number for number, thought in enumerate(thoughts) if thought.language is language]
        if chosen:
            colours = [turns[number] for number in chosen]
            xs, ys = places[chosen].T
            drawn = axes.scatter(xs, ys, c=colours, marker=marker, **look)
    axes.set_axis_off()  # the axes of such a map mean nothing
    ticks = MaxNLocator(integer=True)
    figure.colorbar(drawn, ax=axes, location="top", shrink=0.6, label="turn", ticks=ticks)
    return figure
