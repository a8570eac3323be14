"""`hark setup` as a person types it: asked for, shown, whole or not at all, and undone byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harkback import __version__
from harkback.agents.json_text import parse
from harkback.agents.table import AGENTS
from harkback.cli import main

if TYPE_CHECKING:
    from tests.e2e.pens import hark
    from tests.e2e.setup_homes import CHATS, CODEX, FAILS, SILENT, SPEAKS, lying_in, put_program
else:
    from pens import hark
    from setup_homes import CHATS, CODEX, FAILS, SILENT, SPEAKS, lying_in, put_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line for Unix")

NAMES = [one.name for one in AGENTS]
SETTINGS = '{\n\t// mine\n\t"model": "x",\n\t"hooks": {"Stop": [], },\n}'
"""Tabs, comments, trailing commas, no final newline."""


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home with a login that finds `hark`, and settings of Claude Code that a person wrote."""
    put_program(own_home)
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (own_home / ".claude").mkdir()
    (own_home / ".claude" / "settings.json").write_bytes(SETTINGS.encode())
    (own_home / ".claude" / "CLAUDE.md").write_bytes("# 我的規則\r\n".encode())
    return own_home


def archive() -> Path:
    return Path(os.environ["HARK_HOME"])


def settings(home: Path) -> Path:
    return home / ".claude" / "settings.json"


# -- asking --------------------------------------------------------------------------------------------------------


def test_without_a_yes_nothing_is_written(home: Path) -> None:
    before = lying_in(home)
    found = hark("setup")
    assert found.status == 2
    assert '"UserPromptSubmit": [' in found.out
    assert "no terminal to ask at" in found.err
    assert lying_in(home) == before
    assert not archive().exists()
    told = hark("setup", "--json")
    assert told.status == 2
    assert (told.json["written"], told.json["hook"]) == (False, None)
    assert lying_in(home) == before
    assert hark("setup", "--yes").status == 0
    assert lying_in(home) != before


