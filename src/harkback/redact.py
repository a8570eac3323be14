"""Secrets in texts: found by their shape and masked, before anything is stored and wherever transcripts are shown.

Each kind has one pattern, in RE2's language, whose group 1 is the secret. All patterns together are looked for in one
pass over many texts (RE2, 600 MB/s and more); only where one of them stands is it applied, and its `sign` asked whether
this is a literal secret or only looks like one. Shapes: the vendors' own documentation of their keys.
"""

from __future__ import annotations

import re
from functools import partial

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Rule(NamedTuple):
    """One kind of secret."""

    kind: str
    pattern: str
    sign: Callable[[str], bool] | None = None
    """Whether what the pattern found is a secret; None: always."""


_PLACEHOLDERS = re.compile(
    r"(?i)\A(?:(.)\1*|x[x-]*|\W+|your.*|(?:my|the|some|new|old|this|that|an?)[-_ ].*|.*(?:example|placeholder|redacted|masked|changeme)"
    r".*|<.*>?|\[.*\]?|%.*%?|\{.*\}?|\$.*|\*+.*|\.\.\.+.*|none|null|nil|undefined|true|false|required|optional|hidden|text"
    r"|string|str|int|bool|bytes|any|secret|password|passwd|pwd|token|api[-_]?key|key|test|env|process|os)\Z"
)
_REFERENCE = re.compile(
    r"[A-Za-z_$@!&*][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$].*|[(\[<].*)\Z|[A-Za-z_$@!&*][A-Za-z_$-]*\Z|.*(?:environ|getenv|process\.env|secrets\.)"
)


def _is_literal(value: str) -> bool:
    """Whether a quoted value is meant as it stands: no variable, no type, no placeholder, no words for people."""
    return (
        value.isascii() and not _PLACEHOLDERS.match(value) and not value.startswith(("$", "{", "<", "%", "os.", "env"))
    )


def _is_bare_literal(value: str) -> bool:
    """Whether an unquoted value is: it must also hold a digit or a sign that no name has."""
    if not _is_literal(value) or _REFERENCE.match(value):
        return False
    return any(map(str.isdigit, value)) or any(sign in value for sign in "!@#$%^&*+=/~")


def _is_key(value: str) -> bool:
    """Whether a value that a token or a key is given looks random: long enough, letters and digits mixed."""
    return (
        len(value) >= _KEY_CHARS
        and _is_literal(value)
        and sum(map(str.isdigit, value)) >= _KEY_DIGITS
        and any(map(str.isalpha, value))
        and not _UUID.fullmatch(value)
    )


def _is_password_of_url(value: str) -> bool:
    return not _PLACEHOLDERS.match(value) and value.lower() not in _USUAL_PASSWORDS


_DEPTH = 64
_NAMED = re.compile(r"[\w-]{1,40}")
_KEY_CHARS = 16
_KEY_DIGITS = 2
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_USUAL_PASSWORDS = frozenset({"password", "pass", "pwd", "secret", "user", "username", "port", "host"})

_WORD = r"[A-Za-z0-9_-]"
_SPOKEN = r"(?:password|passwd|passphrase|pwd|密碼|密码|口令|パスワード)"
_GIVEN = r"""["'`]?\s{0,3}(?::=|=>|[:=：＝]|是|は)\s{0,3}"""
_KEYED = r"(?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|auth|credential)s?"

