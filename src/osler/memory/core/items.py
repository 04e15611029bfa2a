"""What a memory offers beyond the protocol, so that a store can save and show its items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from osler.memory.base import Turn
from osler.ranking import ranked

Key = TypeVar("Key", str, int)


class MemoryItem(NamedTuple):
    """One thing in a memory: a turn, or a thought."""

    key: str
    """Names it within its memory, now and after a restart: `turn:3`, `thought:12`."""
    text: str
    is_current: bool = True
    """False if something newer has taken its place, or it was forgotten."""
    by: str | None = None
    """The key of what took its place."""


@runtime_checkable
class AppendingMemory(Protocol):
    """A memory that can tell what changed. Any other is saved whole after each turn."""

    def delta(self, everything: bool = False) -> dict[str, Any]:
        """Return what changed since the last call, or the whole state, as plain data (JSON)."""
        ...

    def apply(self, delta: dict[str, Any]) -> None:
        """Take in what `delta` returned elsewhere; deltas come in their order."""
        ...


@runtime_checkable
class ItemisedMemory(AppendingMemory, Protocol):
    """A memory whose items can be searched, changed and erased.

    In any other, the items are the turns.
    """

    def items(self, delta: dict[str, Any]) -> list[MemoryItem]:
        """Return the items of a delta, as they are after it."""
        ...

    def turns_of(self, key: str) -> tuple[int, ...]:
        """Return the numbers of the turns that an item rests on."""
        ...

    async def search(self, query: str) -> list[tuple[str, float]]:
        """Return the keys of the current items with their scores, best first."""
        ...

    async def rewrite(self, key: str, text: str) -> list[str]:
        """Give an item another text, also where it stands in the turn that it comes from.

        Returns the keys of other items that went, because they rested on the old text.
        """
        ...

    async def erase(self, keys: Sequence[str]) -> list[str]:
        """Remove items with everything that holds their words; return the keys of all that went."""
        ...


@runtime_checkable
class TurnRanking(Protocol):
    """A memory that ranks turns one by one, although its items may rest on several turns each."""

    async def search_turns(self, query: str) -> list[int]:
        """Return the numbers of the turns that current items rest on, best first."""
        ...


def named_turns(memory: ItemisedMemory, found: Iterable[tuple[str, float]]) -> list[int]:
    """The turns that the items of a search rest on, in the order in which they are first named."""
    return list(dict.fromkeys(turn for key, _ in found for turn in memory.turns_of(key)))


def best_first(scores: Mapping[Key, float], place: Callable[[Key], int] = int) -> list[Key]:
    """What was scored, the highest score first.

    Of ties, what has the higher place comes first: the newer turn.
    """
    keys = list(scores)
    order = ranked(list(scores.values()), [-place(key) for key in keys])
    return [keys[index] for index in order]


def turn_item(turn: Turn) -> MemoryItem:
    """A turn as an item; who said what is shown if the two have names."""
    said = (f"{name}: {text}" if name else text for name, text in _said(turn) if text)
    return MemoryItem(turn_key(turn.number), " ".join(said))


def turn_key(number: int) -> str:
    """The key of a turn."""
    return f"turn:{number}"


def key_number(key: str) -> int:
    """The number in a key."""
    return int(key.partition(":")[2])


def _said(turn: Turn) -> tuple[tuple[str, str], ...]:
    return (turn.asked_by, turn.question), (turn.said_by, turn.reply), ("", turn.results)
