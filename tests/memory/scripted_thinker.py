"""A memory's model for tests: it answers each prompt as it was told to, and keeps what it was
asked."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from osler.prompts import Prompt


class ScriptedThinker:
    """Answers by the name of the prompt; None is a failed call, and so is a prompt without an
    answer."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str]] = []
        """The name and the text of each request."""

    async def __call__(
        self, template: Prompt, text: str, schema: type[BaseModel] | None, most: int
    ) -> str | None:
        name = template.name.partition("/")[2]
        self.asked.append((name, text))
        answer = self.answers.get(name)
        return (
            answer
            if answer is None or isinstance(answer, str)
            else json.dumps(answer, ensure_ascii=False)
        )

    def names(self) -> list[str]:
        return [name for name, _ in self.asked]
