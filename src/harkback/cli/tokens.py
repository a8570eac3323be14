"""`hark token`: who may come in."""

from __future__ import annotations

import os
import re
import secrets
from time import time

from harkback import errors, wire
from harkback.cli.opening import set_up
from harkback.cli.terminal import note, plain, print_json, when
from harkback.config import place
from harkback.dates import parse_range
from harkback.engines.tokens import Token, TokenStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from harkback.config import Settings

_SECRET_BYTES = 32
_NAME = re.compile(r"\w[\w.-]{0,39}")
_DAY_MS = 86_400_000
_MOST_DAYS = 36_500


def run(options: argparse.Namespace) -> int:
    """Do what the words behind `hark token` say; gives 0, 1 where nothing is listed."""
    settings, now_ms = set_up(), int(time() * 1000)
    folder = place(os.environ).data
    if options.action != "new" and (options.scope or options.expires):
        raise errors.BadUsage("hark token", f"--scope and --expires belong to new, not to {options.action}")
    if options.action == "list":
        if options.name is not None:
            raise errors.BadUsage("hark token", f"{options.name} is not understood behind list")
        return _list(folder, now_ms, as_json=options.json)
    if options.name is None or not _NAME.fullmatch(options.name):
        advice = "It takes a name of at most 40 letters, digits, dots and dashes, such as kim-phone."
        raise errors.BadValue(f"hark token {options.action}", options.name or "", advice)
    if options.action == "new":
        expires_ms = _expiry(options.expires, now_ms) if options.expires else None
        _new(folder, Token(options.name, options.scope or "write", now_ms, expires_ms), options, settings)
    elif options.action == "rotate":
        _rotate(folder, options, settings, now_ms)
    else:
        _revoke(folder, options, now_ms)
    return 0


def _expiry(text: str, now_ms: int) -> int:
    """Read how long a token lives: so many days, or to the end of a day. Raises BadValue."""
    days = re.fullmatch(r"([0-9]{1,5}) ?d(?:ays?)?", text.strip())
    if days:
        found = now_ms + int(days[1]) * _DAY_MS if 0 < int(days[1]) <= _MOST_DAYS else None
    else:
        spoken_of = parse_range(text, now_ms)
        found = spoken_of[1] if spoken_of else None
    if found is None or found <= now_ms:
        raise errors.BadValue("--expires", text, "It takes a number of days (90d) or a day to come (2027-03-01).")
    return found


def _list(folder: str, now_ms: int, *, as_json: bool) -> int:
    store = TokenStore.open(folder)
    listed: list[Token] = []
    if store is not None:
        with store:
            listed = store.all()
    if as_json:
        print_json({"schema": wire.SCHEMA, "tokens": [_json(one, now_ms) for one in listed]})
        return 0 if listed else 1
    for one in listed:
        used = f"last used {when(one.used_ms)}" if one.used_ms is not None else "never used"
        ends = f"  expires {when(one.expires_ms)}" if one.expires_ms is not None else ""
        state = "" if one.is_live(now_ms) else "  revoked" if one.revoked_ms is not None else "  expired"
        print(f"{plain(one.name):<20}  {one.scope:<6}  since {when(one.created_ms)}  {used}{ends}{state}")
    if not listed:
        print("There is no token. `hark token new NAME` makes one, for each person and device.")
    return 0 if listed else 1


def _json(one: Token, now_ms: int) -> dict[str, object]:
    return {
        "name": one.name,
        "scope": one.scope,
        "created": wire.when(one.created_ms),
        "used": wire.when(one.used_ms),
        "expires": wire.when(one.expires_ms),
        "state": "live" if one.is_live(now_ms) else "revoked" if one.revoked_ms is not None else "expired",
    }


def _new(folder: str, token: Token, options: argparse.Namespace, settings: Settings) -> None:
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    store = TokenStore.open(folder, write=True)
    assert store is not None
    with store:
        store.add(token, secret)
    _show(token, secret, settings, as_json=options.json)


def _rotate(folder: str, options: argparse.Namespace, settings: Settings, now_ms: int) -> None:
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    with _opened(folder, options.name) as store:
        token = store.rotate(options.name, secret, now_ms)
    _show(token, secret, settings, as_json=options.json)


def _revoke(folder: str, options: argparse.Namespace, now_ms: int) -> None:
    with _opened(folder, options.name) as store:
        store.revoke(options.name, now_ms)
    if options.json:
        print_json({"schema": wire.SCHEMA, "name": options.name, "revoked": wire.when(now_ms)})
    else:
        print(f"{plain(options.name)} is revoked; a running server refuses it from now on.")


def _opened(folder: str, name: str) -> TokenStore:
    """Open tokens that are to be changed. Raises NoSuchToken where there are none."""
    before = TokenStore.open(folder)
    if before is None:
        raise errors.NoSuchToken(name)
    before.con.close()
    store = TokenStore.open(folder, write=True)
    assert store is not None
    return store


def _show(token: Token, secret: str, settings: Settings, *, as_json: bool) -> None:
    """Print a secret, this once."""
    public = settings.text("server.public_url").rstrip("/")
    url = f"{public}/mcp/{secret}" if public else ""
    if as_json:
        print_json({"schema": wire.SCHEMA, "name": token.name, "secret": secret, "url": url})
        return
    print(secret)
    if url:
        print(url)
    else:
        note("With `hark config server.public_url https://NAME` the whole address is printed too.")
    note(f"This is the secret of {token.name} ({token.scope}); it is not kept and not shown again.")
    note("Programs send it as the header Authorization: Bearer SECRET, claude.ai has the address …/mcp/SECRET.")
