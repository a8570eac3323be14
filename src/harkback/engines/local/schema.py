"""The SQLite side of the local engine: its tables, how a connection is opened, how a write begins."""

from __future__ import annotations

import os
import sqlite3
from errno import EDQUOT, ENOSPC
from time import monotonic, sleep

from harkback import errors
from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILE = "archive.sqlite"
VECTOR_FILE = "vectors.sqlite"
"""Where this lies beside it, there are vectors; `vectors`, which reads them, imports numpy."""

EXCLUDED = "excluded"
"""Stands for a fingerprint where a transcript is not to be read."""
_WAIT_S = 5.0

# One entry per layout version; each runs once, in its own transaction that also records it.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE label(
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL, base TEXT NOT NULL);
    CREATE INDEX label_base ON label(kind, base);
    CREATE TABLE session(
        id INTEGER PRIMARY KEY, agent TEXT NOT NULL, native TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT '', title_rank INTEGER NOT NULL DEFAULT 0, title_seq INTEGER,
        project INTEGER, cwd TEXT NOT NULL DEFAULT '', last_cwd TEXT NOT NULL DEFAULT '',
        branch TEXT NOT NULL DEFAULT '', started INTEGER, ended INTEGER, shared INTEGER NOT NULL DEFAULT 0,
        parent TEXT NOT NULL DEFAULT '', relation TEXT NOT NULL DEFAULT '', agent_type TEXT NOT NULL DEFAULT '',
        UNIQUE(agent, native));
    CREATE INDEX session_native ON session(native);
    CREATE TABLE transcript(
        id INTEGER PRIMARY KEY, agent TEXT NOT NULL, path TEXT NOT NULL UNIQUE, session INTEGER NOT NULL,
        size INTEGER NOT NULL, mtime INTEGER NOT NULL, inode INTEGER NOT NULL, offset INTEGER NOT NULL,
        fingerprint TEXT NOT NULL, state TEXT NOT NULL, parser INTEGER NOT NULL, messages INTEGER NOT NULL,
        chars INTEGER NOT NULL DEFAULT 0,
        gone INTEGER);
    CREATE INDEX transcript_recent ON transcript(mtime, size, inode, path) WHERE gone IS NULL;
    CREATE INDEX transcript_session ON transcript(session);
    CREATE INDEX transcript_unread ON transcript(size) WHERE size = -1;
    CREATE TABLE part(
        seq INTEGER PRIMARY KEY AUTOINCREMENT, transcript INTEGER NOT NULL, pos INTEGER NOT NULL,
        length INTEGER NOT NULL, message INTEGER NOT NULL, lane INTEGER NOT NULL, role INTEGER NOT NULL,
        time INTEGER, tool INTEGER, model INTEGER, branch INTEGER, files TEXT, text TEXT NOT NULL);
    CREATE INDEX part_place ON part(transcript, pos);
    CREATE TABLE identity(key INTEGER PRIMARY KEY, seq INTEGER NOT NULL);
    CREATE TABLE copy(
        message INTEGER NOT NULL, transcript INTEGER NOT NULL, pos INTEGER NOT NULL, length INTEGER NOT NULL,
        PRIMARY KEY(message, transcript, pos)) WITHOUT ROWID;
    CREATE INDEX copy_transcript ON copy(transcript, pos);
    CREATE TABLE problem(
        transcript INTEGER NOT NULL, pos INTEGER NOT NULL, length INTEGER NOT NULL, kind TEXT NOT NULL,
        detail TEXT NOT NULL, PRIMARY KEY(transcript, pos, kind)) WITHOUT ROWID;
    CREATE TABLE claim(key INTEGER PRIMARY KEY, title TEXT NOT NULL);
    CREATE TABLE folder(path TEXT PRIMARY KEY, agent TEXT NOT NULL, mtime INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE dead(seq INTEGER NOT NULL, transcript INTEGER, PRIMARY KEY(seq, transcript));
    """,
    """
    CREATE TABLE masked(
        transcript INTEGER NOT NULL, pos INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL,
        PRIMARY KEY(transcript, pos, kind)) WITHOUT ROWID;
    CREATE TABLE tombstone(key INTEGER NOT NULL, kind TEXT NOT NULL, PRIMARY KEY(key, kind)) WITHOUT ROWID;
    CREATE TABLE exclusion(pattern TEXT PRIMARY KEY, kind TEXT NOT NULL) WITHOUT ROWID;
    """,
)


class Layout(NamedTuple):
    """One database file: its name, the steps that make its tables, and how it is written."""

    file: str
    migrations: tuple[str, ...]
    pragmas: tuple[str, ...]
    triggers: tuple[str, ...] = ()
    """Made anew by each writer, for itself."""
    damage: type[errors.HarkError] = errors.ArchiveDamaged
    """What says that it is damaged, of its path; of the folder where transcripts or rows bring it back."""

    def damaged(self, folder: str, error: object) -> errors.HarkError:
        """Give the error that says that it is damaged, and what to do."""
        is_of_folder = self.damage in {errors.ArchiveDamaged, errors.VectorsDamaged}
        return self.damage(folder if is_of_folder else os.path.join(folder, self.file), error)

    def is_damage(self, error: BaseException | None) -> bool:
        """Whether an error says that it is damaged; what is derived is so as well where a table is not there."""
        is_derived = self.damage is errors.VectorsDamaged
        code = getattr(error, "sqlite_errorcode", 0)
        return is_damage(error) or (is_derived and code in {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR_SHORT_READ})


# A transcript that is read, or is not to be any more, is counted by the change itself, wherever that is made.
_TALLY = "INSERT INTO meta VALUES('total_transcripts', {0}) ON CONFLICT(key) DO UPDATE SET value = value + {0}"
_UNREAD = f"IN ('', '{EXCLUDED}')"
_COUNTING = (
    (
        f"CREATE TEMP TRIGGER count_read AFTER UPDATE OF fingerprint ON transcript WHEN old.fingerprint {_UNREAD}"
        f" AND new.fingerprint NOT {_UNREAD} BEGIN {_TALLY.format(1)}; END"
    ),
    (
        f"CREATE TEMP TRIGGER count_unread AFTER UPDATE OF fingerprint ON transcript WHEN old.fingerprint NOT {_UNREAD}"
        f" AND new.fingerprint {_UNREAD} BEGIN {_TALLY.format(-1)}; END"
    ),
    (
        f"CREATE TEMP TRIGGER count_deleted AFTER DELETE ON transcript WHEN old.fingerprint NOT {_UNREAD}"
        f" BEGIN {_TALLY.format(-1)}; END"
    ),
)

SESSIONS = Layout(FILE, MIGRATIONS, ("synchronous=NORMAL", "wal_autocheckpoint=0"), _COUNTING)

WITH_TOMBSTONES = 2
"""The layout from which on there are `masked` and `tombstone`; a reader meets older ones."""


def connect(folder: str, *, write: bool, layout: Layout | None = None) -> sqlite3.Connection:
    """Open one of the archive's databases and set every pragma; the only place that does.

    Readers never write and never wait: the journal is a WAL. `page_size` must be set before the WAL is.
    Raises ArchiveUnreadable, ArchiveDamaged, ArchiveReadOnly, ArchiveTooNew, DiskFull.
    """
    layout = layout or SESSIONS
    try:
        if write:
            prepare_folder(folder)
            if not os.path.exists(os.path.join(folder, layout.file)):
                _refuse_remote(folder)
        con = sqlite3.connect(
            _uri(os.path.join(folder, layout.file), "rwc" if write else "ro"),
            uri=True,
            isolation_level=None,
            timeout=_WAIT_S,
        )
    except sqlite3.Error as error:
        raise _opening_error(folder, error, layout, write=write) from error
    try:
        _set_up(con, folder, layout, write=write)
    except sqlite3.Error as error:
        con.close()
        raise _opening_error(folder, error, layout, write=write) from error
    except BaseException:
        con.close()
        raise
    return con


def _set_up(con: sqlite3.Connection, folder: str, layout: Layout, *, write: bool) -> None:
    con.execute(f"PRAGMA busy_timeout={int(_WAIT_S * 1000)}")
    # Before anything is set: what a newer program made stays as it is.
    _check_version(con, folder, layout)
    if write:
        con.execute("PRAGMA page_size=8192")
        _keep_log(con)
        con.execute("PRAGMA secure_delete=ON")
        for pragma in layout.pragmas:
            con.execute(f"PRAGMA {pragma}")
        _migrate(con, folder, layout)
    else:
        con.execute("PRAGMA query_only=ON")
    con.execute(f"PRAGMA cache_size={-64000 if write else -16000}")
    con.execute("PRAGMA temp_store=MEMORY")
    if write:
        for statement in layout.triggers:
            con.execute(statement)


def _keep_log(con: sqlite3.Connection) -> None:
    """Make the journal a WAL. While another process is doing the same to a new file SQLite refuses at once, whatever
    the timeout, so it is asked again.
    """
    deadline = monotonic() + _WAIT_S
    while True:
        try:
            con.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or monotonic() > deadline:
                raise
            sleep(0.005)
        else:
            return


def _uri(path: str, mode: str, sep: str = os.sep) -> str:
    # `?`, `#` and `%` have a meaning in a URI; a Windows drive needs a leading slash, and two slashes name a host.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23").replace(sep, "/")
    lead = "//" if quoted.startswith("//") else "" if quoted.startswith("/") else "/"
    return f"file:{lead}{quoted}?mode={mode}"


def prepare_folder(folder: str) -> None:
    """Make the archive's folder, for its owner alone, and see that it can be written. Raises as `connect` does."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise errors.ArchiveReadOnly(folder, "no permission to write")
    except OSError as error:
        if error.errno in {ENOSPC, EDQUOT}:
            raise errors.DiskFull(folder) from error
        raise errors.ArchiveReadOnly(folder, error.strerror or error) from error


def _opening_error(folder: str, error: sqlite3.Error, layout: Layout, *, write: bool) -> errors.HarkError:
    if layout.is_damage(error):
        return layout.damaged(folder, error)
    if "full" in str(error):
        return errors.DiskFull(folder)
    is_closed = "unable to open" in str(error) and not os.access(folder, os.W_OK)
    if is_closed and os.access(os.path.join(folder, FILE), os.R_OK):
        return errors.ArchiveReadOnly(folder, "the folder is read-only; even reading makes a file in it")
    is_read_only = write or "readonly" in str(error)
    return (errors.ArchiveReadOnly if is_read_only else errors.ArchiveUnreadable)(folder, error)


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite says of a file that what stands in it is no database, or a broken one."""
    code = getattr(error, "sqlite_errorcode", 0)  # the low byte is the kind, the rest says more of it
    if isinstance(error, sqlite3.OperationalError) and "Could not decode" in str(error):
        return True  # a text that is no UTF-8, which nothing of ours writes
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class undamaged:  # noqa: N801  # used as a verb: `with undamaged(folder):`
    """Turn what SQLite says of a damaged database, which may show at any reading, into our own error."""

    def __init__(self, folder: str, layout: Layout | None = None) -> None:
        self.folder = folder
        self.layout = layout or SESSIONS

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if self.layout.is_damage(error):
            raise self.layout.damaged(self.folder, error) from error


def is_laid_out(con: sqlite3.Connection) -> bool:
    """Whether the tables are there."""
    return version(con) > 0


def version(con: sqlite3.Connection) -> int:
    """Give the number of the tables' layout."""
    return int(con.execute("PRAGMA user_version").fetchone()[0])


def _check_version(con: sqlite3.Connection, folder: str, layout: Layout) -> None:
    if version(con) > len(layout.migrations):
        raise errors.ArchiveTooNew(folder, version(con), len(layout.migrations))


def _migrate(con: sqlite3.Connection, folder: str, layout: Layout) -> None:
    _check_version(con, folder, layout)
    while (before := version(con)) < len(layout.migrations):
        with transaction(con):
            if version(con) != before:
                continue  # another process did this step while we waited
            for statement in layout.migrations[before].split(";"):
                if statement.strip():
                    con.execute(statement)
            con.execute(f"PRAGMA user_version={before + 1}")


class transaction:  # noqa: N801  # used as a verb: `with transaction(con):`
    """Begin a write at once (`BEGIN IMMEDIATE`), commit at the end, roll back on any error. Nothing else commits.

    With `patience_s` it asks again every few milliseconds for so long. SQLite itself waits longer after each try, up to
    a tenth of a second, and of several writers that take turns one may wait for seconds.
    """

    def __init__(self, con: sqlite3.Connection, *, patience_s: float = 0.0) -> None:
        self.con = con
        self.patience_s = patience_s

    def __enter__(self) -> sqlite3.Connection:
        if self.patience_s:
            self._begin_soon()
        else:
            self.con.execute("BEGIN IMMEDIATE")
        return self.con

    def _begin_soon(self) -> None:
        from time import monotonic, sleep

        until = monotonic() + self.patience_s
        self.con.execute("PRAGMA busy_timeout=0")
        try:
            while True:
                try:
                    self.con.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    if "locked" not in str(error) or monotonic() > until:
                        raise
                    sleep(_AGAIN_S)
                else:
                    return
        finally:
            self.con.execute(f"PRAGMA busy_timeout={int(_WAIT_S * 1000)}")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.con.execute("COMMIT")
        elif self.con.in_transaction:
            self.con.execute("ROLLBACK")


_AGAIN_S = 0.002


def chunks(values: list[int], size: int = 500) -> Iterator[list[int]]:
    """Cut a list so that each piece fits an `IN (…)`."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def add_tally(con: sqlite3.Connection, **more: int) -> None:
    """Keep the totals that every answer states, so that none is counted at search time."""
    con.executemany(
        "INSERT INTO meta VALUES('total_' || ?1, ?2) ON CONFLICT(key) DO UPDATE SET value = value + ?2",
        [(name, number) for name, number in more.items() if number],
    )


class guarded:  # noqa: N801  # used as a verb: `with guarded(folder):`
    """Turn what SQLite and the index say of a full or read-only disk into our own errors; anything else passes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, (sqlite3.Error, ValueError, OSError)) and not isinstance(error, errors.HarkError):
            told = _disk_error(self.folder, str(error), getattr(error, "errno", None))
            if told is not None:
                raise told from error


