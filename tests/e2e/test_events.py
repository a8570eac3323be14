"""`hark events`, `hark resume` and `hark sources`, as the installed commands print them.

The transcripts are small: each row is what the agent writes, cut to what matters.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from typing import TYPE_CHECKING, Any

import pytest

from harkback.cli import main

if TYPE_CHECKING:
    from pathlib import Path

S1 = "11111111-1111-4111-8111-111111111111"
S2 = "22222222-2222-4222-8222-222222222222"
KEYS = [
    *("schema", "id", "agent", "session", "path", "time", "cwd", "branch", "role", "kind", "tool", "model", "effort"),
    *("agent_type", "agent_model", "agent_role", "originator", "skill", "text", "args", "copies"),
]


def row(kind: str, uuid: str, content: Any, minute: int = 0, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    return {
        "type": kind,
        "uuid": uuid,
        "sessionId": S1,
        "timestamp": f"2026-11-03T23:{minute:02d}:00.123Z",
        "cwd": "/w",
        "gitBranch": "main",
        "entrypoint": "cli",
        "message": message,
        **more,
    }


ANSWER = {"id": "msg_1", "model": "claude-opus-4-8", "usage": {"input_tokens": 10, "output_tokens": 1}}
USAGE = {"input_tokens": 10, "output_tokens": 7, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5}
LONG = "head " + "x y " * 5000 + "tail"
ROWS = [
    row("user", "u1", "the question", 1),
    row("assistant", "a1", [{"type": "thinking", "thinking": "well"}], 2, message=ANSWER, effort="high"),
    row("assistant", "a2", [{"type": "text", "text": "an answer"}], 2, message={**ANSWER, "usage": USAGE}),
    row(
        "assistant",
        "a3",
        [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls", "timeout": 5}}],
        3,
        message={**ANSWER, "id": "msg_2"},
    ),
    row("user", "r1", [{"type": "tool_result", "tool_use_id": "t1", "content": LONG}], 4),
    row("assistant", "a4", [{"type": "tool_use", "id": "t2", "name": "TodoRead", "input": {}}], 5),
    {
        **row("attachment", "h1", ""),
        "attachment": {"type": "hook_additional_context", "content": ["remember"], "hookName": "UserPromptSubmit:x"},
    },
]


class Box:
    """A home with transcripts, and the commands run in it."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self.capsys = capsys

    def write(self, name: str, rows: list[dict[str, Any]], below: str = ".claude/projects/-w") -> Path:
        path = self.home / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
        return path

    def run(self, *argv: str, status: int = 0) -> str:
        assert main(list(argv)) == status
        return self.capsys.readouterr().out

    def events(self, *argv: str, status: int = 0) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run("events", *argv, status=status).splitlines()]

    def told(self, *argv: str) -> list[tuple[str, str]]:
        return [(one["kind"], one["text"]) for one in self.events(*argv)]


@pytest.fixture
def box(own_home: Path, capsys: pytest.CaptureFixture[str]) -> Box:
    made = Box(own_home, capsys)
    made.write(f"{S1}.jsonl", ROWS)
    return made


def test_an_event_has_all_keys_in_order_and_says_who_did_what(box: Box) -> None:
    events = box.events()
    assert [list(one) for one in events] == [KEYS] * 7
    assert [(one["kind"], one["role"], one["tool"], one["text"]) for one in events] == [
        ("prompt", "user", "", "the question"),
        ("thinking", "assistant", "", "well"),
        ("reply", "assistant", "", "an answer"),
        ("tool_call", "assistant", "Bash", "Bash ls"),
        ("tool_result", "tool", "Bash", LONG),
        ("tool_call", "assistant", "TodoRead", "TodoRead"),
        ("hook", "system", "", "remember"),
    ]
    prompt, thought, _, call, *_ = events
    assert (prompt["agent"], prompt["session"], prompt["cwd"]) == ("claude-code", f"claude-code:{S1}", "/w")
    assert (prompt["time"], prompt["branch"], prompt["originator"]) == ("2026-11-03T23:01:00.123+00:00", "main", "cli")
    assert prompt["path"].endswith(f"{S1}.jsonl")
    assert (thought["effort"], thought["model"]) == ("high", "claude-opus-4-8")
    assert call["args"] == {"command": "ls", "timeout": 5}
    assert prompt["args"] is None
    assert "the question" in box.run("show", prompt["id"])


