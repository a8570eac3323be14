"""A model that does what the prompt says, behind the two interfaces that Claude Code, Pi and Codex speak.

`CALL name {"json": "arguments"}` in a prompt is answered by a call of that tool, and the tool's result by a text
that quotes it; any other prompt by `ok`. Every request is kept. Shapes: Anthropic's Messages and OpenAI's
Responses, streamed.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

_CALL = re.compile(r"CALL (\w+) (\{.*\})")


class Request(NamedTuple):
    path: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that the model was sent, in one piece."""
        return json.dumps(self.body, ensure_ascii=False)


class Model:
    """The server; a context manager."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()

    def of(self, prompt: str) -> list[Request]:
        """Give the requests in which a prompt stands."""
        return [one for one in self.requests if prompt in one.text]


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one.get("text", "")) for one in parts if isinstance(one, dict) and "text" in one)


def _wanted(prompt: str) -> tuple[str, dict[str, Any]] | None:
    found = list(_CALL.finditer(prompt))
    return (found[-1][1], json.loads(found[-1][2])) if found else None


def _claude_events(body: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Answer a request of the Messages interface."""
    asked, result = "", None
    for message in body["messages"]:
        content = message["content"]
        blocks = content if isinstance(content, list) else []
        results = [one for one in blocks if one.get("type") == "tool_result"]
        if results:
            result = _texts(results[-1].get("content"))
        elif message["role"] == "user" and (text := _texts(content)) and _CALL.search(text):
            asked, result = text, None
    wanted = _wanted(asked)
    names = [one.get("name", "") for one in body.get("tools", [])]
    full = next((name for name in names if wanted and (name == wanted[0] or name.endswith(f"_{wanted[0]}"))), "")
    if wanted and result is None and full:
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number}", "name": full, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(wanted[1], ensure_ascii=False)}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": f"DONE {result}" if result is not None else "ok"}
        reason = "end_turn"
    usage = {"input_tokens": 10, "output_tokens": 10}
    model = body.get("model", "m")
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "usage": usage,
    }
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _codex_events(body: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Answer a request of the Responses interface."""
    asked, result = "", None
    for item in body["input"]:
        if item.get("type") == "function_call_output":
            output = item.get("output")
            result = output if isinstance(output, str) else _texts(output)
        elif item.get("role") == "user" and (text := _texts(item.get("content"))) and _CALL.search(text):
            asked, result = text, None
    wanted = _wanted(asked)
    if wanted and result is None:
        is_shell = wanted[0] == "exec_command"
        call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": wanted[0]}
        call |= {"arguments": json.dumps(wanted[1], ensure_ascii=False)}
        item = call if is_shell else {**call, "namespace": "mcp__harkback"}
    else:
        text = f"DONE {result}" if result is not None else "ok"
        content = [{"type": "output_text", "text": text, "annotations": []}]
        item = {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "content": content,
            "status": "completed",
        }
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20, **details}
    response = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._json({"object": "list", "data": [{"id": "mock", "object": "model"}], "models": []})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            path = self.path.partition("?")[0]
            model.requests.append(Request(path, body))
            if path.endswith("/count_tokens"):
                self._json({"input_tokens": 10})
            elif path.endswith("/messages"):
                self._stream(_claude_events(body, len(model.requests)))
            elif path.endswith("/responses"):
                self._stream(_codex_events(body, len(model.requests)))
            else:
                self._json({})

        def _json(self, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: list[dict[str, Any]]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in events:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        def log_message(self, *_: object) -> None:
            pass

    return Handler
