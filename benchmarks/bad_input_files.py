"""The folder in which `bad_inputs.py` makes its calls.

A pool, a run, a rated sheet, a bench, and all that is bad.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

from openpyxl import load_workbook

from osler.records import RecordPool
from osler.runs.store.connection import checksum
from osler.runs.store.row_checksums import write_checksums


def furnish(folder: Path, osler: Callable[..., int]) -> None:
    """Make the folder; `osler` runs a command in it and returns the exit code."""
    os.chdir(folder)
    (folder / "home").mkdir()
    assert (
        osler(
            "records", "convert", "bundled", "pool", "--to", "yaml", "--id", "gout", "--id", "gerd"
        )
        == 0
    )
    plan = (
        "--pool",
        "pool",
        "--memory",
        "raw",
        "--memory",
        "none",
        "--memory",
        "tim",
        "--turns",
        "3",
        "--quiet",
    )
    assert osler("simulate", *plan, "--out", "run") == 0
    assert osler("rate", "export", "run", "--out", "sheet.xlsx", "--per-column", "2") == 0
    rate(folder / "sheet.xlsx")
    (folder / "data").mkdir()
    talk = ["My dog is called Biscuit.", "A fine name.", "I keep bees.", "How many hives?"]
    (folder / "data/dialogue_en.json").write_text(json.dumps([{"id": "d1", "dialogue": talk}]))
    asked = {
        "id": "d1",
        "mode": "single-turn",
        "question": "What is my dog called?",
        "answer": "Biscuit",
    }
    (folder / "data/dialogue_en_questions.json").write_text(json.dumps([asked]))
    assert osler("bench", "memory", "--data", "data", "--memories", "raw", "--out", "bench") == 0
    spoil(folder, folder / "bad")


def spoil(folder: Path, spoiled: Path) -> None:
    """Write files and folders that no command can use."""
    spoiled.mkdir()
    for name in ("none", "folder.osler"):
        (spoiled / name).mkdir()
    (spoiled / "loop.osler").symlink_to("loop.osler")
    (spoiled / "dangling.osler").symlink_to("nothing.osler")
    junk = bytes(range(256)) * 64
    one = RecordPool.open().get("gout-en").model_dump_json(exclude_none=True)
    files: dict[str, bytes | str] = {
        "empty.osler": b"",
        "junk.osler": junk,
        "text.osler": "This is no run.\n" * 50,
        "half.osler": (
            (folder / "runs/run.osler").read_bytes()[
                : (folder / "runs/run.osler").stat().st_size // 2
            ]
        ),
        "junk.yaml": junk,
        "junk.xlsx": junk,
        "half.xlsx": (folder / "sheet.xlsx").read_bytes()[:2000],
        "empty.jsonl": b"",
        "deep.json": "[" * 100_000,
        "deep.yaml": "[" * 50_000,
        "bomb.yaml": (
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + "".join(
                f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n"
                for n in range(9)
            )
        ),
        "long.jsonl": '{"id": "' + "x" * 20_000_000 + '"}\n',
        "wide.csv": "," * 400_000 + "\n" + "a," * 400_000 + "\n",
        "latin.jsonl": '{"id": "caf\xe9"}\n'.encode("latin-1"),
        "types.jsonl": '{"id": 7, "language": [], "age": {}, "entries": "none"}\n[]\n7\nnull\n',
        "twice.jsonl": f"{one}\n{one}\n",
        "second.jsonl": f'{one}\n{{"id": "broken"}}\n',
        "nul.jsonl": b"\0" * 5000 + b"\n",
        "list.json": "[1, 2, 3]",
        "wrong.key.json": (folder / "sheet.key.json").read_text().replace('"seed": 0', '"seed": 1'),
    }
    for name, body in files.items():
        (spoiled / name).write_bytes(body if isinstance(body, bytes) else body.encode())
    for name in ("scm", "bench"):
        (spoiled / name).mkdir()
    (spoiled / "scm/dialogue_en.json").write_text('[{"id": 1}]')
    (spoiled / "scm/dialogue_en_questions.json").write_text("[7]")
    (spoiled / "bench/bench.json").write_bytes(junk)
    damage(folder / "runs/run.osler", spoiled)


def rate(sheet: Path) -> None:
    """Give every item of a sheet the best values."""
    book = load_workbook(sheet)
    page = book.worksheets[1]
    for row in range(2, page.max_row + 1):
        for column in (6, 7, 8):
            page.cell(row, column).value = 1
    book.save(sheet)


def damage(run: Path, folder: Path) -> None:
    """Copies of a run, each spoiled in its own way."""
    changes = {
        "later": "PRAGMA user_version = 999",
        "headless": "DELETE FROM about",
        "about": "UPDATE about SET value = '['",
        "nosettings": "DELETE FROM about WHERE name = 'settings'",
        "transcripts": "UPDATE transcripts SET body = x'00112233'",
        "records": "UPDATE records SET body = x'789c0300'",
        "verdicts": "UPDATE verdicts SET verdict = 'elephant', rung = 7, because = x'00'",
        "tables": "DROP TABLE results",
        "foreign": (
            "UPDATE cells SET memory = 'no_such_module:Memory', state = state WHERE memory = 'raw'"
        ),
    }
    for name, change in changes.items():
        shutil.copy(run, folder / f"{name}.osler")
        with sqlite3.connect(folder / f"{name}.osler") as file:
            if name == "foreign":  # sound, but of somebody else's memory
                write_checksums(file)
            file.execute(change)
        file.close()
    whole = bytearray(run.read_bytes())
    for place in range(5000, len(whole), 4999):
        whole[place] ^= 0x55
    (folder / "flipped.osler").write_bytes(whole)
    with sqlite3.connect(folder / "other.osler") as file:
        file.execute("CREATE TABLE x (y)")
    file.close()
    with sqlite3.connect(folder / "foreign.osler") as file:
        write_checksums(file)
        for cell, body in file.execute("SELECT cell, body FROM transcripts").fetchall():
            told = zlib.decompress(body).replace(
                b'"memory":"raw"', b'"memory":"no_such_module:Memory"'
            )
            changed = zlib.compress(told)
            row = (changed, checksum(changed), cell)
            file.execute("UPDATE transcripts SET body = ?, checksum = ? WHERE cell = ?", row)
    file.close()
