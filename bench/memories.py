"""How well `hark recall` finds, and how fast, on evaluation sets that lie outside the project.

    python bench/memories.py EVAL_FOLDER [--size 20000]

MADial (zh): the query is what was said before the turn that recalls, gold are `relevant-id`. RealMem: the store are the
`extracted_memory` of earlier sessions, gold the sessions named by the answer. The baseline is SQLite's FTS5 with the
same tokens, OR-joined, English stopwords dropped, in the same run. any@k: a gold memory is among the first k.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import random
import sqlite3
import sys
import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from statistics import median
from time import perf_counter
from typing import Any

from harkback.engines.local.memories import MemoryStore
from harkback.memory.asking import question
from harkback.memory.likeness import FUNCTION_WORDS
from harkback.memory.recall import Wanted, Weights, recall
from harkback.memory.saving import normal
from harkback.model import FACT, Memory
from harkback.text.tokens import tokens

NOW_MS = 1_780_000_000_000
K = 10


class Ours:
    """Recall as the command does it."""

    def __init__(self, texts: list[tuple[str, str]]) -> None:
        """`texts` are pairs of name and text."""
        self.folder = tempfile.TemporaryDirectory()
        store = MemoryStore.open(self.folder.name, write=True)
        assert store is not None
        self.store = store
        self.names: dict[str, str] = {}
        with store.writing():
            for name, text in texts:
                kept = store.add(Memory("", text, FACT, created_ms=NOW_MS, changed_ms=NOW_MS), normal(text))
                self.names[kept.id] = name

    def find(self, query: str) -> list[str]:
        """Give the names of the best K."""
        found = recall(self.store, question([query], NOW_MS), Wanted(limit=K), Weights(), NOW_MS)
        return [self.names[one.memory.id] for one in found]


class Baseline:
    """FTS5 over the same tokens."""

    def __init__(self, texts: list[tuple[str, str]]) -> None:
        """`texts` are pairs of name and text."""
        self.con = sqlite3.connect(":memory:")
        self.con.execute("CREATE VIRTUAL TABLE f USING fts5(t, tokenize='porter unicode61')")
        self.con.executemany("INSERT INTO f VALUES(?)", [(" ".join(tokens(text)),) for _, text in texts])
        self.names = [name for name, _ in texts]

    def find(self, query: str) -> list[str]:
        """Give the names of the best K."""
        words = [one for one in dict.fromkeys(tokens(query)) if one not in FUNCTION_WORDS and one.isalnum()]
        if not words:
            return []
        asked = " OR ".join(f'"{one}"' for one in words)
        rows = self.con.execute("SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?", (asked, K))
        return [self.names[row - 1] for (row,) in rows]


def score(found: list[tuple[list[str], set[str]]]) -> dict[str, float]:
    """Give any@1, any@5, any@10, recall@10, MRR@10."""
    ranks = [next((at for at, name in enumerate(names, 1) if name in gold), 0) for names, gold in found]
    return {
        **{f"any@{k}": sum(1 for rank in ranks if 0 < rank <= k) / len(ranks) for k in (1, 5, 10)},
        "recall@10": sum(len(set(names) & gold) / len(gold) for names, gold in found) / len(found),
        "MRR@10": sum(1 / rank for rank in ranks if rank) / len(ranks),
    }


def madial(folder: str) -> list[tuple[list[tuple[str, str]], list[tuple[str, set[str]]]]]:
    """Give the memories and the queries with their gold."""
    (memory_path,) = glob.glob(os.path.join(folder, "madial", "*-memory.json"))
    (dialogue_path,) = glob.glob(os.path.join(folder, "madial", "*-dialogue.json"))
    texts: list[tuple[str, str]] = []
    for row in _lines(memory_path):
        for name, one in row.items():
            texts.append((str(name), " ".join(str(one[key]) for key in ("time", "scene", "emotion", "event"))))
    queries: list[tuple[str, set[str]]] = []
    for row in _lines(dialogue_path):
        for one in row.values() if "dialogue" not in row else [row]:
            for turn in one["test-turn"][:1]:
                said = [line for line in one["dialogue"][:turn] if "<BOD>" not in line]
                queries.append((" ".join(said), {str(name) for name in one["relevant-id"]}))
    return [(texts, queries)]


def _lines(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def realmem(folder: str) -> list[tuple[list[tuple[str, str]], list[tuple[str, set[str]]]]]:
    """Give for every query the memories of earlier sessions (named by session), grouped by session asked in."""
    groups = []
    for path in sorted(glob.glob(os.path.join(folder, "realmem", "*.json"))):
        with open(path, encoding="utf-8") as file:
            dialogues = json.load(file)["dialogues"]
        texts: list[tuple[str, str]] = []
        for session in dialogues:
            queries: list[tuple[str, set[str]]] = []
            turns = session["dialogue_turns"]
            known = {name for name, _ in texts}
            for asked, answered in pairwise(turns):
                if asked.get("is_query"):
                    gold = {one for one in answered.get("memory_session_uuids") or [] if one in known}
                    if gold:
                        queries.append((asked["content"], gold))
            if queries:
                groups.append((list(texts), queries))
            texts += [(session["session_uuid"], str(one["content"])) for one in session.get("extracted_memory") or []]
    return groups


def timed(folder: str, size: int) -> list[float]:
    """Time recalls among `size` memories made of sentences of DRCD, in ms."""
    (path,) = glob.glob(os.path.join(folder, "drcd", "*.json"))
    with open(path, encoding="utf-8") as file:
        paragraphs = [one for article in json.load(file)["data"] for one in article["paragraphs"]]
    sentences = [one for p in paragraphs for one in p["context"].split("。") if len(one) > 15]
    rng = random.Random(1)
    texts = [("", f"{rng.choice(sentences)[:60]} {rng.choice(sentences)[:20]}") for _ in range(size)]
    queries = [qa["question"] for p in paragraphs for qa in p["qas"]]
    ours = Ours(texts)
    times = []
    for query in rng.sample(queries, 300):
        began = perf_counter()
        ours.find(query)
        times.append((perf_counter() - began) * 1000)
    return sorted(times)


def main() -> int:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder")
    options.add_argument("--size", type=int, default=20_000)
    given = options.parse_args()
    for name, groups in (("MADial zh", madial(given.folder)), ("RealMem extracted_memory", realmem(given.folder))):
        for kind in (Ours, Baseline):
            found = []
            for texts, queries in groups:
                made = kind(texts)
                found += [(made.find(query), gold) for query, gold in queries]
            figures = "  ".join(f"{key} {value:.3f}" for key, value in score(found).items())
            print(f"{name:<26}{kind.__name__:<10}{len(found):>5}  {figures}", flush=True)
    times = timed(given.folder, given.size)
    print(f"{given.size:,} memories: p50 {median(times):.2f} ms, p95 {times[int(len(times) * 0.95)]:.2f} ms")
    print(datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), sys.version.split()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
