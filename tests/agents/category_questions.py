"""The wordings that ask for a whole category of a record, and the questions for a single thing of
one."""

from __future__ import annotations

from functools import cache

import yaml

from osler.records import Language
from tests.agents.questions import FOLDER

ONE_THING = "one_thing"


@cache
def wordings(part: str) -> dict[Language, dict[str, list[str]]]:
    """For each language the wordings of each category, of the part `tuning` or `held_out`."""
    text = (FOLDER / f"categories_{part}.yaml").read_text(encoding="utf-8")
    return {Language(language): listed for language, listed in yaml.safe_load(text).items()}
