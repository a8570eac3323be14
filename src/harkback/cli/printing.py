"""The one printer: colours for a person at a terminal, compact text in a pipe, JSON on request."""

from __future__ import annotations

import os
import sys
from time import monotonic

from harkback import errors, rank
from harkback.agents import resume_argv, resume_env
from harkback.model import LANES, MAIN_LANES, MASKED, ROLES, TALK, USER
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harkback.archive.answers import (
        Answer,
        Checked,
        Excluding,
        MessageView,
        Overview,
        SessionView,
        SourceView,
        Status,
    )
    from harkback.archive.events import Event
    from harkback.archive.keeping import Doomed, Fitting
    from harkback.archive.statistics import Counts, Statistics
    from harkback.engines.local.erasing import Erased
    from harkback.ingest.changes import Report
    from harkback.model import Coverage, StoredPart, StoredSession
    from harkback.query import Query
    from harkback.search.answer import Hit
    from harkback.search.snippet import Snippet

_BOLD, _DIM, _CYAN, _GREEN, _OFF = "\x1b[1;33m", "\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[0m"
_CONTEXT_CHARS = 240
_HEAD_CHARS = 60
_CUT_MARK = " [cut]"
_SHOW_EVERY_S = 0.2
_TITLE_CHARS = 60


class Look:
    """How everything is printed, as a person has set it."""

    color = "auto"


look = Look()


def _is_terminal() -> bool:
    if look.color != "auto":
        return look.color == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _paint(text: str, colour: str) -> str:
    return f"{colour}{text}{_OFF}" if _is_terminal() else text


def _plain(text: str) -> str:
    """Take out what could steer a terminal; texts come from others."""
    return "".join(c if (c >= " " and c != "\x7f" and not "\x80" <= c <= "\x9f") or c in "\n\t" else " " for c in text)


def _json(value: object) -> None:
    print(_dumps(value))


def _dumps(value: object) -> str:
    import json  # 2 ms that plain output need not pay

    return json.dumps(value, ensure_ascii=False)


def _when(time_ms: int | None) -> str:
    moment = local(time_ms)
    return moment.strftime("%Y-%m-%d %H:%M%z") if moment else "no date"


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _base(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] or path


def _note(text: str) -> None:
    sys.stdout.flush()  # in a merged stream the status line comes last
    print(_plain(text), file=sys.stderr)


# -- search --------------------------------------------------------------------------------------------------------


def search(answer: Answer, *, as_json: bool, budget: int, seconds: float) -> None:
    """Print an answer on stdout and one status line on stderr; `budget` characters at most, 0 for no limit."""
    found = answer.found
    if as_json:
        from harkback import wire

        whole = wire.search(answer)
        shown = len(found.hits)
        while budget and shown > 1 and len(_dumps(whole)) > budget:
            shown -= 1
            whole = wire.search(answer, shown)
        _json(whole)
    else:
        _print_hits(answer, budget)
    _note(_status_line(answer, seconds))


def _print_hits(answer: Answer, budget: int) -> None:
    hits = answer.found.hits
    if not hits:
        print(_plain(f"Nothing found. {answer.hint}"))
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
    facts = [part.message, _when(part.time_ms), who, session.agent, _base(session.project or session.cwd)]
    head = "  ".join(_plain(fact) for fact in facts if fact)
    title = _title(session)
    lines = [_paint(head, _CYAN) + (f"  {_paint(title, _GREEN)}" if title and title not in hit.snippet.text else "")]
    lines += [_turn(one) for one in hit.before]
    lines.append(_indented(_marked(hit.snippet)))
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
    lines.append("    " + _paint(" · ".join(_plain(one) for one in extra), _DIM))
    return "\n".join(lines)


def _title(session: StoredSession) -> str:
    title = _plain(session.title)
    return title if len(title) <= _TITLE_CHARS else title[: _TITLE_CHARS - 1].rstrip() + "…"


def _turn(part: StoredPart) -> str:
    text = " ".join(_plain(part.text).split())
    cut = text[:_CONTEXT_CHARS] + (" …" if len(text) > _CONTEXT_CHARS else "")
    return _paint(f"    {ROLES[part.role]}: {cut}", _DIM)


def _marked(snippet: Snippet) -> str:
    text = snippet.text
    if _is_terminal():
        pieces, at = [], 0
        for start, end in snippet.matches:
            pieces += [_plain(text[at:start]), _BOLD, _plain(text[start:end]), _OFF]
            at = end
        text = "".join([*pieces, _plain(text[at:])])
    else:
        text = _plain(text)
    return ("… " if snippet.is_cut_before else "") + text + (" …" if snippet.is_cut_after else "")


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines() if line.strip())


