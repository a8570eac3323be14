"""Forgetting that can be undone for a day: hidden everywhere at once, brought back whole, then gone from every byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harkback import errors
from harkback.archive.memories import EVERYWHERE, Details, Memories
from harkback.archive.memory_files import MARKDOWN, MemoryFiles
from harkback.config import Place
from harkback.engines.local import memories as engine
from harkback.engines.local.memories import MemoryStore
from harkback.engines.local.memory_changes import ChangeRows
from harkback.memory.recall import Wanted
from harkback.memory.saving import save
from harkback.model import ACTIVE, SUPERSEDED, Memory

if TYPE_CHECKING:
    from tests.e2e.pens import Claude, hark
else:
    from pens import Claude, hark

NOW_MS = 1_780_000_000_000
HOUR_MS = 3_600_000
HERON = "The heron nests in the Quorvex willow"


def at(hours: float = 0.0) -> Memories:
    place = Place(os.environ["HOME"], os.environ["HARK_HOME"])
    return Memories(place, {}, NOW_MS + int(hours * HOUR_MS), os.environ["HOME"])


def stored() -> MemoryStore:
    store = MemoryStore.open(os.environ["HARK_HOME"])
    assert store is not None
    return store


def texts(hours: float = 0.0, *, history: bool = False) -> list[str]:
    return [one.memory.text for one in at(hours).recall(["Quorvex willow heron"], Wanted(history=history)).hits]


def raw() -> bytes:
    return b"".join(path.read_bytes() for path in Path(os.environ["HARK_HOME"]).glob("memory.sqlite*"))


def faults() -> list[tuple[str, int]]:
    with stored() as store:
        return list(store.faults())


@pytest.fixture
def heron() -> Memory:
    """Give a memory with a history, which replaced one and was recalled."""
    at().remember("The printer stands on the second floor")
    first = at().remember("The heron nests in the Quorvex reeds", Details(tags=("bird",))).memory
    second = at(1).supersede(first.id, "The heron nests in the Quorvex oak", Details(importance=5)).memory
    at(2).edit(second.id, HERON, Details())
    at(2).touch(at(2).recall(["Quorvex willow"], Wanted()))
    return at(2).find(second.id)[0]


def test_what_is_in_the_bin_is_hidden_from_every_answer(heron: Memory) -> None:
    assert texts() == [HERON]
    written = MemoryFiles(at(3)).text()[0] + MemoryFiles(at(3)).text(form=MARKDOWN)[0]
    assert written.count(HERON) == 2
    assert at(3).put_in_bin(heron.id[:6]) == heron
    assert texts(3) == []
    assert HERON not in texts(3, history=True)
    assert HERON not in [one.text for one in at(3).listed(scope=EVERYWHERE, history=True).memories]
    assert HERON not in MemoryFiles(at(3)).text()[0] + MemoryFiles(at(3)).text(form=MARKDOWN)[0]
    assert heron.id not in hark("context", "--everywhere").out + hark("search", "in:memory", "heron").out
    with pytest.raises(errors.NoMemory):
        at(3).find(heron.id)
    assert [(one.memory, one.at_ms, one.until_ms) for one in at(3).in_bin()] == [
        (heron, NOW_MS + 3 * HOUR_MS, NOW_MS + 27 * HOUR_MS)
    ]
    assert faults() == []


def test_what_is_brought_back_is_as_it_was(heron: Memory) -> None:
    before = at(3).find(heron.id)
    assert (len(before[1]), before[0].uses, before[0].tags) == (1, 1, ("bird",))
    assert [one.status for one in before[2]] == [SUPERSEDED]
    at(3).put_in_bin(heron.id)
    assert at(4).take_from_bin(heron.id) == heron
    assert at(4).find(heron.id) == before
    assert texts(4) == [HERON]
    assert at(4).in_bin() == []
    assert faults() == []
    with pytest.raises(errors.NotInBin):
        at(4).take_from_bin(heron.id)


def test_what_replaced_it_is_its_successor_again_unless_it_is_another_s_by_now(heron: Memory) -> None:
    newer = at(3).supersede(heron.id, "The heron left the Quorvex valley for good").memory
    at(4).put_in_bin(heron.id)
    assert at(4).find(newer.id)[0].supersedes == ""
    back = at(5).take_from_bin(heron.id)
    assert (back.status, at(5).replaced_by(back)) == (SUPERSEDED, newer)
    at(5).put_in_bin(newer.id)
    assert at(5).replaced_by(back) is None
    at(6).take_from_bin(newer.id)
    assert at(6).replaced_by(back) == newer


def test_what_was_saved_again_meanwhile_is_not_there_twice(heron: Memory) -> None:
    at(3).put_in_bin(heron.id)
    again = at(4).remember(HERON).memory
    became = at(5).take_from_bin(heron.id)
    assert (became.id, became.importance, became.status) == (again.id, 5, ACTIVE)
    assert texts(5) == [HERON]
    assert faults() == []


def test_an_import_does_not_bring_back_what_is_in_the_bin(heron: Memory, tmp_path: Path) -> None:
    saved = tmp_path / "all.jsonl"
    MemoryFiles(at(3)).export(str(saved))
    at(3).put_in_bin(heron.id)
    done = MemoryFiles(at(3)).bring(str(saved), is_agreed=lambda _: True)
    assert (done.forgotten, done.added, texts(3)) == (1, 0, [])


def test_a_day_later_nothing_of_it_can_be_read_in_any_byte(heron: Memory) -> None:
    at(3).put_in_bin(heron.id)
    at(26.9).remember("The printer moved to the third floor")
    assert b"Quorvex willow" in raw()
    assert [one.memory.id for one in at(26.9).in_bin()] == [heron.id]
    assert at(27.1).in_bin() == []  # from then on hidden here too, whether or not it is gone
    at(27.1).remember("The printer stands in the cellar")
    assert b"Quorvex willow" not in raw()
    assert b"Quorvex oak" not in raw()
    assert b"Quorvex reeds" in raw()
    with pytest.raises(errors.NotInBin):
        at(27.1).take_from_bin(heron.id)
    assert faults() == []


def test_a_sync_empties_the_bin_and_forget_does_so_at_once(heron: Memory, own_home: Path) -> None:
    Claude(1, "2026-04-20").write(own_home)
    at(3).put_in_bin(heron.id)
    assert b"Quorvex willow" in raw()
    assert hark("sync").status == 0  # long after
    assert b"Quorvex willow" not in raw()
    one = at(4).remember("The badger of Quorvex lives below the oak").memory
    opened = MemoryStore.open(os.environ["HARK_HOME"], write=True)
    assert opened is not None
    opened.close()
    at(4).put_in_bin(one.id)
    assert b"badger" in raw()
    assert at(4).forget([one.id]) == 1
    assert b"badger" not in raw()
    with pytest.raises(errors.NoMemory):
        at(4).forget([one.id])


def test_the_commands_list_bring_back_and_forget() -> None:
    one = hark("remember", "--json", HERON).json["id"]
    assert hark("memories", "bin").status == 1
    assert "empty" in hark("memories", "bin").out
    hidden(one)
    listed = hark("memories", "bin")
    assert (listed.status, HERON in listed.out, one in listed.out) == (0, True, True)
    assert [each["id"] for each in hark("memories", "bin", "--json").json["memories"]] == [one]
    restored = hark("memories", "restore", one)
    assert (restored.status, HERON in restored.out) == (0, True)
    assert hark("recall", "heron willow").status == 0
    assert hark("memories", "restore", one).status == 1
    assert "hark memories bin" in hark("memories", "restore", "kzzzzzzzz").err
    hidden(one)
    assert hark("forget", one).status == 2  # nobody to ask
    assert hark("forget", one, "--yes").out == "1 memory forgotten\n"
    assert hark("memories", "restore", one).status == 1
    assert b"Quorvex" not in raw()
    assert hark("forget", one, "--yes").status == 1


def hidden(one: str) -> None:
    from harkback.cli import opening

    opening.memories().put_in_bin(one)


def test_a_kept_folder_loses_it_and_gets_it_back(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_home)  # no project
    folder = own_home / "notes"
    folder.mkdir()
    assert hark("memories", "folder", "add", str(folder)).status == 0
    one = hark("remember", "--json", HERON).json["id"]
    assert HERON in (folder / "facts.md").read_text()
    hidden(one)
    assert hark("memories").status == 1
    assert "Quorvex" not in "".join(path.read_text() for path in folder.glob("*.md"))
    hark("memories", "restore", one)
    assert (folder / "facts.md").read_text().count(HERON) == 1
    hark("memories")
    assert [each["text"] for each in hark("memories", "--json").json["memories"]] == [HERON]


def test_secrets_in_the_bin_are_counted_and_masked(heron: Memory) -> None:
    at(3).put_in_bin(heron.id)
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    writer = MemoryStore.open(os.environ["HARK_HOME"], write=True)
    assert writer is not None
    with writer, writer.writing():
        (binned,) = writer.bin.all()
        writer.bin.put(binned._replace(line=binned.line.replace("willow", key)))
        assert sum(writer.secrets().values()) == 1
    writer = MemoryStore.open(os.environ["HARK_HOME"], write=True)
    assert writer is not None
    with writer:
        assert sum(writer.redact().values()) == 1
        assert writer.secrets() == {}
    assert key.encode() not in raw()
    assert at(3).take_from_bin(heron.id).text.startswith("The heron nests in the Quorvex")


def test_a_check_finds_what_stands_in_both_and_a_rebuild_mends_it(heron: Memory) -> None:
    with stored() as reader:
        assert list(reader.faults()) == []
    at(3).put_in_bin(heron.id)
    other = at(3).remember("The badger lives below the oak").memory
    writer = MemoryStore.open(os.environ["HARK_HOME"], write=True)
    assert writer is not None
    with writer:
        with writer.writing():
            (binned,) = writer.bin.all()
            writer.bin.put(binned._replace(id=other.id))
            writer.unforget(heron.id)
        assert {kind for kind, _ in writer.faults()} == {
            "memories that stand in the bin as well",
            "memories in the bin that do not count as forgotten",
        }
        writer.rebuild_words()
        assert list(writer.faults()) == []
        assert [one.id for one in writer.bin.all()] == [heron.id]
    assert at(3).take_from_bin(heron.id) == heron


def test_memories_of_a_layout_without_a_bin_are_read_and_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(engine, "LAYOUT", engine.LAYOUT._replace(migrations=engine.MIGRATIONS[:2]))
        patch.setattr(ChangeRows, "alter", lambda *_: None)  # that layout numbers no changes
        patch.setattr(ChangeRows, "altered_ms", lambda *_: 0)
        store = MemoryStore.open(os.environ["HARK_HOME"], write=True)
        assert store is not None
        one = save(store, Memory("", HERON, created_ms=NOW_MS, changed_ms=NOW_MS), NOW_MS).memory
        store.close()
    assert at().in_bin() == []
    assert (texts(), faults()) == ([HERON], [])
    at(1).put_in_bin(one.id)
    assert (texts(), [each.memory for each in at(1).in_bin()]) == ([], [one])
    assert at(1).take_from_bin(one.id) == one
    assert faults() == []


VICTIM = """
import os, signal, sqlite3, sys
from harkback.archive.memories import Memories
from harkback.config import Place

