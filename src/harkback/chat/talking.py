"""One chat: what is said goes to the memory or to the model, and every turn is written down."""

from __future__ import annotations

from contextlib import suppress
from math import ceil
from threading import Lock, Thread

from harkback import errors
from harkback.archive.memories import Details
from harkback.chat import phrases
from harkback.chat.compaction import MESSAGE_TOKENS, compact, estimate
from harkback.chat.conversation import Conversation, clock_ms, earlier, native_of, paths
from harkback.chat.offering import kind_of, offer
from harkback.chat.prompting import Past, system_message
from harkback.chat.remembering import Remembering, is_waiting, told_of
from harkback.chat.tooling import Toolbox, shown
from harkback.memory.recall import Wanted
from harkback.models.chatting import MODEL, PERSON, Line
from harkback.sources.hark_chat import NAME
from harkback.telling import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Protocol

    from harkback.archive.memories import Memories
    from harkback.archive.sessions import Archive
    from harkback.chat.screen import Screen
    from harkback.config import Settings
    from harkback.memory.recall import Recalled
    from harkback.models.chatting import Answer, Call, Chatter, Tool

    class Door(Protocol):
        """How the archive is opened: anew for each turn, with the time of that turn."""

        settings: Settings
        cwd: str

        def both(self, asking: Mapping[str, str]) -> tuple[Archive, Memories]:
            """Open both halves."""

        def in_step(self, memories: Memories) -> None:
            """Bring the server and folders in step with the memories."""

        def sync_later(self) -> None:
            """Let a sync run beside us for what an answer has no time for."""


_HOUR_MS = 3_600_000
_MOST_PAST = 10
_MOST_ROUNDS = 8
"""So many times in one answer the model may have something done."""
_ENOUGH = "No more can be done in this answer. Answer with what you have."
_MOST_OFF = 4.0
"""An estimate of tokens is corrected by this factor at most, up or down."""