def _status_line(answer: Answer, seconds: float) -> str:
    found, coverage = answer.found, answer.coverage
    words = [f"{len(found.hits)} {_hits(len(found.hits))}, tier {rank.TIERS[found.tier]}, {seconds * 1000:.0f} ms"]
    main = sum(found.lanes.get(LANES[lane], 0) for lane in MAIN_LANES)
    others = [f"{name} {number}" for name, number in found.lanes.items() if LANES.index(name) not in MAIN_LANES]
    if main or others:
        words.append(
            f"matches: {main} in talk, calls and titles" + (f"; {', '.join(others)} (--all)" if others else "")
        )
    words.append(f"{_number(coverage.transcripts, 'transcript')} read")
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
        _json(whole)
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
    return "\n".join([_paint(f"{part.message}  {_when(part.time_ms)}  {who}", _CYAN), _indented(_plain(part.text))])


def _places(view: MessageView) -> list[str]:
    shown = [_paint(_plain(f"    {one.id}  {path} at byte {at}"), _DIM) for one, path, at in view.places[:10]]
    more = len(view.places) - len(shown)
    return [*shown, *([_paint(f"    and in {_number(more, 'other place')} (all with --json)", _DIM)] if more else [])]


def _session_line(one: StoredSession) -> str:
    parts = [one.id, one.title, f"{_when(one.started_ms)} to {_when(one.ended_ms)}", one.project or one.cwd]
    parts += [f"branch {one.branch}"] if one.branch else []
    parts += [f"{one.relation} of {one.parent}"] if one.parent else []
    parts += ["transcript deleted by its agent, kept here"] if one.is_gone else []
    return _paint(" · ".join(_plain(part) for part in parts if part), _GREEN)


def session(view: SessionView, *, as_json: bool, page_chars: int) -> None:
    """Print a page of a session: its prompts, final answers and the files it touched."""
    if as_json:
        from harkback import wire

        _json(wire.session_view(view))
        return
    print(_session_line(view.session))
    one = view.session
    if command := _resume_line(one):
        print(_paint(f"    resume: {command}", _DIM))
    for child in view.children[:10]:
        print(_paint(f"    {child.relation or 'session'} {child.id} {_plain(child.title)}", _DIM))
    if view.files and view.page == 1:
        named = ", ".join(_plain(path) for path in view.files[:30])
        print(_paint(f"    files: {named}{' …' if len(view.files) > 30 else ''}", _DIM))
    most = max(150, page_chars // max(1, len(view.parts)) - _HEAD_CHARS)
    for part in view.parts:
        text = _plain(part.text)
        cut = text if len(text) <= most else f"{text[:most].rstrip()} … (hark show {part.message})"
        who = "user" if part.role == USER else ROLES[part.role]
        print(f"{_paint(f'{part.message}  {_when(part.time_ms)}  {who}', _CYAN)}\n{_indented(cut)}")
    if view.pages > 1:
        then = f"; next: hark show {view.session.native} --page {view.page + 1}" if view.page < view.pages else ""
        print(f"(page {view.page} of {view.pages}{then})")


def _resume_line(one: StoredSession) -> str:
    """Write the command that goes on with a session as a shell takes it, "" where there is none."""
    argv = resume_argv(one)
    if not argv:
        return ""
    from shlex import join, quote

    settings = "".join(f"{name}={quote(_plain(value))} " for name, value in resume_env(one).items())
    # A folder that is gone would stop the whole line.
    folder = f"cd {quote(_plain(one.cwd))} && " if os.path.isdir(one.cwd) else ""
    return folder + settings + join(_plain(word) for word in argv)


def resume(one: StoredSession, *, as_json: bool) -> None:
    """Print the command that goes on with a session. Raises CannotResume."""
    command = _resume_line(one)
    if not command:
        why = "its agent has deleted the transcript" if one.is_gone else f"no command is known for {_plain(one.path)}"
        raise errors.CannotResume(one.id, why)
    if as_json:
        from harkback import wire

        _json(wire.resumed(one))
    else:
        print(command)
    if MASKED in one.cwd and not os.path.isdir(one.cwd):
        _note(
            f"the folder {_plain(one.cwd)} held a secret in its name, which is masked here; go to the folder yourself"
            " and run the command there"
        )
    elif one.cwd and not os.path.isdir(one.cwd):
        _note(f"the folder {_plain(one.cwd)} is not there any more; run it where the work is now")


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
        _note("tokens are not counted with --kind or --tool: they are the cost of whole answers")
    if as_json:
        from harkback import wire

        _json(wire.statistics(counted))
        return
    for group, counts in counted.groups.items():
        print(_paint(_plain(f"{group.day or 'no date'}  {group.agent}  {group.project}"), _CYAN))
        _print_counts(counts)
    print(_paint(f"all: {_number(counted.sessions, 'session')}", _GREEN))
    _print_counts(counted.total)
    if counted.gone:
        _note(
            f"{_number(counted.gone, 'session')} counted as kept here, the transcript having been deleted by its"
            " agent: without tokens and skills, hooks as meta"
        )


def _print_counts(counts: Counts) -> None:
    tokens = counts.tokens
    cost = f"{tokens.input:,} in, {tokens.output:,} out, {tokens.cache_read:,} cached, {tokens.cache_write:,} written"
    rows = [
        ("events", _listed(counts.events)),
        ("tools", _listed(counts.tools)),
        ("skills", _listed(counts.skills)),
        ("hooks", _listed(counts.hooks)),
        ("models", _listed(counts.models)),
        ("tokens", cost if any(tokens) else ""),
    ]
    for name, text in rows:
        if text:
            print(_plain(f"    {name:<8}{text}"))


def _listed(counts: dict[str, int]) -> str:
    most = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name or '?'} {number:,}" for name, number in most)


