"""From a run to sheets for raters and the key to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from osler.errors import UserError
from osler.eval.rating.blinding import Mask
from osler.eval.rating.item_text import ItemTexts, digest, shown
from osler.eval.rating.key import Key
from osler.eval.rating.moments import Drawn, Place, RatedConsultation, consultations, draw
from osler.eval.rating.sheet import workbook
from osler.eval.write_files import check_folder, write_whole
from osler.runs.plan import Column
from osler.runs.store import RunFile
from osler.seeds import derive


@dataclass(frozen=True)
class ExportedSheets:
    """What was written."""

    sheets: tuple[Path, ...]
    key: Path
    items: dict[Column, int]
    """How many of every system; fewer than asked for where a run has not more moments."""


def export_sheets(
    run: RunFile, target: Path, *, per_system: int, seed: int, raters: int = 1, force: bool = False
) -> ExportedSheets:
    """Write a sheet for every rater, all with the same items in an order of its own, and one key.

    Raises:
        UserError: The run has nothing to rate, or the files cannot be written.
    """
    if target.suffix.lower() != ".xlsx":
        raise UserError(f"{target} does not end in .xlsx", "give the sheet a name such as sheet.xlsx")
    check_folder(target.parent)
    held = list(consultations(run))
    drawn = draw(held, per_system, seed)
    if not drawn:
        raise UserError(f"the run {run.path} has no moment to rate", "rate a run whose doctors asked two questions")
    # Also a system without a moment to rate is counted, so that its absence is seen.
    items = Counter({one.system: 0 for one in held})
    items.update(one.held.system for one in drawn)
    moments = list(zip(drawn, _texts(run, drawn), strict=True))
    key = Key.of(moments, run.path.name, seed)
    texts = {item.id: text for item, (_, text) in zip(key.items, moments, strict=True)}
    names = [target] if raters == 1 else [target.with_stem(f"{target.stem}-{one}") for one in range(1, raters + 1)]
    key_path = target.with_suffix(".key.json")
    # The key first, so that no sheet ever lies there without it.
    files = {key_path: key.model_dump_json(indent=1).encode()}
    for rater, name in enumerate(names, 1):
        order = sorted(texts, key=lambda item: derive(seed, item, rater, "rater's order"))
        files[name] = workbook([(item, texts[item]) for item in order], key.code)
    write_whole(files, force=force)
    return ExportedSheets(tuple(names), key_path, dict(sorted(items.items())))


def check_run(key: Key, run: RunFile) -> None:
    """Make sure that the key's items are moments of this run.

    Raises:
        UserError: One of them is not.
    """
    known = {one.cell: one for one in consultations(run)}
    drawn = [
        Drawn(held, Place(item.case, item.trial, None if item.concludes else item.turn))
        for item in key.items
        if (held := known.get(item.cell)) and _is_of(held, item.turn)
    ]
    same = len(drawn) == len(key.items) and [digest(texts) for texts in _texts(run, drawn)] == [
        item.digest for item in key.items
    ]
    if not same:
        raise UserError(f"the ratings are of the run {key.run}, not of {run.path}", "give that run, or leave --run out")


def _is_of(held: RatedConsultation, turn: int) -> bool:
    return turn <= held.questions + held.concluded


def _texts(run: RunFile, drawn: list[Drawn]) -> list[ItemTexts]:
    """What raters see of these moments; every consultation is read once, one at a time."""
    mask = _mask(run)
    by_cell: dict[int, list[int]] = {}
    for number, one in enumerate(drawn):
        by_cell.setdefault(one.held.cell, []).append(number)
    texts: dict[int, ItemTexts] = {}
    for cell, numbers in by_cell.items():
        transcript = run.transcript(cell)
        assert transcript is not None
        texts |= {number: shown(transcript, drawn[number], mask) for number in numbers}
    return [texts[number] for number in range(len(drawn))]


def _mask(run: RunFile) -> Mask:
    settings = run.settings
    others = (settings.patient_backbone, settings.ram_backbone, settings.memory_backbone)
    columns = run.columns()
    backbones = {*(column.backbone for column in columns), *(spec for spec in others if spec)}
    return Mask(backbones, {name for column in columns for name in (column.strategy, column.memory) if name})
