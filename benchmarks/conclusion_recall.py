"""What a memory tells a doctor who concludes, by the tokens of a recall.

python benchmarks/conclusion_recall.py RUN ... [--budget 300 --budget 1000]

The memories of a run are rebuilt from the recorded model answers, and asked once more as they were before the
conclusion: by `recall_to_conclude` where the doctor did so, else by an ordinary recall.
Columns: the findings of the day that decide the diagnosis, and all that the record marks as key for it and the patient
has; without those of the last reply, which the doctor has word for word. With `--visits`, the key facts of earlier
visits: right, and outdated. A consultation without an answer of the doctor, or whose memory cannot be rebuilt, is left
out and counted.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from osler.eval.measures import key_elements
from osler.eval.probes.gold import probes_of
from osler.eval.probes.key_facts import FactState, KeyRecall, Moment, key_answer
from osler.eval.probes.run import rebuilt
from osler.eval.probes.scoring import retrieved
from osler.memory.base import ConcludingMemory, tokens
from osler.records.schema import Part, PatientRecord, Relevance, Status
from osler.runs.events import Recalled
from osler.runs.plan import Settings
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript

_COLUMNS = ("deciding", "key", "key facts right", "key facts outdated")


async def told_to_conclude(transcript: Transcript, record: PatientRecord, settings: Settings) -> Counter[str] | None:
    """Count what is asked for and what is told; None if it is left out."""
    if not transcript.ending.is_answer:
        return None
    again = await rebuilt(transcript, settings)
    if again.missing:
        return None
    asked, memory = transcript.of(Recalled)[-1], again.memory
    if asked.to_conclude and isinstance(memory, ConcludingMemory):
        beside, recall = asked.beside, await memory.recall_to_conclude(asked.query, asked.beside)
    else:
        beside, recall = asked.turn - 1, await memory.recall(asked.query)
    elements = [one for one in key_elements(record, Part.DIAGNOSIS) if one.status is Status.PRESENT]
    deciding = {one.name for one in elements if one.relevance is Relevance.DECIDING}
    found: Counter[str] = Counter(consultations=1, tokens=tokens(recall.text))
    for probe in probes_of(transcript, record):
        if probe.turn is None or probe.turn < 1 or probe.turn == beside:
            continue
        for name, things in (("deciding", deciding), ("key", {one.name for one in elements})):
            if probe.thing in things:
                found[f"of {name}"] += 1
                found[name] += retrieved(probe, recall, record.language)
    for fact in record.key_facts if transcript.header.date is not None else ():
        state = key_answer(KeyRecall(fact, Moment.END, recall), recall.text).state
        for name, wanted in (("key facts right", FactState.RIGHT), ("key facts outdated", FactState.OUTDATED)):
            found[f"of {name}"] += 1
            found[name] += state is wanted
    return found


async def main(paths: Sequence[Path], budgets: Sequence[int]) -> None:
    """Print one line for each run, memory and budget."""
    print(f"{'memory':24} {'budget':>6} {'n':>4} {'left out':>8} {'tokens':>6}  " + "  ".join(_COLUMNS))
    for path in paths:
        with RunFile.open(path) as run:
            for budget in budgets or [run.settings.budget]:
                sums: dict[str, Counter[str]] = defaultdict(Counter)
                settings = replace(run.settings, budget=budget)
                for transcript in run.transcripts():
                    found = await told_to_conclude(transcript, run.record(transcript.header.case), settings)
                    sums[transcript.header.memory].update({"left out": 1} if found is None else found)
                for memory, one in sums.items():
                    n = one["consultations"]
                    shares = (_share(one[name], one[f"of {name}"]).rjust(len(name)) for name in _COLUMNS)
                    mean = round(one["tokens"] / n) if n else 0
                    print(f"{memory:24} {budget:6} {n:4} {one['left out']:8} {mean:6}  " + "  ".join(shares))


def _share(part: int, of: int) -> str:
    return f"{part}/{of}" if of else "–"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--budget", action="append", type=int, default=[])
    given = parser.parse_args()
    asyncio.run(main(given.runs, given.budget))
