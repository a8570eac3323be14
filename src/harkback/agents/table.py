"""The agent programs that can be set up."""

from __future__ import annotations

from harkback.agents import claude_code, codex, copilot, gemini, opencode, pi, qwen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.agents.program import Agent

AGENTS: tuple[Agent, ...] = (
    claude_code.AGENT,
    codex.AGENT,
    pi.AGENT,
    opencode.AGENT,
    gemini.AGENT,
    qwen.AGENT,
    copilot.AGENT,
)
BY_NAME = {one.name: one for one in AGENTS}
