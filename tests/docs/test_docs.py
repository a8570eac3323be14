"""Documentation and program say the same.

The tables of docs/cli.md and docs/options.md and the session in README.md are made here: `python
tests/docs/test_docs.py` writes them anew after a change of the parser, of the fields, of the lanes, of what can be set
or of what the demo finds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

import pytest

import harkback
from harkback.agents import timers, trying
from harkback.archive.hook_failures import note
from harkback.chat import rubric
from harkback.cli import chatting, main, opening, serving
from harkback.cli.parser import parser
from harkback.config import DEFAULTS, HOME, OPTIONS, place, read_settings
from harkback.demo import SEARCHES, write
from harkback.model import LANES, MAIN_LANES
from harkback.query import FIELDS
from harkback.server import running
from harkback.server.audit import AuditLog, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOT_OURS = {".git", ".venv", "dist", "__pycache__"}
README_LINES = 120


def read(name: str) -> str:
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def tree() -> Iterator[str]:
    """Name every file that belongs to the project."""
    for base, folders, names in os.walk(ROOT):
        folders[:] = [one for one in folders if one not in NOT_OURS and not one.endswith(("_cache", ".egg-info"))]
        if base == ROOT:
            folders[:] = [one for one in folders if one != ".hypothesis"]
        for name in names:
            yield os.path.relpath(os.path.join(base, name), ROOT).replace(os.sep, "/")


PAGES = sorted(name for name in tree() if name.endswith(".md"))


# -- docs/cli.md: made from the parser ------------------------------------------------------------------------


def commands() -> dict[str, argparse.ArgumentParser]:
    for action in parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise AssertionError


def options(command: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Give the visible options by how they are written, with what they take."""
    found = {}
    for action in command._actions:
        if action.help is argparse.SUPPRESS or "--help" in action.option_strings:
            continue
        takes = "" if action.nargs == 0 else "|".join(action.choices or ()) or action.metavar or action.dest
        found[" ".join(filter(None, [", ".join(action.option_strings), str(takes)]))] = action
    return found


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def options_table(name: str) -> str:
    rows = [(f"`{cell(written)}`", cell(action.help or "")) for written, action in options(commands()[name]).items()]
    return table(("option", "what it does"), rows)


def fields_table() -> str:
    rows = [
        (
            f"`{field.name}:`",
            ", ".join(f"`{alias}:`" for alias in field.aliases),
            f"`--{field.name}`",
            re.sub(r"\b(\w+:[\w.,:-]*\w)", r"`\1`", field.help),
        )
        for field in FIELDS
    ]
    return table(("field", "also written", "option", "what it does"), rows)


WHAT_LIES_IN = {
    "talk": "what the person and the agent said",
    "calls": "tool calls: the tool with its command, path, pattern or other telling arguments",
    "title": "titles of sessions",
    "memory": "facts saved on purpose",
    "summary": "summaries that the agent made when it compacted a session",
    "thinking": "the agent's thinking",
    "output": "what tools gave back: head, tail and the lines that look like errors",
    "context": "what was injected: reminders, skills, instructions",
}


def lanes_table() -> str:
    rows = [
        (f"`{name}`", "yes" if lane in MAIN_LANES else "only on request", WHAT_LIES_IN[name])
        for lane, name in enumerate(LANES)
    ]
    return table(("lane", "searched", "what lies in it"), rows)


def made(page: str) -> str:
    """Put the tables into the page."""
    tables = {f"options: {name}": options_table(name) for name in commands()}
    tables |= {"fields": fields_table(), "lanes": lanes_table()}
    for name, text in tables.items():
        head, start, rest = page.partition(f"<!-- {name} -->\n")
        _, end, rest = rest.partition("<!-- end -->")
        assert end, f"docs/cli.md needs a place for {name!r}"
        page = f"{head}{start}\n{text}\n\n{end}{rest}"
    return page


def settings_table() -> str:
    rows = []
    for one in OPTIONS:
        default = "the platform's data folder" if one.name == HOME else f"`{DEFAULTS.text(one.name)}`"
        flag = f"`{one.flag}`" if one.flag else ""
        rows.append((f"`{one.name}`", f"`{one.env}`", flag, one.takes, default, one.help))
    return table(("option", "variable", "flag", "takes", "default", "what it is"), rows)


