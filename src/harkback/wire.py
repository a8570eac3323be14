"""JSON that leaves the process; `docs/json.md` describes it and changes with it. Plain dicts, ready to be printed."""

from __future__ import annotations

from harkback import rank
from harkback.agents import resume_argv, resume_env
from harkback.memory.ages import age, language_of
from harkback.memory.profile import SECTIONS
from harkback.model import LANES, ROLES
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harkback.archive.answers import Answer, Checked, MessageView, SessionView, SourceView, Status
    from harkback.archive.auditing import Audited
    from harkback.archive.context import Context
    from harkback.archive.events import Event
    from harkback.archive.keeping import Fitting
    from harkback.archive.memories import Answer as RecallAnswer
    from harkback.archive.memories import Listed
    from harkback.archive.memory_files import Exported
    from harkback.archive.memory_folders import Kept
    from harkback.archive.removal import Removed
    from harkback.archive.replica import Shared
    from harkback.archive.statistics import Counts, Statistics
    from harkback.audit.figures import Row
    from harkback.config import Setting
    from harkback.engines.local.memories import Profile
    from harkback.engines.local.memory_folders import Folder
    from harkback.ingest.changes import Report
    from harkback.memory.bin import InBin
    from harkback.memory.folders import Synced
    from harkback.memory.merging import Imported
    from harkback.memory.recall import Recalled
    from harkback.memory.saving import Saved
    from harkback.model import Coverage, Memory, StoredPart, StoredSession
    from harkback.search.answer import Hit

    Json = dict[str, Any]

SCHEMA = 1
"""Version of the JSON: raised when a key changes its meaning or goes; new keys may come at any time."""


def when(time_ms: int | None, precision: str = "seconds") -> str | None:
    """Write a time in the user's zone with its offset, to the second or as `datetime.isoformat` names it."""
    moment = local(time_ms)
    return moment.isoformat(timespec=precision) if moment else None


def search(answer: Answer, now_ms: int, shown: int | None = None) -> Json:
    """Write the answer of a search; `shown` hits fit the budget, all of them when None."""
    found = answer.found
    hits = found.hits if shown is None else found.hits[:shown]
    return {
        "schema": SCHEMA,
        "query": answer.query.text,
        "tier": rank.TIERS[found.tier],
        "memories": [recalled_one(one, now_ms) for one in answer.memories],
        "hits": [_hit(one) for one in hits],
        "lanes": found.lanes,
        "coverage": coverage(answer.coverage),
        "left_out": [{"session": one.id, "title": one.title} for one in answer.left_out],
        "truncated": len(found.hits) - len(hits),
        "more": found.more,
        "notes": [*answer.query.notes, *([answer.trouble] if answer.trouble else [])],
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
        "memories": state.memories,
        "memories_problem": state.memories_problem,
        "server": _shared(state.shared) if state.shared is not None else None,
        "vectors": state.vectors._asdict() if state.vectors is not None else None,
        "words_only": state.words_only,
        "masked": state.masked,
        "hook_failures": state.hook_failures._asdict() if state.hook_failures is not None else None,
        "problem_kinds": state.problem_kinds,
        "problems": [
            {"path": one.path, "offset": one.offset, "kind": one.kind, "detail": one.detail} for one in state.problems
        ],
        "leaving": [
            {"agent": one.agent, "after_days": one.after_days, "files": one.transcripts} for one in state.leaving
        ],
    }


def _shared(shared: Shared) -> Json:
    contact = when(shared.contact_ms) if shared.contact_ms else None
    return {"url": shared.url, "last_contact": contact, "waiting": shared.waiting, "problem": shared.problem}


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


# -- memories ------------------------------------------------------------------------------------------------------


def memory(one: Memory, now_ms: int) -> Json:
    """Write a memory."""
    return {
        "id": one.id,
        "text": one.text,
        "kind": one.kind,
        "importance": one.importance,
        "entities": list(one.entities),
        "tags": list(one.tags),
        "event_time": _event_time(one),
        "created": when(one.created_ms),
        "age": age(one.valid_ms, now_ms, language_of(one.text)),
        "project": one.project,
        "status": one.status,
        "source": {"by": one.provenance, "session": one.session, "message": one.message},
        "supersedes": one.supersedes,
        "confirmed": one.confirmed,
    }


