"""The options of a memory: what is written after its name, as in `--memory tim,mode=paper,k=5`."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.errors import UserError


class MemoryOptions(BaseModel):
    """The base of a memory's options, each with a default."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @classmethod
    def of(cls, memory: str, options: dict[str, str]) -> Self:
        """Read what was given after the memory's name.

        Raises:
            UserError: There is no such option, or it cannot have that value.
        """
        try:
            return cls.model_validate(options)
        except ValidationError as error:
            first = error.errors()[0]
            named = ".".join(str(part) for part in first["loc"])
            raise UserError(
                f"the memory {memory} cannot be made with {named}={first.get('input')!r}:"
                f" {first['msg'].lower()}",
                f"its options are {', '.join(cls.model_fields)}, as in --memory"
                f" {memory},option=value",
            ) from None
