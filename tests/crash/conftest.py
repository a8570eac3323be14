"""The fixtures of this folder; see `worlds`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.worlds import Nursery, World
else:
    from worlds import Nursery, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def nursery(world: World) -> Iterator[Nursery]:
    one = Nursery(world)
    yield one
    one.close()
