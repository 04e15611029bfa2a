"""What the page shows of a run as a whole, as plain data for the server and the export."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from osler.eval.ladder import LADDER
from osler.eval.runs import Run
from osler.runs.makers import Makers
from osler.runs.plan import COLUMN, Column, told_variants
from osler.runs.short_names import backbone_name, backbone_names, memory_names
from osler.runs.store import RunFile
from osler.view.run_list import ListedRun

_LIVE_SECONDS = 300.0
"""Seconds without a write after which a run that was never closed counts as dead."""


def run(shown: ListedRun) -> dict[str, Any]:
    """One line of the list of runs."""
    with shown.open() as file:
        about, status = file.about(), file.status()
        backbones, strategies, memories, variants = (_distinct(file, "cells", name) for name in COLUMN)
        settings, judge = about["settings"], judge_of(file)
        seats = [settings[name] for name in ("patient_backbone", "ram_backbone", "memory_backbone") if settings[name]]
        names = {spec: backbone_name(spec) for spec in seats} | backbone_names(backbones) | memory_names(memories)
        names |= {column.as_row()["variants"]: ", ".join(told_variants(column.variants)) for column in file.columns()}
        open_session = file.ask("SELECT 1 FROM sessions WHERE ended IS NULL AND id = (SELECT max(id) FROM sessions)")
        return {
            "key": shown.key,
            "name": shown.name,
            **{name: getattr(status, name) for name in ("total", "done", "failed", "todo", "tokens", "cost")},
            "live": bool(open_session) and shown.changed_within(_LIVE_SECONDS),
            "unjudged": len(file.unjudged(judge)),
            "patient_backbone": settings["patient_backbone"],
            "backbones": backbones,
            "strategies": [name for name in strategies if name],
            "memories": memories,
            "variants": variants,
            "names": names,
            "languages": _distinct(file, "records", "language"),
            "specialties": _distinct(file, "records", "specialty"),
            "endings": _distinct(file, "results", "ending"),
            "judges": _distinct(file, "verdicts", "judge"),
            "judge": judge,
            "version": about["version"],
        }


def judge_of(file: RunFile, named: str | None = None) -> str:
    """Whose verdicts are shown unless one is named: the ladder's, which is quick to see, or else the first judge's."""
    if named:
        return named
    by_ladder = file.ask("SELECT 1 FROM verdicts WHERE judge = :judge LIMIT 1", {"judge": LADDER})
    return LADDER if by_ladder else Run(file).judge()


def makers(file: RunFile) -> dict[str, Any]:
    """Who made what in every column, over the consultations with an answer; empty where rules did everything."""
    names = ", ".join(f"cells.{name}" for name in COLUMN)
    columns: dict[Column, list[Makers]] = defaultdict(list)
    for *named, body in file.ask(
        f"SELECT {names}, measures.body FROM cells JOIN measures ON measures.cell = cells.number"  # noqa: S608
        " WHERE cells.state = 'done' ORDER BY cells.number"
    ):
        with suppress(AttributeError, TypeError, ValueError):  # damaged: `osler runs check` names it
            column = Column.from_row(dict(zip(COLUMN, named, strict=True)))
            columns[column].append(Makers.read(json.loads(body)))
    counted = [(column, len(some), Makers.together(some)) for column, some in columns.items()]
    if all(found.is_by_rules_alone for _, _, found in counted):
        return {"columns": []}
    rows = [{**column.as_json(), "consultations": count, "makers": asdict(found)} for column, count, found in counted]
    return {"columns": rows}


def _distinct(file: RunFile, table: str, column: str) -> list[str]:
    found = file.ask(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1")  # noqa: S608
    return [value for (value,) in found]
