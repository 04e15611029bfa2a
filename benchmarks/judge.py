"""How well a judge agrees with labelled pairs: Cohen's kappa on what it decides, and the share it leaves undecided.

python benchmarks/judge.py                                             the ladder, on model-style tuning pairs
python benchmarks/judge.py --half held_out --pairs plain               the ladder, on the short pairs held out
python benchmarks/judge.py --judge q@http://127.0.0.1:8000/v1 --keep said.jsonl --concurrency 128

With --judge, three judges are reported: the ladder, the model on all pairs, and the model on what the ladder leaves
undecided. Re-run the same command with the same --keep file to resume.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa, to_table

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.eval.pairs import DiagnosisPair, Half, Pair, model_style_pairs, pairs

from osler.eval.controls import ask_all
from osler.eval.ladder import LADDER, judge_diagnosis, judge_treatment
from osler.eval.reader.model_judge import ModelJudge
from osler.language import Language
from osler.models import open_backbone

UNDECIDED = "undecided"


class LabelledPair(NamedTuple):
    """A pair with its language."""

    language: Language
    pair: Pair

    @property
    def label(self) -> str:
        """What people say of it."""
        return self.pair.verdict.value

    def key(self, judge: str) -> str:
        """Stands for the pair and a judge in the file of what was said."""
        text = "\0".join((judge, self.language, self.pair.truth.model_dump_json(), self.pair.answer))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def by_ladder(one: LabelledPair) -> str:
    """The ladder's verdict on one pair."""
    pair = one.pair
    if isinstance(pair, DiagnosisPair):
        return judge_diagnosis(pair.answer, pair.truth).verdict.value
    return judge_treatment(pair.answer, pair.truth).verdict.value


def said_before(keep: Path | None) -> dict[str, str]:
    """The verdicts in the file of what was said."""
    lines = keep.read_text("utf-8").splitlines() if keep is not None and keep.exists() else []
    return {row["key"]: row["verdict"] for row in map(json.loads, lines)}


async def by_model(rows: Sequence[LabelledPair], judge: ModelJudge, keep: Path | None, concurrency: int) -> list[str]:
    """A model's verdicts; what the file holds is not asked again, and every new verdict is added to it at once."""
    name = judge.name
    known = said_before(keep)
    tokens = 0

    async def ask(one: LabelledPair) -> None:
        nonlocal tokens
        said = await judge.pair(one.pair.truth, one.pair.answer, one.language)
        tokens += said.tokens or 0
        known[one.key(name)] = said.verdict.value
        if keep is not None:
            row = {"key": one.key(name), "judge": name, "truth": one.pair.truth.name, "answer": one.pair.answer}
            row |= {"label": one.label, "verdict": said.verdict.value, "because": said.because}
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

    todo = [one for one in rows if one.key(name) not in known]
    start = time.monotonic()
    await ask_all(ask, todo, asyncio.Semaphore(concurrency))
    print(f"{len(todo)} pairs asked of {name} in {time.monotonic() - start:.0f} s, {tokens:,} tokens")
    return [known[one.key(name)] for one in rows]


def figures(labels: Sequence[str], verdicts: Sequence[str]) -> dict[str, Any]:
    """Agreement on what is decided, the share that is not, and the confusion table."""
    both = [(label, verdict) for label, verdict in zip(labels, verdicts, strict=True) if verdict != UNDECIDED]
    found: dict[str, Any] = {"n": len(labels), "decided": len(both)}
    found["undecided"] = 1 - len(both) / len(labels) if labels else None
    names = sorted({name for pair in both for name in pair})
    if len(names) > 1:
        counts, _ = to_table([(names.index(label), names.index(verdict)) for label, verdict in both], len(names))
        kappa = cohens_kappa(counts)
        found |= {"kappa": kappa.kappa, "interval": [kappa.kappa_low, kappa.kappa_upp]}
        found["agreement"] = float(np.trace(counts) / counts.sum())
    columns = sorted({*labels, *verdicts})
    found["confusion"] = {
        label: {name: sum(pair == (label, name) for pair in zip(labels, verdicts, strict=True)) for name in columns}
        for label in sorted(set(labels))
    }
    return found


