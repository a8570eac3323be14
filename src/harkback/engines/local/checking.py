"""Proving that what is stored agrees: rows with themselves and their totals, the word index with the rows."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.engines.local import words
from harkback.engines.local.erasing import MESSAGE, MUST_REBUILD, forgotten_titles
from harkback.engines.local.labels import base_name
from harkback.engines.local.mending import STILL_THERE, TOTALS
from harkback.engines.local.pending import watermark
from harkback.engines.local.schema import WITH_TOMBSTONES, version
from harkback.redact import masker

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from harkback.engines.local.engine import LocalEngine

REBUILD, REREAD, MOVE = "hark rebuild", "hark sync --full", "move the archive's folder elsewhere, then hark sync"
MOVE_MEMORIES = "move memory.sqlite elsewhere, then hark memories import from an export"
"""What mends a fault; nothing is ever deleted for it."""

_TEXTS_AT_ONCE = 2000


class Fault(NamedTuple):
    """Something that does not agree."""

    kind: str
    number: int
    mend: str


def faults(engine: LocalEngine) -> Iterator[Fault]:
    """Look for everything that does not agree; some seconds for a million messages."""
    con = engine.con
    damage = [row[0] for row in con.execute("PRAGMA quick_check(10)").fetchall() if row[0] != "ok"]
    if damage:
        yield Fault(f"the database is damaged ({damage[0][:100]})", len(damage), MOVE)
        return
    for kind, statement in _ORPHANS.items():
        number = con.execute(statement).fetchone()[0]
        if number:
            yield Fault(kind, number, REREAD)
    yield from _forgotten(con)
    for name, statement in TOTALS.items():
        kept = con.execute("SELECT value FROM meta WHERE key=?", (f"total_{name}",)).fetchone()
        found = con.execute(statement).fetchone()[0]
        if (kept[0] if kept else 0) != found:
            yield Fault(f"the total of {name} is wrong", 1, REREAD)
    broken = words.damaged(engine.index.folder) if engine.index is not None else 0
    if broken:
        yield Fault("files of the word index are damaged", broken, REBUILD)
        return
    yield from _index_faults(engine)


# Names of no text are none: a transcript that is written anew leaves them, for finding them would cost a pass over all
# names, and whoever looks a name up looks for its text. `hark sync --full` drops them.
_ORPHANS = {
    "texts of no transcript": "SELECT count(*) FROM part WHERE transcript NOT IN (SELECT id FROM transcript)",
    "texts without a name": "SELECT count(DISTINCT message) FROM part WHERE message NOT IN (SELECT key FROM identity)",
    "copies of no message": "SELECT count(*) FROM copy WHERE message NOT IN (SELECT message FROM part)",
    "copies in no transcript": "SELECT count(*) FROM copy WHERE transcript NOT IN (SELECT id FROM transcript)",
    "transcripts of no session": "SELECT count(*) FROM transcript WHERE session NOT IN (SELECT id FROM session)",
    "titles without a text": (
        "SELECT count(*) FROM session WHERE title_seq IS NOT NULL AND title_seq NOT IN (SELECT seq FROM part)"
    ),
    "checkpoints without a fingerprint": "SELECT count(*) FROM transcript WHERE offset > 0 AND fingerprint = ''",
}


def _forgotten(con: sqlite3.Connection) -> Iterator[Fault]:
    """Look for what was forgotten and is still there; an older layout has no tombstones yet."""
    if version(con) < WITH_TOMBSTONES:
        return
    messages = con.execute(f"SELECT count(*) {STILL_THERE}", (MESSAGE,)).fetchone()[0]
    titles = sum(map(len, forgotten_titles(con)))
    for kind, number in (("messages", messages), ("titles", titles)):
        if number:
            yield Fault(f"forgotten {kind} that are still there", number, REREAD)


def _index_faults(engine: LocalEngine) -> Iterator[Fault]:
    """Compare what the index holds with the rows up to its watermark; later ones are still on their way."""
    if engine.index is None:
        yield Fault("there is no word index", 1, REBUILD)
        return
    import tantivy

    searcher = engine.index.searcher()
    if engine.rows.meta(MUST_REBUILD):
        yield Fault("forgotten words are still in the word index", 1, REBUILD)
    high = watermark(engine.con)
    dead = {seq for seq, transcript in engine.con.execute("SELECT seq, transcript FROM dead") if transcript is None}
    rows = {
        seq: (lane, time)
        for seq, lane, time in engine.con.execute("SELECT seq, lane, time FROM part WHERE seq <= ?", (high,))
    }
    everything = tantivy.Query.all_query()
    places = [place for _, place in searcher.search(everything, max(1, searcher.num_docs), count=False).hits]
    columns = [searcher.fast_field_values(name, places) for name in ("seq", "lane", "time")]
    found = {int(seq or 0): (int(lane or 0), time) for seq, lane, time in zip(*columns, strict=True)}
    missing = rows.keys() - found.keys()
    surplus = {seq for seq in found.keys() - rows.keys() if seq <= high} - dead
    other = sum(1 for seq, facts in rows.items() if seq in found and found[seq][0] != facts[0])
    for kind, number in (
        ("texts are missing in the word index", len(missing)),
        ("words of texts that are gone are in the index", len(surplus)),
        ("texts stand in the index as something else", other),
        ("documents stand in the index twice", len(places) - len(found)),
    ):
        if number:
            yield Fault(kind, number, REBUILD)


def secrets(con: sqlite3.Connection) -> dict[str, int]:
    """Count the secrets in what is stored, by today's rules."""
    found: dict[str, int] = {}
    for _, _, _, kinds in _unmasked(con):
        for kind, number in kinds.items():
            found[kind] = found.get(kind, 0) + number
    return found


