"""No secret leaves the program or is stored: every command, every format, every file. All values are made up here."""

from __future__ import annotations

import base64
import io
import json
import os
import random
import re
import string
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from harkback.cli import main
from harkback.cli.agents_door import Door
from harkback.cli.commands import _COMMANDS
from harkback.mcp.calls import Calls
from harkback.redact import Masker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.e2e.pens import AGENTS, Claude, Codex, Pen, Pi, line
else:
    from pens import AGENTS, Claude, Codex, Pen, Pi, line

DAY = "2026-11-03"
ALNUM = string.ascii_letters + string.digits
HEX = string.hexdigits[:16]
UPPER = string.ascii_uppercase + string.digits
_random = random.Random(7)


def made(length: int, signs: str = ALNUM) -> str:
    """Make a value that occurs nowhere else, letters and digits mixed."""
    pair = ("a7", "c3") if signs == HEX else ("Q7", "W3")
    return pair[0] + "".join(_random.choice(signs) for _ in range(length - 4)) + pair[1]


def jwt() -> str:
    head, body = (base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in (made(24), made(40)))
    return f"eyJ{head}.eyJ{body}.{made(43)}"


def key_block() -> str:
    lines = [made(64) for _ in range(5)]
    return "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, made(12), "-----END RSA PRIVATE KEY-----"])


class Kind(NamedTuple):
    """A kind of secret: how a value is made, and how it stands in a text."""

    make: Callable[[], str]
    text: str = "{}"


KINDS = {
    "anthropic": Kind(lambda: f"sk-ant-api03-{made(93)}AA", "ANTHROPIC_API_KEY={}"),
    "openai": Kind(lambda: f"sk-proj-{made(60)}"),
    "openrouter": Kind(lambda: f"sk-or-v1-{made(64, HEX)}"),
    "deepseek": Kind(lambda: f"sk-{made(32, HEX)}"),
    "groq": Kind(lambda: f"gsk_{made(52)}"),
    "hugging face": Kind(lambda: f"hf_{made(34)}"),
    "nvidia": Kind(lambda: f"nvapi-{made(64)}"),
    "github": Kind(lambda: f"ghp_{made(36)}"),
    "github, fine": Kind(lambda: f"github_pat_{made(22)}_{made(59)}"),
    "gitlab": Kind(lambda: f"glpat-{made(20)}"),
    "slack": Kind(lambda: f"xoxb-123456789012-123456789012-{made(24)}"),
    "aws id": Kind(lambda: f"AKIA{made(16, UPPER)}"),
    "aws secret": Kind(lambda: made(40), "aws_secret_access_key = {}"),
    "google": Kind(lambda: f"AIza{made(35)}"),
    "azure": Kind(lambda: f"{made(86)}==", "AccountKey={}"),
    "stripe": Kind(lambda: f"sk_live_{made(24)}"),
    "twilio": Kind(lambda: f"SK{made(32, HEX)}"),
    "sendgrid": Kind(lambda: f"SG.{made(22)}.{made(43)}"),
    "npm": Kind(lambda: f"npm_{made(36)}", "//registry.npmjs.org/:_authToken={}"),
    "pypi": Kind(lambda: f"pypi-AgEIcHlwaS5vcmc{made(80)}"),
    "telegram": Kind(lambda: f"1234567890:AA{made(33)}"),
    "digitalocean": Kind(lambda: f"dop_v1_{made(64, HEX)}"),
    "vault": Kind(lambda: f"hvs.{made(90)}"),
    "shopify": Kind(lambda: f"shpat_{made(32, HEX)}"),
    "jwt": Kind(jwt),
    "bearer": Kind(lambda: made(40), "Authorization: Bearer {}"),
    "connection": Kind(lambda: made(14), "postgres://app:{}@db.example.com/app"),
    "json": Kind(lambda: made(12), '{"password": "{}"}'),
    "json in json": Kind(lambda: made(12), r'"{\"password\": \"{}\"}"'),
    "yaml": Kind(lambda: made(12), "db_password: {}"),
    "environment": Kind(lambda: made(12), "DB_PASSWORD={}"),
    "command": Kind(lambda: made(12), "mysqldump --password={} app"),
    "zh": Kind(lambda: made(12), "資料庫的密碼是 {}"),
    "ja": Kind(lambda: made(12), "パスワード：{}です"),
    "en": Kind(lambda: made(12), "the password is {}"),
    "token": Kind(lambda: made(32), "client_secret: {}"),
    "settings": Kind(lambda: made(12), "APP_SECRET={}"),
    "markdown": Kind(lambda: made(12), "**Password:** {}"),
    "sql": Kind(lambda: made(12), "IDENTIFIED BY '{}'"),
    "webhook": Kind(lambda: made(36), "https://open.feishu.cn/open-apis/bot/v2/hook/{}"),
    "private key": Kind(key_block),
    "private key, escaped": Kind(lambda: key_block().replace("\n", "\\n"), '{"private_key": "{}"}'),
}
IN_A_LINE = [name for name in KINDS if name != "private key"]
GRAM = 9
"""Of a secret so many characters are a leak."""
MARK = "kiwi"
"""Stands in every text, so that a search finds it."""


