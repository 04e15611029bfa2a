"""Run files that are damaged, copied without their log or on a read-only disk: said in one line,
the rest is shown."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from osler.runs.events import Answered, Maker, Role
from osler.runs.plan import Plan, Selector
from osler.runs.store import RunFile, RunWriter, connection
from osler.runs.store.check import find_damage
from osler.settings.run_settings import RunSettings
from tests.conftest import Run
from tests.simulator.test_runs import hold

CASE = "acute-cholecystitis-en"
FORK = multiprocessing.get_context("fork")
COMMANDS = (
    ("runs", "list", "."),
    ("runs", "status", "run.osler"),
    ("runs", "status", "run.osler", "--json"),
    ("runs", "failures", "run.osler"),
    ("runs", "check", "run.osler"),
    ("show", "run.osler", CASE),
    ("replay", "run.osler", CASE),
    ("verify", "run.osler"),
    ("compare", "run.osler"),
    ("compare", "run.osler", "--format", "csv"),
    ("score", "run.osler"),
    ("memory", "show", "run.osler", CASE),
    ("report", "run.osler", "-o", "out.html"),
    ("simulate", "--limit", "4", "--turns", "2", "--quiet", "--out", "run.osler"),
    ("runs", "retry", "run.osler", "--quiet"),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "run.osler"
    hold(path, limit=4)
    return path


def flip(path: Path, place: int, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


def change(path: Path, sql: str) -> None:
    with sqlite3.connect(path) as file:
        file.execute(sql)


def fails_clearly(osler: Run, folder: Path, command: tuple[str, ...]) -> str:
    """Run a command on a damaged run; whatever it says, a refusal ends in one line of our own."""
    done = osler(*command, cwd=folder)
    assert "Traceback" not in done.stderr and done.returncode in {0, 1, 2}, (command, done.stderr)
    if done.returncode == 2:
        assert done.stderr.splitlines()[-1].startswith("osler: "), (command, done.stderr)
    return done.stdout + done.stderr


def test_a_damaged_transcript_is_named_and_the_others_are_shown(
    tmp_path: Path, sound: Path, osler: Run
) -> None:
    shutil.copy(sound, tmp_path)
    change(tmp_path / "run.osler", "UPDATE transcripts SET body = zeroblob(100) WHERE cell = 2")
    with RunFile.open(tmp_path / "run.osler") as run:
        name = run.name_of(2)
        assert sum(1 for _ in run.transcripts()) == 3
        assert [fault.part for fault in find_damage(run)] == ["transcript"]
    case = name.split()[0]
    checked = osler("runs", "check", "run.osler")
    assert checked.returncode == 1 and name in checked.stdout and "runs repair" in checked.stdout
    shown = osler("show", "run.osler", case)
    assert shown.returncode == 2 and case in shown.stderr and shown.stderr.count("\n") == 1
    assert osler("runs", "retry", "run.osler", "--quiet").returncode == 0
    assert "no damage found; 4 consultation(s)" in osler("runs", "check", "run.osler").stdout


def test_a_checksum_notices_what_still_can_be_read(tmp_path: Path, sound: Path, osler: Run) -> None:
    shutil.copy(sound, tmp_path)
    other = "(SELECT body FROM transcripts WHERE cell = 3)"
    change(tmp_path / "run.osler", f"UPDATE transcripts SET body = {other} WHERE cell = 1")
    with (
        RunFile.open(tmp_path / "run.osler") as run,
        pytest.raises(connection.DamagedRunError, match="the transcript of"),
    ):
        run.transcript(1)
    assert osler("runs", "check", "run.osler").stdout.startswith("transcript: ")


DAMAGE = (
    "DELETE FROM about",
    "DELETE FROM about WHERE name = 'settings'",
    "UPDATE about SET value = '{' WHERE name = 'settings'",
    "UPDATE verdicts SET verdict = x'ff00', because = x'ff00'",
    "UPDATE about SET value = '3' WHERE name = 'settings'",
    "UPDATE records SET body = x'00'",
    "UPDATE results SET turns = 'many' WHERE cell = 1",
    "UPDATE results SET diagnosis = x'ff00' WHERE cell = 1",
    "UPDATE measures SET body = '{' WHERE cell = 1",
    "UPDATE measures SET body = CAST(x'ff7b' AS TEXT) WHERE cell = 1",
    "DELETE FROM transcripts WHERE cell = 1",
    "DELETE FROM results WHERE cell = 1",
    "DROP TABLE transcripts",
)


@pytest.mark.parametrize("sql", DAMAGE)
def test_a_damaged_table_is_noticed_and_breaks_no_command(
    tmp_path: Path, sound: Path, osler: Run, sql: str
) -> None:
    """Each damage is shown to some of the commands, each command to some of the damage."""
    for command in (("runs", "check", "run.osler"), *COMMANDS[DAMAGE.index(sql) % 4 :: 4]):
        shutil.copy(sound, tmp_path)
        change(tmp_path / "run.osler", sql)
        told = fails_clearly(osler, tmp_path, command)
        assert command[1] != "check" or "no damage found" not in told


def test_a_table_whose_making_is_no_text_is_named_as_damaged(
    tmp_path: Path, sound: Path, osler: Run
) -> None:
    content = sound.read_bytes()
    whole = b"CREATE TABLE measures (cell"
    assert content.count(whole) == 1
    (tmp_path / "run.osler").write_bytes(
        content.replace(whole, whole.replace(b"TABLE", b"T\xc1BLE"))
    )
    for command in COMMANDS:
        assert "is damaged" in fails_clearly(osler, tmp_path, command), command


def test_no_command_breaks_on_flipped_bits_and_no_more_is_done_than_was_planned(
    tmp_path: Path, sound: Path, osler: Run
) -> None:
    rng, size = random.Random(11), sound.stat().st_size
    for command in COMMANDS:
        shutil.copy(sound, tmp_path)
        for _ in range(20):
            flip(tmp_path / "run.osler", rng.randrange(100, size), rng.randrange(8))
        fails_clearly(osler, tmp_path, command)
        status = osler("runs", "status", "run.osler", "--json")
        if status.returncode == 0:
            standing = json.loads(status.stdout)
            assert standing["done"] + standing["failed"] + standing["todo"] <= 4, (
                command,
                status.stdout,
            )
        for name in ("run.osler-wal", "run.osler-shm"):
            (tmp_path / name).unlink(missing_ok=True)


def test_tables_that_are_damaged_are_not_written_to(
    tmp_path: Path, sound: Path, osler: Run
) -> None:
    path = tmp_path / "run.osler"
    shutil.copy(sound, path)
    with sqlite3.connect(path) as file:
        (page,) = file.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_cells_1'"
        ).fetchone()
        (size,) = file.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size + 20 : page * size] = bytes(size - 20)
    path.write_bytes(content)
    done = osler("simulate", "--limit", "4", "--turns", "2", "--quiet", "--out", "run.osler")
    assert done.returncode == 2 and "is damaged" in done.stderr and done.stderr.count("\n") == 1


def killed_run(path: Path) -> int:
    """A run whose process was killed, so that part of it is in its log; how many consultations are
    done."""
    process = FORK.Process(
        target=hold, args=(path,), kwargs={"limit": 88, "settings": RunSettings(turns=2)}
    )
    process.start()
    done = 0
    while done < 5:
        time.sleep(0.05)
        if path.exists():
            with RunFile.open(path) as run:
                done = run.status().done
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with RunFile.open(path) as run:
        return run.status().done


def test_a_copy_without_its_log_says_that_something_is_missing(tmp_path: Path, osler: Run) -> None:
    done = killed_run(tmp_path / "run.osler")
    assert connection.has_log(tmp_path / "run.osler")
    (tmp_path / "copy").mkdir()
    shutil.copy(tmp_path / "run.osler", tmp_path / "copy")
    told = osler("runs", "status", "run.osler", cwd=tmp_path / "copy")
    assert (
        "run.osler-wal" in told.stderr and "missing" in told.stderr and told.stderr.count("\n") == 1
    )
    whole = osler("runs", "status", "run.osler")
    assert f"{done} done" in whole.stdout and not whole.stderr
    shutil.copy(tmp_path / "run.osler-wal", tmp_path / "copy")
    again = osler("runs", "status", "run.osler", cwd=tmp_path / "copy")
    assert f"{done} done" in again.stdout and not again.stderr


def test_a_killed_run_on_a_read_only_disk_shows_all_of_itself(
    tmp_path: Path, osler: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write anywhere, so the error that a read-only folder gives is raised by hand."""
    done = killed_run(tmp_path / "run.osler")
    (tmp_path / "run.osler-shm").unlink(missing_ok=True)
    real = connection._read_only

    def read_only(path: Path) -> sqlite3.Connection:
        if path.is_relative_to(tmp_path):
            raise sqlite3.OperationalError("unable to open database file")
        return real(path)

    monkeypatch.setattr(connection, "_read_only", read_only)
    assert f"{done} done" in osler("runs", "status", "run.osler").stdout


def test_the_log_of_a_run_stays_small(tmp_path: Path, sound: Path) -> None:
    path, largest = tmp_path / "run.osler", 0
    with RunFile.open(sound) as run:
        about, record, transcript = run.about(), run.record(CASE), run.find(Selector(CASE))
    with RunWriter.create_or_resume(path, about) as store:
        for number in store.extend(Plan([record], trials=600)).todo:
            words = " ".join(os.urandom(4).hex() for _ in range(500))
            reply = Answered(turn=1, role=Role.PATIENT, reply=words, maker=Maker.RULES)
            store.finish(
                number, transcript.model_copy(update={"events": (*transcript.events, reply)})
            )
            largest = max(largest, connection.log_of(path).stat().st_size)
    assert path.stat().st_size > 8 * 1024 * 1024 and 0 < largest < 4 * 1024 * 1024


def test_a_report_onto_a_folder_that_cannot_be_written_to_is_one_line(
    tmp_path: Path, sound: Path, osler: Run
) -> None:
    shutil.copy(sound, tmp_path)
    done = osler("report", "run.osler", "-o", "/proc/out.html")
    assert done.returncode == 2 and "/proc/out.html" in done.stderr and done.stderr.count("\n") == 1