def test_the_id_of_what_the_archive_does_not_keep_is_empty(box: Box) -> None:
    kept = {one["tool"] or one["kind"]: bool(one["id"]) for one in box.events()}
    assert kept["Bash"]
    assert not kept["TodoRead"]


@pytest.mark.parametrize(
    ("argv", "texts"),
    [
        (["--kind", "prompt"], ["the question"]),
        (["--kind", "prompt", "--kind", "reply"], ["the question", "an answer"]),
        (["--tool", "bash", "--kind", "tool_call"], ["Bash ls"]),
        (["--tool", "Bash", "--tool", "TodoRead", "--kind", "tool_call"], ["Bash ls", "TodoRead"]),
        (["--kind", "prompt", "--agent", "claude"], ["the question"]),
        (["--kind", "prompt", "--project", "w"], ["the question"]),
        (["--kind", "prompt", "--session", S1[:8]], ["the question"]),
        (["--kind", "prompt", "--since", "2026-11-03T23:01", "--until", "2026-11-03"], ["the question"]),
    ],
)
def test_filters_choose_and_may_be_repeated(box: Box, argv: list[str], texts: list[str]) -> None:
    assert [one["text"] for one in box.events(*argv)] == texts


@pytest.mark.parametrize(
    "argv",
    [
        ["--kind", "summary"],
        ["--tool", "Ba"],
        ["--agent", "pi"],
        ["--project", "elsewhere"],
        ["--since", "2026-11-04"],
        ["--until", "2026-11-02"],
    ],
)
def test_nothing_that_fits_is_status_one(box: Box, argv: list[str]) -> None:
    assert box.events()
    assert box.events(*argv, status=1) == []


def test_an_unknown_kind_names_those_there_are(box: Box) -> None:
    assert main(["events", "--kind", "speech"]) == 2
    said = box.capsys.readouterr().err
    assert "prompt" in said
    assert "tool_result" in said


def test_what_a_fork_copied_is_given_once_and_names_the_fork(box: Box) -> None:
    own = row("user", "u9", "in the fork", 9)
    fork = [{**one, "sessionId": S2} for one in (*ROWS, own)]
    box.write(f"{S2}.jsonl", fork)
    events = box.events()
    assert [one["text"] for one in events if one["kind"] == "prompt"] == ["the question", "in the fork"]
    assert [one["session"][-1] for one in events] == ["1"] * 7 + ["2"]
    assert events[0]["copies"] == [f"claude-code:{S2}"]
    assert events[-1]["copies"] == []
    assert [one["text"] for one in box.events("--session", S2, "--kind", "prompt")] == ["the question", "in the fork"]
    assert len(box.events("--copies")) == 15
    counted = json.loads(box.run("events", "--stats", "--json"))["total"]
    assert counted["events"]["prompt"] == 2
    assert counted["tools"] == {"Bash": 1, "TodoRead": 1}
    assert counted["sessions"] == 2


def test_of_a_deleted_transcript_what_was_kept_is_given(box: Box) -> None:
    path = box.write(
        f"{S2}.jsonl",
        [
            {**row("user", "u5", "kept", 20), "sessionId": S2},
            *({**one, "sessionId": S2, "uuid": f"c{at}"} for at, one in enumerate(ROWS[3:5])),
        ],
    )
    assert [one["text"] for one in box.events("--session", S2)] == ["kept", "Bash ls", LONG]
    path.unlink()
    (prompt, call, result) = box.events("--session", S2)
    assert (prompt["kind"], prompt["text"]) == ("prompt", "kept")
    assert (call["kind"], call["args"]) == ("tool_call", None)
    assert result["text"].startswith("head")
    assert len(result["text"]) < len(LONG)


