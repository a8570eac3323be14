"""Ids that a person can type: `m` and 12 letters or digits for a message, from a hash of the agent's own id."""

from __future__ import annotations

import os

try:
    from _blake2 import blake2b  # `hashlib` loads OpenSSL besides, 3 ms
except ImportError:
    from hashlib import blake2b

# Crockford's base 32: no i, l, o, u, so that nothing read from a screen is mistyped.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 12
_MEMORY_LENGTH = 8
_SHORTEST = 3
_VALUE = {digit: number for number, digit in enumerate(_DIGITS)}


def key_of(agent: str, native: str) -> int:
    """Hash an agent's own id to 60 bits, 0 for none.

    A collision becomes likely (one in two) at a thousand million messages.
    """
    if not native:
        return 0
    data = f"{agent}\0{native}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest()) >> 4


def message_id(key: int) -> str:
    """Write a message's key as its id."""
    return "m" + _written(key, _LENGTH)


def _written(key: int, length: int) -> str:
    digits = []
    for _ in range(length):
        digits.append(_DIGITS[key & 31])
        key >>= 5
    return "".join(reversed(digits))


def memory_id() -> str:
    """Make an id for a memory: `k` and 8 random letters or digits, which no agent's and no message's id begins like."""
    return "k" + _written(int.from_bytes(os.urandom(5)), _MEMORY_LENGTH)


def is_memory_id(text: str) -> bool:
    """Whether a text has the form of a memory's id, or of its beginning: `k` and at least three more."""
    digits = text.lower()[1:]
    is_long = _SHORTEST <= len(digits) <= _MEMORY_LENGTH
    return text[:1].lower() == "k" and is_long and all(one in _VALUE for one in digits)


def key_range(prefix: str) -> tuple[int, int] | None:
    """Give the keys [low, high) whose ids begin with `prefix`; None when it cannot be a message id."""
    digits = prefix.lower()[1:]
    if (
        not prefix.lower().startswith("m")
        or not _SHORTEST <= len(digits) <= _LENGTH
        or any(d not in _VALUE for d in digits)
    ):
        return None
    low = 0
    for digit in digits:
        low = low << 5 | _VALUE[digit]
    shift = 5 * (_LENGTH - len(digits))
    return low << shift, (low + 1) << shift
