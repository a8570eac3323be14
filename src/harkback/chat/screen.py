"""Where a conversation is read from and written to: pipes here, a terminal in `terminal`."""

from __future__ import annotations

import sys

from harkback.telling import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    class Screen(Protocol):
        """What a conversation needs of the outside."""

        def read(self) -> str | None:
            """Wait for the next thing that is said; None at the end. Raises KeyboardInterrupt."""

        def answer(self, pieces: Iterator[str]) -> None:
            """Show an answer while it comes. Raises what `pieces` raises, after what came was shown."""

        def say(self, text: str) -> None:
            """Show what was asked for: a line, or several."""

        def note(self, text: str) -> None:
            """Say something on the side."""

        def confirms(self, text: str, question: str) -> bool | None:
            """Show a text as it is and ask for a yes; None where nobody can be asked. Raises KeyboardInterrupt."""


class Pipes:
    """Standard input and output: a line is something said; one that ends with a backslash goes on in the next."""

    def read(self) -> str | None:
        """Read on to the end of what is said."""
        if sys.stdin is None:  # closed by whoever started us
            return None
        lines: list[str] = []
        while line := sys.stdin.readline():
            line = line.rstrip("\r\n")
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line[:-1])
        return "\n".join(lines) if lines else None

    def answer(self, pieces: Iterator[str]) -> None:
        """Write each piece as it comes."""
        has_come = False
        try:
            for piece in pieces:
                has_come = has_come or bool(piece)
                self._write(plain(piece))
        finally:
            self._write("\n" if has_come else "")

    def say(self, text: str) -> None:
        """Write lines."""
        self._write(f"{plain(text)}\n")

    def note(self, text: str) -> None:
        """Write a line to standard error."""
        sys.stdout.flush()
        if sys.stderr is not None:
            sys.stderr.write(f"{plain(text)}\n")
            sys.stderr.flush()

    def confirms(self, text: str, question: str) -> bool | None:  # noqa: ARG002 - as every screen has it
        """Ask nobody: what comes next in a pipe is no answer."""
        return None

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
