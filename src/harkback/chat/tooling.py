"""What the model may have done: our own tools as other agents have them, and a shell once it was switched on.

Every call is shown. A shell command is shown as a whole and run only after a yes to just that one.
"""

from __future__ import annotations

import os

from harkback.chat import shell
from harkback.chat.backing import comes_from
from harkback.mcp.calls import Caller, Calls
from harkback.mcp.catalogue import READ_SESSION, SAVE_MEMORY, SEARCH_MEMORY, SEARCH_SESSIONS
from harkback.models.chatting import KEYS, Tool
from harkback.redact import masker
from harkback.sources.hark_chat import NAME
from harkback.telling import line, plain
from harkback.text.shorten import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harkback.chat.conversation import Conversation
    from harkback.chat.screen import Screen
    from harkback.chat.talking import Door
    from harkback.models.chatting import Call

SHELL = "shell"
_OURS = tuple(
    Tool(one.name, one.description, one.schema) for one in (SEARCH_MEMORY, SAVE_MEMORY, SEARCH_SESSIONS, READ_SESSION)
)
_SHELL = Tool(
    SHELL,
    "Run one shell command on the user's machine, in the folder where the user is, without input, for two minutes at"
    " most. The user is shown the command and may refuse it. Gives its exit status and output, the middle left out"
    " where it is long.",
    {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "The command"}},
        "required": ["command"],
        "additionalProperties": False,
    },
)
_SHOWN_CHARS = 100


class Toolbox:
    """The tools of one chat."""

    def __init__(self, door: Door) -> None:
        """`door` opens the archive anew for each call."""
        self.door = door
        self.has_shell = False
        """Whether the person has switched it on; forgotten when the program ends."""
        self._calls = Calls(door)

    def offered(self) -> tuple[Tool, ...]:
        """Say what the model may call now."""
        ours = _OURS if self.door.settings.is_on("chat.tools") else ()
        return (*ours, _SHELL) if self.has_shell else ours

    def run(self, call: Call, conversation: Conversation, screen: Screen) -> str:
        """Do one call; gives what the model is told. Raises KeyboardInterrupt.

        A search does not find the conversation; a memory names it, and has to come from what the person said in it.
        """
        session = conversation.native
        if call.arguments is None:
            return "The arguments are no JSON object. Call it again with one."
        if call.tool == SHELL:
            return self._shell(call.arguments.get("command"), session, screen)
        if call.tool not in {one.name for one in self.offered()}:
            return f"There is no tool {call.tool[:60]!r}."
        screen.note(f"· {shown(call)}")
        if call.tool == SAVE_MEMORY.name and not comes_from(str(call.arguments.get("text", "")), conversation.turns):
            screen.note(f"  {_NOT_SAID}")
            return _NOT_SAID
        return self._ours(call.tool, call.arguments, session, screen)

    def _ours(self, tool: str, arguments: dict[str, Any], session: str, screen: Screen) -> str:
        told = self._calls.call(tool, arguments, Caller(asking=_asking(session)))
        if tool == SAVE_MEMORY.name:
            screen.note(f"  {line(told.text)}")
        return told.text

    def _shell(self, command: object, session: str, screen: Screen) -> str:
        if not self.has_shell:
            return "The user has not switched the shell on (/shell on)."
        if not isinstance(command, str) or not command.strip():
            return "command holds nothing. Give the command as a text."
        if plain(command) != command:
            return "The command holds characters that cannot be shown. Write it without them."
        if refused := _REFUSALS.get(screen.confirms(command, "The model wants this run here. Run it?")):
            return refused
        try:
            env = {name: value for name, value in os.environ.items() if name not in KEYS}  # they would stand in `env`
            told = shell.run(command, self.door.cwd, {**env, **_asking(session)})
        except OSError as error:
            return f"It could not be run: {error}"
        screen.note(told)
        return masker().mask(told)[0]


_NOT_SAID = "Not saved: the user did not say this here. Tell them what you would save, and save it when they agree."
_REFUSALS: dict[bool | None, str] = {
    None: "Nobody can be asked whether it may be run: that needs a terminal. It was not run.",
    False: "The user does not want it run. Do not try again unless asked.",
}


def _asking(session: str) -> dict[str, str]:
    from harkback.agents import ASKING

    return {name: session for agent, name in ASKING if agent == NAME}


def shown(call: Call) -> str:
    """Write a call as one line, cut where it is long."""
    told = ", ".join(
        f"{name}={', '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in (call.arguments or {}).items()
    )
    return shorten(line(f"{call.tool} {masker().mask(told)[0]}"), _SHOWN_CHARS)
