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

# The tests are no package, so that this neighbour is found through pytest's search path only.
logs = importlib.import_module("test_claude_code_logs")
codex_logs = importlib.import_module("test_codex_logs")
pi_logs = importlib.import_module("test_pi_logs")
FOLDER = os.environ.get("HARK_SHARED_LOGS", "")

pytestmark = pytest.mark.skipif(not FOLDER, reason="HARK_SHARED_LOGS does not name a folder with the uncut logs")


@pytest.mark.parametrize("check", logs.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", logs.CASES)
def test_uncut_log(case: str, check: Callable[[object], None]) -> None:
    expected = logs.expectation(case)
    check(logs.Home(os.path.join(FOLDER, expected["log"], ".claude"), expected))


@pytest.mark.parametrize("check", codex_logs.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", codex_logs.CASES)
def test_uncut_codex_log(case: str, check: Callable[[object], None]) -> None:
    expected = codex_logs.expectation(case, is_cut=False)
    check(codex_logs.Home(os.path.join(FOLDER, expected["log"], ".codex"), expected))


@pytest.mark.parametrize("check", pi_logs.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", pi_logs.CASES)
def test_uncut_pi_log(case: str, check: Callable[[object], None]) -> None:
    expected = pi_logs.expectation(case)
    check(pi_logs.Home(os.path.join(FOLDER, expected["log"], ".pi", "agent"), expected))
