"""The page has a label in both languages for everything that it shows."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.resources import files

from osler.eval.measures import Measures, Place, measure_reference, measures_in
from osler.runs.reply_faults import ReplyFaults


def test_every_measure_has_a_label_in_both_languages_and_says_how_it_is_counted() -> None:
    stored = {field.name for field in fields(Measures)}
    shown = {measure.name for measure in measures_in(Place.PAGE)}
    assert stored - shown == {"stage", "unpriced", "faulty_replies", "makers"}, "no numbers"
    for measure in measure_reference():
        assert measure.label_en and re.search(r"[\u4e00-\u9fff]", measure.label_zh)
        assert measure.formula.endswith(".") and measure.denominator.endswith(".")


def test_everything_that_may_be_found_in_a_reply_has_a_name_on_the_page() -> None:
    folder = files("osler.view") / "static" / "js"
    kinds = [field.name for field in fields(ReplyFaults)]
    listed = re.search(
        r"Osler.faults = \[(.*)\]", (folder / "values.js").read_text(encoding="utf-8")
    )
    assert listed is not None and re.findall(r"\w+", listed[1]) == kinds
    words = re.findall(
        r"^  (\w+): \[", (folder / "words.js").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(kinds) <= set(words)
