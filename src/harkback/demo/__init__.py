"""Invented sessions of a small team, so that `hark demo` finds something on a machine without transcripts.

The talk lies in `talk.json`; `write` turns it into the rows that Claude Code 2.1 writes. A session there has
a name, cwd, branch, start (UTC) and sometimes a title; its turns are lists that begin with what happens:

    ["user", text]                             the person types
    ["queued", text]                           the person types while the agent works
    ["thinks", text], ["says", text]           the agent
    ["runs" | "fails", tool, input, output]    a tool call with its result
    ["asks", agent type, description, prompt, turns]    a subagent with a transcript of its own
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import uuid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SEARCHES: tuple[tuple[str, str], ...] = (
    (
        "驗收",
        "A two-character Chinese word, which trigram indexes cannot find; 验收 in Simplified counts as well.",
    ),
    (
        "文字化け",
        "A Japanese word inside a sentence without spaces, said by the agent, its subagent and you.",
    ),
    ("how did we fix the 5G card last time", "A plain question: not every word has to stand in the answer."),
)

_NAMESPACE = uuid.UUID("6f0e3d52-9b1c-5c1a-8f57-2d4c7a90e1b3")
_MODEL = "claude-opus-4-8"
_CALLS = ("runs", "fails", "asks")
_WAIT_S = {"user": 94, "queued": 3, "thinks": 7, "says": 11, "call": 5, "result": 4, "report": 2}


def write(folder: str) -> int:
    """Lay down the sample archive as a Claude Code config folder and say how many transcripts it has.

    Makes `<folder>/projects/<munged cwd>/<session uuid>.jsonl` and, beside it,
    `<session uuid>/subagents/`. The bytes and file times are the same each time, so writing twice changes
    nothing. Raises OSError.
    """
    with open(os.path.join(os.path.dirname(__file__), "talk.json"), encoding="utf-8") as file:
        sessions = json.load(file)["sessions"]
    written = 0
    for session in sessions:
        rows = _session_rows(session)
        project = re.sub(r"[^A-Za-z0-9]", "-", session["cwd"])
        place = os.path.join(folder, "projects", project, rows.envelope["sessionId"])
        _save(place + ".jsonl", rows)
        for agent_id, meta, child in rows.children:
            stem = os.path.join(place, "subagents", f"agent-{agent_id}")
            _save(stem + ".jsonl", child)
            with open(stem + ".meta.json", "w", encoding="utf-8", newline="\n") as file:
                json.dump(meta, file, ensure_ascii=False)
        written += 1 + len(rows.children)
    return written


class _Rows:
    """One transcript in the making: every row gets its place in the chain, its time and the common fields."""

    def __init__(self, seed: str, envelope: dict[str, Any], now: dt.datetime, extra: dict[str, Any]) -> None:
        self.seed = seed
        self.envelope = envelope
        self.now = now
        self.extra = extra
        self.rows: list[dict[str, Any]] = []
        self.parent: str | None = None
        self.blocks = 0
        self.message_seed = ""
        self.children: list[tuple[str, dict[str, Any], _Rows]] = []

    def id(self, kind: str) -> str:
        """Make the uuid that the thing of this kind in the next row has on every machine."""
        return str(uuid.uuid5(_NAMESPACE, f"{self.seed}/{len(self.rows)}/{kind}"))

    def time(self) -> str:
        """Write the current time as Claude Code does: ISO, UTC, milliseconds."""
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def add(self, kind: str, pace: str, **fields: Any) -> str:
        """Append a row of the conversation and return its uuid."""
        self.now += dt.timedelta(seconds=_WAIT_S[pace], milliseconds=len(self.rows) * 137 % 1000)
        row_id = self.id("row")
        place = {"parentUuid": self.parent, **self.extra}
        stamp = {"type": kind, "uuid": row_id, "timestamp": self.time()}
        self.rows.append(place | fields | stamp | self.envelope)
        self.parent = row_id
        return row_id

    def note(self, kind: str, **fields: Any) -> None:
        """Append a bookkeeping row, which has neither uuid nor place in the chain."""
        self.rows.append({"type": kind, **fields, "sessionId": self.envelope["sessionId"]})


def _save(path: str, rows: _Rows) -> None:
    """Write one transcript, as old as its last row (a sync reads the newest first)."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows.rows)
    seconds = rows.now.timestamp()
    os.utime(path, (seconds, seconds))


def _session_rows(session: dict[str, Any]) -> _Rows:
    """Turn one session of `talk.json` into rows."""
    session_id = str(uuid.uuid5(_NAMESPACE, session["name"]))
    envelope = {
        "userType": "external",
        "entrypoint": "cli",
        "cwd": session["cwd"],
        "sessionId": session_id,
        "version": "2.1.332",
        "gitBranch": session["branch"],
    }
    start = dt.datetime.fromisoformat(session["start"])
    rows = _Rows(session["name"], envelope, start, {"isSidechain": False})
    rows.note("mode", mode="normal")
    _play(rows, session["turns"])
    if "title" in session:
        rows.note("ai-title", aiTitle=session["title"])
    last = [turn[1] for turn in session["turns"] if turn[0] == "user"][-1]
    rows.note("last-prompt", lastPrompt=last, leafUuid=rows.parent)
    return rows


