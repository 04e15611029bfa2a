"""What the queue does with word from a worker elsewhere; the same however it travelled."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from osler.errors import RunStopped
from osler.models.completion import Completion
from osler.runs.transcript import Transcript
from osler.simulator.work_queue import WorkQueue


def take(queue: WorkQueue, frame: Mapping[str, Any]) -> int:
    """Take in how a consultation ended for a worker; the consultation's number."""
    number: int = frame["number"]
    if "stopped" in frame:
        queue.interrupted(number, frame["message"])
        queue.stop.ask(RunStopped(frame["stopped"], frame["message"]))
    else:
        queue.ended(number, Transcript.model_validate_json(frame["transcript"]))
    return number


def take_answer(queue: WorkQueue, frame: Mapping[str, Any]) -> asyncio.Future[None]:
    """Take in an answer that a worker was given; done when it is written.

    Workers elsewhere do not know what the run has used, so its limits are checked here.
    """
    answer = Completion.model_validate_json(frame["answer"])
    queue.allowance.used(answer)
    written = queue.answered(frame["number"], frame["key"], answer)
    if reached := queue.allowance.reached():
        queue.stop.ask(RunStopped(reached[0].value, reached[1]))
    return written
