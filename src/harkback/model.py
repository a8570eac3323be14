"""The values that cross module borders.

Times are integers: milliseconds since 1970 in UTC. Offsets and lengths are bytes in the transcript. An empty
string or None means "not known". Records are light named tuples because `hark search` may not spend 10 ms on
importing `dataclasses` (see `_record`).
"""

from __future__ import annotations

from harkback._record import NamedTuple

# Lanes. Every searchable text belongs to one. The first four are searched by default, so they are numbered
# together: one range on the lane field selects them.
TALK, CALLS, TITLE, MEMORY, SUMMARY, THINKING, OUTPUT, CONTEXT = range(8)
LANES = ("talk", "calls", "title", "memory", "summary", "thinking", "output", "context")
MAIN_LANES = (TALK, CALLS, TITLE, MEMORY)

# Who speaks. A subagent's task is spoken by `assistant` (the agent that started it), never by `user`.
USER, ASSISTANT, TOOL, SYSTEM = range(4)
ROLES = ("user", "assistant", "tool", "system")

MASKED = "[masked "
"""What stands in place of a secret begins like this; its kind follows."""

LANE_ROLES = {CONTEXT: SYSTEM, SUMMARY: SYSTEM, OUTPUT: TOOL}
"""Who speaks in these lanes, whoever's record it stands in."""


class Transcript(NamedTuple):
    """One place where an agent keeps one session, as `discover` found it on disk."""

    agent: str
    path: str
    native: str
    """The agent's own id for the session, as far as the place tells it."""
    size: int
    mtime_ns: int
    inode: int = 0


class Bounds(NamedTuple):
    """How many characters of a tool's output are kept, besides the lines that look like errors.

    The rest is reached by `show --raw`.
    """

    head: int
    tail: int


class Part(NamedTuple):
    """One searchable text of a message."""

    lane: int
    text: str
    tool: str = ""
    files: tuple[str, ...] = ()
    kind: str = ""
    """The kind of event (`harkback.events`) where lane and role do not tell it: HOOK or META, else empty."""
    args: object = None
    """A call's arguments as they stand in the record; never stored."""
    call: str = ""
    """The agent's own id of the call that this is or answers; given when a transcript is read in full, never stored."""


# What an event can be, one for each part of a message.
PROMPT, REPLY, THOUGHT, TOOL_CALL, TOOL_RESULT = "prompt", "reply", "thinking", "tool_call", "tool_result"
SUMMING, HOOK, META = "summary", "hook", "meta"
KINDS = (PROMPT, REPLY, THOUGHT, TOOL_CALL, TOOL_RESULT, SUMMING, HOOK, META)


class Tokens(NamedTuple):
    """What one answer of a model's API cost, in tokens. The cached ones are not part of `input`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class More(NamedTuple):
    """What only the event stream tells of a message; given when a transcript is read in full, never stored."""

    effort: str = ""
    skill: str = ""
    agent_type: str = ""
    """The kind of subagent that a call asks for."""
    agent_model: str = ""
    """The model that a call asks for its subagent."""
    tokens: Tokens | None = None
    tokens_key: str = ""
    """Names the API answer: it may be told with several messages, the last one counts."""


class Message(NamedTuple):
    """One record of a transcript that says something."""

    key: str
    """The agent's own id for this record (Claude Code: the row's uuid)."""
    offset: int
    length: int
    role: int
    time_ms: int | None
    parts: tuple[Part, ...]
    copy_key: str = ""
    """A second identity that copies share even when the agent gives them new ids, or empty."""
    model: str = ""
    branch: str = ""
    more: More | None = None


class Session(NamedTuple):
    """What is known of a session after the records read so far; the last one read stands."""

    agent: str
    native: str
    title: str = ""
    title_rank: int = 0
    """Where the title comes from: 0 first prompt, 1 summary, 2 the agent's own title, 3 given by the person."""
    cwd: str = ""
    last_cwd: str = ""
    branch: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    parent: str = ""
    relation: str = ""
    agent_type: str = ""
    version: str = ""
    agent_role: str = ""
    """What a subagent is called in its agent (Codex: its role, else its nickname); only in the event stream."""
    originator: str = ""
    """The program that started the session (`cli`, `codex_exec` …); only in the event stream."""


class SessionTitle(NamedTuple):
    """A title for whichever session holds the message `key` (old Claude Code `summary` rows)."""

    key: str
    title: str


