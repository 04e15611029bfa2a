"""How fast the nearest thoughts are found among many, and how many of the nearest are kept.

python benchmarks/memory.py                      all sizes, beside numpy and faiss; under five minutes
python benchmarks/memory.py --sizes 140,1000     some sizes
python benchmarks/memory.py --crossing           from which size on cells are faster than exact search

Everything runs on one thread (OpenBLAS and faiss alike), but for the building of HNSW, which gets two. The vectors are
made, not embedded: 384 numbers, topics of very unequal size (the i-th in proportion to 1 / (i + 10), fifty vectors to
one on average), spread so that two of one topic have a cosine near 0.55. A query is a stored vector turned away from
itself to a cosine drawn from 0.6 to 0.95. `kept` is the share of the exact top 5 that was found, `of flat` compares the
p50. Osler's `MB` is what the process grew by, the others' is the size of their data. HNSW has M = 16, efConstruction =
40 and efSearch = 64; a larger efSearch keeps more and takes longer. A million are left out to keep the run short.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import ctypes
import gc
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import faiss
import numpy as np
from numpy.typing import NDArray

from osler.memory.tim.vectors import VectorIndex

Rows = NDArray[np.float32]
Search = Callable[[Rows], list[int]]

DIMENSIONS = 384
TOP = 5
SIZES = (140, 1_000, 10_000, 100_000, 1_000_000)
HNSW_UP_TO = 100_000


class Timed(NamedTuple):
    """What a method took, in milliseconds, and what it kept."""

    p50: float
    p95: float
    mean: float
    kept: float


def unit(rows: Rows) -> Rows:
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def clustered(size: int, rng: np.random.Generator) -> Rows:
    topics = max(8, size // 50)
    shares = 1 / (np.arange(topics) + 10.0)
    # Embeddings vary along some directions more than along others.
    spectrum = ((1 + np.arange(DIMENSIONS)) ** -0.3).astype(np.float32)
    centres = unit(rng.standard_normal((topics, DIMENSIONS), dtype=np.float32) * spectrum)
    of = rng.choice(topics, size, p=shares / shares.sum())
    rows = rng.standard_normal((size, DIMENSIONS), dtype=np.float32)
    rows *= np.float32(0.9 / DIMENSIONS**0.5)
    for start in range(0, size, 65536):
        rows[start : start + 65536] += centres[of[start : start + 65536]]
    return unit(rows)


def uniform(size: int, rng: np.random.Generator) -> Rows:
    return unit(rng.standard_normal((size, DIMENSIONS), dtype=np.float32))


def queries_for(rows: Rows, count: int, rng: np.random.Generator) -> Rows:
    some = rows[rng.integers(0, len(rows), count)]
    noise = rng.standard_normal(some.shape, dtype=np.float32)
    noise -= (noise * some).sum(axis=1, keepdims=True) * some
    cosine = rng.uniform(0.6, 0.95, (count, 1)).astype(np.float32)
    queries: Rows = cosine * some + np.sqrt(np.float32(1) - cosine**2) * unit(noise)
    return queries


def timed(search: Search, queries: Rows, exact: list[list[int]]) -> Timed:
    search(queries[0])
    times, kept = [], 0
    for query, truth in zip(queries, exact, strict=True):
        began = time.perf_counter()
        found = search(query)
        times.append((time.perf_counter() - began) * 1000)
        kept += len(set(found) & set(truth))
    share = kept / (len(exact) * len(exact[0]))
    return Timed(statistics.median(times), float(np.quantile(times, 0.95)), statistics.mean(times), share)


def resident() -> float:
    """Megabytes of this process in memory, once what was let go of is given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def insert_time(add: Callable[[int, Rows], object], rows: Rows) -> float:
    """Milliseconds for one, the mean over all: what is paid now and then for room is in it."""
    began = time.perf_counter()
    for id, row in enumerate(rows):
        add(id, row)
    return (time.perf_counter() - began) * 1000 / len(rows)


def line(name: str, got: Timed, flat: float, insert: str, memory: float) -> None:
    print(
        f"  {name:18}{got.p50:10.4f}{got.p95:10.4f}{got.mean:10.4f}{insert:>12}{got.kept:8.3f}{memory:10.1f}"
        f"{got.p50 / flat:12.3f}",
        flush=True,
    )


def brute(rows: Rows) -> Search:
    def search(query: Rows) -> list[int]:
        scores = rows @ query
        near = np.argpartition(scores, len(scores) - TOP)[-TOP:]
        best: list[int] = near[np.argsort(-scores[near])].tolist()
        return best

    return search


def by_faiss(index: faiss.Index) -> Search:
    return lambda query: index.search(query[None], TOP)[1][0].tolist()


def add_to(index: faiss.Index, _: int, row: Rows) -> None:
    index.add(row[None])


