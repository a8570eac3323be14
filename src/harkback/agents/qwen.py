"""Qwen Code: settings.json with hooks and servers, QWEN.md and skills (measured with 0.24)."""

from __future__ import annotations

import os

from harkback.agents import gemini, parts
from harkback.agents.program import Agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.agents.program import Part, Wanted, Where


def _folder(where: Where) -> str:
    return where.folder("QWEN_HOME", ".qwen")


def _parts(where: Where, wanted: Wanted) -> list[Part]:
    folder = _folder(where)
    return [
        parts.settings(os.path.join(folder, "settings.json"), gemini.edits(wanted, "UserPromptSubmit")),
        parts.rule(os.path.join(folder, "QWEN.md"), wanted),
        parts.skill(os.path.join(folder, "skills"), wanted),
    ]


AGENT = Agent("qwen", "Qwen Code", "qwen", _folder, _parts)
