"""The real agent programs after `hark setup`: reminded where a prompt points to the past, counted by `hark audit`."""

from __future__ import annotations

import contextlib
import io
import json
import os
from typing import TYPE_CHECKING

from harkback.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.clients.conftest import Client

AGENTS = {"claude": "claude-code", "codex": "codex", "pi": "pi"}
REMINDERS = {
    "上次那個憑證是怎麼更新的？": "先搜尋再回答",
    "前回、証明書をどう更新したっけ？": "まず検索してください",
    "how did we renew the certificate last time?": "Search before you answer",
}
QUIET = "please list the files in this folder"


def hark(*argv: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = main([*argv])
    return status, out.getvalue()


def files(home: Path) -> dict[str, bytes]:
    skipped = {"projects", "sessions", "cache", "statsig", "todos", "shell-snapshots", "log", "tmp"}
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and not skipped & {*path.parts}
    }


def test_agents_are_reminded_and_what_they_did_is_counted(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", client.env()["PATH"])
    before = files(client.home)
    hark("remember", "--global", "閘道器的憑證 certificate 証明書 用 lego renew 更新")
    status, shown = hark("setup", AGENTS[client.name], "--yes")
    assert status in {0, 2}, shown  # 2: the hook is not found outside of this environment
    for prompt, reminder in REMINDERS.items():
        client.run(prompt)
        sent = client.model.of(prompt)[-1].text
        assert reminder in sent
        assert "lego renew" in sent
    client.run(QUIET)
    told = client.model.of(QUIET)[-1].text
    assert not any(reminder in told for reminder in REMINDERS.values())
    shell = (
        {"command": "hark search lego --no-sync"} if client.name != "codex" else {"cmd": "hark search lego --no-sync"}
    )
    tool = {"claude": "Bash", "codex": "exec_command", "pi": "bash"}[client.name]
    client.run(f"CALL {tool} {json.dumps(shell)}")
    client.run('CALL search_memory {"queries": ["lego"]}')
    hark("sync")
    counted = json.loads(hark("audit", "--json")[1])
    assert counted["calls"] == 2
    assert {*counted["agents"]} == {AGENTS[client.name]}
    assert counted["hook"]["spoke"] == 3
    hark("setup", AGENTS[client.name], "--undo", "--yes")
    after = files(client.home)
    ours = [path for path in before if after.get(path) != before[path] and b"hark" in after.get(path, b"")]
    assert not ours
    assert not [path for path in after if "hark" in os.path.basename(path)]
