"""Compare `hark events --stats` with a count of the raw transcripts, and measure it against reading them.

For each zone the home is read into a new archive with `hark sync`, and every number of `hark events --stats --json` is
compared with `bench/_counts.py`, which shares no code with harkback; so are the lines of `hark events` by their kinds.
A table shows what is not the same; the status is 1 then. The floor of the times is
`for line in open(path, "rb"): orjson.loads(line)` over the same files in one process.

    python bench/events.py HOME [--zone Asia/Tokyo]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # so that it runs as a script, too

from bench._common import MB, Figures, arguments, environment, hark, must, need, run, workspace
from bench._counts import Difference, count, differences
from bench._raw import transcripts
from bench.first_sync import floor_s

if TYPE_CHECKING:
    from argparse import Namespace

ZONES = ("UTC", "Asia/Tokyo", "America/Los_Angeles")
SHOWN = 200
"""So many differences are shown."""

STATS = hark("events", "--stats", "--json")


def compared(home: str, folder: str, zone: str) -> tuple[list[Difference], dict[str, str]]:
    """Compare the numbers of one zone; gives the differences and the environment of the archive that was made."""
    env = environment(home, tempfile.mkdtemp(prefix="archive-", dir=folder)) | {"TZ": zone}
    must(run(hark("sync"), env))
    given = json.loads(must(run(STATS, env)).stdout)
    found = differences(given, count(home, zone))
    return found + stream_differences(given, env), env


def stream_differences(given: dict[str, Any], env: dict[str, str]) -> list[Difference]:
    """Compare the events that are printed one by one with those that were counted."""
    lines = must(run(hark("events"), env)).stdout.splitlines()
    kinds = Counter(str(json.loads(line)["kind"]) for line in lines)
    counted = given["total"]["events"]
    apart = sorted(kind for kind in kinds.keys() | counted.keys() if kinds[kind] != counted.get(kind, 0))
    return [Difference("hark events", f"lines {kind}", kinds[kind], counted.get(kind, 0)) for kind in apart]


def first_line_s(env: dict[str, str]) -> float:
    """Read one line of `hark events`, as `| head -1` does; gives the seconds until it stands there."""
    began = time.perf_counter()
    command = hark("events")
    with subprocess.Popen(
        command, env=env, cwd=env["HOME"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - began
        process.stdout.close()
        said = process.stderr.read()
    if process.returncode or not line:
        sys.exit(f"hark events, of which one line was read, ended with {process.returncode}:\n{said[-2000:]}")
    return seconds


def measured(figures: Figures, home: str, env: dict[str, str], times: int) -> None:
    """Measure in turns, so that all see the same machine; the best of each counts."""
    floor_s(home)  # once unmeasured: everything finds the files in the page cache
    floors, stats, firsts, streams, peaks = [], [], [], [], []
    for _ in range(times):
        floors.append(floor_s(home))
        one = must(run(STATS, env))
        stats.append(one.seconds)
        firsts.append(first_line_s(env))
        whole = must(run(hark("events"), env))
        streams.append(whole.seconds)
        peaks += [one.peak_anon_mb, whole.peak_anon_mb]
    floor = min(floors)
    figures.add("floor: orjson over the same files", floor, "s")
    figures.add("hark events --stats --json, whole process", min(stats), "s")
    figures.add("stats / floor", min(stats) / floor)
    figures.add("hark events, until the first line stands there", min(firsts), "s")
    figures.add("first line / floor", min(firsts) / floor)
    figures.add("hark events, every line", min(streams), "s")
    figures.add("every line / floor", min(streams) / floor)
    figures.add("peak RssAnon", max(peaks), "MB")


def show(zone: str, found: list[Difference]) -> None:
    """Print the differences as a table."""
    print(f"\n{zone}: {len(found) or 'no'} differences\n", flush=True)
    if found:
        print("| where | what | hark | raw files |\n|---|---|---|---|")
        for one in found[:SHOWN]:
            print(f"| {one.where} | {one.what} | {one.given:,} | {one.counted:,} |")


def main(options: Namespace) -> int:
    home = need(options.home, "HOME")
    paths = transcripts(home)
    figures = Figures("events")
    figures.add("transcripts", len(paths))
    figures.add("bytes", sum(map(os.path.getsize, paths)) / MB, "MB")
    apart = 0
    with workspace(options.work) as folder:
        for zone in options.zone or ZONES:
            found, env = compared(home, folder, zone)
            show(zone, found)
            apart += len(found)
            figures.add(f"differences, {zone}", len(found), at_most=0)
        measured(figures, home, env, options.times)
    figures.finish(options.out)
    return 1 if apart else 0


if __name__ == "__main__":
    ARGUMENTS = arguments(__doc__)
    ARGUMENTS.add_argument("home", metavar="HOME", help="a home with transcripts")
    ARGUMENTS.add_argument("--zone", action="append", help=f"a zone, more than once if wanted ({', '.join(ZONES)})")
    ARGUMENTS.add_argument("--times", type=int, default=3, help="runs of each, the best counts (3)")
    sys.exit(main(ARGUMENTS.parse_args()))
