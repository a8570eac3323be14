"""One function per command: call the archive, hand the result to the printer."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import partial
from time import monotonic, time

from harkback.archive.answers import SessionView
from harkback.archive.sessions import Archive, undamaged
from harkback.cli.opening import in_step, in_step_where_readable, memories_of, opened, reach, set_up
from harkback.cli.parser import parse as parse_argv
from harkback.cli.terminal import note
from harkback.config import place
from harkback.errors import (
    BadValue,
    LockDamaged,
    MeaningFailed,
    NamedTwice,
    NoMemory,
    NoPattern,
    NotFound,
    NothingNamed,
    NothingYet,
)
from harkback.model import LANES, MAIN_LANES
from harkback.query import FIELDS, parse, with_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from harkback.archive.memories import Memories
    from harkback.model import Memory
    from harkback.query import Query

CONTEXT_CHARS = 2000
"""Added to the budget for each turn of context."""


def run_command(argv: list[str]) -> int:
    """Run a command of `hark`; bare `hark` says what is covered and which commands to know."""
    if not argv or argv == ["--json"]:
        with undamaged(place(os.environ).data):
            return _bare(as_json=bool(argv))
    options = parse_argv(argv)
    with undamaged(place(os.environ).data):
        return _COMMANDS[options.command](options)


def _query(options: argparse.Namespace, text: str, now_ms: int) -> Query:
    given = {field.name: getattr(options, f"field_{field.name}", None) for field in FIELDS}
    return with_options(parse(text, now_ms), now_ms, **given)


def _search(options: argparse.Namespace) -> int:
    from harkback.cli import printing

    archive = opened()
    query = _query(options, " ".join(options.query), archive.now_ms)
    query = query._replace(notes=(*query.notes, *options.notes))
    began = time()
    in_step_where_readable(memories_of(archive))  # where they are looked through, the answer says it
    settings = archive.settings
    context = settings.number("search.context") if options.context is None else options.context
    budget = options.budget
    if budget is None:
        budget = 0 if options.json else settings.number("search.budget")
        budget += CONTEXT_CHARS * context if budget else 0
    answer = archive.search(
        query,
        limit=settings.number("search.limit") if options.n is None else max(1, options.n),
        context=context,
        lanes=tuple(range(len(LANES))) if options.all else MAIN_LANES,
        newest=(options.sort or settings.text("search.sort")) == "newest",
        by_session=(options.by or settings.text("search.by")) == "session",
        substring=options.substring,
        sync=not options.no_sync,
        exclude=options.exclude_session,
        include_current=options.include_current,
        meaning=options.meaning,
    )
    printing.search(answer, archive.now_ms, as_json=options.json, budget=budget, seconds=time() - began)
    sys.stdout.flush()
    if answer.full_pass_is_due and not options.no_sync:
        _sync_in_background(archive)
    return 0 if answer.found.hits or answer.memories else 1


def _sync_in_background(archive: Archive) -> None:
    """Start `hark sync` beside us for what this search had no time for; it ends by itself."""
    from harkback.cli.background import start_sync

    if archive.settings.is_on("sync.background"):
        start_sync(os.environ, archive.place.data)


def _show(options: argparse.Namespace) -> int:
    from harkback.cli import printing

    archive = opened()
    memories = memories_of(archive)
    if memories.may_know(options.id):
        reach(memories)
    if memories.knows(options.id):
        from harkback.cli import memory_printing

        if options.raw:
            raise BadValue("--raw", options.id, "A memory has no record of its own; without --raw it is shown.")
        memory, past, chain = memories.find(options.id)
        after = memories.replaced_by(memory)
        memory_printing.shown(memory, past, chain, after, archive.now_ms, as_json=options.json)
        return 0
    settings = archive.settings
    context = settings.number("show.context") if options.context is None else options.context
    messages = settings.number("show.page_messages")
    with _named_as_memory(memories, [options.id]):
        if options.raw:
            printing.raw(archive.raw(options.id, reveal=options.reveal))
            return 0
        view = archive.show(options.id, context=context, page=options.page, page_parts=messages)
    chars = settings.number("show.page_chars")
    if isinstance(view, SessionView):
        printing.session(view, as_json=options.json, page_chars=chars)
    else:
        printing.message(view, as_json=options.json, page=options.page, page_chars=chars)
    return 0


@contextmanager
def _named_as_memory(memories: Memories, ids: list[str]) -> Iterator[None]:
    """Say of an id that looks like a memory's, and is nobody's, that no memory has it. Raises NoMemory."""
    try:
        yield
    except (NotFound, NothingYet):
        missing = [one for one in ids if memories.may_know(one)]
        if not missing:
            raise
        raise NoMemory(missing[0]) from None


def _sessions(options: argparse.Namespace) -> int:
    from harkback.cli import printing

    archive = opened()
    query = _query(options, "", archive.now_ms)
    limit = archive.settings.number("sessions.limit") if options.n is None else max(1, options.n)
    listed = archive.sessions(
        query,
        title=" ".join(options.title),
        subagents=options.subagents,
        parent=options.parent,
        messages=options.messages,
        limit=limit + 1,  # one more, to know whether there is a next page
        skip=limit * (max(1, options.page) - 1),
    )
    next_page = max(1, options.page) + 1 if len(listed) > limit else 0
    printing.sessions(listed[:limit], next_page, as_json=options.json)
    return 0 if listed else 1


def _resume(options: argparse.Namespace) -> int:
    from harkback.cli import printing

    printing.resume(opened().session(options.id), as_json=options.json)
    return 0


def _events(options: argparse.Namespace) -> int:
    from harkback.cli import printing

    archive = opened()
    query = _query(options, "", archive.now_ms)
    found = archive.events(query, kinds=options.kind, copies=options.copies, sync=not options.no_sync)
    try:
        printing.pending(found.pending, found.note)
        if not options.stats:
            number = printing.events(found.stream.events())
            if not number:
                printing.no_events(query, options.kind)
            return 0 if number else 1
        from harkback.archive.statistics import count

        counted = count(found.stream.messages())
        printing.statistics(counted, as_json=options.json, has_tokens=not (options.kind or options.field_tool))
        if not counted.groups:
            printing.no_events(query, options.kind)
        return 0 if counted.groups else 1
    finally:
        found.close()


def _sources(options: argparse.Namespace) -> int:
    from harkback.cli import reports

    listed = opened().sources()
    reports.sources(listed, as_json=options.json)
    return 0 if any(one.folders for one in listed) else 1


def _forget(options: argparse.Namespace) -> int:
    from harkback.cli import reports

    archive = opened()
    memories = memories_of(archive)
    if any(map(memories.may_know, options.id)):
        reach(memories)
    facts = memories.forgettable(options.id)
    try:
        before = with_options(parse("", archive.now_ms), archive.now_ms, since=options.before).filters
    except BadValue as error:
        raise BadValue("--before", *error.args[1:]) from error
    match = parse(_match(options.match), archive.now_ms) if options.match is not None else None
    ways = {
        "ID or --session": options.id or options.session,
        "--project": options.project,
        "--before": before,
        "--match": match,
    }
    given = [way for way, value in ways.items() if value]
    if not given:
        raise NothingNamed
    if len(given) > 1:
        raise NamedTwice(" and ".join(given))
    if facts and (len(facts) < len(options.id) or options.session):
        raise NamedTwice("Memories and what was said in sessions")
    if facts:
        return _forget_memories(options, memories, facts)
    with _named_as_memory(memories, options.id):
        doomed = archive.doomed(
            ids=options.id,
            sessions=options.session,
            projects=options.project,
            before_ms=before[0].since_ms if before else None,
            match=match,
        )
    if not doomed.messages and not doomed.sessions:
        reports.forgotten(doomed, None, as_json=options.json)
        return 1
    if not options.yes:
        reports.doomed(doomed)
        refused = partial(reports.forgotten, doomed, None, as_json=True) if options.json else None
        if not _is_agreed("Forget them for good?", refused):
            return 2
    reports.forgotten(doomed, archive.forget(doomed, _say_waiting), as_json=options.json)
    return 0


def _forget_memories(options: argparse.Namespace, memories: Memories, facts: list[Memory]) -> int:
    from harkback.cli import memory_printing

    if not options.yes:
        memory_printing.doomed(facts, memories.now_ms)
        refused = partial(memory_printing.forgotten, 0, as_json=True) if options.json else None
        if not _is_agreed("Forget them for good?", refused):
            return 2
    in_step(memories)
    number = memories.forget([one.id for one in facts])
    in_step(memories)
    memory_printing.forgotten(number, as_json=options.json)
    return 0


def _match(text: str) -> str:
    """Give the query of `--match`; `-` reads a line from standard input, which no list of processes shows."""
    if text != "-" or sys.stdin is None:
        return text
    if sys.stdin.isatty():
        print("Forget what matches: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def _is_agreed(question: str, refused: Callable[[], None] | None) -> bool:
    """Ask; without a yes, call `refused` to say what would have been done. Raises NotAgreed."""
    from harkback.cli.asking import is_agreed

    agreed = False
    try:
        agreed = is_agreed(question)
    finally:
        if not agreed and refused is not None:
            refused()
    return agreed


def _exclude(options: argparse.Namespace) -> int:
    from harkback.cli import reports

    archive = opened()
    if options.action == "list":
        listed = archive.exclusions()
        reports.exclusions(listed, as_json=options.json)
        return 0 if listed else 1
    if not (options.pattern or "").strip():
        raise NoPattern(options.action)
    kind = None if options.action == "remove" else "sealed" if options.sealed else "excluded"
    pattern = options.pattern
    if pattern.replace("\\", "/").partition("/")[0] in {".", ".."}:
        pattern = os.path.abspath(pattern)
    if kind == "excluded" and not options.yes:
        fitting = archive.fitting(pattern)
        if fitting.sessions:
            reports.fitting(fitting)
            refused = partial(reports.not_excluded, fitting) if options.json else None
            if not _is_agreed(f"Exclude {pattern} and forget them?", refused):
                return 2
    done = archive.exclude(pattern, kind, _say_waiting)
    reports.excluding(pattern, kind, done, as_json=options.json)
    return 0 if done.changed else 1


def _check(options: argparse.Namespace) -> int:
    from harkback.cli import reports

    checked = opened().check(secrets=options.secrets)
    reports.checked(checked, secrets=options.secrets, as_json=options.json)
    return 2 if checked.faults or checked.secrets else 0


def _redact(options: argparse.Namespace) -> int:
    from harkback.cli import reports

    reports.redacted(opened().redact(_say_waiting), as_json=options.json)
    return 0


def _sync(options: argparse.Namespace) -> int:
    from harkback.cli import reports
    from harkback.cli.progress import Bar

    archive = opened()
    with Bar(is_shown=sys.stderr.isatty() and not options.background) as bar:
        report, coverage = archive.sync(
            full=options.full,
            limit_s=archive.settings.seconds("sync.background_limit_s") if options.background else None,
            progress=bar.sync,
            waiting=_say_waiting,
        )
    problem = in_step_where_readable(memories_of(archive), whole=True)
    began = monotonic()
    try:
        if not problem:
            memories_of(archive).empty_bin()
            memories_of(archive).make_vectors(archive.settings.seconds("meaning.sync_s"))
        archive.make_vectors(_say, spent_s=monotonic() - began)
    except (MeaningFailed, LockDamaged) as error:
        _say(str(error))
    if not options.background:
        reports.sync(report, coverage, as_json=options.json)
        if problem:
            note(problem)
    return 0


def _say(text: str) -> None:
    print(f"hark: {text}", file=sys.stderr)


def _say_waiting() -> None:
    _say("another sync is running; waiting for it to end, which `hark status` shows")


def _status(options: argparse.Namespace) -> int:
    from harkback.cli import reports

    reports.status(opened().status(), as_json=options.json)
    return 0


def _rebuild(options: argparse.Namespace) -> int:
    from harkback.cli import reports
    from harkback.cli.progress import Bar

    archive = opened()
    began = time()
    with Bar(is_shown=sys.stderr.isatty()) as bar:
        parts = archive.rebuild(bar.parts, _say_waiting)
    reports.rebuilt(parts, time() - began, as_json=options.json)
    return 0


def _config(options: argparse.Namespace) -> int:
    from harkback.cli.options import show_or_set

    here = place(os.environ)
    return show_or_set(os.environ, here.data, options.key, options.value, unset=options.unset, as_json=options.json)


def _uninstall(options: argparse.Namespace) -> int:
    from harkback.cli.uninstall import take_out

    set_up()
    return take_out(
        place(os.environ),
        os.environ,
        _say_waiting,
        delete=options.delete_archive,
        yes=options.yes,
        as_json=options.json,
    )


def _demo(options: argparse.Namespace) -> int:
    from harkback.cli.demo import show_demo

    set_up()  # the sample is read with the defaults, and printed like everything else
    return show_demo(as_json=options.json)


_REMEMBERING = ("remember", "recall", "memories", "edit", "done", "supersede", "context", "profile")


def _of_memories(options: argparse.Namespace) -> int:
    from harkback.cli.remembering import COMMANDS

    return COMMANDS[options.command](options)


def _of_server(options: argparse.Namespace) -> int:
    if options.command == "audit" and options.action is None:
        from harkback.cli.auditing import audit

        return audit(options)
    from harkback.cli.serving import COMMANDS

    return COMMANDS[options.command](options)


def _setup(options: argparse.Namespace) -> int:
    from harkback.cli.setup import run

    return run(options)


def _bare(*, as_json: bool) -> int:
    from harkback.cli import reports

    reports.bare(opened().overview(), as_json=as_json)
    return 0


def _chat(options: argparse.Namespace) -> int:
    from harkback.cli.chatting import chat

    return chat(options)


def _compact(options: argparse.Namespace) -> int:
    from harkback.cli.compacting import compact

    return compact(options)


def _mcp(_: argparse.Namespace) -> int:
    from harkback.cli.agents_door import mcp

    return mcp()


def _hook(_: argparse.Namespace) -> int:
    from harkback.cli.agents_door import hook

    return hook()


_COMMANDS = {
    **dict.fromkeys(_REMEMBERING, _of_memories),
    "chat": _chat,
    "compact": _compact,
    "hook": _hook,
    "mcp": _mcp,
    **dict.fromkeys(("serve", "token", "audit"), _of_server),
    "search": _search,
    "show": _show,
    "sessions": _sessions,
    "resume": _resume,
    "events": _events,
    "sources": _sources,
    "forget": _forget,
    "exclude": _exclude,
    "check": _check,
    "redact": _redact,
    "sync": _sync,
    "status": _status,
    "rebuild": _rebuild,
    "config": _config,
    "setup": _setup,
    "uninstall": _uninstall,
    "demo": _demo,
}
