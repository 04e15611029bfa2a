"""What a memory tells a doctor who concludes, by the tokens of a recall.

python benchmarks/conclusion_recall.py RUN ... [--budget 300 --budget 1000]

The memories of a run are rebuilt from the recorded model answers, and asked once more as they were
before the conclusion, for a conclusion.
Columns: the findings of the day that decide the diagnosis, and all that the record marks as key for
it and the patient has; without those of the last reply, which the doctor has word for word. With
`--visits`, the key facts of earlier visits. Each is told if the recall tells of a turn that told
it, by a fact or in its own words. A consultation without an answer of the doctor, or whose memory
cannot be rebuilt, is left out and counted.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from osler.eval.measures import key_elements
from osler.eval.probes.gold import probes_of
from osler.eval.probes.key_facts import turns_telling
from osler.eval.probes.run import query_of, rebuilt
from osler.eval.probes.scoring import retrieved
from osler.memory.base import tokens
from osler.records.schema import Part, PatientRecord, Relevance, Status
from osler.runs.events import Recalled
from osler.runs.store import RunFile
from osler.runs.transcript import Transcript
from osler.settings.run_settings import RunSettings

_COLUMNS = ("deciding", "key", "key facts")


async def told_to_conclude(
    transcript: Transcript, record: PatientRecord, settings: RunSettings
) -> Counter[str] | None:
    """Count what is asked for and what is told; None if it is left out."""
    if not transcript.ending.is_answer:
        return None
    again = await rebuilt(transcript, settings)
    if again.missing:
        return None
    asked, memory = transcript.of(Recalled)[-1], again.memory
    beside, recall = asked.beside, await memory.recall(query_of(asked, transcript.exchanges))
    elements = [one for one in key_elements(record, Part.DIAGNOSIS) if one.status is Status.PRESENT]
    deciding = {one.name for one in elements if one.relevance is Relevance.DECIDING}
    found: Counter[str] = Counter(consultations=1, tokens=tokens(recall.text))
    for probe in probes_of(transcript, record):
        if probe.last_told is None or probe.last_told < 1 or probe.last_told == beside:
            continue
        for name, things in (("deciding", deciding), ("key", {one.name for one in elements})):
            if probe.thing in things:
                found[f"of {name}"] += 1
                found[name] += bool(retrieved(probe.turns, recall))
    for fact in record.key_facts if transcript.header.date is not None else ():
        found["of key facts"] += 1
        found["key facts"] += bool(retrieved(turns_telling(fact, transcript), recall))
    return found


async def main(paths: Sequence[Path], budgets: Sequence[int]) -> None:
    """Print one line for each run, memory and budget."""
    print(
        f"{'memory':24} {'budget':>6} {'n':>4} {'left out':>8} {'tokens':>6}  "
        + "  ".join(_COLUMNS)
    )
    for path in paths:
        with RunFile.open(path) as run:
            for budget in budgets or [run.settings.budget]:
                sums: dict[str, Counter[str]] = defaultdict(Counter)
                settings = run.settings.model_copy(update={"budget": budget})
                for transcript in run.transcripts():
                    found = await told_to_conclude(
                        transcript, run.record(transcript.header.case), settings
                    )
                    sums[transcript.header.memory].update(
                        {"left out": 1} if found is None else found
                    )
                for memory, one in sums.items():
                    n = one["consultations"]
                    shares = (
                        _share(one[name], one[f"of {name}"]).rjust(len(name)) for name in _COLUMNS
                    )
                    mean = round(one["tokens"] / n) if n else 0
                    print(
                        f"{memory:24} {budget:6} {n:4} {one['left out']:8} {mean:6}  "
                        + "  ".join(shares)
                    )


def _share(part: int, of: int) -> str:
    return f"{part}/{of}" if of else "–"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--budget", action="append", type=int, default=[])
    given = parser.parse_args()
    asyncio.run(main(given.runs, given.budget))
