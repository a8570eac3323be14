"""What stands in the raw transcripts of Claude Code, Codex and Pi, as facts that can be counted.

This is the other opinion on `hark events --stats`: it knows the three formats from their records and shares no code
with harkback. It reads whole files and keeps every fact in memory, which a benchmark may.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Row = dict[str, Any]
    Added = tuple[tuple[str, str, int], ...]

FOLDERS = (".claude/projects", ".codex/sessions", ".codex/archived_sessions", ".pi/agent/sessions")
TOKENS = ("input", "output", "cache_read", "cache_write")


class Fact(NamedTuple):
    """Something that is counted once, in however many transcripts it stands."""

    key: tuple[object, ...]
    """The same in every copy."""
    time: str
    """As the record has it, ISO 8601."""
    counts: Added
    """What it adds: table, name, number."""


class File(NamedTuple):
    """One transcript."""

    agent: str
    session: str
    project: str
    facts: list[Fact]


def transcripts(home: str) -> list[str]:
    """Give the paths of all transcripts of a home."""
    found = [
        os.path.join(base, name)
        for folder in FOLDERS
        for base, _, names in os.walk(os.path.join(home, folder))
        for name in names
        if name.endswith(".jsonl") and (folder.startswith((".claude", ".pi")) or name.startswith("rollout-"))
    ]
    return sorted(found)


def read(paths: list[str]) -> Iterator[File]:
    """Read all transcripts."""
    for path in paths:
        if "/.codex/" not in path:
            yield pi(rows(path)) if "/.pi/" in path else claude(path, rows(path))
    yield from codex_files([rows(path) for path in paths if "/.codex/" in path])


def rows(path: str) -> list[Row]:
    """Read the records of a file; a line that is none is left out."""
    found = []
    with open(path, "rb") as file:
        for line in file:
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(row, dict):
                found.append(row)
    return found


def event(kind: str, *more: tuple[str, str, int]) -> Added:
    """Say what one event adds."""
    return (("events", kind, 1), *more)


def usage(*numbers: int | None) -> Added:
    """Say what one answer's tokens add, in the order of TOKENS."""
    return tuple(("tokens", name, number) for name, number in zip(TOKENS, numbers, strict=True) if number)


