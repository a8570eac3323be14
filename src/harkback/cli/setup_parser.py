"""`hark setup` and its options."""

from __future__ import annotations

import argparse

from harkback.cli.parser_parts import json_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Add = Callable[..., argparse.ArgumentParser]

EPILOG = """\
hark setup                 every agent that is found here
hark setup claude-code pi  these: claude-code, codex, pi, opencode, gemini, qwen, copilot, or all
hark setup plugin DIR      a plugin for Claude Code and Codex, in a folder that is its marketplace
hark setup schedule        hark sync every 15 minutes, by a timer of the system
"""


def setup(add: Add) -> None:
    """Add `hark setup`."""
    one = add(
        "setup",
        help="let agents use it by themselves: hooks, rule, skill, MCP",
        description="Write into agents' settings what makes them search and remember by themselves. Shows the exact"
        " change of every file, and asks.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("what", nargs="*", metavar="AGENT", help="agents, or all; plugin DIR; schedule")
    one.add_argument("--yes", action="store_true", help="do not ask")
    one.add_argument("--dry-run", action="store_true", help="show the changes and write nothing")
    one.add_argument("--undo", action="store_true", help="take it out again")
    one.add_argument("--status", action="store_true", help="say what is set up, stale or not trusted")
    one.add_argument("--context", action="store_true", help="let sessions begin with recent context too")
    one.add_argument("--no-mcp", action="store_true", help="without the MCP server")
    one.add_argument("--server", metavar="URL", default="", help="share memories with this server too (server.url)")
    one.add_argument("--trust", action="store_true", help="let Codex trust the hook, which it asks for otherwise")
    json_flag(one)
