"""A data folder that may not be written, and a clock that goes back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harkback.errors import ArchiveDamaged, ArchiveReadOnly, ArchiveUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.worlds import NOW_MS, World, say, settings
else:
    from worlds import NOW_MS, World, say, settings

DAY_MS = 86_400_000
needs_posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other rights")

# Root may write everywhere, whatever the modes say. This gives that right away (prctl's PR_CAPBSET_DROP of
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, which an exec makes final) and then becomes the program.
WITHOUT_RIGHTS = """
import ctypes, os, sys
if os.geteuid() == 0:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in (1, 2):
        if prctl(24, capability, 0, 0, 0):
            sys.exit(77)
os.execv(sys.executable, [sys.executable, "-m", "harkback", *sys.argv[1:]])
"""


def hark(world: World, *argv: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"HOME": world.home, "HARK_HOME": world.data}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_RIGHTS, *argv], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 77:
        pytest.skip("root cannot give away its rights here")
    return done


def _set_modes(top: str, folder: int, file: int) -> None:
    for base, _, names in os.walk(top):
        os.chmod(base, folder)
        for name in names:
            os.chmod(os.path.join(base, name), file)


@pytest.fixture
def read_only(world: World) -> Iterator[World]:
    """Give an archive of two messages, one of them unread, that the program may read and not write."""
    world.write("a", [say("u1", "apple 驗收 one")])
    world.sync()
    world.append("a", [say("u2", "apple two", minute=1)])
    _set_modes(world.data, 0o555, 0o444)
    yield world
    _set_modes(world.data, 0o755, 0o644)


@needs_posix
@pytest.mark.parametrize("command", ["sync", "rebuild"])
def test_where_nothing_can_be_written_a_writing_command_says_so(read_only: World, command: str) -> None:
    done = hark(read_only, command)
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (2, "")
    assert f"The archive in {read_only.data} cannot be written" in done.stderr


def assert_answers_or_says_why(done: subprocess.CompletedProcess[str], world: World, answer: str) -> None:
    """SQLite and the index both want to write even to be read, so a clear message is allowed; half an answer is not."""
    assert "Traceback" not in done.stderr, done.stderr
    if done.returncode == 0:
        assert answer in done.stdout
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert f"The archive in {world.data} cannot be written" in done.stderr
    assert "HARK_HOME" in done.stderr


@needs_posix
@pytest.mark.parametrize("options", [["--no-sync"], []], ids=" ".join)
def test_where_nothing_can_be_written_search_answers_or_says_why(read_only: World, options: list[str]) -> None:
    files = sorted(os.listdir(read_only.data))
    assert_answers_or_says_why(hark(read_only, "search", *options, "驗收"), read_only, "apple 驗收 one")
    assert sorted(os.listdir(read_only.data)) == files


@needs_posix
@pytest.mark.parametrize(
    ("argv", "answer"),
    [(["show", "claude-code:a"], "apple 驗收 one"), (["sessions"], "apple"), (["status"], "1"), ([], "1")],
)
def test_where_nothing_can_be_written_every_reading_command_answers_or_says_why(
    read_only: World, argv: list[str], answer: str
) -> None:
    assert_answers_or_says_why(hark(read_only, *argv), read_only, answer)


MOUNTED = """
mount --bind "$HARK_HOME" "$HARK_HOME" && mount -o remount,ro,bind "$HARK_HOME" || exit 77
for command in 'search --no-sync x' sessions status check sources 'exclude list' '' sync; do
    "$0" -m harkback $command 2>&1
