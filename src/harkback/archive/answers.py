"""What the archive answers: the values that front doors render."""

from __future__ import annotations

from harkback._record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harkback.archive.hook_failures import Failures
    from harkback.archive.keeping import Fitting
    from harkback.archive.replica import Shared
    from harkback.archive.vectors import Coverage as VectorCoverage
    from harkback.engines.local.checking import Fault
    from harkback.memory.recall import Recalled
    from harkback.model import Coverage, StoredPart, StoredSession
    from harkback.query import Query
    from harkback.search.answer import Found


class Answer(NamedTuple):
    """What a search gives."""

    query: Query
    found: Found
    coverage: Coverage
    left_out: tuple[StoredSession, ...]
    """The asking session and those named with --exclude-session."""
    asking: frozenset[str]
    """Ids of those among them that are left out because they ask."""
    hint: str
    """Why there is nothing, or little, and what to try; empty when all is well."""
    full_pass_is_due: bool
    memories: tuple[Recalled, ...] = ()
    """What was remembered of it, best first."""
    trouble: str = ""
    """What kept meaning from being looked at, where it was to be, and what to do."""


class SessionView(NamedTuple):
    """A page of a session."""

    session: StoredSession
    parts: tuple[StoredPart, ...]
    files: tuple[str, ...]
    children: tuple[StoredSession, ...]
    page: int
    pages: int


class MessageView(NamedTuple):
    """A message with the turns around it."""

    session: StoredSession
    parts: tuple[StoredPart, ...]
    before: tuple[StoredPart, ...]
    after: tuple[StoredPart, ...]
    places: tuple[tuple[StoredSession, str, int], ...]


class Checked(NamedTuple):
    """What a check found."""

    faults: tuple[Fault, ...]
    secrets: dict[str, int]
    """By kind; only when they were looked for."""
    problem_kinds: dict[str, int]


class Excluding(NamedTuple):
    """What excluding a project did."""

    changed: bool
    was: str
    """What the pattern was before: `excluded`, `sealed`, or empty."""
    forgotten: Fitting


class Leaving(NamedTuple):
    """Transcripts that their agent will soon delete; what was read of them stays here."""

    agent: str
    after_days: int
    transcripts: int


class AgentCoverage(NamedTuple):
    """What is kept of one agent."""

    agent: str
    transcripts: int
    messages: int
    gone: int
    newest_ms: int | None


class SourceView(NamedTuple):
    """What was found of one agent."""

    agent: str
    where: str
    """Where its transcripts are looked for, in words."""
    folders: tuple[str, ...]
    """Those of these folders that exist."""
    missing: tuple[tuple[str, str], ...]
    """Variables that are set to something which is no folder, with their values."""
    unreadable: tuple[str, ...]
    """Folders among and below them that may not be read."""
    on_disk: int
    """Transcripts that lie there now."""
    kept: AgentCoverage
    sessions: int
    problems: int


class ProblemAt(NamedTuple):
    """One record that could not be read as it stands."""

    path: str
    offset: int
    kind: str
    detail: str


class Overview(NamedTuple):
    """What bare `hark` says."""

    coverage: Coverage | None
    """None where there is no archive yet."""
    transcripts: int
    newest_ms: int | None


class Status(NamedTuple):
    """The state of the archive."""

    coverage: Coverage
    agents: tuple[AgentCoverage, ...]
    problem_kinds: dict[str, int]
    problems: tuple[ProblemAt, ...]
    leaving: tuple[Leaving, ...]
    folder: str
    bytes: int
    segments: int
    memories: dict[str, int]
    """How many there are, by status."""
    memories_problem: str
    """Why they cannot be read, or empty."""
    vectors: VectorCoverage | None
    """None where nothing compares meanings."""
    masked: dict[str, int]
    """Secrets that were masked, by kind."""
    shared: Shared | None
    """None where memories are not shared with a server."""
    hook_failures: Failures | None
    """What failed in hooks within a week; None where nothing did."""
    words_only: str
    """Why nothing compares meanings, and what to do; or empty."""


class CaughtUp(NamedTuple):
    """What a search's own reading left."""

    pending: int
    note: str = ""
    """Why nothing could be stored, or what was forgotten; or empty."""
