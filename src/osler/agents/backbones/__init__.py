"""The language models behind the agents, and the one way to ask them.

Names are imported when they are first used: AutoGen takes half a second to import, and parsing a spec needs none of it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from osler.agents.backbones.ask import Answer, ask
    from osler.agents.backbones.backbone import Backbone, open_backbone
    from osler.agents.backbones.errors import BackboneError, FailureKind
    from osler.agents.backbones.recording import ModelCall, Recording
    from osler.agents.backbones.spec import Spec, parse_spec

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

_MODULES = {
    "Answer": "ask",
    "Backbone": "backbone",
    "BackboneError": "errors",
    "FailureKind": "errors",
    "ModelCall": "recording",
    "Recording": "recording",
    "Spec": "spec",
    "ask": "ask",
    "open_backbone": "backbone",
    "parse_spec": "spec",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