def _play(rows: _Rows, turns: list[Any]) -> None:
    """Append the rows of the turns in order; a new API message begins whenever somebody else has spoken."""
    for number, turn in enumerate(turns):
        match turn:
            case ["user", text]:
                _prompt(rows, text)
            case ["queued", text]:
                _queued(rows, text)
            case ["thinks", text]:
                block = {"type": "thinking", "thinking": text, "signature": ""}
                _block(rows, "thinks", block, _stop(turns, number))
            case ["says", text]:
                _block(rows, "says", {"type": "text", "text": text}, _stop(turns, number))
            case ["runs" | "fails" as how, tool, given, output]:
                _call(rows, tool, given, _result(tool, given, output, how == "fails"), how == "fails")
            case ["asks", agent_type, description, prompt, told]:
                _ask(rows, agent_type, description, prompt, told)
            case _:
                raise ValueError(f"talk.json has a turn of unknown shape: {turn[0]}")


def _stop(turns: list[Any], number: int) -> str:
    """Say why the API message that holds this turn ended: it called a tool, or it was done."""
    for turn in turns[number + 1 :]:
        if turn[0] in _CALLS:
            return "tool_use"
        if turn[0] in {"user", "queued"}:
            break
    return "end_turn"


def _prompt(rows: _Rows, text: str) -> None:
    """Append what the person typed (a subagent's task is typed by nobody)."""
    rows.blocks = 0
    fields: dict[str, Any] = {"promptId": rows.id("prompt"), "message": {"role": "user", "content": text}}
    if "agentId" not in rows.extra:
        fields |= {"permissionMode": "default", "origin": {"kind": "human"}}
        fields |= {"promptSource": "typed", "turnOrigin": "human"}
    rows.add("user", "user", **fields)


def _queued(rows: _Rows, text: str) -> None:
    """Append a prompt typed while the agent worked, which Claude Code keeps as an attachment only."""
    rows.blocks = 0
    rows.note("queue-operation", operation="enqueue", timestamp=rows.time(), content=text)
    attachment = {
        "type": "queued_command",
        "prompt": text,
        "commandMode": "prompt",
        "origin": {"kind": "human"},
        "humanTurn": True,
        "timestamp": rows.time(),
    }
    rows.add("attachment", "queued", attachment=attachment)


def _block(rows: _Rows, pace: str, block: dict[str, Any], stop: str) -> str:
    """Append one block of an assistant message; the blocks of one message share its id."""
    if rows.blocks == 0:
        rows.message_seed = rows.id("message")
    message = {
        "id": "msg_01" + rows.message_seed.replace("-", "")[:24],
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": [block],
        "stop_reason": stop,
        "usage": {"input_tokens": 12000 + 400 * len(rows.rows), "output_tokens": 80},
    }
    rows.blocks += 1
    return rows.add("assistant", pace, message=message, apiBlockIndex=rows.blocks - 1)


def _call(rows: _Rows, tool: str, given: dict[str, Any], result: tuple[Any, Any], failed: bool) -> str:
    """Append a tool call with its result and return the call's id. `result` is (content, structured copy)."""
    call_id = "toolu_01" + rows.id("call").replace("-", "")[:24]
    use = {"type": "tool_use", "id": call_id, "name": tool, "input": given}
    asked = _block(rows, "call", use, "tool_use")
    content, copy = result
    block = {"tool_use_id": call_id, "type": "tool_result", "content": content, "is_error": failed}
    message = {"role": "user", "content": [block]}
    rows.add("user", "result", message=message, toolUseResult=copy, sourceToolAssistantUUID=asked)
    rows.blocks = 0
    return call_id


def _result(tool: str, given: dict[str, Any], output: str, failed: bool) -> tuple[Any, Any]:
    """Shape a tool's output as the text that the agent saw and the structured copy stored beside it."""
    if failed:
        return output, "Error: " + output
    lines = output.split("\n")
    match tool:
        case "Read":
            numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
            held = {"filePath": given["file_path"], "content": output, "numLines": len(lines)}
            return numbered, {"type": "text", "file": held | {"startLine": 1, "totalLines": len(lines)}}
        case "Edit":
            said = f"The file {given['file_path']} has been updated successfully."
            copy = {"filePath": given["file_path"], "oldString": given["old_string"]}
            return said, copy | {"newString": given["new_string"], "replaceAll": False}
        case "Grep":
            return output, {"mode": "content", "content": output, "numLines": len(lines)}
        case _:
            return output, {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}


def _ask(rows: _Rows, agent_type: str, description: str, prompt: str, told: list[Any]) -> None:
    """Append a subagent's launch and, when it is done, the notification with its report."""
    agent_id = "a" + rows.id("agent").replace("-", "")[:16]
    launched = f"Async agent launched successfully.\nagentId: {agent_id}"
    copy = {"isAsync": True, "status": "async_launched", "agentId": agent_id, "description": description}
    given = {"description": description, "prompt": prompt, "subagent_type": agent_type}
    call_id = _call(rows, "Agent", given, ([{"type": "text", "text": launched}], copy), failed=False)

    child = _Rows(agent_id, rows.envelope, rows.now, {"isSidechain": True, "agentId": agent_id})
    _play(child, [["user", prompt], *told])
    meta = {"agentType": agent_type, "description": description, "toolUseId": call_id}
    rows.children.append((agent_id, meta | {"spawnDepth": 1, "model": _MODEL, "finished": True}, child))

    rows.now = child.now
    report = (
        f"<task-notification>\n<task-id>{agent_id}</task-id>\n<tool-use-id>{call_id}</tool-use-id>\n"
        f'<status>completed</status>\n<summary>Agent "{description}" finished</summary>\n'
        f"<result>{told[-1][1]}</result>\n</task-notification>"
    )
    source = {"origin": {"kind": "task-notification"}, "promptSource": "system"}
    rows.add("user", "report", message={"role": "user", "content": report}, **source)
