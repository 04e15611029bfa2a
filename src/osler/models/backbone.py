"""Open a model by its spec and check what it supports.

For a backbone of your own, see `open_plugin` in `providers`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ValidationError

from osler.errors import UserError, printable
from osler.models.chat import ChatClient, ChatMessage, ask
from osler.models.errors import BackboneError
from osler.models.neutral import neutral_options
from osler.models.prices import prices
from osler.models.retry import RETRIES, RetryPolicy
from osler.models.spec import Spec, parse_spec

if TYPE_CHECKING:
    from osler.models.rate_limit import InFlight, Rates


@dataclass
class Backbone:
    """An open model, shared by agents; whoever opened it closes it in the event loop it ran in."""

    spec: str
    model: str
    client: ChatClient
    identity: str = ""
    """Model, address and sampling: what decides an answer besides the prompt."""

    async def close(self) -> None:
        """Close its connections."""
        await self.client.close()


def open_backbone(
    spec: str | Spec,
    *,
    temperature: float = 0.0,
    timeout: float = 60.0,
    max_tokens: int = 512,
    retries: int = RETRIES,
    seed: int | None = None,
    rates: Rates | None = None,
    requests: InFlight | None = None,
) -> Backbone:
    """Open a model. The default local one is downloaded first if it is not here yet, which blocks.

    Args:
        spec: Its name, or the name already parsed. Its parameters win over the arguments;
            `name=null` leaves one out.
        temperature: 0 for the likeliest answer every time.
        timeout: Seconds for one attempt.
        max_tokens: The longest answer.
        retries: How often a call that failed in passing is tried again; a local model never is.
        seed: For servers that sample reproducibly.
        rates: How fast its endpoint may be asked.
        requests: Counts what is in flight, and can stop it.

    Raises:
        UserError: The name, a parameter, the key, the weights or the price table are not usable, or
            it is `rules`: they have none.
    """
    spec = parse_spec(spec) if isinstance(spec, str) else spec
    if spec.kind == "rules":
        raise UserError(
            "rules have no model, and one is needed here",
            "name a model: local, openai:MODEL, MODEL@URL",
        )
    prices()  # a broken table shows now, and not in the middle of a run
    from osler.models.rate_limit import EndpointClient, InFlight, RateLimiter, Rates

    own = _checked_parameters(spec)
    neutral = neutral_options(spec)
    arguments = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    every = {**neutral, **arguments, **own}
    # The spec leaves a parameter out by `null`; a seed is None where there is none.
    options = {name: value for name, value in every.items() if value is not None}
    client = _open(spec, options, timeout)
    client.max_tokens = own.get("max_tokens")
    if spec.kind == "local":  # one call at a time uses all cores
        rates = Rates(at_once=1)
        retries = 0
    policy = RetryPolicy(client.where, retries)
    limited = EndpointClient(client, RateLimiter(rates), requests or InFlight(), policy)
    identity = [client.where, temperature, max_tokens, seed, own, neutral]
    return Backbone(str(spec), client.model, limited, json.dumps(identity))


def _open(spec: Spec, options: Mapping[str, Any], timeout: float) -> ChatClient:
    if spec.kind == "local":
        from osler.models.local import open_local

        return open_local(spec, options, timeout)
    if spec.kind == "compatible":
        from osler.models.compatible import open_compatible

        return open_compatible(spec, options, timeout)
    from osler.models.providers import open_plugin, open_provider

    if spec.kind == "plugin":
        return open_plugin(spec, options, timeout)
    return open_provider(spec, options, timeout)


def _checked_parameters(spec: Spec) -> dict[str, Any]:
    parameters = spec.options()
    max_tokens = parameters.get("max_tokens")
    temperature = parameters.get("temperature")
    # The exact types, since `true` is an int in Python, too.
    if max_tokens is not None and (type(max_tokens) is not int or max_tokens < 1):
        raise UserError(
            f"max_tokens={max_tokens} is no number of tokens", "write it as max_tokens=4000"
        )
    if temperature is not None and (type(temperature) not in {int, float} or temperature < 0):
        raise UserError(
            f"temperature={temperature} is no temperature", "write it as temperature=0.7"
        )
    return parameters


class _Colour(BaseModel):
    """An enum that the question does not name, so that following it is no accident."""

    colour: Literal["vermilion", "ultramarine"]


async def check_backbone(spec: str, *, limit: float) -> dict[str, str]:
    """Ask once in plain text and once for a JSON schema, each within `limit` seconds.

    Returns:
        What the backbone did, as lines to print with their labels.

    Raises:
        UserError: The spec is wrong, or the model does not answer the first question.
    """
    backbone = open_backbone(spec, timeout=limit, max_tokens=64, retries=0)
    try:
        start = time.monotonic()
        answer = await ask(backbone.client, [ChatMessage("user", "Say hello in one word.")])
        seconds = time.monotonic() - start
        support = await _schema_support(backbone.client)
    finally:
        await backbone.close()
    counts = {"in": answer.tokens_in, "out": answer.tokens_out, "cached": answer.tokens_cached}
    tokens = []
    for name, count in counts.items():
        tokens.append(f"{'unknown' if count is None else count} {name}")
    return {
        "backbone": printable(backbone.spec),
        "answers": f"yes: {printable(answer.text)[:80]}",
        "latency": f"{seconds:.2f} s",
        "tokens": ", ".join(tokens),
        "JSON schema": support,
    }


async def _schema_support(client: ChatClient) -> str:
    question = ChatMessage("user", "Name a colour, as a JSON object with the key colour.")
    try:
        answer = await ask(client, [question], schema=_Colour)
        if not client.innermost.takes_schema:
            return "not taken; the prompt alone asks for the form"
        _Colour.model_validate_json(answer.text)
    except BackboneError:
        return "no answer when one is asked for"
    except ValidationError:
        return "taken, but the answer does not follow it"
    return "honoured"
