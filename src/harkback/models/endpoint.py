"""An embedder behind HTTP: any server that speaks OpenAI's `POST /v1/embeddings`."""

from __future__ import annotations

import json
from http.client import HTTPException
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np

from harkback import errors
from harkback.models.embedders import prefixes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harkback.models.embedders import Setup, Vectors

AT_ONCE = 32
TIMEOUT_S = 30.0
LONGEST = 6000
_MOST_BYTES = 64 << 20


class Endpoint:
    """A model on a server, here or elsewhere; texts leave this program only for it."""

    def __init__(self, setup: Setup) -> None:
        """Ask nothing yet. Raises EmbedderFailed for an address that is none."""
        if urlsplit(setup.endpoint).scheme not in {"http", "https"}:
            raise errors.EmbedderFailed(setup.endpoint, "the address begins with neither http:// nor https://")
        self.setup = setup
        self.model = f"{setup.model}@{setup.endpoint}"
        self._before = prefixes(setup.model)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Give a row for each question. Raises EmbedderFailed."""
        return self._rows([self._before.question + one[:LONGEST] for one in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Give a row for each text. Raises EmbedderFailed."""
        return self._rows([self._before.passage + one[:LONGEST] for one in texts])

    def _rows(self, texts: list[str]) -> Vectors:
        rows = [self._some(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)]
        found: Vectors = np.concatenate(rows).astype(np.float32)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.where(lengths == 0, 1, lengths)
        return found

    def _some(self, texts: list[str]) -> Vectors:
        answer = self._ask({"model": self.setup.model, "input": texts, "encoding_format": "float"})
        try:
            rows = sorted(answer["data"], key=lambda one: one["index"])
            found = np.array([one["embedding"] for one in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError) as error:
            raise errors.EmbedderFailed(
                self.setup.endpoint, f"its answer is no list of embeddings: {error!r}"
            ) from error
        if found.ndim != 2 or len(found) != len(texts) or not np.isfinite(found).all():  # noqa: PLR2004 - rows of numbers
            raise errors.EmbedderFailed(self.setup.endpoint, f"it gave {found.shape} for {len(texts)} texts")
        return found

    def _ask(self, body: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.setup.key:
            headers["Authorization"] = f"Bearer {self.setup.key}"
        address = f"{self.setup.endpoint.rstrip('/')}/embeddings"
        request = Request(address, json.dumps(body).encode(), headers)  # noqa: S310 - http and https only, see above
        try:
            with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - same
                return json.loads(answer.read(_MOST_BYTES))
        except (URLError, HTTPException, OSError, ValueError) as error:
            raise errors.EmbedderFailed(self.setup.endpoint, error) from error