# fmt: off
RULES: tuple[Rule, ...] = (
    Rule("private-key", r"(-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{20,}(?:-----END [A-Z0-9 ]{0,40}-----)?)"),
    Rule("private-key", r"((?:[A-Za-z0-9+/=]{32,}\s{1,4})+-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)"),
    Rule("private-key", r"\b(AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    Rule("anthropic-key", rf"\b(sk-ant-[a-z]+[0-9]{{2}}-{_WORD}{{6,}})"),
    Rule("openai-key", rf"\b(sk-(?:proj|svcacct|admin|None)-{_WORD}{{20,}}|sk-[A-Za-z0-9]{{20}}T3BlbkFJ[A-Za-z0-9]{{20}})"),
    Rule("openrouter-key", r"\b(sk-or-v1-[0-9a-f]{32,})"),
    Rule("api-key", r"\b(sk-[A-Za-z0-9]{32,})", lambda value: _is_key(value[3:])),
    Rule("api-key", r"\b((?:gsk|xai|pplx|r8|hf|nvapi|lin_api|dapi|ghu|fw|csk)[_-][A-Za-z0-9]{20,})", lambda value: _is_key(value.partition("_")[2] or value.partition("-")[2])),
    Rule("github-token", r"\b(gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    Rule("gitlab-token", rf"\b(gl(?:pat|dt|rt|cbt|ptt|soat|agent|imt|ft)-{_WORD}{{20,}})"),
    Rule("slack-token", r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]+)"),
    Rule("slack-webhook", r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/)([A-Za-z0-9/+]{20,})"),
    Rule("aws-key", r"\b((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})\b", lambda value: not value.endswith("EXAMPLE")),
    Rule("aws-secret", rf"(?i:aws.{{0,20}}(?:secret|session)[a-z_ -]{{0,20}}){_GIVEN}[\"']?([A-Za-z0-9/+]{{40}}|[A-Za-z0-9/+=]{{100,}})"),
    Rule("google-key", rf"\b(AIza{_WORD}{{35}}|ya29\.{_WORD}{{20,}}|GOCSPX-{_WORD}{{28}})"),
    Rule("azure-key", r"(?i:(?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/]{40,}={0,2})"),
    Rule("stripe-key", r"\b((?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,})"),
    Rule("twilio-key", r"\b((?:SK|AC)[0-9a-f]{32})\b"),
    Rule("sendgrid-key", rf"\b(SG\.{_WORD}{{16,}}\.{_WORD}{{16,}})"),
    Rule("npm-token", r"\b(npm_[A-Za-z0-9]{36})|_authToken=([A-Za-z0-9+/=_-]{20,})"),
    Rule("pypi-token", rf"\b(pypi-AgE{_WORD}{{50,}})"),
    Rule("telegram-token", rf"\b([0-9]{{8,10}}:AA{_WORD}{{33}})"),
    Rule("digitalocean-token", r"\b(do[opr]_v1_[0-9a-f]{64})"),
    Rule("vault-token", rf"\b(hv[sbr]\.{_WORD}{{24,}})"),
    Rule("shopify-token", r"\b(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})"),
    Rule("jwt", rf"\b(eyJ{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.{_WORD}{{10,}})"),
    Rule("connection-string", r"\b(?:[a-z][a-z0-9+]{1,20})://[^\s:/@'\"<>]{0,80}:([^\s@/'\"<>]{3,})@[A-Za-z0-9\[]", _is_password_of_url),
    Rule("authorization", r"(?i:\b(?:bearer|basic)\s{1,3})([A-Za-z0-9+/._~-]{16,}={0,2})", _is_key),
    Rule("password", rf"(?i:{_SPOKEN}){_GIVEN}(?:\"([!#-~]{{4,}})\"|'([!-&(-~]{{4,}})')", _is_literal),
    Rule("password", rf"(?i:{_SPOKEN}){_GIVEN}([!#-&(-+\--:<-_a-~]{{6,}})", _is_bare_literal),
    Rule("password", r"(?i:--password[= ]|\bsshpass -p ?)[\"']?([!#-&(-~]{4,})", _is_literal),
    Rule("token", rf"(?i:{_KEYED}){_GIVEN}[\"'`]?([A-Za-z0-9+/._=~-]{{16,}})", _is_key),
)
# fmt: on


_made: list[Masker] = []


def masker() -> Masker:
    """Give the one masker of this process."""
    if not _made:
        _made.append(Masker())
    return _made[0]


class Masker:
    """Finds and masks; one for a process, as it holds the compiled patterns (10 ms to make)."""

    def __init__(self) -> None:
        """Compile every rule, for RE2 and for Python."""
        import re2

        self._set: Any = re2.Set.SearchSet()
        for rule in RULES:
            self._set.Add(rule.pattern)
        self._set.Compile()
        self._exact: dict[int, re.Pattern[str]] = {}

    def is_clean(self, text: str) -> bool:
        """Whether nothing in a text looks like a secret; of many texts joined by a NUL at once."""
        return not self._set.Match(text)

    def mask_all(self, value: Any) -> tuple[Any, dict[str, int]]:
        """Mask the texts in a JSON value, keys too."""
        found: dict[str, int] = {}
        return self._inside(value, found, _DEPTH), found

    def _inside(self, value: Any, found: dict[str, int], depth: int) -> Any:
        if isinstance(value, str):
            masked, kinds = self.mask(value)
            for kind, number in kinds.items():
                found[kind] = found.get(kind, 0) + number
            return masked
        if not depth:
            return value
        if isinstance(value, list):
            return [self._inside(one, found, depth - 1) for one in value]
        if isinstance(value, dict):
            pairs = value.items()
            return {self._inside(key, found, 1): self._valued(key, one, found, depth - 1) for key, one in pairs}
        return value

    def _valued(self, key: Any, value: Any, found: dict[str, int], depth: int) -> Any:
        """Mask a value that its key may call a password: `{"password": "hunter2"}` has no text that shows both."""
        if isinstance(key, str) and isinstance(value, str) and _NAMED.fullmatch(key):
            masked, kinds = self.mask(f'{key}: "{value}"')
            if kinds and '"' not in value:
                found.update({kind: found.get(kind, 0) + number for kind, number in kinds.items()})
                return masked[len(key) + 3 : -1]
        return self._inside(value, found, depth)

    def mask(self, text: str) -> tuple[str, dict[str, int]]:
        """Mask the secrets in a text; with how many there were of each kind."""
        found: dict[str, int] = {}
        for number in sorted(self._set.Match(text) or ()):
            rule = RULES[number]
            pattern = self._exact.get(number)
            if pattern is None:
                pattern = self._exact[number] = re.compile(rule.pattern, re.ASCII)
            text = pattern.sub(partial(_masked, rule, found), text)
        return text, found


def _masked(rule: Rule, found: dict[str, int], match: re.Match[str]) -> str:
    group = match.lastindex or 0
    secret = match[group]
    if rule.sign is not None and not rule.sign(secret):
        return match[0]
    found[rule.kind] = found.get(rule.kind, 0) + 1
    start, end = match.span(group)
    return f"{match[0][: start - match.start()]}[masked {rule.kind}]{match[0][end - match.start() :]}"
