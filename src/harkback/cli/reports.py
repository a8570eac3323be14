"""What the commands that keep the archive print: sync, status, forget, exclude, check."""

from __future__ import annotations

from harkback.cli.terminal import (
    CYAN,
    DIM,
    amount,
    are,
    have,
    note,
    paint,
    plain,
    print_json,
    tally,
    title_of,
    when,
)
from harkback.model import ROLES
from harkback.telling import TITLE_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.archive.answers import (
        Checked,
        Excluding,
        Overview,
        SourceView,
        Status,
    )
    from harkback.archive.keeping import Doomed, Fitting
    from harkback.archive.replica import Shared
    from harkback.engines.local.erasing import Erased
    from harkback.ingest.changes import Report
    from harkback.model import Coverage


def doomed(found: Doomed) -> None:
    """Show on the side what would be forgotten."""
    note(f"{amount(len(found.messages), 'message')} in all" + (", the newest:" if found.shown else ""))
    for part in found.shown:
        text = " ".join(plain(part.text).split())
        note(f"    {part.message}  {when(part.time_ms)}  {ROLES[part.role]}: {text[:TITLE_CHARS]}")
    _project_counts(found.projects)
    for one in found.sessions[:10]:
        note(f"    session {one.short}  {when(one.started_ms)}  {title_of(one)}")
    if len(found.sessions) > 10:
        note(f"    and {amount(len(found.sessions) - 10, 'more session')}")


def _project_counts(projects: dict[str, int]) -> None:
    for path, number in projects.items():
        note(f"    project {path or 'without a name'}: {amount(number, 'session')}")


def forgotten(doomed: Doomed, erased: Erased | None, *, as_json: bool) -> None:
    """Print what was forgotten; None: nothing was, for nothing was found or it was not agreed."""
    messages, sessions = erased or (len(doomed.messages), len(doomed.sessions))
    if as_json:
        from harkback import wire

        done = {"forgotten": erased is not None, "messages": messages, "sessions": sessions}
        print_json({"schema": wire.SCHEMA, **done, "projects": doomed.projects})
    elif erased is None:
        print("Nothing fits, so nothing was forgotten.")
    else:
        print(
            f"forgot {amount(messages, 'message')} and {amount(sessions, 'session')}; a sync does not bring them back"
        )


def exclusions(listed: dict[str, str], *, as_json: bool) -> None:
    """Print the patterns of projects that are not read or not found."""
    if as_json:
        from harkback import wire

        print_json(
            {"schema": wire.SCHEMA, "exclusions": [{"pattern": one, "kind": kind} for one, kind in listed.items()]}
        )
        return
    for pattern, kind in listed.items():
        print(f"{kind:<10}{plain(pattern)}")
    if not listed:
        print("No project is excluded or sealed. `hark exclude add PATTERN` keeps one from being read.")


def fitting(found: Fitting) -> None:
    """Show on the side what excluding a project would forget."""
    note(f"{amount(len(found.sessions), 'session')} would be forgotten:")
    _project_counts(found.projects)
    if found.lost:
        note(f"{amount(found.lost, 'session')} of them would be lost for good: no transcript is left on disk")


def not_excluded(found: Fitting) -> None:
    """Print as JSON what would have been forgotten."""
    from harkback import wire

    print_json(wire.excluding(found, changed=False, agreed=False))


def excluding(pattern: str, kind: str | None, done: Excluding, *, as_json: bool) -> None:
    """Print what excluding a project did."""
    if as_json:
        from harkback import wire

        print_json(wire.excluding(done.forgotten, changed=done.changed, agreed=True))
        return
    told = {"sealed": "is found only from inside itself", "excluded": f"is not read; {_forgot(done.forgotten)}"}
    print(f"{plain(pattern)} {told.get(kind or '') or _REMOVED[done.was]}")


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
    return f"{amount(number, 'session')} that had been read {'is' if number == 1 else 'are'} forgotten{lost}"


