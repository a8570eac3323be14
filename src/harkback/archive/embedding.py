"""Which embedder the archive uses, as it was set."""

from __future__ import annotations

from harkback.models.embedders import Embedders, Setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from harkback.config import Settings


def embedders_of(settings: Settings, env: Mapping[str, str]) -> Embedders:
    """Take which embedder is wanted from what was set; a key comes from the environment only."""
    return Embedders(
        Setup(
            settings.text("meaning.embedder"),
            settings.text("meaning.endpoint"),
            settings.text("meaning.model"),
            env.get("HARK_MEANING_KEY", ""),
        )
    )
