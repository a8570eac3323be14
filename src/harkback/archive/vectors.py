"""Making vectors of what was said, within a sync: the newest first, for as long as was set."""

from __future__ import annotations

from time import monotonic

import numpy as np

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local import FOREVER_S, VECTORS, Asking, LocalEngine, guarded, locked, vector_files
from harkback.engines.local.embedding import Unread, drop_seen, note_seen, seen, there, unread
from harkback.engines.local.schema import transaction
from harkback.engines.local.vectors import VectorSet, folder_name, keep_only, models, prove, vectors_in
from harkback.models.centring import script_of
from harkback.models.embedders import answering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harkback.engines.local.checking import Fault
    from harkback.engines.local.vectors import Connection
    from harkback.models.embedders import Embedders, Vectors
    from harkback.models.once import Once

AT_ONCE = 32
COMMIT_ROWS = 256


class Coverage(NamedTuple):
    """How much of what was said has vectors."""

    model: str
    """Empty where there is no embedder."""
    vectors: int
    transcripts: int
    """Those of which all prompts and final answers have one."""
    of: int
    problem: str = ""
    """Why they cannot be used, and what to do; or empty."""


def make_vectors(
    folder: str, embedders: Embedders, limit_s: float, tell: Callable[[str], None] = lambda _: None
) -> int:
    """Make vectors for so long, unless another process is at it; gives how many.

    Transcripts can be read meanwhile: nothing waits for it. Damaged ones are thrown away and made again, of which
    `tell` is told. Raises EmbedderFailed, VectorsDamaged, ArchiveReadOnly, DiskFull.
    """
    if limit_s <= 0 or not embedders.name or not LocalEngine.exists(folder):
        return 0
    with guarded(folder), locked(folder, wait_s=0.0, waiting=lambda: None, file=VECTORS) as is_ours:
        engine = LocalEngine.open(folder) if is_ours else None
        if engine is None:
            return 0
        try:
            embedder = embedders.load()
            if embedder is None:
                return 0
            until = monotonic() + limit_s
            try:
                return _make(engine, embedder, until)
            except errors.VectorsDamaged as error:
                vector_files.throw_away(folder)
                tell(f"The vectors in {folder} were damaged ({error.values[1]}). They are made again.")
                return _make(engine, embedder, until)
        finally:
            engine.close()


def coverage(engine: LocalEngine, model: str) -> Coverage:
    """Say how much has vectors of the model that is set."""
    kept = there(engine.con)
    none = Coverage(model, 0, 0, engine.rows.coverage().transcripts)
    try:
        with vectors_in(engine.folder) as con:
            if con is None:
                return none
            number = len(VectorSet(con, engine.folder, model).seqs())
            return none._replace(vectors=number, transcripts=len(seen(con, model).keys() & kept))
    except errors.VectorsDamaged as error:
        return none._replace(problem=str(error))


def asking(folder: str, embedders: Embedders, texts: Sequence[str]) -> Asking:
    """Give the vectors of a question. Raises MeaningFailed."""
    if not embedders.name:
        raise embedders.missing()
    with vectors_in(folder) as con:
        if con is None:
            raise errors.NoVectors
        sets = [VectorSet(con, folder, one) for one in models(con)]
        name = answering({one.model: one.count for one in sets}, embedders.setup)
    embedder = embedders.load(name) if name else None
    if embedder is None:
        raise errors.NoVectors
    asked = embedder.questions(texts)
    _refuse_other(next(one for one in sets if one.model == name), asked)
    return Asking(name, asked, tuple(script_of(text) for text in texts))


def _refuse_other(kept: VectorSet, rows: Vectors) -> None:
    """Refuse vectors that cannot be compared with those that were made. Raises DimensionChanged."""
    if kept.dim and rows.shape[1] != kept.dim:
        raise errors.DimensionChanged(kept.model, rows.shape[1], kept.dim)


def _make(engine: LocalEngine, embedder: Once, until: float) -> int:
    with vectors_in(engine.folder, write=True) as con:
        assert con is not None
        prove(con, engine.folder)
        vector_files.sweep(engine.folder, [folder_name(model) for model in models(con)])
        kept = VectorSet(con, engine.folder, embedder.model)
        kept.clear_beyond()
        known = seen(con, embedder.model)
        made = 0
        waiting: list[Unread] = []
        for one in unread(engine, known, kept.seqs()):
            if monotonic() > until:
                break
            waiting.append(one)
            if sum(len(each.texts) for each in waiting) >= COMMIT_ROWS:
                made += _store(con, kept, embedder, waiting, until)
                waiting = []
        made += _store(con, kept, embedder, waiting, until)
        if kept.dim and monotonic() <= until and len(models(con)) > 1:
            # The new model has covered everything, and answers from now on.
            with transaction(con):
                keep_only(con, kept.model)
            vector_files.sweep(engine.folder, [folder_name(kept.model)])
        return made


