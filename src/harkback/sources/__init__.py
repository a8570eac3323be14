"""Transcript formats: one module per agent, listed in one table, imported when asked for."""

from __future__ import annotations

from harkback.errors import BadValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from typing import Protocol

    from harkback.model import Bounds, Checkpoint, Record, Transcript

    class Source(Protocol):
        """What a module in the table offers. Nothing here raises for what it finds on disk."""

        @property
        def NAME(self) -> str:  # noqa: N802 - a constant of a module
            """The agent's name, as in the table."""

        @property
        def PARSER(self) -> int:  # noqa: N802 - a constant of a module
            """Raised when the reading changes, so that existing transcripts are read again."""

        @property
        def WHERE(self) -> str:  # noqa: N802 - a constant of a module
            """Where transcripts are looked for, as a person reads it."""

        @property
        def VARIABLES(self) -> tuple[str, ...]:  # noqa: N802 - a constant of a module
            """The environment variables that name another place."""

        def roots(self, home: str, env: Mapping[str, str]) -> list[str]:
            """List the agent's existing config folders, each once."""

        def discover(self, home: str, env: Mapping[str, str]) -> Iterator[Transcript]:
            """Find every transcript; called by a full sync."""

        def folders(self, home: str, env: Mapping[str, str]) -> list[str]:
            """List the folders whose mtime changes when a new transcript appears in them."""

        def look(self, folder: str, known: Container[str]) -> Iterator[tuple[str, list[Transcript]]]:
            """Look again into one of `folders`, whose mtime changed, and into those below it not `known`."""

        def recent(self, home: str, env: Mapping[str, str]) -> Iterator[str]:
            """Give the paths of the transcripts that the agent's own activity file names, newest first."""

        def names_mark(self, home: str, env: Mapping[str, str]) -> str:
            """Tell whether names that stand outside the transcripts may have changed; "" where there are none."""

        def names(self, home: str, env: Mapping[str, str]) -> dict[str, tuple[str, int]]:
            """Give these names, with their rank as titles, by the agent's own id; asked when the mark has changed."""

        def read(
            self,
            transcript: Transcript,
            checkpoint: Checkpoint | None,
            *,
            full: bool = False,
            bounds: Bounds | None = None,
        ) -> Iterator[Record]:
            """Read what was appended since `checkpoint`; ends with `Session` and `Checkpoint`.

            A `Session` also comes before the first message, once the folder is known, and with a `Checkpoint`
            after every 8 MB, where a batch may end. Tools' output is cut to `bounds`. With `full` texts are not
            bounded, calls without telling arguments are given too, and messages carry `More`, even where they have
            no part.
            """


SOURCES: dict[str, str] = {
    "claude-code": "harkback.sources.claude_code",
    "codex": "harkback.sources.codex",
    "pi": "harkback.sources.pi",
    "hark-chat": "harkback.sources.hark_chat",
}
"""Agent name -> module."""


def source(name: str) -> Source:
    """Import the module that reads the transcripts of agent `name`; raises BadValue for an unknown one."""
    if name not in SOURCES:
        raise BadValue("agent", name, f"Known agents: {', '.join(SOURCES)}.")
    # `importlib` costs 1 ms at start-up for what the interpreter's own import does just as well.
    module: Source = __import__(SOURCES[name], fromlist=("NAME",))
    return module
