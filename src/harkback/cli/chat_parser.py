"""`hark chat` and its options, as `--help` shows them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
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
