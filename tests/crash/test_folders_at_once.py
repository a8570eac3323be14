"""Several processes that save while a folder is kept in step: each fact is one memory and one line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from harkback.archive.memories import Memories
from harkback.archive.memory_folders import MemoryFolders
from harkback.config import Place
from harkback.engines.local import locked
from harkback.engines.local.lock import FOLDERS

if TYPE_CHECKING:
    from pathlib import Path

NOW_MS = 1_780_000_000_000
SAVER = """
import sys
from harkback.cli import main
for number in range(10):
    assert main(["remember", f"The pump {number} of {sys.argv[1]} has the code {sys.argv[1]}{number}x"]) == 0
"""


def memories(home: Path) -> Memories:
    return Memories(Place(str(home), os.environ["HARK_HOME"]), {}, NOW_MS, str(home))


def test_four_processes_save_ten_facts_each_and_none_is_doubled(own_home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    MemoryFolders(memories(own_home)).add(str(kept))
    for turn in range(3):
        names = [f"{one}{turn}" for one in ("ada", "bob", "cyd", "dan")]
        savers = [
            subprocess.Popen([sys.executable, "-c", SAVER, name], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
            for name in names
        ]
        told = [saver.communicate(timeout=120)[1] for saver in savers]
        assert [saver.returncode for saver in savers] == [0] * 4, told
        MemoryFolders(memories(own_home)).sync()
        listed = memories(own_home).listed(history=True).memories
        assert len(listed) == 40 * (turn + 1), sorted(one.text for one in listed)
        assert {one.status for one in listed} == {"active"}
        found = re.findall(r"<!-- (k\w{8}) -->", (kept / "facts.md").read_text(encoding="utf-8"))
        assert sorted(found) == sorted(one.id for one in listed)
        assert not [line for one in told for line in one.splitlines() if "could not be written" in line]
        assert not [line for one in told for line in one.splitlines() if "added from its files" in line]


def test_what_another_process_is_keeping_is_left_to_the_next_command(own_home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    MemoryFolders(memories(own_home)).add(str(kept))
    memories(own_home).remember("The pump stands behind the shed")
    with locked(os.environ["HARK_HOME"], FOLDERS, wait_s=0.0) as is_ours:
        assert is_ours
        assert MemoryFolders(memories(own_home)).sync(wait_s=0.1) == []
        assert not (kept / "facts.md").exists()
    (synced,) = MemoryFolders(memories(own_home)).sync()
    assert synced.written
    assert "behind the shed" in (kept / "facts.md").read_text(encoding="utf-8")
