"""What the records of one Codex transcript tell about its session, and what reading must remember."""

from __future__ import annotations

import os

from harkback.model import Session
from harkback.sources import _reading
from harkback.sources._codex_names import NAMED, name_of
from harkback.sources._values import digest, first_line, string, time_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.model import Transcript

PROMPT, NOTHING = 0, -1
"""Ranks of titles, see `model.Session`; NOTHING is also that of a `!` command, until a prompt comes."""

EVENT, ITEM, RESPONSE = range(3)
"""The three streams in which one text may stand: `event_msg`, its `item_completed`, and `response_item`."""

_COUNTED = 400
_PENDING_CALLS = 64


class Facts(_reading.Facts):
    """The session so far, and the place in it: the turn, what was told in it, the calls under way."""

    # The rest follows from the place.
    KEPT = (
        "native",
        "is_named",
        "parent",
        "relation",
        "agent_type",
        "agent_role",
        "originator",
        "version",
        "title",
        "title_rank",
        "cwd",
        "last_cwd",
        "branch",
        "started",
        "ended",
        "model",
        "effort",
        "tells_prompts",
        "tells_answers",
        "own_from",
        "turn",
        "chain",
        "told",
        "calls",
        "total",
        "counts_answers",
    )

    def __init__(self, transcript: Transcript) -> None:
        self.path = transcript.path
        self.native = transcript.native
        self.is_named = False
        """Whether the first `session_meta` was read: later ones are a parent's, or of a resume."""
        self.parent = self.relation = self.agent_type = self.agent_role = ""
        self.originator = self.version = self.title = self.cwd = self.last_cwd = self.branch = ""
        self.title_rank = NOTHING
        self.started: int | None = None
        self.ended: int | None = None
        self.model = self.effort = ""
        self.tells_prompts = self.tells_answers = False
        """Whether events tell what people, and what agents say: then response items only repeat it."""
        self.own_from = 0
        """Of a subagent that was given its parent's past: the ordinal from which the records are its own."""
        self.turn = ""
        self.chain = ""
        """Stands for all that was said so far; names the place where records have no turn ids."""
        self.told: dict[str, list[int]] = {}
        """How often each stream has told each text of the turn."""
        self._last = ""
        self.calls: dict[str, str] = {}
        """Tools by the id of a call that has no result yet."""
        self.total = 0
        """Tokens of the thread at the last `token_count`, which is repeated."""
        self.counts_answers = False
        """Whether the turn has `token_usage_record`s, which say the same better."""

    # -- what records tell ---------------------------------------------------------------------------------------

    def note_meta(self, meta: dict[str, Any]) -> None:
        """Take in a `session_meta`, or the first line of a bare file.

        The first one says which thread this is. A fork that holds its parent's past goes on with the parent's
        own first line, and so on back to the beginning of it all: that is where the chain begins.
        """
        thread = string(meta.get("id"))
        if thread and not self.told:
            self.chain = digest(f"codex:{thread}")
        if self.is_named:
            return
        self.is_named = True
        self.native = thread or self.native
        self.started = time_ms(meta.get("timestamp")) or self.started
        self.note_cwd(meta.get("cwd"))
        self.originator = string(meta.get("originator"))
        self.version = string(meta.get("cli_version"))
        git = meta.get("git")
        if type(git) is dict:
            self.branch = string(git.get("branch"))
        self.tells_prompts = self.tells_answers = meta.get("history_mode") == "paginated"
        first_own = meta.get("subagent_history_start_ordinal")
        self.own_from = first_own if type(first_own) is int else 0
        self._note_lineage(meta)

    def _note_lineage(self, meta: dict[str, Any]) -> None:
        source = meta.get("source")
        subagent = source.get("subagent") if type(source) is dict else None
        if subagent or meta.get("thread_source") == "subagent":
            self.relation = "subagent"
            self.parent = string(meta.get("parent_thread_id"))
            if type(subagent) is str:  # review, compact, memory_consolidation
                self.agent_type = subagent
            elif type(subagent) is dict and type(spawned := subagent.get("thread_spawn")) is dict:
                self.parent = self.parent or string(spawned.get("parent_thread_id"))
                self.agent_type = string(spawned.get("agent_role"))
                self.agent_role = self.agent_type or string(spawned.get("agent_nickname"))
            self.parent = self.parent or string(meta.get("forked_from_id"))
        elif parent := string(meta.get("forked_from_id")):
            self.parent, self.relation = parent, "fork"

    def note_cwd(self, value: Any) -> None:
        """Take in a folder."""
        if type(value) is str and value:
            self.last_cwd = value
            self.cwd = self.cwd or value

    def note_turn(self, turn: Any) -> None:
        """Take in the id of the turn that a record belongs to."""
        if type(turn) is str and turn and turn != self.turn:
            # Before the first id is known a text may already have been told once.
            self.told = {} if self.turn else self.told
            self.turn = turn
            self.counts_answers = False

    def entitle(self, title: str, rank: int) -> None:
        """Take a title unless a better one is known; of names the last counts, of all others the first."""
        title = first_line(title)
        if title and (rank > self.title_rank or rank == NAMED or not self.title) and rank >= self.title_rank:
            self.title, self.title_rank = title, rank

    # -- which message it is -------------------------------------------------------------------------------------

    def is_inherited(self, ordinal: Any) -> bool:
        """Whether a record of a subagent's file is its parent's past.

        Newer files say from which ordinal on; in others the turn is older than the thread, as its id tells (UUID
        version 7: the first 48 bits are milliseconds).
        """
        if self.own_from and type(ordinal) is int:
            return ordinal < self.own_from
        try:
            began = int(self.turn.replace("-", "")[:12], 16)
        except ValueError:
            return False
        return self.turn[14:15] == "7" and self.started is not None and began < self.started

    def tell(self, stream: int, kind: str, text: str) -> str | None:
        """Count a text of the turn; the key of its message, None if another stream has told it before.

        What one stream tells for the n-th time is what another told for the n-th time. The key is made of the turn
        and the text, for forks copy both and write new times; where there are no turns, of all that was said.
        """
        name = self._last = digest(f"{kind}\0{text}")
        counts = self.told.setdefault(name, [0, 0, 0])
        counts[stream] += 1
        number = counts[stream]
        if number <= max(count for other, count in enumerate(counts) if other != stream):
            return None
        if len(self.told) > _COUNTED:
            del self.told[next(iter(self.told))]
        return self.key(kind, f"{name}:{number}")

    def key(self, kind: str, name: str) -> str:
        """Make the key of a message that is called `name` in its turn."""
        return f"{self.turn or self.chain}:{kind}:{name}"

    def say(self, text: str) -> None:
        """Let the chain go on over a text of the talk that was just told; what was told before it is over."""
        if not self.turn:
            self.chain = digest(f"{self.chain}\0{text}")
            self.told = {name: counts for name, counts in self.told.items() if name == self._last}

    def pending(self, call: str, tool: str) -> None:
        """Remember which tool's result will come under this id."""
        if call:
            self.calls[call] = tool
            if len(self.calls) > _PENDING_CALLS:
                del self.calls[next(iter(self.calls))]

    # -- what is known ---------------------------------------------------------------------------------------------

    def session(self) -> Session:
        """Say what is known of the session, with the name that stands outside its transcript."""
        name = first_line(name_of(self._root, self.native))
        title, rank = (name, NAMED) if name else (self.title, max(self.title_rank, PROMPT))
        return Session(
            "codex",
            self.native,
            title,
            rank,
            self.cwd,
            self.last_cwd,
            self.branch,
            self.started,
            self.ended,
            self.parent,
            self.relation,
            self.agent_type,
            self.version,
            self.agent_role,
            self.originator,
        )

    @property
    def _root(self) -> str:
        """Codex's own folder, above the one with the transcripts."""
        folder = os.path.dirname(self.path)
        for _ in range(4):
            if os.path.basename(folder) in ("sessions", "archived_sessions"):
                break
            folder = os.path.dirname(folder)
        return os.path.dirname(folder)
