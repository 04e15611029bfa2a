"""The requests of structuring to a model, with the length and the cache of its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from osler.language import Language
from osler.loosejson import json_begun, json_of
from osler.models import Backbone, ChatMessage, ChatRequest, Completion, ask
from osler.models.cache import ResponseCache, request_key
from osler.prompts import prompt
from osler.structuring.forms import (
    EntryProposals,
    Form,
    PatientProposal,
    SupportFault,
    Verdicts,
    faults_in,
)

_SHORTEST_LIMIT = 1000
"""Tokens that any answer may have."""
_TOKENS_PER_CHARACTER = {Language.EN: 2.5, Language.ZH: 6}
"""Of entries, for each character of their text: a few words become an entry of eight fields."""
_TOKENS_PER_VERDICT = 80
"""Maximum tokens of an answer for each row that it judges."""
_NO_MARKS = str.maketrans("<>", "‹›")
"""Keeps a text from closing the prompt's delimiters."""


class Requests:
    """Asks one model about one text."""

    def __init__(self, backbone: Backbone, cache: ResponseCache | None, language: Language) -> None:
        """Take a model, and a cache of answers that need not be asked for again."""
        self.answers: list[Completion] = []
        """What the model was paid for."""
        self._backbone = backbone
        self._cache = cache
        self._language = language

    async def patient(self, text: str) -> Completion:
        """Ask who the patient of a text is; the answer copies some of its sentences."""
        limit = _SHORTEST_LIMIT + len(text) // 2
        return await self._ask("structure_patient", PatientProposal, limit, text=text)

    async def entries(self, name: str, text: str, **slots: str) -> Completion:
        """Ask for the entries of a text by a prompt; a longer text may have a longer answer."""
        limit = _SHORTEST_LIMIT + round(_TOKENS_PER_CHARACTER[self._language] * len(text))
        return await self._ask(name, EntryProposals, limit, text=text, **slots)

    async def faults(
        self, name: str, text: str, rows: Sequence[Mapping[str, Any]]
    ) -> list[SupportFault | None]:
        """Ask what is wrong with each row that was made of a text; None if the text supports it."""
        if not rows:
            return []
        lines = []
        for number, row in enumerate(rows, 1):
            lines.append(json.dumps({"number": number, **row}, ensure_ascii=False))
        limit = _SHORTEST_LIMIT + _TOKENS_PER_VERDICT * len(rows)
        answer = await self._ask(name, Verdicts, limit, text=text, entries="\n".join(lines))
        return faults_in(answer, len(rows))

    async def _ask(self, name: str, form: type[Form], limit: int, **slots: str) -> Completion:
        """Ask one prompt; an answer from the cache costs nothing."""
        safe = {slot: text.translate(_NO_MARKS) for slot, text in slots.items()}
        messages = (ChatMessage("user", prompt(name, self._language).fill(**safe)),)
        identity = self._backbone.identity or self._backbone.spec
        key = request_key(identity, 0, ChatRequest(messages, limit, form))
        if self._cache is not None:
            cached = self._cache.get(key)
            if cached:
                return cached
        answer = await ask(self._backbone.client, messages, schema=form, max_tokens=limit)
        self.answers.append(answer)
        # An answer without any JSON is not cached: to ask again may bring a better answer.
        if self._cache is not None and (json_begun(answer.text) or json_of(answer.text)):
            self._cache.put(key, answer)
        return answer
