"""Two hundred syncs of one line each, every one from a process of its own: the index stays small and whole.

The processes leave by `os._exit`, which is the hard case: whatever the index's threads have under way is cut off.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from harkback.cli import main
from harkback.engines.local import LocalEngine

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.worlds import Nursery, World, say
else:
    from worlds import Nursery, World, say
COMMITS = 200
MOST_SEGMENTS = 12


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forked; Windows cannot")
def test_after_two_hundred_one_line_syncs_there_are_few_segments_and_all_is_found(
    world: World, nursery: Nursery
) -> None:
    most = 0
    for number in range(COMMITS):
        world.append("a", [say(f"u{number}", f"蘋果 apple line{number}x", minute=number)])
        assert nursery.sync().last is None
        if number % 20 == 19:
            most = max(most, _segments(world))
    assert _segments(world) <= MOST_SEGMENTS
    assert most <= MOST_SEGMENTS
    assert len(world.found("蘋果 apple", sync=False)) == COMMITS
    for number in (0, 1, 99, 198, 199):
        assert world.found(f"line{number}x", sync=False) == [f"蘋果 apple line{number}x"]
    state = world.state()
    assert state.documents == state.parts
    assert (state.dead, state.waiting, state.integrity) == (0, 0, "ok")
    [words] = [name for name in os.listdir(world.data) if name.startswith("words")]
    files = os.listdir(os.path.join(world.data, words))
    assert len(files) <= 10 * MOST_SEGMENTS, "files of merged segments are removed"
    assert not [name for name in files if name.startswith(".tmp")]


def _segments(world: World) -> int:
    engine = LocalEngine.open(world.data)
    assert engine is not None
    try:
        return engine.segments
    finally:
        engine.close()


def test_thousands_of_tiny_transcripts_are_read_by_one_small_writer(
    own_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = own_home / ".claude" / "projects" / "-w"
    folder.mkdir(parents=True)
    for number in range(1100):  # two threads would each ask for a heap that a small writer does not have
        row = {"type": "user", "uuid": f"u{number}", "sessionId": str(number), "message": {"content": f"pear {number}"}}
        (folder / f"{number}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert main(["sync"]) == 0
    assert "1,100 messages" in capsys.readouterr().out
