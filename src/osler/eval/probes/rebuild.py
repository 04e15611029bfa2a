"""A memory as it stood at the end of a consultation: the transcript's turns told to a fresh one of the same kind.

What a model said to the memory then, it says again now: no model is asked.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

from pydantic import BaseModel

from osler.memory import Memory, MemorySettings, Turn, memory_factory
from osler.prompts import Prompt
from osler.runs.events import Answered, Asked, Called, Recalled, Remembered, Retrieved, Role
from osler.runs.plan import WITHOUT_MODEL, Settings
from osler.runs.transcript import Transcript
from osler.seeds import derive


class RecordedModel:
    """A memory's model, out of a transcript: each answer to its own request, and repeated requests in their order."""

    def __init__(self, transcript: Transcript) -> None:
        """Take what the memory's model answered."""
        self._waiting: dict[str, deque[str]] = defaultdict(deque)
        for call in transcript.of(Called):
            if call.role is Role.MEMORY and call.failure is None:
                self._waiting["\n".join(message.content for message in call.messages)].append(call.answer)
        self.missing = 0
        """Requests to which no answer was recorded; the memory does without, as it does when a model fails."""

    async def think(self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int) -> str | None:
        """What the model said to that; None where it was never asked."""
        if waiting := self._waiting.get(text):
            return waiting.popleft()
        self.missing += 1
        return None


@dataclass(frozen=True)
class Rebuilt:
    """A memory, and how true it is to what it was."""

    memory: Memory
    missing: int
    """Requests to its model that the transcript holds no answer to."""


async def rebuilt(transcript: Transcript, settings: Settings) -> Rebuilt:
    """The memory of a consultation at its end.

    Recalls are gone through as well: some memories ask their model then, or keep what is often recalled. A turn that
    the consultation ended too early to remember stays unknown here, too.
    """
    header = transcript.header
    answers = RecordedModel(transcript)
    thinks = (settings.memory_backbone or header.backbone) not in WITHOUT_MODEL
    made = MemorySettings(
        language=header.language,
        budget=settings.budget,
        seed=derive(settings.seed, header.case, header.trial, "memory"),
        thinker=answers.think if thinks else None,
        speaker=header.speaker,
    )
    memory = memory_factory(header.memory)(made)
    turns = _turns(transcript)
    for event in transcript.events:
        if isinstance(event, Recalled):
            await memory.recall(event.query)
        elif isinstance(event, Remembered):
            await memory.remember(turns[event.of])
    return Rebuilt(memory, answers.missing)


def _turns(transcript: Transcript) -> dict[int, Turn]:
    replies = {event.turn: event.reply for event in transcript.of(Answered)}
    results = {event.turn: event.results for event in transcript.of(Retrieved)}
    return {
        event.turn: Turn(
            number=event.turn,
            question=event.question,
            reply=replies[event.turn],
            results=results.get(event.turn, ""),
            differential=event.differential,
        )
        for event in transcript.of(Asked)
        if event.turn in replies
    }
