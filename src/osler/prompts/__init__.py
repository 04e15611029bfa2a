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


_USED: ContextVar[dict[str, str] | None] = ContextVar("used prompts", default=None)
"""Where the consultation that runs in this context notes the templates that it uses."""


@contextmanager
def noting_prompts(used: dict[str, str]) -> Iterator[None]:
    """Note the templates that are used in this block and in tasks that it starts: their names, and their hashes."""
    token = _USED.set(used)
    try:
        yield
    finally:
        _USED.reset(token)


def prompt(name: str, language: Language) -> Prompt:
    """The template of that name in a language. What a caller caches of it, it must cache by the template."""
    template = _template(name, language)
    if (used := _USED.get()) is not None:
        used[template.name] = template.hash
    return template


@cache
def _template(name: str, language: Language) -> Prompt:
    text = (files("osler.prompts") / language.value / f"{name}.txt").read_text(encoding="utf-8")
    return Prompt(f"{language}/{name}", text)


def phrases(name: str, language: Language) -> dict[str, str]:
    """The short texts of a file, one a line, each behind its name: for what fills the slots of other prompts."""
    return _lines(prompt(name, language))


@cache
def _lines(template: Prompt) -> dict[str, str]:
    lines = template.text.splitlines()
    return {key: text for key, _, text in (line.partition(": ") for line in lines) if key}


def joint_hash(used: Mapping[str, str]) -> str:
    """One hash over templates that are given with theirs."""
    return hashlib.sha256("\0".join(f"{name}\0{used[name]}" for name in sorted(used)).encode()).hexdigest()[:12]


def changed_prompts(used: Mapping[str, str]) -> list[str]:
    """Return the names of those templates, given with their hashes, that have other words now or are gone."""
    return sorted(name for name, known in used.items() if _hash_now(name) != known)


def _hash_now(name: str) -> str | None:
    language, _, rest = name.partition("/")
    try:
        return _template(rest, Language(language)).hash
    except (OSError, ValueError):
        return None


@cache
def prompts_hash(language: Language) -> str:
    """One hash over all templates of a language, as runs of earlier versions keep it."""
    folder = files("osler.prompts") / language.value
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".txt"))
    whole = "\0".join(f"{name}\0{(folder / name).read_text(encoding='utf-8')}" for name in names)
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def forget_templates() -> None:
    """Read every template again when it is next used: for tests, which change them."""
    _template.cache_clear()
    prompts_hash.cache_clear()
