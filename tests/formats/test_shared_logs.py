"""The checks of `test_claude_code_logs.py` and its neighbours on the uncut logs, where a machine has them.

`HARK_SHARED_LOGS` names the folder that holds `claude/<version>/…/.claude`, `codex/<version>/…/.codex` and
`pi/<version>/.pi`. The expectations are the same, because the cut-down homes keep all that people and agents said.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.formats.logs import Agent, Home

# The tests are no package, so that these neighbours are found through pytest's search path only.
NEIGHBOURS = [importlib.import_module(f"test_{name}_logs") for name in ("claude_code", "codex", "pi")]
FOLDER = os.environ.get("HARK_SHARED_LOGS", "")

pytestmark = pytest.mark.skipif(not FOLDER, reason="HARK_SHARED_LOGS does not name a folder with the uncut logs")


@pytest.mark.parametrize(
    ("agent", "case", "check"),
    [
        pytest.param(one.AGENT, case, check, id=f"{one.AGENT.name}-{case}-{check.__name__}")
        for one in NEIGHBOURS
        for case in one.CASES
        for check in one.CHECKS
    ],
)
def test_uncut_log(agent: Agent, case: str, check: Callable[[Home], None]) -> None:
    check(agent.uncut(case, FOLDER))
