"""The client's half of sharing memories: everything stays here, and a server is told and asked what changed.

What is still to be delivered is told from the store itself, by the numbers of its changes, so there is no queue that
could be lost; what was delivered but not noted, as after a kill, is delivered again, which changes nothing.
"""

from __future__ import annotations

from time import monotonic

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.memories import opened_for_writing
from harkback.archive.sharing import NotUnderstood, as_json, forgotten_of, numbers_of
from harkback.engines.local import guarded
from harkback.engines.local.memories import MemoryStore
from harkback.engines.local.memory_changes import Remote
from harkback.memory.replicating import Intake, Told, told
from harkback.remote import ask, server_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.archive.memories import Memories
    from harkback.engines.local.memory_changes import Buried
    from harkback.remote import Server

AGAIN_S = 2.0
"""A process that has just asked what changed does not ask again so soon, unless it has something to tell."""

AFTER_FAILURE_MS = 30_000
"""So long a server that could not be reached is left alone, so that work without it is fast."""

DELIVERED = 100
"""So many memories are delivered in one request: a server takes some milliseconds for each."""

_MOST_BYTES = 600_000
_ROUNDS_S = 2.0
"""So long a command goes on exchanging; the next one, or `hark sync`, does the rest."""

_NOTED_MS = 60_000
_MAY = {"read": (False, False), "write": (True, False), "delete": (True, True)}

_met: dict[tuple[str, str], float] = {}
"""When this process last met a server, by archive and address."""


class Shared(NamedTuple):
    """How sharing with a server stands."""

    url: str
    contact_ms: int
    """When it last answered; 0: never."""
    waiting: int
    """Changes that are not delivered yet."""
    problem: str
    """Why, or what is wrong; empty when all is well."""


class _Answer(NamedTuple):
    store: str
    scope: str
    cursor: str
    lines: tuple[str, ...]
    forgotten: tuple[Buried, ...]
    more: bool
    bad: tuple[str, ...]


