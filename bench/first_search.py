"""Measure the first search on a computer that has never seen harkback: 5 GB of transcripts, no archive.

    python -m bench.first_search --make-home make_home.py [--home HOME] [--gb 5]

The transcripts are spread over the last 90 days by their modification times. Every one of the last 48 hours gets a
line with a word of its own, so that it can be told which of them the first search could have found.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from bench._common import (
    MB,
    Figures,
    Line,
    arguments,
    claude_row,
    claude_transcripts,
    environment,
    hark,
    must,
    need,
    run,
    workspace,
)

from harkback.archive.sessions import Archive
from harkback.config import Place
from harkback.query import parse

if TYPE_CHECKING:
    from argparse import Namespace

DAYS = 90
DAY_S = 86_400
SESSIONS_A_SEED = 300
FIRST_S = 3.0


class Recent(NamedTuple):
    """A transcript of the last two days, and the word only it holds."""

    path: str
    word: str
    age_s: float


def big_home(make_home: str, home: str, wanted_bytes: int) -> str:
    """Let the generator write into one home, seed after seed, until it is big enough; gives its path."""
    done = os.path.join(home, ".made-by")
    seed = 100
    while not os.path.exists(done):
        options = ["--claude", str(SESSIONS_A_SEED), "--heavy", "12", "--seed", str(seed)]
        subprocess.run([sys.executable, make_home, home, *options], check=True, stdout=subprocess.DEVNULL)
        seed += 1
        if sum(os.path.getsize(path) for path in claude_transcripts(home)) >= wanted_bytes:
            with open(done, "w", encoding="utf-8") as file:
                file.write(f"{seed - 100} seeds")
    return home


def spread_over_days(paths: list[str], now_s: float) -> list[Recent]:
    """Set modification times from now back to DAYS ago, and mark those of the last two days; newest first."""
    recent: list[Recent] = []
    for number, path in enumerate(paths):
        age_s = DAYS * DAY_S * number / len(paths)
        if age_s < 2 * DAY_S:
            word = f"recentword{number:05d}x"
            native = os.path.basename(path)[: -len(".jsonl")]
            line = Line("user", f"what we did with {word}", int((now_s - age_s) * 1000))
            _mark(path, json.dumps(claude_row(native, "/home/dev/proj-1", line, None)).encode() + b"\n")
            recent.append(Recent(path, word, age_s))
        os.utime(path, (now_s - age_s, now_s - age_s))
    return recent


def _mark(path: str, row: bytes) -> None:
    """Append the marking line, or put a new one in the place of that of an earlier run."""
    with open(path, "r+b") as file:
        file.seek(max(0, os.path.getsize(path) - 4096))
        start, tail = file.tell(), file.read()
        at = tail.rfind(b"\n", 0, len(tail) - 1) + 1
        file.seek(start + (at if b"recentword" in tail[at:] else len(tail)))
        file.truncate()
        file.write(row)


def main(options: Namespace) -> None:
    figures = Figures("first_search")
    with workspace(options.work) as folder:
        home = options.home or os.path.join(folder, "big")
        if not options.home:
            big_home(need(options.make_home, "--make-home"), home, int(options.gb * 1e9))
        paths = claude_transcripts(home)
        recent = spread_over_days(paths, time.time())
        yesterday = [one for one in recent if one.age_s >= DAY_S]
        figures.add("transcripts", len(paths))
        figures.add("bytes", sum(os.path.getsize(path) for path in paths) / MB, "MB")
        figures.add("of the last 48 hours", sum(os.path.getsize(one.path) for one in recent) / MB, "MB")
        data = os.path.join(folder, f"first-{os.getpid()}")
        command(figures, home, data, yesterday)
        inside(figures, home, data, recent)
        shutil.rmtree(data, ignore_errors=True)
    figures.finish(options.out)


def command(figures: Figures, home: str, data: str, yesterday: list[Recent]) -> None:
    """Run the first `hark search` there is, for what was said in the oldest transcript of yesterday."""
    # What a search starts in the background would run into the next measurement.
    env = {**environment(home, data), "HARK_BACKGROUND": "off"}
    word = yesterday[-1].word
    first = must(run(hark("search", "--json", word), env))
    answer = json.loads(first.stdout)
    figures.add("first search, whole command", first.seconds, "s", at_most=FIRST_S)
    figures.add("first search: the oldest of yesterday is found", float(word in first.stdout), at_least=1)
    figures.add("first search: pending", answer["coverage"]["pending"], "transcripts", at_least=1)
    figures.add("first search: peak RssAnon", first.peak_anon_mb, "MB", at_most=400)
    second = run(hark("search", "--json", word), env)
    figures.add("second search, no background sync between", second.seconds, "s", at_most=FIRST_S)
    nothing = run(hark("search", "qqxyzzyq"), env)
    said = "pending" in nothing.stdout + nothing.stderr or "still to be read" in nothing.stdout + nothing.stderr
    figures.add("an empty answer says that files are pending", float(said), at_least=1)
    shutil.rmtree(data)


def inside(figures: Figures, home: str, data: str, recent: list[Recent]) -> None:
    """Search first in this process, then count which recent transcripts were read by that one search."""
    archive = Archive(Place(home, data), {}, int(time.time() * 1000), home)
    began = time.perf_counter()
    archive.search(parse(recent[0].word, archive.now_ms))
    figures.add("first search, inside the process", time.perf_counter() - began, "s", at_most=FIRST_S)
    for name, least, most in (("today", 0, DAY_S), ("yesterday", DAY_S, 2 * DAY_S)):
        some = [one for one in recent if least <= one.age_s < most]
        found = 0
        for one in some:
            hits = archive.search(parse(one.word, archive.now_ms), sync=False).found.hits
            found += any(hit.part.path == one.path for hit in hits)
        figures.add(f"transcripts of {name} found after it", found / len(some), at_least=1, note=f"of {len(some)}")


if __name__ == "__main__":
    ARGUMENTS = arguments(__doc__, make_home="the generator of homes", home="a big home made before (it is changed)")
    ARGUMENTS.add_argument("--gb", type=float, default=5.0, help="size of the home in GB (5)")
    main(ARGUMENTS.parse_args())