def mask_stored(con: sqlite3.Connection) -> dict[str, int]:
    """Mask them, inside a transaction; the word index must be made anew afterwards."""
    found: dict[str, int] = {}
    for table, column, row, kinds in list(_unmasked(con)):
        where = f"WHERE ({_key_of(table)})=({','.join('?' * len(row))})"
        text = con.execute(f"SELECT {column} FROM {table} {where}", row).fetchone()[0]
        masked = _mask(column, text)[0]
        con.execute(f"UPDATE {table} SET {column}=? {where}", (masked, *row))
        if table == "part":
            con.executemany(
                "INSERT OR REPLACE INTO masked SELECT transcript, pos, ?, ? FROM part WHERE seq=?",
                [(kind, number, *row) for kind, number in kinds.items()],
            )
        for kind, number in kinds.items():
            found[kind] = found.get(kind, 0) + number
    names = con.execute("SELECT id, value, base FROM label").fetchall()
    changed = [(base, number) for number, value, old in names if (base := base_name(value)) != old]
    con.executemany("UPDATE label SET base=? WHERE id=?", changed)
    return found


def _mask(column: str, text: str) -> tuple[str, dict[str, int]]:
    """Mask a stored text, in JSON value by value; the text and the kinds of secrets."""
    if column != "state":
        return masker().mask(text)
    import json

    value, kinds = masker().mask_all(json.loads(text))
    return json.dumps(value, ensure_ascii=False), kinds


# Where a text of somebody else's may stand.
_PLACES = (
    ("part", "text"),
    *(("session", column) for column in ("title", "cwd", "last_cwd", "branch")),
    ("label", "value"),  # its base is the end of it in small letters, which could look like a secret where it is none
    ("transcript", "state"),
    ("claim", "title"),
    ("problem", "detail"),
)


def _key_of(table: str) -> str:
    return "transcript,pos,kind" if table == "problem" else "rowid"


def _unmasked(con: sqlite3.Connection) -> Iterator[tuple[str, str, tuple[int | str, ...], dict[str, int]]]:
    """Give table, column, the row's key and kinds of every text with a secret."""
    mask = masker()
    for table, column in _PLACES:
        cursor = con.execute(f"SELECT {column}, {_key_of(table)} FROM {table} WHERE {column} != ''")
        while rows := cursor.fetchmany(_TEXTS_AT_ONCE):
            if mask.is_clean("\0".join([text for text, *_ in rows])):
                continue
            for text, *row in rows:
                if kinds := _mask(column, text)[1]:
                    yield table, column, tuple(row), kinds
