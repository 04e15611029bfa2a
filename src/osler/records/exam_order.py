"""The order in which the key examinations should be asked for: a partial order written with `>` and `=`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

_WIDE = str.maketrans({"＞": ">", "＝": "=", "；": ";"})

Rank = tuple[str, ...]
Chain = tuple[Rank, ...]


@dataclass(frozen=True)
class ExamOrder:
    """Chains of ranks: `A > B = C; D > E` is two chains, the first with the ranks (A) and (B, C).

    Names of different chains are not compared with each other unless they share a name.
    """

    chains: tuple[Chain, ...]

    @classmethod
    def parse(cls, text: str) -> ExamOrder:
        """Read the written form; `>` is "before", `=` is "same rank", `;` separates chains."""
        chains = tuple(_parse_chain(part) for part in text.translate(_WIDE).split(";") if part.strip())
        if not chains:
            raise ValueError("is empty; write `First > Second = Third`, or leave it out")
        order = cls(chains)
        order.before(lambda name: name.casefold())
        return order

    def __str__(self) -> str:
        """The written form, which `parse` reads back as an equal order."""
        return "; ".join(" > ".join(" = ".join(rank) for rank in chain) for chain in self.chains)

    def names(self) -> list[str]:
        """Every name in it, once, in the order of first mention."""
        return list(dict.fromkeys(name for chain in self.chains for rank in chain for name in rank))

    def before(self, resolve: Callable[[str], str]) -> frozenset[tuple[str, str]]:
        """All pairs (earlier, later), transitive, with each name resolved to its entry's.

        Raises:
            ValueError: a name comes before itself.
        """
        chains = [[[resolve(name) for name in rank] for rank in chain] for chain in self.chains]
        group = _same_rank_groups(rank for chain in chains for rank in chain)
        followers: dict[str, set[str]] = {leader: set() for leader in group.values()}
        for chain in chains:
            for earlier, later in pairwise(chain):
                followers[group[earlier[0]]].add(group[later[0]])
        try:
            leaders = list(TopologicalSorter(followers).static_order())
        except CycleError as error:
            cycle = " > ".join(reversed(error.args[1]))
            raise ValueError(f"goes in a circle: {cycle}; remove one of these steps") from None
        # static_order yields followers first, so every follower's own set is complete when it is used.
        after: dict[str, set[str]] = {}
        for leader in leaders:
            after[leader] = followers[leader].union(*(after[follower] for follower in followers[leader]))
        return frozenset((one, other) for one, g in group.items() for other, h in group.items() if h in after[g])


def _parse_chain(text: str) -> Chain:
    ranks = tuple(tuple(name.strip() for name in rank.split("=")) for rank in text.split(">"))
    if any(not name for rank in ranks for name in rank):
        raise ValueError(f"has an empty step in {text.strip()!r}; every `>` and `=` needs a name on both sides")
    return ranks


def _same_rank_groups(ranks: Iterable[list[str]]) -> dict[str, str]:
    """For each name the leader of the names that share a rank with it (union-find without ranks)."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for rank in ranks:
        for name in rank:
            leader.setdefault(name, name)
        for name in rank[1:]:
            leader[find(name)] = find(rank[0])
    return {name: find(name) for name in leader}


def _validate(value: Any) -> ExamOrder:
    if isinstance(value, ExamOrder):
        return value
    if not isinstance(value, str):
        raise ValueError("is not a text; write `First > Second = Third`")
    return ExamOrder.parse(re.sub(r"\s+", " ", value))


ExamOrderField = Annotated[
    ExamOrder,
    PlainValidator(_validate),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": "string", "examples": ["Urinary ultrasound > Enhanced MRI = CT urography"]}),
]
