"""Search: from an engine's candidates to an answer that can be acted on."""
