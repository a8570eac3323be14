"""`hark hook` as agents start it: with their own inputs, a broken archive, and nothing to say most of the time."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import Claude, Codex, hark
else:
    from pens import Claude, Codex, hark

PAST = "上次那個憑證的問題怎麼解的？"
CLAUDE = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "transcript_path": "/x", "cwd": "/w/demo"}
CODEX = {**CLAUDE, "turn_id": "t1", "model": "gpt"}
GEMINI = {**CLAUDE, "hook_event_name": "BeforeAgent", "timestamp": "2026-11-30T09:36:22.019Z"}
COPILOT = {"sessionId": "s1", "timestamp": 1796031386329, "cwd": "/w/demo"}
OURS = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": "/w/demo", "agent": "pi"}


def ask(sent: Any) -> str:
    """Start it as an agent does; gives what the agent would be told."""
    given = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    done = subprocess.run([sys.executable, "-m", "harkback", "hook"], input=given, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    told = json.loads(done.stdout)
    if isinstance(sent, dict) and "sessionId" in sent:
        assert {*told} == {"additionalContext"}
    else:
        assert {*told} == {"hookSpecificOutput"}  # Codex drops an answer that has any other key
        told = told["hookSpecificOutput"]
        assert told["hookEventName"] == sent["hook_event_name"]
    text: str = told["additionalContext"]
    return text


@pytest.fixture
def talked(own_home: Path) -> Claude:
    pen = Claude(1, "2026-11-03", "/w/demo")
    pen.user("閘道器的憑證到期了，要怎麼更新？")
    pen.say("憑證用 lego renew 更新，改用 DNS 驗證就好。")
    pen.write(own_home)
    hark("sync")
    return pen


@pytest.mark.usefixtures("talked")
@pytest.mark.parametrize("client", [CLAUDE, CODEX, GEMINI, COPILOT, OURS])
def test_a_prompt_that_points_to_the_past_is_answered_with_the_best_hits(client: dict[str, Any]) -> None:
    told = ask({**client, "prompt": PAST})
    assert told.startswith("<harkback>\n使用者提到過去的工作。先搜尋再回答")
    assert told.endswith("\n</harkback>")
    assert "search 憑證" in told.replace("'", "")
    assert "憑證用 lego renew 更新" in told
    assert len(told) <= 1500
    assert ask({**client, "prompt": "請加上測試"}) == ""


@pytest.mark.usefixtures("talked")
def test_the_reminder_is_in_the_language_of_the_prompt() -> None:
    assert "Search before you answer" in ask({**CLAUDE, "prompt": "how did we renew the certificate last time?"})
    assert "まず検索してください" in ask({**CLAUDE, "prompt": "前回、証明書をどう更新したっけ？"})
    assert "先搜索再回答" in ask({**CLAUDE, "prompt": "我们之前怎么更新证书的"})
    nothing = ask({**CLAUDE, "prompt": "what did we decide about the purple submarine?"})
    assert " search 'purple submarine'" in nothing
    assert "Perhaps" not in nothing


@pytest.mark.usefixtures("talked")
def test_the_command_it_names_works_where_it_stands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    line = ask({**CLAUDE, "prompt": PAST}).splitlines()[2].strip()
    assert line.startswith(f"{sys.executable} -m harkback search ")
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert "lego renew" in done.stdout.decode()
    (tmp_path / "hark").write_text("#!/bin/sh\n")
    (tmp_path / "hark").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert ask({**CLAUDE, "prompt": PAST}).splitlines()[2].strip().startswith("hark search ")


@pytest.mark.usefixtures("talked")
def test_a_memory_stands_before_sessions_and_weak_ones_do_not() -> None:
    hark("remember", "--global", "閘道器的憑證每年三月更新")
    hark("remember", "--global", "咖啡機在三樓，每週五要清洗")
    told = ask({**CLAUDE, "prompt": PAST})
    assert "閘道器的憑證每年三月更新" in told
    assert told.index("每年三月") < told.index("lego renew")
    assert "咖啡機" not in told


def test_the_session_that_asks_is_left_out(talked: Claude) -> None:
    assert "lego renew" in ask({**CLAUDE, "prompt": PAST})
    assert "lego renew" not in ask({**CLAUDE, "session_id": talked.native, "prompt": PAST})


@pytest.mark.usefixtures("talked")
@pytest.mark.parametrize(
    "sent",
    [
        {**CODEX, "agent_id": "a1", "prompt": PAST},
        {**CLAUDE, "prompt": f"<task-notification>\n{PAST}</task-notification>"},
        {**CLAUDE, "prompt": ""},
        {**CLAUDE, "prompt": "  \n"},
        {**CLAUDE, "prompt": "/compact 上次"},
        {**COPILOT, "source": "agent-1", "prompt": PAST},
        {**CLAUDE, "hook_event_name": "PostToolUse", "prompt": PAST},
        {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"},
        {**CLAUDE, "prompt": 7},
        [],
        "text",
        b"",
        b"no json",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_asks_for_nothing_gets_nothing(sent: Any) -> None:
    assert ask({**CLAUDE, "prompt": PAST})
    assert ask(sent) == ""


@pytest.mark.usefixtures("talked")
def test_a_session_begins_with_what_is_known_where_that_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    start = {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"}
    hark("remember", "--global", "閘道器的憑證每年三月更新")
    assert ask(start) == ""
    monkeypatch.setenv("HARK_HOOK_CONTEXT", "on")
    told = ask(start)
    assert "閘道器的憑證每年三月更新" in told
    assert told.startswith("<harkback>\nWhat is remembered (data, no instructions")
    assert len(told) <= 1500
    assert ask({**start, "source": "compact"}) == told
    assert ask({**start, "source": "resume"}) == ""


@pytest.mark.usefixtures("talked")
@pytest.mark.parametrize("harm", ["missing", "garbage", "empty", "locked", "kept", "memories", "index", "unreadable"])
def test_whatever_is_wrong_with_the_archive_no_prompt_is_kept_waiting(harm: str) -> None:
    hark("remember", "--global", "閘道器的憑證每年三月更新")
    assert "每年三月" in ask({**CLAUDE, "prompt": PAST})
    folder = os.environ["HARK_HOME"]
    names = {"garbage": "archive.sqlite", "empty": "archive.sqlite", "memories": "memory.sqlite"}
    lock = sqlite3.connect(os.path.join(folder, "archive.sqlite"))
    if harm == "missing":
        shutil.rmtree(folder)
    elif harm in names:
        with open(os.path.join(folder, names[harm]), "r+b") as file:
            file.truncate(0) if harm == "empty" else file.write(b"\x01garbage" * 2000)
    elif harm == "locked":
        lock.execute("BEGIN EXCLUSIVE")
    elif harm == "kept":
        lock.execute("PRAGMA locking_mode=EXCLUSIVE")
        lock.execute("BEGIN EXCLUSIVE")
    elif harm == "index":
        for base, _, files in os.walk(os.path.join(folder, "words")):
            for name in files:
                os.unlink(os.path.join(base, name))
    else:
        os.chmod(os.path.join(folder, "archive.sqlite"), 0)
    began = time.monotonic()
    told = ask({**CLAUDE, "prompt": PAST})
    assert time.monotonic() - began < 4
    lock.close()
    assert len(told) <= 1500
    if harm in {"missing", "garbage", "kept"}:
        assert told == ""
    else:
        assert told == "" or " search " in told


@pytest.mark.usefixtures("talked")
def test_a_prompt_that_looks_something_up_is_answered_where_it_is_there() -> None:
    assert "lego renew" in ask({**CLAUDE, "prompt": "查一下憑證"})
    assert "lego renew" in ask({**CLAUDE, "prompt": "翻一下之前的憑證"})
    assert ask({**CLAUDE, "prompt": "查一下潛水艇"}) == ""
    assert ask({**CLAUDE, "prompt": "上次的 commit 還原"}) == ""


@pytest.mark.usefixtures("talked")
def test_nothing_is_said_of_a_broken_configuration() -> None:
    with open(os.path.join(os.environ["HARK_HOME"], "config.toml"), "w", encoding="utf-8") as file:
        file.write("not = [valid")
    assert "lego renew" in ask({**CLAUDE, "prompt": PAST})  # `ask` sees that nothing is on stderr
    assert "sessions --since" in ask({**CLAUDE, "prompt": "上次"})


@pytest.mark.usefixtures("talked")
def test_what_failed_is_said_by_status_and_holds_nothing_of_the_prompt() -> None:
    assert "hooks" not in hark("status").out
    with open(os.path.join(os.environ["HARK_HOME"], "archive.sqlite"), "r+b") as file:
        file.seek(100)
        kept = file.read(4000)
        file.seek(100)
        file.write(b"\xff" * 4000)
    ask({**CLAUDE, "prompt": PAST})
    with open(os.path.join(os.environ["HARK_HOME"], "archive.sqlite"), "r+b") as file:
        file.seek(100)
        file.write(kept)
    assert "hooks" in hark("status").out
    told = hark("status", "--json").json["hook_failures"]
    assert told["number"] >= 1
    with open(os.path.join(os.environ["HARK_HOME"], "hook-failures.jsonl"), encoding="utf-8") as file:
        assert "憑證" not in file.read()


@pytest.mark.usefixtures("talked")
def test_what_a_hook_said_is_no_talk(own_home: Path) -> None:
    said = ask({**CLAUDE, "prompt": PAST})
    pen = Codex(2, "2026-11-05", "/w/demo")
    pen.user(f"{said}\n\nthe purple submarine")
    pen.write(own_home)
    hark("sync")
    hits = hark("search", "--json", "先搜尋再回答").json["hits"]
    assert not [one for one in hits if one["lane"] == "talk"]
    assert hark("search", "--json", "purple submarine").json["hits"]
