"""`hark chat --eval`: how well a model takes memories, as a table or as JSON."""

from __future__ import annotations

from time import monotonic

from harkback.cli.audit_tables import fitted, percent
from harkback.cli.terminal import amount, note, print_json
from harkback.telling import line
from harkback.text.shorten import shorten
from harkback.wire import SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from harkback.chat.evaluating import Total, Verdict
    from harkback.models.chatting import Chatter

_NAME = 18
_WHY_CHARS = 300
_HEADS = ("cases", "passed", "recall", "precision", "junk", "kind", "day", "language", "silent")
"""Of these, from `kind` on, what is wrong; `silent` are answers that did not come or were none."""
_STOPPED = 130


def evaluate(chatter: Chatter, file: str, *, as_json: bool) -> int:
    """Ask for every case and print what is right; gives 0 if all is. Raises FileUnreadable, BadRubric, ModelAway."""
    from harkback.chat import rubric
    from harkback.chat.evaluating import evaluate as each

    cases = rubric.load(file or rubric.OWN)
    begun = monotonic()
    verdicts: list[Verdict] = []
    is_stopped = False
    try:
        for verdict in each(cases, chatter):
            verdicts.append(verdict)
            note(f"[{len(verdicts)}/{len(cases)}] {verdict.case.id}: {_why(verdict) or 'passed'}")
    except KeyboardInterrupt:
        is_stopped = True
    if as_json:
        print_json(_json(chatter.name, verdicts, len(cases)))
    elif verdicts:
        print("\n".join(_table(verdicts)))
    passed = sum(not one.why for one in verdicts)
    stopped = f"stopped after {len(verdicts)} of {len(cases)}; " if is_stopped else ""
    note(f"{stopped}{passed:,} of {amount(len(verdicts), 'case')} passed, {chatter.name}, {monotonic() - begun:.0f} s")
    return _STOPPED if is_stopped else int(passed < len(verdicts))


def _table(verdicts: Sequence[Verdict]) -> list[str]:
    """Write what failed, and the counts by language, by what it is about, and of all."""
    from harkback.chat.evaluating import by, total

    rows = [f"{one.case.id}: {_why(one)}" for one in verdicts if one.why]
    rows += [""] if rows else []
    for name in ("language", "about"):
        rows.append(_row(f"by {name}", _HEADS))
        rows += [_row(f"  {line(group)}", _cells(one)) for group, one in by(verdicts, name).items()]
        rows.append("")
    return [*rows, _row("all", _cells(total(verdicts)))]


def _row(name: str, cells: Sequence[str]) -> str:
    pairs = zip(cells, _HEADS, strict=True)
    return fitted(name, _NAME) + "".join(f"{cell:>{len(head) + 2}}" for cell, head in pairs)


def _cells(one: Total) -> list[str]:
    counts = (one.junk, one.wrong_kind, one.wrong_day, one.wrong_language, one.unanswered)
    return [str(one.cases), str(one.passed), percent(one.recall), percent(one.precision), *map(str, counts)]


def _why(one: Verdict) -> str:
    return shorten(line(one.why), _WHY_CHARS)


def _json(model: str, verdicts: Sequence[Verdict], number: int) -> dict[str, Any]:
    from harkback.chat.evaluating import by, total

    return {
        "schema": SCHEMA,
        "model": model,
        "cases": number,
        "all": total(verdicts)._asdict(),
        "languages": {name: one._asdict() for name, one in by(verdicts, "language").items()},
        "about": {name: one._asdict() for name, one in by(verdicts, "about").items()},
        "verdicts": [_verdict(one) for one in verdicts],
    }


def _verdict(one: Verdict) -> dict[str, Any]:
    return {
        "id": one.case.id,
        "language": one.case.language,
        "about": one.case.about,
        "passed": not one.why,
        "kept": one.kept,
        "junk": one.junk,
        "answered": one.is_answered,
        "why": one.why,
    }
