"""A conversation at a terminal: a line with history and completion, answers as Markdown while they come.

Enter sends; Alt-Enter, or Enter behind a backslash, begins another line. The history lies in `chat/history` of the
archive, secrets masked.
"""

from __future__ import annotations

import os

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings
from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from harkback.chat.commands import COMMANDS
from harkback.chat.conversation import FOLDER
from harkback.redact import masker
from harkback.telling import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyPressEvent

_PROMPT = "> "
_REFRESHES_A_SECOND = 12
_YES = frozenset({"y", "yes", "是", "好", "はい"})
_FENCES = ("```", "~~~")


class Terminal:
    """Where a person types and reads."""

    def __init__(self, data: str, *, ready: Callable[[], None], colors: bool) -> None:
        """`ready` is called whenever the line can be typed on."""
        folder = os.path.join(data, FOLDER)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.console = Console(highlight=False, no_color=not colors)
        self.ready = ready
        self._session: PromptSession[str] = PromptSession(
            history=_Masked(os.path.join(folder, "history")),
            completer=_Commands(),
            complete_while_typing=True,
            multiline=True,
            key_bindings=_keys(),
            prompt_continuation=lambda width, _, __: " " * width,
        )

    def read(self) -> str | None:
        """Let a person type; None for Ctrl-D. Raises KeyboardInterrupt for Ctrl-C."""
        try:
            return self._session.prompt(_PROMPT, pre_run=self.ready)
        except EOFError:
            return None

    def answer(self, pieces: Iterator[str]) -> None:
        """Render what comes as Markdown; what is finished of it is not drawn again."""
        text = ""
        with self._live() as live:
            for piece in pieces:
                is_first = not text
                text += plain(piece)
                end = settled(text)
                if end:
                    live.console.print(Markdown(text[:end]))
                    live.console.print()
                    text = text[end:]
                live.update(Markdown(text), refresh=is_first)

    def say(self, text: str) -> None:
        """Show lines as they stand."""
        self.console.print(Text(plain(text)))

    def note(self, text: str) -> None:
        """Show a line on the side."""
        self.console.print(Text(plain(text), style="dim"))

    def confirms(self, text: str, question: str) -> bool | None:
        """Show a text and ask for a yes; Ctrl-D is none. Raises KeyboardInterrupt."""
        self.console.print(Text(plain(text), style="bold"))
        try:
            return PromptSession[str]().prompt(f"{question} [y/N] ").strip().lower() in _YES
        except EOFError:
            return False

    def _live(self) -> Live:
        return Live(console=self.console, refresh_per_second=_REFRESHES_A_SECOND, vertical_overflow="crop")


def settled(text: str) -> int:
    """Say up to where a text that grows holds whole blocks of Markdown: the last empty line outside of code."""
    end = at = 0
    is_code = False
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line.lstrip().startswith(_FENCES):
            is_code = not is_code
        elif not line.strip() and line.endswith("\n") and not is_code:
            end = at
    return end


class _Masked(FileHistory):
    """The history on disk, without secrets."""

    def store_string(self, string: str) -> None:
        super().store_string(masker().mask(string)[0])


class _Commands(Completer):
    """Completes what begins with a slash."""

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - prompt_toolkit's
        typed = document.text_before_cursor
        if typed.startswith("/") and " " not in typed:
            for one in COMMANDS:
                if one.name.startswith(typed):
                    yield Completion(one.name, -len(typed), display_meta=one.help)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.char_before_cursor == "\\" and buffer.document.is_cursor_at_the_end:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
