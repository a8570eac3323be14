"""Whether a fact that a model noted was said: in whose words, in which language, and not taken back. Pure.

Nothing of this asks what a fact means, so a model that is wrong, or was fooled by what it read, cannot talk its way
around it.
"""

from __future__ import annotations

import re

from harkback.chat.phrases import fact_in, takes_back
from harkback.engines.local.words import stem
from harkback.memory.likeness import said
from harkback.model import TASK
from harkback.models.chatting import PERSON
from harkback.text.fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.chat.conversation import Turn

# What speaks against a fact.
SAVED, UNSAID, QUESTION = "saved", "unsaid", "question"
TAKEN_BACK, LANGUAGE, BESIDE = "taken back", "language", "beside"

_LEAST_QUOTE = 2
_LEAST_FOREIGN = 40
"""A paragraph of so many characters in another language than the rest was written by somebody else."""
_LEAST_REWRITTEN = 2
_OWN_SHARE = 0.4
"""So much of what a model saves by itself must have been said: it may put it in other words, but not make it up."""

_AGREED = re.compile(
    r"(?:\s*(?:(?:yes|yeah|yep|ok(?:ay)?|sure|agreed|right(?! now)|correct(?! me)|exactly|perfect|please do"
    r"|do (?:it|that)|sounds good|no problem|go (?:ahead|for it)|let'?s (?:do|go|use|keep|take))\b"
    r"|沒問題|没问题|就這樣|就这样|同意|可以|好(?![像奇難难多久幾几])|[對对](?![了不])|是的?|行|嗯+"
    r"|はい|うん|そう|いい(?:です|よ|ね)|お願い|了解|それで)[\s,，、.。!！~～]*)+",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:but|though|however|except|instead|rather|wait)\b|不過|不过|但|可是|只是|還是|还是|等等|でも|けど|ただ|やっぱ|しかし",
    re.IGNORECASE,
)
_NAMES = (
    r"(?:From|Sent|Date|To|Cc|Subject|寄件者|寄件人|收件者|日期|主旨|发件人|收件人|主题|差出人|宛先|送信日時|日時|件名)"
)
_LEVELS = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)"
_NOT_THEIRS = re.compile(
    r"```.*?(?:```|\Z)"
    r"|<harkback\b.*?(?:</harkback>|\Z)"
    r"|^[ \t]*<(?P<tag>[A-Za-z][\w-]*)\b[^<>]*>.*?(?:</(?P=tag)>|\Z)"
    r"|^[ \t]*(?P<rule>-{3,}|={3,}|_{3,}|\*{3,}|~{3,}|\"{3})[ \t]*$.*?(?:^[ \t]*(?P=rule)[ \t]*$|\Z)"
    r"|^#{1,6} [^\n]*\n.*\Z"
    r"|^-{3,} ?(?:Original|Forwarded)\b.*\Z"
    rf"|^{_NAMES}[ \t]*[:：][^\n]*\n{_NAMES}[ \t]*[:：].*\Z"
    r"|(?<=[:：])[ \t]*\n[ \t]*\n(?![ \t]*(?:[-*•・]|\d+[.)、])).*\Z"  # "Look at this mail:", and then it
    r"|^[ \t]*>[^\n]*$"
    rf"|^[ \t]*(?:\[?\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d\b"
    rf"|\[?{_LEVELS}\b[\]: ]|\$ |Traceback \(|File \"|at \S+\()[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
_QUOTED = re.compile(r"「([^「」]+)」|『([^『』]+)』|“([^“”]+)”|\"([^\"\n]+)\"")
_SENTENCE = re.compile(r"(?<=[。！？!?])(?![。！？!?」』”\"])|(?<=\.)\s|\n")
_ASKS = re.compile(r"(?:[?？]|[嗎吗]|(?:ます|です|ました|でした|でしょう|ません)か|かな|かしら)[\s。.!！」』”\"]*\Z")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_CJK = re.compile(r"[\u3041-\u30fa\u4e00-\u9fff\uac00-\ud7a3]")
_KANA = re.compile(r"[\u3041-\u306d\u306f-\u3096]")
"""Hiragana but の, which Chinese shop signs have as well."""


def doubt(text: str, kind: str, quote: str, at: int, turns: Sequence[Turn]) -> str:
    """Say what speaks against a fact that the quote from turn `at` is said to hold; "" where nothing does."""
    turn = turns[at]
    if turn.role == PERSON and fact_in(turn.text):
        return SAVED
    own = own_words(turn.text)
    sentences = _sentences(own)
    places = _places(quote, sentences)
    if not places or _is_quoted(quote, own) or not _is_theirs(at, turns):
        return UNSAID
    around = ["".join(sentences[first : last + 1]) for first, last in places]
    if turn.role == PERSON and kind != TASK and all(map(_ASKS.search, around)):  # a wish may be asked for
        return QUESTION
    if _is_taken_back(at, turns, sentences[places[-1][1] + 1 :]):
        return TAKEN_BACK
    if not any(_same_language(text, one) or _is_made_of(text, one) for one in around) or _is_rewritten(text, own):
        return LANGUAGE
    return "" if _shares(text, quote) else BESIDE


def own_words(text: str) -> str:
    """Leave out of a turn what others wrote: code, quotes, mails, logs, markup, pages, what was recalled."""
    left = _NOT_THEIRS.sub("\n\n", text).strip()
    paragraphs = _PARAGRAPH.split(left)
    asked = min(paragraphs[0], paragraphs[-1], key=len)  # what is wanted of a long text stands before or behind it
    foreign = {one for one in paragraphs if len(one) >= _LEAST_FOREIGN and not _same_language(one, asked)}
    return "\n\n".join(one for one in paragraphs if one not in foreign)


def agrees(text: str) -> bool:
    """Whether somebody agrees to what was proposed just before, as it was proposed."""
    first, second, *_ = [*_sentences(own_words(text)), "", ""]
    found = _AGREED.match(first)
    if found is None or _ASKS.search(first):
        return False
    rest = first[found.end() :]
    return not said(rest, stem).negations and not any(map(_BUT.search, (rest, second))) and not takes_back(second)


def comes_from(text: str, turns: Sequence[Turn]) -> bool:
    """Whether enough of a text's words are the person's own, or stand in what they agreed to."""
    words = [
        own_words(one.text) if one.role == PERSON else one.text for at, one in enumerate(turns) if _is_theirs(at, turns)
    ]
    units = set(said(text, stem).units)
    return len(units & set(said("\n".join(words), stem).units)) >= _OWN_SHARE * len(units)


def _is_theirs(at: int, turns: Sequence[Turn]) -> bool:
    """Whether the person said it, or agreed to it in the very next turn."""
    if turns[at].role == PERSON:
        return True
    after = turns[at + 1] if at + 1 < len(turns) else None
    return after is not None and after.role == PERSON and agrees(after.text)


def _is_taken_back(at: int, turns: Sequence[Turn], rest: Sequence[str]) -> bool:
    """Whether the person took it back: in the rest of the turn, or in the next that is theirs."""
    if turns[at].role == PERSON and any(map(takes_back, rest)):
        return True
    said_at = at if turns[at].role == PERSON else at + 1
    after = next((one for one in turns[said_at + 1 :] if one.role == PERSON), None)
    return after is not None and takes_back(after.text)


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.split(text) if one.strip()]


