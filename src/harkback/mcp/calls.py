"""What each tool does: one call of the archive, the answer as text."""

from __future__ import annotations

from harkback import errors
from harkback._record import NamedTuple
from harkback.archive.answers import SessionView
from harkback.archive.context import ordered
from harkback.archive.memories import EVERYWHERE, HERE, Details
from harkback.mcp import rendering
from harkback.mcp.arguments import Refused, checked
from harkback.mcp.catalogue import BY_NAME, DELETE, PAGE_CHARS, TOOLS, reaches
from harkback.mcp.cursors import Cursors
from harkback.mcp.refusals import refusal
from harkback.memory.profile import section
from harkback.model import CONTEXT, MASKED
from harkback.telling import line, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    from harkback.archive.memories import Memories
    from harkback.archive.sessions import Archive
    from harkback.mcp.catalogue import Tool
    from harkback.query import Query
    from harkback.search.answer import Hit

    Arguments = dict[str, Any]

    class Door(Protocol):
        """How the archive is opened: by whoever knows environment, clock and folder."""

        def both(self, asking: Mapping[str, str]) -> tuple[Archive, Memories]:
            """Open both halves; `asking` names the sessions that may be asking, as in an environment."""

        def in_step(self, memories: Memories) -> None:
            """Bring what else holds the memories (folders, a server) in step with them."""

        def sync_later(self) -> None:
            """Let a sync run beside us for what an answer has no time for."""


ALL_PROFILE = "profile:all"
BESIDE = 5
"""So many hits in sessions stand below memories."""
LIMIT = 5
BUDGET = 4000
FETCHED = 100_000
"""ChatGPT wants a document whole; so many characters fit into a result everywhere."""
AROUND = 3
TURNS = 20
DEPTH = 100
"""So many are put in order for a question, the same for each of its pages; what lies deeper wants a narrower one."""


class Caller(NamedTuple):
    """Who calls."""

    name: str = ""
    """Of the token; empty on the same machine."""
    scope: str = DELETE
    asking: Mapping[str, str] = {}
    """Variables that name the session, as agents set them."""
    is_chatgpt: bool = False
    client: str = ""
    """What the client calls itself, with its version; empty where it does not say so with each call."""
    version: str = ""


HERE_CALLER = Caller()


class Told(NamedTuple):
    """What a call gives."""

    text: str
    is_error: bool = False
    ids: tuple[str, ...] = ()
    """The memories that were written."""


class Calls:
    """Does what tools are called for."""

    def __init__(self, door: Door) -> None:
        """`door` opens the archive anew for each call."""
        self.door = door
        self.cursors = Cursors()

    def call(self, name: str, given: Arguments, caller: Caller = HERE_CALLER) -> Told:
        """Do one call; what goes wrong is told with the next step."""
        try:
            given = checked(_allowed(name, caller), given)
            told: Told = _DOING[name](_Call(self, caller), given)
        except Refused as error:
            return Told(str(error), is_error=True)
        except errors.HarkError as error:
            return Told(refusal(error, is_remote=bool(caller.name)), is_error=True)
        return told


def _allowed(name: str, caller: Caller) -> Tool:
    """Give the tool of a name. Raises Refused where there is none, or this caller may not use it."""
    tool = BY_NAME.get(name)
    if tool is None or (tool not in TOOLS and not caller.is_chatgpt):
        raise Refused(f"There is no tool {name[:60]!r}. There are {', '.join(one.name for one in TOOLS)}.")
    if not reaches(caller.scope, tool.scope):
        raise Refused(f"This connection may only {caller.scope}. Another token allows {tool.scope}.")
    return tool


