"""Whatever two machines and their server do while apart: after one exchange each they hold the same, each fact once."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import pytest

from harkback import errors
from harkback.archive import replica
from harkback.archive.memories import Details, Memories
from harkback.archive.replica import Replica
from harkback.archive.sharing import as_json, asked_of, share
from harkback.config import DEFAULTS, Place, Setting, Settings, option
from harkback.engines.local.memories import MemoryStore
from harkback.model import ACTIVE

if TYPE_CHECKING:
    from collections.abc import Callable

    from harkback.model import Memory

URL = "http://127.0.0.1:1"
SHARED = Settings({"server.url": Setting(option("server.url"), URL, "test")})
START_MS = 1_780_000_000_000
TEXTS = [f"The {what} of the yard is {colour}" for what in ("lamp", "gate") for colour in ("green", "red")]
NAMES = ("ada", "bob", "there")


class Step(NamedTuple):
    who: int
    verb: str
    which: int
    text: int


class World:
    """Two machines and a server in one process, which tell each other JSON."""

    def __init__(self, folder: str) -> None:
        self.now_ms, self.asked = START_MS, 0
        for name in NAMES:
            Path(folder, name, "archive").mkdir(parents=True, mode=0o700)
        self.places = [Place(str(Path(folder, name)), str(Path(folder, name, "archive"))) for name in NAMES]

    def of(self, who: int) -> Memories:
        self.now_ms += 7
        return Memories(self.places[who], {}, self.now_ms, "/", DEFAULTS if NAMES[who] == "there" else SHARED)

    def ask(self, _: object, body: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        assert self.asked < 40, "they tell each other the same again and again"
        given = share(self.of(2), asked_of(json.loads(json.dumps(body))), may_write=True, may_delete=True)
        found = given.told
        answer = {"store": given.store, "scope": "delete", "cursor": f"{found.upto}-{found.upto_keys}"}
        more = {"lines": found.lines, "forgotten": as_json(found.forgotten), "more": found.more, "bad": given.bad}
        told: dict[str, Any] = json.loads(json.dumps(answer | more))
        return told

    def meet(self, who: int) -> None:
        self.asked = 0
        assert Replica(self.of(who)).meet(whole=True) == ""

    def held(self, who: int) -> dict[str, tuple[Memory, frozenset[str]]]:
        """Give every memory, with all it said before."""
        store = MemoryStore.open(self.places[who].data)
        if store is None:
            return {}
        with store:
            assert list(store.faults()) == []
            return {
                one.id: (
                    one._replace(uses=0, used_ms=None),
                    frozenset(text for _, text in store.past(one)) - {one.text},
                )
                for one in store.all()
            }

    def do(self, step: Step) -> None:
        memories = self.of(step.who)
        text = TEXTS[step.text % len(TEXTS)]
        if step.verb == "meet":
            self.meet(step.who % 2)
        elif step.verb == "save":
            memories.remember(text, Details(importance=step.which % 5 + 1))
        elif step.verb == "restore":
            binned = memories.in_bin()
            if binned:
                memories.take_from_bin(binned[step.which % len(binned)].memory.id)
        elif held := sorted(self.held(step.who).values(), key=lambda one: (one[0].created_ms, one[0].id)):
            one = held[step.which % len(held)][0].id
            if step.verb == "replace":
                memories.update(one, older=held[step.text % len(held)][0].id)
            else:
                CHANGES[step.verb](memories, one, text)


CHANGES: dict[str, Callable[[Memories, str, str], object]] = {
    "edit": lambda memories, one, text: memories.edit(one, text, Details()),
    "weigh": lambda memories, one, text: memories.edit(one, "", Details(importance=len(text) % 5 + 1)),
    "supersede": lambda memories, one, text: memories.supersede(one, f"{text} now"),
    "finish": lambda memories, one, _: memories.finish(one),
    "archive": lambda memories, one, _: memories.archive(one),
    "reopen": lambda memories, one, _: memories.reopen(one),
    "bin": lambda memories, one, _: memories.put_in_bin(one),
    "forget": lambda memories, one, _: memories.forget([one]),
}
VERBS = ["save", "save", "meet", "meet", "restore", "supersede", "replace", *CHANGES]


def run(world: World, done: list[Step]) -> int:
    """Do the steps and let them meet; gives how many were not refused."""
    number = 0
    for step in done:
        try:
            world.do(step)
            number += 1
        except errors.HarkError:
            pass  # such as one that is superseded already
    for who in (0, 1, 0):
        world.meet(who)
    return number


@pytest.mark.parametrize("seed", range(80))
def test_all_hold_the_same_and_each_fact_once(seed: int) -> None:
    dice = random.Random(seed)
    done = [
        Step(dice.randrange(3), dice.choice(VERBS), dice.randrange(10), dice.randrange(4))
        for _ in range(dice.randrange(20, 40))
    ]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        world = World(folder)
        with patch.object(replica, "ask", world.ask), patch.object(replica, "server_of", lambda *_: URL):
            assert run(world, done)
            there = world.held(2)
            assert world.held(0) == there
            assert world.held(1) == there
            world.meet(0)
            assert world.asked == 1  # nothing is left to tell
    active = [one.text for one, _ in there.values() if one.status == ACTIVE]
    assert len(active) == len(set(active))
    replaced = [one.supersedes for one, _ in there.values() if one.supersedes]
    assert len(replaced) == len(set(replaced))
