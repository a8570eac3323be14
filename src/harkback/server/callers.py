"""Who asks: the token with which a request came in."""

from __future__ import annotations

from harkback._record import NamedTuple


class Caller(NamedTuple):
    """The token of a request, as the application behind the gate finds it in `scope["hark"]`."""

    name: str
    scope: str
    is_path_secret: bool
    """Whether the secret stood in the path and not in a header."""
    key: bytes = b""
    """Signs what is handed out to this caller."""
