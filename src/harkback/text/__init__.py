"""Text analysis: folding, tokens and cleaning, the same for what is indexed and for what is asked.

The numpy form for many texts at once, `harkback.text.batch`, is imported by those who index much.
"""

from harkback.text.clean import bound, clean
from harkback.text.fold import fold
from harkback.text.tokens import spans, token_string, tokens

__all__ = ["bound", "clean", "fold", "spans", "token_string", "tokens"]
