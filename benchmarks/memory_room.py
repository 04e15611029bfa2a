"""How much room and time each memory takes as a conversation grows.

python benchmarks/memory_room.py FOLDER                            all memories, both languages
python benchmarks/memory_room.py FOLDER --memory tim --language zh --sizes 1000
python benchmarks/memory_room.py FOLDER --memory tim --profile     with the slowest functions

The turns are those of the conversations in the folder (SCM, GVD, KdConv, PriMock57), shuffled.
Where that is not enough, a question of one turn and a reply of another make a new one. They have no
clock, so that nothing fades. They are remembered without a model, with the default options; queries
are questions about the conversations.

Every memory has a process of its own. `MB` is what the resident memory (RSS) has grown by since the
package was imported: dictionaries, caches and the memory itself, after the recalls at that size.
`words` is the part that was there after ten other turns in another memory of that kind:
dictionaries that every memory of a process shares. `peak` is the highest that RSS ever was,
likewise. `recall` and `remember` are medians in milliseconds of processor time, the latter of the
last 100 turns.

Beside it, in the same process: `text`, the room that the same turns take as Python strings, and
`flat`, the time of a search for the ten nearest in a `faiss.IndexFlatIP` of as many rows of 384
numbers, as a small sentence encoder has.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import cProfile
import gc
import multiprocessing
import pstats
import random
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from osler.language import Language
from osler.memory import MemorySettings, Query, Turn, memory_factory
from osler.memory.registry import BUILT_IN

SIZES = (1_000, 10_000)
QUERIES, LAST, WARM_UP = 30, 100, 10
ENCODER, TOP = 384, 10
MEGABYTE = 1e6
PAGE = resource.getpagesize()
KEEPING = [name for name in BUILT_IN if name != "none"]


class Measured(NamedTuple):
    """One memory at one size."""

    name: str
    language: Language
    turns: int
    dictionaries: float
    grown: float
    peak: float
    text: float
    recall: float
    flat: float
    remember: float


def data(folder: Path, language: Language) -> tuple[list[tuple[str, str]], list[str]]:
    """All exchanges of a language, and the questions about them."""
    from benchmarks.recall import exchanges, gvd_conversations, kdconv_pool, read, scm_conversations

    memory = folder / "memory"
    conversations = [
        *scm_conversations(memory / "scm", language),
        *gvd_conversations(memory / "gvd", language),
    ]
    pairs = []
    questions = []
    for conversation in conversations:
        pairs += [(turn.question, turn.reply) for turn in conversation.turns]
        questions += conversation.questions
    if language is Language.ZH:
        for domain in ("travel", "film", "music"):
            pool = kdconv_pool(read(memory / f"kdconv/{domain}_dev.json"))
            pairs += [(turn.question, turn.reply) for turn in pool.turns]
            questions += [question.text for question in pool.questions]
    else:
        for consultation in read(folder / "human/primock57_days1to3.json"):
            pairs += exchanges([turn["text"] for turn in consultation["turns"]])
    return pairs, questions


def talk(pairs: Sequence[tuple[str, str]]) -> Iterator[Turn]:
    """The exchanges as turns, shuffled.

    Then a question of one and a reply of another, without end.
    """
    rng = random.Random(0)
    shuffled = rng.sample(pairs, len(pairs))
    number = 0
    while True:
        for question, reply in shuffled:
            number += 1
            yield Turn(number=number, question=question, reply=reply)
        replies = rng.sample([reply for _, reply in pairs], len(pairs))
        shuffled = [(question, reply) for (question, _), reply in zip(pairs, replies, strict=True)]
        rng.shuffle(shuffled)


def resident() -> float:
    """Megabytes of memory that this process holds now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * PAGE / MEGABYTE


