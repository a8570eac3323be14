"""The kinds of secrets: how each looks, and what tells a literal one from what only looks like it.

Each kind has one pattern, in RE2's language, whose last group is the secret, and a `sign` that says whether what was
found is one. Shapes: the vendors' own documentation of their keys.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Rule(NamedTuple):
    """One kind of secret."""

    kind: str
    pattern: str
    sign: Callable[[str], bool] | None = None
    """Whether what the pattern found is a secret; None: always."""
    seen: str = ""
    """A part of the pattern that is enough to look for, where all of it would slow the look."""

    @property
    def look(self) -> str:
        """What is looked for in one pass with all others."""
        return self.seen or self.pattern

    def is_secret(self, value: str) -> bool:
        """Whether what the pattern found is a secret."""
        return not _BLANKS.search(value) and (self.sign is None or self.sign(value))


_PLACEHOLDERS = re.compile(
    r"(?i)\A(?:(.)\1*|x[x-]*|\W+|your.*|(?:my|the|some|new|old|this|that|an?)[-_ ].*|.*(?:example|placeholder|redacted|masked|changeme"
    r"|change[-_]me).*|<.*>?|\[.*\]?|%.*%?|\{.*\}?|#\{.*|\$.*|\*+.*|=.*|\.\.\.+.*|none|null|nil|undefined|true|false|text"
    r"|(?:required|optional|nullable|sometimes|hidden|string|min|max)(?:[|,:].*)?|str|int|bool|bytes|any|secret|password|passwd"
    r"|pwd|\w*passw(?:or)?d\d{0,4}|passwort|kennwort|wachtwoord|senha|haslo|contrasena|token|api[-_]?key|key|test|env|process|os|option|flag|field|input"
    r"|(?:op|vault|file|ssm|env|secrets?|keyring|keychain|gcp|aws|azure|ref\+\w+):(?:/|\w+[/:#.]).*)\Z"
)
_BLANKS = re.compile(r"[xX]{8}|\*{8}|\.{8}|[xX]{4}-[xX]{4}|(?i:your[-_]|[-_]here\Z)")
"""What shows in any secret that it is none."""
_REFERENCE = re.compile(
    r"[A-Za-z_$@!&*][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$].*|[(\[<].*)\Z|[A-Za-z_$@!&*][A-Za-z_$-]*\Z|.*(?:environ|getenv|process\.env|secrets\.)"
)
_NAMES = ("$", "{", "<", "%", "os.", "env", "process.", "config.", "settings.", "secrets.", "self.", "this.")
_PATHS = ("/", "~/", "./", "../", "C:\\")
_ALGORITHMS = re.compile(
    r"(?i)\A(?:base-?\d\d|sha-?\d{1,3}|md5|bcrypt|argon2(?:id|i|d)?|pbkdf2|scrypt|aes(?:-?\d{3})?|[hr]s(?:256|384|512)|hmac|rsa|rot13"
    r"|utf-?\d{1,2}(?:mb\d|le|be)?|ascii|latin-?1|md4|ntlm|x?chacha20)(?![a-z0-9])"
)
_NUMBERS = re.compile(r"[\d.,:%-]*")


def _is_literal(value: str) -> bool:
    """Whether a quoted value is meant as it stands: no variable, no type, no placeholder, no words for people."""
    return value.isascii() and not _PLACEHOLDERS.match(value) and not value.startswith(_NAMES)


def _is_bare_literal(value: str) -> bool:
    """Whether an unquoted value is: it must also hold a digit or a sign that no name has."""
    if not _is_literal(value) or _ALGORITHMS.match(value) or value.startswith(_PATHS):
        return False
    if _REFERENCE.match(value):
        return value.isalpha() and _is_random(value)
    return _has_digit(value) or any(sign in value for sign in "!@#$%^&*+=/~")


def _is_spoken(value: str) -> bool:
    """Whether what a sentence says of a password is the password: `is hunter2`, but `is base64-encoded`."""
    return _is_bare_literal(value) and not _NUMBERS.fullmatch(value) and (_has_digit(value) or _is_random(value))


def _is_code(value: str) -> bool:
    """Whether what stands beside a password's name, with nothing between that says so, is it: no name with a number."""
    return _is_spoken(value) and any(map(str.isalpha, value)) and not _WITH_NUMBER.fullmatch(value)


def _is_assigned(value: str) -> bool:
    """Whether what an environment's variable is set to is a secret: any word that is no path, variable or placeholder."""
    if not _is_literal(value) or value.startswith(_PATHS) or _NOT_ASSIGNED.match(value):
        return False
    return not _REFERENCE.match(value) or value.replace("_", "").replace("-", "").isalpha()


def _is_plain_word(value: str) -> bool:
    """Whether a word of small letters is a password: no long word of the language, no name of a field."""
    return _is_literal(value) and not _LONG_WORD.search(value)


