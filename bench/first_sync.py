"""Measure the first sync of two homes against two yardsticks, with its memory and the size of the word index.

Heavy (most bytes are tool output, copies, images): against the floor
`for line in open(path, "rb"): orjson.loads(line)` in one process with the default buffering.
Talk-heavy: against the baseline, an SQLite FTS5 trigram index of talk and calls (it indexes neither tool output nor
thinking). Each pair is also run on a home that holds only the Claude Code transcripts, so that both sides read the
same files; on the full home the baseline also indexes Codex.

    python -m bench.first_sync --make-home make_home.py --baseline fts5_trigram_baseline.py [--heavy HOME] [--talk HOME]
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING

from bench._common import (
    MB,
    Figures,
    Run,
    arguments,
    claude_only,
    environment,
    generated,
    must,
    need,
    run,
    synced,
    word_index_bytes,
    workspace,
)

if TYPE_CHECKING:
    from argparse import Namespace

HEAVY = ("--claude", "300", "--codex", "60", "--pi", "30", "--heavy", "12", "--seed", "7")
TALK = ("--claude", "2400", "--codex", "400", "--pi", "200", "--seed", "7")

FLOOR_SHARE = 0.20
BASELINE_RATIO = 1.0
ANON_MB = 400.0
INDEX_RATIO = 0.7

FLOOR = """
import glob, os, sys, time, orjson
paths = [os.path.join(b, n) for r in sys.argv[1:] for b, _, ns in os.walk(r) for n in ns if n.endswith(".jsonl")]
began = time.perf_counter()
for path in paths:
    for line in open(path, "rb"):
        orjson.loads(line)
print(time.perf_counter() - began)
"""
"""The yardstick, timed inside its own process so that neither start-up nor the walk counts."""

AGENT_FOLDERS = (".claude/projects", ".codex/sessions", ".pi/agent/sessions")


def floor_s(home: str) -> float:
    """Decode every line of a home once; gives seconds."""
    folders = [os.path.join(home, folder) for folder in AGENT_FOLDERS]
    return float(must(run([sys.executable, "-c", FLOOR, *folders], environment(home, home))).stdout)


def baseline_s(script: str, home: str) -> float:
    """Index a home with the baseline from nothing; gives the seconds of the whole process."""
    shutil.rmtree(os.path.join(home, "Library"), ignore_errors=True)
    one = run([sys.executable, script, "index"], environment(home, home))
    shutil.rmtree(os.path.join(home, "Library"), ignore_errors=True)
    return must(one).seconds


def indexed_bytes(data: str) -> int:
    """Give how much UTF-8 an archive has indexed."""
    from harkback.engines.local import LocalEngine

    engine = LocalEngine.open(data)
    assert engine is not None
    try:
        return sum(len(text.encode()) for (text,) in engine.con.execute("SELECT text FROM part"))
    finally:
        engine.close()


def best(runs: list[Run]) -> Run:
    """Give the fastest run, with the highest memory of all of them."""
    fastest = min(runs, key=lambda one: one.seconds)
    return fastest._replace(peak_anon_mb=max(one.peak_anon_mb for one in runs))


def heavy(figures: Figures, home: str, data: str, times: int, name: str) -> None:
    """Sync and decode in turns, so that both see the same machine."""
    floors: list[float] = []
    syncs: list[Run] = []
    floor_s(home)  # once unmeasured: both sides find the files in the page cache
    for _ in range(times):
        floors.append(floor_s(home))
        syncs.append(synced(home, data))
    sync = best(syncs)
    figures.add(f"{name}: floor", min(floors), "s")
    figures.add(f"{name}: sync, whole process", sync.seconds, "s")
    figures.add(f"{name}: sync, processor time", sync.cpu_s, "s")
    figures.add(f"{name}: share of the floor's rate", min(floors) / sync.seconds, at_least=FLOOR_SHARE)
    _memory_and_size(figures, name, sync, data)


def talk(figures: Figures, home: str, data: str, script: str, times: int, name: str) -> None:
    """Sync and run the baseline in turns."""
    bases: list[float] = []
    syncs: list[Run] = []
    floor_s(home)
    for _ in range(times):
        syncs.append(synced(home, data))
        bases.append(baseline_s(script, home))
    sync = best(syncs)
    figures.add(f"{name}: baseline", min(bases), "s")
    figures.add(f"{name}: sync, whole process", sync.seconds, "s")
    figures.add(f"{name}: sync, processor time", sync.cpu_s, "s")
    figures.add(f"{name}: ratio to the baseline", sync.seconds / min(bases), at_most=BASELINE_RATIO)
    _memory_and_size(figures, name, sync, data)


def _memory_and_size(figures: Figures, name: str, sync: Run, data: str) -> None:
    figures.add(f"{name}: peak RssAnon", sync.peak_anon_mb, "MB", at_most=ANON_MB)
    text, words = indexed_bytes(data), word_index_bytes(data)
    figures.add(f"{name}: indexed text", text / MB, "MB")
    figures.add(f"{name}: word index", words / MB, "MB")
    figures.add(f"{name}: word index / indexed text", words / text, at_most=INDEX_RATIO)


def main(options: Namespace) -> None:
    make_home, script = need(options.make_home, "--make-home"), need(options.baseline, "--baseline")
    figures = Figures("first_sync")
    with workspace(options.work) as folder:
        heavy_home = options.heavy or generated(make_home, os.path.join(folder, "heavy"), *HEAVY)
        talk_home = options.talk or generated(make_home, os.path.join(folder, "talk"), *TALK)
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            data = os.path.join(fresh, "archive")
            # Hard links need the home's own file system.
            heavy_claude = claude_only(heavy_home, heavy_home.rstrip("/") + "-claude")
            talk_claude = claude_only(talk_home, talk_home.rstrip("/") + "-claude")
            heavy(figures, heavy_claude, data, options.times, "heavy, Claude Code only")
            heavy(figures, heavy_home, data, options.times, "heavy, whole home")
            talk(figures, talk_claude, data, script, options.times, "talk-heavy, Claude Code only")
            talk(figures, talk_home, data, script, options.times, "talk-heavy, whole home")
    figures.finish(options.out)


if __name__ == "__main__":
    ARGUMENTS = arguments(
        __doc__,
        make_home="the generator of homes",
        baseline="the FTS5 trigram baseline",
        heavy="a heavy home made before",
        talk="a talk-heavy home made before",
    )
    ARGUMENTS.add_argument("--times", type=int, default=3, help="runs of each, the best counts (3)")
    main(ARGUMENTS.parse_args())
