"""A pydantic model as the JSON schema that servers accept."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import BaseModel


@lru_cache(maxsize=64)
def response_format(schema: type[BaseModel]) -> dict[str, Any]:
    """The `response_format` of the OpenAI protocol that asks for this model. Made once: a run has few."""
    return {"type": "json_schema", "json_schema": {"name": schema.__name__, "schema": tight(schema), "strict": True}}


def tight(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model.

    Strict servers want every property required and no others, so that is what is asked for, even of fields with
    defaults; a field that may be left out is written as `X | None`.
    """
    tightened: dict[str, Any] = _tighten(schema.model_json_schema())
    return tightened


def _tighten(node: Any, *, names: bool = False) -> Any:
    """The same schema with every object closed. Under `names`, keys are names of fields and not words of the schema."""
    if isinstance(node, list):
        return [_tighten(item) for item in node]
    if not isinstance(node, dict):
        return node
    if names:
        return {key: _tighten(value) for key, value in node.items()}
    if "$ref" in node:
        return {"$ref": node["$ref"]}  # a strict server takes nothing beside a reference
    closed = {
        key: _tighten(value, names=key in {"properties", "$defs"})
        for key, value in node.items()
        if key not in {"default", "title"}
    }
    for key in ("enum", "const", "examples"):
        if key in node:
            closed[key] = node[key]  # values, not schemas
    if "properties" in closed:
        closed["additionalProperties"] = False
        closed["required"] = list(closed["properties"])
    return closed