def no_events(query: Query, kinds: Sequence[str]) -> None:
    """Say on the side that nothing fits."""
    names = ", ".join([*sorted({one.field for one in query.filters}), *(["kind"] if kinds else [])])
    _note(
        f"no event fits{f' the filters ({names})' if names else ''}; hark sources and hark sessions show what there is"
    )


def doomed(found: Doomed) -> None:
    """Show on the side what would be forgotten."""
    _note(f"{_number(len(found.messages), 'message')} in all" + (", the newest:" if found.shown else ""))
    for part in found.shown:
        text = " ".join(_plain(part.text).split())
        _note(f"    {part.message}  {_when(part.time_ms)}  {ROLES[part.role]}: {text[:_TITLE_CHARS]}")
    _project_counts(found.projects)
    for one in found.sessions[:10]:
        _note(f"    session {one.short}  {_when(one.started_ms)}  {_title(one)}")
    if len(found.sessions) > 10:
        _note(f"    and {_number(len(found.sessions) - 10, 'more session')}")


def _project_counts(projects: dict[str, int]) -> None:
    for path, number in projects.items():
        _note(f"    project {path or 'without a name'}: {_number(number, 'session')}")


def forgotten(doomed: Doomed, erased: Erased | None, *, as_json: bool) -> None:
    """Print what was forgotten; None: nothing was, for nothing was found or it was not agreed."""
    messages, sessions = erased or (len(doomed.messages), len(doomed.sessions))
    if as_json:
        from harkback import wire

        done = {"forgotten": erased is not None, "messages": messages, "sessions": sessions}
        _json({"schema": wire.SCHEMA, **done, "projects": doomed.projects})
    elif erased is None:
        print("Nothing fits, so nothing was forgotten.")
    else:
        print(
            f"forgot {_number(messages, 'message')} and {_number(sessions, 'session')}; a sync does not bring them back"
        )


def exclusions(listed: dict[str, str], *, as_json: bool) -> None:
    """Print the patterns of projects that are not read or not found."""
    if as_json:
        from harkback import wire

        _json({"schema": wire.SCHEMA, "exclusions": [{"pattern": one, "kind": kind} for one, kind in listed.items()]})
        return
    for pattern, kind in listed.items():
        print(f"{kind:<10}{_plain(pattern)}")
    if not listed:
        print("No project is excluded or sealed. `hark exclude add PATTERN` keeps one from being read.")


def fitting(found: Fitting) -> None:
    """Show on the side what excluding a project would forget."""
    _note(f"{_number(len(found.sessions), 'session')} would be forgotten:")
    _project_counts(found.projects)
    if found.lost:
        _note(f"{_number(found.lost, 'session')} of them would be lost for good: no transcript is left on disk")


def not_excluded(found: Fitting) -> None:
    """Print as JSON what would have been forgotten."""
    from harkback import wire

    _json(wire.excluding(found, changed=False, agreed=False))


