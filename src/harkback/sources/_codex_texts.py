"""What Codex writes into texts besides a person's own words, and around a tool's output.

Source of the wrappers: codex-rs/core/src/context/contextual_user_message.rs, and files of 0.55 to 0.171.
"""

from __future__ import annotations

import re

import orjson

from harkback.sources._values import joined, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEADS = (
    "# AGENTS.md instructions",
    "<user_instructions>",
    "<environment_context>",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<user_action>",
    "<subagent_notification>",
    "<codex_internal_context",
    "<goal_context>",
    "<recommended_plugins>",
    "<external_",
    "<hook_prompt",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<model_switch>",
    "Warning: apply_patch was requested via",
    "Warning: The maximum number of unified exec",
    "Warning: Your account was flagged",
    "Another language model started to solve this problem",
    "<harkback",
)

# An editor puts what is open and selected before the words, under one of these headings.
_EDITOR_HEADS = ("# Context from my IDE setup:", "# Files mentioned by the user:", "# In app browser:")
_REQUEST = "## My request for Codex:"

_SHELL = re.compile(
    r"<user_shell_command>\s*<command>\s*(.*?)\s*</command>\s*<result>\s*(.*?)\s*</result>\s*</user_shell_command>",
    re.DOTALL,
)
_HEADER = re.compile(
    r"\A(?:(?:Chunk ID|Wall time|Original token count|Total output lines|Duration)\b.*\n"
    r"|(?:Process exited with code|Exit code:) 0\n)+(?:Output:\n)?"
)
_EXIT = re.compile(r"^((?:Process exited with code|Exit code:) \d+)$", re.MULTILINE)
_OUTPUT = "Output:\n"
_HEADER_LIMIT = 400


def injected(text: str) -> bool:
    """Tell by its beginning that the program, not a person, wrote a text of a user's message."""
    return text.lstrip().startswith(_HEADS)


def of_person(text: str) -> tuple[str, str]:
    """Part a prompt into the person's words and what an editor or a hook put before them."""
    start = text.lstrip()
    if start.startswith(_EDITOR_HEADS):
        before, mark, words = start.rpartition(_REQUEST)
        if mark:
            return words, before
    return ("", text) if injected(text) else (text, "")


def shell_command(text: str) -> tuple[str, str] | None:
    """Read a command that a person ran with `!`: command and output; None if the text is none."""
    found = _SHELL.fullmatch(text.strip())
    return None if found is None else (found[1], without_header(found[2]))


def result_text(value: Any) -> str:
    """Read a tool's output: a string, blocks, or (up to 2025) JSON with `output` and `metadata`; no header."""
    if type(value) is dict:
        value = value.get("content") or value.get("output")
    text = joined(value)
    if text.startswith('{"output":'):
        try:
            inner = orjson.loads(text)
        except ValueError:
            inner = None
        text = (string(inner.get("output")) if type(inner) is dict else "") or text
    return without_header(text)


def without_header(text: str) -> str:
    """Drop what Codex writes over a command's output, but for the exit code of one that failed."""
    head, mark, body = text.partition(_OUTPUT)
    if not mark or len(head) > _HEADER_LIMIT or not (_HEADER.match(head + mark) or _EXIT.search(head)):
        return text
    failed = [code for code in _EXIT.findall(head) if not code.endswith(" 0")]
    return "\n".join([*failed, body])
