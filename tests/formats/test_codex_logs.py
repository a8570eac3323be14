"""Cut-down homes that real Codex programs wrote; `logs.py` says how they are read and checked."""

from __future__ import annotations

import itertools
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from harkback.model import ASSISTANT, CALLS, CONTEXT, OUTPUT, SUMMARY, SYSTEM, TALK, THINKING, TOOL, USER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.formats import logs
else:
    import logs

AGENT = logs.Agent("codex", "CODEX_HOME", "codex_logs", "codex", ".codex")
CASES = AGENT.cases()


def kind(row: dict[str, Any]) -> str:
    """Name the kind of a record: of an event its own, of all others that of the line."""
    return str(row["payload"]["type"] if row["type"] == "event_msg" else row["type"])


# The checks. Each takes a home and asserts one thing about all of its sessions.


def roles_fit_what_is_said(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        for message in reading.messages:
            lanes = {part.lane for part in message.parts}
            if TALK in lanes:
                assert message.role in {USER, ASSISTANT}, name
            elif OUTPUT in lanes:
                assert message.role == TOOL, name
            elif lanes & {CALLS, THINKING}:
                assert message.role == ASSISTANT, name
            else:
                assert lanes <= {SUMMARY, CONTEXT}, name
                assert message.role == SYSTEM, name


def a_task_given_to_a_subagent_is_not_a_prompt(home: logs.Home) -> None:
    for case, talk in logs.given_to_subagents(home):
        assert logs.texts(talk[:1], TALK) == case.want["tasks"], str(case)


def a_tool_result_is_one_output_though_two_records_hold_it(home: logs.Home) -> None:
    for case in home.cases():
        # Lists of tools that a tool search found may be left out.
        most = len(case.want["outputs"]) + case.want.get("optional_outputs", 0)
        assert len(case.want["outputs"]) <= len(logs.parts(case.own, OUTPUT)) <= most, str(case)
        assert len(logs.parts(case.copied, OUTPUT)) == len(case.want.get("copied_outputs", [])), str(case)


def thinking_is_kept_apart(home: logs.Home) -> None:
    for case in home.cases():
        for messages, wanted in case.sides("thinking"):
            assert logs.texts(messages, THINKING) == wanted, str(case)


def a_compaction_is_one_summary_and_no_talk(home: logs.Home) -> None:
    for case in home.cases():
        summaries = logs.texts(case.reading.messages, SUMMARY)
        assert len(summaries) == len(case.want["summaries"]), str(case)
        for text, piece in zip(summaries, case.want["summaries"], strict=True):
            assert text.count(piece) == 1, str(case)


def the_session_is_described(home: logs.Home) -> None:
    for case, session in logs.described(home):
        want = case.want
        if session.title:
            assert session.title_rank in want.get("title_ranks", [0]), str(case)
        assert session.last_cwd in {"", want["cwd"]}, str(case)
        assert (session.parent, session.relation) == (want["parent"], want["relation"]), str(case)
        assert session.agent_type == want["agent_type"], str(case)
        assert session.version in {want["version"], want.get("resumed_version", want["version"])}, str(case)


def the_session_begins_and_ends_when_its_records_say(home: logs.Home) -> None:
    """Between the thread's start and its first word; between its last word and its last record."""
    for case in home.cases():
        session = case.reading.session
        assert session is not None, str(case)
        for moment, (low, high) in (
            (session.started_ms, case.want["started"]),
            (session.ended_ms, case.want["ended"]),
        ):
            assert moment is not None, str(case)
            assert logs.milliseconds(low) <= moment <= logs.milliseconds(high), str(case)


def a_fork_that_copied_shares_the_identities_of_its_parent(home: logs.Home) -> None:
    for case in home.cases():
        if "copies_until" in case.want:
            lines = logs.content(case.reading.transcript).split(b"\n")
            end = sum(len(line) + 1 for line in lines[: case.want["copies_until"]])
            before = [message for message in case.reading.messages if message.offset < end]
            assert list(case.copied) == before, str(case)
            for message in case.copied:
                same = [one for one in home.originals(case.want) if logs.identities(one) & logs.identities(message)]
                assert [(one.role, one.parts) for one in same] == [(message.role, message.parts)], str(case)
        else:
            assert case.copied == (), str(case)


def no_other_messages_share_an_identity(home: logs.Home) -> None:
    """Two that did would be folded into one, and one of them could not be found."""
    found = home.readings()
    kin = {
        frozenset((want["native"], want["parent"])) for want in home.expected["sessions"] if want.get("copied_prompts")
    }
    everyone = [
        (reading.session.native if reading.session else name, message)
        for name, reading in found.items()
        for message in reading.messages
    ]
    owners: dict[str, list[str]] = {}
    for native, message in everyone:
        assert message.key, native
        for identity in logs.identities(message):
            owners.setdefault(identity, []).append(native)
    for identity, natives in owners.items():
        assert len(natives) == len(set(natives)), (identity, natives)
        for pair in itertools.combinations(natives, 2):
            assert frozenset(pair) in kin, (identity, natives)


def the_injected_words_stand_in_the_transcripts(home: logs.Home) -> None:
    logs.the_injected_words_stand_in_the_transcripts(home, names=False)


def what_was_injected_can_be_found_as_context(home: logs.Home) -> None:
    for case in home.cases():
        context = "\n".join(logs.texts(case.reading.messages, CONTEXT))
        assert [word for word in case.want["context"] if word not in context] == [], str(case)


# Numbers, settings, the vendor's prompt, and texts that other records hold: the last answer, AGENTS.md.
SILENT = frozenset(
    (
        "session_meta",
        "task_complete",
        "task_started",
        "thread_settings_applied",
        "token_count",
        "token_usage_record",
        "turn_context",
        "world_state",
    )
)


def the_bookkeeping_says_nothing(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        for message, row in logs.rows(reading):
            assert kind(row) not in SILENT, name
            lanes = {part.lane for part in message.parts}
            if kind(row) in {"compacted", "context_compacted"}:
                # The history that replaces the old one is all of it repeated.
                assert lanes <= {SUMMARY}, name


def places_and_times_name_the_records(home: logs.Home) -> None:
    for case in home.cases():
        for message, row in logs.in_place(case.reading, str(case)):
            payload = row["payload"]
            moments = {
                payload.get("started_at_ms"),
                payload.get("completed_at_ms"),
                logs.milliseconds(row["timestamp"]),
            }
            assert message.time_ms in moments - {None}, str(case)
            assert message.branch in {"", case.want["branch"]}, str(case)
            assert message.model in {"", "gpt-5.5"}, str(case)
            recorded = [text.strip() for text in logs.strings(payload)]
            for text in logs.texts([message], TALK):
                spoken = text.removeprefix("! ")
                assert [one for one in recorded if spoken in one], (str(case), spoken)


def secrets_and_pictures_are_not_text(home: logs.Home) -> None:
    for name, reading in home.readings().items():
        shown = "\n".join(part.text for message in reading.messages for part in message.parts)
        assert "bW9jay1lbmNyeXB0ZWQtcmVhc29uaW5n" not in shown, name  # encrypted_content of a reasoning
        assert "iVBORw0KGgo" not in shown, name


CHECKS: tuple[Callable[[logs.Home], None], ...] = (
    *logs.CHECKS,
    logs.replies_are_what_the_agent_said_in_order,
    roles_fit_what_is_said,
    a_task_given_to_a_subagent_is_not_a_prompt,
    logs.outputs_can_be_found_in_order,
    a_tool_result_is_one_output_though_two_records_hold_it,
    thinking_is_kept_apart,
    a_compaction_is_one_summary_and_no_talk,
    the_session_is_described,
    the_session_begins_and_ends_when_its_records_say,
    a_fork_that_copied_shares_the_identities_of_its_parent,
    no_other_messages_share_an_identity,
    the_injected_words_stand_in_the_transcripts,
    what_was_injected_can_be_found_as_context,
    the_bookkeeping_says_nothing,
    logs.an_empty_file_says_nothing,
    places_and_times_name_the_records,
    secrets_and_pictures_are_not_text,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_cut_down_log(case: str, check: Callable[[logs.Home], None]) -> None:
    check(AGENT.cut_down(case))


@pytest.mark.parametrize("case", CASES)
def test_expectations_name_every_file_of_the_home(case: str) -> None:
    home = AGENT.cut_down(case)
    named = {want["file"] for want in home.expected["sessions"]}
    assert named | set(home.expected["empty"]) | set(home.expected["other"]) == logs.files(home.folder)


def test_the_configuration_folder_in_the_home_is_read_when_no_variable_names_another(tmp_path: Path) -> None:
    logs.the_folder_in_the_home_is_read(AGENT, "v0_171_main", tmp_path)


def test_a_session_that_nobody_named_has_its_first_prompt_for_a_title(tmp_path: Path) -> None:
    shutil.copytree(AGENT.cut_down("v0_171_main").folder, tmp_path / "codex")
    os.remove(tmp_path / "codex" / "session_index.jsonl")
    native = "01a22bb7-77f1-7c02-ba1d-cd3c87c8c4de"
    told = [reading.session for reading in logs.readings(AGENT, str(tmp_path / "codex")).values()]
    (session,) = [one for one in told if one is not None and one.native == native]
    assert (session.title, session.title_rank) == ("SCN-FOLLOW 互動 codex tui", 0)


# (case, transcript, step in bytes): a compaction, a picture and a shell command, forks, a resume by a newer
# version, a subagent, a skill. The cuts fall inside characters, escapes and rows, and between the two records
# of one text; the ends of rows are added by the check.
CUTS = (
    ("v0_96", "rollout-2026-11-30T09-31-14-01a22bcb-52b0-73a1-bdc4-c54d3b70bbcf.jsonl", 61),
    ("v0_140", "rollout-2026-11-30T09-29-39-01a22bc9-dd11-7990-a038-b69db55db4a8.jsonl", 61),
    ("v0_140", "rollout-2026-11-30T09-31-25-01a22bcb-7d22-7430-9624-822cb19cae0a.jsonl", 61),
    ("v0_140", "rollout-2026-11-30T09-31-59-01a22bcb-fe93-7820-89d8-85352ae9cae1.jsonl", 61),
    ("v0_171_main", "rollout-2026-11-30T09-09-33-01a22bb7-77f1-7c02-ba1d-cd3c87c8c4de.jsonl", 211),
    ("v0_171_main", "rollout-2026-11-30T09-08-09-01a22bb6-2ec3-7481-81e8-908b106ae1a0.jsonl", 61),
    ("v0_171_main", "rollout-2026-11-30T09-08-34-01a22bb6-8ef8-75d0-b9c4-b365634c41bf.jsonl", 61),
    ("v0_171_hooks", "rollout-2026-11-30T09-11-44-01a22bb9-780c-7cd0-ac93-06fc0530c2cd.jsonl", 7),
)


@pytest.mark.parametrize(("case", "name", "step"), CUTS)
def test_reading_in_two_pieces_tells_the_same_as_reading_in_one(
    case: str, name: str, step: int, tmp_path: Path
) -> None:
    logs.reading_in_two_pieces_tells_the_same(AGENT, case, name, step, tmp_path)
