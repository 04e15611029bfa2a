"""What the desk does with word from a worker elsewhere; the same however it travelled."""

from __future__ import annotations

from typing import Any

from osler.agents.backbones.completion import Completion
from osler.errors import RunStopped
from osler.simulator.desk import Desk
from osler.simulator.transcript import Transcript


def take(desk: Desk, frame: dict[str, Any]) -> int | None:
    """Take in a frame from a worker; the number of the consultation if it ended by it."""
    number: int = frame["number"]
    if "answer" in frame:
        answer = Completion.model_validate_json(frame["answer"])
        desk.allowance.used(answer)
        desk.answered(number, frame["key"], answer)
        if reached := desk.allowance.reached():
            desk.stop.ask(RunStopped(reached[0].value, reached[1]))
            desk.stop.now.set()  # workers elsewhere do not know of the run's limits, and would go on spending
        return None
    if "stopped" in frame:
        desk.interrupted(number, frame["message"])
        desk.stop.ask(RunStopped(frame["stopped"], frame["message"]))
        return number
    desk.ended(number, Transcript.model_validate_json(frame["transcript"]))
    return number
