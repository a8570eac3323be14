"""The tokens of the server: names, scopes and hashes of secrets in `server.sqlite`; the secrets are nowhere."""

from __future__ import annotations

import hashlib
import hmac
import os
import sqlite3

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.schema import Layout, connect, is_laid_out, prepare_folder, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

FILE = "server.sqlite"
MIGRATIONS = (
    """
    CREATE TABLE token(
        name TEXT PRIMARY KEY, hash BLOB NOT NULL, scope TEXT NOT NULL, created_ms INTEGER NOT NULL,
        expires_ms INTEGER, used_ms INTEGER, revoked_ms INTEGER);
    """,
)
LAYOUT = Layout(FILE, MIGRATIONS, ("synchronous=FULL",), damage=errors.TokensDamaged)

USED_EVERY_MS = 60_000
"""So often at most it is written down that a token was used."""
_LONGEST_CHARS = 200
"""No secret is longer; what is given is hashed only up to here."""
_KEY = b"signing"
_COLUMNS = "name, scope, created_ms, expires_ms, used_ms, revoked_ms"


class Token(NamedTuple):
    """One token: a name for a person's device, and what it may do."""

    name: str
    scope: str
    created_ms: int
    """When its secret was made."""
    expires_ms: int | None = None
    used_ms: int | None = None
    revoked_ms: int | None = None
    key: bytes = b""
    """Signs what is handed out to this token; another secret has another one. Empty unless found by its secret."""

    def is_live(self, now_ms: int) -> bool:
        """Whether it opens the door."""
        return self.revoked_ms is None and (self.expires_ms is None or now_ms < self.expires_ms)


def _identity(path: str) -> tuple[int, int] | None:
    """Give what a file is known by, whatever its name; None where there is none."""
    try:
        told = os.stat(path)
    except OSError:
        return None
    return told.st_dev, told.st_ino


def hash_of(secret: str) -> bytes:
    """Give what is kept of a secret."""
    return hashlib.sha256(secret[:_LONGEST_CHARS].encode("utf-8", "surrogatepass")).digest()


class TokenStore:
    """The tokens in one folder. Every change is one short transaction, seen by a running server at its next request."""

    def __init__(self, con: sqlite3.Connection, path: str) -> None:
        """Use `open`."""
        self.con = con
        self.path = path
        self._opened = _identity(path)

    @classmethod
    def open(cls, folder: str, *, write: bool = False) -> TokenStore | None:
        """Open the tokens in a folder; None when there are none and none are to be made.

        Raises TokensDamaged, ArchiveUnreadable, ArchiveReadOnly, ArchiveTooNew, DiskFull, RemoteFolder.
        """
        path = os.path.join(folder, FILE)
        if write:
            prepare_folder(folder)
            # SQLite gives its log the permissions of the file.
            os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))
        elif not os.path.exists(path):
            return None
        con = connect(folder, write=write, layout=LAYOUT)
        if not is_laid_out(con):
            con.close()
            return None
        return cls(con, path)

    def _is_current(self) -> bool:
        """Whether the file that was opened is there still; opens what stands in its place."""
        now = _identity(self.path)
        if now == self._opened:
            return True
        found = TokenStore.open(os.path.dirname(self.path), write=True) if now is not None else None
        if found is None:
            return False
        self.con.close()
        self.con, self._opened = found.con, now
        return True

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_: object) -> None:
        self.con.close()

    def all(self) -> list[Token]:
        """List all tokens, the newest last; those that were revoked or have expired too."""
        rows = self.con.execute(f"SELECT {_COLUMNS} FROM token ORDER BY created_ms, name").fetchall()
        return [Token(*row) for row in rows]

    def find(self, secret: str, now_ms: int) -> Token | None:
        """Find the live token of a secret. Every row is compared, in the same time whatever it holds."""
        if not self._is_current():
            return None
        given = hash_of(secret)
        found = None
        for kept, *row in self.con.execute(f"SELECT hash, {_COLUMNS} FROM token").fetchall():
            if hmac.compare_digest(kept, given):
                found = Token(*row)._replace(key=hmac.digest(kept, _KEY, "sha256"))
        return found if found is not None and found.is_live(now_ms) else None

    def add(self, token: Token, secret: str) -> None:
        """Keep a new token, in the place of one of that name that is over. Raises TokenThere."""
        with transaction(self.con):
            before = self._named(token.name)
            if before is not None and before.is_live(token.created_ms):
                raise errors.TokenThere(token.name)
            row = (token.name, hash_of(secret), token.scope, token.created_ms, token.expires_ms)
            self.con.execute("INSERT OR REPLACE INTO token VALUES(?, ?, ?, ?, ?, NULL, NULL)", row)

    def rotate(self, name: str, secret: str, now_ms: int) -> Token:
        """Give a live token a new secret; the old one opens nothing any more. Raises NoSuchToken, TokenOver."""
        with transaction(self.con):
            token = self._live(name, now_ms)
            given = (hash_of(secret), now_ms, name)
            self.con.execute("UPDATE token SET hash = ?, created_ms = ?, used_ms = NULL WHERE name = ?", given)
        return token

    def revoke(self, name: str, now_ms: int) -> None:
        """Make a token open nothing any more. Raises NoSuchToken, TokenOver."""
        with transaction(self.con):
            self._live(name, now_ms)
            self.con.execute("UPDATE token SET revoked_ms = ? WHERE name = ?", (now_ms, name))

    def used(self, token: Token, now_ms: int) -> None:
        """Write down that a token is used, once a minute; not where somebody else is writing."""
        if token.used_ms is not None and 0 <= now_ms - token.used_ms < USED_EVERY_MS:
            return
        try:
            with transaction(self.con):
                self.con.execute("UPDATE token SET used_ms = ? WHERE name = ?", (now_ms, token.name))
        except sqlite3.OperationalError:
            return  # a full or locked disk is no reason to turn its owner away

    def _named(self, name: str) -> Token | None:
        row = self.con.execute(f"SELECT {_COLUMNS} FROM token WHERE name = ?", (name,)).fetchone()
        return Token(*row) if row else None

    def _live(self, name: str, now_ms: int) -> Token:
        token = self._named(name)
        if token is None:
            raise errors.NoSuchToken(name)
        if not token.is_live(now_ms):
            raise errors.TokenOver(name)
        return token
