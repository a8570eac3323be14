"""The one printer: colours for a person at a terminal, compact text in a pipe, JSON on request."""

from __future__ import annotations

import os
import sys
from time import monotonic

from harkback import errors, rank
from harkback.agents import resume_argv, resume_env
from harkback.cli.terminal import (
    BOLD,
    CYAN,
    DIM,
    GREEN,
    OFF,
    amount,
    base,
    dumped,
    have,
    indented,
    is_terminal,
    note,
    paint,
    plain,
    print_json,
    tally,
    title_of,
    when,
)
from harkback.model import LANES, MAIN_LANES, MASKED, ROLES, TALK, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harkback.archive.answers import (
        Answer,
        MessageView,
        SessionView,
    )
    from harkback.archive.events import Event
    from harkback.archive.statistics import Counts, Statistics
    from harkback.model import StoredPart, StoredSession
    from harkback.query import Query
    from harkback.search.answer import Hit
    from harkback.search.snippet import Snippet

_CONTEXT_CHARS = 240
_HEAD_CHARS = 60
_CUT_MARK = " [cut]"
_SHOW_EVERY_S = 0.2


# -- search --------------------------------------------------------------------------------------------------------


def search(answer: Answer, now_ms: int, *, as_json: bool, budget: int, seconds: float) -> None:
    """Print an answer on stdout and one status line on stderr; `budget` characters at most, 0 for no limit."""
    found = answer.found
    if as_json:
        from harkback import wire

        whole = wire.search(answer, now_ms)
        shown = len(found.hits)
        while budget and shown > 1 and len(dumped(whole)) > budget:
            shown -= 1
            whole = wire.search(answer, now_ms, shown)
        print_json(whole)
    else:
        _print_hits(answer, _print_memories(answer, now_ms, budget))
    if answer.trouble:
        note(answer.trouble)
    note(_status_line(answer, seconds))


def _print_memories(answer: Answer, now_ms: int, budget: int) -> int:
    """Print what was remembered, before what was said; gives what is left of the budget."""
    if not answer.memories:
        return budget
    from harkback.cli.memory_printing import hit_of

    left = budget
    for one in answer.memories:
        text = hit_of(one, now_ms)
        print(text)
        left -= len(text) + 1
    return max(1, left) if budget else 0


def _print_hits(answer: Answer, budget: int) -> None:
    hits = answer.found.hits
    if not hits:
        if not answer.memories:
            print(plain(f"Nothing found. {answer.hint}"))
        return
    left = budget
    for number, hit in enumerate(hits):
        text = _hit(hit)
        rest = len(hits) - number
        last = f"({rest} more {_hits(rest)} not shown: --budget 0 shows them, -n {number} asks for fewer)"
        needed = len(text) + 1 + (len(last) + 1 if rest > 1 else 0)
        if budget and needed > left and number:
            print(last)
            return
        if budget and needed > left:
            text = text[: max(0, left - (needed - len(text)) - len(_CUT_MARK))].rstrip() + _CUT_MARK
        print(text)
        left -= len(text) + 1


def _hits(number: int) -> str:
    return "hit" if number == 1 else "hits"


def _hit(hit: Hit) -> str:
    part, session = hit.part, hit.session
    who = ROLES[part.role] if part.lane == TALK else f"{ROLES[part.role]}/{LANES[part.lane]}"
    facts = [part.message, when(part.time_ms), who, session.agent, base(session.project or session.cwd)]
    head = "  ".join(plain(fact) for fact in facts if fact)
    title = title_of(session)
    lines = [paint(head, CYAN) + (f"  {paint(title, GREEN)}" if title and title not in hit.snippet.text else "")]
    lines += [_turn(one) for one in hit.before]
    lines.append(indented(_marked(hit.snippet)))
    lines += [_turn(one) for one in hit.after]
    also = [one.session.short for one in hit.copies]
    extra = [f"session {session.short}"]
    if session.relation == "subagent":
        extra.append(f"subagent of {session.parent_short}")
    if session.is_gone:
        extra.append("transcript deleted by its agent, kept here")
    if also:
        extra.append(f"also in {', '.join(also[:3])}{' …' if len(also) > 3 else ''}")
    if hit.tier not in {rank.PHRASE, rank.ALL}:
        extra.append(f"tier {rank.TIERS[hit.tier]}")
    lines.append("    " + paint(" · ".join(plain(one) for one in extra), DIM))
    return "\n".join(lines)


def _turn(part: StoredPart) -> str:
    text = " ".join(plain(part.text).split())
    cut = text[:_CONTEXT_CHARS] + (" …" if len(text) > _CONTEXT_CHARS else "")
    return paint(f"    {ROLES[part.role]}: {cut}", DIM)


def _marked(snippet: Snippet) -> str:
    text = snippet.text
    if is_terminal():
        pieces, at = [], 0
        for start, end in snippet.matches:
            pieces += [plain(text[at:start]), BOLD, plain(text[start:end]), OFF]
            at = end
        text = "".join([*pieces, plain(text[at:])])
    else:
        text = plain(text)
    return ("… " if snippet.is_cut_before else "") + text + (" …" if snippet.is_cut_after else "")


