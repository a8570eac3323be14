"""harkback: find again what was said in past agent sessions."""

__version__ = "0.1.0"
