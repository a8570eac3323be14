"""Memories as they are printed: for a person or an agent to read, or as JSON."""

from __future__ import annotations

from harkback.cli.terminal import CYAN, DIM, base, dumped, indented, note, paint, plain
from harkback.memory.ages import age, language_of
from harkback.memory.profile import SECTIONS, section
from harkback.model import ACTIVE
from harkback.moments import span
from harkback.telling import contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.archive.context import Context
    from harkback.archive.memories import Answer, Listed
    from harkback.engines.local.memories import Profile
    from harkback.memory.bin import InBin
    from harkback.memory.recall import Recalled
    from harkback.memory.saving import Saved
    from harkback.model import Memory

_SHOWN = 3
_LEAST_LINE = 40


def _head(one: Memory, now_ms: int) -> str:
    facts = [one.id, one.kind, f"importance {one.importance}"]
    language = language_of(one.text)
    if one.event_since_ms is not None:
        when_due = span(one.event_since_ms, one.event_until_ms)
        facts.append(f"{when_due} ({age(one.event_since_ms, now_ms, language)})")
    facts += [f"saved {age(one.created_ms, now_ms, language)}", base(one.project) if one.project else "everywhere"]
    facts += [one.status] if one.status != ACTIVE else []
    return paint("  ".join(plain(fact) for fact in facts), CYAN)


def _memory(one: Memory, now_ms: int) -> str:
    lines = [_head(one, now_ms), indented(plain(one.text))]
    extra = [", ".join(one.entities)] if one.entities else []
    extra += [" ".join(f"#{tag}" for tag in one.tags)] if one.tags else []
    extra += [f"from {one.message or one.session}"] if one.message or one.session else []
    extra += [f"in place of {one.supersedes}"] if one.supersedes else []
    if extra:
        lines.append("    " + paint(plain(" · ".join(extra)), DIM))
    return "\n".join(lines)


def saved(one: Saved, now_ms: int, *, as_json: bool) -> None:
    """Print what became of a fact."""
    if as_json:
        from harkback import wire

        print(dumped(wire.saved(one)))
        return
    memory = one.memory
    when = f", {span(memory.event_since_ms, memory.event_until_ms)}" if memory.event_since_ms is not None else ""
    where = base(memory.project) if memory.project else "everywhere"
    print(f"{paint(memory.id, CYAN)}  {one.action} ({memory.kind}, {plain(where)}{when})")
    for other in one.duplicates[:_SHOWN]:
        print(f"    says the same as {other.id}: {plain(other.text)}")
    for other in one.contradictions:
        print(f"    may contradict {other.id}, saved {age(other.created_ms, now_ms)}: {plain(other.text)}")
    if one.contradictions:
        print(paint(f"    where this holds instead: hark supersede {one.contradictions[0].id} TEXT", DIM))


def all_saved(done: Sequence[Saved], bad: Sequence[tuple[int, str]]) -> None:
    """Print as JSON what became of lines."""
    from harkback import wire

    print(dumped(wire.all_saved(done, bad)))


def recalled(answer: Answer, now_ms: int, *, as_json: bool, explain: bool) -> None:
    """Print what was recalled, best first."""
    if as_json:
        from harkback import wire

        print(dumped(wire.recalled(answer, now_ms)))
        return
    for hit in answer.hits:
        print(hit_of(hit, now_ms))
        if file := answer.files.get(hit.memory.id):
            print("    " + paint(plain(f"in {file}"), DIM))
        if explain:
            print("    " + paint(_why(hit), DIM))
    if not answer.hits:
        print(plain(f"Nothing found. {answer.hint}"))
    elif answer.hint:
        note(answer.hint)
    if answer.trouble:
        note(answer.trouble)


def hit_of(hit: Recalled, now_ms: int) -> str:
    """Write one memory that was found; how long ago it was stands there in its own language."""
    return _memory(hit.memory, now_ms)


def _why(hit: Recalled) -> str:
    signals = [
        ("words", hit.words),
        ("substring", hit.substring),
        ("name", hit.name),
        ("date", hit.date),
        ("meaning", hit.meaning),
    ]
    told = ", ".join(f"{name} {value:.2f}" for name, value in signals if value)
    boost = f" + boost {hit.boost:.2f}" if hit.boost else ""
    return f"score {hit.score:.3f} = similarity {hit.similarity:.3f} ({told}) x decay {hit.decay:.3f}{boost}"


