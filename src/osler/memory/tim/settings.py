"""What can be set of Think-in-Memory: `--memory tim,mode=paper,k=5`."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from osler.errors import UserError


class TimSettings(BaseModel):
    """The options, with what they are without being given."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    mode: Literal["one", "rules", "paper"] = "one"
    """How it thinks after a turn: one request, no model, or the papers' separate requests."""
    k: int | None = Field(default=None, ge=1)
    """Thoughts that a recall brings; without it, all that bear on the query and whatever else fits the budget."""
    groups: int = Field(default=8, ge=2, multiple_of=2)
    probes: int | None = Field(default=None, ge=1)
    """Groups that a recall visits; without it, as many as keep nearly all of the best."""
    embedder: str = "hash"
    integrate: bool = False
    """Whether a model puts query and thoughts together after each recall."""

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
