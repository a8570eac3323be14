"""Every test stands in an empty home of its own, asked by no agent, in UTC, and starts nothing behind its back."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import pytest

from harkback.agents import ASKING
from harkback.config import OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLACES = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "PI_CODING_AGENT_DIR",
    "PI_CODING_AGENT_SESSION_DIR",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "LOCALAPPDATA",
    "APPDATA",
)
SETTINGS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "CLAUDECODE")

_numbers = itertools.count()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # One numbered folder of pytest's own for all tests: making one for each would list all others each time.
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_home(homes: Path) -> Iterator[Path]:
    """Give the test's home folder, which `HOME` names; `HARK_HOME` lies beside it and does not exist yet."""
    base = homes / str(next(_numbers))
    home = base / "home"
    home.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in (*PLACES, *SETTINGS, *(variable for _, variable in ASKING), *(one.env for one in OPTIONS)):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("HARK_HOME", str(base / "archive"))
        patch.setenv("HARK_BACKGROUND", "off")
        patch.setenv("HARK_MEANING_EMBEDDER", "off")  # also where the extra is installed
        patch.setenv("TZ", "UTC")
        _tell_zone()
        yield home
    _tell_zone()


def _tell_zone() -> None:
    if hasattr(time, "tzset"):  # Windows has none, and heeds TZ only at start-up
        time.tzset()
