"""What the consultations of a run came to when a model judges the diagnoses.

python benchmarks/judged.py RUN POOL JUDGE      e.g. runs/latest cases.jsonl MODEL@http://127.0.0.1:8000/v1
"""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from pathlib import Path

from osler.agents.backbones import open_backbone
from osler.eval.judge import judge_diagnosis
from osler.eval.match import names_diagnosis
from osler.events import Ending, Voice
from osler.records import RecordPool
from osler.simulator.runs import Run
from osler.simulator.transcript import Transcript


async def main(run: str, pool: str, spec: str) -> None:
    records = {record.id: record for record in RecordPool.open(pool)}
    groups: dict[tuple[str, str], list[Transcript]] = defaultdict(list)
    for transcript in Run.open(Path(run)).transcripts():
        groups[transcript.header.memory, transcript.header.language].append(transcript)
    backbone = open_backbone(spec, timeout=120)
    gate = asyncio.Semaphore(32)

    async def verdict(transcript: Transcript) -> bool | None:
        record, conclusion = records[transcript.header.case], transcript.conclusion
        async with gate:
            answer = conclusion.diagnosis if conclusion else ""
            return await judge_diagnosis(answer, record.diagnosis, record.language, backbone)

    print(
        "memory lang    n failed unparsed  by name  judged  unread  turns repeats  leaks fabricated  retried replaced"
    )
    for (memory, language), some in sorted(groups.items()):
        answered = [transcript for transcript in some if transcript.ending.is_answer]
        verdicts = await asyncio.gather(*(verdict(transcript) for transcript in answered))
        by_name = sum(
            bool(t.conclusion)
            and names_diagnosis(t.conclusion.diagnosis, records[t.header.case].diagnosis, t.header.language)
            for t in answered
            if t.conclusion
        )
        replies = [reply for transcript in some for reply in transcript.replies]
        n, unparsed = len(answered), sum(t.ending is Ending.UNPARSED for t in some)
        print(
            f"{memory:6} {language:4} {len(some):4} {len(some) - n:6} {unparsed:8}"
            f" {by_name / n:8.3f} {sum(v is True for v in verdicts) / n:7.3f} {sum(v is None for v in verdicts):7}"
            f" {sum(t.turns for t in answered) / n:6.1f} {sum(t.repeats for t in answered) / n:7.2f}"
            f" {sum(bool(r.leaks) for r in replies):6} {sum(bool(r.fabrications) for r in replies):10}"
            f" {sum(r.voice is Voice.RETRIED for r in replies) / len(replies):8.3f}"
            f" {sum(r.voice is Voice.REPLACED for r in replies) / len(replies):8.3f}"
        )
    await backbone.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
