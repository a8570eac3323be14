"""What an English sentence wants remembered. Pure: a text with narrow punctuation in, a place in it out.

"That" may point at something ("remember that movie"), so what stands behind it has to be a clause.
"""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"(?:(?:hey|hi|hello|ok|okay|oh|ah|and|also|so|well|now|btw|by the way|from now on)\b[\s,.!]*)*"
    r"(?:(?P<asks>(?:can|could|would|will)\s+you\s+)|i\s+(?:want|need)\s+you\s+to\s+|i(?:'d|\s+would)\s+like\s+you\s+to\s+"
    r"|make\s+sure\s+(?:to|(?:that\s+)?you)\s+)?(?:please\b[\s,]*)?(?:always\s+)?"
    r"(?:remember|do(?:n't|\s+not)\s+forget)(?P<how>(?:\s+(?:that|this))?\s*[:,]\s*|\s+that\s+|\s+)"
    r"(?P<fact>(?!remember\b)\S.*)",
    re.DOTALL | re.IGNORECASE,
)
_BEHIND = re.compile(
    r"(?P<fact>.+?)\s*[.,;!]\s*(?:so\s+|and\s+)?(?:please\s+remember(?:\s+(?:that|this|it))?|remember\s+(?:that|this|it)"
    r"|(?:please\s+)?do(?:n't|\s+not)\s+forget(?:\s+(?:that|this|it))?)[\s.!]*",
    re.DOTALL | re.IGNORECASE,
)
_POLITE = re.compile(r"\s*,\s*(?:please|thanks|thank you|ok|okay|alright)[\s?!.]*\Z", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:what|who|where|which|why|how)(?:'s)?\b"
    r"|(?:do|does|did|is|are|was|were|can|could|will|would|should|have|has|am)\s+"
    r"(?:i|you|we|he|she|it|they|there|the|my|your|this|that)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?:i|we|you|he|she|they)(?:'ve|'d)?\s+(?:just\s+|already\s+|once\s+|had\s+|have\s+)*"
    r"(?:said|told|mentioned|asked|talked|spoke)\b",
    re.IGNORECASE,
)
_DID = re.compile(r"(?:i|we|you)\s+(?:was|were|had|did|went|met|saw|ate|\w+ed)\b", re.IGNORECASE)
"""Behind "can you remember that" it is asked whether somebody remembers."""
_OPENS = re.compile(
    r"(?:i|we|you|he|she|it|they|there|here|this|these|those|nobody|nothing|everyone|everybody|everything|someone|somebody"
    r"|my|our|your|his|her|its|their|the|an?|no|not|all|every|each|some|any|most|both|many|several"
    r"|today|tomorrow|tonight|yesterday|next|never|always|only|currently|\d+)(?:'\w+)?\s",
    re.IGNORECASE,
)
"""With these a clause begins: "that" points at nothing before them."""
_CIRCUMSTANCE = re.compile(
    r"(?:if|when|whenever|before|after|because|since|until|unless|while|for|on|in|at|by|from|with|without|to|during|as)\s"
    r".*\s(?:i|we|you|he|she|it|they|there|is|are|has|have|will|must|should|can|cannot|needs|uses|runs)(?:'\w+|n't)?\s",
    re.DOTALL | re.IGNORECASE,
)
_VERB = (
    r"(?:(?:is|are|was|were|has|have|had|does|did|would|should|could|must)(?:n't)?|will|won't|can|can't|cannot|may"
    r"|needs|uses|runs|lives|works|likes|wants|prefers|hates|loves|costs|starts|ends|goes|takes|opens|closes|means"
    r"|depends|requires|belongs|expires|keeps|gets|comes|listens|stands|stays|happens)\b"
)
_OTHER = (
    r"(?!(?:with|from|in|on|at|of|we|i|you|he|she|it|they|who|that|which|where|when|called|named|about|for|to|one|thing"
    r"|movie|film|song|guy|girl|boy|man|woman|person|place|restaurant|book|show|game|day|night|time|trip|story|joke|scene"
    r"|summer|party|episode|series|actor|actress|band|bar|shop|hotel|video|article|podcast|photo|picture|dream|moment|year"
    r"|week|weekend|evening|afternoon|morning)\b)"
)
"""No word that breaks a subject off, and nothing one points at: "that movie is called …"."""
_STATES = re.compile(rf"(?:{_OTHER}[\w'.-]+\s+){{1,3}}?{_VERB}", re.IGNORECASE)
_PLURAL = re.compile(r"(?!news|series|lens|canvas|bias)[a-z]{2,}[^\Wsiu]s\s", re.IGNORECASE)
_NAMED = re.compile(rf"(?:[A-Z]{_OTHER}[\w.+'-]*\s+){{1,2}}[a-z]{{2,}}(?:[^\Wsiu]s|ed)\b")
"""A name with what it does: "Bob keeps bees"."""
_BARE = re.compile(
    rf"(?:[Ii]|we|he|she|they)(?:'\w+)?\s+\w|(?:my|our|his|her|their)\s+(?:{_OTHER}[\w'.-]+\s+){{1,3}}?{_VERB}"
    rf"|the\s+(?:{_OTHER}[a-z][\w'.-]*\s+){{1,3}}?{_VERB}"
)
"""What may stand behind "remember" alone; "Remember the Titans" is a film."""
_FEWEST_WORDS = 3


def wanted(plain: str) -> slice | None:
    """Say where in a text stands what is to be remembered; None where nothing does."""
    said = _BEFORE.fullmatch(plain)
    if said is None:
        return _wanted_behind(plain)
    asks = said["asks"] is not None
    fact = _POLITE.sub("", said["fact"])
    fact = fact.rstrip("? \n") if asks else fact
    if fact.endswith("?") or _ASKS.match(fact) or _TOLD.match(fact) or (asks and _DID.match(fact)):
        return None
    how = said["how"].strip()
    is_clause = how.endswith((":", ",")) or (_BARE.match(fact) if not how else _is_clause(fact))
    return slice(said.start("fact"), said.start("fact") + len(fact)) if is_clause else None


def _wanted_behind(plain: str) -> slice | None:
    """The same of "…, please remember"."""
    said = _BEHIND.fullmatch(plain)
    if said is None or "?" in said["fact"]:
        return None
    fact = said["fact"]
    return None if _ASKS.match(fact) or _TOLD.match(fact) or not _is_clause(fact) else slice(*said.span("fact"))


def _is_clause(fact: str) -> bool:
    return len(fact.split()) >= _FEWEST_WORDS and any(
        one.match(fact) for one in (_OPENS, _CIRCUMSTANCE, _STATES, _PLURAL, _NAMED)
    )
