"""Claude Code's transcripts: what their rows say.

One row is one JSON object; `type` says what it is. Rows are taken in file order: `parentUuid` chains are
broken in most real sessions, so nothing follows them. Formats of versions 1.0.98, 2.0.65, 2.1.104 and
2.1.332, as the real client wrote them, and of public samples between.
"""

from __future__ import annotations

import os
import re

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
    SessionTitle,
    Tokens,
)
from harkback.sources import _reading
from harkback.sources._calls import SPAWNING, call
from harkback.sources._claude_code_attachments import attached
from harkback.sources._claude_code_session import GIVEN, OWN, Facts
from harkback.sources._claude_code_tags import INJECTED, pieces
from harkback.sources._values import (
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

    Said = tuple[int, list[Part], str, str]
    """What a row says: role, parts, copy key, model."""

_SILENT_ROW: Said = (SYSTEM, [], "", "")
_NO_ROWS = frozenset({"progress", "api-request", "api-request-blob", "api-request-shape"})
# fmt: off
_TOOLS = frozenset(
    {
        "Agent", "Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep", "KillBash",
        "KillShell", "LS", "MultiEdit", "NotebookEdit", "NotebookRead", "Read", "Skill", "Task",
        "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write",
    }
)
# fmt: on
_SKIP_ABOVE = 400
_SKIP_WITHIN = 1000
_INNER = 2
_SKILL = re.compile(r"Base directory for this skill: .*?([^/\\\n]+)[/\\]?(?:\n|$)")
_SPILL = re.compile(r"Full output saved to: (.+)")
_SPILL_EDGE = 64 << 10
_SPILL_LONGEST = 64 << 20
_PENDING_CALLS = 64
_MARKS = 8
_WARMUP = "Warmup"


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool, bounds: Bounds | None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    return _reading.read(transcript, checkpoint, lambda one: _Rows(Facts(one), full=full, bounds=bounds), bulky)


def bulky(line: bytes) -> bool:
    """Recognise, without parsing, rows that say nothing new and make up most bytes of some versions' files.

    A quote inside a JSON string is escaped, so that a needle with bare quotes can only be a value (or a key);
    the number of braces before it tells whose value it is.
    """
    if line.startswith((b'{"type":"progress"', b'{"type": "progress"', b'{"type":"api-request')):
        return True
    if len(line) < _SKIP_ABOVE:
        return False
    at = line.find(b'"progress"', 0, _SKIP_WITHIN)
    if at >= 0 and line.endswith((b'"type":', b'"type": '), 0, at):
        return line.count(b"{", 0, at) == 1
    at = line.find(b'"prompt_snapshot"', 0, _SKIP_WITHIN)
    return at >= 0 and line.endswith(b'"attachment":{"type":', 0, at) and line.count(b"{", 0, at) == _INNER


class _Rows(_reading.Rows):
    """Makes messages of rows, one after the other."""

    def __init__(self, facts: Facts, *, full: bool, bounds: Bounds | None) -> None:
        super().__init__(full=full, bounds=bounds)
        self.facts: Facts = facts
        self.kinds: dict[str, Callable[[dict[str, Any]], Said]] = {
            "user": self.user,
            "assistant": self.assistant,
            "attachment": self.attachment,
            "system": self.system,
        }

    def record(self, offset: int, length: int, row: dict[str, Any]) -> Message | SessionTitle | None:
        """Take in one row; what it says, None if it says nothing."""
        kind = string(row.get("type"))
        moment = time_ms(row.get("timestamp"))
        facts = self.facts
        facts.note(row, moment)
        say = self.kinds.get(kind)
        if say is None:
            if kind == "summary":
                key, title = string(row.get("leafUuid")), first_line(string(row.get("summary")))
                return SessionTitle(key, title) if key and title else None
            if kind in ("custom-title", "ai-title"):
                named = row.get("customTitle") or row.get("aiTitle") or row.get("title")
                facts.entitle(string(named), GIVEN if kind == "custom-title" else OWN)
            if "message" not in row or kind in _NO_ROWS:
                return None
            say = self.unknown
        role, parts, copy_key, model = say(row)
        more = None
        if self.full:
            more = self.more(row, parts)
            parts = [part for part in parts if part.text or part.args is not None]
        else:
            parts = [part for part in parts if part.text]
        if not parts and (more is None or more.tokens is None):
            return None
        key = string(row.get("uuid")) or f"{facts.session_id}:{offset}"
        return Message(key, offset, length, role, moment, tuple(parts), copy_key, model, facts.branch, more)

    def more(self, row: dict[str, Any], parts: list[Part]) -> More:
        """Tell what only the event stream wants to know of a row."""
        self.facts.originator = string(row.get("entrypoint")) or self.facts.originator
        skill, agent_type, agent_model = string(row.get("attributionSkill")), "", ""
        for part in parts:
            if type(part.args) is dict:
                skill = string(part.args.get("skill")) if part.tool == "Skill" else skill
                if part.tool in SPAWNING:
                    agent_type = string(part.args.get("subagent_type"))
                    agent_model = string(part.args.get("model"))
            elif part.lane == CONTEXT and (expanded := _SKILL.match(part.text)):
                # The model's own call of the tool Skill was told already.
                skill = "" if row.get("sourceToolUseID") else expanded[1]
        message = row.get("message")
        usage = message.get("usage") if type(message) is dict else None
        tokens = None
        if type(usage) is dict:
            names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            tokens = Tokens(*(count(usage.get(name)) for name in names))
        key = string(message.get("id")) if type(message) is dict else ""
        effort = string(row.get("effort"))
        return More(effort, skill, agent_type, agent_model, tokens, key or string(row.get("uuid")))

    def user(self, row: dict[str, Any]) -> Said:
        """Read a prompt, what the harness says in the person's name, or results of tools."""
        texts, results = _blocks(row)
        parts = [part for block in results for part in self.result(block)]
        said: list[str] = []
        if row.get("isCompactSummary"):
            parts += [Part(SUMMARY, clean(text).strip()) for text in texts]
        elif _injected(row):
            parts += [self.context(text) for text in texts]
        else:
            self.sort([piece for text in texts for piece in pieces(text)], said, parts)
        first_result = string(results[0].get("tool_use_id")) if results else ""
        copy_key = f"{first_result}:result" if first_result else ""
        if said:
            return self.prompt("\n\n".join(said), parts, row, row, copy_key)
        is_output = any(part.lane == OUTPUT and part.text for part in parts)
        return TOOL if is_output else SYSTEM, parts, copy_key, ""

    def prompt(
        self, talk: str, parts: list[Part], row: dict[str, Any], carrier: dict[str, Any], copy_key: str = ""
    ) -> Said:
        """Decide who says a prompt. `carrier` holds its origin: the row, or the attachment in it."""
        aside = self.facts.subagent or bool(row.get("isSidechain"))
        moment = time_ms(row.get("timestamp"))
        if not copy_key and moment is not None:
            copy_key = f"{moment}:{digest(talk)}"
        if aside and _origin(carrier) != "human":
            # The harness sends "Warmup" to new subagents to fill a cache; the answers are as empty.
            self.facts.warmup = talk == _WARMUP
            if self.facts.subagent and not self.facts.warmup:
                self.facts.prompted(talk)
            role, lane = (SYSTEM, CONTEXT) if self.facts.warmup else (ASSISTANT, TALK)
        else:
            if self.repeated(talk, row, carrier):
                return SYSTEM, parts, "", ""
            self.facts.prompted(talk)
            role, lane = USER, TALK
        return role, [Part(lane, talk, kind="" if role == USER else META), *parts], copy_key, ""

    def repeated(self, talk: str, row: dict[str, Any], carrier: dict[str, Any]) -> bool:
        """Tell whether a prompt stands a second time: once as a user row and once as a queued command.

        They are the same if text and any of uuid, prompt id or time agree; whichever comes first is kept.
        """
        mine, other = ("u", "q") if carrier is row else ("q", "u")
        names = [row.get("uuid"), row.get("promptId"), carrier.get("timestamp"), carrier.get("source_uuid")]
        marks = [digest(f"{name}\0{talk}") for name in names if type(name) is str and name]
        known = self.facts.prompts
        if any(other + mark in known for mark in marks):
            return True
        self.facts.prompts = (known + [mine + mark for mark in marks])[-_MARKS:]
        return False

    def result(self, block: dict[str, Any]) -> list[Part]:
        """Read a tool's result: its bounded text, and apart from it what the harness put in."""
        tool = self.facts.calls.pop(string(block.get("tool_use_id")), "")
        text = joined(block.get("content"))
        injected: list[tuple[str, str]] = []
        if "<" in text:
            if text.startswith("<persisted-output>"):
                text = self.spilled(text)
            if "<system-reminder" in text or "<harkback" in text:
                text, injected = cut(text, INJECTED)
        parts = [Part(OUTPUT, self.output(text), tool), *(self.context(inner) for _, inner in injected)]
        return self.of_call(parts, string(block.get("tool_use_id")))

    def spilled(self, text: str) -> str:
        """Read head and tail of a long output that was written to a file of its own.

        Only the name is taken from the transcript: nothing outside the session's own folder is ever opened.
        """
        saved = _SPILL.search(text)
        if not saved:
            return text
        folder = os.path.join(self.facts.folder, "tool-results")
        path = os.path.join(folder, re.split(r"[\\/]", saved[1].strip())[-1])
        try:
            real = os.path.realpath(path)
            if os.path.dirname(real) != os.path.realpath(folder) or not os.path.isfile(real):
                return text
            with open(real, "rb") as file:
                if self.full:
                    return file.read(_SPILL_LONGEST).decode("utf-8", "replace")
                found = file.read(2 * _SPILL_EDGE)
                size = file.seek(0, os.SEEK_END)
                if size > len(found):
                    file.seek(size - _SPILL_EDGE)
                    found = found[:_SPILL_EDGE] + b"\n" + file.read(_SPILL_EDGE)
        except (OSError, ValueError):
            return text
        return found.decode("utf-8", "replace")

    def assistant(self, row: dict[str, Any]) -> Said:
        """Read what the agent says, thinks and calls; one row is one block of its message, or several."""
        message = row.get("message")
        if type(message) is not dict:
            return _SILENT_ROW
        content = message.get("content")
        blocks = content if type(content) is list else [{"type": "text", "text": content}]
        model = string(message.get("model"))
        empty = self.facts.warmup and (self.facts.subagent or row.get("isSidechain"))
        lane = CONTEXT if empty or row.get("isApiErrorMessage") or model == "<synthetic>" else TALK
        parts: list[Part] = []
        identity = ""
        for block in blocks:
            if type(block) is dict:
                parts += self.block(block, lane)
                identity = identity or string(block.get("id"))
        identity = identity or digest("\n".join(part.text for part in parts))
        role = SYSTEM if all(part.lane == CONTEXT for part in parts) else ASSISTANT
        own = string(message.get("id"))
        return role, parts, f"{own}:{identity}" if own else "", model

    def block(self, block: dict[str, Any], lane: int) -> list[Part]:
        """Read one block of an assistant's message."""
        kind = string(block.get("type"))
        if kind == "text":
            text = string(block.get("text"))
            quoted: list[tuple[str, str]] = []
            if "<harkback" in text:
                text, quoted = cut(text, INJECTED)
            text = clean(text).strip()
            said = [] if text == "No response requested." else [Part(lane, text)]
            return said + [self.context(inner) for _, inner in quoted]
        if kind == "thinking":
            return [Part(THINKING, clean(string(block.get("thinking"))).strip())]
        if kind.endswith("tool_use"):
            tool = string(block.get("name"))
            self.pending(string(block.get("id")), clean(tool))
            part = call(tool, block.get("input"), _TOOLS, full=self.full)
            return self.of_call([part] if part else [], string(block.get("id")))
        return self.result(block) if kind.endswith("tool_result") else []

    def pending(self, call_id: str, tool: str) -> None:
        """Remember which tool's result will come under this id."""
        calls = self.facts.calls
        if call_id:
            calls[call_id] = tool
            if len(calls) > _PENDING_CALLS:
                del calls[next(iter(calls))]

    def attachment(self, row: dict[str, Any]) -> Said:
        """Read what was attached: a message sent while the agent worked, or context."""
        attachment = row.get("attachment")
        if type(attachment) is not dict:
            return _SILENT_ROW
        if attachment.get("type") != "queued_command":
            return SYSTEM, self.attached(attachment), "", ""
        text = joined(attachment.get("prompt"))
        mode = attachment.get("commandMode")
        if _injected(attachment) or mode == "task-notification":
            return SYSTEM, [self.context(text)], "", ""
        said: list[str] = []
        parts: list[Part] = []
        self.sort([(TALK, f"! {text}")] if mode == "bash" else pieces(text), said, parts)
        if not said:
            return SYSTEM, parts, "", ""
        return self.prompt("\n\n".join(said), parts, row, attachment)

    def system(self, row: dict[str, Any]) -> Said:
        """Read the few system rows that say something."""
        kind, content = row.get("subtype"), string(row.get("content"))
        if kind == "away_summary":
            return SYSTEM, [Part(SUMMARY, clean(content).strip())], "", ""
        if kind == "local_command" and content.lstrip().startswith("<"):
            return self.user({**row, "message": {"content": content}})
        if kind in ("informational", None) and "Original prompt: " in content:
            return SYSTEM, [self.context(content)], "", ""
        return _SILENT_ROW

    def unknown(self, row: dict[str, Any]) -> Said:
        """Keep what a row of an unknown type says, without guessing who says it."""
        texts, results = _blocks(row)
        texts += [joined(block.get("content")) for block in results]
        return SYSTEM, [self.context(text) for text in texts], "", ""

    def attached(self, attachment: dict[str, Any]) -> list[Part]:
        """Read what was attached and is nobody's message; what hooks say is told apart."""
        kind = HOOK if string(attachment.get("type")).startswith("hook_") else ""
        parts = [self.context(text, files) for text, files in attached(attachment)]
        if not kind:
            return parts
        named = {name: attachment[name] for name in ("hookName", "hookEvent") if name in attachment}
        return [part._replace(kind=HOOK, args=named or None) for part in parts]

    def sort(self, found: list[tuple[int, str]], said: list[str], parts: list[Part]) -> None:
        """Put the pieces of a user's texts where they belong."""
        for lane, piece in found:
            if lane == CONTEXT:
                parts.append(self.context(piece))
                continue
            if lane == OUTPUT:
                parts.append(Part(lane, self.output(piece)))
                continue
            text = clean(piece).strip()
            if lane == TALK and text:
                said.append(text)
            elif lane != TALK:
                parts.append(Part(lane, text))


def _injected(row: dict[str, Any]) -> bool:
    """Tell from flags that the harness wrote a text, whatever it looks like."""
    get = row.get
    return bool(
        get("isMeta")
        or get("turnCompanion")
        or get("isVisibleInTranscriptOnly")
        or get("sourceToolUseID")
        or get("promptSource") == "system"
        or get("rowSource") == "harness"
        or _origin(row) not in ("", "human")
    )


def _origin(row: dict[str, Any]) -> str:
    origin = row.get("origin")
    return string(origin.get("kind")) if type(origin) is dict else ""


def _blocks(row: dict[str, Any]) -> tuple[list[str], list[dict[str, Any]]]:
    """Sort the content of a message: texts and tool results. Nobody types an image, so nothing stands for it."""
    message = row.get("message")
    content = message.get("content") if type(message) is dict else None
    if type(content) is str:
        return [content], []
    blocks = content if type(content) is list else []
    texts = [block for block in blocks if type(block) is str]
    blocks = [block for block in blocks if type(block) is dict]
    texts += [string(block.get("text")) for block in blocks if block.get("type") == "text"]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    return texts, results
