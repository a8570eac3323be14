"""The commands of the server: `hark serve`, `hark audit log` about what it did, and those of its tokens."""

from __future__ import annotations

import os
import sys
from time import time

from harkback import errors, wire
from harkback.cli import tokens
from harkback.cli.opening import set_up
from harkback.cli.terminal import note, plain, print_json
from harkback.config import option, place, understood

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from harkback.config import Settings as Options
    from harkback.mcp.http import Done
    from harkback.server.gate import App

_NEEDED = ("uvicorn", "starlette", "mcp")


def run(options: argparse.Namespace) -> int:
    """Serve until stopped, or look at a server that runs; gives 0, 2 where something is wrong with that."""
    if options.check is not None:
        return _check(options)
    if options.token_file is not None:
        raise errors.BadUsage("hark serve", "--token-file belongs to --check")
    _check_extra()
    from harkback.server.running import Settings, serve

    set_options = set_up()
    settings = Settings(
        folder=place(os.environ).data,
        host=options.host,
        port=_port(set_options, options.port),
        public_url=set_options.text("server.public_url") if options.public_url is None else options.public_url,
        is_behind_proxy=options.behind_proxy,
        proxy=set_options.text("server.proxy"),
        tls_cert=options.tls_cert,
        tls_key=options.tls_key,
        methods=("POST", "DELETE"),
    )

    def tell(address: str) -> None:
        if options.json:
            print_json({"schema": wire.SCHEMA, "address": address, "public_url": settings.public_url})
            sys.stdout.flush()
        public = f", known as {plain(settings.public_url)}" if settings.public_url else ""
        note(f"hark: listening on {address}{public}; Ctrl-C ends it")

    serve(_app(settings.folder), settings, _now_ms, tell)
    return 0


def _app(folder: str) -> App:
    """Make what stands behind the gate: the tools, each call of which is written down."""
    from harkback.cli.agents_door import Door
    from harkback.mcp.http import http_app
    from harkback.server.api import MemoriesApi, beside
    from harkback.server.audit import AuditLog, Entry, hash_of
    from harkback.server.logs import agent_of
    from harkback.server.sessions import Sessions

    log = AuditLog(folder, _now_ms)

    class Audit:
        """Writes calls of tools into the audit log."""

        ready = staticmethod(log.ready)

        @staticmethod
        def write(done: Done) -> None:
            """Write a call down; where that has become impossible, whoever runs the server is told."""
            who, status = done.caller, "error" if done.is_error else "ok"
            hashed = hash_of(done.arguments)
            entry = (who.name, agent_of(who.client), who.version, done.tool, done.ids, hashed, done.characters, status)
            try:
                log.write(Entry(*entry, done.ms))
            except errors.FileUnwritable as error:
                note(f"hark: {error}")

    door = Door(is_remote=True)
    return beside(MemoriesApi(lambda: door.both({})[1], log.write), Sessions(http_app(door, Audit())))


def _now_ms() -> int:
    return int(time() * 1000)


def _port(set_options: Options, given: int | None) -> int:
    """Give the port to listen on. Raises BadValue."""
    if given is not None:
        understood(option("server.port"), given)
    return set_options.number("server.port") if given is None else given


def _check_extra() -> None:
    """See that what a server is made of is installed. Raises ExtraMissing."""
    from importlib.util import find_spec

    for name in _NEEDED:
        if find_spec(name) is None:
            raise errors.ExtraMissing("hark serve", "mcp", name)


def _check(options: argparse.Namespace) -> int:
    from harkback.server.probe import probe

    found = probe(options.check, _secret(options.token_file))
    if options.json:
        checks = [one._asdict() for one in found]
        print_json({"schema": wire.SCHEMA, "is_well": all(one.is_fine for one in found), "checks": checks})
    else:
        for one in found:
            print(plain(f"{'ok' if one.is_fine else 'wrong':<6}{one.what}: {one.found}"))
            if one.next_step:
                print(plain(f"      {one.next_step}"))
    return 0 if all(one.is_fine for one in found) else 2


def _secret(path: str | None) -> str:
    """Read the secret in a file; "" where none is named. Raises FileUnreadable, TokenExposed."""
    if path is None:
        return ""
    try:
        with open(path, encoding="ascii") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise errors.TokenExposed(path)
            return file.read(1000).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise errors.FileUnreadable(path, getattr(error, "strerror", None) or "it is no secret") from error


def audit(options: argparse.Namespace) -> int:
    """Print the last calls of tools; gives 0, 1 where there are none."""
    from harkback.server.audit import last

    set_up()
    entries = last(place(os.environ).data, options.n)
    if options.json:
        print_json({"schema": wire.SCHEMA, "calls": entries})
        return 0 if entries else 1
    for one in entries:
        ids = " ".join(map(str, one.get("ids", ())))
        client = f"{one.get('client', '')} {one.get('version', '')}".strip()
        told = (one.get("time", ""), one.get("token", ""), client, one.get("tool", ""), ids, one.get("status", ""))
        print(plain("  ".join(str(part) for part in told if part)))
    if not entries:
        note("No tool was called through the server yet.")
    return 0 if entries else 1


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"serve": run, "token": tokens.run, "audit": audit}