def test_a_deleted_subagents_task_is_no_reply_and_the_counts_say_what_is_missing(box: Box) -> None:
    task = {**row("user", "s1", "count them", 20), "isSidechain": True, "agentId": "a1"}
    told = {
        **row("assistant", "s2", [{"type": "text", "text": "three"}], 21, message=ANSWER),
        "isSidechain": True,
        "agentId": "a1",
    }
    path = box.write("agent-a1.jsonl", [task, told], f".claude/projects/-w/{S1}/subagents")
    kinds = [(one["kind"], one["text"]) for one in box.events("--session", f"{S1}/a1")]
    assert kinds == [("meta", "count them"), ("reply", "three")]
    before = json.loads(box.run("events", "--stats", "--json"))["total"]
    path.unlink()
    assert [(one["kind"], one["text"]) for one in box.events("--session", f"{S1}/a1")] == kinds
    after = json.loads(box.run("events", "--stats", "--json"))["total"]
    assert (before["gone"], after["gone"]) == (0, 1)
    assert after["events"] == before["events"]
    assert main(["events", "--stats"]) == 0
    assert "1 session counted as kept here" in box.capsys.readouterr().err


def test_tokens_count_once_for_each_answer_and_the_last_row_says_how_many(box: Box) -> None:
    counted = json.loads(box.run("events", "--stats", "--json"))
    assert counted["total"]["tokens"] == {"input": 20, "output": 8, "cache_read": 100, "cache_write": 5}
    assert counted["total"]["models"] == {"claude-opus-4-8": 1}
    assert counted["total"]["hooks"] == {"UserPromptSubmit:x": 1}
    (group,) = counted["groups"]
    assert (group["day"], group["agent"], group["project"]) == ("2026-11-03", "claude-code", "/w")


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="needs to change the zone")
def test_days_are_those_of_the_users_zone(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "TZ", "Asia/Tokyo")
    time.tzset()
    counted = json.loads(box.run("events", "--stats", "--json"))
    assert [one["day"] for one in counted["groups"]] == ["2026-11-04"]
    assert box.events("--since", "2026-11-04")
    assert box.events("--until", "2026-11-03", status=1) == []


