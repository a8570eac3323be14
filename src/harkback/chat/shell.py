"""One shell command, of which no more is kept than a model should read.

Windows has no groups of processes to end: there only the shell itself is.
"""

from __future__ import annotations

import os
import signal
import subprocess
from threading import Thread
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LIMIT_S = 120.0
MOST_BYTES = 8000
"""Of the output, half from its beginning and half from its end."""
_GRACE_S = 0.5
_STEP_S = 0.05
_PIECE = 1 << 16


def run(command: str, cwd: str, env: Mapping[str, str], limit_s: float = LIMIT_S) -> str:
    """Run a command without input, wait up to `limit_s`, end what it left running; gives its status and output.

    Raises KeyboardInterrupt, when it was ended, and OSError, where no shell can be started.
    """
    process = subprocess.Popen(  # noqa: S602 - a person has read the command and said yes
        command,
        shell=True,
        cwd=cwd or None,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    output = _Output(process)
    output.start()
    try:
        told = _waited(process, limit_s)
    finally:
        _end(process)
        output.join(_GRACE_S)
    return f"{told}\n{output.text()}".rstrip()


def _waited(process: subprocess.Popen[bytes], limit_s: float) -> str:
    until = monotonic() + limit_s
    while monotonic() < until:  # in steps: so a Ctrl-C comes through everywhere
        try:
            return f"exit status {process.wait(_STEP_S)}"
        except subprocess.TimeoutExpired:
            continue
    return f"ended after {limit_s:g} s, before it was done"


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:  # nothing is left
        pass
    process.wait()


class _Output(Thread):
    """Reads to the end, and keeps the beginning and the end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(daemon=True)
        self.pipe = process.stdout
        self.head = bytearray()
        self.tail = bytearray()
        self.size = 0

    def run(self) -> None:
        if self.pipe is None:
            return
        with self.pipe as pipe:
            while piece := os.read(pipe.fileno(), _PIECE):
                self.size += len(piece)
                room = MOST_BYTES // 2 - len(self.head)
                self.head += piece[:room]
                self.tail += piece[room:] if room > 0 else piece
                del self.tail[: -MOST_BYTES // 2]

    def text(self) -> str:
        left_out = self.size - len(self.head) - len(self.tail)
        between = f"\n[{left_out:,} bytes left out]\n".encode() if left_out else b""
        return bytes(self.head + between + self.tail).decode("utf-8", "replace")