def _event_time(one: Memory) -> Json | None:
    if one.event_since_ms is None:
        return None
    return {"since": when(one.event_since_ms), "until": when(one.event_until_ms), "words": one.event_words}


def saved(one: Saved) -> Json:
    """Write what became of a fact."""
    return {"schema": SCHEMA, **_saved(one)}


def all_saved(saved_ones: Sequence[Saved], bad: Sequence[tuple[int, str]]) -> Json:
    """Write what became of several facts, and which lines could not be saved."""
    told = [{"line": line, "reason": reason} for line, reason in bad]
    return {"schema": SCHEMA, "saved": [_saved(one) for one in saved_ones], "bad": told}


def _saved(one: Saved) -> Json:
    return {
        "id": one.memory.id,
        "action": one.action,
        "text": one.memory.text,
        "event_time": _event_time(one.memory),
        "project": one.memory.project,
        "duplicates": [{"id": other.id, "text": other.text} for other in one.duplicates],
        "contradictions": [{"id": other.id, "text": other.text} for other in one.contradictions],
    }


def recalled(answer: RecallAnswer, now_ms: int) -> Json:
    """Write the memories that answer a question."""
    return {"schema": SCHEMA, "hits": [_filed(one, answer, now_ms) for one in answer.hits], "hint": answer.hint}


def _filed(one: Recalled, answer: RecallAnswer, now_ms: int) -> Json:
    told = recalled_one(one, now_ms)
    if file := answer.files.get(one.memory.id):
        told["source"]["file"] = file
    return told


def recalled_one(one: Recalled, now_ms: int) -> Json:
    """Write one memory that was found, and why."""
    return {
        **memory(one.memory, now_ms),
        "score": round(one.score, 4),
        "why": {
            "similarity": round(one.similarity, 4),
            "words": round(one.words, 3),
            "substring": round(one.substring, 3),
            "name": round(one.name, 3),
            "date": round(one.date, 3),
            "meaning": round(one.meaning, 3),
            "decay": round(one.decay, 4),
            "boost": round(one.boost, 3),
        },
    }


def memories(listed: Listed, now_ms: int) -> Json:
    """Write a list of memories; `more` were not asked for."""
    return {"schema": SCHEMA, "memories": [memory(one, now_ms) for one in listed.memories], "more": listed.more}


def changed(all_changed: Sequence[Memory], now_ms: int) -> Json:
    """Write memories as they stand after a change."""
    return {"schema": SCHEMA, "memories": [memory(one, now_ms) for one in all_changed]}


def exported(one: Exported) -> Json:
    """Write what was exported."""
    return {"schema": SCHEMA, "file": one.file, "memories": one.memories, "sections": one.sections}


def imported(one: Imported) -> Json:
    """Write what an import did."""
    return {
        "schema": SCHEMA,
        "added": one.added,
        "merged": one.merged,
        "kept": one.kept,
        "forgotten": one.forgotten,
        "sections": one.sections,
        "bad": [{"file": file, "line": line, "reason": reason} for file, line, reason in one.bad],
    }


def folders(kept: Sequence[Kept]) -> Json:
    """Write the folders that are kept in step with the memories."""
    return {"schema": SCHEMA, "folders": [one._asdict() for one in kept]}


def synced(one: Synced) -> Json:
    """Write what was done about a folder that is kept in step."""
    return {"schema": SCHEMA, **one._asdict(), "notes": list(one.notes)}


def removed_folder(one: Folder) -> Json:
    """Write which folder is no longer kept in step."""
    return {"schema": SCHEMA, "path": one.path, "project": one.project}


