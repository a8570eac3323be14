"""Text analysis: folding, tokens and cleaning, the same for what is indexed and for what is asked.

Nothing is imported here: a search needs `fold`, `tokens` and `runs`; `clean` and the numpy form `batch` are for
those who index.
"""
