"""Making vectors of what was said, within a sync: the newest first, for as long as was set."""

from __future__ import annotations

from time import monotonic

import numpy as np

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local import FOREVER_S, VECTORS, Asking, LocalEngine, guarded, locked
from harkback.engines.local.embedding import Unread, note_seen, seen, unread
from harkback.engines.local.schema import transaction
from harkback.engines.local.vectors import VectorSet, models, open_vectors
from harkback.models.centring import SCRIPTS, SENTENCES, script_of
from harkback.models.embedders import answering, load, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.engines.local.checking import Fault
    from harkback.engines.local.vectors import Connection
    from harkback.models.embedders import Embedder, Setup

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


def make_vectors(folder: str, setup: Setup, limit_s: float) -> int:
    """Make vectors for so long, unless another process is at it; gives how many.

    Transcripts can be read meanwhile: nothing waits for it. Raises EmbedderFailed, ArchiveReadOnly, DiskFull.
    """
    if not limit_s or not name_of(setup) or not LocalEngine.exists(folder):
        return 0
    with guarded(folder), locked(folder, wait_s=0.0, waiting=lambda: None, file=VECTORS) as is_ours:
        engine = LocalEngine.open(folder) if is_ours else None
        if engine is None:
            return 0
        try:
            embedder = load(setup)
            return _make(engine, embedder, limit_s) if embedder is not None else 0
        finally:
            engine.close()


def coverage(engine: LocalEngine, setup: Setup) -> Coverage:
    """Say how much has vectors of the model that is set."""
    model = name_of(setup)
    con = open_vectors(engine.folder) if model else None
    of = engine.rows.coverage().transcripts
    if con is None:
        return Coverage(model, 0, 0, of)
    try:
        return Coverage(model, len(VectorSet(con, engine.folder, model).seqs()), len(seen(con, model)), of)
    finally:
        con.close()


def asking(folder: str, setup: Setup, texts: Sequence[str]) -> Asking:
    """Give the vectors of a question. Raises NoEmbedder, NoVectors, EmbedderFailed."""
    if not name_of(setup):
        raise errors.NoEmbedder
    con = open_vectors(folder)
    if con is None:
        raise errors.NoVectors
    try:
        name = answering({one: VectorSet(con, folder, one).count for one in models(con)}, setup)
    finally:
        con.close()
    embedder = load(setup, name) if name else None
    if embedder is None:
        raise errors.NoVectors
    return Asking(embedder.model, embedder.questions(texts), tuple(script_of(text) for text in texts))


def _make(engine: LocalEngine, embedder: Embedder, limit_s: float) -> int:
    until = monotonic() + limit_s
    con = open_vectors(engine.folder, write=True)
    assert con is not None
    try:
        kept = VectorSet(con, engine.folder, embedder.model)
        known = seen(con, embedder.model)
        made = 0
        waiting: list[Unread] = []
        for one in unread(engine.con, known, kept.seqs()):
            if monotonic() > until:
                break
            waiting.append(one)
            if sum(len(each.texts) for each in waiting) >= COMMIT_ROWS:
                made += _store(con, kept, embedder, waiting, until)
                waiting = []
        return made + _store(con, kept, embedder, waiting, until)
    finally:
        con.close()


def _store(con: Connection, kept: VectorSet, embedder: Embedder, waiting: list[Unread], until: float) -> int:
    """Store the vectors of some transcripts; what no time is left for waits for the next sync."""
    done: list[Unread] = []
    texts: list[tuple[int, str]] = []
    rows = []
    for one in waiting:
        for at in range(0, len(one.texts), AT_ONCE):
            if monotonic() > until:
                break
            some = one.texts[at : at + AT_ONCE]
            rows.append(embedder.passages([text for _, text in some]))
            texts += some
        else:
            done.append(one)
            continue
        break
    if rows and not kept.dim:
        middles = {script: embedder.passages(SENTENCES[script]).mean(axis=0) for script in SCRIPTS}
        kept.begin(rows[0].shape[1], middles)
    with transaction(con):
        if rows:
            kept.append([seq for seq, _ in texts], [script_of(text) for _, text in texts], np.concatenate(rows))
        note_seen(con, kept.model, done)
    return len(texts)


def drop_gone(engine: LocalEngine) -> None:
    """Clear the vectors of parts that are gone, of every model. Raises ArchiveReadOnly, DiskFull."""
    if (con := open_vectors(engine.folder)) is None:
        return
    con.close()
    with guarded(engine.folder), locked(engine.folder, wait_s=FOREVER_S, waiting=lambda: None, file=VECTORS):
        con = open_vectors(engine.folder, write=True)
        assert con is not None
        try:
            there = engine.rows.all_seqs()
            for model in models(con):
                kept = VectorSet(con, engine.folder, model)
                kept.drop(np.setdiff1d(kept.seqs(), np.array(there, np.int64)))
        finally:
            con.close()


def throw_away(folder: str) -> None:
    """Delete all vectors; the next sync makes them again. Raises ArchiveReadOnly."""
    if (con := open_vectors(folder)) is None:
        return
    con.close()
    with guarded(folder), locked(folder, wait_s=FOREVER_S, waiting=lambda: None, file=VECTORS):
        con = open_vectors(folder, write=True)
        assert con is not None
        try:
            for model in models(con):
                VectorSet(con, folder, model).remove()
        finally:
            con.close()


def faults(engine: LocalEngine) -> list[Fault]:
    """Say which vectors are of nothing."""
    from harkback.engines.local.checking import REBUILD, Fault

    if (con := open_vectors(engine.folder)) is None:
        return []
    try:
        there = np.array(engine.rows.all_seqs(), np.int64)
        gone = sum(len(np.setdiff1d(VectorSet(con, engine.folder, one).seqs(), there)) for one in models(con))
    except (OSError, ValueError) as error:
        return [Fault(f"the vectors are damaged ({error})", 1, REBUILD)]
    finally:
        con.close()
    return [Fault("vectors of texts that are gone", gone, REBUILD)] if gone else []
