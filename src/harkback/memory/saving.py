"""Saving a fact: checked, masked, compared with what is known, and stored once.

What says the same as an active memory reinforces it; what may contradict one is stored, and the other is named, so that
whoever saves can supersede it. Nothing is replaced unasked.
"""

from __future__ import annotations

from functools import lru_cache

from harkback import errors
from harkback._record import NamedTuple
from harkback.engines.local.memories import terms_of
from harkback.engines.local.words import stem
from harkback.memory.likeness import Said, is_same, may_contradict, weight
from harkback.memory.likeness import said as _taken_apart
from harkback.model import ACTIVE, MEMORY_KINDS, SUPERSEDED, Memory
from harkback.redact import masker
from harkback.text.clean import clean
from harkback.text.fold import fold
from harkback.text.unseen import UNSEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from harkback.engines.local.memories import MemoryStore

MOST_CHARS = 2000
"""One fact is shorter; what is longer is several, or a document."""

LEAST_WEIGHT = 4
"""Four CJK characters or two words: less does not stand alone."""

MOST_NAMES = 20
MOST_NAME_CHARS = 100
_COMPARED = 30
_MOST_HELD = 1000
"""A word that more memories hold tells nothing of which are near."""
_REMEMBERED = 4096
_LIKELIEST = 5
_CONTRADICTIONS = 3

SAVED, REINFORCED = "saved", "reinforced"


class Saved(NamedTuple):
    """What became of a fact."""

    memory: Memory
    action: str
    duplicates: tuple[Memory, ...] = ()
    """What said the same already."""
    contradictions: tuple[Memory, ...] = ()
    """What may say something else of the same matter, likeliest first."""


def says(text: str) -> str:
    """Give a text as it is stored: tidied, without signs that nobody sees, and secrets masked."""
    return masker().mask(UNSEEN.sub("", clean(text)).strip())[0]


def masked(text: str) -> str:
    """Give a text with its secrets masked."""
    return masker().mask(text)[0]


def checked(memory: Memory) -> Memory:
    """Tidy and mask what is to be stored. Raises MemoryTooLong, MemoryTooShort, BadValue."""
    text = says(memory.text)
    if len(text) > MOST_CHARS:
        raise errors.MemoryTooLong(len(text), MOST_CHARS)
    if weight(text) < LEAST_WEIGHT:
        raise errors.MemoryTooShort(text)
    if memory.kind not in MEMORY_KINDS:
        raise errors.BadValue("--kind", memory.kind, f"Valid are {', '.join(MEMORY_KINDS)}.")
    if not 1 <= memory.importance <= 5:  # noqa: PLR2004 - the scale
        raise errors.BadValue("--importance", memory.importance, "It goes from 1 to 5.")
    return memory._replace(
        text=text,
        entities=_names("--entity", memory.entities),
        tags=_names("--tag", memory.tags),
        event_words=masked(memory.event_words),
    )


def _names(option: str, values: Iterable[str]) -> tuple[str, ...]:
    names = {fold(name): name for value in values if (name := masker().mask(" ".join(value.split()))[0])}
    if len(names) > MOST_NAMES:
        raise errors.BadValue(option, f"{len(names)} of them", f"At most {MOST_NAMES} can be given.")
    for name in names.values():
        if len(name) > MOST_NAME_CHARS:
            raise errors.BadValue(option, f"{name[:30]}…", f"At most {MOST_NAME_CHARS} characters.")
    return tuple(names.values())


def normal(text: str) -> str:
    """Give a text folded and without anything but letters and digits: equal for what is written alike."""
    return "".join(sign for sign in fold(text) if sign.isalnum())


def save(store: MemoryStore, memory: Memory, now_ms: int) -> Saved:
    """Store a fact, or reinforce the one that says the same. Raises as `checked` and `put`."""
    memory = checked(memory)
    with store.writing():
        return put(store, memory, now_ms)


def put(store: MemoryStore, memory: Memory, now_ms: int) -> Saved:
    """Do the same with what was `checked`, inside `writing`. Raises NoMemory, AlreadyReplaced."""
    old = store.find(memory.supersedes) if memory.supersedes else None
    if old is not None and old.status == SUPERSEDED and (after := store.successors([old.id])):
        raise errors.AlreadyReplaced(old.id, after[old.id].id)
    near = [one for one in _near(store, memory) if old is None or one.id != old.id]
    if old is not None:
        memory = memory._replace(supersedes=old.id)
    same = next((one for one in near if _is_same(one, memory)), None)
    if same is not None:
        kept = joined(same, memory, now_ms)
        if old is not None:
            kept = kept._replace(supersedes=kept.supersedes or old.id)
            _end(store, old, now_ms)
        store.change(kept, normal(kept.text), now_ms)
        return Saved(kept, SUPERSEDED if old is not None else REINFORCED, (same,))
    stored = store.add(memory._replace(status=ACTIVE), normal(memory.text))
    if old is not None:
        _end(store, old, now_ms)
    return Saved(stored, SUPERSEDED if old is not None else SAVED, (), _contradictions(memory, near))


