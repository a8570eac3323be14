"""Writing a moment in the user's zone, whatever a transcript says it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def local(time_ms: int | None) -> datetime | None:
    """Give a time in the user's zone; in UTC where the zone cannot hold it, None where no calendar can."""
    if time_ms is None:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=time_ms)
    except OverflowError:
        return None
    try:
        return moment.astimezone()
    except (OverflowError, OSError, ValueError):
        return moment
