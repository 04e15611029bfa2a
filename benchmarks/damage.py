"""Damaged copies of a run.

Does any command print other figures without a word, or end in a traceback?

python benchmarks/damage.py                  88 copies, every command on each of them
python benchmarks/damage.py --copies 16      fewer

A small run is held, judged by a second judge and explained. Then copies of its file are damaged:
one bit of something stored, bits anywhere, swapped, zeroed or repeated pages, a cut head or tail.
Every command reads every copy. What it prints or writes is compared with the same command on the
sound file: it must be the same, or the command must say that the run is damaged. At last every copy
is repaired, and compared once more.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import shutil
import sqlite3
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from osler import errors
from osler.cli import main as osler_main
from osler.runs.reply_faults import FaultyReply, PatientReading, ReplyFaults
from osler.runs.store import RunWriter, StoredScore, StoredVerdict

CASES = ("pneumonia-en", "gout-en", "croup-zh")
PLAN = (
    *(word for case in CASES for word in ("--case", case)),
    "--memory",
    "raw",
    "--memory",
    "tim",
    "--turns",
    "4",
)
SIMULATE = ("simulate", *PLAN, "--quiet", "--out", "run.osler")
COMMANDS = {
    "compare": ("compare", "run.osler"),
    "compare --judge": ("compare", "run.osler", "--judge", "examiner", "--patient-judge", "reader"),
    "report": ("report", "run.osler", "-o", "out/report.html"),
    "show": ("show", "run.osler", CASES[0], "--memory", "tim"),
    "export": ("export", "run.osler", "-o", "out/site"),
    "explain": ("explain", "run.osler"),
    "probe": ("probe", "run.osler", "--k", "1"),
    "retry": ("runs", "retry", "run.osler", "--quiet"),
    "resume": SIMULATE,
    "runs check": ("runs", "check", "run.osler"),
    "runs status": ("runs", "status", "run.osler"),
    "runs failures": ("runs", "failures", "run.osler"),
    "rate export": ("rate", "export", "run.osler", "-o", "out/sheet.xlsx"),
}
"""Those that read a run."""
REPAIR = "repair, compare"
STORED = {
    "verdicts": ("verdict", "because", "judge"),
    "measures": ("body",),
    "results": ("diagnosis", "ending"),
    "explanations": ("cause", "body", "verdict"),
    "patient_verdicts": ("body",),
    "cells": ("memory", "state", "record"),
    "about": ("value",),
    "records": ("patient", "hash"),
    "transcripts": ("body",),
    "checksums": ("part", "key"),
}
"""Columns of which a bit is flipped."""
_DATED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+\d\d:\d\d)?|\d+\.\d s\b")


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    told: str
    """What it said on standard error."""
    figures: str
    """What it printed and wrote, without dates and durations."""


def sound_run(folder: Path) -> Path:
    """Hold a run, and store all that can be stored in it."""
    folder.mkdir()
    path = folder / "run.osler"
    assert run(folder, SIMULATE).code == 0
    with RunWriter.resume(path) as store:
        for number, _ in enumerate(range(2 * len(CASES)), 1):
            verdict = "correct" if number % 2 else "wrong"
            said = [
                StoredVerdict(kind, verdict, "model", f"by the {kind}")
                for kind in ("diagnosis", "treatment")
            ]
            store.store_score(number, StoredScore("examiner", said))
            faulty = (FaultyReply(1, ReplyFaults(leaks=("It is",))),)
            reading = PatientReading(drawn=(1, 2), faulty=faulty)
            store.store_reading(number, "reader", reading.model_dump(mode="json"), 10, 0.01)
    assert run(folder, COMMANDS["explain"]).code == 0
    return path


def run(folder: Path, command: tuple[str, ...]) -> Outcome:
    """Run a command in this process; starting one would take longer than most of them."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    errors._warn_once.cache_clear()  # each is a command of its own, and says what it has to say
    out, err = StringIO(), StringIO()
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        before, sys.argv = sys.argv, ["osler", *command]
        try:
            osler_main()
        except SystemExit as end:
            code = int(end.code or 0)
        except BaseException:
            traceback.print_exc()
            code = 1
        finally:
            sys.argv = before
    written = [
        part.read_text("utf-8", "replace")
        for part in sorted((folder / "out").rglob("*"))
        if part.is_file() and part.suffix != ".xlsx"
    ]
    return Outcome(code, err.getvalue(), _DATED.sub("", "\n".join((out.getvalue(), *written))))


def flip_stored(path: Path, rng: random.Random, table: str) -> str:
    """Flip one bit of something that is stored in a table."""
    column = rng.choice(STORED[table])
    with sqlite3.connect(path) as file:
        values = [value for (value,) in file.execute(f"SELECT {column} FROM {table}")]
    value = rng.choice(values)
    stored = value if isinstance(value, bytes) else str(value).encode()
    content = path.read_bytes()
    places = [found.start() for found in re.finditer(re.escape(stored[:200]), content)]
    if not places:
        return flip_anywhere(path, rng, 1)
    write_bit(path, rng.choice(places) + rng.randrange(min(len(stored), 200)), rng.randrange(8))
    return f"a bit of {table}.{column}"


