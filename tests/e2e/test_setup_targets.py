"""`hark setup plugin` and `hark setup schedule`: written and begun when agreed to, and ended again."""

from __future__ import annotations

import json
import os
import plistlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harkback.agents import timers

if TYPE_CHECKING:
    from tests.e2e.pens import hark
    from tests.e2e.setup_homes import lying_in, put_program

    from harkback.agents.timers import Timer
else:
    from pens import hark
    from setup_homes import lying_in, put_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts with a first line for Unix")


# -- plugin --------------------------------------------------------------------------------------------------------


@pytest.fixture
def login(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home whose login finds `hark`."""
    put_program(own_home)
    monkeypatch.setenv("SHELL", "/bin/sh")
    return own_home


@pytest.mark.usefixtures("login")
def test_the_plugin_is_one_folder_for_claude_code_and_codex(tmp_path: Path) -> None:
    folder = tmp_path / "market"
    found = hark("setup", "plugin", str(folder))
    assert (found.status, found.err) == (0, "")
    assert f"claude plugin marketplace add {folder} && claude plugin install hark@harkback" in found.out
    assert f"codex plugin marketplace add {folder} && codex plugin add hark@harkback" in found.out
    market = json.loads((folder / ".claude-plugin" / "marketplace.json").read_text())
    plugin = folder / market["plugins"][0]["source"]
    about = json.loads((plugin / ".claude-plugin" / "plugin.json").read_text())
    assert (about["name"], about["version"]) == ("hark", market["plugins"][0]["version"])
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())["hooks"]
    assert {one: groups[0]["hooks"][0]["command"] for one, groups in hooks.items()} == {
        "UserPromptSubmit": "hark hook",
        "SessionEnd": "hark hook",
    }
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["harkback"]
    assert (server["command"], server["args"]) == ("hark", ["mcp"]), "Codex expands no variables there"
    assert (plugin / "skills" / "hark" / "SKILL.md").read_text(encoding="utf-8").startswith("---\nname: hark\n")
    before = lying_in(folder)
    assert "nothing to change" in hark("setup", "plugin", str(folder)).out
    assert lying_in(folder) == before


SKILL = "plugins/hark/skills/hark/SKILL.md"


def test_a_plugin_takes_the_place_of_an_older_one_only_when_that_is_agreed_to(tmp_path: Path) -> None:
    hark("setup", "plugin", str(tmp_path))
    skill = tmp_path / SKILL
    whole = skill.read_bytes()
    skill.write_bytes(whole + b"older")
    found = hark("setup", "plugin", str(tmp_path))
    assert (found.status, "no terminal to ask at" in found.err) == (2, True)
    assert hark("setup", "plugin", str(tmp_path), "--dry-run").status == 0
    assert skill.read_bytes() == whole + b"older"
    told = hark("setup", "plugin", str(tmp_path), "--yes", "--json").json
    assert told["files"] == [str(skill)]
    assert skill.read_bytes() == whole
    hark("setup", "plugin", str(tmp_path), "--context", "--yes")
    assert hark("setup", "plugin", str(tmp_path), "--yes", "--json").json["files"], "its hooks are ours too"
    assert "plugin takes one folder" in hark("setup", "plugin").err
    assert "taken out by the agent" in hark("setup", "plugin", str(tmp_path), "--undo").err
    assert "schedule takes no other word" in hark("setup", "schedule", "codex").err


@pytest.mark.parametrize("is_ours", [False, True], ids=["theirs", "ours"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".claude-plugin/marketplace.json", '{"name": "mine", "plugins": [{"name": "p", "source": "./plugins/p"}]}'),
        (".claude-plugin/marketplace.json", '{"name": "harkback", "plugins": [{"name": "hark"}, {"name": "p"}]}'),
        ("plugins/hark/.mcp.json", '{"mcpServers": {"harkback": {"command": "hark", "args": ["mcp"]}, "x": {}}}'),
        ("plugins/hark/.claude-plugin/plugin.json", '{"name": "hark"}'),
        ("plugins/hark/hooks/hooks.json", '{"hooks": {"Stop": [{"hooks": [{"command": "other"}]}]}}'),
        ("plugins/hark/README.md", "mine"),
        (SKILL, "mine"),
    ],
)
def test_a_plugin_is_not_written_over_files_of_others(tmp_path: Path, name: str, text: str, is_ours: bool) -> None:
    if is_ours:
        assert hark("setup", "plugin", str(tmp_path)).status == 0
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    before = lying_in(tmp_path)
    found = hark("setup", "plugin", str(tmp_path), "--yes")
    assert found.status == 2
    assert "a plugin gets a folder of its own" in found.err
    assert str(tmp_path) in found.err
    assert lying_in(tmp_path) == before
    path.unlink()
    assert hark("setup", "plugin", str(tmp_path), "--yes").status == 0


def test_a_folder_with_other_files_is_no_place_for_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert f"{tmp_path / 'notes.txt'} cannot take" in hark("setup", "plugin", str(tmp_path), "--yes").err
    assert [one.name for one in tmp_path.iterdir()] == ["notes.txt"]
    (tmp_path / "notes.txt").unlink()
    assert hark("setup", "plugin", str(tmp_path), "--yes").status == 0
    (tmp_path / "notes.txt").write_text("about the plugin")
    assert hark("setup", "plugin", str(tmp_path), "--yes").status == 0, "ours by now"


def test_a_plugin_says_where_a_login_does_not_find_the_program(
    tmp_path: Path, login: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hark("setup", "plugin", str(tmp_path / "one")).err == ""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (login / ".profile").unlink()
    found = hark("setup", "plugin", str(tmp_path / "two"))
    assert (found.status, found.err.count("\n")) == (0, 1)
    assert "The plugin needs `hark` on the PATH of a login" in found.err


# -- schedule ------------------------------------------------------------------------------------------------------

SYSTEMCTL = '#!/bin/sh\necho "$@" >> "$HOME/systemctl.log"\ncase "$*" in *{fails}*) echo bad >&2; exit 1;; esac\n'
CRONTAB = """\
#!/bin/sh
case "$1" in
-l) cat "$HOME/cron" 2>/dev/null || exit 1;;
-r) rm "$HOME/cron";;
-) cat > "$HOME/cron";;
esac
"""


def with_program(home: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    put_program(home)
    tools = home.parent / "tools"
    tools.mkdir(exist_ok=True)
    (tools / name).write_text(text)
    (tools / name).chmod(0o755)
    for needed in ("sh", "cat", "rm"):
        if not (tools / needed).exists():
            (tools / needed).symlink_to(f"/bin/{needed}")
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setattr(sys, "platform", "linux")


def test_a_timer_of_systemd_begins_and_ends(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_program(own_home, monkeypatch, "systemctl", SYSTEMCTL.format(fails="nothing-fails"))
    before = lying_in(own_home)
    found = hark("setup", "schedule")
    assert (found.status, "no terminal to ask at" in found.err) == (2, True)
    assert "+OnUnitActiveSec=15min" in found.out
    assert "$ systemctl --user enable --now harkback-sync.timer" in found.out
    assert set(lying_in(own_home)) - set(before) == {"systemctl.log"}
    assert hark("setup", "schedule", "--yes").status == 0
    units = own_home / ".config" / "systemd" / "user"
    service = (units / "harkback-sync.service").read_text()
    assert f'ExecStart="{own_home.parent}/bin/hark" sync --background' in service
    assert f'Environment="HARK_HOME={os.environ["HARK_HOME"]}"' in service
    assert "OnUnitActiveSec=15min" in (units / "harkback-sync.timer").read_text()
    assert "nothing to change" in hark("setup", "schedule").out
    log = (own_home / "systemctl.log").read_text()
    assert log.count("--user enable --now harkback-sync.timer") == 1
    assert hark("setup", "schedule", "--undo", "--yes").status == 0
    assert not units.exists()
    assert "--user disable --now harkback-sync.timer" in (own_home / "systemctl.log").read_text()
    assert hark("setup", "schedule", "--undo", "--json").json["is_on"] is False


def test_a_timer_that_does_not_begin_leaves_nothing(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_program(own_home, monkeypatch, "systemctl", SYSTEMCTL.format(fails="enable"))
    found = hark("setup", "schedule", "--yes")
    assert found.status == 2
    assert "`systemctl --user enable --now harkback-sync.timer` failed (bad)" in found.err
    assert not (own_home / ".config" / "systemd" / "user" / "harkback-sync.timer").exists()


def test_a_line_of_cron_begins_and_ends_beside_those_of_others(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_program(own_home, monkeypatch, "crontab", CRONTAB)
    list_ = own_home / "cron"
    list_.write_text("0 1 * * * mine\n")
    assert hark("setup", "schedule").status == 2
    assert list_.read_text() == "0 1 * * * mine\n"
    assert hark("setup", "schedule", "--yes", "--json").json == {"schema": 1, "timer": "cron", "is_on": True}
    program = own_home.parent / "bin" / "hark"
    line = f"*/15 * * * * HARK_HOME={os.environ['HARK_HOME']} {program} sync --background # harkback-sync\n"
    assert list_.read_text() == "0 1 * * * mine\n" + line
    assert "nothing to change" in hark("setup", "schedule").out
    assert "taken out  the timer that runs `hark sync` (cron)" in hark("uninstall").out
    assert list_.read_text() == "0 1 * * * mine\n"
    list_.unlink()
    hark("setup", "schedule", "--yes")
    hark("setup", "schedule", "--undo", "--yes")
    assert not list_.exists()


def test_where_nothing_can_start_it_that_is_said(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_program(own_home, monkeypatch, "other", "")
    found = hark("setup", "schedule", "--yes")
    assert found.status == 2
    assert "neither systemd for this user nor cron" in found.err


def test_launchd_and_the_task_scheduler_are_told_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def timer(platform: str) -> Timer:
        monkeypatch.setattr(sys, "platform", platform)
        return timers.timer("/h", {}, "/a & b/hark", {"HARK_HOME": "/c"})

    mac = timer("darwin")
    (path, text) = mac.files[0]
    assert Path(path) == Path("/h/Library/LaunchAgents/io.harkback.sync.plist")
    told = plistlib.loads(text.encode())
    assert told["ProgramArguments"] == ["/a & b/hark", "sync", "--background"]
    assert (told["StartInterval"], told["EnvironmentVariables"]) == (900, {"HARK_HOME": "/c"})
    assert mac.starting == (("launchctl", "load", "-w", path),)
    task = timer("win32")
    assert task.starting[0][-1] == '"/a & b/hark" sync --background'
    assert "15" in task.starting[0]
    assert task.ending == (("schtasks", "/Delete", "/F", "/TN", "harkback-sync"),)
