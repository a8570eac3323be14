"""Secrets in texts: found by their shape and masked, before anything is stored and wherever transcripts are shown.

All patterns of `secret_rules` together are looked for in one pass over many texts (RE2, 500 MB/s); only where one of
them stands is it applied, and its sign asked whether this is a literal secret or only looks like one.
"""

from __future__ import annotations

import re
from functools import partial

from harkback.model import MASKED
from harkback.secret_rules import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harkback.secret_rules import Rule

_DEPTH = 64
_ROUNDS = 5
_MOST_MEMORY = 32 << 20
"""What RE2 may keep of what it has worked out; with less it works the same out again and again in varied texts."""
_NAMED = re.compile(r"[\w-]{1,40}")
_NAMING = ("name", "key", "selector", "element", "field", "label", "id")
GIVING = ("value", "text")
_SECRET_NAME = re.compile(
    r"(?i)(?:password|passwd|passphrase|pwd|api[_-]?key|(?:client[_-]?|app[_-]?)?secret(?:[_-]?key)?|token)(?![A-Za-z0-9_-])"
)
_NAME_CHARS = 200
_REACH = 1000
"""No more characters than these lie between a cut and the ends of a secret that it would split; longer ones are keys
of many lines, of which every piece is known by itself."""
_DISGUISED = len(RULES)
_DISGUISE = r"[Ａ-Ｚａ-ｚ]{3}|[!-~][\x{ad}\x{200b}-\x{200d}\x{2060}\x{feff}]+[!-~]"
"""Letters in full width, and signs that nobody sees inside a word: what stands there is read as it looks."""
_LOOKS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | dict.fromkeys(
    (0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF)
)

_made: list[Masker] = []


def masker() -> Masker:
    """Give the one masker of this process."""
    if not _made:
        _made.append(Masker())
    return _made[0]


def named_by(record: dict[str, Any]) -> str:
    """Say which secret a record calls its value, if any: `{"name": "DB_PASSWORD", "value": "…"}`."""
    names = (record.get(key) for key in _NAMING)
    found = (_SECRET_NAME.search(name) for name in names if isinstance(name, str) and len(name) <= _NAME_CHARS)
    return next((match[0] for match in found if match), "")


def command_line(words: list[Any]) -> str:
    """Write a list that is a command with switches in one line; nothing if it is none."""
    if not all(isinstance(word, str) for word in words) or not any(word.startswith("-") for word in words):
        return ""
    return " ".join(words)


