"""Whether a prompt points to past work, in Chinese (both scripts), Japanese and English.

What looks like it and is not (`remember to`, 提交之前, コミットする前に, `the previous line`) is taken out first; then one
of the phrases that speak of the past must stand in what is left. Pasted text, code and what programs put in are not looked
at: only what the person says.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD, _TAIL = 2000, 1000
"""Of a long prompt its beginning and its end are looked at."""

_PUT_IN = re.compile(
    r"<(pasted_content|hook_context|system-reminder|system_reminder|harkback|environment_context)\b[^>]*>.*?</\1>"
    r"|```.*?(?:```|\Z)|`[^`\n]*`|^\s*>[^\n]*$|https?://\S+",
    re.DOTALL | re.MULTILINE,
)

# Chinese. 过 and 過, 记 and 記 … are written as classes.
_ZH_NOT = (
    r"[記记]得(?:要|先|把|幫|帮|別|别|不要|順便|顺便|也要|每次|一定|務必|务必|同時|同时|用|加|跑|補|补|更新|關|关|開|开|寫|写|改|刪|删"
    r"|檢查|检查|提醒|通知|保留|處理|处理|測|测|標|标|附|回|放|存|推|換|换|避免|考慮|考虑|重啟|重启|備份|备份|執行|执行)"
    r"(?![^，。？！,.?!\n]{0,8}[過过了])",
    r"(?:請|请|要|要求|必須|必须|應該|应该|能|會|会|讓它|让它)[記记]得(?!嗎|吗)",
    r"[^\s，。、？！,.?!：:；;我你您妳他她它們们大家是說说跟和像同照按用把比從从在有沒没不好像的到得](?<!一下)之前",
    r"[^\s，。、？！,.?!：:；;我你您妳他她它們们大家是說说跟和像同照按用把比從从在有沒没不好像的到得](?<!一下)以前",
    r"在[^，。？！,.?!\n]{1,16}(?:之前|以前|前)",
    r"(?:之前|以前)(?:版本|的版本|一行|的行|一個元素|的值|一頁)",
    r"上[一]?次(?:登[入录錄]|更新|修改|同步|備份|备份|執行|执行|訪問|访问|存取|開啟|构建|編譯|成功)?的?(?:時間|时间|日期|欄位|字段|時間戳|时间戳)",
    r"上一(?:行|頁|页|層|层|個元素|个元素|步|級|级|個節點|个节点|筆|条)",
    r"(?:不要|別|别|避免|會|会|已)?(?:經過|经过|通過|通过|超過|超过|透過|透过|過濾|过滤|過期|过期|過程|过程|過大|过大|過度|过度|不過|不过)",
    r"翻一下(?:這|这|成|英|中|日|文|為|为)|翻譯一下|翻译一下",
    r"[A-Za-z0-9.]\s*(?:之前|以前)",
    r"(?:上一?次|之前|以前|前一?次|上一個|上一个)的? ?(?:commit|提交)",
    r"(?:實現|实现|實作|实作|加上?|做|寫|写|新增|開發|开发|設計|设计)[^，。？！,.?!\n]{0,8}(?:紀錄|记录|歷史|历史)[^，。？！,.?!\n]{0,10}(?:功能|頁面|页面|按鈕|按钮|元件|组件|列表|匯出|导出)",
    r"(?:紀錄|记录|歷史|历史)(?:導出|导出|匯出)?(?:功能|頁面|页面|按鈕|按钮)",
    r"之前的(?:代码|程式碼|程式|內容|内容|測試|测试)(?:全部|都)?(?:刪|删|清|改|換|换|移)",
    r"歷史(?:資料表|数据表|版本相容)|历史数据表",
    r"以前端|之前端",
)
_ZH = (
    r"(?:我|你|您|妳|們|们|好像|依稀|隱約|隐约|還|还|誰|谁|應該都)(?:都|也|還|还|有|應該|应该)?[記记]得",
    r"[記记]不[記记]得|[記记]不得|[記记]不太?得|想不起來|想不起来|想不太起",
    r"[記记]得(?:嗎|吗|我們|我们|上次|之前|那次|那個|那个|當時|当时|以前|是不是|有沒有|有没有|好像|你|我|昨天|曾)",
    r"忘(?:了|記|记)(?:上次|之前|以前|當時|当时|我們|我们|怎麼|怎么|是怎|那|在哪|放在哪|為什麼|为什么|什麼|什么|是用)",
    r"那一?次|上面說過|之前|先前|早先|以前|從前|从前|當初|当初|當時|当时|那時候|那时候|那陣子|那阵子|曾經|曾经",
    r"上一?次|上回|上上次|前一?次(?!數)|前幾次|前几次|前陣子|前阵子|前幾天|前几天|前兩天|前两天|前天",
    r"[0-9一二三四五六七八九十兩两幾几半]+ ?(?:天|週|周|個月|个月|月|年|個禮拜|个礼拜|個星期|个星期)之?前(?!要|必須|必须|完成|交|提交)",
    r"(?:我們|我们|咱們?|你|我)[^，。？！,.?!\n]{0,8}(?:昨天|昨晚|上上?週|上上?周|上上?星期|上個月|上个月|去年)",
    r"(?:昨天|昨晚|昨日|上上?週|上上?周|上上?星期|上個?禮拜|上个?礼拜|上上?個?月|上上?个月|去年|前年|上午|今天早上|早上)"
    r"[^，。？！,.?!\n]{0,12}(?:我們|我们|咱|你|我|那次|那場|那场|那支|沒做完|没做完|怎麼|怎么|關於|关于|討論|讨论|說|说|講|讲|做|改|修|寫|写|解|提|聊|決定|决定|試|试|弄|搞|跑|碰到|遇到|那個|那个|的問題|的问题)",
    r"(?:討論|讨论|決定|决定|解決|解决|修|解|試|试|遇|遇到|碰|碰到|講|讲|說|说|提|提到|聊|做|處理|处理|寫|写|查|問|问|踩|弄|搞|談|谈|試用|教"
    r"|約定|约定|安裝|安装|裝|装|設定|设置|设定|部署|測|测|看|用|改|比較|比较)[過过](?![濾滤程期度大小長长多高低於于去來来])"
    r"[^，。！,.!\n]{0,18}(?:嗎|吗|沒|没|麼|么|吧|對吧|\?|？)",
    r"(?:不是|是不是|有沒有|有没有|我們|我们|你|我|曾|早就|明明)(?:已經|已经|就|有|才|都|也|在哪|什麼時候|什么时候)?"
    r"(?:討論|讨论|決定|决定|解決|解决|修|解|試|试|遇到|碰到|講|讲|說|说|提|聊|做|處理|处理|寫|写|查|談|谈|踩|改)(?:好)?[過过]",
    r"(?:不是|明明|早就)(?:已經|已经)?(?:說好|说好|講好|讲好|決定|决定|解決|解决|修好|談好|谈好)",
    r"(?:怎麼|怎么|如何|怎樣|怎样|哪裡|哪里|哪個|哪个|什麼|什么)[^，。？！,.?!\n]{0,8}"
    r"(?:解決|解决|解掉|解|修好|修|處理|处理|弄好|弄|搞定|搞好|決定|决定|選|选|設|设|裝|装|繞過|绕过)的(?:[？?嗎吗呢啊來来了]|$|\s)",
    r"翻一下|翻翻看?|翻出|找一下(?:我們|我们|之前|對話|对话|紀錄|记录|那次|那個討論)",
    r"查一下(?:我們|我们|紀錄|记录|歷史|历史|對話|对话|記憶|记忆|那次|那個|那个|過去|过去|舊|旧|有沒有|有没有|是不是|當)",
    r"(?:過去|过去|舊|旧)的?(?:對話|对话|討論|讨论|紀錄|记录|session|會話|会话|決定|决定|經驗|经验|做法|結論|结论)",
    r"(?:對話|对话|聊天|會話|会话|session|討論|讨论)(?:的)?(?:紀錄|记录|歷史|历史)",
    r"(?:我們|我们)(?:的)?(?:結論|结论|約定|约定|共識|共识|決定|决定)(?:是|了|用|選|选|不)",
    r"(?:結論|结论|決定|决定)(?:是)?(?:什麼|什么|哪|怎)",
    r"老(?:樣子|样子|問題|问题)|舊事|旧事|又是那個|又是那个",
    r"為什麼(?:我們|当初|當初)|为什么(?:我们|当初)",
)

_JA_NOT = (
    r"覚えて(?:おいて|おき|いてください|おく|ください|いて(?:ね|下さい|ほしい|欲しい)|ね)",
    r"[うくすつむぶぐぬる]前[にのは]",
    r"[一-龥ァ-ヴーA-Za-z0-9](?<![日年月間])前に(?!も)",
    r"(?:手前|直前|目前|名前|事前|前提|前者|午前|人前|一つ前の(?:行|要素|ページ|コミット)|前の(?:行|ページ|要素|画面|値|ステップ))",
    r"[0-9.０-９月日年時]\s*以前|それ以前|以前のバージョン(?:と|に)",
    r"確かに",
    r"(?:前回|以前|一つ前|直前)の(?:コミット|変更)",
    r"前回(?:の)?(?:ログイン|更新|同期|実行|アクセス|ビルド)(?:日時|時刻|日|時間|値)",
)
_JA = (
    r"過去に|前回|以前|この前|こないだ|この間|先日|前々回|前にも|かつて|当時|あの時|あのとき|昔(?![話々])",
    r"(?:先週|先月|昨年|去年|一昨年)[^。！？\n]{0,20}(?:た(?!い|め|ら|く)|っけ|原因|障害|結論|議論|件|会話|話|レビュー|ミーティング|バグ)",
    r"結局|(?:さっき|先ほど|今朝)の(?:セッション|会話|結論|話|件|議論)",
    r"(?:^|[、。！？\s「」]|[はもがをでとにのへ]|って|たしか|確か)前に(?!進|戻|出|置|付|つけ|移|持)",
    r"(?:さっき|昨日|一昨日|おととい)[^。！？\n]{0,14}(?:(?:言っ|話し|決め|直し|解決し|試し|調べ|設定し|書い|作っ|やっ)(?:て(?:い)?)?た|出た|件|やつ|あれ|続き)",
    r"[0-9０-９一二三四五六七八九十数]+\s*(?:日|週間|か月|ヶ月|カ月|ヵ月|年)(?:くらい|ほど)?前(?!まで|に(?:削除|期限))",
    r"覚えて(?:る|ます|いる|いない|ない|い?ますか|い?ませんか|い?る？)|覚えが|記憶に|思い出し|思い出せ|忘れ(?:た|ちゃ|まし)",
    r"言って(?:い)?た|(?:た|だ|だった|でし?た)っけ|したっけ|だっけ|っけ[？?。]?$",
    r"(?:決め|話し|話合っ|話し合っ|言っ|言って|直し|修正し|解決し|試し|やっ|使っ|調べ|書い|作っ|設定し|見つけ|遭遇し|相談し|議論し|対応し|出会っ|教え)"
    r"(?:て(?:い|も)?)?た(?:こと|っけ|よね|よな|はず|とき|時|件|内容|やつ|方法|やり方|手順|結論|経緯|の(?:は|を|か|か?な|だっけ)|？|\?|かな|けど)",
    r"(?:前|過去|昔|以前)の(?:会話|セッション|議論|やりとり|やり取り|記録|決定|やり方|設定方法|件|話|対応|方針|チャット|とき|時)",
    r"(?:履歴|ログ|会話|セッション)(?:を|から)(?:探|さが|調べ|掘|遡|さかのぼ)|例の(?:件|やつ|バグ|あれ|話|問題)",
    r"どう(?:やって)?(?:直し|解決し|対応し|決め|設定し|やっ|し|回避し)(?:て)?た(?:の|ん|っけ|か|？|\?|でしょう)|なぜ[^。？]{0,12}(?:にした|決めた|選んだ)",
    r"(?:また|同じ)(?:この|あの)?(?:エラー|問題|バグ|現象)[^。]{0,8}(?:また|再び|再発|出た)|結論(?:は|って)(?:何|なん|どう)",
)

_EN_NOT = (
    r"\bremember(?:s|ing)? (?:to|that|this|not|the following)\b|\bremind (?:me|us|them|him|her) to\b|\bremember,|\bmust remember\b|\bremember me\b|\bremembered set",
    r"\bprevious(?:ly)? (?:line|row|page|commit|version|element|value|step|button|sibling|item|index|char\w*|node|frame"
    r"|block|state|tab|word|token|slide|month|entry|cell|column|sentence|paragraph|section|defined|declared|allocated|selected"
    r"|entered|stored|cached|loaded|unseen|used|registered|assigned)",
    r"\bbefore (?:you|we|i|it|they|the|a|an|each|every|any|all|that|this|my|your|our|merging|committing|pushing|deploying"
    r"|running|starting|calling|returning|sending|saving|writing|doing|going|using|and after|or after|tomorrow|friday|monday"
    r"|noon|midnight|release|\d)",
    r"\bthe last time (?:the|a|an|each|every|that|it|they|he|she|users?|someone|anyone)\b",
    r"\blast (?:line|row|element|item|entry|char\w*|page|column|name|modified|updated|login|seen|commit|argument|parameter"
    r"|digit|byte|chunk|step|one|two|three|word|sentence|paragraph|section|login|access|access time|build time)\b",
    r"\b(?:older|newer|more|later|less|earlier) than (?:yesterday|last|\w+ (?:days?|weeks?|months?) ago)[^.?!]*",
    r"\b(?:from|since|until|between|for|of) (?:yesterday|last (?:week|month|year|night|quarter))(?:'s)? ?(?:data|logs?|rows?|records?|orders?"
    r"|sales|backup|files?|entries|to|and)",
    r"\bhow did (?:the|this|that|it|they|he|she)\b|\bwe used to\b|\bif (?:we|you|i) (?:did|decided|had)\b|\brecall(?:ed)? (?:rate|at|@|score)",
    r"\bprecision and recall\b|\brecall and precision\b|\bhistory (?:table|api|push|state|\.push)",
    r"\bundo history|\bgit (?:log|history)\b|\bhistory\.(?:push|replace)\w*",
)
_WORK = (
    r"decid\w+|agree\w*|discuss\w*|talk\w* about|settl\w+ on|conclud\w+|chose|choose|picked?|went with|figur\w+ (?:\w+ )?out"
    r"|r[ua]n into|fix\w*|solv\w+|tri?ed|try|mention\w*|said|say|told|tell|wrote|write|built|build|did|do|done|use|used"
    r"|set ?up|set|configur\w+|install\w*|deploy\w*|found|find|hit|saw|see|seen|had|have|call\w*|nam\w+|work\w* (?:on|around)"
    r"|end(?:ed)? up|handl\w+|debug\w*|resolv\w+|chang\w+|migrat\w+|move\w*|switch\w*|pick\w*|learn\w*|plan\w*|promise\w*|note\w*"
)
_EN = (
    r"\blast time\b|\bthe other day\b|\bpreviously\b|\ba while (?:ago|back)\b|\bback then\b|\bin the past\b|\bbefore[?!.]*(?:$|\n)"
    r"|\bprevious (?:sessions?|conversations?|discussions?|chats?|attempts?|decisions?|solutions?|approach(?:es)?|fix(?:es)?|answers?|work"
    r"|projects?|notes?|plans?|designs?|experiments?|setup|config\w*|time|runs?)\b",
    r"\b(?:weren'?t|wasn'?t|were|was) (?:we|i|you) (?:going|supposed|planning|about|not|using|meant)\b|\bi (?:thought|believe|believed|could have sworn|'?m sure) (?:we|you|i)\b"
    r"|\bremind me (?:what|how|why|which|where|when|who|of|about|again)\b",
    r"\b(?:this|that|same|like|it|crash|error|bug|issue|one|thing|version|script)\b[^.?!\n]{0,40}\b(?:\d+|a few|some|two|three|four|couple of|several|a) (?:days?|weeks?|months?|years?) ago\b",
    r"\b(?:the|that|an?|same|all) (?:\w+ )?[\w-]+ (?:we|you) (?:took|used|chose|picked|made|built|wrote|did|tried|had|set up|wanted|saved|ran|sent|gave|created"
    r"|added|removed|mentioned|shared|showed|planned|suggested|proposed|came up with)\b",
    r"\b(?:do|don'?t|did|didn'?t|can|could|would) you (?:still |even |also )?(?:remember|recall)\b|\bremember (?:when|how|what|why|where|which|that time|last|we|i|you|if)\b"
    r"|\bremember (?:the|our|that|my)\b[^.!\n]*\?",
    r"\bi (?:vaguely |kind of |sort of |seem to |can'?t |cannot |don'?t )?(?:remember|recall)\b|\bi(?:'ve| have)? (?:forgot|forgotten|forget)"
    r" (?:how|what|why|where|when|which|the|who|if|whether)\b",
    r"\b(?:didn'?t|haven'?t|hadn'?t|did|have|had) (?:we|i|you) (?:already |ever |not |just |previously |once |actually |all )?(?:"
    + _WORK
    + r")\b",
    r"\b(?:what|how|why|when|where|which|who)(?:'d|\b[^.?!\n]{0,40}?\bdid) (?:we|i|you) (?:already |ever |finally |actually |originally |eventually )?"
    r"(?:" + _WORK + r"|get|go|make|put|keep|leave|come)\b",
    r"\b(?:what|how|why|when|where|which|who)\b[^.?!\n]{0,40}\bdid (?:we|i|you)\b",
    r"\b(?:that|which|where|when|what) (?:we|i|you) (?:once |already |first |originally |finally |last )?(?:[a-z]{2,}ed|wrote|did|had|made|ran|took|chose|built|found|saw|got|put|kept)\b",
    r"\b(?:didn'?t|haven'?t|hadn'?t|weren'?t|wasn'?t) (?:we|you|i)\b|\b(?:was|were|did|has|have)\b[^.?!\n]{0,40}\bever\b"
    r"|\bback (?:in|on|at|when)\b|\bwe (?:tried|attempted|compared|considered|rejected|dropped|removed|replaced|postponed|skipped|measured|profiled)\b"
    r"|\b(?:look|go|search|dig) (?:back |through )+(?:our|my|the|all|old|past)\b[^.?!\n]{0,20}\b(?:history|conversations?|chats?|sessions?|notes|discussions?)\b",
    r"\bi'?m (?:pretty |quite |fairly |almost )?(?:sure|certain) (?:that )?(?:we|you|i)\b|\b(?:dig|dug|look|pull) (?:\w+ )?up (?:\w+ ){0,3}(?:conversations?|sessions?|chats?|discussions?|notes)\b"
    r"|\b(?:search|find|check|see|read) (?:through )?(?:our|my|the|all|old|any) (?:\w+ )?(?:conversations?|chats?|discussions?|transcripts?|chat history)\b",
    r"\b(?:we|you|i) (?:already |previously |once |originally |finally |had |have )?"
    r"(?:decided|agreed|discussed|talked about|settled on|concluded|went with|figured out|figured it out|ran into|solved|worked around|promised)\b",
    r"\b(?:we|you|i)(?:'ve| have|'d| had) (?:already |been |seen |once )*(?:"
    + _WORK
    + r"|been)\b[^.?!\n]{0,40}\b(?:before|already|once)\b",
    r"\b(?:as|like) (?:we|you|i) (?:did|said|discussed|agreed|mentioned|decided|had|talked)\b|\b(?:like|as|than) before\b|\bsame as (?:before|last)",
    r"\b(?:seen|had|done|hit|met|solved|fixed|tried|happened|discussed|mentioned|encountered|came up|asked)\b[^.?!\n]{0,40}\bbefore\b",
    r"\b(?:yesterday|last (?:night|week|month|year|session|sprint|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?:\d+|a few|few|some|two|three|four|couple of|a couple of|several|a) (?:days?|weeks?|months?|years?|sessions?) (?:ago|back)|earlier (?:today|this week|this month))\b"
    r"[^.?!\n]{0,60}\b(?:we|you|i|our|us|said|decided|fixed|discussed)\b",
    r"\b(?:we|you|i|our|us|that|the (?:bug|fix|issue|problem|error|script|thing|plan|decision|conversation|discussion|solution|command))\b[^.?!\n]{0,60}"
    r"\b(?:yesterday|last (?:night|week|month|year|session|sprint|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?:\d+|a few|few|some|two|three|couple of|a couple of|several|a) (?:days?|weeks?|months?|years?|sessions?) (?:ago|back)|earlier (?:today|this week))\b",
    r"\b(?:past|earlier|old|prior|older) (?:sessions?|conversations?|discussions?|chats?|decisions?|transcripts?|attempts?|fix(?:es)?|solutions?|notes)\b",
    r"\b(?:our|my|your) (?:decision|agreement|conclusion|earlier|conversation|discussion|history|notes?) (?:was|on|about|with|from|of|regarding)\b",
    r"\bwhat (?:was|were) (?:the|our|that|it) (?:\w+ ){0,3}(?:again|called|we|you|decision|conclusion|fix|solution|reason|command|name|plan|trick|workaround|cause|outage|incident|numbers?|verdict)\b",
    r"\byou (?:already |once |also )?(?:told|mentioned|suggested|recommended|warned|explained|promised|showed|said|claimed|advised)\b",
    r"\b(?:the|that) (?:thing|fix|bug|issue|problem|solution|approach|plan|idea|trick|command|script|error|workaround|conversation|discussion|decision)"
    r" (?:we|you|i) (?:had|used|found|fixed|made|wrote|tried|did|discussed|talked|decided|came)\b",
    r"\b(?:again|once more)\?$|\bwhere (?:were|was) (?:we|i)\b|\bwhere (?:we|i) left off\b|\bpick up where\b|\bcontinue (?:from )?(?:where|our)\b",
)

_WEAK = re.compile(r"(?:查|翻|找|搜尋?|搜索)(?:一)?下|調べて|探して|\b(?:look up|search for|find)\b", re.IGNORECASE)
"""What may ask for the past or for anything else: it counts where something of it is there."""

_KANA = re.compile(r"[\u3041-\u30fa]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"(?:[A-Za-z']+[ ,.?!]+){2}[A-Za-z']")
"""English is looked for where three words stand in a row: names alone are none."""


def own_words(prompt: str) -> str:
    """Give what the person says: without pasted text, code, quotes and what programs put in."""
    text = _PUT_IN.sub(" ", prompt.replace("\u2019", "'"))
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def points_to_past(prompt: str) -> bool:
    """Whether a prompt speaks of something that was said or done before."""
    text = own_words(prompt)
    return any(_points(text, looks_like, past) for looks_like, past in _languages(text))


def _languages(text: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Give the phrases of the languages that a text is written in: making all of them ready takes 15 ms."""
    if _KANA.search(text):
        yield _JA_NOT, _JA
    elif _HAN.search(text):
        yield _ZH_NOT, _ZH
    if _LATIN.search(text):
        yield _EN_NOT, _EN


def _points(text: str, looks_like: tuple[str, ...], past: tuple[str, ...]) -> bool:
    left = re.sub("|".join(looks_like), " ", text, flags=re.IGNORECASE)
    return any(re.search(one, left, re.IGNORECASE | re.MULTILINE) for one in past)


def may_point_to_past(prompt: str) -> bool:
    """Whether a prompt asks to look something up, which may lie in the past."""
    return bool(_WEAK.search(own_words(prompt)))
