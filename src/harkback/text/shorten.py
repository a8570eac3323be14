"""Showing the beginning of a text that is longer than its place."""

from __future__ import annotations


def shorten(text: str, most: int) -> str:
    """Cut a text to so many characters, the last of them an ellipsis where something was left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