def _is_foreign(value: str) -> bool:
    """Whether a value with letters of other languages is a password: digits among letters, no words for people."""
    rest = _FOREIGN.sub("", value)
    return _has_digit(value) and any(map(str.isalpha, rest)) and not _ALGORITHMS.match(rest) and _is_literal(rest)


def _is_phrase(value: str) -> bool:
    """Whether words in a password's place are it: four plain ones, or one with digits inside; no sentence for people."""
    words = value.split()
    if value in words or not _PROSE.isdisjoint(value.lower().split()) or any(sign in value for sign in "<>{}$%"):
        return False
    return (len(words) >= _PHRASE_WORDS and all(map(_PLAIN_WORD.fullmatch, words))) or any(
        _MIXED_WORD.fullmatch(word) and not _ALGORITHMS.match(word) for word in words
    )


def _is_typed(value: str) -> bool:
    """Whether what a command's switch is given is a password, and no number of a port or a user."""
    return _is_literal(value) and not value.replace(":", "").replace(".", "").isdigit()


def _is_login(value: str) -> bool:
    """Whether base64 hides a name and a password (RFC 7617)."""
    from binascii import Error, a2b_base64

    try:
        name, colon, word = a2b_base64(value + "=" * (-len(value) % 4)).decode().partition(":")
    except (Error, ValueError):
        return _is_key(value)
    return bool(colon) and (name + word).isprintable() and bool(word)


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _oddness(value: str) -> float:
    """How little a value is like a name: how often case and kind of its signs change, and letters no word joins follow."""
    pieces: list[str] = [piece for piece in _JOINTS.split(value) if piece]
    changes = sum(len(_HUMPS.findall(piece)) - 1 for piece in pieces) + 1
    odd: int = sum(
        (pair := piece[at : at + 2]).isalpha() and pair.lower() not in _PAIRS
        for piece in pieces
        for at in range(len(piece) - 1)
    )
    return (changes + odd / 2) / max(1, sum(map(len, pieces)))


def _is_random(value: str) -> bool:
    """Whether a value is made by chance: of 100 such ones 99 are, of 100 names that long one."""
    return len(value) >= _RANDOM_CHARS and not value.isdigit() and _oddness(value) >= _ODD


def _is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed all over, as in hexadecimal keys and in those of one case."""
    if len(value) < _KEY_CHARS or sum(map(str.isdigit, value)) < _KEY_DIGITS:
        return False
    mixed = [one for one in _JOINTS.split(value) if not one.isalpha() and not one.isdigit()]
    return sum(map(len, mixed)) >= _MIXED_CHARS and (
        _HEX.fullmatch(value) is not None or _oddness(value) >= _RATHER_ODD
    )


def _is_opaque(value: str) -> bool:
    """Whether what stands in a token's place is one: letters and digits, or made by chance."""
    if not _is_literal(value) or len(value) < _KEY_CHARS or not any(map(str.isalpha, value)):
        return False
    return sum(map(str.isdigit, value)) >= _KEY_DIGITS or _is_random(value)


def _is_key(value: str) -> bool:
    """Whether a value that a token or a key is given is one; no UUID, no address, no name made of words and numbers."""
    if not _is_literal(value) or _NO_KEYS.fullmatch(value):
        return False
    return _is_mixed(value) or _is_random(value)


def _is_key_behind_mark(value: str) -> bool:
    return _is_key(_MARK.sub("", value))


def _is_password_of_url(value: str) -> bool:
    return not _PLACEHOLDERS.match(value) and value.lower() not in _USUAL_PASSWORDS


def _is_key_block(value: str) -> bool:
    """Whether what stands between the marks of a key is one, and no words about it."""
    return _KEY_TEXT.search(value) is not None


