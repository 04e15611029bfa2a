"""All measures: Osler's own, those of installed packages, and those registered in Python.

A package registers a measure as an entry point of the group `osler.measures` that names a
`Measure`; a script or notebook calls `register_measure`. Every table, page and data frame is a
selection from this list.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache

from osler.errors import UserError
from osler.eval.measures.builtin import BUILTIN
from osler.eval.measures.definition import Measure, Place
from osler.eval.measures.from_transcript import Measures
from osler.plugins import load_plugin, plugin_names
from osler.records.schema import PatientRecord
from osler.runs.transcript import Transcript

GROUP = "osler.measures"
_OWN_NAMES = {measure.name for measure in BUILTIN} | {field.name for field in fields(Measures)}
"""Names of what Osler measures and stores."""
_registered: dict[str, Measure] = {}


def register_measure(measure: Measure) -> Measure:
    """Add a measure of your own to every table, page and data frame that its `places` name.

    Registering it once more, as in a notebook's cell, replaces it.

    Raises:
        UserError: Osler or an installed package has a measure of that name.
    """
    if measure.name in _OWN_NAMES | {installed.name for installed in _installed()}:
        raise UserError(f"there is a measure {measure.name!r} already", "give it another name")
    _registered[measure.name] = measure
    return measure


def all_measures() -> list[Measure]:
    """Every measure, in the order of tables."""
    return [*BUILTIN, *_installed(), *_registered.values()]


def measures_in(place: Place) -> list[Measure]:
    """The measures that are shown in a place, in order."""
    return [measure for measure in all_measures() if place in measure.places]


def measured_in(transcript: Transcript, record: PatientRecord) -> dict[str, float | None]:
    """Count what measures count in a transcript by themselves, to be stored with the others."""
    return {
        measure.name: measure.from_transcript(transcript, record)
        for measure in all_measures()
        if measure.from_transcript is not None
    }


@cache
def _installed() -> tuple[Measure, ...]:
    """The measures of installed packages. Installing one takes a new process anyway."""
    names = plugin_names(GROUP)
    measures: dict[str, Measure] = {}
    for name in names:
        measure = load_plugin("measure", GROUP, name, names)
        if not isinstance(measure, Measure):
            raise UserError(
                f"the entry point {name!r} of {GROUP} is no Measure",
                "let it name an object of osler.eval.measures.Measure",
            )
        if measure.name in _OWN_NAMES | measures.keys():
            raise UserError(
                f"the entry point {name!r} of {GROUP} has the name of another measure,"
                f" {measure.name!r}",
                "give its measure another name",
            )
        measures[measure.name] = measure
    return tuple(measures.values())
