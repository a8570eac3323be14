"""Homes for counting: in the three shapes of the generator of the benchmarks, and a richer one."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Row = dict[str, Any]

# Sessions begin shortly before a midnight: of UTC, of Tokyo (15:00 UTC), of Los Angeles (07:00 UTC, and 08:00 when
# its summer time has ended, which it does on 2026-11-01).
BEGINNINGS = (
    "2026-05-01T23:59:10",
    "2026-05-02T14:59:10",
    "2026-05-03T06:59:10",
    "2026-10-31T06:59:10",
    "2026-11-02T07:30:00",
    "2026-12-31T07:59:10",
)
TICK_S = 17


def uuid(number: int) -> str:
    return str(UUID(int=number, version=4))


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def iso(one: datetime) -> str:
    return one.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def write(path: Path, rows: Iterable[Row], changed: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    if changed:
        seconds = moment(changed).timestamp()
        os.utime(path, (seconds, seconds))


# -- the shapes of the generator ----------------------------------------------------------------------------------


def claude_home(home: Path) -> None:
    for number, begins in enumerate(BEGINNINGS):
        native, cwd, rows = uuid(number + 1), f"/home/dev/proj-{number % 2}", list[Row]()

        def add(kind: str, message: Row, begins: str = begins, rows: list[Row] = rows, **more: Any) -> None:
            when = moment(begins) + timedelta(seconds=len(rows) * TICK_S)
            more |= {"type": kind, "message": message, "uuid": f"{begins}-{len(rows)}", "timestamp": iso(when)}
            rows.append({"parentUuid": None, "isSidechain": False, "version": "2.1.30", "gitBranch": "main", **more})

        for turn in range(2 + number % 2):
            add("user", {"role": "user", "content": f"問題 {turn} of {begins}"}, cwd=cwd, sessionId=native)
            call = f"toolu_{number}_{turn}"
            content: list[Row] = [
                {"type": "thinking", "thinking": f"thought {turn}", "signature": "s" * 200},
                {"type": "text", "text": f"回答 {turn} before the call"},
                {"type": "tool_use", "id": call, "name": ("Bash", "Read", "Edit")[turn], "input": {"command": "ls"}},
            ]
            message = {"id": f"msg_{call}", "role": "assistant", "model": "claude-opus-4-6", "content": content}
            add("assistant", message, cwd=cwd, sessionId=native)
            result = [{"type": "tool_result", "tool_use_id": call, "content": f"output {turn}"}]
            more: Row = {"cwd": cwd, "sessionId": native, "toolUseResult": {"stdout": f"output {turn}"}}
            add("user", {"role": "user", "content": result}, **more)
            progress = {"type": "progress", "data": {"type": "bash_progress", "output": f"output {turn}"}}
            rows.append({**progress, "sessionId": native, "timestamp": iso(moment(begins)), "uuid": f"p-{call}"})
            image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
            add("user", {"role": "user", "content": [image]}, cwd=cwd, sessionId=native)
        last = {"id": f"msg_last_{number}", "role": "assistant", "model": "claude-opus-4-6"}
        add("assistant", {**last, "content": [{"type": "text", "text": "終わり"}]}, cwd=cwd, sessionId=native)
        write(home / f".claude/projects/-home-dev-proj-{number % 2}/{native}.jsonl", rows)


def codex_home(home: Path) -> None:
    for number, begins in enumerate(BEGINNINGS):
        native, cwd, records = uuid(number + 0x100), f"/home/dev/cx{number % 2}", list[Row]()

        def row(outer: str, begins: str = begins, rows: list[Row] = records, /, **payload: Any) -> None:
            ticks = sum(one["type"] != "event_msg" for one in rows) - (outer == "event_msg")  # at once with its item
            when = moment(begins) + timedelta(seconds=ticks * TICK_S)
            rows.append({"timestamp": iso(when), "type": outer, "payload": payload})

        meta = {"id": native, "timestamp": iso(moment(begins)), "cwd": cwd, "originator": "codex_cli_rs"}
        row("session_meta", **meta, cli_version="0.99.0", source="cli")
        row("turn_context", cwd=cwd, model="gpt-5.6")
        for turn in range(2 + number % 2):
            said, call = {"role": "user", "content": [{"type": "input_text", "text": f"go on {turn}"}]}, f"c{turn}"
            row("response_item", type="message", **said)
            row("event_msg", type="user_message", message=f"go on {turn}")
            row("response_item", type="function_call", name="shell", arguments='{"command": ["ls"]}', call_id=call)
            row("response_item", type="function_call_output", call_id=call, output=f"output {turn}")
            answer = [{"type": "output_text", "text": "同じ回答"}]
            row("response_item", type="message", role="assistant", content=answer)
            row("event_msg", type="agent_message", message="同じ回答")
        name = begins.replace(":", "-")
        write(home / f".codex/sessions/{begins[:10].replace('-', '/')}/rollout-{name}-{native}.jsonl", records)


def pi_home(home: Path) -> None:
    for number, begins in enumerate(BEGINNINGS):
        native, start = uuid(number + 0x200), moment(begins)
        rows: list[Row] = [
            {"type": "session", "version": 3, "id": native, "timestamp": iso(start), "cwd": f"/home/dev/pi{number % 2}"}
        ]
        for place in range(3 + number):
            role = "assistant" if place % 2 else "user"
            message = {"role": role, "content": [{"type": "text", "text": f"{role} {place}"}]}
            entry = {"type": "message", "id": f"{number:04x}{place:04x}", "parentId": None, "message": message}
            rows.append({**entry, "timestamp": iso(start + timedelta(seconds=place * TICK_S))})
        path = f"--home-dev-pi{number % 2}--/{begins.replace(':', '-')}-000Z_{native}.jsonl"
        write(home / ".pi/agent/sessions" / path, rows)


# -- the richer home ----------------------------------------------------------------------------------------------


class Diary:
    """Rows with the clock standing where it was put last; the day is the one before midnight in Tokyo."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.now = ""

    def at(self, time_of_day: str, day: str = "2026-05-01") -> None:
        self.now = f"{day}T{time_of_day}.000Z"