def checked(found: Checked, *, secrets: bool, as_json: bool) -> None:
    """Print what a check found."""
    if as_json:
        from harkback import wire

        print_json(wire.checked(found))
        return
    for fault in found.faults:
        print(f"{fault.number:,} {fault.kind}: {fault.mend}")
    if secrets:
        kinds = tally(found.secrets)
        print(f"secrets    {kinds}: hark redact" if kinds else "secrets    none")
    elif not found.faults:
        print("rows, totals, checkpoints and the word index agree")
    print(f"problems   {tally(found.problem_kinds) or 'none'}")


def redacted(kinds: dict[str, int], *, as_json: bool) -> None:
    """Print what was masked."""
    if as_json:
        from harkback import wire

        print_json({"schema": wire.SCHEMA, "masked": kinds})
    else:
        print(f"masked {tally(kinds)}" if kinds else "nothing had to be masked")


def sync(report: Report, kept: Coverage, *, as_json: bool) -> None:
    """Print what a sync did in two lines."""
    if as_json:
        from harkback import wire

        print_json(wire.sync(report, kept))
        return
    print(
        f"read {amount(report.files, 'transcript')}: {amount(report.messages, 'message')},"
        f" {amount(report.problems, 'problem')},"
        f" {report.seconds:.1f} seconds" + (f"; {report.pending:,} still to read" if report.pending else "")
    )
    if report.forgotten:
        print(report.forgotten_note)
    if report.unnamed:
        note(
            f"{amount(report.unnamed, 'transcript')} cannot be read, the path not being UTF-8: hark status names"
            f" {'it' if report.unnamed == 1 else 'them'}"
        )
    print(
        f"the archive holds {amount(kept.transcripts, 'transcript')}, {amount(kept.messages, 'message')},"
        f" {amount(kept.problems, 'problem')}"
    )


def rebuilt(parts: int, seconds: float, *, as_json: bool) -> None:
    """Print that the index was made again."""
    if as_json:
        from harkback import wire

        print_json({"schema": wire.SCHEMA, "texts": parts, "seconds": round(seconds, 3)})
    else:
        print(f"made the word index again from {amount(parts, 'text')} in {seconds:.1f} seconds")


def status(state: Status, *, as_json: bool) -> None:
    """Print the state of the archive."""
    if as_json:
        from harkback import wire

        print_json(wire.status(state))
        return
    kept = state.coverage
    print(f"archive    {state.folder} ({state.bytes / 1e6:,.1f} MB)")
    print(f"holds      {amount(kept.transcripts, 'transcript')}, {amount(kept.messages, 'message')}")
    for one in state.agents:
        gone = f", {one.gone:,} deleted by the agent and kept here" if one.gone else ""
        print(f"           {one.agent}: {amount(one.transcripts, 'transcript')}, newest {when(one.newest_ms)}{gone}")
    unread = f"{amount(kept.pending, 'transcript')} {have(kept.pending)} something new: hark sync"
    print(f"pending    {unread if kept.pending else 'nothing'}")
    print(f"full pass  {when(kept.last_full_pass_ms) if kept.last_full_pass_ms else 'none yet: hark sync'}")
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in state.problem_kinds.items())
    print(f"problems   {kinds or 'none'}")
    for problem in state.problems[:10]:
        print(
            paint(plain(f"           {problem.path} at byte {problem.offset}: {problem.kind}: {problem.detail}"), DIM)
        )
    if len(state.problems) > 10:
        print("           … (all with --json)")
    remembered = ", ".join(f"{number:,} {kind}" for kind, number in state.memories.items())
    print(plain(f"memories   {state.memories_problem or remembered or 'none'}"))
    if state.shared is not None:
        print(plain(f"server     {_shared(state.shared)}"))
    print(f"meaning    {_meaning(state)}")
    secrets = ", ".join(f"{kind} {number:,}" for kind, number in state.masked.items())
    print(f"masked     {secrets or 'no secrets'}")
    if state.hook_failures is not None:
        failed = state.hook_failures
        print(plain(f"hooks      {amount(failed.number, 'failure')} in the last week, the last: {failed.last}"))
    for leaving in state.leaving:
        print(
            f"leaving    {leaving.agent} will delete {amount(leaving.transcripts, 'transcript')} within a week"
            f" (it keeps them {amount(leaving.after_days, 'day')}); what was read of them stays here"
        )


