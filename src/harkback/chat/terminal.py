"""A conversation at a terminal: a line with history and completion, answers as Markdown while they come.

Enter sends; Alt-Enter, or Enter behind a backslash, begins another line. The history lies in `chat/history` of the
archive, secrets masked.
"""

from __future__ import annotations

import os
from contextlib import suppress

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, Completion
from prompt_toolkit.history import FileHistory
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings
from rich.console import Console
from rich.text import Text

from harkback import errors
from harkback.chat.drawing import Drawing, unechoed
from harkback.redact import masker
from harkback.sources.hark_chat import FOLDER
from harkback.telling import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent

    from harkback.chat.completing import Suggestion

_PROMPT = "> "
_YES = frozenset({"y", "yes", "是", "好", "はい"})


class Terminal:
    """Where a person types and reads."""

    def __init__(
        self, data: str, *, ready: Callable[[], None], suggest: Callable[[str], Iterable[Suggestion]], colors: bool
    ) -> None:
        """`ready` is called whenever the line can be typed on; `suggest` says what may follow, in a thread."""
        self.console = Console(highlight=False, no_color=not colors)
        self.ready = ready
        self._history = _Masked(os.path.join(data, FOLDER, "history"))
        self._session: PromptSession[str] = PromptSession(
            history=self._history,
            completer=_Commands(suggest),
            complete_while_typing=True,
            complete_in_thread=True,
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
        finally:
            if trouble := self._history.news():
                self.note(f"hark: {trouble} The arrow keys find what was typed until this chat ends.")

    def answer(self, pieces: Iterator[str]) -> None:
        """Render what comes as Markdown; what is typed meanwhile waits for the next line."""
        with unechoed(self._session.input), Drawing(self.console) as drawing:
            for piece in pieces:
                drawing.add(plain(piece))

    def say(self, text: str) -> None:
        """Show lines as they stand."""
        self.console.print(Text(plain(text)))

    def note(self, text: str) -> None:
        """Show a line on the side."""
        self.console.print(Text(plain(text), style="dim"))

    def confirms(self, text: str, question: str) -> bool | None:
        """Show a text and ask for a yes, typed after it was shown; Ctrl-D is none. Raises KeyboardInterrupt."""
        self.console.print(Text(plain(text), style="bold"))
        asking = PromptSession[str]()
        _forget_typed(asking.input)
        try:
            return asking.prompt(f"{question} [y/N] ").strip().lower() in _YES
        except EOFError:
            return False


def _forget_typed(source: Input) -> None:
    """Throw away what was typed ahead: it answers nothing that nobody had seen."""
    with source.raw_mode():
        while source.read_keys():
            pass
        source.flush_keys()
    clear_typeahead(source)


class _Masked(FileHistory):
    """The history on disk, without secrets; where it cannot be kept there, that of this chat alone."""

    def __init__(self, filename: str) -> None:
        self._trouble: errors.HarkError | None = None
        self._has_told = False
        super().__init__(filename)

    def news(self) -> str:
        """Say once why it cannot be kept, or nothing."""
        if self._trouble is None or self._has_told:
            return ""
        self._has_told = True
        return str(self._trouble)

    def load_history_strings(self) -> Iterable[str]:
        try:
            return list(super().load_history_strings())
        except OSError as error:
            self._trouble = errors.FileUnreadable(self.filename, error.strerror or error)
            return []

    def store_string(self, string: str) -> None:
        with suppress(OSError):
            os.makedirs(os.path.dirname(self.filename), mode=0o700, exist_ok=True)
        try:
            super().store_string(masker().mask(string)[0])
        except OSError as error:
            self._trouble = errors.FileUnwritable(self.filename, error.strerror or error)


class _Commands(Completer):
    """Completes what begins with a slash."""

    def __init__(self, suggest: Callable[[str], Iterable[Suggestion]]) -> None:
        self._suggest = suggest

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - prompt_toolkit's
        for one in self._suggest(document.text_before_cursor):
            yield Completion(one.text, -one.typed, display_meta=one.help)


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
