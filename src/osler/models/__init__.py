"""The language models behind the agents, and the one way to ask them.

`Recording` is imported when it is first used: AutoGen takes half a second, and naming or parsing a backbone needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from osler.models.ask import Answer, ask
from osler.models.backbone import Backbone, open_backbone
from osler.models.errors import BackboneError, FailureKind
from osler.models.model_call import ModelCall
from osler.models.spec import Spec, parse_spec

if TYPE_CHECKING:
    from osler.models.recording import Recording

__all__ = [
    "Answer",
    "Backbone",
    "BackboneError",
    "FailureKind",
    "ModelCall",
    "Recording",
    "Spec",
    "ask",
    "open_backbone",
    "parse_spec",
]


def __getattr__(name: str) -> object:
    """Import `Recording` when it is first asked for."""
    if name != "Recording":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from osler.models.recording import Recording

    return Recording
