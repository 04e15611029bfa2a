"""The failures of models and their servers, sorted by what you can do about them."""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from osler.api_keys import ServerKey, scrub
from osler.code_failures import CodeFailure, error_line, failure_in
from osler.errors import UserError

if TYPE_CHECKING:
    from osler.models.completion import Completion

Answer = TypeVar("Answer")


class FailureKind(StrEnum):
    """Why a model gave no usable answer, and what you can do about it."""

    _value_: str
    remedy: str

    def __new__(cls, value: str, remedy: str = "") -> FailureKind:
        """A kind by its value, with its remedy."""
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.remedy = remedy
        return kind

    UNREACHABLE = "unreachable", "check that the server runs at this address"
    UNAUTHORIZED = "unauthorized", "check the key that the server is given"
    UNKNOWN_MODEL = (
        "unknown_model",
        "check the model's name, and the end of the address, usually /v1",
    )
    RATE_LIMITED = "rate_limited", "run fewer consultations at once, or wait"
    QUOTA = "quota", "check the plan and billing of the key"
    SERVER_ERROR = "server_error", "look at the server's log, and try again later"
    TIMEOUT = "timeout", "give it more time, or fewer consultations at once"
    CUT_OFF = "cut_off", "look at the server's log, and try again"
    NOT_JSON = (
        "not_json",
        "check that the address is that of the model's server, usually ending in /v1",
    )
    EMPTY = "empty", "allow more with --answer-tokens, or try another model"
    OVERSIZE = "oversize", "allow fewer tokens, or try another model"
    TOO_LONG = (
        "too_long",
        "give less with --budget or --answer-tokens, or use a model with a longer context",
    )
    """The prompt, with the answer that was allowed for, does not fit into the model's context."""
    REFUSED = "refused", "read what the server says; a shorter prompt or another model may help"
    """The server, or its content filter, did not accept this request."""
    OTHER = "other", "try `osler backbones check` with this model"


PASSING = frozenset(
    {
        FailureKind.UNREACHABLE,
        FailureKind.RATE_LIMITED,
        FailureKind.SERVER_ERROR,
        FailureKind.TIMEOUT,
        FailureKind.CUT_OFF,
        FailureKind.NOT_JSON,  # a busy proxy answers with a page of its own
    }
)
"""Failures that may be gone a moment later; else the same request gets the same refusal."""

_HOPELESS = frozenset(
    {FailureKind.UNREACHABLE, FailureKind.UNAUTHORIZED, FailureKind.UNKNOWN_MODEL}
)
"""Failures that every further request would meet, too."""

_LONGEST_DETAIL = 300
"""Characters of a server's own words that an error quotes."""


class BackboneError(UserError):
    """A model did not answer, or not usably."""

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        remedy: str | None = None,
        *,
        retry_after: float | None = None,
        status: int | None = None,
        detail: str = "",
        answer: Completion | None = None,
    ) -> None:
        """Take what happened; the remedy follows from the kind unless given.

        `retry_after` is how many seconds the server asks to be left alone, `detail` what it said,
        and `answer` what the model gave where that cannot be used: its tokens were paid for.
        """
        self.kind = kind
        self.worth_retry = kind in PASSING
        self.retry_after = retry_after
        self.status = status
        self.answer = answer
        self.detail = scrub(detail)
        self.attempts = 1
        self.code: CodeFailure | None = None
        """Where the client failed, if it is code of your own."""
        super().__init__(scrub(message), scrub(remedy or kind.remedy))


_BY_STATUS = {
    401: (FailureKind.UNAUTHORIZED, "does not accept the key"),
    403: (FailureKind.UNAUTHORIZED, "does not let this key use the model"),
    404: (FailureKind.UNKNOWN_MODEL, "is not known to the server"),
    408: (FailureKind.TIMEOUT, "took too long, says the server"),
    429: (FailureKind.RATE_LIMITED, "is asked too often"),
}
_TOO_LONG = re.compile(
    r"context[ _-]?(?:length|size|window)|longer than the model's context"
    r"|maximum (?:allowed )?(?:input )?length|(?:prompt|input) is too long"
    r"|too many (?:input )?tokens|token count .{0,40}exceeds|max_new_tokens` must be",
    re.IGNORECASE,
)
"""Messages of vLLM, SGLang, llama.cpp, TGI and the big providers for a prompt that does not fit."""


def status_error(
    status: int,
    body: object,
    where: str,
    *,
    retry_after: str | None = None,
    key: ServerKey | None = None,
) -> BackboneError:
    """Return the failure behind an HTTP status that is not a success.

    `body` is parsed JSON, or text. `where` is the model and its address, for the message; `key` is
    what was sent, for the remedy.
    """
    secrets = [key.value] if key is not None else []
    detail = scrub(_server_says(body), *secrets)
    kind, fault = _meaning(status, detail)
    remedy: str | None = None
    if kind is FailureKind.UNAUTHORIZED and key is not None:
        remedy = key.remedy
        if status == 401 and not key.value:
            fault = "wants a key"
    if 300 <= status < 400:
        # Not followed: the key would go along.
        fault = "has moved to another address"
        remedy = "give the address that answers, with https where it wants that"
    quotation = f": {detail[:_LONGEST_DETAIL]}" if detail else ""
    return BackboneError(
        kind,
        f"{where} {fault} (HTTP {status}{quotation})",
        remedy,
        retry_after=seconds_to_wait(retry_after),
        status=status,
        detail=detail,
    )


