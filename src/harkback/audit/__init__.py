"""What became of the calls that agents made: which there were, what they gave, and what came next."""