def report(title: str, rows: Sequence[LabelledPair], verdicts: Sequence[str]) -> dict[str, Any]:
    """Print a judge's figures, by language and kind and together, and return them."""
    print(f"\n{title}")
    found: dict[str, Any] = {}
    for language in (None, *Language):
        for kind in (None, "diagnosis", "treatment"):
            some = [place for place, one in enumerate(rows) if _fits(one, language, kind)]
            name = f"{language or 'both'} {kind or 'together'}"
            found[name] = figures([rows[place].label for place in some], [verdicts[place] for place in some])
            print(line(name, found[name]))
    table(found["both together"]["confusion"])
    return found


def _fits(one: LabelledPair, language: Language | None, kind: str | None) -> bool:
    return language in (None, one.language) and kind in (None, one.pair.kind)


def line(name: str, found: dict[str, Any]) -> str:
    """One line of figures."""
    if "kappa" not in found:
        return f"{name:14} n={found['n']:4}"
    between = "[{:.3f}, {:.3f}]".format(*found["interval"])
    return (
        f"{name:14} n={found['n']:4}  undecided {found['undecided']:6.1%}  kappa {found['kappa']:.3f} {between}"
        f"  agreement {found['agreement']:.1%}"
    )


def table(confusion: dict[str, dict[str, int]]) -> None:
    """Labels down, verdicts across."""
    columns = next(iter(confusion.values()))
    print("label \\ judge " + "".join(f"{name:>10}" for name in columns))
    for label, counts in confusion.items():
        print(f"{label:14}" + "".join(f"{count:10}" for count in counts.values()))


async def judge_all(given: argparse.Namespace, rows: Sequence[LabelledPair]) -> dict[str, Any]:
    """The figures of the ladder, and of a model where one is given."""
    start = time.perf_counter()
    ladder = [by_ladder(one) for one in rows]
    each = (time.perf_counter() - start) / len(rows)
    title = f"{LADDER} on {given.pairs} {given.half}, {each * 1000:.1f} ms a judgement"
    found = {LADDER: report(title, rows, ladder)}
    if given.wrong:
        _print_wrong(rows, ladder)
    if given.judge:
        backbone = open_backbone(given.judge, timeout=given.timeout)
        try:
            judge = ModelJudge(backbone)
            model = await by_model(rows, judge, given.keep, given.concurrency)
        finally:
            await backbone.close()
        found[judge.name] = report(f"{judge.name}, on all pairs", rows, model)
        then = [own if own != UNDECIDED else other for own, other in zip(ladder, model, strict=True)]
        found[f"{LADDER} then {judge.name}"] = report(f"{LADDER}, then {judge.name}", rows, then)
    return found


def _print_wrong(rows: Iterable[LabelledPair], verdicts: Iterable[str]) -> None:
    for one, verdict in zip(rows, verdicts, strict=True):
        if verdict not in (one.label, UNDECIDED):
            print(f"{one.label:8} {verdict:8} {one.pair.truth.name} / {' '.join(one.pair.answer.split())[:160]}")


def main() -> None:
    """Judge the pairs and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", choices=["plain", "model_style"], default="model_style", help="which pairs")
    parser.add_argument("--half", choices=[half.value for half in Half], default=Half.TUNING.value)
    parser.add_argument("--judge", help="a model as the judge")
    parser.add_argument("--concurrency", type=int, default=16, help="calls at the same time")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one call")
    parser.add_argument("--keep", type=Path, help="JSONL file of what the model said, to resume from")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--wrong", action="store_true", help="print what the ladder gets wrong")
    given = parser.parse_args()
    read = pairs if given.pairs == "plain" else model_style_pairs
    rows = [LabelledPair(language, pair) for language in Language for pair in read(language, Half(given.half))]
    if not rows:
        parser.error(f"there are no {given.pairs} pairs of the half {given.half}")
    found = asyncio.run(judge_all(given, rows))
    if given.json is not None:
        given.json.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