class ClaudeDiary(Diary):
    def __init__(self, native: str, cwd: str, **more: Any) -> None:
        super().__init__()
        self.native, self.more = native, {"sessionId": native, "cwd": cwd, "isSidechain": False, **more}

    def row(self, kind: str, **row: Any) -> None:
        place = {"parentUuid": None, "uuid": f"{self.native[-6:]}-{len(self.rows)}", "timestamp": self.now}
        self.rows.append({**place, "version": "2.1.104", **self.more, "type": kind, **row})

    def user(self, content: Any, **row: Any) -> None:
        self.row("user", message={"role": "user", "content": content}, **row)

    def result(self, call: str, content: Any) -> None:
        self.user([{"type": "tool_result", "tool_use_id": call, "content": content}])

    def answer(self, message: str, used: tuple[int, int, int, int], block: Row, model: str = "opus") -> None:
        """Write the row of one block of an answer; each repeats the usage of the whole."""
        names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        usage = dict(zip(names, used, strict=True))
        inner = {"id": message, "type": "message", "role": "assistant", "model": model}
        self.row("assistant", message={**inner, "content": [block], "usage": usage}, requestId=f"req_{message}")

    def hook(self, kind: str, name: str, content: Any) -> None:
        event = name.partition(":")[0]
        facts = {"type": kind, "hookName": name, "hookEvent": event, "toolUseID": "h", "content": content}
        self.row("attachment", attachment=facts)


def text(words: str) -> Row:
    return {"type": "text", "text": words}


def call(native: str, name: str, **inner: Any) -> Row:
    return {"type": "tool_use", "id": native, "name": name, "input": inner}


