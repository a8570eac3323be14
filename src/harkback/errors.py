"""What can go wrong with a request. Bad data in a transcript is not an error but a `Problem`.

The docstring of a class is the template of its message: what happened, to what, and one next step. The class
carries the exit status. Only front doors catch these.
"""

from __future__ import annotations


class HarkError(Exception):
    """{0}"""

    status = 2

    def __init__(self, *values: object) -> None:
        """Keep `values`, which fill the template."""
        super().__init__(*values)
        self.values = values

    def __str__(self) -> str:
        """Fill the template."""
        template = type(self).__doc__ or "{0}"
        return " ".join(template.format(*self.values).split())


class BadValue(HarkError):
    """{0}: {1!r} is not understood. {2}"""


class BadUsage(HarkError):
    """`{0}`: {1}; `{0} --help` says what it takes."""


class UnknownCommand(HarkError):
    """There is no command {0!r}. {1}`hark --help` lists all of them; `hark search {0}` looks for the word."""


class NotFound(HarkError):
    """No message or session here has the id {0!r}. `hark sessions` lists sessions; `hark search` prints ids."""

    status = 1


class TooShort(HarkError):
    """Of the id {0!r} too little was given: fewer than four characters are too few. Type a few more."""

    status = 1


class NoMemory(HarkError):
    """No memory has the id {0!r}. `hark memories` lists them with their ids."""

    status = 1


class NotInBin(HarkError):
    """Nothing in the bin has the id {0!r}; what was put there can be brought back for a day. `hark memories bin` lists
    it.
    """

    status = 1


class AlreadyReplaced(HarkError):
    """{0} was replaced already, by {1}, and only what holds now can be: `hark supersede {1} TEXT`."""


class SaysTheSame(HarkError):
    """{0} would say just what {1} says already. `hark forget {0}` takes it out, `hark show {1}` shows the other."""


class SectionTooLong(HarkError):
    """A section of the profile is short, and {0} would have {1:,} characters of at most {2:,}. Say less."""


class NothingToChange(HarkError):
    """Nothing was said that is to be changed of {0}. Give a new text, or --kind, --importance, --entity, --tag, --date,
    --project or --global.
    """


class MeaningFailed(HarkError):
    """{0}"""


class NoEmbedder(MeaningFailed):
    """Nothing is here that could compare meanings. `pip install 'harkback[semantic]'` adds it, or name a server with
    `hark config meaning.endpoint`.
    """


class EmbedderOff(NoEmbedder):
    """Meaning is switched off: meaning.embedder is off. `hark config meaning.embedder auto` switches it on."""


class EmbedderUnfinished(NoEmbedder):
    """Meaning cannot be looked at: {0} is set and {1} is not. `hark config {1} {2}` sets it."""


class NoVectors(MeaningFailed):
    """Nothing was prepared yet for comparing meanings. `hark sync` does that, the newest sessions first."""


class EmbedderFailed(MeaningFailed):
    """Meaning cannot be looked at: {0} failed ({1}). Words are searched as ever; `hark config meaning.embedder off`
    keeps it from being tried.
    """


class DimensionChanged(EmbedderFailed):
    """Meaning cannot be looked at: {0} gives vectors of {1:,} numbers now, and those that were made have {2:,}.
    `hark rebuild` throws those away, and the next `hark sync` makes them again.
    """


class VectorsDamaged(MeaningFailed):
    """The vectors in {0} are damaged ({1}). `hark rebuild` makes them again; nothing else is concerned."""


class ExtraMissing(HarkError):
    """`{0}` needs more than is installed ({2} is missing). `pip install 'harkback[{1}]'` adds it."""


class NoModel(HarkError):
    """No model is set for hark chat. `ollama pull qwen3:4b`, then `hark config chat.model ollama:qwen3:4b`, is one on
    this machine.
    """


