"""Asking a memory's model for JSON: one request, and one more if the answer cannot be used.

An answer is not used if it cannot be read, or if a text in it repeats itself over and over, as
small models do until their tokens run out. A list that was cut off by the token limit is used as
far as it goes; a text that was cut off has no end in the JSON and cannot be read, so the reason why
the server stopped need not be known.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, get_origin

from pydantic import BaseModel

from osler.language import Language
from osler.loosejson import json_begun, json_of
from osler.memory.base import Thinker
from osler.prompts import prompt

_LOOP = re.compile(r"(?<!\w)(\w.{5,300}?)\1{2,}", re.DOTALL)
"""Three times the same words in a row."""


LONGEST = 400
"""Characters of a text that a memory notes, or of a reason for noting it."""
UNREAD = "the answer could not be read"
"""Why a proposal is refused that was no object of the form asked for."""


class ModelJson(NamedTuple):
    """What a model answered."""

    data: dict[str, Any] | None
    """None if no answer could be used."""
    requests: int


async def ask_json(
    thinker: Thinker,
    name: str,
    language: Language,
    schema: type[BaseModel],
    most: int,
    **slots: object,
) -> ModelJson:
    """Fill a prompt and ask for an object with the fields of the schema.

    An answer that cannot be used is asked for once more, with the answer shown; a failed call,
    unchanged.
    """
    template = prompt(name, language)
    text = template.fill(**slots)
    said = await thinker(template, text, schema, most)
    data = _read(said, schema)
    if data is not None:
        return ModelJson(data, 1)
    if said:
        template = prompt("tim_repair", language)
        # A model that sees a loop continues it.
        without_loop = said[: loop_start(said)]
        text = template.fill(request=text, answer=without_loop)
    return ModelJson(_read(await thinker(template, text, schema, most), schema), 2)


def _read(said: str | None, schema: type[BaseModel]) -> dict[str, Any] | None:
    """An answer with at least one of the fields asked for, a list where a list was wanted."""
    for reader in (json_of, json_begun):
        data = reader(said or "") or {}
        has_field = any(
            isinstance(data[key], list) or get_origin(field.annotation) is not list
            for key, field in schema.model_fields.items()
            if key in data
        )
        if has_field and not any(
            isinstance(text, str) and loop_start(text) for text in data.values()
        ):
            return data
    return None


def loop_start(text: str) -> int | None:
    """Return where a text begins to repeat itself: after the first of three times the same.

    It is None if it does not.
    """
    loops = (found for found in _LOOP.finditer(f"{text} ") if any(map(str.isalpha, found[1])))
    return next((found.end(1) for found in loops), None)
