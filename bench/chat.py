"""How soon `hark chat` can be typed on, and what it adds to the time that a provider takes for the first piece.

    python -m bench.chat [--chats 5] [--memories 2000]

Each chat is a process at a pseudo-terminal. A server here answers over Chat Completions after a fifth of a second. What
is added is the time from the Enter key until the first word stands on the screen, without the time from the request's
arrival until its first piece was sent. Of each chat the first turn counts by itself: three seconds after the prompt, as
long as one types a question at least.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any

from bench._common import Figures, arguments, environment, hark

TURNS = 6
TYPING_S = 3.0
PROVIDER_S = 0.2
LIMIT_S = 30.0


class Provider:
    """Answers with the word it was given, and notes when."""

    def __init__(self) -> None:
        self.word = ""
        self.took_s = 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = monotonic()
                self.rfile.read(int(self.headers["Content-Length"]))
                sleep(PROVIDER_S)
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                outer.took_s = monotonic() - asked
                for delta, finish in (({"role": "assistant", "content": outer.word}, None), ({}, "stop")):
                    choice = {"index": 0, "delta": delta, "finish_reason": finish}
                    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
                    self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode())
                    self.wfile.flush()
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Give its address, up to `/v1`."""
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"


class Chat:
    """One chat at a pseudo-terminal of 100 columns and 30 rows."""

    def __init__(self, env: dict[str, str]) -> None:
        self.began = monotonic()
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            argv = hark("chat")
            os.chdir(env["HOME"])
            os.execve(argv[0], argv, env)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))

    def wait(self, text: str) -> float:
        """Read until a text has come; gives when."""
        come = b""
        until = monotonic() + LIMIT_S
        while monotonic() < until:
            if select.select([self.terminal], [], [], 0.1)[0]:
                piece = os.read(self.terminal, 1 << 16)
                come += piece
                if b"\x1b[6n" in piece:  # where the cursor is
                    os.write(self.terminal, b"\x1b[1;1R")
                if text.encode() in come:
                    return monotonic()
        sys.exit(f"{text!r} never came: {come[-300:]!r}")

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.terminal, text.encode())

    def end(self) -> None:
        """Press Ctrl-D."""
        self.type("\x04")
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def run(figures: Figures, env: dict[str, str], chats: int, typing_s: float, when: str, bound_ms: float | None) -> None:
    """Hold some chats, each of some turns."""
    provider = Provider()
    env = {**env, "HARK_CHAT_BASE_URL": provider.url}
    starts: list[float] = []
    firsts: list[float] = []
    others: list[float] = []
    for number in range(chats):
        chat = Chat(env)
        starts.append(chat.wait("\x1b[0m>") - chat.began)
        sleep(typing_s)
        for turn in range(TURNS):
            provider.word = f"zq{number}x{turn}."
            chat.type("which port has the service number 77")
            sleep(0.3 if turn or typing_s else 0)
            entered = monotonic()
            chat.type("\r")
            added = chat.wait(provider.word) - entered - provider.took_s
            (others if turn else firsts).append(added * 1000)
            sleep(0.5)
        chat.end()
    figures.add(f"prompt after start, {when}", statistics.median(starts) * 1000, "ms", at_most=500)
    figures.add(f"added to the first piece of a first turn, {when}", statistics.median(firsts), "ms", at_most=bound_ms)
    figures.add(f"added to that of later turns, {when}", statistics.median(others), "ms", at_most=50)


def main() -> int:
    """Print the figures."""
    options = arguments(__doc__)
    options.add_argument("--chats", type=int, default=5)
    options.add_argument("--memories", type=int, default=2000)
    given = options.parse_args()
    figures = Figures("chat")
    with tempfile.TemporaryDirectory() as home:
        env = {**environment(home, os.path.join(home, "archive")), "HARK_CHAT_MODEL": "openai:m"}
        env |= {"HARK_CHAT_EXTRACT_EVERY": "0", "HARK_MEANING_EMBEDDER": "off", "TERM": "xterm-256color"}
        numbers = range(given.memories)
        lines = "\n".join(f"The service number {n} listens on port {20_000 + n}, of team {n % 17}" for n in numbers)
        subprocess.run(hark("remember", "-"), env=env, input=lines.encode(), capture_output=True, check=True)
        run(figures, env, given.chats, TYPING_S, "typed for 3 s", 50)
        run(figures, env, given.chats, 0, "typed at once", None)
    figures.finish(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
