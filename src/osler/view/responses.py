"""JSON responses of the page's server, and errors as one line with a status."""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from osler.errors import UserError, printable
from osler.runs.store.connection import DamagedRunError

UNREADABLE = (
    DamagedRunError,
    sqlite3.Error,
    zlib.error,
    ValidationError,
    ValueError,
    LookupError,
    TypeError,
)
"""What reading a damaged run file raises."""
DAMAGED = "this cannot be read; the run file is damaged, or another version of Osler wrote it"

T = TypeVar("T", bound=BaseModel)


class NotFound(UserError):
    """What was asked for does not exist."""

    http_status = 404


def handler(work: Callable[[Request], Any]) -> Callable[[Request], Awaitable[Response]]:
    """An HTTP handler around a function that returns plain data.

    A plain function runs in a thread.
    """

    async def answer(request: Request) -> Response:
        try:
            data = await (
                work(request) if iscoroutinefunction(work) else run_in_threadpool(work, request)
            )
            return json_response(data)
        except OverflowError:
            return json_response({"error": "there is no such number"}, 404)
        # Damage comes first: its message names the file's path, which the page must not show.
        except UNREADABLE as error:
            log_error(request, error)
            return json_response({"error": DAMAGED}, 500)
        except UserError as error:
            return json_response({"error": str(error)}, getattr(error, "http_status", 400))
        except ClientDisconnect:
            return Response(status_code=400)

    return answer


def validated(form: type[T], data: object) -> T:
    """Data from a request in the form that it must have.

    Raises UserError if it does not have that form.
    """
    try:
        return form.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the request"
        raise UserError(f"{place}: {first['msg']}", "send what the page sends") from None


def json_response(data: Any, status: int = 200) -> Response:
    """Plain data as JSON; an error is `{"error": one line that says what to do}`."""
    return Response(encoded(data), status, media_type="application/json")


def log_error(request: Request, error: Exception) -> None:
    """Print one line for whoever runs the server."""
    line = f"osler: {type(error).__name__} ({error}) at {request.scope['path']}"
    print(printable(line[:300]), file=sys.stderr)  # noqa: T201


def encoded(data: Any) -> str:
    """JSON that any browser reads: no half characters, and null for NaN and infinity."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError:
        finite = json.loads(json.dumps(data), parse_constant=lambda _: None)
        text = json.dumps(finite, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
