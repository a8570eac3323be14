"""A transcript while it is read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.model import Checkpoint, Session, Transcript


class Open:
    """One transcript while it is read: its numbers, and what has been gathered since the last commit."""

    def __init__(self, number: int, session: int, transcript: Transcript, parser: int = 0) -> None:
        """Begin with nothing gathered."""
        self.parser = parser
        self.number = number
        self.agent = transcript.agent
        self.session = session
        self.transcript = transcript
        self.before: Checkpoint | None = None
        """Where the last reading stopped."""
        self.must_reread = False
        """Whether what was read before may no longer be what stands there."""
        self.checkpoint: Checkpoint | None = None
        self.facts: Session | None = None
        self.is_dropped = False
        """Whether its session was forgotten, or is not to be read."""
        self.unwanted: set[str] = set()
        """Titles that were forgotten and that the transcript gives again, and beginnings of forgotten prompts."""
        self.messages = 0
        self.chars = 0
        """Characters of talk."""
        self.project = 0
        self.is_whole = False
        """Whether the reader has come to the end of the file."""
        self.is_misplaced = False
        """Whether messages were stored before the session's folder was known."""
        self.is_unreadable = False
        """Whether it could not be read to its end: then the next look must try again."""
        self.is_torn = False
        """Whether messages were read for which no checkpoint answers: then the next look must begin anew."""
