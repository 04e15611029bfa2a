"""What Osler writes holds what patients and models said: nobody but its owner may read it, or slip
something in."""

from __future__ import annotations

import marshal
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler import MemoryStore
from osler.models.cache import ResponseCache
from osler.runs.store import RunWriter
from osler.settings.run_settings import RunSettings
from osler.simulator.batch import about
from tests.conftest import Run

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows keeps rights in another way"
)

TEXT, TAKEN_APART = "昨天晚上肚子疼得厉害", "昨天晚上 肚子痛 得 厉害"


@pytest.fixture(autouse=True)
def _as_most_people_have_it() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """Everything below a folder that somebody else can reach and read."""
    found = []
    for path in folder.iterdir():
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            found += [str(path), *open_to_others(path)] if path.is_dir() else [str(path)]
    return found


def test_a_run_is_private_from_its_first_byte_to_its_last(tmp_path: Path) -> None:
    with RunWriter.create_or_resume(tmp_path / "run.osler", about(RunSettings())) as run:
        run.begin({})
        assert {path.name for path in tmp_path.iterdir()} >= {
            "run.osler",
            "run.osler-wal",
            "run.osler.lock",
        }
        assert open_to_others(tmp_path) == []
    assert (tmp_path / "run.osler").is_file() and open_to_others(tmp_path) == []


def test_what_is_made_of_a_run_is_private(osler: Run, tmp_path: Path) -> None:
    for command in (
        "simulate --quiet --case gout-en --memory raw --out run.osler",
        "report run.osler -o report.html --figures figures",
        "export run.osler -o site",
        "rate export run.osler -o sheets.xlsx --per-column 2",
        "records convert bundled gout.jsonl --id gout-en",
        "records convert bundled folder --to yaml --id gout-en",
    ):
        done = osler(*command.split())
        assert done.returncode == 0, (command, done.stderr)
    made = {path.name for path in tmp_path.iterdir()}
    assert (
        made >= {"run.osler", "report.html", "site", "sheets.xlsx", "gout.jsonl", "folder"}
        and len(made) > 6
    )
    assert [one for one in open_to_others(tmp_path) if one != str(tmp_path / "figures")] == []


def test_answers_and_memories_that_are_kept_are_private(tmp_path: Path) -> None:
    answers = ResponseCache(tmp_path / "answers.sqlite")
    with MemoryStore(tmp_path / "memories.db", memory="raw") as store:
        store.add("I am allergic to penicillin.", user_id="anna")
        assert len(list(tmp_path.iterdir())) >= 4 and open_to_others(tmp_path) == []
    answers.close()


# The dictionary of Chinese words, which is kept because it takes long to read


def taken_apart(temporary: Path, cache: Path) -> str:
    program = (
        "from osler.language import Language; from osler.language.words import words;"
        f"print(*words({TEXT!r}, Language.ZH))"
    )
    places = {
        "TMPDIR": str(temporary),
        "XDG_CACHE_HOME": str(cache),
        "HOME": str(cache),
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def another_dictionary(path: Path) -> None:
    """As somebody else would leave it: every character is a word of its own."""
    path.write_bytes(marshal.dumps((dict.fromkeys(TEXT, 1), len(TEXT))))


def test_no_dictionary_is_taken_from_the_folder_that_all_share(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    another_dictionary(shared / "jieba.cache")
    assert taken_apart(shared, own) == TAKEN_APART, "neither by Osler nor by jieba"
    assert [path.name for path in shared.iterdir()] == ["jieba.cache"]
    (kept,) = [path for path in own.rglob("*") if path.is_file()]
    assert open_to_others(kept.parent.parent) == []
    another_dictionary(kept)
    assert taken_apart(shared, own) == " ".join(TEXT.replace("疼", "痛")), (
        "what is kept is used again"
    )
    kept.parent.chmod(0o777)
    assert taken_apart(shared, own) == TAKEN_APART, "but not from a folder that others can write to"


def test_without_a_place_for_it_the_dictionary_is_read_each_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert taken_apart(tmp_path, tmp_path / "file") == TAKEN_APART
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