@pytest.mark.parametrize(("typed", "is_written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_at_a_terminal_it_is_asked_once(home: Path, typed: str, is_written: bool) -> None:
    before = lying_in(home)
    ours, theirs = os.openpty()
    try:
        os.write(ours, typed.encode())
        argv = [sys.executable, "-m", "harkback", "setup", "all"]
        done = subprocess.run(argv, stdin=theirs, capture_output=True, encoding="utf-8", timeout=60, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == (0 if is_written else 2), done.stderr
    assert done.stderr.count("Write this? [y/N]") == 1
    assert (lying_in(home) != before) is is_written


def test_a_dry_run_shows_everything_and_writes_nothing(home: Path) -> None:
    before = lying_in(home)
    found = hark("setup", "all", "--dry-run")
    assert (found.status, found.err) == (0, "")
    assert f"--- {settings(home)}\n+++ {settings(home)}\n" in found.out
    assert "+<!-- hark: begin -->" in found.out
    assert "Nothing was written." in found.out
    assert lying_in(home) == before
    assert not archive().exists()
    hark("setup", "all", "--yes")
    after = lying_in(home)
    assert "goes: there was none before" in hark("setup", "--undo", "--dry-run").out
    assert lying_in(home) == after


def test_secrets_beside_a_change_are_masked_on_the_screen(home: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    settings(home).write_text(f'{{\n  "env": {{"GITHUB_TOKEN": "{secret}"}}\n}}\n')
    found = hark("setup", "claude-code", "--yes")
    assert "GITHUB_TOKEN" in found.out
    assert secret not in found.out
    assert secret in settings(home).read_text()


# -- there and back ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [[one] for one in NAMES] + [["all"]], ids=lambda one: one[0])
def test_set_up_twice_is_once_and_undone_is_as_before(home: Path, names: list[str]) -> None:
    before = lying_in(home)
    first = hark("setup", *names, "--yes")
    assert (first.status, first.err) == (0, "")
    assert f"The hook works: `env HARK_HOME={archive()} hark hook` answers in " in first.out
    after = lying_in(home)
    assert len(after) > len(before)
    again = hark("setup", *names, "--yes")
    assert again.status == 0
    assert "nothing to change" in again.out
    assert "---" not in again.out
    assert lying_in(home) == after
    undone = hark("setup", *names, "--undo", "--yes")
    assert (undone.status, undone.err) == (0, "")
    assert lying_in(home) == before
    assert {path.name for path in archive().iterdir()} == {"setup.lock"}
    assert "there was nothing to take out" in hark("setup", "--undo", "--yes").out


def test_without_names_it_is_for_the_agents_that_are_here(home: Path) -> None:
    put_program(home, SILENT, "pi")
    found = hark("setup", "--dry-run", "--json").json
    assert [one["agent"] for one in found["agents"]] == ["claude-code", "pi"]


def test_where_no_agent_is_it_says_so(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    found = hark("setup", "--yes")
    assert found.status == 1
    assert "hark setup claude-code" in found.err
    assert hark("setup", "--undo", "--yes").status == 0
    assert not archive().exists()
    assert hark("setup", "nosuch").status == 2
    assert lying_in(own_home) == {}


def test_what_others_changed_meanwhile_stays(home: Path) -> None:
    hark("setup", "claude-code", "--yes")
    text = settings(home).read_text()
    settings(home).write_text(text.replace('"model": "x"', '"model": "y"').replace('"Stop": []', '"Stop": [1]'))
    rule = home / ".claude" / "CLAUDE.md"
    rule.write_bytes(rule.read_bytes() + "又一條\r\n".encode())
    skill = home / ".claude" / "skills" / "hark" / "SKILL.md"
    skill.write_text(skill.read_text() + "mine\n")
    found = hark("setup", "claude-code", "--undo", "--yes")
    assert f"left       {skill}" in found.out
    assert settings(home).read_text() == SETTINGS.replace('"x"', '"y"').replace("[]", "[1]")
    assert rule.read_text(encoding="utf-8").split() == ["#", "我的規則", "又一條"]
    assert skill.read_text().endswith("mine\n")
    assert not (home / ".claude.json").exists()


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen"])
def test_the_start_of_a_session_is_taken_out_of_what_others_changed(home: Path, agent: str) -> None:
    hark("setup", agent, "--yes", "--context")
    name = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}.get(agent, f".{agent}/settings.json")
    path = home / name
    assert "SessionStart" in path.read_text()
    path.write_text(path.read_text().replace("{", '{"theirs": 1,', 1))
    hark("setup", "--undo", "--yes")
    assert "theirs" in path.read_text()
    assert "hark" not in path.read_text()
    assert "SessionStart" not in path.read_text()


def older(home: Path, name: str, now: str, before: str) -> None:
    """Let a file of Claude Code be as an older version of us wrote it, with the record of that."""
    path = home / ".claude" / name
    whole = path.read_bytes()
    assert now.encode() in whole
    path.write_bytes(whole.replace(now.encode(), before.encode()))
    record = archive() / "setup" / "claude-code.json"
    told = json.loads(record.read_text())
    for one in told["files"]:
        if one["path"] == str(path):
            one["written"] = one["piece"] = hashlib.sha256(path.read_bytes()).hexdigest()
    record.write_text(json.dumps(told))


def test_after_an_upgrade_only_what_is_ours_changes_and_undoing_still_leads_back(home: Path) -> None:
    before = lying_in(home)
    hark("setup", "claude-code", "--yes")
    after = lying_in(home)
    older(home, "skills/hark/SKILL.md", "Search before", "Seek before")
    older(home, "CLAUDE.md", "never answer", "do not answer")
    told = hark("setup", "--status", "--json").json["agents"][0]
    paths = [home / ".claude" / "CLAUDE.md", home / ".claude" / "skills" / "hark" / "SKILL.md"]
    assert (told["installed"], told["stale"], told["problems"]) == ("stale", [str(one) for one in paths], [])
    hark("setup", "--yes")
    assert lying_in(home) == after
    hark("setup", "--undo", "--yes")
    assert lying_in(home) == before


@pytest.mark.parametrize(
    ("name", "now", "edited", "renewed"),
    [
        ("skills/hark/SKILL.md", "Search before", "Look before", "move the file away, then `hark setup claude-code`"),
        (
            "CLAUDE.md",
            "never answer",
            "do not answer",
            "`hark setup claude-code --undo`, then `hark setup claude-code`",
        ),
    ],
)
def test_what_a_person_changed_in_our_texts_stays(home: Path, name: str, now: str, edited: str, renewed: str) -> None:
    hark("setup", "claude-code", "--yes")
    path = home / ".claude" / name
    whole = path.read_bytes()
    path.write_bytes(whole.replace(now.encode(), edited.encode()))
    changed = path.read_bytes()
    assert changed != whole
    (home / ".claude.json").unlink()
    found = hark("setup", "claude-code", "--yes")
    assert (home / ".claude.json").exists(), "the rest is set up"
    assert f"{path} stays: somebody has changed the " in found.out
    assert f"To renew it: {renewed}" in found.out
    assert path.read_bytes() == changed
    told = hark("setup", "claude-code", "--yes", "--json").json["agents"][0]
    assert (told["files"], len(told["notes"])) == ([], 1)
    (state,) = hark("setup", "claude-code", "--status", "--json").json["agents"]
    assert (state["installed"], state["stale"], state["problems"]) == ("yes", [], told["notes"])
    if "--undo" in renewed:
        hark("setup", "claude-code", "--undo", "--yes")
    else:
        path.unlink()
    hark("setup", "claude-code", "--yes")
    assert path.read_bytes() == whole


@pytest.mark.parametrize("line", ["HARK_HOME=/data/hk hark hook", "/opt/othertool/hark hook"])
def test_a_hook_that_setup_did_not_write_stays_and_is_named(home: Path, line: str) -> None:
    text = json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": line}]}]}})
    settings(home).write_text(text)
    found = hark("setup", "claude-code", "--yes")
    said = f"{settings(home)} stays with `{line}`, which `hark setup` did not write: the hook speaks twice"
    assert said in found.out
    groups = json.loads(settings(home).read_text())["hooks"]["UserPromptSubmit"]
    assert groups[0]["hooks"][0]["command"] == line
    assert len(groups) == 2
    assert said in hark("setup", "claude-code", "--status").out
    settings(home).write_text(settings(home).read_text() + "\n")
    hark("setup", "claude-code", "--undo", "--yes")
    assert settings(home).read_text().strip() == text
    settings(home).write_text(text.replace(line, "hark hook"))
    assert "speaks twice" not in hark("setup", "claude-code", "--yes").out


def test_a_hook_that_setup_wrote_before_is_brought_up_to_date(home: Path) -> None:
    hark("setup", "claude-code", "--yes")
    after = lying_in(home)
    text = settings(home).read_text().replace(f'"env HARK_HOME={archive()} hark hook"', '"/old/hark hook"')
    assert "/old/" in text
    settings(home).write_text(text)
    record = archive() / "setup" / "claude-code.json"
    told = json.loads(record.read_text())
    record.write_text(json.dumps(told | {"hooks": ["/old/hark hook"]}))
    (state,) = hark("setup", "claude-code", "--status", "--json").json["agents"]
    assert (state["stale"], state["problems"]) == ([str(settings(home))], [])
    assert "speaks twice" not in hark("setup", "claude-code", "--yes").out
    assert lying_in(home) == after


def test_a_file_of_another_tool_under_our_name_is_refused_and_stays(home: Path) -> None:
    path = home / ".copilot" / "hooks" / "hark.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"version": 1, "hooks": {"sessionEnd": [{"type": "command", "bash": "other hook"}]}}')
    before = lying_in(home)
    found = hark("setup", "copilot", "--yes")
    assert (found.status, f"{path} cannot take an entry of ours: it is a file of somebody else" in found.err) == (
        2,
        True,
    )
    (state,) = hark("setup", "copilot", "--status", "--json").json["agents"]
    assert (state["installed"], len(state["problems"])) == ("no", 1)
    hark("setup", "--undo", "--yes")
    assert lying_in(home) == before
    path.unlink()
    assert hark("setup", "copilot", "--yes").status == 0
    assert "hark hook" in path.read_text()


def test_without_its_records_what_is_recognised_is_taken_out(home: Path) -> None:
    before = settings(home).read_bytes()
    hark("setup", "claude-code", "codex", "--yes")
    for path in (archive() / "setup").rglob("*"):
        if path.is_file():
            path.unlink()
    assert hark("setup", "--undo", "--yes").status == 0
    assert settings(home).read_bytes() == before
    assert not (home / ".codex" / "hooks.json").exists()
    assert not (home / ".claude" / "skills" / "hark" / "SKILL.md").exists()


@pytest.mark.parametrize(
    "text", ['{"hooks": {}}', '{"hooks": {}, "mcpServers": {}}\n', "{}", '{\n  "a": 1 // mine\n}\n']
)
def test_without_its_record_nothing_goes_that_may_be_somebody_elses(
    home: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.delenv("HARK_HOME")
    servers = home / ".claude.json"
    settings(home).write_text(text)
    servers.write_text(text)
    page = home / ".codex" / "AGENTS.md"
    page.parent.mkdir()
    page.write_text("\n")
    hark("setup", "claude-code", "codex", "--yes")
    assert "hark hook" in settings(home).read_text()
    skill = home / ".claude" / "skills" / "hark" / "SKILL.md"
    skill.write_text(skill.read_text() + "mine\n")
    monkeypatch.setenv("HARK_HOME", str(home.parent / "another"))
    found = hark("setup", "--undo", "--yes")
    assert (found.status, found.err) == (0, "")
    assert f"there is no record in {home.parent / 'another'}, so that only what is recognised" in found.out
    assert found.out.count("there is no record in") == 2, "once for each agent"
    assert "its backup is in that one" in found.out
    assert f"{skill} stays: it is not what `hark setup` writes today" in found.out
    for path, name in ((settings(home), "hooks"), (servers, "mcpServers")):
        assert "hark" not in path.read_text()
        assert parse(path.read_text()).value == {name: {}} | parse(text).value
    assert page.read_text().strip() == ""
    assert not (home / ".codex" / "hooks.json").exists(), "byte for byte what we write from nothing"
    assert not (home / ".codex" / "config.toml").exists()
    assert skill.read_text().endswith("mine\n")


def test_backups_are_for_the_owner_alone(home: Path) -> None:
    settings(home).chmod(0o640)
    hark("setup", "claude-code", "--yes")
    kept = [path for path in (archive() / "setup").rglob("*") if path.is_file()]
    assert SETTINGS.encode() in [path.read_bytes() for path in kept]
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert settings(home).stat().st_mode & 0o777 == 0o640


def test_links_are_written_through(home: Path) -> None:
    kept = home / "dotfiles"
    kept.mkdir()
    settings(home).rename(kept / "claude.json")
    settings(home).symlink_to("../dotfiles/claude.json")
    (home / ".codex").symlink_to(kept / "codex")
    (kept / "codex").mkdir()
    before = lying_in(home)
    hark("setup", "claude-code", "codex", "--yes")
    assert settings(home).is_symlink()
    assert (home / ".codex").is_symlink()
    assert "hark hook" in (kept / "claude.json").read_text()
    assert (kept / "codex" / "hooks.json").exists()
    hark("setup", "--undo", "--yes")
    assert lying_in(home) == before


def test_a_byte_order_mark_stays(home: Path) -> None:
    settings(home).write_bytes(b"\xef\xbb\xbf{}\r\n")
    before = lying_in(home)
    hark("setup", "claude-code", "--yes")
    assert settings(home).read_bytes().startswith(b"\xef\xbb\xbf{\r\n  ")
    hark("setup", "--undo", "--yes")
    assert lying_in(home) == before


# -- refusing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (".claude/settings.json", b"{", "it is not the JSON that the agent reads (line 1: a name"),
        (".claude/settings.json", b'{"hooks": 1}', "hooks is no object"),
        (".claude/settings.json", b'{"a": "\xff"}', "it is not UTF-8 (byte 7)"),
        (".claude.json", b'{"mcpServers": {"harkback": {}}}', "mcpServers.harkback is something else"),
        (".claude/CLAUDE.md", b"<!-- hark: begin -->\n", "do not stand around one block"),
        (".claude/skills/hark/SKILL.md", b"mine\n", "it is a file of somebody else"),
        (".codex/config.toml", b"x\n", "it is no TOML"),
    ],
)
def test_a_file_that_is_not_as_we_know_it_stops_everything_first(home: Path, name: str, data: bytes, said: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    before = lying_in(home)
    found = hark("setup", "pi", "claude-code", "codex", "--yes")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"hark: {path} cannot take an entry of ours: ")
    assert said in found.err
    assert "Nothing was changed. Mend that" in found.err
    assert lying_in(home) == before
    path.unlink()
    assert hark("setup", "pi", "claude-code", "codex", "--yes").status == 0


def test_a_read_only_file_stops_everything_first(home: Path) -> None:
    settings(home).chmod(0o444)
    before = lying_in(home)
    found = hark("setup", "pi", "claude-code", "--yes")
    assert found.status == 2
    assert f"{settings(home)} may not be written: it is read-only" in found.err
    assert "hark setup claude-code --dry-run" in found.err
    assert lying_in(home) == before
    settings(home).chmod(0o644)
    assert hark("setup", "pi", "claude-code", "--yes").status == 0


def test_a_folder_where_a_file_should_be_is_named(home: Path) -> None:
    settings(home).unlink()
    settings(home).mkdir()
    found = hark("setup", "claude-code", "--yes")
    assert (found.status, str(settings(home)) in found.err) == (2, True)


def test_a_server_that_cannot_be_is_refused_before_anything_is_written(home: Path) -> None:
    before = lying_in(home)
    assert hark("setup", "--yes", "--server", "ftp://x").status == 2
    assert lying_in(home) == before
    assert hark("setup", "--yes", "--server", "https://hark.example.org").status == 0
    assert hark("setup", "--undo", "--yes").status == 0
    assert (
        "There is no token for https://hark.example.org"
        in hark("setup", "--yes", "--server", "https://hark.example.org").err
    )
    assert hark("config", "server.url").out == "https://hark.example.org\n"


# -- what is written -----------------------------------------------------------------------------------------------


def entry(home: Path) -> Any:
    return json.loads((home / ".claude.json").read_text())["mcpServers"]["harkback"]


def test_the_server_is_told_where_the_archive_was_moved_to(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hark("setup", "claude-code", "--yes")
    assert entry(home)["env"] == {"HARK_HOME": str(archive())}
    hark("setup", "--undo", "--yes")
    monkeypatch.delenv("HARK_HOME")
    hark("setup", "claude-code", "--yes")
    assert entry(home) == {"type": "stdio", "command": "hark", "args": ["mcp"], "alwaysLoad": True}


def test_the_start_of_a_session_is_heeded_on_request_and_stays_so(home: Path) -> None:
    hark("setup", "claude-code", "pi", "--yes")
    assert "SessionStart" not in settings(home).read_text()
    hark("setup", "claude-code", "pi", "--yes", "--context")
    assert "SessionStart" in settings(home).read_text()
    assert "CONTEXT = true" in (home / ".pi" / "agent" / "extensions" / "hark.ts").read_text()
    assert "context = true" in (archive() / "config.toml").read_text()
    assert "nothing to change" in hark("setup", "claude-code", "--yes").out
    assert hark("setup", "--status", "--json").json["agents"][0]["installed"] == "yes"


def test_without_mcp_there_is_no_server(home: Path) -> None:
    hark("setup", "claude-code", "--yes", "--no-mcp")
    assert not (home / ".claude.json").exists()
    assert hark("setup", "--status", "--json").json["agents"][0]["installed"] == "yes"


@pytest.mark.parametrize(
    ("agent", "path", "option", "left_out", "said"),
    [
        ("gemini", ".gemini/settings.json", [], ["--no-mcp"], "The MCP server stays as it was set up before"),
        ("claude-code", ".claude.json", [], ["--no-mcp"], "The MCP server stays as it was set up before"),
        ("qwen", ".qwen/settings.json", ["--context"], [], "Sessions go on to begin with context, as chosen before"),
    ],
)
def test_what_is_left_out_later_stays_and_is_named(
    home: Path, agent: str, path: str, option: list[str], left_out: list[str], said: str
) -> None:
    found = hark("setup", agent, "--yes", *option)
    assert (found.status, said in found.out) == (0, False)
    text = (home / path).read_text()
    again = hark("setup", agent, "--yes", *left_out)
    assert again.status == 0
    assert "nothing to change" in again.out
    assert f"  {said}; `hark setup {agent} --undo`, then" in again.out
    assert (home / path).read_text() == text
    assert said not in hark("setup", agent, "--yes", *option).out
    hark("setup", agent, "--undo", "--yes")
    assert said not in hark("setup", agent, "--yes", *left_out).out
    assert not (home / path).exists() or (home / path).read_text() != text
    if "--no-mcp" in left_out:
        assert said not in hark("setup", agent, "--yes", *left_out).out


def test_folders_that_were_moved_are_heeded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lying_in(home)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(home.parent / name))
    hark("setup", "claude-code", "codex", "pi", "opencode", "--yes")
    assert lying_in(home) == before
    assert (home.parent / "CLAUDE_CONFIG_DIR" / ".claude.json").exists()
    assert (home.parent / "CODEX_HOME" / "hooks.json").exists()
    assert (home.parent / "PI_CODING_AGENT_DIR" / "extensions" / "hark.ts").exists()
    assert (home.parent / "XDG_CONFIG_HOME" / "opencode" / "plugins" / "hark.ts").exists()
    hark("setup", "--undo", "--yes")
    assert not (home.parent / "CODEX_HOME").exists()


# -- the hook ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (FAILS, " hark hook` fails in a shell as agents start it (no such thing). Check which program `which hark`"),
        (SILENT, "and said nothing to"),
        (CHATS, "answers with something that no agent reads. Check which program"),
    ],
)
def test_a_hook_that_does_not_answer_is_told_with_the_next_step(home: Path, program: str, said: str) -> None:
    put_program(home, program)
    found = hark("setup", "claude-code", "--yes")
    assert found.status == 2
    assert "The hook does not work yet: " in found.out
    assert said in found.out
    told = hark("setup", "claude-code", "--yes", "--json").json["hook"]
    assert (told["works"], said in told["says"]) == (False, True)


NEEDS = SPEAKS.replace(
    "import json, sys", "import json, os, sys\nassert sys.argv[1] != 'hook' or os.environ.get('HARK_HOME') == {home!r}"
)


def test_the_hook_is_told_where_the_archive_was_moved_to(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_HOME", str(home.parent / "a b"))
    put_program(home, NEEDS.format(python=sys.executable, version=__version__, home=str(home.parent / "a b")))
    assert hark("setup", "claude-code", "pi", "--yes").status == 0
    line = f"env HARK_HOME='{home.parent}/a b' hark hook"
    assert parse(settings(home).read_text()).value["hooks"]["SessionEnd"][0]["hooks"][0]["command"] == line
    script = (home / ".pi" / "agent" / "extensions" / "hark.ts").read_text()
    assert f'const ENV = {{"HARK_HOME": "{home.parent}/a b"}};' in script
    hark("setup", "--undo", "--yes")
    # The usual place, said by a variable: the trial must do without it, as agents may.
    monkeypatch.setenv("HARK_HOME", str(home / ".local" / "share" / "harkback"))
    put_program(home, NEEDS.format(python=sys.executable, version=__version__, home=None))
    assert "The hook works: `hark hook` answers" in hark("setup", "claude-code", "pi", "--yes").out
    assert "const ENV = {};" in (home / ".pi" / "agent" / "extensions" / "hark.ts").read_text()


# -- status --------------------------------------------------------------------------------------------------------


def test_the_status_says_how_far_each_agent_is(home: Path) -> None:
    def told() -> dict[str, str]:
        return {one["agent"]: one["installed"] for one in hark("setup", "--status", "--json").json["agents"]}

    assert told() == dict.fromkeys(NAMES, "no")
    hark("setup", "claude-code", "gemini", "--yes")
    assert told() == dict.fromkeys(NAMES, "no") | {"claude-code": "yes", "gemini": "yes"}
    (home / ".claude.json").unlink()
    assert told()["claude-code"] == "partly"
    settings(home).write_text("{")
    found = hark("setup", "--status")
    assert found.status == 0
    assert f"    {settings(home)} cannot take an entry of ours" in found.out
    assert "The hook works: " in found.out


# -- trust ---------------------------------------------------------------------------------------------------------


def test_codex_trusts_the_hook_on_request_only_and_undoing_takes_the_trust_back(home: Path) -> None:
    put_program(home, CODEX, "codex")
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"')
    before = lying_in(home)

    def trusted() -> str:
        agents = hark("setup", "--status", "--json").json["agents"]
        return str(next(one["trusted"] for one in agents if one["trusted"]))

    assert "asks at its next start" in hark("setup", "codex", "--yes").out
    assert trusted() == "untrusted"
    assert "hooks.state" not in config.read_text()
    assert "asks at its next start" not in hark("setup", "codex", "--yes", "--trust").out
    assert trusted() == "trusted"
    assert hark("setup", "codex", "--yes").out.startswith("Codex: nothing to change")
    hark("setup", "--undo", "--yes")
    assert lying_in(home) == before
    hooks = home / ".codex" / "hooks.json"
    other = {"hooks": [{"type": "command", "command": "/opt/othertool/hark hook"}]}
    hooks.write_text(json.dumps({"hooks": {"UserPromptSubmit": [other]}}))
    hark("setup", "codex", "--yes", "--trust")
    assert "user_prompt_submit:1:0" in config.read_text()
    assert "user_prompt_submit:0:0" not in config.read_text(), "what we did not write is not ours to trust"
    config.write_text(config.read_text() + '\n[projects."/w"]\ntrust_level = "trusted"\n')
    hark("setup", "--undo", "--yes")
    assert config.read_text().split() == ["model", "=", '"x"', '[projects."/w"]', "trust_level", "=", '"trusted"']


def test_without_codex_its_trust_is_not_known(home: Path) -> None:
    found = hark("setup", "codex", "--yes", "--trust")
    assert found.status == 2
    assert "`codex` is not found. Start `codex` and type /hooks" in found.err
    assert "not known" in hark("setup", "--status", "codex").out
    put_program(home, FAILS, "codex")
    assert "not known: Codex does not take the hook" in hark("setup", "--status", "codex").out


# -- many at once, and killed --------------------------------------------------------------------------------------


def test_several_at_once_are_as_one(home: Path) -> None:
    before = lying_in(home)
    argv = [sys.executable, "-m", "harkback", "setup", "all", "--yes"]
    running = [
        subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8") for _ in range(4)
    ]
    said = [one.communicate(timeout=60)[1] for one in running]
    assert {one.returncode for one in running} <= {0, 2}
    assert any(one.returncode == 0 for one in running), said
    assert "nothing to change" in hark("setup", "all", "--yes").out
    hark("setup", "--undo", "--yes")
    assert lying_in(home) == before


KILLED = """
import os, sys
from harkback.agents import files
from harkback.cli import main
left = int(sys.argv.pop(1))
def counted(real):
    def call(*args):
        global left
        if left == 0:
            os._exit(9)
        left -= 1
        return real(*args)
    return call
os.replace, os.unlink = counted(os.replace), counted(os.unlink)
sys.exit(main(sys.argv[1:]))
"""


def test_a_kill_at_any_moment_leaves_every_file_whole_and_the_next_run_goes_on(home: Path) -> None:
    before = lying_in(home)
    hark("setup", "claude-code", "--yes")
    after = lying_in(home)
    hark("setup", "--undo", "--yes")
    kills = 0
    for is_undoing in (False, True):
        steps = ("setup", "--undo" if is_undoing else "claude-code", "--yes")
        for number in range(100):
            if is_undoing:
                hark("setup", "claude-code", "--yes")
            argv = [sys.executable, "-c", KILLED, str(number), *steps]
            status = subprocess.run(argv, capture_output=True, timeout=60, check=False).returncode
            assert status in {0, 9}
            now = {name: data for name, data in lying_in(home).items() if not name.endswith(".hark-new")}
            for name, data in now.items():
                assert data in {before.get(name), after.get(name)}, (number, name)
            assert set(before) <= set(now)
            hark(*steps)
            assert lying_in(home) == (before if is_undoing else after), number
            hark("setup", "--undo", "--yes")
            assert lying_in(home) == before, number
            if status == 0:
                break
            kills += 1
    assert kills >= 12


def test_undoing_after_a_kill_leaves_nothing(home: Path) -> None:
    before = lying_in(home)
    kinds = set()
    for number in range(8):
        argv = [sys.executable, "-c", KILLED, str(number), "setup", "claude-code", "--yes"]
        assert subprocess.run(argv, capture_output=True, timeout=60, check=False).returncode == 9
        left = {name: data for name, data in lying_in(home).items() if before.get(name) != data}
        kinds.add((any(".hark-new" in name for name in left), any(".hark-new" not in name for name in left)))
        hark("setup", "--undo", "--yes")
        assert lying_in(home) == before, number
        assert {path.name for path in archive().iterdir()} == {"setup.lock"}, number
    assert (True, True) in kinds
    hark("setup", "claude-code", "--yes")
    after = lying_in(home)
    (settings(home).parent / "settings.json.123.hark-new").write_text("left by a kill")
    (settings(home).parent / "settings.json.mine.hark-new").write_text("theirs")
    assert "nothing to change" in hark("setup", "claude-code", "--yes").out
    assert set(lying_in(home)) - set(after) == {".claude/settings.json.mine.hark-new"}


def test_a_pipe_where_a_file_should_be_is_refused(home: Path) -> None:
    settings(home).unlink()
    os.mkfifo(settings(home))
    argv = [sys.executable, "-m", "harkback", "setup", "claude-code", "--yes"]
    done = subprocess.run(argv, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert (done.returncode, f"{settings(home)} cannot take an entry of ours: it is no file" in done.stderr) == (
        2,
        True,
    )


def test_a_full_disk_puts_back_what_was_changed_before(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lying_in(home)
    real, count = os.replace, [0]

    def failing(source: str, target: str) -> None:
        if str(home) in target:
            count[0] += 1
            if count[0] == 3:
                raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", failing)
    found = hark("setup", "claude-code", "--yes")
    assert found.status == 2
    assert "cannot be written (No space left on device). What was changed before it was put back." in found.err
    assert lying_in(home) == before
    assert hark("setup", "claude-code", "--yes").status == 0


# -- the end -------------------------------------------------------------------------------------------------------


def test_uninstall_takes_everything_out(home: Path) -> None:
    before = lying_in(home)
    hark("setup", "all", "--yes")
    found = hark("uninstall")
    assert f"taken out  what was set up for Claude Code in {settings(home)}" in found.out
    assert lying_in(home) == before
    assert hark("uninstall", "--json").json["taken_out"] == []
    hark("setup", "claude-code", "--yes")
    told = hark("uninstall", "--delete-archive", "--yes", "--yes", "--json").json
    assert told["left"] == []
    assert lying_in(home) == before


def test_main_takes_what_a_shell_gives(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup", "claude-code", "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["agents"][0]["files"][0]["path"] == str(settings(home))


def test_uninstall_without_a_record_takes_out_what_is_recognised(home: Path) -> None:
    hark("setup", "claude-code", "codex", "--yes")
    for path in (archive() / "setup").rglob("*"):
        if path.is_file():
            path.unlink()
    hark("uninstall")
    assert settings(home).read_bytes() == SETTINGS.encode(), "the line of today is ours without a record too"
