"""Who asks: the token with which a request came in."""

from __future__ import annotations

from harkback._record import NamedTuple

READ, WRITE, DELETE = "read", "write", "delete"
SCOPES = (READ, WRITE, DELETE)
"""What a token may do; each includes those before it."""


class Caller(NamedTuple):
    """The token of a request, as the application behind the gate finds it in `scope["hark"]`."""

    name: str
    scope: str
    is_path_secret: bool
    """Whether the secret stood in the path and not in a header."""

    def may(self, scope: str) -> bool:
        """Whether the token reaches as far as `scope`."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)
