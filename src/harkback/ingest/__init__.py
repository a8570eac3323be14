"""Ingest: which transcripts changed, and bringing what they gained into an engine."""