class NoSuchPlace(HarkError):
    """Nothing was sent: the address in {0} does not count, and the provider's own is not what was meant. `hark config
    {0} ADDRESS` sets one, such as http://127.0.0.1:1234/v1; `hark config --unset {0}` takes it out.
    """


class NoChatKey(HarkError):
    """{0} needs a key, and none is set. Put it into the environment as {1}, or into the system's keyring (`pip install
    'harkback[keyring]'`, then `keyring set harkback {1}`), or use a model on this machine with `--model ollama:NAME`.
    """


class BadChatKey(HarkError):
    """What stands in {0} is no key: it has other characters than a key has. Set it anew, in the environment or with
    `keyring set harkback {0}`.
    """


class NoConversation(HarkError):
    """{0} holds no conversation ({1}). It takes messages with role and content, as a JSON list or a line each."""


class UnknownChatCommand(HarkError):
    """There is no command {0}. /help lists all of them; what begins with a space is said as it stands."""


class ChatUsage(HarkError):
    """{0} takes {1}. /help lists all commands."""


class ModelFailed(HarkError):
    """{0} did not answer ({1}). What you said is kept; say it again, or name another model with /model."""


class WindowFull(ModelFailed):
    """{0} cannot take so long a conversation ({1}). /compact leaves the oldest part out of what it is shown, /new
    begins another.
    """


class ModelAway(HarkError):
    """{0} cannot be asked ({1}). Check that it runs and how it is called, then ask again."""


class BadRubric(HarkError):
    """{0} is no rubric: line {1}: {2}. Each line is a case, as docs/chat.md says; mend this one."""


class NothingRemembered(HarkError):
    """Nothing has been remembered yet. `hark remember TEXT` saves a fact."""

    status = 1


class BadServer(HarkError):
    """{0!r} is no server that memories can be shared with: {1}. `hark config server.url ADDRESS` names another."""


class NoToken(HarkError):
    """There is no token for {0}. Make one there with `hark token new NAME` and put it into {1} (mode 0600)."""


class ServerAway(HarkError):
    """{0} cannot be reached ({1}). What is here answers, and changes are delivered later."""


class ServerRefuses(HarkError):
    """{0} does not know the token. Make a new one there with `hark token new NAME` and put it into {1}."""


class ServerStuck(HarkError):
    """{0} cannot read or write its memories now (status {1}). What is here answers, and changes wait for it.
    `hark check` on the server says why.
    """


class ServerOdd(HarkError):
    """{0} does not answer as a hark server does ({1}). Check the address, and that both are up to date."""


class NoProject(HarkError):
    """No project is called {0!r} here. Name its folder, as in ~/work/{0}, or one that `hark sessions` lists."""


class MemoryTooLong(HarkError):
    """A memory is one fact, and this has {0:,} characters of at most {1:,}. Save each fact by itself."""


class MemoryTooShort(HarkError):
    """{0!r} says too little to be understood alone. Say of whom or what it holds, as in "the blog is built with
    Hugo".
    """


class NoFolder(HarkError):
    """{0} is no folder that can be read. Make it first, or check its name and that its disk is mounted."""


class FolderNotKept(HarkError):
    """{0} is no folder that is kept in step with the memories. `hark memories folder list` names them."""

    status = 1


class FolderTaken(HarkError):
    """{0} cannot be kept in step, because {1}. Name a folder that holds nothing but memories, as .ai_memory."""


class FileThere(HarkError):
    """{0} is there already, and was not touched. Name another file, or add --yes to overwrite it."""


class FileUnwritable(HarkError):
    """{0} cannot be written ({1}). Check its folder and that its disk is not full."""


class FileUnreadable(HarkError):
    """{0} cannot be read ({1}). Check its name and who owns it."""


class Ambiguous(HarkError):
    """The id {0!r} fits more than one: {1}. Type a few more characters."""


class ArchiveUnreadable(HarkError):
    """The archive in {0} cannot be opened ({1}). Check who owns the folder and that the disk is mounted, then
    try again.
    """


