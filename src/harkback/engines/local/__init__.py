"""The engine for one person's machine: SQLite and Tantivy in one folder."""

from harkback.engines.local.engine import LocalEngine, Search

__all__ = ["LocalEngine", "Search"]