_FULL = ("full", "No space left", "StorageFull", "quota")
_UNWRITABLE = ("readonly", "Read-only", "Permission", "unable to open")
_BROKEN = ("writer was killed", "disk I/O error", "IO error", "FileTooLarge", "File too large")
_LITTLE_BYTES = 4 << 20


def _disk_error(folder: str, text: str, number: int | None) -> errors.HarkError | None:
    if number in {ENOSPC, EDQUOT} or any(mark in text for mark in _FULL):
        return errors.DiskFull(folder)
    if any(mark in text for mark in _UNWRITABLE):
        return errors.ArchiveReadOnly(folder, text.splitlines()[0][:160])
    if any(mark in text for mark in _BROKEN):
        # The index names no reason when its thread dies.
        is_full = _free_bytes(folder) < _LITTLE_BYTES
        return errors.DiskFull(folder) if is_full else errors.ArchiveReadOnly(folder, text.splitlines()[0][:160])
    return None


def _free_bytes(folder: str) -> int:
    from shutil import disk_usage

    try:
        return disk_usage(folder).free
    except OSError:
        return 0


_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "fuse.sshfs", "fuse.rclone", "ncpfs"})


def _refuse_remote(folder: str) -> None:
    """Refuse to make an archive where locks are not reliable; Linux's table of mounts tells. Raises RemoteFolder."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as file:
            kind = _file_system(os.path.realpath(folder), file)
    except OSError:
        return
    if kind in _REMOTE:
        raise errors.RemoteFolder(folder, kind)


def _file_system(real: str, mounts: Iterable[str]) -> str:
    """Name the kind of file system on which a folder lies, after the lines of the table of mounts."""
    found, longest = "", 0
    for line in mounts:
        point, kind = line.split(" ")[1:3]
        for escaped, sign in _ESCAPED:
            point = point.replace(escaped, sign)
        if len(point) >= longest and (real + "/").startswith(point.rstrip("/") + "/"):
            found, longest = kind, len(point)  # of two on one folder the later one hides the other
    return found


_ESCAPED = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))
"""How the table of mounts writes what would part its columns."""
