"""Chat models behind one small protocol, and how one is named."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Protocol

    class Answer(Protocol):
        """What a model answers: pieces of text, perhaps calls of tools, and pieces again when their results were given.

        Each iteration is one request; closing the iterator ends it.
        """

        calls: Sequence[Call]
        """What the model wants done, known when the pieces have ended."""
        asked_tokens: int
        """How long the request was, as the provider counted; 0 where it does not say."""
        is_cut: bool
        """Whether the answer has reached the length that the provider or the model allows."""

        def __iter__(self) -> Iterator[str]:
            """Give the text piece by piece. Raises ModelFailed, also after pieces were given; WindowFull before."""

        def give(self, results: Sequence[str]) -> None:
            """Hand in what the calls gave, in their order; then the next pieces can be had."""

    class Chatter(Protocol):
        """A model that answers. Used by one thread at a time for each answer."""

        @property
        def name(self) -> str:
            """The model as a person names it, such as `ollama:qwen3:4b`."""

        def warm(self) -> None:
            """Begin to load what the first answer needs, and return at once."""

        def stream(self, system: str, lines: Sequence[Line], tools: Sequence[Tool] = ()) -> Answer:
            """Ask. The last of `lines` is the person's; `tools` may be called, where the model knows how to."""


PERSON, MODEL = "user", "assistant"

OPENAI, ANTHROPIC, OLLAMA = "openai", "anthropic", "ollama"
PROVIDERS = (OPENAI, ANTHROPIC, OLLAMA)

OLLAMA_URL = "http://127.0.0.1:11434/v1"
_OPENAI_URL = "https://api.openai.com/v1"
_ANTHROPIC_URL = "https://api.anthropic.com"
_KEYS = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}
OWN_KEY = "HARK_CHAT_KEY"
KEYS = frozenset({*_KEYS.values(), OWN_KEY})
"""The names under which keys are looked for."""


class Line(NamedTuple):
    """What one of the two said."""

    role: str
    text: str


class Tool(NamedTuple):
    """What a model may call."""

    name: str
    description: str
    schema: dict[str, Any]
    """The JSON schema of its arguments."""


class Call(NamedTuple):
    """What a model wants done."""

    tool: str
    arguments: dict[str, Any] | None
    """None where the model gave no JSON object."""


class ChatSetup(NamedTuple):
    """Which model is asked, and where."""

    provider: str
    model: str
    base_url: str
    """Up to `/v1`; of Anthropic without it."""
    key: str
    is_custom: bool
    """Whether the address is not the provider's own: then OpenAI's models speak Chat Completions."""
    timeout_s: float

    @property
    def name(self) -> str:
        """The model as a person names it."""
        return f"{self.provider}:{self.model}"


def setup_of(named: str, base_url: str, key_of: Callable[[str], str], timeout_s: float) -> ChatSetup:
    """Say which model a name such as `ollama:qwen3:4b` means.

    `key_of` gives the key of a name such as OPENAI_API_KEY, or "". A key that belongs to a provider is sent to that
    provider only: to another address goes HARK_CHAT_KEY. Raises BadValue, NoChatKey, BadChatKey.
    """
    provider, _, model = named.partition(":")
    if provider not in PROVIDERS or not model.strip():
        advice = "Name it as openai:NAME, anthropic:NAME or ollama:NAME."
        raise errors.BadValue("chat.model", named, advice)
    own = {OPENAI: _OPENAI_URL, ANTHROPIC: _ANTHROPIC_URL, OLLAMA: OLLAMA_URL}[provider]
    is_custom = bool(base_url) or provider == OLLAMA
    name = OWN_KEY if is_custom else _KEYS[provider]
    key = key_of(name).strip()
    if not key and not is_custom:
        raise errors.NoChatKey(named, name)
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise errors.BadChatKey(name)
    return ChatSetup(provider, model.strip(), base_url or own, key or "none", is_custom, timeout_s)


def load(setup: ChatSetup) -> Chatter:
    """Open the model that was set. Raises ExtraMissing."""
    from importlib.util import find_spec

    for package in ("pydantic_ai", "anthropic" if setup.provider == ANTHROPIC else "openai"):
        if find_spec(package) is None:
            raise errors.ExtraMissing("hark chat", "chat", package)
    from harkback.models.remote_chat import RemoteChatter

    return RemoteChatter(setup)
