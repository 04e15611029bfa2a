"""From the name of a backbone to a client that answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osler.errors import UserError
from osler.models.prices import prices
from osler.models.spec import Spec, parse_spec

if TYPE_CHECKING:
    from autogen_core.models import ChatCompletionClient

    from osler.models.in_flight import InFlight
    from osler.models.pace import Rates


@dataclass
class Backbone:
    """An open model. Agents share it; whoever opened it closes it, in the event loop that used it."""

    spec: str
    model: str
    client: ChatCompletionClient
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
    retries: int = 4,
    seed: int | None = None,
    rates: Rates | None = None,
    requests: InFlight | None = None,
) -> Backbone:
    """Open a model. The default local one is downloaded first where it is not here yet, which blocks.

    Args:
        spec: Its name, or the name already parsed.
        temperature: 0 for the likeliest answer every time.
        timeout: Seconds for one attempt.
        max_tokens: The longest answer.
        retries: How often a call that failed in passing is tried again; a local model never is.
        seed: For servers that sample reproducibly.
        rates: How fast its endpoint may be asked.
        requests: Counts what is in flight, and can stop it.

    Raises:
        UserError: The name, the key, the weights or the price table are not usable, or it is `rules`: they have none.
    """
    spec = parse_spec(spec) if isinstance(spec, str) else spec
    if spec.kind == "rules":
        raise UserError("rules have no model, and one is needed here", "name a model: local, openai:MODEL, MODEL@URL")
    prices()  # a broken table shows now, and not in the middle of a run
    from osler.models.in_flight import Counting, InFlight
    from osler.models.retry import Retrying

    requests = requests or InFlight()

    if spec.kind == "local":
        from osler.models.local import open_local

        local = open_local(spec, temperature=temperature, timeout=timeout, max_tokens=max_tokens, seed=seed)
        client, model = Retrying(Counting(local, requests), retries=0), local.model
    else:
        from osler.models.compatible import open_compatible

        remote = open_compatible(
            spec, temperature=temperature, max_tokens=max_tokens, seed=seed, timeout=timeout, rates=rates
        )
        client, model = Retrying(Counting(remote, requests), retries=retries), remote.model
    identity = json.dumps([client.where, temperature, max_tokens, seed])
    return Backbone(spec=str(spec), model=model, client=client, identity=identity)
