"""What every benchmark needs: figures with their bounds, a process watched while it runs, Claude Code transcripts.

Run the benchmarks from the root of the repository, for example `python -m bench.first_sync --help`, with the Python
that harkback is installed for (or with `PYTHONPATH=src`). Nothing here knows a path of one machine: the generator of
homes and the evaluation sets are given as arguments.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import harkback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SAMPLE_S = 0.02
"""How often the memory of a watched process is read."""

MB = 1_000_000


class Figure(NamedTuple):
    """One measured value, and the bound it must keep where there is one."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept; None where there is none."""
        if self.at_most is not None:
            return self.value <= self.at_most
        return self.value >= self.at_least if self.at_least is not None else None


class Figures:
    """Collects figures, prints each when it is known, and all of them as a table at the end."""

    def __init__(self, bench: str) -> None:
        self.bench = bench
        self.figures: list[Figure] = []

    def add(
        self,
        name: str,
        value: float,
        unit: str = "",
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        note: str = "",
    ) -> float:
        """Keep a figure; gives the value back."""
        figure = Figure(name, value, unit, at_most, at_least, note)
        self.figures.append(figure)
        print(_line(figure), file=sys.stderr, flush=True)
        return value

    def finish(self, out: str | None) -> None:
        """Print the table in Markdown; write JSON too where a path is given."""
        print(f"\n{self.bench} · {_machine()['text']}\n")
        print("| what | measured | bound | holds |\n|---|---|---|---|")
        for one in self.figures:
            holds = {True: "yes", False: "**no**", None: ""}[one.holds]
            note = f" ({one.note})" if one.note else ""
            print(f"| {one.name}{note} | {number(one.value)} {one.unit} | {_bound(one)} | {holds} |")
        if out:
            figures = [{**one._asdict(), "holds": one.holds} for one in self.figures]
            with open(out, "w", encoding="utf-8") as file:
                json.dump({"bench": self.bench, "machine": _machine(), "figures": figures}, file, indent=1)
                file.write("\n")


def number(value: float) -> str:
    """Write a number with three digits that count; a share below one with four places."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1 else f"{value:.4f}"


def _bound(one: Figure) -> str:
    if one.at_most is not None:
        return f"≤ {number(one.at_most)}"
    return f"≥ {number(one.at_least)}" if one.at_least is not None else ""


def _line(one: Figure) -> str:
    mark = {True: "ok  ", False: "OVER", None: "    "}[one.holds]
    return f"{mark} {one.name}: {number(one.value)} {one.unit} {_bound(one)} {one.note}".rstrip()


def _machine() -> dict[str, Any]:
    from importlib.metadata import version

    packages = {name: version(name) for name in ("tantivy", "orjson", "numpy")}
    python, cores = platform.python_version(), os.cpu_count()
    text = f"Python {python}, tantivy {packages['tantivy']}, {cores} cores, {platform.system()}"
    return {"text": text, "python": python, "cores": cores, "packages": packages}


# -- arguments and places ---------------------------------------------------------------------------------------------


def arguments(doc: str | None, **options: str) -> argparse.ArgumentParser:
    """Begin a parser with the options that all benchmarks share and those named (`name="help"`, paths)."""
    one = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, text in options.items():
        one.add_argument("--" + name.replace("_", "-"), metavar="PATH", help=text)
    one.add_argument("--work", metavar="FOLDER", help="where to make homes and archives (default: a temporary folder)")
    one.add_argument("--out", metavar="FILE", help="write the figures as JSON")
    return one


def need(given: str | None, name: str) -> str:
    """Return a path that must be given and exist."""
    if not given or not os.path.exists(given):
        sys.exit(f"{name} {given or ''}: give the path of something that exists")
    return os.path.abspath(given)


@contextmanager
def workspace(chosen: str | None) -> Iterator[str]:
    """Give a folder for homes and archives; a temporary one is removed at the end, a chosen one is kept."""
    if chosen:
        os.makedirs(chosen, exist_ok=True)
        yield os.path.abspath(chosen)
        return
    folder = tempfile.mkdtemp(prefix="hark-bench-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def generated(make_home: str, home: str, *options: str) -> str:
    """Make a home with the generator, unless it is there already; gives its path."""
    done = os.path.join(home, ".made-by")
    wanted = " ".join(options)
    if os.path.exists(done):
        with open(done, encoding="utf-8") as file:
            if file.read() == wanted:
                return home
        sys.exit(f"{home} was made with other options; remove it or choose another --work")
    print(f"making {home} with {wanted}", file=sys.stderr)
    subprocess.run([sys.executable, make_home, home, *options], check=True, stdout=subprocess.DEVNULL)
    with open(done, "w", encoding="utf-8") as file:
        file.write(wanted)
    return home


def claude_only(home: str, beside: str) -> str:
    """Make a home that holds only the Claude Code transcripts of another, as hard links; gives its path."""
    source = os.path.join(home, ".claude")
    target = os.path.join(beside, ".claude")
    if not os.path.isdir(target):
        shutil.copytree(source, target, copy_function=os.link)
    return beside


def claude_transcripts(home: str) -> list[str]:
    """Give the Claude Code transcripts of a home."""
    root = os.path.join(home, ".claude", "projects")
    return sorted(
        os.path.join(base, name) for base, _, names in os.walk(root) for name in names if name.endswith(".jsonl")
    )


def folder_bytes(folder: str) -> int:
    """Add up the files of a folder."""
    return sum(os.path.getsize(os.path.join(base, name)) for base, _, names in os.walk(folder) for name in names)


def word_index_bytes(data: str) -> int:
    """Give the size of the word index of an archive."""
    return sum(folder_bytes(os.path.join(data, name)) for name in os.listdir(data) if name.startswith("words-"))


# -- running and watching ---------------------------------------------------------------------------------------------


def hark(*words: str) -> list[str]:
    """Give the command line of `hark` for this Python."""
    return [sys.executable, "-m", "harkback", *words]


def environment(home: str, data: str) -> dict[str, str]:
    """Give an environment in which `hark` sees only this home and this archive."""
    agents = ("CLAUDE", "CODEX", "XDG_", "HARK_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(agents)}
    # Commands run in the home's folder; a relative PYTHONPATH would not find us there.
    package = os.path.dirname(os.path.dirname(os.path.abspath(harkback.__file__)))
    return {**kept, "HOME": home, "USERPROFILE": home, "HARK_HOME": data, "PYTHONPATH": package}


class Run(NamedTuple):
    """What a watched process did."""

    seconds: float
    peak_anon_mb: float
    """The most anonymous memory seen (Linux; elsewhere 0)."""
    status: int
    stdout: str
    stderr: str
    cpu_s: float = 0.0
    """User and system time: tells the cost apart from the machine's other work (0 on Windows)."""


