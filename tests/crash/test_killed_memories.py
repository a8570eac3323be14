"""Memories outlive kills in the middle of a save and several processes that save at once."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from harkback.engines.local.memories import MemoryStore
from harkback.memory.saving import save
from harkback.model import ACTIVE, SUPERSEDED, Memory

VICTIMS = str(Path(__file__).with_name("memory_victims.py"))
KILLED = 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked; Windows cannot")
def test_a_kill_before_any_statement_of_a_save_or_a_forgetting_leaves_a_sound_store(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, VICTIMS, str(tmp_path), "die"], capture_output=True, text=True, check=True)
    told = [json.loads(line) for line in run.stdout.splitlines()]
    assert [one["signal"] for one in told] == [KILLED] * (len(told) - 1) + [0]
    assert len(told) > 50
    states = []
    for one in told:
        assert one["faults"] == [], one
        number = one["number"]
        held = {text: tuple(state) for text, state in one["held"].items()}
        old = held[f"The old port of host{number} is zero"]
        new = held.get(f"The new port of host{number} is {number}")
        second = held.get(f"記憶體上限{number}號機是八")
        doomed = held.get(f"The doomed secret of host{number}")
        # Each whole or not at all, and one after the other.
        assert (old[0], new) in {(ACTIVE, None), (SUPERSEDED, (ACTIVE, True))}, one
        assert second in {None, (ACTIVE, False)}, one
        assert (doomed is None) == one["is_forgotten"], one
        states.append((new is not None, second is not None, doomed is None))
    assert set(states) == {
        (False, False, False), (True, False, False), (True, True, False), (True, True, True),
    }  # fmt: skip


def test_two_processes_that_save_at_once_lose_nothing_and_save_nothing_twice(tmp_path: Path) -> None:
    count = 40
    running = [
        subprocess.Popen([sys.executable, VICTIMS, str(tmp_path), "save", name, str(count)]) for name in ("ada", "bob")
    ]
    assert [one.wait(timeout=120) for one in running] == [0, 0]
    store = MemoryStore.open(str(tmp_path))
    assert store is not None
    texts = sorted(one.text for one in store.all())
    assert texts == sorted(
        [f"The host of {name} has the number {number}" for name in ("ada", "bob") for number in range(count)]
        + [f"The shared fact is number {number}" for number in range(count)]
    )
    assert {one.confirmed for one in store.all() if "shared" in one.text} == {1}
    assert list(store.faults()) == []
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked; Windows cannot")
def test_processes_that_make_the_store_at_the_same_moment_all_save(tmp_path: Path) -> None:
    times = 60
    argv = [sys.executable, VICTIMS, str(tmp_path), "begin", str(times)]
    run = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [0] * 3 * times, run.stderr
    for number in range(times):
        store = MemoryStore.open(str(tmp_path / str(number)))
        assert store is not None
        assert len(store.all()) == 3
        store.close()


def test_a_save_that_fails_half_way_leaves_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore.open(str(tmp_path), write=True)
    assert store is not None
    old = save(store, Memory("", "The lamp is blue", created_ms=1), 1).memory

    def change(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(store, "change", change)
        with pytest.raises(sqlite3.OperationalError):
            save(store, Memory("", "The lamp is red", supersedes=old.id, created_ms=2), 2)
    assert [(one.text, one.status) for one in store.all()] == [("The lamp is blue", ACTIVE)]
    assert list(store.faults()) == []
    save(store, Memory("", "The lamp is red", supersedes=old.id, created_ms=2), 2)
    assert [one.text for one in store.all()] == ["The lamp is blue", "The lamp is red"]
    store.close()


def test_a_reader_is_not_held_up_by_one_that_writes_and_a_note_of_use_is_left_out(tmp_path: Path) -> None:
    writer = MemoryStore.open(str(tmp_path), write=True)
    assert writer is not None
    kept = save(writer, Memory("", "The lamp is blue", created_ms=1), 1).memory
    other = MemoryStore.open(str(tmp_path), write=True)
    assert other is not None
    with writer.writing():
        assert [one.text for one in other.all()] == ["The lamp is blue"]
        other.touch([kept.id], 5)
    assert other.find(kept.id).uses == 0
    other.touch([kept.id], 6)
    assert (other.find(kept.id).uses, other.find(kept.id).used_ms) == (1, 6)
    other.close()
    writer.close()
