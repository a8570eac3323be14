"""Meaning: how near each memory is to a question, by the vectors of a model."""

from __future__ import annotations

from time import monotonic

import numpy as np

from harkback import errors
from harkback.engines.local.memory_vectors import MemoryVectors
from harkback.models.centring import OWN, SCRIPTS, script_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.engines.local.memories import MemoryStore
    from harkback.models.embedders import Vectors
    from harkback.models.once import Once

FULL = 0.5
"""A cosine of so much, centred, is as near as a question and its answer come."""

AT_ONCE = 16


class Meaning:
    """One model's view of the memories in a store."""

    def __init__(self, store: MemoryStore, embedder: Once) -> None:
        """Nothing is read yet."""
        self.store = store
        self.embedder = embedder
        self.vectors = MemoryVectors(store.con, embedder.model)

    def catch_up(self, limit_s: float) -> int:
        """Make vectors of memories that have none, the newest first, for so long; gives how many.

        Once all have one, those of other models go. Raises EmbedderFailed.
        """
        until = monotonic() + limit_s
        made = 0
        while monotonic() < until and (rows := self.vectors.missing(AT_ONCE)):
            self._store_middles()
            rows_vectors = self.embedder.passages([text for _, text in rows])
            self._refuse_other(rows_vectors)
            with self.store.writing():
                self.vectors.put(rows, [script_of(text) for _, text in rows], rows_vectors)
            made += len(rows)
        if self.vectors.has_others() and not self.vectors.missing(1):
            with self.store.writing():
                self.vectors.keep_only()
        return made

    def _refuse_other(self, rows: Vectors) -> None:
        """Refuse vectors that cannot be compared with those that were made. Raises DimensionChanged."""
        if rows.shape[1] != (dim := self.vectors.dim):
            raise errors.DimensionChanged(self.embedder.model, rows.shape[1], dim)

    def _store_middles(self) -> None:
        if not self.vectors.middles():
            made = self.embedder.middles()
            with self.store.writing():
                self.vectors.set_middles(made)

    def nearness(self, texts: Sequence[str]) -> dict[int, float] | None:
        """Say how near each memory is to a question, 0 to 1, by the nearest of its wordings; None without vectors.

        Raises EmbedderFailed.
        """
        kept = self.vectors.all()
        if kept is None:
            return None
        rows = kept.vectors.astype(np.float32)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        asked = self.embedder.questions(texts)
        self._refuse_other(asked)
        middles = self.vectors.middles()
        for script in SCRIPTS:
            of_script = kept.scripts == script
            number = int(of_script.sum())
            middle = (rows[of_script].sum(axis=0) + OWN * middles[script]) / (number + OWN)
            rows[of_script] -= middle
            asked[[script_of(text) == script for text in texts]] -= middle
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        asked /= np.maximum(np.linalg.norm(asked, axis=1, keepdims=True), 1e-9)
        near = np.clip((rows @ asked.T).max(axis=1) / FULL, 0, 1)
        return {int(number): float(share) for number, share in zip(kept.numbers, near, strict=True) if share > 0}
