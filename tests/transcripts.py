"""Consultations that the rules hold, as text, to see whether anything is decided otherwise.

`make transcripts` renews what `test_transcripts.py` compares with: a few whole consultations in
`tests/snapshots`, to be read, and one hash over all of them. To read the others before and after a
change: `python -m tests.transcripts --out FOLDER`.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from osler.memory.base import Change, Recall
from osler.ranking import disturbed
from osler.records import PatientRecord, RecordPool
from osler.runs.events import Answered, Asked, Concluded, Event, Recalled, Remembered, Retrieved
from osler.runs.plan import Cell, Column
from osler.runs.transcript import Transcript
from osler.settings.names import PLAIN, RULES
from osler.settings.run_settings import RunSettings
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one

SNAPSHOTS = Path(__file__).with_name("snapshots")
HASH_FILE = SNAPSHOTS / "sha256.txt"
"""The hash over all consultations of the sample."""
MEMORIES = ("none", "raw", "tim")
READABLE = (
    "migraine-en none",
    "pneumonia-en raw",
    "pneumonia-en tim",
    "gout-zh raw",
    "gout-zh tim",
)
"""The consultations that are stored as text."""


def paragraph(title: str, text: str, *details: str) -> str:
    """A bold title, a text, and details as a list."""
    lines = [f"**{title}**", text, *(f"- {detail}" for detail in details)]
    return "\n".join(line for line in lines if line)


def describe(event: Event) -> str:
    """What was said, retrieved, recalled, remembered or concluded: no times and no scores."""
    match event:
        case Asked():
            mark = " (repeated)" if event.repeated else ""
            return paragraph(f"Question {event.turn}{mark}", event.question)
        case Retrieved():
            names = [entry.name for entry in event.entries]
            return paragraph("Retrieved", "for " + ", ".join(event.asked_for), *names)
        case Answered():
            return paragraph("Reply", event.reply, f"disclosed: {', '.join(event.disclosed)}")
        case Recalled():
            return describe_recall(event.recall)
        case Remembered():
            return paragraph(f"Remembered of turn {event.of}", "", *describe_change(event.change))
        case Concluded():
            return paragraph(
                "Conclusion",
                event.reasoning,
                f"diagnosis: {event.diagnosis}",
                f"treatment: {event.treatment}",
                f"differential: {', '.join(event.differential)}",
            )
    raise AssertionError(f"{event.type} does not happen where only rules speak")


def describe_change(change: Change) -> list[str]:
    """What a memory did, without who formed its thoughts: it is always the rules."""
    fields = change.model_dump(mode="json", exclude={"makers"}, exclude_defaults=True)
    details = []
    for name, value in fields.items():
        values = value if isinstance(value, list) else [value]
        details += [f"{name}: {item}" for item in values]
    return details


def describe_recall(recall: Recall) -> str:
    """The text for the doctor, and the same as facts for code."""
    facts = [f"not: {fact.triple}" if fact.denied else fact.triple for fact in recall.facts]
    dropped = [f"dropped: turn {turn}" for turn in recall.dropped]
    return paragraph("Recall", recall.text or "nothing", *facts, *dropped)


def page(name: str, transcript: Transcript) -> str:
    """A consultation as Markdown."""
    events = [describe(event) for event in transcript.events]
    return "\n\n".join([f"# {name}", *events, f"Ending: {transcript.ending}"]) + "\n"


def sample() -> list[PatientRecord]:
    """Every bundled patient once, in English and in Chinese by turns: all of them twice would take
    too long."""
    records = sorted(RecordPool.open(), key=lambda record: (record.patient, record.language))
    return [record for place, record in enumerate(records) if place % 4 in {0, 3}]


async def consultations(memories: Sequence[str] = MEMORIES, every: int = 1) -> dict[str, str]:
    """The pages of the consultations with every so many patients of the sample."""
    clients = Clients()
    pages = {}
    for memory in memories:
        column = Column.of(RULES, PLAIN, memory)
        for record in sample()[::every]:
            transcript = await simulate_one(
                record, Cell(record.id, column, 1), RunSettings(), clients
            )
            name = f"{record.id} {memory}"
            pages[name] = page(name, transcript)
    await clients.close()
    return pages


def hash_over(pages: Mapping[str, str]) -> str:
    """One hash over all of them."""
    return sha256("".join(pages.values()).encode()).hexdigest()


def snapshot(name: str) -> Path:
    """Where a consultation is stored."""
    return SNAPSHOTS / f"{name.replace(' ', '-')}.md"


def write(pages: Mapping[str, str], folder: Path) -> None:
    """Write each page into a file of the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / snapshot(name).name).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--noise", type=float, default=0.0, help="Share of itself by which every score may be off."
    )
    parser.add_argument("--seed", type=int, default=0, help="Of the noise.")
    parser.add_argument("--memory", action="append", help="Only this memory (repeatable).")
    parser.add_argument("--every", type=int, default=1, help="Only every so many patients.")
    parser.add_argument("--out", type=Path, help="Write all of them into this folder.")
    parser.add_argument("--renew", action="store_true", help="Renew the snapshots and the hash.")
    args = parser.parse_args()
    if args.renew and (args.noise or args.memory or args.every > 1):
        parser.error("--renew is for all consultations, without noise")
    with disturbed(args.noise, args.seed):
        pages = asyncio.run(consultations(args.memory or MEMORIES, args.every))
    if args.out:
        write(pages, args.out)
    if args.renew:
        write({name: pages[name] for name in READABLE}, SNAPSHOTS)
        HASH_FILE.write_text(f"{hash_over(pages)}\n", encoding="utf-8")
    print(hash_over(pages))


if __name__ == "__main__":
    main()
