"""The commands about memories and their options, as `--help` shows them."""

from __future__ import annotations

import argparse

from harkback.cli.parser_parts import count, help_of, json_flag
from harkback.model import MEMORY_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Add = Callable[..., argparse.ArgumentParser]

_DATE = "when it happened or is due, in words or numbers (tomorrow 3pm, 5/17 下午三點, 来週の金曜); none: no date"


def remember(add: Add) -> None:
    """Add `hark remember`."""
    one = add(
        "remember",
        help="save a fact",
        description="Save one fact that stands alone. What says the same as a memory reinforces it; what may contradict"
        " one is saved and the other is named. With - each line of standard input is a fact, and may be an item of a"
        " list (- fact); what cannot be saved is named by the number of its line, and the rest is saved.",
    )
    one.add_argument("text", nargs="+", metavar="TEXT", help="the fact, in any language")
    _details(one)
    one.add_argument("--supersedes", metavar="ID", default="", help="the memory that this one replaces")
    one.add_argument("--from", metavar="ID", default="", dest="source", help="the message or session it was taken from")
    json_flag(one)


def _details(one: argparse.ArgumentParser) -> None:
    one.add_argument("--kind", choices=MEMORY_KINDS, metavar="KIND", help=f"{', '.join(MEMORY_KINDS)} (fact)")
    one.add_argument("--importance", type=count, metavar="1-5", help="how much it matters (3)")
    one.add_argument("--entity", action="append", metavar="NAME", help="whom or what it is about; may be repeated")
    one.add_argument("--tag", action="append", metavar="TAG", help="a word to find it by; may be repeated")
    one.add_argument("--date", metavar="WHEN", help=_DATE)
    where = one.add_mutually_exclusive_group()
    where.add_argument("--project", metavar="PROJECT", help="where it holds (the git project one stands in)")
    where.add_argument("--global", action="store_true", dest="everywhere", help="it holds everywhere")


def _scope(one: argparse.ArgumentParser) -> None:
    where = one.add_mutually_exclusive_group()
    where.add_argument(
        "--project", metavar="PROJECT", help="what holds in this project (the git project one stands in) or everywhere"
    )
    where.add_argument("--everywhere", action="store_true", help="of all projects")


def recall(add: Add) -> None:
    """Add `hark recall`."""
    one = add(
        "recall",
        help="find what was remembered",
        description="Find the memories that answer a question, in the same or in other words, best first.",
    )
    one.add_argument("query", nargs="+", metavar="QUERY", help="a question or words, in any language")
    one.add_argument("-n", type=count, metavar="N", help=help_of("recall.limit"))
    one.add_argument(
        "--kind", action="append", choices=MEMORY_KINDS, metavar="KIND", help="only these; may be repeated"
    )
    one.add_argument("--since", metavar="WHEN", help="only of this time or later: what it speaks of, else when saved")
    one.add_argument("--until", metavar="WHEN", help="only of before this time")
    one.add_argument("--as-of", metavar="WHEN", help="answer as one would have then")
    one.add_argument("--history", action="store_true", help="what was superseded or archived too")
    one.add_argument(
        "--also", action="append", default=[], metavar="VARIANT", help="the question in other words; may be repeated"
    )
    one.add_argument("--words", action="store_true", help="look at words only, not at meaning")
    one.add_argument("--explain", action="store_true", help="say of each how it scored")
    _scope(one)
    json_flag(one)


def memories(add: Add) -> None:
    """Add `hark memories`."""
    one = add(
        "memories",
        help="list, export and import memories; keep them as Markdown",
        description="List memories by kind and importance; write them to a file and read them back; keep a folder of"
        " Markdown files in step with them; bring back what an agent forgot within the last day.",
        epilog="hark memories [--kind KIND] [--due] [-n N]\nhark memories export FILE [--format json|markdown]\n"
        "hark memories import FILE|DIR|-\nhark memories folder add DIR [--project P] | remove DIR | list\n"
        "hark memories bin\nhark memories restore ID",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument(
        "action", nargs="*", metavar="ACTION", help="nothing (list), export, import, folder, bin or restore, see below"
    )
    one.add_argument(
        "--kind", action="append", choices=MEMORY_KINDS, metavar="KIND", help="only these; may be repeated"
    )
    one.add_argument("--due", action="store_true", help="open tasks and coming events with a date, the next first")
    one.add_argument("--history", action="store_true", help="what was superseded or archived too")
    one.add_argument("-n", type=count, default=0, metavar="N", help="at most so many (all)")
    one.add_argument("--format", choices=("json", "markdown"), help="of an export: JSON lines (json) or Markdown")
    one.add_argument("--yes", action="store_true", help="do not ask")
    _scope(one)
    json_flag(one)


def done(add: Add) -> None:
    """Add `hark done`."""
    one = add("done", help="mark a task as done", description="Mark a memory as done: a task that was finished.")
    one.add_argument("id", nargs="+", metavar="ID", help="the ids of memories")
    one.add_argument("--undo", action="store_true", help="make them active again")
    json_flag(one)


def edit(add: Add) -> None:
    """Add `hark edit`."""
    one = add(
        "edit",
        help="change a memory",
        description="Change what a memory says, or what is said of it. Its old text is kept: hark show ID.",
    )
    one.add_argument("id", metavar="ID", help="the id of a memory")
    one.add_argument("text", nargs="*", metavar="TEXT", help="the new text (unchanged)")
    _details(one)
    json_flag(one)


def supersede(add: Add) -> None:
    """Add `hark supersede`."""
    one = add(
        "supersede",
        help="replace a memory by what holds now",
        description="Save what holds now in the place of a memory, which is kept and shown with --history.",
    )
    one.add_argument("id", metavar="ID", help="the id of the memory that no longer holds")
    one.add_argument("text", nargs="+", metavar="TEXT", help="what holds now")
    _details(one)
    json_flag(one)


def context(add: Add) -> None:
    """Add `hark context`."""
    one = add(
        "context",
        help="what to know before a word was said",
        description="Print the profile, open tasks, the latest memories and the latest sessions of this project.",
    )
    one.add_argument("--budget", type=count, metavar="CHARS", help=help_of("context.budget"))
    _scope(one)
    json_flag(one)


def profile(add: Add) -> None:
    """Add `hark profile`."""
    one = add(
        "profile",
        help="what is known of you, in seven sections",
        description="Show what is known of you, write a section anew, or see what it said before. `refresh` prints what"
        " an agent needs to bring it up to date.",
        epilog="hark profile\nhark profile edit SECTION TEXT (- reads standard input)\n"
        "hark profile history SECTION\nhark profile refresh",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument("action", nargs="*", metavar="ACTION", help="nothing or show, edit, history or refresh, see below")
    json_flag(one)
