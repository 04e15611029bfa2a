"""JSON responses of the page's server, and errors as one line with a status."""

from __future__ import annotations

import json
import math
import sqlite3
import sys
import zlib
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from osler.errors import UserError, printable
from osler.runs.store.connection import DamagedRunError

UNREADABLE = (DamagedRunError, sqlite3.Error, zlib.error, ValidationError, ValueError, LookupError, TypeError)
"""What a damaged run file leads to, wherever it is read."""
DAMAGED = "this cannot be read; the run file is damaged, or another version of Osler wrote it"

Handler = Callable[[Request], Awaitable[Response]]


class NotFound(UserError):
    """What was asked for does not exist."""

    http_status = 404


def handler(work: Callable[[Request], Any]) -> Handler:
    """An HTTP handler around a function that returns plain data; a plain function runs in a thread."""

    async def answer(request: Request) -> Response:
        try:
            data = await (work(request) if iscoroutinefunction(work) else run_in_threadpool(work, request))
            return json_response(data)
        except OverflowError:
            return error_response("there is no such number", 404)
        except UNREADABLE as error:  # damage first: its message names the file's path, which the page must not show
            log_error(request, error)
            return error_response(DAMAGED, 500)
        except UserError as error:
            return error_response(str(error), getattr(error, "http_status", 400))
        except ClientDisconnect:
            return Response(status_code=400)

    return answer


def json_response(data: Any, status: int = 200) -> Response:
    """An answer."""
    return Response(encoded(data), status, media_type="application/json")


def error_response(line: str, status: int) -> Response:
    """A refusal: one line that says what to do."""
    return json_response({"error": line}, status)


def log_error(request: Request, error: Exception) -> None:
    """One line for whoever runs the server."""
    line = f"osler: {type(error).__name__} ({error}) at {request.scope['path']}"
    print(printable(line[:300]), file=sys.stderr)  # noqa: T201


def whole_number(text: str | None, default: int, name: str) -> int:
    """A number from an address.

    Raises:
        UserError: It is none.
    """
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise UserError(f"{name} is not a number", "give a whole number from 0 on, or leave it out")
    return int(text)


def encoded(data: Any) -> str:
    """JSON that any browser reads: no half characters, no NaN."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _finite(data: Any) -> Any:
    match data:
        case float():
            return data if math.isfinite(data) else None
        case dict():
            return {name: _finite(value) for name, value in data.items()}
        case list() | tuple():
            return [_finite(value) for value in data]
        case _:
            return data
