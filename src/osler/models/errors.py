"""What can go wrong between an agent and its model, sorted by what one can do about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from json import JSONDecodeError
from typing import TYPE_CHECKING

from osler.api_keys import ServerKey, scrub
from osler.errors import UserError

if TYPE_CHECKING:
    from autogen_core.models import CreateResult

__all__ = ["PASSING", "BackboneError", "FailureKind", "backbone_error", "is_too_long", "not_json", "scrub", "too_late"]


class FailureKind(StrEnum):
    """Why a model gave no usable answer."""

    UNREACHABLE = "unreachable"
    UNAUTHORIZED = "unauthorized"
    UNKNOWN_MODEL = "unknown_model"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    CUT_OFF = "cut_off"
    NOT_JSON = "not_json"
    EMPTY = "empty"
    OVERSIZE = "oversize"
    TOO_LONG = "too_long"
    """The prompt, with the answer that was allowed for, does not fit into the model's context."""
    REFUSED = "refused"
    """The server, or its content filter, did not accept this request."""
    OTHER = "other"


PASSING = frozenset(
    {
        FailureKind.UNREACHABLE,
        FailureKind.RATE_LIMITED,
        FailureKind.SERVER_ERROR,
        FailureKind.TIMEOUT,
        FailureKind.CUT_OFF,
        FailureKind.NOT_JSON,
    }
)
"""Failures that may be gone a moment later: a busy proxy answers with a page of its own. The others are final: the same
request gets the same refusal."""

_REMEDIES = {
    FailureKind.UNREACHABLE: "check that the server runs at this address",
    FailureKind.UNAUTHORIZED: "check the key that the server is given",
    FailureKind.UNKNOWN_MODEL: "check the model's name, and the end of the address, usually /v1",
    FailureKind.RATE_LIMITED: "run fewer consultations at once, or wait",
    FailureKind.SERVER_ERROR: "look at the server's log, and try again later",
    FailureKind.TIMEOUT: "give it more time, or fewer consultations at once",
    FailureKind.CUT_OFF: "look at the server's log, and try again",
    FailureKind.NOT_JSON: "check that the address is that of an OpenAI-compatible server, usually ending in /v1",
    FailureKind.EMPTY: "allow more with --answer-tokens, or try another model",
    FailureKind.OVERSIZE: "allow fewer tokens, or try another model",
    FailureKind.TOO_LONG: "give less with --budget or --answer-tokens, or use a model with a longer context",
    FailureKind.REFUSED: "read what the server says; a shorter prompt or another model may help",
    FailureKind.OTHER: "try `osler backbones check` with this model",
}
_LONGEST_DETAIL = 300


