"""Making a long conversation short without asking a model. Pure: messages in, messages out.

A message is what a provider is sent, as JSON: `role`, `content`, perhaps `tool_calls`. A round is a message of the
person with all that follows until the next one, so that tool calls stay with their results. While there are more tokens
than may be, the oldest fifth of the rounds goes; the last round stays, however long it is, and so does what stands
before the first, where systems are told what to do. Images become `[image]`, other files `[file]`.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Message = Mapping[str, Any]

IMAGE, FILE = "[image]", "[file]"
CUT_SHARE = 5
"""One in so many of the rounds goes at once."""

MESSAGE_TOKENS = 4
"""What a message costs besides its text."""

_LETTERS_A_TOKEN = 4
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\uffef\U00020000-\U0003ffff]")
_IMAGE_KINDS = frozenset({"image", "image_url", "input_image", "image_file"})
_FILE_KINDS = frozenset({"document", "file", "input_file"})
_HOLDERS = frozenset({"source", "file", "file_data", "file_id", "file_url"})
_INLINE = ("inlineData", "inline_data")
_DATA = re.compile(r"data:(?P<kind>[\w.+-]+)/[\w.+-]+;base64,[A-Za-z0-9+/=]+")
_TOOL_RESULTS = frozenset({"tool_result", "function_call_output"})


class Compacted(NamedTuple):
    """What is left, and what went."""

    kept: tuple[Message, ...]
    cut: tuple[Message, ...]
    """In their order; images in them are gone too."""
    tokens: int
    """Of what is left."""


def estimate(text: str) -> int:
    """Estimate the tokens of a text: one for each CJK character, one for every four others, rounded up."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // _LETTERS_A_TOKEN)


def compact(messages: Sequence[Message], limit_tokens: int, count: Callable[[str], int] = estimate) -> Compacted:
    """Cut the oldest rounds until what is left has at most `limit_tokens`, or is one round."""
    plain = [_without_images(one) for one in messages]
    head, rounds = _rounds(plain)
    costs = [sum(_cost(one, count) for one in told) for told in rounds]
    tokens = sum(costs) + sum(_cost(one, count) for one in head)
    gone = 0
    while tokens > limit_tokens and len(rounds) - gone > 1:
        left = len(rounds) - gone
        step = min(left - 1, -(-left // CUT_SHARE))
        tokens -= sum(costs[gone : gone + step])
        gone += step
    cut = [one for told in rounds[:gone] for one in told]
    kept = [*head, *(one for told in rounds[gone:] for one in told)]
    return Compacted(tuple(kept), tuple(cut), tokens)


def _rounds(messages: Sequence[Message]) -> tuple[list[Message], list[list[Message]]]:
    """Part what stands before the first word of the person from the rounds."""
    head: list[Message] = []
    rounds: list[list[Message]] = []
    for one in messages:
        if _is_persons(one):
            rounds.append([one])
        elif rounds:
            rounds[-1].append(one)
        else:
            head.append(one)
    return head, rounds


def _is_persons(message: Message) -> bool:
    """Whether a round begins; a message with results of tools belongs to the calls, also where it says more."""
    if message.get("role") != "user":
        return False
    content = message.get("content")
    if not isinstance(content, list) or not content:
        return True
    return not any(isinstance(one, dict) and one.get("type") in _TOOL_RESULTS for one in content)


def _cost(message: Message, count: Callable[[str], int]) -> int:
    return MESSAGE_TOKENS + sum(count(text) for text in _texts(message) if text)


def _texts(value: Any) -> list[str]:
    """Find all texts in a message, wherever they stand."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for name, one in value.items() if name not in {"role", "type"} for text in _texts(one)]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []


def _named(kind: str) -> str:
    return IMAGE if "image" in kind else FILE


def _without_images(message: Message) -> Message:
    found: Message = _plain(dict(message))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _DATA.sub(lambda data: _named(data["kind"]), value) if "base64," in value else value
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("type")
    if kind in _IMAGE_KINDS or (kind in _FILE_KINDS and not _HOLDERS.isdisjoint(value)):
        return {"type": "input_text" if kind.startswith("input_") else "text", "text": _named(kind)}
    inline = next((value[name] for name in _INLINE if isinstance(value.get(name), dict)), None)
    if inline is not None:
        return {"text": _named(str(inline.get("mimeType") or inline.get("mime_type")))}
    return {name: _plain(one) for name, one in value.items()}
