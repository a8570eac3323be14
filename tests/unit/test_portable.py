"""Nothing in the package needs what Windows does not have."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

import pytest

import harkback

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = os.path.dirname(os.path.abspath(harkback.__file__))
MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"})
CALLS = frozenset(
    {"fork", "forkpty", "chown", "chroot", "getuid", "geteuid", "getgid", "getpgid", "killpg", "mkfifo", "setsid"}
    | {"wait3", "wait4", "nice", "lchown", "fchmod", "fchown", "statvfs", "openpty", "sched_getaffinity"}
)


def offences(text: str) -> Iterator[str]:
    """Name what a module's text imports, or takes of `os` without asking for it, that Windows lacks."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import():
                yield from (one.name for one in node.names if one.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module="os"):
                yield from (f"os.{one.name}" for one in node.names if one.name in CALLS)
            case ast.ImportFrom(module=str(name)) if name.partition(".")[0] in MODULES:
                yield name
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in CALLS:
                if f'hasattr(os, "{name}")' not in text:
                    yield f"os.{name}"
            case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[first, *_]):
                if isinstance(first, ast.Constant) and first.value in MODULES:
                    yield str(first.value)


def modules() -> list[str]:
    found = [os.path.join(base, name) for base, _, names in os.walk(SOURCE) for name in names if name.endswith(".py")]
    return sorted(os.path.relpath(path, SOURCE) for path in found)


def test_no_module_needs_what_windows_lacks() -> None:
    listed = modules()
    assert len(listed) > 50
    for name in listed:
        with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
            assert list(offences(file.read())) == [], name


@pytest.mark.parametrize(
    "text",
    [
        "import fcntl",
        "import os, fcntl as f",
        "from fcntl import flock",
        "def f():\n    import fcntl",
        "try:\n    import fcntl\nexcept ImportError:\n    pass",
        "__import__('fcntl')",
        "importlib.import_module('fcntl')",
        "import os\nos.fork()",
        "from os import fork",
        "f = os.fork",
    ],
)
def test_the_check_sees_them_wherever_they_stand(text: str) -> None:
    assert len(list(offences(text))) == 1


def test_the_check_sees_no_others() -> None:
    assert not list(offences('import os\nif hasattr(os, "getuid"):\n    os.getuid()'))
    assert not list(offences("import os\nos.getpid()\nimport pwdx\nself.fork()\n'import fcntl'"))
