"""The page has a label in both languages for every measure it shows."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.resources import files

from osler.eval.measures import Measures

NOT_SHOWN = {"unpriced", "faults", "makers"}
"""Lists and tables, which the page shows elsewhere or not at all."""


def test_every_measure_has_a_label() -> None:
    text = (files("osler.view") / "static" / "js" / "values.js").read_text(encoding="utf-8")
    labelled = set(re.findall(r"^  m_(\w+): \[", text, re.MULTILINE))
    assert {field.name for field in fields(Measures)} - NOT_SHOWN <= labelled
