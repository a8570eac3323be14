"""The query language: what a person or an agent types, taken apart into words and filters.

Every string is a query. White space separates words; `"a phrase"`, `-not`, `this OR that` and `field:value`
are the whole syntax, and whatever is none of them stands for itself. The index is not needed to parse.
"""

from __future__ import annotations

from unicodedata import normalize

from harkback._record import NamedTuple
from harkback.errors import BadValue
from harkback.model import LANES, ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo


class Field(NamedTuple):
    """A word that narrows the search when a colon and a value follow it."""

    name: str
    aliases: tuple[str, ...]
    takes: str
    """What its value is: lane, agent, project, time, role, tool, file, session or branch."""
    help: str


# fmt: off
FIELDS: tuple[Field, ...] = (
    Field("in", ("lane", "範圍", "范围", "範囲"), "lane",
          "Search these lanes only: in:talk,calls; in:all for every lane."),
    Field("agent", ("代理", "エージェント"), "agent",
          "Sessions of this agent: agent:claude-code."),
    Field("project", ("repo", "專案", "项目", "項目", "プロジェクト"), "project",
          "Sessions of this project: project:harkback."),
    Field("since", ("自", "從", "从"), "time",
          "From this time on: since:7d, since:上週, since:2026-05-08."),
    Field("until", ("至", "到"), "time",
          "Up to the end of this time: until:yesterday; until:7d is what is older than 7 days."),
    Field("role", ("角色", "役割"), "role",
          "Said by user, assistant, tool or system: role:user."),
    Field("tool", ("工具", "ツール"), "tool",
          "Calls of this tool: tool:Bash."),
    Field("file", ("path", "檔案", "档案", "ファイル"), "file",
          "Where this file was touched: file:nginx.conf."),
    Field("session", ("會話", "会话", "セッション"), "session",
          "In this session, by its id or the start of it: session:1f2e."),
    Field("branch", ("分支", "ブランチ"), "branch",
          "On this git branch: branch:main."),
)
# fmt: on
"""The one table from which parsing, `--help` and the manual are made."""

CHOICES: dict[str, tuple[str, ...]] = {"lane": LANES, "role": ROLES}
"""The values of those `takes` that have a closed list."""

EVERY_LANE = "all"


class Word(NamedTuple):
    """A word or phrase to find, as it was typed, without its quotes.

    Only a quoted one may hold white space.
    """

    text: str
    quoted: bool = False


class Clause(NamedTuple):
    """Something a hit must say (any of its words) or, negated, must not."""

    words: tuple[Word, ...]
    negated: bool = False


class Filter(NamedTuple):
    """What a hit must be, or, negated, must not be: any of `values`, or said in [since_ms, until_ms)."""

    field: str
    values: tuple[str, ...]
    """As typed; lanes and roles in their own spelling."""
    negated: bool = False
    since_ms: int | None = None
    until_ms: int | None = None


class Query(NamedTuple):
    """What was asked. All clauses and filters must hold; `notes` say what was not understood."""

    text: str
    clauses: tuple[Clause, ...] = ()
    filters: tuple[Filter, ...] = ()
    notes: tuple[str, ...] = ()


class _Token(NamedTuple):
    """One piece of the query, between white space; a field's values are set only where a field was typed."""

    raw: str
    """All its characters."""
    text: str
    """Without quotes and the excluding dash."""
    quoted: bool = False
    negated: bool = False
    field: Field | None = None
    values: tuple[str, ...] = ()


_NAMES = {name.casefold(): field for field in FIELDS for name in (field.name, *field.aliases)}
_LONGEST_NAME = max(len(name) for name in _NAMES)
_BY_NAME = {field.name: field for field in FIELDS}

_QUOTES = {'"': '"', "＂": "＂", "“": "”", "「": "」", "『": "』", "｢": "｣"}
# These close only before a border: in `"key":"value"` the second mark would otherwise end a phrase.
_STRAIGHT = '"＂'
_COLONS = ":："
_COMMAS = ",，、"
_DASHES = "-－"
# A zero width space or a byte order mark comes along when text is pasted.
_INVISIBLE = "\u200b\ufeff"
# What follows a phrase and is dropped with its quotes: `what is "port 8080"?`
_TRAILING = ".,;:!?)]}…。，、；：！？）］｝"
# First characters, besides letters and digits, of words that a dash excludes; `->`, `-=` and `-|` are code.
_EXCLUDABLE = "_./#@$~"


