"""How long a memory takes to recall and to remember, beside a flat search of the same vectors.

python benchmarks/recall_time.py FOLDER              140, 1,000 and 10,000 thoughts
python benchmarks/recall_time.py FOLDER --sizes 140 --profile

The turns are those of the conversations in the folder (SCM, GVD, KdConv), language by language, as
many as make that many active thoughts or all there are (the same words again would make no new
thoughts); they are remembered without a model, with the default options. `recall` is what a
consultation calls: embedder, retrieval and text, asked with questions about the conversations,
about as long as a patient's reply. `flat` is a search for the ten nearest in a `faiss.IndexFlatIP`
with the vectors of the same thoughts, in the same run and on one thread; the embedding of the query
is not in it. `remember` is the last 50 turns. All are medians in milliseconds of processor time.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import cProfile
import pstats
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import faiss

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.recall import gvd_conversations, kdconv_pool, read, scm_conversations

from osler.language import Language
from osler.memory import MemorySettings
from osler.memory.base import Query, Turn
from osler.memory.core.fact import FactStatus
from osler.memory.embedders import open_embedder
from osler.memory.tim.memory import TimMemory
from osler.memory.tim.thought_space import wording

SIZES = (140, 1_000, 10_000)
QUERIES, LAST, TOP = 60, 50, 10
PER_TURN = 12
"""More thoughts than a turn leaves on average."""


def talk(folder: Path, language: Language) -> tuple[Iterator[Turn], list[str]]:
    """All turns of a language, and the questions about them."""
    conversations = [
        *scm_conversations(folder / "scm", language),
        *gvd_conversations(folder / "gvd", language),
    ]
    turns = []
    questions = []
    for conversation in conversations:
        turns += conversation.turns
        questions += conversation.questions
    if language is Language.ZH:
        for name in ("travel", "film", "music"):
            pool = kdconv_pool(read(folder / f"kdconv/{name}_dev.json"))
            turns += pool.turns
            questions += [question.text for question in pool.questions]
    random.Random(0).shuffle(turns)
    numbered = (turn.model_copy(update={"number": number}) for number, turn in enumerate(turns, 1))
    return numbered, random.Random(1).sample(questions, QUERIES)


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    began = time.thread_time()
    await work()
    return (time.thread_time() - began) * 1000


async def filled(memory: TimMemory, turns: Iterator[Turn], size: int) -> list[float]:
    """Remember turns until there are about that many thoughts, or no more turns.

    What each turn took.
    """
    took: list[float] = []
    while (missing := size - len(active(memory))) > 0:
        some = list(islice(turns, max(1, missing // PER_TURN)))
        if not some:
            break
        took += [await milliseconds(lambda turn=turn: memory.remember(turn)) for turn in some]
    return took


def active(memory: TimMemory) -> list[str]:
    return [wording(one) for one in memory.ledger if one.status is FactStatus.ACTIVE]


async def measure_all(
    folder: Path, language: Language, sizes: Sequence[int], budget: int, profile: bool
) -> None:
    """Measure one memory as it grows."""
    turns, queries = talk(folder, language)
    memory = TimMemory(MemorySettings(language=language, budget=budget))
    remembering: list[float] = []
    for size in sizes:
        remembering += await filled(memory, turns, size)
        await measure(memory, language, remembering, queries, profile)


async def measure(
    memory: TimMemory,
    language: Language,
    remembering: list[float],
    queries: Sequence[str],
    profile: bool,
) -> None:
    embedder = open_embedder("hash")
    index = faiss.IndexFlatIP(4096)
    faiss.omp_set_num_threads(1)
    for text in active(memory):
        index.add(await embedder.embed([text]))
    vectors = [await embedder.embed_query(query) for query in queries]

    async def search(vector: object) -> None:
        index.search(vector[None], TOP)  # type: ignore[index]

    flat = [
        await milliseconds(lambda vector=vector: search(vector))
        for vector in [*vectors[:5], *vectors]
    ][5:]
    profiler = cProfile.Profile()
    if profile:
        profiler.enable()
    took = [
        await milliseconds(lambda query=query: memory.recall(Query(query))) for query in queries
    ]
    profiler.disable()
    mid = statistics.median
    print(
        f"{language}{index.ntotal:8,} thoughts, {len(remembering):6,} turns: recall"
        f" {mid(took):8.2f}, flat {mid(flat):7.3f}, ratio {mid(took) / mid(flat):6.1f}; remember"
        f" {mid(remembering[-LAST:]):6.2f} (first {LAST}: {mid(remembering[:LAST]):.2f})",
        flush=True,
    )
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(28)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="with scm, kdconv and gvd in it")
    parser.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), help="numbers of thoughts, with commas"
    )
    parser.add_argument("--language", choices=list(Language), action="append")
    parser.add_argument("--budget", type=int, default=2000, help="tokens of a recall")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    for language in map(Language, options.language or Language):
        sizes = sorted(map(int, options.sizes.split(",")))
        asyncio.run(measure_all(options.folder, language, sizes, options.budget, options.profile))


if __name__ == "__main__":
    main()
