"""Wrong files and arguments of a memory store: one clear line each, with the remedy, and nothing is
changed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from osler import MemoryStore
from osler.errors import UserError
from osler.memory.autogen import AutoGenMemory
from tests.conftest import LONGEST_WAIT


def write_database(path: Path) -> None:
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE recipes (name TEXT)")
    file.close()


def write_newer(path: Path) -> None:
    MemoryStore(path).close()
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version=9")
    file.close()


def write_older(path: Path) -> None:
    MemoryStore(path).close()
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version=1")
    file.close()


def damage(path: Path) -> None:
    with MemoryStore(path, memory="raw") as store:
        for number in range(200):
            store.add(f"{number} " * 50, user_id="u")
    whole = bytearray(path.read_bytes())
    whole[100:4096] = b"\xff" * 3996
    path.write_bytes(whole)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            lambda path: path.write_text("hello"),
            "is not a memory store; give a file that a MemoryStore made",
        ),
        (
            lambda path: path.write_text('{"format": 1, "sha256": "ab"}\n{}'),
            "earlier version of Osler.*; give another",
        ),
        (write_database, "is the database of another program; give another file"),
        (write_older, "has form 1, this Osler reads form 2; use Osler 0.1.0"),
        (write_newer, "has form 9, this Osler reads form 2; use the version"),
        (damage, "is damaged .*; restore it from a copy"),
        (Path.mkdir, "is a folder; give the name of a file"),
    ],
)
def test_a_file_that_is_something_else(
    tmp_path: Path, make: Callable[[Path], object], line: str
) -> None:
    path = tmp_path / "s"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(UserError, match=line):
        MemoryStore(path)
    with pytest.raises(UserError, match=line):
        AutoGenMemory(file=path)
    assert path.is_dir() or path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"memory": "tom"}, "there is no memory 'tom'; use one of"),
        ({"memory": "none"}, "keeps nothing.*; use tim or raw"),
        ({"memory": "tim,colour=red"}, "tim cannot be made with colour='red'.*; its options are"),
        ({"memory": "tim"}, "holds memories of 'raw', not of 'tim'; open it with memory='raw'"),
        ({"memory": "raw", "language": "fr"}, "there is no language 'fr'; use one of en, zh"),
        ({"backbone": "nosuch:model"}, "; "),
    ],
)
def test_a_store_that_cannot_be_made(tmp_path: Path, options: dict[str, Any], line: str) -> None:
    MemoryStore(tmp_path / "s", memory="raw").close()
    with pytest.raises(UserError, match=line):
        MemoryStore(tmp_path / "s", **options)


def test_an_embedder_of_another_kind_is_refused_and_other_options_are_not(tmp_path: Path) -> None:
    MemoryStore(tmp_path / "s", memory="tim,embedder=hash:384,k=5").close()
    MemoryStore(tmp_path / "s", memory="tim,embedder=hash:384").close()
    with pytest.raises(UserError, match="open it with memory='tim,embedder=hash:384,k=5'"):
        MemoryStore(tmp_path / "s", memory="tim")


Call = Callable[[MemoryStore], object]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda store: store.add("text"), "whose memory it is; give user_id="),
        (lambda store: store.search("text", user_id=" "), "whose memory it is; give user_id="),
        (lambda store: store.add("", user_id="u"), "nothing to remember.*; give a text"),
        (lambda store: store.add(7, user_id="u"), "a int is no message; give a text"),
        (
            lambda store: store.add([{"content": 7}], user_id="u"),
            "content of a message is a int; give a text",
        ),
        (
            lambda store: store.add("a", user_id="u", timestamp="soon"),
            "'soon' is no time; write it as",
        ),
        (
            lambda store: store.add("a", user_id="u", metadata={"a": {1}}),
            "metadata cannot be stored .*; use text",
        ),
        (
            lambda store: store.search("a", user_id="u", limit=0),
            "limit=0 is no number of results; give a whole",
        ),
        (
            lambda store: store.get_all(user_id="u", filters={"a": {"like": 1}}),
            "no operator 'like'; use one of eq",
        ),
        (
            lambda store: store.get_all(user_id="u", filters={"OR": 1}),
            "OR is no list of filters; write",
        ),
        (
            lambda store: store.get_all(user_id="u", filters={"created_at": {"gt": "x"}}),
            "'x' is no time; write",
        ),
        (lambda store: store.update("nosuch", "text"), "there is no memory 'nosuch'; use an id"),
        (lambda store: store.delete("nosuch"), "there is no memory 'nosuch'; use an id"),
        (lambda store: store.history("nosuch"), "there is no memory 'nosuch'; use an id"),
        (
            lambda store: store.update(store.get_all(user_id="u")["results"][0]["id"]),
            "neither text nor metadata; give",
        ),
    ],
)
def test_wrong_arguments(call: Call, line: str) -> None:
    with MemoryStore(memory="raw") as store:
        store.add("one", user_id="u")
        with pytest.raises(UserError, match=line):
            call(store)
        assert len(store.get_all(user_id="u")["results"]) == 1 and store.get("nosuch") is None


def test_words_as_they_are_are_not_for_a_memory_that_thinks() -> None:
    with (
        MemoryStore() as store,
        pytest.raises(UserError, match=r"infer=False.*; open the store with memory='raw'"),
    ):
        store.add("text", user_id="u", infer=False)


SCRIPT = """
import os, resource, sys
from osler import MemoryStore
from osler.errors import UserError
path, kind = sys.argv[1:]
try:
    if kind == "readonly":
        if os.geteuid() == 0:
            os.seteuid(65534)
        MemoryStore(path)
    with MemoryStore(path) as store:
        kept = len(store.get_all(user_id="u")["results"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(path) + 40_000, -1))
        try:
            for number in range(2000):
                store.add(f"{number} " * 200, user_id="u")
                kept += 1
        except UserError as error:
            print(error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
        assert len(store.get_all(user_id="u")["results"]) == kept
except UserError as error:
    print(error)
"""


def _tried(path: Path, kind: str) -> str:
    command = [sys.executable, "-c", SCRIPT, str(path), kind]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=LONGEST_WAIT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_read_only_file() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s"
        MemoryStore(path, memory="raw").close()
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        told = _tried(path, "readonly")
        Path(folder).chmod(0o700)
    assert "cannot be written" in told and "; give a file in a folder that you may write to" in told
    assert "\n" not in told


def test_a_full_disk_keeps_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with MemoryStore(path, memory="raw") as store:
        store.add("the first", user_id="u")
    told = _tried(path, "full")
    assert "cannot be written" in told and "free disk space; what was saved before is kept" in told
    with MemoryStore(path) as store:
        kept = store.get_all(user_id="u")["results"]
        assert kept[0]["memory"] == "the first" and len(kept) > 1
        store.add("the last", user_id="u")