def blocks(content: Any) -> list[Row]:
    """Give the blocks of a content that may also be a mere text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or () if isinstance(block, dict)]


def words(content: Any, *kinds: str) -> str:
    """Give the text of a content, without the white space around it."""
    wanted = kinds or ("text",)
    return "".join(block.get("text") or "" for block in blocks(content) if block.get("type") in wanted).strip()


# -- Claude Code ------------------------------------------------------------------------------------------------------

REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
OWN_OUTPUT = re.compile(r"<(local-command|bash)-std(out|err)>")
TAG = re.compile(r"<[^<>]*>")
INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")
CLAUDE_PUT_IN = (
    "<local-command-caveat>",
    "<task-notification>",
    "<teammate-message",
    "<session-start-hook>",
    "<user-prompt-submit-hook>",
    "Caveat: The messages below were generated",
    "[Image: ",
)
SKILL_FOLDER = re.compile(r"Base directory for this skill: .*?([^/\\\n]+)[/\\]?(?:\n|$)")
ATTACHED = ("file", "instructions", "mcp_instructions_delta", "nested_memory")
WARMUP = "Warmup"


def claude(path: str, records: list[Row]) -> File:
    """Count a transcript of Claude Code; its rows keep their `uuid` when they are copied."""
    session = path.removesuffix(".jsonl")
    project = next((row["cwd"] for row in records if row.get("cwd")), "")
    users = (words(row["message"].get("content")) for row in records if row.get("type") == "user")
    is_subagent = os.path.basename(path).startswith("agent-")
    is_warmup = is_subagent and next(users, "") == WARMUP
    facts: list[Fact] = []
    answers: dict[object, Fact] = {}
    for number, row in enumerate(records):
        key = row.get("uuid") or (session, number)
        time = row.get("timestamp") or ""
        for place, counts in enumerate(claude_counts(row, is_subagent=is_subagent, is_warmup=is_warmup)):
            facts.append(Fact((key, place), time, counts))
        message = row.get("message") or {}
        if row.get("type") == "assistant" and (used := message.get("usage")):
            names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            answer = message.get("id") or key
            began = answers[answer].time if answer in answers else time
            answers[answer] = Fact(("usage", answer), began, usage(*(used.get(name) for name in names)))
    return File("claude-code", session, project, facts + [fact for fact in answers.values() if fact.counts])


def claude_counts(row: Row, *, is_subagent: bool, is_warmup: bool) -> Iterator[Added]:
    """Give what a row of Claude Code adds, event by event."""
    kind, message = row.get("type"), row.get("message") or {}
    if kind == "attachment":
        yield from claude_attachment(row["attachment"])
    elif row.get("subtype") == "informational" or row.get("isApiErrorMessage"):
        yield event("meta")
    elif kind == "user":
        yield from claude_user(row, blocks(message.get("content")), is_subagent=is_subagent)
    elif kind == "assistant" and message.get("model") != "<synthetic>":
        yield from claude_answer(message, is_warmup=is_warmup)


def claude_answer(message: Row, *, is_warmup: bool) -> Iterator[Added]:
    """Give what an answer of the model adds, block by block."""
    for block in blocks(message.get("content")):
        if block["type"] == "thinking" and block.get("thinking", "").strip():
            yield event("thinking")
        elif block["type"] == "tool_use":
            yield event("tool_call", ("tools", block["name"], 1))
        elif block["type"] == "text" and block.get("text", "").strip():
            yield event("meta") if is_warmup else event("reply", ("models", message.get("model") or "", 1))


def claude_user(row: Row, content: list[Row], *, is_subagent: bool) -> Iterator[Added]:
    """Give what a row of the user's side adds: a prompt, results, a summary, or what was put in."""
    for block in content:
        result = words(block.get("content")) if block["type"] == "tool_result" else ""
        if REMINDER.sub("", result).strip():
            yield event("tool_result")
        if REMINDER.search(result):
            yield event("meta")
    text = words(content)
    skill = SKILL_FOLDER.match(text)
    if row.get("isCompactSummary"):
        yield event("summary")
    elif skill and row.get("isMeta"):
        yield event("meta", ("skills", skill[1], 1))
    elif OWN_OUTPUT.match(text):
        if TAG.sub("", text).strip():
            yield event("tool_result")
    elif text and not INTERRUPTED.fullmatch(text):
        typed = REMINDER.sub("", text).strip() and not text.startswith(CLAUDE_PUT_IN)
        is_person = typed and not (row.get("isMeta") or is_subagent or row.get("isSidechain"))
        yield event("prompt" if is_person else "meta")


def claude_attachment(attachment: Row) -> Iterator[Added]:
    """Give what an attachment adds: a prompt typed while the agent worked, what a hook put in, or files."""
    kind = attachment.get("type", "")
    if kind == "queued_command":
        is_person = (attachment.get("origin") or {"kind": "human"}).get("kind") == "human"
        yield event("prompt" if is_person else "meta")
    elif kind.startswith("hook_"):
        if attachment.get("content"):
            yield event("hook", ("hooks", attachment.get("hookName") or "", 1))
    elif kind in ATTACHED:
        yield event("meta")


# -- Codex ------------------------------------------------------------------------------------------------------------

CODEX_PUT_IN = re.compile(r"# AGENTS\.md instructions|These AGENTS\.md instructions|<[a-z_]+[ >]")
CODEX_SKILL = re.compile(r"<skill>\s*<name>(.*?)</name>")
CODEX_HEADER = re.compile(
    r"(Chunk ID: |Wall time: |Process exited|Exit code: ).*?(?:code:? (?P<code>-?\d+).*?)?^Output:\n",
    re.DOTALL | re.MULTILINE,
)
CODEX_HOOK = "hook"
"""What a hook is called whose name the records do not tell."""

CALLS = ("function_call", "custom_tool_call", "tool_search_call", "local_shell_call", "web_search_call")
RESULTS = ("function_call_output", "custom_tool_call_output")
TOLD = {
    "user_message": "prompt",
    "agent_message": "reply",
    "agent_reasoning": "thinking",
    "UserMessage": "prompt",
    "AgentMessage": "reply",
    "Reasoning": "thinking",
}
"""The records that tell of a text beside the response item that holds it too."""


class Thread(NamedTuple):
    """What must be known of a whole transcript to count one of its records."""

    told: set[str]
    """The kinds of texts that events tell of."""
    is_subagent: bool


