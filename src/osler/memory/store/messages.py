"""Messages of a chat into the exchanges that a memory takes in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from osler.errors import UserError
from osler.language import Language
from osler.memory.base import Turn
from osler.memory.store.filters import moment

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[^\W\d_\u4e00-\u9fff]+")
_FORM = 'give a text, or messages such as [{"role": "user", "content": "I like tea."}]'
_ASKING = ("?", "？")
"""Marks that end a question."""


@dataclass(frozen=True)
class SaidMessage:
    """One message, read."""

    role: str
    text: str
    name: str
    at: datetime | None


def exchanges(
    messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], timestamp: Any = None
) -> list[Turn]:
    """Pair messages into turns with numbers from 1.

    What the assistant says belongs to the user's next message, as question and reply. Among
    messages of one role, as between two people with names, each second one is the reply. System
    messages are left out.

    Raises:
        UserError: They are no messages, or there is no text in them.
    """
    if isinstance(messages, str):
        messages = {"role": "user", "content": messages}
    items = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
        raise UserError(f"a {type(messages).__name__} is no message", _FORM)
    read = [_read(item, timestamp) for item in items]
    with_text = [message for message in read if message.text and message.role != "system"]
    if not with_text:
        raise UserError("there is nothing to remember: no message has text", _FORM)
    roles = {message.role for message in with_text}
    is_dialogue = len(roles) > 1 or with_text[0].role == "assistant"
    pairs = _by_role(with_text) if is_dialogue else _by_name(with_text)
    return [_turn(number, question, reply) for number, (question, reply) in enumerate(pairs, 1)]


def _read(message: Mapping[str, Any], timestamp: Any) -> SaidMessage:
    content = message.get("content")
    # A list has the parts of a message for models that see; only its texts are remembered.
    if isinstance(content, Sequence) and not isinstance(content, str):
        texts = [str(part.get("text") or "") for part in content if isinstance(part, Mapping)]
        content = " ".join(texts).strip()
    if not isinstance(content, str | None):
        raise UserError(f"the content of a message is a {type(content).__name__}", _FORM)
    at = message.get("timestamp", message.get("at", timestamp))
    return SaidMessage(
        role=str(message.get("role") or "user"),
        text=(content or "").strip(),
        name=str(message.get("name") or "").strip(),
        at=None if at is None else moment(at),
    )


Pair = tuple[SaidMessage | None, SaidMessage | None]
"""What was asked or said first, and the reply."""


def _by_role(messages: Iterable[SaidMessage]) -> Iterator[Pair]:
    question: SaidMessage | None = None
    for message in messages:
        if message.role != "assistant":
            yield question, message
            question = None
            continue
        if question is not None:
            yield question, None
        question = message
    if question is not None:
        yield question, None


def _by_name(messages: Iterable[SaidMessage]) -> Iterator[Pair]:
    first: SaidMessage | None = None
    for message in messages:
        if first is not None and message.name != first.name:
            yield first, message
            first = None
            continue
        if first is not None:
            yield None, first
        first = message
    if first is not None:
        yield None, first


def _turn(number: int, question: SaidMessage | None, reply: SaidMessage | None) -> Turn:
    at = reply.at if reply else None
    if at is None and question is not None:
        at = question.at
    return Turn(
        number=number,
        question=question.text if question else "",
        reply=reply.text if reply else "",
        asked_by=question.name if question else "",
        said_by=reply.name if reply else "",
        at=at,
    )


def open_question(turn: Turn) -> bool:
    """Check whether a turn ends with a question that the next message may answer."""
    return not turn.reply and turn.question.endswith(_ASKING)


def language_of(text: str) -> Language | None:
    """Guess the language: Chinese if it has as many Chinese characters as other words.

    It is None if the text has neither.
    """
    chinese = len(_CHINESE.findall(text))
    latin = len(_LATIN.findall(text))
    if not chinese and not latin:
        return None
    if chinese and chinese >= latin:
        return Language.ZH
    return Language.EN
