"""The key of an export: which item is which moment of which system. It stays with whoever made the sheets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.errors import UserError
from osler.eval.rating.moments import ItemTexts, Moment
from osler.seeds import derive

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels no id becomes a word, and without digits no table program takes one for a number or a date."""
_ID_LENGTH = 5
_LARGEST = 64 * 2**20


def digest(texts: Sequence[str]) -> str:
    """A fingerprint of an item's texts that does not mind how a program saved their line breaks."""
    return hashlib.sha256("\0".join(" ".join(text.split()) for text in texts).encode()).hexdigest()[:16]


class KeyItem(Moment):
    """A moment with its id on the sheets."""

    id: str
    digest: str
    """Of its texts, so that a row whose texts belong to another id is noticed."""


class Key(BaseModel):
    """All items of an export."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    format: Literal["osler rating key 2"] = "osler rating key 2"
    run: str
    seed: int
    code: str
    """Also on every sheet of the export, so that a sheet of another one is noticed."""
    items: tuple[KeyItem, ...]

    @classmethod
    def of(cls, moments: Sequence[Moment], texts: Sequence[ItemTexts], run: str, seed: int) -> Self:
        """Name the items. Ids depend on all texts together, so that another export has others."""
        digests = [digest(some) for some in texts]
        code = _code(digests, seed)
        named = zip(_ids(len(moments), seed, code), digests, moments, strict=True)
        items = tuple(KeyItem(id=name, digest=mark, **moment.model_dump()) for name, mark, moment in named)
        return cls(run=run, seed=seed, code=code, items=items)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read a key.

        Raises:
            UserError: There is none, it is no key, or it was changed.
        """
        remedy = "give the .key.json file that `osler rate export` wrote"
        try:
            if path.stat().st_size > _LARGEST:
                raise UserError(f"{path} is too large for a key", remedy)
            key = cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise UserError(f"the key {path} cannot be read ({error.strerror or error})", remedy) from None
        except ValidationError:
            raise UserError(f"{path} is not a key of ratings", remedy) from None
        if key.code != _code([item.digest for item in key.items], key.seed):
            raise UserError(f"the key {path} was changed after it was written", "give it as it was, or export again")
        return key


def _code(digests: Iterable[str], seed: int) -> str:
    return hashlib.sha256("\0".join([str(seed), *sorted(digests)]).encode()).hexdigest()[:12]


def _ids(number: int, seed: int, code: str) -> list[str]:
    """So many different ids, in an order that says nothing."""
    ids: dict[str, None] = {}
    tried = 0
    while len(ids) < number:
        chance = derive(seed, code, tried, "rated item")
        ids["".join(_LETTERS[chance // len(_LETTERS) ** place % len(_LETTERS)] for place in range(_ID_LENGTH))] = None
        tried += 1
    return list(ids)
