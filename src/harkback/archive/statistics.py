"""Counting events by day, agent and project."""

from __future__ import annotations

from harkback._record import NamedTuple
from harkback.archive.events import kind_of
from harkback.model import HOOK, META, REPLY, TOOL_CALL, Tokens
from harkback.moments import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harkback.archive.events import Told
    from harkback.model import Part

NO_DAY = ""


class Group(NamedTuple):
    """What is counted apart."""

    day: str
    """In the user's zone, `2026-05-01`; empty where nothing tells when something was said."""
    agent: str
    project: str


class Counts:
    """How much there was of everything."""

    def __init__(self) -> None:
        """Begin at nothing."""
        self.events: dict[str, int] = {}
        self.tools: dict[str, int] = {}
        """Calls by tool."""
        self.skills: dict[str, int] = {}
        """How often each skill was put into a conversation."""
        self.hooks: dict[str, int] = {}
        """What hooks put into conversations, by the hook's name."""
        self.models: dict[str, int] = {}
        """Replies by model."""
        self.tokens = Tokens()

    def add_part(self, told: Told, part: Part) -> None:
        """Count one event."""
        kind = kind_of(part, told.role)
        _add(self.events, kind)
        if kind == TOOL_CALL:
            _add(self.tools, part.tool)
        elif kind == REPLY and told.model:
            _add(self.models, told.model)
        elif kind == HOOK:
            _add(self.hooks, _hook(part))
        skill = told.more.skill if told.more is not None else ""
        if skill and (kind == META or (kind == TOOL_CALL and part.tool == "Skill")):
            _add(self.skills, skill)

    def add_tokens(self, tokens: Tokens) -> None:
        """Count what one answer cost."""
        self.tokens = Tokens(*map(int.__add__, self.tokens, tokens))


class Statistics(NamedTuple):
    """What was counted."""

    groups: dict[Group, Counts]
    total: Counts
    sessions: int
    gone: int
    """Sessions of which only what the archive keeps is counted: no tokens, no skills, hooks as `meta`."""


def count(messages: Iterable[Told]) -> Statistics:
    """Count messages, which come transcript by transcript."""
    groups: dict[Group, Counts] = {}
    total = Counts()
    sessions: set[int] = set()
    gone: set[int] = set()
    # An answer's cost is told with each of its messages, and the last one has it all.
    costs: dict[tuple[str, str], tuple[Counts, Tokens]] = {}
    path = ""
    for told in messages:
        if told.path != path:
            _settle(costs, total)
            path = told.path
        sessions.add(told.session.number)
        if told.facts is None:
            gone.add(told.session.number)
        group = groups.setdefault(_group(told), Counts())
        for part in told.parts:
            group.add_part(told, part)
            total.add_part(told, part)
        more = told.more
        if more is not None and more.tokens is not None:
            first, _ = costs.get((path, more.tokens_key), (group, None))
            costs[path, more.tokens_key] = (first, more.tokens)
    _settle(costs, total)
    return Statistics(dict(sorted(groups.items())), total, len(sessions), len(gone))


def _settle(costs: dict[tuple[str, str], tuple[Counts, Tokens]], total: Counts) -> None:
    for group, tokens in costs.values():
        group.add_tokens(tokens)
        total.add_tokens(tokens)
    costs.clear()


def _group(told: Told) -> Group:
    moment = local(told.time_ms)
    session = told.session
    return Group(moment.strftime("%Y-%m-%d") if moment else NO_DAY, session.agent, session.project or session.cwd)


def _hook(part: Part) -> str:
    named = part.args if isinstance(part.args, dict) else {}
    for key in ("hookName", "hookEvent", "customType"):
        if isinstance(named.get(key), str) and named[key]:
            return str(named[key])
    return HOOK


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
