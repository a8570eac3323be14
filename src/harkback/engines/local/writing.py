"""Storing what was read, batch by batch, so that a kill at any moment loses nothing and doubles nothing.

A batch is three steps. A: one SQLite transaction writes rows, identities and checkpoints, and notes in `dead` what
the index must drop. B: the index drops what `dead` names, takes in every row above its watermark and commits.
C: SQLite records the watermark and clears those `dead` rows. Documents are handed to the index's writer while the
batch is read, so that it works beside us, but only step B makes them count. Whoever opens the archive for writing
after a kill finds a watermark that is behind, removes whatever the index holds above it and does B and C again.
"""

from __future__ import annotations

import os

from harkback._record import NamedTuple
from harkback.engines.local.erasing import (
    EVER_EXCLUDED,
    MESSAGE,
    SESSION,
    TITLE,
    head_of,
    is_empty,
    session_key,
    title_key,
    tombs,
    without,
)
from harkback.engines.local.forgetting import forget_rows, set_time
from harkback.engines.local.ids import key_of
from harkback.engines.local.labels import Labels
from harkback.engines.local.opened import Open
from harkback.engines.local.pending import add_rows, facts_above, is_behind, watermark
from harkback.engines.local.schema import EXCLUDED, FILE, add_tally, chunks, guarded, transaction
from harkback.engines.local.titles import claims, write_title
from harkback.engines.local.words import Facts
from harkback.model import (
    LANE_ROLES,
    TALK,
    UNREADABLE,
    Checkpoint,
    Message,
    Problem,
    Session,
    SessionTitle,
    Transcript,
)
from harkback.redact import masker
from harkback.text.batch import token_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from typing import Self

    from harkback.engines.local.words import Words
    from harkback.model import Record

CHUNK_BYTES = 1 << 20
"""Records of so many bytes are folded, numbered and handed to the index's thread at once."""

BOUNDED_BYTES = 8 << 10
"""What a record counts for at most: of the longest ones most is tool output, which is bounded."""

MOST_CHARS = 2_000_000
"""A text of more characters is kept in part only."""

BATCH_CHARS = 24 << 20
"""So much text is committed at once: about half a second of work, and what a kill makes us read again."""

WAL_BYTES = 32 << 20
"""A larger write-ahead log is emptied at once; beside a busy reader it would otherwise grow without bound."""

HEAP_BYTES = 96_000_000
SMALL_HEAP_BYTES = 15_000_000


FACTS_POS, NAME_POS = -2, -3
"""Where secrets count that stood in what a session tells of itself, and in the name its agent gave it elsewhere."""

_AS_NEW = "UPDATE transcript SET size=-1, fingerprint=''"


class Owner(NamedTuple):
    """Who has the rows of a message that may stand in several transcripts."""

    message: int
    seq: int
    """Of its first part."""
    time_ms: int | None
    session: int