class Mortal(sqlite3.Connection):
    left = int(sys.argv[3])

    def execute(self, *values):
        Mortal.left -= 1
        if Mortal.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(*values)

connect = sqlite3.connect
sqlite3.connect = lambda *args, **more: connect(*args, factory=Mortal, **more)
memories = Memories(Place(os.environ["HOME"], os.environ["HARK_HOME"]), {}, int(sys.argv[4]), "/")
getattr(memories, sys.argv[1])(sys.argv[2])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no SIGKILL")
@pytest.mark.parametrize("step", ["put_in_bin", "take_from_bin"])
def test_a_kill_before_any_statement_leaves_it_in_one_place(heron: Memory, step: str) -> None:
    states = []
    for number in range(4, 80, 5):
        if step == "put_in_bin" and at(3).in_bin():
            at(3).take_from_bin(heron.id)
        if step == "take_from_bin" and not at(3).in_bin():
            at(3).put_in_bin(heron.id)
        argv = [sys.executable, "-c", VICTIM, step, heron.id, str(number), str(NOW_MS + 3 * HOUR_MS)]
        run = subprocess.run(argv, check=False, stderr=subprocess.PIPE)
        assert run.returncode in {-9, 0}, run.stderr
        binned, there = bool(at(3).in_bin()), texts(3) == [HERON]
        assert binned != there
        assert faults() == []
        with stored() as store:
            assert store.is_forgotten(heron.id) == binned
        states.append((run.returncode, binned))
        if not run.returncode:
            break
    assert states[0] == (-9, step == "take_from_bin")
    assert states[-1] == (0, step == "put_in_bin")
