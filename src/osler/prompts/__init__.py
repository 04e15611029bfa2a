"""Every prompt is a file with named slots; its hash goes into the transcript."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
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
        return _short_hash(self.text)

    @cached_property
    def slots(self) -> frozenset[str]:
        """The names of what has to be filled in."""
        return frozenset(name for _, name, _, _ in string.Formatter().parse(self.text) if name)

    def fill(self, **slots: object) -> str:
        """Return the text with its slots filled; KeyError if they are not those of the text."""
        if self.slots != slots.keys():
            raise KeyError(
                f"the prompt {self.name} has the slots {sorted(self.slots)}, not {sorted(slots)}"
            )
        return self.text.format(**slots).strip()


_USED: ContextVar[dict[str, str] | None] = ContextVar("used prompts", default=None)
"""Where the consultation that runs in this context notes the templates that it uses."""


@contextmanager
def noting_prompts(used: dict[str, str]) -> Iterator[None]:
    """Note names and hashes of the templates that this block and tasks that it starts use."""
    token = _USED.set(used)
    try:
        yield
    finally:
        _USED.reset(token)


def prompt(name: str, language: Language) -> Prompt:
    """The template of that name in a language; what is made of it is cached by the template."""
    template = _template(name, language)
    used = _USED.get()
    if used is not None:
        used[template.name] = template.hash
    return template


@cache
def _template(name: str, language: Language) -> Prompt:
    text = (files("osler.prompts") / language.value / f"{name}.txt").read_text(encoding="utf-8")
    return Prompt(f"{language}/{name}", text)


def phrases(name: str, language: Language) -> dict[str, str]:
    """The short texts of a file by name, a line each, which fill the slots of other prompts."""
    return _lines(prompt(name, language))


@cache
def _lines(template: Prompt) -> dict[str, str]:
    texts = {}
    for line in template.text.splitlines():
        name, _, text = line.partition(": ")
        if name:
            texts[name] = text
    return texts


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def joint_hash(used: Mapping[str, str]) -> str:
    """One hash over templates, by their names and hashes."""
    return _short_hash("\0".join(f"{name}\0{used[name]}" for name in sorted(used)))


def changed_prompts(used: Mapping[str, str]) -> list[str]:
    """The names of templates that have other hashes than these by now, or are gone."""
    return sorted(name for name, used_hash in used.items() if _hash_now(name) != used_hash)


def _hash_now(name: str) -> str | None:
    language, _, rest = name.partition("/")
    try:
        return _template(rest, Language(language)).hash
    except (OSError, ValueError):
        return None


def forget_templates() -> None:
    """Read every template again when it is next used: for tests, which change them."""
    _template.cache_clear()