class Planted:
    """Every secret that was planted, and where."""

    def __init__(self) -> None:
        self.where: dict[str, str] = {}
        self.facts = [
            [
                ("remember", f"{MARK} {number} holds {self.text(name, 'a memory')}"),
                ("--entity", self.text(name, "an entity")),
                ("--tag", self.text(name, "a tag")),
                ("edit", f"{MARK} {number} is now {self.text(name, 'an edit')}"),
                ("supersede", f"{MARK} {number} becomes {self.text(name, 'what supersedes')}"),
                ("profile", f"{MARK} {self.text(name, 'the profile')}"),
            ]
            for number, name in enumerate(IN_A_LINE)
        ]
        """For each kind what is said of a memory, by command or option."""

    def text(self, name: str, where: str) -> str:
        """Make a text with a secret of a kind."""
        secret = KINDS[name].make()
        self.where[secret] = f"{name} in {where}"
        return KINDS[name].text.replace("{}", secret)

    def all(self, where: str) -> str:
        return "\n\n".join(f"{MARK} {self.text(name, where)}" for name in KINDS)

    def pieces(self) -> dict[str, str]:
        """Cut every secret into what of it would be a leak: its long words."""
        return {
            piece: where
            for secret, where in self.where.items()
            for piece in re.findall(r"[A-Za-z0-9]{9,}", secret)
            if re.search(r"\d", piece) and re.search("[A-Za-z]", piece)
        }


LOST = "lost line"
FILLER = "an ordinary line of output\n" * 40


OUTPUTS = {
    "head": "{}\nFILLER",
    "tail": "FILLER{}",
    "error line": "FILLERerror: {}\nFILLER",
    # And where each of these is cut:
    "cut of the head": f"{'x' * 470} {{}}\nFILLER",
    "cut of the tail": f"FILLER{'y,' * 20}{{}}{',z' * 142}",
    "cut before an error": f"FILLER{'y,' * 90}{{}},error{',z' * 200}\nFILLER",
    "cut after an error": f"FILLERerror{',z' * 139},{{}}{',z' * 99}\nFILLER",
}


def tool(pen: Pen, arguments: dict[str, Any]) -> None:
    """Call a tool that nobody knows."""
    call = f"call_{pen.key()}"
    if isinstance(pen, Claude):
        pen.blocks({"type": "tool_use", "id": call, "name": "mcp__x__put", "input": arguments})
    elif isinstance(pen, Codex):
        pen.item(type="function_call", name="mcp__x__put", arguments=json.dumps(arguments), call_id=call)
    elif isinstance(pen, Pi):
        pen.assistant({"type": "toolCall", "id": call, "name": "mcp__x__put", "arguments": arguments})


def retitle(pen: Pen, home: Path, text: str) -> None:
    """Give the session a title as the person does."""
    if isinstance(pen, Claude):
        pen.rows.append({"type": "custom-title", "customTitle": text, "sessionId": pen.native})
    else:
        pen.title(home, text)


def set_branch(pen: Pen, branch: str) -> None:
    for row in pen.rows:
        if isinstance(pen, Claude):
            row["gitBranch"] = branch
        elif isinstance(pen, Codex) and row["type"] == "session_meta":
            row["payload"]["git"] = {"branch": branch}


def in_title(text: str, number: int) -> str:
    """Put a text into a title; every other one so that the title is cut a little into its secret."""
    begins = max(text.find("Q7"), text.find("a7"), text.find("eyJ"))
    return f"{MARK} {'t' * ((62 - begins) * (number % 2))} {text}"


