"""What a model doctor concludes from the same interviews when they are recalled in other ways.

python benchmarks/conclude.py RUN --backbone MODEL@URL [--strategy NAME] [--pool POOL] [--out FILE]

A run confounds what a memory brings at the end with what it made the doctor ask. Here the
interviews stay as they were held, and the doctor of this version concludes each of them again, once
for each way to recall it:

own     what its memory brought in the run
talk    every turn, word for word
both    its memory's own, and then every turn
told    the entries that the patient told of, in the record's words
all     every entry of the record, told of or not: the ceiling

`right` is the share of first diagnoses that are exactly a name of the truth, `of five` that of
lists with the right one among them; `won : lost` counts the interviews against `own`. `--out` keeps
every list for other judges.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from osler.agents.doctors import DoctorSettings, doctor_factory, doctor_names
from osler.agents.messages import Briefing, Conclusion
from osler.errors import OslerError, UserError
from osler.eval.reader.exact import exact_opinion
from osler.eval.runs import load_run
from osler.memory import MemorySettings, Query, Recall, Turn, memory_factory
from osler.models import Backbone, open_backbone
from osler.models.rate_limit import Rates
from osler.records import RecordPool
from osler.records.schema import PatientRecord
from osler.runs.events import Answered, Asked, ConsultationError, Ending, Journal, Recalled
from osler.runs.transcript import Transcript
from osler.simulator.build import WholeRecord, case_of

WITHOUT_END = 1_000_000


class Way(NamedTuple):
    """One interview, recalled in one way."""

    memory: str
    name: str
    interview: tuple[str, str, int]
    """Case, doctor and trial."""
    record: PatientRecord
    briefing: Briefing


async def ways(transcript: Transcript, record: PatientRecord) -> list[Way]:
    """The ways to recall an interview that has been held."""
    case, language = case_of(record), record.language
    replies = {told.turn: told.reply for told in transcript.of(Answered)}
    turns = [
        Turn(
            number=asked.turn,
            question=asked.question,
            reply=replies[asked.turn],
            differential=asked.differential,
        )
        for asked in transcript.of(Asked)
        if asked.turn in replies
    ]
    raw = memory_factory("raw")(MemorySettings(language=language, budget=WITHOUT_END))
    for turn in turns[:-1]:
        await raw.remember(turn)
    talk, own = (await raw.recall(Query(""))).text, transcript.of(Recalled)[-1].recall.text
    names = {name for answered in transcript.of(Answered) for name in answered.disclosed}
    told = record.model_copy(
        update={"entries": tuple(entry for entry in record.entries if entry.name in names)}
    )
    entries = [(await WholeRecord(some, case).recall("")).text for some in (told, record)]
    last = turns[-1]
    found = {
        "own": own,
        "talk": talk,
        "both": f"{own}\n{talk}",
        "told": entries[0],
        "all": entries[1],
    }
    return [
        Way(
            transcript.header.memory,
            name,
            (record.id, transcript.header.backbone, transcript.header.trial),
            record,
            Briefing(
                case=case,
                turn=1,
                turns_left=0,
                question=last.question,
                reply=last.reply,
                recall=Recall(text=recall),
            ),
        )
        for name, recall in found.items()
    ]


async def conclude(way: Way, backbone: Backbone, strategy: str) -> Conclusion | None:
    """What the doctor makes of it; None where that cannot be read.

    A model that fails ends all; it was not wrong.
    """
    try:
        doctor = doctor_factory(strategy)(DoctorSettings(way.briefing.case, backbone, Journal()))
        made: object = await doctor.respond(way.briefing)
    except ConsultationError as error:
        if error.ending is not Ending.UNPARSED:
            raise
        return None
    return made if isinstance(made, Conclusion) else None


async def held(
    run: str, pool: str, backbone: Backbone, strategy: str
) -> list[tuple[Way, Conclusion | None]]:
    records = {record.id: record for record in RecordPool.open(pool)}
    interviews = [each for each in load_run(run).transcripts() if each.of(Asked)]
    if unknown := {each.header.case for each in interviews} - records.keys():
        raise UserError(
            f"{pool} has no record {min(unknown)}", "name the run's records with --pool"
        )
    every = [way for each in interviews for way in await ways(each, records[each.header.case])]
    return list(
        zip(
            every,
            await asyncio.gather(*(conclude(way, backbone, strategy) for way in every)),
            strict=True,
        )
    )


def lines(found: list[tuple[Way, Conclusion | None]]) -> Iterator[str]:
    """The table."""
    right: dict[tuple[str, str], dict[tuple[str, str, int], bool]] = defaultdict(dict)
    listed: dict[tuple[str, str], int] = defaultdict(int)
    for way, made in found:
        names = (made.diagnosis, *made.differential) if made else ()
        exact = [exact_opinion(way.record.diagnosis, name) is not None for name in names]
        right[way.memory, way.name][way.interview] = exact[:1] == [True]
        listed[way.memory, way.name] += any(exact)
    yield f"{'memory':16}{'recalled':10}{'n':>5}{'right':>8}{'of five':>9}{'won : lost':>12}"
    for (memory, name), by_case in right.items():
        own = right[memory, "own"]
        won, lost = (
            sum(a[one] > b[one] for one in own) for a, b in ((by_case, own), (own, by_case))
        )
        share, five = sum(by_case.values()) / len(by_case), listed[memory, name] / len(by_case)
        beside = "" if name == "own" else f"{won} : {lost}"
        yield f"{memory:16}{name:10}{len(by_case):5}{share:8.3f}{five:9.3f}{beside:>12}"


async def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("run")
    options.add_argument(
        "--backbone", required=True, help="the doctor's model, as for `osler simulate`"
    )
    options.add_argument(
        "--strategy", default="plain", help=f"how it concludes: {', '.join(doctor_names())}"
    )
    options.add_argument("--pool", default="bundled", help="where the run's records are")
    options.add_argument("--concurrency", type=int, default=8, help="calls at a time")
    options.add_argument("--timeout", type=float, default=120.0)
    options.add_argument("--out", type=Path, help="a file for every list of diagnoses")
    given = options.parse_args()
    if given.backbone == "rules":
        options.error("the rules conclude by themselves; name a model")
    try:
        backbone = open_backbone(
            given.backbone, timeout=given.timeout, rates=Rates(at_once=given.concurrency)
        )
        try:
            found = await held(given.run, given.pool, backbone, given.strategy)
        finally:
            await backbone.close()
    except OslerError as error:
        sys.exit(str(error))
    if given.out:
        rows = (
            {
                **{"case": way.record.id, "memory": way.memory, "recalled": way.name},
                "diagnoses": [made.diagnosis, *made.differential] if made else [],
            }
            for way, made in found
        )
        given.out.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
    print("\n".join(lines(found)))


if __name__ == "__main__":
    asyncio.run(main())