def parse(text: str, now_ms: int, zone: tzinfo | None = None) -> Query:
    """Take any text apart; never raises.

    Dates count from `now_ms` in `zone` (None: the system's). A field whose value cannot be right is searched
    as it was typed, with a note.
    """
    filters: dict[tuple[str, bool], Filter] = {}
    notes: list[str] = []
    items: list[_Token] = []
    for token in _Reader(text).tokens():
        kept = _filter(token, now_ms, zone)
        if isinstance(kept, str):
            notes.append(f"{token.raw} is taken as it stands, because {kept}")
            items.append(token._replace(quoted=any(map(_is_space, token.raw)), field=None))
            continue
        if kept:
            _merge(filters, kept)
        items.append(token)
    clauses = _clauses(_settled(items), notes)
    kept_filters = tuple(filters.values())
    return Query(text, tuple(clauses), kept_filters, (*notes, *_empty_span(kept_filters)))


def with_options(
    query: Query, now_ms: int, zone: tzinfo | None = None, /, **options: str | Sequence[str] | None
) -> Query:
    """Add filters given as options, by the name of their field (`**{"in": "talk"}`); None is no option.

    An option is read like the field, except that a time is one value even with spaces or commas. Values for
    a field that was also typed are alternatives, as when the field is repeated. What `-v` alone means was
    decided without the options. Raises `BadValue` for a value that cannot be right, KeyError for a name that
    no field has.
    """
    filters = {(kept.field, kept.negated): kept for kept in query.filters}
    for name, given in options.items():
        field = _BY_NAME[name]
        for value in [given] if isinstance(given, str) else given or ():
            parts = (value.strip(),) if field.takes == "time" else _Reader(value).values(spaced=True)
            kept = _filter(_Token(value, value, field=field, values=parts), now_ms, zone) if any(parts) else ""
            if not isinstance(kept, Filter):
                raise BadValue(f"--{name}", value, _hint(field))
            _merge(filters, kept)
    kept_filters = tuple(filters.values())
    outdated = _empty_span(query.filters)
    notes = [note for note in query.notes if note not in outdated]
    return query._replace(filters=kept_filters, notes=(*notes, *_empty_span(kept_filters)))


