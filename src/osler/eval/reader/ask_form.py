"""Ask a model for a form.

One request, and one more that names the faults if the form cannot be used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from osler.language import Language
from osler.loosejson import json_of
from osler.models import Backbone, ChatMessage, ask
from osler.prompts import phrases, prompt

_MOST_FAULTS = 4
"""Faults of a form that a model is told of."""

Form = TypeVar("Form", bound=BaseModel)
Result = TypeVar("Result")
Number = TypeVar("Number", int, float)


class UnusableFormError(Exception):
    """A form that is not JSON, leaves lines out, or quotes what is not there."""

    def __init__(self, faults: Sequence[str]) -> None:
        """Take what is wrong with it, in the language of the prompt."""
        super().__init__("; ".join(faults[:_MOST_FAULTS]))


@dataclass(frozen=True)
class FormAnswer(Generic[Result]):
    """What follows from a model's form, and what the requests used."""

    result: Result | None
    """None: neither form could be used."""
    fault: str
    """What was wrong with the last form; empty if there is a result."""
    tokens: int | None
    """None if a server did not tell them."""
    cost: float | None


async def ask_form(
    backbone: Backbone,
    request: str,
    form: type[Form],
    evaluate: Callable[[Form], Result],
    most_tokens: int,
    language: Language,
) -> FormAnswer[Result]:
    """Ask a model to fill in a form; one that cannot be used is asked for once more.

    `evaluate` computes what follows from a filled form. It raises `UnusableFormError` if that
    cannot be used.

    Raises:
        BackboneError: The model could not be reached.
    """
    messages = [ChatMessage("user", request)]
    tokens: int | None = 0
    cost: float | None = 0.0
    fault = ""
    for _ in range(2):
        answer = await ask(backbone.client, messages, schema=form, max_tokens=most_tokens)
        tokens = _plus(
            tokens,
            None if answer.tokens_in is None else answer.tokens_in + (answer.tokens_out or 0),
        )
        cost = _plus(cost, answer.cost)
        try:
            return FormAnswer(evaluate(_filled_form(form, answer.text, language)), "", tokens, cost)
        except UnusableFormError as error:
            fault = str(error)
        again = prompt("read_again", language).fill(faults=fault)
        messages += [ChatMessage("assistant", answer.text), ChatMessage("user", again)]
    return FormAnswer(None, fault, tokens, cost)


def _filled_form(form: type[Form], text: str, language: Language) -> Form:
    """Read a form from what a model wrote after its thinking."""
    try:
        return form.model_validate(json_of(text.rpartition("</think>")[2]))
    except ValidationError:
        raise UnusableFormError([phrases("read_lines", language)["unreadable"]]) from None


def _plus(total: Number | None, more: Number | None) -> Number | None:
    """Add what may be unknown: then so is the sum."""
    if total is None or more is None:
        return None
    return total + more
