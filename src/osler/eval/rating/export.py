"""Export sheets for raters, and the key to them: which item is which moment of which column."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from osler.errors import UserError
from osler.eval.rating.blinding import Mask
from osler.eval.rating.moments import ItemTexts, Moment, draw, moments, shown
from osler.eval.rating.sheet import workbook
from osler.eval.write_files import check_folder, write_whole
from osler.runs.plan import Column, models_of
from osler.runs.store import RunFile
from osler.seeds import derive

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""Without vowels no id becomes a word, and without digits no spreadsheet takes one for a number or
a date."""
_ID_LENGTH = 5
"""Letters of an item's id."""
_LARGEST = 64 * 2**20
"""Bytes of a key."""


def digest(texts: Sequence[str]) -> str:
    """Return a fingerprint of an item's texts, however a program saved their line breaks."""
    return hashlib.sha256("\0".join(" ".join(text.split()) for text in texts).encode()).hexdigest()[
        :16
    ]


class KeyItem(Moment):
    """A moment with its id on the sheets."""

    id: str
    digest: str
    """Hash of its texts, so that a row whose texts belong to another id is noticed."""


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
        items = tuple(
            KeyItem(id=name, digest=mark, **moment.model_dump()) for name, mark, moment in named
        )
        return cls(run=run, seed=seed, code=code, items=items)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read a key.

        Raises:
            UserError: There is none, it is not a key, or it was changed.
        """
        remedy = "give the .key.json file that `osler rate export` wrote"
        try:
            if path.stat().st_size > _LARGEST:
                raise UserError(f"{path} is too large for a key", remedy)
            key = cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise UserError(
                f"the key {path} cannot be read ({error.strerror or error})", remedy
            ) from None
        except ValidationError:
            raise UserError(f"{path} is not a key of ratings", remedy) from None
        if key.code != _code([item.digest for item in key.items], key.seed):
            raise UserError(
                f"the key {path} was changed after it was written",
                "give it as it was, or export again",
            )
        return key


def _code(digests: Iterable[str], seed: int) -> str:
    return hashlib.sha256("\0".join([str(seed), *sorted(digests)]).encode()).hexdigest()[:12]


def _ids(number: int, seed: int, code: str) -> list[str]:
    """Return this many different ids, in an order that says nothing."""
    ids: dict[str, None] = {}
    tried = 0
    while len(ids) < number:
        chance = derive(seed, code, tried, "rated item")
        places = [chance // len(LETTERS) ** place for place in range(_ID_LENGTH)]
        ids["".join(LETTERS[place % len(LETTERS)] for place in places)] = None
        tried += 1
    return list(ids)


@dataclass(frozen=True)
class ExportedSheets:
    """What was written."""

    sheets: tuple[Path, ...]
    key: Path
    items: dict[Column, int]
    """How many of every column; fewer than asked for where a run has not more moments."""


def export_sheets(
    run: RunFile, target: Path, *, per_column: int, seed: int, raters: int = 1, force: bool = False
) -> ExportedSheets:
    """Write a sheet for every rater, all with the same items in an order of its own, and one key.

    Raises:
        UserError: The run has nothing to rate, or the files cannot be written.
    """
    if target.suffix.lower() != ".xlsx":
        raise UserError(
            f"{target} does not end in .xlsx", "give the sheet a name such as sheet.xlsx"
        )
    check_folder(target.parent)
    drawn = draw(moments(run), per_column, seed)
    if not drawn:
        raise UserError(
            f"the run {run.path} has no moment to rate",
            "rate a run whose doctors asked two questions",
        )
    texts = _texts(run, drawn)
    key = Key.of(drawn, texts, run.path.name, seed)
    by_id = {item.id: texts_of_item for item, texts_of_item in zip(key.items, texts, strict=True)}
    names = [target]
    if raters > 1:
        names = [target.with_stem(f"{target.stem}-{number}") for number in range(1, raters + 1)]
    key_path = target.with_suffix(".key.json")
    # The key first, so that no sheet is ever there without it.
    files = {key_path: key.model_dump_json(indent=1).encode()}
    for rater, name in enumerate(names, 1):
        order = sorted(by_id, key=lambda item: derive(seed, item, rater, "rater's order"))
        files[name] = workbook([(item, by_id[item]) for item in order], key.code)
    write_whole(files, force=force)
    # Also a column without a moment to rate is counted, so that its absence is seen.
    items = Counter(dict.fromkeys(run.columns(), 0))
    items.update(moment.column for moment in drawn)
    return ExportedSheets(tuple(names), key_path, dict(sorted(items.items())))


def check_run(key: Key, run: RunFile) -> None:
    """Make sure that the key's items are moments of this run.

    Raises:
        UserError: One of them is not.
    """
    places = {(moment.cell, moment.turn, moment.concludes) for moment in moments(run)}
    is_same = all((item.cell, item.turn, item.concludes) in places for item in key.items)
    if is_same:
        digests = [digest(texts) for texts in _texts(run, key.items)]
        is_same = digests == [item.digest for item in key.items]
    if not is_same:
        raise UserError(
            f"the ratings are of the run {key.run}, not of {run.path}",
            "give that run, or leave --run out",
        )


def _texts(run: RunFile, drawn: Sequence[Moment]) -> list[ItemTexts]:
    """Return what raters see of these moments; every consultation is read once, one at a time."""
    mask = mask_of(run)
    texts: dict[int, ItemTexts] = {}
    numbers = sorted(range(len(drawn)), key=lambda number: drawn[number].cell)
    for cell, of_cell in groupby(numbers, key=lambda number: drawn[number].cell):
        transcript = run.transcript(cell)
        assert transcript is not None
        texts |= {number: shown(transcript, drawn[number], mask) for number in of_cell}
    return [texts[number] for number in range(len(drawn))]


def mask_of(run: RunFile) -> Mask:
    """Hides the models, strategies and memories of a run."""
    columns = run.columns()
    backbones = {column.backbone for column in columns} | models_of(columns, run.settings)
    strategies = {column.strategy for column in columns if column.strategy}
    return Mask(backbones, strategies | {column.memory for column in columns})
