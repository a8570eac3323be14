"""The hook, run once as an agent runs it: by a shell, with what a login knows and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from time import monotonic

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LIMIT_S = 20
_KEPT = (
    "HOME",
    "USERPROFILE",
    "USER",
    "LANG",
    "TMPDIR",
    "SYSTEMROOT",
    "APPDATA",
    "LOCALAPPDATA",
    *(("HARK_HOME",) if sys.platform == "win32" else ()),  # elsewhere the line itself says it
)
PROMPT = "What did we decide about the database last time? 上次決定了什麼？"


class Tried(NamedTuple):
    """What came of it."""

    is_fine: bool
    says: str
    """What happened, and the next step where there is one."""


def try_hook(line: str, path: str, env: Mapping[str, str], home: str) -> Tried:
    """Run the hook with a prompt that points to past work. Never raises."""
    asked = {"session_id": "setup", "hook_event_name": "UserPromptSubmit", "cwd": home, "prompt": PROMPT}
    own = {key: env[key] for key in _KEPT if key in env} | {"PATH": path}
    began = monotonic()
    try:
        done = subprocess.run(  # noqa: S602 - as agents run it; the line is our own
            line,
            shell=True,
            env=own,
            cwd=home if os.path.isdir(home) else None,
            input=json.dumps(asked),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Tried(
            False, f"`{line}` does not end or start ({type(error).__name__}). `hark status` says what is slow."
        )
    took = f"{(monotonic() - began) * 1000:.0f} ms"
    if done.returncode:
        said = done.stderr.strip().splitlines()
        why = f" ({said[-1][:200]})" if said else ""
        return Tried(False, f"`{line}` fails in a shell as agents start it{why}. {_next_step(line)}")
    if not done.stdout.strip():
        return Tried(False, f"`{line}` ran in {took} and said nothing to {PROMPT!r}. `hark status` says why.")
    try:
        text = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return Tried(False, f"`{line}` answers with something that no agent reads. {_next_step(line)}")
    return Tried(True, f"`{line}` answers in {took}, {len(text):,} characters.")


def _next_step(line: str) -> str:
    if " hark hook" in f" {line}":
        return "Check which program `which hark` names in a new terminal, and that it is up to date."
    return f"Install it for all shells (`uv tool install harkback` or `pipx install harkback`); now it is {sys.prefix}."