class Chat:
    """One person and one model, in one conversation after the other."""

    def __init__(self, door: Door, screen: Screen, load: Callable[[str], Chatter], model: str) -> None:
        """`load` opens the model of a name. Raises NoModel, BadValue, NoChatKey, BadChatKey, ExtraMissing."""
        self.door = door
        self.screen = screen
        self.load = load
        self.model = model
        self.used: tuple[Recalled, ...] = ()
        """The memories that the last answer was given with."""
        self.looked: list[str] = []
        """What the model had done for it."""
        self.first = 0
        """So many of the turns are no longer shown to the model."""
        self.has_offered = False
        self.remembering = Remembering(self.memories, door.in_step, door.settings.number("chat.window_tokens") // 2)
        self.tools = Toolbox(door)
        self._tokens_each = 1.0
        """What the provider counted for each token that we estimated, at the last request."""
        self._every = door.settings.number("chat.extract_every")
        self._taken = 0
        """So many turns were handed over to be remembered."""
        self._looked_back = False
        self._past: list[Past] | None = None
        self._chatter: Chatter | None = None
        self._loading = Lock()
        self._is_warm = False
        memories = self.memories()
        self.data = memories.place.data
        self.conversation = Conversation.begin(self.data, memories.now_ms, door.cwd)

    @property
    def chatter(self) -> Chatter:
        """The model, opened when it is first needed. Raises NoModel, BadValue, NoChatKey, BadChatKey, ExtraMissing."""
        with self._loading:
            if self._chatter is None:
                self._chatter = self.load(self.model)
            return self._chatter

    def warm(self) -> None:
        """Let what an answer needs be loaded beside us; what is wrong with it is said when it is asked."""
        if not self._is_warm:
            self._is_warm = True
            Thread(target=self._load, daemon=True, name="warming").start()

    def _load(self) -> None:
        with suppress(errors.HarkError):
            self.chatter.warm()
        with suppress(errors.HarkError):
            self.memories().recall(["x"], Wanted(1), proved=False)

    def take(self, model: str) -> None:
        """Go on with another model. Raises BadValue, NoChatKey, ExtraMissing; then the old one stays."""
        with self._loading:
            self._chatter = self.load(model)
            self.model = model

    def memories(self) -> Memories:
        """Open the memories, as of now."""
        return self.door.both({})[1]

    def begin(self) -> None:
        """Begin a new conversation."""
        self._leave()
        self.conversation = Conversation.begin(self.data, clock_ms(), self.door.cwd)

    def resume(self, named: str) -> None:
        """Go on with an earlier conversation, named by the beginning of its id.

        Raises NotFound, Ambiguous, FileUnreadable.
        """
        wanted = named.removeprefix(f"{NAME}:")
        found = [path for path in paths(self.data) if native_of(path).startswith(wanted)] if wanted else []
        if not found:
            raise errors.NotFound(named)
        if len(found) > 1:
            raise errors.Ambiguous(named, ", ".join(native_of(path) for path in found))
        if found[0] == self.conversation.path:
            return
        earlier_one = self.remembering.held(found[0]) or Conversation.load(found[0])
        self._leave()
        self.conversation = earlier_one

    def news(self) -> str:
        """Say which memories were taken since this was asked last."""
        news = self.remembering.news
        return "\n".join(news.get() for _ in range(news.qsize()))

    def close(self) -> str:
        """Wait until memories were taken of what was said; gives why that could not be done, or nothing."""
        self._leave()
        self.remembering.close()
        return self.remembering.trouble

    def _leave(self) -> None:
        """End the conversation, of which memories are taken."""
        self.conversation.catch_up()
        if self._every and self._chatter is not None and is_waiting(self.conversation):
            self.remembering.take(self.conversation, self._chatter)
        self.used, self.looked, self.first, self.has_offered = (), [], 0, False
        self._past, self._taken = None, 0

    def turn(self, text: str) -> None:
        """Answer what was said. Raises HarkError."""
        if fact := phrases.fact_in(text):
            self.conversation.add(PERSON, text, clock_ms())
            told = self.remember(fact)
            self.screen.say(told)
            self.conversation.add(MODEL, told, clock_ms())
        elif phrases.asks_why(text) and (self.used or self.looked):
            self.screen.say(self.why())
        else:
            self._ask(text)

    def remember(self, fact: str) -> str:
        """Save a fact at once; gives what is said of it. Raises MemoryTooLong, MemoryTooShort."""
        memories = self.memories()
        session = self.conversation.id if self.conversation.turns else ""  # of nothing said there is no session
        saved = memories.remember(fact, Details(kind_of(fact, memories.now_ms), session=session))
        self.door.in_step(memories)
        return told_of(saved)

    def why(self) -> str:
        """Say with which memories the last answer was given, and how they scored."""
        told = [f"{one.memory.id}  {score(one)}\n    {line(one.memory.text)}" for one in self.used]
        told += [f"looked for by the model itself: {one}" for one in self.looked]
        return "\n".join(told) or "No memory was used for the last answer."

    def _ask(self, text: str) -> None:
        chatter = self.chatter
        memories = self.memories()
        wanted = Wanted(self.door.settings.number("recall.limit"))
        answer = memories.recall([text], wanted, proved=False)
        self.used = answer.hits
        self.looked = []
        self.conversation.add(PERSON, text, memories.now_ms)
        system = system_message([one.memory for one in self.used], self.past(memories.now_ms), memories.now_ms)
        said: list[str] = []
        try:
            self._answer(chatter, system, said)
            said += self._offered(text, memories.now_ms)
        finally:
            if told := "\n\n".join(one.strip() for one in said if one.strip()):
                self.conversation.add(MODEL, told, clock_ms(), chatter.name)
        memories.touch(answer)
        self._remember_later(chatter)

    def _answer(self, chatter: Chatter, system: str, said: list[str]) -> None:
        """Show an answer, and keep in `said` what was told between one call and the next."""
        tools = self.tools.offered()
        while True:
            lines = self.lines()
            answer = chatter.stream(system, lines, tools)
            try:
                self._show(answer, said)
            except errors.WindowFull:
                if said or not self.shorten():
                    raise
            else:
                break
        self._learn(answer, system, lines, tools)
        for done in range(_MOST_ROUNDS + 1):
            if not answer.calls:
                break
            answer.give([self._do(call) if done < _MOST_ROUNDS else _ENOUGH for call in answer.calls])
            self._show(answer, said)
        if answer.calls:
            self.screen.note("hark: The model wants more done than one answer may have; ask again to go on.")
        elif answer.is_cut:
            self.screen.note("hark: The answer has reached its greatest length; ask to go on.")

    def _show(self, answer: Answer, said: list[str]) -> None:
        pieces: list[str] = []
        try:
            self.screen.answer(_kept(iter(answer), pieces))
        finally:
            said += ["".join(pieces)] if pieces else []

    def _do(self, call: Call) -> str:
        one = self.conversation.add_call(call, clock_ms())
        told = self.tools.run(call, self.conversation, self.screen)
        self.looked.append(shown(call))
        self.conversation.add_result(one, call.tool, told, clock_ms())
        return told

    def _learn(self, answer: Answer, system: str, lines: Sequence[Line], tools: Sequence[Tool]) -> None:
        """Correct the estimate of tokens by what the provider counted."""
        if answer.asked_tokens > 0:
            texts = [system, *(one.text for one in lines), *(f"{one.description}{one.schema}" for one in tools)]
            estimated = sum(estimate(text) + MESSAGE_TOKENS for text in texts)
            self._tokens_each = min(max(answer.asked_tokens / estimated, 1 / _MOST_OFF), _MOST_OFF)

    def _count(self, text: str) -> int:
        return ceil(estimate(text) * self._tokens_each)

    def _offered(self, text: str, now_ms: int) -> list[str]:
        """Say what is due and was spoken of, once in a conversation."""
        if self.has_offered or not self.door.settings.is_on("chat.proactive"):
            return []
        told = offer(self.used, text, now_ms)
        if not told:
            return []
        self.has_offered = True
        self.screen.say(told)
        return [told]

    def _remember_later(self, chatter: Chatter) -> None:
        """Let memories be taken beside us, of every so many turns, and once of what earlier chats left."""
        if not self._every:
            return
        new = self.conversation.turns[max(self._taken, self.conversation.extracted) :]
        if sum(turn.role == PERSON for turn in new) >= self._every:
            self._taken = len(self.conversation.turns)
            self.remembering.take(self.conversation, chatter)
        if not self._looked_back:
            self._looked_back = True
            self.remembering.take_left_over(self.data, chatter, self.conversation.path)

    def past(self, now_ms: int) -> list[Past]:
        """Give what the last conversations were about, the latest last."""
        if self._past is None:
            since_ms = now_ms - self.door.settings.number("chat.summary_hours") * _HOUR_MS
            self._past = []
            for one in earlier(self.data, _MOST_PAST) if since_ms < now_ms else ():
                if one.summary and since_ms < one.ended_ms <= now_ms and one.path != self.conversation.path:
                    self._past.insert(0, Past(one.summary, one.ended_ms))
        return self._past

    def lines(self) -> list[Line]:
        """Give what the model is shown of the conversation."""
        done = compact(self._shown(), self.door.settings.number("chat.window_tokens"), self._count)
        self.first += len(done.cut)
        lines: list[Line] = []
        for one in done.kept:
            if lines and lines[-1].role == one["role"]:  # an answer failed; some models take no two of one role
                lines[-1] = Line(one["role"], f"{lines[-1].text}\n\n{one['content']}")
            else:
                lines.append(Line(one["role"], one["content"]))
        return lines

    def _shown(self) -> list[dict[str, str]]:
        return [{"role": one.role, "content": one.text} for one in self.conversation.turns[self.first :]]

    def shorten(self) -> int:
        """Leave the oldest fifth of the rounds out from now on; gives how many messages."""
        told = self._shown()
        cut = len(compact(told, compact(told, 1 << 60).tokens - 1).cut)
        self.first += cut
        return cut


def _kept(pieces: Iterator[str], said: list[str]) -> Iterator[str]:
    """Hand pieces on and keep them."""
    for piece in pieces:
        said.append(piece)
        yield piece


def score(one: Recalled) -> str:
    """Say how a memory scored."""
    signals = {"words": one.words, "substring": one.substring, "name": one.name, "date": one.date}
    told = ", ".join(f"{name} {value:.2f}" for name, value in {**signals, "meaning": one.meaning}.items() if value)
    boost = f" + {one.boost:.2f}" if one.boost else ""
    return f"score {one.score:.3f} = {one.similarity:.3f} ({told}) x decay {one.decay:.3f}{boost}"
