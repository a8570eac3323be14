"""Cut-down homes that real Claude Code programs wrote, against expectations written by hand.

`claude_code_logs/<case>/claude` is what `CLAUDE_CONFIG_DIR` points to; `expected/<case>.json` beside it says
what people typed, what was answered and what was done there. It was written from the records, before the
parser: change it when the records prove it wrong, never to suit the parser. `test_shared_logs.py` runs the
same checks on the uncut logs.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from harkback import sources
from harkback.model import (
    ASSISTANT,
    CALLS,
    OUTPUT,
    SUMMARY,
    TALK,
    THINKING,
    USER,
    Checkpoint,
    Message,
    Part,
    Problem,
    Restart,
    Session,
    Transcript,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

LOGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "claude_code_logs")
CASES = sorted(name[: -len(".json")] for name in os.listdir(os.path.join(LOGS, "expected")))


class Reading(NamedTuple):
    """One transcript read from its beginning to its end."""

    transcript: Transcript
    messages: tuple[Message, ...]
    session: Session | None
    problems: tuple[Problem, ...]
    restarts: tuple[Restart, ...]
    last: object


class Home(NamedTuple):
    """One configuration folder and what is expected of it."""

    folder: str
    expected: dict[str, Any]

    def __str__(self) -> str:
        """Name the home in a failed assertion."""
        return self.folder


class Case(NamedTuple):
    """One expected session beside the reading of its transcript."""

    want: dict[str, Any]
    own: tuple[Message, ...]
    copied: tuple[Message, ...]
    reading: Reading

    def __str__(self) -> str:
        """Name the transcript in a failed assertion."""
        return str(self.want["file"])


def expectation(case: str) -> dict[str, Any]:
    with open(os.path.join(LOGS, "expected", f"{case}.json"), encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    return loaded


def collect(transcript: Transcript, checkpoint: Checkpoint | None = None) -> Reading:
    """Read a transcript, from the checkpoint if there is one, and sort the records by kind."""
    records = list(sources.source("claude-code").read(transcript, checkpoint))
    told = [record for record in records if isinstance(record, Session)]
    return Reading(
        transcript,
        tuple(record for record in records if isinstance(record, Message)),
        told[-1] if told else None,
        tuple(record for record in records if isinstance(record, Problem)),
        tuple(record for record in records if isinstance(record, Restart)),
        records[-1] if records else None,
    )


def discover(folder: str) -> list[Transcript]:
    nowhere = os.path.join(folder, "no-such-home")
    return list(sources.source("claude-code").discover(nowhere, env={"CLAUDE_CONFIG_DIR": folder}))


@functools.cache
def readings(folder: str) -> dict[str, Reading]:
    """Every transcript below the folder by its path relative to it, with `/` on every platform."""
    found = {}
    for transcript in discover(folder):
        name = os.path.relpath(transcript.path, folder).replace(os.sep, "/")
        found[name] = collect(transcript)
    return found


def cases(home: Home) -> Iterator[Case]:
    """Pair every expected session with its reading; rows that its parent's file holds too are copies."""
    found = readings(home.folder)
    file_of = {want["native"]: want["file"] for want in home.expected["sessions"]}
    for want in home.expected["sessions"]:
        reading = found[want["file"]]
        parents: set[str] = set()
        if want["relation"] == "fork":
            parents = {message.key for message in found[file_of[want["parent"]]].messages}
        own = tuple(message for message in reading.messages if message.key not in parents)
        copied = tuple(message for message in reading.messages if message.key in parents)
        yield Case(want, own, copied, reading)


def parts(messages: Iterable[Message], lane: int, *roles: int) -> list[Part]:
    return [
        part
        for message in messages
        for part in message.parts
        if part.lane == lane and (not roles or message.role in roles)
    ]


REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def unquoted(replies: Iterable[str]) -> list[str]:
    """Leave out reminders that the agent itself quotes: a source may keep them as its words or drop them."""
    return [REMINDER.sub("", text).strip() for text in replies]


def texts(messages: Iterable[Message], lane: int, *roles: int) -> list[str]:
    return [part.text.strip() for part in parts(messages, lane, *roles)]