def write_claude(home: Path) -> None:
    main = ClaudeDiary(uuid(0xA1), "/w/alpha")
    main.at("14:58:00")
    main.hook("hook_success", "SessionStart:startup", "")  # what it gave stands in the next row
    main.hook("hook_additional_context", "SessionStart", ["remember the capybara"])
    main.user("the first prompt")
    main.hook("hook_success", "UserPromptSubmit", "printed by the hook")
    main.at("14:58:20")
    main.answer("msg_1", (10, 3, 100, 20), {"type": "thinking", "thinking": "hm", "signature": "s"})
    main.answer("msg_1", (10, 3, 100, 20), text("I look at it."))
    main.answer("msg_1", (10, 30, 100, 20), call("t1", "Bash", command="ls"))
    main.result("t1", "a.txt")
    main.at("14:59:00")
    main.answer("msg_2", (1, 5, 130, 0), {"type": "thinking", "thinking": "", "signature": "s"})
    main.answer("msg_2", (1, 5, 130, 0), call("t2", "Skill", skill="tidy"))
    main.answer("msg_2", (1, 5, 130, 0), call("t3", "Bash", command="true"))
    main.result("t2", "Launching skill: tidy")
    body = "Base directory for this skill: /w/alpha/.claude/skills/tidy\n\nTidy up."
    main.user([text(body)], isMeta=True, sourceToolUseID="t2")
    main.result("t3", "")
    main.at("15:00:30")  # the next day in Tokyo
    main.answer("msg_3", (2, 7, 140, 4), text("Tidied."))
    main.answer("msg_3", (2, 7, 140, 4), call("t4", "Agent", prompt="count them", subagent_type="general"))
    shared = len(main.rows)
    main.result("t4", [text("There are three.")])
    main.user("the second prompt")
    main.row("system", subtype="compact_boundary", content="Conversation compacted")
    begin = "This session is being continued from a previous conversation that ran out of context.\nAll was tidied."
    main.user(begin, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    folder = home / ".claude/projects/-w-alpha"
    write(folder / f"{main.native}.jsonl", main.rows, "2026-05-01T15:02:00")

    helper = ClaudeDiary(main.native, "/w/alpha", isSidechain=True, agentId="a1")
    helper.native = "helper"
    helper.at("15:00:40")
    helper.user("count them")
    helper.answer("msg_h1", (50, 6, 0, 60), call("th1", "Grep", pattern="x"), "haiku")
    helper.result("th1", "x\nx\nx")
    helper.answer("msg_h2", (70, 8, 0, 0), text("There are three."), "haiku")
    write(folder / main.native / "subagents" / "agent-a1.jsonl", helper.rows)

    fork = ClaudeDiary(uuid(0xA2), "/w/alpha")
    fork.rows = [{**row, "sessionId": fork.native} for row in main.rows[:shared]]
    fork.at("16:00:00", "2026-05-03")
    fork.user("a prompt in the fork")
    fork.answer("msg_4", (3, 9, 0, 0), text("Answered in the fork."), "sonnet")
    write(folder / f"{fork.native}.jsonl", fork.rows, "2026-05-03T16:00:00")  # newer: it is read first


class CodexDiary(Diary):
    def __init__(self, native: str, **meta: Any) -> None:
        super().__init__()
        self.native, self.meta = native, {"cwd": "/w/beta", "originator": "codex_exec", "source": "exec", **meta}
        self.total = dict.fromkeys(("input_tokens", "cached_input_tokens", "output_tokens", "total_tokens"), 0)

    def begin(self) -> None:
        self.row("session_meta", id=self.native, timestamp=self.now, **self.meta)

    def row(self, outer: str, /, **payload: Any) -> None:
        ordinal = {"ordinal": len(self.rows)} if "history_mode" in self.meta else {}
        self.rows.append({"timestamp": self.now, **ordinal, "type": outer, "payload": payload})

    def turn(self, native: str, model: str = "gpt-5.6") -> None:
        self.row("event_msg", type="task_started", turn_id=native, model_context_window=258400)
        self.row("turn_context", turn_id=native, cwd="/w/beta", model=model)

    def message(self, role: str, words: str, *kinds: str, **more: Any) -> None:
        passed = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}} if kinds else {}
        content = [{"type": "output_text" if role == "assistant" else "input_text", "text": words}]
        self.row("response_item", type="message", role=role, content=content, **passed, **more)

    def item(self, kind: str, **inner: Any) -> None:
        native = inner.pop("id", f"item{len(self.rows)}")
        item = {"type": kind, "id": native, **inner}
        self.row("event_msg", type="item_completed", thread_id=self.native, turn_id="r1", item=item)

    def shell(self, native: str, command: str, output: str) -> None:
        arguments = json.dumps({"cmd": command})
        self.row("response_item", type="function_call", name="exec_command", arguments=arguments, call_id=native)
        self.row("response_item", type="function_call_output", call_id=native, output=output)

    def spent(self, fresh: int, cached: int, output: int) -> dict[str, int]:
        numbers = (fresh + cached, cached, output, fresh + cached + output)
        last = dict(zip(self.total, numbers, strict=True))
        self.total = {name: self.total[name] + last[name] for name in last}
        return last

    def count(self, last: dict[str, int]) -> None:
        self.row("event_msg", type="token_count", info={"total_token_usage": self.total, "last_token_usage": last})

    def file(self, home: Path, day: str) -> Path:
        return home / f".codex/sessions/{day.replace('-', '/')}/rollout-{day}T12-00-00-{self.native}.jsonl"


