"""An embedder behind HTTP: any server that speaks OpenAI's `POST /v1/embeddings`."""

from __future__ import annotations

import json
from http.client import HTTPException
from urllib.parse import urlsplit
from urllib.request import Request

import numpy as np

from harkback import errors
from harkback.models.embedders import prefixes
from harkback.models.posting import post

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from harkback.models.embedders import Setup, Vectors

AT_ONCE = 32
PASSAGES_S, QUESTION_S = 10.0, 3.0
"""A call may take so long altogether: somebody waits for a question, and a sync has more to do."""

LONGEST = 6000
MOST_NUMBERS = 32_768
"""The longest vectors that are taken; models have up to 8,192 numbers."""


class Endpoint:
    """A model on a server, here or elsewhere; texts leave this program only for it."""

    def __init__(self, setup: Setup) -> None:
        """Ask nothing yet. Raises EmbedderFailed for an address that is none."""
        if urlsplit(setup.endpoint).scheme not in {"http", "https"}:
            raise errors.EmbedderFailed(setup.endpoint, "the address begins with neither http:// nor https://")
        self.setup = setup
        self.model = f"{setup.model}@{setup.endpoint}"
        self._before = prefixes(setup.model)
        self._dim = 0

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Give a row for each question. Raises EmbedderFailed."""
        return self._rows([self._before.question + one[:LONGEST] for one in texts], QUESTION_S)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Give a row for each text. Raises EmbedderFailed."""
        return self._rows([self._before.passage + one[:LONGEST] for one in texts], PASSAGES_S)

    def _rows(self, texts: list[str], limit_s: float) -> Vectors:
        some = [texts[at : at + AT_ONCE] for at in range(0, len(texts), AT_ONCE)]
        return np.concatenate([self._some(one, limit_s) for one in some])

    def _some(self, texts: list[str], limit_s: float) -> Vectors:
        answer = self._ask({"model": self.setup.model, "input": texts, "encoding_format": "float"}, limit_s)
        try:
            by_index = {one["index"]: one["embedding"] for one in answer["data"]}
            rows = np.array([by_index[at] for at in range(len(texts))], dtype=np.float64)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self._failed(f"its answer is no list of embeddings: {error!r}") from error
        if len(answer["data"]) != len(texts):
            raise self._failed(f"it gave {len(answer['data'])} embeddings for {len(texts)} texts")
        return self._checked(rows)

    def _checked(self, rows: NDArray[np.float64]) -> Vectors:
        """Give rows of unit length. Raises EmbedderFailed for such as cannot be compared."""
        if rows.ndim != 2 or not 0 < rows.shape[1] <= MOST_NUMBERS:  # noqa: PLR2004 - rows of numbers
            raise self._failed(f"its embeddings are no rows of 1 to {MOST_NUMBERS:,} numbers")
        if self._dim and rows.shape[1] != self._dim:
            raise self._failed(f"its embeddings have {self._dim:,} numbers and then {rows.shape[1]:,}")
        # Beyond what a number of 32 bits holds the direction is lost as well.
        if not (np.abs(rows) <= np.finfo(np.float32).max).all():
            raise self._failed("its embeddings hold what is no number, or too large a one")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (lengths > np.finfo(np.float32).tiny).all():
            raise self._failed("an embedding is all zeros")
        self._dim = rows.shape[1]
        found: Vectors = (rows / lengths).astype(np.float32)
        return found

    def _failed(self, why: object) -> errors.EmbedderFailed:
        return errors.EmbedderFailed(self.setup.endpoint, why)

    def _ask(self, body: dict[str, Any], limit_s: float) -> Any:
        headers = {"Content-Type": "application/json"}
        if self.setup.key:
            headers["Authorization"] = f"Bearer {self.setup.key}"
        address = f"{self.setup.endpoint.rstrip('/')}/embeddings"
        request = Request(address, json.dumps(body).encode(), headers)  # noqa: S310 - http and https only, see above
        try:
            return json.loads(post(request, limit_s))
        except (HTTPException, OSError, ValueError, RecursionError) as error:
            raise self._failed(error) from error
