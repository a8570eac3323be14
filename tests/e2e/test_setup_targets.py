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


def test_a_plugin_takes_the_place_of_other_files_only_when_that_is_agreed_to(tmp_path: Path) -> None:
    hark("setup", "plugin", str(tmp_path))
    skill = tmp_path / "plugins" / "hark" / "skills" / "hark" / "SKILL.md"
    skill.write_text("mine")
    found = hark("setup", "plugin", str(tmp_path))
    assert (found.status, "no terminal to ask at" in found.err) == (2, True)
    assert skill.read_text() == "mine"
    assert hark("setup", "plugin", str(tmp_path), "--dry-run").status == 0
    assert skill.read_text() == "mine"
    told = hark("setup", "plugin", str(tmp_path), "--yes", "--json").json
    assert told["files"] == [str(skill)]
    assert skill.read_text() != "mine"
    assert "plugin takes one folder" in hark("setup", "plugin").err
    assert "taken out by the agent" in hark("setup", "plugin", str(tmp_path), "--undo").err
    assert "schedule takes no other word" in hark("setup", "schedule", "codex").err


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
