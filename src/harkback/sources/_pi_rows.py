"""Pi's transcripts: what their entries say.

A header, then entries that form a tree (`id`, `parentId`; in version 1 a plain list without ids). All branches are
real history, so entries are taken in file order. Formats 1 to 3: pi-coding-agent docs/session-format.md, and files
that versions 0.73.1 and 1.6.0 wrote.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.model import (
    ASSISTANT,
    CONTEXT,
    HOOK,
    META,
    OUTPUT,
    SUMMARY,
    SYSTEM,
    TALK,
    THINKING,
    TOOL,
    USER,
    Message,
    More,
    Part,
    Tokens,
)
from harkback.sources import _reading
from harkback.sources._calls import call
from harkback.sources._pi_session import Facts
from harkback.sources._values import (
    OWN_FRAME,
    count,
    cut,
    digest,
    first_line,
    joined,
    string,
    time_ms,
)
from harkback.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harkback.model import Bounds, Checkpoint, Record, Transcript


class Said(NamedTuple):
    """What an entry says."""

    role: int
    parts: list[Part]
    skill: str = ""


_TOOLS = frozenset(("bash", "edit", "find", "grep", "ls", "read", "write"))
_NOTHING = Said(SYSTEM, [])

# Pi's own pattern: the block begins the text, and what follows it are the person's words.
_SKILL = re.compile(r'<skill name="([^"]+)" location="([^"]+)">\n(.*?)\n</skill>(?:\n\n(.+))?', re.DOTALL)
# What `@file` put before the words. A line of its own closes what has lines.
_FILE = re.compile(r'<file name="([^"]*)">(?:\n(.*?)\n</file>|([^\n]*?)</file>)\n?', re.DOTALL)


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool, bounds: Bounds | None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    return _reading.read(transcript, checkpoint, lambda one: _Rows(Facts(one), full=full, bounds=bounds))


class _Rows(_reading.Rows):
    """Makes messages of entries, one after the other."""

    def __init__(self, facts: Facts, *, full: bool, bounds: Bounds | None) -> None:
        super().__init__(full=full, bounds=bounds)
        self.facts: Facts = facts
        self.roles: dict[str, Callable[[dict[str, Any]], Said]] = {
            "user": self.user,
            "assistant": self.assistant,
            "toolResult": self.result,
            "bashExecution": self.own_command,
            "custom": self.injected,
            "hookMessage": self.injected,
            "branchSummary": self.summary,
            "compactionSummary": self.summary,
        }

    def record(self, offset: int, length: int, row: dict[str, Any]) -> Message | None:
        """Take in one entry; what it says, None if it says nothing."""
        kind, facts = row.get("type"), self.facts
        if kind == "session":
            facts.note_header(row)
            return None
        moment = time_ms(row.get("timestamp"))
        message = row.get("message")
        if type(message) is not dict:
            message = row
        if moment is None:
            moment = time_ms(message.get("timestamp"))
        facts.note_time(moment)
        said = self.entry(string(kind), row, message)
        tokens = self.tokens(message) if self.full else None
        parts = tuple(part for part in said.parts if part.text or part.args is not None)
        if not parts and tokens is None:
            return None
        key = _key(row, facts.native, said.role, parts, offset)
        model = string(message.get("model")) or facts.model if said.role == ASSISTANT else ""
        more = None
        if self.full:
            effort = string(message.get("thinkingLevel")) or facts.effort
            more = More(effort, said.skill, tokens=tokens, tokens_key=key)
        return Message(key, offset, length, said.role, moment, parts, "", model, "", more)

    def entry(self, kind: str, row: dict[str, Any], message: dict[str, Any]) -> Said:
        """Read an entry of a kind; those that only keep state say nothing."""
        facts = self.facts
        if kind == "message":
            read_role = self.roles.get(string(message.get("role")))
            if read_role is None:
                # The system's own prompt and tools are no part of the conversation.
                is_silent = message.get("role") == "system"
                return _NOTHING if is_silent else Said(SYSTEM, [self.context(joined(message.get("content")))])
            return read_role(message)
        if kind in ("compaction", "branch_summary"):
            return self.summary(row)
        if kind == "custom_message":
            return self.injected(row)
        if kind == "session_info":
            # An empty name takes the title away again.
            facts.given = first_line(string(row.get("name")))
        elif kind == "title_change":
            facts.own = first_line(string(row.get("title"))) or facts.own
        elif kind == "model_change":
            facts.model = string(row.get("modelId"))
        elif kind == "thinking_level_change":
            facts.effort = string(row.get("thinkingLevel"))
        return _NOTHING

    def user(self, message: dict[str, Any]) -> Said:
        """Read a prompt; the skill and the files that Pi put into it are context."""
        text = joined(message.get("content")).strip()
        parts: list[Part] = []
        skill = ""
        if text.startswith("<skill ") and (found := _SKILL.fullmatch(text)):
            skill = found[1]
            parts.append(self.context(found[3], (clean(found[2]),)))
            text = found[4] or ""
        if "<file name=" in text:
            for one in _FILE.finditer(text):
                name, inner = clean(one[1]), one[2] or one[3] or ""
                parts.append(self.context(f"{name}\n{inner}".strip(), (name,) if name else ()))
            text = _FILE.sub("", text)
        if "<harkback" in text:
            text, quoted = cut(text, OWN_FRAME)
            parts += [self.context(inner) for _, inner in quoted]
        words = clean(text).strip()
        if not words:
            return Said(SYSTEM, parts, skill)
        self.facts.prompt = self.facts.prompt or first_line(words)
        is_task = self.facts.relation == "subagent"
        said = Part(TALK, words, kind=META if is_task else "")
        return Said(ASSISTANT if is_task else USER, [said, *parts], skill)

    def assistant(self, message: dict[str, Any]) -> Said:
        """Read what the agent says, thinks and calls."""
        content = message.get("content")
        blocks = content if type(content) is list else [{"type": "text", "text": content}]
        parts = [part for block in blocks if type(block) is dict for part in self.block(block)]
        if error := string(message.get("errorMessage")):
            parts.append(self.context(error))
        is_silent = all(part.lane == CONTEXT for part in parts if part.text)
        return Said(SYSTEM if parts and is_silent else ASSISTANT, parts)

    def block(self, block: dict[str, Any]) -> list[Part]:
        """Read one block of an answer."""
        kind = block.get("type")
        if kind == "text":
            text = string(block.get("text"))
            quoted: list[tuple[str, str]] = []
            if "<harkback" in text:
                text, quoted = cut(text, OWN_FRAME)
            return [Part(TALK, clean(text).strip()), *(self.context(inner) for _, inner in quoted)]
        if kind == "thinking":
            return [Part(THINKING, clean(string(block.get("thinking"))).strip())]
        if kind == "toolCall":
            part = call(string(block.get("name")), block.get("arguments"), _TOOLS, full=self.full)
            return self.of_call([part] if part else [], string(block.get("id")))
        return []

    def result(self, message: dict[str, Any]) -> Said:
        """Read a tool's result."""
        text = joined(message.get("content"))
        quoted: list[tuple[str, str]] = []
        if "<harkback" in text:
            text, quoted = cut(text, OWN_FRAME)
        tool = clean(string(message.get("toolName")))
        parts = [Part(OUTPUT, self.output(text), tool), *(self.context(inner) for _, inner in quoted)]
        return Said(TOOL, self.of_call(parts, string(message.get("toolCallId"))))

    def own_command(self, message: dict[str, Any]) -> Said:
        """Read what a person ran with `!`."""
        command = clean(string(message.get("command"))).strip()
        if not command:
            return _NOTHING
        self.facts.command = self.facts.command or first_line(f"! {command}")
        return Said(USER, [Part(TALK, f"! {command}"), Part(OUTPUT, self.output(string(message.get("output"))))])

    def injected(self, entry: dict[str, Any]) -> Said:
        """Read what an extension put into the conversation."""
        part = self.context(joined(entry.get("content")))
        return Said(
            SYSTEM, [part._replace(kind=HOOK, args={"customType": entry.get("customType")} if self.full else None)]
        )

    def summary(self, entry: dict[str, Any]) -> Said:
        """Read the summary of a compaction, or of a branch that was left."""
        text = string(entry.get("summary")) or joined(entry.get("content"))
        return Said(SYSTEM, [Part(SUMMARY, clean(text).strip())])

    @staticmethod
    def tokens(message: dict[str, Any]) -> Tokens | None:
        """Read what an answer cost."""
        usage = message.get("usage")
        if type(usage) is not dict:
            return None
        return Tokens(*(count(usage.get(name)) for name in ("input", "output", "cacheRead", "cacheWrite")))


def _key(row: dict[str, Any], native: str, role: int, parts: tuple[Part, ...], offset: int) -> str:
    """Name an entry: copies keep id and time. Eight hex digits alone would one day be somebody else's too."""
    entry, moment = string(row.get("id")), string(row.get("timestamp"))
    if entry:
        return f"{entry}:{moment or native}"
    text = "\0".join(part.text for part in parts)
    return f"{moment}:{role}:{digest(text)}" if moment and parts else f"{native}:{offset}"