def rows(transcript: Transcript, messages: Iterable[Message]) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Every message with the record that stands at its place in the transcript."""
    with open(transcript.path, "rb") as file:
        raw = file.read()
    for message in messages:
        yield message, json.loads(raw[message.offset : message.offset + message.length])


# The checks. Each takes a home and asserts one thing about all of its sessions.


def discover_finds_each_session_once_and_nothing_else(home: Home) -> None:
    names = [os.path.relpath(one.path, home.folder).replace(os.sep, "/") for one in discover(home.folder)]
    wanted = {want["file"] for want in home.expected["sessions"]}
    allowed = wanted | {noise["file"] for noise in home.expected["noise"]} | set(home.expected["empty"])
    assert len(names) == len(set(names))
    assert wanted <= set(names)
    assert set(names) <= allowed


def prompts_are_what_was_typed_in_order(home: Home) -> None:
    for case in cases(home):
        prompts = texts(case.own, TALK, USER)
        # A prompt that a hook refused was typed but never sent (`promptKept: false`): both answers are sound.
        refused = case.want.get("blocked")
        assert prompts == case.want["prompts"] or (refused and prompts == refused), str(case)
        assert texts(case.copied, TALK, USER) == case.want.get("copied_prompts", []), str(case)


def replies_are_what_the_agent_said_in_order(home: Home) -> None:
    for case in cases(home):
        wanted = [*case.want.get("tasks", []), *case.want["replies"]]
        assert unquoted(texts(case.own, TALK, ASSISTANT)) == unquoted(wanted), str(case)
        assert texts(case.copied, TALK, ASSISTANT) == case.want.get("copied_replies", []), str(case)


def only_people_and_agents_talk(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        speakers = {message.role for message in reading.messages if parts([message], TALK)}
        assert speakers <= {USER, ASSISTANT}, name


def a_task_given_to_a_subagent_is_not_a_prompt(home: Home) -> None:
    for case in cases(home):
        if case.want["relation"] == "subagent":
            talk = [message for message in case.reading.messages if parts([message], TALK)]
            assert {message.role for message in talk} == {ASSISTANT}, str(case)
            (_, first), *_ = rows(case.reading.transcript, talk)
            assert first["type"] == "user", str(case)


def calls_carry_their_telling_arguments(home: Home) -> None:
    for case in cases(home):
        for messages, wanted in (
            (case.own, case.want["calls"]),
            (case.copied, case.want.get("copied_calls", [])),
        ):
            calls = parts(messages, CALLS)
            assert [call.tool for call in calls] == [want["tool"] for want in wanted], str(case)
            for call, want in zip(calls, wanted, strict=True):
                assert [piece for piece in want["has"] if piece not in call.text] == [], str(case)
                assert call.text.strip() != call.tool, str(case)
                # A relative path may be kept or joined to the working directory; nothing else is a file.
                named = [path.replace(os.sep, "/") for path in call.files]
                assert len(named) == len(want["files"]), str(case)
                for file, path in zip(want["files"], named, strict=True):
                    assert path == file or path.endswith("/" + file), str(case)


def outputs_can_be_found_in_order(home: Home) -> None:
    for case in cases(home):
        for messages, pieces in (
            (case.own, case.want["outputs"]),
            (case.copied, case.want.get("copied_outputs", [])),
        ):
            remaining = iter(texts(messages, OUTPUT))
            for piece in pieces:
                assert any(piece in text for text in remaining), (str(case), piece)


def a_tool_result_is_one_output_though_the_record_repeats_it(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        for message, row in rows(reading.transcript, reading.messages):
            content = row.get("message", {}).get("content", "")
            results = [block for block in content if isinstance(block, dict) and block["type"] == "tool_result"]
            if results:
                assert len(parts([message], OUTPUT)) <= len(results), name
                assert texts([message], TALK) == [], name


def thinking_is_kept_apart(home: Home) -> None:
    for case in cases(home):
        for messages, wanted in (
            (case.own, case.want["thinking"]),
            (case.copied, case.want.get("copied_thinking", [])),
        ):
            assert [text[:60] for text in texts(messages, THINKING)] == wanted, str(case)


def summaries_are_no_talk(home: Home) -> None:
    for case in cases(home):
        summaries = texts(case.reading.messages, SUMMARY)
        assert [text[:60] for text in summaries] == case.want["summaries"], str(case)
        for text, piece in zip(summaries, case.want.get("summaries_have", []), strict=True):
            assert piece in text, str(case)


def the_session_is_described(home: Home) -> None:
    for case in cases(home):
        session, want = case.reading.session, case.want
        assert session is not None, str(case)
        assert (session.agent, session.native) == ("claude-code", want["native"])
        assert session.title in {want["title"], *want.get("title_also", [])}, str(case)
        assert (session.cwd, session.branch) == (want["cwd"], want["branch"]), str(case)
        if session.title == want["title"]:
            assert session.title_rank == want.get("title_rank", 0), str(case)
        descent = (session.parent, session.relation)
        # `--fork-session` leaves no mark in the file: only the row uuids tell; they have their own check.
        silent = want.get("unmarked") and descent == ("", "")
        assert silent or descent == (want["parent"], want["relation"]), str(case)
        if "agent_type" in want:
            assert session.agent_type == want["agent_type"], str(case)


def a_fork_shares_the_row_ids_of_its_parent(home: Home) -> None:
    for case in cases(home):
        assert bool(case.copied) == (case.want["relation"] == "fork"), str(case)


def nothing_injected_is_taken_for_talk(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        said = texts(reading.messages, TALK)
        title = reading.session.title if reading.session else ""
        found = [(word, text) for word in home.expected["injected"] for text in [*said, title] if word in text]
        assert found == [], name


def the_injected_words_stand_in_the_transcripts(home: Home) -> None:
    """Positive twin of the check before: words that stand nowhere would prove nothing."""
    raw = ""
    for reading in readings(home.folder).values():
        with open(reading.transcript.path, encoding="utf-8") as file:
            raw += file.read()
    words = home.expected["injected"] + home.expected["quoted"]
    assert [word for word in words if word not in raw] == []


def the_harness_talking_to_itself_is_no_talk(home: Home) -> None:
    found = readings(home.folder)
    for noise in home.expected["noise"]:
        if noise["file"] in found:
            reading = found[noise["file"]]
            assert texts(reading.messages, TALK) == [], noise["file"]
            assert reading.session is None or reading.session.title not in noise["texts"], noise["file"]


def an_empty_file_says_nothing(home: Home) -> None:
    found = readings(home.folder)
    for name in home.expected["empty"]:
        assert name not in found or found[name].messages == (), name


def no_part_is_empty_and_no_call_is_only_a_name(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        for message in reading.messages:
            assert message.parts, name
            assert [part for part in message.parts if not part.text.strip()] == [], name
            assert [part for part in parts([message], CALLS) if part.text.strip() == part.tool] == [], name


def keys_and_places_name_the_records(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        keys = [message.key for message in reading.messages]
        assert len(keys) == len(set(keys)), name
        offsets = [message.offset for message in reading.messages]
        assert offsets == sorted(offsets), name
        for message, row in rows(reading.transcript, reading.messages):
            assert message.key == row["uuid"], name
            moment = datetime.fromisoformat(row["timestamp"])
            assert message.time_ms == round(moment.timestamp() * 1000), name
            assert message.branch in {"", row["gitBranch"]}, name
            assert message.model in {"", row.get("message", {}).get("model", "")}, name


def signatures_and_pictures_are_not_text(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        for message, row in rows(reading.transcript, reading.messages):
            content = row.get("message", {}).get("content", "")
            blocks = [block for block in content if isinstance(block, dict)]
            hidden = [block["signature"] for block in blocks if block.get("signature")]
            hidden += [block["source"]["data"] for block in blocks if block["type"] == "image"]
            shown = "\n".join(part.text for part in message.parts)
            assert [secret for secret in hidden if secret in shown] == [], name


def every_record_is_understood_and_the_reading_ends_with_a_checkpoint(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        assert reading.problems == (), name
        assert reading.restarts == (), name
        assert isinstance(reading.last, Checkpoint), name
        assert reading.last.offset == os.path.getsize(reading.transcript.path), name


CHECKS: tuple[Callable[[Home], None], ...] = (
    discover_finds_each_session_once_and_nothing_else,
    prompts_are_what_was_typed_in_order,
    replies_are_what_the_agent_said_in_order,
    only_people_and_agents_talk,
    a_task_given_to_a_subagent_is_not_a_prompt,
    calls_carry_their_telling_arguments,
    outputs_can_be_found_in_order,
    a_tool_result_is_one_output_though_the_record_repeats_it,
    thinking_is_kept_apart,
    summaries_are_no_talk,
    the_session_is_described,
    a_fork_shares_the_row_ids_of_its_parent,
    nothing_injected_is_taken_for_talk,
    the_injected_words_stand_in_the_transcripts,
    the_harness_talking_to_itself_is_no_talk,
    an_empty_file_says_nothing,
    no_part_is_empty_and_no_call_is_only_a_name,
    keys_and_places_name_the_records,
    signatures_and_pictures_are_not_text,
    every_record_is_understood_and_the_reading_ends_with_a_checkpoint,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_cut_down_log(case: str, check: Callable[[Home], None]) -> None:
    check(Home(os.path.join(LOGS, case, "claude"), expectation(case)))


@pytest.mark.parametrize("case", CASES)
def test_expectations_name_every_transcript_of_the_home(case: str) -> None:
    expected = expectation(case)
    named = {want["file"] for want in expected["sessions"]} | set(expected["empty"])
    named |= {noise["file"] for noise in expected["noise"]}
    folder = os.path.join(LOGS, case, "claude")
    present = {
        os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/")
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(".jsonl")
    }
    assert named == present


def test_the_configuration_folder_in_the_home_is_read_when_no_variable_names_another(tmp_path: Path) -> None:
    fixture = os.path.join(LOGS, "v2_1_332_print", "claude")
    shutil.copytree(fixture, tmp_path / ".claude")
    found = sources.source("claude-code").discover(str(tmp_path), env={})
    assert {os.path.basename(one.path) for one in found} == {os.path.basename(name) for name in readings(fixture)}


# (case, transcript, step in bytes): subagents, a compaction, a refused prompt, a title, a fork, a picture.
# The cuts fall inside characters, escapes and rows; the ends of rows are added by the test.
CUTS = (
    ("v2_0_65", "projects/-home-dev-work-demo/agent-ab718e4.jsonl", 7),
    ("v2_0_65", "projects/-home-dev-work-demo/agent-a05ba36.jsonl", 7),
    ("v2_0_65", "projects/-home-dev-work-demo/20b3a96b-8db7-4d7f-b874-76f18f888baf.jsonl", 7),
    ("v2_1_332_hook_sizes", "projects/-home-dev-work-demo/6eae32d6-73bc-46ba-80a9-f07afe242725.jsonl", 7),
    ("v2_1_332_hook_sizes", "projects/-home-dev-work-demo/1384ec74-f1fe-472c-a9c0-90cebfc3064c.jsonl", 7),
    ("v2_1_332_print", "projects/-home-dev-work-demo/28b15794-f97b-4eb9-a242-1efd5e613445.jsonl", 61),
    ("v2_1_332_folders", "projects/-home-dev-work-demo/18fbda51-6d58-4bf8-a201-c63bb9786106.jsonl", 61),
)


def write(path: str, content: bytes) -> None:
    """Replace the file's content in place, so that it stays the same file."""
    with open(path, "r+b") as file:
        file.write(content)
        file.truncate()


@pytest.mark.parametrize(("case", "name", "step"), CUTS)
def test_reading_in_two_pieces_tells_the_same_as_reading_in_one(
    case: str, name: str, step: int, tmp_path: Path
) -> None:
    shutil.copytree(os.path.join(LOGS, case, "claude"), tmp_path / "claude")
    path = str(tmp_path / "claude" / name)
    (transcript,) = [one for one in discover(str(tmp_path / "claude")) if os.path.samefile(one.path, path)]
    with open(path, "rb") as file:
        content = file.read()
    whole = collect(transcript)
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for cut in sorted({*range(0, len(content), step), *ends, *(end - 1 for end in ends)}):
        write(path, content[:cut])
        head = collect(transcript._replace(size=cut))
        assert isinstance(head.last, Checkpoint), cut
        write(path, content)
        tail = collect(transcript, head.last)
        assert (head.problems, head.restarts, tail.problems, tail.restarts) == ((), (), (), ()), cut
        assert head.messages + tail.messages == whole.messages, cut
        assert (tail.session or head.session) == whole.session, cut
        assert tail.last == whole.last, cut
