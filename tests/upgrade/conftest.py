"""Takes over the kill harness of `tests/crash`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "crash"))

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.worlds import Nursery, World
else:
    from worlds import Nursery, World


@pytest.fixture
def world(own_home: Path) -> World:
    """Give the test's own home, with the archive that `HARK_HOME` names."""
    return World(own_home.parent, "archive")


@pytest.fixture
def nursery(world: World) -> Iterator[Nursery]:
    one = Nursery(world)
    yield one
    one.close()
