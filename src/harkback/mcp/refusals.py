"""What goes wrong, said to an agent that has our tools and perhaps no shell: the same cause, another next step."""

from __future__ import annotations

from harkback import errors

_TEMPLATES: dict[type[errors.HarkError], str] = {
    errors.NoMemory: "No memory has the id {0!r}. search_memory gives ids.",
    errors.NotInBin: "Nothing that can be brought back has the id {0!r}. search_memory gives ids.",
    errors.NotFound: "No message or session has the id {0!r}. search_sessions gives ids.",
    errors.TooShort: "Of the id {0!r} too little was given. Give it as a search wrote it.",
    errors.Ambiguous: "{0!r} fits more than one: {1}. Give more of it.",
    errors.AlreadyReplaced: "{0} was replaced already, by {1}. Save with supersedes={1}.",
    errors.SaysTheSame: "{0} would say just what {1} says already. Forget one of them, or leave both.",
    errors.NothingRemembered: "Nothing has been remembered yet. save_memory saves a fact.",
    errors.NothingYet: "No session has been read yet on this machine. `hark sync` reads them.",
    errors.NoProject: "No project is called {0!r} here. Leave project out, or name one that an answer shows as proj:.",
    errors.NoFolder: "No project is called {0!r} here. Leave project out, or name one that an answer shows as proj:.",
    errors.MemoryTooLong: "A memory is one fact, and this has {0:,} characters of at most {1:,}. Save each fact by"
    " itself.",
    errors.MemoryTooShort: "{0!r} says too little to be understood alone. Say of whom or what it holds.",
    errors.BadValue: "{0}: {1!r} is not understood. {2}",
    errors.NoPage: "{0} has no page {1}; the last one is page {2}.",
    errors.SectionTooLong: "A section of the profile is short, and {0} would have {1:,} characters of at most {2:,}.",
}

_OF_THE_MACHINE = (
    errors.ArchiveUnreadable,
    errors.ArchiveDamaged,
    errors.MemoriesDamaged,
    errors.LockDamaged,
    errors.ArchiveReadOnly,
    errors.ArchiveTooNew,
    errors.DiskFull,
    errors.RemoteFolder,
    errors.WordsMissing,
    errors.FileUnwritable,
)


def refusal(error: errors.HarkError, *, is_remote: bool) -> str:
    """Say what went wrong and what to do next; nothing of the server's folders to whoever calls from elsewhere."""
    if is_remote and isinstance(error, _OF_THE_MACHINE):
        return "The memory on the server cannot be used now. Its owner sees the reason with `hark status` there."
    template = _TEMPLATES.get(type(error))
    if template is None:
        return str(error)
    values = [one.removeprefix("--") if isinstance(one, str) and one.startswith("--") else one for one in error.values]
    return " ".join(template.format(*values).split())