_PROSE = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can enter for from if in is it its least must new no not of on or please required same than"
        " that the this to use when with you your",
    )
)
_PHRASE_WORDS = 4
_PLAIN_WORD = re.compile(r"[a-z]+")
_MIXED_WORD = re.compile(r"[A-Za-z]+[0-9]+[!-~]*|[0-9]+[A-Za-z]+[!-~]*")
_KEY_CHARS = 16
_KEY_DIGITS = 2
_MIXED_CHARS = 12
_JOINTS = re.compile(r"[-_./+=~]+")
_UUID_SIGNS = 6
_CODE_CHARS = 6
_FOREIGN = re.compile(r"[^!-~]+")
_WITH_NUMBER = re.compile(r"[A-Za-z]+(?:[-_./]+[A-Za-z0-9]+)+|\d+[a-z]+")
_NOT_ASSIGNED = re.compile(
    r"(?:disabled?|enabled?|defaults?|unset|prompt|generated?|missing|unchanged|encrypted|[A-Z]+(?:_[A-Z0-9]+)+"
    r"|[a-z0-9]+(?:[-/][a-z0-9]+)*[-/](?:secrets?|credentials?|creds|tls|certs?|keys?)(?:-\d+)*)\Z"
)
_LONG_WORD = re.compile(
    r"(?:tion|ment|ing|able|ible|i[sz]ed|ated|rypted|ness|ity|ance|ence|ally|ous|ive|less|ly|field|input|label|value|string"
    r"|hash|text|type|name|key|token|secret|required|optional|prompt)s?\Z|pass|user"
)
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_RANDOM_CHARS = 12
_ODD = 0.46
_RATHER_ODD = 0.28
_HUMPS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^A-Za-z0-9]+")
_PAIRS = frozenset(
    word[0] + sign
    for word in re.findall(
        r"\w+",
        "abcdfgiklmnprstuvwxy baceijlorsuy cacdehiklmorstuy dacdefilorstuy eabcdefgilmnopqrstvwxy faefilorstu gaeghilnorstu"
        " haeiorst iabcdefgklmnoprstuvxz je kaeisu labcdefilopstuy mabeilmopsu nacdefgiklmnopstuv oabcdfgiklmnoprstuvwx"
        " padehiloprstuy qu racdefgiklmnoprstuvy sacefghiklmnopstuwy tacdefhilmoprstuy uabcdefgilmnprst vaei waehinors"
        " xceipt ylmnpst ze",
    )
    for sign in word[1:]
)
"""The 300 pairs of letters that are most usual in names and words: 97 of 100 there, 44 of 100 where chance made them."""
_MARK = re.compile(r"\A[a-z0-9]{2,}[-_]")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{32}")
_NO_KEYS = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]{40}")
_USUAL_PASSWORDS = frozenset({"password", "pass", "pwd", "secret", "user", "username", "port", "host"})

# RE2 and Python's `re` must find the same: no `\s` (they differ on VT), and no class that takes in NUL, which parts texts.
_WORD = r"[A-Za-z0-9_-]"
_S = r"[ \t\r\n]"
_NO_S = r"\x00 \t\r\n\x0b\x0c"
_ESC = r"\\{0,7}"
"""What stands before a quote in JSON inside JSON."""

_HIDDEN = r"(?:密碼|密码|口令|パスワード|暗証番号|비밀번호)"
_SPOKEN = (
    rf"(?:(?i:password|passwd|passphrase|pwd|passwort|kennwort|mot de passe|[\"']pass{_ESC}[\"'])|{_HIDDEN}|[Cc]ontraseña|[Пп]ароль"
    r"|\\u5bc6\\u(?i:78bc|7801)|\\u30d1\\u30b9\\u30ef\\u30fc\\u30c9|\\u6697\\u8a3c\\u756a\\u53f7|\\ube44\\ubc00\\ubc88\\ud638|[Cc]ontrase\\u00f1a"
    r"|\\u04[13]f\\u0430\\u0440\\u043e\\u043b\\u044c)"
)
_ENDING = r"(?i:[a-z0-9][_-]pass)"
_BARE = r"[!#-&(-+\--:<-_a-~]"
"""What may stand in a password without quotes: signs that end no sentence and no value."""
_GIVEN = rf"""(?:{_ESC}["'`]\]?|\*\*|__)?{_S}{{0,3}}(?::=|=>|[:：]\*\*|(?:是|为|為|は)[:：]|[:=：＝]|已?(?:更|修)?(?:改|設|设|換|换)(?:定|置)?(?:成|为|為)|是|为|為|は|\\u(?:ff1a|662f|4e3a|70ba|306f)){_S}{{0,3}}"""
_KEYED = (
    r"(?:secret(?:[_-]?key(?:[_-]?base)?)?|token|api[_ -]?key|access[_ -]?key|account[_-]?key|private[_-]?key|signing[_-]?key"
    r"|encryption[_-]?key|auth|credential|金鑰|秘密鍵|私鑰|私钥|密鑰|密钥|權杖|权杖|令牌|トークン|apiキー|シークレットキー)s?"
)
_VALUE_OF = rf"""{_ESC}["']?(?:,(?:{_S}|\\n){{0,20}}|(?:{_S}|\\n){{1,20}}){_ESC}["']?value{_ESC}["']?{_S}{{0,3}}:{_S}{{0,3}}{_ESC}["']?"""
_NEXT = rf"""{_ESC}["'],(?:{_S}|\\n){{0,20}}{_ESC}["']"""
"""From one word to the next in a list."""
_MYSQL = r"(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)"
_CHPASSWD = rf"\|{_S}{{0,3}}(?:sudo{_S})?chpasswd|\bchpasswd{_S}{{0,3}}<<<"
_IDENTIFIED = rf"(?:{_S}(?i:with){_S}[A-Za-z0-9_'\"]{{1,40}})?{_S}{{1,3}}(?i:by|as)(?:{_S}(?i:password))?{_S}{{1,3}}"
_SQL_PASSWORD = (
    rf"(?i:\b(?:with|encrypted|login|set|(?:user|role){_S}{{1,3}}[^{_NO_S}]{{1,80}}){_S}{{1,3}}password{_S}{{1,3}}"
    rf"|\bset{_S}{{1,3}}password{_S}{{1,3}}for{_S}{{1,3}}[^\x00\n=]{{1,80}}={_S}{{0,3}}(?:password\()?)"
)
_SQL_SEEN = (
    rf"(?:IDENTIFIED{_IDENTIFIED.replace('{1,40}', '+')}{_ESC}[\"']"
    rf"|(?i:password{_S}{{1,3}}(?:{_ESC}[\"']|for{_S}{{1,3}}[^\x00\n=]*=)))"
)
_QUOTED = rf"{_ESC}(?:'([!-&(-~]{{4,}}?){_ESC}'|\"([!#-~]{{4,}}?){_ESC}\")"
_SESSION = r"(?i:(?:sess|sid|auth|token|jwt|login)[a-z0-9_.-]{0,20}=)([A-Za-z0-9%+/._~-]{16,}={0,2})"
_LINE = r"(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)"
_KEY_MARK = r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-{5,7}"
_KEY_BEGINS, _KEY_ENDS = f"-----BEGIN {_KEY_MARK}", f"-----END {_KEY_MARK}"