def test_the_first_lines_do_not_wait_for_the_last_transcript(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    from harkback.archive.sessions import Archive
    from harkback.config import place
    from harkback.query import parse
    from harkback.sources import claude_code

    for number in range(20):
        box.write(
            f"{number:08d}.jsonl", [{**row("user", f"x{number}", "more", 30 + number), "sessionId": f"{number:08d}"}]
        )
    box.run("sync")
    opened: list[str] = []
    read = claude_code.read

    def counting(transcript: Any, checkpoint: Any, *, full: bool = False) -> Any:
        opened.append(transcript.path)
        return read(transcript, checkpoint, full=full)

    monkeypatch.setattr(claude_code, "read", counting)
    archive = Archive(place(os.environ), os.environ, int(time.time() * 1000), "/")
    found = archive.events(parse("", 0))
    next(found.stream.events())
    found.close()
    assert len(opened) == 1


def test_stats_for_people(box: Box) -> None:
    said = box.run("events", "--stats")
    assert "2026-11-03  claude-code  /w" in said
    assert "Bash 1" in said
    assert "20 in, 8 out, 100 cached, 5 written" in said


def test_without_an_archive_there_is_a_next_step(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not list(own_home.iterdir())
    assert main(["events"]) == 2
    assert "hark sync" in capsys.readouterr().err


# -- resume --------------------------------------------------------------------------------------------------------


def test_resume_prints_the_command_and_the_folder(box: Box, tmp_path: Path) -> None:
    box.write(f"{S2}.jsonl", [{**row("user", "u5", "hi", 20), "sessionId": S2, "cwd": str(tmp_path)}])
    box.run("sync")
    assert box.run("resume", S2) == f"cd {tmp_path} && claude --resume {S2}\n"
    said = json.loads(box.run("resume", S2, "--json"))
    argv = ["claude", "--resume", S2]
    assert said == {"schema": 1, "session": f"claude-code:{S2}", "argv": argv, "env": {}, "cwd": str(tmp_path)}
    message = box.events("--kind", "prompt", "--session", S2)[0]["id"]
    assert box.run("resume", message) == f"cd {tmp_path} && claude --resume {S2}\n"


def test_a_folder_that_is_gone_does_not_stop_the_line(box: Box) -> None:
    box.run("sync")
    assert main(["resume", S1]) == 0
    said = box.capsys.readouterr()
    assert said.out == f"claude --resume {S1}\n"
    assert "/w is not there any more" in said.err


def test_a_folder_whose_name_held_a_secret_is_said_to_be_masked(box: Box, tmp_path: Path) -> None:
    folder = tmp_path / ("ghp_" + "a1B2c3D4" * 5)
    folder.mkdir()
    box.write(f"{S2}.jsonl", [{**row("user", "u5", "hi", 20), "sessionId": S2, "cwd": str(folder)}])
    box.run("sync")
    for argv in (["resume", S2], ["resume", S2, "--json"]):
        assert main(argv) == 0
        said = box.capsys.readouterr()
        assert f"--resume {S2}\n" in said.out or f'"--resume", "{S2}"' in said.out
        assert f"{tmp_path}/[masked github-token] held a secret in its name, which is masked here" in said.err
        assert "go to the folder yourself and run the command there" in said.err
        assert "not there any more" not in said.err


def test_a_folder_with_spaces_is_quoted(box: Box, tmp_path: Path) -> None:
    folder = tmp_path / "my 專案's"
    folder.mkdir()
    box.write(f"{S2}.jsonl", [{**row("user", "u5", "hi", 20), "sessionId": S2, "cwd": str(folder)}])
    box.run("sync")
    assert shlex.split(box.run("resume", S2)) == ["cd", str(folder), "&&", "claude", "--resume", S2]


@pytest.mark.parametrize(
    ("variable", "below", "name"),
    [
        ("CODEX_HOME", "sessions", f"rollout-2026-11-03T09-00-00-{S2}.jsonl"),
        ("CLAUDE_CONFIG_DIR", "projects/-w", f"{S2}.jsonl"),
    ],
)
def test_what_lies_elsewhere_is_resumed_with_its_variable(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, below: str, name: str
) -> None:
    moved = tmp_path / "專 x"
    monkeypatch.setenv(variable, str(moved))
    box.write(name, CODEX if variable == "CODEX_HOME" else [{**ROWS[0], "sessionId": S2}], f"{moved}/{below}")
    box.run("sync")
    monkeypatch.delenv(variable)
    line = shlex.split(box.run("resume", S2))
    assert line[0] == f"{variable}={moved}"
    assert json.loads(box.run("resume", S2, "--json"))["env"] == {variable: str(moved)}


def test_a_session_whose_transcript_is_gone_cannot_be_resumed(box: Box) -> None:
    path = box.write(f"{S2}.jsonl", [{**row("user", "u5", "hi", 20), "sessionId": S2}])
    box.run("sync")
    assert box.run("resume", S2)
    path.unlink()
    box.run("sync")
    assert main(["resume", S2]) == 1
    said = box.capsys.readouterr().err
    assert "deleted the transcript" in said
    assert "hark show" in said
    assert main(["resume", "no-such-id"]) == 1


CODEX: list[dict[str, Any]] = [
    {"timestamp": "2026-11-03T09:00:00Z", "type": "session_meta", "payload": {"id": S2, "cwd": "/cx"}},
    {"timestamp": "2026-11-03T09:00:01Z", "type": "event_msg", "payload": {"type": "user_message", "message": "hello"}},
]
PI: list[dict[str, Any]] = [
    {"type": "session", "version": 3, "id": S2, "timestamp": "2026-11-03T09:00:00Z", "cwd": "/pi"},
    {
        "type": "message",
        "id": "aaaaaaaa",
        "parentId": None,
        "timestamp": "2026-11-03T09:00:01Z",
        "message": {"role": "user", "content": "hello"},
    },
]


def test_each_agent_has_its_own_command(box: Box) -> None:
    box.write(f"rollout-2026-11-03T09-00-00-{S2}.jsonl", CODEX, ".codex/sessions/2026/11/03")
    box.write(f"2026-11-03T09-00-00-000Z_{S2}.jsonl", PI, ".pi/agent/sessions/--pi--")
    claw = box.write(f"{S1}.jsonl", [{**PI[0], "id": S1}, {**PI[1], "id": "bbbbbbbb"}], ".openclaw/agents/a/sessions")
    box.run("sync")
    assert box.run("resume", f"codex:{S2}") == f"codex resume {S2}\n"
    assert box.run("resume", f"pi:{S2}") == f"pi --session {S2}\n"
    assert claw.exists()
    assert main(["resume", f"pi:{S1}"]) == 1  # OpenClaw's
    assert "no command" in box.capsys.readouterr().err


# -- sources -------------------------------------------------------------------------------------------------------


def test_sources_says_what_was_found_where(box: Box) -> None:
    box.write(f"rollout-2026-11-03T09-00-00-{S2}.jsonl", CODEX, ".codex/sessions/2026/11/03")
    before = {one["agent"]: one for one in json.loads(box.run("sources", "--json"))["sources"]}
    assert (before["codex"]["on_disk"], before["codex"]["files"]) == (1, 0)
    assert "1 not read yet" in box.run("sources")
    box.write("broken.jsonl", [])
    with (box.home / ".claude/projects/-w/broken.jsonl").open("a", encoding="utf-8") as file:
        file.write("no json\n")
    box.run("sync")
    found = {one["agent"]: one for one in json.loads(box.run("sources", "--json"))["sources"]}
    assert list(found) == ["claude-code", "codex", "pi", "hark-chat"]
    codex = found["codex"]
    assert codex["folders"] == [str(box.home / ".codex")]
    assert (codex["on_disk"], codex["files"], codex["sessions"], codex["messages"]) == (1, 1, 1, 1)
    assert codex["newest"] == "2026-11-03T09:00:01+00:00"
    assert (found["claude-code"]["problems"], codex["problems"]) == (1, 0)
    assert found["pi"]["folders"] == []
    said = box.run("sources")
    assert "pi  not found" in said
    assert "CODEX_HOME" in said


def test_a_variable_that_names_no_folder_is_told(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is set to" not in box.run("sources")
    monkeypatch.setenv("CODEX_HOME", "/no/such/place")
    assert "CODEX_HOME is set to /no/such/place" in box.run("sources")
    found = {one["agent"]: one["missing"] for one in json.loads(box.run("sources", "--json"))["sources"]}
    assert found == {"claude-code": [], "codex": ["CODEX_HOME=/no/such/place"], "pi": [], "hark-chat": []}


def test_events_that_do_not_exist_are_told(box: Box) -> None:
    assert main(["events", "--agent", "nosuch", "--kind", "prompt"]) == 1
    said = box.capsys.readouterr()
    assert said.out == ""
    assert "no event fits the filters (agent, kind)" in said.err


def test_a_thread_renamed_after_its_end_has_its_new_name_at_the_next_search(box: Box) -> None:
    box.write(f"rollout-2026-11-03T09-00-00-{S2}.jsonl", CODEX, ".codex/sessions/2026/11/03")
    assert json.loads(box.run("search", "--json", "hello"))["hits"][0]["title"] == "hello"
    index = box.home / ".codex" / "session_index.jsonl"
    for name in ("zweiter 第二標題", "third"):
        with index.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"id": S2, "thread_name": name}) + "\n")
        (hit,) = json.loads(box.run("search", "--json", "in:title", name))["hits"]
        assert (hit["title"], hit["lane"]) == (name, "title")
    assert main(["search", "in:title", "zweiter"]) == 1


def test_sources_without_any_agent_is_status_one(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not list(own_home.iterdir())
    assert main(["sources"]) == 1
    assert "claude-code  not found" in capsys.readouterr().out
