"""Cut-down homes that real Claude Code programs wrote; `logs.py` says how they are read and checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from harkback.model import OUTPUT, TALK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.formats import logs
else:
    import logs

AGENT = logs.Agent("claude-code", "CLAUDE_CONFIG_DIR", "claude_code_logs", "claude", ".claude")
CASES = AGENT.cases()

REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def unquoted(replies: Iterable[str]) -> list[str]:
    """Leave out reminders that the agent itself quotes: a source may keep them as its words or drop them."""
    return [REMINDER.sub("", text).strip() for text in replies]


# The checks. Each takes a home and asserts one thing about all of its sessions.


def replies_are_what_the_agent_said_in_order(home: logs.Home) -> None:
    logs.replies_are_what_the_agent_said_in_order(home, unquoted)


def a_task_given_to_a_subagent_is_not_a_prompt(home: logs.Home) -> None:
    for case, talk in logs.given_to_subagents(home):
        (_, first), *_ = logs.rows(case.reading, talk)
        assert first["type"] == "user", str(case)


def a_tool_result_is_one_output_though_the_record_repeats_it(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        for message, row in logs.rows(reading):
            content = row.get("message", {}).get("content", "")
            results = [block for block in content if isinstance(block, dict) and block["type"] == "tool_result"]
            if results:
                assert len(logs.parts([message], OUTPUT)) <= len(results), name
                assert logs.texts([message], TALK) == [], name


def the_session_is_described(home: logs.Home) -> None:
    for case, session in logs.described(home):
        want = case.want
        if session.title == want["title"]:
            assert session.title_rank == want.get("title_rank", 0), str(case)
        descent = (session.parent, session.relation)
        # `--fork-session` leaves no mark in the file: only the row uuids tell; they have their own check.
        silent = want.get("unmarked") and descent == ("", "")
        assert silent or descent == (want["parent"], want["relation"]), str(case)
        if "agent_type" in want:
            assert session.agent_type == want["agent_type"], str(case)


def a_fork_shares_the_row_ids_of_its_parent(home: logs.Home) -> None:
    for case in home.cases():
        assert bool(case.copied) == (case.want["relation"] == "fork"), str(case)
        assert {one.key for one in case.copied} <= {one.key for one in home.originals(case.want)}, str(case)


def the_harness_talking_to_itself_is_no_talk(home: logs.Home) -> None:
    found = home.readings()
    for noise in home.expected["noise"]:
        if noise["file"] in found:
            reading = found[noise["file"]]
            assert logs.texts(reading.messages, TALK) == [], noise["file"]
            assert reading.session is None or reading.session.title not in noise["texts"], noise["file"]


def keys_and_places_name_the_records(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        for message, row in logs.in_place(reading, name):
            assert message.key == row["uuid"], name
            assert message.time_ms == logs.milliseconds(row["timestamp"]), name
            assert message.branch in {"", row["gitBranch"]}, name
            assert message.model in {"", row.get("message", {}).get("model", "")}, name


CHECKS: tuple[Callable[[logs.Home], None], ...] = (
    *logs.CHECKS,
    replies_are_what_the_agent_said_in_order,
    logs.only_people_and_agents_talk,
    a_task_given_to_a_subagent_is_not_a_prompt,
    logs.outputs_can_be_found_in_order,
    a_tool_result_is_one_output_though_the_record_repeats_it,
    logs.thinking_is_kept_apart,
    logs.summaries_are_no_talk,
    the_session_is_described,
    a_fork_shares_the_row_ids_of_its_parent,
    the_harness_talking_to_itself_is_no_talk,
    logs.an_empty_file_says_nothing,
    keys_and_places_name_the_records,
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
    named = {want["file"] for want in home.expected["sessions"]} | set(home.expected["empty"])
    named |= {noise["file"] for noise in home.expected["noise"]}
    assert named == logs.files(home.folder, ".jsonl")


def test_the_configuration_folder_in_the_home_is_read_when_no_variable_names_another(tmp_path: Path) -> None:
    logs.the_folder_in_the_home_is_read(AGENT, "v2_1_332_print", tmp_path)


# (case, transcript, step in bytes): subagents, a compaction, a refused prompt, a title, a fork, a picture.
# The cuts fall inside characters, escapes and rows; the ends of rows are added by the check.
CUTS = (
    ("v2_0_65", "projects/-home-dev-work-demo/agent-ab718e4.jsonl", 7),
    ("v2_0_65", "projects/-home-dev-work-demo/agent-a05ba36.jsonl", 7),
    ("v2_0_65", "projects/-home-dev-work-demo/20b3a96b-8db7-4d7f-b874-76f18f888baf.jsonl", 7),
    ("v2_1_332_hook_sizes", "projects/-home-dev-work-demo/6eae32d6-73bc-46ba-80a9-f07afe242725.jsonl", 7),
    ("v2_1_332_hook_sizes", "projects/-home-dev-work-demo/1384ec74-f1fe-472c-a9c0-90cebfc3064c.jsonl", 7),
    ("v2_1_332_print", "projects/-home-dev-work-demo/28b15794-f97b-4eb9-a242-1efd5e613445.jsonl", 61),
    ("v2_1_332_folders", "projects/-home-dev-work-demo/18fbda51-6d58-4bf8-a201-c63bb9786106.jsonl", 61),
)


@pytest.mark.parametrize(("case", "name", "step"), CUTS)
def test_reading_in_two_pieces_tells_the_same_as_reading_in_one(
    case: str, name: str, step: int, tmp_path: Path
) -> None:
    logs.reading_in_two_pieces_tells_the_same(AGENT, case, name, step, tmp_path)
