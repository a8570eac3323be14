"""Codex's transcripts: what their records say.

Three generations (seen in files that the real program wrote, 0.96 to 0.171, and in public samples from mid-2025 on).
*Bare*: response items as they are. *Legacy*: `{timestamp, type, payload}`, where events tell what people and agents
said and response items repeat it as the model saw it. *Paginated*: events of type `item_completed` tell it. In all of
them tools are told by response items. Types and fields: codex-rs/protocol/src/protocol.rs, models.rs.
"""

from __future__ import annotations

import re

from harkback._record import NamedTuple
from harkback.model import (
    ASSISTANT,
    HOOK,
    META,
    OUTPUT,
    SUMMARY,
    SYSTEM,
    TALK,
    THINKING,
    TOOL,
    USER,
    Message,
    More,
    Part,
    Tokens,
)
from harkback.sources import _reading
from harkback.sources._calls import strings
from harkback.sources._codex_calls import command_of, made_call
from harkback.sources._codex_names import NAMED
from harkback.sources._codex_session import EVENT, ITEM, NOTHING, PROMPT, RESPONSE, Facts
from harkback.sources._codex_texts import injected, of_person, result_text, shell_command
from harkback.sources._values import (
    OWN_FRAME,
    count,
    cut,
    digest,
    joined,
    string,
    time_ms,
)
from harkback.text.clean import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from harkback.model import Bounds, Checkpoint, Record, Transcript

    Made = Message | list[Message] | None


class At(NamedTuple):
    """Where a record stands, and when it was written."""

    offset: int
    length: int
    moment: int | None


_CWD = re.compile(r"<cwd>(.*?)</cwd>|Current working directory: (.*)")
_SKILL = re.compile(r"<skill>\s*<name>(.*?)</name>")


def read(
    transcript: Transcript, checkpoint: Checkpoint | None, *, full: bool, bounds: Bounds | None
) -> Iterator[Record]:
    """Read what was appended since `checkpoint`; see `sources.Source`."""
    return _reading.read(transcript, checkpoint, lambda one: _Rows(Facts(one), full=full, bounds=bounds))


