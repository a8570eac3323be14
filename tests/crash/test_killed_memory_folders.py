"""A folder of memories whose keeping ends at any of its steps: the next time everything is as if it had not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from harkback.archive.memories import EVERYWHERE, Memories
from harkback.archive.memory_folders import MemoryFolders
from harkback.config import Place
from harkback.engines.local.memory_folders import FolderRows
from harkback.memory import disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW_MS = 4_000_000_000_000
STEPS = (
    (disk, "write"),
    (FolderRows, "link"),
    (FolderRows, "see"),
    (FolderRows, "unlink"),
    (FolderRows, "set_changes"),
)


class KilledError(BaseException):
    """The process ends here."""


def ending_at(number: int, do: Callable[..., Any], *, is_done: bool) -> Callable[..., Any]:
    left = [number]

    def step(*args: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] == 0 and not is_done:
            raise KilledError
        result = do(*args, **more)
        if left[0] == 0:
            raise KilledError
        return result

    return step


def outcome(home: Path, name: str, where: object, step: str, number: int, *, is_done: bool) -> tuple[bool, object]:
    place = Place(str(home), str(home / name))
    folder = home / f"{name} kept"
    folder.mkdir()

    def memories() -> Memories:
        return Memories(place, {}, NOW_MS, str(home))

    ids = [memories().remember(text).memory.id for text in ("roses are red", "the pump is old", "the well is deep")]
    (folder / "facts.md").write_text("- written by hand\n- a second one\n", encoding="utf-8")
    (folder / "note.md").write_text("# A note\n\nwith a text\n", encoding="utf-8")
    MemoryFolders(memories()).add(str(folder))
    text = (folder / "facts.md").read_text(encoding="utf-8")
    text = text.replace("pump is old", "pump is new").replace("- a second one", "- no longer\n- a second one")
    text = "".join(line for line in text.splitlines(keepends=True) if ids[0] not in line)
    (folder / "facts.md").write_text(text + "- a third one\n", encoding="utf-8")
    memories().remember("the shed is green")
    memories().forget([ids[2]])
    was_killed = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, step, ending_at(number, getattr(where, step), is_done=is_done))
        try:
            MemoryFolders(memories()).sync()
        except KilledError:
            was_killed = True
    MemoryFolders(memories()).sync()
    MemoryFolders(memories()).sync()
    kept = sorted((one.text, one.status) for one in memories().listed(scope=EVERYWHERE, history=True).memories)
    files = {
        one.name: sorted(re.sub(r"k\w{8}", "ID", one.read_text(encoding="utf-8")).splitlines())
        for one in folder.iterdir()
    }
    return was_killed, (kept, files)


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("where", "step"), STEPS, ids=[step for _, step in STEPS])
def test_an_end_at_any_step_changes_nothing_in_the_end(own_home: Path, where: object, step: str, is_done: bool) -> None:
    _, expected = outcome(own_home, "whole", where, step, 10_000, is_done=is_done)
    assert ("the pump is new", "active") in expected[0]  # type: ignore[index]
    kills = 0
    for number in range(1, 30):
        was_killed, found = outcome(own_home, f"killed{number}", where, step, number, is_done=is_done)
        assert found == expected, f"at step {number}"
        if not was_killed:
            break
        kills += 1
    assert kills
