"""How much of a record the ordinary questions of a clerking bring.

python benchmarks/clerking.py              each topic: present entries handed out, of those there
python benchmarks/clerking.py --held-out   the same with wordings that nothing was mended with
python benchmarks/clerking.py --misses     each question that left something out, and what
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agents.clerking import Wording, clerked

from osler.agents.ram.agent import Ram
from osler.records import Language, RecordPool
from osler.simulator.build import case_of


def main() -> None:
    """Ask every question and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--misses", action="store_true")
    options = parser.parse_args()
    there: Counter[tuple[str, Language]] = Counter()
    handed: Counter[tuple[str, Language]] = Counter()
    missed: dict[tuple[str, str], list[str]] = {}
    wording = Wording.HELD_OUT if options.held_out else Wording.ORDINARY
    for row in clerked(wording, list(RecordPool.open())):
        selection = Ram(row.record, case_of(row.record)).select(row.question)
        names = {entry.name for entry in selection.entries}
        key = (row.topic, row.record.language)
        there[key] += len(row.entries)
        handed[key] += len(row.entries & names)
        for name in sorted(row.entries - names):
            missed.setdefault((row.topic, row.question), []).append(f"{row.record.id}: {name}")
    print(f"{'':24}{'en':>14}{'zh':>14}")
    topics = dict.fromkeys(topic for topic, _ in there)
    for topic in topics:
        cells = [f"{handed[topic, one]} of {there[topic, one]}" for one in Language]
        print(f"{topic:24}{cells[0]:>14}{cells[1]:>14}")
    print(f"{'all':24}{handed.total():>14} of {there.total()}")
    if options.misses:
        for (topic, question), names in missed.items():
            print(f"[{topic}] {question}  {len(names)}: {'; '.join(names[:4])}")


if __name__ == "__main__":
    main()
