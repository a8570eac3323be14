"""The query language. `NOW` is Wednesday 20 May 2026, 14:30 in Taipei."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from harkback.errors import BadValue
from harkback.query import CHOICES, FIELDS, Clause, Filter, Query, Word, parse, with_options

TAIPEI = timezone(timedelta(hours=8))
NOW = 1_779_258_600_000  # 2026-05-20T06:30:00Z


def ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment).replace(tzinfo=TAIPEI).timestamp() * 1000)


def read(text: str) -> Query:
    return parse(text, NOW, TAIPEI)


def clause_line(clause: Clause) -> str:
    words = [f"⟦{word.text}⟧" if word.quoted else word.text for word in clause.words]
    return ("¬" if clause.negated else "") + " ∨ ".join(words)


def filter_line(kept: Filter) -> str:
    return ("¬" if kept.negated else "") + f"{kept.field}={'|'.join(kept.values)}"


# typed, clauses (⟦phrase⟧, a ∨ b, ¬excluded)
WORDS: list[tuple[str, list[str]]] = [
    # white space parts words, nothing else does
    ("", []),
    ("   ", []),
    ("\u3000\t\r\n\u00a0", []),
    ("deploy", ["deploy"]),
    ("deploy failed again", ["deploy", "failed", "again"]),
    ("  deploy   failed  ", ["deploy", "failed"]),
    ("部署　失敗", ["部署", "失敗"]),
    ("部署\u00a0失敗\u2003again\u2028end", ["部署", "失敗", "again", "end"]),
    ("\ufeff部署\u200b失敗", ["部署", "失敗"]),
    ("資料庫遷移腳本為什麼失敗", ["資料庫遷移腳本為什麼失敗"]),
    ("修改youer服務端", ["修改youer服務端"]),
    ("ｻｰﾊﾞｰ ＡＰＩ", ["ｻｰﾊﾞｰ", "ＡＰＩ"]),
    ("e\u0301clair", ["e\u0301clair"]),
    ("設", ["設"]),
    ("🚀 deploy", ["🚀", "deploy"]),
    # nothing in code is syntax
    ("C++", ["C++"]),
    ("foo.bar()", ["foo.bar()"]),
    ("(", ["("]),
    (")", [")"]),
    ("(a b)", ["(a", "b)"]),
    ("*", ["*"]),
    ("deploy*", ["deploy*"]),
    ("100% a_b", ["100%", "a_b"]),
    ("wrong-book", ["wrong-book"]),
    ("v1.2.3", ["v1.2.3"]),
    ("2026-05-08", ["2026-05-08"]),
    ("a^b a~2 {x} [y] \\", ["a^b", "a~2", "{x}", "[y]", "\\"]),
    ("what?", ["what?"]),
    ("$HOME/.config #42 @me", ["$HOME/.config", "#42", "@me"]),
    ("a'b don't", ["a'b", "don't"]),
    ("'single quotes'", ["'single", "quotes'"]),
    ("a\x00b", ["a\x00b"]),
    ("\ud800", ["\ud800"]),
    # phrases
    ('"deploy failed"', ["⟦deploy failed⟧"]),
    ('"deploy"', ["⟦deploy⟧"]),
    ('the "deploy failed" again', ["the", "⟦deploy failed⟧", "again"]),
    ('"a  b"', ["⟦a  b⟧"]),
    ('"a b" "c d"', ["⟦a b⟧", "⟦c d⟧"]),
    ("「部署 失敗」", ["⟦部署 失敗⟧"]),
    ("『部署』", ["⟦部署⟧"]),
    ("｢部署｣", ["⟦部署⟧"]),
    ("“deploy failed” now", ["⟦deploy failed⟧", "now"]),
    ("＂deploy failed＂", ["⟦deploy failed⟧"]),
    ("「部署」失敗", ["⟦部署⟧", "失敗"]),
    ("「部署」「失敗」", ["⟦部署⟧", "⟦失敗⟧"]),
    ("「部署」、「失敗」。", ["⟦部署⟧", "⟦失敗⟧"]),
    ("“a b”, c", ["⟦a b⟧", "c"]),
    ("　「部署」　", ["⟦部署⟧"]),
    ('what is "deploy failed"?', ["what", "is", "⟦deploy failed⟧"]),
    ('"a b", "c d".', ["⟦a b⟧", "⟦c d⟧"]),
    ('"OR"', ["⟦OR⟧"]),
    ('"in:talk"', ["⟦in:talk⟧"]),
    ('"-v"', ["⟦-v⟧"]),
    ('"--no-cache"', ["⟦--no-cache⟧"]),
    ('"say 「hi」 now"', ["⟦say 「hi」 now⟧"]),
    # a quote that is not closed, or not at a word's border, is a character
    ('"unbal', ['"unbal']),
    ('"', ['"']),
    ('""', ['""']),
    ('" "', ['"', '"']),
    ('unbal"', ['unbal"']),
    ('5" disk', ['5"', "disk"]),
    ('a"b c"d', ['a"b', 'c"d']),
    ('"key":"value"', ['"key":"value"']),
    ('"a b"c', ['"a', 'b"c']),
    ('"a b"c "d e"', ['"a', 'b"c', "⟦d e⟧"]),
    ("「部署 失敗", ["「部署", "失敗"]),
    ("部署」", ["部署」"]),
    ("錯誤「找不到」怎麼辦", ["錯誤「找不到」怎麼辦"]),
    ("“a b", ["“a", "b"]),
    # exclusion
    ("deploy -draft", ["deploy", "¬draft"]),
    ("-draft deploy", ["¬draft", "deploy"]),
    ('deploy -"first draft"', ["deploy", "¬⟦first draft⟧"]),
    ("部署 -草稿", ["部署", "¬草稿"]),
    ("部署 －草稿", ["部署", "¬草稿"]),
    ("部署 -「初 稿」", ["部署", "¬⟦初 稿⟧"]),
    ("deploy -wrong-book", ["deploy", "¬wrong-book"]),
    ("deploy -foo.bar()", ["deploy", "¬foo.bar()"]),
    ("deploy -.env -_x -#42", ["deploy", "¬.env", "¬_x", "¬#42"]),
    ("deploy -a -b", ["deploy", "¬a", "¬b"]),
    ("deploy -TODO:x", ["deploy", "¬TODO:x"]),
    ("deploy -OR", ["deploy", "¬OR"]),
    # a dash that excludes nothing
    ("-", ["-"]),
    ("- fix bug", ["-", "fix", "bug"]),
    ("a - b", ["a", "-", "b"]),
    ("--", ["--"]),
    ("--no-cache", ["--no-cache"]),
    ("docker build --no-cache", ["docker", "build", "--no-cache"]),
    ("docker －－no-cache", ["docker", "－－no-cache"]),
    ("-v", ["-v"]),
    ("-v -x", ["-v", "-x"]),
    ('-"a b"', ["⟦-a b⟧"]),
    ("-草稿", ["-草稿"]),
    ("-TODO:x", ["-TODO:x"]),
    ("kill -9", ["kill", "-9"]),
    ("exit -1.5", ["exit", "-1.5"]),
    ("-5", ["-5"]),
    ('head -"5"', ["head", "¬⟦5⟧"]),
    ("head -5a", ["head", "¬5a"]),
    ("a -> b", ["a", "->", "b"]),
    ("p ->next", ["p", "->next"]),
    ("x -= 1", ["x", "-=", "1"]),
    ('x -"unbal', ["x", '-"unbal']),
    ("x -🚀", ["x", "-🚀"]),
    # OR, AND
    ("a OR b", ["a ∨ b"]),
    ("a OR b OR c", ["a ∨ b ∨ c"]),
    ("x a OR b y", ["x", "a ∨ b", "y"]),
    ('"a b" OR c', ["⟦a b⟧ ∨ c"]),
    ("部署 OR デプロイ OR deploy", ["部署 ∨ デプロイ ∨ deploy"]),
    ("a OR b -c", ["a ∨ b", "¬c"]),
    ("a or b", ["a", "or", "b"]),
    ("a Or b", ["a", "Or", "b"]),
    ("OR", ["OR"]),
    ("OR a", ["OR", "a"]),
    ("a OR", ["a", "OR"]),
    ("OR OR OR", ["OR ∨ OR"]),
    ("a OR OR b", ["a ∨ OR", "b"]),
    ('a "OR" b', ["a", "⟦OR⟧", "b"]),
    ("AND", ["AND"]),
    ("AND a", ["AND", "a"]),
    ("a AND", ["a", "AND"]),
    ("a AND b", ["a", "b"]),
    ("a AND -b", ["a", "¬b"]),
    ("a AND b OR c", ["a", "b ∨ c"]),
    ("a and b", ["a", "and", "b"]),
    ("NOT", ["NOT"]),
    ("NOT a", ["NOT", "a"]),
    ("a NOT", ["a", "NOT"]),
    ("-a OR -b", ["-a ∨ -b"]),
    ("NEAR a", ["NEAR", "a"]),
    # a colon that belongs to no field
    ("TODO:", ["TODO:"]),
    ("TODO: fix", ["TODO:", "fix"]),
    ("http://x", ["http://x"]),
    ("https://example.org/in:talk", ["https://example.org/in:talk"]),
    ("foo:bar", ["foo:bar"]),
    ("C:\\x", ["C:\\x"]),
    ("12:30", ["12:30"]),
    (":", [":"]),
    (":x", [":x"]),
    ("in:", ["in:"]),
    ("in: talk", ["in:", "talk"]),
    ("in:,", ["in:,"]),
    ("for x in: y", ["for", "x", "in:", "y"]),
    ("role: user", ["role:", "user"]),
    ("in：", ["in："]),
    ("file:///etc/hosts", ["file:///etc/hosts"]),
    ("file::memory:", ["file::memory:"]),
    ("session::new tool::Bash", ["session::new", "tool::Bash"]),
    ("x -session::new", ["x", "¬session::new"]),
    ("domain:talk", ["domain:talk"]),
    ("mode in:", ["mode", "in:"]),
]

# typed, clauses, filters (field=value|value, ¬excluded)
FILTERS: list[tuple[str, list[str], list[str]]] = [
    ("in:talk", [], ["in=talk"]),
    ("deploy in:talk", ["deploy"], ["in=talk"]),
    ("in:talk deploy", ["deploy"], ["in=talk"]),
    ("IN:Talk", [], ["in=talk"]),
    ("in：talk", [], ["in=talk"]),
    ("ｉｎ：ｔａｌｋ", [], ["in=talk"]),
    ("lane:calls", [], ["in=calls"]),
    ("in:talk,calls", [], ["in=talk|calls"]),
    ("in:talk，calls、title", [], ["in=talk|calls|title"]),
    ("in:talk in:calls", [], ["in=talk|calls"]),
    ("in:talk in:talk", [], ["in=talk"]),
    ("in:talk OR in:calls", [], ["in=talk|calls"]),
    ("in:talk AND role:user", [], ["in=talk", "role=user"]),
    ("in:talk, x", ["x"], ["in=talk"]),
    (
        "in:talk,calls,title,memory,summary,thinking,output,context",
        [],
        ["in=talk|calls|title|memory|summary|thinking|output|context"],
    ),
    ("in:all", [], ["in=talk|calls|title|memory|summary|thinking|output|context"]),
    ("-in:output", [], ["¬in=output"]),
    ("deploy -in:output -in:thinking", ["deploy"], ["¬in=output|thinking"]),
    ("in:talk -in:title", [], ["in=talk", "¬in=title"]),
    ("-draft in:talk", ["¬draft"], ["in=talk"]),
    ("-draft -agent:codex", ["¬draft"], ["¬agent=codex"]),
    ("agent:claude-code", [], ["agent=claude-code"]),
    ("agent:codex,pi", [], ["agent=codex|pi"]),
    ("role:user", [], ["role=user"]),
    ("role:USER", [], ["role=user"]),
    ("角色:user", [], ["role=user"]),
    ("project:harkback", [], ["project=harkback"]),
    ("專案：港口", [], ["project=港口"]),
    ("项目:港口", [], ["project=港口"]),
    ("プロジェクト：港", [], ["project=港"]),
    ('project:"my app"', [], ["project=my app"]),
    ("project:「我的 專案」 部署", ["部署"], ["project=我的 專案"]),
    ('project:"a,b"', [], ["project=a,b"]),
    ('project:"a b",c,"d e"', [], ["project=a b|c|d e"]),
    ('-project:"my app" x', ["x"], ["¬project=my app"]),
    ('project:"unbal x', ["x"], ['project="unbal']),
    ("file:nginx.conf", [], ["file=nginx.conf"]),
    ("file:/etc/hosts", [], ["file=/etc/hosts"]),
    ("file:C:\\x\\y.py", [], ["file=C:\\x\\y.py"]),
    ("檔案:設定.toml", [], ["file=設定.toml"]),
    ("ファイル:設定.toml", [], ["file=設定.toml"]),
    ("tool:Bash", [], ["tool=Bash"]),
    ("工具：Bash", [], ["tool=Bash"]),
    ("session:claude-code:1f2e", [], ["session=claude-code:1f2e"]),
    ("branch:feature/in:talk", [], ["branch=feature/in:talk"]),
    ("分支:main", [], ["branch=main"]),
    ("since:7d", [], ["since=7d"]),
    ("自:昨天 至:今天", [], ["since=昨天", "until=今天"]),
    ('since:"3 days ago" x', ["x"], ["since=3 days ago"]),
    ("since:3天前", [], ["since=3天前"]),
    ("until:2026-05-08", [], ["until=2026-05-08"]),
    ("-since:yesterday", [], ["¬since=yesterday"]),
    ("file:a OR file:b x", ["x"], ["file=a|b"]),
]


@pytest.mark.parametrize(("typed", "clauses"), WORDS)
def test_words_mean_what_was_typed(typed: str, clauses: list[str]) -> None:
    query = read(typed)
    assert [clause_line(clause) for clause in query.clauses] == clauses
    assert (query.text, query.filters) == (typed, ())


@pytest.mark.parametrize(("typed", "clauses", "filters"), FILTERS)
def test_fields_narrow_the_search(typed: str, clauses: list[str], filters: list[str]) -> None:
    query = read(typed)
    assert [clause_line(clause) for clause in query.clauses] == clauses
    assert [filter_line(kept) for kept in query.filters] == filters
    assert query.notes == ()


@pytest.mark.parametrize(
    ("typed", "clauses", "said"),
    [
        ("in:nonsense x", ["in:nonsense", "x"], ("in:nonsense", "talk, calls, title, memory")),
        ("in:talk,nonsense", ["in:talk,nonsense"], ("in:talk,nonsense", "talk, calls")),
        ("x -in:nonsense", ["x", "¬in:nonsense"], ("in:nonsense", "talk, calls")),
        ("x -in:all", ["x", "¬in:all"], ("in:all", "talk, calls")),
        ("role:robot", ["role:robot"], ("role:robot", "user, assistant, tool, system")),
        ("since:rubbish", ["since:rubbish"], ("since:rubbish", "2026-05-08")),
        ("until:5", ["until:5"], ("until:5", "7d")),
        ("since:3 days ago", ["since:3", "days", "ago"], ("since:3", "quotes")),
        ('since:"not a date"', ['⟦since:"not a date"⟧'], ("not a date", "2026-05-08")),
        ("角色：管理員", ["角色：管理員"], ("角色：管理員", "user, assistant")),
        ("since:2026-02-30", ["since:2026-02-30"], ("since:2026-02-30", "2026-05-08")),
        ("a AND NOT b", ["a", "NOT", "b"], ("NOT", "-b")),
        ("a NOT b", ["a", "NOT", "b"], ("NOT", "-b")),
        ("a OR -b", ["a", "¬b"], ("OR", "word")),
    ],
)
def test_what_cannot_be_right_is_searched_literally_and_said(
    typed: str, clauses: list[str], said: tuple[str, str]
) -> None:
    query = read(typed)
    assert [clause_line(clause) for clause in query.clauses] == clauses
    assert query.filters == ()
    assert len(query.notes) == 1
    assert all(part in query.notes[0] for part in said)


def test_or_between_a_field_and_a_word_is_dropped_with_a_note() -> None:
    query = read("a in:talk OR b")
    assert [clause_line(clause) for clause in query.clauses] == ["a", "b"]
    assert [filter_line(kept) for kept in query.filters] == ["in=talk"]
    assert len(query.notes) == 1


@pytest.mark.parametrize("typed", [typed for typed, _ in WORDS])
def test_plain_words_need_no_note(typed: str) -> None:
    assert read(typed).notes == ()


@pytest.mark.parametrize(
    ("typed", "since", "until"),
    [
        ("since:2026-05-08", "2026-05-08T00:00", None),
        ("until:2026-05-08", None, "2026-05-09T00:00"),
        ("until:yesterday", None, "2026-05-20T00:00"),
        ("since:上週", "2026-05-11T00:00", None),
        ("until:上週", None, "2026-05-18T00:00"),
        ("since:7d", "2026-05-13T14:30", None),
        ("until:7d", None, "2026-05-13T14:30"),
        ("until:3天前", None, "2026-05-18T00:00"),
        ("since:2026-05-08T14:30", "2026-05-08T14:30", None),
        ("until:2026-05-08T14:30", None, "2026-05-08T14:31"),
        ("since:5/8 since:5/1", "2026-05-01T00:00", None),
        ("since:5/8,5/1", "2026-05-01T00:00", None),
        ("until:5/8 until:5/1", None, "2026-05-09T00:00"),
    ],
)
def test_since_begins_and_until_includes_what_was_named(typed: str, since: str | None, until: str | None) -> None:
    (kept,) = read(typed).filters
    assert kept.since_ms == (ms(since) if since else None)
    assert kept.until_ms == (ms(until) if until else None)
    assert not kept.negated


def test_an_excluded_time_keeps_its_bound_and_says_that_it_excludes() -> None:
    assert read("-since:2026-05-08").filters == (Filter("since", ("2026-05-08",), True, ms("2026-05-08T00:00"), None),)


def test_a_span_that_ends_before_it_begins_is_said() -> None:
    assert len(read("since:yesterday until:last_week x").notes) == 1  # not a date
    assert "nothing" in read("since:yesterday until:上週 x").notes[0]
    assert read("since:上週 until:yesterday x").notes == ()


def test_times_are_read_in_the_zone_given() -> None:
    (there,) = parse("since:2026-05-08", NOW, timezone(timedelta(hours=-5))).filters
    assert there.since_ms == ms("2026-05-08T13:00")


@pytest.mark.parametrize(
    ("typed", "clauses", "filters"),
    [
        (
            '部署 OR deploy -草稿 "port 8080" in:talk since:2026-05-08',
            (
                Clause((Word("部署"), Word("deploy"))),
                Clause((Word("草稿"),), negated=True),
                Clause((Word("port 8080", quoted=True),)),
            ),
            (Filter("in", ("talk",)), Filter("since", ("2026-05-08",), since_ms=1_778_169_600_000)),
        ),
    ],
)
def test_a_query_is_plain_values(typed: str, clauses: tuple[Clause, ...], filters: tuple[Filter, ...]) -> None:
    assert read(typed) == Query(typed, clauses, filters, ())


def test_options_add_filters_like_typed_fields() -> None:
    query = with_options(
        read("deploy"),
        NOW,
        TAIPEI,
        project="harkback",
        role=["user", "assistant"],
        since="2026-05-08",
        tool=None,
    )
    assert [clause_line(clause) for clause in query.clauses] == ["deploy"]
    assert query.filters == (
        Filter("project", ("harkback",)),
        Filter("role", ("user", "assistant")),
        Filter("since", ("2026-05-08",), since_ms=ms("2026-05-08T00:00")),
    )


@pytest.mark.parametrize(
    ("typed", "option", "value", "line"),
    [
        ("x in:talk", "in", "calls", "in=talk|calls"),
        ("x in:talk", "in", "talk", "in=talk"),
        ("x", "in", "talk,calls", "in=talk|calls"),
        ("x", "project", "my app", "project=my app"),
        ("x", "project", '"a,b"', "project=a,b"),
        ("x", "since", "3 days ago", "since=3 days ago"),
        ("x", "since", "May 8, 2026", "since=May 8, 2026"),
        ("x", "file", "/etc/hosts", "file=/etc/hosts"),
        ("x", "file", "//server/share", "file=//server/share"),
        ("x", "agent", "codex", "agent=codex"),
    ],
)
def test_an_option_is_read_as_the_field_of_its_name(typed: str, option: str, value: str, line: str) -> None:
    query = with_options(read(typed), NOW, TAIPEI, **{option: value})
    assert [filter_line(kept) for kept in query.filters] == [line]


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        ("in", "nonsense", "talk, calls"),
        ("role", "robot", "user, assistant"),
        ("since", "rubbish", "2026-05-08"),
        ("until", "5", "7d"),
        ("project", "", "project"),
        ("in", " , ", "talk, calls"),
    ],
)
def test_an_impossible_option_is_an_error_with_the_valid_values(option: str, value: str, hint: str) -> None:
    with pytest.raises(BadValue, match=f"--{option}") as caught:
        with_options(read("x"), NOW, TAIPEI, **{option: value})
    assert hint in str(caught.value)


def test_options_do_not_change_what_words_mean() -> None:
    assert with_options(read("-v"), NOW, TAIPEI, project="x").clauses == read("-v").clauses


def test_options_that_were_not_given_change_nothing() -> None:
    query = read("deploy in:talk since:rubbish")
    assert with_options(query, NOW, TAIPEI, project=None, since=None, role=[]) == query


def test_options_say_when_the_span_is_empty() -> None:
    assert "nothing" in with_options(read("x"), NOW, TAIPEI, since="today", until="上週").notes[0]
    assert with_options(read("x"), NOW, TAIPEI, since="上週", until="today").notes == ()


def test_an_option_that_widens_an_empty_span_takes_the_note_back() -> None:
    query = read("since:yesterday until:上週 x")
    assert len(query.notes) == 1
    assert with_options(query, NOW, TAIPEI, until="today").notes == ()


def test_names_of_fields_are_unambiguous() -> None:
    names = [name for field in FIELDS for name in (field.name, *field.aliases)]
    assert len(names) == len(set(names))
    assert [field.name for field in FIELDS] == [
        "in",
        "agent",
        "project",
        "since",
        "until",
        "role",
        "tool",
        "file",
        "session",
        "branch",
    ]


@pytest.mark.parametrize("name", [name for field in FIELDS for name in (field.name, *field.aliases)])
def test_every_name_of_a_field_is_understood(name: str) -> None:
    (field,) = [field for field in FIELDS if name in (field.name, *field.aliases)]
    value = {"time": "2026-05-08", **{takes: values[0] for takes, values in CHOICES.items()}}
    assert [kept.field for kept in read(f"{name}:{value.get(field.takes, 'x')}").filters] == [field.name]
    assert field.help


def test_a_closed_value_lists_every_valid_one() -> None:
    assert CHOICES["role"] == ("user", "assistant", "tool", "system")
    assert CHOICES["lane"] == (
        "talk",
        "calls",
        "title",
        "memory",
        "summary",
        "thinking",
        "output",
        "context",
    )


def test_a_very_long_query_is_read_in_full() -> None:
    words = [f"word{number}" for number in range(300)]
    assert [clause_line(clause) for clause in read(" ".join(words)).clauses] == words
    assert [clause_line(clause) for clause in read("中" * 5000).clauses] == ["中" * 5000]
    assert len(read("「a " * 5000).clauses) == 5000