class Problem(NamedTuple):
    """A record that could not be read as it stands; the rest of the transcript is read all the same."""

    offset: int
    length: int
    kind: str
    detail: str


UNREADABLE = "unreadable"
"""Kind of the problem of a transcript that could not be opened: nothing else is known of it this time."""


class Restart(NamedTuple):
    """What was read before no longer stands in the transcript: forget its rows, the next values replace them."""

    reason: str


class Checkpoint(NamedTuple):
    """Where reading stopped and how to tell that what lies before is still the same."""

    offset: int
    fingerprint: str
    state: str = ""
    """JSON that the source needs to go on as if it had read everything in one piece."""


Record = Message | Session | SessionTitle | Problem | Restart | Checkpoint


# -- what an engine gives back -----------------------------------------------------------------------------------


class StoredSession(NamedTuple):
    """A session as it is kept."""

    number: int
    """The engine's own number; not stable, never shown."""
    agent: str
    native: str
    title: str
    project: str
    """Path of the repository, or of the folder where there is none."""
    cwd: str
    branch: str
    started_ms: int | None
    ended_ms: int | None
    parent: str
    relation: str
    agent_type: str
    messages: int
    path: str
    is_gone: bool
    short: str = ""
    """As much of `native` as fits no other session here: eight characters where they are enough."""
    parent_short: str = ""

    @property
    def id(self) -> str:
        """The id that every command accepts."""
        return f"{self.agent}:{self.native}"


class StoredPart(NamedTuple):
    """A searchable text as it is kept."""

    seq: int
    message: str
    """The message's id."""
    session: int
    transcript: int
    path: str
    offset: int
    length: int
    lane: int
    role: int
    time_ms: int | None
    tool: str
    model: str
    branch: str
    files: tuple[str, ...]
    text: str


class Place(NamedTuple):
    """One of the places where a message stands: a session and where in its transcript."""

    session: StoredSession
    transcript: int
    path: str
    offset: int
    length: int

    @property
    def order(self) -> tuple[int, int, str]:
        """What comes first was first: of a fork and its origin, which begin alike, the one that ended first."""
        return self.session.started_ms or 0, self.session.ended_ms or 0, self.path


class Known(NamedTuple):
    """What was last seen of a transcript on disk."""

    agent: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    parser: int
    is_gone: bool


class Coverage(NamedTuple):
    """What the archive holds and what it does not hold yet."""

    transcripts: int
    messages: int
    problems: int
    pending: int
    """Transcripts known to have something that was not read yet."""
    last_full_pass_ms: int | None


# Memories: what kind of fact one is, where it came from, and whether it still holds.
FACT, PREFERENCE, EVENT, TASK, DECISION, LESSON = "fact", "preference", "event", "task", "decision", "lesson"
MEMORY_KINDS = (FACT, PREFERENCE, EVENT, TASK, DECISION, LESSON)
ACTIVE, DONE, SUPERSEDED, ARCHIVED = "active", "done", "superseded", "archived"
STATUSES = (ACTIVE, DONE, SUPERSEDED, ARCHIVED)
PERSON, AGENT, IMPORT = "person", "assistant", "import"
PROVENANCES = (PERSON, AGENT, IMPORT)


class Memory(NamedTuple):
    """One atomic fact that stands alone."""

    id: str
    text: str
    kind: str = FACT
    importance: int = 3
    """1 to 5."""
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    event_since_ms: int | None = None
    event_until_ms: int | None = None
    """When it happened, happens or is due: [since, until); None where no time is known."""
    event_words: str = ""
    """The time as it was said."""
    project: str = ""
    """The path of the project in which it holds; empty: everywhere."""
    provenance: str = PERSON
    session: str = ""
    message: str = ""
    """Ids of the session and the message it was taken from, or empty."""
    status: str = ACTIVE
    supersedes: str = ""
    """The id of the memory that it replaced."""
    created_ms: int = 0
    changed_ms: int = 0
    """When its text was last changed or confirmed."""
    ended_ms: int | None = None
    """When it stopped being active."""
    confirmed: int = 0
    """How often it was saved again."""
    used_ms: int | None = None
    uses: int = 0

    @property
    def valid_ms(self) -> int:
        """From when on it holds: the time it speaks of, else when it was saved."""
        return self.created_ms if self.event_since_ms is None else self.event_since_ms
