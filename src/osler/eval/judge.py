"""A model as the judge of a diagnosis, where names alone do not decide."""

from __future__ import annotations

from autogen_core.models import UserMessage
from pydantic import BaseModel

from osler.agents.backbones import Backbone, ask
from osler.eval.match import names_diagnosis
from osler.loosejson import json_of
from osler.prompts import prompt
from osler.records.language import Language
from osler.records.schema import Diagnosis


class _Same(BaseModel):
    same: bool


async def judge_diagnosis(answer: str, truth: Diagnosis, language: Language, backbone: Backbone) -> bool | None:
    """Whether the answer is the truth; None when the judge's word cannot be read."""
    if not answer.strip():
        return False
    if names_diagnosis(answer, truth, language):
        return True
    filled = prompt("judge_diagnosis", language).fill(truth=truth.name, answer=answer)
    said = await ask(backbone.client, [UserMessage(content=filled, source="judge")], schema=_Same, max_tokens=20)
    verdict = (json_of(said.text) or {}).get("same")
    if isinstance(verdict, bool):
        return verdict
    return {"true": True, "false": False}.get(said.text.strip(" .{}`").casefold())
