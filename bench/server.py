"""How fast `hark serve` answers: 2,000 requests at 10 in flight, from ten devices, through the gate.

    python -m bench.server [--requests 2000] [--memories 1000]

The server runs as a process with the limits it always has; each device has a token of its own. A figure is the time
from the first byte sent to the last one read, on a connection that is made anew for each request, as hosts do it.
"""

from __future__ import annotations

import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from bench._common import Figures, arguments, environment, hark

if TYPE_CHECKING:
    from collections.abc import Callable

DEVICES = 10
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
CALLS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
    "tools/list": {},
    "tools/call": {"name": "search_memory", "arguments": {"queries": ["where does the kettle stand"]}},
}


def asked(port: int, secret: str, method: str) -> tuple[int, float]:
    """Send one request; gives its status and milliseconds."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": CALLS[method]})
    began = perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", f"/mcp/{secret}", body, HEADERS)
    reply = connection.getresponse()
    reply.read()
    connection.close()
    return reply.status, (perf_counter() - began) * 1000


def turn(port: int, secrets: list[str], method: str, number: int) -> tuple[int, float]:
    """Send a request from the device whose turn it is."""
    return asked(port, secrets[number % DEVICES], method)


def run(figures: Figures, env: dict[str, str], requests: int) -> None:
    """Start a server, ask it each kind of question, and stop it."""

    def secret(number: int, kind: str) -> str:
        made = subprocess.run(
            hark("token", "new", f"device-{number}-{kind}", "--json"), env=env, capture_output=True, check=True
        )
        found = json.loads(made.stdout)["secret"]
        assert isinstance(found, str)
        return found

    secrets = {method: [secret(number, method.replace("/", "-")) for number in range(DEVICES)] for method in CALLS}
    with subprocess.Popen(hark("serve", "--port", "0", "--json"), env=env, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        began = perf_counter()
        port = int(json.loads(server.stdout.readline())["address"].rpartition(":")[2])
        figures.add("start until it listens", perf_counter() - began, "s")
        for method in CALLS:
            _measure(figures, method, requests, partial(turn, port, secrets[method], method))
        began = perf_counter()
        server.terminate()
        server.wait()
        figures.add("stop", perf_counter() - began, "s", at_most=2.0)


def _measure(figures: Figures, method: str, requests: int, ask: Callable[[int], tuple[int, float]]) -> None:
    began = perf_counter()
    with ThreadPoolExecutor(DEVICES) as pool:
        replies = list(pool.map(ask, range(requests)))
    seconds = perf_counter() - began
    times = sorted(ms for _, ms in replies)
    figures.add(f"{method}: lost of {requests:,}", sum(status != http.client.OK for status, _ in replies), at_most=0)
    figures.add(f"{method}: p50", times[len(times) // 2], "ms")
    figures.add(f"{method}: p99", times[int(len(times) * 0.99)], "ms")
    figures.add(f"{method}: requests a second", requests / seconds)


def main() -> int:
    """Print the figures."""
    options = arguments(__doc__)
    options.add_argument("--requests", type=int, default=2000)
    options.add_argument("--memories", type=int, default=1000)
    given = options.parse_args()
    figures = Figures("server")
    with tempfile.TemporaryDirectory() as home:
        env = {**environment(home, os.path.join(home, "archive")), "HARK_MEANING_EMBEDDER": "off"}
        things = itertools.product(("kettle", "ladder", "router", "camera"), range(given.memories // 4))
        lines = "\n".join(f"the {thing} number {n} stands on shelf {n * 7 % 90} of room {n}" for thing, n in things)
        subprocess.run(hark("remember", "-"), env=env, input=lines.encode(), capture_output=True, check=True)
        run(figures, env, given.requests)
    figures.finish(given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