class Replica:
    """The copy here of the memories on a server."""

    def __init__(self, memories: Memories) -> None:
        """`memories` are what is shared; its settings name the server."""
        self.memories = memories
        self.folder = memories.place.data
        self.now_ms = memories.now_ms
        self.url = memories.settings.text("server.url").strip()

    def meet(self, *, whole: bool = False) -> str:
        """Exchange what changed with the server, where that is due; gives what is to be said of it, or nothing.

        Nothing of it ends a command: what is here answers. With `whole` everything is exchanged, however long it takes
        and whatever failed before. Raises MemoriesDamaged.
        """
        if not self.url:
            return ""
        remote, waiting = self._state()
        if not whole and (self._has_failed(remote) or not (waiting or self._is_due())):
            return ""
        try:
            server = server_of(self.memories.settings, self.folder)
            assert server is not None
            _met[self.folder, self.url] = monotonic()
            return self._exchange(server, monotonic() + _ROUNDS_S if not whole else None)
        except (errors.ServerAway, errors.ServerRefuses, errors.ServerStuck, errors.ServerOdd) as error:
            return self._note_failure(str(error))
        except (
            errors.BadServer, errors.NoToken, errors.TokenExposed, errors.FileUnreadable,
            errors.ArchiveReadOnly, errors.DiskFull,
        ) as error:  # fmt: skip
            return str(error)

    def shared(self) -> Shared | None:
        """Say how sharing stands; None where no server was set."""
        if not self.url:
            return None
        remote, waiting = self._state()
        problem = remote.problem
        if waiting and not problem and remote.scope != "delete":
            problem = f"The token there is for {remote.scope} only, so some of what changed here stays here."
        try:
            server_of(self.memories.settings, self.folder)
        except errors.HarkError as error:
            problem = str(error)
        return Shared(self.url, remote.contact_ms, waiting, problem)

    def _state(self) -> tuple[Remote, int]:
        store = MemoryStore.open(self.folder)
        if store is None:
            return Remote(self.url), 0
        with store:
            remote = store.changes.remote(self.url)
            return remote, store.changes.waiting(remote)

    def _has_failed(self, remote: Remote) -> bool:
        return 0 <= self.now_ms - remote.failed_ms < AFTER_FAILURE_MS

    def _is_due(self) -> bool:
        return monotonic() - _met.get((self.folder, self.url), -AGAIN_S) >= AGAIN_S

    def _note_failure(self, problem: str) -> str:
        try:
            with guarded(self.folder), opened_for_writing(self.folder, self.now_ms) as store, store.writing():
                remote = store.changes.remote(self.url)
                store.changes.set_remote(remote._replace(failed_ms=self.now_ms, problem=problem))
        except (errors.ArchiveReadOnly, errors.DiskFull):
            pass  # then it is tried again by the next command
        return problem

    # -- one exchange --------------------------------------------------------------------------------------------

    def _exchange(self, server: Server, until: float | None) -> str:
        refused: list[str] = []
        while True:
            remote, page = self._page()
            body = {"since": remote.cursor, "lines": page.lines, "forgotten": as_json(page.forgotten)}
            answer = _answer(server, ask(server, body))
            refused += answer.bad
            is_more = self._take(remote, page, answer)
            if not is_more or (until is not None and monotonic() > until):
                break
        return f"{server.url} did not take over {len(refused):,} changes: {refused[0]}" if refused else ""

    def _page(self) -> tuple[Remote, Told]:
        """Read what is to be told next, of what the token allows."""
        store = None
        if MemoryStore.exists(self.folder):
            store = MemoryStore.open(self.folder)
            if store is not None and not store.changes.is_there:
                store.close()
                store = opened_for_writing(self.folder, self.now_ms)
        if store is None:
            return Remote(self.url), Told((), (), 0, 0, more=False)
        with store:
            remote = store.changes.remote(self.url)
            may_write, may_delete = _MAY.get(remote.scope, (False, False))
            page = told(
                store,
                remote.sent,
                remote.sent_keys,
                most=DELIVERED,
                most_bytes=_MOST_BYTES,
                own=True,
                has_lines=may_write,
                has_keys=may_delete,
            )
            return remote, page

    def _take(self, remote: Remote, page: Told, answer: _Answer) -> bool:
        """Take in what was answered, and note how far one is; gives whether there is more to exchange."""
        may_write, may_delete = _MAY.get(answer.scope, (False, False))
        is_other = bool(remote.store) and remote.store != answer.store
        is_other = is_other or numbers_of(answer.cursor) < numbers_of(remote.cursor)
        is_told = bool(page.lines or page.forgotten)
        now = remote._replace(
            store=answer.store,
            cursor=answer.cursor,
            sent=max(remote.sent, page.upto if may_write else 0),
            sent_keys=max(remote.sent_keys, page.upto_keys if may_delete else 0),
            scope=answer.scope,
            failed_ms=0,
            problem="",
        )
        is_news = bool(answer.lines or answer.forgotten or is_told or is_other)
        is_news = is_news or now._replace(sent=remote.sent, sent_keys=remote.sent_keys) != remote
        if not is_news and 0 <= self.now_ms - remote.contact_ms < _NOTED_MS:
            return False
        with guarded(self.folder), opened_for_writing(self.folder, self.now_ms) as store:
            with store.writing():
                if not (_MAY[remote.scope][1] and may_delete):
                    store.changes.keep_alone(remote.sent_keys)
                if is_other:
                    store.changes.begin_anew()
                    store.changes.set_remote(Remote(self.url, answer.store, scope=answer.scope))
                    return True
                has_taken_out = self._take_in(store, remote, now, answer)
            if has_taken_out:
                store.empty_log()
            # What was taken in may have made something new, such as one memory of two.
            has_own = bool(store.changes.since(store.changes.remote(self.url).sent, 1, own=True))
        return answer.more or (has_own and may_write) or (page.more and may_delete)

    def _take_in(self, store: MemoryStore, remote: Remote, now: Remote, answer: _Answer) -> bool:
        intake = Intake(store, self.now_ms, sent=remote.sent)
        has_taken_out = intake.bury(answer.forgotten)
        intake.read(answer.lines)
        there = store.changes.remote(self.url)  # another process may be further by now
        if there.store == now.store:
            ahead = max(now.cursor, there.cursor, key=numbers_of)
            sent, keys = max(now.sent, there.sent), max(now.sent_keys, there.sent_keys)
            now = now._replace(cursor=ahead, sent=sent, sent_keys=keys)
        if not store.changes.waiting(now):  # then what was received need not be looked through again
            now = now._replace(sent=store.changes.last(), sent_keys=store.changes.last())
        store.changes.set_remote(now._replace(contact_ms=self.now_ms))
        return has_taken_out


def _answer(server: Server, value: dict[str, Any]) -> _Answer:
    """Read an answer. Raises ServerOdd."""
    lines, bad = value.get("lines"), value.get("bad", [])
    store, scope, cursor = value.get("store"), value.get("scope"), value.get("cursor")
    if not isinstance(store, str) or not store or scope not in _MAY or not isinstance(cursor, str):
        raise errors.ServerOdd(server.url, "its answer lacks store, scope or cursor")
    if not all(isinstance(some, list) and all(isinstance(one, str) for one in some) for some in (lines, bad)):
        raise errors.ServerOdd(server.url, "its answer has no list of lines")
    try:
        numbers_of(cursor)
        forgotten = forgotten_of(value.get("forgotten", []))
    except NotUnderstood as error:
        raise errors.ServerOdd(server.url, error) from error
    assert isinstance(lines, list)
    return _Answer(store, str(scope), cursor, tuple(lines), forgotten, bool(value.get("more")), tuple(bad))