class _Rows(_reading.Rows):
    """Makes messages of records, one after the other."""

    def __init__(self, facts: Facts, *, full: bool, bounds: Bounds | None) -> None:
        super().__init__(full=full, bounds=bounds)
        self.facts: Facts = facts
        self.held: Message | None = None
        """A prompt told by a response item, in a file that has told no event yet: its event comes next, or never."""
        self.ordinal: object = None
        self.kinds: dict[str, Callable[[At, dict[str, Any]], Made]] = {
            "compacted": self.compacted,
            "event_msg": self.event,
            "response_item": self.response_item,
            "session_meta": self.session_meta,
            "token_usage_record": self.answer_tokens,
            "turn_context": self.turn_context,
        }
        self.items: dict[str, Callable[[At, dict[str, Any]], Made]] = {
            "message": self.message,
            "reasoning": self.reasoning,
            "function_call": self.call,
            "custom_tool_call": self.call,
            "local_shell_call": self.call,
            "web_search_call": self.call,
            "tool_search_call": self.call,
            "image_generation_call": self.call,
            "function_call_output": self.result,
            "custom_tool_call_output": self.result,
            "tool_search_output": self.result,
        }
        self.events: dict[str, Callable[[At, dict[str, Any]], Made]] = {
            "user_message": self.user_message,
            "agent_message": self.agent_message,
            "agent_reasoning": self.agent_reasoning,
            "item_completed": self.item_completed,
            "token_count": self.token_count,
            "exited_review_mode": self.reviewed,
            "thread_name_updated": self.named,
            "task_started": self.turn_began,
            "turn_started": self.turn_began,
        }

    def end(self) -> list[Message]:
        """Give the prompt whose event has not come."""
        held, self.held = self.held, None
        return [] if held is None else [held]

    def record(self, offset: int, length: int, row: dict[str, Any]) -> Made:
        """Take in one record; what it says, None if it says nothing."""
        facts = self.facts
        kind, payload = string(row.get("type")), row.get("payload")
        moment = time_ms(row.get("timestamp"))
        facts.note_time(moment)
        self.ordinal = row.get("ordinal")
        if type(payload) is dict:
            read_kind = self.kinds.get(kind)
            return None if read_kind is None else self.in_order(read_kind, At(offset, length, moment), payload)
        # Bare: the first line is the thread's, the others are response items without a time.
        if kind:
            at = At(offset, length, facts.started)
            return None if kind in self.kinds else self.in_order(self.response_item, at, row)
        if "record_type" not in row:
            facts.note_meta(row)
        return None

    def in_order(self, read_it: Callable[[At, dict[str, Any]], Made], at: At, payload: dict[str, Any]) -> Made:
        """Read a record; a prompt that waits for its event is given before whatever else is said."""
        waiting = self.held
        made = read_it(at, payload)
        if waiting is None or made is None or self.held is not waiting:
            return made
        return [*self.end(), *(made if type(made) is list else [made])]

    def session_meta(self, _: At, meta: dict[str, Any]) -> Made:
        """Take in which thread this is."""
        self.facts.note_meta(meta)
        return None

    def turn_context(self, _: At, turn: dict[str, Any]) -> Made:
        """Take in where and with which model a turn runs."""
        facts = self.facts
        facts.note_turn(turn.get("turn_id"))
        facts.note_cwd(turn.get("cwd"))
        facts.model = string(turn.get("model")) or facts.model
        facts.effort = string(turn.get("effort")) or facts.effort
        return None

    def event(self, at: At, event: dict[str, Any]) -> Made:
        """Read an event. Those that tell nothing may stand between a prompt and its event."""
        read_event = self.events.get(string(event.get("type")))
        return None if read_event is None else read_event(at, event)

    def response_item(self, at: At, item: dict[str, Any]) -> Made:
        """Read what the model was given or gave; first the prompt that waited for an event: none has come."""
        held = self.end()
        passed = item.get("internal_chat_message_metadata_passthrough")
        if type(passed) is dict:
            self.facts.note_turn(passed.get("turn_id"))
        read_item = self.items.get(string(item.get("type")))
        made = None if read_item is None else read_item(at, item)
        if not held:
            return made
        return [*held, *([] if made is None else made if type(made) is list else [made])]

    def make(self, at: At, key: str, role: int, parts: list[Part], more: More | None = None) -> Message | None:
        """Make a message of what has a text."""
        kept = tuple(part for part in parts if part.text or part.args is not None)
        if not kept:
            return None
        facts = self.facts
        if self.full:
            more = (more or More())._replace(effort=facts.effort)
        said = kept[0].lane
        if said == TALK:
            facts.say(kept[0].text)
        model = facts.model if role == ASSISTANT and kept[0].kind != META else ""
        return Message(key, at.offset, at.length, role, at.moment, kept, "", model, facts.branch, more)

    # -- what people and agents say --------------------------------------------------------------------------------

    def user_message(self, at: At, event: dict[str, Any]) -> Made:
        """Read a prompt of a legacy file."""
        self.facts.tells_prompts = True
        return self.event_prompt(at, EVENT, string(event.get("message")))

    def event_prompt(self, at: At, stream: int, text: str) -> Made:
        """Make a prompt that an event tells, unless the response item that waits for it told it before."""
        before = self.end()
        prompt = self.prompt(at, stream, text)
        return before if prompt is None else [*before, prompt]

    def prompt(self, at: At, stream: int, text: str) -> Message | None:
        """Make a prompt, or a subagent's task, unless another stream has told it."""
        words, around = of_person(text)
        words = clean(words).strip()
        if not words:
            return self.injection(at, around)
        key = self.facts.tell(stream, "prompt", words)
        if key is None:
            return None
        is_task = self.facts.relation == "subagent" and not self.facts.is_inherited(self.ordinal)
        self.facts.entitle(words, PROMPT)
        parts = [Part(TALK, words, kind=META if is_task else ""), *([self.context(around)] if around else [])]
        return self.make(at, key, ASSISTANT if is_task else USER, parts)

    def agent_message(self, at: At, event: dict[str, Any]) -> Made:
        """Read an answer of a legacy file."""
        self.facts.tells_answers = True
        return self.answer(at, EVENT, string(event.get("message")))

    def answer(self, at: At, stream: int, text: str) -> Message | None:
        """Make an answer, unless another stream has told it."""
        quoted: list[tuple[str, str]] = []
        if "<harkback" in text:
            text, quoted = cut(text, OWN_FRAME)
        text = clean(text).strip()
        key = self.facts.tell(stream, "answer", text) if text else None
        if key is None:
            return None
        return self.make(at, key, ASSISTANT, [Part(TALK, text), *(self.context(inner) for _, inner in quoted)])

    def agent_reasoning(self, at: At, event: dict[str, Any]) -> Made:
        """Read what the agent thinks, of a legacy file."""
        return self.thought(at, EVENT, string(event.get("text")))

    def thought(self, at: At, stream: int, text: str) -> Message | None:
        """Make a thought, unless another stream has told it."""
        text = clean(text).strip()
        key = self.facts.tell(stream, "thought", text) if text else None
        return None if key is None else self.make(at, key, ASSISTANT, [Part(THINKING, text)])

    def item_completed(self, at: At, event: dict[str, Any]) -> Made:
        """Read what a paginated file tells; its other items repeat the calls of response items."""
        facts, item = self.facts, event.get("item")
        if type(item) is not dict:
            return None
        facts.note_turn(event.get("turn_id"))
        kind, content = item.get("type"), joined(item.get("content"))
        facts.tells_prompts = facts.tells_prompts or kind == "UserMessage"
        facts.tells_answers = facts.tells_answers or kind == "AgentMessage"
        if kind == "UserMessage":
            return self.event_prompt(at, ITEM, content)
        if kind in ("AgentMessage", "Plan"):
            return self.answer(at, ITEM, content or string(item.get("text")))
        if kind == "Reasoning":
            return self.thought(at, ITEM, joined(item.get("summary_text")) or joined(item.get("raw_content")))
        if kind == "CommandExecution" and item.get("source") == "user_shell":
            return self.own_command(at, ITEM, command_of(item.get("command")), string(item.get("aggregated_output")))
        return None

    def own_command(self, at: At, stream: int, command: str, result: str) -> Message | None:
        """Make what a person ran with `!`."""
        words = f"! {clean(command).strip()}"
        key = self.facts.tell(stream, "prompt", words)
        self.facts.entitle(words, NOTHING)
        return None if key is None else self.make(at, key, USER, [Part(TALK, words), Part(OUTPUT, self.output(result))])

    # -- response items --------------------------------------------------------------------------------------------

    def message(self, at: At, item: dict[str, Any]) -> Made:
        """Read a message: what is injected, and what people and agents say where no event tells it."""
        role, text, kinds = item.get("role"), joined(item.get("content")), _kinds(item)
        if role == "user":
            return self.user_item(at, *_sorted_blocks(item, kinds))
        if role == "assistant":
            return None if self.facts.tells_answers else self.answer(at, RESPONSE, text)
        is_hook = any(kind.startswith("hooks.") for kind in kinds)
        return self.injection(at, text, HOOK if is_hook else "")

    def user_item(self, at: At, said: str, around: str) -> Made:
        """Read a message in the person's name: `said` may be the person's words, `around` was put in."""
        own = shell_command(around)
        if own is not None:
            return self.own_command(at, RESPONSE, *own)
        injection = self.injection(at, around)
        if said and not self.facts.tells_prompts:
            self.held = self.prompt(at, RESPONSE, said)
        return injection

    def injection(self, at: At, text: str, kind: str = "") -> Message | None:
        """Make what the harness says."""
        if not text.strip():
            return None
        facts = self.facts
        if not facts.cwd and (found := _CWD.search(text)):
            facts.note_cwd((found[1] or found[2]).strip())  # all that a bare file says of it
        skill = _SKILL.search(text) if self.full else None
        key = facts.tell(RESPONSE, "context", text)
        if key is None:
            return None
        part = self.context(text)._replace(kind=kind)
        return self.make(at, key, SYSTEM, [part], More(skill=skill[1]) if skill else None)

    def reasoning(self, at: At, item: dict[str, Any]) -> Made:
        """Read what the agent thinks, where no event tells it."""
        if self.facts.tells_answers:
            return None
        return self.thought(at, RESPONSE, joined(item.get("summary")) or joined(item.get("content")))

    def call(self, at: At, item: dict[str, Any]) -> Made:
        """Read a tool's call."""
        tool, part, more = made_call(item, full=self.full)
        identity = string(item.get("call_id")) or string(item.get("id"))
        self.facts.pending(identity, tool)
        if part is None:
            return None
        key = self.facts.key("call", identity or digest(part.text))
        return self.make(at, key, ASSISTANT, self.of_call([part], identity), more)

    def result(self, at: At, item: dict[str, Any]) -> Made:
        """Read a tool's result."""
        call = string(item.get("call_id"))
        tool = self.facts.calls.pop(call, "")
        text = result_text(item.get("output"))
        injections: list[tuple[str, str]] = []
        if "<harkback" in text:
            text, injections = cut(text, OWN_FRAME)
        parts = [Part(OUTPUT, self.output(text), tool), *(self.context(inner) for _, inner in injections)]
        return self.make(at, self.facts.key("result", call or digest(text)), TOOL, self.of_call(parts, call))

    def compacted(self, at: At, payload: dict[str, Any]) -> Made:
        """Read the summary of a compaction; what else stands there repeats the history."""
        text = clean(string(payload.get("message"))).strip()
        return self.make(at, self.facts.key("summary", digest(text)), SYSTEM, [Part(SUMMARY, text)])

    # -- the rest ---------------------------------------------------------------------------------------------------

    def turn_began(self, _: At, event: dict[str, Any]) -> Made:
        """Take in that a turn begins; whether events will tell what is said in it, this does not say."""
        self.facts.note_turn(event.get("turn_id"))
        return None

    def named(self, _: At, event: dict[str, Any]) -> Made:
        """Take in a new name."""
        self.facts.entitle(string(event.get("thread_name")) or string(event.get("name")), NAMED)
        return None

    def reviewed(self, at: At, event: dict[str, Any]) -> Made:
        """Read what a review found; the agent's words on it come as an answer of their own."""
        found = event.get("review_output")
        return self.injection(at, "\n".join(strings(found))) if type(found) is dict else None

    def token_count(self, at: At, event: dict[str, Any]) -> Made:
        """Read what the last answer cost, where no `token_usage_record` says it; repeated until the next answer."""
        facts, info = self.facts, event.get("info")
        if type(info) is not dict or type(whole := info.get("total_token_usage")) is not dict:
            return None
        total = count(whole.get("total_tokens"))
        is_news, facts.total = total != facts.total, total
        if not self.full or not is_news or facts.counts_answers:
            return None
        key = facts.key("tokens", str(total))
        return self.tokens(at, key, info.get("last_token_usage"), key)

    def answer_tokens(self, at: At, payload: dict[str, Any]) -> Made:
        """Read what one answer cost."""
        if not self.full:
            return None
        self.facts.note_turn(payload.get("turn_id"))
        self.facts.counts_answers = True
        answer = string(payload.get("response_id"))
        return self.tokens(at, self.facts.key("tokens", answer or str(at.offset)), payload.get("usage"), answer)

    def tokens(self, at: At, key: str, usage: Any, answer: str) -> Message | None:
        """Make a message that only says what an answer cost. Codex counts the cached tokens as input too."""
        if type(usage) is not dict:
            return None
        cached = count(usage.get("cached_input_tokens"))
        written = count(usage.get("cache_write_input_tokens"))
        fresh = max(0, count(usage.get("input_tokens")) - cached)
        tokens = Tokens(fresh, count(usage.get("output_tokens")), cached, written)
        more = More(self.facts.effort, tokens=tokens, tokens_key=answer)
        return Message(
            key, at.offset, at.length, ASSISTANT, at.moment, (), "", self.facts.model, self.facts.branch, more
        )


def _kinds(item: dict[str, Any]) -> list[str]:
    """Say what the blocks of a message are, where the program says it."""
    passed = item.get("internal_chat_message_metadata_passthrough")
    kinds = passed.get("content_item_kinds") if type(passed) is dict else None
    return [string(kind) for kind in kinds] if type(kinds) is list else []


def _sorted_blocks(item: dict[str, Any], kinds: list[str]) -> tuple[str, str]:
    """Part a user's message into what the person may have said and what was put in."""
    content = item.get("content")
    if type(content) is str:
        return ("", content) if injected(content) else (content, "")
    said: list[str] = []
    around: list[str] = []
    blocks = content if type(content) is list else []
    for number, block in enumerate(blocks):
        text = string(block.get("text")) if type(block) is dict else string(block)
        kind = kinds[number] if number < len(kinds) else ""
        if not text or text.startswith("<image name=") or text.strip() == "</image>":
            continue
        is_own = kind.startswith("user.") if kind and kind != "unknown" else not injected(text)
        (said if is_own else around).append(text)
    return "\n\n".join(said), "\n\n".join(around)
