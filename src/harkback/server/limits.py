"""How much may be asked: buckets from which every request takes a drop, and which fill again with time."""

from __future__ import annotations

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from math import ceil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BUCKETS = 10_000
"""Beyond, the bucket that was looked at longest ago is dropped; it has filled again meanwhile, or soon has."""


class Buckets:
    """One bucket for each key, of `burst` drops, into which `per_s` more fall every second."""

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float]) -> None:
        """`clock` gives seconds."""
        self.per_s = per_s
        self.burst = burst
        self.clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> int:
        """Take a drop; gives 0, or the seconds after which there is one again."""
        now = self.clock()
        level, since = self._levels.pop(key, (float(self.burst), now))
        level = min(float(self.burst), level + (now - since) * self.per_s)
        is_enough = level >= 1
        self._levels[key] = (level - 1 if is_enough else level, now)
        if len(self._levels) > MOST_BUCKETS:
            self._levels.popitem(last=False)
        return 0 if is_enough else max(1, ceil((1 - level) / self.per_s))


def neighbourhood(address: str) -> str:
    """Give what one guesser may have of addresses: one of IPv4, 2⁶⁴ of IPv6."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(found)
