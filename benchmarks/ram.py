"""How well the retrieval module finds what doctors' questions ask for.

python benchmarks/ram.py            figures on the labelled questions, bundled and imported
python benchmarks/ram.py --dev      without held-out questions, with every miss for tuning
python benchmarks/ram.py --near     questions of which nearly half ask for what the record lacks
python benchmarks/ram.py --human FOLDER   human questions: FOLDER/spbench_taking, and
    FOLDER/spbench.jsonl, as `osler records convert FOLDER/spbench_case ... --with SPEC` writes it
python benchmarks/ram.py --run RUN  the time of the questions of a run, as they came
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
    questions = []
    for row in rows:
        _, statements = twins[row.record]
        question = put_to(row, statements)
        if question is not None:
            questions.append(question)
    return questions, {twin.id: RecordIndex(twin) for twin, _ in twins.values()}


def show(title: str, rows: list[Labelled], index: dict[str, RecordIndex]) -> None:
    print(f"{title}\n  {'':22}{'n':>5}{'recall':>9}{'precision':>11}{'nothing':>9}")
    groups = {"all": rows}
    for language in Language:
        groups[language.value] = [row for row in rows if row.language is language]
    for kind in ("plain", "paraphrase", "two", "asked", "nothing"):
        groups[kind] = [row for row in rows if row.kind == kind]
    for name, group in groups.items():
        if not group:
            continue
        shares: Figures = figures(group, index)
        columns = f"{shares.recall:9.3f}{shares.precision:11.3f}{shares.nothing:9.3f}"
        print(f"  {name:22}{len(group):5}{columns}")


def speed(rows: list[Labelled], index: dict[str, RecordIndex]) -> None:
    times = []
    for row in rows:
        # As a question that was never asked before, without what the figures left in caches.
        content.cache_clear()
        read_asks.cache_clear()
        began = time.perf_counter()
        index[row.record].search(row.question)
        times.append((time.perf_counter() - began) * 1000)
    print(
        f"  one new question: p50 {statistics.median(times):.2f} ms, p95"
        f" {sorted(times)[int(len(times) * 0.95)]:.2f} ms"
    )


def in_use(run: str) -> None:
    """What a question takes in a run, where a standard question is read once for all patients."""
    loaded = load_run(run)
    transcripts = [transcript for transcript in loaded.transcripts() if transcript.of(Asked)]
    cases = {transcript.header.case for transcript in transcripts}
    index = {case: RecordIndex(without_diagnosis(loaded.file.record(case))) for case in cases}
    times: list[float] = []
    first: dict[str, float] = {}
    for transcript in transcripts:
        for event in transcript.of(Asked):
            began = time.perf_counter()
            index[transcript.header.case].search(event.question)
            times.append((time.perf_counter() - began) * 1000)
            first.setdefault(event.question, times[-1])
    print(
        f"{len(times)} questions of {len(transcripts)} consultations: p50"
        f" {statistics.median(times):.2f} ms"
    )
    print(
        f"  {len(first)} when they were asked first: p50 {statistics.median(first.values()):.2f} ms"
    )


def misses(rows: list[Labelled], index: dict[str, RecordIndex]) -> None:
    for row in rows:
        matches = index[row.record].search(row.question)
        scores = {match.entry.name: round(match.score, 2) for match in matches}
        if set(scores) - row.also != set(row.entries):
            print(f"  [{row.record} {row.kind}] {row.question}")
            print(f"      wants {sorted(row.entries)}")
            print(f"      got   {scores}")


def human(folder: Path) -> None:
    """How much of the human answers RAM returns, of the words that the record has at all."""
    returned_words = total = answered = questions = 0
    for record in RecordPool.open(folder / "spbench.jsonl"):
        index = RecordIndex(record)
        texts = {}
        for entry in record.entries:
            texts[entry.name] = frozenset(content(f"{entry.name} {entry.report}", Language.ZH))
        everything = frozenset().union(*texts.values())
        taking = folder / "spbench_taking" / f"{record.id.removeprefix('spbench-')}.json"
        for row in json.loads(taking.read_text(encoding="utf-8")):
            answer = everything.intersection(content(row["answer"], Language.ZH))
            if not answer:
                continue
            matches = index.search(row["question"])
            returned = frozenset().union(*(texts[match.entry.name] for match in matches))
            questions += 1
            answered += not returned.isdisjoint(answer)
            returned_words += len(returned & answer)
            total += len(answer)
    print(f"human questions whose answer the record can give: {questions}")
    print(f"  RAM returned something of the answer: {answered / questions:.3f}")
    print(f"  words of the answer that RAM returned: {returned_words / total:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dev", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--human", type=Path)
    parser.add_argument("--run")
    options = parser.parse_args()
    if options.run:
        try:
            in_use(options.run)
        except OslerError as error:
            sys.exit(str(error))
        return
    if options.human:
        human(options.human)
        return
    index = indexes()
    if options.near:
        show("near misses", near_misses(), index)
        return
    if options.dev:
        misses(labelled(Part.TUNING, Part.VALIDATION), index)
    show("for tuning", labelled(Part.TUNING), index)
    show("validation", labelled(Part.VALIDATION), index)
    show("validation, imported", *as_imported(labelled(Part.VALIDATION)))
    if not options.dev:
        show("held out", labelled(Part.HELD_OUT), index)
        show("held out, imported", *as_imported(labelled(Part.HELD_OUT)))
    speed(labelled(), index)


if __name__ == "__main__":
    main()