def codex_files(transcripts_read: list[list[Row]]) -> Iterator[File]:
    """Count the transcripts of Codex; a fork of the older format begins with its parent's records."""
    threads = [records for records in transcripts_read if records]
    by_id = {records[0]["payload"]["id"]: records for records in threads}
    for records in sorted(threads, key=lambda records: str(records[0]["timestamp"])):
        yield codex(records, copied(records, by_id))
        # Where the parent is gone, the first of its forks speaks for it.
        if parent := records[0]["payload"].get("forked_from_id"):
            by_id.setdefault(parent, records[1:])


def copied(records: list[Row], by_id: dict[str, list[Row]]) -> int:
    """Give how many records at the beginning of a fork were its parent's."""
    parent = by_id.get(records[0]["payload"].get("forked_from_id") or "")
    if parent is None:
        return 0
    same = 0
    for own, theirs in zip(records[1:], parent, strict=False):
        if (own["type"], own["payload"]) != (theirs["type"], theirs["payload"]):
            break
        same += 1
    return 1 + same


def codex(records: list[Row], skipped: int) -> File:
    """Count a transcript of Codex; what was copied changes the state and counts nothing."""
    meta = records[0]["payload"]
    is_subagent = isinstance(meta.get("source"), dict) and "subagent" in meta["source"]
    thread = Thread({kind for row in records if (kind := codex_told(row))}, is_subagent)
    recorded = {row["payload"].get("turn_id") for row in records if row["type"] == "token_usage_record"}
    facts: list[Fact] = []
    model, turn, total = "", None, None
    for number, row in enumerate(records):
        payload = row["payload"]
        counts: Iterable[Added] = ()
        if row["type"] == "turn_context":
            model = payload.get("model") or model
        elif payload.get("type") == "task_started":
            turn = payload.get("turn_id")
        elif row["type"] == "token_usage_record":
            counts = [codex_usage(payload["usage"])]
        elif payload.get("type") == "token_count":
            info = payload.get("info") or {}
            if info and info["total_token_usage"] != total:
                total = info["total_token_usage"]
                counts = [] if turn in recorded else [codex_usage(info["last_token_usage"])]
        else:
            counts = codex_counts(row, thread, model)
        if number >= skipped:
            facts += [
                Fact((meta["id"], number, place), row["timestamp"], one) for place, one in enumerate(counts) if one
            ]
    return File("codex", meta["id"], meta.get("cwd") or "", facts)


def codex_usage(used: Row) -> Added:
    """Say what an answer of Codex adds: its input holds what was cached."""
    cached = used.get("cached_input_tokens") or 0
    return usage(used["input_tokens"] - cached, used["output_tokens"], cached, used.get("cache_write_input_tokens"))


def codex_told(row: Row) -> str:
    """Give the kind of text that a record tells of beside the response items."""
    payload = row["payload"]
    if row["type"] != "event_msg":
        return ""
    inner = payload["item"] if payload["type"] == "item_completed" else payload
    return TOLD.get(inner["type"], "")


def codex_counts(row: Row, thread: Thread, model: str) -> Iterator[Added]:
    """Give what a record adds; a text that is told elsewhere in this file too counts there."""
    payload = row["payload"]
    if row["type"] == "compacted":
        yield event("summary")
    elif row["type"] == "event_msg":
        item = payload.get("item") or payload
        if item.get("source") == "user_shell":
            yield event("prompt")
            if (item.get("aggregated_output") or "").strip():
                yield event("tool_result")
        elif (kind := codex_told(row)) and codex_words(item):
            yield codex_text(kind, thread, model)
    elif row["type"] == "response_item":
        yield from codex_item(payload, thread, model)


def codex_item(payload: Row, thread: Thread, model: str) -> Iterator[Added]:
    """Give what a response item adds."""
    kind = payload.get("type")
    if kind in CALLS:
        yield event("tool_call", ("tools", codex_tool(payload), 1))
    elif kind in RESULTS and codex_output(payload):
        yield event("tool_result")
    elif kind == "reasoning" and "thinking" not in thread.told and words(payload.get("summary"), "summary_text"):
        yield event("thinking")
    elif kind == "message":
        yield from codex_message(payload, thread, model)


def codex_message(payload: Row, thread: Thread, model: str) -> Iterator[Added]:
    """Give what a message among the response items adds: what was put in, and what no event tells of."""
    text = words(payload.get("content"), "input_text", "output_text")
    kinds = (payload.get("internal_chat_message_metadata_passthrough") or {}).get("content_item_kinds") or []
    kind = "reply" if payload["role"] == "assistant" else "prompt"
    if "hooks.additional_context" in kinds:
        yield event("hook", ("hooks", CODEX_HOOK, 1))
    elif payload["role"] == "developer":
        yield event("meta")
    elif kind == "prompt" and CODEX_PUT_IN.match(text):
        skill = CODEX_SKILL.match(text)
        if not text.startswith(("<user_shell_command>", "<image ")):
            yield event("meta", *([("skills", skill[1], 1)] if skill else []))
    elif text and kind not in thread.told:
        yield codex_text(kind, thread, model)


