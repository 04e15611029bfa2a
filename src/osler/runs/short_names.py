"""Short names for columns and their parts.

They are as short as tells them apart, and never have a server's address.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
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
        return cls(
            backbones=backbone_names(column.backbone for column in every),
            memories=memory_names(column.memory for column in every),
        )

    def parts(self, column: Column) -> list[str]:
        """The column's name in parts: the model, its strategy if it has one, memory, variants."""
        parts = [self.backbones[column.backbone]]
        if column.strategy:
            parts.append(column.strategy)
        memory = self.memories[column.memory]
        if memory:
            parts.append(memory)
        return parts + list(told_variants(column.variants))

    def name(self, column: Column) -> str:
        """The column's name in one line."""
        return " ".join(self.parts(column))

    def header(self, column: Column) -> str:
        """The column's name above its figures, a part on each line."""
        return "\n".join(self.parts(column))


def backbone_names(specs: Iterable[str]) -> dict[str, str]:
    """Return a unique name for each spec.

    The last part of a model's path is enough if it differs; then come the folders or the
    organisation before it, and the provider. The same model at several servers is numbered, in the
    order of the addresses.
    """
    wordings = {spec: _wordings(spec) for spec in set(specs)}
    users: Counter[str] = Counter()
    for names in wordings.values():
        users.update(set(names))
    shortest = {}
    for spec, names in sorted(wordings.items()):
        unique = [name for name in names if users[name] == 1]
        shortest[spec] = unique[0] if unique else names[-1]
    return numbered(shortest)


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
    return [sorted(servers) for servers in by_model.values() if len(servers) > 1]


def numbered(names: Mapping[K, str]) -> dict[K, str]:
    """The same names, each with a number if several are alike."""
    totals = Counter(names.values())
    numbers = Counter[str]()
    unique = {}
    for key, name in names.items():
        unique[key] = name
        if totals[name] > 1:
            numbers[name] += 1
            unique[key] = f"{name} ({numbers[name]})"
    return unique


def cut_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Cut names to this many characters, around the place where each differs from the others."""
    every = set(names)
    short = {}
    for name in every:
        short[name] = name
        if len(name) > longest:
            short[name] = _cut(name, every - {name}, longest)
    return short


def _wordings(spec: str) -> list[str]:
    """All names that a spec may get, the shortest first.

    Each ends with its parameters, which tell columns apart.
    """
    named = _without_server(spec)
    model, space, parameters = named.partition(" ")
    return [f"{name}{space}{parameters}" for name in _model_names(model, has_server=named != spec)]


def _model_names(model: str, *, has_server: bool) -> list[str]:
    """The last part of a model's path, then more and more of it, then its provider, too."""
    match = None if has_server else _PROVIDER.match(model)
    provider = match[0] if match else ""
    parts = [part for part in model.removeprefix(provider).split("/") if part]
    if not parts:
        return [model or "model"]
    paths = ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    if provider:
        return [*paths, f"{provider}{paths[-1]}"]
    return paths


def _without_server(spec: str) -> str:
    return _SERVER.sub("", spec)


def _cut(name: str, others: set[str], longest: int) -> str:
    """A piece of a name with `…` for what is left out, around where it differs from the others."""
    if _first_difference(name, others) + _BEFORE <= longest:
        return f"{name[: longest - 1]}…"
    last_start = len(name) - longest + 1
    start = min(_first_difference(name, others) - _BEFORE, last_start)
    if start <= 0:
        return f"{name[: longest - 1]}…"
    if start == last_start:
        return f"…{name[start:]}"
    return f"…{name[start : start + longest - 2]}…"


def _first_difference(name: str, others: set[str]) -> int:
    """The first place at which a name differs from all others."""
    places = [len(commonprefix([name, other])) for other in others]  # noqa: RUF071 -- of letters
    return max(places, default=0)
