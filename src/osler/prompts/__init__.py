"""Every prompt is a file with named slots; its hash goes into the transcript."""

from __future__ import annotations

import hashlib
import string
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from osler.language import Language


@dataclass(frozen=True)
class Prompt:
    """One template."""

    name: str
    text: str

    @cached_property
    def hash(self) -> str:
        """Names this wording for good."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @cached_property
    def slots(self) -> frozenset[str]:
        """The names of what has to be filled in."""
        return frozenset(name for _, name, _, _ in string.Formatter().parse(self.text) if name)

    def fill(self, **slots: object) -> str:
        """Return the text with its slots filled; a missing or unknown slot is a mistake of ours, so it raises."""
        if self.slots != slots.keys():
            raise KeyError(f"the prompt {self.name} has the slots {sorted(self.slots)}, not {sorted(slots)}")
        return self.text.format(**slots).strip()


@cache
def prompt(name: str, language: Language) -> Prompt:
    """The template of that name in a language."""
    text = (files("osler.prompts") / language.value / f"{name}.txt").read_text(encoding="utf-8")
    return Prompt(f"{language}/{name}", text)


@cache
def phrases(name: str, language: Language) -> dict[str, str]:
    """The short texts of a file, one a line, each behind its name: for what fills the slots of other prompts."""
    lines = prompt(name, language).text.splitlines()
    return {key: text for key, _, text in (line.partition(": ") for line in lines) if key}


@cache
def prompts_hash(language: Language) -> str:
    """One hash over all templates of a language."""
    folder = files("osler.prompts") / language.value
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".txt"))
    whole = "\0".join(f"{name}\0{(folder / name).read_text(encoding='utf-8')}" for name in names)
    return hashlib.sha256(whole.encode()).hexdigest()[:12]
