"""Models behind an HTTP interface, asked through pydantic-ai: OpenAI's two, Anthropic's, and all that speak alike.

pydantic-ai takes a second to import. That, and the whole exchange, happens in a thread with an event loop of its own,
so that nobody waits who does not have to, and an answer can be cut short at any moment. What a provider wants back with
the results of calls (ids, signatures of its thoughts) stays in pydantic-ai's own messages and is seen by nobody else.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from contextlib import contextmanager
from importlib import import_module
from queue import Empty, Queue
from threading import Lock, Thread

import anyio.lowlevel

from harkback import errors
from harkback.models.chatting import ANTHROPIC, PERSON, Call
from harkback.redact import masker
from harkback.text.shorten import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Sequence
    from concurrent.futures import Future
    from typing import Any

    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    from harkback.models.chatting import ChatSetup, Line, Tool

_RETRIES = 1
_GRACE_S = 5.0
"""So much longer the clients wait than we do: what is said of a silent server is said by one of us."""
_WHY_CHARS = 300
_FIRST_ERROR = 400
"""HTTP: who asks is wrong, or who answers."""
_LEAST_KEY = 8
MASKED_KEY = "[masked key]"
_THINKS = ("<think>", "</think>")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")


class RemoteChatter:
    """One model of one provider."""

    def __init__(self, setup: ChatSetup) -> None:
        self.setup = setup
        self._model: Model | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.knows_tools = True
        """Until it refuses them."""
        self._starting = Lock()

    @property
    def name(self) -> str:
        """The model as a person names it."""
        return self.setup.name

    def warm(self) -> None:
        """Begin to import what is needed."""
        self.run(self._warmed())

    def stream(self, system: str, lines: Sequence[Line], tools: Sequence[Tool] = ()) -> RemoteAnswer:
        """Ask; see `Chatter`."""
        return RemoteAnswer(self, system, lines, tools)

    def run(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Let something be done in the thread with the event loop."""
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=self._loop.run_forever, daemon=True, name="chat model").start()
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _warmed(self) -> None:
        await self.made()

        _parameters(())
        import_module("pydantic_ai.direct")
        await anyio.lowlevel.checkpoint()  # which loads what anyio needs for asyncio

    async def made(self) -> Model:
        """Make the model once, in the thread of the loop."""
        if self._model is None:
            self._model = _anthropic(self.setup) if self.setup.provider == ANTHROPIC else _openai(self.setup)
        return self._model


class RemoteAnswer:
    """One answer, of one request or, with calls of tools, of several."""

    def __init__(self, chatter: RemoteChatter, system: str, lines: Sequence[Line], tools: Sequence[Tool]) -> None:
        self.chatter = chatter
        self.calls: Sequence[Call] = ()
        self.asked_tokens = 0
        self.is_cut = False
        self._asked = (system, lines, tools)
        self._messages: list[ModelMessage] = []

    def __iter__(self) -> Iterator[str]:
        """Give the text piece by piece. Raises ModelFailed, WindowFull."""
        pieces: Queue[str | Exception | None] = Queue()
        self.chatter.run(self.chatter.made()).result()  # what takes long here is no server
        asking = self.chatter.run(self._ask(pieces))
        try:
            yield from without_thoughts(iter(lambda: self._next(pieces), None))
        finally:
            asking.cancel()

    def give(self, results: Sequence[str]) -> None:
        """Hand in what the calls gave."""
        from pydantic_ai.messages import ModelRequest, ToolReturnPart

        said = self._messages[-1]
        called = [part for part in said.parts if part.part_kind == "tool-call"]
        told = [
            ToolReturnPart(tool_name=call.tool_name, content=result, tool_call_id=call.tool_call_id)
            for call, result in zip(called, results, strict=True)
        ]
        self._messages.append(ModelRequest(parts=told))

    def _next(self, pieces: Queue[str | Exception | None]) -> str | None:
        name, limit_s = self.chatter.name, self.chatter.setup.timeout_s
        try:
            piece = pieces.get(timeout=limit_s)
        except Empty:
            raise errors.ModelFailed(name, f"it said nothing for {limit_s:g} s") from None
        if isinstance(piece, Exception):
            kind = errors.WindowFull if _is_too_long(piece) else errors.ModelFailed
            raise kind(name, _why(piece, self.chatter.setup)) from piece
        return piece

    async def _ask(self, pieces: Queue[str | Exception | None]) -> None:
        try:
            self._messages = self._messages or _messages(*self._asked[:2])
            try:
                await self._told(pieces)
            except Exception as error:
                if not (self.chatter.knows_tools and self._asked[2] and _is_of_tools(error)):
                    raise
                self.chatter.knows_tools = False  # many models on one's own machine
                await self._told(pieces)
            pieces.put(None)
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            pieces.put(error)

    async def _told(self, pieces: Queue[str | Exception | None]) -> None:
        from pydantic_ai.direct import model_request_stream

        model, tools = await self.chatter.made(), self._asked[2] if self.chatter.knows_tools else ()
        asked = model_request_stream(
            model,
            self._messages,
            model_settings=_settings(self.chatter.setup),
            model_request_parameters=_parameters(tools),
        )
        async with asked as stream:
            async for event in stream:
                pieces.put(_text_of(event))  # what is no text is a sign of life
            response = stream.get()
        self._take(response)

    def _take(self, response: ModelResponse) -> None:
        # As the provider says it: `finish_reason` itself is "stop" for a stream that broke off as well.
        told = (response.provider_details or {}).get("finish_reason")
        if told is None and response.finish_reason != "content_filter":
            raise ConnectionError("the answer broke off")
        self.calls = tuple(Call(one.tool_name, _arguments(one.args)) for one in response.tool_calls)
        if not self.calls and not _THOUGHTS.sub("", response.text or "").strip():
            raise ValueError(
                "it refuses to answer" if response.finish_reason == "content_filter" else "its answer is empty"
            )
        self.asked_tokens = response.usage.input_tokens
        self.is_cut = response.finish_reason == "length"
        self._messages.append(response)


