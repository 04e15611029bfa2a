"""The language models behind the agents, and the one way to call them."""

from osler.models.backbone import Backbone, open_backbone
from osler.models.chat import ChatClient, ChatMessage, ChatRequest, ask
from osler.models.completion import Completion
from osler.models.errors import BackboneError, FailureKind
from osler.models.spec import Spec, parse_spec

__all__ = [
    "Backbone",
    "BackboneError",
    "ChatClient",
    "ChatMessage",
    "ChatRequest",
    "Completion",
    "FailureKind",
    "Spec",
    "ask",
    "open_backbone",
    "parse_spec",
]
