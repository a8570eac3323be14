"""Signs that nobody sees: some turn letters around, some hide a text from people and not from models."""

from __future__ import annotations

import re

UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""Zero-width spaces, marks of direction, invisible operators, tags; joiners belong to letters and stay."""
