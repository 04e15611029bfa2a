"""The options of Think-in-Memory: `--memory tim,mode=paper,k=5`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from osler.errors import UserError


class TimSettings(BaseModel):
    """The options and their defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    mode: Literal["one", "rules", "paper"] = "one"
    """How it thinks after a turn: one request, no model, or the papers' separate requests."""
    k: int | None = Field(default=None, ge=1)
    """Thoughts that a recall returns; by default, all that bear on the query and whatever else fits the budget. In the
    papers' way, 5.

    """
    groups: int = Field(default=8, ge=2, multiple_of=2)
    probes: int | None = Field(default=None, ge=1)
    """Groups that a recall visits; without it, as many as keep nearly all of the best."""
    embedder: str = "hash"
    integrate: bool = False
    """Whether a model combines query and thoughts after each recall; in the papers' way it does by default."""
    tokens: int = Field(default=2500, ge=1)
    """The most tokens of each answer of its model. A model that thinks before it answers needs more."""

    @model_validator(mode="before")
    @classmethod
    def _as_in_the_papers(cls, options: dict[str, str]) -> dict[str, str]:
        return {"k": "5", "integrate": "true", **options} if options.get("mode") == "paper" else options

    @classmethod
    def of(cls, options: dict[str, str]) -> Self:
        """Read what was given after the memory's name.

        Raises:
            UserError: an option that there is not, or a value that it cannot have.
        """
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            first = error.errors()[0]
            named = ".".join(str(part) for part in first["loc"])
            raise UserError(
                f"the memory tim cannot be made with {named}={first.get('input')!r}: {first['msg'].lower()}",
                f"options are {', '.join(cls.model_fields)}, as in --memory tim,mode=paper,k=5",
            ) from None
