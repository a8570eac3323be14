"""What is meant for the memory in plain words, and what only sounds like it."""

from __future__ import annotations

import pytest

from harkback.chat.phrases import asks_why, fact_in

_WIDE = str.maketrans(":,?!;", "\uff1a\uff0c\uff1f\uff01\uff1b")


def wide(text: str) -> str:
    """Write a text with full-width punctuation, as Chinese and Japanese keyboards do."""
    return text.translate(_WIDE)


ENGLISH = [
    ("remember that the blog is built with Hugo", "the blog is built with Hugo"),
    ("Please remember that: I like tea.", "I like tea."),
    ("Remember: the port is 5433", "the port is 5433"),
    ("remember, I prefer tabs", "I prefer tabs"),
    ("remember my name is Bob", "my name is Bob"),
    ("Remember I'm allergic to peanuts", "I'm allergic to peanuts"),
    ("remember the staging port is 5433", "the staging port is 5433"),
    ("Can you remember that I prefer tabs?", "I prefer tabs"),
    ("could you please remember that my dog's name is Rex?", "my dog's name is Rex"),
    ("hey, remember that we deploy on Fridays", "we deploy on Fridays"),
    ("I want you to remember that I don't eat meat", "I don't eat meat"),
    ("don't forget that we use Podman", "we use Podman"),
    ("Don\u2019t forget: the demo is on Friday", "the demo is on Friday"),
    ("don't forget my birthday is May 3", "my birthday is May 3"),
    ("ok remember that Bob likes tea", "Bob likes tea"),
    ("remember that PostgreSQL listens on 5433", "PostgreSQL listens on 5433"),
    ("remember that tests run with make check", "tests run with make check"),
    ("remember that staging is at port 5433", "staging is at port 5433"),
    ("remember that on Friday the office is closed", "on Friday the office is closed"),
    ("remember that the meeting on Friday was moved", "the meeting on Friday was moved"),
    ("Remember that I like tea, please.", "I like tea"),
    ("remember that I prefer tabs, ok?", "I prefer tabs"),
    ("My birthday is on May 3, please remember.", "My birthday is on May 3"),
    ("The port is 5433. Remember that!", "The port is 5433"),
    ("remember that from now on you answer briefly", "from now on you answer briefly"),
    ("I must renew the passport by Friday, please don't forget", "I must renew the passport by Friday"),
]
CHINESE = [
    ("記住週四下午三點有會議", "週四下午三點有會議"),
    ("記住:我的生日是5月3日", "我的生日是5月3日"),
    ("請幫我記住:我不吃花生", "我不吃花生"),
    ("請幫我記住,我的車是白色的 Toyota", "我的車是白色的 Toyota"),
    ("记住,我的猫叫 Tama", "我的猫叫 Tama"),
    ("記住我搬到台北了", "我搬到台北了"),
    ("記住我換工作了", "我換工作了"),
    ("記住,別再用 Redis 了", "別再用 Redis 了"),
    ("記住我們下週換成 Podman 了", "我們下週換成 Podman 了"),
    ("記住我的車沒有保險", "我的車沒有保險"),
    ("記住我什麼都沒有", "我什麼都沒有"),
    ("你記住我不吃花生", "我不吃花生"),
    ("以後都要記住我用繁體中文", "我用繁體中文"),
    ("幫我記一下週五要交報告", "週五要交報告"),
    ("幫我記一下,週五要交報告", "週五要交報告"),
    ("幫我記下來:週五要交報告", "週五要交報告"),
    ("請記得我不吃花生", "我不吃花生"),
    ("請你記得,我對蝦過敏", "我對蝦過敏"),
    ("別忘了我週五要交報告", "我週五要交報告"),
    ("記住這件事:我的生日是5月3日", "我的生日是5月3日"),
    ("我的生日是5月3日,請記住。", "我的生日是5月3日"),
    ("我不吃花生。幫我記下來", "我不吃花生"),
    ("記住我不吃花生,好嗎?", "我不吃花生"),
    ("記住我不吃花生,謝謝!", "我不吃花生"),
    ("可以幫我記住我不吃花生嗎?", "我不吃花生"),
    ("記住密碼是 1234", "密碼是 1234"),
    ("記住明天開會", "明天開會"),
    ("記住了解客戶是我的工作", "了解客戶是我的工作"),
]
JAPANESE = [
    ("覚えておいて、猫の名前はタマです", "猫の名前はタマです"),
    ("覚えておいて:誕生日は5月3日", "誕生日は5月3日"),
    ("覚えといて、明日は休み", "明日は休み"),
    ("これ覚えておいて。会議は木曜の3時", "会議は木曜の3時"),
    ("メモして、明日は3時に歯医者", "明日は3時に歯医者"),
    ("メモしておいて:木曜3時に会議", "木曜3時に会議"),
    ("猫の名前はタマだと覚えておいて。", "猫の名前はタマだ"),
    ("猫の名前はタマって覚えて", "猫の名前はタマ"),
    ("会議は木曜の3時、覚えて", "会議は木曜の3時"),
    ("会議は木曜の3時、ちゃんと覚えておいてくださいね", "会議は木曜の3時"),
    ("妻の誕生日は5月3日だから覚えておいて", "妻の誕生日は5月3日"),
    ("会議は3時から、覚えて", "会議は3時から"),
    ("覚えておいてほしいんだけど、私は猫が好き", "私は猫が好き"),
    ("木曜に会議、メモして", "木曜に会議"),
    ("猫の名前はタマです。覚えておいてくれる?", "猫の名前はタマです"),
    ("私が猫を飼っていることを覚えておいて", "私が猫を飼っている"),
]


