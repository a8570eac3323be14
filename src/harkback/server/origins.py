"""Whence a request comes and whom it means: its address, `Host` and `Origin`."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from harkback import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from ipaddress import IPv4Network, IPv6Network

    Headers = Iterable[tuple[bytes, bytes]]

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HOSTED = frozenset({"https://claude.ai", "https://claude.com", "https://chatgpt.com", "https://chat.openai.com"})
"""Where the hosts' pages come from. Their servers ask us and send no `Origin`; a page of theirs may."""
_PORTS = {"http": 80, "https": 443}


class Doors:
    """The names by which a server may be called, and the pages that may call it."""

    def __init__(self, hosts: Iterable[str], origins: Iterable[str]) -> None:
        """`hosts` are names without ports, `origins` are written as browsers write them."""
        self.hosts = frozenset(hosts)
        self.origins = frozenset(origins)

    def is_host(self, headers: Headers) -> bool:
        """Whether a request means us: exactly one `Host`, and one of ours. Else a page has rebound its name to us."""
        given = [value for name, value in headers if name == b"host"]
        return len(given) == 1 and host_name(given[0].decode("latin-1")) in self.hosts

    def is_origin(self, headers: Headers) -> bool:
        """Whether a request comes from no page, or from one that may ask; `null` may not."""
        given = [value.decode("latin-1").lower() for name, value in headers if name == b"origin"]
        return all(one in self.origins for one in given)


def host_name(host: str) -> str:
    """Give the name in a `Host` header, without its port and a last dot; "" for what is none."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # raises for what is no port
    except ValueError:
        return ""
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        return ""
    return (parts.hostname or "").removesuffix(".")


def doors(address: str, port: int, public_url: str) -> Doors:
    """Say how a server may be called that listens on an address and is known under a URL."""
    hosts = {*LOOPBACK_NAMES, address.lower()} - {"", "0.0.0.0", "::"}  # noqa: S104 - what listens everywhere has no name
    origins = {origin(scheme, name, port) for scheme in _PORTS for name in hosts}
    if public_url:
        parts = urlsplit(public_url)
        name = (parts.hostname or "").removesuffix(".")
        hosts.add(name)
        origins.add(origin(parts.scheme, name, parts.port))
    return Doors(hosts, origins | HOSTED)


def origin(scheme: str, name: str, port: int | None) -> str:
    """Write an origin as browsers do: without the port that the scheme has anyway."""
    written = f"[{name}]" if ":" in name else name
    return f"{scheme}://{written}" + ("" if port in {None, _PORTS.get(scheme)} else f":{port}")


def checked_url(url: str) -> str:
    """Check the public address of a server. Raises BadValue."""
    bare = url.strip().rstrip("/")
    try:
        parts = urlsplit(bare)
        is_fine = parts.scheme in _PORTS and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        is_fine = False
    if bare and (not is_fine or parts.path or parts.query or parts.fragment or "@" in parts.netloc):
        advice = "It takes a scheme and a name, such as https://memory.example.org; the path is ours."
        raise errors.BadValue("server.public_url", url, advice)
    return bare


def is_loopback(address: str) -> bool:
    """Whether an address, or a name, is this machine's own and nobody else's."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address.lower() == "localhost"


class Proxies:
    """The addresses of the proxy before us, and what it says of whom it speaks for."""

    def __init__(self, networks: Iterable[IPv4Network | IPv6Network] = ()) -> None:
        """Without networks nobody is believed."""
        self.networks = tuple(networks)

    def address(self, peer: str, headers: Headers) -> str:
        """Give the address a request comes from: of those that the proxy names the last that is not its own."""
        if not self._is_ours(peer):
            return peer
        named = [value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for"]
        for one in reversed(",".join(named).split(",")):
            try:
                found = str(ip_address(one.strip()))
            except ValueError:
                return peer
            if not self._is_ours(found):
                return found
        return peer

    def _is_ours(self, address: str) -> bool:
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self.networks)


def proxies(text: str) -> Proxies:
    """Read addresses and networks, parted by spaces or commas. Raises BadValue."""
    try:
        return Proxies(ip_network(one, strict=False) for one in text.replace(",", " ").split())
    except ValueError:
        advice = "It takes addresses and networks: 127.0.0.1 10.89.0.0/24."
        raise errors.BadValue("server.proxy", text, advice) from None