def _status_line(answer: Answer, seconds: float) -> str:
    found, coverage = answer.found, answer.coverage
    told = f"{len(answer.memories)} remembered, " if answer.memories else ""
    words = [
        f"{told}{len(found.hits)} {_hits(len(found.hits))}, tier {rank.TIERS[found.tier]}, {seconds * 1000:.0f} ms"
    ]
    main = sum(found.lanes.get(LANES[lane], 0) for lane in MAIN_LANES)
    others = [f"{name} {number}" for name, number in found.lanes.items() if LANES.index(name) not in MAIN_LANES]
    if main or others:
        words.append(
            f"matches: {main} in talk, calls and titles" + (f"; {', '.join(others)} (--all)" if others else "")
        )
    words.append(f"{amount(coverage.transcripts, 'transcript')} read")
    if coverage.pending:
        words.append(f"{coverage.pending:,} still to read (hark sync)")
    if answer.left_out:
        mine = [one.short for one in answer.left_out if one.id in answer.asking]
        named = [one.short for one in answer.left_out if one.id not in answer.asking]
        words += [f"left out: {', '.join(mine)}, which is asking (--include-current)"] if mine else []
        words += [f"left out: {', '.join(named)}, as asked"] if named else []
    return "; ".join([*words, *answer.query.notes])


# -- show ----------------------------------------------------------------------------------------------------------


def raw(record: bytes) -> None:
    """Print an untouched record."""
    sys.stdout.buffer.write(record + b"\n")


def message(view: MessageView, *, as_json: bool, page: int, page_chars: int) -> None:
    """Print a message with the turns around it; a long one in pages."""
    if as_json:
        from harkback import wire

        whole = wire.message_view(view, max(1, page), page_chars)
        if whole["page"] > whole["pages"]:
            raise errors.NoPage(view.parts[0].message, page, whole["pages"])
        print_json(whole)
        return
    text = "\n".join(
        [
            _session_line(view.session),
            *(_turn(one) for one in view.before),
            *(_whole(one) for one in view.parts),
            *(_turn(one) for one in view.after),
            *_places(view),
        ]
    )
    _print_page(text, page, page_chars, view.parts[0].message if view.parts else "")


