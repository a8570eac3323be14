"""What is said in plain words and meant for the memory: "remember that…", 記住…, 覚えて…, "why do you know".

What is only asked, or may be about something else ("remember that movie", 英単語を覚えて), is left to the model.
Patterns have ASCII punctuation and 、。 only: texts are read with their full-width signs made narrow.
"""

from __future__ import annotations

import re

from harkback.chat import phrases_chinese, phrases_english, phrases_japanese
from harkback.memory.likeness import weight
from harkback.memory.saving import LEAST_WEIGHT, MOST_CHARS

_NARROW = str.maketrans("\uff1a\uff0c\uff1f\uff01\uff1b\uff0e\uff5e\u2019\u3000", ":,?!;.~' ")
"""One sign for one: what is found stands at the same place in the text itself. Escaped, for some editors fold them."""
_MOST_AROUND = 200
_LONGEST_WHY = 200

_WHY_CHINESE = (
    r"(?:那|欸|咦|等等|等一下)?[,\s]*(?=.{0,6}[你您])[你您]?是?(?:為什麼|为什么|為何|为何|怎麼|怎么|如何)[你您]?[是還还]?[會会能]?"
    r"(?:知道|記得|记得|曉得|晓得)[的了]?(?:[這这那](?:[個个些]|件事|[點点])?|它"
    r"|我(?!.*(?:有[沒没]有|是不是|[會会]不[會会]|能不能|要不要|什麼|什么|怎|哪))[^,。?]{1,20})?[的了啊呢]?"
)
_WHY_JAPANESE = (
    r"(?:え|ねえ|あれ)?[、,\s]*(?:あなた|君|きみ)?[はが]?[、,]?(?:どうして|なぜ|なんで|何で|どうやって)[、,\s]*"
    r"(?:(?:それ|これ|そのこと|そんなこと|(?:私|僕|俺|わたし|ぼく|うち)(?:の[^、。?]{1,12}|が[^、。?]{1,12}))[をがは]?)?"
    r"(?:(?:知|覚え|おぼえ)っ?て(?:い)?(?:る|た|ます|ました)|(?:わか|分か)(?:る|った|ります|りました)|知った|ご存じ|ご存知)"
    r"(?:の|ん|んだ|のです|んです)?(?:か|かな|ね|よ)?"
)
_WHY_ENGLISH = (
    r"(?:(?:wait|hey|hm+|huh|oh|so|and|but|ok|wow)[\s,.!]+)*(?:why|how)(?:'d|\s+(?:do|did|can|could|come))\s+you"
    r"\s+(?:even\s+|still\s+|already\s+)?(?:know|remember|recall)"
    r"(?:\s+(?:about\s+)?(?:(?:all\s+)?(?:that|this|it|these|those)(?:\s+(?:about\s+)?me)?|me"
    r"|(?!.*\b(?:is|are|was|were|has|have|had|will|can|should|works?|needs?|if|when|whether|or)\b)(?:my|our)(?:\s+[\w'-]+){1,4}"
    r"|(?:that\s+|where\s+|what\s+|who\s+)?i\s+(?:like|love|prefer|hate|live|work|moved|am)\b[^,.?!]{0,40}))?"
)
_WHY = re.compile(rf"(?:{_WHY_CHINESE}|{_WHY_JAPANESE}|{_WHY_ENGLISH})[\s?!.。~]*", re.IGNORECASE)
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


def fact_in(text: str) -> str:
    """Give what is to be remembered of what was said; "" where that is nothing, too little or too much."""
    text = text.strip()
    if len(text) > MOST_CHARS + _MOST_AROUND or "\n\n" in text:
        return ""
    plain = text.translate(_NARROW)
    found = phrases_english.wanted(plain) or phrases_chinese.wanted(plain) or phrases_japanese.wanted(plain)
    fact = text[found].strip() if found else ""
    return fact if weight(fact) >= LEAST_WEIGHT and len(fact) <= MOST_CHARS else ""


def asks_why(text: str) -> bool:
    """Whether somebody asks how it is known what was just said."""
    text = text.strip()
    return len(text) <= _LONGEST_WHY and bool(_WHY.fullmatch(text.translate(_NARROW)))


def takes_back(sentence: str) -> bool:
    """Whether a sentence says that what was said before is not to count: "never mind", 算了, 今のなし."""
    return bool(_TAKEN_BACK.match(sentence))