class _Embedded:
    """The vectors of some transcripts, as far as they could be made."""

    def __init__(self) -> None:
        self.done: list[Unread] = []
        self.texts: list[tuple[int, str]] = []
        self.rows: list[Vectors] = []
        self.failure: errors.EmbedderFailed | None = None

    def embed(self, kept: VectorSet, embedder: Once, waiting: Sequence[Unread], until: float) -> None:
        """Make them until a time or a failure."""
        try:
            for one in waiting:
                for at in range(0, len(one.texts), AT_ONCE):
                    if monotonic() > until:
                        return
                    some = one.texts[at : at + AT_ONCE]
                    made = embedder.passages([text for _, text in some])
                    _refuse_other(kept, made)
                    self.rows.append(made)
                    self.texts += some
                self.done.append(one)
        except errors.EmbedderFailed as error:
            self.failure = error


def _store(con: Connection, kept: VectorSet, embedder: Once, waiting: list[Unread], until: float) -> int:
    """Store the vectors of some transcripts; what no time is left for waits for the next sync.

    What was made before a failure is stored as well. Raises EmbedderFailed.
    """
    if not kept.dim and any(one.texts for one in waiting):
        middles = embedder.middles()
        kept.begin(len(middles[0]), middles)
    found = _Embedded()
    found.embed(kept, embedder, waiting, until)
    with transaction(con):
        if found.rows:
            scripts = [script_of(text) for _, text in found.texts]
            kept.append([seq for seq, _ in found.texts], scripts, np.concatenate(found.rows))
        note_seen(con, kept.model, found.done)
    if found.failure is not None:
        raise found.failure
    return len(found.texts)


def drop_gone(engine: LocalEngine, waiting: Callable[[], None]) -> None:
    """Clear the vectors of parts that are gone, of every model; damaged ones all go.

    `waiting` is called before it waits for a sync that is making some. Raises ArchiveReadOnly, DiskFull, LockDamaged.
    """
    folder = engine.folder
    with guarded(folder), locked(folder, wait_s=FOREVER_S, waiting=waiting, file=VECTORS):
        try:
            with vectors_in(folder) as con:
                names = [folder_name(model) for model in models(con)] if con is not None else []
            vector_files.sweep(folder, names)
            if names:
                _drop(engine)
        except errors.VectorsDamaged:
            vector_files.throw_away(folder)  # what cannot be read may hold what was forgotten


def _drop(engine: LocalEngine) -> None:
    seqs, transcripts = np.array(engine.rows.all_seqs(), np.int64), there(engine.con)
    with vectors_in(engine.folder, write=True) as con:
        assert con is not None
        for model in models(con):
            kept = VectorSet(con, engine.folder, model)
            kept.clear_beyond()
            kept.drop(np.setdiff1d(kept.seqs(), seqs))
        with transaction(con):
            drop_seen(con, transcripts)


def throw_away(folder: str, waiting: Callable[[], None]) -> None:
    """Delete all vectors, unopened; the next sync makes them again.

    `waiting` is called before it waits for a sync that is making some. Raises ArchiveReadOnly.
    """
    with guarded(folder), locked(folder, wait_s=FOREVER_S, waiting=waiting, file=VECTORS):
        vector_files.throw_away(folder)


def faults(engine: LocalEngine) -> list[Fault]:
    """Say which vectors are of nothing, or that they are damaged."""
    from harkback.engines.local.checking import REBUILD, Fault

    seqs = np.array(engine.rows.all_seqs(), np.int64)
    try:
        with vectors_in(engine.folder) as con:
            if con is None:
                return [Fault("files of vectors that no database names", 1, REBUILD)]
            prove(con, engine.folder)
            sets = [VectorSet(con, engine.folder, one) for one in models(con)]
            gone = sum(len(np.setdiff1d(one.seqs(), seqs)) for one in sets)
    except errors.VectorsDamaged as error:
        return [Fault(f"the vectors are damaged ({error.values[1]})", 1, REBUILD)]
    return [Fault("vectors of texts that are gone", gone, REBUILD)] if gone else []
