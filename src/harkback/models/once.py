"""An embedder for one command: nothing is asked twice, and nothing more after a failure."""

from __future__ import annotations

import numpy as np

from harkback import errors
from harkback.models.centring import SCRIPTS, SENTENCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harkback.models.embedders import Embedder, Vectors


class Once:
    """Asks another embedder, and remembers what it said."""

    def __init__(self, embedder: Embedder) -> None:
        """Nothing is asked yet."""
        self.embedder = embedder
        self.model = embedder.model
        self._known: dict[str, Vectors] = {}
        self._middles: dict[int, Vectors] = {}
        self._failure: errors.EmbedderFailed | None = None

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Give a row for each question. Raises EmbedderFailed."""
        new = [one for one in dict.fromkeys(texts) if one not in self._known]
        if new:
            self._known.update(zip(new, self._asked(self.embedder.questions, new), strict=True))
        return np.array([self._known[one] for one in texts])

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Give a row for each text, which is not remembered. Raises EmbedderFailed."""
        return self._asked(self.embedder.passages, texts)

    def middles(self) -> dict[int, Vectors]:
        """Give the middle of everyday sentences of each script. Raises EmbedderFailed."""
        if not self._middles:
            scripts = [script for script in SCRIPTS for _ in SENTENCES[script]]
            rows = self.passages([text for script in SCRIPTS for text in SENTENCES[script]])
            self._middles = {script: rows[np.array(scripts) == script].mean(axis=0) for script in SCRIPTS}
        return self._middles

    def _asked(self, ask: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> Vectors:
        if self._failure is not None:
            raise self._failure
        try:
            return ask(texts)
        except errors.EmbedderFailed as error:
            self._failure = error
            raise
