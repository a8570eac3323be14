"""Pens that write what Claude Code, Codex and Pi write: one session each, a minute between two rows.

What a row looks like is taken from sessions of Claude Code 2.1, Codex 0.140 (`legacy`) and 0.171 (`paginated`) and
Pi 1.6. `Codex` also writes `plain` files, as clients do that store the response items alone, and `turns`: the same with
an event that says that a turn begins.
"""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from harkback.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def uuid(number: int) -> str:
    """Make an id whose first eight characters tell it from all others."""
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def line(row: Any) -> bytes:
    return row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() + b"\n"


class Pen:
    """Writes one session."""

    agent = ""
    head = 0
    """So many rows begin every transcript."""

    def __init__(self, number: int, day: str, cwd: str = "/w/demo") -> None:
        self.number, self.native, self.cwd = number, uuid(number), cwd
        self.began = datetime.fromisoformat(f"{day}T09:00:00").replace(tzinfo=UTC)
        self.rows: list[Any] = []
        self.later = 0
        self.start()

    @property
    def id(self) -> str:
        return f"{self.agent}:{self.native}"

    @property
    def moment(self) -> datetime:
        """Give the time of the next row."""
        return self.began + timedelta(minutes=len(self.rows) + self.later)

    def now(self) -> str:
        """Give it as agents write it."""
        return self.moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def key(self) -> str:
        """Name the next row."""
        return f"{self.number:04x}{len(self.rows) + self.later:04x}"

    def rewind(self, rows: int) -> None:
        """Forget all but so many rows; what is written then is said an hour and more after them."""
        del self.rows[rows:]
        self.later += 100

    def path(self, home: Path) -> Path:
        raise NotImplementedError

    def write(self, home: Path, rows: Iterable[Any] | None = None) -> Path:
        """Write the transcript anew, or these rows in its place."""
        path = self.path(home)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line(row) for row in (self.rows if rows is None else rows)))
        return path

    def append(self, home: Path, since: int) -> None:
        """Write the rows since that number behind what stands there."""
        with self.path(home).open("ab") as file:
            file.write(b"".join(line(row) for row in self.rows[since:]))

    def start(self) -> None:
        """Write the rows that begin every transcript."""

    def user(self, text: str) -> None:
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Let the agent say something."""
        raise NotImplementedError

    def think(self, text: str) -> None:
        raise NotImplementedError

    def shell(self, command: str, output: str) -> None:
        raise NotImplementedError

    def edit(self, path: str) -> None:
        raise NotImplementedError

    def summary(self, text: str) -> None:
        """Let the agent write down what was said before it forgets it."""
        raise NotImplementedError

    def image(self, data: str) -> None:
        """Let the person show a picture."""
        raise NotImplementedError

    def title(self, home: Path, text: str) -> None:
        """Give the session its title; Codex keeps it in a file of its own."""
        raise NotImplementedError

    def copy(self, other: Pen, rows: int) -> None:
        """Begin with what another session said first, as a resumed or forked session does."""
        raise NotImplementedError


class Claude(Pen):
    agent = "claude-code"
    folder = "-w-demo"

    def path(self, home: Path) -> Path:
        return home / ".claude" / "projects" / self.folder / f"{self.native}.jsonl"

    def row(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        parent = next((one["uuid"] for one in reversed(self.rows) if "uuid" in one), None)
        facts = {"parentUuid": parent, "uuid": self.key(), "sessionId": self.native, "timestamp": self.now()}
        place = {"cwd": self.cwd, "gitBranch": "main", "version": "2.1.104", "isSidechain": False}
        self.rows.append({**facts, **place, "type": kind, "message": message, **more})

    def blocks(self, *blocks: dict[str, Any]) -> None:
        message = {"id": f"msg_{self.key()}", "role": "assistant", "model": "claude-x", "content": [*blocks]}
        self.row("assistant", message)

    def user(self, text: str, **more: Any) -> None:
        self.row("user", {"role": "user", "content": text}, **more)

    def say(self, text: str) -> None:
        self.blocks({"type": "text", "text": text})

    def think(self, text: str) -> None:
        self.blocks({"type": "thinking", "thinking": text, "signature": "c2ln"})

    def shell(self, command: str, output: str) -> None:
        call = f"toolu_{self.key()}"
        self.blocks({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}})
        result = {"type": "tool_result", "tool_use_id": call, "content": output}
        self.row("user", {"role": "user", "content": [result]}, toolUseResult={"stdout": output})

    def edit(self, path: str) -> None:
        inner = {"file_path": path, "old_string": "listen 80", "new_string": "listen 8080"}
        self.blocks({"type": "tool_use", "id": f"toolu_{self.key()}", "name": "Edit", "input": inner})

    def summary(self, text: str) -> None:
        boundary = {"type": "system", "subtype": "compact_boundary", "uuid": self.key(), "timestamp": self.now()}
        self.rows.append(
            {**boundary, "parentUuid": None, "sessionId": self.native, "content": "Conversation compacted"}
        )
        begin = "This session is being continued from a previous conversation that ran out of context.\n"
        self.user(begin + text, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def image(self, data: str) -> None:
        source = {"type": "base64", "media_type": "image/png", "data": data}
        self.row("user", {"role": "user", "content": [{"type": "image", "source": source}]})

    def title(self, home: Path, text: str) -> None:
        del home
        self.rows.append({"type": "ai-title", "aiTitle": text, "sessionId": self.native})

    def copy(self, other: Pen, rows: int) -> None:
        self.rows += [{**row, "sessionId": self.native} for row in other.rows[:rows]]

    def subagent(self, home: Path, name: str, rows: list[Any]) -> Path:
        """Write the transcript of a subagent of this session."""
        path = self.path(home).with_suffix("") / "subagents" / f"agent-{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        own = {"isSidechain": True, "agentId": name, "sessionId": self.native}
        path.write_bytes(b"".join(line({**row, **own}) for row in rows))
        return path


class Codex(Pen):
    agent = "codex"
    head = 2

    def __init__(self, number: int, day: str, cwd: str = "/w/demo", mode: str = "legacy", **meta: Any) -> None:
        self.mode, self.meta = mode, meta
        super().__init__(number, day, cwd)

    def path(self, home: Path) -> Path:
        name = f"rollout-{self.began:%Y-%m-%dT%H-%M-%S}-{self.native}.jsonl"
        return home / ".codex" / "sessions" / f"{self.began:%Y/%m/%d}" / name

    def start(self) -> None:
        facts = {"id": self.native, "timestamp": self.now(), "cwd": self.cwd, "originator": "codex-tui"}
        facts |= {"cli_version": "0.140.0", "source": "cli", "model_provider": "openai", **self.meta}
        if self.mode == "paginated":
            facts |= {"history_mode": "paginated", "cli_version": "0.171.0", "session_id": self.native}
        self.row("session_meta", **facts)
        if self.mode == "turns":
            self.row("event_msg", type="task_started", turn_id="t", model_context_window=258400)
        self.row("turn_context", cwd=self.cwd, model="gpt-5.5", approval_policy="never", turn_id="t")

    def row(self, outer: str, /, **payload: Any) -> None:
        ordinal = {"ordinal": len(self.rows)} if self.mode == "paginated" else {}
        self.rows.append({"timestamp": self.now(), **ordinal, "type": outer, "payload": payload})

    def item(self, **payload: Any) -> None:
        identity = payload.pop("id", f"msg_{self.key()}")
        more = {"id": identity} if self.mode == "paginated" else {}
        self.row("response_item", **payload, **more)

    def event(self, **payload: Any) -> None:
        if self.mode == "legacy":
            self.row("event_msg", **payload)

    def completed(self, **item: Any) -> None:
        if self.mode == "paginated":
            inner = {"id": f"item_{self.key()}", **item}
            self.row("event_msg", type="item_completed", thread_id=self.native, turn_id="t", item=inner)

    def user(self, text: str) -> None:
        self.item(type="message", role="user", content=[{"type": "input_text", "text": text}])
        self.event(type="user_message", message=text, images=[], local_images=[], text_elements=[])
        self.completed(type="UserMessage", content=[{"type": "text", "text": text, "text_elements": []}])

    def say(self, text: str) -> None:
        identity = f"msg_{self.key()}"
        self.event(type="agent_message", message=text)
        self.completed(id=identity, type="AgentMessage", content=[{"type": "Text", "text": text}])
        content = [{"type": "output_text", "text": text, "annotations": []}]
        self.item(id=identity, type="message", role="assistant", content=content)

    def think(self, text: str) -> None:
        identity = f"rs_{self.key()}"
        self.event(type="agent_reasoning", text=text)
        self.completed(id=identity, type="Reasoning", summary_text=[text], raw_content=[])
        summary = [{"type": "summary_text", "text": text}]
        self.item(id=identity, type="reasoning", summary=summary, content=None, encrypted_content="c2ln")

    def shell(self, command: str, output: str) -> None:
        call = f"call_{self.key()}"
        self.item(type="function_call", name="exec_command", arguments=json.dumps({"cmd": command}), call_id=call)
        argv = ["/bin/bash", "-lc", command]
        self.completed(id=call, type="CommandExecution", command=argv, aggregated_output=output, exit_code=0)
        self.item(type="function_call_output", call_id=call, output=f"Process exited with code 0\nOutput:\n{output}")

    def edit(self, path: str) -> None:
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-listen 80\n+listen 8080\n*** End Patch\n"
        call = f"call_{self.key()}"
        changes = {path: {"type": "update", "unified_diff": "@@ -1 +1 @@\n-listen 80\n+listen 8080\n"}}
        done = f"Success. Updated the following files:\nM {path}\n"
        self.item(type="custom_tool_call", status="completed", call_id=call, name="apply_patch", input=patch)
        self.event(type="patch_apply_end", call_id=call, stdout=done, stderr="", success=True, changes=changes)
        self.completed(id=call, type="FileChange", changes=changes, status="completed", stdout=done, stderr="")
        self.item(type="custom_tool_call_output", call_id=call, output=done)

    def summary(self, text: str) -> None:
        begin = "Another language model started to solve this problem and produced a summary of its thinking process.\n"
        self.row("compacted", message=begin + text, replacement_history=[])
        self.row("event_msg", type="context_compacted")

    def image(self, data: str) -> None:
        url = f"data:image/png;base64,{data}"
        self.item(type="message", role="user", content=[{"type": "input_image", "image_url": url}])
        self.event(type="user_message", message="", images=[url], local_images=[], text_elements=[])

    def title(self, home: Path, text: str) -> None:
        path = home / ".codex" / "session_index.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(line({"id": self.native, "thread_name": text, "updated_at": self.now()}))

    def copy(self, other: Pen, rows: int) -> None:
        self.rows[0]["payload"]["forked_from_id"] = other.native
        self.rows[1:] = other.rows[:rows]  # its own first row, then the other's, which begin with that one's


class Pi(Pen):
    agent = "pi"
    head = 1

    def path(self, home: Path) -> Path:
        folder = f"--{self.cwd.strip('/').replace('/', '-')}--"
        name = f"{self.began:%Y-%m-%dT%H-%M-%S}-000Z_{self.native}.jsonl"
        return home / ".pi" / "agent" / "sessions" / folder / name

    def start(self) -> None:
        self.rows.append({"type": "session", "version": 3, "id": self.native, "timestamp": self.now(), "cwd": self.cwd})

    def entry(self, kind: str, **more: Any) -> None:
        parent = self.rows[-1]["id"] if len(self.rows) > self.head else None
        self.rows.append({"type": kind, "id": self.key(), "parentId": parent, "timestamp": self.now(), **more})

    def message(self, role: str, *content: dict[str, Any], **more: Any) -> None:
        moment_ms = int(self.moment.timestamp() * 1000)
        self.entry("message", message={"role": role, "content": [*content], "timestamp": moment_ms, **more})

    def user(self, text: str) -> None:
        self.message("user", {"type": "text", "text": text})

    def assistant(self, block: dict[str, Any]) -> None:
        self.message("assistant", block, api="anthropic-messages", provider="p", model="m", stopReason="stop")

    def say(self, text: str) -> None:
        self.assistant({"type": "text", "text": text})

    def think(self, text: str) -> None:
        self.assistant({"type": "thinking", "thinking": text, "thinkingSignature": "c2ln"})

    def shell(self, command: str, output: str) -> None:
        call = f"toolu_{self.key()}"
        self.assistant({"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": command}})
        content = {"type": "text", "text": output}
        self.message("toolResult", content, toolCallId=call, toolName="bash", isError=False)

    def edit(self, path: str) -> None:
        inner = {"path": path, "edits": [{"oldText": "listen 80", "newText": "listen 8080"}]}
        self.assistant({"type": "toolCall", "id": f"toolu_{self.key()}", "name": "edit", "arguments": inner})

    def summary(self, text: str) -> None:
        self.entry("compaction", summary=text, firstKeptEntryId=self.rows[-1]["id"], tokensBefore=1000)

    def image(self, data: str) -> None:
        self.message("user", {"type": "image", "data": data, "mimeType": "image/png"})

    def title(self, home: Path, text: str) -> None:
        del home
        self.entry("session_info", name=text)

    def copy(self, other: Pen, rows: int) -> None:
        self.rows[0]["parentSession"] = f"/somewhere/{other.native}.jsonl"
        self.rows += other.rows[self.head : rows]


PENS: tuple[type[Pen], ...] = (Claude, Codex, Pi)
AGENTS = tuple(pen.agent for pen in PENS)

TRAPS = {
    "deploy": "這個服務要怎麼部署到正式環境？",
    "script": "先跑遷移腳本再重新啟動。",
    "script2": "那個遷移腳本寫好了嗎",
    "apart": "中文 和 文本 分開說",
    "glued": "請修改youer服務端的逾時",
    "database": "資料庫壞了",
    "wide": "呼叫ＡＰＩ的時候",
    "kana": "サーバーが落ちた",
    "half": "ｻｰﾊﾞｰを再起動",
    "nfd": "an e\u0301clair for lunch",
    "emoji": "all done 🎉 today",
    "cpp": "write it in C++ now",
    "c": "vitamin C helps",
    "call": "then foo.bar() twice",
    "nocache": "build with --no-cache please",
    "cache": "there is no cache here",
    "todo": "TODO: fix the gate",
    "book": "the wrong-book problem",
    "version": "release v1.2.3 is out",
}
"""What is said in a home full of traps for a search, by a name."""


# -- running -----------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """What one command did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        assert self.out.count("\n") == 1, self.out[:300]
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    @property
    def snippets(self) -> list[str]:
        return [hit["snippet"] for hit in self.json["hits"]]


def hark(*argv: str) -> Run:
    """Run a command in this process; the environment is the test's own."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(list(argv))
        except SystemExit as stop:  # argparse ends the program after --help
            status = int(stop.code or 0)
    return Run(status, out.getvalue(), err.getvalue())


def hits(*argv: str) -> list[dict[str, Any]]:
    """Search; the status says whether there is anything."""
    found = hark("search", "--json", "-n", "50", *argv)
    given: list[dict[str, Any]] = found.json["hits"]
    assert found.status == (0 if given else 1), found
    return given


def texts(*argv: str) -> list[str]:
    """Search and give the snippets, sorted."""
    return sorted(hit["snippet"] for hit in hits(*argv))


def by_agent(*argv: str) -> dict[str, list[str]]:
    """Search and give each agent's snippets, sorted."""
    found: dict[str, list[str]] = {}
    for hit in hits(*argv):
        found.setdefault(hit["agent"], []).append(hit["snippet"])
    return {agent: sorted(found[agent]) for agent in sorted(found)}


def everywhere(*wanted: str) -> dict[str, list[str]]:
    """Say what `by_agent` gives where every agent's session holds these."""
    return {agent: sorted(wanted) for agent in sorted(AGENTS)} if wanted else {}
