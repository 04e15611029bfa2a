"""How well a judge agrees with the labels: Cohen's kappa and the confusion table on one half of the pairs.

python benchmarks/judge.py [--half held_out]                              the ladder, on all pairs
python benchmarks/judge.py --judge MODEL@http://127.0.0.1:8091/v1 --each 36    a model, on some diagnoses
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from pathlib import Path

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa, to_table

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.eval.pairs import DiagnosisPair, Half, Pair, pairs

from osler.eval.ladder import LADDER, judge_diagnosis, judge_treatment
from osler.eval.model_judge import ModelJudge
from osler.language import Language
from osler.models import open_backbone
from osler.records.schema import Diagnosis


def judged(pair: Pair) -> str:
    """The ladder's verdict on one pair."""
    if isinstance(pair, DiagnosisPair):
        return judge_diagnosis(pair.answer, pair.truth).verdict.value
    return judge_treatment(pair.answer, pair.truth).verdict.value


def report(title: str, labels: list[str], verdicts: list[str]) -> None:
    """One line of agreement."""
    _, counts = confusion(labels, verdicts)
    found = cohens_kappa(counts)
    between = f"[{found.kappa_low:.3f}, {found.kappa_upp:.3f}]"
    agreement = counts.trace() / counts.sum()
    print(f"{title:10} n={len(labels):4}  kappa {found.kappa:.3f} {between}  agreement {agreement:.1%}")


def confusion(labels: list[str], verdicts: list[str]) -> tuple[list[str], np.ndarray]:
    """The names, and how often each label met each verdict."""
    names = sorted({*labels, *verdicts})
    counts, _ = to_table([*zip(map(names.index, labels), map(names.index, verdicts), strict=True)], len(names))
    return names, counts


def table(labels: list[str], verdicts: list[str]) -> None:
    """Labels down, verdicts across."""
    names, counts = confusion(labels, verdicts)
    print("\nlabel \\ judge " + "".join(f"{name:>9}" for name in names))
    for name, row in zip(names, counts, strict=True):
        print(f"{name:14}" + "".join(f"{int(count):9}" for count in row))


async def by_model(spec: str, half: Half, each: int) -> None:
    """The same pairs put to a model, blindly, and to the ladder beside it."""
    backbone = open_backbone(spec, timeout=600, retries=1)
    judge = ModelJudge(backbone)
    labels: list[str] = []
    model: list[str] = []
    ladder: list[str] = []
    for language in Language:
        diagnoses = [pair for pair in pairs(language, half) if isinstance(pair, DiagnosisPair)]
        random.Random(1).shuffle(diagnoses)
        for pair in diagnoses[:each]:
            said = await judge.pair("diagnosis", pair.truth.name, pair.answer, language)
            labels.append(pair.verdict.value)
            model.append(said.verdict.value)
            ladder.append(judged(pair))
            print(
                f"{language.value} {pair.verdict.value:8} {said.verdict.value:8} {pair.truth.name} / {pair.answer}",
                flush=True,
            )
    await backbone.close()
    print(f"\n{judge.name}")
    report("model", labels, model)
    report("ladder", labels, ladder)
    table(labels, model)


def main() -> None:
    """Judge one half and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=[half.value for half in Half], default=Half.HELD_OUT.value)
    parser.add_argument("--judge", help="a model as the judge")
    parser.add_argument("--each", type=int, default=36, help="pairs of each language that the model judges")
    given = parser.parse_args()
    half = Half(given.half)
    if given.judge:
        asyncio.run(by_model(given.judge, half, given.each))
        return
    labels: list[str] = []
    verdicts: list[str] = []
    print(f"{LADDER} on the {half.value} half")
    for language in Language:
        of_language = pairs(language, half)
        nowhere = Diagnosis(name="nowhere to be found", icd10="A00.0")
        judge_diagnosis("not to be found either", nowhere)  # climbs every rung, and so loads all words
        judge_diagnosis("无处可寻", nowhere)
        start = time.perf_counter()
        said = [judged(pair) for pair in of_language]
        each = (time.perf_counter() - start) / len(said)
        report(language.value, [pair.verdict.value for pair in of_language], said)
        print(f"{'':10} {each * 1000:.2f} ms a judgement")
        labels += [pair.verdict.value for pair in of_language]
        verdicts += said
    report("together", labels, verdicts)
    table(labels, verdicts)


if __name__ == "__main__":
    main()
