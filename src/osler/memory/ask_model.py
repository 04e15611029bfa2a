"""Asking a memory's model for JSON: one request, and one more if the answer cannot be read."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.language import Language
from osler.loosejson import json_begun, json_of
from osler.memory.base import Thinker
from osler.prompts import prompt


class ModelJson(NamedTuple):
    """What a model answered."""

    data: dict[str, Any] | None
    """None if no answer could be read."""
    requests: int


async def ask_json(
    thinker: Thinker, name: str, language: Language, schema: type[BaseModel], most: int, **slots: object
) -> ModelJson:
    """Fill a prompt and ask for an object with the fields of the schema.

    An answer that cannot be read is asked for once more, with the answer shown; a failed call, unchanged.
    """
    template = prompt(name, language)
    text = template.fill(**slots)
    said = await thinker(template, text, schema, most)
    data = read_json(said, schema)
    if data is not None:
        return ModelJson(data, 1)
    if said:
        template = prompt("tim_repair", language)
        text = template.fill(request=text, answer=said)
    return ModelJson(read_json(await thinker(template, text, schema, most), schema), 2)


def read_json(said: str | None, schema: type[BaseModel]) -> dict[str, Any] | None:
    """An answer that has at least one of the fields asked for; if it was cut off, as far as it goes."""
    for reader in (json_of, json_begun):
        data = reader(said or "")
        if data is not None and any(key in data for key in schema.model_fields):
            return data
    return None
