"""The protocol that every doctor's memory follows. It knows nothing of agents or records."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from osler.language import Language, Speaker
from osler.prompts import Prompt


class FrozenModel(BaseModel):
    """A value that does not change and has no other fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Turn(FrozenModel):
    """One exchange: what the doctor asked and what the patient replied."""

    number: int
    """Rises with time and is unique in a memory: 1 opens the present consultation, earlier visits end at 0."""
    question: str
    reply: str
    results: str = ""
    """Reports that the doctor was given with the reply, in the record's words."""
    differential: tuple[str, ...] = ()
    """What the doctor thought of when it asked, the likeliest first."""
    at: datetime | None = None
    """When it was said, without a time zone; None if the conversation has no clock."""
    speaker: Speaker | None = None
    """Who answered, by relation to the patient, where it is somebody else than the memory's own `speaker`."""
    asked_by: str = ""
    """Name of the one who asks, in a conversation that is no consultation; empty for the doctor."""
    said_by: str = ""
    """Name of the one who replies, in a conversation that is no consultation; empty for the patient."""

    @property
    def question_alone(self) -> Turn:
        """The turn without its reply and what the doctor thought, for a recall that tells no more of it."""
        return self.model_copy(update={"reply": "", "results": "", "differential": ()})


class Fact(FrozenModel):
    """One fact that was recalled, for code to read; a prompt has it as text."""

    subject: str
    """What it is about: `patient` or `患者`, a relative, or a thing that was measured."""
    relation: str
    """What holds between them, in the affirmative: `has`, `takes`, `shows`."""
    object: str
    denied: bool = False
    """Whether it is not so."""
    turn: int
    """The turn it comes from."""
    at: datetime | None = None
    """When it was said, if the turn has a time."""
    score: float = 1.0
    """How well it fits the query; all equal if the memory does not rank its facts."""

    @property
    def triple(self) -> str:
        """Subject, relation and object in a row."""
        return " ".join(filter(None, (self.subject, self.relation, self.object)))


class Recall(FrozenModel):
    """What a memory recalls for the doctor's next step."""

    text: str = ""
    """As it goes into the prompt; empty if there is nothing. Nobody parses it."""
    facts: tuple[Fact, ...] = ()
    """What the text says, fact by fact, if the memory keeps facts."""
    exchanges: tuple[Turn, ...] = ()
    """The turns that the text is about; a turn told as facts has its question here and an empty reply."""
    dropped: tuple[int, ...] = ()
    """Turns with something that did not fit into the budget."""
    requests: int = 0
    """Model requests it took."""

    def __str__(self) -> str:
        """The text, so that a recall can be put into a prompt as it is."""
        return self.text


class Change(FrozenModel):
    """What remembering a turn changed in a memory. Each line says one thing and, if it is not obvious, why."""

    group: int | None = None
    """The group of the turn, if a memory has groups."""
    inserted: tuple[str, ...] = ()
    makers: dict[str, int] = {}
    """Inserted thoughts by who formed them, `model` or `rules`; empty if the memory does not think."""
    superseded: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """Proposals of a model that were refused."""
    proposed: int = 0
    """Actions that a model proposed, good and bad."""
    requests: int = 0
    """Model requests it took."""


@runtime_checkable
class Memory(Protocol):
    """A doctor's memory of one patient."""

    name: str

    async def remember(self, turn: Turn) -> Change:
        """Take in a finished turn."""
        ...

    async def recall(self, query: str) -> Recall:
        """Return what is known that bears on the query: a text, or an exchange with `REPLY_MARK` before the reply."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """The whole state, as plain data."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Restore exactly the state that `snapshot` returned."""
        ...


@runtime_checkable
class ConcludingMemory(Protocol):
    """A memory that recalls for a conclusion in another way than for a question."""

    async def recall_to_conclude(self, query: str, last: int | None = None) -> Recall:
        """Return what is known for diagnosis and treatment.

        Args:
            query: What the consultation is about.
            last: The turn that the doctor has word for word beside the recall.
        """
        ...


Thinker = Callable[[Prompt, str, type[BaseModel] | None, int], Awaitable[str | None]]
"""A model that a memory may ask: the template, its filled text, the form of the answer, its maximum tokens. Returns
None if the call failed; the memory then does without."""


class MemorySettings(FrozenModel):
    """The settings a memory is made with."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    language: Language = Language.EN
    budget: int = 2000
    """Tokens, by estimate, that a recall may take in the doctor's prompt."""
    seed: int = 0
    options: dict[str, str] = {}
    """What was given after the memory's name: `tim,mode=paper` has {"mode": "paper"}."""
    thinker: Thinker | None = None
    """The model behind the memory; None if it has to do without one."""
    speaker: Speaker = Speaker.PATIENT
    """Who answers, by relation to the patient: it decides who `your mother` is."""
    about: str = ""
    """What is known before the first question, in a line: age, sex, opening complaint."""


REPLY_MARK = "\n— "
"""Between the question and the reply in a query that is an exchange."""


def exchange_query(question: str, reply: str) -> str:
    """Return the query that is an exchange."""
    return f"{question}{REPLY_MARK}{reply}"


_CHINESE = re.compile(r"[\u4e00-\u9fff]+")


def tokens(text: str) -> int:
    """Estimate tokens without a tokenizer: four Latin characters, or one and a half Chinese ones, make one."""
    return round(exact_tokens(text))


def exact_tokens(text: str) -> float:
    """The same unrounded: the sum over the parts of a text is that of the text."""
    chinese = 0 if text.isascii() else sum(map(len, _CHINESE.findall(text)))
    return chinese / 1.5 + (len(text) - chinese) / 4
