"""Asking a model what of a conversation is worth keeping, once more where it fails."""

from __future__ import annotations

from harkback import errors
from harkback.chat.extraction import INSTRUCTION, Unusable, question, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from harkback.chat.conversation import Turn
    from harkback.chat.extraction import Extracted
    from harkback.models.chatting import Chatter

_TRIES = 2


def asked(turns: Sequence[Turn], chatter: Chatter) -> Extracted:
    """Let a model note what the turns say. Raises ModelFailed, Unusable, where it failed twice; WindowFull."""
    for left in reversed(range(_TRIES)):
        try:
            return read("".join(chatter.stream(INSTRUCTION, question(turns))), turns)
        except errors.WindowFull:
            raise
        except (errors.ModelFailed, Unusable):
            if not left:
                raise
    raise AssertionError