class _Reader:
    """Reads a query from left to right into tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.never_closed: set[str] = set()
        """Closing marks that do not come again, so that many open quotes cost one look each."""

    def tokens(self) -> Iterable[_Token]:
        while self.at < len(self.text):
            if _is_space(self.text[self.at]):
                self.at += 1
            else:
                yield self._token()

    def values(self, *, spaced: bool = False) -> tuple[str, ...]:
        """Read values with commas between them; with `spaced` white space belongs to a value."""
        values: list[str] = []
        while self.at < len(self.text):
            close = self._close(self.at, _COMMAS)
            start = self.at
            if close > 0:
                value = self.text[start + 1 : close]
                self.at = close + 1
            else:
                while self.at < len(self.text) and not self._ends_value(spaced):
                    self.at += 1
                value = self.text[start : self.at].strip()
            if value and value not in values:
                values.append(value)
            if self.at >= len(self.text) or self.text[self.at] not in _COMMAS:
                break
            self.at += 1
        return tuple(values)

    def _ends_value(self, spaced: bool) -> bool:
        character = self.text[self.at]
        return character in _COMMAS or (not spaced and _is_space(character))

    def _token(self) -> _Token:
        start = self.at
        negated = self._excludes()
        self.at += negated
        close = self._close(self.at)
        if close > 0:
            phrase = self.text[self.at + 1 : close]
            self.at = close + 1
            raw = self.text[start : self.at]
            self.at = self._past_trailing(self.at)
            return _Token(raw, phrase, quoted=True, negated=negated)
        word = self.at
        field = self._field()
        values: tuple[str, ...] = ()
        if field:
            self.at = self._colon(word) + 1
            values = self.values()
        if not values:
            field = None
            self.at = self._word_end(word)
        return _Token(
            self.text[start : self.at], self.text[word : self.at], negated=negated, field=field, values=values
        )

    def _word_end(self, at: int) -> int:
        while at < len(self.text) and not _is_space(self.text[at]):
            at += 1
        return at

    def _excludes(self) -> bool:
        """Tell whether a dash stands here that excludes what follows."""
        text, after = self.text, self.at + 1
        if text[self.at] not in _DASHES or after >= len(text):
            return False
        if self._close(after) > 0:
            return True
        if not (text[after].isalnum() or text[after] in _EXCLUDABLE):
            return False
        word = text[after : self._word_end(after)]
        # `kill -9` and `exit -1` speak of the number; -"9" excludes it.
        return any(map(str.isalnum, word)) and not all(sign.isdecimal() or sign in ".,:%" for sign in word)

    def _close(self, at: int, also: str = "") -> int:
        """Find the mark that closes the quote opened here; -1 if none is opened, or it is a character."""
        mark = _QUOTES.get(self.text[at : at + 1])
        if mark is None or mark in self.never_closed:
            return -1
        close = self.text.find(mark, at + 1)
        if close < 0:
            self.never_closed.add(mark)
        elif not self.text[at + 1 : close].strip() or (mark in _STRAIGHT and not self._is_border(close + 1, also)):
            return -1
        return close

    def _is_border(self, at: int, also: str) -> bool:
        if at < len(self.text) and self.text[at] in also:
            return True
        at = self._past_trailing(at)
        return at >= len(self.text) or _is_space(self.text[at])

    def _past_trailing(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in _TRAILING:
            at += 1
        return at

    def _field(self) -> Field | None:
        """Tell which field is named here; its colon must be followed by a value."""
        colon = self._colon(self.at)
        if colon < 0:
            return None
        value = self.text[colon + 1 : colon + 3]
        # `file://x` is an address, `session::new` is code.
        if value.startswith(("//", ":", "：")):
            return None
        return _NAMES.get(normalize("NFKC", self.text[self.at : colon]).casefold())

    def _colon(self, at: int) -> int:
        for place in range(at, min(at + _LONGEST_NAME + 1, len(self.text))):
            if self.text[place] in _COLONS:
                return place
            if _is_space(self.text[place]):
                break
        return -1


def _is_space(character: str) -> bool:
    return character.isspace() or character in _INVISIBLE


def _filter(token: _Token, now_ms: int, zone: tzinfo | None) -> Filter | str | None:
    """Make a token's filter; None if it names no field, a reason if its value cannot be right."""
    field = token.field
    if field is None:
        return None
    if field.takes == "time":
        return _time_filter(token, field, now_ms, zone)
    if field.takes not in CHOICES:
        return Filter(field.name, token.values, token.negated)
    values = tuple(normalize("NFKC", value).casefold() for value in token.values)
    if field.takes == "lane" and EVERY_LANE in values and not token.negated:
        values = CHOICES["lane"]
    if any(value not in CHOICES[field.takes] for value in values):
        return _why_not(token, field)
    return Filter(field.name, values, token.negated)


def _time_filter(token: _Token, field: Field, now_ms: int, zone: tzinfo | None) -> Filter | str:
    bounds = [_bound(field.name, value, now_ms, zone) for value in token.values]
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return _why_not(token, field)
    if field.name == "since":
        return Filter(field.name, token.values, token.negated, since_ms=min(known))
    return Filter(field.name, token.values, token.negated, until_ms=max(known))


def instant(bound: str, text: str, now_ms: int, option: str) -> int:
    """Read a time as the instant from which (`since`) or before which (`until`) something is meant. Raises BadValue."""
    found = _bound(bound, text, now_ms, None)
    if found is None:
        raise BadValue(option, text, _hint(_BY_NAME[bound]))
    return found