def codex_text(kind: str, thread: Thread, model: str) -> Added:
    """Say what a text adds; the task of a subagent was typed by nobody."""
    if kind == "reply":
        return event("reply", ("models", model, 1))
    return event("meta" if kind == "prompt" and thread.is_subagent else kind)


def codex_words(item: Row) -> str:
    """Give the text that an event tells."""
    summary = "".join(item.get("summary_text") or ())
    return (words(item.get("content"), "text", "Text") or item.get("message") or item.get("text") or summary).strip()


def codex_tool(payload: Row) -> str:
    """Give the name of the tool that was called; one of a server goes by both names."""
    name: str = payload.get("name") or payload["type"].removesuffix("_call")
    space = payload.get("namespace") or ""
    return f"{space}__{name}" if space.startswith("mcp__") else name


def codex_output(payload: Row) -> str:
    """Give what a tool answered; a header that tells of no failure is no answer."""
    output = payload.get("output")
    text = output.strip(" ") if isinstance(output, str) else words(output, "input_text", "output_text", "text")
    header = CODEX_HEADER.match(text)
    if header is None or header["code"] not in {None, "0"}:
        return text.strip()
    return text[header.end() :].strip()


# -- Pi ---------------------------------------------------------------------------------------------------------------

PI_SKILL = re.compile(r'<skill name="([^"]+)" location="[^"]+">\n.*?\n</skill>(?:\n\n(.+))?$', re.DOTALL)
PI_FILE = re.compile(r'<file name="[^"]+">.*?</file>\n?', re.DOTALL)


def pi(records: list[Row]) -> File:
    """Count a transcript of Pi; its entries keep `id` and `timestamp` when they are copied."""
    header = next((row for row in records if row.get("type") == "session"), {})
    session = header.get("id") or ""
    facts: list[Fact] = []
    for number, row in enumerate(records):
        key = (row["id"], row["timestamp"]) if row.get("id") else (session, number)
        used = (row.get("message") or row).get("usage") or {}
        tokens = usage(*(used.get(name) for name in ("input", "output", "cacheRead", "cacheWrite")))
        counts = [*pi_counts(row), *([tokens] if tokens else [])]
        facts += [Fact((*key, place), row["timestamp"], one) for place, one in enumerate(counts)]
    return File("pi", session, header.get("cwd") or "", facts)


def pi_counts(row: Row) -> Iterator[Added]:
    """Give what an entry of Pi adds, event by event."""
    message = row.get("message") or {}
    role, content = message.get("role"), message.get("content")
    if row["type"] in {"compaction", "branch_summary"} and (row.get("summary") or "").strip():
        yield event("summary")
    elif row["type"] == "custom_message" and words(row.get("content")):
        yield event("hook", ("hooks", row["customType"], 1))
    elif role == "user":
        yield from pi_user(words(content))
    elif role == "toolResult" and words(content):
        yield event("tool_result")
    elif role == "bashExecution":
        yield event("prompt")
        if (message.get("output") or "").strip():
            yield event("tool_result")
    elif role == "assistant":
        yield from pi_assistant(message)


def pi_user(text: str) -> Iterator[Added]:
    """Give what a prompt of Pi adds; the skills and files that it names stand in it whole."""
    skill = PI_SKILL.match(text)
    typed = (skill[2] or "") if skill else PI_FILE.sub("", text)
    if typed.strip():
        yield event("prompt")
    if typed != text:
        yield event("meta", *([("skills", skill[1], 1)] if skill else []))


def pi_assistant(message: Row) -> Iterator[Added]:
    """Give what an answer of Pi adds, block by block; one that failed says why."""
    if message.get("errorMessage"):
        yield event("meta")
    for block in blocks(message.get("content")):
        if block["type"] == "text" and block["text"].strip():
            yield event("reply", *([("models", message["model"], 1)] if message.get("model") else []))
        elif block["type"] == "thinking" and block["thinking"].strip():
            yield event("thinking")
        elif block["type"] == "toolCall":
            yield event("tool_call", ("tools", block["name"], 1))