def made_options(page: str) -> str:
    """Put the table of what can be set into docs/options.md."""
    head, start, rest = page.partition("<!-- options -->\n")
    _, end, rest = rest.partition("<!-- end -->")
    assert end, "docs/options.md needs a place for the table"
    return f"{head}{start}\n{settings_table()}\n\n{end}{rest}"


def test_the_page_of_options_is_what_their_table_says() -> None:
    page = read("docs/options.md")
    assert made_options(page) == page, "run: python tests/docs/test_docs.py"
    shorter = re.sub(r"^\| `search.limit` .*\n", "", page, flags=re.MULTILINE)
    assert made_options(shorter) != shorter


def test_the_flags_in_the_table_of_options_are_flags_of_their_commands() -> None:
    for one in OPTIONS:
        if one.flag:
            group = one.name.partition(".")[0]
            command = commands()["serve" if group == "server" else group]
            assert one.flag in {written for action in command._actions for written in action.option_strings}, one.name


def test_the_example_in_the_page_of_options_is_understood(tmp_path: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```", read("docs/options.md"), re.MULTILINE | re.DOTALL)
    (tmp_path / "config.toml").write_text(example, encoding="utf-8")
    found = read_settings({}, str(tmp_path))
    assert found.notes == ()
    assert {name for name, one in found.given.items() if one.origin == "config.toml"} == {
        "color",
        "sync.background",
        "search.limit",
        "search.sort",
    }


def test_the_tables_of_the_command_page_are_what_the_parser_says() -> None:
    page = read("docs/cli.md")
    assert made(page) == page, "run: python tests/docs/test_docs.py"


def test_every_command_has_its_section_and_no_other_has() -> None:
    assert re.findall(r"^## hark (\w+)$", read("docs/cli.md"), re.MULTILINE) == list(commands())


def test_a_missing_option_would_be_noticed() -> None:
    page = re.sub(r"^\| `--no-sync` .*\n", "", read("docs/cli.md"), flags=re.MULTILINE)
    assert made(page) != page


def shown_commands(page: str) -> list[list[str]]:
    """Find what a page tells people to type: `hark …` in code, without what a shell would do with it."""
    code = re.findall(r"^```(?:sh|console|markdown)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`(hark [^`\n]+)`", page)
    lines = [line.removeprefix("$ ") for block in code for line in block.splitlines()]
    typed = [*spans, *(line for line in lines if re.match(r"[\w/.]*hark ", line))]
    return [shlex.split(one, comments=True)[1:] for one in typed]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_in_the_documentation_is_one(page: str) -> None:
    known = commands()
    for words in shown_commands(read(page)):
        if words[0] in {"COMMAND", "--version"}:
            continue
        assert words[0] in known, words
        written = {one for action in known[words[0]]._actions for one in action.option_strings}
        for word in words[1:]:
            # In a search, `-redis` is part of the query; a bare `-` is standard input.
            if word.startswith("--") or (word.startswith("-") and word != "-" and words[0] != "search"):
                assert word.partition("=")[0] in written, words


# -- docs/json.md: compared with what the commands print ------------------------------------------------------

SEARCH, SHOW, SHOW_SESSION = "hark search", "hark show", "hark show SESSION"
FORK = "33333333-3333-4333-8333-333333333333"

Documented = dict[str, dict[str, str]]


def documented(page: str) -> Documented:
    """Give the keys of each section with their types."""
    found: Documented = {}
    for section in re.split(r"^##+ ", page, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\| `([\w]+)` \| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
        found[section.partition("\n")[0]] = dict(rows)
    return found


class Comparison:
    """Walks through objects beside their description; `seen` holds the keys that occurred."""

    def __init__(self, described: Documented) -> None:
        self.described = described
        self.anchors = {name.lower().replace(" ", "-"): name for name in described}
        self.seen: set[tuple[str, str]] = set()

    def object(self, value: Any, section: str) -> None:
        assert isinstance(value, dict), (section, value)
        keys = self.described[section]
        assert set(value) <= set(keys), f"{section}: not in docs/json.md: {set(value) - set(keys)}"
        needed = {key for key, kind in keys.items() if "optional" not in kind}
        assert needed <= set(value), f"{section}: said to be always there: {needed - set(value)}"
        for key, one in value.items():
            self.seen.add((section, key))
            self.value(one, keys[key].removesuffix(", optional"), f"{section}.{key}")

    def value(self, value: Any, kind: str, where: str) -> None:
        link = re.fullmatch(r"(list of )?\[[^]]+\]\(#([\w-]+)\)( or null| by name)?", kind)
        if link:
            section = self.anchors[link[2]]
            several = value.values() if link[3] == " by name" else value if link[1] else [value]
            for one in several:
                if one is not None or link[3] != " or null":
                    self.object(one, section)
            return
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = {
            "text": isinstance(value, str),
            "text or null": value is None or isinstance(value, str),
            "any": True,
            "number": number,
            "true or false": isinstance(value, bool),
            "list of text": isinstance(value, list) and all(isinstance(one, str) for one in value),
            "list of pairs": isinstance(value, list) and all(len(one) == 2 for one in value),
            "texts by name": isinstance(value, dict) and all(isinstance(one, str) for one in value.values()),
            "numbers by name": isinstance(value, dict) and all(isinstance(one, int) for one in value.values()),
        }
        assert fits[kind], (where, kind, value)

    def unseen(self) -> set[tuple[str, str]]:
        return {(section, key) for section, keys in self.described.items() for key in keys} - self.seen


@pytest.fixture
def sample(own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Lay down the demo's transcripts as the user's own, with one fork, one damaged line and one old file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    os.makedirs(place(os.environ).data, exist_ok=True)
    note(os.environ, "UserPromptSubmit", OSError())
    claude = own_home / ".claude"
    write(str(claude))
    first = next((claude / "projects" / "-home-dev-edge-gateway").glob("3f689686*.jsonl"))
    text = first.read_text(encoding="utf-8")
    first.with_name(f"{FORK}.jsonl").write_text(text.replace(first.stem, FORK), encoding="utf-8")
    with first.open("a", encoding="utf-8") as file:
        file.write('{"type": "user", "mess\n')
    old = time.time() - 29 * 86_400
    os.utime(next((claude / "projects" / "-home-dev-infra").glob("*.jsonl")), (old, old))
    return own_home


def answers(
    capsys: pytest.CaptureFixture[str], argv: list[str], section: str, statuses: tuple[int, ...] = (0,)
) -> tuple[str, Any]:
    assert main([*argv, "--json"]) in statuses
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1, f"{argv}: one object on one line"
    return section, json.loads(lines[0])


def of_memories(ask: Callable[..., Any]) -> None:
    """Ask what is described of memories."""
    first = ask(["remember", "The gateway's 5G card needs usbnet mode 2"], "hark remember")
    assert ask(["remember", "the gateway's 5G card needs usbnet mode 2."], "hark remember")["duplicates"]
    assert ask(["remember", "--date", "2026-03-18", "The gateway's 5G card needs usbnet mode 3"], "hark remember")[
        "contradictions"
    ]
    ask(["supersede", first["id"], "The gateway's 5G card needs usbnet mode 4"], "hark remember")
    assert ask(["recall", "usbnet mode of the gateway"], "hark recall")["hits"]
    assert ask(["search", "usbnet mode of the gateway"], SEARCH)["memories"]
    changed = ask(["edit", first["id"], "The gateway's 5G card needed usbnet mode 1"], "hark edit")["memories"]
    newest = ask(["memories", "-n", "1"], "hark memories")["memories"][0]
    assert (changed[0]["status"], newest["supersedes"]) == ("superseded", first["id"])
    shown = [ask(["show", one], "hark show MEMORY") for one in (first["id"], newest["id"])]
    assert shown[0]["past"]
    assert shown[1]["replaced"]
    ask(["done", newest["id"]], "hark edit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARK_SERVER", "https://hark.example.org")
        assert ask(["status"], "hark status")["server"]["problem"]  # there is no token
    binned = opening.memories().put_in_bin(first["id"])
    assert ask(["memories", "bin"], "hark memories bin")["memories"]
    ask(["memories", "restore", binned.id], "hark edit")
    ask(["profile", "edit", "work", "Kim builds gateways"], "hark profile")
    assert ask(["context", "--everywhere"], "hark context")["sessions"]


def ask_of_files(ask: Callable[..., Any], folder: str) -> None:
    """Ask for what the commands about files of memories print."""
    os.mkdir(folder)
    with open(os.path.join(folder, "facts.md"), "w", encoding="utf-8") as listed:
        listed.write("- the modem is on the roof\n- no\n")
    added = ask(["memories", "folder", "add", folder], "hark memories folder add")
    assert (added["added"], len(added["notes"])) == (1, 1)
    assert ask(["recall", "modem on the roof"], "hark recall")["hits"][0]["source"]["file"]
    assert ask(["memories", "folder", "list"], "hark memories folder list")["folders"]
    ask(["memories", "folder", "remove", folder], "hark memories folder remove")
    file = os.path.join(folder, "out.jsonl")
    assert ask(["memories", "export", file], "hark memories export")["memories"]
    with open(file, "a", encoding="utf-8") as written:
        written.write("no JSON\n")
    assert ask(["memories", "import", file], "hark memories import")["bad"]


def of_the_server(ask: Callable[..., Any], patch: pytest.MonkeyPatch, home: Path) -> None:
    """Ask for what the commands of the server print; nothing is served."""
    ask(["token", "new", "kim-phone"], "hark token new")
    ask(["token", "rotate", "kim-phone"], "hark token new")
    assert ask(["token", "list"], "hark token list")["tokens"]
    ask(["token", "revoke", "kim-phone"], "hark token revoke")
    patch.setattr(serving, "_app", lambda _: None)
    patch.setattr(running, "serve", lambda _app, _settings, _now, tell: tell("http://127.0.0.1:8765"))
    ask(["serve"], "hark serve")
    assert ask(["serve", "--check", "http://127.0.0.1:1/mcp/x"], "hark serve --check", (2,))["checks"]
    AuditLog(place(os.environ).data, lambda: 0).write(Entry("kim-phone", "a client", "1", "save_memory", ("k1234567",)))
    assert ask(["audit", "log"], "hark audit log")["calls"]
    of_the_audit(ask, home)


class _Silent:
    """A model that notes nothing."""

    name = "ollama:silent"

    def stream(self, _system: str, _lines: object) -> Iterator[str]:
        yield '{"memories": [], "summary": ""}'


def of_the_audit(ask: Callable[..., Any], home: Path) -> None:
    """Let an agent ask three times for what is not there, through a pipe, and ask what became of it."""
    rows: list[dict[str, Any]] = [{"type": "user", "message": {"role": "user", "content": "do you remember?"}}]
    for number in range(3):
        inner = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": "hark search qxz | cut -b9"},
        }
        rows.append({"type": "assistant", "message": {"role": "assistant", "content": [inner]}})
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "0 hits, tier none, 3 ms; read"}
        rows.append({"type": "user", "message": {"role": "user", "content": [answer]}})
    facts = {"sessionId": "an-audit", "cwd": "/w/audited", "timestamp": "2026-11-01T10:00:00.000Z"}
    path = home / ".claude" / "projects" / "-w-audited" / "an-audit.jsonl"
    path.parent.mkdir()
    lines = [json.dumps({**row, **facts, "uuid": f"audited-{at}"}) for at, row in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = ask(["audit"], "hark audit")
    assert (found["months"]["2026-11"]["calls"], found["results"]["hit_rate"]) == (3, 0.0)
    assert found["nothing"]
    assert found["suggestions"]
    assert "hit_rate" not in ask(["audit", "--command", "nosuch"], "hark audit", (1,))["results"]


def of_setting_up(ask: Callable[..., Any], patch: pytest.MonkeyPatch, folder: str) -> None:
    """Ask for what `hark setup` prints; nothing runs but a stand-in for the hook."""
    patch.setattr(trying, "try_hook", lambda *_: trying.Tried(is_fine=True, says="well"))
    patch.setattr(timers, "installed", lambda *_: None)
    ask(["setup", "claude-code", "--yes"], "hark setup")
    skill = os.path.join(os.environ["HOME"], ".claude", "skills", "hark", "SKILL.md")
    with open(skill, "a", encoding="utf-8") as file:
        file.write("mine\n")
    assert ask(["setup", "--status"], "hark setup --status")["hook"]
    assert ask(["setup", "--undo", "--yes"], "hark setup")["agents"][0]["left"] == [skill]
    ask(["setup", "plugin", folder], "hark setup plugin")
    ask(["setup", "schedule", "--undo"], "hark setup schedule")


def test_the_json_page_names_the_keys_that_the_commands_print(  # noqa: PLR0915 - one question after the other
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, sample: Path
) -> None:
    def ask(argv: list[str], section: str, statuses: tuple[int, ...] = (0,)) -> Any:
        name, value = answers(capsys, argv, section, statuses)
        compared.object(value, name)
        return value

    compared = Comparison(documented(read("docs/json.md")))
    ask(["sync"], "hark sync")
    hits = ask(["search", "usbnet"], SEARCH)["hits"]
    assert any(hit["copies"] for hit in hits)
    ask(["search", "-C", "2", "--all", "wwan"], SEARCH)
    ask(["search", "role:assistant 文字化け", "since:foo"], SEARCH)
    ask(["search", "qxzzyv"], SEARCH, (1,))
    ask(["search", "--by", "session", "--budget", "500", "nginx"], SEARCH)
    ask(["search", "-n", "100", "CSV"], SEARCH)
    with monkeypatch.context() as patch:
        patch.setenv("CLAUDE_CODE_SESSION_ID", FORK)
        assert ask(["search", "nginx"], SEARCH)["left_out"]
    fixed = ask(["search", "in:talk", "The 5G card works"], SEARCH)["hits"][0]
    for hit in (hits[0], fixed):  # before the second one a file was edited
        ask(["show", hit["id"]], SHOW)
    for one in ask(["sessions"], "hark sessions")["sessions"]:
        ask(["show", one["id"]], SHOW_SESSION)
    of_memories(ask)
    ask_of_files(ask, os.path.join(os.environ["HOME"], "kept"))
    of_the_server(ask, monkeypatch, sample)
    of_setting_up(ask, monkeypatch, os.path.join(os.environ["HOME"], "plugin"))
    monkeypatch.setattr(chatting, "_loaded", lambda *_: _Silent())
    assert ask(["chat", "--eval"], "hark chat --eval", (1,))["verdicts"]
    ask(["resume", hits[0]["id"]], "hark resume")
    assert main(["events"]) == 0
    for line in capsys.readouterr().out.splitlines():
        compared.object(json.loads(line), "hark events")
    ask(["events", "--stats"], "hark events --stats")
    ask(["sources"], "hark sources")
    state = ask(["status"], "hark status")
    with monkeypatch.context() as patch:
        for name, value in (("EMBEDDER", "endpoint"), ("ENDPOINT", "http://127.0.0.1:1/v1"), ("MODEL", "a-model")):
            patch.setenv(f"HARK_MEANING_{name}", value)
        assert ask(["status"], "hark status")["vectors"]
    assert state["problems"]
    assert state["leaving"]
    ask(["rebuild"], "hark rebuild")
    ask(["forget", "--session", FORK, "--yes"], "hark forget")
    ask(["exclude", "add", "nosuch-*"], "hark exclude")
    ask(["exclude", "list"], "hark exclude list")
    ask(["redact"], "hark redact")
    ask(["check"], "hark check")
    con = sqlite3.connect(os.path.join(place(os.environ).data, "archive.sqlite"))
    con.execute("DELETE FROM part WHERE seq = (SELECT max(seq) FROM part)")
    con.commit()
    con.close()
    assert ask(["check"], "hark check", (2,))["faults"]
    assert len(ask(["config", "search.limit", "20"], "hark config")["options"]) == 1
    monkeypatch.setenv("HARK_COLOR", "loud")
    assert ask(["config"], "hark config")["notes"]
    ask(["demo"], "hark demo")
    ask(["uninstall"], "hark uninstall")
    assert ask(["uninstall", "--delete-archive", "--yes", "--yes"], "hark uninstall")["deleted"]
    assert compared.unseen() == set(), "described, but never printed"


def test_an_undocumented_key_and_a_wrong_type_are_noticed() -> None:
    page = "## a\n\n| `b` | number | one |\n| `c` | text, optional | two |\n"
    Comparison(documented(page)).object({"b": 1}, "a")
    for wrong in ({"b": 1, "d": 2}, {"b": "1"}, {"c": "x"}):
        with pytest.raises(AssertionError):
            Comparison(documented(page)).object(wrong, "a")


def test_the_examples_of_the_json_page_are_what_it_describes() -> None:
    page = read("docs/json.md")
    examples = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert examples
    for example in examples:
        Comparison(documented(page)).object(json.loads(example), SEARCH)


def test_the_example_of_a_rubric_is_a_case_and_the_page_says_how_many_ours_has(tmp_path: Path) -> None:
    page = read("docs/chat.md")
    (example,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.jsonl").write_text(example, encoding="utf-8")
    assert [one.id for one in rubric.load(str(tmp_path / "mine.jsonl"))] == ["hugo"]
    assert f"of {len(rubric.load())} short conversations" in page
    assert f"with {len(rubric.load())} conversations" in read("CHANGELOG.md")


# -- README.md ------------------------------------------------------------------------------------------------

INSTALL = "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/hark demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' -c constraints.txt && .venv/bin/pytest"


def test_the_readme_is_short_and_has_its_two_commands() -> None:
    lines = read("README.md").splitlines()
    assert len(lines) <= README_LINES
    assert lines.count(INSTALL) == 1
    assert lines.count(TEST) == 1


@pytest.mark.skipif(shutil.which("bash") is None, reason="the checks are run with bash")
def test_the_checks_run_the_readmes_own_test_command() -> None:
    (line,) = re.findall(r"^tests=\$\((.*)\)$", read(".ci/run"), re.MULTILINE)
    found = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == TEST
    assert os.access(os.path.join(ROOT, ".ci", "run"), os.X_OK)


def test_the_session_in_the_readme_is_what_the_demo_prints(
    capsys: pytest.CaptureFixture[str], own_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Compare the hits, not their order or the milliseconds: the age of a sample written at fixed dates matters."""
    (block,) = re.findall(r"^```console\n\$ hark demo\n(.*?)^```", read("README.md"), re.MULTILINE | re.DOTALL)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["demo"]) == 0
    shown = capsys.readouterr()
    write(str(own_home / ".claude"))
    for query, _ in SEARCHES:
        assert main(["search", "--budget", "0", query]) == 0
    printed = set((shown.out + capsys.readouterr().out).splitlines())
    status = re.compile(r"\d+ hits?, tier \w+, \d+ ms; ")
    assert [line for line in block.splitlines() if line not in printed and not status.match(line)] == []
    asked = [shlex.split(line)[-1] for line in block.splitlines() if line.startswith("$ ")]
    assert asked == [query for query, _ in SEARCHES]


# -- everywhere -----------------------------------------------------------------------------------------------


def anchors(page: str) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_relative_links_lead_somewhere(page: str) -> None:
    folder = os.path.dirname(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = os.path.normpath(os.path.join(folder, path)) if path else page
        assert os.path.exists(os.path.join(ROOT, linked)), target
        assert not anchor or anchor in anchors(read(linked)), target


def test_no_file_names_a_place_on_the_machine_it_was_written_on() -> None:
    # Written in pieces, so that this file passes.
    places = ("/work/" + "main", "/work/" + "shared", "/work/" + ".library", "/tmp/v" + "/bin")
    found = []
    for name in tree():
        with open(os.path.join(ROOT, name), "rb") as file:
            data = file.read()
        found += [(name, place) for place in places if place.encode() in data]
    assert found == []


def test_the_version_is_in_the_changelog() -> None:
    assert re.search(rf"^## \[?{re.escape(harkback.__version__)}\b", read("CHANGELOG.md"), re.MULTILINE)


# -- python tests/docs/test_docs.py ----------------------------------------------------------------------------


def rewrite(name: str, text: str) -> None:
    with open(os.path.join(ROOT, name), "w", encoding="utf-8", newline="\n") as out:
        out.write(text)


def demo_session() -> str:
    """Run the demo as a person would and give what it shows of its searches."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "harkback", "demo"],
            env={**os.environ, "TMPDIR": folder, "TZ": "UTC"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=True,
        )
    start, end = done.stdout.index(SEARCHES[0][1]), done.stdout.index("Go on in the sample")
    return done.stdout[start:end].rstrip() + "\n"


if __name__ == "__main__":
    rewrite("docs/cli.md", made(read("docs/cli.md")))
    rewrite("docs/options.md", made_options(read("docs/options.md")))
    before, mark, after = read("README.md").partition("```console\n$ hark demo\n")
    rewrite("README.md", before + mark + demo_session() + after[after.index("```") :])
