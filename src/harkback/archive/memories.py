"""The half of the archive that is about memories: remember, recall, list, change, forget."""

from __future__ import annotations

import os
import re
from time import monotonic

from harkback import errors
from harkback._record import NamedTuple
from harkback.agents import asking_sessions
from harkback.config import DEFAULTS
from harkback.engines.local import LocalEngine, guarded, undamaged
from harkback.engines.local.ids import is_memory_id
from harkback.engines.local.memories import MemoryStore
from harkback.ingest.excluded import sealed_paths
from harkback.ingest.projects import repository_of
from harkback.memory.asking import question
from harkback.memory.recall import Wanted, Weights, recall
from harkback.model import (
    ACTIVE,
    AGENT,
    ARCHIVED,
    DONE,
    FACT,
    PERSON,
    SUPERSEDED,
    TASK,
    USER,
    Memory,
    StoredPart,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import tzinfo

    from harkback.config import Place, Settings
    from harkback.engines.local.memories import Profile
    from harkback.memory.asking import Question
    from harkback.memory.bin import InBin
    from harkback.memory.recall import Recalled
    from harkback.memory.saving import Saved
    from harkback.models.embedders import Embedders
    from harkback.occasions import Occasion

HERE, EVERYWHERE = "here", "everywhere"

_AT_ONCE = 200
_AT_ONCE_S = 0.3
"""Of many facts so many are stored together, or as many as there is time for: another process may wait to save one."""

_ANY_TEXT = "a text that says enough"


class Details(NamedTuple):
    """What is said of a fact besides its text; None: not said."""

    kind: str | None = None
    importance: int | None = None
    entities: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    date: str | None = None
    project: str | None = None
    """A project's name or path, "" for everywhere."""
    supersedes: str = ""
    source: str = ""
    """The id of the message or session it was taken from."""
    by_agent: bool = False
    """Whether an agent says it, whatever the environment tells."""
    session: str = ""
    """The id of the session in which it is told, where the caller knows it."""
    said_ms: int | None = None
    """The moment from which its dates count, where that is not now."""


NOTHING = Details()


class Answer(NamedTuple):
    """What a recall gives."""

    question: Question
    hits: tuple[Recalled, ...]
    hint: str
    """Why there is nothing, or nothing of the time that was asked for, and what to try."""
    files: Mapping[str, str] = {}
    """The files in which memories stand, by their ids."""
    trouble: str = ""
    """What kept meaning from being looked at, where it was to be."""


class Listed(NamedTuple):
    """A list of memories."""

    memories: tuple[Memory, ...]
    more: int
    others: int = 0
    """How many there are that do not fit."""


class Memories:
    """One person's memories; every method opens what it needs and closes it again."""

    def __init__(
        self,
        place: Place,
        env: Mapping[str, str],
        now_ms: int,
        cwd: str,
        settings: Settings = DEFAULTS,
        embedders: Embedders | None = None,
    ) -> None:
        """`env` is where the asking session is looked up; `cwd` tells which project one stands in.

        `embedders` are those of the other half, where one command uses both.
        """
        self.place = place
        self.env = env
        self.now_ms = now_ms
        self.cwd = cwd
        self.settings = settings
        self._embedders = embedders

    # -- saving --------------------------------------------------------------------------------------------------

    def remember(self, text: str, details: Details = NOTHING) -> Saved:
        """Save a fact, or reinforce the one that says the same.

        Raises MemoryTooLong, MemoryTooShort, BadValue, NotFound, NoMemory, NoProject, ArchiveReadOnly, DiskFull.
        """
        from harkback.memory.saving import save

        made, base_ms = self._made(text, details)
        made = _dated(made, details.date, base_ms)
        with guarded(self.place.data), self._store(write=True) as store:
            made = made._replace(project=self._project(store, details.project))
            return save(store, made, self.now_ms)

    def remember_each(self, texts: Sequence[str], details: Details = NOTHING) -> Iterator[Saved | errors.HarkError]:
        """Save facts, many at once; gives for each, as soon as it is stored, what became of it or why it is none.

        Raises BadValue for the details, NotFound, NoProject, ArchiveReadOnly, DiskFull.
        """
        from harkback.memory.saving import checked, put

        made, base_ms = self._made("", details)
        checked(_dated(made._replace(text=_ANY_TEXT), details.date, base_ms))
        with guarded(self.place.data), self._store(write=True) as store:
            made = made._replace(project=self._project(store, details.project))
            left = list(reversed(texts))
            while left:
                done: list[Saved | errors.HarkError] = []
                until = monotonic() + _AT_ONCE_S
                with store.writing():
                    while left and len(done) < _AT_ONCE and monotonic() < until:
                        try:
                            fact = checked(_dated(made._replace(text=left.pop()), details.date, base_ms))
                            done.append(put(store, fact, self.now_ms))
                        except (errors.MemoryTooLong, errors.MemoryTooShort) as error:
                            done.append(error)
                yield from done

    def _made(self, text: str, details: Details) -> tuple[Memory, int]:
        """Make a memory of what is said of it, but for project and date; with the moment from which its dates count."""
        made, base_ms = self._sourced(Memory("", text, created_ms=self.now_ms, changed_ms=self.now_ms), details)
        made = made._replace(
            kind=details.kind or FACT,
            importance=3 if details.importance is None else details.importance,
            entities=details.entities or (),
            tags=details.tags or (),
            supersedes=details.supersedes,
        )
        return made, base_ms

    def _sourced(self, made: Memory, details: Details) -> tuple[Memory, int]:
        """Say who says it and where; with the moment from which its dates count."""
        asking = asking_sessions(self.env)
        by = AGENT if asking or details.by_agent else PERSON
        session = details.session or (":".join(asking[0]) if asking else "")
        if not details.source:
            said_ms = self.now_ms if details.said_ms is None else details.said_ms
            return made._replace(provenance=by, session=session), said_ms
        engine = LocalEngine.open(self.place.data)
        if engine is None:
            raise errors.NotFound(details.source)
        try:
            found = engine.rows.find_id(details.source)
            if not isinstance(found, StoredPart):
                said_ms = found.ended_ms or found.started_ms or self.now_ms
                return made._replace(provenance=by, session=found.id), said_ms
            (told_in,) = engine.rows.sessions_by_number([found.session]).values()
            by = PERSON if found.role == USER else AGENT
            return made._replace(provenance=by, session=told_in.id, message=found.message), found.time_ms or self.now_ms
        finally:
            engine.close()

    def supersede(self, one: str, text: str, details: Details = NOTHING) -> Saved:
        """Save a fact in the place of another, which is kept as superseded; what is not said anew is taken from it."""
        with self._store() as store:
            old = store.find(one)
        taken = details._replace(
            kind=details.kind or old.kind,
            importance=old.importance if details.importance is None else details.importance,
            entities=old.entities if details.entities is None else details.entities,
            tags=old.tags if details.tags is None else details.tags,
            project=old.project if details.project is None else details.project,
            supersedes=old.id,
        )
        return self.remember(text, taken)

    def finish(self, one: str) -> Memory:
        """Mark a task (or anything else) as done. Raises NoMemory, Ambiguous."""
        return self._changed(one, lambda old: old._replace(status=DONE, ended_ms=old.ended_ms or self.now_ms))

    def archive(self, one: str) -> Memory:
        """Leave a memory out of every answer; it is kept, and found with its history."""
        return self._changed(one, lambda old: old._replace(status=ARCHIVED, ended_ms=old.ended_ms or self.now_ms))

    def reopen(self, one: str) -> Memory:
        """Make a memory active again."""
        return self._changed(one, lambda old: old._replace(status=ACTIVE, ended_ms=None))

    def edit(self, one: str, text: str, details: Details) -> Memory:
        """Change what a memory says, or what is said of it; its old text stays in its history."""
        with self._store() as store:
            project = None if details.project is None else self._project(store, details.project)

        return self._changed(one, lambda old: self._edited(old, text, details, project))

    def _edited(self, old: Memory, text: str, details: Details, project: str | None) -> Memory:
        from harkback.memory.saving import checked

        new = old._replace(
            text=text or old.text,
            kind=details.kind or old.kind,
            importance=old.importance if details.importance is None else details.importance,
            entities=old.entities if details.entities is None else details.entities,
            tags=old.tags if details.tags is None else details.tags,
            project=old.project if project is None else project,
            changed_ms=self.now_ms if text else old.changed_ms,
        )
        if details.date is not None or text:
            new = _dated(new, details.date, self.now_ms, keep=details.date is None)
        return checked(new)

    def update(
        self, one: str, *, text: str = "", importance: int | None = None, status: str | None = None, older: str = ""
    ) -> Memory:
        """Change a memory in several ways at once, all of them or none; `older` is what it replaced.

        Raises NoMemory, Ambiguous, SaysTheSame, AlreadyReplaced, BadValue, MemoryTooLong, MemoryTooShort.
        """
        from harkback.memory.saving import replace

        details = Details(importance=importance)
        ended = {ACTIVE: None, DONE: self.now_ms, ARCHIVED: self.now_ms}
        with guarded(self.place.data), self._store(write=True) as store, store.writing():
            memory = self._change(store, one, lambda old: self._edited(old, text, details, None))
            if status is not None:
                when = ended[status] and (memory.ended_ms or ended[status])
                memory = self._change(store, memory.id, lambda old: old._replace(status=status, ended_ms=when))
            return replace(store, memory, store.find(older), self.now_ms) if older else memory

    def _changed(self, one: str, change: Callable[[Memory], Memory]) -> Memory:
        with guarded(self.place.data), self._store(write=True) as store, store.writing():
            return self._change(store, one, change)

    def _change(self, store: MemoryStore, one: str, change: Callable[[Memory], Memory]) -> Memory:
        """Change a memory, inside `writing`. Raises NoMemory, Ambiguous, SaysTheSame."""
        from harkback.memory.saving import normal

        old = store.find(one)
        new = change(old)
        is_new = (new.text, new.status) != (old.text, old.status)
        same = store.same_text(normal(new.text)) if is_new else []
        for other in same:
            is_here = other.status == new.status == ACTIVE and other.project == new.project
            if is_here and other.id != new.id and other.text == new.text:
                raise errors.SaysTheSame(new.id, other.id)
        store.change(new, normal(new.text), self.now_ms)
        return new

    def forget(self, ids: Sequence[str]) -> int:
        """Take memories out for good, also those in the bin; gives how many. Raises NoMemory, Ambiguous."""
        with self._store(write=True) as store:
            return store.forget([_forgettable(store, one) for one in ids])

    def put_in_bin(self, one: str) -> Memory:
        """Hide a memory from everything at once; for a day it can be brought back. Raises NoMemory, Ambiguous."""
        from harkback.memory.bin import put

        with guarded(self.place.data), self._store(write=True) as store:
            return put(store, store.find(one), self.now_ms)

    def take_from_bin(self, one: str) -> Memory:
        """Bring a memory back as it was; gives what it became: another one where that says the same by now.

        Raises NotInBin, Ambiguous.
        """
        from harkback.memory.bin import take

        with guarded(self.place.data), self._store(write=True) as store:
            return take(store, store.bin.find(one), self.now_ms)

    def in_bin(self) -> list[InBin]:
        """List what can be brought back, the latest first."""
        from harkback.memory.bin import listed

        store = MemoryStore.open(self.place.data)
        if store is None:
            return []
        with store:
            return listed(store, self.now_ms)

    def empty_bin(self) -> None:
        """Forget for good what lies in the bin for more than a day. Raises ArchiveReadOnly, DiskFull."""
        if MemoryStore.exists(self.place.data):
            with guarded(self.place.data), self._store(write=True):
                pass

    # -- reading -------------------------------------------------------------------------------------------------

    def find(self, one: str) -> tuple[Memory, list[tuple[int, str]], list[Memory]]:
        """Give a memory, what it said before with until when, and what it replaced, the latest first."""
        with self._store() as store:
            memory = store.find(one)
            chain: list[Memory] = []
            older = memory.supersedes
            while older and store.knows(older) and older not in {link.id for link in chain}:
                chain.append(store.find(older))
                older = chain[-1].supersedes
            return memory, store.past(memory), chain

    def replaced_by(self, memory: Memory) -> Memory | None:
        """Give what replaced a memory."""
        with self._store() as store:
            return store.successors([memory.id]).get(memory.id)

    def has_folders(self) -> bool:
        """Whether folders of Markdown are kept in step."""
        store = MemoryStore.open(self.place.data)
        if store is None:
            return False
        with store:
            return bool(store.folders.all())

    def may_know(self, one: str) -> bool:
        """Whether a text looks like the id of a memory."""
        return is_memory_id(one)

    def forgettable(self, ids: Sequence[str]) -> list[Memory]:
        """Give the memories that are named, those in the bin too; what names none is left out. Raises Ambiguous."""
        from harkback.memory.bin import of_id

        store = MemoryStore.open(self.place.data) if any(map(self.may_know, ids)) else None
        if store is None:
            return []
        with store:
            named = [one for one in ids if self.may_know(one)]
            there = [store.find(one) if store.knows(one) else of_id(store, one) for one in named]
            return [one for one in there if one is not None]

    def knows(self, one: str) -> bool:
        """Whether a text names a memory."""
        if not self.may_know(one):
            return False
        store = MemoryStore.open(self.place.data)
        if store is None:
            return False
        with store:
            return store.knows(one)

    def recall(
        self, texts: Sequence[str], wanted: Wanted, *, scope: str = HERE, proved: bool = True, meaning: bool = True
    ) -> Answer:
        """Find what answers a question, asked in one or several wordings.

        `scope` is HERE (this project and what holds everywhere; outside of a project everything), EVERYWHERE, or the
        name or path of a project. Unless `proved`, nothing may be found because a file is damaged. Raises NoProject,
        MemoriesDamaged.
        """
        asked = question(texts, self.now_ms)
        store = MemoryStore.open(self.place.data)
        if store is None:
            return Answer(asked, (), "Nothing has been remembered yet. `hark remember TEXT` saves a fact.")
        with store:
            wanted = self.scoped(store, wanted, scope)
            store.looks_back = wanted.history or wanted.as_of_ms is not None
            near, trouble = self._near(store, asked) if meaning else (None, "")
            hits = recall(store, asked, wanted, weights(self.settings), self.now_ms, near)
            if proved and not hits:
                store.prove()
            hint = self._hint(store, asked, wanted, hits, near)
            files = store.folders.paths_of([one.memory.id for one in hits])
            return Answer(asked, tuple(hits), hint, files, trouble)

    def touch(self, answer: Answer) -> None:
        """Note that memories were recalled; left out where that would have to wait, or nothing can be written."""
        if not answer.hits:
            return
        try:
            with self._store(write=True) as store:
                store.touch([one.memory.id for one in answer.hits], self.now_ms)
        except (errors.ArchiveReadOnly, errors.DiskFull):
            return

    def scoped(self, store: MemoryStore, wanted: Wanted, scope: str) -> Wanted:
        """Say of which projects memories are wanted. Raises NoProject."""
        here = repository_of(self.cwd)
        projects: tuple[str, ...] | None = None
        if scope == HERE:
            projects = ("", here, *self._elsewhere(store, here)) if here else None
        elif scope != EVERYWHERE:
            here = self._project(store, scope)
            projects = ("", here, *self._elsewhere(store, here))
        return wanted._replace(projects=projects, here=here, sealed=self._sealed(store))

    def _elsewhere(self, store: MemoryStore, here: str) -> list[str]:
        """Name the paths that a project has on other machines: those with its name that are no folder here."""
        if not self.settings.text("server.url"):
            return []
        named = [one for one in store.projects() if one != here and _name(one) == _name(here)]
        return [one for one in named if not os.path.isdir(one)]

    def _sealed(self, store: MemoryStore) -> tuple[str, ...]:
        patterns: list[str] = []
        with undamaged(self.place.data):
            engine = LocalEngine.open(self.place.data)
            if engine is not None:
                patterns = [one for one, kind in engine.rows.exclusions().items() if kind == "sealed"]
                engine.close()
        return sealed_paths(patterns, self.place.home, store.projects(), repository_of(self.cwd)) if patterns else ()

    @property
    def embedders(self) -> Embedders:
        """The embedders that were set."""
        if self._embedders is None:
            from harkback.archive.embedding import embedders_of

            self._embedders = embedders_of(self.settings, self.env)
        return self._embedders

    def has_embedder(self) -> bool:
        """Whether meaning can be looked at, as far as that is told without loading a model."""
        return bool(self.embedders.name)

    def _near(self, store: MemoryStore, asked: Question) -> tuple[dict[int, float] | None, str]:
        """Say how near memories are to a question; with what kept from it, if anything did."""
        if not self.has_embedder():
            return None, ""
        from harkback.engines.local.memory_vectors import held
        from harkback.memory.meaning import Meaning
        from harkback.models.embedders import answering

        try:
            name = answering(held(store.con), self.embedders.setup)
            embedder = self.embedders.load(name) if name else None
            return (Meaning(store, embedder).nearness(asked.texts) if embedder is not None else None), ""
        except errors.EmbedderFailed as error:
            return None, str(error)

    def make_vectors(self, limit_s: float) -> int:
        """Make vectors of memories that have none, for so long; gives how many.

        Raises EmbedderFailed, ArchiveReadOnly, DiskFull.
        """
        if limit_s <= 0 or not MemoryStore.exists(self.place.data) or not self.has_embedder():
            return 0
        with guarded(self.place.data), self._store(write=True) as store:
            embedder = self.embedders.load()
            if embedder is None:
                return 0
            from harkback.memory.meaning import Meaning

            return Meaning(store, embedder).catch_up(limit_s)

    def _hint(
        self, store: MemoryStore, asked: Question, wanted: Wanted, hits: list[Recalled], near: dict[int, float] | None
    ) -> str:
        if asked.date_words and hits and not any(one.date for one in hits):
            return f"Nothing of {asked.date_words}: these are of other times."
        if hits:
            return ""
        if wanted.projects is not None:
            everywhere = wanted._replace(projects=None, limit=100)
            others = recall(store, asked, everywhere, weights(self.settings), self.now_ms, near)
            if others:
                return f"Nothing here, but {len(others)} in other projects: --everywhere shows them."
        return "No memory says anything of that. `hark search` looks in past sessions as well."

    def listed(
        self, *, kinds: Sequence[str] = (), due: bool = False, scope: str = HERE, history: bool = False, limit: int = 0
    ) -> Listed:
        """List memories by kind and importance; with `due` open tasks and events that have a time, the next first."""
        store = MemoryStore.open(self.place.data)
        if store is None:
            return Listed((), 0)
        with store:
            wanted = self.scoped(store, Wanted(kinds=tuple(kinds), history=history), scope)
            found = self.fitting(store, wanted)
            if not found:
                store.prove()
            number = sum(store.count().values())
        if due:
            found = [one for one in found if one.event_since_ms is not None and self._is_ahead(one)]
            found.sort(key=lambda one: one.event_since_ms or 0)
        else:
            order = {kind: place for place, kind in enumerate(_KIND_ORDER)}
            found.sort(key=lambda one: (order.get(one.kind, 9), -one.importance, -one.changed_ms))
        shown = found[:limit] if limit else found
        return Listed(tuple(shown), len(found) - len(shown), number - len(found))

    def newest(self, wanted: Wanted, *, scope: str = HERE) -> list[Memory]:
        """List the memories of a time, the last saved first; the limit is not heeded. Raises NoProject."""
        store = MemoryStore.open(self.place.data)
        if store is None:
            return []
        with store:
            found = self.fitting(store, self.scoped(store, wanted, scope))
            if not found:
                store.prove()
        return sorted((one for one in reversed(found) if _is_of(one, wanted)), key=lambda one: -one.created_ms)

    def fitting(self, store: MemoryStore, wanted: Wanted) -> list[Memory]:
        """Read the memories of the kinds and projects that are wanted."""
        return [one for one in store.all() if _fits(one, wanted)]

    def profile(self, section: str = "") -> list[Profile]:
        """Give the profile as it stands; of one `section` everything it ever said, the latest first."""
        store = MemoryStore.open(self.place.data)
        if store is None:
            return []
        with store:
            return store.profile(section)

    def write_profile(self, section: str, text: str) -> str:
        """Write a section anew; what it said before stays in its history. Raises BadValue, SectionTooLong."""
        from harkback.memory.profile import write

        with guarded(self.place.data), self._store(write=True) as store:
            return write(store, section, text, self.now_ms)

    def _is_ahead(self, one: Memory) -> bool:
        """Whether something is still to be done, or to happen."""
        if one.status != ACTIVE:
            return False
        from harkback.occasions import has_happened

        if one.kind == TASK or (one.event_since_ms or 0) > self.now_ms:
            return True
        return (one.event_until_ms or 0) > self.now_ms and not has_happened(one.text, one.event_words)

    # -- helpers -------------------------------------------------------------------------------------------------

    def _project(self, store: MemoryStore | None, named: str | None) -> str:
        """Find a project by name or path; the one we stand in where none is named. Raises NoProject."""
        if named is None:
            return repository_of(self.cwd)
        if not named:
            return ""
        path = os.path.abspath(os.path.join(self.cwd or os.sep, os.path.expanduser(named)))
        if os.path.isdir(path) and (os.sep in named or named in {".", ".."}):
            return repository_of(path) or path
        known = set(store.projects()) if store is not None else set()
        with undamaged(self.place.data):
            engine = LocalEngine.open(self.place.data)
            if engine is not None:
                known |= set(engine.rows.labels("project").values())
                engine.close()
        same = sorted(one for one in known if one in {named, path} or os.path.basename(one.rstrip("/\\")) == named)
        if len(same) == 1:
            return same[0]
        if same:
            raise errors.Ambiguous(named, ", ".join(same))
        if os.path.isdir(path):
            return repository_of(path) or path
        if os.sep in named:
            raise errors.NoFolder(path)
        raise errors.NoProject(named)

    def _store(self, *, write: bool = False) -> _Opened:
        return _Opened(self.place.data, self.now_ms, write=write)


def _forgettable(store: MemoryStore, one: str) -> str:
    """Give the whole id of what is remembered or lies in the bin. Raises NoMemory, Ambiguous."""
    is_binned = store.bin.knows(one) and not store.knows(one)
    return store.bin.find(one).id if is_binned else store.find(one).id


def opened_for_writing(folder: str, now_ms: int) -> MemoryStore:
    """Open the memories to change them, and make them where there are none; what lay in the bin too long is forgotten.

    Raises MemoriesDamaged, ArchiveReadOnly, ArchiveTooNew, DiskFull.
    """
    from harkback.memory.bin import KEPT_MS

    store = MemoryStore.open(folder, write=True)
    assert store is not None
    try:
        store.empty_bin(now_ms - KEPT_MS)
    except BaseException:
        store.close()
        raise
    return store


class _Opened:
    """The store for one use; where there is none yet and nothing is written, an id in it is not known."""

    def __init__(self, folder: str, now_ms: int, *, write: bool) -> None:
        self.folder = folder
        self.now_ms = now_ms
        self.write = write

    def __enter__(self) -> MemoryStore:
        store = opened_for_writing(self.folder, self.now_ms) if self.write else MemoryStore.open(self.folder)
        if store is None:
            raise errors.NothingRemembered
        self.store = store
        return store

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.store.__exit__(kind, error, trace)


def _dated(memory: Memory, date: str | None, base_ms: int, *, keep: bool = False) -> Memory:
    """Set when it happened or is due: what `date` says, else the first date that the text speaks of, in its tense.

    "none" takes it away. With `keep` a text without a date leaves it as it was. Raises BadValue.
    """
    from harkback.dates import parse_age
    from harkback.occasions import COMING, NEAR, occasion

    if date == "none":
        return memory._replace(event_since_ms=None, event_until_ms=None, event_words="")
    is_task = memory.kind == TASK
    if date is not None:
        is_age = parse_age(date, base_ms) is not None  # `7d` is up to now, which nothing happens in
        found = None if is_age else occasion(date, base_ms, lean=COMING if is_task else NEAR)
        if found is None:
            advice = 'Write a date such as 2026-03-18, "next Friday", "in 7 days", "5/17 下午三點", 明日, or none.'
            raise errors.BadValue("--date", date, advice)
    else:
        found = told_time(memory.text, memory.kind, base_ms)
        if found is None:
            return memory if keep else memory._replace(event_since_ms=None, event_until_ms=None, event_words="")
    return memory._replace(event_since_ms=found.since_ms, event_until_ms=found.until_ms, event_words=found.words)


def told_time(text: str, kind: str, base_ms: int, zone: tzinfo | None = None) -> Occasion | None:
    """Give the first date that a text speaks of, in its tense; of a task one to come."""
    from harkback.occasions import COMING, TOLD, occasions

    return next(iter(occasions(text, base_ms, zone, lean=COMING if kind == TASK else TOLD)), None)


def _name(project: str) -> str:
    """Give the last part of a path of any system."""
    return re.split(r"[/\\]", project.rstrip("/\\"))[-1]


def _fits(one: Memory, wanted: Wanted) -> bool:
    if one.status in {SUPERSEDED, ARCHIVED} and not wanted.history:
        return False
    if wanted.kinds and one.kind not in wanted.kinds:
        return False
    return not one.project or (
        one.project not in wanted.sealed and (wanted.projects is None or one.project in wanted.projects)
    )


def _is_of(one: Memory, wanted: Wanted) -> bool:
    """Whether what a memory speaks of, else its saving, falls into the wanted time."""
    until_ms = one.valid_ms + 1 if one.event_until_ms is None else one.event_until_ms
    is_early = wanted.until_ms is None or one.valid_ms < wanted.until_ms
    return is_early and (wanted.since_ms is None or until_ms > wanted.since_ms)


_KIND_ORDER = (TASK, "decision", "preference", FACT, "lesson", "event")


def weights(settings: Settings) -> Weights:
    """Take how recall weighs from what was set."""
    names = {
        "words": "recall.weight_words",
        "substring": "recall.weight_substring",
        "name": "recall.weight_name",
        "date": "recall.weight_date",
        "meaning": "recall.weight_meaning",
        "decay": "recall.decay",
        "slow_decay": "recall.slow_decay",
        "floor": "recall.decay_floor",
        "boost": "recall.task_boost",
    }
    return Weights(**{field: settings.decimal(name) for field, name in names.items()})
