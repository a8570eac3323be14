"""Homes for setting up: a login with a stand-in for the program on its PATH, and what lies in a home."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from harkback import __version__

if TYPE_CHECKING:
    from pathlib import Path

SPEAKS = """\
#!{python}
import json, sys
if sys.argv[1:] == ["--version"]:
    sys.exit(print("hark {version}"))
told = json.load(sys.stdin)
assert sys.argv[1:] == ["hook"]
answer = {{"hookEventName": told["hook_event_name"], "additionalContext": "search first"}}
print(json.dumps({{"hookSpecificOutput": answer}}))
"""
_VERSION = f'#!/bin/sh\n[ "$1" = --version ] && echo "hark {__version__}" && exit\n'
SILENT = f"{_VERSION}cat > /dev/null\n"
FAILS = f"{_VERSION}echo 'no such thing' >&2\nexit 3\n"
CHATS = f"{_VERSION}echo hello\n"

# As the real one answers what is asked of it; trust is written as the real one writes it.
CODEX = """\
#!{python}
import json, os, sys
home = os.environ.get("CODEX_HOME") or os.path.join(os.environ["HOME"], ".codex")
hooks, config = os.path.join(home, "hooks.json"), os.path.join(home, "config.toml")
NAMES = {{"UserPromptSubmit": "user_prompt_submit", "SessionEnd": "session_end", "SessionStart": "session_start"}}

def listed():
    text = open(config).read() if os.path.exists(config) else ""
    for event, groups in json.load(open(hooks))["hooks"].items():
        for number, group in enumerate(groups):
            for which, one in enumerate(group["hooks"]):
                key = f"{{hooks}}:{{NAMES[event]}}:{{number}}:{{which}}"
                state = "trusted" if json.dumps(key) in text else "untrusted"
                yield {{"key": key, "command": one["command"], "sourcePath": hooks,
                        "currentHash": "sha256:" + one["command"], "trustStatus": state}}

for line in sys.stdin:
    told = json.loads(line)
    if "id" not in told:
        continue
    result = {{}}
    if told["method"] == "hooks/list":
        result = {{"data": [{{"hooks": list(listed())}}]}}
    if told["method"] == "config/batchWrite":
        (edit,) = told["params"]["edits"]
        with open(config, "a") as file:
            file.write("\\n[hooks.state]\\n")
            for key, value in edit["value"].items():
                digest = json.dumps(value["trusted_hash"])
                file.write(f"\\n[hooks.state.{{json.dumps(key)}}]\\ntrusted_hash = {{digest}}\\n")
    print(json.dumps({{"method": "note"}}))
    print(json.dumps({{"id": told["id"], "result": result}}), flush=True)
"""


def put_program(home: Path, text: str = SPEAKS, name: str = "hark") -> None:
    """Put a program where a login finds it."""
    folder = home.parent / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(
        text.format(python=sys.executable, version=__version__) if "{python}" in text else text, encoding="utf-8"
    )
    path.chmod(0o755)
    (home / ".profile").write_text(f"PATH={folder}:$PATH\n", encoding="utf-8")


def lying_in(folder: Path) -> dict[str, bytes | str]:
    """Give everything below a folder: files with what they hold and their modes, links, folders."""
    found: dict[str, bytes | str] = {}
    for base, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = os.path.join(base, name)
            at = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[at] = f"link to {os.readlink(path)}"
            elif os.path.isdir(path):
                found[at] = "folder"
            else:
                with open(path, "rb") as file:
                    found[at] = f"{os.stat(path).st_mode & 0o777:o} ".encode() + file.read()
    return found
