"""Codex's transcripts row by row: what the logs of `test_codex_logs.py` do not hold.

Shapes: codex-rs/protocol (protocol.rs, models.rs), and public files from mid-2025 on.
"""

from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from harkback.model import LANES, ROLES, Checkpoint, Message, Part, Problem, Restart, Session, Transcript
from harkback.sources import source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harkback.model import Record

T = "01a22bb5-e5d7-75a0-aee2-d5f5fb6a5a8c"  # its first 48 bits are 2026-11-30T09:07:50.871Z
T2 = "01a22bb6-2ec3-7481-81e8-908b106ae1a0"
NAME = f"rollout-2026-11-30T09-07-50-{T}.jsonl"
WHEN = "2026-11-30T09:08:00.000Z"


def record(kind: str, payload: dict[str, Any], when: str = WHEN, **more: Any) -> dict[str, Any]:
    return {"timestamp": when, "type": kind, "payload": payload, **more}


def meta(thread: str = T, **more: Any) -> dict[str, Any]:
    payload = {"id": thread, "timestamp": "2026-11-30T09:07:50.900Z", "cwd": "/w", "cli_version": "0.99.0", **more}
    return record("session_meta", payload, "2026-11-30T09:07:51.000Z")


def event(kind: str, **more: Any) -> dict[str, Any]:
    return record("event_msg", {"type": kind, **more})


def item(kind: str, **more: Any) -> dict[str, Any]:
    return record("response_item", {"type": kind, **more})