def excluding(pattern: str, kind: str | None, done: Excluding, *, as_json: bool) -> None:
    """Print what excluding a project did."""
    if as_json:
        from harkback import wire

        _json(wire.excluding(done.forgotten, changed=done.changed, agreed=True))
        return
    told = {"sealed": "is found only from inside itself", "excluded": f"is not read; {_forgot(done.forgotten)}"}
    print(f"{_plain(pattern)} {told.get(kind or '') or _REMOVED[done.was]}")


_REMOVED = {
    "": "was neither excluded nor sealed.",
    "sealed": "is found again",
    "excluded": "is read again by the next hark sync; sessions that were forgotten and have no transcript any more do"
    " not come back",
}
"""What removing a pattern does, by what it was before."""


def _forgot(found: Fitting) -> str:
    number = len(found.sessions)
    if not number:
        return "nothing in the archive fits it yet"
    lost = f", {found.lost:,} of them for good (no transcript is left)" if found.lost else ""
    return f"{_number(number, 'session')} that had been read {'is' if number == 1 else 'are'} forgotten{lost}"


def checked(found: Checked, *, secrets: bool, as_json: bool) -> None:
    """Print what a check found."""
    if as_json:
        from harkback import wire

        _json(wire.checked(found))
        return
    for fault in found.faults:
        print(f"{fault.number:,} {fault.kind}: {fault.mend}")
    if secrets:
        kinds = _listed(found.secrets)
        print(f"secrets    {kinds}: hark redact" if kinds else "secrets    none")
    elif not found.faults:
        print("rows, totals, checkpoints and the word index agree")
    print(f"problems   {_listed(found.problem_kinds) or 'none'}")


def redacted(kinds: dict[str, int], *, as_json: bool) -> None:
    """Print what was masked."""
    if as_json:
        from harkback import wire

        _json({"schema": wire.SCHEMA, "masked": kinds})
    else:
        print(f"masked {_listed(kinds)}" if kinds else "nothing had to be masked")


def pending(number: int, note: str) -> None:
    """Say on the side that something is still to be read, and what a note says."""
    if note:
        _note(note)
    if number:
        unread = f"{_number(number, 'transcript')} {_have(number)} something that was not read yet"
        _note(f"{unread} and is not given here: hark sync")


# -- lists and states ----------------------------------------------------------------------------------------------


def sessions(listed: Sequence[StoredSession], next_page: int, *, as_json: bool) -> None:
    """Print a list of sessions, one line each; `next_page` is 0 on the last one."""
    if as_json:
        from harkback import wire

        _json(wire.sessions(list(listed), next_page))
        return
    for one in listed:
        facts = [_when(one.ended_ms), one.agent, _base(one.project or one.cwd), _number(one.messages, "message")]
        facts += [one.branch] if one.branch else []
        facts += [f"{one.relation} of {one.parent_short}"] if one.parent else []
        facts += ["gone"] if one.is_gone else []
        print(_paint(one.native, _CYAN) + "  " + _plain("  ".join(facts)) + "  " + _paint(_title(one), _GREEN))
    if next_page:
        _note(f"{_number(len(listed), 'session')}; the next ones: --page {next_page}")
    if not listed:
        print("No session fits, or this page is past the last one. `hark sessions` lists all of them.")


def sync(report: Report, kept: Coverage, *, as_json: bool) -> None:
    """Print what a sync did in two lines."""
    if as_json:
        from harkback import wire

        _json(wire.sync(report, kept))
        return
    print(
        f"read {_number(report.files, 'transcript')}: {_number(report.messages, 'message')},"
        f" {_number(report.problems, 'problem')},"
        f" {report.seconds:.1f} seconds" + (f"; {report.pending:,} still to read" if report.pending else "")
    )
    if report.forgotten:
        print(report.forgotten_note)
    if report.unnamed:
        _note(
            f"{_number(report.unnamed, 'transcript')} cannot be read, the path not being UTF-8: hark status names"
            f" {'it' if report.unnamed == 1 else 'them'}"
        )
    print(
        f"the archive holds {_number(kept.transcripts, 'transcript')}, {_number(kept.messages, 'message')},"
        f" {_number(kept.problems, 'problem')}"
    )


def rebuilt(parts: int, seconds: float, *, as_json: bool) -> None:
    """Print that the index was made again."""
    if as_json:
        from harkback import wire

        _json({"schema": wire.SCHEMA, "texts": parts, "seconds": round(seconds, 3)})
    else:
        print(f"made the word index again from {_number(parts, 'text')} in {seconds:.1f} seconds")


