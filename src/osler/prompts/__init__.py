"""Every prompt is a file with named slots; its hash goes into the transcript."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from osler.language import Language
from osler.text_hash import short_hash


@dataclass(frozen=True)
class Prompt:
    """One template."""

    name: str
    text: str

    @cached_property
    def hash(self) -> str:
        """Names this wording for good."""
        return short_hash(self.text)

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


_OWN: ContextVar[Mapping[str, str] | None] = ContextVar("own prompts", default=None)
"""The texts that stand in place of Osler's in this context, by the names of their templates."""


@contextmanager
def using_prompts(texts: Mapping[str, str] | None) -> Iterator[None]:
    """Use these texts in place of Osler's in this block and in tasks that it starts.

    Args:
        texts: By the names of templates, such as `en/patient`; None: Osler's.
    """
    token = _OWN.set(texts)
    try:
        yield
    finally:
        _OWN.reset(token)


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
    own = (_OWN.get() or {}).get(f"{language}/{name}")
    template = bundled_prompt(name, language) if own is None else _own_template(name, language, own)
    used = _USED.get()
    if used is not None:
        used[template.name] = template.hash
    return template


@cache
def bundled_prompt(name: str, language: Language) -> Prompt:
    """The template of that name that comes with Osler; an OSError if there is none."""
    text = (files("osler.prompts") / language.value / f"{name}.txt").read_text(encoding="utf-8")
    return Prompt(f"{language}/{name}", text)


@lru_cache(maxsize=256)
def _own_template(name: str, language: Language, text: str) -> Prompt:
    return Prompt(f"{language}/{name}", text)


def bundled_names(language: Language) -> list[str]:
    """The names of all templates of a language."""
    folder = files("osler.prompts") / language.value
    names = [file.name for file in folder.iterdir()]
    return sorted(name.removesuffix(".txt") for name in names if name.endswith(".txt"))


def phrases(name: str, language: Language) -> dict[str, str]:
    """The short texts of a file by name, a line each, which fill the slots of other prompts."""
    return phrases_in(prompt(name, language))


@lru_cache(maxsize=512)
def phrases_in(template: Prompt) -> dict[str, str]:
    """The short texts of a template, by name."""
    texts = {}
    for line in template.text.splitlines():
        name, _, text = line.partition(": ")
        if name:
            texts[name] = text
    return texts


def joint_hash(used: Mapping[str, str]) -> str:
    """One hash over templates, by their names and hashes."""
    return short_hash("\0".join(f"{name}\0{used[name]}" for name in sorted(used)))


def changed_prompts(used: Mapping[str, str], own: Mapping[str, str] | None = None) -> list[str]:
    """The names of templates that have other hashes than these by now, or are gone.

    Args:
        used: The hashes of templates, by their names.
        own: Texts that stand in place of Osler's.
    """
    return sorted(name for name, used_hash in used.items() if _hash_now(name, own) != used_hash)


def _hash_now(name: str, own: Mapping[str, str] | None) -> str | None:
    if own and name in own:
        return short_hash(own[name])
    language, _, rest = name.partition("/")
    try:
        return bundled_prompt(rest, Language(language)).hash
    except (OSError, ValueError):
        return None


def forget_templates() -> None:
    """Read every template again when it is next used: for tests, which change them."""
    bundled_prompt.cache_clear()