class _Call:
    """One call being done."""

    def __init__(self, calls: Calls, caller: Caller) -> None:
        self.calls = calls
        self.caller = caller
        self.archive, self.memories = calls.door.both(caller.asking)
        self.now_ms = self.archive.now_ms

    # -- memories --------------------------------------------------------------------------------------------------

    def search_memory(self, given: Arguments) -> Told:
        queries = _queries(given)
        if not queries:
            raise Refused("queries holds no word. Give what is looked for, in one or several wordings.")
        self.calls.door.in_step(self.memories)
        at, limit = self._at("search_memory", given), given.get("limit", LIMIT)
        bounds = {bound: self._instant(bound, given.get(bound)) for bound in ("since", "until")}
        from harkback.memory.recall import Wanted

        wanted = Wanted(
            at + limit + 1,
            (given["kind"],) if "kind" in given else (),
            bounds["since"],
            bounds["until"],
            history=given.get("history", False),
        )
        answer = self.memories.recall(queries, wanted, scope=given.get("project") or HERE)
        found = answer.hits[at:]
        lines, shown = _within([rendering.memory(one.memory, self.now_ms) for one in found[:limit]], PAGE_CHARS // 2)
        blocks = [f"{len(lines)} memories" if lines else f"0 memories for {_named(queries)}."]
        blocks += [rendering.framed(lines)] if lines else []
        if len(found) > shown:
            cursor = self.calls.cursors.make(at + shown, self.caller.name, "search_memory", given)
            blocks.append(f"more memories: cursor={cursor}")
        elif at + shown >= DEPTH:
            blocks.append(_DEEPEST)
        if not at and "kind" not in given:
            blocks += self._beside(queries, given)
        elif not lines:
            blocks.append(_ADVICE)
        self.memories.touch(answer._replace(hits=found[:shown]))
        return Told("\n".join(blocks))

    def _beside(self, queries: Sequence[str], given: Arguments) -> list[str]:
        """Find what was said in sessions, below the memories."""
        filters = {name: given.get(name) for name in ("project", "since", "until")}
        hits, pending = self._hits(queries, filters, 2 * BESIDE)
        lines, _ = _within(list(map(rendering.hit, hits[:BESIDE])), PAGE_CHARS // 2 - 600)
        if not lines:
            return [f"0 hits in past sessions. {_ADVICE}", *pending]
        more = "; search_sessions finds more" if len(hits) > BESIDE else ""
        head = f"{len(lines)} hits in past sessions{more}; read_session(id) shows one whole"
        return [head, rendering.framed(lines), *pending]

    def save_memory(self, given: Arguments) -> Told:
        details = Details(
            given.get("kind"),
            given.get("importance"),
            tuple(given.get("entities", ())),
            tuple(given.get("tags", ())),
            given.get("date") or None,
            given.get("project"),
            given.get("supersedes", ""),
            by_agent=True,
        )
        saved = self.memories.remember(given["text"], details)
        self._changed()
        told = rendering.saved(saved, self.now_ms)
        if saved.memory.text.count(MASKED) > given["text"].count(MASKED):
            told += "\nA secret in it was masked before it was stored."
        return Told(told, ids=(saved.memory.id,))

    def _changed(self) -> None:
        self.calls.door.in_step(self.memories)
        if self.memories.has_embedder():
            self.calls.door.sync_later()  # which makes vectors; words find it at once

    def update_memory(self, given: Arguments) -> Told:
        one = given["id"]
        if one.startswith("profile:"):
            return self._profile(one.partition(":")[2], given)
        text, status, older = given.get("text", ""), given.get("status"), given.get("supersedes")
        if not text and status is None and older is None and "importance" not in given:
            raise Refused("Nothing to change was given. Give text, status, supersedes or importance.")
        done = []
        if status == "active" and not self.memories.knows(one):
            one = self.memories.take_from_bin(one).id
            done, status = ["brought back"], None
        memory = self.memories.update(
            one, text=text, importance=given.get("importance"), status=status, older=older or ""
        )
        done += [f"{name} changed" for name in ("text", "importance") if given.get(name)]
        done += [f"status {status}"] if status is not None else []
        done += [f"replaces {older}"] if older else []
        self._changed()
        stands = rendering.framed([rendering.memory(memory, self.now_ms)])
        return Told(f"{', '.join(done)}; it stands as\n{stands}", ids=(memory.id,))

    def _profile(self, name: str, given: Arguments) -> Told:
        others = [name for name in ("status", "supersedes", "importance") if name in given]
        if "text" not in given or others:
            raise Refused("A section of the profile takes text alone: update_memory(id=profile:focus, text=…).")
        told = self.memories.write_profile(name, given["text"])
        self.calls.door.in_step(self.memories)
        return Told(f"profile:{name} written, {len(told):,} characters", ids=(f"profile:{name}",))

    def forget_memory(self, given: Arguments) -> Told:
        memory = self.memories.put_in_bin(given["id"])
        self.calls.door.in_step(self.memories)
        undo = f"update_memory(id={memory.id}, status=active) brings it back within a day, then it is gone for good."
        return Told(f"forgotten: {memory.id}. {undo}", ids=(memory.id,))

    # -- sessions --------------------------------------------------------------------------------------------------

    def search_sessions(self, given: Arguments) -> Told:
        names = ("agent", "project", "file", "tool", "since", "until", "in")
        filters = {name: given.get(name) for name in names}
        queries = _queries(given)
        if not queries and not any(value for name, value in filters.items() if name != "in"):
            raise Refused("queries holds no word. Give what is looked for, or a filter such as file=nginx.conf.")
        at, limit = self._at("search_sessions", given), given.get("limit", LIMIT)
        hits, pending = self._hits(queries or [""], filters, DEPTH)
        lines, shown = _within(list(map(rendering.hit, hits[at : at + limit])), PAGE_CHARS - 800)
        if not lines:
            return Told("\n".join([f"0 hits for {_named(queries)}. {_ADVICE}", *pending]))
        blocks = [f"{len(lines)} hits; read_session(id) shows one whole", rendering.framed(lines), *pending]
        if len(hits) > at + shown:
            cursor = self.calls.cursors.make(at + shown, self.caller.name, "search_sessions", given)
            blocks.append(f"more: cursor={cursor} (or narrow with project, agent, since)")
        elif len(hits) >= DEPTH:
            blocks.append(_DEEPEST)
        return Told("\n".join(blocks))

    def _hits(
        self, queries: Sequence[str], filters: Mapping[str, str | None], most: int
    ) -> tuple[list[Hit], list[str]]:
        """Ask each wording, and join the answers: the best tier first, then the better place; what is left to say."""
        found: dict[str, tuple[int, int, Hit]] = {}
        told: list[str] = []
        meaning = self.archive.can_mean()
        for number, text in enumerate(queries):
            query = self._query(text, filters)
            answer = self.archive.search(query, limit=most, sync=not number, meaning=meaning)
            if not number and answer.full_pass_is_due:
                self.calls.door.sync_later()
            for place, hit in enumerate(answer.found.hits):
                if hit.part.lane == CONTEXT and not filters.get("in"):
                    continue  # what was injected, our own answers among it, is no find
                key = (min(hit.tier, _LOOSE), place, hit)
                best = found.get(hit.part.message)
                if best is None or key[:2] < best[:2]:
                    found[hit.part.message] = key
            if not number and answer.coverage.pending:
                told.append(f"{answer.coverage.pending:,} transcripts are still to be read; `hark sync` reads them.")
            told += [f"note: {note}" for note in answer.query.notes]
            if answer.trouble and not self.caller.name:  # of the machine, nothing for who calls from elsewhere
                told.append(f"note: {answer.trouble}")
        return [hit for _, _, hit in sorted(found.values(), key=lambda one: one[:2])], list(dict.fromkeys(told))

    def _query(self, text: str, filters: Mapping[str, str | None]) -> Query:
        from harkback.query import parse, with_options

        return with_options(parse(text, self.now_ms), self.now_ms, **{k: v or None for k, v in filters.items()})

    def read_session(self, given: Arguments) -> Told:
        one, page = given["id"], given.get("page", 1)
        text = self._remembered(one)
        if text is None:
            view = self.archive.show(one, context=given.get("around", AROUND), page=page, page_parts=TURNS)
            if isinstance(view, SessionView):
                return Told(rendering.session_page(view, PAGE_CHARS), ids=(view.session.id,))
            text = rendering.message(view)
        pages = rendering.pages(text, PAGE_CHARS)
        if page > len(pages):
            raise errors.NoPage(one, page, len(pages))
        return Told(pages[page - 1], ids=(one,))

    def _remembered(self, one: str) -> str | None:
        """Give a memory with its history, or a section of the profile, whole; None for any other id."""
        if one == ALL_PROFILE:
            return "\n".join(f"{part.section}: {plain(part.text)}" for part in ordered(self.memories.profile()))
        if one.startswith("profile:"):
            name = section(one.partition(":")[2]).name
            told = next((part.text for part in self.memories.profile() if part.section == name), "")
            return f"{one}\n{plain(told) or 'nothing yet; update_memory writes it'}"
        if not self.memories.knows(one):
            return None
        memory, past, chain = self.memories.find(one)
        lines = [rendering.memory(memory, self.now_ms)]
        lines += [f"before: {line(text)}" for _, text in past]
        lines += [f"in place of {rendering.memory(older, self.now_ms)}" for older in chain]
        return "\n".join(lines)

    def get_recent_context(self, given: Arguments) -> Told:
        from harkback.archive.context import context
        from harkback.telling import contents

        self.calls.door.in_step(self.memories)
        found = context(self.memories, self.archive, given.get("project") or HERE)
        budget = given.get("budget", BUDGET)
        room = budget - len(rendering.framed([]))
        told = contents(found, self.now_ms, room, "search_memory and search_sessions", "save_memory")
        return Told(rendering.framed([told]))

    # -- the two that ChatGPT knows --------------------------------------------------------------------------------

    def search(self, given: Arguments) -> Told:
        import json

        from harkback.memory.recall import Wanted

        queries = [given["query"]] if given["query"].strip() else []
        if not queries:
            raise Refused("query holds no word. Give what is looked for.")
        recalled = self.memories.recall(queries, Wanted(LIMIT), scope=EVERYWHERE).hits
        hits, _ = self._hits(queries, {}, LIMIT)
        found = [(one.memory.id, line(one.memory.text)[:120]) for one in recalled]
        found += [(one.part.message, line(one.snippet.text)[:120]) for one in hits[:LIMIT]]
        results = [{"id": one, "title": title, "url": _address(one)} for one, title in found]
        return Told(json.dumps({"results": results}, ensure_ascii=False))

    def fetch(self, given: Arguments) -> Told:
        import json

        one = given["id"]
        text = self._whole(one)
        title = next((part for part in text.splitlines() if part.strip()), one)[:120]
        told = {"id": one, "title": title, "text": text, "url": _address(one), "metadata": {"source": "harkback"}}
        return Told(json.dumps(told, ensure_ascii=False))

    def _whole(self, one: str) -> str:
        """Give a memory, a message or a session in one piece."""
        text = self._remembered(one)
        if text is not None:
            return line(text) if "\n" not in text else text
        view = self.archive.show(one, context=0, page=1, page_parts=10 * TURNS)
        return (
            rendering.session_page(view, FETCHED)
            if isinstance(view, SessionView)
            else rendering.message(view)[:FETCHED]
        )

    # -- helpers ---------------------------------------------------------------------------------------------------

    def _at(self, tool: str, given: Arguments) -> int:
        return self.calls.cursors.read(self.caller.name, tool, given)

    def _instant(self, bound: str, text: str | None) -> int | None:
        from harkback.query import instant

        return instant(bound, text, self.now_ms, bound) if text else None


_LOOSE = 2
"""Tiers that hold not all of the words compete by place."""
_DEEPEST = "That is as deep as one question goes. Narrow it: more words, project, since, until."
_ADVICE = "Try fewer or other words, another language, no filters."


def _address(one: str) -> str:
    return f"memory://item/{one}"


def _queries(given: Arguments) -> list[str]:
    return list(dict.fromkeys(one.strip() for one in given["queries"] if one.strip()))


def _named(queries: Sequence[str]) -> str:
    return ", ".join(f'"{one[:80]}"' for one in queries) or "these filters"


def _within(lines: list[str], most: int) -> tuple[list[str], int]:
    """Give as many lines as fit, one at least, and how many they are."""
    kept: list[str] = []
    for one in lines:
        if kept and sum(len(each) + 1 for each in kept) + len(one) > most:
            break
        kept.append(one[:most])
    return kept, len(kept)


_DOING: dict[str, Callable[[_Call, Arguments], Told]] = {
    "search_memory": _Call.search_memory,
    "save_memory": _Call.save_memory,
    "update_memory": _Call.update_memory,
    "forget_memory": _Call.forget_memory,
    "search_sessions": _Call.search_sessions,
    "read_session": _Call.read_session,
    "get_recent_context": _Call.get_recent_context,
    "search": _Call.search,
    "fetch": _Call.fetch,
}
