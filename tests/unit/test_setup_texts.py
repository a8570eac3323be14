"""What agents' files look like with us in them and without us again, on awkward ones."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from harkback import __version__
from harkback.agents import claude_code, command, json_edits, parts, text_block, toml_table
from harkback.agents.json_edits import Hook, Server
from harkback.agents.json_text import NoJson, parse
from harkback.agents.program import Unfit, Wanted, Where, is_hook, is_server
from harkback.agents.table import AGENTS, BY_NAME

if TYPE_CHECKING:
    from pathlib import Path

HANDLER = {"type": "command", "command": "hark hook", "timeout": 10}
PROMPT = Hook("UserPromptSubmit", HANDLER)
SERVER = Server(("mcpServers", "harkback"), {"command": "hark", "args": ["mcp"]})
EDITS = (PROMPT, SERVER)


def put(text: str | None) -> str:
    return json_edits.put(text, EDITS)


def test_a_hook_goes_behind_those_of_others_in_the_way_they_are_written() -> None:
    text = (
        '{\n\t"hooks": {\n\t\t"UserPromptSubmit": [\n\t\t\t{"hooks": [{"type": "command", "command": "mine"}]}\n'
        "\t\t]\n\t}\n}\n"
    )
    assert json_edits.put(text, [Hook("UserPromptSubmit", {"command": "hark hook"})]) == (
        '{\n\t"hooks": {\n\t\t"UserPromptSubmit": [\n\t\t\t{"hooks": [{"type": "command", "command": "mine"}]},\n'
        '\t\t\t{\n\t\t\t\t"hooks": [\n\t\t\t\t\t{\n\t\t\t\t\t\t"command": "hark hook"\n'
        "\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n"
        "\t\t]\n\t}\n}\n"
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "x": {\n    "y": 2\n  }\n}'),
        ('{\n  "a": 1, // one\n}\n', '{\n  "a": 1, // one\n  "x": {\n    "y": 2\n  },\n}\n'),
        ('{"a": 1}', '{"a": 1, "x": {"y": 2}}'),
        ("{}", '{\n  "x": {\n    "y": 2\n  }\n}'),
        ('{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "x": {\r\n        "y": 2\r\n    }\r\n}'),
        (
            '{\n  /* none */ "a": [1, 2], // two\n}',
            '{\n  /* none */ "a": [1, 2], "x": {"y": 2}, // two\n}',
        ),
    ],
)
def test_a_member_is_written_as_those_beside_it(text: str, wanted: str) -> None:
    from harkback.agents.json_text import added, removed

    changed = added(text, parse(text), "x", {"y": 2})
    assert changed == wanted
    assert removed(changed, parse(changed), 1 if parse(text).value else 0) == text


@pytest.mark.parametrize("text", [None, "", " \n", "{}", "{\n}\n", '\r\n{"a":1}\r\n', '// c\n{ "a": [ ], }'])
def test_what_was_put_in_comes_out_byte_for_byte(text: str | None) -> None:
    changed = put(text)
    assert parse(changed).value["mcpServers"] == {"harkback": SERVER.value}
    assert put(changed) == changed
    assert json_edits.take(changed, EDITS, text) == text


def test_without_knowing_what_was_there_ours_still_comes_out() -> None:
    text = '{"hooks": {"Stop": []}, "mcpServers": {"other": {"command": "x"}}}'
    assert json_edits.take(put(text), EDITS, None) == text
    assert json_edits.take(put("{}"), EDITS, None) is None


def test_what_others_put_in_later_stays() -> None:
    changed = put('{\n  "a": 1\n}\n')
    later = changed.replace('"hooks": {', '"hooks": {\n    "Stop": [], // theirs').replace('"a": 1', '"a": 2')
    assert (
        json_edits.take(later, EDITS, '{\n  "a": 1\n}\n')
        == '{\n  "a": 2,\n  "hooks": {\n    "Stop": [] // theirs\n  }\n}\n'
    )


def test_an_older_command_line_is_brought_up_to_date_where_it_stands() -> None:
    old = '{"hooks": {"UserPromptSubmit": [{"matcher": "*", "hooks": [{"command": "/old/bin/hark hook" /* c */}]}]}}'
    edit = PROMPT._replace(lines=frozenset({"/old/bin/hark hook"}))
    assert json_edits.others(old, [edit]) == []
    changed = json_edits.put(old, [edit])
    assert changed.startswith('{"hooks": {"UserPromptSubmit": [{"matcher": "*", "hooks": [{"command": "hark hook", ')
    assert "/* c */" in changed
    assert json_edits.take(changed, [edit], None) is None


def test_a_line_that_we_did_not_write_stays_and_is_named() -> None:
    old = '{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "/old/bin/hark hook"}, {"command": "other"}]}]}}'
    changed = json_edits.put(old, [PROMPT])
    groups = parse(changed).value["hooks"]["UserPromptSubmit"]
    assert groups == [parse(old).value["hooks"]["UserPromptSubmit"][0], {"hooks": [HANDLER]}]
    assert json_edits.others(changed, [PROMPT]) == ["/old/bin/hark hook"]
    assert json_edits.take(changed, [PROMPT], old) == old


def test_our_handler_among_others_of_a_group_goes_alone() -> None:
    text = (
        '{"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "a"}, {"command": "hark hook"}, {"command": "b"}]}]}}'
    )
    assert json_edits.take(text, [PROMPT], "{}") == text.replace(' {"command": "hark hook"},', "")


def test_a_server_that_was_written_by_hand_keeps_what_it_has_and_comes_back() -> None:
    text = '{"mcpServers": {"harkback": {"command": "/x/hark", "args": ["mcp"], "env": {"A": "b"}}}}'
    changed = json_edits.put(text, [SERVER])
    assert parse(changed).value["mcpServers"]["harkback"] == {"command": "hark", "args": ["mcp"], "env": {"A": "b"}}
    assert json_edits.take(changed, [SERVER], text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: a name in quotes is missing"),
        ('{\n"a": 1\n"b": 2}', "line 3: a comma is missing"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ('{"a": 1} x', "more follows"),
        ("{'a': 1}", "a name in quotes is missing"),
        ('{"hooks": []}', "hooks is no object"),
        ('{"hooks": {"UserPromptSubmit": {}}}', "hooks.UserPromptSubmit is no list"),
        ('{"hooks": null}', "hooks is no object"),
        ('{"mcpServers": []}', "mcpServers is no object"),
        ('{"mcpServers": {"harkback": {"command": "other"}}}', "something else"),
        ('{"mcpServers": {"harkback": "hark mcp"}}', "something else"),
        ('{"hooks": {}, "hooks": {}}', "twice"),
        ("[" * 5000, "nested"),
        ('{"a": /* open }', "a value is missing"),
    ],
)
def test_settings_that_are_not_as_we_know_them_are_refused(text: str, said: str) -> None:
    assert put("{}")
    with pytest.raises(Unfit, match=said):
        put(text)


def test_odd_texts_are_read_as_json_reads_them() -> None:
    text = '\t[1.5e-3, "\\u6587\\n//", {"": [ ] }, -0, true, false, null]\n'
    assert parse(text).value == json.loads(text)
    for wrong in ("[1,,2]", "01", "[1 2]", '"\n"', "{,}", "tru", "", "//", "+1"):
        with pytest.raises(NoJson):
            parse(wrong)


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        ("hark hook", True),
        ("/a b/hark hook", True),
        ("'/a b/bin/hark' hook", True),
        ('"C:\\Program Files\\hark.exe" hook', True),
        ("env X=1 hark hook ", True),
        ("hark hooks", False),
        ("shark hook", False),
        ("hark hook --other", False),
        ("hark search x", False),
        (None, False),
    ],
)
def test_our_hook_is_known_by_its_command_line(line: object, is_ours: bool) -> None:
    assert is_hook(line) is is_ours


def test_our_server_is_known_by_what_it_starts() -> None:
    assert is_server({"command": "C:\\x\\hark.exe", "args": ["mcp"]})
    assert is_server({"command": ["/x/hark", "mcp"]})
    others: tuple[Any, ...] = (
        {"command": "hark"},
        {"command": "shark", "args": ["mcp"]},
        {"command": []},
        {},
        [],
        None,
    )
    for other in others:
        assert not is_server(other)


# -- pages, TOML, files of our own ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [None, "", "# Mine", "# Mine\n", "# Mine\r\nx", "a\r\n", "\n", "a\n\n\n"])
def test_a_block_stands_between_marks_and_comes_out_again(text: str | None) -> None:
    changed = text_block.put(text, "one\ntwo\n")
    assert "<!-- hark: begin -->" in changed
    assert ("\r\n" in changed) is ("\r\n" in (text or ""))
    assert text_block.put(changed, "one\ntwo\n") == changed
    assert text_block.take(changed, text) == text
    assert text_block.put(changed, "three").count("hark: begin") == 1


@pytest.mark.parametrize("text", ["<!-- hark: begin -->\n", "<!-- hark: end -->\n<!-- hark: begin -->"])
def test_marks_that_stand_around_nothing_are_refused(text: str) -> None:
    with pytest.raises(Unfit, match="marks"):
        text_block.put(text, "x")


VALUES: dict[str, Any] = {"command": "hark", "args": ["mcp"], "required": True}


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        'model = "x"',
        'model = "x"\n',
        "# mine\r\n[a]\r\nb = 1\r\n",
        "[mcp_servers]\n",
        "[mcp_servers.other]\ncommand = 'x'\n\n# last words",
        " ",
    ],
)
def test_a_table_goes_to_the_end_and_comes_out_again(text: str | None) -> None:
    changed = toml_table.put(text, "mcp_servers", "harkback", VALUES)
    assert changed.startswith(text or "")
    assert toml_table.put(changed, "mcp_servers", "harkback", VALUES) == changed
    assert toml_table.take(changed, "mcp_servers", "harkback", text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = ", "no TOML"),
        ("mcp_servers = {}\n", "nothing can be put behind it"),
        ("mcp_servers = 1\n", "no table"),
        ("[mcp_servers.harkback]\ncommand = 'other'\n", "something else"),
    ],
)
def test_toml_that_cannot_take_a_table_is_refused(text: str, said: str) -> None:
    with pytest.raises(Unfit, match=said):
        toml_table.put(text, "mcp_servers", "harkback", VALUES)


def test_the_table_goes_from_between_others_and_an_older_one_is_replaced() -> None:
    old = "[a]\nb = 1\n\n[mcp_servers.harkback]\ncommand = '/old/hark'\nargs = ['mcp']\n\n# theirs\n[c]\nd = 2\n"
    assert toml_table.take(old, "mcp_servers", "harkback", "") == "[a]\nb = 1\n\n# theirs\n[c]\nd = 2\n"
    changed = toml_table.put(old, "mcp_servers", "harkback", VALUES)
    assert changed.count("[mcp_servers.harkback]") == 1
    assert "# theirs" in changed


def test_what_codex_notes_about_our_hooks_goes_with_us() -> None:
    before = 'model = "x"\n'
    key = "/h/.codex/hooks.json:user_prompt_submit:0:0"
    state = f'\n[hooks.state]\n\n[hooks.state."{key}"]\ntrusted_hash = "sha256:1"\n'
    assert toml_table.without_tables(before + state, "hooks.state", [key], before) == before
    other = f'{state}\n[hooks.state."theirs"]\ntrusted_hash = "sha256:2"\n'
    left = toml_table.without_tables(before + other, "hooks.state", [key], before)
    assert left == before + '\n[hooks.state]\n\n[hooks.state."theirs"]\ntrusted_hash = "sha256:2"\n'


def test_a_file_of_ours_takes_the_place_of_an_older_one() -> None:
    part = parts.skill("/skills", Wanted())
    text = part.put(None)
    assert text.splitlines()[1] == "name: hark"
    assert len(text.splitlines()) <= 60
    assert part.put(text + "changed") == text
    assert part.take(text, None) is None
    assert part.take(text + "changed", None) == text + "changed"


def test_the_rule_is_short_and_every_text_names_the_program_as_it_is_found() -> None:
    assert len(parts.data("rule.md").splitlines()) <= 6
    said = parts.rule("/x", Wanted(program="/a b/hark")).put(None)
    assert "`'/a b/hark' search 'words'`" in said
    assert "What hark prints" in said
    assert 'PROGRAM = "/a b/hark"' in parts.script("/x.ts", "pi.ts", Wanted(program="/a b/hark")).put(None)
    assert "CONTEXT = true" in parts.script("/x.ts", "opencode.ts", Wanted(context=True)).put(None)


# -- agents --------------------------------------------------------------------------------------------------------

MOVED = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ""),
    "codex": ("CODEX_HOME", ""),
    "pi": ("PI_CODING_AGENT_DIR", ""),
    "opencode": ("XDG_CONFIG_HOME", "opencode"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini"),
    "qwen": ("QWEN_HOME", ""),
    "copilot": ("COPILOT_HOME", ""),
}


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.name)
def test_every_agent_gets_hook_rule_skill_and_server_where_its_folder_is(agent: Any, tmp_path: Path) -> None:
    where = Where(str(tmp_path))
    found = agent.parts(where, Wanted())
    whole = "".join(part.put(None) for part in found)
    assert ("hark hook" in whole) or ('["hook"]' in whole)
    assert "name: hark" in whole
    assert "hark: begin" in whole
    assert '"mcp"' in whole
    assert '"SessionStart"' not in "".join(part.put(None) for part in found if not part.path.endswith(".ts"))
    assert all(part.path.startswith(str(tmp_path)) for part in found)
    without = "".join(part.put(None) for part in agent.parts(where, Wanted(mcp=False)))
    assert '"mcp"' not in without
    variable, below = MOVED[agent.name]
    moved = Where(str(tmp_path), {variable: str(tmp_path / "moved")})
    base = os.path.join(str(tmp_path), "moved", below)
    assert all(part.path.startswith(base) for part in agent.parts(moved, Wanted()))


def test_the_entries_are_those_that_were_measured() -> None:
    server = claude_code.server(Wanted(env={"HARK_HOME": "/a"}))
    assert server == {
        "type": "stdio",
        "command": "hark",
        "args": ["mcp"],
        "env": {"HARK_HOME": "/a"},
        "alwaysLoad": True,
    }
    texts = {name: "".join(part.put(None) for part in BY_NAME[name].parts(Where("/h"), Wanted())) for name in BY_NAME}
    assert "required = true" in texts["codex"]
    assert '"timeout": 3' in texts["codex"]
    assert '"exposure": "direct"' in texts["pi"]
    assert '"BeforeAgent"' in texts["gemini"]
    assert '"timeout": 10000' in texts["qwen"]
    assert '"userPromptSubmitted"' in texts["copilot"]


def test_opencode_keeps_the_kind_of_settings_it_has(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{}")
    found = BY_NAME["opencode"].parts(Where(str(tmp_path)), Wanted())
    assert found[-1].path == str(folder / "opencode.jsonc")


# -- the command line ----------------------------------------------------------------------------------------------

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")


VERSION = f'[ "$*" = --version ] && echo "hark {__version__}"'


def program_in(folder: Path, does: str = VERSION) -> Path:
    folder.mkdir(parents=True)
    path = folder / ("hark.exe" if sys.platform == "win32" else "hark")
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return path


def test_a_program_on_the_path_is_named_bare_and_one_in_a_virtual_environment_in_full(tmp_path: Path) -> None:
    usual = program_in(tmp_path / "usual" / "bin")
    venv = program_in(tmp_path / "my venv" / "bin")
    (tmp_path / "my venv" / "pyvenv.cfg").write_text("")
    python = str(venv.parent / "python")
    assert command.program(str(usual.parent), python, "x", {}) == "hark"
    assert command.program(str(venv.parent), python, "x", {}) == str(venv)
    assert command.program(str(tmp_path), python, "x", {}) == str(venv)
    assert command.program(str(tmp_path), str(tmp_path / "python"), str(usual), {}) == str(usual)
    assert command.program(str(tmp_path), str(tmp_path / "python"), "-c", {}) == "hark"
    assert command.hook_line("hark") == command.hook_line("hark", {}) == "hark hook"
    if sys.platform != "win32":
        assert command.hook_line("/a b/hark", {"HARK_HOME": "/c d"}) == "env HARK_HOME='/c d' '/a b/hark' hook"
    assert is_hook(command.hook_line("hark", {"HARK_HOME": "/c d"}))
    assert is_hook(command.hook_line(str(venv)))


@POSIX
@pytest.mark.parametrize(
    "does", ["echo other tool", "exit 0", "exec sleep 30", 'echo "hark 0.0.0"', f'echo "hark {__version__}"; exit 1']
)
def test_a_program_of_another_with_our_name_is_not_taken(tmp_path: Path, does: str) -> None:
    other = program_in(tmp_path / "other" / "bin", does)
    ours = program_in(tmp_path / "venv" / "bin")
    python = str(ours.parent / "python")
    assert command.program(str(other.parent), python, "x", {}) == str(ours)
    other.write_text(f"#!/bin/sh\n{VERSION}\n")
    assert command.program(str(other.parent), python, "x", {}) == "hark"


@POSIX
def test_a_link_into_a_virtual_environment_is_outside_of_it(tmp_path: Path) -> None:
    venv = program_in(tmp_path / "venv" / "bin")
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    (tmp_path / "local").mkdir()
    (tmp_path / "local" / "hark").symlink_to(venv)
    assert command.program(str(tmp_path / "local"), str(venv.parent / "python"), "x", {}) == "hark"


@POSIX
def test_the_path_is_that_of_a_login(tmp_path: Path) -> None:
    (tmp_path / ".profile").write_text("echo hello\nPATH=/first/bin:$PATH\n")
    env = {"HOME": str(tmp_path), "SHELL": "/bin/sh", "PATH": "/mine:/venv/bin"}
    found = command.login_path(env)
    assert found.startswith("/first/bin:")
    assert "/venv/bin" not in found
    assert command.login_path({**env, "SHELL": str(tmp_path / "none")}) == "/usr/local/bin:/usr/bin:/bin"
    false = shutil.which("false")
    assert false
    assert command.login_path({**env, "SHELL": false}) == "/usr/local/bin:/usr/bin:/bin"
