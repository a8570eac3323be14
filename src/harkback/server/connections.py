"""A connection of uvicorn's that ends where no request arrives on it in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport


class Connection(H11Protocol):
    """One connection. uvicorn itself waits for ever, and whoever holds enough of them open keeps all others out."""

    head_s = 10.0
    """So long the first line and the headers of a request may take."""
    _waiting: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take in data; a head that is not whole yet keeps the time that it has left."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.head_s, self._hang_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _hang_up(self) -> None:
        self._waiting = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def patient(head_s: float) -> type[Connection]:
    """Make a kind of connection that waits so long for a request."""
    return type("PatientConnection", (Connection,), {"head_s": head_s})
