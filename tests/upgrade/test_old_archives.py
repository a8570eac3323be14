"""Archives that other versions of the program wrote: they open, answer the same, and are brought up to date once.

Each `<name>.tar.gz` is an archive as that version left it, `<name>.json` what it answered; see `make_archive`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from harkback.cli import main
from harkback.engines.local import LocalEngine, schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.crash.test_full_disk import disk, fill
    from tests.crash.test_full_disk import hark as run
    from tests.crash.worlds import Nursery, World
    from tests.upgrade.make_archive import HOME, VANISHED, answers, moved, row, write_home
else:
    from make_archive import HOME, VANISHED, answers, moved, row, write_home
    from test_full_disk import disk, fill
    from test_full_disk import hark as run
    from worlds import World

__all__ = ("disk",)

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHIVES = sorted(name.removesuffix(".tar.gz") for name in os.listdir(HERE) if name.endswith(".tar.gz"))
NEWEST = len(schema.MIGRATIONS)
NEW = "f0000000-0000-4000-8000-00000000000f"
QUERIES = ("驗收", "設定檔", "文字化け", "deploy", "zebra", "vanished", "rewritten", "in:title plan", "absentword")

every_archive = pytest.mark.parametrize("name", ARCHIVES)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked; Windows cannot")


def unpack(name: str, world: World) -> None:
    """Put an old archive where the world's is, and its transcripts into the world's home."""
    with tarfile.open(os.path.join(HERE, f"{name}.tar.gz")) as tar:
        tar.extractall(world.base, filter="data")
    if os.path.basename(world.data) != "archive":
        os.rename(world.base / "archive", world.data)
    moved(os.path.join(world.data, "archive.sqlite"), HOME, world.home)
    write_home(world.home)


def expected(name: str) -> dict[str, Any]:
    with open(os.path.join(HERE, f"{name}.json"), encoding="utf-8") as file:
        told: dict[str, Any] = json.load(file)
    return told


def prints(folder: str) -> dict[str, str]:
    """Take the fingerprints of all files that hold something; readers may make locks and shared memory."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            if os.path.getsize(path) and not name.endswith("-shm"):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def layout(data: str) -> int:
    con = sqlite3.connect(f"file:{data}/archive.sqlite?mode=ro", uri=True)
    number = int(con.execute("PRAGMA user_version").fetchone()[0])
    con.close()
    return number


def say_more(world: World) -> None:
    """Add a session, so that the next sync has something to write."""
    world.write(f"-home-dev-proj/{NEW}", [row("f1", NEW, 99, "the quokka came after the upgrade")])


def found(world: World) -> dict[str, list[str]]:
    """Give the texts that are found without reading anything new."""
    return {query: world.found(query, sync=False) for query in QUERIES}


