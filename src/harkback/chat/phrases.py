"""What is said in plain words and meant for the memory: "remember that…", 記住…, 覚えて…, "why do you know"."""

from __future__ import annotations

import re

_BEFORE = (
    r"(?:please,?\s+)?remember(?:\s*[:,]\s*|\s+(?:that|this)(?:\s*[:,]\s*|\s+))",
    r"(?:請你?|请你?|麻煩你?|麻烦你?|幫我|帮我|你要)*(?:記住|记住)[\s::,,、]*",
    r"覚えて(?:おいて)?(?:ください|下さい|ね)?[\s::,,、。]+",
)
_SAID_BEFORE = re.compile(rf"\s*(?:{'|'.join(_BEFORE)})(?P<fact>\S.*)", re.DOTALL | re.IGNORECASE)
_SAID_AFTER = re.compile(
    r"\s*(?P<fact>.*?\S)\s*(?:と|って|を|は|、|,|,|。)?\s*覚えて(?:おいて)?(?:ください|下さい|ね|くれ)?[。!!\s]*",
    re.DOTALL,
)
_ASKS = re.compile(r"[??]\s*\Z|[嗎吗了沒没]\s*\Z|\A\s*(?:the\s+)?(?:time|day|when|how)\b", re.IGNORECASE)
_WHY = re.compile(
    r"\s*(?:你?(?:為什麼|为什么|怎麼|怎么)(?:你)?(?:會|会)?(?:知道|記得|记得)"
    r"|(?:どうして|なぜ|なんで)(?:それを)?(?:知って|覚えて)"
    r"|(?:why|how)\s+(?:do|did|can)\s+you\s+(?:know|remember)(?:\s+(?:that|this|it))?\s*[??.!]*\s*\Z)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\s*(?:(?:wait|hm+|oh|ah|no|nah|nope|ok|well|lol|actually|sorry|等等|等一下|啊|欸|誒|哎|不|嗯|あ|いや|ごめん)[\s,，、.…!！]*)*"
    r"(?:never ?mind|nvm|scratch (?:that|it)|forget (?:it|that|this|what i (?:just )?said|i said)|strike that"
    r"|(?:please )?(?:don'?t|do not) (?:remember|save|note|keep) (?:it|that|this)|i take (?:it|that) back"
    r"|算了(?![一半幾几好\d])|當我沒說|当我没说|[當当]我[沒没]講|(?:剛剛|剛才|刚刚|刚才|前面)(?:那個|那句|說的|讲的|说的|的)?(?:不算|作廢|作废|忘了|忘掉)"
    r"|(?:請|请)?(?:忘了|忘掉)(?:它|這個|那個|这个|那个|剛剛|剛才|刚刚|刚才|吧)|(?:不要|不用|別|别)(?:記|记)(?:這|那|这|它|了|下)"
    r"|(?:やっぱ(?:り)?|さっきの(?:は|話は)?|今の(?:は)?)[\s、]*(?:なし|無し|いいです|いいや|やめ|忘れて|取り消)|忘れて(?:ください|下さい|くれ|ね)?"
    r"|(?:これは|それは)?覚えなくて(?:いい|大丈夫))",
    re.IGNORECASE,
)

_LAST_WORDS = 40


def fact_in(text: str) -> str:
    """Give what is to be remembered of what was said, "" where nothing is, or where only a question was asked."""
    text = text.strip()
    said = _SAID_BEFORE.fullmatch(text)
    if said is None and "覚えて" in text[-_LAST_WORDS:]:  # the pattern is slow where a text is long
        said = _SAID_AFTER.fullmatch(text)
    if said is None or "\n\n" in text:
        return ""
    fact = said["fact"].strip()
    return "" if _ASKS.search(fact) else fact


def asks_why(text: str) -> bool:
    """Whether somebody asks how it is known what was just said."""
    return bool(_WHY.match(text))


def takes_back(sentence: str) -> bool:
    """Whether a sentence says that what was said before is not to count: "never mind", 算了, 今のなし."""
    return bool(_TAKEN_BACK.match(sentence))
