"""How well the retrieval module finds what doctors' questions ask for.

python benchmarks/ram.py            figures on the labelled questions, bundled and imported, and the time of one
python benchmarks/ram.py --dev      without the held-out ones, with every miss for tuning and validation
python benchmarks/ram.py --near     questions of which nearly half ask for what the record just does not have
python benchmarks/ram.py --human FOLDER   human questions: FOLDER/spbench_case and FOLDER/spbench_taking
python benchmarks/ram.py --run RUN  the time of the questions of a run's consultations, as they came: many come again
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does

from tests.agents.questions import Labelled, Part, labelled
from tests.agents.ram_figures import Figures, figures
from training.imported import imported, put_to
from training.labels import near_misses

from osler.agents.ram.evidence import read_asks
from osler.agents.ram.index import RecordIndex
from osler.agents.ram.redact import without_diagnosis
from osler.errors import OslerError
from osler.eval.runs import load_run
from osler.language.words import content
from osler.records import Language, RecordPool
from osler.runs.events import Asked


def indexes() -> dict[str, RecordIndex]:
    wanted = {question.record for question in labelled()}
    return {record.id: RecordIndex(record) for record in RecordPool.open() if record.id in wanted}


def as_imported(rows: list[Labelled]) -> tuple[list[Labelled], dict[str, RecordIndex]]:
    """The questions put to the same patients in free text."""
    records = {record.id: record for record in RecordPool.open()}
    twins = {name: imported(records[name]) for name in {row.record for row in rows}}
    put = [put_to(row, twins[row.record][1]) for row in rows]
    return [row for row in put if row], {twin.id: RecordIndex(twin) for twin, _ in twins.values()}


def show(title: str, rows: list[Labelled], index: dict[str, RecordIndex]) -> None:
    print(f"{title}\n  {'':22}{'n':>5}{'recall':>9}{'precision':>11}{'nothing':>9}")
    for name, some in [
        ("all", rows),
        *((language.value, [r for r in rows if r.language is language]) for language in Language),
        *((kind, [r for r in rows if r.kind == kind]) for kind in ("plain", "paraphrase", "two", "asked", "nothing")),
    ]:
        if not some:
            continue
        got: Figures = figures(some, index)
        print(f"  {name:22}{len(some):5}{got.recall:9.3f}{got.precision:11.3f}{got.nothing:9.3f}")


def speed(rows: list[Labelled], index: dict[str, RecordIndex]) -> None:
    times = []
    for row in rows:
        # A question that was never asked before: what was kept of it from the figures does not count.
        content.cache_clear()
        read_asks.cache_clear()
        began = time.perf_counter()
        index[row.record].search(row.question)
        times.append((time.perf_counter() - began) * 1000)
    print(
        f"  one new question: p50 {statistics.median(times):.2f} ms, p95 {sorted(times)[int(len(times) * 0.95)]:.2f} ms"
    )


def in_use(run: str) -> None:
    """What a question takes in consultations as they are held: a standard question is read once for all patients."""
    loaded = load_run(run)
    held = [transcript for transcript in loaded.transcripts() if transcript.of(Asked)]
    cases = {transcript.header.case for transcript in held}
    index = {case: RecordIndex(without_diagnosis(loaded.file.record(case))) for case in cases}
    times: list[float] = []
    first: dict[str, float] = {}
    for transcript in held:
        for asked in transcript.of(Asked):
            began = time.perf_counter()
            index[transcript.header.case].search(asked.question)
            times.append((time.perf_counter() - began) * 1000)
            first.setdefault(asked.question, times[-1])
    print(f"{len(times)} questions of {len(held)} consultations: p50 {statistics.median(times):.2f} ms")
    print(f"  {len(first)} when they were asked first: p50 {statistics.median(first.values()):.2f} ms")


def misses(rows: list[Labelled], index: dict[str, RecordIndex]) -> None:
    for row in rows:
        got = {match.entry.name: round(match.score, 2) for match in index[row.record].search(row.question)}
        if set(got) - row.also != set(row.entries):
            print(f"  [{row.record} {row.kind}] {row.question}\n      wants {sorted(row.entries)}\n      got   {got}")


def human(folder: Path) -> None:
    """How often what RAM returns holds what the human answer says: words of the answer that the record has at all."""
    covered = total = found_any = questions = 0
    for record in RecordPool.open(folder / "spbench_case"):
        index = RecordIndex(record)
        texts = {
            entry.name: frozenset(content(f"{entry.name} {entry.report}", Language.ZH)) for entry in record.entries
        }
        everything = frozenset().union(*texts.values())
        taking = folder / "spbench_taking" / f"{record.id.removeprefix('spbench-')}.json"
        for row in json.loads(taking.read_text(encoding="utf-8")):
            said = frozenset(content(row["answer"], Language.ZH)) & everything
            if not said:
                continue
            got = [match.entry.name for match in index.search(row["question"])]
            shown = frozenset().union(*(texts[name] for name in got)) if got else frozenset()
            questions += 1
            found_any += bool(shown & said)
            covered += len(shown & said)
            total += len(said)
    print(f"human questions whose answer the record can give: {questions}")
    print(f"  RAM returned something of the answer: {found_any / questions:.3f}")
    print(f"  words of the answer that RAM returned: {covered / total:.3f}")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--dev", action="store_true")
    options.add_argument("--near", action="store_true")
    options.add_argument("--human", type=Path)
    options.add_argument("--run")
    given = options.parse_args()
    if given.run:
        try:
            in_use(given.run)
        except OslerError as error:
            sys.exit(str(error))
        return
    if given.human:
        human(given.human)
        return
    index = indexes()
    if given.near:
        show("near misses", near_misses(), index)
        return
    if given.dev:
        misses(labelled(Part.TUNING, Part.VALIDATION), index)
    show("for tuning", labelled(Part.TUNING), index)
    show("validation", labelled(Part.VALIDATION), index)
    show("validation, imported", *as_imported(labelled(Part.VALIDATION)))
    if not given.dev:
        show("held out", labelled(Part.HELD_OUT), index)
        show("held out, imported", *as_imported(labelled(Part.HELD_OUT)))
    speed(labelled(), index)


if __name__ == "__main__":
    main()
