"""Measure searches: in an archive of 1.6 million messages, in a home of 53,000 files, and right after an append.

    python -m bench.search --make-home make_home.py [--home HOME --archive DATA] [--parts inside,whole,…]

Without `--home` a home of `--rows` messages is made and read first (3 GB, some minutes). The parts:

- inside: every kind of query inside one process; each opens the archive anew, as the command does
- whole: the whole command against `python -I -c "import sqlite3, tantivy"`, in turns
- away: the same answers in the same time when every transcript was moved away
- append: one line appended to a transcript is found by the very next search
- files: a search beside 53,000 unchanged transcripts, and what looking at them costs
- rebuild: making the word index anew from the rows
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import time
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from bench._common import (
    MB,
    Figures,
    Line,
    Run,
    arguments,
    best_ms,
    claude_row,
    environment,
    generated,
    hark,
    must,
    need,
    run,
    synced,
    word_index_bytes,
    workspace,
    write_claude,
)

from harkback.archive.sessions import Archive
from harkback.config import DEFAULTS, Place
from harkback.query import parse

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator

    from harkback.archive.answers import Answer

BASE = [sys.executable, "-I", "-c", "import sqlite3, tantivy"]

FEW_MS, MANY_MS, SUBSTRING_MS = 25.0, 40.0, 100.0
WHOLE_MS, WHOLE_RATIO = 60.0, 4.0
APPEND_MS, FILES_MS, FRESHNESS_MS = 300.0, 150.0, 50.0
REBUILD_S = 60.0

MANY_WORDS = (
    "function class import return async await error token cache index query database schema deploy nginx docker"
    " kubernetes redis postgres sqlite pytest fixture session message parser config timeout retry upstream webhook"
)


class Kind(NamedTuple):
    """A kind of query and the most it may take inside the process."""

    name: str
    text: str
    at_most_ms: float = FEW_MS
    newest: bool = False
    by_session: bool = False
    substring: bool = False
    context: int = 0


# Words that make_home.py's texts are made of, from the rarest (one message) to the commonest.
KINDS = (
    Kind("rare word", "NEEDLE00005X"),
    Kind("common Latin word", "token"),
    Kind("two common Latin words", "database deploy"),
    Kind("three common Latin words", "database deploy token"),
    Kind("a phrase", '"database deploy"'),
    Kind("CJK, 1 character", "庫"),
    Kind("CJK, 2 characters", "部署"),
    Kind("CJK, 3 characters", "資料庫"),
    Kind("CJK, 4 characters", "部署資料"),
    Kind("CJK, two words", "部署 資料庫"),
    Kind("CJK, a question of 16 characters", "資料庫的遷移為什麼會錯誤跟逾時呢"),
    Kind("Japanese", "データベース 検索"),
    Kind("mixed", "nginx 設定 キャッシュ"),
    Kind("a word and a dash", "token -docker"),
    Kind("either of two words", "token OR 部署"),
    Kind("signs", "--no-cache"),
    Kind("absent word", "qqxyzzyq"),
    Kind("10 terms", " ".join(MANY_WORDS.split()[:10])),
    Kind("30 terms", MANY_WORDS, MANY_MS),
    Kind(
        "30 CJK and Latin terms",
        "部署 快取 設定 資料庫 遷移 索引 查詢 測試 效能 瓶頸 錯誤 逾時 重試 連線 伺服器 " + MANY_WORDS[:110],
        MANY_MS,
    ),
    Kind("substring", "ocke", SUBSTRING_MS, substring=True),
    Kind("substring, two", "ocke tgre", SUBSTRING_MS, substring=True),
    Kind("word and project", "token project:proj-3"),
    Kind("word and time", "token since:2026-05-20 until:2026-06-20"),
    Kind("word and role", "部署 role:user"),
    Kind("filters alone: tool", "tool:Bash"),
    Kind("filters alone: time", "since:2026-05-20 until:2026-05-21"),
    Kind("filters alone: file", "file:ba.ts"),
    Kind("newest first", "token", newest=True),
    Kind("newest first, CJK", "部署", newest=True),
    Kind("with two turns around", "部署", context=2),
    Kind("by session, rare", "NEEDLE00005X", by_session=True),
    Kind("by session, common", "token", by_session=True),
    Kind("by session, CJK", "部署 資料庫", by_session=True),
)

WHOLE_KINDS = (
    "rare word",
    "common Latin word",
    "three common Latin words",
    "CJK, 2 characters",
    "CJK, two words",
    "10 terms",
)


def ask(archive: Archive, kind: Kind) -> Answer:
    """Search as `hark search --no-sync` does."""
    return archive.search(
        parse(kind.text, archive.now_ms),
        newest=kind.newest,
        by_session=kind.by_session,
        substring=kind.substring,
        context=kind.context,
        sync=False,
    )


def archive_of(home: str, data: str) -> Archive:
    """Open an archive as a person in no project would."""
    return Archive(Place(home, data), {}, int(time.time() * 1000), home)


def inside(figures: Figures, home: str, data: str, times: int) -> None:
    """Time every kind of query; the median counts."""
    archive = archive_of(home, data)
    coverage = archive.search(parse("x", archive.now_ms), sync=False).coverage
    figures.add("messages", coverage.messages)
    figures.add("archive", sum(os.path.getsize(os.path.join(data, name)) for name in os.listdir(data)) / MB, "MB")
    figures.add("word index", word_index_bytes(data) / MB, "MB")
    for kind in KINDS:
        _, median = best_ms(lambda kind=kind: ask(archive, kind), times)  # type: ignore[misc]
        hits = len(ask(archive, kind).found.hits)
        figures.add(f"inside: {kind.name}", median, "ms", at_most=kind.at_most_ms, note=f"{hits} hits")


def whole(figures: Figures, home: str, data: str, times: int) -> None:
    """Time whole commands and the base in turns."""
    env = environment(home, data)
    kinds = [kind for kind in KINDS if kind.name in WHOLE_KINDS]
    took: dict[str, list[float]] = {"base": [], **{kind.name: [] for kind in kinds}}
    for _ in range(times + 1):
        took["base"].append(must(run(BASE, env)).seconds * 1000)
        for kind in kinds:
            took[kind.name].append(searched(["--no-sync", kind.text], env))
    base = statistics.median(took.pop("base")[1:])
    figures.add("whole: python -I with sqlite3 and tantivy", base, "ms")
    for name, some in took.items():
        median = statistics.median(some[1:])
        bound = max(WHOLE_MS, WHOLE_RATIO * base)
        figures.add(f"whole: {name}", median, "ms", at_most=bound, note=f"{median / base:.1f} × base")


def searched(words: list[str], env: dict[str, str]) -> float:
    """Run `hark search`; gives milliseconds, and ends the benchmark when it fails."""
    one = run(hark("search", *words), env)
    if one.status not in {0, 1}:
        sys.exit(f"hark search {words} gave {one.status}: {one.stdout[-500:]}{one.stderr[-500:]}")
    return one.seconds * 1000


@contextmanager
def moved_away(home: str) -> Iterator[None]:
    """Move the transcripts of a home away for a while."""
    here, there = os.path.join(home, ".claude"), os.path.join(home, ".claude-moved-away")
    os.rename(here, there)
    try:
        yield
    finally:
        os.rename(there, here)


def away(figures: Figures, home: str, data: str, times: int) -> None:
    """Compare answers and times with the transcripts there and moved away."""
    archive = archive_of(home, data)

    def answers() -> tuple[list[object], float]:
        given: list[object] = []
        median = 0.0
        for kind in KINDS:
            given.append([(hit.part.message, hit.snippet, hit.tier) for hit in ask(archive, kind).found.hits])
            median += best_ms(lambda kind=kind: ask(archive, kind), times)[1]  # type: ignore[misc]
        return given, median

    there, there_ms = answers()
    with moved_away(home):
        gone, gone_ms = answers()
    different = sum(one != other for one, other in zip(there, gone, strict=True))
    figures.add("away: kinds of query answered differently", different, at_most=0)
    figures.add("away: time against transcripts in place", gone_ms / there_ms, "×", at_most=1.2)


# -- one line appended ------------------------------------------------------------------------------------------------


def append(figures: Figures, home: str, data: str, times: int, name: str) -> None:
    """Append a line with a word of its own to a transcript, search for the word; whole commands.

    Nothing is kept from running beside it: a search that starts a full pass in the background is met by the next.
    """
    env = environment(home, data)
    now = int(time.time() * 1000)
    native, path, _ = write_claude(home, "bench-append", [Line("user", "the first line", now)])
    try:
        searched(["first", "line"], env)
        runs = [appended(path, native, env, now + number * 1000) for number in range(times)]
        plain = [searched(["--no-sync", "first", "line"], env) for _ in range(times)]
    finally:
        shutil.rmtree(os.path.dirname(path))
    took = [one.seconds * 1000 for one in runs]
    found = sum(one.status == 0 for one in runs) / times
    figures.add(f"{name}: found by the next search", found, at_least=1, note=f"of {times}")
    figures.add(f"{name}: that search", statistics.median(took), "ms", at_most=APPEND_MS)
    figures.add(f"{name}: the slowest of {times}", max(took), "ms", at_most=APPEND_MS)
    figures.add(f"{name}: a search with --no-sync, for comparison", statistics.median(plain), "ms")


def appended(path: str, native: str, env: dict[str, str], time_ms: int) -> Run:
    """Append one line with a word of its own, search for that word; gives the search."""
    word = "w" + uuid.uuid4().hex[:12]
    row = claude_row(native, "/bench-append", Line("user", f"a line with {word} in it", time_ms), None)
    with open(path, "ab") as file:
        file.write(json.dumps(row).encode() + b"\n")
    return run(hark("search", word), env)


# -- many files -------------------------------------------------------------------------------------------------------

PROJECTS, SESSIONS, WITH_AGENTS, AGENTS_EACH = 400, 9_000, 4_400, 10
"""53,000 transcripts in 9,200 folders, laid out as a person has them who uses subagents much."""


def many_files(home: str) -> str:
    """Make a home of 53,000 small transcripts; gives its path."""
    if os.path.exists(os.path.join(home, ".made-by")):
        return home
    began = int(time.time() * 1000) - SESSIONS * 3_600_000
    for number in range(SESSIONS):
        at = began + number * 3_600_000
        lines = [Line("user", f"token 部署 question {number}", at), Line("assistant", f"answer {number}", at + 1000)]
        native, path, _ = write_claude(home, f"many-{number % PROJECTS}", lines)
        if number < WITH_AGENTS:
            _subagents(os.path.join(path[: -len(".jsonl")], "subagents"), native, at)
        os.utime(path, (at / 1000, at / 1000))
    with open(os.path.join(home, ".made-by"), "w", encoding="utf-8") as file:
        file.write("many files")
    return home


def _subagents(folder: str, native: str, at: int) -> None:
    os.makedirs(folder)
    for number in range(AGENTS_EACH):
        agent = uuid.uuid4().hex[:12]
        row = claude_row(native, "/many", Line("user", f"task {number} of {agent}", at), None)
        path = os.path.join(folder, f"agent-{agent}.jsonl")
        with open(path, "wb") as file:
            file.write(json.dumps({**row, "isSidechain": True, "agentId": agent}).encode() + b"\n")
        os.utime(path, (at / 1000, at / 1000))


def files(figures: Figures, home: str, data: str, times: int) -> None:
    """Search beside many unchanged transcripts, with and without looking at them."""
    from harkback.engines.local import LocalEngine
    from harkback.ingest.changes import all_changes, hot_changes

    env = environment(home, data)
    if not os.path.exists(data):
        figures.add("files: first sync of 53,000 small transcripts", synced(home, data).seconds, "s")
    must(run(hark("sync"), env))
    fresh: list[float] = []
    plain: list[float] = []
    for _ in range(times + 1):
        fresh.append(searched(["token"], env))
        plain.append(searched(["--no-sync", "token"], env))
    figures.add("files: search", statistics.median(fresh[1:]), "ms", at_most=FILES_MS)
    figures.add("files: search --no-sync", statistics.median(plain[1:]), "ms")
    engine = LocalEngine.open(data)
    assert engine is not None
    hot = DEFAULTS.number("search.hot_transcripts")
    looks: tuple[tuple[str, Callable[[], object], float | None], ...] = (
        ("freshness, inside the process", lambda: hot_changes(engine.rows, home, {}, hot), FRESHNESS_MS),
        ("full pass over all files, inside the process", lambda: all_changes(engine.rows, home, {}), None),
    )
    for name, look, bound in looks:
        figures.add(f"files: {name}", best_ms(look, times)[1], "ms", at_most=bound)
    figures.add("files: transcripts", engine.rows.coverage().transcripts)
    engine.close()
    append(figures, home, data, times, "append beside 53,000 files")


def rebuild(figures: Figures, home: str, data: str) -> None:
    """Rebuild the word index with the command."""
    one = must(run(hark("rebuild"), environment(home, data)))
    figures.add("rebuild", one.seconds, "s", at_most=REBUILD_S)
    figures.add("rebuild: peak RssAnon", one.peak_anon_mb, "MB", at_most=400)


def main(options: Namespace) -> None:
    figures = Figures("search")
    parts = options.parts.split(",")
    with workspace(options.work) as folder:
        data = options.archive or os.path.join(folder, "archive")
        home = options.home or os.path.join(folder, "rows")
        if set(parts) - {"files"}:
            if not options.home:
                make_home = need(options.make_home, "--make-home")
                generated(make_home, home, "--rows", str(options.rows), "--seed", "7")
            if not os.path.exists(data):
                one = synced(home, data)
                figures.add("first sync of the 1.6 M messages", one.seconds, "s", note=f"{one.cpu_s:.0f} s processor")
                figures.add("first sync of the 1.6 M messages: peak RssAnon", one.peak_anon_mb, "MB", at_most=400)
        big = {"inside": inside, "whole": whole, "away": away}
        for part in parts:
            if part in big:
                big[part](figures, home, data, options.times)
            elif part == "append":
                append(figures, home, data, options.times, "append beside 1.6 M messages")
            elif part == "files":
                many = os.path.join(folder, "many")
                files(figures, many_files(many), os.path.join(folder, "many-archive"), options.times)
            elif part == "rebuild":
                rebuild(figures, home, data)
            else:
                sys.exit(f"--parts {part}: no such part")
    figures.finish(options.out)


if __name__ == "__main__":
    ARGUMENTS = arguments(
        __doc__,
        make_home="the generator of homes",
        home="a home of 1.6 million messages made before",
        archive="its archive, if it was read before (made here otherwise)",
    )
    ARGUMENTS.add_argument("--rows", type=int, default=1_600_000, help="messages to make (1600000)")
    ARGUMENTS.add_argument("--times", type=int, default=9, help="runs of each, the median counts (9)")
    ARGUMENTS.add_argument("--parts", default="inside,whole,away,append,files,rebuild", help="what to measure")
    main(ARGUMENTS.parse_args())
