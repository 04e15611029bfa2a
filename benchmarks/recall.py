"""How often a memory brings back the turn that a question is about, on conversations that others made.

python benchmarks/recall.py shared/data/memory                 everything; five to ten minutes on two busy cores
python benchmarks/recall.py shared/data/memory --only kdconv   one of scm, kdconv, gvd
python benchmarks/recall.py shared/data/memory --half tune     the questions that retrieval was tuned on

Every row ranks turns, so that k means k turns for all of them; of several thoughts of one turn the best one counts.
Rows of the bank rank every turn. Rows of TiM rank turns of which a thought is active, or those of the bank where no
thought bears on the question. Thoughts are formed without a model. The papers' way is one table of eight groups and one
probe. `raw bank, lasting` is the part of the default that looks at turns, without any thought: what it lacks to the
default is what thoughts are worth here. `only it / only TiM` counts the questions that one of a row and the default
answers among the first five and the other does not; p is of the sign test on these, so ties can be told from gains.

SCM and GVD: `gold_turns.json` of the bench says which turns tell what is asked, by the checksum of the question. Every
conversation was read twice without knowing what any row finds, and turns count that both readings named (both gave the
very same turns for 281 of 305 questions); questions that no turn answers are dropped and counted. KdConv: a question is
made of each triple with a short value, and the turns that carry this triple are gold. One dialogue is the papers'
setting, but has about as many turns as the largest k, so `chance` says what a random order gets.

Questions fall into two halves by the checksum of their text. Retrieval was tuned on one, the other one is reported;
of more than 500 different texts in a table, the 500 with the smallest checksums are asked.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import json
import math
import sys
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from osler.bench import readers
from osler.language import Language
from osler.language.words import words
from osler.memory import MemorySettings
from osler.memory.base import Turn
from osler.memory.embedders import open_embedder
from osler.memory.embedders.base import Embedder
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.memory_bank import MemoryBank, raw_text
from osler.memory.tim.retrieve import fused, turn_standings
from osler.memory.tim.vectors import VectorIndex

KS = (1, 3, 5, 10)
ALL = 100_000
"""More thoughts, and more tokens, than any of the conversations has."""
SHORT = 30
"""Characters of a value up to which it is what somebody would ask for."""
POOL = 15
GOLD = Path(readers.__file__).with_name("gold_turns.json")
TOP = 5
"""The k at which rows are compared one question at a time."""
DEFAULT = "TiM, default"
PROCESSES = 2
MOST = 500
"""Questions of one table."""

Rank = Callable[[str], Awaitable[list[int]]]
"""The numbers of turns, best first."""
Row = Callable[[Sequence[Turn], Language], Awaitable[Rank]]
"""A way to remember turns."""


class Asked(NamedTuple):
    """A question and the turns that would answer it."""

    question: str
    gold: frozenset[int]


class Pool(NamedTuple):
    """Turns that are remembered together, and what is asked about them."""

    turns: list[Turn]
    asked: list[Asked]


async def bm25(turns: Sequence[Turn], language: Language, k1: float = 1.5, b: float = 0.75) -> Rank:
    counts = {turn.number: Counter(words(raw_text(turn), language)) for turn in turns}
    lengths = {number: count.total() for number, count in counts.items()}
    mean = sum(lengths.values()) / len(lengths) or 1.0
    holders = Counter(word for count in counts.values() for word in count)

    def score(number: int, wanted: Iterable[str]) -> float:
        total = 0.0
        for word in wanted:
            if often := counts[number][word]:
                rarity = math.log(1 + (len(counts) - holders[word] + 0.5) / (holders[word] + 0.5))
                total += rarity * often * (k1 + 1) / (often + k1 * (1 - b + b * lengths[number] / mean))
        return total

    async def rank(question: str) -> list[int]:
        wanted = dict.fromkeys(words(question, language))
        return sorted(counts, key=lambda number: (-score(number, wanted), number))

    return rank


async def dense(turns: Sequence[Turn], _: Language) -> Rank:
    embedder = open_embedder("hash")
    vectors = await embedder.embed([raw_text(turn) for turn in turns])
    index = VectorIndex(vectors.shape[1], sparse=True)
    for turn, vector in zip(turns, vectors, strict=True):
        index.add(turn.number, vector)

    async def rank(question: str) -> list[int]:
        return [number for number, _ in index.search(await embedder.embed_query(question), len(index))]

    return rank


async def filled(turns: Sequence[Turn], language: Language) -> tuple[Embedder, MemoryBank]:
    embedder = open_embedder("hash")
    vectors = await embedder.embed([raw_text(turn) for turn in turns])
    bank = MemoryBank(language, VectorIndex(vectors.shape[1], sparse=True))
    for turn, vector in zip(turns, vectors, strict=True):
        bank.add(turn, vector)
    return embedder, bank


async def bank_fused(turns: Sequence[Turn], language: Language) -> Rank:
    embedder, bank = await filled(turns, language)

    async def rank(question: str) -> list[int]:
        found = fused(question, await embedder.embed_query(question), bank, len(bank))
        return [hit.number for hit in found]

    return rank


async def bank_lasting(turns: Sequence[Turn], language: Language) -> Rank:
    embedder, bank = await filled(turns, language)

    async def rank(question: str) -> list[int]:
        standings = turn_standings(question, await embedder.embed_query(question), bank)
        return sorted(standings, key=lambda number: (-standings[number], number))

    return rank


def tim(**options: str) -> Row:
    async def remember(turns: Sequence[Turn], language: Language) -> Rank:
        settings = MemorySettings(language=language, budget=ALL, options={"k": str(ALL), **options})
        memory = TimMemory(settings)
        for turn in turns:
            await memory.remember(turn)

        async def rank(question: str) -> list[int]:
            best: dict[int, float] = {}
            for item in (await memory.recall(question)).facts:
                best[item.turn] = max(item.score, best.get(item.turn, -math.inf))
            return sorted(best, key=lambda number: (-best[number], number))

        return rank

    return remember


ROWS: dict[str, Row] = {
    "BM25": bm25,
    "dense alone": dense,
    "raw bank, fused": bank_fused,
    "raw bank, lasting": bank_lasting,
    "TiM, paper": tim(mode="paper", groups="8", probes="1"),
    DEFAULT: tim(),
}


def checksum(question: str) -> int:
    return zlib.crc32(question.encode())


def is_tuned_on(question: str) -> bool:
    return checksum(question) % 2 == 0


def exchanges(messages: Sequence[str]) -> list[tuple[str, str]]:
    """Messages two by two; the last one of an odd number stands alone."""
    return [(messages[at], messages[at + 1] if at + 1 < len(messages) else "") for at in range(0, len(messages), 2)]


def numbered(pairs: Iterable[tuple[str, str]]) -> list[Turn]:
    return [Turn(number=number, question=said, reply=reply) for number, (said, reply) in enumerate(pairs, 1)]


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def chance(pools: Sequence[Pool], k: int) -> float:
    """The hits of a random order."""
    missed = [
        math.comb(len(pool.turns) - len(asked.gold), k) / math.comb(len(pool.turns), k) if len(pool.turns) >= k else 0.0
        for pool in pools
        for asked in pool.asked
    ]
    return 1 - sum(missed) / len(missed)


def timed_places(name: str, pools: Sequence[Pool], language: Language) -> tuple[list[float], float]:
    began = time.perf_counter()
    return asyncio.run(places(ROWS[name], pools, language)), time.perf_counter() - began


async def places(row: Row, pools: Sequence[Pool], language: Language) -> list[float]:
    """For each question, at which place the first turn stands that answers it."""
    found = []
    for pool in pools:
        rank = await row(pool.turns, language)
        for asked in pool.asked:
            ranked = await rank(asked.question)
            found.append(next((at for at, turn in enumerate(ranked, 1) if turn in asked.gold), math.inf))
    return found


def share(found: Sequence[float], k: int) -> float:
    return sum(place <= k for place in found) / len(found)


def against(row: Sequence[float], default: Sequence[float]) -> str:
    """How many questions only one of both answers among the first, and how likely so uneven a count is by chance."""
    apart = Counter((mine <= TOP, its <= TOP) for mine, its in zip(row, default, strict=True))
    only_it, only_default = apart[True, False], apart[False, True]
    n = only_it + only_default
    tail = sum(math.comb(n, at) for at in range(min(only_it, only_default) + 1)) / 2**n
    return f"{f'{only_it} / {only_default}':>12}{min(1.0, 2 * tail):10.2g}"


def of_half(pools: Sequence[Pool], half: str) -> list[Pool]:
    """The pools with those questions of the half that are asked; pools of which none is are left out."""
    texts = {asked.question for pool in pools for asked in pool.asked}
    of_it = [text for text in texts if is_tuned_on(text) == (half == "tune")]
    wanted = frozenset(sorted(of_it, key=checksum)[:MOST])
    left = (Pool(pool.turns, [asked for asked in pool.asked if asked.question in wanted]) for pool in pools)
    return [pool for pool in left if pool.asked]


def table(title: str, pools: Sequence[Pool], language: Language, half: str, workers: Executor) -> None:
    sizes = Counter(is_tuned_on(asked.question) for pool in pools for asked in pool.asked)
    kept = of_half(pools, half)
    n = sum(len(pool.asked) for pool in kept)
    turns = sorted(len(pool.turns) for pool in kept)
    print(f"{title}: n = {n} (half tuned on {sizes[True]}, other half {sizes[False]}), ", end="")
    print(f"{turns[0]} to {turns[-1]} turns, median {turns[len(turns) // 2]}")
    heads = "".join(f"{f'hit@{k}':>9}" for k in KS)
    print(f"  {'':18}{heads}{'seconds':>10}   only it / only TiM @{TOP}, p")
    print(f"  {'chance':18}" + "".join(f"{chance(kept, k):9.3f}" for k in KS))
    rows = {name: workers.submit(timed_places, name, kept, language) for name in reversed(ROWS)}
    default, _ = rows[DEFAULT].result()
    for name in ROWS:
        found, seconds = rows[name].result()
        shares = "".join(f"{share(found, k):9.3f}" for k in KS)
        print(f"  {name:18}{shares}{seconds:10.1f}" + ("" if name == DEFAULT else against(found, default)))
    print(flush=True)


def answered(name: str, conversations: Iterable[tuple[list[Turn], list[str]]]) -> tuple[list[Pool], int]:
    """Conversations with those of their questions that a turn answers, and how many questions none does."""
    pools, dropped = [], 0
    found, golds = list(conversations), read(GOLD)[name]
    keys = [[str(checksum(question)) for question in questions] for _, questions in found]
    if len(found) != len(golds) or any(not gold.keys() >= set(asked) for asked, gold in zip(keys, golds, strict=True)):
        sys.exit(f"{name} here is not what {GOLD.name} was read from; get that version, or leave it out (--only)")
    for (turns, questions), gold in zip(found, golds, strict=True):
        asked = [Asked(question, frozenset(gold[str(checksum(question))])) for question in questions]
        dropped += sum(not one.gold for one in asked)
        pools.append(Pool(turns, [one for one in asked if one.gold]))
    return pools, dropped


def scm_conversations(folder: Path, language: Language) -> list[tuple[list[Turn], list[str]]]:
    found: dict[Any, tuple[list[Turn], list[str]]] = {
        row["id"]: (numbered(exchanges(row["dialogue"])), []) for row in read(folder / f"dialogue_{language}.json")
    }
    for row in read(folder / f"dialogue_{language}_questions.json"):
        found[row["id"]][1].append(row["question"])
    return [one for one in found.values() if one[1]]


def gvd_conversations(folder: Path, language: Language) -> list[tuple[list[Turn], list[str]]]:
    code = {Language.EN: "en", Language.ZH: "cn"}[language]
    history = {name.strip(): user["history"] for name, user in read(folder / f"memory_bank_{code}.json").items()}
    lines = (folder / f"probing_questions_{code}.jsonl").read_text(encoding="utf-8").splitlines()
    users = [row for line in lines if line.strip() for row in json.loads(line).items()]
    said = (
        [(one["query"], one["response"]) for day in history[user.strip()].values() for one in day] for user, _ in users
    )
    return [(numbered(pairs), questions) for pairs, (_, questions) in zip(said, users, strict=True)]


def scm(folder: Path, half: str, workers: Executor) -> None:
    for language in Language:
        pools, dropped = answered(f"scm_{language}", scm_conversations(folder, language))
        table(f"SCM {language}, {dropped} questions dropped", pools, language, half, workers)


def gvd(folder: Path, half: str, workers: Executor) -> None:
    for language in Language:
        pools, dropped = answered(f"gvd_{language}", gvd_conversations(folder, language))
        table(f"GVD {language}, {dropped} questions dropped", pools, language, half, workers)


def kdconv_pool(dialogues: Sequence[dict[str, Any]]) -> Pool:
    turns: list[Turn] = []
    carriers: dict[tuple[str, str, str], set[int]] = {}
    for dialogue in dialogues:
        messages = dialogue["messages"]
        first = len(turns) + 1
        said = exchanges([message["message"] for message in messages])
        turns += [Turn(number=first + at, question=one, reply=other) for at, (one, other) in enumerate(said)]
        for place, message in enumerate(messages):
            for triple in message.get("attrs", ()):
                if triple["attrname"] != "Information" and len(triple["attrvalue"]) <= SHORT:
                    key = (triple["name"], triple["attrname"], triple["attrvalue"])
                    carriers.setdefault(key, set()).add(first + place // 2)
    asked = [Asked(f"{name}的{attribute}是什么？", frozenset(gold)) for (name, attribute, _), gold in carriers.items()]
    return Pool(turns, asked)


def kdconv(folder: Path, half: str, workers: Executor) -> None:
    for domain in ("travel", "film", "music"):
        dialogues = read(folder / f"{domain}_dev.json")
        for size, name in ((1, "one dialogue"), (POOL, f"pools of {POOL} dialogues")):
            pools = [kdconv_pool(dialogues[at : at + size]) for at in range(0, len(dialogues), size)]
            table(f"KdConv {domain}, {name}", pools, Language.ZH, half, workers)


SETS = {"scm": scm, "kdconv": kdconv, "gvd": gvd}


def run(folder: Path, only: str | None, half: str) -> None:
    began = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES) as workers:
        for name, one in SETS.items():
            if only in (None, name):
                one(folder / name, half, workers)
    print(f"{time.perf_counter() - began:.0f} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with scm, kdconv and gvd in it")
    parser.add_argument("--only", choices=list(SETS))
    parser.add_argument("--half", choices=("report", "tune"), default="report", help="which half of the questions")
    options = parser.parse_args()
    run(options.folder, options.only, options.half)


if __name__ == "__main__":
    main()