def plant(home: Path, pens: list[Pen], planted: Planted) -> None:
    """Write one long session and many small ones for an agent."""
    pen = pens[0]
    agent = pen.agent
    pen.user(f"{MARK} first")
    for say, where in ((pen.user, "prompt"), (pen.say, "answer"), (pen.think, "thought"), (pen.summary, "summary")):
        say(planted.all(f"{agent}'s {where}"))
    for number, name in enumerate(KINDS):
        pen.shell(f"{MARK} {planted.text(name, f'{agent}´s command')}", f"{planted.text(name, f'{agent}´s output')}")
        places = [*OUTPUTS] if name in IN_A_LINE else ["head", "tail", "error line"]
        for place in places[(number + AGENTS.index(agent)) % 3 :: 3]:  # of all agents together every one
            output = OUTPUTS[place].replace("{}", planted.text(name, f"{place} of {agent}'s output"))
            pen.shell(f"cat {MARK}", f"{MARK}\n{output.replace('FILLER', FILLER)}")
        tool(
            pen,
            {"note": f"{MARK} {planted.text(name, f'{agent}´s argument')}", "deep": [{"n": planted.text(name, "l")}]},
        )
        if name in IN_A_LINE:
            pen.edit(f"/w/{MARK}/{planted.text(name, f'{agent}´s path')}")
            pen.shell(f"{MARK} {'v ' * 985} {planted.text(name, f'cut of {agent}´s command')} {'w ' * 99}", "done")
    named: dict[str, Any] = {
        "password": made(12),
        "api_key": made(32),
        "note": MARK,
        "env": {"DB_PASSWORD": made(12), "N": 'a"b'},
    }
    named["quoted"] = {"password": f'{made(12)}"{made(12)}'}
    named["fill"] = [{"selector": "#password", "value": made(12)}, {"element": "Password", "text": made(12)}]
    named["argv"] = [["mysql", "-u", "root", f"-p{made(12)}"], ["tool", "--password", made(12)]]
    for value in (
        named["fill"][0]["value"],
        named["fill"][1]["text"],
        named["argv"][0][3],
        named["argv"][1][2],
        named["password"],
        named["api_key"],
        named["env"]["DB_PASSWORD"],
        named["quoted"]["password"],
    ):
        planted.where[value] = f"named argument of {agent}"
    tool(pen, named)
    set_branch(pen, f"topic/{planted.text('github', f'{agent}´s branch')}" if agent != "pi" else "")
    whole = len(pen.rows)
    for name in KINDS:
        pen.user(f"{MARK} mended {planted.text(name, f'{agent}´s mended line')}")
    # What can be mended is kept; what cannot is told as a problem and shown by nothing.
    mended = [line(row).replace(b"mended ", b"men\x01ded ") for row in pen.rows[whole:]]
    lost = [f'{{"type":"user","message":{{"content":"{planted.text(name, LOST)}\n'.encode() for name in KINDS]
    pen.write(home, [*pen.rows[:whole], *mended, *lost])
    for number, name in enumerate(IN_A_LINE):
        titled, prompted = pens[1 + 2 * number : 3 + 2 * number]
        titled.user(f"{MARK} in a titled session")
        retitle(titled, home, in_title(planted.text(name, f"{agent}´s title"), number))
        prompted.user(in_title(planted.text(name, f"{agent}´s first prompt"), number))
        if agent != "pi":
            set_branch(prompted, f"b/{planted.text(name, f'{agent}´s other branch')}")
        titled.write(home)
        prompted.write(home)


@pytest.fixture
def planted(own_home: Path) -> Planted:
    planted = Planted()
    for base, pen_type in enumerate((Claude, Codex, Pi), 1):
        many = 1 + 2 * len(IN_A_LINE)
        plant(own_home, [pen_type(base * 1000 + number, DAY) for number in range(many)], planted)
    old = Claude(9000, DAY)
    old.user(f"{MARK} summed up")
    old.rows.append(
        {"type": "summary", "leafUuid": old.rows[0]["uuid"], "summary": planted.text("github", "summary row")}
    )
    old.write(own_home)
    return planted


class Said(NamedTuple):
    """What a command said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(*argv: str) -> Said:
    """Run a command in this process; records are written as bytes."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        status = main(list(argv))
    said = []
    for stream in (out, err):
        assert isinstance(stream.buffer, io.BytesIO)
        said.append(stream.buffer.getvalue().decode())
    return Said(status, *said)


