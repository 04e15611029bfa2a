"""Which index finds the nearest texts: exact, inverted file (IVF), HNSW, or the papers' groups.

python benchmarks/vectors.py                        140 to 10,000 vectors of the bundled records
python benchmarks/vectors.py --sizes 50000          another size; 50,000 need 3 GB and minutes
python benchmarks/vectors.py --text FILE [FILE ..]  lines of files instead; every 50th is a query

The vectors are those of the default embedder. A text of the bundled records is what a patient says
of one to three entries of a record, a query is what such an entry is called. `kept` is the share of
the exact ten nearest that was found; `search` is the median of 200 queries and `add` the mean, both
in milliseconds of processor time, one query and one thread at a time; `of flat` is the time of a
search by that of the exact index in the same run. `osler` is the index that a memory uses, with its
second look in double precision.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import faiss
import numpy as np
from numpy.typing import NDArray

from osler.memory.core.vectors import VectorIndex
from osler.memory.embedders import open_embedder
from osler.records.pool import RecordPool

Rows = NDArray[np.float32]
Search = Callable[[Rows], list[int]]

TOP = 10
QUERIES = 200
SIZES = (140, 1_000, 10_000)
SMALLEST = 1_000
"""Vectors below which no approximate index is tried."""
HELD_OUT = 50


class Texts(NamedTuple):
    """What is stored and what is asked."""

    stored: list[str]
    queries: list[str]


def of_records(size: int, rng: random.Random) -> Texts:
    records = list(RecordPool.open("bundled"))
    stored = []
    while len(stored) < size:
        entries = rng.sample(rng.choice(records).entries, rng.choice((1, 2, 3)))
        parts = [f"{rng.choice((entry.name, *entry.aliases))} {entry.said}" for entry in entries]
        stored.append(" ".join(parts))
    names = []
    for record in records:
        names += [" ".join((entry.name, *entry.aliases[:2])) for entry in record.entries]
    return Texts(stored, rng.sample(names, QUERIES))


def of_files(paths: Sequence[Path], size: int, rng: random.Random) -> Texts:
    lines: list[str] = []
    for path in paths:
        lines += map(str.strip, path.read_text(encoding="utf-8").splitlines())
    lines = list(dict.fromkeys(filter(None, lines)))
    rng.shuffle(lines)
    queries = lines[::HELD_OUT][:QUERIES]
    rest = [line for place, line in enumerate(lines) if place % HELD_OUT]
    while len(rest) < size:
        rest.append(f"{rng.choice(rest)} {rng.choice(rest)}")
    return Texts(rest[:size], queries)


async def embedded(texts: Texts) -> tuple[Rows, Rows]:
    embedder = open_embedder("hash")
    parts = [texts.stored[start : start + 1000] for start in range(0, len(texts.stored), 1000)]
    rows = np.concatenate([await embedder.embed(part) for part in parts])
    return rows, np.stack([await embedder.embed_query(query) for query in texts.queries])


def in_ms(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000


def by_faiss(index: faiss.Index) -> Search:
    return lambda query: index.search(query[None], TOP)[1][0].tolist()


def by_osler(index: VectorIndex, probes: int | None = None) -> Search:
    return lambda query: [number for number, _ in index.search(query, TOP, probes)]


class Table:
    """Prints a line for each index, beside the exact one."""

    def __init__(self, queries: Rows, flat: Search, add: float) -> None:
        self._queries = queries
        self._exact = [set(flat(query)) for query in queries]
        self._flat = 0.0
        print(f"  {'':24}{'search':>10}{'of flat':>10}{'add':>10}{'kept':>8}")
        self.line("faiss flat", flat, add)

    def line(self, name: str, search: Search, add: float | None = None) -> None:
        """Measure one index; `add` is what a vector took to be added to it."""
        search(self._queries[0])  # the first search of an index takes longer
        times = []
        shares = []
        for query, exact in zip(self._queries, self._exact, strict=True):
            began = time.thread_time()
            nearest = search(query)
            times.append((time.thread_time() - began) * 1000)
            shares.append(len(exact.intersection(nearest)) / TOP)
        median = statistics.median(times)
        self._flat = self._flat or median
        added = f"{add:10.4f}" if add is not None else f"{'':10}"
        columns = f"{median:10.3f}{median / self._flat:10.2f}{added}{statistics.mean(shares):8.3f}"
        print(f"  {name:24}{columns}", flush=True)


def compare(rows: Rows, queries: Rows) -> None:
    count, dimensions = rows.shape
    flat = faiss.IndexFlatIP(dimensions)
    add = in_ms(lambda: [flat.add(row[None]) for row in rows]) / count
    table = Table(queries, by_faiss(flat), add)
    index = VectorIndex(dimensions, sparse=True)
    add = in_ms(lambda: [index.add(number, row) for number, row in enumerate(rows)]) / count
    table.line("osler", by_osler(index), add)
    for probes in (1, 2, 4):
        table.line(f"osler, groups probed {probes}/8", by_osler(index, probes))
    if count >= SMALLEST:
        inverted(rows, table)
        graphs(rows, table)


def inverted(rows: Rows, table: Table) -> None:
    lists = math.isqrt(len(rows))
    index = faiss.index_factory(rows.shape[1], f"IVF{lists},Flat", faiss.METRIC_INNER_PRODUCT)
    index.cp.niter, index.cp.min_points_per_centroid = 5, 1
    learning = in_ms(lambda: index.train(rows[: lists * 40]))
    add = (learning + in_ms(lambda: index.add(rows))) / len(rows)
    for share in (8, 4, 2):
        index.nprobe = math.ceil(lists / share)
        table.line(f"IVF, 1/{share} of lists", by_faiss(index), add)


def graphs(rows: Rows, table: Table) -> None:
    index = faiss.IndexHNSWFlat(rows.shape[1], 16, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = 40
    add = in_ms(lambda: index.add(rows)) / len(rows)
    for ef in (64, 256, 1024):
        index.hnsw.efSearch = ef
        table.line(f"HNSW, M 16, ef {ef}", by_faiss(index), add)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), help="numbers of vectors, with commas"
    )
    parser.add_argument(
        "--text", nargs="+", type=Path, default=(), help="files of which each line is a text"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads that faiss may use")
    options = parser.parse_args()
    faiss.omp_set_num_threads(options.threads)
    for size in map(int, options.sizes.split(",")):
        rng = random.Random(0)
        texts = of_files(options.text, size, rng) if options.text else of_records(size, rng)
        rows, queries = asyncio.run(embedded(texts))
        print(f"{size:,} vectors of {rows.shape[1]:,} numbers")
        compare(rows, queries)


if __name__ == "__main__":
    main()
