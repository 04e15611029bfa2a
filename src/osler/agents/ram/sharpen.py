"""A model that says in the words of a record what a question asks for."""

from __future__ import annotations

from autogen_core.models import UserMessage
from pydantic import BaseModel, Field

from osler.agents.backbones import Backbone
from osler.agents.calls import Caller
from osler.agents.ram.agent import Sharpen
from osler.events import ConsultationError, Ending, Journal, Role
from osler.loosejson import json_of
from osler.prompts import prompt
from osler.records.language import Language

_TOKENS = 80
_MOST, _LONGEST = 3, 60


class _Names(BaseModel):
    asked_for: list[str] = Field(max_length=_MOST)


def sharpened_by(backbone: Backbone, language: Language, journal: Journal) -> Sharpen:
    """Ask this model. Where it fails, or names nothing, the question stays as it was."""
    call = Caller(backbone, Role.RAM, Ending.BACKBONE_FAILURE, journal)
    template = prompt("ram_intent", language)

    async def sharpen(question: str) -> str:
        message = UserMessage(content=template.fill(question=question), source="doctor")
        try:
            said = await call.text([message], template, schema=_Names, max_tokens=_TOKENS)
        except ConsultationError:
            return ""
        names = (json_of(said) or {}).get("asked_for")
        listed = [str(name)[:_LONGEST] for name in names[:_MOST]] if isinstance(names, list) else []
        return ("; " if language is Language.EN else "；").join(name for name in listed if name.strip(" .…"))

    return sharpen
