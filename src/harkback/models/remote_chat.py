"""Models behind an HTTP interface, asked through pydantic-ai: OpenAI's two, Anthropic's, and all that speak alike.

pydantic-ai takes a second to import. That, and the whole exchange, happens in a thread with an event loop of its own,
so that nobody waits who does not have to, and an answer can be cut short at any moment.
"""

from __future__ import annotations

import asyncio
from queue import Empty, Queue
from threading import Lock, Thread

from harkback import errors
from harkback.models.chatting import ANTHROPIC, PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model

    from harkback.models.chatting import ChatSetup, Line

_RETRIES = 1
_WHY_CHARS = 300


class RemoteChatter:
    """One model of one provider."""

    def __init__(self, setup: ChatSetup) -> None:
        self.setup = setup
        self._model: Model | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = Lock()

    @property
    def name(self) -> str:
        """The model as a person names it."""
        return self.setup.name

    def warm(self) -> None:
        """Begin to import what is needed."""
        asyncio.run_coroutine_threadsafe(self._made(), self._running())

    def stream(self, system: str, lines: Sequence[Line]) -> Iterator[str]:
        """Give the answer piece by piece. Raises ModelFailed."""
        pieces: Queue[str | Exception | None] = Queue()
        asyncio.run_coroutine_threadsafe(self._made(), self._running()).result()  # what takes long here is no server
        call = asyncio.run_coroutine_threadsafe(self._tell(system, lines, pieces), self._running())
        try:
            while (piece := self._next(pieces)) is not None:
                yield piece
        finally:
            call.cancel()

    def _next(self, pieces: Queue[str | Exception | None]) -> str | None:
        try:
            piece = pieces.get(timeout=self.setup.timeout_s)
        except Empty:
            raise errors.ModelFailed(self.name, f"it said nothing for {self.setup.timeout_s:g} s") from None
        if isinstance(piece, Exception):
            raise errors.ModelFailed(self.name, _why(piece)) from piece
        return piece

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=self._loop.run_forever, daemon=True, name="chat model").start()
            return self._loop

    async def _tell(self, system: str, lines: Sequence[Line], pieces: Queue[str | Exception | None]) -> None:
        try:
            model = await self._made()
            from pydantic_ai.direct import model_request_stream
            from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

            async with model_request_stream(model, _messages(system, lines)) as stream:
                async for event in stream:
                    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                        pieces.put(event.part.content)
                    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                        pieces.put(event.delta.content_delta)
                # As the provider says it: `finish_reason` itself is "stop" for a stream that broke off as well.
                if "finish_reason" not in (stream.get().provider_details or {}):
                    raise ConnectionError("the answer broke off")  # noqa: TRY301 - it is told like all others
            pieces.put(None)
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            pieces.put(error)

    async def _made(self) -> Model:
        """Make the model once, in the thread of the loop."""
        if self._model is None:
            self._model = _anthropic(self.setup) if self.setup.provider == ANTHROPIC else _openai(self.setup)
        return self._model


def _openai(setup: ChatSetup) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(
        base_url=setup.base_url, api_key=setup.key, timeout=setup.timeout_s, max_retries=_RETRIES, organization=None
    )
    provider = OpenAIProvider(openai_client=client)
    kind = OpenAIChatModel if setup.is_custom else OpenAIResponsesModel
    return kind(setup.model, provider=provider)


def _anthropic(setup: ChatSetup) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=setup.base_url, api_key=setup.key, timeout=setup.timeout_s, max_retries=_RETRIES)
    return AnthropicModel(setup.model, provider=AnthropicProvider(anthropic_client=client))


def _messages(system: str, lines: Sequence[Line]) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    found: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(content=system)])]
    for line in lines:
        if line.role == PERSON:
            found.append(ModelRequest(parts=[UserPromptPart(content=line.text)]))
        else:
            found.append(ModelResponse(parts=[TextPart(content=line.text)]))
    return found


def _why(error: Exception) -> str:
    """Say in one line what a provider or the way to it answered."""
    told = " ".join(f"{error}".split()) or type(error).__name__
    return told if len(told) <= _WHY_CHARS else f"{told[: _WHY_CHARS - 1]}…"
