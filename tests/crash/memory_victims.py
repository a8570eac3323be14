"""Saves and forgets memories in processes that die at a given step: run as a process of its own.

`python memory_victims.py FOLDER die`: for n = 1, 2, … a forked victim saves one fact in the place of another, saves a
second one and forgets a third, and kills itself before its n-th statement; the first that lives to its end is the last.
One JSON line each: how it ended, what was forgotten, what the store holds then, and what does not agree.
`python memory_victims.py FOLDER begin TIMES`: so often three processes make a store at the same moment; prints the
statuses they ended with.
`python memory_victims.py FOLDER save NAME COUNT`: save so many facts, half of them the same in every process.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from typing import Any

from harkback.engines.local.memories import MemoryStore
from harkback.memory.saving import save
from harkback.model import Memory

NOW_MS = 1_780_000_000_000


class Mortal(sqlite3.Connection):
    """A connection that dies before its n-th statement."""

    left = -1

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        self.step()
        return super().execute(sql, *values)

    def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
        self.step()
        return super().executemany(sql, *values)

    @classmethod
    def step(cls) -> None:
        cls.left -= 1
        if cls.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def opened(folder: str) -> MemoryStore:
    store = MemoryStore.open(folder, write=True)
    assert store is not None
    return store


def put(store: MemoryStore, text: str, supersedes: str = "") -> Memory:
    made = Memory("", text, tags=("crash",), supersedes=supersedes, created_ms=NOW_MS, changed_ms=NOW_MS)
    return save(store, made, NOW_MS).memory


def victim(folder: str, number: int, old: str, doomed: str) -> None:
    connect = sqlite3.connect
    sqlite3.connect = lambda *args, **more: connect(*args, factory=Mortal, **more)  # type: ignore[assignment]
    Mortal.left = number
    store = opened(folder)
    put(store, f"The new port of host{number} is {number}", old)
    put(store, f"記憶體上限{number}號機是八")
    store.forget([doomed])


def die(folder: str) -> None:
    number = 0
    status = -1
    while status:
        number += 1
        store = opened(folder)
        old = put(store, f"The old port of host{number} is zero").id
        doomed = put(store, f"The doomed secret of host{number}").id
        store.close()
        if not (pid := os.fork()):
            victim(folder, number, old, doomed)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        store = opened(folder)
        held = {one.text: (one.status, one.supersedes == old) for one in store.all() if str(number) in one.text}
        told = {"number": number, "signal": status & 127, "held": held, "is_forgotten": store.is_forgotten(doomed)}
        sys.stdout.write(json.dumps({**told, "faults": list(store.faults())}) + "\n")
        sys.stdout.flush()
        store.close()


def begin(folder: str, times: int) -> None:
    statuses: list[int] = []
    for number in range(times):
        read, write = os.pipe()
        victims = []
        for name in ("ada", "bob", "cyd"):
            if not (pid := os.fork()):
                os.close(write)
                os.read(read, 1)  # until the other end is closed
                put(opened(os.path.join(folder, str(number))), f"The host of {name} is new")
                os._exit(0)
            victims.append(pid)
        os.close(read)
        os.close(write)
        statuses += [os.waitpid(pid, 0)[1] for pid in victims]
    sys.stdout.write(json.dumps(statuses))


def save_many(folder: str, name: str, count: int) -> None:
    store = opened(folder)
    for number in range(count):
        put(store, f"The host of {name} has the number {number}")
        put(store, f"The shared fact is number {number}")
    store.close()


if __name__ == "__main__":
    if sys.argv[2] == "die":
        die(sys.argv[1])
    elif sys.argv[2] == "begin":
        begin(sys.argv[1], int(sys.argv[3]))
    else:
        save_many(sys.argv[1], sys.argv[3], int(sys.argv[4]))
