"""What a client asks first, answered without the SDK: who we are, which tools, prompts and resources there are.

Shapes are those of the specification at 2025-11-25 (and before, with `initialize`) and 2026-07-28 (`server/discover`,
versions and capabilities in each request's `_meta`). A test compares them with what the SDK answers.
"""

from __future__ import annotations

from harkback import __version__
from harkback.mcp.catalogue import CHATGPT_TOOLS, INSTRUCTIONS, PROMPTS, RESOURCES, TITLE, TOOLS, reaches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.mcp.catalogue import Tool

    Json = dict[str, Any]

NAME = "harkback"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
TTL_MS = 3_600_000
"""So long a client may keep a list: it changes only with the program."""

CAPABILITIES: Json = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}


def tools_of(scope: str, *, is_chatgpt: bool = False) -> tuple[Tool, ...]:
    """Give the tools that a caller may use."""
    return tuple(one for one in (CHATGPT_TOOLS if is_chatgpt else TOOLS) if reaches(scope, one.scope))


def tool(one: Tool) -> Json:
    """Write one tool."""
    written = {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "inputSchema": one.schema,
        "annotations": one.annotations,
    }
    return {**written, "_meta": one.meta} if one.meta else written


def prompts() -> list[Json]:
    """Write the prompts."""
    return [
        {
            "name": name,
            "description": description,
            "arguments": [{"name": one, "description": told, "required": True} for one, told in arguments],
        }
        for name, description, arguments in PROMPTS
    ]


def resources() -> list[Json]:
    """Write the resources."""
    return [
        {"uri": uri, "name": name, "description": description, "mimeType": "text/plain"}
        for uri, name, description in RESOURCES
    ]


def initialized(version: str) -> Json:
    """Answer `initialize`."""
    info = {"name": NAME, "title": TITLE, "version": __version__}
    return {
        "protocolVersion": version,
        "capabilities": CAPABILITIES,
        "serverInfo": info,
        "instructions": INSTRUCTIONS,
    }


def modern(result: Json) -> Json:
    """Add what a result carries since 2026-07-28."""
    info = {"name": NAME, "title": TITLE, "version": __version__}
    return {**result, "resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": info}}


def discovered() -> Json:
    """Answer `server/discover`."""
    told = {"supportedVersions": [MODERN], "capabilities": CAPABILITIES, "instructions": INSTRUCTIONS}
    return modern({**told, **_fresh()})


def listed(method: str) -> Json | None:
    """Answer the request for a list; None for any other."""
    if method == "tools/list":
        return {"tools": [tool(one) for one in TOOLS]}
    if method == "prompts/list":
        return {"prompts": prompts()}
    if method == "resources/list":
        return {"resources": resources()}
    if method == "resources/templates/list":
        return {"resourceTemplates": []}
    return None


def listed_now(method: str) -> Json | None:
    """Do the same since 2026-07-28."""
    told = listed(method)
    return None if told is None else modern({**told, **_fresh()})


def _fresh() -> Json:
    return {"ttlMs": TTL_MS, "cacheScope": "private"}
