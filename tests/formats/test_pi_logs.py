"""Cut-down homes that real Pi programs wrote; `logs.py` says how they are read and checked."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from harkback.model import ASSISTANT, CALLS, CONTEXT, OUTPUT, SUMMARY, SYSTEM, TALK, THINKING, TOOL, USER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.formats import logs

    from harkback.model import Message
else:
    import logs

AGENT = logs.Agent("pi", "PI_CODING_AGENT_DIR", "pi_logs", "agent", ".pi/agent")
CASES = AGENT.cases()


def role_of(row: dict[str, Any]) -> str:
    """What kind of record it is: the role of its message, else its type."""
    return str(row["message"]["role"] if row["type"] == "message" else row["type"])


# The checks. Each takes a home and asserts one thing about all of its sessions.


def copies_folded_everything_was_said_once(home: logs.Home) -> None:
    """What the engine keeps: of messages that share an identity only the first."""
    known: set[str] = set()
    kept: list[Message] = []
    for case in home.cases():
        for message in case.reading.messages:
            if not logs.identities(message) & known:
                kept.append(message)
            known |= logs.identities(message)
    for lane, role, name in ((TALK, USER, "prompts"), (TALK, ASSISTANT, "replies")):
        wanted = Counter(text for want in home.expected["sessions"] for text in want[name])
        assert Counter(logs.texts(kept, lane, role)) == wanted, name
    summaries = {text for want in home.expected["sessions"] for text in want["summaries"]}
    assert sorted(text[:60] for text in logs.texts(kept, SUMMARY)) == sorted(summaries)


def each_kind_of_record_has_its_roles_and_lanes(home: logs.Home) -> None:
    allowed = {
        "user": ({USER, SYSTEM}, {TALK, CONTEXT}),
        "assistant": ({ASSISTANT}, {TALK, THINKING, CALLS}),
        "toolResult": ({TOOL}, {OUTPUT}),
        "bashExecution": ({USER}, {TALK, OUTPUT}),
        "system": ({SYSTEM}, {CONTEXT}),
        "custom_message": ({SYSTEM}, {CONTEXT}),
        "compaction": ({SYSTEM}, {SUMMARY}),
        "branch_summary": ({SYSTEM}, {SUMMARY}),
    }
    for name, reading in home.readings().items():
        for message, row in logs.rows(reading):
            roles, lanes = allowed[role_of(row)]
            assert message.role in roles, (name, row["id"])
            assert {part.lane for part in message.parts} <= lanes, (name, row["id"])


def outputs_are_found_one_for_each_result(home: logs.Home) -> None:
    for case in home.cases():
        for messages, pieces in case.sides("outputs"):
            found = logs.texts(messages, OUTPUT)
            assert len(found) == len(pieces), str(case)
            for text, piece in zip(found, pieces, strict=True):
                assert piece in text, (str(case), piece)


def a_result_names_its_tool(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        for message, row in logs.rows(reading):
            if role_of(row) == "toolResult":
                assert {part.tool for part in message.parts} == {row["message"]["toolName"]}, name


def what_was_injected_can_be_found_as_context(home: logs.Home) -> None:
    for case in home.cases():
        remaining = iter(logs.texts(case.reading.messages, CONTEXT))
        for piece in case.want["contexts"]:
            assert any(piece in text for text in remaining), (str(case), piece)


def the_session_is_described(home: logs.Home) -> None:
    for case, session in logs.described(home):
        want = case.want
        assert case.reading.transcript.native == want["native"], str(case)
        assert session.title_rank == want["title_rank"], str(case)
        assert (session.parent, session.relation) == (want["parent"], want["relation"]), str(case)
        assert session.agent_type == want["agent_type"], str(case)


def a_session_begins_and_ends_with_its_records(home: logs.Home) -> None:
    for case in home.cases():
        session, want = case.reading.session, case.want
        assert session is not None, str(case)
        # What a fork copied is older than its header: it may begin with either.
        begins = {logs.milliseconds(want["started"]), logs.milliseconds(want.get("started_also", want["started"]))}
        assert session.started_ms in begins, str(case)
        assert session.ended_ms == logs.milliseconds(want["ended"]), str(case)


def a_copy_shares_its_identity_with_the_original_and_nothing_else_does(home: logs.Home) -> None:
    found = {}
    for case in home.cases():
        assert bool(case.copied) == (case.want["relation"] == "fork"), str(case)
        pairs = logs.rows(case.reading)
        found[str(case)] = {(row["id"], row["timestamp"]): logs.identities(message) for message, row in pairs}
    for (one, first), (other, second) in itertools.combinations(found.items(), 2):
        for (row, mine), (twin, theirs) in itertools.product(first.items(), second.items()):
            assert bool(mine & theirs) == (row == twin), (one, other, row, twin)


def what_no_one_said_is_no_text(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        shown = [part.text for message in reading.messages for part in message.parts]
        assert [(word, text) for word in home.expected["unsaid"] for text in shown if word in text] == [], name


def keys_and_places_name_the_records(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        for message, row in logs.in_place(reading, name):
            # The engine folds by key over all sessions, and eight hex digits come again.
            assert row["id"] not in logs.identities(message), name
            # When it was written, or (for a prompt) typed, (for an answer) asked for.
            inner = row.get("message", {})
            assert message.time_ms in {logs.milliseconds(row["timestamp"]), inner.get("timestamp")}, name
            assert message.branch == "", name


def models_are_those_that_answered(home: logs.Home) -> None:
    for case in home.cases():
        for message, row in logs.rows(case.reading):
            if role_of(row) == "assistant":
                assert message.model == row["message"]["model"], str(case)
                assert message.model in case.want["models"], str(case)
            else:
                assert message.model in {"", *case.want["models"]}, str(case)


CHECKS: tuple[Callable[[logs.Home], None], ...] = (
    *logs.CHECKS,
    logs.replies_are_what_the_agent_said_in_order,
    copies_folded_everything_was_said_once,
    logs.only_people_and_agents_talk,
    each_kind_of_record_has_its_roles_and_lanes,
    outputs_are_found_one_for_each_result,
    a_result_names_its_tool,
    logs.thinking_is_kept_apart,
    logs.summaries_are_no_talk,
    what_was_injected_can_be_found_as_context,
    the_session_is_described,
    a_session_begins_and_ends_with_its_records,
    a_copy_shares_its_identity_with_the_original_and_nothing_else_does,
    what_no_one_said_is_no_text,
    keys_and_places_name_the_records,
    models_are_those_that_answered,
    logs.the_injected_words_stand_in_the_transcripts,
    logs.signatures_and_pictures_are_not_text,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_cut_down_log(case: str, check: Callable[[logs.Home], None]) -> None:
    check(AGENT.cut_down(case))


@pytest.mark.parametrize("case", CASES)
def test_expectations_name_every_transcript_of_the_home(case: str) -> None:
    home = AGENT.cut_down(case)
    assert {want["file"] for want in home.expected["sessions"]} == logs.files(home.folder, ".jsonl")


def test_the_agent_folder_in_the_home_is_read_when_no_variable_names_another(tmp_path: Path) -> None:
    logs.the_folder_in_the_home_is_read(AGENT, "v1_6_0", tmp_path)


# (case, transcript, step in bytes): a name, a compaction, branches; a fork; the old client; codemode.
# The cuts fall inside characters, escapes and rows; the ends of rows are added by the check.
CUTS = (
    ("v1_6_0", "2026-11-30T09-13-47-329Z_01a22bbb-5638-776e-9320-24982015ea4b.jsonl", 61),
    ("v1_6_0", "2026-11-30T09-14-57-113Z_01a22bbc-66d9-776e-9320-24a23bae73f4.jsonl", 61),
    ("v1_6_0", "2026-11-30T09-13-29-750Z_01a22bbb-1195-713f-98c5-7613632e66d1.jsonl", 7),
    ("v0_73_1", "2026-11-30T09-15-36-210Z_01a22bbc-ff92-7725-bcc9-c6073876fdb4.jsonl", 7),
)


@pytest.mark.parametrize(("case", "name", "step"), CUTS)
def test_reading_in_two_pieces_tells_the_same_as_reading_in_one(
    case: str, name: str, step: int, tmp_path: Path
) -> None:
    logs.reading_in_two_pieces_tells_the_same(AGENT, case, name, step, tmp_path)
