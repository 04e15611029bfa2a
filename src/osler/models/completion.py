"""The answer of a model: its text and the tokens it took."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, model_validator

from osler.models.errors import BackboneError, FailureKind
from osler.models.prices import cost

LONGEST_ANSWER = 100_000
"""In bytes. No turn is longer; a longer answer comes from a model that repeats itself."""
_LONGEST_TOKEN = 16
"""Characters for each token that was allowed; a longer answer is of a server that did not stop."""
_MOST_TOKENS = 1_000_000_000
"""No prompt or answer has more; the sum over the largest run still fits into 64 bits."""

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_THINKING_BEGINS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_THINKING_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def _token_count(value: object) -> int | None:
    """Check a number of tokens that a server claims; None for anything that no call can have."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    if 0 <= value <= _MOST_TOKENS:
        return value
    return None


def _short_text(value: object) -> str | None:
    """Check a name that a server sends; None for anything else."""
    if isinstance(value, str) and len(value) <= 200 and value.isprintable():
        return value
    return None


TokenCount = Annotated[int | None, BeforeValidator(_token_count)]
FinishReason = Literal["stop", "length", "function_calls", "content_filter", "unknown"]


class AnswerSource(StrEnum):
    """Where an answer came from."""

    MODEL = "model"
    CACHE = "cache"
    """Another consultation asked the same, and the user wanted such answers again."""
    RUN = "run"
    """The same was asked before in this run, and is asked once."""
    EARLIER = "earlier"
    """This consultation asked it before it was interrupted."""


SHARED_SOURCES = frozenset({AnswerSource.CACHE, AnswerSource.RUN})
"""Of answers that another consultation paid for.

Who gets such an answer is charged its tokens, and nothing is spent on it."""


class Completion(BaseModel):
    """An answer. Numbers that the server does not tell are None, never 0."""

    text: str
    """Without what the model thought aloud."""
    finish: FinishReason = "unknown"
    thought: str | None = None
    """The model's thinking, whether the server sent it in a field of its own or within the text."""
    model: str
    tokens_in: TokenCount = None
    tokens_out: TokenCount = None
    tokens_cached: TokenCount = None
    attempts: int = 1
    source: AnswerSource = AnswerSource.MODEL
    fingerprint: Annotated[str | None, BeforeValidator(_short_text)] = None
    """`system_fingerprint`: what the server calls its present configuration."""
    refused_options: tuple[str, ...] = ()
    """Options of neutral sampling that this request was sent without: the server refuses them."""

    @model_validator(mode="after")
    def _split_thinking(self) -> Self:
        self.text, thought = without_thinking(self.text)
        self.thought = self.thought or thought or None
        return self

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        model: str,
        finish: object,
        usage: object,
        thought: str | None = None,
        **more: Any,
    ) -> Completion:
        """The completion of a text and the OpenAI protocol's `usage`; `more` are fields as such."""
        counts: Mapping[str, object] = usage if isinstance(usage, Mapping) else {}
        details = counts.get("prompt_tokens_details")
        finish = "function_calls" if finish == "tool_calls" else finish
        return cls(
            text=whole_characters(text),
            finish=finish if finish in get_args(FinishReason) else "unknown",
            thought=thought,
            model=model,
            tokens_in=counts.get("prompt_tokens"),
            tokens_out=counts.get("completion_tokens"),
            tokens_cached=details.get("cached_tokens") if isinstance(details, Mapping) else None,
            **more,
        )

    @property
    def cost(self) -> float | None:
        """In USD, or None if the price table does not know the model, or a count is unknown."""
        return cost(self.model, self.tokens_in, self.tokens_out, self.tokens_cached)


def without_thinking(text: str) -> tuple[str, str]:
    """Split an answer into what the model said and its thinking, `<think>…</think>` before that.

    A model that was cut off while it thought said nothing.
    """
    begin = _THINKING_BEGINS.match(text)
    end = _THINKING_ENDS.search(text)
    start = begin.end() if begin else 0
    # Some chat templates open the tag in the prompt, so that an answer holds only its end.
    if end and (begin or "<think" not in text[: end.start()].lower()):
        return text[end.end() :].lstrip(), text[start : end.start()].strip()
    if begin:
        return "", text[start:].strip()
    return text, ""


def whole_characters(text: str) -> str:
    """The text with half characters replaced, which a model that is cut off may leave."""
    if text.isascii() or not _HALF_CHARACTER.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unread_length(text: str, max_tokens: int | None) -> int:
    """How many characters at the end of an answer are not read: they exceed what was allowed.

    Whatever reads an answer searches it for patterns, and hostile text makes that slow.
    """
    if max_tokens is None:
        return 0
    return max(0, len(text) - _LONGEST_TOKEN * max_tokens)


def check_usable(answer: Completion, where: str) -> Completion:
    """Return the answer; BackboneError if it is empty, too long, or withheld by a filter."""
    if len(answer.text.encode("utf-8", "replace")) > LONGEST_ANSWER:
        raise oversize(where)
    if answer.text.strip():
        return answer
    if answer.finish == "content_filter":
        raise BackboneError(
            FailureKind.REFUSED, f"the content filter of {where} withheld the answer", answer=answer
        )
    fault = "thought and then said nothing" if answer.thought else "gave an empty answer"
    raise BackboneError(
        FailureKind.EMPTY, f"{where} {fault} (finish: {answer.finish})", answer=answer
    )


def oversize(where: str) -> BackboneError:
    """The failure of a model that said more than any answer has."""
    return BackboneError(
        FailureKind.OVERSIZE, f"{where} gave an answer of more than {LONGEST_ANSWER:,} bytes"
    )
