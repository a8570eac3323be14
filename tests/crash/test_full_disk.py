"""A full disk: nothing stored is lost, the message says what to do, the next sync completes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.worlds import World, say
else:
    from worlds import World, say

DISK_KB = 12_000
MESSAGE = "is full, so nothing more was stored; everything stored before is still there. Free some space"

# Sets the limit on itself, then becomes the program: a limit set by `preexec_fn` is not safe beside threads.
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from harkback.cli import run
run()
"""


def hark(world: World, *argv: str, limit_bytes: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    program = ["-c", LIMITED, str(limit_bytes)] if limit_bytes else ["-m", "harkback"]
    env = os.environ | {"HOME": world.home, "HARK_HOME": world.data}
    return subprocess.run(
        [sys.executable, *program, *argv], env=env, capture_output=True, text=True, timeout=60, check=False
    )


def talk(start: int, count: int) -> list[object]:
    """Make rows that together are larger than what the disk has left."""
    return [
        say(
            f"u{number}",
            f"apple {number} " + " ".join(f"w{number * 7919 % 65536:x}{i:x}" for i in range(600)),
            "a",
            number,
        )
        for number in range(start, start + count)
    ]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a small disk of memory; only root may."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k", "none", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no disk of memory can be mounted here: {error}")
    if mounted.returncode:
        pytest.skip(f"no disk of memory can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path, left_kb: int) -> Path:
    """Take up all space but `left_kb`."""
    ballast = disk / "ballast"
    stat = os.statvfs(disk)
    with ballast.open("wb") as file:
        file.write(bytes(stat.f_bavail * stat.f_frsize - left_kb * 1024))
    return ballast


def assert_says_full(done: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 2, done.stderr
    assert MESSAGE in done.stderr
    assert done.stdout == ""


def assert_completes(world: World, home: World) -> None:
    """The next sync makes what a clean one makes."""
    done = hark(world, "sync")
    assert done.returncode == 0, done.stderr
    clean = World(home.base, "clean")
    clean.sync()
    mine, theirs = world.state(), clean.state()
    assert (mine.integrity, mine.dead, mine.waiting) == ("ok", 0, 0)
    assert mine.documents == mine.parts
    assert mine.messages == theirs.messages
    assert mine.tallies == theirs.tallies
    assert mine.transcripts == theirs.transcripts


@pytest.mark.parametrize("left_kb", [0, 4, 120, 700])
def test_on_a_full_disk_sync_says_so_and_what_was_stored_is_still_found(world: World, disk: Path, left_kb: int) -> None:
    world.write("a", talk(0, 40))
    on_disk = World(world.base, "disk/archive")
    assert hark(on_disk, "sync").returncode == 0
    stored = on_disk.answers(("apple", "session:a"))
    world.append("a", talk(40, 300))
    ballast = fill(disk, left_kb)
    assert_says_full(hark(on_disk, "sync"))
    found = on_disk.search("apple", sync=False).found
    assert found.lanes["talk"] >= stored["apple"]["lanes"]["talk"] == 40
    # A search that wants to read the news first answers from what there is.
    done = hark(on_disk, "search", "apple", "-n", "3")
    assert done.returncode == 0, done.stderr
    ballast.unlink()
    assert_completes(on_disk, world)


@pytest.mark.parametrize("left_kb", [0, 60, 700])
def test_a_first_sync_on_a_full_disk_says_so_and_completes_later(world: World, disk: Path, left_kb: int) -> None:
    world.write("a", talk(0, 300))
    on_disk = World(world.base, "disk/archive")
    ballast = fill(disk, left_kb)
    assert_says_full(hark(on_disk, "sync"))
    done = hark(on_disk, "search", "--no-sync", "apple")
    assert done.returncode in {0, 1, 2}
    assert "Traceback" not in done.stderr, done.stderr
    ballast.unlink()
    assert_completes(on_disk, world)


def test_rebuild_on_a_full_disk_keeps_the_old_index(world: World, disk: Path) -> None:
    world.write("a", talk(0, 200))
    on_disk = World(world.base, "disk/archive")
    assert hark(on_disk, "sync").returncode == 0
    stored = on_disk.answers(("apple",))
    ballast = fill(disk, 60)
    assert_says_full(hark(on_disk, "rebuild"))
    assert on_disk.answers(stored) == stored
    ballast.unlink()
    done = hark(on_disk, "rebuild")
    assert done.returncode == 0, done.stderr
    assert on_disk.answers(stored) == stored
    assert len([name for name in os.listdir(on_disk.data) if name.startswith("words")]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("limit_kb", [1, 80, 500])
def test_where_files_may_not_grow_sync_fails_clearly_and_completes_later(world: World, limit_kb: int) -> None:
    world.write("a", talk(0, 20))
    assert hark(world, "sync").returncode == 0
    stored = world.search("apple", sync=False).found.lanes["talk"]
    world.append("a", talk(20, 300))
    done = hark(world, "sync", limit_bytes=limit_kb * 1024)
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hark: ")
    assert world.search("apple", sync=False).found.lanes["talk"] >= stored
    assert_completes(world, world)
