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
    given = [messages] if isinstance(messages, Mapping) else messages
    if not isinstance(given, Sequence) or not all(isinstance(one, Mapping) for one in given):
        raise UserError(f"a {type(messages).__name__} is no message", _FORM)
    read = [_read(one, timestamp) for one in given]
    said = [one for one in read if one.text and one.role != "system"]
    if not said:
        raise UserError("there is nothing to remember: no message has text", _FORM)
    is_dialogue = len({one.role for one in said}) > 1 or said[0].role == "assistant"
    pairs = _by_role(said) if is_dialogue else _by_name(said)
    return [_turn(number, question, reply) for number, (question, reply) in enumerate(pairs, 1)]


def _read(message: Mapping[str, Any], timestamp: Any) -> SaidMessage:
    content = message.get("content")
    if isinstance(content, Sequence) and not isinstance(
        content, str
    ):  # parts, as for models that see
        content = " ".join(
            str(part.get("text") or "") for part in content if isinstance(part, Mapping)
        ).strip()
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
    asked: SaidMessage | None = None
    for message in messages:
        if message.role != "assistant":
            yield asked, message
            asked = None
            continue
        if asked is not None:
            yield asked, None
        asked = message
    if asked is not None:
        yield asked, None


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
    times = [one.at for one in (reply, question) if one is not None and one.at is not None]
    return Turn(
        number=number,
        question=question.text if question else "",
        reply=reply.text if reply else "",
        asked_by=question.name if question else "",
        said_by=reply.name if reply else "",
        at=times[0] if times else None,
    )


def open_question(turn: Turn) -> bool:
    """Check whether a turn ends with a question that the next message may answer."""
    return not turn.reply and turn.question.endswith(_ASKING)


def language_of(text: str) -> Language | None:
    """Guess the language: Chinese if it has as many Chinese characters as other words.

    None if it has neither.
    """
    chinese, latin = len(_CHINESE.findall(text)), len(_LATIN.findall(text))
    if not chinese and not latin:
        return None
    return Language.ZH if chinese and chinese >= latin else Language.EN