def write_codex_legacy(home: Path) -> None:
    main = CodexDiary(uuid(0xB1), cli_version="0.140.0")
    main.at("14:57:00")
    main.begin()
    main.turn("turn-1")
    main.message("developer", "<permissions instructions>\nAll may be read.")
    main.message("user", "# AGENTS.md instructions for /w/beta\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>")
    for _ in range(2):  # said twice, and meant twice
        main.message("user", "yes")
        main.row("event_msg", type="user_message", message="yes", images=[], local_images=[])
    main.row("event_msg", type="token_count", info=None)
    main.row("event_msg", type="agent_reasoning", text="what to do")
    summary = [{"type": "summary_text", "text": "what to do"}]
    main.row("response_item", type="reasoning", summary=summary, content=None, encrypted_content="c2ln")
    main.row("event_msg", type="agent_message", message="I do it.")
    main.message("assistant", "I do it.")
    main.shell("call_1", "ls", "Process exited with code 0\nOutput:\na.txt")
    first = main.spent(900, 100, 10)
    main.count(first)
    main.count(first)  # said again before the next answer
    main.row("event_msg", type="agent_message", message="Done.")
    main.message("assistant", "Done.")
    main.count(main.spent(50, 1000, 5))
    shared = len(main.rows)
    copied = [{**row, "timestamp": "2026-05-03T16:10:00.000Z"} for row in main.rows]
    total = main.total
    main.at("15:03:00")  # the next day in Tokyo
    main.turn("turn-2", "gpt-5.7")
    main.message("user", "go on")
    main.row("event_msg", type="user_message", message="go on", images=[], local_images=[])
    main.row("event_msg", type="agent_message", message="Done.")
    main.message("assistant", "Done.")
    main.count(main.spent(60, 0, 6))
    write(main.file(home, "2026-05-01"), main.rows, "2026-05-01T15:03:00")

    fork = CodexDiary(uuid(0xB2), cli_version="0.140.0", forked_from_id=main.native)
    fork.at("16:10:00", "2026-05-03")
    fork.begin()
    fork.rows += copied[:shared]
    fork.total = total
    fork.turn("turn-3")
    fork.message("user", "yes")
    fork.row("event_msg", type="user_message", message="yes", images=[], local_images=[])
    fork.row("event_msg", type="agent_message", message="Done.")
    fork.message("assistant", "Done.")
    fork.count(fork.spent(70, 30, 7))
    write(fork.file(home, "2026-05-03"), fork.rows, "2026-05-03T16:10:00")


def write_codex_paginated(home: Path) -> None:
    one = CodexDiary(uuid(0xB3), cli_version="0.171.0", history_mode="paginated", cwd="/w/gamma")
    one.at("10:00:00")
    one.begin()
    one.turn("r1")
    one.message("developer", "remember the capybara", "hooks.additional_context")
    one.message("user", "use $weave 織る", "user.text")
    one.item("UserMessage", content=[{"type": "text", "text": "use $weave 織る", "text_elements": []}])
    skill = "<skill>\n<name>weave</name>\n<path>/s/weave/SKILL.md</path>\nWeave.\n</skill>"
    one.message("user", skill, "skills.selected_skill_instructions")
    one.item("Reasoning", id="rs_1", summary_text=["over and under"], raw_content=[])
    summary = [{"type": "summary_text", "text": "over and under"}]
    one.row("response_item", type="reasoning", id="rs_1", summary=summary, encrypted_content="c2ln")
    one.item("AgentMessage", id="msg_1", content=[{"type": "Text", "text": "織りました。"}])
    one.message("assistant", "織りました。", "unknown", id="msg_1")
    words = {"arguments": '{"query": "loom"}', "call_id": "call_m"}
    one.row("response_item", type="function_call", name="search_memory", namespace="mcp__mem", **words)
    used = {**one.spent(500, 300, 40), "cache_write_input_tokens": 25}
    one.row("token_usage_record", thread_id=one.native, turn_id="r1", response_id="resp_1", usage=used)
    result = {"content": [{"type": "text", "text": "a loom"}]}
    one.item("McpToolCall", id="call_m", server="mem", tool="search_memory", arguments={}, result=result)
    one.row("response_item", type="function_call_output", call_id="call_m", output="Wall time: 0.1\nOutput:\na loom")
    one.count(used)
    one.item("CommandExecution", command=["bash", "-lc", "pwd"], source="user_shell", aggregated_output="/w/gamma\n")
    bang = "<user_shell_command>\n<command>\npwd\n</command>\n<result>\nExit code: 0\nOutput:\n/w/gamma\n</result>"
    one.message("user", f"{bang}\n</user_shell_command>", "shell.user_command")
    write(one.file(home, "2026-05-01"), one.rows)

    source = {"subagent": {"thread_spawn": {"parent_thread_id": one.native, "depth": 1, "agent_nickname": "Kepler"}}}
    meta = {"history_mode": "paginated", "cwd": "/w/gamma", "source": source, "parent_thread_id": one.native}
    helper = CodexDiary(uuid(0xB4), cli_version="0.171.0", thread_source="subagent", **meta)
    helper.at("10:01:00")
    helper.begin()
    helper.turn("r1", "gpt-5.6-mini")
    helper.message("user", "count them", "user.text")
    helper.item("UserMessage", content=[{"type": "text", "text": "count them", "text_elements": []}])
    helper.item("AgentMessage", id="msg_2", content=[{"type": "Text", "text": "Three."}])
    helper.message("assistant", "Three.", "unknown", id="msg_2")
    used = helper.spent(80, 0, 8)
    helper.row("token_usage_record", thread_id=helper.native, turn_id="r1", response_id="resp_2", usage=used)
    helper.count(used)
    write(helper.file(home, "2026-05-01"), helper.rows)


