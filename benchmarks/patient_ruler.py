"""How far a ruler of the patient's replies agrees with the labels: recall and precision, by kind of fault and language.

python benchmarks/patient_ruler.py [--half held_out]                 the rules, on all labelled replies of that half
python benchmarks/patient_ruler.py --write                           and write down what reports and docs/judging.md say
python benchmarks/patient_ruler.py --judge MODEL@http://127.0.0.1:8091/v1 --each 40    a model, on some of each pool
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.agents.labelled import LabelledReply, agreement_file, labelled, written

from osler.eval.faithfulness import RULES, ReplyVerdict, judge_reply
from osler.eval.faithfulness.agreement import Agreement, agreement_line
from osler.eval.faithfulness.patient_judge import PatientJudge
from osler.language import Language
from osler.models import open_backbone

Judged = list[tuple[LabelledReply, ReplyVerdict]]


def report(name: str, judged: dict[Language, Judged]) -> None:
    """Kind by kind, then together."""
    print(name)
    for language, pairs in judged.items():
        asked = Counter(one.fault for one, _ in pairs)
        flagged = Counter(one.fault for one, verdict in pairs if not verdict.is_faithful)
        print(f"\n{language.value}: flagged at all, by kind of fault")
        for kind, count in sorted(asked.items(), key=lambda pair: pair[0] or ""):
            print(f"  {kind or 'none (false alarms)':28} {flagged[kind]:4} of {count:4}  {flagged[kind] / count:.2f}")
        print(f"  {agreement_line({language: Agreement.of((o.label, v) for o, v in pairs)}, 'labelled replies')}")
    whole = {
        language: Agreement.of((one.label, verdict) for one, verdict in pairs) for language, pairs in judged.items()
    }
    print(f"\n{agreement_line(whole, 'labelled replies')}")


async def by_model(spec: str, half: str, each: int) -> None:
    """Some replies of each pool put to a model."""
    backbone = open_backbone(spec, timeout=600, retries=1)
    judge, judged, tokens, unread = PatientJudge(backbone), {}, 0, 0
    for language in Language:
        good, faulty = labelled("good", language, half)[:each], labelled("faulty", language, half)[:each]
        pairs: Judged = []
        for one in (*good, *faulty):
            said = await judge.say(one.reply, one.context)
            tokens += said.tokens
            unread += said.verdict is None
            pairs.append((one, said.verdict or ReplyVerdict()))
        judged[language] = pairs
    await backbone.close()
    report(judge.name, judged)
    print(f"{tokens:,} tokens; {unread} answers could not be read and catch nothing")


def main() -> None:
    """Judge one half and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["tuning", "held_out"], default="held_out")
    parser.add_argument("--judge", help="a model as the ruler")
    parser.add_argument("--each", type=int, default=40, help="replies of each pool that the model judges")
    parser.add_argument("--write", action="store_true", help="write agreement.json (of the held-out half)")
    given = parser.parse_args()
    if given.judge:
        asyncio.run(by_model(given.judge, given.half, given.each))
        return
    judged: dict[Language, Judged] = {}
    for language in Language:
        replies = [*labelled("good", language, given.half), *labelled("faulty", language, given.half)]
        start = time.perf_counter()
        judged[language] = [(one, judge_reply(one.reply, one.context)) for one in replies]
        print(f"{language.value}: {1000 * (time.perf_counter() - start) / len(replies):.1f} ms a reply")
    report(f"{RULES} on the {given.half} half", judged)
    if given.write:
        agreement_file().write_text(written(), "utf-8")


if __name__ == "__main__":
    main()
