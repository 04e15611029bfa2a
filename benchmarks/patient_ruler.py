"""How far a model that reads the patient's replies agrees with labels.

Recall and precision, by kind and language.

python benchmarks/patient_ruler.py MODEL@http://127.0.0.1:8091/v1 [--skip 0] [--each 15]

Of each language it reads so many good and so many faulty replies, the faulty ones spread evenly
over their kinds.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.agents.replies import PooledReply, pool

from osler.eval.faithfulness import ReplyContext
from osler.eval.faithfulness.patient_judge import PatientJudge
from osler.language import Language, Speaker
from osler.models import open_backbone
from osler.records import RecordPool
from osler.records.fields import Age
from osler.records.schema import Diagnosis, Entry
from osler.runs.events import Thing, Unrecorded
from osler.runs.reply_faults import ReplyFaults

_LEAKS = {"names_diagnosis", "paraphrases_diagnosis"}
_NOT_UNTRUE = {None, "wrong_language", *_LEAKS}


class ReadLabel(NamedTuple):
    """The fault that a reply is labelled with, and what a model found in it."""

    fault: str | None
    found: ReplyFaults


def context_of(reply: PooledReply, language: Language, records: RecordPool) -> ReplyContext:
    """Return what the patient had when it gave a labelled reply."""
    # The labels name what the record does not hold, not why; what a patient may say of it is not
    # looked at here.
    things = tuple(Thing(name=name, unrecorded=Unrecorded.UNKNOWN) for name in reply.not_in_record)
    if reply.record is not None:
        record = records.get(reply.record)
        return ReplyContext(
            language=language,
            diagnosis=record.diagnosis,
            question=reply.question,
            opening=record.complaint,
            entries=tuple(record.entry(str(name)) for name in reply.entries),
            untold=things,
            speaker=record.speaker,
            age=record.age,
        )
    patient = reply.patient or {}
    speaker = str(patient["speaker"])
    return ReplyContext(
        language=language,
        diagnosis=Diagnosis(name=patient["diagnosis"]),
        question=reply.question,
        opening=patient["complaint"],
        entries=tuple(Entry.model_validate(entry) for entry in reply.entries),
        untold=things,
        speaker=Speaker(speaker) if speaker in set(Speaker) else Speaker.CAREGIVER,
        age=Age.parse(str(patient["age"])),
    )


def spread(replies: Sequence[PooledReply]) -> list[PooledReply]:
    """The replies in another order: one of each kind of fault, again one of each, and so on."""
    by_kind: dict[str | None, list[PooledReply]] = {}
    for reply in replies:
        by_kind.setdefault(reply.fault, []).append(reply)
    return [reply for row in zip_longest(*by_kind.values()) for reply in row if reply is not None]


def agreement_line(read: list[ReadLabel]) -> str:
    """Return recall and precision for leaks and for replies that are not true."""
    told = []
    for name, is_faulty, is_flagged in (
        ("leaks", lambda one: one.fault in _LEAKS, lambda one: bool(one.found.leaks)),
        (
            "untrue replies",
            lambda one: one.fault not in _NOT_UNTRUE,
            lambda one: bool(one.found.fabrications or one.found.contradictions),
        ),
    ):
        # A reply that leaks may be called untrue, too, with some right; it is not counted there.
        counted = [one for one in read if name == "leaks" or one.fault not in _LEAKS]
        faulty = sum(map(is_faulty, counted))
        flagged = sum(map(is_flagged, counted))
        both = sum(is_faulty(one) and is_flagged(one) for one in counted)
        told.append(f"{name}: recall {both} of {faulty}, precision {both} of {flagged}")
    return "; ".join(told)


async def measure(spec: str, half: str, skip: int, each: int) -> None:
    """Put some replies of each pool to a model, and print how it did."""
    records, backbone = RecordPool.open(), open_backbone(spec, timeout=3000, retries=1)
    judge, whole, tokens, unread = PatientJudge(backbone), list[ReadLabel](), 0, 0
    print(judge.name)
    for language in Language:
        replies = [
            *pool("good", language, half)[skip : skip + each],
            *spread(pool("faulty", language, half))[skip : skip + each],
        ]
        contexts = [context_of(reply, language, records) for reply in replies]
        answers = await asyncio.gather(
            *(
                judge.read(reply.reply, context)
                for reply, context in zip(replies, contexts, strict=True)
            )
        )
        tokens += sum(answer.tokens for answer in answers)
        unread += sum(answer.faults is None for answer in answers)
        read = [
            ReadLabel(reply.fault, answer.faults or ReplyFaults())
            for reply, answer in zip(replies, answers, strict=True)
        ]
        for reply, answer in zip(replies, answers, strict=True):
            is_flagged = answer.faults is not None and not answer.faults.is_none
            if is_flagged is not bool(reply.fault):
                kinds = [
                    kind for kind, words in vars(answer.faults or ReplyFaults()).items() if words
                ]
                found = "unread" if answer.faults is None else ", ".join(kinds) or "nothing"
                print(f"  differs: {reply.id} ({reply.fault or 'good'}): found {found}")
        asked = Counter(one.fault for one in read)
        flagged = Counter(one.fault for one in read if not one.found.is_none)
        print(f"\n{language.value}: flagged at all, by kind of fault")
        for kind, count in sorted(asked.items(), key=lambda pair: pair[0] or ""):
            print(f"  {kind or 'none (false alarms)':28} {flagged[kind]:4} of {count:4}")
        print(f"  {agreement_line(read)}")
        whole += read
    await backbone.close()
    print(f"\n{agreement_line(whole)}")
    print(
        f"{tokens:,} tokens; {unread} replies could not be read, and count as if nothing had been"
        " found"
    )


def main() -> None:
    """Measure a model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("judge", help="the model")
    parser.add_argument("--half", choices=["tuning", "held_out"], default="held_out")
    parser.add_argument(
        "--each", type=int, default=15, help="good and faulty replies of each language"
    )
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many of each pool, read before"
    )
    given = parser.parse_args()
    asyncio.run(measure(given.judge, given.half, given.skip, given.each))


if __name__ == "__main__":
    main()
