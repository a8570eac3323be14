"""The transcripts of `tests/formats`, and some that no fixture has, for tests that damage them or cut them."""

from __future__ import annotations

import functools
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import zstandard

from harkback.model import Transcript
from harkback.sources import source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOGS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "formats")
HOMES = (
    ("claude-code", "claude_code_logs", "claude", "CLAUDE_CONFIG_DIR"),
    ("codex", "codex_logs", "codex", "CODEX_HOME"),
    ("pi", "pi_logs", "agent", "PI_CODING_AGENT_DIR"),
    ("hark-chat", "hark_chat_logs", "archive", "HARK_HOME"),
)
"""Agent, folder of fixtures, the agent's own folder in each of them, and the variable that names it."""

WRITTEN = "written"
"""Stands for a home in the names of transcripts that are written here."""


class Log(NamedTuple):
    """One transcript as it lies in a home; other files of the home stand beside it."""

    agent: str
    home: str
    """The folder of the home, or `WRITTEN`."""
    name: str
    """The path below the home."""
    native: str
    data: bytes

    def __str__(self) -> str:
        """Name it in the list of tests."""
        case = os.path.basename(os.path.dirname(self.home)) or self.home
        return f"{self.agent}/{case}/{os.path.basename(self.name).removesuffix('.jsonl')[-24:]}"

    def __repr__(self) -> str:
        """Keep all those bytes out of a failed assertion."""
        return str(self)

    @property
    def lines(self) -> list[bytes]:
        return self.data.splitlines(keepends=True)

    def put(self, base: str, data: bytes, *, number: int = 1) -> Transcript:
        """Write bytes in the transcript's place below `base`, as if at the time `number`."""
        path = os.path.join(base, self.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return Transcript(self.agent, path, self.native, len(data), number, 1)

    def put_beside(self, base: str) -> None:
        """Write the small files of its home that a source may read for it."""
        for name in _beside(self.home):
            path = os.path.join(base, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(os.path.join(self.home, name), "rb") as old, open(path, "wb") as new:
                new.write(old.read())


def _found(agent: str, folder: str, inner: str, variable: str) -> list[Log]:
    logs = []
    for case in sorted(os.listdir(os.path.join(LOGS, folder))):
        home = os.path.join(LOGS, folder, case, inner)
        if not os.path.isdir(home):
            continue
        nowhere = os.path.join(home, "no-such-home")
        for one in sorted(source(agent).discover(nowhere, {variable: home}), key=lambda one: one.path):
            with open(one.path, "rb") as file:
                logs.append(Log(agent, home, os.path.relpath(one.path, home), one.native, file.read()))
    return logs


@functools.cache
def _beside(home: str) -> tuple[str, ...]:
    names = []
    for folder, _, files in os.walk(home):
        names += [os.path.relpath(os.path.join(folder, name), home) for name in files]
    taken = {log.name for log in FIXTURES if log.home == home}
    return tuple(name for name in sorted(names) if name not in taken)


def joined(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


# -- written here ------------------------------------------------------------------------------------------------

THREAD = "01a22bb6-0000-7000-8000-00000000000"
ROLLOUT = f"sessions/2026/11/30/rollout-2026-11-30T09-00-00-{THREAD}"
ENTRIES = "sessions/--w--/2026-11-30T09-00-00-500Z_" + THREAD


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def spoken(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def at(second: int) -> str:
    return f"2026-11-30T09:{second // 60:02}:{second % 60:02}.250Z"


ENVIRONMENT = "<environment_context>\n  <cwd>/home/dev/work</cwd>\n</environment_context>"
SHELL_RESULT = "<result>\nExit code: 0\nOutput:\na b\n</result>"
SHELL = f"<user_shell_command>\n<command>\nls\n</command>\n{SHELL_RESULT}\n</user_shell_command>"
PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old\n+新しい\n*** End Patch"

ITEMS = [
    spoken("user", "<user_instructions>用繁體中文</user_instructions>"),
    spoken("user", ENVIRONMENT),
    spoken("user", "! is no command"),
    spoken("user", "第一個問題 wrong-book"),
    item("reasoning", summary=[{"type": "summary_text", "text": "**Thinking** 考える"}], encrypted_content="x"),
    spoken("assistant", "好，先看檔案"),
    item("function_call", name="shell", call_id="c1", arguments='{"command":["bash","-lc","grep -n 驗收 a.py"]}'),
    item("local_shell_call", call_id="c2", action={"type": "exec", "command": ["ls", "-l"]}),
    item("function_call_output", call_id="c1", output='{"output":"12: 驗收\\n","metadata":{"exit_code":0}}'),
    item("function_call_output", call_id="c2", output={"content": "Exit code: 1\nOutput:\nno such file"}),
    item("custom_tool_call", name="apply_patch", call_id="c3", input=PATCH),
    item("custom_tool_call_output", call_id="c3", output="Success"),
    item("web_search_call", id="w1", action={"type": "search", "query": "tantivy phrase"}),
    spoken("assistant", "完成 <harkback>recalled</harkback>"),
    spoken("user", SHELL),
    spoken("user", "第一個問題 wrong-book"),
    spoken("assistant", "完成 <harkback>recalled</harkback>"),
    spoken("user", "last words without an answer"),
]
"""Response items as every generation has them; the first question and the last answer are said twice."""


def _bare() -> list[dict[str, Any]]:
    """Make the oldest form: no time, no events."""
    first = {"id": THREAD + "a", "timestamp": at(0), "instructions": None, "git": {"branch": "main"}}
    state = {"record_type": "state"}
    return [first, state, *(one for said in ITEMS for one in (said, state))]


def _wrapped(events: int, meta: dict[str, Any], thread: str) -> list[dict[str, Any]]:
    """Make the form with times. From the item `events` on, an event follows each message and tells it again."""
    rows = [("session_meta", {"id": thread, "timestamp": at(0), "cwd": "/w", **meta})]
    rows += [("event_msg", {"type": "task_started"})]
    for number, said in enumerate(ITEMS):
        rows.append(("response_item", said))
        role, content = said.get("role"), said.get("content", [{}])
        if number >= events and role and not content[0]["text"].startswith("<"):
            rows.append(("event_msg", {"type": "token_count", "info": None}))
            kind = "user_message" if role == "user" else "agent_message"
            rows.append(("event_msg", {"type": kind, "message": content[0]["text"]}))
    rows += [("compacted", {"message": "摘要 of it all"}), ("event_msg", {"type": "thread_name_updated", "name": "N"})]
    return [
        {"timestamp": at(second), "ordinal": second, "type": kind, "payload": payload}
        for second, (kind, payload) in enumerate(rows)
    ]


def _first_format() -> list[dict[str, Any]]:
    """Make a Pi session of format 1: a list without ids."""
    said: list[dict[str, Any]] = [
        {"role": "user", "content": "第一個問題"},
        {"role": "user", "content": [{"type": "text", "text": '<file name="/w/a.py">\nx = 1\n</file>\n看 a.py'}]},
        {
            "role": "assistant",
            "model": "m-1",
            "usage": {"input": 10, "output": 2, "cacheRead": 3, "cacheWrite": 4},
            "content": [
                {"type": "thinking", "thinking": "考える"},
                {"type": "text", "text": "好"},
                {"type": "toolCall", "id": "c1", "name": "edit", "arguments": {"path": "a.py", "oldText": "1"}},
            ],
        },
        {"role": "toolResult", "toolCallId": "c1", "toolName": "edit", "content": [{"type": "text", "text": "done"}]},
        {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 0},
        {"role": "user", "content": "第一個問題"},
        {"role": "assistant", "model": "m-2", "content": [], "errorMessage": "overloaded", "stopReason": "error"},
    ]
    entries: list[dict[str, Any]] = [
        {"type": "message", "timestamp": at(n + 1), "message": {**one, "timestamp": 1_796_029_200_000 + n}}
        for n, one in enumerate(said)
    ]
    header = {"type": "session", "id": THREAD + "b", "timestamp": at(0), "cwd": "/w", "title": "Own title"}
    more: list[dict[str, Any]] = [
        {"type": "model_change", "timestamp": at(20), "provider": "p", "modelId": "m-3"},
        {"type": "compaction", "timestamp": at(21), "summary": "摘要", "firstKeptEntryIndex": 2},
        {"type": "message", "message": {"role": "user", "content": "no time at all"}},
        {"type": "message", "timestamp": at(22), "message": {"role": "assistant", "content": "no model"}},
    ]
    return [header | {"branchedFrom": f"/w/2026-11-29T09-00-00-500Z_{THREAD}6.jsonl"}, *entries, *more]


def _unasked() -> list[dict[str, Any]]:
    """Make a file whose first text in the person's name is not the prompt that the first event tells."""
    rows: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": THREAD + "6", "timestamp": at(0), "cwd": "/w"}),
        ("response_item", spoken("user", "Put in by somebody else")),
        ("event_msg", {"type": "user_message", "message": "ask"}),
        ("response_item", spoken("assistant", "answer")),
        ("event_msg", {"type": "agent_message", "message": "answer"}),
    ]
    return [{"timestamp": at(second), "type": kind, "payload": payload} for second, (kind, payload) in enumerate(rows)]


def _renamed() -> list[dict[str, Any]]:
    """Make a Pi session of format 3 whose name is given, changed and taken away again."""
    said: list[dict[str, Any]] = [
        {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "a"}},
        {"type": "session_info", "name": "Name"},
        {"type": "session_info", "name": ""},
        {"type": "message", "message": {"role": "user", "content": "the words"}},
        {"type": "session_info", "name": "Other name"},
        {"type": "session_info", "name": ""},
    ]
    header = {"type": "session", "version": 3, "id": THREAD + "8", "timestamp": at(0), "cwd": "/w"}
    return [header, *(row | {"id": f"e{n}", "timestamp": at(n + 1)} for n, row in enumerate(said))]


def _resumed() -> list[dict[str, Any]]:
    """Make a Claude Code session that goes on from another one.

    It has a prompt that stands twice, and rows that are passed over unparsed, just as long as that begins.
    """
    prompt = {"promptId": "p", "timestamp": at(2)}
    queued = {"type": "attachment", "uuid": "u2", "attachment": {"type": "queued_command", "prompt": "ask again"}}
    rows: list[dict[str, Any]] = [
        {"type": "user", "uuid": "u1", "timestamp": at(1), "sessionId": "other", "message": {"content": "ask"}},
        queued | prompt | {"sessionId": THREAD + "9"},
        {"type": "user", "uuid": "u3", "sessionId": "third", "message": {"content": "ask again"}} | prompt,
    ]
    for number, size in enumerate((398, 399, 400, 401)):
        row = {"parentUuid": "u1", "type": "progress", "uuid": f"p{number}", "timestamp": at(3 + number), "cwd": "/x"}
        rows.append(row | {"data": "x" * (size - len(json.dumps(row | {"data": ""})))})
    return [rows[0] | {"cwd": "/w"}, *rows[1:]]


def _rollout(number: int, rows: Sequence[dict[str, Any]]) -> Log:
    return Log("codex", WRITTEN, f"{ROLLOUT}{number}.jsonl", f"{THREAD}{number}", joined(rows))


SPAWNED = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": THREAD + "2", "agent_role": "explorer"}}}}

FIXTURES = [log for home in HOMES for log in _found(*home)]
MADE = [
    _rollout(1, _bare()),
    _rollout(2, _wrapped(99, {}, THREAD + "2")),
    _rollout(3, _wrapped(0, {}, THREAD + "3")),
    _rollout(4, _wrapped(5, {"forked_from_id": THREAD + "2"}, THREAD + "4")),
    _rollout(5, _wrapped(0, {"subagent_history_start_ordinal": 9} | SPAWNED, THREAD + "5")),
    _rollout(6, _unasked()),
    Log("pi", WRITTEN, f"{ENTRIES}7.jsonl", THREAD + "7", joined(_first_format())),
    Log("pi", WRITTEN, f"{ENTRIES}8.jsonl", THREAD + "8", joined(_renamed())),
    Log("claude-code", WRITTEN, f"projects/-w/{THREAD}9.jsonl", THREAD + "9", joined(_resumed())),
]
ALL = [*FIXTURES, *MADE]


def packed(log: Log) -> Log:
    """Make what Codex makes of a transcript that it has not used for long."""
    return log._replace(name=log.name + ".zst", data=zstandard.ZstdCompressor().compress(log.data))


PACKED = [packed(log) for log in ALL if log.agent == "codex"]