@pytest.fixture
def hark(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command of today's program and give its JSON."""

    def run(*argv: str) -> Any:
        status = main(list(argv))
        shown = capsys.readouterr()
        assert status in {0, 1}, shown.err
        return json.loads(shown.out) if "--json" in argv else shown.out

    return run


def test_there_is_an_archive_of_every_layout_but_todays() -> None:
    kept = {int(name.rpartition("_")[2]) for name in ARCHIVES}
    assert kept >= set(range(1, NEWEST))
    assert sum(os.path.getsize(os.path.join(HERE, f"{name}.tar.gz")) for name in ARCHIVES) < 60_000 * len(ARCHIVES)


@every_archive
def test_an_old_archive_answers_the_same_and_reading_changes_nothing(name: str, world: World, hark: Any) -> None:
    unpack(name, world)
    before, number = prints(world.data), layout(world.data)
    assert number == int(name.rpartition("_")[2])
    assert answers(hark) == expected(name)
    for argv in (["status"], ["sources"], ["sessions"], [], ["show", VANISHED], ["events", "--no-sync", "--stats"]):
        hark(*argv)
    assert prints(world.data) == before
    assert layout(world.data) == number


@every_archive
def test_a_sync_upgrades_an_old_archive_and_it_answers_the_same(name: str, world: World, hark: Any) -> None:
    unpack(name, world)
    hark("sync")
    assert layout(world.data) == NEWEST
    assert answers(hark) == expected(name)
    hark("rebuild")
    assert answers(hark) == expected(name)
    state = world.state()
    assert state.integrity == "ok"
    assert state.documents == state.parts
    assert (state.dead, state.waiting) == (0, 0)


@every_archive
def test_check_reads_an_old_archive_and_what_it_names_is_mended(name: str, world: World, capsys: Any) -> None:
    unpack(name, world)
    shutil.rmtree(world.home)
    for _ in range(2):
        for argv in (["check", "--json"], ["check", "--secrets"]):
            assert main(argv) in {0, 2}
            assert "Traceback" not in capsys.readouterr().err
        main(["sync"])
    assert main(["sync", "--full"]) == 0
    assert (main(["check"]), main(["check", "--secrets"])) == (0, 0)


@every_archive
def test_a_search_upgrades_an_old_archive_when_there_is_news(name: str, world: World, hark: Any) -> None:
    unpack(name, world)
    say_more(world)
    assert len(hark("search", "--json", "quokka")["hits"]) == 1
    assert layout(world.data) == NEWEST
    assert answers(hark)["search"] == expected(name)["search"]


@every_archive
def test_what_an_old_archive_holds_is_what_todays_program_reads(name: str, world: World) -> None:
    """Else its source's PARSER must be raised, or what is read again differs from what is not."""
    unpack(name, world)
    world.sync()
    clean = world.beside("clean")
    clean.sync()
    gone = os.path.join("-home-dev-proj", f"{VANISHED}.jsonl")
    mine, theirs = world.state(), clean.state()
    kept = {key: one for key, one in mine.messages.items() if not one[0][0][0].endswith(gone)}
    assert len(mine.messages) == len(kept) + 1
    assert kept == theirs.messages
    assert mine.problems == theirs.problems


@every_archive
@needs_fork
def test_each_migration_runs_once_and_in_a_transaction_of_its_own(name: str, world: World, nursery: Nursery) -> None:
    unpack(name, world)
    steps = nursery.sync().steps
    missing = NEWEST - int(name.rpartition("_")[2])
    assert missing
    assert sum(step == "before PRAGMA user_version" for step in steps) == missing
    # The first is the lock's.
    begins = [number for number, step in enumerate(steps) if step == "before BEGIN"][1:]
    for begin, number in zip(begins, range(missing), strict=False):
        end = steps.index("before COMMIT of facts", begin)
        inside = steps[begin + 1 : end]
        assert inside[-1] == "before PRAGMA user_version", f"migration {number}"
        assert all(step.startswith(("before CREATE", "before ALTER", "before UPDATE")) for step in inside[:-1])
    say_more(world)
    again = nursery.sync().steps
    assert again
    assert not [step for step in again if "user_version" in step or "CREATE" in step]


@every_archive
@needs_fork
def test_an_upgrade_killed_at_each_of_its_steps_loses_nothing(name: str, world: World, nursery: Nursery) -> None:
    unpack(name, world)
    say_more(world)
    whole = world.beside("whole")
    shutil.copytree(world.data, whole.data)
    kept = found(world)
    nursery.world = whole
    steps = nursery.sync().steps
    expected_state = whole.state()
    assert "before PRAGMA user_version" in steps
    assert "before COMMIT of watermark" in steps
    old = int(name.rpartition("_")[2])
    for number in range(1, len(steps) + 1):
        victim = world.beside(f"killed{number}")
        shutil.copytree(world.data, victim.data)
        nursery.world = victim
        one = nursery.sync(step=number)
        assert one.last == steps[number - 1]
        # As it was or brought up to date, never in between; and it answers at once.
        con = sqlite3.connect(f"file:{victim.data}/archive.sqlite?mode=ro", uri=True)
        version = con.execute("PRAGMA user_version").fetchone()[0]
        tables = {table for (table,) in con.execute("SELECT name FROM sqlite_master WHERE type='table'")}
        con.close()
        assert old <= version <= NEWEST
        assert ("masked" in tables) is (version >= 2), f"killed at {one.last}"
        assert found(victim) == kept, f"killed at {one.last}"
        assert victim.found("quokka") == ["the quokka came after the upgrade"]
        assert found(victim) == kept, f"killed at {one.last}"
        state = victim.state()
        assert state.integrity == "ok"
        assert (state.messages, state.tallies, state.transcripts) == (
            expected_state.messages,
            expected_state.tallies,
            expected_state.transcripts,
        ), f"killed at {one.last}"
        assert state.documents == state.parts
        assert (state.dead, state.waiting) == (0, 0)


# Opens the archive for writing; in the first process, holds the migration until a line comes in.
MIGRATE = """
import sys
from harkback.engines.local import schema
inner = schema.transaction.__exit__
def leave(self, *args):
    if sys.argv[2] == "hold" and self.con.execute("PRAGMA user_version").fetchone()[0] == len(schema.MIGRATIONS):
        sys.argv[2] = ""
        print("paused", flush=True)
        sys.stdin.readline()
    return inner(self, *args)
schema.transaction.__exit__ = leave
print("ready", flush=True)
if sys.argv[2] != "hold":
    sys.stdin.readline()
con = schema.connect(sys.argv[1], write=True)
print(con.execute("SELECT count(*) FROM masked").fetchone()[0], con.execute("PRAGMA user_version").fetchone()[0])
con.close()
"""


def start(world: World, how: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    argv = [sys.executable, "-c", MIGRATE, world.data, how]
    process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@every_archive
@pytest.mark.parametrize("is_held", [False, True], ids=["at once", "one in the middle of it"])
def test_several_processes_may_upgrade_an_archive_at_the_same_time(name: str, world: World, *, is_held: bool) -> None:
    unpack(name, world)
    processes = []
    if is_held:
        first = start(world, "hold")
        processes.append(first)
        assert first.stdout is not None
        assert first.stdout.readline() == "paused\n"
        assert found(world)["zebra"], "a reader does not wait for it"
        assert layout(world.data) < NEWEST
    processes += [start(world, "") for _ in range(4)]
    for process in reversed(processes):
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, f"0 {NEWEST}\n", "")
    assert found(world)["zebra"]


@every_archive
def test_two_first_syncs_and_searches_of_a_new_version_at_once_end_well(name: str, world: World, hark: Any) -> None:
    unpack(name, world)
    say_more(world)
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen([sys.executable, "-m", "harkback", *argv], stdout=pipe, stderr=pipe, text=True)
        for argv in (["sync"], ["search", "zebra"], ["sync"], ["search", "zebra", "--no-sync"], ["status"])
    ]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in running]
    assert [(status, err) for _, err, status in ended if status or "Traceback" in err] == []
    assert answers(hark)["search"] == expected(name)["search"]
    state = world.state()
    assert state.documents == state.parts


