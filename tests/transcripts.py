"""Hashes of consultations that the rules hold, to see whether anything is decided otherwise.

`make transcripts` renews the hashes in `transcripts.json`, with which `test_transcripts.py` compares.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from osler.ranking import disturbed
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Answered, Asked, Concluded, Event, Recalled, Remembered, Retrieved
from osler.runs.plan import PLAIN, RULES, Cell, Column, Settings
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one

KEPT = Path(__file__).with_name("transcripts.json")
MEMORIES = ("none", "raw", "tim")


def told(event: Event) -> list[object]:
    """What was said, retrieved, recalled, remembered or concluded: no times and no scores."""
    match event:
        case Asked():
            return [event.question, event.repeated]
        case Retrieved():
            return [event.asked_for, [entry.name for entry in event.entries]]
        case Answered():
            return [event.reply, event.disclosed]
        case Recalled():
            return [event.recall.text, [fact.triple for fact in event.recall.facts], event.recall.dropped]
        case Remembered():
            return [event.of, event.change.model_dump(mode="json", exclude={"makers"})]  # always the rules
        case Concluded():
            return [event.diagnosis, event.treatment, event.differential, event.reasoning]
    raise AssertionError(f"{event.type} does not happen where only rules speak")


def sample() -> list[PatientRecord]:
    """Every bundled patient once, in English and in Chinese by turns: all of them twice would take too long."""
    records = sorted(RecordPool.open(), key=lambda record: (record.patient, record.language))
    return [record for place, record in enumerate(records) if place % 4 in {0, 3}]


async def hashes(memories: Sequence[str], every: int) -> dict[str, str]:
    """One for each consultation, of every so many patients of the sample."""
    clients = Clients()
    found = {}
    for memory in memories:
        column = Column.of(RULES, PLAIN, memory)
        for record in sample()[::every]:
            transcript = await simulate_one(record, Cell(record.id, column, 1), Settings(), clients)
            rows = [transcript.ending, [told(event) for event in transcript.events]]
            text = json.dumps(rows, ensure_ascii=False)
            found[f"{record.id} {memory}"] = sha256(text.encode()).hexdigest()[:16]
    await clients.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--noise", type=float, default=0.0, help="Share of itself by which every score may be off.")
    parser.add_argument("--seed", type=int, default=0, help="Of the noise.")
    parser.add_argument("--memory", action="append", help="Only this memory (repeatable).")
    parser.add_argument("--every", type=int, default=1, help="Only every so many patients.")
    parser.add_argument("--renew", action="store_true", help="Keep the hashes.")
    args = parser.parse_args()
    with disturbed(args.noise, args.seed):
        text = json.dumps(asyncio.run(hashes(args.memory or MEMORIES, args.every)), indent=1)
    if args.renew:
        KEPT.write_text(f"{text}\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
