"""A `typing.NamedTuple` that costs nothing at start-up.

`typing` and `dataclasses` take 5 to 11 ms to import (measured beside `sqlite3` and `tantivy`), a sixth of what a
whole `hark search` may take. Type checkers see the real `typing.NamedTuple`; at run time the class below makes
the same thing from `collections.namedtuple`.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Meta(type):
        def __new__(mcs, name, bases, space):  # noqa: ANN001, ANN204 - mypy never sees it
            if not bases:
                return super().__new__(mcs, name, bases, space)
            fields = list(space.get("__annotations__", ()))
            defaults = [space[field] for field in fields if field in space]
            made = namedtuple(name, fields, defaults=defaults, module=space["__module__"])  # noqa: PYI024
            for key, value in space.items():
                if key not in fields and key not in {"__module__", "__qualname__", "__annotations__"}:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Meta):
        """Base of the light records; a subclass becomes a named tuple with defaults and methods."""


__all__ = ["NamedTuple"]
