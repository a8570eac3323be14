"""Lines for a shell, answers and next steps: whatever stands in a transcript is read without an error."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harkback.audit.calls import call_of_tool, calls_in
from harkback.audit.results import VERDICTS, leads, results
from harkback.audit.steps import STEPS, Act, next_step

PIECES = st.lists(
    st.sampled_from(
        ["hark", "search", "驗收", "'", '"', "$(", ")", "(", "`", "\\", "|", ";", "&&", "\n", " ", ">", "<<", "EOF",
         "{", "}", "for", "do", "done", "-c", "bash", "uv run", "-n", "--", "#", "$'", "<(",
         "2>&1", "python -m harkback", "function g", "a=(", "find . -exec", "\\;", "time -p", "--help"]
    ),
    max_size=40,
).map("".join)  # fmt: skip
LINES = st.one_of(PIECES, st.text(max_size=80), PIECES.map(lambda text: text.replace("hark", " hark ")))
ANSWERS = st.lists(
    st.sampled_from(
        ["1 hit, tier all, 3 ms", "0 hits, tier none, 3 ms", "Nothing found. x", '{"schema": 1, "hits": []}',
         '{"schema":', '{"schema": 1, "hits": [{', "m1234567abc  2026-01-01 10:00+0000  user  pi",
         "    text nginx.conf", "Exit code 3",
         "k1234567  fact  saved", "2 memories", "[m1234567a] x session 12345678 · user: y", "\n", "timed out"]
    ),
    max_size=12,
).map("\n".join)  # fmt: skip


@given(LINES, ANSWERS, LINES)
def test_nothing_stops_an_audit(line: str, answer: str, then: str) -> None:
    calls = calls_in(line)
    told = results(calls, answer)
    assert len(told) == len(calls)
    for call, result in zip(calls, told, strict=True):
        assert result.verdict in VERDICTS
        assert next_step(call, leads(answer), [Act(1, then or "x", tuple(calls_in(then)))]).kind in STEPS


@given(LINES)
def test_a_quoted_line_holds_no_call(line: str) -> None:
    quoted = "'" + line.replace("'", "'\\''") + "'"
    assert calls_in(f"echo {quoted}") == []
    assert [(one.action, one.query) for one in calls_in(f"hark search -- {quoted}")] == [("search", line)]


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=9), lambda x: st.lists(x) | st.dictionaries(st.text(max_size=5), x)
    )
)
def test_a_tool_may_be_given_anything(value: object) -> None:
    given_to_it = value if isinstance(value, dict) else {"queries": value, "code": value, "since": value}
    (one,) = call_of_tool("mcp__harkback__search_memory", given_to_it)
    assert one.action == "search_memory"
    assert isinstance(call_of_tool("codemode", given_to_it), list)