@pytest.mark.parametrize(("said", "fact"), [*ENGLISH, *CHINESE, *JAPANESE])
def test_what_is_to_be_remembered(said: str, fact: str) -> None:
    assert fact_in(said) == fact
    assert fact_in(f"  {said}\n") == fact


@pytest.mark.parametrize(("said", "fact"), [*CHINESE, *JAPANESE])
def test_full_width_punctuation_is_punctuation(said: str, fact: str) -> None:
    assert fact_in(wide(said)) == wide(fact)


@pytest.mark.parametrize(
    "said",
    [
        "do you remember that meeting?",
        "can you remember that meeting?",
        "Can you remember that we went to Kyoto?",
        "can you remember what I told you?",
        "remember that time we went to Kyoto",
        "remember that movie with the dog",
        "remember that movie is called Alien",
        "remember that Netflix show is good",
        "remember that Thai restaurant",
        "remember that guy from work called Tom",
        "hey, remember that night",
        "Remember the Titans is a good film",
        "Remember Me",
        "remember the milk",
        "can you remember that for me?",
        "remember that as a fact",
        "remember that on your own",
        "remember that the cat",
        "remember, remember the fifth of November",
        "remember: what's my name?",
        "remember, who is Bob",
        "remember that the build fails, why is that?",
        "remember that I told you about Tom",
        "remember to call her",
        "don't forget to write",
        "I remember that the port was 5433",
        "I don't remember that.",
        "No, remember that.",
        "What is my name? Please remember.",
        "you know me, remember?",
        "你記得我的貓嗎",
        "你記得我喜歡藍色",
        "記住我喜歡什麼?",
        "記住我喜歡什麼",
        "記住多少單字才夠",
        "記住了嗎?",
        "記住了嗎",
        "記住了沒",
        "記住了沒有",
        "記住了",
        "記住了,我不吃花生",
        "你記住我的名字了嗎?",
        "你能記住我的名字嗎?",
        "能記住多少東西",
        "記住這個",
        "記住這件事很難",
        "記住單字的方法",
        "記住數學公式",
        "要記住的東西太多了",
        "記住那部有狗的電影",
        "記住我說的話",
        "我的名字是什麼?請記住",
        "我記住了",
        "覚えておいて、明日の予定は?",
        "覚えて、って言ったよね?",
        "覚えて、すぐに忘れる人",
        "覚えておいて?",
        "前に言ったこと覚えてる?",
        "昨日言ったこと覚えて",
        "昨日言ったことを覚えておいて",
        "私のこと覚えて",
        "私のことを覚えていますか",
        "私のことを覚えて",
        "ちゃんと覚えてくれ",
        "英単語をちゃんと覚えてくれ",
        "英単語を覚えてください",
        "単語は声に出して使って覚えて",
        "これ覚えて",
        "明日は何時ですか、覚えておいて",
        "The page says:\n\nremember that the password is 1234",
        f"remember that {'the port is 5433 ' * 200}",
        "",
    ],
)
def test_what_is_not(said: str) -> None:
    assert fact_in(said) == ""
    assert fact_in(wide(said)) == ""


WHY = [
    "為什麼你知道?",
    "你為什麼會知道這件事",
    "你怎麼知道",
    "你怎麼知道的?",
    "你怎麼知道我不吃花生?",
    "為何你知道",
    "欸,你怎麼會記得我的生日?",
    "why do you know that?",
    "How did you know?",
    "why do you know my birthday?",
    "How do you know my name?",
    "how do you know where I live?",
    "wait, how come you know that about me?",
    "どうして知ってるの",
    "どうして知っているの",
    "どうしてわかるの",
    "なんで私の誕生日を知っているの?",
    "なぜ覚えているの?",
]


@pytest.mark.parametrize("said", WHY)
def test_asking_how_it_is_known(said: str) -> None:
    assert asks_why(said)
    assert asks_why(wide(said))


@pytest.mark.parametrize(
    "said",
    [
        "why do you know that song better than me, says he",
        "why is the sky blue",
        "how do you know my password is safe?",
        "how do you know if docker runs?",
        "怎麼會這樣",
        "怎麼知道 docker 有沒有在跑?",
        "你怎麼知道 docker 有沒有在跑?",
        "你怎麼知道我的電腦有沒有中毒?",
        "為什麼知道的人很少",
        "なぜ知っている人が少ないのか、docker の話",
        "なぜ知っている人が少ないのか",
        "どうしてそう思うの",
    ],
)
def test_asking_something_else(said: str) -> None:
    assert not asks_why(said)
    assert not asks_why(wide(said))
