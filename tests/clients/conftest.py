"""The real agent programs, installed once into the folder that HARK_TEST_CLIENTS names; without it left out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.clients.model import Model
else:
    from model import Model

FOLDER = os.environ.get("HARK_TEST_CLIENTS", "")
PACKAGES = {
    "node": "node@22.23.3",
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "codex": "@openai/codex@0.171.0",
    "pi": "@earendil-works/pi-coding-agent@1.6.0",
}
KEY = "no-key-at-all"


def _modules(name: str) -> Path:
    return Path(FOLDER) / name / "node_modules"


def _install(name: str) -> None:
    folder = Path(FOLDER) / name
    if _modules(name).is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}")
    env = {**os.environ, "PATH": f"{_modules('node') / '.bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["npm", "install", "--no-fund", "--no-audit", PACKAGES[name]],
        cwd=folder,
        env=env,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(_modules(name), ignore_errors=True)
        pytest.skip(f"{PACKAGES[name]} cannot be installed: {done.stderr.decode()[-300:]}")


class Client:
    """One agent program in a home of its own, which asks our model."""

    def __init__(self, name: str, home: Path, model: Model) -> None:
        self.name, self.home, self.model = name, home, model
        self.work = home.parent / "work"
        self.work.mkdir()
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=self.work, check=True)
        getattr(self, f"_set_up_{name}")()

    def run(self, prompt: str) -> str:
        """Let it do one prompt; gives what it printed."""
        node = str(_modules("node") / ".bin" / "node")
        argv = {
            "claude": (
                str(_modules("claude") / "@anthropic-ai/claude-code-linux-x64/claude"),
                *("-p", prompt, "--model", "claude-opus-4-8", "--dangerously-skip-permissions"),
            ),
            "codex": (
                node,
                str(_modules("codex") / "@openai/codex/bin/codex.js"),
                *("exec", "--dangerously-bypass-hook-trust", prompt),
            ),
            "pi": (node, os.path.realpath(_modules("pi") / ".bin/pi"), "-p", "--model", "mock/mock", prompt),
        }[self.name]
        done = subprocess.run(
            argv, cwd=self.work, env=self.env(), stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False
        )
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout.decode()

    def env(self) -> dict[str, str]:
        beside = (
            f"{os.path.dirname(sys.executable)}{os.pathsep}{_modules('node') / '.bin'}{os.pathsep}{os.environ['PATH']}"
        )
        told = {
            "HOME": str(self.home),
            "PATH": beside,
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "USER": "agent",
        }
        told |= {"HARK_HOME": os.environ["HARK_HOME"], "HARK_MEANING_EMBEDDER": "off", "HARK_BACKGROUND": "off"}
        told |= {
            "claude": {"ANTHROPIC_BASE_URL": self.model.url, "ANTHROPIC_API_KEY": KEY, "IS_SANDBOX": "1"}
            | {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"},
            "codex": {"MOCK_KEY": KEY},
            "pi": {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"},
        }[self.name]
        return told

    def put(self, path: str, value: Any) -> None:
        """Write a file below the home, where none is."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))

    def _set_up_claude(self) -> None:
        pass

    def _set_up_codex(self) -> None:
        lines = ['model = "gpt-5.5"', 'model_provider = "mock"', 'approval_policy = "never"']
        lines += ['sandbox_mode = "danger-full-access"', "check_for_update_on_startup = false", "", "[analytics]"]
        lines += ["enabled = false", "", "[model_providers.mock]", 'name = "mock"', f'base_url = "{self.model.url}/v1"']
        lines += ['env_key = "MOCK_KEY"', 'wire_api = "responses"', "supports_websockets = false", ""]
        self.put(".codex/config.toml", "\n".join(lines))

    def _set_up_pi(self) -> None:
        models = [{"id": "mock", "input": ["text"], "contextWindow": 200_000, "maxTokens": 8192}]
        provider = {"baseUrl": self.model.url, "api": "anthropic-messages", "apiKey": KEY, "models": models}
        self.put(".pi/agent/models.json", {"providers": {"mock": provider}})


@pytest.fixture(params=["claude", "codex", "pi"])
def client(request: pytest.FixtureRequest, own_home: Path) -> Iterator[Client]:
    """Give each of the programs in turn."""
    if not FOLDER or shutil.which("npm") is None or sys.platform != "linux":
        pytest.skip("HARK_TEST_CLIENTS names no folder to install the agent programs into, or there is no npm")
    _install("node")
    _install(request.param)
    with Model() as model:
        yield Client(request.param, own_home, model)
