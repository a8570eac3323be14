"""What `hark search` imports: a promise about speed that a stray import would break without any other sign."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import harkback
from harkback.demo import write

if TYPE_CHECKING:
    from pathlib import Path

# Each of these takes 5 to 50 ms to import; a whole search may take 60.
DEAR = (
    "asyncio",
    "dataclasses",
    "filelock",
    "importlib.metadata",
    "inspect",
    "logging",
    "numpy",
    "orjson",
    "pathlib",
    "rich",
    "subprocess",
    "tempfile",
    "tomllib",
    "typing",
    "uuid",
)

# What the interpreter, the two libraries and a parser with commands bring along themselves, on this Python.
BASE = """
import sys, argparse, sqlite3, tantivy
commands = argparse.ArgumentParser().add_subparsers()
commands.add_parser("search").add_argument("--x")
"""
RUN = """
import sys
from harkback.cli import main
try:
    main({argv!r})
except SystemExit:
    pass
"""
TELL = "print('MODULES', *sys.modules)"


def modules(script: str, home: Path) -> set[str]:
    source = os.path.dirname(os.path.dirname(harkback.__file__))
    path = os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])])
    own = {
        "PYTHONPATH": path,
        "PYTHONIOENCODING": "utf-8",
        "HOME": str(home),
        "USERPROFILE": str(home),
        "HARK_HOME": str(home / "archive"),
        "HARK_BACKGROUND": "off",
    }
    done = subprocess.run(
        [sys.executable, "-c", script + TELL],
        env={**os.environ, **own},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "MODULES" in done.stdout, done.stderr
    return set(done.stdout.rpartition("MODULES")[2].split())


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return modules(BASE, tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, base: set[str]) -> Path:
    """Give a home whose sample sessions are in its archive, so that searches find something."""
    home = tmp_path_factory.mktemp("sample")
    write(str(home / ".claude"))
    loaded = modules(RUN.format(argv=["sync"]), home) - base
    # The twin of the tests below: a sync does import what a search must not, and the check sees it.
    assert "orjson" in loaded
    return home


@pytest.mark.parametrize(
    "argv",
    [
        ["search", "nginx"],
        ["search", "驗收"],
        ["search", "--json", "5G card"],
        ["search", "--no-sync", "C++"],
        ["search", "-C", "2", "how did we fix the 5G card last time"],
        ["search", "--by", "session", "文字化け"],
        ["search", "since:2026-01-01 until:2026-12-31 nginx"],
        ["search", "file:wwan.conf"],
        ["search", "qxzzyv"],
    ],
    ids=" ".join,
)
def test_a_search_with_nothing_new_to_read_imports_nothing_dear(sample: Path, base: set[str], argv: list[str]) -> None:
    loaded = modules(RUN.format(argv=argv), sample) - base
    assert [name for name in DEAR if name in loaded] == []


def test_a_chat_can_be_typed_on_before_what_asks_the_model_is_imported(sample: Path) -> None:
    asking = """
import sys
from harkback.models import chatting, remote_chat
remote_chat._openai(chatting.ChatSetup("openai", "m", "http://127.0.0.1", "k", True, 1))
"""
    assert "pydantic_ai" in modules(asking, sample)
    typing = "import sys, harkback.chat.terminal, harkback.chat.running, harkback.cli.chatting\n"
    loaded = modules(typing, sample)
    assert "prompt_toolkit" in loaded
    assert [name for name in ("pydantic_ai", "pydantic", "openai", "anthropic", "numpy") if name in loaded] == []


@pytest.mark.parametrize("argv", [["search", "nginx"], ["--help"]], ids=" ".join)
def test_without_an_archive_nothing_dear_is_imported_either(own_home: Path, base: set[str], argv: list[str]) -> None:
    loaded = modules(RUN.format(argv=argv), own_home) - base
    assert [name for name in DEAR if name in loaded] == []
