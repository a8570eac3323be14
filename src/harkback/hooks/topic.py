"""What a prompt that points to the past asks about: its own words without those that only ask and remember."""

from __future__ import annotations

import re

from harkback.hooks.triggers import own_words

MOST_WORDS = 6
_MOST_CHARS = 80
_SHORTEST_LATIN = 2

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaffー々"

# Longest first: each is cut out of a run, and what is left between them are the words.
_ZH = (
    "設多少|设多少|設成|设成|設為|设为|改成|改為|改为|放在哪|放在哪裡|還原|还原|你還記得|你还记得|還記得|还记得|記不記得|记不记得|我記得|我记得|你記得|你记得|記得|记得|想不起來|想不起来|忘記了|忘记了|忘了|幫我|帮我|請問|请问|可以|能不能|麻煩|麻烦"
    "|上一次|上次|上回|之前|以前|先前|當時|当时|當初|当初|那時候|那时候|曾經|曾经|前陣子|前阵子|前幾天|前几天|昨天|前天|上週|上周|上個月|上个月|去年|過去|过去"
    "|翻一下|翻翻|查一下|找一下|看一下|搜一下|查查|紀錄|记录|歷史|历史|對話|对话|聊天|會話|会话"
    "|我們|我们|你們|你们|咱們|是不是|不是|有沒有|有没有|已經|已经|到底|究竟|好像|應該|应该|那個|那个|這個|这个|那次|這次|这次|那件|這件|哪個|哪个|哪裡|哪里|哪些|什麼時候|什么时候"
    "|為什麼|为什么|怎麼樣|怎么样|怎麼|怎么|如何|怎樣|怎样|什麼|什么|多少|幾個|几个|誰|谁"
    "|討論過|讨论过|討論|讨论|決定了|決定|决定|解決過|解决过|解決|解决|處理過|处理过|處理|处理|遇到過|遇到过|遇到|碰到過|碰到过|碰到|提到過|提到过|提到|講過|讲过|說過|说过|提過|提过|聊過|聊过"
    "|修好|修過|修过|做過|做过|試過|试过|寫過|写过|用過|用过|弄好|搞定|過了|过了"
    "|的時候|的时候|時候|时候|的問題|的问题|問題|问题|的事情|事情|的事|方法|做法|方式|結論|结论|結果|结果|一下|一個|一个|一些|來著|来着|然後|然后|現在|现在|今天|告訴|告诉|說|说"
    "|嗎|吗|呢|吧|啊|喔|哦|了|的|是|在|有|把|被|跟|和|與|与|或|也|都|就|還|还|再|又|過|过|我|你|您|他|她|它|啦|呀|誒|欸|請|请|要|會|会|能|得|著|着|嗯|對|对|那|這|这|很|最|從|从|到|給|给|讓|让"
)
_JA = (
    "覚えていますか|覚えてますか|覚えている|覚えてる|覚えて|思い出して|思い出せ|忘れました|忘れちゃった|忘れた|教えてください|教えて|ください|お願いします|お願い|もらえますか|でしたっけ|でしょうか|ましたっけ"
    "|ですか|ますか|ました|でした|だっけ|たっけ|っけ|です|ます|だった|だろう|かな|よね|んだ|のか|たか"
    "|前回|以前|この前|こないだ|この間|先日|先週|先月|昨日|当時|昔|過去|前に|たしか|確か|もう一度|また|さっき"
    "|どうやって|どうして|どのように|どう|なぜ|なに|何を|何が|何で|何|いつ|どこ|どれ|誰|どの|どんな|いくつ"
    "|決めたこと|決めた|話したこと|話した|話し合った|言っていた|言ってた|言った|直した|解決した|対応した|試した|やった|使った|調べた|設定した|した|していた|してた|しました|する|して"
    "|について|に関して|のこと|こと|もの|とき|時|やつ|件|方法|やり方|手順|結論|問題|理由"
    "|から|まで|より|けど|ので|のに|には|では|とは|とか|への|での|って|という"
    "|は|が|を|に|で|と|も|の|へ|や|か|ね|よ|な|た|て|だ|し|い|う|る|れ|あの|その|この|例の"
)
_EN_WORDS = """
a about actually after again ago agree agreed all already also am an and any anyone anything are as at back be
been before being build built but by call called can change changed chat choose chose come configure
configured conversation could couple d day days decide decided did didn discuss discussed do does doing don
done earlier else ever few find fix fixed for forget forgot forgotten found from gave get give go going got
had hadn handle handled has have haven having he hello help her here hey hi him his history how i i'd if in
install installed into is isn issue it its just keep kept kind know last later let like ll look m made make me
mentioned might mine month months morning move moved much my name named need night no not note notes now of
off ok on once one or other our ours out over past picked please previous previously problem put question re
reason recall remember remind renew renewed s said same say search see seen session sessions set setup she
should show so solve solved some something sort still sure switch switched t talk talked tell than thanks that
the their them then there these they thing things think this those thought time times to today told too tried
try up us use used using ve version very was way we week weeks well were what when where which while who why
will with work worked would write written wrote year years yesterday yet you your
"""
_EN = frozenset(_EN_WORDS.split())
_SPLIT_ZH = re.compile(f"(?:{_ZH})")
_SPLIT_JA = re.compile(f"(?:{_JA})")
_KANA = re.compile(r"[\u3041-\u30fa]")
_PIECES = re.compile(rf"[{_CJK}]+|[A-Za-z0-9][A-Za-z0-9_.+#/-]*")


def topic(prompt: str) -> str:
    """Give the words to search for, the longest first of those that say most; empty where nothing is left."""
    text = own_words(prompt)
    is_japanese = bool(_KANA.search(text))
    words: list[str] = []
    for piece in _PIECES.findall(text):
        if piece[0].isascii():
            word = piece.rstrip(".-/+" if not piece.endswith("++") else ".-/")
            if word.lower() not in _EN and (len(word) >= _SHORTEST_LATIN or word.isdigit()):
                words.append(word)
        else:
            words += _of_run(piece, is_japanese=is_japanese)
    kept = list(dict.fromkeys(words))[: 2 * MOST_WORDS]
    order = sorted(kept, key=_weight, reverse=True)[:MOST_WORDS]
    chosen = [word for word in kept if word in order]
    return " ".join(chosen)[:_MOST_CHARS].strip()


def _of_run(run: str, *, is_japanese: bool) -> list[str]:
    split = _SPLIT_JA if is_japanese else _SPLIT_ZH
    return [one for one in split.split(run) if len(one) > 1 and not (is_japanese and _is_ending(one))]


def _is_ending(one: str) -> bool:
    """Whether only hiragana is left: the ends of words."""
    return all("\u3041" <= sign <= "\u309f" for sign in one)


def _weight(word: str) -> tuple[int, int]:
    """Names, numbers and long words say most."""
    is_name = any(sign.isdigit() or sign.isupper() or sign in "_./#" for sign in word) if word[0].isascii() else False
    return int(is_name), len(word) if word[0].isascii() else 3 * len(word)
