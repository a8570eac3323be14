"""JSON that leaves the process; `docs/json.md` describes it and changes with it. Plain dicts, ready to be printed."""

from __future__ import annotations

from harkback import rank
from harkback.agents import resume_argv, resume_env
from harkback.model import LANES, ROLES
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.archive.answers import Answer, Checked, MessageView, SessionView, SourceView, Status
    from harkback.archive.events import Event
    from harkback.archive.keeping import Fitting
    from harkback.archive.removal import Removed
    from harkback.archive.statistics import Counts, Statistics
    from harkback.config import Setting
    from harkback.ingest.changes import Report
    from harkback.model import Coverage, StoredPart, StoredSession
    from harkback.search.answer import Hit

    Json = dict[str, Any]

SCHEMA = 1
"""Version of the JSON: raised when a key changes its meaning or goes; new keys may come at any time."""


def when(time_ms: int | None, precision: str = "seconds") -> str | None:
    """Write a time in the user's zone with its offset, to the second or as `datetime.isoformat` names it."""
    moment = local(time_ms)
    return moment.isoformat(timespec=precision) if moment else None


def search(answer: Answer, shown: int | None = None) -> Json:
    """Write the answer of a search; `shown` hits fit the budget, all of them when None."""
    found = answer.found
    hits = found.hits if shown is None else found.hits[:shown]
    return {
        "schema": SCHEMA,
        "query": answer.query.text,
        "tier": rank.TIERS[found.tier],
        "hits": [_hit(one) for one in hits],
        "lanes": found.lanes,
        "coverage": coverage(answer.coverage),
        "left_out": [{"session": one.id, "title": one.title} for one in answer.left_out],
        "truncated": len(found.hits) - len(hits),
        "more": found.more,
        "notes": list(answer.query.notes),
        "hint": answer.hint,
    }


def _hit(hit: Hit) -> Json:
    part, session = hit.part, hit.session
    written: Json = {
        "id": part.message,
        "session": session.id,
        "agent": session.agent,
        "project": session.project,
        "title": session.title,
        "role": ROLES[part.role],
        "lane": LANES[part.lane],
        "time": when(part.time_ms),
        "snippet": hit.snippet.text,
        "matches": [list(span) for span in hit.snippet.matches],
        "score": round(hit.score, 4),
        "copies": [{"session": one.session.id, "title": one.session.title} for one in hit.copies],
        "resume": resume(session),
        "gone": session.is_gone,
        "why": {
            "tier": rank.TIERS[hit.tier],
            "share": round(hit.share, 3),
            "age": round(hit.age_factor, 3),
        },
    }
    if part.tool:
        written["tool"] = part.tool
    if part.files:
        written["files"] = list(part.files)
    if session.relation:
        written["parent"] = f"{session.agent}:{session.parent}"
    if hit.before or hit.after:
        written["before"] = [_part(one) for one in hit.before]
        written["after"] = [_part(one) for one in hit.after]
    return written


def resume(session: StoredSession) -> Json:
    """Say how to go on with a session: the command and the folder to run it in. A subagent's is its parent's.

    A session whose transcript its agent has deleted cannot be resumed.
    """
    return {"argv": resume_argv(session), "env": resume_env(session), "cwd": session.cwd}


def coverage(kept: Coverage) -> Json:
    """Write what the archive holds."""
    return {
        "files": kept.transcripts,
        "messages": kept.messages,
        "pending": kept.pending,
        "problems": kept.problems,
        "last_full_pass": when(kept.last_full_pass_ms),
    }


def _part(part: StoredPart) -> Json:
    written: Json = {
        "id": part.message,
        "role": ROLES[part.role],
        "lane": LANES[part.lane],
        "time": when(part.time_ms),
        "text": part.text,
    }
    if part.tool:
        written["tool"] = part.tool
    if part.files:
        written["files"] = list(part.files)
    return written


def session(one: StoredSession) -> Json:
    """Write a session."""
    return {
        "id": one.id,
        "agent": one.agent,
        "title": one.title,
        "project": one.project,
        "cwd": one.cwd,
        "branch": one.branch,
        "started": when(one.started_ms),
        "ended": when(one.ended_ms),
        "messages": one.messages,
        "parent": f"{one.agent}:{one.parent}" if one.parent else "",
        "relation": one.relation,
        "agent_type": one.agent_type,
        "path": one.path,
        "gone": one.is_gone,
        "resume": resume(one),
    }


def sessions(listed: list[StoredSession], next_page: int) -> Json:
    """Write a list of sessions; `next_page` is 0 on the last one."""
    return {"schema": SCHEMA, "sessions": [session(one) for one in listed], "next_page": next_page}


