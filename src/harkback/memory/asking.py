"""What a question to the memories asks for: its words without what makes it a question, dates, "now" and "before"."""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.engines.local.memories import terms_of
from harkback.memory.likeness import FUNCTION_WORDS
from harkback.memory.regional import elsewhere
from harkback.text.fold import fold
from harkback.text.runs import CJK, WORD, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

# Words that ask for what holds now; folded.
_NOW = (
    (
        r"\b(?:(?:right |just )?now|nowadays|current|currently|latest|these days|at the moment|at present"
        r"|as of today|up[- ]to[- ]date)\b"
        r"|目前|现在|如今|现时|当前|现阶段|最新的?|眼下|现今|いま|現在|現時点"
        r"|今(?![日天年月周度回朝晚晩夜后更次时早生般夕夏冬春秋季期])"
    )
    .replace("現在", "现在")
    .replace("現時点", "现时点")
)

# Words that ask for what held before; folded. 部署之前要 and "is used to build" do not.
_THEN = (
    r"\b(?:formerly|previously|originally|back then|(?<!is )(?<!are )(?<!be )used to|use to be)\b"
    r"|^(?:之前|以前)|(?:之前|以前)(?=[的在是用住叫谁哪由のは]|[?？]?$)|从前|过去(?=的|[住在用叫])|原来|原本|原先|先前|当初"
    r"|かつて|元々|もともと|昔は"
)

# What makes a sentence a question, in folded (Simplified) characters; said of nothing.
_ASKING = (
    r"是什么|什么时候|为什么|什么|怎么样|怎么办|怎么|如何|哪里|哪儿|哪个|哪些|哪一?[个种位家天]|哪(?=[?？\s]|$)|多少|几个|几点|谁|是否|有没有|请问|告诉我|还记得|记得"
    r"|[吗呢吧啊]+(?=[?？。!！\s]|$)|何ですか|なんですか|ですか|でしょうか|ましたか|ますか|のか|どこ|いつ|だれ|誰|何|なぜ|どう|どの|どれ|教えて"
)

# What joins the words of a sentence, so that characters on its two sides make no word together; folded. Where it is
# part of a word (目的, 于是) it stays. In Japanese it follows what is no hiragana: 本番へのデプロイは.
_JOINING = (
    r"(?<![目])的(?![士确])|(?<![于还但总可要就])是(?!否)|了(?!解)"
    r"|(?<=[^\u3040-\u309f\s])(?:への|での|との|からの|までの|には|では|とは|からは|にも|でも|から|まで|[はがをにへとものでや])"
)
# Hiragana that end a sentence or hold it together.
_ENDINGS = re.compile(
    r"(?:ある|あり|いる|います|いた|する|します|した|して|なる|なった|です|でした|ます|ました|だった|こと|もの|ため|よう|それ|これ|とき"
    r"|から|まで|より|だけ|ほど|くらい|ください|[はがをにへとものでやだかねよ])+"
)
# What kind of answer is asked for, and how one looks; folded.
_DAYS = (
    r"[0-9]|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|noon|midnight|daily|nightly|weekly|monthly)\b"
    r"|[一二三四五六七八九十廿卅半两]点|[一二三四五六七八九十]+[月日号时]|月[初中底末]|(?:周|星期|礼拜)[一二三四五六日天末]|[月火水木金土日]曜"
    r"|今天|明天|后天|昨天|每天|每晚|今日|明日|昨日|毎日|毎晩"
)
_NUMBERS = (
    r"[0-9一二三四五六七八九十百千万两半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|half|twice|once)\b"
)
_ASKS_DAY = (
    r"(?:周|星期|礼拜)几|哪一?天|什么时候|何时|几[点号月时]|いつ|何曜日|何[时月日]|\bwhen\b"
    r"|\b(?:what|which) (?:days?|dates?|time|month|weekday)\b"
)
_ASKS_NUMBER = (
    r"几|多少|いくつ|いくら|何[番个人台回件枚円歳岁割]|何パーセント|\bhow (?:many|much|long|often|wide|old)\b"
    r"|\b(?:what|which) (?:port|version|number)\b"
)
_ANSWERS = ((_ASKS_DAY, re.compile(_DAYS)), (_ASKS_NUMBER, re.compile(_NUMBERS)))
_SHORTEST_WORD = 3
_SHORTEST_RUN = 2
_LONGEST_QUESTION = 120


