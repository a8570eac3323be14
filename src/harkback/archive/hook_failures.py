"""What failed in hooks, in a small file beside the archive: `hark status` says it, no agent does."""

from __future__ import annotations

import json
import os
from time import time

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FILE = "hook-failures.jsonl"
_MOST_BYTES = 64 << 10
_WEEK_MS = 7 * 86_400_000


class Failures(NamedTuple):
    """What failed in the last week."""

    number: int
    last: str
    """Which error, at which event."""


def note(env: Mapping[str, str], event: str, error: BaseException) -> None:
    """Write a failure down: when, at which event, which kind of error. Never raises."""
    try:
        from harkback.config import place

        folder = place(env).data
        if not os.path.isdir(folder):
            return
        path = os.path.join(folder, FILE)
        told = {"time_ms": int(time() * 1000), "event": event[:40], "error": type(error).__name__}
        is_long = os.path.exists(path) and os.path.getsize(path) > _MOST_BYTES
        with open(
            os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if is_long else os.O_APPEND), 0o600), "w"
        ) as file:
            file.write(json.dumps(told) + "\n")
    except Exception:  # noqa: BLE001 - this is where failing ends
        return


def recent(folder: str, now_ms: int) -> Failures | None:
    """Say what failed in the last week; None where nothing did."""
    try:
        with open(os.path.join(folder, FILE), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    told = [one for line in lines if (one := _read(line)) is not None and now_ms - one["time_ms"] < _WEEK_MS]
    return Failures(len(told), f"{told[-1]['error']} at {told[-1]['event'] or 'reading'}") if told else None


def _read(line: str) -> dict[str, Any] | None:
    try:
        one = json.loads(line)
    except ValueError:
        return None
    return one if isinstance(one, dict) and isinstance(one.get("time_ms"), int) and "error" in one else None
