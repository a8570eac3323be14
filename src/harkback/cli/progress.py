"""A progress bar on a terminal, nothing elsewhere."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from rich.progress import Progress as RichProgress

    from harkback.ingest.reading import Progress

SHOW_AFTER_FILES = 20
"""A sync of fewer transcripts is over before a bar could be read."""


class Bar:
    """Shows how far a long work is; `rich` is imported only when a bar appears."""

    def __init__(self, *, is_shown: bool) -> None:
        """Show nothing at all unless `is_shown`."""
        self.is_shown = is_shown
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def sync(self, at: Progress) -> None:
        """Show how much of the transcripts is read."""
        if self.is_shown and at.files_all >= SHOW_AFTER_FILES:
            self._update(at.bytes_done, at.bytes_all, f"reading {at.files_done:,} of {at.files_all:,} transcripts")

    def parts(self, done: int) -> None:
        """Show how many texts are indexed."""
        if self.is_shown:
            self._update(done, None, f"indexing {done:,} texts")

    def lines(self, done: int, total: int) -> None:
        """Show how many facts are saved."""
        if self.is_shown:
            self._update(done, total, f"saving {done:,} of {total:,} facts")

    def _update(self, done: int, total: int | None, words: str) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(words, total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done, total=total, description=words)
