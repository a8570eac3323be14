"""Whether what a text tells of a date has happened or is to happen: `lean_of` looks at the words around the phrase.

A date without a year, a bare weekday or month is the last one in a sentence about the past and the next one in a
sentence about what is to come. The clause that the phrase stands in tells it, the whole sentence where it is no more
than the date ("In March, …"); where neither tells, or what is told may be either (booked, cancelled), the date stays
open (`NEAR`). Pure: texts, spelled as `date_words.spelled` does, in; a lean out.
"""

from __future__ import annotations

import re

from harkback.date_words import COMING, NEAR, PAST

_SENTENCE_END = r"[。!?;\n]|\.(?= |$)"
_CLAUSE_END = rf"{_SENTENCE_END}|[,、]| (?:and|but|then) "

# What is set for a date is to come, though the setting has happened; directly before the phrase, and behind it.
_SET_FOR = (
    r"\b(?:moved|postponed|rescheduled|scheduled|delayed|deferred|pushed(?: back)?|brought forward|extended|shifted"
    r"|changed|put off|set|booked|planned|due) (?:to|until|till|for) (?:the )?$"
    r"|(?<![合簽签續续解修])(?:[約约訂订排改延移挪定]|推[遲迟])(?:[好定到在至了於]|期)*$"
)
_SET_BEHIND = r" ?に(?:延期|延び|変更|変わ|決ま|決め|移|ずら|なっ|なり|設定)"
_COMING = (
    r"\b(?:will|won't|shall|going to|about to|needs? to|ha(?:s|ve) to|plan(?:s|ned|ning)? to|forget|remember to|remind"
    r"|(?:must|should|ought to)(?! have)|(?:promise[ds]?|decide[ds]?|agree[ds]?|intend(?:s|ed)?|want(?:s|ed)?"
    r"|hope[ds]?|expect(?:s|ed)?) to)\b|'ll\b"
)
_COMING_CHINESE = (
    r"(?<![重主只概摘])要(?![求點件素塞領领])|[將将](?!軍|军)|[應应][該该當当]|必[須须]|打算|即[將将]|[別别]忘"
    r"|(?:[準准][備备]|[計计][劃划畫画]|[預预][計计定])(?![了好過过書书表])"
    r"|(?<![開機机社大集委員员協协聚約约議年司晚宴午體体誤误領领學学])會(?![議員员計计場场合談谈社長了]|開[完過过了])"
)
_BY = r"\b(?:by|until|till|before|no later than)(?: the)? $"
_DUE = (
    r"\b(?:due|deadline|plan(?:s|ned|ning)?|scheduled|expected|supposed|upcoming|expires?|to-?do)\b"
    r"|截止|到期|期限|[記记]得|得(?=[把在先去換换交續续])"
)
_ASKED = (
    r"\b(?:ask(?:s|ed)?|told|said|requested|ordered|required|needed|wanted)\b|答應|答应|要求|言われ|頼まれ|求められ"
)
"""What is asked for by a day is to come, though it was asked for."""
_OPEN = (
    r"\b(?:book(?:ed|ing)|reserved|reservation|appointment|cancel(?:l?ed)?|invited|registered|signed up)\b"
    r"|取消|[預预][約约]|予約|中止|[掛挂][號号]|報名|报名"
)
_BY_BEHIND = r" ?(?:(?:之|以)?前(?![任女男端面])|まで)"
"""Directly before the phrase, anywhere (`_DUE`), directly behind it: to come, unless the sentence is in the past."""

_ENDS = r"(?:ので|から|が|けど|けれど|し|よ|ね|か|と|らしい|そうだ)?[\s)」』.]*$"
_COMING_JAPANESE = (
    r"予定|つもり|締め?切|〆切|でしょう|だろう|ましょう|べき|なければ|ねば|ください|下さい|忘れずに"
    rf"|(?:[うくすつぬむるぐぶ]|たい){_ENDS}"
)
_PAST_JAPANESE = rf"(?:(?<!ま)た|(?<![うくすつぬむるぐぶいな])んだ){_ENDS}|だった|でした|ました"
_PAST_CHINESE = (
    r"已[經经]|已(?=[完部上簽签搬換换改交付發])|曾|[剛刚](?![好性])|上次|[當当那][時时]|發生"
    r"|(?<![為为除不])了(?!解)|(?<![通超不經经透難难])[過过](?![期程敏濾滤年節节夜後度])"
)
_PAST = r"\b(?:was|were|wasn't|weren't|had|hadn't|did|didn't|used to|(?:has|have) been|ago)\b"
_VERBS = (
    r"\b(?:[a-z]{2,}ed|began|bought|broke|brought|built|became|came|caught|chose|did|drew|drove|ate|fell|felt|flew|found"
    r"|forgot|fought|gave|got|grew|heard|held|hid|kept|knew|led|left|lent|lost|made|meant|met|paid|ran|rang|rose|said|sang"
    r"|sat|saw|sent|shook|shot|slept|sold|spent|spoke|stole|stood|stuck|swam|taught|told|took|thought|threw|understood"
    r"|went|woke|won|wore|wrote)\b"
)
_NO_VERBS = frozenset(
    re.findall(
        r"\S+",
        "need feed seed speed breed deed weed bleed exceed proceed succeed indeed hundred embed shed sled based"
        " scheduled planned expected supposed united unlimited advanced",
    )
)
_SHORT = 5
"""A clause of no more letters beside the date says nothing; one of CJK counts as three."""
_STATE = r"(?:\b(?:is|are|be|being|the|an?|to|gets?|my|our|your)|'s|'re)(?: (?:now|not|still|only|always|[a-z]+ly))? $"
"""Before what is a state or a name and no past: is closed, the shared drive."""


def lean_of(low: str, start: int, end: int) -> str:
    """Say which date is meant by a phrase at [start, end) of a text: the last one, the next one, or the nearest."""
    before, after = _around(low, start, end, _CLAUSE_END)
    if sum(1 if sign.isascii() else 3 for sign in before + after if sign.isalnum()) <= _SHORT:
        before, after = _around(low, start, end, _SENTENCE_END)
    return _lean(before, after)


def _around(low: str, start: int, end: int, border: str) -> tuple[str, str]:
    since = max((found.end() for found in re.finditer(border, low[:start])), default=0)
    until = re.compile(border).search(low, end)
    return low[since:start], low[end : until.start() if until else len(low)]


def _lean(before: str, after: str) -> str:
    around = f"{before}|{after}"
    is_japanese = re.search("[ぁ-ヿ]", around) is not None
    coming, past = (_COMING, _PAST_JAPANESE) if is_japanese else (f"{_COMING}|{_COMING_CHINESE}", _PAST_CHINESE)
    if re.search(_SET_FOR, before) or re.match(_SET_BEHIND, after) or re.search(coming, around):
        return COMING
    is_by = re.search(_BY, before) or re.match(_BY_BEHIND, after)
    if is_by and re.search(_ASKED, around):
        return COMING
    if re.search(_OPEN, around):
        return COMING if is_by else NEAR
    if re.search(f"{_PAST}|{past}", around) or _has_past_verb(around):
        return PAST
    if is_by or re.search(_DUE, around):
        return COMING
    return COMING if is_japanese and re.search(_COMING_JAPANESE, around) else NEAR


def _has_past_verb(around: str) -> bool:
    return any(
        found[0] not in _NO_VERBS and not re.search(_STATE, around[: found.start()])
        for found in re.finditer(_VERBS, around)
    )
