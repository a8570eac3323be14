"""The command line: parse, one call of the archive, render."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Be the program `hark`: exit with its status; a closed pipe is no error."""
    os.umask(0o077)  # what we store is for its owner alone
    if sys.stdout is None:  # closed by whoever started us
        sys.exit(_say("The answer cannot be written (standard output is closed). Check where the output goes."))
    try:
        status = main([_repaired(item) for item in sys.argv[1:]])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has seen enough. The interpreter would complain on its own way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = _say(f"The answer cannot be written ({error.strerror or error}). Check where the output goes.")
    except KeyboardInterrupt:
        _say("stopped; what was stored before is kept")
        status = 130
    sys.exit(status)


def _say(text: str) -> int:
    if sys.stderr is not None:
        print(f"hark: {text}", file=sys.stderr)
    return 2


def _repaired(item: str) -> str:
    """Read an argument as UTF-8 whatever the locale; bytes that are none become U+FFFD."""
    return item.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def main(argv: list[str]) -> int:
    """Run one command; gives 0 found or done, 1 nothing found, 2 error."""
    from harkback.errors import HarkError

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal knows its encoding; a pipe gets UTF-8, or on Windows agents would read `?` for every Han
            # character. Text from transcripts must never crash the printer.
            reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    try:
        if argv == ["mcp"]:  # an agent waits: nothing is loaded that its first question does not need
            from harkback.cli.agents_door import mcp

            return mcp()
        if argv == ["hook"]:
            from harkback.cli.agents_door import hook

            return hook()
        from harkback.cli.commands import run_command

        return run_command(argv)
    except HarkError as error:
        print(f"hark: {error}", file=sys.stderr)
        return error.status
