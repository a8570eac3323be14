"""A running server looked at from outside, as claude.ai and ChatGPT look at it: what is wrong, and what to do.

Each look is one question; the first ones tell whether the later ones make sense at all. Nothing here reads the archive.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urljoin, urlsplit

from harkback import errors
from harkback._record import NamedTuple
from harkback.server.origins import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWER_S = 10.0
"""The hosts give up after so long."""
_EXPIRY_DAYS = 14
_HTTPS = 443
_MOST_REDIRECTS = 4
_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_CLIENT = "application/json, text/event-stream"
_CLAUDE = "Claude-User"
_OLD_ERA, _NEW_ERA = "2025-11-25", "2026-07-28"
_WELL_KNOWN = ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
_FORBIDDEN = 403
_CLOUDFLARE = "In Cloudflare, under Security, switch off Block AI bots, or add a rule that skips it for this name."


class Check(NamedTuple):
    """One look."""

    what: str
    is_fine: bool
    found: str
    next_step: str = ""


class _Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float


class _Target(NamedTuple):
    """The server that is looked at."""

    url: SplitResult
    secret: str

    @property
    def host(self) -> str:
        return self.url.hostname or ""

    @property
    def port(self) -> int:
        return self.url.port or (_HTTPS if self.is_https else 80)

    @property
    def is_https(self) -> bool:
        return self.url.scheme == "https"

    @property
    def path(self) -> str:
        return self.url.path.rstrip("/") or "/mcp"

    @property
    def route(self) -> str:
        """The path without its secret."""
        return "/" + self.path.split("/")[1]


def probe(url: str, secret: str = "") -> list[Check]:
    """Look at the server of a URL, whose path may hold the secret, or which takes `secret` as a header.

    Needs at most a few times ten seconds. Raises BadValue.
    """
    target = _target(url, secret)
    checks: list[Check] = []
    for check in _looks(target):
        checks.append(check)
        if not check.is_fine and check.what in _NOTHING_AFTER:
            break
    return checks


_NOTHING_AFTER = ("name", "TLS")


def _target(url: str, secret: str) -> _Target:
    try:
        parts = urlsplit(url.strip())
        is_fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_fine = False
    if not is_fine:
        raise errors.BadValue("--check", _unsecret(url), "It takes an address: https://memory.example.org/mcp/SECRET.")
    return _Target(parts, secret)


def _unsecret(url: str) -> str:
    return url.split("/mcp/", maxsplit=1)[0].split("/chatgpt/", maxsplit=1)[0][:100]


def _looks(target: _Target) -> Iterator[Check]:
    yield _name(target)
    yield _tls(target)
    yield from _port(target)
    yield from _redirect(target)
    for era, accept in ((_OLD_ERA, _BROWSER), (_OLD_ERA, _CLIENT), (_NEW_ERA, _CLIENT)):
        yield _answer(target, era, accept)
    yield _well_known(target)
    yield _wrong_secret(target)


def _name(target: _Target) -> Check:
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except OSError as error:
        step = "Check the name, and that its DNS record was made; a new one takes some minutes."
        return Check("name", is_fine=False, found=f"{target.host} is not found ({_why(error)})", next_step=step)
    addresses = sorted({str(one[4][0]) for one in found})
    return Check("name", is_fine=True, found=f"{target.host} is {', '.join(addresses)}")


def _tls(target: _Target) -> Check:
    if not target.is_https and not is_loopback(target.host):
        step = "claude.ai and ChatGPT take https only: put a proxy or a tunnel before it (docs/phone.md)."
        return Check("TLS", is_fine=False, found="plain http", next_step=step)
    try:
        with socket.create_connection((target.host, target.port), ANSWER_S) as plain:
            if not target.is_https:
                return Check("TLS", is_fine=True, found="plain http on this machine")
            with ssl.create_default_context().wrap_socket(plain, server_hostname=target.host) as secure:
                return _expiry(secure.getpeercert() or {})
    except ssl.SSLCertVerificationError as error:
        step = "Serve the whole chain of a certificate that browsers trust, for this name: fullchain.pem, not cert.pem."
        return Check("TLS", is_fine=False, found=error.verify_message, next_step=step)
    except OSError as error:
        step = (
            "Check that `hark serve` runs, that the proxy or tunnel points to it, and that no firewall stands between."
        )
        return Check("TLS", is_fine=False, found=_why(error), next_step=step)


def _expiry(certificate: dict[str, Any]) -> Check:
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate["notAfter"]), UTC)
    days = (ends - datetime.now(UTC)).days
    found = f"the certificate is trusted, and ends in {days} days ({ends:%Y-%m-%d})"
    if days < _EXPIRY_DAYS:
        return Check("TLS", is_fine=False, found=found, next_step="Renew it, and see that this happens by itself.")
    return Check("TLS", is_fine=True, found=found)


def _port(target: _Target) -> Iterator[Check]:
    if is_loopback(target.host):
        return
    is_usual = target.port == _HTTPS
    step = "" if is_usual else "claude.ai asks port 443 only: let the proxy or tunnel listen there."
    yield Check("port", is_fine=is_usual, found=str(target.port), next_step=step)


def _redirect(target: _Target) -> Iterator[Check]:
    """See where plain http leads, as people type addresses without a scheme."""
    if not target.is_https or target.port != _HTTPS:
        return
    plain = _Target(urlsplit(f"http://{target.url.netloc}/"), "")
    try:
        reply = _ask(plain, "GET", "/", {}, None)
    except OSError as error:
        yield Check("http", is_fine=True, found=f"nobody answers on port 80 ({_why(error)})")
        return
    leads = urljoin("http://x/", reply.headers.get("location", ""))
    if leads.startswith("https://"):
        yield Check("http", is_fine=True, found="leads to https")
    elif reply.headers.get("location"):
        step = "Let it lead to https, or close port 80."
        yield Check("http", is_fine=False, found=f"leads elsewhere ({reply.status})", next_step=step)
    else:
        yield Check("http", is_fine=True, found=f"answers {reply.status} without a redirect")


def _answer(target: _Target, era: str, accept: str) -> Check:
    """Ask as a host does when it is told of a server."""
    asked = "server/discover" if era == _NEW_ERA else "initialize"
    kind = "browser's" if accept == _BROWSER else "client's"
    what = f"{asked} ({era}, a {kind} Accept)"
    try:
        reply = _ask(target, "POST", target.path, _headers(target, era, accept), _question(era))
    except TimeoutError:
        step = "Look at the server's load, and whether the proxy holds answers back."
        return Check(what, is_fine=False, found=f"no answer within {ANSWER_S:.0f} seconds", next_step=step)
    except (OSError, http.client.HTTPException) as error:
        step = "Check that `hark serve` runs and that the proxy or tunnel points to its port."
        return Check(what, is_fine=False, found=_why(error), next_step=step)
    return _judged(what, reply)


def _judged(what: str, reply: _Reply) -> Check:
    fault = _fault(reply)
    if fault is not None:
        return Check(what, is_fine=False, found=fault[0], next_step=fault[1])
    message = _message(reply)
    if not isinstance(message, dict) or "result" not in message:
        step = "Something else answers at this address: check where the proxy or tunnel points."
        return Check(what, is_fine=False, found="200, and no answer of this protocol", next_step=step)
    if reply.seconds > ANSWER_S:
        found = f"200, after {reply.seconds:.1f} seconds"
        step = "The hosts give up after ten seconds: look at the server's load."
        return Check(what, is_fine=False, found=found, next_step=step)
    kind = reply.headers.get("content-type", "").partition(";")[0]
    return Check(what, is_fine=True, found=f"200 as {kind} in {reply.seconds:.2f} seconds")


def _fault(reply: _Reply) -> tuple[str, str] | None:
    """Say what an answer that is not 200 means, and what to do."""
    is_cloudflare = "cf-ray" in reply.headers or "cf-mitigated" in reply.headers
    if reply.status == http.client.OK:
        return None
    if reply.status == _FORBIDDEN and is_cloudflare:
        return "403 by Cloudflare, which keeps the hosts' programs out", _CLOUDFLARE
    if "location" in reply.headers:
        return f"{reply.status}, a redirect", "Give the hosts the address it leads to; they do not follow it."
    known = _STEPS.get(reply.status)
    if known is None and reply.status >= http.client.INTERNAL_SERVER_ERROR:
        known = "Check that `hark serve` runs and that the proxy or tunnel points to its port."
    return str(reply.status), known or "See access.jsonl in the archive's folder for what the server made of it."


_STEPS = {
    401: "Put the secret into the path (/mcp/SECRET), or name a file that holds it with --token-file.",
    404: "The secret is wrong, was revoked or has expired: `hark token list`, `hark token rotate NAME`.",
    421: "Start it with this name: `hark serve --public-url https://NAME`.",
    406: "The proxy or something before it changes the header Accept; let it through as it is.",
    429: "Too many wrong secrets came from here; wait a minute.",
}


def _message(reply: _Reply) -> object:
    """Read an answer: JSON, or the first event of a stream."""
    text = reply.body.decode("utf-8", "replace")
    if reply.headers.get("content-type", "").startswith("text/event-stream"):
        text = next((line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()), "")
    try:
        return json.loads(text)
    except ValueError:
        return None


def _well_known(target: _Target) -> Check:
    """See that no document on the origin asks the hosts to log in."""
    found: list[str] = []
    for name in _WELL_KNOWN:
        for path in (f"/.well-known/{name}", f"/.well-known/{name}{target.route}"):
            try:
                if _ask(target, "GET", path, {"User-Agent": _CLAUDE}, None).status < http.client.MULTIPLE_CHOICES:
                    found.append(path)
            except (OSError, http.client.HTTPException):
                continue
    if found:
        step = "Serve the memory under a name of its own: with these the hosts want a login that is not there."
        return Check("well-known", is_fine=False, found=f"there is {', '.join(found)}", next_step=step)
    return Check("well-known", is_fine=True, found="no login is asked for")


def _wrong_secret(target: _Target) -> Check:
    path = f"{target.route}/{'wrong' * 8}"
    try:
        reply = _ask(target, "POST", path, _headers(target, _OLD_ERA, _CLIENT), _question(_OLD_ERA))
    except (OSError, http.client.HTTPException) as error:
        return Check("wrong secret", is_fine=False, found=_why(error), next_step="Run the check again.")
    if reply.status == http.client.NOT_FOUND:
        return Check("wrong secret", is_fine=True, found="404")
    if reply.status == http.client.TOO_MANY_REQUESTS:
        return Check("wrong secret", is_fine=False, found="cannot be told now", next_step=_STEPS[429])
    step = "Something else than `hark serve` answers here, or lets everybody in. Take it off the network."
    return Check("wrong secret", is_fine=False, found=str(reply.status), next_step=step)


def _headers(target: _Target, era: str, accept: str) -> dict[str, str]:
    headers = {"User-Agent": _CLAUDE, "Accept": accept, "Content-Type": "application/json"}
    if era == _NEW_ERA:
        headers |= {"MCP-Protocol-Version": era, "Mcp-Method": "server/discover"}
    if target.secret:
        headers["Authorization"] = f"Bearer {target.secret}"
    return headers


def _question(era: str) -> bytes:
    who = {"name": "hark-check", "version": "1"}
    if era == _NEW_ERA:
        prefix = "io.modelcontextprotocol/"
        meta = {f"{prefix}protocolVersion": era, f"{prefix}clientInfo": who, f"{prefix}clientCapabilities": {}}
        asked = {"method": "server/discover", "params": {"_meta": meta}}
    else:
        asked = {"method": "initialize", "params": {"protocolVersion": era, "capabilities": {}, "clientInfo": who}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, **asked}).encode()


def _ask(target: _Target, method: str, path: str, headers: dict[str, str], body: bytes | None) -> _Reply:
    """Send one request, following nothing. Raises OSError, HTTPException."""
    kind = http.client.HTTPSConnection if target.is_https else http.client.HTTPConnection
    connection = kind(target.host, target.port, timeout=ANSWER_S)
    began = monotonic()
    try:
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        told = {name.lower(): value for name, value in reply.getheaders()}
        return _Reply(reply.status, told, _first(reply, told), monotonic() - began)
    finally:
        connection.close()


def _first(reply: http.client.HTTPResponse, told: dict[str, str]) -> bytes:
    """Read an answer; of a stream, which may stay open, the first event."""
    if not told.get("content-type", "").startswith("text/event-stream"):
        return reply.read(1 << 20)
    lines: list[bytes] = []
    while line := reply.readline(1 << 20):
        lines.append(line)
        if line.startswith(b"data:") and line[5:].strip():
            break
    return b"".join(lines)


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or getattr(error, "reason", None) or error) or type(error).__name__