@contextmanager
def _clean(setup: ChatSetup) -> Iterator[None]:
    """Hide the providers' variables, which put headers into requests, from who asks another address."""
    names = [one for one in os.environ if setup.is_custom and one.startswith(("OPENAI_", "ANTHROPIC_"))]
    hidden = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(hidden)


def _options(setup: ChatSetup) -> dict[str, Any]:
    """Give what both clients take."""
    timeout_s = setup.timeout_s + _GRACE_S
    return {"base_url": setup.base_url, "api_key": setup.key, "timeout": timeout_s, "max_retries": _RETRIES}


def _openai(setup: ChatSetup) -> Model:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    with _clean(setup):
        client = AsyncOpenAI(**_options(setup), http_client=DefaultAsyncHttpxClient(follow_redirects=False))
    provider = OpenAIProvider(openai_client=client)
    kind = OpenAIChatModel if setup.is_custom else OpenAIResponsesModel
    return kind(setup.model, provider=provider)


def _anthropic(setup: ChatSetup) -> Model:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    with _clean(setup):
        client = AsyncAnthropic(**_options(setup), http_client=DefaultAsyncHttpxClient(follow_redirects=False))
    return AnthropicModel(setup.model, provider=AnthropicProvider(anthropic_client=client))


def _settings(setup: ChatSetup) -> ModelSettings | None:
    """Ask OpenAI not to keep what is said; servers that speak alike may refuse what they do not know."""
    if setup.is_custom or setup.provider == ANTHROPIC:
        return None
    from pydantic_ai.models.openai import OpenAIResponsesModelSettings

    return OpenAIResponsesModelSettings(openai_store=False)


def _parameters(tools: Sequence[Tool]) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    told = [
        ToolDefinition(name=one.name, description=one.description, parameters_json_schema=one.schema) for one in tools
    ]
    return ModelRequestParameters(function_tools=told)


def _text_of(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _arguments(told: str | dict[str, Any] | None) -> dict[str, Any] | None:
    """Read what a model gave to a tool; None where it is no JSON object."""
    try:
        value = json.loads(told or "{}") if not isinstance(told, dict) else told
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_too_long(error: Exception) -> bool:
    from pydantic_ai.exceptions import ModelContextWindowExceededError

    return isinstance(error, ModelContextWindowExceededError)


def _is_of_tools(error: Exception) -> bool:
    """Whether a server refuses because of the tools; each says it in its own words."""
    return getattr(error, "status_code", 0) >= _FIRST_ERROR and "tool" in f"{error}".lower()


def _messages(system: str, lines: Sequence[Line]) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    found: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(content=system)])]
    for line in lines:
        if line.role == PERSON:
            found.append(ModelRequest(parts=[UserPromptPart(content=line.text)]))
        else:
            found.append(ModelResponse(parts=[TextPart(content=line.text)]))
    return found


def without_thoughts(pieces: Iterator[str | None]) -> Iterator[str]:
    """Leave out what a model thinks before it answers, where its server hands that on as text: `<think>…</think>`."""
    held: str | None = ""
    for piece in pieces:
        if held is None:
            yield from [piece] if piece else []
            continue
        held += piece or ""
        told = held.lstrip()
        if told and not told.startswith(_THINKS[0]) and not _THINKS[0].startswith(told):
            yield held
            held = None
        elif _THINKS[1] in told:
            held, told = None, told.partition(_THINKS[1])[2].lstrip()
            yield from [told] if told else []
    if held and not held.lstrip().startswith(_THINKS[0]):
        yield held


def _why(error: Exception, setup: ChatSetup) -> str:
    """Say in one line what a provider or the way to it answered, without the key."""
    status = getattr(error, "status_code", None)
    told = f"HTTP {status}: {_message(getattr(error, 'body', None))}" if status else f"{_innermost(error)}"
    if not status and not isinstance(error, ValueError):
        told = f"{setup.base_url}: {told}"
    told = told.replace(setup.key, MASKED_KEY) if len(setup.key) >= _LEAST_KEY else told
    return shorten(" ".join(_TAG.sub(" ", masker().mask(told)[0]).split()), _WHY_CHARS)


def _message(body: object) -> str:
    """Find what a provider says of an error; each has its own form."""
    while isinstance(body, dict):
        body = body.get("error") or body.get("message") or body.get("detail") or json.dumps(body, ensure_ascii=False)
    return str(body or "no more is said")


def _innermost(error: BaseException) -> str:
    """Say what is behind an error: clients say no more than that there was one."""
    told = type(error).__name__
    seen: BaseException | None = error
    while seen is not None:
        told = str(seen).strip() or told
        group = getattr(seen, "exceptions", ())
        seen = group[0] if group else seen.__cause__ or seen.__context__
    return told