done
"""


def test_on_a_read_only_disk_every_command_says_that_it_is_read_only(world: World) -> None:
    world.write("a", [say("u1", "apple 驗收 one")])
    world.sync()
    assert sorted(name for name in os.listdir(world.data) if "sqlite" in name) == ["archive.sqlite"]
    if shutil.which("unshare") is None:
        pytest.skip("only Linux mounts for one process")
    env = os.environ | {"HOME": world.home, "HARK_HOME": world.data}
    argv = ["unshare", "-m", "sh", "-c", MOUNTED, sys.executable]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("nothing can be mounted here")
    lines = done.stdout.splitlines()
    assert len(lines) == 8
    assert {line.partition(" (")[0] for line in lines} == {f"hark: The archive in {world.data} cannot be written"}


@needs_posix
def test_once_it_can_be_written_again_all_is_read(read_only: World) -> None:
    hark(read_only, "sync")
    _set_modes(read_only.data, 0o755, 0o644)
    assert read_only.found("apple") == ["apple two", "apple 驗收 one"]


@needs_posix
@pytest.mark.parametrize("command", [["sync"], ["search", "apple"]], ids=" ".join)
def test_where_no_folder_can_be_made_the_message_says_so(world: World, tmp_path: Path, command: list[str]) -> None:
    world.write("a", [say("u1", "apple")])
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    world.data = str(closed / "inner" / "archive")
    done = hark(world, *command)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 2
    assert f"The archive in {world.data} cannot be written" in done.stderr


def test_a_data_folder_that_is_a_file_gives_a_clear_message(world: World) -> None:
    world.write("a", [say("u1", "apple")])
    with open(world.data, "w", encoding="utf-8"):
        pass
    with pytest.raises((ArchiveReadOnly, ArchiveUnreadable), match="data"):
        world.sync()
    with pytest.raises((ArchiveReadOnly, ArchiveUnreadable), match="data"):
        world.found("apple")


@pytest.mark.parametrize("size", [0, 100])
def test_an_archive_that_is_no_database_is_told_apart_from_an_empty_one(world: World, size: int) -> None:
    world.write("a", [say("u1", "apple")])
    os.makedirs(world.data)
    with open(os.path.join(world.data, "archive.sqlite"), "wb") as file:
        file.write(b"x" * size)
    if size:
        with pytest.raises(ArchiveDamaged, match="not a database"):
            world.found("apple", sync=False)
        return
    assert world.found("apple", sync=False) == []
    assert world.found("apple") == ["apple"]


def test_a_clock_set_back_changes_nothing_that_is_found(world: World) -> None:
    world.write("a", [say("u1", "apple one")])
    world.sync(NOW_MS)
    before = NOW_MS - 400 * DAY_MS
    path = world.append("a", [say("u2", "apple two", minute=1)])
    os.utime(path, ns=(before * 1_000_000, before * 1_000_000))
    answer = world.search("apple", before)
    assert sorted(hit.part.text for hit in answer.found.hits) == ["apple one", "apple two"]
    assert all(0 < hit.age_factor <= 1 for hit in answer.found.hits)
    world.write("b", [say("u3", "apple three", "b", 2)])
    os.utime(world.path("b"), ns=(before * 1_000_000, before * 1_000_000))
    world.sync(before)
    assert world.found("apple", now_ms=before) == ["apple one", "apple three", "apple two"]
    os.unlink(world.path("b"))
    world.sync(before - DAY_MS)
    assert len(world.found("apple", now_ms=before - DAY_MS)) == 3
    clean = world.beside("clean")
    clean.sync()
    assert set(clean.found("apple")) < set(world.found("apple"))
    assert world.state().documents == world.state().parts


@pytest.mark.parametrize(("later_ms", "is_due"), [(1000, False), (61_000, True), (-1000, True), (-10 * DAY_MS, True)])
def test_a_full_pass_becomes_due_after_a_minute_and_when_the_clock_went_back(
    world: World, later_ms: int, is_due: bool
) -> None:
    world.settings = settings(HARK_SEARCH_HOT_TRANSCRIPTS="0")
    world.write("a", [say("u1", "apple")])
    world.sync()
    assert world.search("apple", NOW_MS + later_ms).full_pass_is_due is is_due
