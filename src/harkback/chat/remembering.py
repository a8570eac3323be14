"""Taking memories of conversations, beside the person who goes on talking.

What was taken is noted in the transcript, so what was not, because the model failed or the program ended, is taken by a
later chat. Nothing is lost, and nothing is saved that was not understood.
"""

from __future__ import annotations

from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

from harkback import errors
from harkback.archive.memories import Details
from harkback.chat.asking import asked
from harkback.chat.compaction import estimate
from harkback.chat.conversation import Conversation, clock_ms, earlier
from harkback.chat.extraction import NOTHING, Unusable, part_of
from harkback.models.chatting import PERSON
from harkback.telling import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harkback.archive.memories import Memories
    from harkback.chat.conversation import Turn
    from harkback.chat.extraction import Extracted
    from harkback.memory.saving import Saved
    from harkback.models.chatting import Chatter

_LEFT_OVER = 5
_LOOKED_AT = 500
_PATIENCE = 2
"""So often a whole part may come to nothing; then it is asked about round by round, and what fails is passed over."""
_REST_MS = 3_600_000
"""A conversation that changed within an hour may still be going on elsewhere."""


class Remembering:
    """A thread that takes memories, one conversation after the other."""

    def __init__(self, memories: Callable[[], Memories], in_step: Callable[[Memories], None], part_tokens: int) -> None:
        """`part_tokens`: so much of a conversation is asked about at once, as estimated."""
        self.memories = memories
        self.in_step = in_step
        self.trouble = ""
        """Why the last try took nothing."""
        self.news: SimpleQueue[str] = SimpleQueue()
        """What was saved, to be told when nobody is speaking."""
        self.part_tokens = part_tokens
        self._held: dict[str, Conversation] = {}
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def take(self, conversation: Conversation, chatter: Chatter) -> None:
        """Take what a conversation says by now, and return at once."""
        turns = list(conversation.turns)
        self._held[conversation.path] = conversation
        self._later(lambda: self._take(conversation, turns, chatter))

    def held(self, path: str) -> Conversation | None:
        """Give the conversation of a transcript that was handed over in this program."""
        return self._held.get(path)

    def take_left_over(self, data: str, chatter: Chatter, but: str) -> None:
        """Take what earlier conversations say of which nothing was taken, but not of one of this path."""
        self._later(lambda: self._take_left_over(data, chatter, but))

    def close(self) -> None:
        """Wait for what was begun. Raises KeyboardInterrupt, where the person does not want to wait."""
        if self._thread is not None:
            self._work.put(None)
            self._thread.join()

    def _later(self, work: Callable[[], None]) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, daemon=True, name="remembering")
            self._thread.start()
        self._work.put(work)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            try:
                work()
                self.trouble = ""
            except (errors.HarkError, Unusable) as error:
                self.trouble = _why(error)

    def _take_left_over(self, data: str, chatter: Chatter, but: str) -> None:
        taken = 0
        for one in earlier(data, _LOOKED_AT):
            is_here = one.path == but or one.path in self._held
            if is_here or clock_ms() - max(one.ended_ms, one.tried_ms) <= _REST_MS or not is_waiting(one):
                continue
            with suppress(Unusable):  # of this one; the next may be taken
                self._take(one, one.turns, chatter)
            taken += 1
            if taken >= _LEFT_OVER:
                return

    def _take(self, conversation: Conversation, turns: Sequence[Turn], chatter: Chatter) -> None:
        while _has_words(turns[conversation.extracted :]):
            tokens = self.part_tokens if conversation.failures < _PATIENCE else 0
            first, end = part_of(turns, conversation.extracted, tokens)
            part = turns[first:end]
            is_small = sum(turn.role == PERSON for turn in part) <= 1
            try:
                found = asked(part, chatter)
            except errors.WindowFull:
                if not is_small:
                    self.part_tokens = sum(estimate(turn.text) for turn in part) // 2
                    continue
                found = NOTHING
            except Unusable:
                conversation.note_failed(clock_ms())
                if conversation.failures <= _PATIENCE or not is_small:
                    raise
                found = NOTHING  # what follows is not kept waiting; the transcript has it
            saved = self._saved(conversation.id, part, found)
            conversation.note_extracted(end, found.summary, clock_ms(), saved)

    def _saved(self, session: str, turns: Sequence[Turn], found: Extracted) -> list[tuple[str, str]]:
        """Save the facts; gives their ids with what was quoted for them."""
        memories = self.memories()
        saved = []
        for fact in found.facts:
            details = Details(
                fact.kind,
                fact.importance,
                fact.entities,
                session=session,
                said_ms=turns[fact.turn].time_ms,
                by_agent=True,
            )
            try:
                done = memories.remember(fact.text, details)
                saved.append((done.memory.id, fact.quote))
                self.news.put(told_of(done))
            except (errors.MemoryTooLong, errors.MemoryTooShort):
                continue
        if saved:
            self.in_step(memories)
        return saved


def told_of(saved: Saved) -> str:
    """Say what became of a fact."""
    told = [f"Remembered ({saved.memory.id}): {line(saved.memory.text)}"]
    if saved.duplicates:
        told = [f"Known already ({saved.memory.id}): {line(saved.memory.text)}"]
    told += [f"    it may contradict {one.id}: {line(one.text)}" for one in saved.contradictions]
    return "\n".join(told)


def is_waiting(conversation: Conversation) -> bool:
    """Whether the person said something of which no memories were taken."""
    return _has_words(conversation.turns[conversation.extracted :])


def _has_words(turns: Sequence[Turn]) -> bool:
    """Whether the person says something in them."""
    return any(turn.role == PERSON for turn in turns)


def _why(error: Exception) -> str:
    """Say why a try failed, without the advice that is for who waits for an answer."""
    return str(error.values[1]) if isinstance(error, errors.ModelFailed) else str(error)