def listed(found: Listed, now_ms: int, *, as_json: bool) -> None:
    """Print a list of memories."""
    if as_json:
        from harkback import wire

        print(dumped(wire.memories(found, now_ms)))
        return
    for one in found.memories:
        print(_memory(one, now_ms))
    if not found.memories and found.others:
        told = "memory does" if found.others == 1 else "memories do"
        print(f"No memory fits; {found.others:,} {told} not. `hark memories --everywhere --history` lists all.")
    elif not found.memories:
        print("No memories. `hark remember TEXT` saves a fact.")
    if found.more:
        note(f"{found.more:,} more: -n 0 shows all")


def changed(memories: Sequence[Memory], now_ms: int, *, as_json: bool) -> None:
    """Print memories as they stand after a change."""
    if as_json:
        from harkback import wire

        print(dumped(wire.changed(memories, now_ms)))
        return
    for one in memories:
        print(_memory(one, now_ms))


def shown(
    memory: Memory,
    past: Sequence[tuple[int, str]],
    chain: Sequence[Memory],
    after: Memory | None,
    now_ms: int,
    *,
    as_json: bool,
) -> None:
    """Print a memory with what it said before and what it replaced."""
    if as_json:
        from harkback import wire

        print(dumped(wire.shown(memory, past, chain, after, now_ms)))
        return
    print(_memory(memory, now_ms))
    if after is not None:
        print(f"    replaced by {after.id} (saved {age(after.created_ms, now_ms)}): {plain(after.text)}")
    for until, text in past:
        print(paint(f"    until {age(until, now_ms)}: {plain(text)}", DIM))
    for older in chain:
        print(paint(f"    before, {older.id} (saved {age(older.created_ms, now_ms)}): {plain(older.text)}", DIM))


def binned(found: Sequence[InBin], now_ms: int, *, as_json: bool) -> None:
    """Print what can be brought back."""
    if as_json:
        from harkback import wire

        print(dumped(wire.binned(found, now_ms)))
        return
    for one in found:
        print(_memory(one.memory, now_ms))
        print(paint(f"    put in the bin {age(one.at_ms, now_ms)}, forgotten {age(one.until_ms, now_ms)}", DIM))
    if found:
        note(f"hark memories restore {found[0].memory.id} brings it back")
    else:
        print("The bin is empty.")


def doomed(memories: Sequence[Memory], now_ms: int) -> None:
    """Say on the side which memories would be forgotten."""
    note(f"This would forget {len(memories):,} {'memory' if len(memories) == 1 else 'memories'} for good:")
    for one in memories:
        note(f"    {one.id}  saved {age(one.created_ms, now_ms)}: {one.text}")


def forgotten(number: int, *, as_json: bool) -> None:
    """Print how many memories were forgotten."""
    if as_json:
        from harkback import wire

        print(dumped(wire.forgotten_memories(number)))
        return
    print(f"{number:,} {'memory' if number == 1 else 'memories'} forgotten")


# -- what is known of a person -------------------------------------------------------------------------------------


def profile(sections: Sequence[Profile], now_ms: int, *, as_json: bool) -> None:
    """Print the profile as it stands."""
    if as_json:
        from harkback import wire

        print(dumped(wire.profile(sections)))
        return
    if not any(one.text for one in sections):
        print("The profile is empty. hark profile edit SECTION TEXT writes a section:")
        for known in SECTIONS:
            print(f"    {known.name:<14}{known.titles['zh-TW']}: {known.holds}")
        return
    for one in sections:
        if one.text:
            title = section(one.section).titles[language_of(one.text)]
            print(paint(plain(f"{one.section}  {title}  ({age(one.changed_ms, now_ms)})"), CYAN))
            print(indented(plain(one.text)))


def history(sections: Sequence[Profile], now_ms: int, *, as_json: bool) -> None:
    """Print what a section said, the latest first."""
    if as_json:
        from harkback import wire

        print(dumped(wire.profile_history(sections)))
        return
    for one in sections:
        print(paint(f"{one.section}  {age(one.changed_ms, now_ms)}", CYAN))
        print(indented(plain(one.text)) or "    (empty)")
    if not sections:
        print("Nothing was written in this section yet.")


def material(text: str, *, as_json: bool) -> None:
    """Print what an agent needs to bring the profile up to date."""
    if as_json:
        from harkback import wire

        print(dumped({"schema": wire.SCHEMA, "instruction": text}))
        return
    print(plain(text))


def context(found: Context, now_ms: int, *, budget: int, as_json: bool) -> None:
    """Print what is known before a word was said, within `budget` characters."""
    if as_json:
        from harkback import wire

        print(dumped(wire.context(found, now_ms, budget)))
        return
    print(contents(found, now_ms, budget, "hark recall and hark search", "`hark remember TEXT`"))
