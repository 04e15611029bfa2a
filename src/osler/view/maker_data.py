"""Who made what in each column of a run, as plain data."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from osler.runs.makers import Makers
from osler.runs.plan import COLUMN, Column
from osler.runs.store import RunFile


def makers(file: RunFile) -> dict[str, Any]:
    """The counts of every column, over the consultations that ended with an answer; none where rules did everything."""
    names = ", ".join(f"cells.{name}" for name in COLUMN)
    columns: dict[Column, list[Makers]] = defaultdict(list)
    for *named, body in file.ask(
        f"SELECT {names}, measures.body FROM cells JOIN measures ON measures.cell = cells.number"  # noqa: S608
        " WHERE cells.state = 'done' ORDER BY cells.number"
    ):
        with suppress(AttributeError, TypeError, ValueError):  # damaged: `osler runs check` names it
            column = Column.from_row(dict(zip(COLUMN, named, strict=True)))
            columns[column].append(Makers.read(json.loads(body)))
    told = [(column, len(some), Makers.together(some)) for column, some in columns.items()]
    if all(found.is_by_rules_alone for _, _, found in told):
        return {"columns": []}
    return {
        "columns": [
            {**column.as_json(), "consultations": count, "makers": asdict(found)} for column, count, found in told
        ]
    }