def _shared(shared: Shared) -> str:
    met = f"last contact {when(shared.contact_ms)}" if shared.contact_ms else "no contact yet"
    waiting = f"{amount(shared.waiting, 'change')} to deliver" if shared.waiting else "everything delivered"
    problem = f"; {shared.problem}" if shared.problem else ""
    return f"{shared.url}: {met}, {waiting}{problem}"


def _meaning(state: Status) -> str:
    found = state.vectors
    if state.words_only:
        return f"words only. {state.words_only}"
    if found is None:
        return "no sessions yet"
    if found.problem:
        return plain(found.problem)
    return f"{amount(found.vectors, 'vector')} of {found.transcripts:,} of {found.of:,} transcripts, by {found.model}"


def sources(listed: Sequence[SourceView], *, as_json: bool) -> None:
    """Print for each agent where its transcripts lie and what was read of them."""
    if as_json:
        from harkback import wire

        print_json(wire.sources(list(listed)))
        return
    for one in listed:
        kept = one.kept
        print(paint(one.agent, CYAN) + ("" if one.folders else "  not found") + paint(f"  ({one.where})", DIM))
        for folder in one.folders:
            print(plain(f"    in         {folder}"))
        for folder in one.unreadable:
            print(plain(f"    closed     {folder} may not be read: check its permissions"))
        for name, value in one.missing:
            print(plain(f"    not found  {name} is set to {value}, where there is no folder with sessions"))
        if one.on_disk or kept.transcripts:
            unread = f", {one.on_disk - kept.transcripts + kept.gone:,} not read yet: hark sync"
            is_behind = one.on_disk > kept.transcripts - kept.gone
            gone = f", {kept.gone:,} more deleted by the agent and kept here" if kept.gone else ""
            print(f"    files      {one.on_disk:,} on disk{unread if is_behind else ''}{gone}")
            print(
                f"    read       {amount(one.sessions, 'session')}, {amount(kept.messages, 'message')},"
                f" newest {when(kept.newest_ms)}"
            )
            print(f"    problems   {f'{one.problems:,} (hark status lists them)' if one.problems else 'none'}")


def bare(overview: Overview, *, as_json: bool) -> None:
    """Print coverage in two lines and the commands to know."""
    kept = overview.coverage
    if as_json:
        from harkback import wire

        print_json(wire.bare(kept, overview.transcripts, overview.newest_ms))
        return
    if kept is None:
        print("hark finds again what was said in past sessions of your coding agents.")
        print(
            "Nothing is indexed yet; the first search or `hark sync` reads what was found:"
            f" {amount(overview.transcripts, 'transcript')}."
        )
    else:
        print(
            f"{amount(kept.transcripts, 'transcript')} and {amount(kept.messages, 'message')} can be searched,"
            f" the newest from {when(overview.newest_ms)}."
        )
        print(
            f"{amount(kept.pending, 'transcript')} {are(kept.pending)} still to be read,"
            f" {amount(kept.problems, 'record')} could not be read as they stand."
        )
    print()
    for command, what in COMMANDS:
        print(f"  {command:<26}{what}")


COMMANDS = (
    ("hark search 5G card", "find what was said (hark search --help: filters, lanes, phrases)"),
    ("hark remember TEXT", "save a fact, which is found again in other words"),
    ("hark recall QUESTION", "find what was remembered"),
    ("hark show ID", "read on from a hit, or read a session"),
    ("hark sessions", "list sessions, newest first"),
    ("hark resume ID", "the command that goes on with a session in its agent"),
    ("hark events", "everything that was said and done, as JSON lines; --stats counts it"),
    ("hark sources", "which agents were found, where, and what was read of them"),
    ("hark status", "what is covered and what is not"),
    ("hark demo", "try it on a sample archive"),
)
