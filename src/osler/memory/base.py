"""The protocol that every doctor's memory follows. It knows nothing of agents or records."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from osler.language import Language, Speaker
from osler.memory.core.fact import Fact as Fact
from osler.memory.core.frozen_model import FrozenModel as FrozenModel
from osler.prompts import Prompt
from osler.settings.names import RECALL_BUDGET


class Turn(FrozenModel):
    """One exchange: what the doctor asked and what the patient replied."""

    number: int
    """Rises with time and is unique in a memory: 1 opens the present consultation, earlier visits
    end at 0."""
    question: str
    reply: str
    results: str = ""
    """Reports that the doctor was given with the reply, in the record's words."""
    differential: tuple[str, ...] = ()
    """What the doctor thought of when it asked, the likeliest first."""
    at: datetime | None = None
    """When it was said, without a time zone; None if the conversation has no clock."""
    speaker: Speaker | None = None
    """Who answered, by relation to the patient, where it is somebody else than the memory's own
    `speaker`."""
    asked_by: str = ""
    """Name of the one who asks, in a conversation that is no consultation; empty for the doctor."""
    said_by: str = ""
    """Name of the one who replies, in a conversation that is no consultation; empty for the
    patient."""

    @property
    def question_alone(self) -> Turn:
        """The turn without its reply and what the doctor thought."""
        return self.model_copy(update={"reply": "", "results": "", "differential": ()})


class Recall(FrozenModel):
    """What a memory recalls for the doctor's next step."""

    text: str = ""
    """As it goes into the prompt; empty if there is nothing. Nobody parses it."""
    facts: tuple[Fact, ...] = ()
    """What the text says, fact by fact, if the memory keeps facts."""
    exchanges: tuple[Turn, ...] = ()
    """The turns that the text is about; a turn told as facts has its question here and an empty
    reply."""
    dropped: tuple[int, ...] = ()
    """Turns with something that did not fit into the budget."""
    requests: int = 0
    """Model requests it took."""

    @property
    def told_turns(self) -> tuple[int, ...] | None:
        """The turns it tells of: by facts, the best first, then in their own words.

        It is None if the recall does not say which.
        """
        if self.text and not (self.facts or self.exchanges):
            return None
        facts = sorted(self.facts, key=lambda fact: -fact.score)
        whole = (turn.number for turn in self.exchanges if turn.reply or turn.results)
        return tuple(dict.fromkeys([*(fact.turn for fact in facts), *whole]))

    def __str__(self) -> str:
        """The text, so that a recall can be put into a prompt as it is."""
        return self.text


class Change(FrozenModel):
    """What remembering a turn changed in a memory.

    Each line says one thing and, if it is not obvious, why.
    """

    group: int | None = None
    """The group of the turn, if a memory has groups."""
    inserted: tuple[str, ...] = ()
    makers: dict[str, int] = Field(default_factory=dict)
    """Inserted thoughts by who formed them, `model` or `rules`; empty if the memory does not
    think."""
    superseded: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """Proposals of a model that were refused."""
    proposed: int = 0
    """Actions that a model proposed, good and bad."""
    requests: int = 0
    """Model requests it took."""


class Purpose(StrEnum):
    """What a recall is for."""

    QUESTION = "question"
    """The next question to ask."""
    CONCLUSION = "conclusion"
    """A diagnosis and a treatment."""


@dataclass(frozen=True)
class Query:
    """What a memory is asked."""

    text: str
    """What the recall should bear on: a question, the opening complaint or the last exchange."""
    exchange: Turn | None = None
    """The last question and reply, which the doctor has word for word beside the recall."""
    purpose: Purpose = Purpose.QUESTION

    @property
    def is_to_conclude(self) -> bool:
        """Whether the recall is for a conclusion."""
        return self.purpose is Purpose.CONCLUSION

    @property
    def beside(self) -> int | None:
        """The turn that need not be recalled, since the doctor has it word for word."""
        if self.exchange:
            return self.exchange.number
        return None


@runtime_checkable
class Memory(Protocol):
    """A doctor's memory of one patient."""

    state: dict[str, Any]
    """All that it has taken in, as plain data (JSON); setting it restores exactly that."""

    async def remember(self, turn: Turn) -> Change:
        """Take in a finished turn."""
        ...

    async def recall(self, query: Query) -> Recall:
        """Return what is known that bears on the query."""
        ...


Thinker = Callable[[Prompt, str, type[BaseModel] | None, int], Awaitable[str | None]]
"""A model that a memory may ask: the template, its filled text, the form of the answer, its maximum
tokens. Returns
None if the call failed; the memory then does without."""


class MemorySettings(FrozenModel):
    """The settings a memory is made with."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    language: Language = Language.EN
    budget: int = RECALL_BUDGET
    """Tokens, by estimate, that a recall may take in the doctor's prompt."""
    seed: int = 0
    options: dict[str, str] = Field(default_factory=dict)
    """What was given after the memory's name: `tim,mode=paper` has {"mode": "paper"}."""
    thinker: Thinker | None = None
    """The model behind the memory; None if it has to do without one."""
    speaker: Speaker = Speaker.PATIENT
    """Who answers, by relation to the patient: it decides who `your mother` is."""
    about: str = ""
    """What is known before the first question, in a line: age, sex, opening complaint."""


_CHINESE = re.compile(r"[\u4e00-\u9fff]+")


def tokens(text: str) -> int:
    """Estimate tokens without a tokenizer.

    A token is four Latin characters, or one and a half Chinese ones.
    """
    return round(exact_tokens(text))


def exact_tokens(text: str) -> float:
    """The same unrounded: the sum over the parts of a text is that of the text."""
    chinese = 0 if text.isascii() else sum(map(len, _CHINESE.findall(text)))
    return chinese / 1.5 + (len(text) - chinese) / 4