class ArchiveDamaged(HarkError):
    """The archive in {0} is damaged ({1}). Move that folder elsewhere and run `hark sync`, which makes a new one of
    the transcripts that are still on disk.
    """


class MemoriesDamaged(HarkError):
    """The memories cannot be read: {0} is damaged ({1}). Move that file elsewhere, with those named after it, such as
    {0}-wal; `hark memories import FILE` then brings an export back, `hark memories folder add DIR` a kept folder.
    Sessions are not concerned.
    """


class LockDamaged(HarkError):
    """{0} is damaged ({1}). Delete it; it holds nothing and is made again."""


class ArchiveReadOnly(HarkError):
    """The archive in {0} cannot be written ({1}). Check who owns the folder, or set HARK_HOME to a folder of your
    own.
    """


class ArchiveTooNew(HarkError):
    """The archive in {0} was written by a newer harkback (version {1} of its layout, this program knows {2}).
    Upgrade harkback.
    """


class DiskFull(HarkError):
    """The disk of {0} is full, so nothing more was stored; everything stored before is still there. Free some
    space and run `hark sync` again.
    """


class RemoteFolder(HarkError):
    """{0} lies on a network file system ({1}), where locks are not reliable. Set HARK_HOME to a folder on a local
    disk.
    """


class TranscriptGone(HarkError):
    """The transcript {0} is no longer on disk, so the untouched record cannot be shown. `hark show {1}` shows what
    was kept of it.
    """

    status = 1


class WordsMissing(HarkError):
    """The word index in {0} is missing or damaged ({1}). `hark rebuild` makes it again from the rows; nothing is
    lost.
    """


class NothingYet(HarkError):
    """There is no archive in {0} yet. Run `hark sync` to make one, or `hark demo` to see a sample."""


class NotAMessage(HarkError):
    """{0!r} is a session; only a message has a raw record. `hark show {0}` lists its messages with their ids."""


class NothingNamed(HarkError):
    """Nothing was named that is to be forgotten. Give an id, or --session, --project, --before or --match."""


class NothingToMatch(HarkError):
    """The query of --match has no word that could be looked for, so nothing was forgotten. Give a word, or a filter
    such as project:shop.
    """


class NamedTwice(HarkError):
    """{0} were given together, and `hark forget` takes one of them: together they would name too much.

    Give one alone, or put all into the query: --match 'WORD project:NAME until:DATE'.
    """


class NoPattern(HarkError):
    """`hark exclude {0}` needs a project: the name of its folder, or a path such as ~/work/client-*."""


class NotAgreed(HarkError):
    """Nothing was changed: there is no terminal to ask at. Add --yes to agree."""


class CannotResume(HarkError):
    """Session {0} cannot be gone on with, because {1}. `hark show {0}` shows what was said in it."""

    status = 1


class NoRecord(HarkError):
    """{0!r} is the title of a session, which has no record of its own. `hark show {0}` shows it."""


class NoPage(HarkError):
    """{0} has no page {1}; the last one is page {2}."""

    status = 1


class UnknownOption(HarkError):
    """There is no option {0!r}. {1}`hark config` lists all of them."""


class NoKey(HarkError):
    """`hark config --unset` needs the name of what is to be taken out of {0}, such as search.limit."""


class NoTerminal(HarkError):
    """Whether the archive in {0} is to be deleted is asked twice, and there is no terminal to ask on. Nothing was
    done. With --yes --yes both questions are answered.
    """


class NotConfirmed(HarkError):
    """That was not confirmed, so nothing was done. The archive stays in {0}."""

    status = 1


class ConfigUnreadable(HarkError):
    """{0} cannot be read ({1}). Check who owns it."""


class ConfigNotUnderstood(HarkError):
    """{0} is not understood in line {1}: {2}. Mend that line."""


class ConfigUnwritable(HarkError):
    """{0} cannot be written ({1}). Check who owns the folder and that its disk is not full."""


class ConfigNotEditable(HarkError):
    """{0} sets {1} in a way that cannot be changed from here without losing something. Open it in an editor."""


