"""Whatever is typed is a query, and whatever is no date is None."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as st

from harkback.dates import parse_age, parse_range
from harkback.model import LANES
from harkback.query import FIELDS, Query, parse, with_options

NOW = 1_779_258_600_000
ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Asia/Taipei",
        "Asia/Tokyo",
        "Europe/Berlin",
        "America/Havana",
        "America/Santiago",
        "Pacific/Apia",
        "Australia/Lord_Howe",
        "Africa/Monrovia",
    )
]
NAMES = [name for field in FIELDS for name in (field.name, *field.aliases)]
VALUES = [
    *LANES,
    "user",
    "7d",
    "上週",
    "rubbish",
    "a,b",
    ",",
    '"a b"',
    "「甲 乙」",
    '"',
    "//x",
    ":x",
    "2026-02-30",
]
OPERATORS = ["OR", "AND", "NOT", "-", "--", "(", "*", ":", "："]
QUOTES = ['"', "＂", "“", "”", "「", "」", "『", "』"]
BLANKS = [" ", "  ", "\u3000", "\n", "\u200b", "\ufeff", ""]
THINGS = ["deploy", "部署", "デプロイ", "C++", "-v", "--no-cache", "->", "-9", "http://x", "\x00", "\ud800"]
SIGNS = st.sampled_from(["", "-"])
TYPED_FIELDS = st.builds(
    "{}{}{}{}".format, SIGNS, st.sampled_from(NAMES), st.sampled_from(":："), st.sampled_from(VALUES)
)
PIECES = st.one_of(st.sampled_from(OPERATORS + QUOTES), st.sampled_from(BLANKS + THINGS), TYPED_FIELDS)
TYPED = st.one_of(
    st.text(st.characters()),
    st.lists(PIECES).map("".join),
    st.lists(PIECES).map(" ".join),
    st.lists(st.sampled_from(["a", "-b", "部署", '"c', 'd"', "OR", "in:talk"]), max_size=300).map(" ".join),
)
DATE_WORDS = "2026 5 12 三 十 兩 - / . 年 月 日 號 天 週 個 前 上 の 金曜 last ago d mo h T : Z +09 may th 去年"
DATE_PIECES = st.sampled_from([*DATE_WORDS.split(), " "])


def is_blank(character: str) -> bool:
    return character.isspace() or character in "\u200b\ufeff"


def check(query: Query) -> None:
    for clause in query.clauses:
        assert clause.words
        assert not (clause.negated and len(clause.words) > 1)
        for word in clause.words:
            assert word.text
            assert word.quoted or not any(map(is_blank, word.text))
    assert query.filters or not query.clauses or not all(clause.negated for clause in query.clauses)
    assert len({(kept.field, kept.negated) for kept in query.filters}) == len(query.filters)
    takes = {field.name: field.takes for field in FIELDS}
    for kept in query.filters:
        assert kept.values
        assert (kept.since_ms is not None) == (kept.field == "since")
        assert (kept.until_ms is not None) == (kept.field == "until")
        assert takes[kept.field] != "lane" or set(kept.values) <= set(LANES)


@given(TYPED, st.sampled_from(ZONES))
@example("中" * 5000, ZONES[0])
@example('"a ' * 1700, ZONES[0])
@example(" OR ".join(["-x"] * 300), ZONES[0])
@example("".join(map(chr, range(0x3100))), ZONES[0])
def test_every_text_is_a_query(text: str, zone: ZoneInfo) -> None:
    query = parse(text, NOW, zone)
    assert query.text == text
    check(query)
    check(with_options(query, NOW, zone, since="7d", role="user"))


@given(TYPED)
def test_nothing_but_quotes_dashes_and_operators_is_lost(text: str) -> None:
    """Every letter that was typed is still searched for, filtered by or named in a note."""
    query = parse(text, NOW, ZONES[0])
    said = [word.text for clause in query.clauses for word in clause.words]
    said += [f"{kept.field}{kept.values}" for kept in query.filters]
    if query.filters:
        return
    kept = [c for c in "".join(said).replace("OR", "").replace("AND", "") if c.isalnum()]
    assert kept == [c for c in text.replace("OR", "").replace("AND", "") if c.isalnum()]


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1)))
def test_plain_words_are_what_stands_between_the_spaces(words: list[str]) -> None:
    words = [word for word in words if word not in {"OR", "AND", "NOT"}]
    query = parse(" ".join(words), NOW, ZONES[0])
    assert [word.text for clause in query.clauses for word in clause.words] == words
    assert all(not clause.negated and len(clause.words) == 1 for clause in query.clauses)
    assert not query.filters
    assert not query.notes


@given(st.text(st.characters(exclude_characters="」"), min_size=1).filter(lambda text: bool(text.strip())))
def test_corner_brackets_keep_anything_together(text: str) -> None:
    ((word,),) = [clause.words for clause in parse(f"「{text}」", NOW, ZONES[0]).clauses]
    assert word == (text, True)


@given(st.one_of(st.text(max_size=80), st.lists(DATE_PIECES, max_size=8).map("".join)), st.sampled_from(ZONES))
@example("9999年前", ZONES[0])
@example("2999-12-31", ZONES[0])
def test_every_text_is_a_range_or_no_date(text: str, zone: ZoneInfo) -> None:
    for now_ms in (NOW, 0, 253_370_764_800_000):
        found = parse_range(text, now_ms, zone)
        assert found is None or found[0] <= found[1]
        assert parse_age(text, now_ms, zone) is None or found is not None


@given(st.dates(date(1900, 1, 1), date(2998, 12, 30)), st.sampled_from(ZONES))
@example(date(2011, 12, 29), ZONES[6])
def test_each_day_begins_where_the_day_before_ends(day: date, zone: ZoneInfo) -> None:
    this = parse_range(day.isoformat(), NOW, zone)
    following = parse_range((day + timedelta(days=1)).isoformat(), NOW, zone)
    month = parse_range(f"{day.year}-{day.month}", NOW, zone)
    assert this is not None
    assert following is not None
    assert month is not None
    assert this[1] == following[0]
    assert month[0] <= this[0] <= this[1] <= month[1]