def by_index(index: VectorIndex, probes: int | None = None) -> Search:
    return lambda query: [id for id, _ in index.search(query, TOP, probes)]


def hnsw_of(rows: Rows) -> tuple[faiss.Index, float]:
    index = faiss.IndexHNSWFlat(DIMENSIONS, 16, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction, index.hnsw.efSearch = 40, 64
    faiss.omp_set_num_threads(2)
    began = time.perf_counter()
    index.add(rows)
    took = (time.perf_counter() - began) * 1000 / len(rows)
    faiss.omp_set_num_threads(1)
    return index, took


def compare(title: str, rows: Rows, rng: np.random.Generator, hnsw: bool = True) -> None:
    heads = f"{'p50 ms':>10}{'p95 ms':>10}{'mean ms':>10}{'insert ms':>12}{'kept':>8}{'MB':>10}{'of flat':>12}"
    print(f"{title}\n  {'':18}{heads}")
    queries = queries_for(rows, 50 if len(rows) > 100_000 else 200, rng)
    megabytes = rows.nbytes / 1e6
    before = resident()
    index = VectorIndex(DIMENSIONS)
    insert = insert_time(index.add, rows)
    began = time.perf_counter()
    index.search(queries[0], TOP)
    sorting, memory = time.perf_counter() - began, resident() - before
    flat = faiss.IndexFlatIP(DIMENSIONS)
    flat_insert = insert_time(partial(add_to, flat), rows[: len(rows) // 2])
    flat.add(rows[len(rows) // 2 :])
    exact = [by_faiss(flat)(query) for query in queries]
    base = timed(by_faiss(flat), queries, exact)
    line("faiss flat", base, base.p50, f"{flat_insert:.4f}", megabytes)
    flat.reset()
    line("numpy brute force", timed(brute(rows), queries, exact), base.p50, "-", megabytes)
    if hnsw:
        graph, took = hnsw_of(rows)
        size = faiss.serialize_index(graph).nbytes / 1e6
        line("faiss HNSW", timed(by_faiss(graph), queries, exact), base.p50, f"{took:.4f}", size)
        del graph
    line("Osler", timed(by_index(index), queries, exact), base.p50, f"{insert:.4f}", memory)
    if index.cells:
        probes = [len(index.cells.visit(query, TOP)) for query in queries]
        print(
            f"  cells looked into: {np.mean(probes):.0f} of {len(index.cells.blocks)} (median {np.median(probes):.0f});"
            f" the first search sorts and calibrates: {sorting:.1f} s, {sorting * 1000 / len(rows):.4f} ms a vector"
        )


def loss(rng: np.random.Generator) -> None:
    size = 10_000
    rows = clustered(size, rng)
    queries = queries_for(rows, 200, rng)
    exact = [brute(rows)(query) for query in queries]
    print(f"one table of the paper's hash, {size:,} vectors: lost of the exact top {TOP}, by probes")
    for groups in (8, 64):
        index = VectorIndex(DIMENSIONS, groups=groups)
        sizes = np.bincount([index.add(id, row) for id, row in enumerate(rows)], minlength=groups)
        print(f"  b = {groups}\n  {'probes':>10}{'lost':>10}{'looked at':>12}{'p50 ms':>10}")
        for probes in (2**power for power in range(groups.bit_length())):
            got = timed(by_index(index, probes), queries, exact)
            seen = np.mean([sizes[index.hashing.order(query)[:probes]].sum() for query in queries]) / size
            print(f"  {probes:10}{1 - got.kept:10.3f}{seen:12.3f}{got.p50:10.4f}")


def crossing(rng: np.random.Generator) -> None:
    print(f"  {'vectors':>10}{'exact ms':>12}{'cells ms':>12}{'kept':>8}")
    for size in (500, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000):
        rows = clustered(size, rng)
        queries = queries_for(rows, 400, rng)
        truth = [brute(rows)(query) for query in queries]
        got = []
        for limit in (size + 1, 1):
            index = VectorIndex(DIMENSIONS, exact_below=limit)
            insert_time(index.add, rows)
            got.append(timed(by_index(index), queries, truth))
        print(f"  {size:10,}{got[0].p50:12.4f}{got[1].p50:12.4f}{got[1].kept:8.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of vectors, with commas")
    parser.add_argument("--crossing", action="store_true", help="only compare exact search with cells")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    rng = np.random.default_rng(options.seed)
    if options.crossing:
        crossing(rng)
        return
    for size in (int(text) for text in options.sizes.split(",")):
        compare(f"{size:,} vectors in topics", clustered(size, rng), rng, hnsw=size <= HNSW_UP_TO)
    compare("10,000 vectors without any structure, where no hash can help", uniform(10_000, rng), rng)
    loss(rng)


if __name__ == "__main__":
    main()