def _print_page(text: str, page: int, page_chars: int, name: str) -> None:
    pages = max(1, -(-len(text) // page_chars))
    page = max(1, page)
    if page > pages:
        raise errors.NoPage(name, page, pages)
    print(text[(page - 1) * page_chars : page * page_chars])
    if pages > 1:
        print(f"(page {page} of {pages}" + (f"; next: hark show {name} --page {page + 1})" if page < pages else ")"))


def _whole(part: StoredPart) -> str:
    who = f"{ROLES[part.role]}/{LANES[part.lane]}"
    return "\n".join([paint(f"{part.message}  {when(part.time_ms)}  {who}", CYAN), indented(plain(part.text))])


def _places(view: MessageView) -> list[str]:
    shown = [paint(plain(f"    {one.id}  {path} at byte {at}"), DIM) for one, path, at in view.places[:10]]
    more = len(view.places) - len(shown)
    return [*shown, *([paint(f"    and in {amount(more, 'other place')} (all with --json)", DIM)] if more else [])]


def _session_line(one: StoredSession) -> str:
    parts = [one.id, one.title, f"{when(one.started_ms)} to {when(one.ended_ms)}", one.project or one.cwd]
    parts += [f"branch {one.branch}"] if one.branch else []
    parts += [f"{one.relation} of {one.parent}"] if one.parent else []
    parts += ["transcript deleted by its agent, kept here"] if one.is_gone else []
    return paint(" · ".join(plain(part) for part in parts if part), GREEN)


def session(view: SessionView, *, as_json: bool, page_chars: int) -> None:
    """Print a page of a session: its prompts, final answers and the files it touched."""
    if as_json:
        from harkback import wire

        print_json(wire.session_view(view))
        return
    print(_session_line(view.session))
    one = view.session
    if command := _resume_line(one):
        print(paint(f"    resume: {command}", DIM))
    for child in view.children[:10]:
        print(paint(f"    {child.relation or 'session'} {child.id} {plain(child.title)}", DIM))
    if view.files and view.page == 1:
        named = ", ".join(plain(path) for path in view.files[:30])
        print(paint(f"    files: {named}{' …' if len(view.files) > 30 else ''}", DIM))
    most = max(150, page_chars // max(1, len(view.parts)) - _HEAD_CHARS)
    for part in view.parts:
        text = plain(part.text)
        cut = text if len(text) <= most else f"{text[:most].rstrip()} … (hark show {part.message})"
        who = "user" if part.role == USER else ROLES[part.role]
        print(f"{paint(f'{part.message}  {when(part.time_ms)}  {who}', CYAN)}\n{indented(cut)}")
    if view.pages > 1:
        then = f"; next: hark show {view.session.native} --page {view.page + 1}" if view.page < view.pages else ""
        print(f"(page {view.page} of {view.pages}{then})")


def _resume_line(one: StoredSession) -> str:
    """Write the command that goes on with a session as a shell takes it, "" where there is none."""
    argv = resume_argv(one)
    if not argv:
        return ""
    from shlex import join, quote

    settings = "".join(f"{name}={quote(plain(value))} " for name, value in resume_env(one).items())
    # A folder that is gone would stop the whole line.
    folder = f"cd {quote(plain(one.cwd))} && " if os.path.isdir(one.cwd) else ""
    return folder + settings + join(plain(word) for word in argv)


def resume(one: StoredSession, *, as_json: bool) -> None:
    """Print the command that goes on with a session. Raises CannotResume."""
    command = _resume_line(one)
    if not command:
        why = "its agent has deleted the transcript" if one.is_gone else f"no command is known for {plain(one.path)}"
        raise errors.CannotResume(one.id, why)
    if as_json:
        from harkback import wire

        print_json(wire.resumed(one))
    else:
        print(command)
    if MASKED in one.cwd and not os.path.isdir(one.cwd):
        note(
            f"the folder {plain(one.cwd)} held a secret in its name, which is masked here; go to the folder yourself"
            " and run the command there"
        )
    elif one.cwd and not os.path.isdir(one.cwd):
        note(f"the folder {plain(one.cwd)} is not there any more; run it where the work is now")


# -- events --------------------------------------------------------------------------------------------------------


def events(found: Iterable[Event]) -> int:
    """Print events as they come, a JSON object a line; gives their number."""
    import orjson

    from harkback import wire

    out, number, shown = sys.stdout.buffer, 0, monotonic()
    for number, one in enumerate(found, 1):  # noqa: B007 - the last one counts
        out.write(orjson.dumps(wire.event(one)) + b"\n")
        if monotonic() - shown > _SHOW_EVERY_S:
            # Where few events fit, whoever waits sees each at once.
            out.flush()
            shown = monotonic()
    return number


def statistics(counted: Statistics, *, as_json: bool, has_tokens: bool) -> None:
    """Print counts of events by day, agent and project, and their total."""
    if not has_tokens:
        note("tokens are not counted with --kind or --tool: they are the cost of whole answers")
    if as_json:
        from harkback import wire

        print_json(wire.statistics(counted))
        return
    for group, counts in counted.groups.items():
        print(paint(plain(f"{group.day or 'no date'}  {group.agent}  {group.project}"), CYAN))
        _print_counts(counts)
    print(paint(f"all: {amount(counted.sessions, 'session')}", GREEN))
    _print_counts(counted.total)
    if counted.gone:
        note(
            f"{amount(counted.gone, 'session')} counted as kept here, the transcript having been deleted by its"
            " agent: without tokens and skills, hooks as meta"
        )


def _print_counts(counts: Counts) -> None:
    tokens = counts.tokens
    cost = f"{tokens.input:,} in, {tokens.output:,} out, {tokens.cache_read:,} cached, {tokens.cache_write:,} written"
    rows = [
        ("events", tally(counts.events)),
        ("tools", tally(counts.tools)),
        ("skills", tally(counts.skills)),
        ("hooks", tally(counts.hooks)),
        ("models", tally(counts.models)),
        ("tokens", cost if any(tokens) else ""),
    ]
    for name, text in rows:
        if text:
            print(plain(f"    {name:<8}{text}"))


def no_events(query: Query, kinds: Sequence[str]) -> None:
    """Say on the side that nothing fits."""
    names = ", ".join([*sorted({one.field for one in query.filters}), *(["kind"] if kinds else [])])
    note(
        f"no event fits{f' the filters ({names})' if names else ''}; hark sources and hark sessions show what there is"
    )


def pending(number: int, told: str) -> None:
    """Say on the side that something is still to be read, and what else is told."""
    if told:
        note(told)
    if number:
        unread = f"{amount(number, 'transcript')} {have(number)} something that was not read yet"
        note(f"{unread} and is not given here: hark sync")


def sessions(listed: Sequence[StoredSession], next_page: int, *, as_json: bool) -> None:
    """Print a list of sessions, one line each; `next_page` is 0 on the last one."""
    if as_json:
        from harkback import wire

        print_json(wire.sessions(list(listed), next_page))
        return
    for one in listed:
        facts = [when(one.ended_ms), one.agent, base(one.project or one.cwd), amount(one.messages, "message")]
        facts += [one.branch] if one.branch else []
        facts += [f"{one.relation} of {one.parent_short}"] if one.parent else []
        facts += ["gone"] if one.is_gone else []
        print(paint(one.native, CYAN) + "  " + plain("  ".join(facts)) + "  " + paint(title_of(one), GREEN))
    if next_page:
        note(f"{amount(len(listed), 'session')}; the next ones: --page {next_page}")
    if not listed:
        print("No session fits, or this page is past the last one. `hark sessions` lists all of them.")
