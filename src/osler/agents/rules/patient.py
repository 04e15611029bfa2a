"""A patient that voices what the retrieval module selected, and is never wrong about it."""

from __future__ import annotations

from typing import Any

from osler.agents.autogen import Participant
from osler.agents.messages import Reply, Selection
from osler.agents.rules.voice import spoken
from osler.runs.events import Maker


class RulesPatient(Participant):
    """Says the selected entries in the speaker's own words."""

    def __init__(self) -> None:
        """Nothing to keep: the same selection always gives the same reply."""
        super().__init__("patient", "Answers from the entries it was given, without a language model.")

    async def respond(self, content: Any) -> Reply:
        """Answer an augmented question."""
        selection: Selection = content
        return Reply(text=spoken(selection), maker=Maker.RULES)