def _meaning(status: int, detail: str) -> tuple[FailureKind, str]:
    """What an HTTP status means with what the server says, and the words for it."""
    if status == 429 and re.search(r"insufficient_quota|exceeded your current quota", detail):
        return FailureKind.QUOTA, "has no quota left for this key"
    # llama.cpp says with 400 or 500 that a prompt is too long.
    if status == 413 or (status in {400, 422, 500} and _TOO_LONG.search(detail)):
        return FailureKind.TOO_LONG, "has no room for a prompt of this length"
    if status >= 500:
        return FailureKind.SERVER_ERROR, "has a fault"
    return _BY_STATUS.get(status, (FailureKind.REFUSED, "refused the request"))


_BY_CLASS = (
    # First, because the SDKs' aiohttp transport calls a refused connection a timeout.
    (r"ConnectError|ClientConnectorError|ConnectionRefusedError|gaierror", FailureKind.UNREACHABLE),
    (r".*Timeout.*", FailureKind.TIMEOUT),
    (
        r"ReadError|RemoteProtocolError|ClientPayloadError|ServerDisconnectedError",
        FailureKind.CUT_OFF,
    ),
    (r"ConnectionResetError|IncompleteReadError", FailureKind.CUT_OFF),
    (r"APIConnectionError|ConnectionError|OSError", FailureKind.UNREACHABLE),
    # Raised over an answer of another form, which the SDKs do not check before they use it.
    (
        r"APIResponseValidationError|JSONDecodeError|ValidationError|ValueError",
        FailureKind.NOT_JSON,
    ),
    (r"TypeError|AttributeError|LookupError|RecursionError", FailureKind.NOT_JSON),
)
"""The meaning of an exception by class names: importing all libraries would take seconds."""


def backbone_error(
    error: Exception, where: str, seconds: float, key: ServerKey | None = None
) -> BackboneError:
    """Return what an exception of a client library means; `seconds` is the time that an answer had.

    The result does not reference the exception, since exceptions hold the request, and with it the
    key.
    """
    if isinstance(error, BackboneError):
        return error
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        body = getattr(error, "body", None) or getattr(error, "error", None)
        return status_error(status, body, where, retry_after=_retry_after(error), key=key)
    chain = list(_chain(error))
    kind = _kind_by_class(chain)
    detail = " ".join(str(chain[-1]).split())[:_LONGEST_DETAIL]
    reason = f" ({detail})" if detail else ""
    if kind is FailureKind.NOT_JSON:
        return not_json(where, reason=f" ({type(error).__name__}{reason})")
    messages = {
        FailureKind.UNREACHABLE: f"{where} cannot be reached{reason}",
        FailureKind.TIMEOUT: f"{where} did not answer within {seconds:g} s",
        FailureKind.CUT_OFF: f"the connection to {where} broke in the middle of an answer",
    }
    return BackboneError(
        kind, messages.get(kind, f"{where} failed with {type(error).__name__}{reason}")
    )


def _kind_by_class(chain: Iterable[BaseException]) -> FailureKind:
    names: set[str] = set()
    for error in chain:
        names.update(kind.__name__ for kind in type(error).__mro__)
    for pattern, kind in _BY_CLASS:
        if any(re.fullmatch(pattern, name) for name in names):
            return kind
    return FailureKind.OTHER


def own_client_error(error: Exception, where: str, seconds: float) -> BackboneError:
    """Return what an exception of a client of your own means.

    What its server did is a failure as of any server; anything else is a fault in the code, with
    its place.
    """
    failure = backbone_error(error, where, seconds)
    code = None if isinstance(error, BackboneError) else failure_in(error)
    if code is None or not code.is_own:
        return failure
    if failure.kind not in {FailureKind.NOT_JSON, FailureKind.OTHER}:
        return failure
    if isinstance(error, ValueError):  # of what its server sent, perhaps, and gone a moment later
        failure.code = code
        return failure
    line = f"the backbone {where} failed: {error_line(error)}"
    failure = BackboneError(FailureKind.OTHER, line, "mend its code")
    failure.code = code
    return failure


def not_json(where: str, expected: str = "a chat completion", reason: str = "") -> BackboneError:
    """The failure of a server that answers with something else than was asked for."""
    return BackboneError(
        FailureKind.NOT_JSON, f"the answer of {where} is not {expected} in JSON{reason}"
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _retry_after(error: BaseException) -> str | None:
    """The `Retry-After` of the response behind an error."""
    # Ollama's SDK leaves the response to the error that its own came from.
    response = getattr(error, "response", None) or getattr(error.__context__, "response", None)
    return None if response is None else response.headers.get("retry-after")


def _server_says(body: object) -> str:
    """The server's own words: the message in the JSON of an error, or the start of what it sent."""
    for _ in range(2):  # the SDKs unwrap {"error": …} for some servers and not for others
        if isinstance(body, dict):
            body = body.get("error") or body.get("message") or body.get("detail") or body
    if body is None:
        return ""
    text = " ".join((body if isinstance(body, str) else repr(body)).split())
    # A proxy's page of HTML says nothing in one line.
    return "" if text.startswith("<") else text[: 4 * _LONGEST_DETAIL]


def seconds_to_wait(header: str | None) -> float | None:
    """Seconds to wait by a `Retry-After` header; None for others than numbers, such as dates."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return None if math.isnan(seconds) else max(seconds, 0.0)


async def unless_it_fails(call: Callable[[], Awaitable[Answer]]) -> Answer | None:
    """What a call of a model returns; None if the model failed this time.

    Raises:
        BackboneError: Every further call would fail, too.
    """
    try:
        return await call()
    except BackboneError as error:
        if error.kind in _HOPELESS:
            raise
        return None