@every_archive
def test_a_reader_that_is_open_while_another_process_upgrades_goes_on(name: str, world: World) -> None:
    unpack(name, world)
    reader = LocalEngine.open(world.data)
    assert reader is not None
    before = (reader.rows.coverage().messages, reader.rows.masked(), reader.rows.totals())
    world.sync()
    assert layout(world.data) == NEWEST
    assert (reader.rows.coverage().messages, reader.rows.masked(), reader.rows.totals()) == before
    reader.close()


@every_archive
def test_an_upgrade_on_a_full_disk_says_so_and_completes_later(name: str, disk: Path) -> None:
    world = World(disk, "archive")
    unpack(name, world)
    say_more(world)
    kept = found(world)
    ballast = fill(disk, 0)
    done = run(world, "sync")
    assert done.returncode == 2
    assert "is full" in done.stderr
    assert "Traceback" not in done.stderr
    assert found(world) == kept
    ballast.unlink()
    assert run(world, "sync").returncode == 0
    assert layout(world.data) == NEWEST
    assert found(world) == kept
    assert world.found("quokka") == ["the quokka came after the upgrade"]


@every_archive
def test_an_old_archive_that_may_not_be_written_answers_or_says_so(name: str, disk: Path) -> None:
    world = World(disk, "archive")
    unpack(name, world)
    say_more(world)
    before = prints(world.data)
    if subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=False).returncode:
        pytest.skip("nothing can be mounted read-only here")
    try:
        for argv in COMMANDS:
            done = run(world, *argv)
            assert "Traceback" not in done.stderr, (argv, done.stderr)
            assert done.returncode in {0, 2}, (argv, done.stderr)
            assert done.returncode == 0 or f"The archive in {world.data} cannot be" in done.stderr
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert prints(world.data) == before


def renew(world: World) -> None:
    """Let the archive be of a layout that today's program does not know."""
    con = sqlite3.connect(os.path.join(world.data, "archive.sqlite"), isolation_level=None)
    con.execute(f"PRAGMA user_version={NEWEST + 1}")
    con.execute("CREATE TABLE tomorrow(x)")
    con.execute("PRAGMA journal_mode=DELETE")  # whatever tomorrow's program chose
    con.close()


COMMANDS: tuple[list[str], ...] = (
    ["search", "zebra"],
    ["search", "--no-sync", "zebra"],
    ["search", "--json", "zebra"],
    ["sync"],
    ["sync", "--full"],
    ["rebuild"],
    ["status"],
    ["sources"],
    ["sessions"],
    ["show", VANISHED],
    ["resume", VANISHED],
    ["events"],
    [],
)


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_an_archive_of_a_newer_version_is_refused_and_left_untouched(
    argv: list[str], world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    unpack(ARCHIVES[-1], world)
    say_more(world)
    renew(world)
    before, names = prints(world.data), sorted(os.listdir(world.data))
    assert main(argv) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"hark: The archive in {world.data} was written by a newer harkback")
    assert "Upgrade harkback" in shown.err
    assert prints(world.data) == before
    assert sorted(os.listdir(world.data)) == names


def test_an_upgraded_archive_is_refused_by_the_version_before_it(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unpack(ARCHIVES[0], world)
    world.sync()
    monkeypatch.setattr(schema, "SESSIONS", schema.SESSIONS._replace(migrations=schema.MIGRATIONS[:1]))
    assert main(["search", "zebra"]) == 2
    assert f"(version {NEWEST} of its layout, this program knows 1)" in capsys.readouterr().err


@every_archive
def test_a_migration_that_fails_leaves_the_archive_as_it_was(
    name: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack(name, world)
    kept, number = found(world), layout(world.data)
    broken = (*schema.MIGRATIONS[:-1], schema.MIGRATIONS[-1] + "; CREATE TABLE masked(x)")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "SESSIONS", schema.SESSIONS._replace(migrations=broken))
        with pytest.raises(Exception, match="already exists"):
            schema.connect(world.data, write=True)
    assert layout(world.data) == number
    assert found(world) == kept
    world.sync()
    assert layout(world.data) == NEWEST