def replace(store: MemoryStore, new: Memory, old: Memory, now_ms: int) -> Memory:
    """Say, inside `writing`, that one stored memory replaced another. Raises AlreadyReplaced, BadValue."""
    if new.id == old.id or new.supersedes not in {"", old.id}:
        raise errors.BadValue("supersedes", old.id, "A memory replaces one other, and not itself.")
    if new.id in before(store, old):
        raise errors.BadValue(
            "supersedes", old.id, f"It came in the place of {new.id}; write its text anew to go back."
        )
    after = store.successors([old.id]).get(old.id)
    if after is not None and after.id != new.id:
        raise errors.AlreadyReplaced(old.id, after.id)
    _end(store, old, now_ms)
    new = new._replace(supersedes=old.id)
    store.change(new, normal(new.text), now_ms)
    return new


def before(store: MemoryStore, one: Memory) -> set[str]:
    """Name everything that stands before a memory in its chain."""
    found: set[str] = set()
    while one.supersedes not in found and (older := store.by_id([one.supersedes]).get(one.supersedes)) is not None:
        found.add(older.id)
        one = older
    return found


def _end(store: MemoryStore, old: Memory, now_ms: int) -> None:
    store.change(old._replace(status=SUPERSEDED, ended_ms=now_ms), normal(old.text), now_ms)


def _near(store: MemoryStore, memory: Memory) -> list[Memory]:
    """Give the active memories that hold most of the words and hold where this one does: here or everywhere."""
    scored = store.scored(terms_of(memory.text), most_held=_MOST_HELD)
    first = sorted(scored, key=scored.__getitem__, reverse=True)[: 10 * _COMPARED]
    kept = {one.id: one for one in store.same_text(normal(memory.text)) if _is_here(one, memory)}
    for start in range(0, len(first), _COMPARED):
        if len(kept) >= _COMPARED:
            break
        some = first[start : start + _COMPARED]
        found = store.by_number(some)
        kept |= {found[at].id: found[at] for at in some if at in found and _is_here(found[at], memory)}
    return list(kept.values())[:_COMPARED]


def _is_here(one: Memory, memory: Memory) -> bool:
    return one.status == ACTIVE and one.project in {"", memory.project}


@lru_cache(_REMEMBERED)
def _said(text: str) -> Said:
    return _taken_apart(text, stem)


def _is_same(one: Memory, other: Memory) -> bool:
    if not _may_be_one_time(one, other):
        return False
    return is_same(_said(one.text), _said(other.text))


def _may_be_one_time(one: Memory, other: Memory) -> bool:
    """Whether two memories can speak of one time: "meeting with Kim tomorrow", said on two days, is two meetings."""
    if one.event_since_ms is None or other.event_since_ms is None:
        return True
    return one.event_since_ms < (other.event_until_ms or 0) and other.event_since_ms < (one.event_until_ms or 0)


def joined(old: Memory, new: Memory, now_ms: int) -> Memory:
    """Join two memories that say the same: the old text, and all that is known of either."""
    whole = old._replace(
        importance=max(old.importance, new.importance),
        entities=_joined(old.entities, new.entities),
        tags=_joined(old.tags, new.tags),
        changed_ms=now_ms,
        confirmed=old.confirmed + 1,
    )
    if old.event_since_ms is None:
        whole = whole._replace(
            event_since_ms=new.event_since_ms, event_until_ms=new.event_until_ms, event_words=new.event_words
        )
    return whole


def _joined(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    known = {fold(one) for one in old}
    return (*old, *(one for one in new if fold(one) not in known))[:MOST_NAMES]


def _contradictions(memory: Memory, near: list[Memory]) -> tuple[Memory, ...]:
    mine = _said(memory.text)
    likely = [(may_contradict(mine, _said(one.text)), one) for one in near if _may_be_one_time(one, memory)]
    likely = sorted((pair for pair in likely if pair[0]), key=lambda pair: -pair[0])
    return tuple(one for _, one in likely[:_CONTRADICTIONS])


def reinforce(store: MemoryStore, memory: Memory, now_ms: int, apart: Container[str] = ()) -> Memory | None:
    """Reinforce the memory that says the same, inside `writing`, and give it; None where there is none.

    `memory` was `checked`; those in `apart` are another memory whatever they say.
    """
    same = twin(store, memory, apart)
    if same is None:
        return None
    kept = joined(same, memory, now_ms)
    store.change(kept, normal(kept.text), now_ms)
    return kept


def twin(store: MemoryStore, memory: Memory, apart: Container[str] = ()) -> Memory | None:
    """Give the memory that says the same, and is none in `apart`.

    Unlike in `save` only the few likeliest are compared, because thousands may come at once.
    """
    exact = store.same_text(normal(memory.text))
    same = next((one for one in exact if _may_join(one, memory, apart)), None)
    if same is None:
        likely = store.sharing(terms_of(memory.text), _LIKELIEST)
        found = store.by_number(likely)
        near = [found[number] for number in likely if number in found]
        same = next((one for one in near if _may_join(one, memory, apart)), None)
    return same


def _may_join(one: Memory, memory: Memory, apart: Container[str]) -> bool:
    return _is_here(one, memory) and one.id not in apart and _is_same(one, memory)
