"""The archive: the use cases that every front door calls."""