def status(state: Status, *, as_json: bool) -> None:
    """Print the state of the archive."""
    if as_json:
        from harkback import wire

        _json(wire.status(state))
        return
    kept = state.coverage
    print(f"archive    {state.folder} ({state.bytes / 1e6:,.1f} MB)")
    print(f"holds      {_number(kept.transcripts, 'transcript')}, {_number(kept.messages, 'message')}")
    for one in state.agents:
        gone = f", {one.gone:,} deleted by the agent and kept here" if one.gone else ""
        print(f"           {one.agent}: {_number(one.transcripts, 'transcript')}, newest {_when(one.newest_ms)}{gone}")
    unread = f"{_number(kept.pending, 'transcript')} {_have(kept.pending)} something new: hark sync"
    print(f"pending    {unread if kept.pending else 'nothing'}")
    print(f"full pass  {_when(kept.last_full_pass_ms) if kept.last_full_pass_ms else 'none yet: hark sync'}")
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in state.problem_kinds.items())
    print(f"problems   {kinds or 'none'}")
    for problem in state.problems[:10]:
        print(
            _paint(
                _plain(f"           {problem.path} at byte {problem.offset}: {problem.kind}: {problem.detail}"), _DIM
            )
        )
    if len(state.problems) > 10:
        print("           … (all with --json)")
    secrets = ", ".join(f"{kind} {number:,}" for kind, number in state.masked.items())
    print(f"masked     {secrets or 'no secrets'}")
    for leaving in state.leaving:
        print(
            f"leaving    {leaving.agent} will delete {_number(leaving.transcripts, 'transcript')} within a week"
            f" (it keeps them {_number(leaving.after_days, 'day')}); what was read of them stays here"
        )


def sources(listed: Sequence[SourceView], *, as_json: bool) -> None:
    """Print for each agent where its transcripts lie and what was read of them."""
    if as_json:
        from harkback import wire

        _json(wire.sources(list(listed)))
        return
    for one in listed:
        kept = one.kept
        print(_paint(one.agent, _CYAN) + ("" if one.folders else "  not found") + _paint(f"  ({one.where})", _DIM))
        for folder in one.folders:
            print(_plain(f"    in         {folder}"))
        for folder in one.unreadable:
            print(_plain(f"    closed     {folder} may not be read: check its permissions"))
        for name, value in one.missing:
            print(_plain(f"    not found  {name} is set to {value}, where there is no folder with sessions"))
        if one.on_disk or kept.transcripts:
            unread = f", {one.on_disk - kept.transcripts + kept.gone:,} not read yet: hark sync"
            is_behind = one.on_disk > kept.transcripts - kept.gone
            gone = f", {kept.gone:,} more deleted by the agent and kept here" if kept.gone else ""
            print(f"    files      {one.on_disk:,} on disk{unread if is_behind else ''}{gone}")
            print(
                f"    read       {_number(one.sessions, 'session')}, {_number(kept.messages, 'message')},"
                f" newest {_when(kept.newest_ms)}"
            )
            print(f"    problems   {f'{one.problems:,} (hark status lists them)' if one.problems else 'none'}")


def bare(overview: Overview, *, as_json: bool) -> None:
    """Print coverage in two lines and the commands to know."""
    kept = overview.coverage
    if as_json:
        from harkback import wire

        _json(wire.bare(kept, overview.transcripts, overview.newest_ms))
        return
    if kept is None:
        print("hark finds again what was said in past sessions of your coding agents.")
        print(
            "Nothing is indexed yet; the first search or `hark sync` reads what was found:"
            f" {_number(overview.transcripts, 'transcript')}."
        )
    else:
        print(
            f"{_number(kept.transcripts, 'transcript')} and {_number(kept.messages, 'message')} can be searched,"
            f" the newest from {_when(overview.newest_ms)}."
        )
        print(
            f"{_number(kept.pending, 'transcript')} {_are(kept.pending)} still to be read,"
            f" {_number(kept.problems, 'record')} could not be read as they stand."
        )
    print()
    for command, what in COMMANDS:
        print(f"  {command:<26}{what}")


COMMANDS = (
    ("hark search 5G card", "find what was said (hark search --help: filters, lanes, phrases)"),
    ("hark show ID", "read on from a hit, or read a session"),
    ("hark sessions", "list sessions, newest first"),
    ("hark resume ID", "the command that goes on with a session in its agent"),
    ("hark events", "everything that was said and done, as JSON lines; --stats counts it"),
    ("hark sources", "which agents were found, where, and what was read of them"),
    ("hark status", "what is covered and what is not"),
    ("hark demo", "try it on a sample archive"),
)
