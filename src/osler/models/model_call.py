"""One call of a model, as a transcript keeps it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from osler.models.errors import FailureKind


class ModelCall(BaseModel):
    """What was asked for which role, and what came of it: a text, or an error."""

    model_config = ConfigDict(frozen=True)

    role: str
    model: str
    messages: tuple[tuple[str, str], ...]
    """The prompt as (role, content)."""
    text: str | None = None
    thought: str | None = None
    """What the model thought aloud before it spoke."""
    error: FailureKind | None = None
    error_line: str | None = None
    finish: str | None = None
    structured: bool = False
    """Whether a JSON schema was sent along."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    seconds: float
    attempts: int
    cost: float | None = None
    source: str = "model"
    """`model`, `cache`, or `earlier` in the same consultation before it was interrupted."""