SEARCHES: tuple[list[str], ...] = (
    [],
    ["--all", "-n", "2000", "--budget", "0"],
    ["--all", "-n", "2000", "--budget", "0", "-C", "3"],
    ["--all", "-n", "2000", "--by", "session"],
    ["--all", "-n", "2000", "--sort", "newest", "--substring"],
    ["--all", "-n", "50", "--file", "w"],
)
OTHERS: tuple[list[str], ...] = (
    [],
    ["sync"],
    ["status"],
    ["sources"],
    ["config"],
    ["exclude", "list"],
    ["check"],
    ["check", "--secrets"],
    ["redact"],
    ["sessions", "-n", "1000"],
    ["events", "--stats"],
    ["forget", "--before", "2001-01-01"],
    ["rebuild"],
    ["audit"],
)
WITHOUT = {"demo", "uninstall", "hook", "serve", "token", "mcp", "setup", "chat", "compact"}
"""Commands that do not look into the archive, or whose answers are those of the tools or of a model."""


def remembering(planted: Planted) -> Iterator[tuple[str, str]]:
    """Remember, change and recall: what is said of it."""
    for fact in planted.facts:
        said = dict(fact)
        entity, tag = (said[one] if len(said[one]) <= 100 else "none" for one in ("--entity", "--tag"))
        saved = run("remember", said["remember"], "--entity", entity, "--tag", tag, "--json")
        yield "remember", saved.out + saved.err
        known = saved.json["id"]
        for argv in (
            ["edit", known, said["edit"]],
            ["show", known],
            ["supersede", known, said["supersede"]],
            ["done", known],
            ["profile", "edit", "work", said["profile"]],
        ):
            for form in ([], ["--json"]):
                told = run(*argv, *form)
                yield argv[0], told.out + told.err
    for argv in (
        ["recall", MARK, "--history", "-n", "500", "--explain"],
        ["memories", "--history"],
        ["context", "--budget", "100000"],
        ["profile"],
        ["profile", "history", "work"],
        ["profile", "refresh"],
        ["search", MARK, "--in", "memory", "-n", "500"],
    ):
        for form in ([], ["--json"]):
            told = run(*argv, *form)
            yield " ".join(argv), told.out + told.err


REMEMBERING = {"remember", "recall", "memories", "edit", "done", "supersede", "context", "profile"}


def walk() -> Iterator[tuple[str, str]]:
    """Run every command about sessions in every format: its name and what it says."""

    def tell(*argv: str) -> tuple[str, str]:
        said = run(*argv)
        assert said.status in {0, 1}, said
        return " ".join(argv), said.out + said.err

    yield tell("sync", "--json")
    for argv in SEARCHES:
        yield tell("search", MARK, *argv)
        yield tell("search", MARK, *argv, "--json")
    for argv in OTHERS:
        yield tell(*argv)
        yield tell(*argv, "--json")
    yield tell("events")
    yield tell("events", "--copies", "--kind", "tool_call")
    rows = [json.loads(one) for one in run("events").out.splitlines()]
    for session in dict.fromkeys(one["session"] for one in rows):
        yield tell("resume", session)
        yield tell("resume", session, "--json")
        for page in range(1, run("show", session, "--json").json["pages"] + 1):
            yield tell("show", session, "--page", str(page), "--json")
        yield tell("show", session)
    for number, message in enumerate(dict.fromkeys(one["id"] for one in rows if one["id"])):
        first = run("show", message, "-C", "0", "--json")
        yield f"show {message} --json", first.out
        for page in range(2, first.json["pages"] + 1):
            yield tell("show", message, "-C", "0", "--page", str(page), "--json")
        if not number % 5:
            yield tell("show", message, "-C", "4")
        yield tell("show", message, "--raw")


def tools() -> Iterator[tuple[str, str]]:
    """Ask every tool that reads."""
    calls = Calls(Door(is_remote=False))
    for lanes in ({}, {"in": "all"}):
        told = calls.call("search_sessions", {"queries": [MARK], "limit": 50, **lanes})
        yield f"search_sessions {lanes}", told.text
        for number in re.findall(r"^\[(\w+)\]", told.text, re.MULTILINE):
            yield f"read_session {number}", calls.call("read_session", {"id": number, "around": 5}).text
    yield "search_memory", calls.call("search_memory", {"queries": [MARK], "limit": 50, "history": True}).text
    yield "get_recent_context", calls.call("get_recent_context", {"budget": 10_000}).text


def files() -> Iterator[tuple[str, str]]:
    """Give every file of the archive, its bytes as signs."""
    for base, _, names in os.walk(os.environ["HARK_HOME"]):
        for name in names:
            yield name, (Path(base) / name).read_bytes().decode("latin-1")