class Wording(NamedTuple):
    """One way to ask."""

    folded: str
    terms: tuple[str, ...]
    pieces: tuple[str, ...]
    """Folded words and CJK runs, for looking inside texts."""
    words: tuple[str, ...]
    """The Latin words among them."""
    answer: re.Pattern[str] | None = None
    """How an answer looks: what asks for a day or a number is answered by what holds one."""


class Question(NamedTuple):
    """A question, taken apart."""

    texts: tuple[str, ...]
    """The question as it was asked, in each wording."""
    wordings: tuple[Wording, ...]
    asks_for_now: bool
    since_ms: int | None
    """The time it speaks of: [since, until)."""
    until_ms: int | None
    date_words: str
    asks_for_then: bool = False
    """Whether it asks for what held before, without saying when."""


def question(texts: Sequence[str], now_ms: int, zone: tzinfo | None = None) -> Question:
    """Take a question apart; `texts` are the same question in several wordings or languages."""
    since = until = None
    date_words = ""
    wordings: list[Wording] = []
    asks_for_now = asks_for_then = False
    for text in texts:
        asks_for_then = asks_for_then or re.search(_THEN, fold(text)) is not None
        asks_for_now = asks_for_now or re.search(_NOW, fold(text)) is not None
        bare, span, said = _without_dates(text, now_ms, zone)
        if span is not None and since is None:
            (since, until), date_words = span, said
        wordings += [_wording(one) for one in (bare, *elsewhere(fold(bare)))]
    asks_for_then = asks_for_then and since is None and not asks_for_now
    return Question(tuple(texts), tuple(wordings), asks_for_now, since, until, date_words, asks_for_then)


def _without_dates(text: str, now_ms: int, zone: tzinfo | None) -> tuple[str, tuple[int, int] | None, str]:
    """Take the dates out of a question; with the span of the first one."""
    from harkback.occasions import TOLD, occasions

    found = [one for one in occasions(text, now_ms, zone, lean=TOLD) if not re.fullmatch(_NOW, fold(one.words).strip())]
    bare = text
    for one in reversed(found):
        bare = f"{bare[: one.start]} {bare[one.end :]}"
    if not found:
        return text, None, ""
    return bare, (found[0].since_ms, found[0].until_ms), found[0].words


def _gap(match: re.Match[str]) -> str:
    """What stays where a word was taken out: nothing between two CJK characters, which are neighbours then."""
    return " " if match[0].isascii() else ""


def _wording(text: str) -> Wording:
    folded = fold(text)
    asking = re.sub(_ASKING, " ", re.sub(f"{_NOW}|{_THEN}", _gap, folded))
    if not any(map(str.isalnum, asking)):
        asking = folded
    bare = re.sub(_JOINING, lambda match: " " * len(match[0]), asking)
    pieces = [run for run in runs(bare) if run.kind in {CJK, WORD}] or runs(asking)
    telling = [run for run in pieces if run.text not in FUNCTION_WORDS and not _ENDINGS.fullmatch(run.text)] or pieces
    words = tuple(run.text for run in telling if run.kind == WORD)
    terms = [*terms_of(" ".join(run.text for run in telling)), *_pairs_of_single(asking, bare)]
    long = [run.text for run in telling if len(run.text) >= (_SHORTEST_RUN if run.kind == CJK else _SHORTEST_WORD)]
    return Wording(
        " ".join(asking.split()),
        tuple(dict.fromkeys(terms)),
        tuple(dict.fromkeys(long or [run.text for run in telling])),
        words,
        _answer(folded),
    )


def _pairs_of_single(asking: str, bare: str) -> list[str]:
    """Give the pairs that a character makes which stands alone between what joins: の席, 席は."""
    pairs: list[str] = []
    for single in re.finditer(r"(?<!\S)[^\s\x00-\x7f](?!\S)", bare):
        at = single.start()
        pairs += [asking[max(0, at - 1) : at + 1], asking[at : at + 2]]
    return [pair for pair in pairs if len(pair) > 1 and not any(map(str.isspace, pair)) and not pair.isascii()]


def _answer(folded: str) -> re.Pattern[str] | None:
    """How an answer to a question looks, where its asking word tells; a long text asks for more than one thing."""
    if len(folded) > _LONGEST_QUESTION:
        return None
    return next((looks for asks, looks in _ANSWERS if re.search(asks, folded)), None)
