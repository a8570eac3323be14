"""The kinds of files that agents have of us, each as a `Part`: settings, a block of a page, a file of our own."""

from __future__ import annotations

import json
import os
import re
from functools import partial

from harkback.agents import json_edits, text_block, toml_table
from harkback.agents.program import SERVER, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harkback.agents.json_edits import Edit
    from harkback.agents.program import Wanted

HOOK_TIMEOUT_S = 10
END_TIMEOUT_S = 3
"""Codex gives the end of a session no more than that."""


def settings(path: str, edits: Sequence[Edit]) -> Part:
    """Give settings in JSON, with comments or without."""
    said = [edit.event if isinstance(edit, json_edits.Hook) else "MCP server" for edit in edits]
    return Part(
        path,
        ", ".join(dict.fromkeys(one if one == "MCP server" else f"hook {one}" for one in said)),
        lambda text: json_edits.put(text, edits),
        lambda text, before: json_edits.take(text, edits, before),
        lambda text: json_edits.cut(text, edits),
        others=lambda text: json_edits.others(text, edits),
    )


def toml_server(path: str, values: dict[str, Any], trusted: Sequence[str]) -> Part:
    """Give Codex's settings with an MCP server; `trusted` are its keys for our hooks, which go with us."""

    def take(text: str, before: str | None) -> str | None:
        left = toml_table.without_tables(text, "hooks.state", trusted, before)
        return toml_table.take(left, "mcp_servers", SERVER, before)

    def cut(text: str) -> str:
        # As if the head of Codex's tables of trust had been there: nobody knows whose it is.
        left = toml_table.without_tables(text, "hooks.state", trusted, text)
        return toml_table.take(left, "mcp_servers", SERVER, "") or ""

    return Part(path, "MCP server", lambda text: toml_table.put(text, "mcp_servers", SERVER, values), take, cut)


def rule(path: str, wanted: Wanted) -> Part:
    """Give the page that an agent reads at every start, with the rule in it."""
    body = spoken(data("rule.md"), wanted.program)
    return Part(
        path,
        "rule",
        lambda text: text_block.put(text, body),
        text_block.take,
        lambda text: text_block.take(text, "") or "",
        piece=text_block.block,
    )


def skill(folder: str, wanted: Wanted) -> Part:
    """Give the skill in an agent's folder of skills."""
    return own(os.path.join(folder, "hark", "SKILL.md"), "skill", spoken(data("SKILL.md"), wanted.program))


def script(path: str, name: str, wanted: Wanted) -> Part:
    """Give an extension in TypeScript."""
    text = data(name).replace('PROGRAM = "hark"', f"PROGRAM = {json.dumps(wanted.program)}")
    text = text.replace("ENV = {}", f"ENV = {json.dumps(dict(wanted.env), ensure_ascii=False)}")
    text = text.replace("CONTEXT = false", f"CONTEXT = {json.dumps(wanted.context)}")
    return own(path, "prompt hook", text)


def own(path: str, what: str, body: str) -> Part:
    """Give a file that is ours alone: as it is written today, or as the record says that it was written."""
    return Part(path, what, lambda _: body, partial(_take_own, body=body), lambda text: text, is_own=True, piece=_plain)


def _plain(text: str) -> str:
    return text.strip() and text.replace("\r\n", "\n")


def _take_own(text: str, before: str | None, *, body: str) -> str | None:
    return before if text == body else text


def spoken(text: str, program: str) -> str:
    """Name the program as a shell finds it, where commands stand in a text."""
    if program == "hark":
        return text
    import shlex

    return re.sub(
        r"(?m)(^|`)hark (?=(?:search|show|sessions|recall|remember|supersede|forget)\b)",
        lambda match: f"{match[1]}{shlex.quote(program)} ",
        text,
    )


def data(name: str) -> str:
    """Read a text that comes with the package."""
    with open(os.path.join(os.path.dirname(__file__), "data", name), encoding="utf-8", newline="") as file:
        return file.read()
