"""What a model call gives back, with the numbers that AutoGen's own result has no place for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from autogen_core import FunctionCall
from autogen_core.models import CreateResult, RequestUsage
from pydantic import BeforeValidator, field_validator, model_validator

from osler.models.counts import count
from osler.models.errors import BackboneError, FailureKind

LONGEST_ANSWER = 100_000
"""In bytes. No turn of a consultation is longer; what is, is a model that repeats itself."""

_HALF = re.compile("[\ud800-\udfff]")
_BEGINS_TO_THINK = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_HAS_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

Count = Annotated[int | None, BeforeValidator(count)]
"""Bounded also where an answer is read back: an older version may have kept what its server claimed."""
Finish = Literal["stop", "length", "function_calls", "content_filter", "unknown"]
_FINISH: dict[object, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "function_calls",
    "function_calls": "function_calls",
}


class Source(StrEnum):
    """Where an answer came from."""

    MODEL = "model"
    CACHE = "cache"
    """Another consultation asked the same, and the user wanted such answers again."""
    RUN = "run"
    """The same was asked before in this run, and is asked once."""
    EARLIER = "earlier"
    """This consultation asked it before it was interrupted."""


class Completion(CreateResult):
    """A result that keeps unknown numbers unknown; AutoGen's `usage` says 0 for them.

    What the model thought aloud is in `thought`, whether the server sent it in a field of its own or within the text.
    """

    model: str
    tokens_in: Count = None
    tokens_out: Count = None
    tokens_cached: Count = None
    attempts: int = 1
    source: Source = Source.MODEL

    @field_validator("usage")
    @classmethod
    def _bounded(cls, usage: RequestUsage) -> RequestUsage:
        return RequestUsage(count(usage.prompt_tokens) or 0, count(usage.completion_tokens) or 0)

    @model_validator(mode="after")
    def _thinking_apart(self) -> Self:
        if isinstance(self.content, str):
            self.content, thought = without_thinking(self.content)
            self.thought = self.thought or thought or None
        return self

    @classmethod
    def of(cls, result: CreateResult, model: str) -> Completion:
        """The completion behind a result of any client; no prompt has 0 tokens, so 0 there means unknown."""
        if isinstance(result, Completion):
            return result
        known = result.usage.prompt_tokens > 0
        return cls(
            **{name: getattr(result, name) for name in CreateResult.model_fields},
            model=model,
            tokens_in=result.usage.prompt_tokens if known else None,
            tokens_out=result.usage.completion_tokens if known else None,
        )

    @classmethod
    def from_text(
        cls,
        text: str | list[FunctionCall],
        *,
        model: str,
        finish: object,
        usage: object,
        thought: str | None = None,
    ) -> Completion:
        """The completion of a text, or of calls of tools, and the `usage` object of the OpenAI protocol."""
        tokens_in, tokens_out, cached = tokens(usage)
        return cls(
            finish_reason=_FINISH.get(finish, "unknown") if isinstance(finish, str) else "unknown",
            content=whole(text) if isinstance(text, str) else text,
            usage=RequestUsage(prompt_tokens=tokens_in or 0, completion_tokens=tokens_out or 0),
            cached=False,
            model=model,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_cached=cached,
            thought=thought,
        )


def without_thinking(text: str) -> tuple[str, str]:
    """What a model said, and what it thought aloud before that: `<think>…</think>` at the start of its answer.

    One that was cut off while it thought said nothing. Some chat templates open the tag in the prompt, so that an
    answer holds only its end.
    """
    begun, done = _BEGINS_TO_THINK.match(text), _HAS_THOUGHT.search(text)
    if done and (begun or "<think" not in text[: done.start()].lower()):
        return text[done.end() :].lstrip(), text[begun.end() if begun else 0 : done.start()].strip()
    return ("", text[begun.end() :].strip()) if begun else (text, "")


def whole(text: str) -> str:
    """The text with half characters replaced: a model that is cut off within one leaves what no file can hold."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def tokens(usage: object) -> tuple[int | None, int | None, int | None]:
    """Tokens in, out and cached of a `usage` object; None for what it does not say."""
    if not isinstance(usage, Mapping):
        return None, None, None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")), count(cached)


def usable_text(result: CreateResult, where: str) -> str:
    """The text of an answer that an agent can work with.

    Raises:
        BackboneError: The answer is empty, too long, or withheld by a content filter.
    """
    text = result.content if isinstance(result.content, str) else ""
    if len(text.encode("utf-8", "replace")) > LONGEST_ANSWER:
        raise oversize(where)
    if text.strip():
        return text
    if result.finish_reason == "content_filter":
        raise BackboneError(FailureKind.REFUSED, f"the content filter of {where} withheld the answer", answer=result)
    what = "thought and then said nothing" if result.thought else "gave an empty answer"
    raise BackboneError(FailureKind.EMPTY, f"{where} {what} (finish: {result.finish_reason})", answer=result)


def oversize(where: str) -> BackboneError:
    """The failure of a model that does not stop."""
    return BackboneError(FailureKind.OVERSIZE, f"the answer of {where} is longer than {LONGEST_ANSWER // 1000} kB")
