"""Pi's transcripts: what each kind of entry says, whose words they are, and where sessions lie.

Written from Pi's own documents and source (1.6.0), from real logs and from OpenClaw and oh-my-pi, before the
parser. Entries lie in a tree inside one file; every branch of it is history.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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
    Problem,
    Restart,
    Session,
    Transcript,
)
from harkback.sources import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tests.formats import logs

    from harkback.model import Record
    from harkback.sources import Source
else:
    import logs

S = "01a22bba-349b-75a9-a371-4f563bbcf70d"
S2 = "01a22bbb-5638-776e-9320-24982015ea4b"
STAMP = "2026-11-30T09-00-00-500Z"
T = "2026-11-30T09:00:00.500Z"
T_MS = 1796029200500
NAME = f"{STAMP}_{S}.jsonl"
IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


def pi() -> Source:
    return source("pi")


class Pi:
    """A home in which Pi keeps its sessions; files are named below `~/.pi/agent/sessions/--w--`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.agent = home / ".pi" / "agent"
        self.folder = self.agent / "sessions" / "--w--"
        self.folder.mkdir(parents=True)

    def write(self, path: str | Path, entries: Iterable[Any] | bytes) -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(entries if isinstance(entries, bytes) else b"".join(line(entry) for entry in entries))
        return place

    def found(self, **env: str) -> list[str]:
        """Discover; the paths below the home, each as often as it is given."""
        paths = [one.path for one in pi().discover(str(self.home), env)]
        return sorted(os.path.relpath(path, self.home).replace(os.sep, "/") for path in paths)

    def transcript(self, path: str | Path = NAME) -> Transcript:
        place = str(self.folder / path)
        found = list(pi().discover(str(self.home), {}))
        return next(one for one in found if os.path.samefile(one.path, place))

    def records(self, path: str | Path = NAME, checkpoint: Checkpoint | None = None) -> list[Record]:
        return list(pi().read(self.transcript(path), checkpoint))

    def messages(self, path: str | Path = NAME) -> list[Message]:
        return [record for record in self.records(path) if isinstance(record, Message)]

    def session(self, path: str | Path = NAME) -> Session:
        """What is known of a session at the end of its transcript."""
        return [record for record in self.records(path) if isinstance(record, Session)][-1]

    def say(self, *entries: Any) -> list[Message]:
        """Write the entries below a header as one session and read its messages."""
        self.write(NAME, [header(), *entries])
        return self.messages()

    def told(self, *entries: Any) -> Session:
        """Write the entries below a header as one session and read what is known of it at the end."""
        self.write(NAME, [header(), *entries])
        return self.session()


@pytest.fixture
def home(tmp_path: Path) -> Pi:
    return Pi(tmp_path)


def line(entry: Any) -> bytes:
    if isinstance(entry, bytes):
        return entry
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def header(**more: Any) -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": S, "timestamp": T, "cwd": "/w", **more}


