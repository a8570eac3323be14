"""A server as `hark serve` runs it, with an application behind the gate that tells what came through it."""

from __future__ import annotations

import asyncio
import json
import sys
from time import sleep, time
from typing import Any

from anyio import to_thread

from harkback.cli import run, serving
from harkback.server.audit import Entry, hash_of
from harkback.server.gate import AUDIT, CALLER, Limits
from harkback.server.running import Settings, serve


async def echo(scope: Any, receive: Any, send: Any) -> None:
    assert scope["type"] == "http"
    asked = json.loads((await receive())["body"])
    match asked.get("do"):
        case "raise":
            raise ValueError("a text that nobody should read")
        case "nothing":
            return
        case "sleep":
            await asyncio.sleep(asked["s"])
        case "work":
            await to_thread.run_sync(sleep, asked["s"])
        case "audit":
            entry = Entry(scope[CALLER].name, "a client", "1.0", "save_memory", ("k1234567",), hash_of(asked), 12)
            scope["state"][AUDIT].write(entry)
    told = {
        "caller": scope[CALLER]._asdict(),
        "path": scope["path"],
        "raw_path": scope["raw_path"].decode(),
        "query": scope["query_string"].decode(),
        "headers": [[name.decode(), value.decode("latin-1")] for name, value in scope["headers"]],
        "asked": asked,
    }
    if asked.get("method") in {"initialize", "server/discover"}:
        told = {"jsonrpc": "2.0", "id": asked["id"], "result": {}}
    headers = [(b"content-type", b"application/json"), (b"access-control-allow-origin", b"*"), (b"server", b"echo")]
    await send({"type": "http.response.start", "status": 200, "headers": [*headers, (b"set-cookie", b"a=b")]})
    if asked.get("do") == "break":
        raise ValueError("in the middle")
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})


def main() -> None:
    if sys.argv[1] == "serve":
        setattr(serving, "_app", lambda _: echo)  # noqa: B010 - what is served for real needs more than this
        sys.argv[0] = "hark"
        run()
    given = json.loads(sys.argv[1])
    given["limits"] = Limits(**given.get("limits", {}))
    serve(echo, Settings(**given), lambda: int(time() * 1000), tell)
    tell("ended")


def tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
