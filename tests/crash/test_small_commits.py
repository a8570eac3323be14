"""Two hundred syncs of one line each, every one from a process of its own: the index stays small and whole.

The processes leave by `os._exit`, which is the hard case: whatever the index's threads have under way is cut off.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from harkback.engines.local import LocalEngine

if TYPE_CHECKING:
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
