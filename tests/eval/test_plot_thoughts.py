"""The map of thoughts: a point for every thought, by turn and language, or one line that says why
there is none."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import osler
from osler.errors import UserError
from osler.eval.report import plot_thoughts
from osler.runs.events import Remembered


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> osler.Run:
    """Two patients in both languages, with a memory that thinks and one that does not."""
    cases = ["pneumonia-en", "pneumonia-zh", "gout-en", "gout-zh"]
    out = tmp_path_factory.mktemp("thoughts") / "run.osler"
    return osler.simulate(cases=cases, memories=["none", "tim"], out=out, turns=8, quiet=True)


def test_every_thought_is_a_point_of_its_language_coloured_by_its_turn(run: osler.Run) -> None:
    turns: dict[str, list[int]] = {"en": [], "zh": []}
    for transcript in run.transcripts():
        if transcript.header.memory == "tim":
            for event in transcript.of(Remembered):
                turns[transcript.header.language] += [event.of] * len(event.change.inserted)
    figure = plot_thoughts(run)
    english, chinese = figure.axes[0].collections
    for points, expected in ((english, turns["en"]), (chinese, turns["zh"])):
        colours, places = np.asarray(points.get_array()), np.asarray(points.get_offsets())
        assert sorted(colours) == sorted(expected)
        assert places.shape == (len(expected), 2) and len(np.unique(places, axis=0)) > 1


def test_a_memory_without_thoughts_is_refused_and_the_others_named(run: osler.Run) -> None:
    with pytest.raises(UserError, match=r"'none' noted 0 .* \(none, tim\)"):
        plot_thoughts(run, "none")


def test_a_missing_package_is_one_line_with_the_remedy(
    run: osler.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(UserError, match="needs matplotlib and scikit-learn; pip install"):
        plot_thoughts(run)