def entry(kind: str, /, key: str = "e1000000", parent: str | None = None, at: str = T, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": key, "parentId": parent, "timestamp": at, **more}


def message(role: str, /, key: str = "e1000000", parent: str | None = None, at: str = T, **more: Any) -> dict[str, Any]:
    return entry("message", key, parent, at, message={"role": role, **more})


def user(content: Any, key: str = "u1000000", parent: str | None = None, at: str = T) -> dict[str, Any]:
    return message("user", key, parent, at, content=content)


def assistant(*blocks: Any, key: str = "a1000000", at: str = T, **more: Any) -> dict[str, Any]:
    return message("assistant", key, None, at, content=list(blocks), provider="p", model="model-x", **more)


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": "toolu_1", "name": name, "arguments": arguments}


def result(*blocks: Any, **more: Any) -> dict[str, Any]:
    return message(
        "toolResult", "r1000000", toolCallId="toolu_1", toolName="bash", content=list(blocks), isError=False, **more
    )


def shell(command: str, output: str, **more: Any) -> dict[str, Any]:
    return message("bashExecution", command=command, output=output, exitCode=0, cancelled=False, **more)


def skill(body: str, words: str = "") -> str:
    block = f'<skill name="pdf" location="/s/pdf/SKILL.md">\nReferences are relative to /s/pdf.\n\n{body}\n</skill>'
    return f"{block}\n\n{words}" if words else block


def attached(path: str, content: str) -> str:
    return f'<file name="{path}">\n{content}\n</file>\n'


Said = list[tuple[int, int, str]]

# name, entry, what it says: (role, lane, text) of every part; of a context the text is a piece
ENTRIES: list[tuple[str, dict[str, Any], Said]] = [
    ("prompt", user([text("第一個問題")]), [(USER, TALK, "第一個問題")]),
    ("prompt as a string", user("第一個問題"), [(USER, TALK, "第一個問題")]),
    ("picture with words", user([text("看圖"), IMAGE]), [(USER, TALK, "看圖")]),
    ("picture alone", user([IMAGE]), []),
    ("blank", user([text(" \n")]), []),
    ("no content", user(None), []),
    ("no message", entry("message"), []),
    ("a terminal's colours", user([text("\x1b[31mred\x1b[0m\0")]), [(USER, TALK, "red")]),
    ("markup of one's own", user([text("why <b>this</b>?")]), [(USER, TALK, "why <b>this</b>?")]),
    ("an unknown command", user([text("/skill:nope do it")]), [(USER, TALK, "/skill:nope do it")]),
    ("an expanded prompt template", user([text("Review the diff\nBob")]), [(USER, TALK, "Review the diff\nBob")]),
    (
        "a skill with words",
        user([text(skill("SKILL BODY", "fill the form"))]),
        [(USER, TALK, "fill the form"), (USER, CONTEXT, "SKILL BODY")],
    ),
    (
        "a skill with words of several paragraphs",
        user([text(skill("SKILL BODY", "fill\n\nthe form"))]),
        [(USER, TALK, "fill\n\nthe form"), (USER, CONTEXT, "SKILL BODY")],
    ),
    ("a skill without words", user([text(skill("SKILL BODY"))]), [(SYSTEM, CONTEXT, "SKILL BODY")]),
    ("a skill as a string", user(skill("BODY", "go")), [(USER, TALK, "go"), (USER, CONTEXT, "BODY")]),
    (
        "a skill that shows how a skill ends",
        user([text(skill("write\n</skill>\nat the end", "go"))]),
        [(USER, TALK, "go"), (USER, CONTEXT, "at the end")],
    ),
    (
        "talk about skills",
        user([text('why does <skill name="pdf" location="/s"> not load?')]),
        [(USER, TALK, 'why does <skill name="pdf" location="/s"> not load?')],
    ),
    (
        "a file with words",
        user([text(attached("/w/a.py", "print(1)") + "explain")]),
        [(USER, TALK, "explain"), (USER, CONTEXT, "print(1)")],
    ),
    (
        "two files with words",
        user([text(attached("/w/a.py", "print(1)") + attached("/w/b.py", "print(2)") + "compare")]),
        [(USER, TALK, "compare"), (USER, CONTEXT, "print(1)"), (USER, CONTEXT, "print(2)")],
    ),
    ("a file alone", user([text(attached("/w/a.py", "print(1)"))]), [(SYSTEM, CONTEXT, "print(1)")]),
    (
        "a file that holds the closing tag in a line",
        user([text(attached("/w/a.xml", '<file name="x">1</file>') + "explain")]),
        [(USER, TALK, "explain"), (USER, CONTEXT, "1")],
    ),
    (
        "a file without a closing tag is talked about",
        user([text('what is <file name="x"> for?')]),
        [(USER, TALK, 'what is <file name="x"> for?')],
    ),
    ("reply", assistant(text("回答", textSignature="c2ln")), [(ASSISTANT, TALK, "回答")]),
    (
        "thinking, words and a call",
        assistant(
            {"type": "thinking", "thinking": "考える", "thinkingSignature": "c2ln"},
            text("I look"),
            call("bash", command="ls -l"),
        ),
        [(ASSISTANT, THINKING, "考える"), (ASSISTANT, TALK, "I look"), (ASSISTANT, CALLS, "bash ls -l")],
    ),
    (
        "thinking that may not be read",
        assistant({"type": "thinking", "thinking": "", "thinkingSignature": "c2VjcmV0", "redacted": True}),
        [],
    ),
    ("cut off in the middle", assistant(text("I was ab"), stopReason="aborted"), [(ASSISTANT, TALK, "I was ab")]),
    ("reply as a string", message("assistant", content="ok", model="model-x"), [(ASSISTANT, TALK, "ok")]),
    ("a result", result(text("a.txt")), [(TOOL, OUTPUT, "a.txt")]),
    ("an empty result", result(text("")), []),
    ("a result with a picture", result(text("a picture"), IMAGE), [(TOOL, OUTPUT, "a picture")]),
    ("a picture as the only result", result(IMAGE), []),
    (
        "a failure",
        message("toolResult", toolName="bash", content=[text("boom\n\nCommand exited with code 3")], isError=True),
        [(TOOL, OUTPUT, "boom\n\nCommand exited with code 3")],
    ),
    (
        "what the result repeats is left alone",
        result(text("done"), details={"diff": "+1 x"}, nestedCalls={"calls": [{"name": "y", "arguments": {"q": "z"}}]}),
        [(TOOL, OUTPUT, "done")],
    ),
    ("a shell command", shell("echo 輸出", "輸出\n"), [(USER, TALK, "! echo 輸出"), (USER, OUTPUT, "輸出")]),
    (
        "one that the model does not see",
        shell("git log", "a1b2", excludeFromContext=True),
        [(USER, TALK, "! git log"), (USER, OUTPUT, "a1b2")],
    ),
    ("one without output", shell("true", ""), [(USER, TALK, "! true")]),
    (
        "an extension's message",
        entry("custom_message", customType="mem", content="recalled", display=True, details={"hits": 1}),
        [(SYSTEM, CONTEXT, "recalled")],
    ),
    (
        "a hidden one in blocks",
        entry("custom_message", customType="mem", content=[text("recalled"), IMAGE], display=False),
        [(SYSTEM, CONTEXT, "recalled")],
    ),
    (
        "an extension's message that quotes a skill",
        entry("custom_message", customType="mem", content=skill("BODY", "fill the form"), display=True),
        [(SYSTEM, CONTEXT, "fill the form")],
    ),
    (
        "one of version 2",
        message("hookMessage", customType="mem", content="recalled", display=True),
        [(SYSTEM, CONTEXT, "recalled")],
    ),
    (
        "one as a message of version 3",
        message("custom", customType="mem", content=[text("recalled")], display=True),
        [(SYSTEM, CONTEXT, "recalled")],
    ),
    ("an extension's state", entry("custom", customType="mem", data={"text": "state"}), []),
    (
        "a compaction",
        entry("compaction", summary="摘要", firstKeptEntryId="u1000000", tokensBefore=1, details={"readFiles": ["x"]}),
        [(SYSTEM, SUMMARY, "摘要")],
    ),
    (
        "a compaction with the system's words",
        entry("compaction", summary="摘要", systemMessage={"role": "system", "content": "", "sections": {"a": "b"}}),
        [(SYSTEM, SUMMARY, "摘要")],
    ),
    (
        "a compaction of version 1",
        {"type": "compaction", "timestamp": T, "summary": "摘要", "firstKeptEntryIndex": 2},
        [(SYSTEM, SUMMARY, "摘要")],
    ),
    ("a branch left", entry("branch_summary", fromId="a1000000", summary="摘要"), [(SYSTEM, SUMMARY, "摘要")]),
    ("a branch left for the root", entry("branch_summary", fromId="root", summary="摘要"), [(SYSTEM, SUMMARY, "摘要")]),
    ("a branch left without words", entry("branch_summary", fromId="a1000000", summary=""), []),
    ("a summary as a message", message("compactionSummary", summary="摘要"), [(SYSTEM, SUMMARY, "摘要")]),
    ("a branch's as a message", message("branchSummary", summary="摘要", fromId="x"), [(SYSTEM, SUMMARY, "摘要")]),
    ("a developer message", message("developer", content="be kind"), [(SYSTEM, CONTEXT, "be kind")]),
    ("a model", entry("model_change", provider="p", modelId="words"), []),
    ("a level", entry("thinking_level_change", thinkingLevel="high"), []),
    ("a cost", entry("usage", kind="cache_warm", provider="p", model="m", usage={"input": 1}, note="words"), []),
    ("a bookmark", entry("label", targetId="u1000000", label="checkpoint-1"), []),
    ("a name", entry("session_info", name="名"), []),
    ("an edit of the context", entry("context_edit", targetId="u1000000", replacement={"content": "short"}), []),
    ("one that leaves out", entry("context_edit", targetId="u1000000", replacement=None), []),
    ("oh-my-pi's mode", entry("mode_change", mode="plan", data={"planFile": "/p.md"}), []),
    ("oh-my-pi's title", entry("title_change", title="words"), []),
    ("oh-my-pi's rules", entry("ttsr_injection", injectedRules=["ruleA"]), []),
    ("a type of the future", entry("brand_new", data={"content": "words"}), []),
    ("no type", {"id": "x1000000", "data": "words"}, []),
]


def spoken(messages: Iterable[Message]) -> list[tuple[str, str, str]]:
    return [(ROLES[one.role], LANES[part.lane], part.text) for one in messages for part in one.parts]


@pytest.mark.parametrize(("name", "row", "said"), ENTRIES, ids=[one[0] for one in ENTRIES])
def test_an_entry_says_what_was_said_and_who_said_it(home: Pi, name: str, row: dict[str, Any], said: Said) -> None:
    del name
    found = spoken(home.say(row))
    # The frame of an injected text may stand with it or not, and several may be one part.
    exact = [one for one in found if one[1] != "context"]
    assert exact == [(ROLES[role], LANES[lane], words) for role, lane, words in said if lane != CONTEXT]
    for role, lane, words in said:
        if lane == CONTEXT:
            assert any(one[:2] == (ROLES[role], "context") and words in one[2] for one in found), words
    assert any(one[1] == "context" for one in found) == any(lane == CONTEXT for _, lane, _ in said)


# Entries that may be left out or kept as context, but never as anything else.
QUIET: list[tuple[str, dict[str, Any]]] = [
    ("system", message("system", content="", sections={"preamble": "You are pi", "old": None}, toolsAdded=[])),
    ("system without sections", message("system", content="", sections=None)),
    ("system with words", message("system", content=[text("be kind")])),
    ("an unknown role", message("brand_new", content=[text("words")])),
    ("a mentioned file of oh-my-pi", message("fileMention", files=[{"path": "a", "content": "words"}])),
    ("the start of a subagent in oh-my-pi", entry("session_init", systemPrompt="You are", task="count", tools=[])),
    ("an unknown type with a message", entry("brand_new", message={"role": "user", "content": "words"})),
    ("a failed answer", assistant(stopReason="error", errorMessage="429 too many requests")),
]


@pytest.mark.parametrize(("name", "row"), QUIET, ids=[one[0] for one in QUIET])
def test_what_the_harness_says_is_never_talk(home: Pi, name: str, row: dict[str, Any]) -> None:
    del name
    assert {one[:2] for one in spoken(home.say(row))} <= {("system", "context")}
    assert home.told(row).title == ""


def test_words_piped_in_stand_before_the_files_and_are_the_persons(home: Pi) -> None:
    (one,) = home.say(user([text("piped in\n" + attached("/w/a.py", "print(1)") + "explain")]))
    talk = "\n".join(part.text for part in one.parts if part.lane == TALK)
    assert (one.role, "piped in" in talk, "explain" in talk, "print(1)" in talk) == (USER, True, True, False)
    assert any("print(1)" in part.text for part in one.parts if part.lane == CONTEXT)


@pytest.mark.parametrize("inner", ["", "[Image resized to 100x100]"])
def test_a_picture_in_a_file_block_leaves_the_words(home: Pi, inner: str) -> None:
    (one,) = home.say(user([text(f'<file name="/w/red.png">{inner}</file>\n看圖'), IMAGE]))
    assert [part.text for part in one.parts if part.lane == TALK] == ["看圖"]
    assert [part.text for part in one.parts if IMAGE["data"] in part.text] == []


# tool, its arguments, pieces of its searchable text, the files it names
CALLED: list[tuple[str, dict[str, Any], list[str], tuple[str, ...]]] = [
    ("bash", {"command": "ls -l", "timeout": 5}, ["ls -l"], ()),
    ("read", {"path": "/w/a.ts", "offset": 10}, ["/w/a.ts"], ("/w/a.ts",)),
    ("write", {"path": "/w/a", "content": "一\n二"}, ["/w/a", "一\n二"], ("/w/a",)),
    (
        "edit",
        {"path": "/w/a", "edits": [{"oldText": "old 1", "newText": "new 1"}, {"oldText": "old 2", "newText": "new 2"}]},
        ["/w/a", "old 1", "new 1", "old 2", "new 2"],
        ("/w/a",),
    ),
    ("edit", {"path": "/w/a", "oldText": "old", "newText": "new"}, ["/w/a", "old", "new"], ("/w/a",)),
    ("grep", {"pattern": "foo.*", "path": "/w", "glob": "*.ts"}, ["foo.*", "/w", "*.ts"], ("/w",)),
    ("find", {"pattern": "**/*.ts", "path": "/w"}, ["**/*.ts", "/w"], ("/w",)),
    ("ls", {"path": "/w"}, ["/w"], ("/w",)),
    ("codemode", {"code": "return await tools.mcp__m__s({query:'向量'})"}, ["向量"], ()),
    ("mcp__mem__search", {"query": "向量", "limit": 3, "deep": {"note": "c"}}, ["向量", "c"], ()),
]


@pytest.mark.parametrize(("tool", "arguments", "pieces", "files"), CALLED)
def test_a_call_is_found_by_its_telling_arguments(
    home: Pi, tool: str, arguments: dict[str, Any], pieces: list[str], files: tuple[str, ...]
) -> None:
    ((one,),) = [one.parts for one in home.say(assistant(call(tool, **arguments)))]
    assert (one.lane, one.tool, one.files) == (CALLS, tool, files)
    assert one.text.startswith(tool + " ")
    assert [piece for piece in pieces if piece not in one.text] == []


@pytest.mark.parametrize("arguments", [{}, {"n": 1}, "text", None, []])
def test_a_call_without_telling_arguments_says_nothing(home: Pi, arguments: Any) -> None:
    assert home.say(assistant({"type": "toolCall", "id": "t", "name": "x", "arguments": arguments})) == []


def test_a_long_edit_keeps_its_first_lines(home: Pi) -> None:
    (one,) = home.say(assistant(call("write", path="/w/a", content="first line\n" + "no interest\n" * 5000)))
    assert "first line" in one.parts[0].text
    assert len(one.parts[0].text) < 5000


def test_results_carry_the_name_of_their_tool(home: Pi) -> None:
    (one,) = home.say(result(text("x")))
    assert [part.tool for part in one.parts] == ["bash"]


def test_a_result_in_several_blocks_is_one_text(home: Pi) -> None:
    (one,) = home.say(result(text("Script completed\n"), text("the answer")))
    (part,) = one.parts
    assert "Script completed" in part.text
    assert "the answer" in part.text


@pytest.mark.parametrize("row", [lambda words: result(text(words)), lambda words: shell("x", words)])
def test_a_long_output_keeps_its_head_its_tail_and_its_errors(home: Pi, row: Callable[[str], Any]) -> None:
    output = "first\n" + "line of no interest\n" * 3000 + "TypeError: x\n" + "no interest\n" * 100 + "last"
    (one,) = home.say(row(output))
    (words,) = [part.text for part in one.parts if part.lane == OUTPUT]
    assert words.startswith("first\nline")
    assert "TypeError: x" in words
    assert words.endswith("last")
    assert len(words) < 5000


def test_an_injected_text_is_bounded(home: Pi) -> None:
    (one,) = home.say(entry("custom_message", customType="mem", content="字" * 30_000))
    assert len(one.parts[0].text) <= 20_000


def test_a_message_knows_its_place_its_time_and_its_model(home: Pi) -> None:
    prompt, reply = home.say(user("一"), assistant(text("二")))
    first = len(line(header()))
    second = first + len(line(user("一")))
    assert (prompt.offset, prompt.length) == (first, second - first - 1)
    assert reply.offset == second
    assert (prompt.time_ms, reply.time_ms) == (T_MS, T_MS)
    assert (prompt.branch, reply.branch, reply.model) == ("", "", "model-x")


def test_a_message_without_a_time_of_its_entry_has_its_own(home: Pi) -> None:
    (one,) = home.say(
        {"type": "message", "id": "u1000000", "message": {"role": "user", "content": "x", "timestamp": T_MS}}
    )
    assert one.time_ms == T_MS
    (one,) = home.say({"type": "message", "id": "u1000000", "message": {"role": "user", "content": "x"}})
    assert one.time_ms is None


# The tree


def at(second: int) -> str:
    return f"2026-11-30T09:00:{second:02}.000Z"


BRANCHES = [
    user("root", "u0000001", None, at(1)),
    message("assistant", "a0000002", "u0000001", at(2), content=[text("answer")], model="m"),
    user("left alone", "u0000003", "a0000002", at(3)),
    message("assistant", "a0000004", "u0000003", at(4), content=[text("answer left alone")], model="m"),
    entry("branch_summary", "b0000005", "a0000002", at(5), fromId="a0000004", summary="what was left"),
    user("gone on", "u0000006", "b0000005", at(6)),
    user("second root", "u0000007", None, at(7)),
    entry("branch_summary", "b0000008", None, at(8), fromId="root", summary="all was left"),
    user("third root", "u0000009", "b0000008", at(9)),
    user("an orphan", "u0000010", "ffffffff", at(10)),
]


def test_all_branches_and_all_roots_are_history(home: Pi) -> None:
    found = home.say(*BRANCHES)
    assert [one.parts[0].text for one in found] == [
        "root",
        "answer",
        "left alone",
        "answer left alone",
        "what was left",
        "gone on",
        "second root",
        "all was left",
        "third root",
        "an orphan",
    ]
    assert [LANES[one.parts[0].lane] for one in found].count("summary") == 2
    assert len({one.key for one in found}) == len(found)


def test_a_compaction_and_an_edit_of_the_context_leave_what_was_said(home: Pi) -> None:
    found = home.say(
        user("first", "u0000001", None, at(1)),
        entry("compaction", "c0000002", "u0000001", at(2), summary="摘要", firstKeptEntryId="c0000002"),
        entry("context_edit", "x0000003", "c0000002", at(3), targetId="u0000001", replacement=None),
        entry("context_edit", "x0000004", "x0000003", at(4), targetId="u0000001", replacement={"content": "edited"}),
        user("second", "u0000005", "x0000004", at(5)),
    )
    assert [one.parts[0].text for one in found] == ["first", "摘要", "second"]


# entries, title, rank
TITLES: list[tuple[str, list[dict[str, Any]], str, int]] = [
    ("none", [], "", 0),
    ("first prompt", [user("one\ntwo"), user("three", "u2000000")], "one", 0),
    ("at most 80 characters", [user("字" * 100)], "字" * 80, 0),
    ("not what was injected", [entry("custom_message", customType="m", content="recalled"), user("real")], "real", 0),
    ("not what a skill says", [user(skill("BODY", "fill the form"))], "fill the form", 0),
    ("not a skill without words", [user(skill("BODY")), user("real", "u2000000")], "real", 0),
    ("not a file", [user(attached("/w/a.py", "print(1)") + "explain")], "explain", 0),
    ("not what the agent says", [assistant(text("hello")), user("real")], "real", 0),
    ("given by the person", [user("one"), entry("session_info", name="我的")], "我的", 3),
    ("given before the first prompt", [entry("session_info", name="我的"), user("one")], "我的", 3),
    (
        "the last one",
        [entry("session_info", name="a"), user("one"), entry("session_info", "e2000000", name="b")],
        "b",
        3,
    ),
    (
        "the last one in the file, on whatever branch",
        [
            user("one", "u0000001"),
            entry("session_info", "s0000002", "u0000001", name="a"),
            entry("session_info", "s0000003", "u0000001", name="b"),
            user("two", "u0000004", "s0000002"),
        ],
        "b",
        3,
    ),
    (
        "taken back",
        [user("one"), entry("session_info", name="a"), entry("session_info", "e2000000", name=" ")],
        "one",
        0,
    ),
    (
        "taken back before the first prompt",
        [entry("session_info", name="a"), entry("session_info", "e2000000", name=""), user("one")],
        "one",
        0,
    ),
    ("no name at all", [user("one"), entry("session_info", name=None)], "one", 0),
]


@pytest.mark.parametrize(("name", "entries", "title", "rank"), TITLES, ids=[one[0] for one in TITLES])
def test_the_best_title_stands(home: Pi, name: str, entries: list[dict[str, Any]], title: str, rank: int) -> None:
    del name
    session = home.told(*entries)
    assert (session.title, session.title_rank) == (title, rank)


def test_a_shell_command_can_give_the_title_only_where_no_prompt_does(home: Pi) -> None:
    assert home.told(shell("ls", "a")).title == "! ls"
    assert home.told(shell("ls", "a"), user("real")).title in {"! ls", "real"}


def test_a_session_knows_its_place_and_its_span(home: Pi) -> None:
    session = home.told(user("one", at="2026-11-30T09:30:00Z"), assistant(text("two"), at="2026-11-30T10:00:00Z"))
    assert (session.agent, session.native, session.cwd, session.branch) == ("pi", S, "/w", "")
    assert (session.started_ms, session.ended_ms) == (T_MS, 1796032800000)
    assert (session.parent, session.relation, session.agent_type) == ("", "", "")


def test_the_header_knows_the_id_better_than_the_name(home: Pi) -> None:
    home.write("copied.jsonl", [header(), user("one")])
    assert home.transcript("copied.jsonl").native == "copied"
    assert home.session("copied.jsonl").native == S


@pytest.mark.parametrize("native", [S, "my_session.1", "a_b_c", "x"])
def test_an_id_may_hold_what_the_name_is_cut_at(home: Pi, native: str) -> None:
    name = f"{STAMP}_{native}.jsonl"
    home.write(name, [header(id=native), user("one")])
    assert (home.transcript(name).native, home.session(name).native) == (native, native)


# Forks


@pytest.mark.parametrize(
    ("parent", "native"),
    [
        (f"/home/dev/.pi/agent/sessions/--w--/{STAMP}_{S2}.jsonl", S2),
        (f"C:\\Users\\dev\\.pi\\agent\\sessions\\--C--w--\\{STAMP}_{S2}.jsonl", S2),
        (f"/home/dev/.pi/agent/sessions/--w--/{STAMP}_my_session.1.jsonl", "my_session.1"),
        (f"/home/dev/.openclaw/agents/main/sessions/{S2}.jsonl", S2),
        (S2, S2),  # oh-my-pi: a path or an id
    ],
)
@pytest.mark.parametrize("field", ["parentSession", "branchedFrom"])
def test_a_fork_names_its_parent(home: Pi, field: str, parent: str, native: str) -> None:
    home.write(NAME, [header(**{field: parent}), user("one")])
    session = home.session()
    assert (session.native, session.parent, session.relation) == (S, native, "fork")


@pytest.mark.parametrize("parent", [None, "", 5, [], {}])
def test_a_header_that_names_no_parent_has_none(home: Pi, parent: Any) -> None:
    home.write(NAME, [header(parentSession=parent), user("one")])
    session = home.session()
    assert (session.parent, session.relation) == ("", "")


FORK = f"2026-11-30T10-00-00-000Z_{S2}.jsonl"


def fork(*entries: Any) -> list[Any]:
    parent = f"/home/dev/.pi/agent/sessions/--w--/{NAME}"
    return [header(id=S2, timestamp="2026-11-30T10:00:00.000Z", parentSession=parent), *entries]


def test_copies_in_a_fork_share_their_identity_with_the_originals(home: Pi) -> None:
    kept = BRANCHES[:2]
    home.write(NAME, [header(), *BRANCHES])
    # A label between them is written anew, and what followed it gets another parent.
    moved = {**BRANCHES[4], "parentId": "l0000000"}
    own = user("root", "u0000011", "b0000005", at(11))
    home.write(FORK, fork(*kept, moved, own))
    originals, copies = home.messages(), home.messages(FORK)
    for original, copy in zip([originals[0], originals[1], originals[4]], copies[:3], strict=True):
        assert logs.identities(original) & logs.identities(copy)
        assert original.parts == copy.parts
    stranger = logs.identities(copies[3])
    assert [one for one in originals if logs.identities(one) & stranger] == []
    for one in originals:
        assert [
            other for other in originals if other is not one and logs.identities(one) & logs.identities(other)
        ] == []


def test_a_short_id_that_comes_again_in_another_session_is_no_copy(home: Pi) -> None:
    home.write(NAME, [header(), user("one"), assistant(text("yes"))])
    home.write(FORK, [header(id=S2), user("two", at=at(9)), assistant(text("yes"), at=at(10))])
    for one, other in zip(home.messages(), home.messages(FORK), strict=True):
        assert not logs.identities(one) & logs.identities(other)


def test_the_same_word_twice_is_two_messages(home: Pi) -> None:
    first, second = home.say(user("yes", "u0000001", None, at(1)), user("yes", "u0000002", "u0000001", at(2)))
    assert not logs.identities(first) & logs.identities(second)


# Older versions


def old(role: str, second: int, /, **more: Any) -> dict[str, Any]:
    return {"type": "message", "timestamp": at(second), "message": {"role": role, "timestamp": T_MS, **more}}


OLD_HEADER = {
    "type": "session",
    "id": S,
    "timestamp": T,
    "cwd": "/w",
    "provider": "anthropic",
    "modelId": "claude-x",
    "thinkingLevel": "off",
}
OLD = [
    old("user", 1, content="Hello"),
    old("assistant", 2, content=[text("Hi!"), call("bash", command="ls")], model="claude-x"),
    old("toolResult", 3, toolCallId="toolu_1", toolName="bash", content=[text("a.txt")], isError=False),
    {"type": "model_change", "timestamp": at(4), "provider": "openai", "modelId": "gpt-x"},
    {"type": "thinking_level_change", "timestamp": at(5), "thinkingLevel": "high"},
    {"type": "compaction", "timestamp": at(6), "summary": "摘要", "firstKeptEntryIndex": 2, "tokensBefore": 9},
    old("bashExecution", 7, command="ls -la", output="total 48", exitCode=0, cancelled=False),
    old("user", 8, content="yes"),
    old("user", 9, content="yes"),
]
OLD_SAID = [
    ("user", "talk", "Hello"),
    ("assistant", "talk", "Hi!"),
    ("assistant", "calls", "bash ls"),
    ("tool", "output", "a.txt"),
    ("system", "summary", "摘要"),
    ("user", "talk", "! ls -la"),
    ("user", "output", "total 48"),
    ("user", "talk", "yes"),
    ("user", "talk", "yes"),
]


def test_version_1_has_neither_version_nor_ids(home: Pi) -> None:
    home.write(NAME, [OLD_HEADER, *OLD])
    found = home.messages()
    assert spoken(found) == OLD_SAID
    assert [one.model for one in found if one.role == ASSISTANT] == ["claude-x"]
    assert len({one.key for one in found}) == len(found)
    session = home.session()
    assert (session.native, session.cwd, session.title, session.started_ms) == (S, "/w", "Hello", T_MS)


def test_a_fork_of_version_1_has_copies_without_ids(home: Pi) -> None:
    home.write(NAME, [OLD_HEADER, *OLD])
    # `--fork` writes the old entries as they are below a header of version 3.
    home.write(FORK, fork(*OLD, user("mine", "u0000011", None, at(11))))
    originals, (*copies, own) = home.messages(), home.messages(FORK)
    for original, copy in zip(originals, copies, strict=True):
        assert logs.identities(original) & logs.identities(copy)
    assert [one for one in originals if logs.identities(one) & logs.identities(own)] == []
    for one in originals:
        assert [
            other for other in originals if other is not one and logs.identities(one) & logs.identities(other)
        ] == []


def test_version_2_calls_an_extensions_message_hook_message(home: Pi) -> None:
    hook = message("hookMessage", "h0000002", "u0000001", at(2), customType="mem", content="recalled", display=True)
    home.write(NAME, [header(version=2), user("one", "u0000001", None, at(1)), hook])
    assert spoken(home.messages()) == [("user", "talk", "one"), ("system", "context", "recalled")]
    assert home.session().title == "one"


def test_a_version_of_the_future_is_read_all_the_same(home: Pi) -> None:
    home.write(NAME, [header(version=9), user("one")])
    assert spoken(home.messages()) == [("user", "talk", "one")]


def test_a_header_that_was_damaged_takes_nothing_else_with_it(home: Pi) -> None:
    home.write(NAME, [b'{"type":"session","ver\n', user("one")])
    records = home.records()
    assert [record.kind for record in records if isinstance(record, Problem)] != []
    assert spoken(home.messages()) == [("user", "talk", "one")]
    assert home.session().native == S


def test_oh_my_pi_writes_a_title_before_the_header(home: Pi) -> None:
    slot = json.dumps({"type": "title", "v": 1, "title": "own title"}).ljust(255).encode() + b"\n"
    home.write(NAME, [slot, header(), user("one")])
    records = home.records()
    assert [record for record in records if isinstance(record, Problem)] == []
    assert spoken(home.messages()) == [("user", "talk", "one")]
    session = home.session()
    assert (session.native, session.cwd) == (S, "/w")
    assert session.title in {"one", "own title"}


# Reading on


def test_an_empty_transcript_is_a_session_without_facts(home: Pi) -> None:
    home.write(NAME, b"")
    session, checkpoint = home.records()
    assert session == Session("pi", S)
    assert isinstance(checkpoint, Checkpoint)
    assert checkpoint.offset == 0


def test_only_what_was_appended_is_read(home: Pi) -> None:
    path = home.write(NAME, [header(), entry("session_info", name="名"), user("one")])
    checkpoint = home.records()[-1]
    assert isinstance(checkpoint, Checkpoint)
    assert checkpoint.offset == path.stat().st_size
    with path.open("ab") as file:
        file.write(line(assistant(text("two"), at=at(9))))
    records = home.records(checkpoint=checkpoint)
    assert spoken(record for record in records if isinstance(record, Message)) == [("assistant", "talk", "two")]
    session = records[-2]
    assert isinstance(session, Session)
    assert (session.native, session.title, session.title_rank, session.cwd) == (S, "名", 3, "/w")
    assert session == home.session()


def test_a_name_taken_back_later_gives_way_to_the_first_prompt_read_before(home: Pi) -> None:
    path = home.write(NAME, [header(), user("one"), entry("session_info", name="名")])
    checkpoint = home.records()[-1]
    assert isinstance(checkpoint, Checkpoint)
    with path.open("ab") as file:
        file.write(line(entry("session_info", "e2000000", name="")))
    session = home.records(checkpoint=checkpoint)[-2]
    assert isinstance(session, Session)
    assert (session.title, session.title_rank) == ("one", 0)


def test_a_transcript_that_pi_migrated_is_read_again(home: Pi) -> None:
    home.write(NAME, [OLD_HEADER, *OLD])
    checkpoint = home.records()[-1]
    assert isinstance(checkpoint, Checkpoint)
    # Opening it gives every entry an id and rewrites the file.
    migrated = [{**row, "id": f"{number:08}", "parentId": None} for number, row in enumerate(OLD)]
    home.write(NAME, [{**OLD_HEADER, "version": 3}, *migrated])
    restart, *rest = home.records(checkpoint=checkpoint)
    assert isinstance(restart, Restart)
    assert rest == home.records()
    assert spoken(record for record in rest if isinstance(record, Message)) == OLD_SAID


@pytest.mark.parametrize(("reason", "change"), logs.CHANGES)
def test_a_changed_transcript_is_read_again(home: Pi, reason: str, change: Callable[[bytes], bytes]) -> None:
    path = home.write(NAME, [header(), user("one"), user("three", "u2000000")])
    logs.a_changed_transcript_is_read_again(path, home.records, reason, change)


def test_a_checkpoint_of_another_kind_is_not_trusted(home: Pi) -> None:
    home.write(NAME, [header(), user("one")])
    logs.a_checkpoint_of_another_kind_is_not_trusted(home.records)


def test_a_vanished_transcript_is_a_problem_and_the_checkpoint_stands(home: Pi) -> None:
    home.write(NAME, [header(), user("one")])
    logs.a_vanished_transcript_is_a_problem_and_the_checkpoint_stands(home.transcript())


def test_a_session_is_named_before_its_first_message(home: Pi) -> None:
    home.write(NAME, [header(), user("one"), user("two", "u2000000", at=at(2))])
    first, *rest = home.records()
    assert isinstance(first, Session)
    assert (first.native, first.cwd) == (S, "/w")
    assert [type(record) for record in rest] == [Message, Message, Session, Checkpoint]


MIXED = b"".join(
    [
        b"\xef\xbb\xbf",
        line(header())[:-1] + b"\r\n\r\n",
        line(user([text(skill("本文", "第一"))], "u0000001", None, at(1))),
        line(assistant(text("日本語"), call("bash", command="ls"), key="a0000002", at=at(2)))[:-1] + b" \n",
        b"null\n\0\0\0\n",
        line(result(text("out"))),
        b'{"type":"message","id":"u0000003","message":{"role":"user","content":"\\ud83d\x01"}}\n',
        b"not json at all\n",
        line(entry("session_info", "s0000004", name="題")),
        line(shell("echo 一", "一")),
        line(user("last", "u0000005", None, at(5)))[:-1],
    ]
)


def test_every_cut_of_a_transcript_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / NAME
    transcript = Transcript("pi", str(path), S, 0, 0)
    whole = logs.every_cut_gives_the_same(transcript, path, MIXED)
    assert len([record for record in whole if isinstance(record, Message)]) == 6
    assert len([record for record in whole if isinstance(record, Problem)]) == 4


def test_a_long_transcript_can_be_left_and_taken_up_in_the_middle(home: Pi) -> None:
    rows = [user(f"{n} " + "x" * 100_000, f"u{n:07}", None, T) for n in range(200)]
    home.write(NAME, [header(), *rows])
    logs.a_long_transcript_can_be_left_and_taken_up_in_the_middle(home.records)


KEYS = st.sampled_from(
    [
        *("type", "id", "parentId", "timestamp", "message", "role", "content", "text", "thinking", "name", "arguments"),
        *("command", "output", "summary", "path", "edits", "oldText", "newText", "toolName", "customType", "cwd"),
        *("parentSession", "branchedFrom", "version", "sections", "data", "targetId", "label"),
    ]
)
WORDS = st.sampled_from(
    [
        *("session", "message", "custom_message", "compaction", "branch_summary", "session_info", "user", "assistant"),
        *("toolResult", "bashExecution", "system", "custom", "text", "thinking", "toolCall", "image"),
        *("", "x", "字", "\0\x1b[1m", T, "/w", "<skill name=", "</skill>", '<file name="a">', "</file>\n"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.dictionaries(KEYS, VALUES | WORDS, max_size=8), max_size=4))
def test_nothing_in_an_entry_can_stop_the_reading(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / NAME
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    records = list(pi().read(Transcript("pi", str(path), S, 0, 0), None))
    session, checkpoint = records[-2:]
    assert isinstance(session, Session)
    assert isinstance(checkpoint, Checkpoint)
    assert checkpoint.offset == path.stat().st_size
    for record in records:
        if isinstance(record, Message):
            assert all(part.text == part.text.strip() != "" for part in record.parts)
        str(record).encode()


# Where transcripts lie

BELOW = ".pi/agent/sessions/--w--/"


def test_every_transcript_is_discovered_with_its_id_size_and_time(home: Pi) -> None:
    path = home.write(NAME, b"{}\n")
    home.write(f"../--w-sub--/{FORK}", b"{}\n")
    for name in ("notes.txt", f"{NAME}.tmp", f"{NAME}.bak"):
        home.write(name, b"{}\n")
    (home.folder / "folder.jsonl").mkdir()
    assert home.found() == sorted([BELOW + NAME, f".pi/agent/sessions/--w-sub--/{FORK}"])
    one = home.transcript()
    assert (one.agent, one.native, one.size, one.mtime_ns) == ("pi", S, 3, path.stat().st_mtime_ns)


def test_the_agent_folder_can_be_moved(home: Pi) -> None:
    moved = home.home / "moved" / "sessions" / "--w--" / NAME
    home.write(moved, [header()])
    assert "moved/sessions/--w--/" + NAME in home.found(PI_CODING_AGENT_DIR=str(home.home / "moved"))
    assert "moved/sessions/--w--/" + NAME in home.found(PI_CODING_AGENT_DIR="~/moved")
    assert home.found(PI_CODING_AGENT_DIR="") == []


def test_the_folder_of_the_sessions_can_be_moved(home: Pi) -> None:
    home.write(NAME, [header()])
    # There they lie side by side, whatever project they belong to.
    home.write(home.home / "flat" / FORK, [header(id=S2)])
    both = sorted([BELOW + NAME, "flat/" + FORK])
    assert home.found(PI_CODING_AGENT_SESSION_DIR=str(home.home / "flat")) == both
    assert home.found(PI_CODING_AGENT_SESSION_DIR="~/flat") == both
    assert home.found(PI_CODING_AGENT_SESSION_DIR=str(home.home / "none")) == [BELOW + NAME]
    assert home.found() == [BELOW + NAME]


@pytest.mark.parametrize("value", ["{home}/flat", "~/flat"])
def test_the_folder_of_the_sessions_can_be_moved_in_the_settings(home: Pi, value: str) -> None:
    home.write(NAME, [header()])
    home.write(home.home / "flat" / FORK, [header(id=S2)])
    named = {"sessionDir": value.format(home=home.home.as_posix())}
    (home.agent / "settings.json").write_text(json.dumps(named), encoding="utf-8")
    assert home.found() == sorted([BELOW + NAME, "flat/" + FORK])


def test_the_settings_of_a_moved_agent_folder_count(home: Pi) -> None:
    home.write(home.home / "flat" / FORK, [header(id=S2)])
    (home.home / "moved").mkdir()
    (home.home / "moved" / "settings.json").write_text('{"sessionDir":"~/flat"}', encoding="utf-8")
    assert home.found(PI_CODING_AGENT_DIR=str(home.home / "moved")) == ["flat/" + FORK]


@pytest.mark.parametrize("settings", ["{broken", "[]", "null", '{"sessionDir":5}', '{"sessionDir":""}', "\ufeff{}"])
def test_settings_that_say_nothing_are_passed_over(home: Pi, settings: str) -> None:
    home.write(NAME, [header()])
    (home.agent / "settings.json").write_text(settings, encoding="utf-8")
    assert home.found() == [BELOW + NAME]


def test_a_folder_named_twice_is_read_once(home: Pi) -> None:
    home.write(NAME, [header()])
    home.write(f"../{FORK}", [header(id=S2)])
    both = sorted([BELOW + NAME, ".pi/agent/sessions/" + FORK])
    named = {"PI_CODING_AGENT_DIR": str(home.agent), "PI_CODING_AGENT_SESSION_DIR": str(home.agent / "sessions")}
    assert home.found(**named) == both
    named["PI_CODING_AGENT_SESSION_DIR"] = str(home.folder)
    assert BELOW + NAME in home.found(**named)
    assert home.found(**named).count(BELOW + NAME) == 1


CLAW = ".openclaw/agents/main/sessions/"


def test_the_sessions_of_openclaw_are_pis(home: Pi) -> None:
    home.write(home.home / CLAW / f"{S}.jsonl", [header(), user("one")])
    home.write(home.home / CLAW / f"{S2}-topic-5.jsonl", [header(id=S2), user("two")])
    home.write(home.home / ".openclaw/agents/second/sessions" / f"{S2}.jsonl", [header(id=S2), user("two")])
    for name in (
        "sessions.json",
        f"{S}.jsonl.lock",
        f"{S}.trajectory.jsonl",
        f"{S}.checkpoint.5f0f3c1e-98a4-4f6e-8a39-7c5e1f0a1b2c.jsonl",
    ):
        home.write(home.home / CLAW / name, [header(), user("one")])
    assert home.found() == sorted(
        [f"{CLAW}{S}.jsonl", f"{CLAW}{S2}-topic-5.jsonl", f".openclaw/agents/second/sessions/{S2}.jsonl"]
    )
    path = home.home / CLAW / f"{S}.jsonl"
    assert (home.transcript(path).agent, home.transcript(path).native) == ("pi", S)
    session = home.session(path)
    assert (session.agent, session.native, session.cwd, session.title) == ("pi", S, "/w", "one")
    assert spoken(home.messages(path)) == [("user", "talk", "one")]


WHEN = "2026-11-30T05-00-00.000Z"


@pytest.mark.parametrize("end", [f"deleted.{WHEN}", f"bak.{WHEN}", f"reset.{WHEN}.deleted.{WHEN}", "reset.x", "reset."])
def test_what_openclaw_deleted_is_no_transcript(home: Pi, end: str) -> None:
    home.write(home.home / CLAW / f"{S}.jsonl.{end}", [header(), user("one")])
    assert home.found() == []


def test_what_openclaw_moved_aside_at_a_reset_is_the_session_that_was(home: Pi) -> None:
    # Every `/new`, `/reset` and the reset of each night rename the transcript: most history lies in such files.
    path = home.write(home.home / CLAW / f"{S}.jsonl.reset.{WHEN}", [header(), user("one")])
    assert home.found() == [f"{CLAW}{path.name}"]
    assert home.transcript(path).native == S
    assert home.session(path).native == S
    assert spoken(home.messages(path)) == [("user", "talk", "one")]


def test_only_openclaw_moves_transcripts_aside(home: Pi) -> None:
    home.write(f"{NAME}.reset.{WHEN}", [header(), user("one")])
    assert home.found() == []


def test_the_sessions_of_oh_my_pi_are_pis(home: Pi) -> None:
    for folder in ("--w--", "-w"):
        home.write(home.home / ".omp/agent/sessions" / folder / NAME, [header(), user("one")])
    assert home.found() == sorted(f".omp/agent/sessions/{folder}/{NAME}" for folder in ("--w--", "-w"))
    path = home.home / ".omp/agent/sessions/-w" / NAME
    assert (home.session(path).agent, home.session(path).native) == ("pi", S)


# A file that appears, in a home where all folders of Pi and its relatives are known already.
NEW = [
    BELOW + FORK,
    f".pi/agent/sessions/--other--/{FORK}",
    f".openclaw/agents/main/sessions/{S2}.jsonl",
    f".openclaw/agents/second/sessions/{S2}.jsonl",
    f".omp/agent/sessions/-w/{FORK}",
    f".omp/agent/sessions/-other/{FORK}",
    f"flat/{FORK}",
]


def known_home(home: Pi) -> Mapping[str, str]:
    home.write(NAME, [header()])
    home.write(home.home / CLAW / f"{S}.jsonl", [header()])
    home.write(home.home / ".omp/agent/sessions/-w" / NAME, [header()])
    home.write(home.home / "flat" / NAME, [header()])
    return {"PI_CODING_AGENT_SESSION_DIR": str(home.home / "flat")}


@pytest.mark.parametrize("name", NEW)
def test_looking_into_a_changed_folder_finds_what_is_new_in_and_below_it(home: Pi, name: str) -> None:
    env = known_home(home)
    known = {folder: os.stat(folder).st_mtime_ns for folder in pi().folders(str(home.home), env)}
    assert len(known) == len({os.path.realpath(folder) for folder in known})
    for folder in known:
        os.utime(folder, ns=(1, 1))
    path = home.write(home.home / name, [header(id=S2)])
    changed = [folder for folder in known if os.stat(folder).st_mtime_ns != 1]
    assert changed
    found = [one for folder in changed for _, transcripts in pi().look(folder, known) for one in transcripts]
    whole = {one.path: one for one in pi().discover(str(home.home), env)}
    (new,) = [one for one in whole.values() if os.path.samefile(one.path, path)]
    assert found.count(new) == 1
    assert [one for one in found if one.path not in whole] == []


def test_a_home_without_pi_has_nothing(tmp_path: Path) -> None:
    home = str(tmp_path)
    (tmp_path / ".pi").mkdir()
    for _ in range(2):
        assert list(pi().discover(home, {})) == []
        assert list(pi().recent(home, {})) == []
        assert pi().roots(str(tmp_path / "none"), {}) == []
        (tmp_path / ".pi" / "agent").mkdir(exist_ok=True)


def test_recent_sessions_are_those_that_exist(home: Pi) -> None:
    home.write(NAME, [header()])
    found = [os.path.realpath(path) for path in pi().recent(str(home.home), {})]
    assert set(found) <= {os.path.realpath(home.folder / NAME)}


def test_looking_for_transcripts_imports_no_parser(home: Pi) -> None:
    import subprocess
    import sys

    home.write(NAME, [header()])
    code = (
        "import sys; from harkback.sources import source; s = source('pi'); "
        "list(s.discover(sys.argv[1], {})); "
        "print([m for m in ('orjson', 're', 'typing') if m in sys.modules])"
    )
    # -S: `site` may import some of these for its own ends.
    package = str(Path(sys.modules["harkback"].__file__ or "").parents[1])
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, str(home.home)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert run.stdout.strip() == "[]"