def _places(quote: str, sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Say in which sentences a quote stands, from first to last, each time that it does."""
    wanted = folded(quote)
    if len(wanted) < _LEAST_QUOTE:
        return []
    parts = [folded(one) for one in sentences]
    owners = [number for number, one in enumerate(parts) for _ in one]
    whole = "".join(parts)
    starts = [at for at in range(len(whole)) if whole.startswith(wanted, at)]
    return [(owners[at], owners[at + len(wanted) - 1]) for at in starts]


def _is_quoted(quote: str, own: str) -> bool:
    """Whether the words stand between quotation marks only."""
    wanted = folded(quote)
    inside = any(wanted in folded("".join(filter(None, one))) for one in _QUOTED.findall(own))
    return inside and wanted not in folded(_QUOTED.sub("\n", own))


def _same_language(text: str, other: str) -> bool:
    """Whether two texts can be of one language, as far as their scripts tell."""
    if bool(_CJK.search(text)) != bool(_CJK.search(other)):
        return False
    return bool(_KANA.search(text)) == bool(_KANA.search(other))


def _is_made_of(text: str, other: str) -> bool:
    """Whether a text has no characters but those of another: 会議 3月5日, of which the particles are gone."""
    chars = set(_CJK.findall(text))
    return bool(chars) and chars <= set(other)


def _is_rewritten(text: str, own: str) -> bool:
    """Whether Traditional was made Simplified, or the other way round."""
    known = set(own)
    alike = set(fold(own))
    changed = {one for one in text if one not in known and _CJK.match(one) and fold(one) in alike}
    kept = {one for one in text if one in known and _CJK.match(one) and fold(one) != one}
    return len(changed) >= _LEAST_REWRITTEN and len(changed) > len(kept)


def _shares(text: str, quote: str) -> bool:
    """Whether a text says anything of what its quote says: a word, or two characters."""
    units = set(said(quote, stem).units)
    shared = units & set(said(text, stem).units)
    chars = sum(bool(_CJK.match(one)) for one in shared)
    return len(shared) > chars or (bool(chars) and chars >= min(2, len(units)))


def folded(text: str) -> str:
    """Give a text folded and without white space."""
    return "".join(fold(text).split())