def leaks(planted: Planted, found: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Say which secrets are found: where each was planted, and where it was found."""
    grams = {
        piece[at : at + GRAM].lower(): where
        for piece, where in planted.pieces().items()
        for at in range(len(piece) - GRAM + 1)
    }
    every = re.compile(rf"[a-z0-9]{{{GRAM},}}")
    leaked: dict[str, str] = {}
    for place, text in found:
        for word in set(every.findall(text.lower())):
            for at in range(len(word) - GRAM + 1):
                if where := grams.get(word[at : at + GRAM]):
                    leaked.setdefault(where, f"{place}: {word}")
    return leaked


def known_terms(planted: Planted) -> int:
    """Count the secrets that the word index knows: its dictionary is packed, but a search tells."""
    few = list(planted.pieces())[::40]
    return sum(bool(run("search", piece, "--all", "--json").json["hits"]) for piece in few)


def test_no_secret_is_printed_or_stored(planted: Planted) -> None:
    assert len(KINDS) >= 20
    assert leaks(planted, remembering(planted)) == {}
    assert leaks(planted, walk()) == {}
    assert leaks(planted, tools()) == {}
    known = {argv[0] for argv in OTHERS if argv} | {"search", "show", "resume"} | REMEMBERING
    assert known == set(_COMMANDS) - WITHOUT
    assert run("check", "--secrets").status == 0
    assert {name for name, _ in files()} >= {"archive.sqlite", "memory.sqlite"}
    assert leaks(planted, files()) == {}
    assert known_terms(planted) == 0
    masked = run("status", "--json").json["masked"]
    assert len(masked) >= 20
    assert sum(masked.values()) > 1000


def test_the_same_walk_finds_them_all_where_nothing_is_masked(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Masker, "_found", lambda *_: [])
    wanted = {where for where in planted.where.values() if LOST not in where}
    told = leaks(planted, remembering(planted)).keys() | leaks(planted, walk()).keys()
    too_long = {name for name in KINDS if len(KINDS[name].make()) > 80}
    assert {one for one in wanted - told if one.partition(" in ")[0] not in too_long} == set()
    assert len(leaks(planted, tools())) > len(wanted) / 20  # the tools quote the best only, and shortly
    assert len(leaks(planted, files())) > len(wanted) / 2  # whole outputs and arguments are not stored
    assert known_terms(planted) > 0


def test_a_record_is_shown_as_it_stands_only_when_asked(planted: Planted) -> None:
    (hit,) = run("search", MARK, "--json", "-n", "1", "--role", "assistant", "--lane", "talk").json["hits"]
    assert leaks(planted, iter([("", run("show", hit["id"], "--raw").out)])) == {}
    assert leaks(planted, iter([("", run("show", hit["id"], "--raw", "--reveal").out)])) != {}


@pytest.mark.parametrize("kind", [Claude, Codex, Pi])
def test_what_is_masked_in_titles_branches_and_folders_is_counted_once(own_home: Path, kind: type[Pen]) -> None:
    key = "AKIAQ7ZPLANTED7XYZ12"
    for number in (1, 2):
        pen = kind(number, DAY)
        pen.user(f"pear {number}")
        pen.say("an answer")
        pen.title(own_home, f"rotate {key} now")
        pen.write(own_home)
    third = kind(3, DAY, f"/w/{key}")
    third.user(f"first {key}")
    third.say("an answer")
    third.write(own_home)
    asked, other = Claude(4, DAY), Claude(5, DAY)
    asked.user("pear asked")
    other.rows.append({"type": "summary", "summary": f"rotate {key}", "leafUuid": asked.rows[-1]["uuid"]})
    branch = Claude(6, DAY)
    branch.user("pear")
    branch.rows[-1]["gitBranch"] = f"fix/{key}"
    for one in (asked, other, branch):
        one.write(own_home)
    for argv in (("sync",), ("sync",), ("sync", "--full")):
        run(*argv)
        # Two titles, a folder and the prompt in it, a title that another transcript gives, a branch.
        assert sum(run("status", "--json").json["masked"].values()) == 6


def test_what_is_appended_later_is_masked_too(own_home: Path) -> None:
    planted = Planted()
    pen = Claude(1, DAY)
    pen.user(f"{MARK} {planted.text('github', 'first prompt')}")
    pen.title(own_home, planted.text("json", "title"))
    pen.write(own_home)
    run("sync")
    since = len(pen.rows)
    pen.user(f"{MARK} {planted.text('yaml', 'second prompt')}")
    pen.append(own_home, since)
    assert len(run("search", MARK, "--json").json["hits"]) == 2
    assert leaks(planted, files()) == {}
    assert leaks(planted, walk()) == {}
