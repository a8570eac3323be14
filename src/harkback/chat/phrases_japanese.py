"""What a Japanese sentence wants remembered. Pure: a text with narrow punctuation in, a place in it out.

覚える is to learn as well: without と, って or a sign between them, what stands before it is no fact (英単語を覚えて).
"""

from __future__ import annotations

import re

_HOW = r"(?:ちゃんと|きちんと|しっかり|よく|必ず|絶対に?|ぜひ|ずっと|これ[をは]?|それ[をは]?)"
_VERB = (
    r"(?:(?:覚え|おぼえ)(?:て(?:おいて|おけ)?|といて|とけ)|(?:メモ|記憶|記録)(?:して(?:おいて)?|しといて)|忘れないで(?:いて)?)"
    r"(?:くださいね?|下さいね?|くれ(?:る|ない|ますか|ませんか)?|もらえ(?:る|ない|ますか|ませんか)|(?:ほしい|欲しい)(?:です|んだけど|んですが|んですけど)?"
    r"|ね|よ|お願い(?:します)?)?"
)
_BEFORE = re.compile(
    rf"(?:(?:{_HOW}|あと|じゃあ?|では|ねえ?|あの|ちなみに|お願い(?:だから)?|ついでに)[、,\s]*)*"
    rf"(?P<verb>{_VERB})(?P<sep>[\s:,、。!?]+)(?P<fact>\S.*)",
    re.DOTALL,
)
_BEHIND = re.compile(
    rf"(?P<fact>.*?[^\s、,。])(?:(?P<thing>(?:という)?こと[をは])|[\s、,。]*(?P<quote>(?<![こっ])(?<!ちゃん)(?<!きちん)と|って)"
    rf"|(?P<since>だから|ですから|なので|ので)?(?P<sep>[\s、,。!]*(?(since)|(?<=[\s、,。!]))))(?:{_HOW}[、,\s]*)*(?P<verb>{_VERB})[\s。!?~]*",
    re.DOTALL,
)
_REQUEST = re.compile(r"(?:くれ(?:る|ない)|もらえ(?:る|ない)|ますか|ませんか)\Z")
_PLAIN_REQUEST = re.compile(r"(?:覚え|おぼえ|メモし|記憶し|記録し)て\Z")
_ASKS = re.compile(r"(?:\?|か|かな|かしら|っけ|は|でしょう|だろう)[\s。!]*\Z")
_TOLD = re.compile(
    r"(?:って|と)言|.*(?:言|話|教え|伝え|聞い)(?:っ|し)?(?:て(?:い|お)?)?た(?:こと|話|の|やつ)?\Z", re.DOTALL
)
_STATES = re.compile(r".*(?:[はがも]|(?:だ|です|ます|した|る|ない)[。!\s]*\Z)", re.DOTALL)
_TELLS = re.compile(r".*(?:[はがもにで]|\d|(?:だ|です|ます|した|る|ない)\Z)", re.DOTALL)
"""The same, and what may be a note: 木曜に会議."""
_QUOTES = re.compile(r".*(?:だ|です|ます|た|る|[ァ-ヶーA-Za-z0-9日時分月年円人歳])\Z", re.DOTALL)
"""Before って; a verb that ends so is none of a quote (使って)."""
_FACT_OF = re.compile(r".*[はが].*(?:る|い|た|だ|ん)\Z", re.DOTALL)


def wanted(plain: str) -> slice | None:
    """Say where in a text stands what is to be remembered; None where nothing does."""
    said = _BEFORE.fullmatch(plain)
    if said is not None:
        fact = said["fact"]
        goes_on = _PLAIN_REQUEST.search(said["verb"]) and set(said["sep"].strip()) <= set("、,")  # 覚えて、また忘れる
        is_fact = _is_request(said["verb"], said["sep"]) and not (goes_on and not _STATES.match(fact))
    else:
        said = _BEHIND.fullmatch(plain)
        is_fact = said is not None and _is_request(said["verb"], plain[said.end("verb") :]) and _is_told(said)
    if said is None or not is_fact or _ASKS.search(said["fact"]) or _TOLD.match(said["fact"]):
        return None
    return slice(*said.span("fact"))


def _is_request(verb: str, after: str) -> bool:
    """Whether it is no question, 覚えてくれる? being none."""
    return "?" not in after or _REQUEST.search(verb) is not None


def _is_told(said: re.Match[str]) -> bool:
    fact = said["fact"]
    if said["thing"]:
        return _FACT_OF.match(fact) is not None
    if said["quote"] == "って":
        return _QUOTES.match(fact) is not None
    return (_STATES if said["quote"] else _TELLS).match(fact) is not None
