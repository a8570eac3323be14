"""Asking a person at a terminal before something is changed for good."""

from __future__ import annotations

import sys

from harkback import errors


def is_agreed(question: str) -> bool:
    """Ask; only `y` or `yes` agrees. Raises NotAgreed where there is nobody to ask."""
    if not sys.stdin or not sys.stdin.isatty():
        raise errors.NotAgreed
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
