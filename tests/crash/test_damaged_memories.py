"""A damaged `memory.sqlite`: it is named, with the way out, and everything about sessions goes on."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harkback import errors
from harkback.archive.memories import Memories
from harkback.config import Place
from harkback.engines.local.memories import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = 8192
SAID = "The memories cannot be read: "


def hark(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "harkback", *argv], capture_output=True, text=True, check=False)


def empty(_: bytes) -> bytes:
    return b""


def half(whole: bytes) -> bytes:
    return whole[: len(whole) // 2 + 100]


def some_bytes(whole: bytes) -> bytes:
    return random.Random(5).randbytes(len(whole))


def overwritten(whole: bytes) -> bytes:
    made = bytearray(whole)
    for page in range(1, len(whole) // PAGE):
        made[page * PAGE : (page + 1) * PAGE] = random.Random(page).randbytes(PAGE)
    return bytes(made)


def zeroed(whole: bytes) -> bytes:
    return whole[:PAGE] + bytes(len(whole) - PAGE)


DAMAGES = (empty, half, some_bytes, overwritten, zeroed)


@pytest.fixture
def home(own_home: Path) -> Path:
    folder = own_home / ".claude" / "projects" / "-w-demo"
    folder.mkdir(parents=True)
    row = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "00000001-0000-4000-8000-000000000001",
        "timestamp": "2026-11-03T09:00:00.000Z",
        "cwd": "/w/demo",
        "message": {"role": "user", "content": "the pear stands in the garden"},
    }
    (folder / "00000001-0000-4000-8000-000000000001.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert hark("sync").returncode == 0
    memories = Memories(Place(str(own_home), os.environ["HARK_HOME"]), {}, 1_780_000_000_000, str(own_home))
    for number in range(60):
        memories.remember(f"The lamp number {number} in hall {number} is blue")
    return own_home


def damage(how: Callable[[bytes], bytes]) -> Path:
    path = Path(os.environ["HARK_HOME"]) / "memory.sqlite"
    path.write_bytes(how(path.read_bytes()))
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    return path


@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_a_damaged_file_is_named_by_every_command_about_memories(home: Path, how: Callable[[bytes], bytes]) -> None:
    assert home.exists()
    path = damage(how)
    for argv in (
        ("recall", "lamp"),
        ("recall", "elephant"),
        ("recall", "hall 59"),
        ("memories",),
        ("remember", "The lamp of the yard is green"),
        ("context",),
        ("memories", "export", "-"),
        ("search", "in:memory", "lamp"),
    ):
        told = hark(*argv)
        if how is half and told.returncode == 0:
            continue  # what is asked for stands in the half that is left
        assert (told.returncode, told.stderr[: len(SAID) + 6]) == (2, f"hark: {SAID}"), (argv, told)
        assert f"{path} is damaged" in told.stderr
        assert "hark memories import FILE" in told.stderr
        assert "hark sync" not in told.stderr
        assert told.stderr.count("\n") == 1
    assert "memories' database is damaged" in hark("check").stdout


@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_sessions_are_found_all_the_same_and_it_is_said(home: Path, how: Callable[[bytes], bytes]) -> None:
    assert "memories   60 active" in hark("status").stdout
    damage(how)
    found = hark("search", "pear")
    assert (found.returncode, "pear stands in the garden" in found.stdout) == (0, True)
    assert how is half or SAID in found.stderr
    row = home / ".claude" / "projects" / "-w-demo" / "00000001-0000-4000-8000-000000000001.jsonl"
    row.write_text(row.read_text(encoding="utf-8") + row.read_text(encoding="utf-8").replace("u1", "u2"), "utf-8")
    synced = hark("sync")
    assert (synced.returncode, synced.stdout.startswith("read 1 transcript")) == (0, True)
    assert how is half or SAID in synced.stderr
    for argv in (("sessions",), ("show", "00000001"), ("status",), (), ("events",)):
        told = hark(*argv)
        assert told.returncode == 0, (argv, told)
    assert f"memories   {SAID}" in hark("status").stdout
    assert hark("status", "--json").stdout.count(SAID) == 1


def test_with_the_file_moved_elsewhere_an_export_gives_everything_back(home: Path) -> None:
    export = home / "all.jsonl"
    assert hark("memories", "export", str(export)).returncode == 0
    path = damage(some_bytes)
    assert hark("memories", "import", str(export)).returncode == 2
    path.rename(home / "torn.sqlite")
    assert hark("recall", "lamp").stdout.startswith("Nothing found. Nothing has been remembered yet.")
    assert hark("memories", "import", str(export)).stdout.startswith("60 added")
    assert hark("recall", "hall 59").returncode == 0
    assert hark("check").returncode == 0


def test_a_log_without_its_file_is_not_played_into_a_new_one(home: Path) -> None:
    assert home.exists()
    folder = os.environ["HARK_HOME"]
    store = MemoryStore.open(folder, write=True)
    assert store is not None
    with store.writing():
        store.con.execute("UPDATE memory SET uses = uses + 1")
    log = Path(folder, "memory.sqlite-wal").read_bytes()
    store.close()
    Path(folder, "memory.sqlite").unlink()
    Path(folder, "memory.sqlite-wal").write_bytes(log)
    for write in (False, True):
        with pytest.raises(errors.MemoriesDamaged, match=r"memory\.sqlite-wal is there"):
            MemoryStore.open(folder, write=write)
    assert not Path(folder, "memory.sqlite").exists()
    assert Path(folder, "memory.sqlite-wal").read_bytes() == log
