"""What an agent did with an answer: the first thing in its turn that tells."""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.audit.calls import READS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harkback.audit.calls import Call
    from harkback.audit.results import Lead

ANSWERED, FOLLOWED, RAW, AGAIN, ENDED = "answered", "followed", "raw", "again", "ended"
STEPS = (ANSWERED, FOLLOWED, RAW, AGAIN, ENDED)
"""Answered; followed a lead with another tool; opened the raw transcript; searched again; did nothing more."""

FOR_OUTPUT, FOR_TEXT, FOR_NOTHING = "tool output", "short snippet", "nothing found"
"""Why a raw transcript was opened: the hit stood in a call or its output, in a text shown in part, or nowhere."""

SAME, FEWER, MORE, LANGUAGE, FIELD, OTHER_WORDS = (
    "same", "fewer words", "more words", "other language", "other field", "other words",
)  # fmt: skip

_OF_TOOLS = frozenset({"calls", "output", "thinking"})
_REST = r"\b[^\s'\"|;)&>]*"
_FOLDER = re.compile(r"(?:\.claude/projects|\.codex/(?:archived_)?sessions|\.pi/agent/sessions)" + _REST)
_TRANSCRIPT = re.compile(r"\.jsonl(?:\.zst)?\b")
_LOOKING = re.compile(r"\b(?:rg|grep|jq)\b")
_NAME = re.compile(r"(?<![\w./~-])(?:[\w.@~+-]*/)*[\w@+-][\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
_SHORTEST_NAME = 4
_SHORTEST_ID = 8
_MOST_NAMES = 400
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_FIELDS = re.compile(r"(?<!\S)-?[a-z]+:\S+")


class Act(NamedTuple):
    """Something an agent did: a tool that it called, or (`text` empty) an answer."""

    at: int
    """Its place in the session."""
    text: str = ""
    """The tool with all that it was given."""
    calls: tuple[Call, ...] = ()
    """The calls in it of the command that is looked at."""


class Step(NamedTuple):
    """What came next."""

    kind: str
    detail: str = ""


def next_step(call: Call, found: Sequence[Lead], acts: Iterable[Act], folders: Sequence[str] = ()) -> Step:
    """Say what came next after an answer that showed `found`, of what was done in the rest of the turn.

    `folders` are where agents keep transcripts, besides the usual places.
    """
    names = _names(found)
    step = Step(ENDED)
    for act in acts:
        if not act.text:
            step = Step(ANSWERED)
        elif act.calls:
            if again := next((one for one in act.calls if one.is_search), None):
                return Step(AGAIN, rephrased(call, again))
            if any(one.action in READS for one in act.calls):
                return Step(FOLLOWED, "show")
        elif path := opened(act.text, folders):
            return Step(RAW, _why_raw(path, found))
        elif kind := _follows(act.text, found, names):
            return Step(FOLLOWED, kind)
    return step


def opened(text: str, folders: Sequence[str] = ()) -> str:
    """Give the path of the transcript that a tool was told to open; empty for any other `.jsonl`."""
    text = text.replace("\\", "/")
    at = [found[0] for found in _FOLDER.finditer(text)]
    for folder in folders:
        at += re.findall(re.escape(folder.replace("\\", "/")) + _REST, text)
    for path in at:
        last = path.rpartition("/")[2]
        if _TRANSCRIPT.search(path):
            return path
        if "." not in last.lstrip(".") and (_TRANSCRIPT.search(text) or _LOOKING.search(text)):
            return path
    return ""


def _why_raw(path: str, found: Sequence[Lead]) -> str:
    """Say what the agent missed: by the lane of the hit whose session it opened, else of the first."""
    if not found:
        return FOR_NOTHING
    hit = next((one for one in found if one.session and one.session[:_SHORTEST_ID] in path), found[0])
    return FOR_OUTPUT if hit.lane in _OF_TOOLS else FOR_TEXT


def _names(found: Sequence[Lead]) -> list[str]:
    """Give the names of the files in what was shown."""
    names = {name.rpartition("/")[2] for one in found for name in _NAME.findall(one.text)}
    return sorted(name for name in names if len(name) >= _SHORTEST_NAME)[:_MOST_NAMES]


def _follows(text: str, found: Sequence[Lead], names: Sequence[str]) -> str:
    """Say by what a tool's call goes back to what was found: an id, a file, or nothing."""
    ids = [one for lead in found for one in (lead.id, lead.session) if len(one) >= _SHORTEST_ID]
    if any(one in text for one in ids):
        return "id"
    is_named = any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in names if name in text)
    return "file" if is_named else ""


# -- asking again ------------------------------------------------------------------------------------------------------


def rephrased(before: Call, after: Call) -> str:
    """Say how a second question differs from the first."""
    old, new = _words(before.query), _words(after.query)
    if old == new:
        return SAME if _narrowing(before) == _narrowing(after) else FIELD
    if _language(before.query) != _language(after.query):
        return LANGUAGE
    if len(new) != len(old):
        return FEWER if len(new) < len(old) else MORE
    return OTHER_WORDS


def _words(text: str) -> list[str]:
    """Give the words of a question; each Chinese or Japanese character counts as one."""
    return sorted(word.casefold() for word in _WORDS.findall(_FIELDS.sub(" ", text)))


def _narrowing(call: Call) -> tuple[object, ...]:
    return sorted(_FIELDS.findall(call.query)), sorted(call.options), sorted(call.flags), call.query.count('"')


def _language(text: str) -> str:
    text = _FIELDS.sub(" ", text)
    return "ja" if _KANA.search(text) else "zh" if _CJK.search(text) else "latin"
