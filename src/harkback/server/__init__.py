"""The HTTP front door: who may come in, how much, and what is written down of it."""
