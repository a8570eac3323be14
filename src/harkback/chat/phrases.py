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


def fact_in(text: str) -> str:
    """Give what is to be remembered of what was said, "" where nothing is, or where only a question was asked."""
    said = _SAID_BEFORE.fullmatch(text) or _SAID_AFTER.fullmatch(text)
    if said is None or "\n\n" in text.strip():
        return ""
    fact = said["fact"].strip()
    return "" if _ASKS.search(fact) else fact


def asks_why(text: str) -> bool:
    """Whether somebody asks how it is known what was just said."""
    return bool(_WHY.match(text))
