"""The commands of the server and their options."""

from __future__ import annotations

import argparse

from harkback.cli.parser_parts import add_filters, count, help_of, json_flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Add = Callable[..., argparse.ArgumentParser]

SCOPES = ("read", "write", "delete")
"""As in `server.callers`, which only a server imports."""

OWN = "hark"
"""As in `audit.calls`, which only an audit imports."""


def serve(add: Add) -> None:
    """Add `hark serve`."""
    one = add(
        "serve",
        help="answer claude.ai, ChatGPT, phones and other machines",
        description="Serve the memory over HTTP until Ctrl-C, to whoever has a token. Only this machine can reach it,"
        " unless HTTPS is spoken here or by a proxy before it.",
    )
    one.add_argument("--port", type=count, metavar="N", help=help_of("server.port"))
    one.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    one.add_argument(
        "--behind-proxy",
        action="store_true",
        help="a proxy that speaks HTTPS stands before it; what that says of where requests come from is believed",
    )
    one.add_argument("--public-url", metavar="URL", help=help_of("server.public_url"))
    one.add_argument("--tls-cert", metavar="FILE", default="", help="speak HTTPS with this certificate, whole chain")
    one.add_argument("--tls-key", metavar="FILE", default="", help="the key of the certificate")
    one.add_argument(
        "--check", metavar="URL", help="ask a running server from outside as the hosts do, and say what is wrong"
    )
    one.add_argument("--token-file", metavar="FILE", help="with --check: the file that holds the secret")
    json_flag(one)


def token(add: Add) -> None:
    """Add `hark token`."""
    one = add(
        "token",
        help="who may come in: a token for each person and device",
        description="Make, list, revoke and rotate the tokens of `hark serve`. A secret is shown once, when made.",
        epilog="hark token new NAME\nhark token list\nhark token revoke NAME\nhark token rotate NAME",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    one.add_argument(
        "action", choices=("new", "list", "revoke", "rotate"), metavar="new|list|revoke|rotate", help="what to do"
    )
    one.add_argument("name", nargs="?", metavar="NAME", help="whose it is, such as kim-phone")
    one.add_argument(
        "--scope", choices=SCOPES, help="with new: what it may do, each with what stands before it (write)"
    )
    one.add_argument("--expires", metavar="WHEN", help="with new: after so many days (90d), or on a date (2027-03-01)")
    json_flag(one)


def audit(add: Add) -> None:
    """Add `hark audit`, and `hark audit log` about the server."""
    one = add(
        "audit",
        help="how agents use hark, and whether it helps them",
        description="Count every call of hark in the transcripts of your agents: what was found, what came next, and"
        " what could be better. hark audit log prints the last calls of tools through `hark serve`: when, by which"
        " token and client, which tool and which ids; texts are not written down.",
    )
    one.add_argument("action", nargs="?", choices=("log",), metavar="log", help="what was done through the server")
    add_filters(one, "agent", "project", "since", "until")
    one.add_argument("--command", metavar="NAME", default=OWN, dest="program", help="look at another command")
    one.add_argument("--html", metavar="FILE", help="write one page with charts")
    one.add_argument("--no-sync", action="store_true", help="look only at what was read before")
    one.add_argument("-n", type=count, default=50, metavar="N", help="with log: calls to show (50)")
    json_flag(one)
