"""`hark chat` at a terminal, driven in tmux: completion, several lines, an interrupt, another size, wide characters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.chat_dialects import said
    from tests.e2e.chat_server import SOURCE, ChatServer, Reply
else:
    from chat_dialects import said
    from chat_server import SOURCE, ChatServer, Reply

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Tmux:
    """One terminal with `hark chat` in it."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.socket = str(folder / "tmux")
        self.env = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": SOURCE, **env}
        self.run("new-session", "-d", "-x", "60", "-y", "24", sys.executable, "-m", "harkback", "chat")

    def run(self, *argv: str) -> str:
        done = subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", self.socket, *argv],
            capture_output=True,
            encoding="utf-8",
            env=self.env,
            timeout=10,
            check=False,
        )
        return done.stdout

    def keys(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def type(self, text: str) -> None:
        self.run("send-keys", "-l", text)

    def screen(self) -> str:
        return "\n".join(line.rstrip() for line in self.run("capture-pane", "-p").splitlines())

    def wait(self, text: str, times: int = 1) -> str:
        """Give the screen as soon as it holds a text, so often."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            shown = self.screen()
            if shown.count(text) >= times:
                return shown
            time.sleep(0.02)
        raise AssertionError((text, self.screen()))

    def prompt(self) -> None:
        """Wait until a line can be typed on: before, the terminal itself would take Ctrl-C and Ctrl-D."""
        until = time.monotonic() + 10
        while time.monotonic() < until:
            lines = self.screen().split("\n")
            if next((line for line in reversed(lines) if line), "") == ">":
                return
            time.sleep(0.02)
        raise AssertionError(self.screen())

    def ended(self) -> bool:
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if not self.run("list-sessions"):
                return True
            time.sleep(0.02)
        return False


@pytest.fixture
def server() -> Iterator[ChatServer]:
    one = ChatServer()
    yield one
    one.close()


@pytest.fixture
def terminal(server: ChatServer, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tmux]:
    assert own_home.exists()
    monkeypatch.chdir(tmp_path)
    settings = {"HARK_CHAT_BASE_URL": server.url, "HARK_CHAT_MODEL": "openai:small", "HARK_CHAT_EXTRACT_EVERY": "0"}
    one = Tmux(tmp_path, settings)
    yield one
    one.run("kill-server")


def test_a_shell_command_is_run_only_after_a_yes(terminal: Tmux, server: ChatServer, tmp_path: Path) -> None:
    def asks(command: str) -> list[Reply]:
        return [Reply("", calls=(("shell", {"command": command}),)), Reply("So be it.")]

    server.replies = asks("touch early")
    terminal.prompt()
    terminal.type("make it")
    terminal.keys("Enter")
    terminal.wait("So be it.")
    assert "has not switched the shell on" in said(server.requests[-1], "tool")
    for answer, is_made in (("n", False), ("", False), ("y", True)):
        server.replies = asks("touch late && echo 'a\tb' && echo $HARK_CHAT_SESSION | wc -c")
        terminal.prompt()
        terminal.type("/shell on")
        terminal.keys("Enter")
        terminal.prompt()
        terminal.type("make it")
        terminal.keys("Enter")
        terminal.wait("[y/N]")
        assert "touch late" in terminal.screen()
        assert not (tmp_path / "late").exists()
        terminal.type(answer)
        terminal.keys("Enter")
        terminal.prompt()
        assert (tmp_path / "late").exists() is is_made, answer
        assert ("exit status 0" in said(server.requests[-1], "tool")) is is_made
        terminal.type("/shell off")
        terminal.keys("Enter")
        terminal.prompt()
        terminal.keys("C-l")
    assert said(server.requests[-1], "tool").splitlines()[-1] == "37"  # the id of the conversation, and a line's end

    server.replies = asks("echo begun > begun; sleep 60")
    terminal.prompt()
    terminal.type("/shell on")
    terminal.keys("Enter")
    terminal.prompt()
    terminal.type("wait for it")
    terminal.keys("Enter")
    terminal.wait("[y/N]")
    terminal.type("y")
    terminal.keys("Enter")
    until = time.monotonic() + 10
    while not (tmp_path / "begun").exists() and time.monotonic() < until:
        time.sleep(0.02)
    terminal.keys("C-c")
    terminal.wait("cut short")
    terminal.prompt()
    server.replies = asks("echo \u202egnihtemos")
    terminal.type("hide it")
    terminal.keys("Enter")
    terminal.wait("So be it.")
    assert "cannot be shown" in said(server.requests[-1], "tool")


def test_a_conversation_at_a_terminal(terminal: Tmux, server: ChatServer) -> None:
    terminal.prompt()
    terminal.type("/prof")
    terminal.wait("show what is known of you")
    terminal.keys("Tab", "Enter")
    terminal.wait("The profile says nothing yet")

    terminal.prompt()
    server.replies = [Reply("**Bold** and a list:\n\n- 會議\n- 鉛筆\n\nThe end.")]
    terminal.type("first line")
    terminal.keys("M-Enter")
    terminal.type("第二行")
    terminal.keys("Enter")
    shown = terminal.wait("The end.")
    assert "Bold and a list:" in shown
    assert " • 會議" in shown
    assert said(server.requests[0], "user") == "first line\n第二行"

    terminal.prompt()
    server.replies = [Reply("Half of it", breaks="stall")]
    terminal.type("go on")
    terminal.keys("Enter")
    terminal.wait("Half of it")
    terminal.keys("C-c")
    terminal.wait("cut short")
    terminal.prompt()

    terminal.run("resize-window", "-x", "40", "-y", "20")
    wide = "寬字" * 25
    server.replies = [Reply(f"{wide}。")]
    terminal.type("寬嗎")
    terminal.keys("Enter")
    shown = terminal.wait("。")
    rows = [line for line in shown.splitlines() if "寬字" in line]
    assert "".join(row.strip() for row in rows) == f"{wide}。"
    assert max(len(row) * 2 for row in rows) <= 42
    assert said(server.requests[-1], "assistant").endswith("Half of it")

    terminal.prompt()
    terminal.keys("Up", "Up")
    terminal.wait("> go on", times=2)
    terminal.keys("C-c")
    terminal.prompt()
    terminal.keys("C-d")
    assert terminal.ended()
