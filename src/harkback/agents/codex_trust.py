"""Whether Codex trusts our hook, asked of Codex itself, and telling it so when a person wants that.

Codex runs a hook of a file only once its exact words were trusted. Its app server (JSON-RPC, a line each, on standard
input and output; measured with 0.171) lists hooks with their state and writes trust into config.toml.
"""

from __future__ import annotations

import json
import os
import subprocess
from threading import Timer

from harkback import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

_LIMIT_S = 20
TRUSTED, UNTRUSTED = "trusted", "untrusted"


class AppServer:
    """A running `codex app-server`; ends with the block it is used in. Raises NoTrust."""

    def __init__(self, program: str, env: Mapping[str, str], cwd: str) -> None:
        self.argv, self.env, self.cwd = [program, "app-server"], dict(env), cwd
        self.number = 0

    def __enter__(self) -> AppServer:  # noqa: PYI034 - `typing` is slow to import
        try:
            self.process = subprocess.Popen(
                self.argv,
                env=self.env,
                cwd=self.cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
        except OSError as error:
            raise errors.NoTrust(f"`codex app-server` does not start ({error.strerror})") from error
        self.timer = Timer(_LIMIT_S, self.process.kill)
        self.timer.start()
        about = {"name": "harkback", "title": "harkback", "version": "1"}
        try:
            self.call("initialize", {"clientInfo": about})
            self._send({"method": "initialized"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        self.process.kill()
        self.process.communicate()

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask, and give the answer. Raises NoTrust."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        assert self.process.stdout
        for line in self.process.stdout:
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if isinstance(told, dict) and told.get("id") == self.number:
                if isinstance(told.get("result"), dict):
                    return dict(told["result"])
                raise errors.NoTrust(f"it refuses {method} ({str(told.get('error'))[:200]})")
        raise errors.NoTrust(f"it ends, or is silent for {_LIMIT_S} seconds, when asked for {method}")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise errors.NoTrust(f"`codex app-server` ended ({error.strerror})") from error


def ours(server: AppServer, hooks_file: str, lines: Collection[str]) -> dict[str, tuple[str, str]]:
    """Give the hooks of a file that are lines of ours, by Codex's names: hash, whether trusted. Raises NoTrust."""
    told = server.call("hooks/list", {"cwds": [server.cwd]})
    try:
        listed = [hook for one in told["data"] for hook in one["hooks"]]
        return {
            one["key"]: (one["currentHash"], one["trustStatus"])
            for one in listed
            if one.get("command") in lines
            and os.path.realpath(one.get("sourcePath") or "") == os.path.realpath(hooks_file)
        }
    except (KeyError, TypeError) as error:
        raise errors.NoTrust("it lists hooks in a form that is not known here") from error


def trusted(program: str, env: Mapping[str, str], cwd: str, hooks_file: str, lines: Collection[str]) -> str:
    """Say whether all our hooks are trusted. Raises NoTrust."""
    with AppServer(program, env, cwd) as server:
        found = ours(server, hooks_file, lines)
    return TRUSTED if found and all(state == TRUSTED for _, state in found.values()) else UNTRUSTED


def trust(program: str, env: Mapping[str, str], cwd: str, hooks_file: str, lines: Collection[str]) -> int:
    """Let Codex trust our hooks; gives how many. Raises NoTrust."""
    with AppServer(program, env, cwd) as server:
        found = ours(server, hooks_file, lines)
        value = {key: {"trusted_hash": digest} for key, (digest, _) in found.items()}
        if not value:
            raise errors.NoTrust("it does not list our hook")
        edit = {"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}
        server.call("config/batchWrite", {"edits": [edit]})
        after = ours(server, hooks_file, lines)
    if any(state != TRUSTED for _, state in after.values()):
        raise errors.NoTrust("it wrote that, and still does not trust it")
    return len(after)