def run(command: Sequence[str], env: dict[str, str]) -> Run:
    """Run a process to its end and watch its anonymous memory."""
    before = _children_cpu_s()
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=env, cwd=env["HOME"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        peak = [0.0]
        watcher = threading.Thread(target=_watch, args=(process, peak), daemon=True)
        watcher.start()
        stdout, stderr = process.communicate()
        seconds = time.perf_counter() - began
        watcher.join()
    return Run(seconds, peak[0], process.returncode, stdout, stderr, _children_cpu_s() - before)


def _children_cpu_s() -> float:
    used = os.times()
    return used.children_user + used.children_system


def must(one: Run) -> Run:
    """Return a run that ended with 0, or end the benchmark with what it said."""
    if one.status:
        sys.exit(f"the command ended with {one.status}:\n{one.stderr[-2000:]}")
    return one


def _watch(process: subprocess.Popen[str], peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], _anon_mb(process.pid))
        time.sleep(SAMPLE_S)


def _anon_mb(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024 / MB
    except OSError:
        pass
    return 0.0


def synced(home: str, data: str, *, fresh: bool = True) -> Run:
    """Read a home into an archive with `hark sync`, as a user would; from nothing unless told otherwise."""
    if fresh:
        shutil.rmtree(data, ignore_errors=True)
    return must(run(hark("sync"), environment(home, data)))


def best_ms(work: Callable[[], object], times: int) -> tuple[float, float]:
    """Run something several times after once unmeasured; gives best and median in milliseconds."""
    work()
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return min(took), statistics.median(took)


# -- writing transcripts ----------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """One message of a transcript to be written."""

    role: str
    text: str
    time_ms: int


def write_claude(home: str, project: str, lines: Sequence[Line]) -> tuple[str, str, list[int]]:
    """Write a Claude Code session; gives its id, its path and where each line begins, in bytes."""
    native = str(uuid.uuid4())
    folder = os.path.join(home, ".claude", "projects", "-" + project)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, native + ".jsonl")
    offsets: list[int] = []
    previous: str | None = None
    with open(path, "wb") as file:
        for line in lines:
            offsets.append(file.tell())
            row = claude_row(native, "/" + project, line, previous)
            previous = row["uuid"]
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    return native, path, offsets


def claude_row(native: str, cwd: str, line: Line, previous: str | None) -> dict[str, Any]:
    """Make one record of a Claude Code transcript."""
    user = {"role": "user", "content": line.text}
    said = {"role": "assistant", "model": "model", "content": [{"type": "text", "text": line.text}]}
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(line.time_ms // 1000)) + f".{line.time_ms % 1000:03d}Z"
    return {
        "parentUuid": previous,
        "isSidechain": False,
        "userType": "external",
        "cwd": cwd,
        "sessionId": native,
        "version": "2.1.30",
        "gitBranch": "main",
        "type": line.role,
        "message": user if line.role == "user" else said,
        "uuid": str(uuid.uuid4()),
        "timestamp": stamp,
    }