class TokensDamaged(HarkError):
    """The tokens cannot be read: {0} is damaged ({1}). Move that file elsewhere, with those named after it, such as
    {0}-wal; `hark token new NAME` then makes new ones. Memories and sessions are not concerned.
    """


class TokenThere(HarkError):
    """There is a token {0!r} already. `hark token rotate {0}` gives it a new secret; for another device take another
    name.
    """


class NoSuchToken(HarkError):
    """No token has the name {0!r}. `hark token list` names them."""

    status = 1


class TokenExposed(HarkError):
    """{0} holds a token and can be read by others. `chmod 600 {0}` closes it."""


class TokenOver(HarkError):
    """The token {0!r} was revoked or has expired. `hark token new {0}` makes a new one in its place."""


class NoTokens(HarkError):
    """A server without a token would answer nobody. `hark token new NAME` makes one, for each person and device."""


class OpenToAll(HarkError):
    """{0} can be reached from elsewhere, and what is sent there could be read on its way. Add --tls-cert and --tls-key,
    or --behind-proxy where a proxy that speaks HTTPS stands before it; or leave out --host.
    """


class HalfOfTls(HarkError):
    """--tls-cert and --tls-key belong together, and {0} is missing. Name both files."""


class TlsUnreadable(HarkError):
    """The certificate {0} and the key {1} cannot be used ({2}). Name a PEM file with the whole chain, and its key
    without a pass phrase.
    """


class PortTaken(HarkError):
    """Another program listens on port {1} of {0}. End it, or take another port: `hark serve --port {2}`."""


class CannotListen(HarkError):
    """Nothing can listen on port {1} of {0} ({2}). Name another address with --host, or another port with --port."""


class SettingsUnfit(HarkError):
    """{0} cannot take an entry of ours: {1}. Nothing was changed. Mend that, or move the file away, then try again."""


class SettingsReadOnly(HarkError):
    """{0} may not be written: {1}. Nothing was changed. Make it writable, or do by hand what `hark setup {2} --dry-run`
    shows.
    """


class SettingsUnwritable(HarkError):
    """{0} cannot be written ({1}). What was changed before it was put back. Check its folder and that its disk is not
    full, then try again.
    """


class SettingsMoved(HarkError):
    """{0} was changed by another program while you were asked. Nothing was changed. Run the command again."""


class SetupRunning(HarkError):
    """Another `hark setup` is running. Wait until it ends, then run the command again."""


class NoAgent(HarkError):
    """No agent program was found here. Name the one that you will use: `hark setup {0}`."""

    status = 1


class BackupDamaged(HarkError):
    """{0}, which says what `hark setup` wrote, cannot be read ({1}). Move it elsewhere; `hark setup {2} --undo` then
    takes out what it recognises.
    """


class NoTrust(HarkError):
    """Codex does not take the hook as trusted: {0}. Start `codex` and type /hooks, where t trusts it."""


class NoTimer(HarkError):
    """Nothing here can start a program every few minutes: neither {0}. Run `hark sync` by a timer of your own."""


class TimerFailed(HarkError):
    """`{0}` failed ({1}). Nothing is left of it. Run it by hand to see why, or use another timer of your own."""


# What is said otherwise in a chat, where the next step is a command of the chat.


class NoChatMemory(NoMemory):
    """No memory has the id {0!r}. `/mem list --everywhere` lists them with their ids."""


class NoneInChat(NothingRemembered):
    """Nothing has been remembered yet. `/remember TEXT` saves a fact."""


class NoEarlierChat(NotFound):
    """No conversation has an id that begins with {0!r}. /sessions lists them."""


class ChatFileThere(FileThere):
    """{0} is there already, and was not touched. Name another file."""


class ImportNotAgreed(NotAgreed):
    """Nothing was changed, for more texts would be replaced than added. `hark memories import FILE` in a shell asks as
    well, and with --yes does it unasked.
    """
