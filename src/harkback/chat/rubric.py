"""The rubric: conversations with what is worth keeping of them, a line of JSON each; ours lies in `rubric.jsonl`."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime, timedelta

from harkback import errors
from harkback._record import NamedTuple
from harkback.chat.conversation import Turn
from harkback.model import MEMORY_KINDS
from harkback.models.chatting import MODEL, PERSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo
    from typing import Any

OWN = os.path.join(os.path.dirname(__file__), "rubric.jsonl")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Wanted(NamedTuple):
    """One fact that is to be kept."""

    kinds: tuple[str, ...]
    """Any of these will do."""
    words: tuple[str, ...]
    """All of them stand in its text or its quote; `|` stands between words of which one is enough."""
    day: str
    """The day that it speaks of, such as 2031-04-05, or nothing."""


class Case(NamedTuple):
    """One conversation, and what is to be kept of it."""

    id: str
    language: str
    about: str
    turns: tuple[Turn, ...]
    zone: tzinfo | None
    """Where the person is: days are those of this zone."""
    keep: tuple[Wanted, ...]
    junk: tuple[str, ...]
    """Words that may stand in nothing that is kept."""
    least: int
    most: int


def load(path: str = OWN) -> list[Case]:
    """Read a rubric. Raises FileUnreadable, BadRubric."""
    try:
        with open(path, "rb") as file:
            lines = file.read().decode("utf-8-sig", "replace").split("\n")
    except OSError as error:
        raise errors.FileUnreadable(path, error.strerror or error) from error
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = _case(json.loads(line))
            if case.id in cases:
                raise ValueError(f"there is a case {case.id!r} already")  # noqa: TRY301 - told with its line
        except (ValueError, RecursionError) as error:
            raise errors.BadRubric(path, number, error) from error
        cases[case.id] = case
    if not cases:
        raise errors.BadRubric(path, 1, "there is no case")
    return list(cases.values())


def _case(value: Any) -> Case:
    """Read one case. Raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004 - told like all that is wrong with a line
    moments = [_moment(_text(one, "time")) for one in _objects(value, "turns")]
    turns = tuple(_turn(*pair) for pair in zip(value["turns"], moments, strict=True))
    if not any(turn.role == PERSON for turn in turns):
        raise ValueError("turns: the person says nothing")
    keep = tuple(_wanted(one) for one in _objects(value, "keep"))
    least, most = _number(value, "least", len(keep)), _number(value, "most", len(keep))
    if not least <= most or len(keep) > most:
        raise ValueError("most is less than what is to be kept")
    return Case(
        _text(value, "id"),
        _text(value, "language"),
        _text(value, "about"),
        turns,
        moments[0].tzinfo,
        keep,
        _texts(value, "junk"),
        least,
        most,
    )


def _turn(value: dict[str, Any], moment: datetime) -> Turn:
    role = _text(value, "role")
    if role not in {PERSON, MODEL}:
        raise ValueError(f"role: {role!r} is neither {PERSON} nor {MODEL}")
    return Turn(role, _text(value, "text"), (moment - _EPOCH) // timedelta(milliseconds=1))


def _wanted(value: dict[str, Any]) -> Wanted:
    kinds, words = _texts(value, "kinds"), _texts(value, "words")
    if not kinds or not set(kinds) <= set(MEMORY_KINDS):
        raise ValueError(f"kinds: valid are {', '.join(MEMORY_KINDS)}")
    if not words:
        raise ValueError("words: there are none")
    day = _text(value, "day") if "day" in value else ""
    return Wanted(kinds, words, day and date.fromisoformat(day).isoformat())


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"time: {text} has no zone")
    return moment


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"{name}: there is no text")
    return found


def _texts(value: dict[str, Any], name: str) -> tuple[str, ...]:
    found = value.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise ValueError(f"{name}: it is no list of texts")
    return tuple(found)


def _objects(value: dict[str, Any], name: str) -> Sequence[dict[str, Any]]:
    found = value.get(name)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"{name}: it is no list of objects")
    return found


def _number(value: dict[str, Any], name: str, otherwise: int) -> int:
    found = value.get(name, otherwise)
    if type(found) is not int or found < 0:
        raise ValueError(f"{name}: {found!r} is no number")
    return found