class Masker:
    """Finds and masks; one for a process, as it holds the compiled patterns (10 ms to make)."""

    def __init__(self) -> None:
        """Compile every rule, for RE2 and for Python."""
        import re2

        options = re2.Options()
        options.max_mem = _MOST_MEMORY
        self._set: Any = re2.Set.SearchSet(options)
        for rule in RULES:
            self._set.Add(rule.look)
        self._set.Add(_DISGUISE)
        self._set.Compile()
        self._exact: dict[int, re.Pattern[str]] = {}

    def is_clean(self, text: str) -> bool:
        """Whether nothing in a text looks like a secret; of many texts joined by a NUL at once."""
        return not self._found(text)

    def _found(self, text: str) -> list[int]:
        try:
            return self._set.Match(text) or []
        except UnicodeEncodeError:  # half of a surrogate pair, from somebody's JSON
            return self._set.Match(text.encode("utf-8", "replace").decode()) or []

    def before(self, text: str, at: int) -> int:
        """Say where to end a text that is cut at `at`: before a secret that nobody would know without its end."""
        return min((secret for _, secret, _, end in self._near(text, at) if secret < at < end), default=at)

    def after(self, text: str, at: int) -> int:
        """Say where to begin a text that is cut at `at`: behind a secret whose beginning, or name, is cut off."""
        return max((done for start, _, done, _ in self._near(text, at) if start < at < done), default=at)

    def _near(self, text: str, at: int) -> list[tuple[int, int, int, int]]:
        """Find the secrets near a place: where what shows each begins, it begins itself, it ends, and all ends."""
        begin = max(0, at - _REACH)
        near = text[begin : at + _REACH]
        found = self._found(near)
        spans = [span for _, span in self._spans(near, found)]
        if _DISGUISED in found:
            spans += [span for _, span in self._disguised(near)]
        return [(begin + one, begin + two, begin + three, begin + four) for one, two, three, four in spans]

    def _spans(self, text: str, numbers: list[int]) -> Iterator[tuple[Rule, tuple[int, int, int, int]]]:
        for number in sorted(numbers):
            if number == _DISGUISED:
                continue
            for match in self._pattern(number).finditer(text):
                group = match.lastindex or 0
                if RULES[number].is_secret(match[group]):
                    yield RULES[number], (match.start(), match.start(group), match.end(group), match.end())

    def _disguised(self, text: str) -> Iterator[tuple[Rule, tuple[int, int, int, int]]]:
        """Find secrets in a text as it looks, and give their places in the text as it is."""
        places = [place for place, sign in enumerate(text) if _LOOKS.get(ord(sign), 0) is not None]
        plain = text.translate(_LOOKS)
        for rule, (start, first, done, end) in self._spans(plain, self._found(plain)):
            yield rule, (places[start], places[first], places[done - 1] + 1, places[end - 1] + 1)

    def mask_all(self, value: Any) -> tuple[Any, dict[str, int]]:
        """Mask the texts in a JSON value, keys too."""
        found: dict[str, int] = {}
        return self._inside(value, found, _DEPTH), found

    def mask_json(self, text: str) -> str:
        """Mask the texts in a JSON value that is written down; one without secrets stays byte for byte."""
        if not text or self.is_clean(text):
            return text
        import json

        return json.dumps(self.mask_all(json.loads(text))[0], ensure_ascii=False)

    def _inside(self, value: Any, found: dict[str, int], depth: int) -> Any:
        if isinstance(value, str):
            if depth and value[:1] in {"{", "["}:
                value = self._written(value, found, depth - 1)
            masked, kinds = self.mask(value)
            for kind, number in kinds.items():
                found[kind] = found.get(kind, 0) + number
            return masked
        if not depth and isinstance(value, list | dict):
            import json

            return self._inside(json.dumps(value, ensure_ascii=False), found, 0)
        if isinstance(value, list):
            return self._listed(value, found, depth - 1)
        if isinstance(value, dict):
            name = named_by(value)
            return {
                self._inside(key, found, 1): self._valued(
                    name if name and key in GIVING else key, one, found, depth - 1
                )
                for key, one in value.items()
            }
        return value

    def _listed(self, values: list[Any], found: dict[str, int], depth: int) -> list[Any]:
        """Mask a list; one that is a command's words also by what they are in one line."""
        masked = [self._inside(one, found, depth) for one in values]
        line, at = command_line(values), 0
        if not line or self.is_clean(line):
            return masked
        spans = [(first, done, rule.kind) for rule, (_, first, done, _) in self._spans(line, self._found(line))]
        for number, word in enumerate(values):
            for first, done, kind in spans:
                if at <= first and done <= at + len(word) and masked[number] == word:
                    masked[number] = f"{word[: first - at]}{MASKED}{kind}]{word[done - at :]}"
                    found[kind] = found.get(kind, 0) + 1
            at += len(word) + 1
        return masked

    def _written(self, value: str, found: dict[str, int], depth: int) -> str:
        """Mask a text that is JSON itself, as Codex writes arguments: escapes hide words, and a quote is no end."""
        import json

        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return value
        before = sum(found.values())
        masked = self._inside(inner, found, depth)
        return value if sum(found.values()) == before else json.dumps(masked, ensure_ascii=value.isascii())

    def _valued(self, key: Any, value: Any, found: dict[str, int], depth: int) -> Any:
        """Mask a value that its key may call a password: `{"password": "hunter2"}` has no text that shows both."""
        if isinstance(key, str) and isinstance(value, str) and _NAMED.fullmatch(key):
            # A quote in it would end it too early for our patterns; it counts as any other sign.
            masked, kinds = self.mask(f'"{key}": "{value.replace(chr(34), "!")}"')
            if kinds and masked.startswith(f'"{key}": "') and not self.mask(value)[1]:
                found.update({kind: found.get(kind, 0) + number for kind, number in kinds.items()})
                return masked[len(key) + 5 : -1]
        return self._inside(value, found, depth)

    def mask(self, text: str) -> tuple[str, dict[str, int]]:
        """Mask the secrets in a text; with how many there were of each kind."""
        found: dict[str, int] = {}
        for _ in range(_ROUNDS):  # of two that stand glued together the second shows when the first is masked
            known = sum(found.values())
            numbers = sorted(self._found(text))
            if _DISGUISED in numbers:
                numbers.remove(_DISGUISED)
                text = self._undisguised(text, found)
            for number in numbers:
                text = self._pattern(number).sub(partial(_masked, RULES[number], found), text)
            if sum(found.values()) == known:
                break
        return text, found

    def _undisguised(self, text: str, found: dict[str, int]) -> str:
        begin = len(text)
        spans = [(first, done, rule.kind) for rule, (_, first, done, _) in self._disguised(text)]
        for first, done, kind in sorted(spans, reverse=True):
            if done <= begin:
                text = f"{text[:first]}[masked {kind}]{text[done:]}"
                found[kind] = found.get(kind, 0) + 1
                begin = first
        return text

    def _pattern(self, number: int) -> re.Pattern[str]:
        pattern = self._exact.get(number)
        if pattern is None:
            pattern = self._exact[number] = re.compile(RULES[number].pattern, re.ASCII)
        return pattern


def _masked(rule: Rule, found: dict[str, int], match: re.Match[str]) -> str:
    group = match.lastindex or 0
    secret = match[group]
    if not rule.is_secret(secret):
        return match[0]
    found[rule.kind] = found.get(rule.kind, 0) + 1
    start, end = match.span(group)
    return f"{match[0][: start - match.start()]}{MASKED}{rule.kind}]{match[0][end - match.start() :]}"
