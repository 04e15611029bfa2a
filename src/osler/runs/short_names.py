"""Short names for columns and their parts: as short as tells them apart, and never with a server's address."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from os.path import commonprefix
from typing import Self, TypeVar

from osler.runs.plan import Column, told_variants

K = TypeVar("K", bound=Hashable)

_SERVER = re.compile(r"@https?://[^\s,]*", re.IGNORECASE)
_PROVIDER = re.compile(r"(local|openai|azure|anthropic|gemini|ollama):(?=.)", re.DOTALL)
_BEFORE = 6
"""Characters that a cut name keeps before the place where it differs."""


@dataclass(frozen=True)
class ShortNames:
    """Short names of all columns that are shown together."""

    backbones: dict[str, str]
    memories: dict[str, str]

    @classmethod
    def of(cls, columns: Iterable[Column]) -> Self:
        """Take all columns."""
        every = set(columns)
        return cls(backbone_names(one.backbone for one in every), memory_names(one.memory for one in every))

    def parts(self, column: Column) -> list[str]:
        """The column's name in parts: the model, how it works if it has a strategy, the memory, the variants."""
        names = (self.backbones[column.backbone], column.strategy, self.memories[column.memory])
        return [*filter(None, names), *told_variants(column.variants)]

    def name(self, column: Column) -> str:
        """The column's name in one line."""
        return " ".join(self.parts(column))

    def header(self, column: Column) -> str:
        """The column's name above its figures, a part on each line."""
        return "\n".join(self.parts(column))


def backbone_names(specs: Iterable[str]) -> dict[str, str]:
    """Return a unique name for each spec.

    The last part of a model's path is enough if it differs; then come the folders or the organisation before it, and
    the provider. The same model at several servers is numbered, in the order of the addresses.
    """
    wordings = {spec: _wordings(spec) for spec in set(specs)}
    users: dict[str, set[str]] = defaultdict(set)
    for spec, some in wordings.items():
        for wording in some:
            users[wording].add(spec)
    chosen = {spec: next((one for one in some if len(users[one]) == 1), some[-1]) for spec, some in wordings.items()}
    return numbered(dict(sorted(chosen.items())))


def memory_names(memories: Iterable[str]) -> dict[str, str]:
    """Return a unique name for each memory; the server of an embedder is left out of it."""
    return numbered({memory: _without_server(memory) for memory in sorted(set(memories))})


def backbone_name(spec: str) -> str:
    """The name of one model by itself."""
    return _wordings(spec)[0]


def same_models(names: Mapping[str, str]) -> list[list[str]]:
    """Find the short names, by their specs, of one model at several servers."""
    by_model: dict[str, list[str]] = defaultdict(list)
    for spec, name in names.items():
        by_model[_without_server(spec)].append(name)
    return [sorted(some) for some in by_model.values() if len(some) > 1]


def numbered(names: Mapping[K, str]) -> dict[K, str]:
    """The same names, each with a number if several are alike."""
    alike: dict[str, list[K]] = defaultdict(list)
    for key, name in names.items():
        alike[name].append(key)
    return {
        key: name if len(alike[name]) == 1 else f"{name} ({alike[name].index(key) + 1})" for key, name in names.items()
    }


def cut_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Cut names to this many characters, each so that the place where it differs from the others is kept."""
    every = set(names)
    return {name: name if len(name) <= longest else _cut(name, every - {name}, longest) for name in every}


def _wordings(spec: str) -> list[str]:
    """All names that a spec may get, the shortest first; its parameters, which tell columns apart, end each of them."""
    named = _without_server(spec)
    model, space, parameters = named.partition(" ")
    return [f"{name}{space}{parameters}" for name in _model_names(model, has_server=named != spec)]


def _model_names(model: str, *, has_server: bool) -> list[str]:
    provider = None if has_server else _PROVIDER.match(model)
    parts = [part for part in model[provider.end() if provider else 0 :].split("/") if part]
    if not parts:
        return [model or "model"]
    paths = ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    return [*paths, f"{provider[0]}{paths[-1]}"] if provider else paths


def _without_server(spec: str) -> str:
    return _SERVER.sub("", spec)


def _cut(name: str, others: set[str], longest: int) -> str:
    differs = max((len(commonprefix([name, other])) for other in others), default=0)  # noqa: RUF071 -- letters count
    start = min(max(0, differs - _BEFORE), len(name) - longest + 1)
    if differs + _BEFORE <= longest or start <= 0:
        return f"{name[: longest - 1]}…"
    end = start + longest - 1
    return f"…{name[start:]}" if end >= len(name) else f"…{name[start : end - 1]}…"