def message_view(view: MessageView, page: int, page_chars: int) -> Json:
    """Write a message with its surroundings; of a text longer than `page_chars` the given page."""
    start = (page - 1) * page_chars
    parts = [one._replace(text=one.text[start : start + page_chars]) for one in view.parts]
    return {
        "schema": SCHEMA,
        "session": session(view.session),
        "message": [_part(one) for one in parts],
        "page": page,
        "pages": max(1, *(-(-len(one.text) // page_chars) for one in view.parts)),
        "before": [_part(one) for one in view.before],
        "after": [_part(one) for one in view.after],
        "places": [{"session": one.id, "path": path, "offset": at} for one, path, at in view.places],
    }


def session_view(view: SessionView) -> Json:
    """Write a page of a session."""
    return {
        "schema": SCHEMA,
        "session": session(view.session),
        "messages": [_part(one) for one in view.parts],
        "files": list(view.files),
        "subagents": [session(one) for one in view.children],
        "page": view.page,
        "pages": view.pages,
    }


def status(state: Status) -> Json:
    """Write the state of the archive."""
    return {
        "schema": SCHEMA,
        "folder": state.folder,
        "bytes": state.bytes,
        "segments": state.segments,
        "coverage": coverage(state.coverage),
        "agents": [
            {
                "agent": one.agent,
                "files": one.transcripts,
                "messages": one.messages,
                "gone": one.gone,
                "newest": when(one.newest_ms),
            }
            for one in state.agents
        ],
        "masked": state.masked,
        "problem_kinds": state.problem_kinds,
        "problems": [
            {"path": one.path, "offset": one.offset, "kind": one.kind, "detail": one.detail} for one in state.problems
        ],
        "leaving": [
            {"agent": one.agent, "after_days": one.after_days, "files": one.transcripts} for one in state.leaving
        ],
    }


def event(one: Event) -> Json:
    """Write one event."""
    told, part = one.told, one.part
    session, facts, more = told.session, told.facts, told.more
    asked_type = more.agent_type if more is not None else ""
    return {
        "schema": SCHEMA,
        "id": told.id,
        "agent": session.agent,
        "session": session.id,
        "path": told.path,
        "time": when(told.time_ms, "milliseconds"),
        "cwd": facts.last_cwd if facts is not None and facts.last_cwd else session.cwd,
        "branch": told.branch,
        "role": ROLES[one.role],
        "kind": one.kind,
        "tool": part.tool,
        "model": told.model,
        "effort": more.effort if more is not None else "",
        "agent_type": asked_type or session.agent_type,
        "agent_model": more.agent_model if more is not None else "",
        "agent_role": facts.agent_role if facts is not None else "",
        "originator": facts.originator if facts is not None else "",
        "skill": more.skill if more is not None else "",
        "text": part.text,
        "args": part.args,
        "copies": list(told.copies),
    }


def statistics(counted: Statistics) -> Json:
    """Write counts of events by day, agent and project."""
    return {
        "schema": SCHEMA,
        "groups": [
            {"day": group.day, "agent": group.agent, "project": group.project, **_counts(counts)}
            for group, counts in counted.groups.items()
        ],
        "total": {"sessions": counted.sessions, "gone": counted.gone, **_counts(counted.total)},
    }


def _counts(counts: Counts) -> Json:
    return {
        "events": counts.events,
        "tools": counts.tools,
        "skills": counts.skills,
        "hooks": counts.hooks,
        "models": counts.models,
        "tokens": counts.tokens._asdict(),
    }


def sources(listed: list[SourceView]) -> Json:
    """Write what was found of each agent."""
    return {
        "schema": SCHEMA,
        "sources": [
            {
                "agent": one.agent,
                "where": one.where,
                "folders": list(one.folders),
                "missing": [f"{name}={value}" for name, value in one.missing],
                "unreadable": list(one.unreadable),
                "on_disk": one.on_disk,
                "files": one.kept.transcripts,
                "gone": one.kept.gone,
                "sessions": one.sessions,
                "messages": one.kept.messages,
                "problems": one.problems,
                "newest": when(one.kept.newest_ms),
            }
            for one in listed
        ],
    }


def resumed(one: StoredSession) -> Json:
    """Write how to go on with a session."""
    return {"schema": SCHEMA, "session": one.id, **resume(one)}


def excluding(found: Fitting, *, changed: bool, agreed: bool) -> Json:
    """Write what excluding a project forgot, or would forget."""
    return {
        "schema": SCHEMA,
        "agreed": agreed,
        "changed": changed,
        "forgotten": len(found.sessions),
        "lost": found.lost,
        "projects": found.projects,
    }


def checked(found: Checked) -> Json:
    """Write what a check found."""
    return {
        "schema": SCHEMA,
        "faults": [{"kind": one.kind, "number": one.number, "mend": one.mend} for one in found.faults],
        "secrets": found.secrets,
        "problem_kinds": found.problem_kinds,
    }


def bare(kept: Coverage | None, transcripts: int, newest_ms: int | None) -> Json:
    """Write what bare `hark` says."""
    return {
        "schema": SCHEMA,
        "coverage": coverage(kept) if kept is not None else None,
        "transcripts": transcripts,
        "newest": when(newest_ms),
    }


def sync(report: Report, kept: Coverage) -> Json:
    """Write what a sync did."""
    return {
        "schema": SCHEMA,
        "files": report.files,
        "messages": report.messages,
        "problems": report.problems,
        "pending": report.pending,
        "seconds": round(report.seconds, 3),
        "forgotten": report.forgotten,
        "lost": report.lost,
        "unnamed": report.unnamed,
        "coverage": coverage(kept),
    }


def options(settings: list[Setting], path: str, notes: tuple[str, ...]) -> Json:
    """Write what is set, and what of the file at `path` and of the environment does not count."""
    return {"schema": SCHEMA, "file": path, "options": [_option(one) for one in settings], "notes": list(notes)}


def _option(one: Setting) -> Json:
    known = one.option
    return {
        "name": known.name,
        "value": one.value,
        "origin": one.origin,
        "default": known.default,
        "takes": known.takes,
        "env": known.env,
        "flag": known.flag,
        "help": known.help,
    }


def uninstalled(done: Removed) -> Json:
    """Write what an uninstall did."""
    return {
        "schema": SCHEMA,
        "taken_out": list(done.taken_out),
        "folder": done.folder,
        "bytes": done.bytes,
        "deleted": list(done.deleted),
        "left": list(done.left),
    }