class BackboneError(UserError):
    """A model did not answer, or not usably."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        remedy: str | None = None,
        *,
        worth_retry: bool | None = None,
        retry_after: str | None = None,
        status: int | None = None,
        detail: str = "",
        answer: CreateResult | None = None,
    ) -> None:
        """Take what happened; remedy and whether to retry follow from the kind unless given.

        Args:
            kind: The sort of failure.
            message: What happened, without the remedy.
            remedy: What the user can do.
            worth_retry: Whether the same call may succeed a moment later.
            retry_after: The server's `Retry-After` header, as it came.
            status: The HTTP status, where there was one.
            detail: What the server said about it.
            answer: What the model gave, where that cannot be used: its tokens were paid for.
        """
        self.kind = kind
        self.worth_retry = kind in PASSING if worth_retry is None else worth_retry
        self.retry_after = retry_after
        self.status = status
        self.detail = scrub(detail)
        self.answer = answer
        self.attempts = 1
        super().__init__(scrub(message), scrub(remedy or _REMEDIES[kind]))


def backbone_error(error: Exception, where: str) -> BackboneError | None:
    """What an exception of openai, httpx, aiohttp or asyncio means; None for one that is none of theirs.

    Args:
        error: What was raised.
        where: The model and its address, for the message.
    """
    chain = list(_chain(error))
    for link in chain:
        if isinstance(link, BackboneError):
            return link
    if not (_is_theirs(error) or isinstance(error, OSError | UnicodeError | JSONDecodeError)):
        return None  # a mistake of ours must not pass for one of the network, whatever it was raised during
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _status_error(error, status, where)
    names = {name for link in chain for name in _class_names(link)}
    unreachable = BackboneError(FailureKind.UNREACHABLE, f"{where} cannot be reached{_reason(chain[-1])}")
    if names & _NO_CONNECTION:
        return unreachable  # first, because the SDK's aiohttp transport calls a refused connection a timeout
    if any(isinstance(link, TimeoutError) for link in chain) or any("Timeout" in name for name in names):
        return BackboneError(FailureKind.TIMEOUT, f"{where} did not answer in time")
    if isinstance(error, UnicodeError):
        return BackboneError(FailureKind.OTHER, f"{where} was sent text with broken characters", "mend the record")
    if "APIResponseValidationError" in names or "JSONDecodeError" in names:
        return not_json(where)
    if names & _CUT:
        return BackboneError(FailureKind.CUT_OFF, f"the connection to {where} broke in the middle of an answer")
    if "APIConnectionError" in names or any(isinstance(link, OSError) for link in chain):
        return unreachable
    return BackboneError(FailureKind.OTHER, f"{where} failed with {type(error).__name__}{_reason(chain[-1])}")


def too_late(where: str, seconds: float) -> BackboneError:
    """The failure of a model that had so many seconds."""
    return BackboneError(FailureKind.TIMEOUT, f"{where} did not answer within {seconds:g} s")


def not_json(where: str) -> BackboneError:
    """The failure of a server that answers with something else than a chat completion."""
    return BackboneError(FailureKind.NOT_JSON, f"the answer of {where} is not a chat completion in JSON")


# By name: openai moved from httpx to httpx2, and importing either only to compare classes costs most of a second.
_CUT = {
    "ReadError",
    "RemoteProtocolError",
    "ClientPayloadError",
    "ServerDisconnectedError",
    "ConnectionResetError",
    "IncompleteReadError",
}
_NO_CONNECTION = {"ConnectError", "ClientConnectorError", "ConnectionRefusedError", "gaierror"}
_LIBRARIES = {"openai", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "h11", "asyncio"}


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _class_names(error: BaseException) -> Iterator[str]:
    for kind in type(error).__mro__:
        yield kind.__name__


def _is_theirs(error: BaseException) -> bool:
    return any(kind.__module__.partition(".")[0] in _LIBRARIES for kind in type(error).__mro__)


def _reason(root: BaseException) -> str:
    text = " ".join(str(root).split())
    return f" ({text[:_LONGEST_DETAIL]})" if text else ""


_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window)|longer than the model's context|maximum (?:allowed )?(?:input )?length"
    r"|(?:prompt|input) is too long|too many (?:input )?tokens|token count .{0,40}exceeds|max_new_tokens` must be",
    re.IGNORECASE,
)
"""How vLLM, SGLang, llama.cpp, TGI and the big providers say that a prompt does not fit."""


def is_too_long(status: int, detail: str) -> bool:
    """Whether a server refused a prompt for its length; llama.cpp does so with 400 or with 500."""
    return status == 413 or (status in {400, 422, 500} and _TOO_LONG.search(detail) is not None)


_BY_STATUS = {
    401: (FailureKind.UNAUTHORIZED, "does not accept the key"),
    403: (FailureKind.UNAUTHORIZED, "does not let this key use the model"),
    404: (FailureKind.UNKNOWN_MODEL, "is not known to the server"),
    408: (FailureKind.TIMEOUT, "took too long, says the server"),
    429: (FailureKind.RATE_LIMITED, "is asked too often"),
}


def _status_error(error: Exception, status: int, where: str) -> BackboneError:
    detail = _server_says(error)
    response = getattr(error, "response", None)
    headers = getattr(response, "headers", None) or {}
    kind, what = _BY_STATUS.get(status, (FailureKind.REFUSED, "refused the request"))
    remedy: str | None = None
    retry: bool | None = None
    key = getattr(error, "key", None)
    if kind is FailureKind.UNAUTHORIZED and isinstance(key, ServerKey):
        what, remedy = key.refusal if status == 401 else what, key.remedy
    if 300 <= status < 400:
        # Not followed: the key would go along.
        what, remedy = "has moved to another address", "give the address that answers, with https where it wants that"
    if status >= 500:
        kind, what = FailureKind.SERVER_ERROR, "has a fault"
    if is_too_long(status, detail):
        kind, what = FailureKind.TOO_LONG, "has no room for a prompt of this length"
    if status == 429 and re.search(r"insufficient_quota|exceeded your current quota", detail):
        remedy, retry = "check the plan and billing of the key", False
    shown = f": {detail[:_LONGEST_DETAIL]}" if detail else ""
    return BackboneError(
        kind,
        f"{where} {what} (HTTP {status}{shown})",
        remedy,
        worth_retry=retry,
        retry_after=headers.get("retry-after"),
        status=status,
        detail=detail,
    )


def _server_says(error: Exception) -> str:
    """The server's own words: the message inside the JSON of an error, or the start of whatever it sent."""
    body = getattr(error, "body", None)
    for _ in range(2):  # openai unwraps {"error": …} for some servers and not for others
        if isinstance(body, dict):
            body = body.get("error") or body.get("message") or body.get("detail") or body
    if body is None:
        return ""
    text = " ".join((body if isinstance(body, str) else repr(body)).split())
    if text.startswith("<"):
        return ""  # a proxy's page of HTML says nothing in one line
    return scrub(text[: 4 * _LONGEST_DETAIL])
