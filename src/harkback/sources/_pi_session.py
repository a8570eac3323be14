"""What the entries of one Pi transcript tell about its session, and what reading must remember."""

from __future__ import annotations

import os

from harkback.model import Session
from harkback.sources import _reading
from harkback.sources._values import first_line, string, time_ms
from harkback.sources.pi import native_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.model import Transcript

GIVEN, OWN, PROMPT = 3, 2, 0
"""Ranks of titles, see `model.Session`."""


class Facts(_reading.Facts):
    """The session so far."""

    # The rest follows from the place.
    KEPT = (
        "native",
        "is_named",
        "parent",
        "relation",
        "given",
        "own",
        "prompt",
        "command",
        "cwd",
        "started",
        "ended",
        "model",
        "effort",
    )

    def __init__(self, transcript: Transcript) -> None:
        self.native = transcript.native
        self.is_named = False
        """Whether the header was read."""
        self.parent = self.relation = self.cwd = self.model = self.effort = ""
        self.given = self.own = self.prompt = self.command = ""
        """Titles: of the person, of the program, the first prompt, the first `!` command where there is none."""
        self.started: int | None = None
        self.ended: int | None = None
        above = os.path.basename(os.path.dirname(transcript.path))
        if native_of(above) != above:
            # Extensions keep their subagents in a folder that is called like the session's file.
            self.parent, self.relation = native_of(above), "subagent"

    def note_header(self, header: dict[str, Any]) -> None:
        """Take in the first line. A fork names its parent by the path it had (oh-my-pi: by its id)."""
        if self.is_named:
            return
        self.is_named = True
        self.native = string(header.get("id")) or self.native
        self.cwd = string(header.get("cwd"))
        self.started = time_ms(header.get("timestamp"))
        self.own = first_line(string(header.get("title")))
        self.model = string(header.get("modelId"))
        self.effort = string(header.get("thinkingLevel"))
        origin = string(header.get("parentSession")) or string(header.get("branchedFrom"))
        if origin and not self.parent:
            self.parent, self.relation = native_of(origin), "fork"

    def session(self) -> Session:
        """Say what is known of the session."""
        titles = ((self.given, GIVEN), (self.own, OWN), (self.prompt, PROMPT), (self.command, PROMPT))
        title, rank = next((one for one in titles if one[0]), ("", PROMPT))
        ended = self.ended if self.ended is not None else self.started
        return Session(
            "pi",
            self.native,
            title,
            rank,
            self.cwd,
            self.cwd,
            "",
            self.started,
            ended,
            self.parent,
            self.relation,
        )
