"""A small server that speaks OpenAI's Chat Completions, streamed, and answers as it was told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

import harkback

if TYPE_CHECKING:
    from collections.abc import Callable


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


class ChatServer:
    """Answers on 127.0.0.1; `requests` holds what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.replies: list[Reply] = []
        self.otherwise: Callable[[dict[str, Any]], Reply] = lambda _: Reply()
        self.ended = threading.Event()
        self.asked = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
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
        if reply.status != 200:
            body = json.dumps({"error": {"message": "too much at once", "type": "busy"}}).encode()
            handler.send_response(reply.status)
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
        for at in range(0, len(reply.text), 4):
            handler.wfile.write(event({"content": reply.text[at : at + 4], "role": "assistant"}))
            handler.wfile.flush()
        if reply.breaks == "stall":
            self.ended.wait(10)
        elif reply.breaks == "half":
            handler.wfile.write(event({"content": "never"})[:40])
        elif not reply.breaks:
            handler.wfile.write(event({}, "stop") + b"data: [DONE]\n\n")
        handler.wfile.flush()

    def close(self) -> None:
        self.ended.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(5)


def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


def said(request: dict[str, Any], role: str) -> str:
    """Give what a request has of one role, its texts joined."""
    texts = []
    for one in request["messages"]:
        if one["role"] == role:
            content = one["content"]
            texts.append(content if isinstance(content, str) else "".join(part["text"] for part in content))
    return "\n".join(texts)


def chat(*lines: str, argv: tuple[str, ...] = (), env: dict[str, str] | None = None) -> Talk:
    """Pipe lines into `hark chat` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-m", "harkback", "chat", *argv],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": SOURCE, **(env or {})},
        timeout=30,
        check=False,
    )
    return Talk(done.returncode, done.stdout, done.stderr)
