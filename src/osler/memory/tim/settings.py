"""The options of Think-in-Memory: `--memory tim,mode=paper,k=5`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from osler.memory.options import MemoryOptions


class TimSettings(MemoryOptions):
    """The options and their defaults."""

    mode: Literal["one", "rules", "paper"] = "one"
    """How it thinks after a turn: one request, no model, or the papers' separate requests."""
    k: int | None = Field(default=None, ge=1)
    """Thoughts that a recall returns; by default, all that bear on the query and whatever else fits
    the budget. In the papers' way, 5."""
    groups: int = Field(default=8, ge=2, multiple_of=2)
    probes: int | None = Field(default=None, ge=1)
    """Groups that a recall visits; without it, as many as keep nearly all of the best."""
    inferences: bool = True
    """Whether its model may note what nobody said: `inferences=off` keeps to what was said."""
    facts: Literal["first", "only"] = "first"
    """What a recall tells: facts first and then turns that left none, or facts only, so that it
    shows what these alone are worth."""
    embedder: str = "hash"
    integrate: bool = False
    """Whether a model combines query and thoughts after each recall; in the papers' way it does by
    default."""
    tokens: int = Field(default=2500, ge=1)
    """The most tokens of each answer of its model. A model that thinks before it answers needs
    more."""

    @model_validator(mode="before")
    @classmethod
    def _as_in_the_papers(cls, options: dict[str, str]) -> dict[str, str]:
        if options.get("mode") != "paper":
            return options
        return {"k": "5", "integrate": "true", **options}
