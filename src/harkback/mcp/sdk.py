"""The official SDK around our tools: both protocol eras, over the wire that `stdio` hands over or over HTTP.

Its low-level server is used: schemas, errors and texts stay ours. Only this module and `http` import it.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, cast

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from harkback import __version__
from harkback.mcp import lists
from harkback.mcp.calls import ALL_PROFILE, Caller, Calls
from harkback.mcp.catalogue import INSTRUCTIONS, PROFILE_URI, RECENT_URI, TITLE
from harkback.mcp.stdio import parsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext

    from harkback.mcp.calls import Told
    from harkback.mcp.stdio import Wire

    Context = ServerRequestContext[Any]

_LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover")
_RESOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    PROFILE_URI: ("read_session", {"id": ALL_PROFILE}),
    RECENT_URI: ("get_recent_context", {}),
}
"""Each is what a tool gives, since many hosts show no resources."""

_NO_JSON, _BATCH = -32700, -32600

_LAST_S = 1.5
"""So long, after the input has ended, a call that is being done may still be answered."""

_ASKING = (("threadId", "CODEX_THREAD_ID"), ("sessionId", "CODEX_SESSION_ID"))


class _Handlers:
    """Answers requests, of whichever era."""

    def __init__(self, calls: Calls, caller_of: Callable[[Context], Caller]) -> None:
        self.calls = calls
        self.caller_of = caller_of

    async def list_tools(self, context: Context, _: object) -> types.ListToolsResult:
        caller = self.caller_of(context)
        told = [lists.tool(one) for one in lists.tools_of(caller.scope, is_chatgpt=caller.is_chatgpt)]
        return types.ListToolsResult.model_validate({"tools": told})

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        told = await self._call(context, params.name, params.arguments or {})
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=told.text)]
        return types.CallToolResult(content=content, is_error=told.is_error)

    async def _call(self, context: Context, name: str, given: dict[str, Any]) -> Told:
        caller = self.caller_of(context)
        # Whoever does not wait for it any more need not be waited for: what was begun is done all the same.
        return await to_thread.run_sync(self.calls.call, name, given, caller, abandon_on_cancel=True)

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": lists.prompts()})

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        topic = (params.arguments or {}).get("topic")
        if params.name == "context":
            told = await self._call(context, "get_recent_context", {})
        elif params.name == "recall" and topic:
            told = await self._call(context, "search_memory", {"queries": [topic]})
        else:
            raise MCPError(types.INVALID_PARAMS, "There are the prompts recall (topic is required) and context.")
        text = types.TextContent(type="text", text=told.text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate({"resources": lists.resources()})

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in _RESOURCES:
            raise MCPError(types.INVALID_PARAMS, f"There are the resources {', '.join(_RESOURCES)}.", {"uri": uri})
        told = await self._call(context, *_RESOURCES[uri])
        content = types.TextResourceContents(uri=uri, mime_type="text/plain", text=told.text)
        return types.ReadResourceResult(contents=[content])


def server(calls: Calls, caller_of: Callable[[Context], Caller]) -> Server[Any]:
    """Make a server of our tools; `caller_of` says who sends a request."""
    handlers = _Handlers(calls, caller_of)
    hint = CacheHint(ttl_ms=lists.TTL_MS, scope="private")
    return Server(
        lists.NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        cache_hints=cast("Any", dict.fromkeys(_LISTS, hint)),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


def asking(context: Context) -> Caller:
    """Say which session asks over stdio: Codex names it with each call."""
    meta = cast("dict[str, Any]", context.meta or {})
    named = {name: meta[key] for key, name in _ASKING if isinstance(meta.get(key), str)}
    return Caller(asking=named)


class _Ends:
    """Both ends of the wire as the text files that the SDK takes."""

    def __init__(self, wire: Wire, first: list[bytes], answered: set[object]) -> None:
        """`first` comes before what is read; answers to requests of the ids `answered` are not written again."""
        self._lines = wire.lines()
        self._wire = wire
        self._first = list(reversed(first))
        self._answered = set(answered)
        self._open: set[object] = set()
        self._done = threading.Condition()

    def readline(self) -> str:
        """Give the next message; at the end of the input nothing, once what was asked has its answer.

        What is no message is answered here: the SDK drops it, and whoever sent it would wait.
        """
        while (line := self._first.pop() if self._first else next(self._lines, None)) is not None:
            message = parsed(line)
            if isinstance(message, dict):
                self._note(message)
                return line.decode("utf-8", "replace") + "\n"
            if line.strip():
                code, why = (
                    (_BATCH, "Batches are not taken.") if message is not None else (_NO_JSON, "This is no JSON.")
                )
                error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": why}}
                self._wire.write(json.dumps(error).encode())
        with self._done:
            self._done.wait_for(lambda: not self._open, _LAST_S)
        return ""

    def _note(self, message: dict[str, Any]) -> None:
        """Note a request that is to be answered."""
        number = message.get("id")
        if "method" in message and isinstance(number, (int, str)) and number not in self._answered:
            with self._done:
                self._open.add(number)

    def write(self, text: str) -> int:
        """Write a message."""
        number = _answer_to(text)
        if number is not None and number in self._answered:
            self._answered.discard(number)
            return len(text)
        self._wire.write(text.rstrip("\n").encode())
        with self._done:
            self._open.discard(number)
            self._done.notify_all()
        return len(text)

    def flush(self) -> None:
        """Do nothing: what was written is gone."""


def _answer_to(text: str) -> object:
    """Give the id of the request that a message answers; None for any other message."""
    message = parsed(text.encode("utf-8", "replace"))
    if not isinstance(message, dict) or "method" in message:
        return None
    number = message.get("id")
    return number if isinstance(number, (int, str)) else None


def serve(wire: Wire, first: list[bytes], answered: set[object], calls: Calls) -> None:
    """Serve over the wire until its input ends; `first` was read from it already."""
    made = server(calls, asking)
    ends = _Ends(wire, first, answered)

    async def run() -> None:
        file = anyio.wrap_file(cast("Any", ends))
        async with stdio_server(file, file) as (read, write):
            await made.run(read, write, made.create_initialization_options())

    anyio.run(run)
