"""What Claude Code attaches to a conversation: hooks' output, mentioned files, instructions, bookkeeping.

`attachment.type` values: transcripts of versions 2.1.104 and 2.1.332 and public samples between. Queued
messages, which are attachments too, are a person's words and are read with the rows.
"""

from __future__ import annotations

from harkback.sources._values import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Those whose text lies deeper than in `text` or `content`.
_STRUCTURED = frozenset(
    {
        "edited_text_file",
        "file",
        "hook_additional_context",
        "hook_blocking_error",
        "hook_non_blocking_error",
        "hook_stopped_continuation",
        "instructions",
        "invoked_skills",
        "mcp_instructions_delta",
        "nested_memory",
        "plan_file_reference",
        "plan_mode",
        "selected_lines_in_ide",
    }
)

# Those that say nothing about the work, though some hold long texts.
_BOOKKEEPING = frozenset(
    {
        "agent_listing_delta",
        "command_permissions",
        "compact_file_reference",
        "date",
        "date_change",
        "deferred_tools_delta",
        "deferred_tools_record",
        "environment",
        "hook_cancelled",
        "model",
        "prompt_snapshot",
        "remote_session_change",
        "session_context",
        "skill_listing",
        "task_reminder",
        "todo",
        "todo_reminder",
        "total_tokens_reminder",
    }
)

_TEXT_KEYS = frozenset(
    {
        "addedBlocks",
        "blockingError",
        "content",
        "file",
        "filename",
        "files",
        "message",
        "name",
        "path",
        "planContent",
        "skills",
        "snippet",
        "stderr",
        "stdout",
        "text",
    }
)
_DEPTH = 5


def attached(attachment: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Read the text that the model was shown and the files it names; nothing for bookkeeping."""
    kind = attachment.get("type")
    if type(kind) is not str or kind in _BOOKKEEPING:
        return []
    files: tuple[str, ...] = ()
    if kind == "hook_success":
        text = string(attachment.get("content")) or string(attachment.get("stdout"))
        # A hook that answers in JSON: what it injects comes again as hook_additional_context.
        text = "" if text.lstrip().startswith("{") else text
    elif kind in _STRUCTURED:
        text = "\n".join(_texts(attachment, _DEPTH))
        name = string(attachment.get("filename"))
        files = (name,) if name else ()
    else:
        text = string(attachment.get("text")) or string(attachment.get("content"))
    return [(text, files)] if text.strip() else []


def _texts(value: Any, depth: int) -> Iterator[str]:
    if type(value) is str:
        if value.strip():
            yield value
    elif depth and type(value) is list:
        for one in value:
            yield from _texts(one, depth - 1)
    elif depth and type(value) is dict and value.get("type") != "image":
        for key, one in value.items():
            if key in _TEXT_KEYS:
                yield from _texts(one, depth - 1)
