"""The one thing that is said unasked: a task or an event that is near, and of which the person just spoke."""

from __future__ import annotations

from harkback.memory.ages import age, language_of
from harkback.model import ACTIVE, EVENT, TASK
from harkback.moments import span
from harkback.telling import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.memory.recall import Recalled
    from harkback.model import Memory

_NEAR_MS = 7 * 86_400_000
_FITS = 0.4
"""A memory whose similarity is less was hardly spoken of."""

_OFFERS = {
    "zh-TW": "{when}（{age}）：{text}。需要準備嗎？",
    "zh-CN": "{when}（{age}）：{text}。需要准备吗？",
    "ja": "{when}（{age}）：{text}。準備しましょうか？",
    "en": "{when} ({age}): {text}. Shall we prepare for it?",
}


def offer(recalled: Sequence[Recalled], said: str, now_ms: int) -> str:
    """Write the line, in the language of what was `said`; "" where nothing is due."""
    one = next((hit.memory for hit in recalled if hit.similarity >= _FITS and _is_due(hit.memory, now_ms)), None)
    if one is None:
        return ""
    language = language_of(said)
    since_ms = one.event_since_ms or now_ms
    return _OFFERS[language].format(
        when=span(since_ms, one.event_until_ms), age=age(since_ms, now_ms, language), text=line(one.text).rstrip("。.")
    )


def _is_due(one: Memory, now_ms: int) -> bool:
    """Whether it is open and within a week; a task may be late."""
    if one.status != ACTIVE or one.event_since_ms is None or one.event_since_ms > now_ms + _NEAR_MS:
        return False
    return one.kind == TASK or (one.kind == EVENT and (one.event_until_ms or one.event_since_ms) > now_ms)
