"""Cost of a call, from a price table you provide (`OSLER_PRICES`): Osler ships no prices."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from osler.errors import UserError

VARIABLE = "OSLER_PRICES"
_SHAPE = "write `MODEL: {input: 0.15, output: 0.60, cached: 0.075}`, in USD per million tokens"


class Price(BaseModel):
    """USD per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Price of a cached token of the prompt; the same as any other if it is not given."""


def prices() -> dict[str, Price]:
    """The table in the file that OSLER_PRICES names, read once; UserError if it is unreadable."""
    name = os.environ.get(VARIABLE)
    return _read(name) if name else {}


def cost(
    model: str, tokens_in: int | None, tokens_out: int | None, cached: int | None
) -> float | None:
    """Return what a call cost in USD, or None if the model's price or a count is unknown."""
    price = prices().get(model)
    if price is None or tokens_in is None or tokens_out is None:
        return None
    cached_tokens = min(cached or 0, tokens_in)
    cached_price = price.input if price.cached is None else price.cached
    total = (tokens_in - cached_tokens) * price.input
    total += cached_tokens * cached_price
    total += tokens_out * price.output
    return total / 1_000_000


@lru_cache(maxsize=8)
def _read(name: str) -> dict[str, Price]:
    import yaml

    path = Path(name).expanduser()
    try:
        table = yaml.safe_load(path.read_text("utf-8"))
        return TypeAdapter(dict[str, Price]).validate_python(table or {})
    except OSError as error:
        fault = f"cannot be read ({error.strerror})"
        remedy = f"mend or unset {VARIABLE}"
    except (yaml.YAMLError, UnicodeDecodeError):
        fault = "is not YAML"
        remedy = _SHAPE
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the table"
        fault = f"is wrong at {place}: {first['msg']}"
        remedy = _SHAPE
    raise UserError(f"the price table {path} {fault}", remedy)
