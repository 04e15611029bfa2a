"""Tables of the fields that a JSON schema describes."""

from __future__ import annotations

from typing import Any

from docs.generate.markdown import code, one_line, table

_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
}


def fields_table(schema: dict[str, Any]) -> str:
    """One row for each field: its name, type, whether it is needed, and its description."""
    needed = schema.get("required", [])
    rows = [
        (
            code(name),
            type_in_words(field),
            "yes" if name in needed else "",
            one_line(field.get("description")),
        )
        for name, field in schema.get("properties", {}).items()
    ]
    return table(["field", "type", "needed", "what it is"], rows)


def parts(definitions: dict[str, dict[str, Any]]) -> str:
    """A section for each part that has fields or a list of values of its own."""
    text = ""
    for name, part in definitions.items():
        text += f"### {name}\n\n{one_line(part.get('description'))}\n\n"
        if "enum" in part:
            text += "One of " + ", ".join(code(value) for value in part["enum"]) + ".\n\n"
        else:
            text += fields_table(part)
    return text


def type_in_words(field: dict[str, Any]) -> str:
    """What a field may hold: `list of Entry`, `text or null`."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "const" in field:
        return code(str(field["const"]))
    choices = field.get("anyOf") or field.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(type_in_words(choice) for choice in choices))
    if field.get("type") == "array":
        return _list_in_words(field)
    named = field.get("type", "")
    kinds = named if isinstance(named, list) else [named]
    return " or ".join(_TYPES.get(kind, "any") for kind in kinds)


def _list_in_words(field: dict[str, Any]) -> str:
    items = field.get("items") or {}
    return f"list of {type_in_words(items)}" if items else "list"
