"""Measure what meaning adds: cross-lingual questions, and the speed and memory of a million vectors.

    python -m bench.meaning [--vectors 1000000]

The questions of `bench/crosslingual.py` have their answer in another language; every passage is one message of a
transcript of its own, read by the archive itself, and every question goes through `Archive.search`, once by words and
once with meaning. Needs `harkback[semantic]`. The vectors are made up (2,000 clusters), 384 numbers each; recall@10 is
against comparing all of them.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import tempfile
import time
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
from bench._common import Line, write_claude
from bench.crosslingual import PASSAGES, QUERIES

from harkback.archive.sessions import Archive
from harkback.config import Place
from harkback.engines.local.vectors import VectorSet, open_vectors
from harkback.query import parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEGAN_MS = 1_777_000_000_000
DIM = 384


def questions(folder: str) -> None:
    """Ask the cross-lingual questions by words and by meaning."""
    home = os.path.join(folder, "home")
    gold: dict[tuple[str, int], int] = {}
    for number, text in enumerate(PASSAGES):
        _, path, offsets = write_claude(home, "eval", [Line("assistant", text, BEGAN_MS + number * 60_000)])
        gold[(path, offsets[0])] = number
    archive = Archive(Place(home, os.path.join(folder, "data")), {}, BEGAN_MS + 10**9, home)
    archive.sync()
    while archive.make_vectors():
        pass
    for meaning in (False, True):
        ranks: dict[str, list[int]] = {}
        times = []
        for text, wanted, direction in QUERIES:
            began = time.perf_counter()
            answer = archive.search(parse(text, archive.now_ms), limit=10, sync=False, meaning=meaning)
            times.append((time.perf_counter() - began) * 1000)
            found = [gold.get((hit.part.path, hit.part.offset)) for hit in answer.found.hits]
            ranks.setdefault(direction, []).append(found.index(wanted) + 1 if wanted in found else 0)
        every = [rank for some in ranks.values() for rank in some]
        for name, some in [*ranks.items(), ("all", every)]:
            shares = "  ".join(f"any@{k} {sum(0 < rank <= k for rank in some) / len(some):.3f}" for k in (1, 5, 10))
            print(f"{'meaning' if meaning else 'words':<9}{name:<7}{len(some):>4}  {shares}")
        print(f"{'meaning' if meaning else 'words':<9}p50 {statistics.median(times):.0f} ms")


def made_up(count: int) -> NDArray[np.float32]:
    """Give vectors in clusters, all in one corner as a model's are."""
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(2000, DIM)).astype(np.float32)
    rows = centres[rng.integers(0, 2000, count)] + rng.normal(size=(count, DIM)).astype(np.float32) + 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def million(folder: str, count: int) -> None:
    """Time questions among many vectors, and compare with comparing all."""
    con = open_vectors(folder, write=True)
    assert con is not None
    kept = VectorSet(con, folder, "made up")
    middle = np.full(DIM, 0.02, np.float32)
    kept.begin(DIM, {0: middle, 1: middle, 2: middle})
    step = 20_000
    rows = made_up(count).astype(np.float16)
    for at in range(0, count, step):
        some = rows[at : at + step].astype(np.float32)
        con.execute("BEGIN")
        kept.append(range(at + 1, at + 1 + len(some)), [0] * len(some), some)
        con.execute("COMMIT")
    middle = kept.middles()[0]
    con.close()
    rng = np.random.default_rng(2)
    asked = rows[rng.integers(0, count, 40)].astype(np.float32) + rng.normal(size=(40, DIM)).astype(np.float32) * 0.02
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        times, found, used = pool.apply(ask, (folder, asked))
    shares = [len(got & exact(rows, one - middle, middle)) / 10 for got, one in zip(found, asked, strict=True)]
    print(f"{count:,} vectors: p50 {statistics.median(times):.1f} ms, recall@10 {statistics.mean(shares):.3f}")
    print(f"memory of the asking process besides mapped files: {used:.0f} MB")


def ask(folder: str, asked: NDArray[np.float32]) -> tuple[list[float], list[set[int]], float]:
    """Ask in a process of its own: milliseconds, what was found, and MB that are no mapped file at the peak."""
    con = open_vectors(folder)
    assert con is not None
    kept = VectorSet(con, folder, "made up")
    times, found = [], []
    for one in asked:
        began = time.perf_counter()
        near = kept.nearest(one[None], [0], 10)
        times.append((time.perf_counter() - began) * 1000)
        found.append({hit.seq for hit in near})
    with open("/proc/self/status", encoding="ascii") as file:
        resting = next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) / 1024
    tracemalloc.start()
    kept.nearest(asked[:1], [0], 10)
    used = resting + tracemalloc.get_traced_memory()[1] / 2**20
    con.close()
    return times, found, used


def exact(rows: NDArray[np.float16], centred: NDArray[np.float32], middle: NDArray[np.float32]) -> set[int]:
    """Give the ten nearest by comparing all."""
    best: list[tuple[float, int]] = []
    for at in range(0, len(rows), 50_000):
        some = rows[at : at + 50_000].astype(np.float32) - middle
        near = (some @ centred) / np.linalg.norm(some, axis=1)
        best += [(float(near[place]), at + int(place) + 1) for place in np.argpartition(-near, 10)[:10]]
    return {number for _, number in sorted(best, reverse=True)[:10]}


def main() -> int:
    """Print the figures."""
    count = int(sys.argv[sys.argv.index("--vectors") + 1]) if "--vectors" in sys.argv else 0
    with tempfile.TemporaryDirectory() as folder:
        if count:
            million(folder, count)
        else:
            questions(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
