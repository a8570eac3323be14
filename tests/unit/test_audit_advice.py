"""What an audit suggests, rule by rule, and that it is silent where a figure says little."""

from __future__ import annotations

from typing import Any

import pytest

from harkback.audit.advice import advice
from harkback.audit.figures import Figures, Hook, Short, Spread, figures

NONE: Figures = figures("hark", (), (), {}, {})


def rules(**changed: Any) -> list[str]:
    return [one.rule for one in advice(NONE._replace(**{"searches": 30, **changed}))]


def test_nothing_is_suggested_of_nothing() -> None:
    assert advice(NONE) == []
    assert rules() == []


@pytest.mark.parametrize(
    ("rule", "enough", "too_little"),
    [
        ("cut", {"cut": 3}, {"cut": 2}),
        ("cut", {"cut": 10, "searches": 100}, {"cut": 9, "searches": 100}),
        ("failed", {"whys": {"failed": 2, "timed out": 1}}, {"whys": {"failed": 2}}),
        ("not-run", {"whys": {"not run": 3}}, {"whys": {"not run": 2}}),
        ("short-queries", {"short": Short(5, 2, 10, 8)}, {"short": Short(4, 0, 10, 8)}),
        ("short-queries", {"short": Short(5, 3, 10, 8)}, {"short": Short(5, 4, 10, 8)}),
        ("filters", {"reasons": {"filtered": 3, "absent": 20}}, {"reasons": {"filtered": 3, "absent": 28}}),
        ("other-lane", {"reasons": {"other lane": 3}}, {"reasons": {"other lane": 2}}),
        ("indexed-later", {"reasons": {"indexed later": 3}}, {"reasons": {"indexed later": 2}}),
        ("too-short", {"reasons": {"too short": 3}}, {"reasons": {"too short": 2}}),
        ("syntax", {"reasons": {"syntax": 3}}, {"reasons": {"syntax": 2}}),
        ("raw-output", {"raw": {"tool output": 3}}, {"raw": {"tool output": 2}}),
        ("raw-text", {"raw": {"short snippet": 3}}, {"raw": {"short snippet": 2}}),
        ("same-again", {"again": {"same": 3}}, {"again": {"same": 2}}),
        ("other-language", {"again": {"other language": 3}}, {"again": {"other language": 2}}),
        ("slow", {"own_ms": Spread(10, 2001, 5)}, {"own_ms": Spread(10, 2000, 5)}),
        ("slow", {"own_ms": Spread(10, 9000, 5)}, {"own_ms": Spread(10, 9000, 4)}),
        ("hook-ignored", {"hook": Hook(5, 2)}, {"hook": Hook(6, 3)}),
        ("hook-ignored", {"hook": Hook(5, 0)}, {"hook": Hook(4, 0)}),
        ("no-hook", {"prompts": {"2026-10": 60, "2026-11": 40}}, {"prompts": {"2026-11": 99}}),
    ],
)
def test_a_rule_speaks_from_its_bound_on(rule: str, enough: dict[str, Any], too_little: dict[str, Any]) -> None:
    assert rules(**enough) == [rule]
    assert rules(**too_little) == []


def test_of_another_command_the_hook_is_nothing_to_say() -> None:
    assert rules(prompts={"2026-11": 500}) == ["no-hook"]
    assert rules(prompts={"2026-11": 500}, command="rg") == []


def test_every_rule_stands_in_the_manual() -> None:
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    table = page.partition("## Suggestions")[2].partition("## Limits")[0]
    marks = test_a_rule_speaks_from_its_bound_on.pytestmark[0].args[1]
    assert [rule for rule, _, _ in marks if f"`{rule}`" not in table] == []