class Writing:
    """Writes to one archive; use it in a `with` block and call `commit` where a batch may end."""

    def __init__(self, con: sqlite3.Connection, words: Words, folder: str, *, small: bool, threads: int = 1) -> None:
        """Open for writing and mend what an interrupted run left; `small` when only little will be written."""
        self.con = con
        self.words = words
        self.folder = folder
        self.pending: int | None = None
        """How many transcripts are still to be read, as it is stored with each batch."""
        self.messages_written = 0
        self._heap = SMALL_HEAP_BYTES if small else HEAP_BYTES
        self._labels = Labels(con, folder)
        self._masker = masker()
        self._forgotten_messages = tombs(con, MESSAGE)
        self._forgotten_titles = tombs(con, TITLE)
        self._forgotten_sessions = tombs(con, SESSION)
        self._indexes = words.can_write(heap_bytes=self._heap, threads=threads)
        if self._indexes and self._behind():
            self._index_from_rows(clean=True)
        self._start_batch()
        self._has_problems = con.execute("SELECT 1 FROM problem LIMIT 1").fetchone() is not None
        if self._first == 1:
            # Nothing is kept yet that a power failure could take; `kill -9` loses nothing either way.
            con.execute("PRAGMA synchronous=OFF")

    # -- a batch ---------------------------------------------------------------------------------------------

    def _start_batch(self) -> None:
        self._seq = self._first = self._high_water() + 1
        self._rows: list[tuple[object, ...]] = []
        self._identities: dict[int, int] = {}
        self._owners: dict[int, Owner] = {}
        """By identity: who has the rows of the message."""
        self._earlier: dict[int, int] = {}
        self._sharing: set[int] = set()
        """Sessions whose messages also stand in others."""
        self._copies: list[tuple[int, int, int, int]] = []
        self._problems: list[tuple[int, int, int, str, str]] = []
        self._secrets: list[tuple[int, int, str, int]] = []
        self._claims: list[tuple[int, int, str]] = []
        """The transcript that tells it, the message it names, the title."""
        self._open: dict[int, Open] = {}
        self._forgotten: set[int] = set()
        """Transcripts whose rows are replaced."""
        self._waiting: list[tuple[Open, Message]] = []
        self._waiting_bytes = 0
        self.chars = 0

    def _high_water(self) -> int:
        row = self.con.execute("SELECT seq FROM sqlite_sequence WHERE name='part'").fetchone()
        return row[0] if row else 0

    def register(self, transcripts: Sequence[Transcript]) -> None:
        """Give numbers to transcripts that are about to be begun, in one short transaction."""
        fresh = [one for one in transcripts if not self._is_registered(one)]
        if not fresh:
            return
        with guarded(self.folder), transaction(self.con) as con:
            con.executemany(
                "INSERT OR IGNORE INTO session(agent, native) VALUES(?, ?)", [(t.agent, t.native) for t in fresh]
            )
            con.executemany(
                "INSERT OR IGNORE INTO transcript(agent, path, session, size, mtime, inode, offset, fingerprint, state,"
                " parser, messages) SELECT ?1, ?2, id, -1, ?3, 0, 0, '', '', 0, 0 FROM session"
                " WHERE agent=?1 AND native=?4",
                [(t.agent, t.path, t.mtime_ns, t.native) for t in fresh],
            )

    def _is_registered(self, one: Transcript) -> bool:
        return self.con.execute("SELECT 1 FROM transcript WHERE path=?", (one.path,)).fetchone() is not None

    def begin(self, transcript: Transcript, parser: int) -> Open:
        """Take up a registered transcript that version `parser` of its source is about to read."""
        number, session, project, *seen, offset, fingerprint, state = self.con.execute(
            "SELECT transcript.id, session.id, ifnull(project, 0), size, mtime, parser, offset, fingerprint, state"
            " FROM transcript JOIN session ON session.id = session WHERE path=?",
            (transcript.path,),
        ).fetchone()
        opened = self._open[number] = Open(number, session, transcript, parser)
        opened.project = project
        if fingerprint not in {"", EXCLUDED}:
            opened.before = Checkpoint(offset, fingerprint, state)
            # Same size but another mtime: changed in place, which no fingerprint of a growing file promises to see.
            is_edited = seen[0] == transcript.size and seen[1] != transcript.mtime_ns
            opened.must_reread = is_edited or seen[2] != parser
        else:
            opened.must_reread = self.has_rows(opened)
        return opened

    def has_rows(self, opened: Open) -> bool:
        """Whether messages of a transcript are stored already."""
        row = self.con.execute("SELECT 1 FROM part WHERE transcript=? AND pos >= 0 LIMIT 1", (opened.number,))
        return row.fetchone() is not None

    def set_project(self, opened: Open, project: str) -> None:
        """Say to which repository or folder the transcript's messages belong from here on."""
        opened.project = self._labels.number("project", self._masker.mask(project)[0]) if project else 0

    def add_message(self, opened: Open, message: Message) -> None:
        """Take in one message of an opened transcript: the hot path of a first sync."""
        if opened.is_dropped:
            return
        length = message.length
        if length > MOST_CHARS:
            message = self._cut_long(opened, message)
        self._open[opened.number] = opened
        self._waiting.append((opened, message))
        self._waiting_bytes += min(BOUNDED_BYTES, length)
        if self._waiting_bytes > CHUNK_BYTES:
            self._take_in()

    def add(self, opened: Open, record: Record) -> None:
        """Take in one record of an opened transcript. A `Restart` goes to `restart` instead."""
        self._open[opened.number] = opened
        match record:
            case Message():
                self.add_message(opened, record)
            case Checkpoint():
                opened.checkpoint = record._replace(state=self._masker.mask_json(record.state))
            case Session():
                opened.is_dropped = opened.is_dropped or (
                    bool(self._forgotten_sessions)
                    and session_key(opened.agent, record.native) in self._forgotten_sessions
                )
                opened.facts = self._masked_facts(opened, record)
                if self._is_forgotten(opened.facts.title):
                    opened.unwanted.add(opened.facts.title)
                    opened.facts = opened.facts._replace(title="", title_rank=0)
            case Problem():
                detail, _ = self._masker.mask(record.detail)
                where = (opened.number, record.offset, record.length, record.kind, detail)
                self._problems.append(where)
            case SessionTitle():
                key = key_of(opened.agent, record.key)
                title, kinds = self._masker.mask(record.title)
                if key not in self._forgotten_messages and not self._is_forgotten(title):
                    self._claims.append((opened.number, key, title))
                    self._count_secrets(opened, -key, kinds)
            case _:
                raise AssertionError(record)

    def _masked_facts(self, opened: Open, facts: Session) -> Session:
        """Mask a session's title, branch and folders, and count what was in them."""
        texts = (facts.title, facts.branch, facts.cwd, facts.last_cwd)
        masked = {text: self._masker.mask(text) for text in texts}
        counted: dict[str, int] = {}
        for text, (_, kinds) in masked.items():
            if text != facts.title or facts.title_rank > 0:  # else it stands in the prompt, and counts there
                for kind, number in kinds.items():
                    counted[kind] = counted.get(kind, 0) + number
        self._count_secrets(opened, FACTS_POS, counted)
        title, branch, cwd, last_cwd = (masked[text][0] for text in texts)
        return facts._replace(title=title, branch=branch, cwd=cwd, last_cwd=last_cwd)

    def _count_secrets(self, opened: Open, pos: int, kinds: dict[str, int]) -> None:
        """Count what was masked at a place, again as often as it is read; that of no record lies below 0."""
        self._secrets += [(opened.number, pos, kind, number) for kind, number in kinds.items()]

    def _is_forgotten(self, title: str) -> bool:
        return bool(self._forgotten_titles) and title_key(title) in self._forgotten_titles

    def _cut_long(self, opened: Open, message: Message) -> Message:
        """Cut texts that no one wrote by hand, and say so; the rest can be read with `hark show --raw`."""
        parts = []
        for part in message.parts:
            text = part.text
            if len(text) > MOST_CHARS:
                detail = f"{len(text)} characters; the first and last {MOST_CHARS // 2} are searched"
                self._problems.append((opened.number, message.offset, message.length, "text-cut", detail))
                first = self._masker.before(text, MOST_CHARS // 2)
                last = self._masker.after(text, len(text) - MOST_CHARS // 2)
                text = f"{text[:first]}\n...\n{text[last:]}"
            parts.append(part._replace(text=text))
        return message._replace(parts=tuple(parts))

    # -- from messages to rows ---------------------------------------------------------------------------------

    def _take_in(self) -> None:
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if not waiting:
            return
        waiting = self._without_secrets(waiting)
        keyed = [
            (opened, message, key_of(opened.agent, message.key), key_of(opened.agent, message.copy_key))
            for opened, message in waiting
        ]
        if self._forgotten_messages:
            keyed = [one for one in keyed if not self._is_unwanted(*one)]
        self._find_owners([key for _, _, *keys in keyed for key in keys if key])
        self._labels.learn([(opened, message) for opened, message, _, _ in keyed])
        rows: list[tuple[object, ...]] = []
        facts: list[Facts] = []
        owners = self._owners
        for opened, message, first, second in keyed:
            owner = owners.get(first) or (owners.get(second) if second else None)
            if owner is not None:
                self._note_copy(owner, opened, message, first, second)
            else:
                self._number(opened, message, first, second, rows, facts)
        texts = [str(row[-1]) for row in rows]
        self.chars += sum(map(len, texts))
        self._rows += rows
        if self._indexes and facts:
            self.words.add(facts, token_strings(texts))

    def _is_unwanted(self, opened: Open, message: Message, first: int, second: int) -> bool:
        """Whether a message was forgotten; then the transcript's title must not be made of its beginning."""
        if first not in self._forgotten_messages and second not in self._forgotten_messages:
            return False
        opened.unwanted.update(head_of(part.text) for part in message.parts if part.lane == TALK)
        return True

    def _without_secrets(self, waiting: list[tuple[Open, Message]]) -> list[tuple[Open, Message]]:
        """Mask secrets in what waits to be stored; nothing is kept of them but their number."""
        is_clean = self._masker.is_clean
        branches = {message.branch for _, message in waiting}
        names = [path for _, message in waiting for part in message.parts for path in part.files]
        if is_clean("\0".join([part.text for _, message in waiting for part in message.parts])) and is_clean(
            "\0".join([*branches, *names])
        ):
            return waiting
        masked = {branch: self._masker.mask(branch)[0] for branch in branches}  # not counted: it stands in every record
        return [(opened, self._masked(opened, message, masked[message.branch])) for opened, message in waiting]

    def _masked(self, opened: Open, message: Message, branch: str) -> Message:
        kinds: dict[str, int] = {}

        def mask(text: str) -> str:
            masked, found = self._masker.mask(text)
            for kind, number in found.items():
                kinds[kind] = kinds.get(kind, 0) + number
            return masked

        parts = tuple(part._replace(text=mask(part.text), files=tuple(map(mask, part.files))) for part in message.parts)
        self._count_secrets(opened, message.offset, kinds)
        return message._replace(parts=parts, branch=branch) if kinds or branch != message.branch else message

    def _find_owners(self, keys: list[int]) -> None:
        if self._first == 1:
            return  # nothing was stored before this batch
        fresh = [key for key in keys if key not in self._owners]
        for some in chunks(fresh):
            marks = ",".join("?" * len(some))
            self._owners.update(
                (key, Owner(message, seq, time, session))
                for key, message, seq, time, session, transcript in self.con.execute(
                    "SELECT identity.key, part.message, part.seq, part.time, session, part.transcript FROM identity"
                    " JOIN part ON part.seq = identity.seq JOIN transcript ON transcript.id = part.transcript"
                    f" WHERE identity.key IN ({marks})",
                    some,
                )
                if transcript not in self._forgotten
            )

    def _note_copy(self, owner: Owner, opened: Open, message: Message, first: int, second: int) -> None:
        if message.time_ms is not None and owner.time_ms is not None and message.time_ms < owner.time_ms:
            # Claude Code 1.0 wrote the time of the resume into its copies: it was said when it was said first.
            self._earlier[owner.message] = min(message.time_ms, self._earlier.get(owner.message, message.time_ms))
        if owner.session != opened.session:  # a moved transcript says nothing twice
            self._sharing.add(owner.session)
            opened.messages += any(part.lane == TALK for part in message.parts)
            opened.chars += sum(len(part.text) for part in message.parts if part.lane == TALK)
        self._copies.append((owner.message, opened.number, message.offset, message.length))
        for key in (first, second):
            if key and key not in self._owners:
                self._owners[key] = owner
                self._identities[key] = owner.seq

    def _number(
        self,
        opened: Open,
        message: Message,
        first: int,
        second: int,
        rows: list[tuple[object, ...]],
        facts: list[Facts],
    ) -> None:
        _, offset, length, role, time_ms, parts, _, model_name, branch_name, _ = message
        labels = self._labels
        seq, number, session, project = self._seq, opened.number, opened.session, opened.project
        owner = Owner(first, seq, message.time_ms, session)
        self._owners[first] = owner
        self._identities[first] = seq
        if second:
            self._owners[second] = owner
            self._identities[second] = seq
        agent = labels.agents[opened.agent]
        model = labels.models[model_name] if model_name else None
        branch = labels.branches[branch_name] if branch_name else None
        has_talk = False
        for lane, text, tool_name, paths, _, _, _ in parts:
            tool = labels.tools[tool_name] if tool_name else None
            if lane == TALK:
                has_talk = True
                opened.chars += len(text)
            if paths:
                files = tuple([labels.files[path] for path in paths])
                listed = " ".join(map(str, files))
            else:
                files, listed = (), None
            said_by = LANE_ROLES.get(lane, role)
            rows.append((seq, number, offset, length, first, lane, said_by, time_ms, tool, model, branch, listed, text))
            facts.append(Facts(seq, number, session, project, agent, lane, said_by, time_ms, tool, branch, files))
            seq += 1
        self._seq = seq
        opened.messages += has_talk

    # -- A, B, C -----------------------------------------------------------------------------------------------

    def commit(self) -> None:
        """End the batch: everything added so far is stored and found from now on. Raises DiskFull."""
        self._take_in()
        if not self._open:
            return
        with guarded(self.folder):
            is_in_order = self._write_rows()
            if self._indexes:
                if is_in_order:
                    self._finish_index()
                else:
                    self.words.rollback()
                    self._index_from_rows(clean=False)
            self._empty_wal(WAL_BYTES)
        self._start_batch()

    def _write_rows(self) -> bool:
        """Do step A. False when another writer took numbers meanwhile, so that ours had to move up."""
        with transaction(self.con) as con:
            for number in self._forgotten:
                forget_rows(con, number, {int(str(row[4])) for row in self._rows if row[1] == number})
            shift = self._high_water() + 1 - self._first
            if shift:
                self._rows = [(int(str(row[0])) + shift, *row[1:]) for row in self._rows]
                self._identities = {
                    key: seq + shift if seq >= self._first else seq for key, seq in self._identities.items()
                }
            con.executemany("INSERT INTO part VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", self._rows)
            con.executemany("INSERT OR REPLACE INTO identity VALUES(?,?)", sorted(self._identities.items()))
            con.executemany("INSERT OR IGNORE INTO copy VALUES(?,?,?,?)", sorted(self._copies))
            con.executemany("UPDATE session SET shared=1 WHERE id=?", [(number,) for number in sorted(self._sharing)])
            for message, time_ms in sorted(self._earlier.items()):
                set_time(con, message, time_ms)
            before = con.total_changes
            con.executemany("INSERT OR IGNORE INTO problem VALUES(?,?,?,?,?)", self._problems)
            problems = con.total_changes - before
            con.executemany("INSERT OR REPLACE INTO masked VALUES(?,?,?,?)", self._secrets)
            con.executemany("INSERT OR REPLACE INTO claim VALUES(?,?)", [claim[1:] for claim in self._claims])
            for opened in self._open.values():
                self._close_transcript(con, opened)
            talk = sum(opened.messages for opened in self._open.values())
            add_tally(con, messages=talk, parts=len(self._rows), problems=problems)
            if self.pending is not None:
                con.execute("INSERT OR REPLACE INTO meta VALUES('pending', ?)", (self.pending,))
        for opened in self._open.values():
            opened.messages, opened.chars, opened.checkpoint = 0, 0, None
        self.messages_written += talk
        return not shift

    def _leave_out(self, con: sqlite3.Connection, opened: Open) -> None:
        """Note that something was ever excluded, and keep no title and no time of what was forgotten."""
        if opened.checkpoint is not None and opened.checkpoint.fingerprint == EXCLUDED:
            con.execute("INSERT OR REPLACE INTO meta VALUES(?, 1)", (EVER_EXCLUDED,))
        if opened.facts is not None and not opened.facts.title_rank and opened.facts.title in opened.unwanted:
            # Made of the first prompt, which was forgotten; the session may have had another title then.
            opened.facts = opened.facts._replace(title="")
        if opened.facts is not None and self._forgotten_messages and is_empty(con, opened.session):
            # All that was said in it was forgotten where it was said first.
            opened.unwanted.add(opened.facts.title)
            opened.facts = opened.facts._replace(title="", title_rank=0, started_ms=None, ended_ms=None)

    def _close_transcript(self, con: sqlite3.Connection, opened: Open) -> None:
        """Record how far a transcript was read and what is known of its session."""
        at, place = opened.checkpoint, opened.transcript
        self._leave_out(con, opened)
        if at is not None:
            for title in opened.unwanted:
                at = at._replace(state=without(at.state, title))
            if self._has_problems:
                cured = "DELETE FROM problem WHERE transcript=? AND kind=?"
                add_tally(con, problems=-con.execute(cured, (opened.number, UNREADABLE)).rowcount)
            con.execute(
                "UPDATE transcript SET size=?, mtime=?, inode=?, offset=?, fingerprint=?, state=?, parser=?,"
                " messages=messages+?, chars=chars+?, gone=NULL WHERE id=?",
                (
                    # A transcript read in part must look changed to whoever goes on.
                    place.size if opened.is_whole else min(place.size, at.offset),
                    place.mtime_ns,
                    place.inode,
                    at.offset,
                    at.fingerprint,
                    at.state,
                    opened.parser,
                    opened.messages,
                    opened.chars,
                    opened.number,
                ),
            )
        if opened.is_unreadable:
            con.execute("UPDATE transcript SET size=-1 WHERE id=?", (opened.number,))
        if opened.is_torn:
            con.execute("UPDATE transcript SET offset=0, fingerprint='', state='' WHERE id=?", (opened.number,))
        if opened.facts is None:
            return
        facts = opened.facts
        # Whose an old `agent-<id>.jsonl` is, only its rows know: the id may be another than the place told.
        if facts.native != place.native:
            con.execute("UPDATE OR IGNORE session SET native=? WHERE id=?", (facts.native, opened.session))
        con.execute(
            "UPDATE session SET project=?1, cwd=?2, last_cwd=?3, branch=?4, parent=?5, relation=?6, agent_type=?7,"
            " started=min(ifnull(started, ?8), ifnull(?8, started)), ended=max(ifnull(ended, ?9), ifnull(?9, ended))"
            " WHERE id=?10",
            (
                opened.project,
                facts.cwd,
                facts.last_cwd,
                facts.branch,
                facts.parent,
                facts.relation,
                facts.agent_type,
                facts.started_ms,
                facts.ended_ms,
                opened.session,
            ),
        )
        write_title(con, opened, facts)

    def _finish_index(self) -> None:
        """Do B and C after a batch whose documents the index's writer already has, all but the titles."""
        high = self._high_water()
        titles = facts_above(self.con, self._first + len(self._rows) - 1)
        add_rows(self.words, titles)
        self._drop_dead_and_commit(high)

    def _drop_dead_and_commit(self, high: int) -> None:
        dead = self.con.execute("SELECT rowid, seq, transcript FROM dead").fetchall()
        for _, seq, transcript in dead:
            self.words.remove(seq=seq, transcript=transcript)
        self.words.commit()
        with transaction(self.con) as con:
            # A rebuild may have put another index in our place: then the next writer tells that one.
            if con.execute("SELECT value FROM meta WHERE key='words'").fetchone() == (
                os.path.basename(self.words.folder),
            ):
                con.execute("INSERT OR REPLACE INTO meta VALUES('indexed', ?)", (high,))
                con.executemany("DELETE FROM dead WHERE rowid=?", [(row[0],) for row in dead])

    def _behind(self) -> bool:
        return is_behind(self.con)

    def _index_from_rows(self, *, clean: bool) -> None:
        """Do B and C from the rows alone; `clean` first removes what the index holds above its watermark."""
        mark, high = watermark(self.con), self._high_water()
        if clean:
            self.words.remove_above(mark)
        add_rows(self.words, facts_above(self.con, mark))
        self._drop_dead_and_commit(high)

    def _empty_wal(self, above_bytes: int) -> None:
        try:
            size = os.stat(os.path.join(self.folder, FILE + "-wal")).st_size
        except OSError:
            return
        if size > above_bytes:
            self.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    # -- what no longer stands -----------------------------------------------------------------------------------

    def restart(self, opened: Open) -> None:
        """Forget what was read of a transcript; it is replaced when the batch that begins here is committed.

        The old rows go in the same transaction that writes the first new ones, so that nothing is lost when the
        transcript cannot be read after all.
        """
        self.commit()
        self._forgotten.add(opened.number)
        self._open[opened.number] = opened
        opened.messages = opened.chars = opened.project = 0
        opened.checkpoint = opened.facts = None

    def move(self, old: str, new: str, *, anew: bool = False) -> None:
        """Note that a transcript lies elsewhere now; `anew` to have it read from its beginning."""
        with guarded(self.folder), transaction(self.con) as con:
            con.execute("UPDATE OR IGNORE transcript SET path=?, gone=NULL WHERE path=?", (new, old))
            if anew:
                con.execute("UPDATE transcript SET size=-1, offset=0, fingerprint='', state='' WHERE path=?", (new,))

    def mark_gone(self, paths: Sequence[str], now_ms: int) -> None:
        """Note that these transcripts are no longer on disk; what was read of them stays."""
        with guarded(self.folder), transaction(self.con) as con:
            con.executemany("UPDATE transcript SET gone=? WHERE path=? AND gone IS NULL", [(now_ms, p) for p in paths])

    def mark_back(self, paths: Sequence[str]) -> None:
        """Note that these transcripts are on disk after all."""
        with guarded(self.folder), transaction(self.con) as con:
            con.executemany("UPDATE transcript SET gone=NULL WHERE path=?", [(path,) for path in paths])

    def keep_folders(self, agent: str, folders: dict[str, int], *, whole: bool) -> None:
        """Note the folders in which transcripts appear, with their mtimes; `whole` replaces what was known."""
        with guarded(self.folder), transaction(self.con) as con:
            if whole:
                con.execute("DELETE FROM folder WHERE agent=?", (agent,))
            con.executemany(
                "INSERT OR REPLACE INTO folder VALUES(?, ?, ?)", [(p, agent, m) for p, m in folders.items()]
            )

    def set_meta(self, **values: object) -> None:
        """Keep facts about the archive as a whole."""
        with guarded(self.folder), transaction(self.con) as con:
            con.executemany("INSERT OR REPLACE INTO meta VALUES(?, ?)", list(values.items()))

    def rename(self, agent: str, names: dict[str, tuple[str, int]]) -> None:
        """Give sessions of an agent the names it keeps outside their transcripts: title and rank, by its own id."""
        fresh: list[tuple[Open, Session]] = []
        rows = self.con.execute(
            "SELECT session.id, native, title, started, transcript.id, path FROM session JOIN transcript"
            " ON transcript.session = session.id WHERE session.agent=? AND title_rank <= ? AND started IS NOT NULL"
            # What was not read, or in which nothing is left, has no start; what was not read yet learns its name then,
            # if it is to be read at all.
            " AND fingerprint NOT IN ('', ?) GROUP BY session.id",
            (agent, max((rank for _, rank in names.values()), default=-1), EXCLUDED),
        )
        for session, native, title, started, number, path in rows.fetchall():
            name, rank = names.get(native, ("", 0))
            name, kinds = self._masker.mask(name)
            if self._is_forgotten(name):
                continue
            if name and name != title:
                facts = Session(agent, native, name, rank, started_ms=started)
                fresh.append((Open(number, session, Transcript(agent, path, native, 0, 0)), facts))
                self._count_secrets(fresh[-1][0], NAME_POS, kinds)
        self._retitle(fresh)

    def exclude(self, opened: Open) -> None:
        """Keep nothing of a transcript that is not to be read; it is looked at again when it changes."""
        opened.is_dropped = opened.is_whole = True
        opened.facts = None
        opened.checkpoint = Checkpoint(0, EXCLUDED)
        self._waiting = [one for one in self._waiting if one[0] is not opened]
        self._claims = [one for one in self._claims if one[0] != opened.number]
        self._problems = [one for one in self._problems if one[0] != opened.number]
        self._secrets = [one for one in self._secrets if one[0] != opened.number]

    def set_exclusion(self, pattern: str, kind: str | None) -> bool:
        """Keep a pattern of projects, or drop it (None); whether anything changed."""
        with guarded(self.folder), transaction(self.con) as con:
            before = con.total_changes
            if kind is None:
                con.execute("DELETE FROM exclusion WHERE pattern=?", (pattern,))
            else:
                con.execute("INSERT OR REPLACE INTO exclusion VALUES(?, ?)", (pattern, kind))
            changed = con.total_changes > before
            if kind != EXCLUDED:
                # What was passed over may be wanted now.
                con.execute(f"{_AS_NEW} WHERE fingerprint=?", (EXCLUDED,))
        return changed

    def want_again(self, paths: Sequence[str]) -> None:
        """Have transcripts read that were passed over, as if they were new."""
        with guarded(self.folder), transaction(self.con) as con:
            con.executemany(f"{_AS_NEW} WHERE path=?", [(path,) for path in paths])

    def settle_titles(self, *, all_is_read: bool = False) -> None:
        """Give the titles that old Claude Code kept in other files to the sessions they speak of.

        Once `all_is_read`, a title whose message nobody has may be that of an excluded session, and is dropped. So is
        one that was forgotten: older programs left it here.
        """
        dropped = {key for key, title in self.con.execute("SELECT key, title FROM claim") if self._is_forgotten(title)}
        if all_is_read and self.con.execute("SELECT 1 FROM meta WHERE key=?", (EVER_EXCLUDED,)).fetchone():
            nobodys = "SELECT key FROM claim WHERE NOT EXISTS(SELECT 1 FROM identity WHERE identity.key = claim.key)"
            dropped.update(key for (key,) in self.con.execute(nobodys))
        if dropped:
            with guarded(self.folder), transaction(self.con) as con:
                con.executemany("DELETE FROM claim WHERE key=?", [(key,) for key in sorted(dropped)])
            self._empty_wal(0)
        self._retitle(claims(self.con))

    def _retitle(self, titles: list[tuple[Open, Session]]) -> None:
        if not titles:
            return
        with guarded(self.folder):
            with transaction(self.con) as con:
                for opened, facts in titles:
                    write_title(con, opened, facts)
                con.executemany("INSERT OR REPLACE INTO masked VALUES(?,?,?,?)", self._secrets)
            if self._indexes:
                self._index_from_rows(clean=False)
        self._start_batch()

    # -- the end -------------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.words.rollback()
        self.close(merge=False)

    def close(self, *, merge: bool) -> None:
        """Give the locks back; `merge` waits for the index to merge its segments."""
        self.words.close(merge=merge)
        self.con.execute("PRAGMA synchronous=NORMAL")
        self._empty_wal(4 << 20)
