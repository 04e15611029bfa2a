"""From how a call was written down to have failed, to the error it failed with."""

from __future__ import annotations

import re

from osler.models import BackboneError, FailureKind
from osler.runs.events import ConsultationError, Ending, Failed
from osler.runs.transcript import Transcript

CANCELLED = "the call was cancelled"
_LIMIT = "ConsultationError: "
_OTHER = re.compile(r"(?P<name>[A-Z]\w*): (?P<line>.*)", re.DOTALL)
_HTTP = re.compile(r"\(HTTP (?P<status>\d{3})(?:: (?P<detail>.*))?\)", re.DOTALL)


def over(recorded: Transcript, missing: str) -> ConsultationError:
    """What ends a consultation whose record holds no more: the failure it ended with, or that something is missing."""
    failed = next(iter(recorded.of(Failed)), None)
    if failed is not None:
        return ConsultationError(recorded.ending, failed.kind, failed.message)
    return ConsultationError(Ending.SIMULATOR_ERROR, "calls", f"the record holds no further {missing}")


def raised_again(failure: str, recorded: Transcript) -> Exception:
    """The error behind a `Called.failure`, which reads `kind: line`."""
    kind, _, line = failure.partition(": ")
    if line == CANCELLED:
        return over(recorded, "answer")
    if line.startswith(_LIMIT):
        return ConsultationError(recorded.ending, recorded.ending.value, line.removeprefix(_LIMIT))
    if kind == FailureKind.OTHER and (found := _OTHER.fullmatch(line)):
        error: Exception = type(found["name"], (Exception,), {})(found["line"])
        return error
    message, _, remedy = line.rpartition("; ")
    http = _HTTP.search(message)
    # Status and detail decide whether the request is made again without its schema.
    return BackboneError(
        FailureKind(kind),
        message,
        remedy,
        status=int(http["status"]) if http else None,
        detail=(http["detail"] or "") if http else "",
    )
