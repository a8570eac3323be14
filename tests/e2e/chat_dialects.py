"""What three providers' interfaces say for the same answer, streamed, as their clients read it.

OpenAI's Chat Completions and Responses, and Anthropic's Messages; the forms are those of their public references.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    Calls = tuple[tuple[str, dict[str, Any]], ...]

CHAT, RESPONSES, ANTHROPIC = "/chat/completions", "/responses", "/messages"


def dialect_of(path: str) -> str:
    return next(one for one in (CHAT, RESPONSES, ANTHROPIC) if path.endswith(one))


def pieces(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def head_of(dialect: str, text: str, asked_tokens: int = 0) -> Iterator[bytes]:
    """Give the text, and not yet an end."""
    if dialect == CHAT:
        yield from (_chunk({"content": one, "role": "assistant"}) for one in pieces(text))
    elif dialect == ANTHROPIC:
        yield _named({"type": "message_start", "message": {**_message(asked_tokens), "stop_reason": None}})
        yield from _block(0, {"type": "text", "text": ""}, "text_delta", "text", pieces(text))
    else:
        yield _named({"type": "response.created", "sequence_number": 0, "response": _response("in_progress", [])})
        part = {"type": "output_text", "text": "", "annotations": []}
        at = {"item_id": "m1", "output_index": 0, "sequence_number": 1}
        item = {"type": "message", "id": "m1", "role": "assistant", "status": "in_progress", "content": []}
        yield _named({"type": "response.output_item.added", **at, "item": item})
        yield _named({"type": "response.content_part.added", **at, "content_index": 0, "part": part})
        for one in pieces(text):
            yield _named({"type": "response.output_text.delta", **at, "content_index": 0, "delta": one, "logprobs": []})


def tail_of(dialect: str, text: str, calls: Calls, end: str, asked_tokens: int) -> Iterator[bytes]:
    """Give the calls and the end; `end` is another reason for it, as the provider calls it."""
    if dialect == CHAT:
        for at, (name, arguments) in enumerate(calls):
            function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
            yield _chunk({"tool_calls": [{"index": at, "id": f"call_{at}", "type": "function", "function": function}]})
        yield _chunk({}, end or ("tool_calls" if calls else "stop"))
        usage = {"prompt_tokens": asked_tokens, "completion_tokens": 5, "total_tokens": asked_tokens + 5}
        yield _data({**_CHUNK, "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"
    elif dialect == ANTHROPIC:
        yield _named({"type": "content_block_stop", "index": 0})
        for at, (name, arguments) in enumerate(calls, 1):
            block = {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": {}}
            yield from _block(at, block, "input_json_delta", "partial_json", pieces(json.dumps(arguments)))
            yield _named({"type": "content_block_stop", "index": at})
        reason = {"stop_reason": end or ("tool_use" if calls else "end_turn"), "stop_sequence": None}
        yield _named({"type": "message_delta", "delta": reason, "usage": {"output_tokens": 5}})
        yield _named({"type": "message_stop"})
    else:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        items = [{"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": content}]
        last = {"sequence_number": 2}
        yield _named({"type": "response.output_item.done", "output_index": 0, **last, "item": items[0]})
        for place, (name, arguments) in enumerate(calls, 1):
            told = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False), "status": "completed"}
            items.append({"type": "function_call", "id": f"fc_{place}", "call_id": f"call_{place}", **told})
            empty = {**items[-1], "arguments": ""}
            yield _named({"type": "response.output_item.added", "output_index": place, **last, "item": empty})
            delta = {"item_id": f"fc_{place}", "output_index": place, **last, "delta": told["arguments"]}
            yield _named({"type": "response.function_call_arguments.delta", **delta})
            yield _named({"type": "response.output_item.done", "output_index": place, **last, "item": items[-1]})
        response = _response("incomplete" if end else "completed", items, asked_tokens)
        response["incomplete_details"] = {"reason": end} if end else None
        yield _named({"type": f"response.{response['status']}", **last, "response": response})


def error_of(dialect: str, message: str) -> dict[str, Any]:
    error = {"message": message, "type": "overloaded_error"}
    return {"type": "error", "error": error} if dialect == ANTHROPIC else {"error": error}


def said(request: dict[str, Any], role: str) -> str:
    """Give what a request has of one role, its texts joined; `tool` is what calls gave."""
    texts = [request[key] for key in ("system", "instructions") if role == "system" and request.get(key)]
    for one in request.get("messages") or request["input"]:
        content = one.get("content", one.get("output"))
        results = [part for part in content if part.get("type") == "tool_result"] if isinstance(content, list) else []
        if one.get("role", "tool" if one.get("type") == "function_call_output" else "") == role and not results:
            texts.append(content or "")
        elif role == "tool":
            texts += [part["content"] for part in results]  # Anthropic has them inside the user's
    return "\n".join(map(_text, texts))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "".join(map(_text, value)) if isinstance(value, list) else str(value.get("text", ""))


def tools_of(request: dict[str, Any]) -> list[str]:
    return [one["function"]["name"] if "function" in one else one["name"] for one in request.get("tools", [])]


_CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _data({**_CHUNK, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def _named(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\n".encode() + _data(value)


def _message(asked_tokens: int) -> dict[str, Any]:
    usage = {"input_tokens": asked_tokens, "output_tokens": 1}
    told = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    return {**told, "stop_sequence": None, "usage": usage}


def _block(at: int, block: dict[str, Any], kind: str, key: str, texts: list[str]) -> Iterator[bytes]:
    yield _named({"type": "content_block_start", "index": at, "content_block": block})
    for one in texts:
        yield _named({"type": "content_block_delta", "index": at, "delta": {"type": kind, key: one}})


def _response(status: str, items: list[Any], asked_tokens: int = 0) -> dict[str, Any]:
    usage: dict[str, Any] = {"input_tokens": asked_tokens, "output_tokens": 5, "total_tokens": asked_tokens + 5}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    told = {"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": "m", "output": items}
    return {**told, "parallel_tool_calls": True, "tools": [], "usage": usage if items else None}
