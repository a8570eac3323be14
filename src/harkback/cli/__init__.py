"""The command line: parse, one call of the archive, render."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Be the program `hark`: exit with its status; a closed pipe is no error."""
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has seen enough. The interpreter would complain on its own way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def main(argv: list[str]) -> int:
    """Run one command; gives 0 found or done, 1 nothing found, 2 error."""
    from harkback.cli.commands import run_command
    from harkback.errors import HarkError

    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # Text from transcripts must never crash the printer, whatever the terminal's encoding.
            reconfigure(errors="replace")
    try:
        return run_command(argv)
    except HarkError as error:
        print(f"hark: {error}", file=sys.stderr)
        return error.status
