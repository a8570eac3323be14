"""The engine for one person's machine: SQLite and Tantivy in one folder."""

from harkback.engines.local import vector_files
from harkback.engines.local.engine import Asking, LocalEngine, Search
from harkback.engines.local.finding import POOL
from harkback.engines.local.finding import Found as Candidates
from harkback.engines.local.labels import base_name
from harkback.engines.local.lock import FOLDERS, FOREVER_S, VECTORS, locked
from harkback.engines.local.schema import guarded, prepare_folder, undamaged

__all__ = [
    "FOLDERS",
    "FOREVER_S",
    "POOL",
    "VECTORS",
    "Asking",
    "Candidates",
    "LocalEngine",
    "Search",
    "base_name",
    "guarded",
    "locked",
    "prepare_folder",
    "undamaged",
    "vector_files",
]
