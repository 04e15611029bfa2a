"""The base of values that do not change."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """A value that does not change and has no other fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
