"""Claude Code's transcripts: what each kind of row says, whose words they are, and where sessions lie."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harkback.errors import BadValue
from harkback.model import (
    ASSISTANT,
    CALLS,
    CONTEXT,
    LANES,
    OUTPUT,
    ROLES,
    SUMMARY,
    SYSTEM,
    TALK,
    THINKING,
    TOOL,
    USER,
    Checkpoint,
    Message,
    Part,
    Restart,
    Session,
    SessionTitle,
    Transcript,
)
from harkback.sources import SOURCES, source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.formats import logs
    from tests.formats.conftest import Project

    from harkback.model import Record
else:
    import logs

S = "11111111-1111-4111-8111-111111111111"
S2 = "22222222-2222-4222-8222-222222222222"
T = "2026-11-30T09:00:00.500Z"
T_MS = 1796029200500
CLAUDE = source("claude-code")


def user(content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": "u1",
        "timestamp": T,
        "sessionId": S,
        "message": {"content": content},
        **more,
    }


def assistant(*blocks: Any, **more: Any) -> dict[str, Any]:
    message = {"id": "m1", "model": "claude-x", "content": list(blocks)}
    return {"type": "assistant", "uuid": "a1", "timestamp": T, "sessionId": S, "message": message, **more}


def attachment(kind: str, more: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "type": "attachment",
        "uuid": "t1",
        "timestamp": T,
        "attachment": {"type": kind, **fields},
        **(more or {}),
    }


def system(subtype: str, content: str) -> dict[str, Any]:
    return {"type": "system", "uuid": "s1", "timestamp": T, "subtype": subtype, "content": content}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def use(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}


def result(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, **more}


IMAGE = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo="}}
SUMMARY_TEXT = "This session is being continued from a previous conversation that ran out of context. 摘要"


Said = list[tuple[int, int, str]]

# name, row, what it says: (role, lane, text) of every part
ROWS: list[tuple[str, dict[str, Any], Said]] = [
    ("prompt", user("第一個問題"), [(USER, TALK, "第一個問題")]),
    ("prompt as blocks", user([text("one"), text("two")]), [(USER, TALK, "one\n\ntwo")]),
    ("typed", user("x", origin={"kind": "human"}, promptSource="typed"), [(USER, TALK, "x")]),
    ("print mode", user("x", promptSource="sdk", turnOrigin="sdk"), [(USER, TALK, "x")]),
    ("picture with words", user([text("看圖"), IMAGE]), [(USER, TALK, "看圖")]),
    ("picture alone", user([IMAGE]), []),
    ("blank", user(" \n"), []),
    ("no content", {"type": "user", "uuid": "u1"}, []),
    (
        "pasted text is the person's",
        user('look: <pasted_content id="1">貼上的日誌</pasted_content>'),
        [(USER, TALK, "look: 貼上的日誌")],
    ),
    ("a terminal's colours", user("\x1b[31mred\x1b[0m\0"), [(USER, TALK, "red")]),
    ("markup of one's own", user("why <b>this</b>?"), [(USER, TALK, "why <b>this</b>?")]),
    (
        "slash command",
        user("<command-name>/x</command-name>\n <command-message>x</command-message><command-args>a b</command-args>"),
        [(USER, TALK, "/x a b")],
    ),
    (
        "slash command in the other order",
        user("<command-message>p:recall</command-message>\n<command-name>/p:recall</command-name>"),
        [(USER, TALK, "/p:recall")],
    ),
    ("shell command", user("<bash-input>ls -l</bash-input>"), [(USER, TALK, "! ls -l")]),
    (
        "its output",
        user("<bash-stdout>a.txt</bash-stdout><bash-stderr>no b</bash-stderr>"),
        [(TOOL, OUTPUT, "a.txt"), (TOOL, OUTPUT, "no b")],
    ),
    (
        "a command's output",
        user("<local-command-stdout>Compacted</local-command-stdout>"),
        [(TOOL, OUTPUT, "Compacted")],
    ),
    ("no output", user("<local-command-stdout></local-command-stdout>"), []),
    ("a tag in a question", user("what is <bash-input>?"), [(USER, TALK, "what is <bash-input>?")]),
    ("interrupted", user([text("[Request interrupted by user for tool use]")]), []),
    (
        "talk about interrupting",
        user("[Request interrupted by user] appears in the log again and again, what does it mean here?"),
        [
            (
                USER,
                TALK,
                "[Request interrupted by user] appears in the log again and again, what does it mean here?",
            )
        ],
    ),
    (
        "reminder beside a prompt",
        user("fix it\n<system-reminder>\nbe kind\n</system-reminder>"),
        [(USER, TALK, "fix it"), (USER, CONTEXT, "be kind")],
    ),
    (
        "reminder in a block of its own",
        user([text("<system-reminder>be kind</system-reminder>"), text("fix it")]),
        [(USER, TALK, "fix it"), (USER, CONTEXT, "be kind")],
    ),
    (
        "reminder inside a reminder",
        user("a<system-reminder>b<system-reminder>c</system-reminder>d</system-reminder>e"),
        [(USER, TALK, "ae"), (USER, CONTEXT, "b<system-reminder>c</system-reminder>d")],
    ),
    (
        "a tag that is never closed is talked about",
        user("what does <system-reminder> do? <system-reminder>be kind</system-reminder>"),
        [(USER, TALK, "what does <system-reminder> do?"), (USER, CONTEXT, "be kind")],
    ),
    (
        "our own frame",
        user('go on <harkback source="x">recalled</harkback>'),
        [(USER, TALK, "go on"), (USER, CONTEXT, "recalled")],
    ),
    (
        "what the editor adds",
        user("<ide_opened_file>The user opened a.py</ide_opened_file>explain"),
        [(USER, TALK, "explain"), (USER, CONTEXT, "The user opened a.py")],
    ),
    (
        "hook output of old versions",
        user("<user-prompt-submit-hook>injected</user-prompt-submit-hook>", isVisibleInTranscriptOnly=True),
        [(SYSTEM, CONTEXT, "<user-prompt-submit-hook>injected</user-prompt-submit-hook>")],
    ),
    (
        "hook output without a flag",
        user("<session-start-hook>injected</session-start-hook>"),
        [(SYSTEM, CONTEXT, "injected")],
    ),
    ("meta", user("harness text", isMeta=True), [(SYSTEM, CONTEXT, "harness text")]),
    ("companion", user("harness text", turnCompanion=True), [(SYSTEM, CONTEXT, "harness text")]),
    ("by the harness", user("harness text", rowSource="harness"), [(SYSTEM, CONTEXT, "harness text")]),
    ("by the system", user("harness text", promptSource="system"), [(SYSTEM, CONTEXT, "harness text")]),
    ("a skill's body", user("body", sourceToolUseID="toolu_1"), [(SYSTEM, CONTEXT, "body")]),
    (
        "a notification",
        user("agent done", origin={"kind": "task-notification"}),
        [(SYSTEM, CONTEXT, "agent done")],
    ),
    (
        "a notification without flags",
        user("<task-notification><task-id>1</task-id> done</task-notification>"),
        [(SYSTEM, CONTEXT, "<task-id>1</task-id> done")],
    ),
    (
        "a teammate",
        user('<teammate-message teammate_id="b">done</teammate-message>'),
        [(SYSTEM, CONTEXT, "done")],
    ),
    (
        "a skill without flags",
        user("Base directory for this skill: /s\n\nbody"),
        [(SYSTEM, CONTEXT, "Base directory for this skill: /s\n\nbody")],
    ),
    (
        "the caveat of old versions",
        user("Caveat: The messages below were generated by the user while running local commands. DO NOT"),
        [
            (
                SYSTEM,
                CONTEXT,
                "Caveat: The messages below were generated by the user while running local commands. DO NOT",
            )
        ],
    ),
    ("where a picture lies", user("[Image: source: /p.png]"), [(SYSTEM, CONTEXT, "[Image: source: /p.png]")]),
    ("a compaction", user(SUMMARY_TEXT, isCompactSummary=True), [(SYSTEM, SUMMARY, SUMMARY_TEXT)]),
    ("a compaction without flags", user(SUMMARY_TEXT), [(SYSTEM, SUMMARY, SUMMARY_TEXT)]),
    ("a subagent's task inline", user("do it", isSidechain=True), [(ASSISTANT, TALK, "do it")]),
    ("a warm-up", user("Warmup", isSidechain=True), [(SYSTEM, CONTEXT, "Warmup")]),
    ("a person saying so", user("Warmup"), [(USER, TALK, "Warmup")]),
    ("a result", user([result("hi")]), [(TOOL, OUTPUT, "hi")]),
    ("a result in blocks", user([result([text("a"), IMAGE, text("b")])]), [(TOOL, OUTPUT, "a\n\nb")]),
    ("an empty result", user([result("")]), []),
    ("a result without text", user([result([{"type": "tool_reference", "tool_name": "x"}])]), []),
    ("a failure", user([result("Exit code 3\nboom", is_error=True)]), [(TOOL, OUTPUT, "Exit code 3\nboom")]),
    (
        "the copy is left alone",
        user([result("hi")], toolUseResult={"stdout": "other"}),
        [(TOOL, OUTPUT, "hi")],
    ),
    (
        "a reminder in a result",
        user([result("data\n<system-reminder>be kind</system-reminder>")]),
        [(TOOL, OUTPUT, "data"), (TOOL, CONTEXT, "be kind")],
    ),
    (
        "our frame in a result",
        user([result("<harkback>recalled</harkback>")]),
        [(SYSTEM, CONTEXT, "recalled")],
    ),
    (
        "a refusal with a reason",
        user([result("rejected"), text("use the other file")]),
        [(USER, TALK, "use the other file"), (USER, OUTPUT, "rejected")],
    ),
    ("reply", assistant(text("回答")), [(ASSISTANT, TALK, "回答")]),
    ("reply as a string", assistant(message={"content": "ok"}), [(ASSISTANT, TALK, "ok")]),
    (
        "reply that quotes our frame",
        assistant(text("see <harkback>recalled</harkback> above")),
        [(ASSISTANT, TALK, "see  above"), (ASSISTANT, CONTEXT, "recalled")],
    ),
    ("thinking", assistant({"type": "thinking", "thinking": "考える"}), [(ASSISTANT, THINKING, "考える")]),
    ("hidden thinking", assistant({"type": "thinking", "thinking": "", "signature": "s"}), []),
    ("redacted thinking", assistant({"type": "redacted_thinking", "data": "abc"}), []),
    (
        "an API error",
        assistant(text("API Error: 529"), isApiErrorMessage=True),
        [(SYSTEM, CONTEXT, "API Error: 529")],
    ),
    (
        "made up by the client",
        assistant(message={"model": "<synthetic>", "content": [text("limit reached")]}),
        [(SYSTEM, CONTEXT, "limit reached")],
    ),
    (
        "nothing to say",
        assistant(message={"model": "<synthetic>", "content": [text("No response requested.")]}),
        [],
    ),
    (
        "several blocks in one row",
        assistant({"type": "thinking", "thinking": "t"}, text("say"), use("Bash", command="ls")),
        [(ASSISTANT, THINKING, "t"), (ASSISTANT, TALK, "say"), (ASSISTANT, CALLS, "Bash ls")],
    ),
    (
        "queued while the agent worked",
        attachment("queued_command", prompt="途中の指示", origin={"kind": "human"}, humanTurn=True),
        [(USER, TALK, "途中の指示")],
    ),
    ("queued, older", attachment("queued_command", prompt=[text("also this")]), [(USER, TALK, "also this")]),
    ("queued shell", attachment("queued_command", prompt="ls", commandMode="bash"), [(USER, TALK, "! ls")]),
    (
        "queued notification",
        attachment("queued_command", prompt="agent done", origin={"kind": "task-notification"}),
        [(SYSTEM, CONTEXT, "agent done")],
    ),
    (
        "queued notification, older",
        attachment("queued_command", prompt="agent done", commandMode="task-notification"),
        [(SYSTEM, CONTEXT, "agent done")],
    ),
    (
        "hook context",
        attachment("hook_additional_context", content=["one", "two"]),
        [(SYSTEM, CONTEXT, "one\ntwo")],
    ),
    ("hook text", attachment("hook_success", content="", stdout="plain\n"), [(SYSTEM, CONTEXT, "plain")]),
    ("hook JSON", attachment("hook_success", content="", stdout='{"hookSpecificOutput":{}}'), []),
    ("hook message", attachment("hook_system_message", content="told"), [(SYSTEM, CONTEXT, "told")]),
    (
        "hook failure",
        attachment("hook_non_blocking_error", stderr="boom", stdout="", command="x"),
        [(SYSTEM, CONTEXT, "boom")],
    ),
    ("hook cancelled", attachment("hook_cancelled", command="x"), []),
    (
        "instructions",
        attachment("instructions", files=[{"path": "/w/AGENTS.md", "type": "Project", "content": "用繁體"}]),
        [(SYSTEM, CONTEXT, "/w/AGENTS.md\n用繁體")],
    ),
    (
        "a memory file",
        attachment("nested_memory", path="/w/CLAUDE.md", content={"path": "/w/CLAUDE.md", "content": "rule"}),
        [(SYSTEM, CONTEXT, "/w/CLAUDE.md\n/w/CLAUDE.md\nrule")],
    ),
    (
        "a mentioned file",
        attachment("file", filename="/w/a.txt", content={"type": "text", "file": {"filePath": "a", "content": "α"}}),
        [(SYSTEM, CONTEXT, "/w/a.txt\nα")],
    ),
    (
        "a mentioned picture",
        attachment("file", filename="/w/a.png", content={"type": "image", "file": {"content": "iVBOR"}}),
        [(SYSTEM, CONTEXT, "/w/a.png")],
    ),
    (
        "a file edited meanwhile",
        attachment("edited_text_file", filename="/w/a.txt", snippet="1 b"),
        [(SYSTEM, CONTEXT, "/w/a.txt\n1 b")],
    ),
    (
        "invoked skills",
        attachment("invoked_skills", skills=[{"name": "pdf", "path": "/s", "content": "body"}]),
        [(SYSTEM, CONTEXT, "pdf\n/s\nbody")],
    ),
    (
        "a server's instructions",
        attachment("mcp_instructions_delta", addedNames=["m"], addedBlocks=["## m\nsearch"]),
        [(SYSTEM, CONTEXT, "## m\nsearch")],
    ),
    ("an unknown attachment with text", attachment("new_thing", text="words"), [(SYSTEM, CONTEXT, "words")]),
    ("an unknown attachment without", attachment("new_thing", content={"a": "b"}), []),
    ("the environment", attachment("environment", snapshot={"workingDirectory": "/w"}), []),
    ("the model", attachment("model", text="You are powered by"), []),
    ("the skills there are", attachment("skill_listing", content="- dataviz: …"), []),
    ("the tokens left", attachment("total_tokens_reminder", text="<total_tokens>1</total_tokens>"), []),
    ("the system prompt", attachment("prompt_snapshot", systemPrompt=["x"]), []),
    ("the to-do list again", attachment("task_reminder", content="…"), []),
    ("while you were away", system("away_summary", "三件事"), [(SYSTEM, SUMMARY, "三件事")]),
    (
        "a local command",
        system("local_command", "<command-name>/model</command-name><command-args>opus</command-args>"),
        [(USER, TALK, "/model opus")],
    ),
    (
        "a local command's output",
        system("local_command", "<local-command-stdout>Set model</local-command-stdout>"),
        [(TOOL, OUTPUT, "Set model")],
    ),
    (
        "a prompt that a hook refused",
        system("informational", "blocked by hook:\nreason\n\nOriginal prompt: hello"),
        [(SYSTEM, CONTEXT, "blocked by hook:\nreason\n\nOriginal prompt: hello")],
    ),
    ("a notice", system("informational", "UserPromptSubmit says: x"), []),
    ("a compaction's border", system("compact_boundary", "Conversation compacted"), []),
    ("an API retry", system("api_error", "529"), []),
    ("progress", {"type": "progress", "data": {"message": {"content": "copy"}}, "timestamp": T}, []),
    ("queue", {"type": "queue-operation", "operation": "enqueue", "content": "copy", "timestamp": T}, []),
    ("request log", {"type": "api-request-blob", "message": {"role": "user", "content": "copy"}}, []),
    ("last prompt", {"type": "last-prompt", "lastPrompt": "copy"}, []),
    ("file history", {"type": "file-history-snapshot", "snapshot": {"x": "y"}}, []),
    ("an unknown type", {"type": "brand-new", "x": "y"}, []),
    (
        "an unknown type that speaks",
        {"type": "brand-new", "uuid": "n1", "message": {"content": [text("words")]}},
        [(SYSTEM, CONTEXT, "words")],
    ),
    ("no type", {"message": {"content": "words"}}, [(SYSTEM, CONTEXT, "words")]),
]


@pytest.mark.parametrize(("name", "row", "said"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_says_what_was_said_and_who_said_it(project: Project, name: str, row: dict[str, Any], said: Said) -> None:
    del name
    found = [
        (ROLES[message.role], LANES[part.lane], part.text) for message in project.say(row) for part in message.parts
    ]
    assert found == [(ROLES[role], LANES[lane], words) for role, lane, words in said]


# arguments of a call, its searchable text, the files it names
CALLED: list[tuple[str, dict[str, Any], str, tuple[str, ...]]] = [
    ("Bash", {"command": "ls -l", "description": "List", "timeout": 5}, "Bash ls -l\nList", ()),
    ("Read", {"file_path": "/w/a.ts", "limit": 10}, "Read /w/a.ts", ("/w/a.ts",)),
    (
        "NotebookEdit",
        {"notebook_path": "/w/a.ipynb", "new_source": "x"},
        "NotebookEdit /w/a.ipynb\nx",
        ("/w/a.ipynb",),
    ),
    ("Grep", {"pattern": "foo.*", "path": "/w", "output_mode": "content"}, "Grep /w\nfoo.*", ("/w",)),
    ("Glob", {"pattern": "**/*.ts"}, "Glob **/*.ts", ()),
    ("WebFetch", {"url": "https://a.b/c", "prompt": "說明"}, "WebFetch https://a.b/c\n說明", ()),
    ("WebSearch", {"query": "形態素解析"}, "WebSearch 形態素解析", ()),
    ("Skill", {"skill": "pdf", "args": "a.pdf"}, "Skill pdf\na.pdf", ()),
    (
        "Edit",
        {"file_path": "/w/a", "old_string": "1\n2\n3\n4", "new_string": "５", "replace_all": False},
        "Edit /w/a\n1\n2\n3\n５",
        ("/w/a",),
    ),
    ("Write", {"file_path": "/w/a", "content": "1\n2\n3\n4"}, "Write /w/a\n1\n2\n3", ("/w/a",)),
    (
        "MultiEdit",
        {"file_path": "/w/a", "edits": [{"old_string": "a", "new_string": "b"}]},
        "MultiEdit /w/a\na\nb",
        ("/w/a",),
    ),
    (
        "TodoWrite",
        {"todos": [{"content": "first", "status": "pending"}, {"content": "第二"}]},
        "TodoWrite first\n第二",
        (),
    ),
    (
        "Agent",
        {"description": "Count", "prompt": "x" * 300, "subagent_type": "general"},
        "Agent general\nCount\n" + "x" * 200,
        (),
    ),
    ("WebFetch", {"url": "u", "prompt": "x" * 5000}, "WebFetch u\n" + "x" * 4000, ()),
    ("Bash", {"command": "x" * 3000}, "Bash " + "x" * 2000, ()),
    (
        "mcp__mem__search",
        {"query": "向量", "limit": 3, "tags": ["a", "b"], "deep": {"note": "c"}},
        "mcp__mem__search 向量\na\nb\nc",
        (),
    ),
    (
        "AskUserQuestion",
        {"questions": [{"question": "哪個?", "options": [{"label": "A"}]}]},
        "AskUserQuestion 哪個?\nA",
        (),
    ),
    ("mcp__mem__save", {"body": "x" * 900}, "mcp__mem__save " + "x" * 500, ()),
]


@pytest.mark.parametrize(("tool", "arguments", "words", "files"), CALLED)
def test_a_call_is_found_by_its_telling_arguments(
    project: Project, tool: str, arguments: dict[str, Any], words: str, files: tuple[str, ...]
) -> None:
    (message,) = project.say(assistant(use(tool, **arguments)))
    assert message.parts == (Part(CALLS, words, tool, files),)


def test_only_the_type_of_the_row_itself_makes_it_progress(project: Project) -> None:
    inner = use("Note", type="progress", attachment={"type": "prompt_snapshot"}, note="x" * 400)
    nested = use("Note", row={"attachment": {"type": "prompt_snapshot"}}, note="x" * 400)
    for separators in ((",", ":"), (", ", ": ")):
        for row, said in (
            (assistant(inner), 1),
            (assistant(nested), 1),
            ({"cwd": "/w", **assistant(inner), "type": "progress"}, 0),
            (attachment("prompt_snapshot", text="x" * 400), 0),
        ):
            assert len(project.say(json.dumps(row, separators=separators).encode() + b"\n")) == said


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("TaskList", {}), ("BashOutput", {"bash_id": "b1"}), ("X", {"n": 1}), ("X", "text")],
)
def test_a_call_without_telling_arguments_says_nothing(project: Project, tool: str, arguments: Any) -> None:
    assert project.say(assistant({"type": "tool_use", "id": "t", "name": tool, "input": arguments})) == []


def test_a_result_carries_the_name_of_its_tool(project: Project) -> None:
    messages = project.say(assistant(use("Read", file_path="/a")), user([result("text")]), user([result("again")]))
    assert [part.tool for message in messages for part in message.parts] == ["Read", "Read", ""]


def test_a_long_result_keeps_its_head_its_tail_and_its_errors(project: Project) -> None:
    output = "first\n" + "line of no interest\n" * 3000 + "TypeError: x\n" + "no interest\n" * 100 + "last"
    (message,) = project.say(user([result(output)]))
    words = message.parts[0].text
    assert words.startswith("first\nline")
    assert "TypeError: x" in words
    assert words.endswith("last")
    assert len(words) < 5000


def test_a_picture_in_a_long_result_does_not_take_the_place_of_its_words(project: Project) -> None:
    blob = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2" * 400
    (message,) = project.say(user([result(f"data:image/png;base64,{blob}\nthe picture shows a cat")]))
    assert "the picture shows a cat" in message.parts[0].text
    assert len(message.parts[0].text) < 100


def test_an_injected_text_is_bounded(project: Project) -> None:
    (message,) = project.say(user("字" * 30_000, isMeta=True))
    assert message.parts[0].text == "字" * 20_000


def test_a_mentioned_file_is_named(project: Project) -> None:
    (message,) = project.say(attachment("edited_text_file", filename="/w/a.txt", snippet="b"))
    assert message.parts[0].files == ("/w/a.txt",)


def test_a_message_knows_its_place_time_model_and_branch(project: Project) -> None:
    prompt, reply = project.say(user("一"), assistant(text("二"), gitBranch="main"))
    first_line = len(json.dumps(user("一"), ensure_ascii=False).encode())
    assert (prompt.key, prompt.offset, prompt.length) == ("u1", 0, first_line)
    assert (reply.key, reply.offset) == ("a1", first_line + 1)
    assert (prompt.time_ms, prompt.model, prompt.branch) == (T_MS, "", "")
    assert (reply.time_ms, reply.model, reply.branch) == (T_MS, "claude-x", "main")


def test_a_row_without_uuid_is_known_by_its_place(project: Project) -> None:
    (message,) = project.say({"type": "user", "message": {"content": "x"}})
    assert message.key == f"{S}:0"


@pytest.mark.parametrize(
    ("written", "time_ms"),
    [
        (T, T_MS),
        ("2026-11-30T18:00:00.5+09:00", T_MS),
        ("2026-11-30T09:00:00", 1796029200000),
        (1796029200500, T_MS),
        (1796029200.5, T_MS),
        ("yesterday", None),
        (None, None),
        ([], None),
        (-5, None),
    ],
)
def test_times_come_in_three_kinds(project: Project, written: Any, time_ms: int | None) -> None:
    (message,) = project.say(user("x", timestamp=written))
    assert message.time_ms == time_ms


def test_copies_share_a_key_and_other_messages_do_not(project: Project) -> None:
    # What a fork rewrites: session and prompt id; what 1.0.98 rewrote: the time and the form of the content.
    reply, again = project.say(assistant(text("二")), assistant(text("二"), uuid="a2", sessionId=S2))
    assert reply.copy_key == again.copy_key
    assert reply.copy_key.startswith("m1:")
    call, output = project.say(assistant(use("Bash", command="ls")), user([result("x")]))
    assert (call.copy_key, output.copy_key) == ("m1:toolu_1", "toolu_1:result")
    first, later, other = project.say(
        user("yes"), user("yes", uuid="u2", timestamp="2026-11-30T09:00:01Z"), user([text("yes")], uuid="u3")
    )
    assert first.copy_key == other.copy_key != later.copy_key
    assert first.copy_key.startswith("1796029200500:")
    (context,) = project.say(user("x", isMeta=True))
    assert context.copy_key == ""


# rows, prompts: a queued message that also stands as a user row is said once
ONCE: list[tuple[str, list[dict[str, Any]], list[str]]] = [
    (
        "same time",
        [user("go", uuid="u9"), attachment("queued_command", prompt="go", timestamp=T)],
        ["go"],
    ),
    (
        "same uuid",
        [attachment("queued_command", prompt="go", source_uuid="u9"), user("go", uuid="u9", timestamp="")],
        ["go"],
    ),
    (
        "same prompt id",
        [
            user("go", promptId="P", timestamp=""),
            attachment("queued_command", {"promptId": "P", "timestamp": ""}, prompt="go"),
        ],
        ["go"],
    ),
    (
        "another text",
        [user("go", promptId="P"), attachment("queued_command", {"promptId": "P"}, prompt="stop")],
        ["go", "stop"],
    ),
    (
        "said again later",
        [user("go"), attachment("queued_command", {"timestamp": "2026-11-30T10:00:00Z"}, prompt="go")],
        ["go", "go"],
    ),
    ("typed twice", [user("yes", promptId="P"), user("yes", uuid="u2", promptId="P")], ["yes", "yes"]),
]


@pytest.mark.parametrize(("name", "rows", "prompts"), ONCE, ids=[one[0] for one in ONCE])
def test_a_queued_message_is_said_once(
    project: Project, name: str, rows: list[dict[str, Any]], prompts: list[str]
) -> None:
    del name
    assert [part.text for message in project.say(*rows) for part in message.parts] == prompts


def test_only_the_answers_to_a_warm_up_are_empty_too(project: Project) -> None:
    def aside(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "isSidechain": True}

    messages = project.say(
        aside(user("Warmup")),
        aside(assistant(text("ready"))),
        assistant(text("main answer")),
        aside(user("task")),
        aside(assistant(text("answer"))),
    )
    assert [LANES[part.lane] for message in messages for part in message.parts] == [
        "context",
        "context",
        "talk",
        "talk",
        "talk",
    ]


# rows, title, rank
TITLES: list[tuple[str, list[dict[str, Any]], str, int]] = [
    ("none", [], "", 0),
    ("first prompt", [user("one\ntwo"), user("three")], "one", 0),
    ("at most 80 characters", [user("字" * 100)], "字" * 80, 0),
    ("after a command", [user("<command-name>/clear</command-name>"), user("real")], "real", 0),
    ("only a command", [user("<command-name>/clear</command-name>")], "/clear", 0),
    ("a path is no command", [user("/w/a.py fails"), user("second")], "/w/a.py fails", 0),
    ("not what was injected", [user("reminder", isMeta=True), user("real")], "real", 0),
    ("not a subagent's task", [user("task", isSidechain=True), user("real")], "real", 0),
    ("the agent's own", [user("one"), {"type": "ai-title", "aiTitle": "自動"}], "自動", 2),
    (
        "the person's",
        [{"type": "custom-title", "customTitle": "我的"}, {"type": "ai-title", "title": "自動"}, user("one")],
        "我的",
        3,
    ),
    (
        "the last one",
        [{"type": "custom-title", "customTitle": "a"}, {"type": "custom-title", "customTitle": "b"}],
        "b",
        3,
    ),
]


@pytest.mark.parametrize(("name", "rows", "title", "rank"), TITLES, ids=[one[0] for one in TITLES])
def test_the_best_title_stands(project: Project, name: str, rows: list[dict[str, Any]], title: str, rank: int) -> None:
    del name
    session = project.session(*rows)
    assert (session.title, session.title_rank) == (title, rank)


def test_a_title_given_in_its_own_file_stands(project: Project) -> None:
    project.write(f"{S}/custom-title.json", b'{"customTitle":"\xe6\xa8\x99\xe9\xa1\x8c","by":"user"}')
    assert project.session(user("one")).title == "標題"
    project.write(f"{S}/custom-title.json", b"{broken")
    assert project.session(user("one")).title == "one"


def test_a_summary_row_titles_whichever_session_has_the_message(project: Project) -> None:
    project.write(f"{S}.jsonl", [{"type": "summary", "summary": "舊標題", "leafUuid": "x9"}, user("one")])
    records = project.records()
    assert SessionTitle("x9", "舊標題") in records
    assert [record.title for record in records if isinstance(record, Session)][-1] == "one"


def test_a_session_knows_its_place_and_its_span(project: Project) -> None:
    session = project.session(
        user("one", cwd="/w", gitBranch="main", version="2.1.1"),
        user("two", cwd="/w/sub", gitBranch="fix", version="2.1.2", timestamp="2026-11-30T10:00:00Z"),
        user("back", timestamp="2026-11-30T08:00:00Z", session_id=S2),
    )
    assert session == Session(
        "claude-code",
        S,
        "one",
        0,
        "/w",
        "/w/sub",
        "fix",
        1796025600000,
        1796032800000,
        version="2.1.2",
    )


def test_a_fork_names_its_parent(project: Project) -> None:
    forked = project.session(user("x", forkedFrom={"sessionId": S2, "messageUuid": "m"}))
    assert (forked.native, forked.parent, forked.relation) == (S, S2, "fork")
    handed_on = project.session(user("x", sessionId=S2), user("y"))
    assert (handed_on.native, handed_on.parent, handed_on.relation) == (S, S2, "fork")
    own = project.session(user("x"), user("y", sessionId=S2))
    assert (own.native, own.parent, own.relation) == (S, "", "")


SUBAGENTS = [
    f"{S}/subagents/agent-a1.jsonl",
    f"{S}/subagents/workflows/run1/agent-a1.jsonl",
    "agent-a1.jsonl",
]


@pytest.mark.parametrize("name", SUBAGENTS)
def test_a_subagent_is_a_session_below_its_parent(project: Project, name: str) -> None:
    rows = [
        user("count the files", isSidechain=True, agentId="a1"),
        assistant(text("three"), isSidechain=True),
        user("by hand", isSidechain=True, origin={"kind": "human"}),
    ]
    project.write(name, rows)
    records = project.records(name)
    session = records[-2]
    assert isinstance(session, Session)
    assert (session.native, session.parent, session.relation) == (f"{S}/a1", S, "subagent")
    assert (session.title, session.agent_type) == ("count the files", "")
    said = [(ROLES[record.role], record.parts[0].text) for record in records if isinstance(record, Message)]
    assert said == [("assistant", "count the files"), ("assistant", "three"), ("user", "by hand")]
    project.write(
        name.replace(".jsonl", ".meta.json"), b'{"agentType":"Explore","description":"Count","toolUseId":"t"}'
    )
    described = project.records(name)[-2]
    assert isinstance(described, Session)
    assert (described.title, described.title_rank, described.agent_type) == ("Count", 2, "Explore")


SPILL = (
    "<persisted-output>\nOutput too large (11KB). Full output saved to: {path}\n\n"
    "Preview (first 2KB):\nthe preview\n</persisted-output>"
)

# where the transcript says the output was saved, what of it is found
SPILLS = [
    ("/elsewhere/.claude/projects/-w/" + S + "/tool-results/b1.txt", "from the file"),
    ("C:\\Users\\a\\.claude\\projects\\-w\\" + S + "\\tool-results\\b1.txt", "from the file"),
    ("tool-results/gone.txt", "the preview"),
    ("/etc/../etc/secret.txt", "the preview"),
    ("..", "the preview"),
    ("tool-results/link.txt", "the preview"),
    ("x\0y", "the preview"),
]


@pytest.mark.parametrize(("path", "found"), SPILLS)
def test_a_long_output_is_read_from_its_own_file_and_from_nowhere_else(project: Project, path: str, found: str) -> None:
    project.write(f"{S}/tool-results/b1.txt", b"head\n" + b"x\n" * 99 + b"from the file\n")
    project.write("secret.txt", b"SECRET")
    if sys.platform != "win32":
        os.symlink(project.folder / "secret.txt", project.folder / S / "tool-results" / "link.txt")
    (message,) = project.say(user([result(SPILL.format(path=path))]))
    assert found in message.parts[0].text
    assert "SECRET" not in message.parts[0].text


def test_a_huge_spilled_output_is_read_at_both_ends(project: Project) -> None:
    data = b"first\n" + b"x y\n" * 100_000 + b"the end\n"
    project.write(f"{S}/subagents/../tool-results/b1.txt", data)
    project.write(f"{S}/subagents/agent-a1.jsonl", [user([result(SPILL.format(path="b1.txt"))])])
    (message,) = logs.gather(project.records(f"{S}/subagents/agent-a1.jsonl"))
    assert isinstance(message, Message)
    assert message.parts[0].text.startswith("first\n")
    assert message.parts[0].text.endswith("the end")


# Reading on


def test_an_empty_transcript_is_a_session_without_facts(project: Project) -> None:
    project.write(f"{S}.jsonl", b"")
    session, checkpoint = project.records()
    assert session == Session("claude-code", S)
    assert isinstance(checkpoint, Checkpoint)
    assert checkpoint.offset == 0


def test_only_what_was_appended_is_read(project: Project) -> None:
    path = project.write(f"{S}.jsonl", [user("one"), assistant(use("Bash", command="ls"))])
    checkpoint = project.records()[-1]
    assert isinstance(checkpoint, Checkpoint)
    assert checkpoint.offset == path.stat().st_size
    with path.open("ab") as file:
        file.write(json.dumps(user([result("a.txt")])).encode() + b"\n")
    *_, message, session, _ = project.records(checkpoint=checkpoint)
    assert isinstance(message, Message)
    assert message.parts == (Part(OUTPUT, "a.txt", "Bash"),)
    assert isinstance(session, Session)
    assert session.title == "one"


@pytest.mark.parametrize(("reason", "change"), logs.CHANGES)
def test_a_changed_transcript_is_read_again(project: Project, reason: str, change: Callable[[bytes], bytes]) -> None:
    path = project.write(f"{S}.jsonl", [user("one"), user("three")])
    checkpoint = logs.a_changed_transcript_is_read_again(path, project.records, reason, change)
    path.write_bytes(b"")
    assert project.records(checkpoint=checkpoint)[0] == Restart("truncated")


def test_a_checkpoint_of_another_kind_is_not_trusted(project: Project) -> None:
    project.write(f"{S}.jsonl", [user("one")])
    logs.a_checkpoint_of_another_kind_is_not_trusted(project.records)


def test_a_vanished_transcript_is_a_problem_and_the_checkpoint_stands(project: Project) -> None:
    project.write(f"{S}.jsonl", [user("one")])
    transcript = project.transcript()
    logs.a_vanished_transcript_is_a_problem_and_the_checkpoint_stands(transcript)
    _, fresh = CLAUDE.read(transcript, None)
    assert fresh == Checkpoint(0, "")


MIXED = b"".join(
    [
        b"\xef\xbb\xbf",
        json.dumps(user("第一 <system-reminder>x</system-reminder>", cwd="/w"), ensure_ascii=False).encode(),
        b"\r\n\r\n",
        json.dumps(assistant(text("日本語"), use("Bash", command="ls")), ensure_ascii=False).encode() + b" \n",
        b"null\n\0\0\0\n",
        json.dumps({"type": "progress", "data": {"x": "y" * 600}, "timestamp": T}).encode() + b"\n",
        json.dumps(user([result("out")], uuid="u2"), separators=(",", ":")).encode() + b"\n",
        b'{"type":"user","uuid":"u3","message":{"content":"\\ud83d\x01"}}\n',
        b"not json at all\n",
        json.dumps(attachment("queued_command", prompt="第一", timestamp=T), ensure_ascii=False).encode() + b"\n",
        json.dumps({"type": "custom-title", "customTitle": "題"}).encode() + b"\n",
        json.dumps(user("last", gitBranch="main")).encode(),
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, len(MIXED)), max_size=12))
def test_a_growing_transcript_gives_the_same_as_one_read_at_once(tmp_path: Path, cuts: list[int]) -> None:
    path = tmp_path / f"{S}.jsonl"
    transcript = Transcript("claude-code", str(path), S, 0, 0)
    path.write_bytes(MIXED)
    whole = list(CLAUDE.read(transcript, None))
    pieces: list[Record] = []
    checkpoint: Checkpoint | None = None
    for end in [*sorted(cuts), len(MIXED)]:
        path.write_bytes(MIXED[:end])
        records = list(CLAUDE.read(transcript, checkpoint))
        assert isinstance(records[-1], Checkpoint)
        checkpoint = records[-1]
        pieces = [*logs.gather(pieces), *logs.gather(records), *records[-2:]]
    assert pieces == [*logs.gather(whole), *whole[-2:]]


def test_every_cut_of_a_transcript_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / f"{S}.jsonl"
    transcript = Transcript("claude-code", str(path), S, 0, 0)
    whole = logs.every_cut_gives_the_same(transcript, path, MIXED)
    assert len(logs.gather(whole)) == 9


def test_a_session_is_named_before_its_first_message(project: Project) -> None:
    project.write(f"{S}.jsonl", [{"type": "mode", "sessionId": S}, user("one", cwd="/w"), user("two")])
    first, *rest = project.records()
    assert isinstance(first, Session)
    assert (first.native, first.cwd) == (S, "/w")
    assert [type(record) for record in rest] == [Message, Message, Session, Checkpoint]


def test_a_long_transcript_can_be_left_and_taken_up_in_the_middle(project: Project) -> None:
    rows = [user(f"{n} " + "x" * 100_000, uuid=f"u{n}", cwd="/w") for n in range(200)]
    project.write(f"{S}.jsonl", rows)
    logs.a_long_transcript_can_be_left_and_taken_up_in_the_middle(project.records)


WORDS = st.sampled_from(
    [
        "",
        "x",
        "字",
        "<system-reminder>",
        "</system-reminder>",
        "<command-name>/x",
        "user",
        "human",
        "\0\x1b[1m",
        T,
        "/w",
    ]
)
KEYS = st.sampled_from(
    [
        "type",
        "message",
        "content",
        "uuid",
        "timestamp",
        "attachment",
        "subtype",
        "text",
        "id",
        "name",
        "input",
        "tool_use_id",
        "prompt",
        "origin",
        "kind",
        "sessionId",
        "cwd",
        "gitBranch",
        "forkedFrom",
        "isMeta",
        "isSidechain",
        "customTitle",
        "summary",
        "leafUuid",
        "command",
        "edits",
        "todos",
        "files",
        "thinking",
        "model",
        "filename",
        "commandMode",
    ]
)
KINDS = st.sampled_from(
    [
        "user",
        "assistant",
        "attachment",
        "system",
        "summary",
        "custom-title",
        "ai-title",
        "tool_use",
        "tool_result",
        "text",
        "thinking",
        "image",
        "queued_command",
        "file",
        "hook_success",
        "local_command",
        "away_summary",
        "informational",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.dictionaries(KEYS, VALUES | KINDS, max_size=8), max_size=4))
def test_nothing_in_a_row_can_stop_the_reading(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / f"{S}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    records = list(CLAUDE.read(Transcript("claude-code", str(path), S, 0, 0), None))
    session, checkpoint = records[-2:]
    assert isinstance(session, Session)
    assert isinstance(checkpoint, Checkpoint)
    assert checkpoint.offset == path.stat().st_size
    for record in records:
        if isinstance(record, Message):
            assert all(part.text == part.text.strip() != "" for part in record.parts)
        str(record).encode()


# Where transcripts lie


def test_every_transcript_is_discovered_with_its_id_size_and_time(project: Project) -> None:
    for name in [f"{S}.jsonl", *SUBAGENTS, f"{S2}/subagents/agent-b2.jsonl"]:
        project.write(name, b"{}\n")
    for name in [
        f"{S}/subagents/workflows/run1/journal.jsonl",
        "history.jsonl",
        f"{S}/notes.txt",
        "memory/x.md",
    ]:
        project.write(name, b"{}\n")
    (project.folder / "folder.jsonl").mkdir()
    found = {one.path.removeprefix(str(project.folder) + os.sep): one for one in CLAUDE.discover(str(project.home), {})}
    assert {name.replace(os.sep, "/"): one.native for name, one in found.items()} == {
        f"{S}.jsonl": S,
        "agent-a1.jsonl": "agent-a1",
        f"{S}/subagents/agent-a1.jsonl": f"{S}/a1",
        f"{S}/subagents/workflows/run1/agent-a1.jsonl": f"{S}/a1",
        f"{S2}/subagents/agent-b2.jsonl": f"{S2}/b2",
    }
    path = project.folder / f"{S}.jsonl"
    main = found[f"{S}.jsonl"]
    assert (main.agent, main.size, main.mtime_ns) == ("claude-code", 3, path.stat().st_mtime_ns)


def test_a_new_transcript_changes_a_folder_that_was_listed(project: Project) -> None:
    project.write(f"{S}.jsonl", b"")
    (project.folder / S).mkdir()
    new = [f"{S2}.jsonl", f"{S}/subagents/agent-a.jsonl", f"{S}/subagents/workflows/r/agent-b.jsonl"]
    for name in [*new, "../-other/x.jsonl"]:
        before = {folder: os.stat(folder).st_mtime_ns for folder in CLAUDE.folders(str(project.home), {})}
        for folder in before:
            os.utime(folder, ns=(1, 1))
        project.write(name, b"")
        assert any(os.stat(folder).st_mtime_ns != 1 for folder in before), name


def test_looking_into_a_changed_folder_finds_what_is_new_in_and_below_it(project: Project) -> None:
    project.write(f"{S}.jsonl", b"")
    (project.folder / S).mkdir()
    for name in [
        f"{S2}.jsonl",
        f"{S}/subagents/agent-a.jsonl",
        f"{S}/subagents/workflows/r/agent-b.jsonl",
        "../-o/x.jsonl",
    ]:
        known = {folder: os.stat(folder).st_mtime_ns for folder in CLAUDE.folders(str(project.home), {})}
        for folder in known:
            os.utime(folder, ns=(1, 1))
        path = project.write(name, b"")
        changed = [folder for folder in known if os.stat(folder).st_mtime_ns != 1]
        found = [one for folder in changed for _, transcripts in CLAUDE.look(folder, known) for one in transcripts]
        whole = {one.path: one for one in CLAUDE.discover(str(project.home), {})}
        assert whole[str(path.resolve())] in found, name


def test_config_folders_are_listed_once(tmp_path: Path) -> None:
    home = str(tmp_path)
    for name in (".claude", ".config/claude", "one", "two"):
        (tmp_path / name / "projects").mkdir(parents=True)
    both = [str(tmp_path / ".claude"), os.path.join(home, ".config", "claude")]
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert CLAUDE.roots(home, {}) == both
    assert CLAUDE.roots(home, {"CLAUDE_CONFIG_DIR": one}) == [one, *both]
    assert CLAUDE.roots(home, {"CLAUDE_CONFIG_DIR": f"{one},{two}{os.pathsep}{one}"}) == [one, two, *both]
    assert CLAUDE.roots(home, {"CLAUDE_CONFIG_DIR": both[0]}) == both
    assert CLAUDE.roots(home, {"CLAUDE_CONFIG_DIR": str(tmp_path / "none")}) == both
    assert CLAUDE.roots(str(tmp_path / "none"), {}) == []
    if sys.platform != "win32":
        os.symlink(one, tmp_path / "link")
        assert CLAUDE.roots(home, {"CLAUDE_CONFIG_DIR": f"{tmp_path / 'link'},{one}"}) == [
            str(tmp_path / "link"),
            *both,
        ]


def history(home: Path, *rows: Any) -> None:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    (home / ".claude" / "history.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_the_prompt_history_names_the_sessions_at_work(project: Project) -> None:
    def row(when: int, cwd: str, session: str) -> dict[str, Any]:
        return {"display": "x", "timestamp": when, "project": cwd, "sessionId": session}

    # Every character but ASCII letters and digits becomes `-`, an astral one two of them.
    folder = "-home-dev-work------b-c--"
    old = project.write("old.jsonl", b"")
    new = project.write(f"../{folder}/new.jsonl", b"")
    project.write("../../../.claude/projects/secret.jsonl", b"")
    history(
        project.home,
        "{cut off",
        row(1, "/w", "old"),
        row(9, "/home/dev/work/專案 α.b_c\U00020000", "new"),
        row(3, "/w", "old"),
        row(4, "/w", "gone"),
        row(5, "/w", "../secret"),
        {"timestamp": "x", "project": 1, "sessionId": []},
        "null",
    )
    found = [os.path.realpath(path) for path in CLAUDE.recent(str(project.home), {})]
    assert found == [os.path.realpath(new), str(old)]


def test_at_most_twenty_sessions_are_recent_and_only_the_tail_of_the_history_is_read(
    project: Project,
) -> None:
    for n in range(30):
        project.write(f"s{n}.jsonl", b"")
    pad = "字" * 1000
    rows = [{"display": pad, "timestamp": n, "project": "/w", "sessionId": f"s{n}"} for n in range(30)]
    history(project.home, *rows)
    found = [os.path.basename(path) for path in CLAUDE.recent(str(project.home), {})]
    assert found == [f"s{n}.jsonl" for n in range(29, 9, -1)]
    history(project.home, *({**row, "display": "字" * 10_000} for row in rows))
    assert [os.path.basename(path) for path in CLAUDE.recent(str(project.home), {})] == [
        "s29.jsonl",
        "s28.jsonl",
    ]


def test_a_long_project_name_is_found_by_its_beginning(project: Project) -> None:
    cwd = "/" + "a" * 250
    path = project.write("../-" + "a" * 199 + "-1x2y3z/s1.jsonl", b"")
    history(project.home, {"timestamp": 1, "project": cwd, "sessionId": "s1"})
    assert [os.path.realpath(found) for found in CLAUDE.recent(str(project.home), {})] == [os.path.realpath(path)]


def test_a_home_without_claude_code_has_nothing(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert list(CLAUDE.discover(home, {})) == []
    assert CLAUDE.folders(home, {}) == []
    assert list(CLAUDE.recent(home, {})) == []
    (tmp_path / ".claude").mkdir()
    assert list(CLAUDE.discover(home, {})) == []


def test_every_source_in_the_table_can_be_imported_and_others_are_refused() -> None:
    for name in SOURCES:
        assert name == source(name).NAME
        assert source(name).PARSER >= 1
    with pytest.raises(BadValue, match="claude-code"):
        source("no-such-agent")


def test_looking_for_transcripts_imports_no_parser() -> None:
    import subprocess

    code = (
        "import sys; from harkback.sources import source; s = source('claude-code'); "
        "list(s.discover('nowhere', {})); "
        "print([m for m in ('orjson', 'json', 're', 'typing') if m in sys.modules])"
    )
    # -S: `site` may import some of these for its own ends.
    package = str(Path(sys.modules["harkback"].__file__ or "").parents[1])
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert run.stdout.strip() == "[]"
