"""`hark chat`, `hark compact` and their options, as `--help` shows them."""

from __future__ import annotations

import argparse

from harkback.cli.parser_parts import help_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Add = Callable[..., argparse.ArgumentParser]


def chat(add: Add) -> None:
    """Add `hark chat`."""
    one = add(
        "chat",
        help="talk to a model that remembers",
        description="Talk to a model that is told, before each answer, what is remembered that fits. Reads lines from a"
        " pipe as well. /help lists what can be typed.",
    )
    one.add_argument("--model", metavar="NAME", default="", help="openai:NAME, anthropic:NAME or ollama:NAME")
    either = one.add_mutually_exclusive_group()
    either.add_argument("--resume", metavar="ID", default="", help="go on with an earlier conversation")
    either.add_argument(
        "--eval",
        metavar="FILE",
        nargs="?",
        const="",
        help="let the model take memories of conversations that were written for it, or of those in FILE, and say what"
        " is right; nothing is saved",
    )
    one.add_argument("--json", action="store_true", help="with --eval: print one JSON object (see docs/json.md)")


def compact(add: Add) -> None:
    """Add `hark compact`."""
    one = add(
        "compact",
        help="make a conversation in a file shorter",
        description="Print a conversation without images and without its oldest rounds, as many as are too many. A"
        " round is what a person said with all that follows, so tool calls stay with their results. No model is asked.",
    )
    one.add_argument(
        "file",
        metavar="FILE",
        help="messages with role and content: a JSON list, or a line each (- reads standard input)",
    )
    one.add_argument("--limit", type=_tokens, metavar="TOKENS", help=help_of("chat.window_tokens"))


def _tokens(text: str) -> int:
    """Read a number of tokens. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of tokens")
    return int(text)
