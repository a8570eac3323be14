"""`hark chat` at a terminal, driven in tmux: completion, several lines, an interrupt, another size, wide characters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

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

    def say(self, text: str) -> None:
        """Wait for the prompt, and say something."""
        self.prompt()
        self.type(text)
        self.keys("Enter")

    def screen(self, *options: str) -> str:
        return "\n".join(line.rstrip() for line in self.run("capture-pane", "-p", *options).splitlines())

    def all(self) -> str:
        """Give what is shown, and what was moved out of the window before."""
        return self.screen("-S", "-", "-J")

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


class Gate:
    """An answer that begins when it is opened."""

    def __init__(self, first: Reply) -> None:
        self.opened = threading.Event()
        self.first: Reply | None = first

    def __call__(self, _: dict[str, Any]) -> Reply:
        self.opened.wait(10)
        reply, self.first = self.first or Reply("So be it."), None
        return reply


def test_a_yes_that_was_typed_before_the_command_was_shown_is_none(
    terminal: Tmux, server: ChatServer, tmp_path: Path
) -> None:
    terminal.say("/shell on")
    gate = Gate(Reply("", calls=(("shell", {"command": "touch early"}),)))
    server.otherwise = gate
    terminal.say("make it")
    assert server.asked.wait(10)
    terminal.type("yes")
    terminal.keys("Enter")
    terminal.type("y")
    terminal.keys("Enter")
    terminal.wait("…")
    terminal.type("yes")
    terminal.keys("Enter")
    time.sleep(0.2)  # nothing of what is typed is shown
    assert terminal.screen().rpartition("make it")[2].strip() == "…"
    gate.opened.set()
    terminal.wait("[y/N]")
    time.sleep(0.3)
    assert terminal.screen().rstrip().endswith("[y/N]")
    assert not (tmp_path / "early").exists()
    terminal.type("yes")
    terminal.keys("Enter")
    terminal.wait("So be it.")
    assert (tmp_path / "early").exists()


def test_while_nothing_comes_a_sign_says_that_one_waits_and_what_is_typed_is_not_lost(
    terminal: Tmux, server: ChatServer
) -> None:
    gate = Gate(Reply("There it is."))
    server.otherwise = gate
    terminal.say("slowly")
    shown = terminal.wait("…")
    assert shown.rstrip().endswith("> slowly\n…")
    terminal.type("typed ahead")
    gate.opened.set()
    terminal.wait("> typed ahead")
    shown = terminal.screen()
    assert "…" not in shown
    assert "> slowly\nThere it is.\n> typed ahead" in shown


def test_a_long_answer_is_shown_while_it_comes_and_stands_there_once(terminal: Tmux, server: ChatServer) -> None:
    code = "\n".join(f"number_{one} = {one}" for one in range(100, 160))
    server.replies = [Reply(f"```py\n{code}\n", breaks="stall")]
    terminal.say("long")
    terminal.wait("number_159")
    shown = terminal.all()
    assert [line.strip() for line in shown.splitlines() if "number" in line] == code.split("\n")
    terminal.keys("C-c")
    terminal.wait("cut short")
    terminal.say("/exit")


@pytest.mark.parametrize("width", [40, 31, 70])
def test_a_window_of_another_width_while_an_answer_comes_holds_no_copies(
    terminal: Tmux, server: ChatServer, width: int
) -> None:
    words = [f"word{one}" for one in range(60)]
    server.replies = [Reply(" ".join(words), breaks="stall"), Reply("Again.")]
    terminal.say("long")
    terminal.wait(words[-1])
    terminal.run("resize-window", "-x", str(width), "-y", "22")
    until = time.monotonic() + 10
    while time.monotonic() < until and words[-1] not in terminal.screen():
        time.sleep(0.02)
    terminal.type("noise")  # is not shown amid the answer
    terminal.keys("Enter", "C-c")
    terminal.wait("cut short")
    terminal.prompt()
    assert terminal.all().rpartition("> long")[2].partition("(cut")[0].split() == words


def test_an_interrupt_at_an_empty_line_cuts_nothing_short(terminal: Tmux) -> None:
    terminal.prompt()
    terminal.keys("C-c")
    terminal.wait("(Ctrl-D ends)")
    assert "cut short" not in terminal.screen()
    terminal.prompt()
    terminal.keys("C-d")
    assert terminal.ended()


def test_what_stands_behind_a_command_is_completed(terminal: Tmux, server: ChatServer) -> None:
    server.replies = [Reply("In the attic.")]
    terminal.say("where is the tortoise ledger")
    terminal.wait("In the attic.")
    terminal.say("/remember The blog is built with Hugo")
    terminal.wait("Remembered")
    for typed, offered in (
        ("/mem list --kind dec", "decision"),
        ("/mem ", "list memories"),
        ("/mem list ", "--everywhere"),
        ("/shell o", "off"),
        ("/forget k", "The blog is built"),
        ("/resume ", "where is the tor"),
    ):
        terminal.prompt()
        before = terminal.screen().count(offered)
        terminal.type(typed)
        terminal.wait(offered, times=before + 1)
        terminal.keys("C-c")
    terminal.prompt()
    terminal.type("/forget k")
    terminal.wait("The blog is built", times=3)
    terminal.keys("Tab", "Enter")
    terminal.wait("Forgotten: The blog")


def test_gone_on_with_a_conversation_its_last_turns_are_shown(
    terminal: Tmux, server: ChatServer, own_home: Path
) -> None:
    server.replies = [Reply("In the attic,\n\nunder the stairs.")]
    terminal.say("where is the ledger")
    terminal.wait("under the stairs.")
    (path,) = (own_home.parent / "archive" / "chat").glob("*.jsonl")
    terminal.say("/new")
    terminal.wait("A new conversation begins.")
    terminal.say(f"/resume {path.stem.rpartition('_')[2][:8]}")
    recap = "> where is the ledger\n  In the attic, under the stairs."
    terminal.wait(recap)
    terminal.say("/exit")
    assert terminal.ended()
    named = path.stem.rpartition("_")[2]
    terminal.run("new-session", "-d", sys.executable, "-m", "harkback", "chat", "--resume", named)
    terminal.wait(f"Going on with: where is the ledger\n{recap}")


def test_where_nothing_can_be_written_one_can_talk_all_the_same(
    terminal: Tmux, server: ChatServer, own_home: Path
) -> None:
    server.replies = [Reply("One."), Reply("Two."), Reply("Three.")]
    folder = own_home.parent / "archive" / "chat"
    terminal.prompt()
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("no folder", encoding="utf-8")
    terminal.say("the first")
    shown = terminal.wait("written down as soon as")
    assert "One." in shown
    assert "The arrow keys find" in " ".join(shown.split())
    terminal.say("the second")
    terminal.wait("Two.")
    terminal.prompt()
    assert terminal.screen().count("written down as soon as") == 1
    assert terminal.screen().count("arrow keys find") == 1
    terminal.keys("Up", "Up")
    terminal.wait("> the first", times=2)
    terminal.keys("C-c")
    folder.unlink()
    terminal.say("the third")
    terminal.wait("Three.")
    terminal.say("/exit")
    assert terminal.ended()
    (path,) = folder.glob("*.jsonl")
    told = path.read_text(encoding="utf-8")
    assert [told.count(one) for one in ('"session"', "the first", "One.", "the second", "Two.", "the third")] == [1] * 6


def test_taking_memories_at_the_end_says_so_and_can_be_left(
    server: ChatServer, own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_home.exists()
    monkeypatch.chdir(tmp_path)
    settings = {"HARK_CHAT_BASE_URL": server.url, "HARK_CHAT_MODEL": "openai:small"}
    one = Tmux(tmp_path, settings)
    try:
        one.run("set-option", "-g", "remain-on-exit", "on")
        server.replies = [Reply("Well.")]
        one.say("I moved to Kyoto")
        one.wait("Well.")
        server.replies = [Reply("", breaks="stall")]
        one.prompt()
        one.keys("C-d")
        one.wait("Taking memories of what was said …")
        one.keys("C-c")
        until = time.monotonic() + 10
        while "A later hark chat tries again." not in (shown := " ".join(one.all().split())):
            assert time.monotonic() < until, shown
            time.sleep(0.02)
    finally:
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
