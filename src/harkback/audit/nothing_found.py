"""Words for nothing: how commands that are not ours say that they found nothing."""

from __future__ import annotations

import re

from harkback.audit.calls import FINDERS

_MOST_LINES = 3
_MOST_CHARS = 300

# What agents write around an output: its exit status, how long it took, that there was none.
_AROUND = re.compile(
    r"^(?:(?:Exit code:?|(?:Process|Command) exited with code) \d+|Output:|(?:Chunk ID|Wall time|Duration"
    r"|Original token count|Total output lines)\b.*|\((?:no output|.* completed with no output)\))[ \t]*$",
    re.MULTILINE,
)
_THINGS = r"(?:results?|match(?:es)?|hits?|sessions?|entries|conversations?|messages?|documents?|files|records?)"
_NOTHING = re.compile(
    r"(?!.*command not found)\W*(?:[\w.-]+: )?(?:"
    rf"(?:found |there (?:are|were) |(?:search )?returned )?(?:no|0) (?:\w+ )?{_THINGS}\b"
    r"|(?:found )?nothing (?:was )?found|found nothing|not found"
    r"|[^:：]{0,80}\bnot found\W*$"
    r"|[^:：]{0,80}(?:沒有(?:找到|結果|符合)|没有(?:找到|结果|符合)|找不到|見つかりません|ありません))",
    re.IGNORECASE,
)
_SOME = re.compile(rf"\b[1-9][\d,]* {_THINGS}\b", re.IGNORECASE)
_NO_FINDS = re.compile(r"No (?:matches|files) found\.?")


def said(text: str) -> str:
    """Give an output without what the agent's program wrote around it."""
    return _AROUND.sub("", text).strip()


def is_short(answer: str) -> bool:
    """Whether an answer is so short that all of it may be one message."""
    return len(answer) <= _MOST_CHARS and len(answer.splitlines()) <= _MOST_LINES


def says_nothing(answer: str, command: str) -> bool:
    """Whether all of a short answer says that nothing was found; of a search program agents write that themselves."""
    if command in FINDERS:
        return bool(_NO_FINDS.fullmatch(answer))
    return is_short(answer) and not _SOME.search(answer) and any(map(_NOTHING.match, answer.splitlines()))