class PiDiary(Diary):
    def begin(self, native: str, **more: Any) -> None:
        head = {"type": "session", "version": 3, "id": native, "timestamp": self.now, "cwd": "/w/delta"}
        self.rows.append({**head, **more})

    def entry(self, kind: str, **more: Any) -> None:
        native = f"{len(self.rows):04x}{len(self.now):04x}"
        self.rows.append({"type": kind, "id": native, "parentId": None, "timestamp": self.now, **more})

    def message(self, role: str, *content: Row, **more: Any) -> None:
        self.entry("message", message={"role": role, "content": list(content), **more})

    def answer(self, used: tuple[int, int, int, int], *content: Row) -> None:
        usage = dict(zip(("input", "output", "cacheRead", "cacheWrite"), used, strict=True))
        self.message("assistant", *content, provider="p", model="m", usage={**usage, "totalTokens": sum(used)})


def write_pi(home: Path) -> None:
    main = PiDiary()
    main.at("14:59:58")
    main.begin(uuid(0xC1))
    main.entry("model_change", provider="p", modelId="m")
    skill = '<skill name="prune" location="/s/prune/SKILL.md">\nReferences are relative to /s.\n\nPrune.\n</skill>'
    main.message("user", text(f"{skill}\n\nthe old trees"))
    main.entry("custom_message", customType="mem", content="remember the capybara", display=True)
    thought = {"type": "thinking", "thinking": "which ones", "thinkingSignature": "s"}
    action = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    main.answer((11, 12, 13, 14), thought, text("I prune."), action)
    main.at("15:00:01")  # the next day in Tokyo
    main.message("toolResult", text("oak"), toolCallId="c1", toolName="bash", isError=False)
    main.message("bashExecution", command="pwd", output="/w/delta\n", exitCode=0)
    usage = {"input": 1000, "output": 100, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1100}
    main.entry("compaction", summary="All was pruned.", firstKeptEntryId="0001", tokensBefore=9, usage=usage)
    folder = home / ".pi/agent/sessions/--w-delta--"
    name = f"2026-05-01T14-59-58-000Z_{uuid(0xC1)}.jsonl"
    write(folder / name, main.rows, "2026-05-01T15:00:01")

    fork = PiDiary()
    fork.at("16:20:00", "2026-05-03")
    fork.begin(uuid(0xC2), parentSession=f"/elsewhere/{name}")
    fork.rows += main.rows[1:]
    fork.message("user", text("and the young ones"))
    fork.answer((1, 2, 0, 0), text("Those stay."))
    write(folder / f"2026-05-03T16-20-00-000Z_{uuid(0xC2)}.jsonl", fork.rows, "2026-05-03T16:20:00")


GENERATED = (claude_home, codex_home, pi_home)
RICH = (write_claude, write_codex_legacy, write_codex_paginated, write_pi)
