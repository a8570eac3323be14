"""What was asked of us before is no answer to the same question today."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harkback.model import CALLS, CONTEXT
from harkback.sources._calls import call

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import Claude, Codex, Pi, hark
else:
    from pens import Claude, Codex, Pi, hark


@pytest.mark.parametrize(
    ("tool", "arguments", "lane"),
    [
        ("mcp__harkback__search_memory", {"queries": ["憑證"]}, CONTEXT),
        ("mcp__plugin_harkback_harkback__search_sessions", {"queries": ["憑證"]}, CONTEXT),
        ("mcp_harkback_read_session", {"id": "m123"}, CONTEXT),
        ("harkback_get_recent_context", {"project": "x"}, CONTEXT),
        ("mcp__other__search_memory", {"queries": ["憑證"]}, CALLS),
        ("Bash", {"command": "hark search '憑證 到期'"}, CONTEXT),
        ("Bash", {"command": "/home/me/.venv/bin/hark recall 憑證 | head -20"}, CONTEXT),
        ("exec_command", {"cmd": "hark remember 'the lamp is green'"}, CONTEXT),
        ("Bash", {"command": "hark search 憑證 && make deploy"}, CALLS),
        ("Bash", {"command": "cd /w; hark search 憑證"}, CALLS),
        ("Bash", {"command": "hark"}, CALLS),
        ("Bash", {"command": "harken to me"}, CALLS),
        ("Bash", {"command": "git log harkback"}, CALLS),
    ],
)
def test_a_call_of_ours_is_context(tool: str, arguments: dict[str, Any], lane: int) -> None:
    part = call(tool, arguments, {"Bash", "exec_command"})
    assert part is not None
    assert part.lane == lane
    whole = call(tool, arguments, {"Bash"}, full=True)
    assert whole is not None
    assert whole.lane == CALLS  # in the stream of events it is a call as any other


@pytest.mark.parametrize("pen", [Claude, Codex, Pi])
def test_a_search_does_not_find_the_searches_before_it(own_home: Path, pen: type[Claude]) -> None:
    one = pen(1, "2026-11-03")
    one.user("is it known already?")
    one.shell("hark search 'zirconium lamp'", "Nothing found.")
    one.shell("grep -r 'zirconium valve' .", "no match")
    one.say("no")
    one.write(own_home)
    hark("sync")
    assert len(hark("search", "--json", "zirconium valve").json["hits"]) == 1
    lanes = {hit["lane"] for hit in hark("search", "--json", '"zirconium lamp"').json["hits"]}
    assert lanes <= {"context"}  # as what stands elsewhere