# fmt: off
RULES: tuple[Rule, ...] = (
    Rule("private-key", rf"(-----BEGIN {_KEY_MARK}(?:[^\x00-]|-[^\x00-]){{20,}}-{{5,7}}END [A-Z0-9 ]{{0,40}}-----)", _is_key_block, _KEY_BEGINS),
    Rule("private-key", rf"(-----BEGIN {_KEY_MARK}(?:{_LINE}{{1,3}}(?:[^\x00\nA-Za-z/+=\\]{{0,12}}[A-Za-z0-9+/=]{{16,}}[^\x00\nA-Za-z0-9/+=\\]{{0,4}}|[^\x00\nA-Za-z\\]{{0,12}}[A-Z][A-Za-z-]{{2,20}}: [^\x00\n\\]{{0,200}}))+)", _is_key_block, _KEY_BEGINS),
    Rule("private-key", rf"(?:\A|[^A-Za-z0-9+/=])((?:[A-Za-z0-9+/=]{{16,}}[^\x00A-Za-z0-9+/=\\]{{0,12}}(?:\n|\\{{1,3}}n)[^\x00\nA-Za-z0-9+/=]{{0,12}}){{1,60}}(?:[A-Za-z0-9+/=]{{1,76}}[^\x00A-Za-z0-9+/=\\]{{0,12}}(?:\n|\\{{1,3}}n)[^\x00\nA-Za-z0-9+/=]{{0,12}})?-{{5,7}}END {_KEY_MARK})", None, _KEY_ENDS),
    Rule("private-key", rf"\bPrivate-Lines: [0-9]{{1,3}}((?:{_LINE}{{1,2}}[A-Za-z0-9+/=]{{32,}})+(?:{_LINE}{{1,2}}[A-Za-z0-9+/]{{0,31}}={{1,2}})?)", None, r"\bPrivate-Lines: [0-9]"),
    Rule("private-key", rf"[\"'](?:d|p|q|dp|dq|qi|k){_ESC}[\"']{_S}{{0,3}}:{_S}{{0,3}}{_ESC}[\"']([A-Za-z0-9_-]{{42,}}){_ESC}[\"']", _is_random),
    Rule("private-key", r"\b(AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    Rule("anthropic-key", rf"\b(sk-ant-[a-z]+[0-9]{{2}}-{_WORD}{{6,}})"),
    Rule("openai-key", rf"\b(sk-(?:proj|svcacct|admin|None)-{_WORD}{{20,}}|sk-[A-Za-z0-9]{{20}}T3BlbkFJ[A-Za-z0-9]{{20}})"),
    Rule("openrouter-key", r"\b(sk-or-v1-[0-9a-f]{32,})"),
    Rule("api-key", r"\b(sk-[A-Za-z0-9]{32,})", _is_key_behind_mark),
    Rule("api-key", r"\b((?:gsk_|xai-|pplx-|r8_|lin_api_|fw_|csk-|ntn_|secret_|tvly-(?:dev-|prod-)?|pcsk_)[A-Za-z0-9_]{20,})", _is_key_behind_mark),
    Rule("api-key", rf"\b(sq0(?:atp|csp)-{_WORD}{{22,43}}|sb_secret_{_WORD}{{20,}}|sq[pua]_[0-9a-f]{{40}})"),
    Rule("api-key", rf"\b([A-Za-z0-9]{{14}}\.atlasv1\.{_WORD}{{60,}})", None, r"\.atlasv1\."),
    Rule("api-key", rf"\b(sk\.eyJ{_WORD}{{20,}}\.{_WORD}{{20,}})"),
    Rule("api-key", rf"\bSSWS{_S}{{1,3}}({_WORD}{{40,}})"),
    Rule("api-key", r"(?:\A|[^A-Za-z0-9+/_-])(EAA[A-Za-z0-9]{80,}|LTAI[A-Za-z0-9]{12,26}|AKID[A-Za-z0-9]{32})(?:[^A-Za-z0-9+/_-]|$)", _is_random),
    Rule("api-key", rf"(?i:api[_-]?key){_GIVEN}{_ESC}[\"'`]?([0-9a-fA-F]{{8}}(?:-[0-9a-fA-F]{{4}}){{3}}-[0-9a-fA-F]{{12}})\b", lambda value: len(set(value)) > _UUID_SIGNS),
    Rule("api-key", r"\b(hf_[A-Za-z0-9]{34})\b", lambda value: not value[3:].islower() and not value[3:].isupper()),
    Rule("api-key", rf"\b(nvapi-{_WORD}{{60,}}|dapi[0-9a-f]{{32}}|key-[0-9a-f]{{32}}\b|[0-9a-f]{{32}}-us[0-9]{{1,2}}\b|re_[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{24}}|rubygems_[0-9a-f]{{48}}|dckr_[a-z]{{3}}_{_WORD}{{27,}}|sbp_[0-9a-f]{{40}}|pscale_[a-z]{{2,6}}_{_WORD}{{32,}}|dp\.[a-z]{{2,5}}\.[A-Za-z0-9]{{40,}}|figd_{_WORD}{{38,}}|ATATT3[A-Za-z0-9_=-]{{50,}}|ATBB[A-Za-z0-9]{{28,}}|glsa_[A-Za-z0-9]{{32}}_[0-9a-f]{{8}}|NRAK-[A-Z0-9]{{27}}|sntry[su]_[A-Za-z0-9+/=_]{{40,}}|PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}|pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}|lsv2_[a-z]{{2}}_[0-9a-f]{{32}}_[0-9a-f]{{10}}|sk-lf-[0-9a-f]{{8}}-[0-9a-f-]{{27}}|tskey-[a-z]{{3,10}}-[A-Za-z0-9]{{8,20}}-[A-Za-z0-9]{{20,}}|HRKU-{_WORD}{{36,}}|nfp_[A-Za-z0-9]{{36}})"),
    Rule("github-token", r"\b(gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    Rule("gitlab-token", rf"\b(gl(?:pat|dt|rt|cbt|ptt|soat|agent|imt|ft)-{_WORD}{{20,}})"),
    Rule("slack-token", r"\b(xox[abcdeoprs]-[A-Za-z0-9%-]{10,}|xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]+)", _has_digit),
    Rule("slack-webhook", r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/)([A-Za-z0-9/+]{20,})"),
    Rule("webhook", r"\b(?:[a-z0-9-]{1,60}\.webhook\.office\.com/webhookb2|outlook\.office(?:365)?\.com/webhook|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook|discord(?:app)?\.com/api/v[0-9]{1,2}/webhooks)/([A-Za-z0-9@/_-]{20,})", _has_digit, r"\.com/webhook|/bot/(?:v2/)?hook/|/v[0-9]{1,2}/webhooks/"),
    Rule("webhook", r"\boapi\.dingtalk\.com/robot/send\?access_token=([0-9a-f]{64})"),
    Rule("discord-token", rf"(?:\bdiscord(?:app)?\.com/api/webhooks/[0-9]{{15,20}}/({_WORD}{{60,}})|\b([MNO][A-Za-z0-9]{{23,25}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,38}}))"),
    Rule("aws-key", r"\b((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})\b", lambda value: not value.endswith("EXAMPLE")),
    Rule("aws-secret", rf"(?i:aws[^\x00\n]{{0,20}}(?:secret|session)[a-z_ -]{{0,20}})(?:{_GIVEN}|{_S}){_ESC}[\"']?([A-Za-z0-9/+]{{40}}|[A-Za-z0-9/+=]{{100,}})", lambda value: "EXAMPLE" not in value),
    Rule("google-key", rf"\b(AIza{_WORD}{{35}}|ya29\.{_WORD}{{20,}}|GOCSPX-{_WORD}{{28}}|1//0{_WORD}{{40,}})"),
    Rule("azure-key", r"(?i:(?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/]{40,}={0,2})|[?&]sig=([A-Za-z0-9%+/]{40,}={0,2})|\b([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})", None, r"(?i:(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40}|[?&]sig=[A-Za-z0-9%+/]{40}|[0-9]Q~[A-Za-z0-9_~.-]{31}"),
    Rule("stripe-key", r"\b((?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,})"),
    Rule("twilio-key", r"\b((?:SK|AC)[0-9a-f]{32})\b"),
    Rule("sendgrid-key", rf"\b(SG\.{_WORD}{{16,}}\.{_WORD}{{16,}})"),
    Rule("npm-token", r"\b(npm_[A-Za-z0-9]{36})|_authToken=([A-Za-z0-9+/=_-]{20,})"),
    Rule("pypi-token", rf"\b(pypi-AgE{_WORD}{{50,}})"),
    Rule("telegram-token", rf"\b([0-9]{{8,10}}:AA{_WORD}{{33}})"),
    Rule("digitalocean-token", r"\b(do[opr]_v1_[0-9a-f]{64})"),
    Rule("vault-token", rf"\b(hv[sbr]\.{_WORD}{{24,}})"),
    Rule("shopify-token", r"\b(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})"),
    Rule("jwt", rf"(?:\A|[^A-Za-z0-9_-])(eyJ{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.{_WORD}{{10,}}|eyJ{_WORD}{{10,}}\.{_WORD}*\.{_WORD}{{10,}}\.{_WORD}{{10,}}\.{_WORD}{{16,}})"),
    Rule("connection-string", rf"\b(?:[a-z][a-z0-9+]{{1,20}})://[^{_NO_S}:/@'\"<>]{{0,80}}:([^{_NO_S}/?'\"<>]{{3,}})@[A-Za-z0-9\[]", _is_password_of_url, rf"[a-z0-9+]://[^{_NO_S}:/@'\"<>]*:[^{_NO_S}/?'\"<>]{{3,}}@[A-Za-z0-9\[]"),
    Rule("authorization", rf"(?i:\bbearer{_S}{{1,3}}|\bauthorization{_ESC}[\"']?{_S}{{0,2}}[:=]{_S}{{0,3}}{_ESC}[\"']?(?:api-?key|token|key){_S}{{1,3}}(?:token=)?{_ESC}[\"']?)([A-Za-z0-9+/._~-]{{16,}}={{0,2}})", _is_opaque),
    Rule("authorization", rf"(?i:\bbasic{_S}{{1,3}})([A-Za-z0-9+/]{{8,}}={{0,2}})", _is_login),
    Rule("password", rf"(?:{_SPOKEN}|{_ENDING}){_GIVEN}{_ESC}(?:\"([!#-~]{{4,}}?){_ESC}\"|'([!-&(-~]{{4,}}?){_ESC}'|[「『“]([!-~]{{4,}}?)[」』”])", _is_literal),
    Rule("password", rf"{_SPOKEN}{_GIVEN}{_ESC}[\"']?((?:{_BARE}{{0,40}}[À-ɏ]|[㐀-鿿가-힣ぁ-ヶ]{{1,8}}[A-Za-z0-9]){_BARE}[À-ɏ!#-&(-+\--:<-_a-~]{{2,}})", _is_foreign),
    Rule("password", rf"{_SPOKEN}{_GIVEN}`?({_BARE}{{6,}})", _is_bare_literal),
    Rule("password", rf"{_ENDING}{_GIVEN}`?({_BARE}{{6,}})", lambda value: _is_bare_literal(value) and not _NUMBERS.fullmatch(value)),
    Rule("password", rf"\b(?:[Pp]ass|[Pp]w|PW)[\"'`*]{{0,3}}[:：=]\*{{0,2}}[ ]{{0,2}}[\"'`]?({_BARE}{{6,}})", _is_code),
    Rule("password", r"(?:\A|[\x00\n]|\\n)[ \t+-]{0,12}[a-z0-9_.-]*(?i:password|passwd|passphrase|pwd)[ \t]?[:=][ \t]?[\"']?([a-z]{12,40})[\"']?[ \t]{0,9}(?:[\x00\r\n]|\\n|\Z)|--password[ =][\"']?([a-z]{12,40})(?:[\x00 \r\n\"'\\]|\Z)", _is_plain_word, r"(?i:password|passwd|passphrase|pwd)[ \t]?[:= ][ \t]?[\"']?[a-z]{12}"),
    Rule("password", rf"{_SPOKEN}:[ \t]{{1,3}}[|>][+-]?[ \t]{{0,4}}(?:\r?\n|\\{{1,3}}n)[ \t]{{1,20}}({_BARE}{{6,}})", _is_bare_literal),
    Rule("password", rf"{_HIDDEN}(?:[ ]{{1,2}}`?|[ ]?[「『“`])({_BARE}{{6,}})", _is_code),
    Rule("password", rf"""(?i:\b(?:us(?:e|es|ed|ing)|with|and|enter|type|try){_S}{{1,2}}(?:[a-z]{{1,10}}{_S}){{0,2}}(?:password|passphrase|passwd){_S})[\"'`“]?({_BARE}{{0,80}}[0-9]{_BARE}*)""", lambda value: len(value) >= _CODE_CHARS and _is_code(value), rf"""(?i:(?:password|passphrase|passwd){_S})[\"'`“]?{_BARE}*[0-9]"""),
    Rule("password", rf"""(?:{_SPOKEN}|{_ENDING}){_GIVEN}{_ESC}(?:\"([!#-~][ !#-~]{{3,200}}?){_ESC}\"|'([!-&(-~][ !-&(-~]{{3,200}}?){_ESC}')""", _is_phrase),
    Rule("password", rf"""(?i:\bpassphrase)(?:{_GIVEN}|{_S}(?:is|was){_S})[\"'`“]?([a-z]{{2,20}}(?: [a-z]{{2,20}}){{3,11}})""", _is_phrase),
    Rule("password", rf"""(?i:\b(?:password|passphrase|passwd|passcode|pwd)(?:{_S}(?:for|of|on|at|in)(?:{_S}[\w.@-]{{1,40}}){{1,4}}?)?(?:{_S}{{1,2}}(?:is|was)(?:{_S}now)?:?{_S}{{1,2}}|:[ ]))[\"'`“]?({_BARE}{{6,}})""", _is_spoken),
    Rule("password", rf"""(?i:\b(?:chang|set|reset|updat|rotat)[a-z]{{0,4}}{_S}(?:[\w']{{1,20}}{_S}){{0,3}}(?:password|passphrase){_S}to{_S})[\"'`“]?({_BARE}{{6,}})""", _is_spoken, rf"""(?i:(?:password|passphrase){_S}to{_S})[\"'`“]?{_BARE}{{6}}"""),
    Rule("password", rf"(?:密碼|密码|口令|パスワード)を{_S}{{0,3}}[「『“`]?({_BARE}{{6,}}?)[」』”`]?{_S}{{0,3}}に", _is_spoken),
    Rule("password", rf"{_SPOKEN}[`* ]{{0,4}}\|[ `*]{{0,4}}([!#-&(-+\--:<-_a-{{}}~]{{6,}}?)[ `*]{{0,4}}\|", _is_spoken),
    Rule("password", rf"(?i:password|passwd|[_-]pass){_VALUE_OF}([!#-&(-~]{{4,}}?)(?:{_ESC}[\"']|[^!-~]|$)", _is_literal),
    Rule("password", r"(?i:<(?:password|passwd|pwd)>)([!-;=-~]{4,})</", _is_literal),
    Rule("password", r"(?i:--password=|\bsshpass -p ?)[\"']?([!#-&(-~]{4,})", _is_literal),
    Rule("password", r"(?i:--password )(?:\"([!#-~]{4,})\"|'([!-&(-~]{4,})'|([!#-&(-~]{6,}))", _is_bare_literal),
    Rule("password", r"\b(?:mysql|mysqldump|mysqladmin|mariadb) (?:-[^\x00\n|;&]{0,80} )?-p[\"']?([!#-&(-~]{6,})", lambda value: _is_typed(value) and _is_bare_literal(value)),
    Rule("password", rf"\bmachine{_S}{{1,3}}(?:localhost|[^{_NO_S}]{{1,150}}[.:][^{_NO_S}]{{1,50}}){_S}{{1,3}}login{_S}{{1,3}}[^{_NO_S}]{{1,200}}{_S}{{1,3}}password{_S}{{1,3}}([!-~]{{4,}})", _is_literal, rf"\blogin{_S}{{1,3}}[^{_NO_S}]+{_S}{{1,3}}password{_S}"),
    Rule("password", r"\bcurl [^\x00\n|;&]{0,80}(?:-u|--user|--proxy-user)[ =]?[\"']?[!#-&(-9;-~]{1,60}:([!#-&(-~]{4,})", _is_typed),
    Rule("password", rf"(?:\bIDENTIFIED{_IDENTIFIED}|{_SQL_PASSWORD}){_QUOTED}", _is_literal, _SQL_SEEN),
    Rule("password", rf"\bidentified{_IDENTIFIED}{_QUOTED}", _is_bare_literal),
    Rule("password", rf"(?i:[\"']--?[a-z-]{{0,30}}(?:password|passwd|passphrase|pass|pwd)){_NEXT}([!#-&(-,.-~][!#-&(-~]{{3,}}?){_ESC}[\"']", _is_literal),
    Rule("password", rf"\b{_MYSQL}{_ESC}[\"'],[^\x00\]]{{0,120}}[\"']-p([!#-&(-~]{{4,}}?){_ESC}[\"']", _is_typed, rf"\b{_MYSQL}{_ESC}[\"'],"),
    Rule("password", rf"(?i:password|passwd|pwd)(?i:[ _-](?:text[ _-]?box|input|field|entry|box)){{0,2}}{_ESC}[\"']?\]?{_ESC}[\"'](?:,(?:{_S}|\\n){{0,20}}{_ESC}[\"'][A-Za-z_]{{1,20}}{_ESC}[\"']:{_S}{{0,3}}{_ESC}[\"']?[^\x00\n\"',]{{0,60}}?{_ESC}[\"']?){{0,3}}?,(?:{_S}|\\n){{0,20}}{_ESC}[\"'](?:value|text){_ESC}[\"']:{_S}{{0,3}}{_ESC}[\"']([!#-&(-~]{{4,}}?){_ESC}[\"']", _is_bare_literal, rf"(?i:password|passwd|pwd)[ A-Za-z_-]*{_ESC}[\"']?\]?{_ESC}[\"'](?:,(?:{_S}|\\n){{0,20}}{_ESC}[\"'][A-Za-z_]+{_ESC}[\"']:{_S}{{0,3}}{_ESC}[\"']?[^\x00\n\"',]*[\"']?)*,(?:{_S}|\\n){{0,20}}{_ESC}[\"'](?:value|text){_ESC}[\"']:"),
    Rule("password", rf"\b(?:(?:ENV|setenv|setx)[ \t]{{1,3}}|set (?:-[a-zA-Z-]{{1,12}} )+)[A-Z0-9_]*(?:PASSWORD|PASSWD|PWD|PASSPHRASE|SECRET|_PASS)[ \t]{{1,3}}[\"']?({_BARE}{{6,}})", _is_assigned, rf"(?:PASSWORD|PASSWD|PWD|PASSPHRASE|SECRET|_PASS)[ \t]{{1,3}}[\"']?{_BARE}{{6}}"),
    Rule("password", rf"\b[A-Za-z0-9_.-]{{1,32}}:([!#-&(-{{}}~]{{4,100}})[\"']?{_S}{{0,3}}\|{_S}{{0,3}}(?:sudo{_S})?chpasswd|\bchpasswd{_S}{{0,3}}<<<{_S}{{0,3}}[\"']?[A-Za-z0-9_.-]{{1,32}}:([!#-&(-~]{{4,}})", _is_literal, _CHPASSWD),
    Rule("password", r"\b(?:(?:docker|podman|helm|buildah|nerdctl|skopeo|oras|oc)(?: registry)? login|redis-cli|mongosh|mongodump|mongorestore) (?:[^\x00\n|;&]{0,80} )?(?:-a|-p|--pass)[ =][\"']?([!#-&(-,.-~][!#-&(-~]{3,})", _is_typed, r"(?: login|redis-cli|mongosh|mongodump|mongorestore) (?:[^\x00\n|;&]* )?(?:-a|-p|--pass)[ =]"),
    Rule("cookie", rf"""(?:(?i:\bcookie{_ESC}[\"']?{_S}{{0,2}}[:=])|\bcurl [^\x00\n|;&]{{0,200}}(?:-b|--cookie)[ =])[^\x00\r\n]{{0,400}}?{_SESSION}""", _is_opaque, _SESSION.replace("{0,20}", "*")),
    Rule("token", rf"(?i:{_KEYED}){_GIVEN}{_ESC}[\"'`]?([A-Za-z0-9+/._=~-]{{12,}})", _is_key),
    Rule("token", rf"(?i:{_KEYED}){_VALUE_OF}([A-Za-z0-9+/._=~-]{{12,}})", _is_key),
    Rule("token", rf"(?i:--[a-z-]{{0,30}}(?:token|secret|api-?key))(?:[ =]{_ESC}[\"']?|{_NEXT})([A-Za-z0-9+/._=~-]{{12,}})", _is_key),
    Rule("token", rf"(?i:secret(?:_?key)?){_ESC}[\"']{_S}{{0,3}}[:=]{_S}{{0,3}}{_ESC}[\"']([!#-&(-~]{{6,}}?){_ESC}[\"']", _is_code),
    Rule("password", rf"\b[A-Z0-9_]*(?:PASSWORD|PASSWD|PWD|PASSPHRASE|SECRET|SECRET_KEY|_PASS|\bPASS)=[\"']?({_BARE}{{8,}})", _is_assigned, rf"(?:PASSWORD|PASSWD|PWD|PASSPHRASE|SECRET|SECRET_KEY|_PASS|\bPASS)=[\"']?{_BARE}{{8}}"),
)
# fmt: on
