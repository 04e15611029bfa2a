"""Reading the arguments of a `MemoryStore`: whose memory, how many results, which language …."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from osler.errors import UserError, warn
from osler.language import Language
from osler.memory.base import Thinker
from osler.memory.registry import memory_options
from osler.memory.store.filters import IDS
from osler.memory.store.scopes import MemoryOwner
from osler.models import Backbone, BackboneError, ChatMessage, ask
from osler.prompts import Prompt

_FIXED = ("embedder", "groups")
"""Options that what is stored depends on."""


def ids_of(
    user_id: str | None = None,
    agent_id: str | None = None,
    run_id: str | None = None,
    session_id: str | None = None,
    filters: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Return the ids that were given, as arguments or as plain conditions of a filter."""
    values: dict[str, str | int | None] = {
        "user_id": user_id,
        "agent_id": agent_id,
        "run_id": run_id if run_id is not None else session_id,
    }
    for part in (filters or {}, *_parts(filters)):
        for name in (*IDS, "session_id"):
            place = "run_id" if name == "session_id" else name
            if (
                values[place] is None
                and isinstance(part.get(name), str | int)
                and part[name] != "*"
            ):
                values[place] = part[name]
    ids = {name: str(values[name]).strip() for name in IDS if values[name] is not None}
    if not ids or not all(ids.values()):
        raise UserError(
            "it is not said whose memory it is", "give user_id=, agent_id= or run_id=, not empty"
        )
    return ids


def _parts(filters: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    parts = (filters or {}).get("AND", ())
    if isinstance(parts, list):
        return [part for part in parts if isinstance(part, Mapping)]
    return []


def owner_of(ids: Mapping[str, str]) -> MemoryOwner:
    """Return whose memory it is: the user's, if one is named."""
    kind = next(name for name in IDS if name in ids)
    return MemoryOwner(kind, ids[kind])


def limit_of(limit: int | None, top_k: int | None) -> int:
    """Return how many results are wanted, by either name."""
    most = limit if limit is not None else 20 if top_k is None else top_k
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise UserError(f"limit={most!r} is no number of results", "give a whole number from 1")
    return most


def check_metadata(metadata: Mapping[str, Any] | None) -> None:
    """Refuse metadata that cannot be stored as JSON."""
    try:
        json.dumps(metadata)
    except (TypeError, ValueError) as error:
        raise UserError(
            f"the metadata cannot be stored ({error})", "use text, numbers, lists and dictionaries"
        ) from None


def language_named(name: Language | str | None) -> Language | None:
    """Read the language of a store; None if each text has its own."""
    try:
        if name is not None:
            return Language(name)
        return None
    except ValueError:
        remedy = f"use one of {', '.join(Language)}, or none to find it out for each text"
        raise UserError(f"there is no language {name!r}", remedy) from None


def stored_form(spec: str) -> tuple[str, ...]:
    """Return the parts of a memory's name that what is stored depends on."""
    name, options = memory_options(spec)
    return name, *(options.get(option, "") for option in _FIXED)


def thinker_of(backbone: Backbone) -> Thinker:
    """Make the function by which a memory asks its model; a failed call leaves a warning."""

    async def think(
        template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        messages = [ChatMessage("user", text)]
        try:
            answer = await ask(backbone.client, messages, schema=schema, max_tokens=most)
            return answer.text
        except BackboneError as error:
            warn(f"the model of the memory failed, and the exchange is kept word for word: {error}")
            return None

    return think
