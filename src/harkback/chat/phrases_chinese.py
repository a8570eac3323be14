"""What a Chinese sentence wants remembered. Pure: a text with narrow punctuation in, a place in it out.

A question, what is memorized (記住單字的方法, 記住這個很難) and a reminder of what was said before are left alone.
"""

from __future__ import annotations

import re

_HELP = r"請|请|麻煩|麻烦|拜託|拜托|幫我|帮我|幫忙|帮忙"
_FORGET = r"(?:別|别|不要)(?:忘了|忘記|忘记)"
_BEFORE = re.compile(
    rf"(?P<opening>(?:(?:{_HELP}|你|您|妳|要|都|也|還有|还有|還|还|一定|必須|必须|務必|务必|以後|以后|之後|今後|今后"
    r"|從現在起|从现在起|順便|顺便|先|再|那|好的|好|嗨|嘿|喂|對了|对了|另外|可不可以|可以|可否|能不能|能)[\s,]*)*)"
    rf"(?P<verb>記住|记住|記一下|记一下|(?:記下來?|记下来?)(?=[\s:,])|記下來|记下来|記得|记得|{_FORGET})(?!了(?!解)|[的得過过到])"
    r"(?:一下|哦|喔|吧|啊)?(?P<sep>(?:這件事|这件事|這一?點|这一?点|這個|这个|這些|这些|這句話|这句话|以下)?[\s:,、;。!-]+)?"
    r"(?P<fact>\S.*)",
    re.DOTALL,
)
_BEHIND = re.compile(
    rf"(?P<fact>.+?)[\s,。;!:]+(?:(?:(?:{_HELP}|你要|你|您|一定要|務必|务必)[\s,]*)+(?:記得|记得)"
    rf"|(?:(?:{_HELP}|你要|你|您|一定要|務必|务必)[\s,]*)*(?:記住|记住|記下來|记下来|記一下|记一下|{_FORGET}))"
    r"(?:這件事|这件事|這一?點|这一?点|這個|这个|它)?(?:喔|哦|啊|吧|呀)?[。!~\s]*",
    re.DOTALL,
)
_POLITE = re.compile(
    r"[\s,。!]+(?:好嗎|好吗|好不好|可以嗎|可以吗|行嗎|行吗|知道嗎|知道吗|謝謝[你您]?|谢谢[你您]?|感謝|感谢|拜託|拜托)"
    r"[\s?!。~]*\Z"
)
_ASKED = re.compile(r"[嗎吗]?[\s?。!]*\Z")
_WHAT = r"什麼|什么|甚麼|誰|谁|哪[裡里個个些]?|多少|幾[個点點次天隻]?|几[个点次天]?|怎麼樣?|怎么样?|為什麼|为什么"
_ASKS = re.compile(
    rf"\?\s*\Z|(?:[嗎吗呢]|了[沒没]有?|(?<![都也還还])[沒没]有?|(?<![都也])(?:{_WHAT})[的了]?|[對对]不[對对]|是不是)[。!~\s]*\Z"
)
_WHAT_FIRST = re.compile(_WHAT)
_POINTS = re.compile(r"[這这那][件個个點点句些部次段首本位家間间種种張张裡里樣样一]")
_TOLD = re.compile(r"[我你他她][們们]?(?:剛剛|刚刚|剛才|刚才|之前|上次|昨天|以前)*所?[說说講讲提教問问][過过到了]*的")
_NO_FACT = re.compile(
    r".*(?:(?:很|太|真|好|非常|有點|有点|不太?)(?:難|难|困難|困难|容易|簡單|简单|辛苦|累|重要)[了啊吧的]?"
    r"|的(?:方法|技巧|訣竅|诀窍|辦法|办法|方式|秘訣|秘诀|能力))[。!\s]*|[我你他她][們们]?的\w{1,2}",
    re.DOTALL,
)
_SAYS = re.compile(
    r".{7}|.*(?:[我是有在要會会能用叫姓喜歡欢愛爱討讨恨不沒没住吃喝買买賣卖開开去來来回換换改搬約约交付還还繳缴別别了做寄]|\d)",
    re.DOTALL,
)
"""What is short and has none of these is a name: 數學公式."""
_TELLS = re.compile(r"(?:[說说道]|告[訴诉]\w{0,2})\Z")


def wanted(plain: str) -> slice | None:
    """Say where in a text stands what is to be remembered; None where nothing does."""
    said = _BEFORE.fullmatch(plain)
    if said is None:
        said = _BEHIND.fullmatch(plain)
        is_fact = said is not None and not (_ASKS.search(said["fact"]) or _TELLS.search(said["fact"]))
        return slice(*said.span("fact")) if said is not None and is_fact else None
    fact = _POLITE.sub("", said["fact"])
    has_help = re.search(_HELP, said["opening"]) is not None
    if re.search("可|能", said["opening"]):  # asked for, where help is asked for
        if not has_help or re.search(_WHAT, fact):
            return None
        fact = _ASKED.sub("", fact)
    if said["verb"] in {"記得", "记得"} and not has_help and not re.search("一定|[務务]必", said["opening"]):
        return None  # "I remember", "do you remember"
    is_apart = re.search(r"[^\s-]", said["sep"] or "") is not None
    if _ASKS.search(fact) or _TOLD.match(fact) or not (is_apart or _is_fact(fact)):
        return None
    return slice(said.start("fact"), said.start("fact") + len(fact))


def _is_fact(fact: str) -> bool:
    """Whether what no sign parts from 記住 is a fact, and not what is memorized."""
    is_named = _POINTS.match(fact) or _WHAT_FIRST.match(fact) or _NO_FACT.fullmatch(fact)
    return not is_named and _SAYS.match(fact) is not None
