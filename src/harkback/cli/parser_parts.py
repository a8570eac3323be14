"""What options of several commands are made of."""

from __future__ import annotations

import argparse

from harkback.config import DEFAULTS, option
from harkback.query import FIELDS

MOST_COUNT = 100_000


def help_of(name: str) -> str:
    """Say what an option that can also be set does, with its default."""
    return f"{option(name).help} ({DEFAULTS.text(name)})"


def json_flag(one: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    one.add_argument("--json", action="store_true", help="print one JSON object (see docs/json.md)")


def add_filters(one: argparse.ArgumentParser, *names: str) -> None:
    """Add one option for each filter of the query language, or for those named."""
    for field in FIELDS:
        if not names or field.name in names:
            one.add_argument(
                f"--{field.name}",
                action="append",
                metavar=field.takes.upper(),
                dest=f"field_{field.name}",
                help=field.help,
            )


def count(text: str) -> int:
    """Read a number that counts something. Raises ArgumentTypeError."""
    number = int(text) if text.isascii() and text.isdigit() else -1
    if not 0 <= number <= MOST_COUNT:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 100000")
    return number
