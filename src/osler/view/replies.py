"""Answers over HTTP, and failures as one line."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from osler.view.plain_json import encoded


def reply(data: Any, status: int = 200) -> Response:
    """An answer."""
    return Response(encoded(data), status, media_type="application/json")


def failure(line: str, status: int) -> Response:
    """A refusal: one line that says what to do."""
    return reply({"error": line}, status)