def said(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def prompt(text: str) -> list[dict[str, Any]]:
    return [said("user", text), event("user_message", message=text)]


def answer(text: str) -> list[dict[str, Any]]:
    return [event("agent_message", message=text), said("assistant", text)]


class Codex:
    """A Codex home; `read` reads its one transcript."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / ".codex" / "sessions" / "2026" / "11" / "30"
        self.folder.mkdir(parents=True)

    def write(self, rows: Iterable[Any], name: str = NAME, folder: Path | None = None) -> Path:
        path = (folder or self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))
        return path

    def found(self) -> list[Transcript]:
        return list(source("codex").discover(str(self.home), {}))

    def records(self, checkpoint: Checkpoint | None = None, **more: Any) -> list[Record]:
        (transcript,) = self.found()
        return list(source("codex").read(transcript, checkpoint, **more))

    def messages(self, *rows: Any) -> list[Message]:
        if rows:
            self.write(rows)
        return [one for one in self.records() if isinstance(one, Message)]

    def told(self, *rows: Any) -> list[tuple[str, str, str]]:
        return [(ROLES[one.role], LANES[part.lane], part.text) for one in self.messages(*rows) for part in one.parts]

    def session(self, *rows: Any) -> Session:
        if rows:
            self.write(rows)
        return [one for one in self.records() if isinstance(one, Session)][-1]


@pytest.fixture
def codex(tmp_path: Path) -> Codex:
    return Codex(tmp_path)


# -- generations -----------------------------------------------------------------------------------------------------

BARE = [
    {"id": T, "timestamp": "2025-07-01T10:00:00.000Z", "instructions": "be nice", "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\nCurrent working directory: /old/place\n</environment_context>"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "古い質問"}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "x"},
    {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","ls"]}', "call_id": "c0"},
    {"type": "function_call_output", "call_id": "c0", "output": '{"output":"a.txt\\n","metadata":{"exit_code":0}}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "古い質問"}]},
]  # fmt: skip


def test_a_bare_file_is_read_and_takes_its_folder_from_the_environment(codex: Codex) -> None:
    assert codex.told(*BARE) == [
        ("system", "context", "<environment_context>\nCurrent working directory: /old/place\n</environment_context>"),
        ("user", "talk", "古い質問"),
        ("assistant", "thinking", "hm"),
        ("assistant", "calls", "shell ls"),
        ("tool", "output", "a.txt"),
        ("assistant", "talk", "done"),
        ("user", "talk", "古い質問"),
    ]
    session = codex.session()
    assert (session.cwd, session.branch, session.title, session.native) == ("/old/place", "main", "古い質問", T)
    assert session.started_ms == 1751364000000
    assert {one.time_ms for one in codex.messages()} == {1751364000000}
    assert len({one.key for one in codex.messages()}) == 7


@pytest.mark.parametrize("begins", [[], [event("task_started", turn_id=T2)]], ids=["", "with turns"])
def test_where_no_event_tells_what_was_said_response_items_do(codex: Codex, begins: list[Any]) -> None:
    rows = [meta(), *begins, said("user", "one"), said("assistant", "two"), said("user", "one")]
    assert codex.told(*rows) == [("user", "talk", "one"), ("assistant", "talk", "two"), ("user", "talk", "one")]


def test_where_events_tell_only_the_prompts_response_items_tell_the_answers(codex: Codex) -> None:
    rows = [meta(), *prompt("one"), said("assistant", "two"), *prompt("three"), said("assistant", "four")]
    assert [text for _, _, text in codex.told(*rows)] == ["one", "two", "three", "four"]


def test_a_turn_that_becomes_known_between_two_records_of_a_text_tells_it_once(codex: Codex) -> None:
    done = event("item_completed", turn_id=T2, item={"type": "UserMessage", "content": [{"type": "text", "text": "q"}]})
    assert codex.told(meta(), said("user", "q"), done) == [("user", "talk", "q")]


def test_what_a_review_found_is_context(codex: Codex) -> None:
    finding = {"title": "off by one", "body": "the last row is lost", "priority": 1}
    action = "<user_action>\n<context>User initiated a review task.</context>\n</user_action>"
    rows = [
        meta(),
        *prompt("/review"),
        event("entered_review_mode", user_facing_hint="changes"),
        said("user", action),
        event("exited_review_mode", review_output={"findings": [finding], "overall_explanation": "patch is wrong"}),
        *answer("I found one thing"),
    ]
    assert codex.told(*rows)[1:] == [
        ("system", "context", action),
        ("system", "context", "off by one\nthe last row is lost\npatch is wrong"),
        ("assistant", "talk", "I found one thing"),
    ]


def test_what_both_tell_is_told_once_however_often_it_was_said(codex: Codex) -> None:
    rows = [meta(), *prompt("yes"), *answer("ok"), *prompt("yes"), *answer("ok"), *prompt("yes"), *prompt("yes")]
    told = [one for one in codex.told(*rows) if one[1] == "talk"]
    assert [text for _, _, text in told] == ["yes", "ok", "yes", "ok", "yes", "yes"]
    assert len({one.key for one in codex.messages()}) == 6


def test_a_summary_that_looks_like_an_answer_is_only_a_summary(codex: Codex) -> None:
    summed = [said("assistant", "the summary"), record("compacted", {"message": "the summary"})]
    told = codex.told(meta(), *prompt("one"), *answer("two"), *summed)
    assert told[2:] == [("system", "summary", "the summary")]


def test_a_migrated_file_keeps_the_names_of_its_messages(codex: Codex) -> None:
    turn = event("task_started", turn_id=T2)
    call = item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c1")
    before = codex.messages(meta(), turn, *prompt("one"), call, *answer("two"))
    done = [
        event("item_completed", turn_id=T2, item={"type": kind, "content": [{"type": "text", "text": text}]})
        for kind, text in (("UserMessage", "one"), ("AgentMessage", "two"))
    ]
    after = codex.messages(meta(history_mode="paginated"), turn, said("user", "one"), done[0], call, done[1])
    assert [(one.key, one.role) for one in after] == [(one.key, one.role) for one in before]


# -- forks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [True, False])
def test_a_fork_that_copies_its_past_with_new_times_shares_the_names(codex: Codex, turns: bool) -> None:
    past = [
        *prompt("one"),
        *answer("two"),
        *prompt("one"),
        item("function_call", name="x", arguments='{"query":"q"}', call_id="c"),
    ]
    if turns:
        past.insert(0, event("task_started", turn_id=T))
    own = codex.messages(meta(), *past, *prompt("goes on"))
    later = [{**row, "timestamp": "2026-11-30T10:00:00.000Z"} for row in past]
    if turns:
        later.append(event("task_started", turn_id=T2))
    fork = codex.messages(meta(T2, forked_from_id=T), meta(T), *later, *prompt("elsewhere"))
    assert [one.key for one in fork[:-1]] == [one.key for one in own[:-1]]
    assert fork[-1].key != own[-1].key
    session = codex.session()
    assert (session.native, session.parent, session.relation) == (T2, T, "fork")


def test_the_same_words_in_another_thread_are_another_message(codex: Codex) -> None:
    first = codex.messages(meta(), *prompt("one"))
    second = codex.messages(meta(T2), *prompt("one"))
    assert first[0].key != second[0].key


# -- subagents -------------------------------------------------------------------------------------------------------

SPAWNED = {
    "subagent": {
        "thread_spawn": {"parent_thread_id": T, "depth": 1, "agent_nickname": "Kepler", "agent_role": "explorer"}
    }
}


def test_what_a_subagent_was_given_of_its_parents_past_stays_the_persons(codex: Codex) -> None:
    inherited = {**prompt("typed")[1], "ordinal": 3}
    task = {**event("user_message", message="count files"), "ordinal": 7}
    rows = [meta(T2, source=SPAWNED, thread_source="subagent", subagent_history_start_ordinal=5), inherited, task]
    assert codex.told(*rows) == [("user", "talk", "typed"), ("assistant", "talk", "count files")]
    session = codex.session()
    assert (session.relation, session.parent, session.agent_type) == ("subagent", T, "explorer")
    assert (session.agent_role, session.title) == ("explorer", "typed")


@pytest.mark.parametrize("kind", ["review", "compact", "memory_consolidation"])
def test_the_programs_own_threads_are_subagents(codex: Codex, kind: str) -> None:
    session = codex.session(meta(T2, source={"subagent": kind}, parent_thread_id=T), *prompt("look at this"))
    assert (session.relation, session.parent, session.agent_type) == ("subagent", T, kind)
    assert codex.told()[0] == ("assistant", "talk", "look at this")


# -- what the program writes around the words ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "head", ["# Context from my IDE setup:", "# Files mentioned by the user:", "# In app browser:"]
)
def test_what_an_editor_puts_before_the_words_is_context(codex: Codex, head: str) -> None:
    text = f"{head}\n\n## Open tabs:\n- a.py: src/a.py\n\n## My request for Codex:\nfix it\n"
    told = codex.told(meta(), said("user", text), event("user_message", message=text))
    assert told[0] == ("user", "talk", "fix it")
    assert [one[:2] for one in told[1:]] == [("user", "context")]
    assert "src/a.py" in told[1][2]
    assert codex.session().title == "fix it"


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>",
        "<user_instructions>\nbe kind\n</user_instructions>",
        "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
        "<skill>\n<name>x</name>\nbe kind</skill>",
        "<turn_aborted>\nstopped\n</turn_aborted>",
        '<subagent_notification>\n{"x":1}\n</subagent_notification>',
        "Warning: apply_patch was requested via exec_command.",
        "<harkback>\nquoted\n</harkback>",
    ],
)
def test_what_the_program_says_in_the_persons_name_is_context(codex: Codex, text: str) -> None:
    rows = [meta(), said("user", text), *prompt("mine")]
    assert codex.told(*rows) == [("system", "context", text), ("user", "talk", "mine")]
    assert codex.told(meta(), said("user", text)) == [("system", "context", text)]


def test_a_developers_message_is_never_talk(codex: Codex) -> None:
    assert codex.told(meta(), said("developer", "one"), said("system", "two")) == [
        ("system", "context", "one"),
        ("system", "context", "two"),
    ]


def test_what_we_told_an_agent_ourselves_is_context_where_it_is_quoted(codex: Codex) -> None:
    told = codex.told(meta(), *prompt("q"), *answer("I found <harkback>old words</harkback> this"))
    assert [one[1:] for one in told[1:]] == [("talk", "I found  this"), ("context", "old words")]


def test_a_command_that_the_person_ran_is_the_persons(codex: Codex) -> None:
    text = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 2\nDuration: 0.1 seconds\nOutput:\nno such\n\n</result>\n</user_shell_command>"
    assert codex.told(meta(), said("user", text)) == [
        ("user", "talk", "! ls"),
        ("user", "output", "Exit code: 2\nno such"),
    ]
    assert codex.session().title == "! ls"
    assert codex.session(meta(), said("user", text), *prompt("words")).title == "words"


# -- calls -------------------------------------------------------------------------------------------------------------

PATCH = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old line\n+新しい行\n*** Add File: b.txt\n+hello\n*** End Patch"
)

CALLS = [
    ({"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","git status"]}'}, "shell git status", ()),
    ({"type": "function_call", "name": "shell", "arguments": '{"command":["ls","-l"]}'}, "shell ls -l", ()),
    ({"type": "function_call", "name": "exec_command", "arguments": '{"cmd":"make test","yield_time_ms":1000}'}, "exec_command make test", ()),
    ({"type": "custom_tool_call", "name": "apply_patch", "input": PATCH}, "apply_patch src/a.py b.txt\nold line\n新しい行\nhello", ("src/a.py", "b.txt")),
    ({"type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["apply_patch", PATCH]})}, "shell src/a.py b.txt\nold line\n新しい行\nhello", ("src/a.py", "b.txt")),
    ({"type": "local_shell_call", "action": {"type": "exec", "command": ["bash", "-lc", "pwd"]}}, "local_shell pwd", ()),
    ({"type": "web_search_call", "action": {"type": "search", "query": "向量 database"}}, "web_search 向量 database", ()),
    ({"type": "web_search_call", "action": {"type": "open_page", "url": "https://example.org/x"}}, "web_search https://example.org/x", ()),
    ({"type": "tool_search_call", "arguments": {"query": "spawn", "limit": 8}}, "tool_search spawn", ()),
    ({"type": "image_generation_call", "revised_prompt": "a cat", "result": "iVBOR"}, "image_generation a cat", ()),
    ({"type": "function_call", "name": "search_memory", "namespace": "mcp__mem", "arguments": '{"query":"q"}'}, "mcp__mem__search_memory q", ()),
    ({"type": "function_call", "name": "x", "arguments": "{broken"}, "x {broken", ()),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text", "files"), CALLS, ids=[one[1][:30] for one in CALLS])
def test_a_call_tells_its_tool_and_its_telling_arguments(
    codex: Codex, call: dict[str, Any], text: str, files: tuple[str, ...]
) -> None:
    (message,) = codex.messages(meta(), record("response_item", {**call, "call_id": "c"}))
    (part,) = message.parts
    assert (ROLES[message.role], LANES[part.lane], part.text, part.files) == ("assistant", "calls", text, files)
    assert part.tool == text.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    "call", [{"name": "get_goal", "arguments": "{}"}, {"name": "x", "arguments": "[]"}, {"name": "x"}]
)
def test_a_call_that_tells_nothing_is_given_only_in_full(codex: Codex, call: dict[str, Any]) -> None:
    assert codex.messages(meta(), item("function_call", call_id="c", **call)) == []
    (message,) = [one for one in codex.records(full=True) if isinstance(one, Message)]
    assert message.parts[0].tool == call["name"]


OUTPUTS = [
    ("plain", "plain"),
    ([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:x"}], "a"),
    ({"content": "old", "success": True}, "old"),
    ('{"output":"inner\\n","metadata":{"exit_code":0}}', "inner"),
    ("Chunk ID: 1a2b\nWall time: 0.05 seconds\nProcess exited with code 0\nOriginal token count: 7\nOutput:\nhello\n", "hello"),
    ("Chunk ID: 1a2b\nWall time: 0.05 seconds\nProcess exited with code 3\nOutput:\nboom\n", "Process exited with code 3\nboom"),
    ("Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n", "Success."),
    ("It says\nOutput:\nnot a header", "It says\nOutput:\nnot a header"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), OUTPUTS)
def test_a_result_is_what_the_tool_gave(codex: Codex, value: Any, text: str) -> None:
    call = item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c")
    message = codex.messages(meta(), call, item("function_call_output", call_id="c", output=value))[1]
    assert message.parts == (Part(LANES.index("output"), text, "shell"),)


# -- names -------------------------------------------------------------------------------------------------------------


def database(codex: Codex, name: str | None, generation: int = 5) -> None:
    con = sqlite3.connect(codex.home / ".codex" / f"state_{generation}.sqlite")
    con.execute("CREATE TABLE IF NOT EXISTS threads(id TEXT PRIMARY KEY, title TEXT NOT NULL, name TEXT)")
    con.execute("INSERT OR REPLACE INTO threads VALUES(?, 'first prompt', ?)", (T, name))
    con.commit()
    con.close()


def test_a_name_is_taken_from_each_of_its_three_places(codex: Codex) -> None:
    rows = [meta(), *prompt("the prompt")]
    assert (codex.session(*rows).title, codex.session().title_rank) == ("the prompt", 0)
    database(codex, "of the database", 4)
    database(codex, None)
    assert (codex.session().title, codex.session().title_rank) == ("of the database", 2)
    database(codex, "of the newest database")
    assert codex.session().title == "of the newest database"
    index = codex.home / ".codex" / "session_index.jsonl"
    index.write_text(f'{{"id":"{T}","thread_name":"first"}}\n{{"id":"{T}","thread_name":"最後的"}}\nbroken\n')
    assert codex.session().title == "最後的"
    index.write_text("")
    os.remove(codex.home / ".codex" / "state_5.sqlite")
    os.remove(codex.home / ".codex" / "state_4.sqlite")
    assert codex.session(*rows, event("thread_name_updated", thread_name="of the record")).title == "of the record"


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"x" * 200])
def test_a_database_that_cannot_be_read_costs_no_title(codex: Codex, content: bytes) -> None:
    (codex.home / ".codex" / "state_9.sqlite").write_bytes(content)
    assert codex.session(meta(), *prompt("the prompt")).title == "the prompt"


# -- places ------------------------------------------------------------------------------------------------------------


def test_transcripts_are_found_flat_dated_archived_and_compressed(codex: Codex) -> None:
    root = codex.home / ".codex"
    codex.write([meta()])
    codex.write([meta()], f"rollout-2025-06-01T10-00-00-{T2}.jsonl", root / "sessions")
    archived = codex.write([meta()], f"rollout-2026-01-01T10-00-00-{T2}.jsonl", root / "archived_sessions")
    codex.write([meta()], "notes.jsonl")
    codex.write([meta()], "rollout-2025-01-01-x.json")
    both = codex.write([meta()], f"rollout-2026-11-30T11-00-00-{T2}.jsonl")
    both.with_name(both.name + ".zst").write_bytes(b"older")
    found = codex.found()
    assert len(found) == 4
    assert archived.name in {os.path.basename(one.path) for one in found}
    assert not any(one.path.endswith(".zst") for one in found)
    assert {one.native for one in found} == {T, T2}


def test_a_thread_in_the_history_is_found_by_the_day_in_its_id(codex: Codex) -> None:
    path = codex.write([meta()])
    history = codex.home / ".codex" / "history.jsonl"
    history.write_text(f'{{"session_id":"{T2}","ts":1,"text":"x"}}\n{{"session_id":"{T}","ts":2,"text":"x"}}\nbro')
    assert list(source("codex").recent(str(codex.home), {})) == [str(path)]
    history.write_text('{"session_id":"no-id"}\n{"session_id":5}\n[]\n')
    assert list(source("codex").recent(str(codex.home), {})) == []


# -- compressed --------------------------------------------------------------------------------------------------------


def compressed(path: Path) -> Path:
    """Compress a transcript as Codex does, in two frames."""
    data = path.read_bytes()
    half = len(data) // 2
    packer = zstandard.ZstdCompressor(level=3)
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(packer.compress(data[:half]) + packer.compress(data[half:]))
    path.unlink()
    return packed


def test_a_compressed_transcript_reads_as_it_did_before_and_back(codex: Codex) -> None:
    path = codex.write([meta(), *prompt("one"), *answer("two")])
    plain = codex.messages()
    assert len(plain) == 2
    packed = compressed(path)
    assert codex.messages() == plain
    (transcript,) = codex.found()
    assert (transcript.path, transcript.native) == (str(packed), T)
    *_, checkpoint = codex.records()
    assert isinstance(checkpoint, Checkpoint)
    assert [type(one) for one in codex.records(checkpoint)] == [Session, Checkpoint]
    packed.unlink()
    codex.write([meta(), *prompt("one"), *answer("two"), *prompt("three")])
    assert codex.messages()[:2] == plain


def test_another_compressed_transcript_in_its_place_is_read_anew(codex: Codex) -> None:
    compressed(codex.write([meta(), *prompt("one")]))
    *_, checkpoint = codex.records()
    assert isinstance(checkpoint, Checkpoint)
    compressed(codex.write([meta(), *prompt("another")]))
    records = codex.records(checkpoint)
    assert isinstance(records[0], Restart)
    assert [one.parts[0].text for one in records if isinstance(one, Message)] == ["another"]


def test_reading_a_compressed_transcript_goes_on_in_the_middle(codex: Codex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harkback.sources.jsonl.CHECKPOINT_EVERY", 100)
    compressed(codex.write([meta(), *prompt("one"), *answer("two"), *prompt("three")]))
    records = codex.records()
    texts = [one.parts[0].text for one in records if isinstance(one, Message)]
    assert texts == ["one", "two", "three"]
    middles = [at for at, one in enumerate(records) if isinstance(one, Checkpoint)][:-1]
    assert len(middles) > 2
    for at in middles:
        checkpoint = records[at]
        assert isinstance(checkpoint, Checkpoint)
        rest = [one.parts[0].text for one in records[at:] if isinstance(one, Message)]
        assert [one.parts[0].text for one in codex.records(checkpoint) if isinstance(one, Message)] == rest


@pytest.mark.parametrize("damage", [b"no zstd at all", b""])
def test_a_damaged_compressed_transcript_is_a_problem_and_no_more(codex: Codex, damage: bytes) -> None:
    packed = compressed(codex.write([meta(), *prompt("one")]))
    data = packed.read_bytes()
    packed.write_bytes(damage or data[:20] + b"\xff" * 40)
    records = codex.records()
    assert any(isinstance(one, Problem) and one.kind == "unreadable" for one in records)
    assert isinstance(records[-1], Checkpoint)