def shown(
    one: Memory, past: Sequence[tuple[int, str]], chain: Sequence[Memory], after: Memory | None, now_ms: int
) -> Json:
    """Write a memory with what it said before and what it replaced, the latest first, and what replaced it."""
    return {
        "schema": SCHEMA,
        "memory": memory(one, now_ms),
        "past": [{"until": when(until), "text": text} for until, text in past],
        "replaced": [memory(older, now_ms) for older in chain],
        "replaced_by": memory(after, now_ms) if after is not None else None,
    }


def binned(found: Sequence[InBin], now_ms: int) -> Json:
    """Write what can be brought back."""
    return {
        "schema": SCHEMA,
        "memories": [
            {**memory(one.memory, now_ms), "binned": when(one.at_ms), "until": when(one.until_ms)} for one in found
        ],
    }


def forgotten_memories(number: int) -> Json:
    """Write how many memories were forgotten."""
    return {"schema": SCHEMA, "forgotten": bool(number), "memories": number}


def profile(sections: Sequence[Profile]) -> Json:
    """Write the profile: every section, empty where nothing is known."""
    told = {one.section: one for one in sections}
    written: Json = {}
    for known in SECTIONS:
        one = told.get(known.name)
        text = one.text if one is not None else ""
        written[known.name] = {
            "title": known.titles[language_of(text)],
            "text": text,
            "updated": when(one.changed_ms) if one is not None else None,
        }
    return {"schema": SCHEMA, "sections": written}


def profile_history(sections: Sequence[Profile]) -> Json:
    """Write what a section said, the latest first."""
    return {"schema": SCHEMA, "history": [{"text": one.text, "updated": when(one.changed_ms)} for one in sections]}


def context(found: Context, now_ms: int, budget: int) -> Json:
    """Write what is known before a word was said; lists are cut so that the texts stay within `budget` characters."""
    told = {one.section: one.text for one in found.profile}
    left = budget - sum(map(len, told.values()))
    lists: dict[str, list[Json]] = {"tasks": [], "memories": []}
    for name, all_of_them in (("tasks", found.tasks), ("memories", found.memories)):
        for one in all_of_them:
            if len(one.text) > left:
                break
            left -= len(one.text)
            lists[name].append(memory(one, now_ms))
    return {
        "schema": SCHEMA,
        "project": found.project,
        "profile": told,
        **lists,
        "sessions": [session(one) for one in found.sessions],
        "truncated": len(found.tasks) + len(found.memories) - sum(map(len, lists.values())),
    }


def audit(found: Audited) -> Json:
    """Write what an audit found."""
    from harkback.audit.advice import advice

    told = found.figures
    return {
        "schema": SCHEMA,
        "command": told.command,
        "calls": told.calls,
        "sessions": told.sessions,
        "searches": told.searches,
        "results": {
            "hits": told.results.hits,
            "none": told.results.none,
            "unreadable": told.results.unreadable,
            **({} if told.hit_rate is None else {"hit_rate": round(told.hit_rate, 3)}),
            "cut": told.cut,
        },
        "unreadable": told.whys,
        "months": _audited_rows(told.months),
        "agents": _audited_rows(told.agents),
        "projects": _audited_rows(told.projects),
        "ways": told.ways,
        "actions": told.actions,
        "next_steps": told.steps,
        "raw": told.raw,
        "again": told.again,
        "reasons": told.reasons,
        "found_now": told.found_now,
        "nothing": [
            {
                "query": one.query,
                "reason": one.why.reason,
                "found_now": one.why.is_found_now,
                "times": one.times,
                "last": when(one.time_ms),
                "session": one.session,
            }
            for one in told.nothing
        ],
        "hook": {
            "spoke": told.hook.spoke,
            "used": told.hook.used,
            "ignored": told.hook.ignored,
            "starts": told.hook.starts,
        },
        "prompts": told.prompts,
        "characters": told.chars._asdict(),
        "latency_ms": told.latency_ms._asdict(),
        "suggestions": [{"rule": one.rule, "text": one.text} for one in advice(told)],
        "pending": found.pending,
        "notes": list(found.notes),
    }


def _audited_rows(rows: dict[str, Row]) -> dict[str, Json]:
    return {name: dict(row._asdict()) for name, row in rows.items()}
