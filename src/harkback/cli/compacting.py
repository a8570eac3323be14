"""`hark compact FILE`: a conversation in a file, made short."""

from __future__ import annotations

import json
import sys

from harkback import errors
from harkback.cli.terminal import dumped, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any


def compact(options: argparse.Namespace) -> int:
    """Print what is left of a conversation, in the form in which it came."""
    from harkback.chat.compaction import compact as shorten
    from harkback.cli.opening import set_up

    settings = set_up()
    text = _text(options.file)
    is_list = text.lstrip().startswith("[")
    messages = _messages(text, options.file, is_list=is_list)
    limit = settings.number("chat.window_tokens") if options.limit is None else options.limit
    done = shorten(messages, limit)
    if is_list:
        print(dumped(list(done.kept)))
    else:
        for one in done.kept:
            print(dumped(one))
    left = f"{len(done.kept):,} messages left, {len(done.cut):,} cut"
    note(f"{left}; about {done.tokens:,} tokens of {limit:,} (estimated)")
    return 0


def _text(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        with open(name, "rb") as file:
            return file.read().decode("utf-8-sig", "replace")
    except OSError as error:
        raise errors.FileUnreadable(name, error.strerror or error) from error


def _messages(text: str, name: str, *, is_list: bool) -> list[dict[str, Any]]:
    """Read the messages, from a list or from lines. Raises NoConversation."""
    try:
        found = json.loads(text) if is_list else [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise errors.NoConversation(name, error) from error
    for number, one in enumerate(found, 1):
        if not isinstance(one, dict) or not isinstance(one.get("role", one.get("type")), str):
            raise errors.NoConversation(name, f"message {number} has neither role nor type")
    return list(found)
