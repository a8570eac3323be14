"""A small server that speaks the three interfaces of `chat_dialects`, and answers as it was told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import harkback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest
    from tests.e2e.chat_dialects import dialect_of, error_of, head_of, said, tail_of
else:
    from chat_dialects import dialect_of, error_of, head_of, said, tail_of

SOURCE = os.path.dirname(os.path.dirname(harkback.__file__))


class Talk(NamedTuple):
    status: int
    out: str
    err: str


class Reply(NamedTuple):
    """One answer: its text, or what goes wrong."""

    text: str = "OK."
    status: int = 200
    breaks: str = ""
    """`drop`: the connection ends after the text; `half`: in the middle of a line of JSON; `stall`: nothing follows."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Tools that are called, each with its arguments."""
    end: str = ""
    """Why it ends, as the provider calls it, where it does not end by itself."""
    error: str = "too much at once"
    asked_tokens: int = 0
    """How long the request was, as the provider counts."""


class ChatServer:
    """Answers on 127.0.0.1; `requests` holds what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.replies: list[Reply] = []
        self.otherwise: Callable[[dict[str, Any]], Reply] = lambda _: Reply()
        self.ended = threading.Event()
        self.asked = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.headers.append(dict(self.headers))
                outer.requests.append({**body, "path": self.path, "key": self.headers.get("Authorization", "")})
                outer.asked.set()
                outer.answer(self, outer.replies.pop(0) if outer.replies else outer.otherwise(body))

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_address[1]}/v1"

    def systems(self) -> list[str]:
        return [said(one, "system") for one in self.requests]

    def answer(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        dialect = dialect_of(handler.path)
        if reply.status != 200:
            body = json.dumps(error_of(dialect, reply.error)).encode()
            handler.send_response(reply.status)
            if 300 <= reply.status < 400:
                handler.send_header("Location", reply.error + "/chat/completions")
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        for one in head_of(dialect, reply.text, reply.asked_tokens):
            handler.wfile.write(one)
            handler.wfile.flush()
        if reply.breaks == "stall":
            self.ended.wait(10)
        elif reply.breaks == "half":
            handler.wfile.write([*head_of(dialect, "never")][-1][:40])
        elif not reply.breaks:
            for one in tail_of(dialect, reply.text, reply.calls, reply.end, reply.asked_tokens):
                handler.wfile.write(one)
        handler.wfile.flush()

    def close(self) -> None:
        self.ended.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(5)


@contextmanager
def served(folder: Path, monkeypatch: pytest.MonkeyPatch, **env: str) -> Iterator[ChatServer]:
    """Let a model be set that answers here, and stand in a folder that is no project."""
    monkeypatch.chdir(folder)
    one = ChatServer()
    usual = {"BASE_URL": one.url, "MODEL": "openai:small", "TIMEOUT_S": "9"}
    for name, value in {**usual, **env}.items():
        monkeypatch.setenv(f"HARK_CHAT_{name}", value)
    yield one
    one.close()


# Some days later; and at the provider's own address, as it is for who names none: then OpenAI's models speak Responses.
_PROGRAM = """
import sys, time
later_s, url = float(sys.argv.pop(1)) * 86400, sys.argv.pop(1)
now, now_ns = time.time, time.time_ns
time.time, time.time_ns = lambda: now() + later_s, lambda: now_ns() + int(later_s * 1e9)
import harkback.models.chatting
harkback.models.chatting._OPENAI_URL = url
from harkback.cli import run
run()
"""


def chat(
    *lines: str, argv: tuple[str, ...] = (), env: dict[str, str] | None = None, openai: str = "", days: float = 0
) -> Talk:
    """Pipe lines into `hark chat` in a process of its own, so many days later; `openai` is that provider's address."""
    program = ["-c", _PROGRAM, str(days), openai] if openai or days else ["-m", "harkback"]
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", *program, "chat", *argv],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": SOURCE, **(env or {})},
        timeout=30,
        check=False,
    )
    return Talk(done.returncode, done.stdout, done.stderr)
