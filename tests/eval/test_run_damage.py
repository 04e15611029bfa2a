"""Damage in what figures are made from: it is never counted, always said, and repaired as far as
that can be done."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from osler import errors
from osler.errors import UserError
from osler.eval.runs import load_run
from osler.eval.scoring import EXACT
from osler.models.completion import Completion
from osler.runs.plan import Plan, Selector
from osler.runs.reply_faults import FaultyReply, PatientReading, ReplyFaults
from osler.runs.scored import StoredExplanation
from osler.runs.store import RunFile, RunWriter, StoredScore, StoredVerdict, answer_row
from osler.runs.store.check import find_damage
from osler.runs.store.explanations import ExplanationWriter
from tests.conftest import Run
from tests.eval.held_runs import score_rows
from tests.simulator.test_runs import hold

FIGURES = (
    "record",
    "memory",
    "diagnosis_verdict",
    "treatment_verdict",
    "leaks",
    "turns",
    "cause",
    "tokens_paid",
)
STORED = {
    "verdicts": "because",
    "measures": "body",
    "results": "diagnosis",
    "explanations": "body",
    "patient_verdicts": "body",
    "cells": "memory",
    "checksums": "key",
}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four consultations, judged by the rules and by an examiner, their replies by a reader, and
    explained."""
    path = tmp_path_factory.mktemp("held") / "run.osler"
    hold(path, limit=2, memories=("raw", "tim"))
    with RunWriter.resume(path) as store:
        for number in (1, 2, 3, 4):
            verdict = "correct" if number < 4 else "wrong"
            said = [
                StoredVerdict(kind, verdict, "model", f"{kind} {number}")
                for kind in ("diagnosis", "treatment")
            ]
            store.store_score(number, StoredScore("examiner", said))
            turns = tuple(range(1, number + 1))
            faulty = tuple(FaultyReply(turn, ReplyFaults(leaks=("It is",))) for turn in turns)
            reading = PatientReading(drawn=turns, faulty=faulty)
            store.store_reading(number, "reader", reading.model_dump(mode="json"), 10, 0.01)
    with ExplanationWriter.resume(path) as store:
        store.store_explanation(
            4,
            "examiner",
            StoredExplanation("inquiry", 2, ("Fever",), "never asked for: Fever", "wrong"),
        )
    return path


@pytest.fixture
def run(held: Path, tmp_path: Path) -> Path:
    errors._warn_once.cache_clear()  # every test hears what it has to
    return Path(shutil.copy(held, tmp_path))


def figures(path: Path, ruler: str = "reader") -> list[Any]:
    with load_run(path) as run:
        return [[row[name] for name in FIGURES] for row in score_rows(run, "examiner", ruler)]


