"""What is in a run file: its tables, and the events of a transcript."""

from __future__ import annotations

import sqlite3
from typing import get_args

from pydantic import TypeAdapter

from docs.generate.json_schema import fields_table, parts
from docs.generate.markdown import code, one_line, table
from osler.runs import events
from osler.runs.store import row_checksums, tables

_IN_EVERY_EVENT = ("type", "turn", "role", "at", "prompt")
_CONTENTS = {
    "about": "settings and versions: one value for each name",
    "records": "the patient records as they were when the run began",
    "cells": "the plan: one row for each consultation, with all that was ever paid for it",
    "results": "how each consultation ended",
    "transcripts": "the events of each consultation, compressed JSON",
    "attempts": "every try of a consultation, and what it newly cost",
    "answers": "model answers of consultations that have not ended yet",
    "verdicts": "what each judge decided on diagnosis and treatment, under the judge's name",
    "measures": "the measures of each consultation, as JSON",
    "patient_verdicts": "what a model found in the patient's replies",
    "patient_judges": "how that model did on its controls",
    "forks": "which consultation a fork continues, and how many turns they share",
    "sessions": "every start of the run, with the options it was started with",
    "prompts": "the hash of each prompt template that was used",
    "checksums": "the checksum of every row that figures are made from",
    "explanations": "why consultations were lost (`osler explain`)",
    "explain_answers": "model answers that `osler explain` asked for",
}
"""A table that is missing here stops the build of the site."""


def run_file_page() -> str:
    """The tables of the file, then the events."""
    text = f"## Tables\n\nThis is format {tables.FORMAT}.\n\n" + _tables()
    text += "## Events\n\nEvery event has these fields:\n\n"
    base = events.Asked.model_json_schema()["properties"]
    text += fields_table({"properties": {name: base[name] for name in _IN_EVERY_EVENT}})
    kinds = get_args(get_args(events.Event)[0])
    text += "".join(_event(kind) for kind in kinds)
    definitions = TypeAdapter(events.Event).json_schema()["$defs"]
    names = {kind.__name__ for kind in kinds}
    shared = {name: definitions[name] for name in definitions if name not in names}
    return f"{text}## Parts of events\n\n{parts(shared)}"


def _tables() -> str:
    with sqlite3.connect(":memory:") as database:
        for statement in (*tables.TABLES, row_checksums.TABLE):
            database.execute(statement)
        names = [
            name
            for (name,) in database.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
            )
        ]
        rows = [(code(name), _CONTENTS[name], _columns(database, name)) for name in names]
    database.close()
    return table(["table", "what is in it", "columns"], rows)


def _columns(database: sqlite3.Connection, name: str) -> str:
    columns = database.execute("SELECT name FROM pragma_table_info(?)", (name,))
    return ", ".join(code(column) for (column,) in columns)


def _event(kind: type[events.Asked]) -> str:
    schema = kind.model_json_schema()
    fields = schema["properties"]
    own = {name: fields[name] for name in fields if name not in _IN_EVERY_EVENT}
    text = f"### {fields['type']['const']}\n\n{one_line(kind.__doc__)}\n\n"
    return text + fields_table({"properties": own, "required": schema.get("required", [])})