def _bound(name: str, value: str, now_ms: int, zone: tzinfo | None) -> int | None:
    """Find the instant a time bounds at; `until:7d` means "older than 7 days", not "up to now"."""
    from harkback.dates import parse_age, parse_range

    age = parse_age(value, now_ms, zone)
    if age is not None:
        return age
    span = parse_range(value, now_ms, zone)
    return None if span is None else span[name == "until"]


def _why_not(token: _Token, field: Field) -> str:
    kind = "time" if field.takes == "time" else field.takes
    return f"{', '.join(token.values)} is not a {kind}. {_hint(field)}"


def _hint(field: Field) -> str:
    if field.takes == "time":
        return (
            "Write a date such as 2026-05-08, 7d, yesterday or 上週;"
            f' one with spaces needs quotes, as in {field.name}:"3 days ago".'
        )
    if field.takes in CHOICES:
        return f"Valid are {', '.join(CHOICES[field.takes])}."
    article = "an" if field.takes[0] in "aeiou" else "a"
    return f"Write {article} {field.takes}. {field.help}"


def _merge(filters: dict[tuple[str, bool], Filter], new: Filter) -> None:
    """Add a filter; one for the same field widens the one that is there."""
    key = (new.field, new.negated)
    old = filters.get(key)
    if old is None:
        filters[key] = new
        return
    since = [bound for bound in (old.since_ms, new.since_ms) if bound is not None]
    until = [bound for bound in (old.until_ms, new.until_ms) if bound is not None]
    values = tuple(dict.fromkeys(old.values + new.values))
    filters[key] = Filter(new.field, values, new.negated, min(since, default=None), max(until, default=None))


def _settled(items: list[_Token]) -> list[_Token]:
    """Let dashes exclude only where something is left to exclude from; `-v` alone looks for "-v"."""
    if any(item.field or not (item.negated or _is_operator(item)) for item in items):
        return items
    return [
        item._replace(text=f"-{item.text}" if item.quoted else item.raw, negated=False) if item.negated else item
        for item in items
    ]


def _is_operator(item: _Token) -> bool:
    return not item.quoted and not item.negated and item.text in {"OR", "AND"}


def _clauses(items: list[_Token], notes: list[str]) -> list[Clause]:
    """Join words with OR between them; an operator without two neighbours is a word."""
    clauses: list[Clause] = []
    at = 0
    joined = False
    while at < len(items):
        item = items[at]
        if at and _is_operator(item) and at + 1 < len(items):
            joined = item.text == "OR" and _joins(items[at - 1], items[at + 1], notes)
            at += 1
            item = items[at]
        if item.field is None:
            word = Word(item.text, item.quoted)
            if joined:
                clauses[-1] = Clause((*clauses[-1].words, word))
            else:
                clauses.append(Clause((word,), item.negated))
            if item == _Token("NOT", "NOT") and 0 < at < len(items) - 1:
                notes.append(_not_note(items[at + 1]))
        joined = False
        at += 1
    return clauses


def _joins(left: _Token, right: _Token, notes: list[str]) -> bool:
    """Tell whether OR joins these two; a field repeated is an alternative anyway."""
    if not (left.field or right.field or left.negated or right.negated):
        return True
    if left.field is None or left.field is not right.field or left.negated or right.negated:
        notes.append(
            f"OR between {left.raw} and {right.raw} was left out, because it joins words only;"
            " ask twice to search for either."
        )
    return False


def _not_note(following: _Token) -> str:
    return f"NOT is searched as a word; to exclude what follows, write -{following.raw.lstrip(_DASHES)} instead."


def _empty_span(filters: tuple[Filter, ...]) -> tuple[str, ...]:
    """Give a note if no instant lies between since and until."""
    bounds = {found.field: found for found in filters if not found.negated}
    since, until = bounds.get("since"), bounds.get("until")
    if since is None or until is None or (since.since_ms or 0) < (until.until_ms or 0):
        return ()
    first, last = ",".join(since.values), ",".join(until.values)
    return (f"since:{first} lies after until:{last}, so nothing can be found; exchange them.",)


__all__ = [
    "CHOICES", "EVERY_LANE", "FIELDS", "Clause", "Field", "Filter", "Query", "Word", "instant", "parse",
    "with_options",
]  # fmt: skip
