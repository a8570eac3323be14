"""Chat models behind one small protocol, and how one is named."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Protocol

    class Chatter(Protocol):
        """A model that answers. Used by one thread at a time for each answer."""

        @property
        def name(self) -> str:
            """The model as a person names it, such as `ollama:qwen3:4b`."""

        def warm(self) -> None:
            """Begin to load what the first answer needs, and return at once."""

        def stream(self, system: str, lines: Sequence[Line]) -> Iterator[str]:
            """Give the answer piece by piece; closing the iterator ends it.

            Raises ModelFailed, also after pieces were given. The last of `lines` is the person's.
            """


PERSON, MODEL = "user", "assistant"

OPENAI, ANTHROPIC, OLLAMA = "openai", "anthropic", "ollama"
PROVIDERS = (OPENAI, ANTHROPIC, OLLAMA)

OLLAMA_URL = "http://127.0.0.1:11434/v1"
_OPENAI_URL = "https://api.openai.com/v1"
_ANTHROPIC_URL = "https://api.anthropic.com"
_KEYS = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}
OWN_KEY = "HARK_CHAT_KEY"


class Line(NamedTuple):
    """What one of the two said."""

    role: str
    text: str


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


def setup_of(named: str, base_url: str, env: Mapping[str, str], timeout_s: float) -> ChatSetup:
    """Say which model a name such as `ollama:qwen3:4b` means.

    A key that belongs to a provider is sent to that provider only: to another address goes HARK_CHAT_KEY. Raises
    BadValue.
    """
    provider, _, model = named.partition(":")
    if provider not in PROVIDERS or not model.strip():
        advice = "Name it as openai:NAME, anthropic:NAME or ollama:NAME."
        raise errors.BadValue("chat.model", named, advice)
    own = {OPENAI: _OPENAI_URL, ANTHROPIC: _ANTHROPIC_URL, OLLAMA: OLLAMA_URL}[provider]
    key = env.get(OWN_KEY, "") or ("" if base_url else env.get(_KEYS.get(provider, ""), ""))
    is_custom = bool(base_url) or provider == OLLAMA
    if not key and not is_custom:
        raise errors.NoChatKey(named, _KEYS[provider])
    return ChatSetup(provider, model.strip(), base_url or own, key or "none", is_custom, timeout_s)


def load(setup: ChatSetup) -> Chatter:
    """Open the model that was set. Raises ExtraMissing."""
    from importlib.util import find_spec

    for package in ("pydantic_ai", "anthropic" if setup.provider == ANTHROPIC else "openai"):
        if find_spec(package) is None:
            raise errors.ExtraMissing("hark chat", "chat", package)
    from harkback.models.remote_chat import RemoteChatter

    return RemoteChatter(setup)
