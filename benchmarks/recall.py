"""How often a memory brings back the turn that a question is about, on published conversations.

python benchmarks/recall.py FOLDER                 everything; up to ten minutes on two busy cores
python benchmarks/recall.py FOLDER --only kdconv   one of scm, kdconv, gvd
python benchmarks/recall.py FOLDER --half tune     the questions that retrieval was tuned on

Every row ranks turns, so that k means k turns for all of them; of several thoughts of a turn the
best counts. Rows of the bank rank every turn. Rows of TiM rank turns of which a thought is active,
or those of the bank where no thought bears on the question. Thoughts are formed without a model.
The papers' way is one table of eight groups and one probe. `raw bank, lasting` is the part of the
default that looks at turns, without any thought: what it lacks to the default is what thoughts are
worth here. `only it / only TiM` counts the questions that either a row or the default answers among
the first five, and the other does not; p is of the sign test on these, which tells ties from gains.

SCM and GVD: `gold_turns.json` of the bench says which turns tell what is asked, by the checksum of
the question. Every conversation was read twice without knowing what any row finds, and turns count
that both readings named (both gave the very same turns for 281 of 305 questions); questions that
no turn answers are dropped and counted. KdConv: a question is made of each triple with a short
value, and the turns that carry this triple are gold. A single dialogue is the papers' setting, but
has about as many turns as the largest k, so `chance` says what a random order gets.

Questions fall into two halves by the checksum of their text. Retrieval was tuned on the first half,
the second is reported; of more than 500 different texts in a table, the 500 with the smallest
checksums are asked.
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
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from osler.bench import readers
from osler.language import Language
from osler.language.words import words
from osler.memory import MemorySettings
from osler.memory.base import Query, Turn
from osler.memory.core.recall_text import raw_text
from osler.memory.core.vectors import VectorIndex
from osler.memory.embedders import open_embedder
from osler.memory.embedders.base import Embedder
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.memory_bank import MemoryBank
from osler.memory.tim.retrieve import best_turns, fused

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


class Question(NamedTuple):
    """A question and the turns that would answer it."""

    text: str
    gold: frozenset[int]


class Pool(NamedTuple):
    """Turns that are remembered together, and questions about them."""

    turns: list[Turn]
    questions: list[Question]


class Conversation(NamedTuple):
    """Turns, and the texts of questions about them."""

    turns: list[Turn]
    questions: list[str]


async def bm25(turns: Sequence[Turn], language: Language, k1: float = 1.5, b: float = 0.75) -> Rank:
    counts = {turn.number: Counter(words(raw_text(turn), language)) for turn in turns}
    lengths = {number: count.total() for number, count in counts.items()}
    mean = sum(lengths.values()) / len(lengths) or 1.0
    holders: Counter[str] = Counter()
    for count in counts.values():
        holders.update(count.keys())

    def score(number: int, query: Iterable[str]) -> float:
        total = 0.0
        length = k1 * (1 - b + b * lengths[number] / mean)
        for word in query:
            times = counts[number][word]
            if times:
                rarity = math.log(1 + (len(counts) - holders[word] + 0.5) / (holders[word] + 0.5))
                total += rarity * times * (k1 + 1) / (times + length)
        return total

    async def rank(question: str) -> list[int]:
        query = dict.fromkeys(words(question, language))
        return sorted(counts, key=lambda number: (-score(number, query), number))

    return rank


async def dense(turns: Sequence[Turn], _: Language) -> Rank:
    embedder = open_embedder("hash")
    vectors = await embedder.embed([raw_text(turn) for turn in turns])
    index = VectorIndex(vectors.shape[1], sparse=True)
    for turn, vector in zip(turns, vectors, strict=True):
        index.add(turn.number, vector)

    async def rank(question: str) -> list[int]:
        vector = await embedder.embed_query(question)
        return [number for number, _ in index.search(vector, len(index))]

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
        hits = fused(question, await embedder.embed_query(question), bank, len(bank))
        return [hit.number for hit in hits]

    return rank


async def bank_lasting(turns: Sequence[Turn], language: Language) -> Rank:
    embedder, bank = await filled(turns, language)

    async def rank(question: str) -> list[int]:
        hits = best_turns(question, await embedder.embed_query(question), bank, len(bank))
        scores = {hit.number: hit.score for hit in hits}
        return sorted(scores, key=lambda number: (-scores[number], number))

    return rank


def tim(**options: str) -> Row:
    async def remember(turns: Sequence[Turn], language: Language) -> Rank:
        settings = MemorySettings(language=language, budget=ALL, options={"k": str(ALL), **options})
        memory = TimMemory(settings)
        for turn in turns:
            await memory.remember(turn)

        async def rank(question: str) -> list[int]:
            best: dict[int, float] = {}
            recall = await memory.recall(Query(question))
            for item in recall.facts:
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
    """Messages two by two; the last of an odd number stands alone."""
    questions = messages[::2]
    return list(zip_longest(questions, messages[1::2], fillvalue=""))


def numbered(pairs: Iterable[tuple[str, str]], first: int = 1) -> list[Turn]:
    turns = []
    for number, (question, reply) in enumerate(pairs, first):
        turns.append(Turn(number=number, question=question, reply=reply))
    return turns


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def chance(pools: Sequence[Pool], k: int) -> float:
    """The hits of a random order."""
    missed = []
    for pool in pools:
        size = len(pool.turns)
        for question in pool.questions:
            orders = math.comb(size - len(question.gold), k)
            missed.append(orders / math.comb(size, k) if size >= k else 0.0)
    return 1 - sum(missed) / len(missed)


def timed_places(name: str, pools: Sequence[Pool], language: Language) -> tuple[list[float], float]:
    began = time.perf_counter()
    return asyncio.run(places(ROWS[name], pools, language)), time.perf_counter() - began


async def places(row: Row, pools: Sequence[Pool], language: Language) -> list[float]:
    """For each question, at which place the first turn stands that answers it."""
    result = []
    for pool in pools:
        rank = await row(pool.turns, language)
        for question in pool.questions:
            ranked = await rank(question.text)
            right = [place for place, turn in enumerate(ranked, 1) if turn in question.gold]
            result.append(min(right, default=math.inf))
    return result


def share(places: Sequence[float], k: int) -> float:
    return sum(place <= k for place in places) / len(places)


def against(row: Sequence[float], default: Sequence[float]) -> str:
    """How many questions only a row or only the default answers, and p of the sign test."""
    only_row = only_default = 0
    for row_place, default_place in zip(row, default, strict=True):
        only_row += row_place <= TOP < default_place
        only_default += default_place <= TOP < row_place
    n = only_row + only_default
    tail = sum(math.comb(n, count) for count in range(min(only_row, only_default) + 1)) / 2**n
    return f"{f'{only_row} / {only_default}':>12}{min(1.0, 2 * tail):10.2g}"


def of_half(pools: Sequence[Pool], half: str) -> list[Pool]:
    """The pools with those questions of the half that are asked, if there are any."""
    texts = set()
    for pool in pools:
        texts.update(question.text for question in pool.questions)
    half_texts = [text for text in texts if is_tuned_on(text) == (half == "tune")]
    chosen = frozenset(sorted(half_texts, key=checksum)[:MOST])
    half_pools = []
    for pool in pools:
        questions = [question for question in pool.questions if question.text in chosen]
        if questions:
            half_pools.append(Pool(pool.turns, questions))
    return half_pools


def table(
    title: str, pools: Sequence[Pool], language: Language, half: str, workers: Executor
) -> None:
    sizes: Counter[bool] = Counter()
    for pool in pools:
        sizes.update(is_tuned_on(question.text) for question in pool.questions)
    pools = of_half(pools, half)
    n = sum(len(pool.questions) for pool in pools)
    turns = sorted(len(pool.turns) for pool in pools)
    print(f"{title}: n = {n} (half tuned on {sizes[True]}, other half {sizes[False]}), ", end="")
    print(f"{turns[0]} to {turns[-1]} turns, median {turns[len(turns) // 2]}")
    heads = "".join(f"{f'hit@{k}':>9}" for k in KS)
    print(f"  {'':18}{heads}{'seconds':>10}   only it / only TiM @{TOP}, p")
    print(f"  {'chance':18}" + "".join(f"{chance(pools, k):9.3f}" for k in KS))
    # The last rows take longest, so they begin first.
    rows = {name: workers.submit(timed_places, name, pools, language) for name in reversed(ROWS)}
    default, _ = rows[DEFAULT].result()
    for name in ROWS:
        row, seconds = rows[name].result()
        shares = "".join(f"{share(row, k):9.3f}" for k in KS)
        comparison = "" if name == DEFAULT else against(row, default)
        print(f"  {name:18}{shares}{seconds:10.1f}{comparison}")
    print(flush=True)


def answered(name: str, conversations: Sequence[Conversation]) -> tuple[list[Pool], int]:
    """Conversations with the questions that a turn answers, and the number of the others."""
    golds = read(GOLD)[name]
    if len(conversations) != len(golds):
        stop_for_version(name)
    pools = []
    dropped = 0
    for conversation, gold in zip(conversations, golds, strict=True):
        questions = []
        for text in conversation.questions:
            turns = gold.get(str(checksum(text)))
            if turns is None:
                stop_for_version(name)
            elif turns:
                questions.append(Question(text, frozenset(turns)))
            else:
                dropped += 1
        pools.append(Pool(conversation.turns, questions))
    return pools, dropped


def stop_for_version(name: str) -> NoReturn:
    sys.exit(
        f"{name} here is not what {GOLD.name} was read from; get that version, or leave it out"
        " (--only)"
    )


def scm_conversations(folder: Path, language: Language) -> list[Conversation]:
    conversations = {}
    for row in read(folder / f"dialogue_{language}.json"):
        conversations[row["id"]] = Conversation(numbered(exchanges(row["dialogue"])), [])
    for row in read(folder / f"dialogue_{language}_questions.json"):
        conversations[row["id"]].questions.append(row["question"])
    return [conversation for conversation in conversations.values() if conversation.questions]


def gvd_conversations(folder: Path, language: Language) -> list[Conversation]:
    code = {Language.EN: "en", Language.ZH: "cn"}[language]
    turns = {}
    for name, user in read(folder / f"memory_bank_{code}.json").items():
        pairs = []
        for day in user["history"].values():
            pairs += [(exchange["query"], exchange["response"]) for exchange in day]
        turns[name.strip()] = numbered(pairs)
    lines = (folder / f"probing_questions_{code}.jsonl").read_text(encoding="utf-8").splitlines()
    conversations = []
    for line in filter(str.strip, lines):
        for name, questions in json.loads(line).items():
            conversations.append(Conversation(turns[name.strip()], questions))
    return conversations


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
        turns += numbered(exchanges([message["message"] for message in messages]), first)
        for place, message in enumerate(messages):
            for triple in message.get("attrs", ()):
                if triple["attrname"] != "Information" and len(triple["attrvalue"]) <= SHORT:
                    key = (triple["name"], triple["attrname"], triple["attrvalue"])
                    carriers.setdefault(key, set()).add(first + place // 2)
    questions = []
    for (name, attribute, _), gold in carriers.items():
        questions.append(Question(f"{name}的{attribute}是什么？", frozenset(gold)))
    return Pool(turns, questions)


def kdconv(folder: Path, half: str, workers: Executor) -> None:
    for domain in ("travel", "film", "music"):
        dialogues = read(folder / f"{domain}_dev.json")
        for size, name in ((1, "one dialogue"), (POOL, f"pools of {POOL} dialogues")):
            starts = range(0, len(dialogues), size)
            pools = [kdconv_pool(dialogues[start : start + size]) for start in starts]
            table(f"KdConv {domain}, {name}", pools, Language.ZH, half, workers)


SETS = {"scm": scm, "kdconv": kdconv, "gvd": gvd}


def run(folder: Path, only: str | None, half: str) -> None:
    began = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES) as workers:
        for name, measure in SETS.items():
            if only in (None, name):
                measure(folder / name, half, workers)
    print(f"{time.perf_counter() - began:.0f} s in all")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="with scm, kdconv and gvd in it")
    parser.add_argument("--only", choices=list(SETS))
    parser.add_argument(
        "--half", choices=("report", "tune"), default="report", help="which half of the questions"
    )
    options = parser.parse_args()
    run(options.folder, options.only, options.half)


if __name__ == "__main__":
    main()