def write_bit(path: Path, place: int, bit: int) -> None:
    """Flip one bit."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


def flip_anywhere(path: Path, rng: random.Random, number: int) -> str:
    """Flip bits at any place."""
    for _ in range(number):
        write_bit(path, rng.randrange(path.stat().st_size), rng.randrange(8))
    return f"{number} bit(s) anywhere"


def change_pages(path: Path, rng: random.Random, how: str) -> str:
    """Swap two pages, fill one with zeros, or write one over another."""
    size = 4096
    content = bytearray(path.read_bytes())
    first, second = (
        slice(page * size, (page + 1) * size)
        for page in rng.sample(range(1, len(content) // size), 2)
    )
    if how == "swapped":
        content[first], content[second] = content[second], content[first]
    else:
        content[first] = content[second] if how == "repeated" else bytes(size)
    path.write_bytes(content)
    return f"pages {how}"


def cut(path: Path, rng: random.Random, end: str) -> str:
    """Cut off the head or the tail."""
    content = path.read_bytes()
    number = rng.choice((1, 100, 4096, len(content) // 3))
    path.write_bytes(content[number:] if end == "head" else content[:-number])
    return f"{end} cut"


Damage = Callable[[Path, random.Random], str]


def damages(copies: int) -> Iterator[Damage]:
    """As many ways to damage a file as there are copies.

    Half of them one bit of something stored.
    """
    others: list[Damage] = [
        *(partial(flip_anywhere, number=number) for number in (1, 1, 5, 20)),
        *(partial(change_pages, how=how) for how in ("swapped", "zeroed", "repeated", "swapped")),
        *(partial(cut, end=end) for end in ("head", "tail")),
    ]
    tables = list(STORED)
    for number in range(copies):
        if number % 2:
            yield others[number // 2 % len(others)]
        else:
            yield partial(flip_stored, table=tables[number // 2 % len(tables)])


def kind_of(outcome: Outcome, sound: Outcome) -> str:
    """How a command took the damage."""
    if "Traceback" in outcome.told + outcome.figures:
        return "traceback"
    if (
        outcome.code == 2
        and outcome.told.splitlines()[-1:]
        and outcome.told.splitlines()[-1].startswith("osler: ")
    ):
        return "refused in one line"
    if outcome.figures == sound.figures and outcome.code == sound.code:
        return "same figures"
    said = outcome.told + outcome.figures
    if (
        "damaged" in said
        or "left out" in said
        or (outcome.code == 1 and "is not as it was written" in said)
    ):
        return "said what is left out"
    return "OTHER FIGURES WITHOUT A WORD"


def one_copy(
    folder: Path, seed: int, damage: Damage, sound: dict[str, Outcome]
) -> list[tuple[str, str, str, str]]:
    """Damage a copy, and run every command on it.

    The damage, the command, how it took it, and what it said.
    """
    told = []
    with tempfile.TemporaryDirectory() as there:
        copy, place = folder / "run.osler", Path(there)
        what = ""
        for name, command in {**COMMANDS, REPAIR: ("runs", "repair", "run.osler")}.items():
            for old in place.glob("run.osler*"):
                old.unlink()
            shutil.copy(copy, place)
            what = damage(place / "run.osler", random.Random(seed))
            outcome = run(place, command)
            if name == REPAIR and outcome.code == 0:
                told += [(what, "repair", kind_of(outcome, outcome), outcome.figures)]
                repaired, outcome = outcome, run(place, COMMANDS["compare"])
                lost = any(word in repaired.figures for word in ("held again", "removed", "lost"))
                outcome = outcome._replace(
                    told=outcome.told + ("what was left out was said by repair" * lost)
                )
            shown = outcome.told if outcome.told else outcome.figures[-300:]
            told.append(
                (what, name, kind_of(outcome, sound[name if name != REPAIR else "compare"]), shown)
            )
    return told


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--copies", type=int, default=88)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="Print what every command said.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there) / "sound"
        path = sound_run(folder)
        sound = {}
        for name, command in COMMANDS.items():
            kept = path.read_bytes()
            sound[name] = run(folder, command)
            assert sound[name].code == 0, (name, sound[name].told)
            path.write_bytes(kept)
        jobs = [
            (folder, given.seed + number, damage, sound)
            for number, damage in enumerate(damages(given.copies))
        ]
        with multiprocessing.get_context("fork").Pool(given.workers) as pool:
            results = [
                line for lines in pool.starmap(one_copy, jobs, chunksize=1) for line in lines
            ]
    report(results, verbose=given.verbose)
    bad = sum(kind in ("traceback", "OTHER FIGURES WITHOUT A WORD") for _, _, kind, _ in results)
    print(
        f"{given.copies} damaged copies, {len(results)} commands: {bad} with other figures or a"
        " traceback"
    )
    return 1 if bad else 0


def report(results: list[tuple[str, str, str, str]], *, verbose: bool) -> None:
    """Count how commands took the damage, by command and by damage, and print what went wrong."""
    for place, title in ((1, "command"), (0, "damage")):
        print(f"\nby {title}")
        for name in dict.fromkeys(line[place] for line in results):
            counts = Counter(line[2] for line in results if line[place] == name)
            print(
                f"  {name}:"
                f" {', '.join(f'{number} {kind}' for kind, number in counts.most_common())}"
            )
    for what, command, kind, told in results:
        if verbose or kind in ("traceback", "OTHER FIGURES WITHOUT A WORD"):
            print(f"\n{what} · {command} · {kind}\n{told}")


if __name__ == "__main__":
    sys.exit(main())
