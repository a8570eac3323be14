"""What the rows of one Claude Code transcript tell about its session, and what reading must remember."""

from __future__ import annotations

import os

from harkback.model import Session
from harkback.sources import _reading
from harkback.sources._values import first_line, side_file, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.model import Transcript

GIVEN, OWN, PROMPT, NOTHING = 3, 2, 0, -1
"""Ranks of titles, see `model.Session`; NOTHING is also that of a command, until a prompt comes."""


class Facts(_reading.Facts):
    """The session so far. Rows set the attributes; `note` takes those that any row may carry."""

    # The rest follows from the place.
    KEPT = (
        "parent",
        "owner",
        "relation",
        "title",
        "title_rank",
        "cwd",
        "last_cwd",
        "branch",
        "version",
        "started",
        "ended",
        "placed",
        "warmup",
        "calls",
        "prompts",
    )

    def __init__(self, transcript: Transcript) -> None:
        self.path = transcript.path
        self.parent, _, self.native = transcript.native.rpartition("/")
        self.subagent = bool(self.parent) or os.path.basename(self.path).startswith("agent-")
        self.relation = "subagent" if self.subagent else ""
        # Up to 2.0 a subagent's file lay beside the session's, and only its rows say whose it is.
        self.owner = self.parent
        self.placed = False
        self.title = self.cwd = self.last_cwd = self.branch = self.version = self.originator = ""
        self.title_rank = NOTHING
        self.started: int | None = None
        self.ended: int | None = None
        self.warmup = False
        """Whether the exchange under way is one that only warms a cache."""
        self.calls: dict[str, str] = {}
        """Tools by the id of a call that has no result yet."""
        self.prompts: list[str] = []
        """Marks of the last prompts, to know one that stands twice."""

    @property
    def session_id(self) -> str:
        """The session's id: the file's name, for a subagent its parent's and its own."""
        if not self.subagent:
            return self.native
        return f"{self.owner}/{self.native.removeprefix('agent-')}" if self.owner else self.native

    @property
    def folder(self) -> str:
        """The session's own folder, where long outputs and subagents lie."""
        head, below, _ = self.path.rpartition(f"{os.sep}subagents{os.sep}")
        if below:
            return head
        return os.path.join(os.path.dirname(self.path), self.owner or self.native)

    def note(self, row: dict[str, Any], moment: int | None) -> None:
        """Keep the facts that any row may carry; `moment` is its time in milliseconds."""
        get = row.get
        if moment is not None:
            if self.started is None or moment < self.started:
                self.started = moment
            if self.ended is None or moment > self.ended:
                self.ended = moment
        cwd = get("cwd")
        if cwd != self.last_cwd and type(cwd) is str and cwd:
            self.last_cwd = cwd
            self.cwd = self.cwd or cwd
        self.branch = string(get("gitBranch")) or self.branch
        self.version = string(get("version")) or self.version
        if not self.placed and (owner := string(get("sessionId"))):
            self._place(owner)
        origin = get("forkedFrom")
        if origin is not None and not self.parent and type(origin) is dict:
            self.parent = string(origin.get("sessionId"))
            self.relation = "fork" if self.parent else ""

    def _place(self, owner: str) -> None:
        """Learn whose session this is from the first row that names one.

        `session_id`, which rows may carry too, keeps the id from before a /clear or /branch: never read it.
        """
        self.placed = True
        if self.subagent:
            self.owner = self.parent = self.owner or owner
        elif owner != self.native:
            self.parent, self.relation = owner, "fork"

    def entitle(self, title: str, rank: int) -> None:
        """Take a title unless a better one is known; of equals the last one stands."""
        title = first_line(title)
        if title and rank >= self.title_rank:
            self.title, self.title_rank = title, rank

    def prompted(self, text: str) -> None:
        """Take the first prompt for a title; a command (`/clear`, `! ls`) only until a real one comes."""
        if self.title_rank >= PROMPT:
            return
        word = text.split(None, 1)[0]
        if word == "!" or (word.startswith("/") and "/" not in word[1:]):
            self.title = self.title or first_line(text)
        else:
            self.entitle(text, PROMPT)

    def session(self) -> Session:
        """Say what is known of the session, with what lies in small files beside the transcript."""
        title, rank, agent_type = self.title, max(self.title_rank, PROMPT), ""
        if self.subagent:
            beside = side_file(self.path.removesuffix(".jsonl") + ".meta.json")
            agent_type = string(beside.get("agentType"))
            named, named_rank = first_line(string(beside.get("description"))), OWN
        else:
            beside = side_file(os.path.join(self.folder, "custom-title.json"))
            named, named_rank = first_line(string(beside.get("customTitle"))), GIVEN
        if named and named_rank >= rank:
            title, rank = named, named_rank
        return Session(
            "claude-code",
            self.session_id,
            title,
            rank,
            self.cwd,
            self.last_cwd,
            self.branch,
            self.started,
            self.ended,
            self.parent,
            self.relation,
            agent_type,
            self.version,
            originator=self.originator,
        )