def flip_stored(path: Path, value: str, rng: random.Random) -> None:
    """Flip one bit of a stored value, at one of the places where it is in the file."""
    content = bytearray(path.read_bytes())
    places = [found.start() for found in re.finditer(re.escape(value.encode()), content)]
    assert places, value
    content[rng.choice(places) + rng.randrange(len(value.encode()))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def change(path: Path, *statements: str) -> None:
    """Change a run as damage does: without its checksums."""
    with closing(sqlite3.connect(path)) as file, file:
        for sql in statements:
            file.execute(sql)


def read(path: Path) -> tuple[Any, str]:
    """The figures of a run, or nothing if it is refused, and what was said."""
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("osler.runs.store.verification.warn", said.append)
        patch.setattr("osler.runs.store.plan_reader.warn", said.append)
        try:
            return figures(path), "\n".join(said)
        except UserError as error:
            return None, "\n".join([*said, str(error)])


def damage(path: Path) -> list[str]:
    with RunFile.open(path, verified=False) as run:
        return [f"{fault.part}: {fault.what}" for fault in find_damage(run)]


def test_one_flipped_bit_of_a_verdict_is_not_counted_and_is_said(run: Path, osler: Run) -> None:
    content = run.read_bytes()
    stored = b"diagnosisexaminercorrectmodeldiagnosis 2"
    assert content.count(stored) == 1
    run.write_bytes(content.replace(stored, stored.replace(b"correct", b"corrdct")))
    done = osler("compare", "run.osler", "--judge", "examiner")
    assert done.stderr.startswith(
        "warning: run.osler is damaged: 1 verdict is not as written, and left out"
    )
    assert "`osler runs repair run.osler`" in done.stderr and done.stderr.count("is damaged") == 1
    assert [row[2] for row in figures(run)] == ["correct", None, "correct", "wrong"]
    checked = osler("runs", "check", "run.osler")
    assert checked.returncode == 1
    assert re.search(
        "^row: the verdict diagnosis examiner of .* is not as it was written$", checked.stdout, re.M
    )


@pytest.mark.parametrize("table", STORED)
def test_a_flipped_bit_in_any_table_gives_no_other_figures_without_a_word(
    held: Path, run: Path, table: str
) -> None:
    sound, rng = figures(held), random.Random(f"flip {table}")
    for _ in range(6):
        shutil.copy(held, run)
        with closing(sqlite3.connect(run)) as file:
            values = [
                str(value) for (value,) in file.execute(f"SELECT {STORED[table]} FROM {table}")
            ]
        flip_stored(run, rng.choice([value for value in values if len(value) > 2])[:200], rng)
        counted, said = read(run)
        assert counted == sound or "is damaged" in said, (counted, sound)
        assert counted == sound or damage(run)


@pytest.mark.parametrize("how", ["zeroed", "swapped", "repeated"])
def test_wrong_pages_give_no_other_figures_without_a_word(held: Path, run: Path, how: str) -> None:
    sound, rng, size = figures(held), random.Random(how), 4096
    said_at_all = 0
    for _ in range(15):
        content = bytearray(held.read_bytes())
        first, second = (
            slice(at * size, (at + 1) * size)
            for at in rng.sample(range(1, len(content) // size), 2)
        )
        other = content[second]
        if how == "swapped":
            content[second] = content[first]
        content[first] = bytes(size) if how == "zeroed" else other
        run.write_bytes(content)
        counted, said = read(run)
        assert counted == sound or "is damaged" in said, (counted, sound)
        said_at_all += bool(said)
    assert said_at_all


def test_damaged_settings_are_refused(run: Path, osler: Run) -> None:
    change(run, "UPDATE about SET value = replace(value, '2', '3') WHERE name = 'settings'")
    for command in (("compare", "run.osler"), ("report", "run.osler", "-o", "out.html")):
        done = osler(*command)
        assert done.returncode == 2 and "1 setting is not as written" in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "table", ["verdicts", "measures", "results", "explanations", "patient_verdicts", "cells"]
)
def test_a_lost_row_is_noticed(run: Path, osler: Run, table: str) -> None:
    change(run, f"DELETE FROM {table} WHERE {'number' if table == 'cells' else 'cell'} = 4")
    assert "is damaged" in read(run)[1]
    checked = osler("runs", "check", "run.osler")
    assert checked.returncode == 1 and " is missing\n" in checked.stdout


def test_who_writes_refuses_a_damaged_run_in_one_line(run: Path, osler: Run) -> None:
    change(run, "UPDATE verdicts SET verdict = 'wrong' WHERE cell = 1 AND judge = 'examiner'")
    before = run.read_bytes()
    for command in (
        ("score", "run.osler"),
        ("explain", "run.osler"),
        ("runs", "retry", "run.osler", "--quiet"),
    ):
        done = osler(*command)
        assert (
            done.returncode == 2 and "`osler runs repair run.osler` mends the file" in done.stderr
        ), done.stderr
    assert run.read_bytes() == before


def test_repair_makes_again_what_it_can_and_names_the_rest(
    held: Path, run: Path, osler: Run
) -> None:
    change(
        run,
        f"UPDATE verdicts SET verdict = 'unsafe' WHERE cell = 1 AND judge = '{EXACT}'",
        "UPDATE verdicts SET verdict = 'wrong' WHERE cell = 2 AND judge = 'examiner' AND kind = 'diagnosis'",
        "UPDATE measures SET body = replace(body, '0', '7') WHERE cell = 1",
        "UPDATE results SET turns = 99 WHERE cell = 1",
        "UPDATE cells SET memory = 'tin' WHERE number = 2",
        "DELETE FROM explanations",
        "UPDATE transcripts SET body = zeroblob(50) WHERE cell = 3",
        "DELETE FROM said",
    )
    damaged = run.read_bytes()
    assert "cannot be found by a search" in osler("runs", "check", "run.osler").stdout
    done = osler("runs", "repair", "run.osler")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert run.with_name("run.osler.damaged").read_bytes() == damaged
    assert (
        "made again from transcripts: 1 × result, 1 × exact score, 1 × row of the plan"
        in done.stdout
    )
    assert (
        "removed: 1 × verdict of examiner; `osler score run.osler --judge examiner` judges again"
        in done.stdout
    )
    assert (
        "removed: 1 × explanation of examiner; `osler explain run.osler --judge examiner`"
        in done.stdout
    )
    with RunFile.open(held) as sound:
        again = sound.name_of(3)
    assert (
        f"to be held again, with the simulate command or `osler runs retry run.osler`: {again}\n"
        in done.stdout
    )
    assert damage(run) == []
    assert osler("runs", "retry", "run.osler", "--quiet").returncode == 0

    def by_rules(path: Path) -> list[Any]:
        with load_run(path) as opened:
            return [
                [row[name] for name in (*FIGURES[:4], "names_diagnosis", "turns")]
                for row in score_rows(opened, EXACT)
            ]

    assert by_rules(run) == by_rules(held)
    # One verdict on the second was damaged, and the third was held again.
    assert [row[2] for row in figures(run)] == ["correct", None, None, "wrong"]
    with RunFile.open(run) as opened:
        assert opened.ask("SELECT count(*) FROM said WHERE said MATCH 'the OR 的'")[0][0] > 0
    assert "nothing to repair" in osler("runs", "repair", "run.osler").stdout


@pytest.mark.parametrize(
    "table", ["verdicts", "results", "measures", "transcripts", "cells", "checksums", "said_data"]
)
def test_repair_reads_around_a_page_that_is_gone(
    held: Path, run: Path, osler: Run, table: str
) -> None:
    with closing(sqlite3.connect(run)) as file:
        (page,) = file.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
    content = bytearray(run.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    run.write_bytes(content)
    assert osler("runs", "check", "run.osler").returncode in (1, 2)
    done = osler("runs", "repair", "run.osler")
    assert done.returncode == 0 and done.stdout.startswith("run.osler is repaired"), done.stderr
    assert damage(run) == []
    assert osler("runs", "retry", "run.osler", "--quiet").returncode == 0
    with load_run(run) as again, load_run(held) as sound:
        ours, theirs = (
            [[row["record"], row["memory"], row["diagnosis"]] for row in score_rows(r)]
            for r in (again, sound)
        )
    if table not in ("transcripts", "cells"):
        assert ours == theirs


def test_what_cannot_be_repaired_is_refused_and_left_as_it_is(run: Path, osler: Run) -> None:
    change(run, "DELETE FROM about WHERE name = 'settings'")
    before = run.read_bytes()
    done = osler("runs", "repair", "run.osler")
    assert (
        done.returncode == 2
        and "run.osler cannot be repaired (its settings are lost)" in done.stderr
    )
    assert not list(run.parent.glob("*.damaged*")), "a copy is kept only of what was changed"
    run.write_bytes(before[100:])
    done = osler("runs", "repair", "run.osler")
    assert done.returncode == 2 and "is not a run" in done.stderr and done.stderr.count("\n") == 1
    assert run.read_bytes() == before[100:]


def test_rating_sheets_of_a_damaged_run_end_in_one_line(run: Path, osler: Run) -> None:
    change(run, "UPDATE results SET turns = 3 WHERE cell = 1")
    done = osler("rate", "export", "run.osler", "--out", "first.xlsx")
    assert done.returncode == 0 and "1 result is not as written, and left out" in done.stderr, (
        done.stderr
    )
    change(run, "DELETE FROM transcripts WHERE cell = 2")
    done = osler("rate", "export", "run.osler", "--out", "sheet.xlsx")
    assert (
        done.returncode == 2
        and "the transcript of" in done.stderr
        and "Traceback" not in done.stderr
    ), done.stderr


def test_a_kept_answer_that_is_damaged_is_asked_for_again(held: Path, tmp_path: Path) -> None:
    with RunFile.open(held) as source:
        about, record = source.about(), source.record(source.cell(1).case)
    path = tmp_path / "kept.osler"
    answers = [
        answer_row(1, key, Completion(text=f"the answer to {key}", model="m"))
        for key in ("one", "two")
    ]
    with RunWriter.create_or_resume(path, about) as store:
        store.extend(Plan([record]))
        store.store_answers(answers)
        assert [key for key, _ in store.stored_answers(1)] == ["one", "two"]
    flip_stored(path, "the answer to two", random.Random(1))
    with RunWriter.create_or_resume(path, about) as store:
        assert [json.loads(body)["text"] for _, body in store.stored_answers(1)] == [
            "the answer to one"
        ]
    assert damage(path)[0].startswith("answer: a kept answer of")


def test_a_run_that_is_being_written_is_not_called_damaged(held: Path, tmp_path: Path) -> None:
    path = tmp_path / "live.osler"
    with RunFile.open(held) as source:
        about, transcript = source.about(), source.transcript(1)
        record = source.record(source.cell(1).case)
    assert transcript is not None
    ended = threading.Event()
    said: list[str] = []

    def look() -> None:
        while not ended.is_set():
            said.append(read(path)[1])

    with RunWriter.create_or_resume(path, about) as store:
        todo = store.extend(Plan([record], trials=150)).todo
        store.store_score(1, StoredScore("examiner", []))
        reader = threading.Thread(target=look)
        reader.start()
        try:
            for number in todo:
                cell = store.cell(number)
                header = transcript.header.model_copy(update={"trial": cell.trial})
                verdicts = [StoredVerdict("diagnosis", "correct", "model", "because")]
                store.finish(
                    number,
                    transcript.model_copy(update={"header": header}),
                    StoredScore("examiner", verdicts),
                )
        finally:
            ended.set()
            reader.join()
    assert len(said) > 1 and not any("damaged" in line for line in said), said
    assert damage(path) == []


def test_a_transcript_in_the_place_of_another_is_noticed(run: Path) -> None:
    change(
        run,
        "UPDATE transcripts SET cell = 99 WHERE cell = 1",
        "UPDATE transcripts SET cell = 1 WHERE cell = 2",
    )
    with RunFile.open(run) as opened, pytest.raises(UserError, match="the transcript of"):
        opened.transcript(1)
    with RunFile.open(run) as opened, pytest.raises(UserError, match="the transcript of"):
        opened.find(Selector(opened.cell(2).case, memory=opened.cell(2).column.memory))
