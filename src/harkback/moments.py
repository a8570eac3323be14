"""Writing a moment in the user's zone, whatever a transcript says it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_MINUTE_MS = 60_000
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


def span(since_ms: int | None, until_ms: int | None) -> str:
    """Write a span of time in the user's zone as short as it is exact: a day, a minute, or from and to."""
    since, until = local(since_ms), local(until_ms)
    if since is None:
        return ""
    if until is None:
        return since.strftime("%Y-%m-%d %H:%M")
    is_days = (since.hour, since.minute, until.hour, until.minute) == (0, 0, 0, 0)
    if not is_days:
        is_short = (until_ms or 0) - (since_ms or 0) <= _MINUTE_MS
        return since.strftime("%Y-%m-%d %H:%M") + ("" if is_short else until.strftime(" to %Y-%m-%d %H:%M"))
    last = until - timedelta(days=1)
    first = since.strftime("%Y-%m-%d")
    return first if last.date() <= since.date() else f"{first} to {last.strftime('%Y-%m-%d')}"
