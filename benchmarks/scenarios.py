"""Whether a memory tells facts behind 40 turns of other talk, and lets go of what was corrected.

python benchmarks/scenarios.py FOLDER --filler FILE_EN FILE_ZH       raw and tim, without a model

FOLDER has `scenarios_en.jsonl` and `corrections_en.jsonl`, and the same for `zh`. A scenario is one
to three exchanges, then the other talk, then a question; a recall has found the answer if its text
has a string of each `accept` group, and is right if, besides, no piece of it is stale. A piece is a
line of facts or an exchange; it is stale if it has a string of each `reject` group but not of each
`accept` group. Raw dialogue that holds both what was said and its correction has found the answer
and is not right: the reader has to put it right.

A correction is two exchanges with three turns between and the other talk behind them; the first
question is asked again with room for everything. The new fact is kept if the text has it; the old
fact is retired if no piece tells it. Where `both` is true, nothing was corrected and both must be
there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from osler.language import Language
from osler.memory import Memory, MemorySettings, memory_factory
from osler.memory.base import Query, Turn

BUDGETS = (100, 200, 2000)
ALL = 100_000
BEHIND, BETWEEN = 40, 3
MEMORIES = ("raw", "tim")
Exchange = dict[str, str]
Groups = Sequence[Sequence[str]]
FACT_OPENINGS = (
    "Fact #",
    "事实#",
    "Denied: ",
    "否认：",
    "Normal: ",
    "正常：",
    "Also ",
    "还问过：",
)


def has(text: str, groups: Groups) -> bool:
    """Check for a string of each group."""
    text = text.casefold()
    for group in groups:
        if not any(string.casefold() in text for string in group):
            return False
    return bool(groups)


def pieces(text: str, language: Language) -> list[str]:
    """Lines of facts one by one, and the lines of an exchange together."""
    exchange_opening = {Language.EN: "Turn ", Language.ZH: "第"}[language]
    result: list[str] = []
    is_exchange = False
    for line in text.splitlines():
        is_fact = line.startswith(FACT_OPENINGS)
        if is_fact or not is_exchange or line.startswith(exchange_opening):
            result.append(line)
        else:
            result[-1] += f"\n{line}"
        is_exchange = not is_fact
    return result


async def recalled(
    name: str, language: Language, budget: int, exchanges: Iterable[Exchange], ask: str
) -> str:
    memory: Memory = memory_factory(name)(MemorySettings(language=language, budget=budget))
    for number, exchange in enumerate(exchanges, 1):
        turn = Turn(number=number, question=exchange["question"], reply=exchange["reply"])
        await memory.remember(turn)
    recall = await memory.recall(Query(ask))
    return recall.text


def rows_of(path: Path) -> list[Any]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


async def scenarios(
    rows: Sequence[Any], filler: Sequence[Exchange], language: Language, shows: bool
) -> None:
    kinds = sorted({row["kind"] for row in rows})
    print(f"{language}: {len(rows)} scenarios, found / right")
    print(f"  {'':14}" + "".join(f"{kind:>12}" for kind in (*kinds, "all")))
    for budget in BUDGETS:
        for name in MEMORIES:
            count: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
            for row in rows:
                behind = random.Random(row["id"]).sample(list(filler), BEHIND)
                text = await recalled(name, language, budget, [*row["turns"], *behind], row["ask"])
                is_found = has(text, row["accept"])
                is_stale = any(is_stale_piece(piece, row) for piece in pieces(text, language))
                for kind in (row["kind"], "all"):
                    count[kind][0] += is_found
                    count[kind][1] += is_found and not is_stale
                if shows and name == "tim" and (is_stale or not is_found):
                    print(
                        f"--- {row['id']} at {budget}: {row['ask']} {row['accept']}"
                        f" {row['reject']}\n{text}\n"
                    )
            cells = [f"{count[kind][0]} / {count[kind][1]}" for kind in (*kinds, "all")]
            columns = "".join(f"{cell:>12}" for cell in cells)
            print(f"  {f'{name}, {budget}':14}{columns}", flush=True)


def is_stale_piece(piece: str, row: Any) -> bool:
    return has(piece, row["reject"]) and not has(piece, row["accept"])


async def corrections(
    rows: Sequence[Any], filler: Sequence[Exchange], language: Language, shows: bool
) -> None:
    for name in MEMORIES:
        new = retired = old = 0
        for row in rows:
            others = random.Random(row["id"]).sample(list(filler), BEHIND + BETWEEN)
            exchanges = [row["before"], *others[:BETWEEN], row["after"], *others[BETWEEN:]]
            text = await recalled(name, language, ALL, exchanges, row["before"]["question"])
            has_old = any(has(piece, row["old"]) for piece in pieces(text, language))
            new += has(text, row["new"])
            retired += not row["both"] and not has_old
            old += row["both"] and has_old
            if shows and name == "tim" and has_old != row["both"]:
                print(f"--- {row['id']}: {row['before']} {row['after']} {row['old']}")
        both = sum(row["both"] for row in rows)
        print(
            f"  {name:14}new kept {new} of {len(rows)}, old retired {retired} of"
            f" {len(rows) - both}, both kept {old} of {both}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--filler", type=Path, nargs=2, required=True, help="other talk, English and Chinese (YAML)"
    )
    parser.add_argument("--show", action="store_true", help="print what tim gets wrong")
    options = parser.parse_args()
    for language, path in zip((Language.EN, Language.ZH), options.filler, strict=True):
        filler = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = rows_of(options.folder / f"scenarios_{language}.jsonl")
        asyncio.run(scenarios(rows, filler, language, options.show))
        rows = rows_of(options.folder / f"corrections_{language}.jsonl")
        asyncio.run(corrections(rows, filler, language, options.show))


if __name__ == "__main__":
    main()