def highest() -> float:
    """The most megabytes that it ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    began = time.process_time()
    await work()
    return (time.process_time() - began) * 1000


def bytes_as_text(turns: Sequence[Turn]) -> float:
    """Megabytes of the turns as Python strings."""
    return (
        sum(sys.getsizeof(turn.question) + sys.getsizeof(turn.reply) for turn in turns) / MEGABYTE
    )


def flat_search(size: int) -> float:
    """Milliseconds of a search in a flat index of faiss.

    It is built after everything else was measured.
    """
    import faiss

    faiss.omp_set_num_threads(1)
    rng = np.random.default_rng(0)
    index = faiss.IndexFlatIP(ENCODER)
    index.add(rng.standard_normal((size, ENCODER), dtype=np.float32))
    times = []
    for query in rng.standard_normal((QUERIES, 1, ENCODER), dtype=np.float32):
        began = time.process_time()
        index.search(query, TOP)
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


async def measure(
    name: str, language: Language, folder: Path, sizes: Sequence[int], profile: bool
) -> list[Measured]:
    """Let one memory grow, and measure it at each size."""
    settings = MemorySettings(language=language)
    pairs, questions = data(folder, language)
    queries = random.Random(1).sample(questions, QUERIES)
    turns = talk(pairs)
    before = resident()

    other = memory_factory(name)(settings)
    for turn in islice(talk(pairs[::-1]), WARM_UP):
        await other.remember(turn)
    await other.recall(Query(queries[0]))
    del other
    dictionaries = resident() - before

    memory, text, rows, remembering = (
        memory_factory(name)(settings),
        0.0,
        list[Measured](),
        list[float](),
    )
    profiler = cProfile.Profile()
    for size in sizes:
        while len(remembering) < size:
            turn = next(turns)
            # A turn comes from outside: its texts are not shared with those that were read here.
            turn = Turn.model_validate_json(turn.model_dump_json())
            text += bytes_as_text([turn])
            if profile:
                profiler.enable()
            remembering.append(await milliseconds(lambda turn=turn: memory.remember(turn)))  # type: ignore[misc]
            profiler.disable()
        if profile:
            pstats.Stats(profiler).sort_stats("tottime").print_stats(30)
        await memory.recall(Query(queries[0]))
        profiler = cProfile.Profile()
        if profile:
            profiler.enable()
        recalling = [
            await milliseconds(lambda query=query: memory.recall(Query(query))) for query in queries
        ]  # type: ignore[misc]
        profiler.disable()
        if profile:
            pstats.Stats(profiler).sort_stats("tottime").print_stats(30)
        profiler = cProfile.Profile()
        grown, peak = resident() - before, highest() - before
        rows.append(
            Measured(
                name=name,
                language=language,
                turns=size,
                dictionaries=dictionaries,
                grown=grown,
                peak=peak,
                text=text,
                recall=statistics.median(recalling),
                flat=0.0,
                remember=statistics.median(remembering[-LAST:]),
            )
        )
    return [row._replace(flat=flat_search(row.turns)) for row in rows]


def measured(job: tuple[str, Language, Path, Sequence[int], bool]) -> list[Measured]:
    return asyncio.run(measure(*job))


HEADS = ("memory", "", "turns", "words", "MB", "peak", "of text", "recall", "of flat", "remember")


def line(row: Measured) -> str:
    return (
        f"{row.name:12}{row.language:4}{row.turns:8,}"
        f"{row.dictionaries:8.0f}{row.grown:8.0f}{row.peak:8.0f}{row.grown / row.text:9.1f}"
        f"{row.recall:9.2f}{row.recall / row.flat:9.1f}{row.remember:10.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", type=Path, help="with memory/scm, memory/gvd, memory/kdconv and human in it"
    )
    parser.add_argument("--memory", choices=KEEPING, action="append")
    parser.add_argument("--language", choices=list(Language), action="append")
    parser.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), help="numbers of turns, with commas"
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="memories that are measured at the same time"
    )
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    sizes = sorted(map(int, options.sizes.split(",")))
    jobs: list[Any] = [
        (name, Language(language), options.folder, sizes, options.profile)
        for name in options.memory or KEEPING
        for language in options.language or Language
    ]
    print("{:12}{:4}{:>8}{:>8}{:>8}{:>8}{:>9}{:>9}{:>9}{:>10}".format(*HEADS), flush=True)
    context = multiprocessing.get_context("spawn")
    with context.Pool(options.processes, maxtasksperchild=1) as pool:
        for rows in pool.imap(measured, jobs, chunksize=1):
            for row in rows:
                print(line(row), flush=True)


if __name__ == "__main__":
    main()
