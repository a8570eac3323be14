"""Cut-down homes that real Codex programs wrote, against expectations written by hand.

`codex_logs/<case>/codex` is what `CODEX_HOME` points to; `expected/<case>.json` beside it says what people
typed, what was answered and what was done there. It was written from the records, before the parser: change
it when the records prove it wrong, never to suit the parser. `test_shared_logs.py` runs the same checks on
the uncut logs, which hold some more sessions of the same kinds (`uncut_only`).
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from harkback import sources
from harkback.model import (
    ASSISTANT,
    CALLS,
    CONTEXT,
    OUTPUT,
    SUMMARY,
    SYSTEM,
    TALK,
    THINKING,
    TOOL,
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

LOGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "codex_logs")
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


def expectation(case: str, *, is_cut: bool = True) -> dict[str, Any]:
    with open(os.path.join(LOGS, "expected", f"{case}.json"), encoding="utf-8") as file:
        loaded: dict[str, Any] = json.load(file)
    if is_cut:
        loaded["sessions"] = [want for want in loaded["sessions"] if not want.get("uncut_only")]
    return loaded


def collect(transcript: Transcript, checkpoint: Checkpoint | None = None) -> Reading:
    """Read a transcript, from the checkpoint if there is one, and sort the records by kind."""
    records = list(sources.source("codex").read(transcript, checkpoint))
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
    return list(sources.source("codex").discover(nowhere, env={"CODEX_HOME": folder}))


@functools.cache
def readings(folder: str) -> dict[str, Reading]:
    """Every transcript below the folder by its path relative to it, with `/` on every platform."""
    found = {}
    for transcript in discover(folder):
        name = os.path.relpath(transcript.path, folder).replace(os.sep, "/")
        found[name] = collect(transcript)
    return found


def identities(message: Message) -> set[str]:
    """Both names by which a copy of the message is known."""
    return {message.key, message.copy_key} - {""}


def cases(home: Home) -> Iterator[Case]:
    """Pair every expected session with its reading; what its parent's file holds too are copies."""
    found = readings(home.folder)
    file_of = {want["native"]: want["file"] for want in home.expected["sessions"]}
    for want in home.expected["sessions"]:
        reading = found[want["file"]]
        parents: set[str] = set()
        if want["relation"] == "fork":
            parents = set().union(*map(identities, found[file_of[want["parent"]]].messages))
        own = tuple(message for message in reading.messages if not identities(message) & parents)
        copied = tuple(message for message in reading.messages if identities(message) & parents)
        yield Case(want, own, copied, reading)


def parts(messages: Iterable[Message], lane: int, *roles: int) -> list[Part]:
    return [
        part
        for message in messages
        for part in message.parts
        if part.lane == lane and (not roles or message.role in roles)
    ]


def texts(messages: Iterable[Message], lane: int, *roles: int) -> list[str]:
    return [part.text.strip() for part in parts(messages, lane, *roles)]


def milliseconds(stamp: str) -> int:
    return round(datetime.fromisoformat(stamp).timestamp() * 1000)


def content(transcript: Transcript) -> bytes:
    with open(transcript.path, "rb") as file:
        return file.read()


def rows(transcript: Transcript, messages: Iterable[Message]) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Every message with the record that stands at its place in the transcript."""
    raw = content(transcript)
    for message in messages:
        yield message, json.loads(raw[message.offset : message.offset + message.length])


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)


def kind(row: dict[str, Any]) -> str:
    """Name the kind of a record: of an event its own, of all others that of the line."""
    return str(row["payload"]["type"] if row["type"] == "event_msg" else row["type"])


# The checks. Each takes a home and asserts one thing about all of its sessions.


def discover_finds_each_session_once_and_nothing_else(home: Home) -> None:
    names = [os.path.relpath(one.path, home.folder).replace(os.sep, "/") for one in discover(home.folder)]
    wanted = {want["file"] for want in home.expected["sessions"]}
    assert len(names) == len(set(names))
    assert wanted <= set(names)
    assert set(names) <= wanted | set(home.expected["empty"])
    assert {one.agent for one in discover(home.folder)} == {"codex"}


def prompts_are_what_was_typed_in_order(home: Home) -> None:
    for case in cases(home):
        assert texts(case.own, TALK, USER) == case.want["prompts"], str(case)
        assert texts(case.copied, TALK, USER) == case.want.get("copied_prompts", []), str(case)


def replies_are_what_the_agent_said_in_order(home: Home) -> None:
    for case in cases(home):
        wanted = [*case.want.get("tasks", []), *case.want["replies"]]
        assert texts(case.own, TALK, ASSISTANT) == wanted, str(case)
        assert texts(case.copied, TALK, ASSISTANT) == case.want.get("copied_replies", []), str(case)


def roles_fit_what_is_said(home: Home) -> None:
    for name, reading in readings(home.folder).items():
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


def a_task_given_to_a_subagent_is_not_a_prompt(home: Home) -> None:
    for case in cases(home):
        if case.want["relation"] == "subagent":
            talk = [message for message in case.reading.messages if parts([message], TALK)]
            assert {message.role for message in talk} == {ASSISTANT}, str(case)
            assert texts(talk[:1], TALK) == case.want["tasks"], str(case)


def calls_carry_their_telling_arguments(home: Home) -> None:
    for case in cases(home):
        for messages, wanted in (
            (case.own, case.want["calls"]),
            (case.copied, case.want.get("copied_calls", [])),
        ):
            calls = parts(messages, CALLS)
            assert len(calls) == len(wanted), str(case)
            for call, want in zip(calls, wanted, strict=True):
                # Tools of a namespace may be named with it or without it.
                assert call.tool in {want["tool"], *want.get("tool_also", [])}, str(case)
                assert [piece for piece in want["has"] if piece not in call.text] == [], str(case)
                assert call.text.strip() != call.tool, str(case)
                files_are_named(call, want, str(case))


def files_are_named(call: Part, want: dict[str, Any], case: str) -> None:
    """A relative path may be kept or joined to the working directory; what a shell command reads may be named."""
    named = [path.replace(os.sep, "/") for path in call.files]
    allowed = [want["files"], want.get("files_also", want["files"])]
    wanted = next((files for files in allowed if len(files) == len(named)), None)
    assert wanted is not None, case
    for file, path in zip(wanted, named, strict=True):
        assert path == file or path.endswith("/" + file), case


def outputs_can_be_found_in_order(home: Home) -> None:
    for case in cases(home):
        for messages, pieces in (
            (case.own, case.want["outputs"]),
            (case.copied, case.want.get("copied_outputs", [])),
        ):
            remaining = iter(texts(messages, OUTPUT))
            for piece in pieces:
                assert any(piece in text for text in remaining), (str(case), piece)


def a_tool_result_is_one_output_though_two_records_hold_it(home: Home) -> None:
    for case in cases(home):
        # Lists of tools that a tool search found may be left out.
        most = len(case.want["outputs"]) + case.want.get("optional_outputs", 0)
        assert len(case.want["outputs"]) <= len(parts(case.own, OUTPUT)) <= most, str(case)
        assert len(parts(case.copied, OUTPUT)) == len(case.want.get("copied_outputs", [])), str(case)


def thinking_is_kept_apart(home: Home) -> None:
    for case in cases(home):
        assert texts(case.own, THINKING) == case.want["thinking"], str(case)
        assert texts(case.copied, THINKING) == case.want.get("copied_thinking", []), str(case)


def a_compaction_is_one_summary_and_no_talk(home: Home) -> None:
    for case in cases(home):
        summaries = texts(case.reading.messages, SUMMARY)
        assert len(summaries) == len(case.want["summaries"]), str(case)
        for text, piece in zip(summaries, case.want["summaries"], strict=True):
            assert text.count(piece) == 1, str(case)


def the_session_is_described(home: Home) -> None:
    for case in cases(home):
        session, want = case.reading.session, case.want
        assert session is not None, str(case)
        assert (session.agent, session.native) == ("codex", want["native"])
        assert session.title in {want["title"], *want.get("title_also", [])}, str(case)
        if session.title:
            assert session.title_rank in want.get("title_ranks", [0]), str(case)
        assert (session.cwd, session.branch) == (want["cwd"], want["branch"]), str(case)
        assert session.last_cwd in {"", want["cwd"]}, str(case)
        assert (session.parent, session.relation) == (want["parent"], want["relation"]), str(case)
        assert session.agent_type == want["agent_type"], str(case)
        assert session.version in {want["version"], want.get("resumed_version", want["version"])}, str(case)


def the_session_begins_and_ends_when_its_records_say(home: Home) -> None:
    """Between the thread's start and its first word; between its last word and its last record."""
    for case in cases(home):
        session = case.reading.session
        assert session is not None, str(case)
        for moment, (low, high) in (
            (session.started_ms, case.want["started"]),
            (session.ended_ms, case.want["ended"]),
        ):
            assert moment is not None, str(case)
            assert milliseconds(low) <= moment <= milliseconds(high), str(case)


def a_fork_that_copied_shares_the_identities_of_its_parent(home: Home) -> None:
    found = readings(home.folder)
    file_of = {want["native"]: want["file"] for want in home.expected["sessions"]}
    for case in cases(home):
        if "copies_until" in case.want:
            lines = content(case.reading.transcript).split(b"\n")
            end = sum(len(line) + 1 for line in lines[: case.want["copies_until"]])
            before = [message for message in case.reading.messages if message.offset < end]
            assert list(case.copied) == before, str(case)
            originals = found[file_of[case.want["parent"]]].messages
            for message in case.copied:
                same = [one for one in originals if identities(one) & identities(message)]
                assert [(one.role, one.parts) for one in same] == [(message.role, message.parts)], str(case)
        else:
            assert case.copied == (), str(case)


def no_other_messages_share_an_identity(home: Home) -> None:
    """Two that did would be folded into one, and one of them could not be found."""
    found = readings(home.folder)
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
        for identity in identities(message):
            owners.setdefault(identity, []).append(native)
    for identity, natives in owners.items():
        assert len(natives) == len(set(natives)), (identity, natives)
        for pair in itertools.combinations(natives, 2):
            assert frozenset(pair) in kin, (identity, natives)


def nothing_injected_is_taken_for_talk(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        said = texts(reading.messages, TALK)
        title = reading.session.title if reading.session else ""
        found = [(word, text) for word in home.expected["injected"] for text in [*said, title] if word in text]
        assert found == [], name


def the_injected_words_stand_in_the_transcripts(home: Home) -> None:
    """Positive twin of the check before: words that stand nowhere would prove nothing."""
    raw = "\n".join(
        text
        for reading in readings(home.folder).values()
        for line in content(reading.transcript).splitlines()
        for text in strings(json.loads(line))
    )
    assert [word for word in home.expected["injected"] if word not in raw] == []


def what_was_injected_can_be_found_as_context(home: Home) -> None:
    for case in cases(home):
        context = "\n".join(texts(case.reading.messages, CONTEXT))
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


def the_bookkeeping_says_nothing(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        for message, row in rows(reading.transcript, reading.messages):
            assert kind(row) not in SILENT, name
            lanes = {part.lane for part in message.parts}
            if kind(row) in {"compacted", "context_compacted"}:
                # The history that replaces the old one is all of it repeated.
                assert lanes <= {SUMMARY}, name


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


def places_and_times_name_the_records(home: Home) -> None:
    for case in cases(home):
        messages = case.reading.messages
        offsets = [message.offset for message in messages]
        assert offsets == sorted(offsets), str(case)
        for message, row in rows(case.reading.transcript, messages):
            payload = row["payload"]
            moments = {payload.get("started_at_ms"), payload.get("completed_at_ms"), milliseconds(row["timestamp"])}
            assert message.time_ms in moments - {None}, str(case)
            assert message.branch in {"", case.want["branch"]}, str(case)
            assert message.model in {"", "gpt-5.5"}, str(case)
            recorded = [text.strip() for text in strings(payload)]
            for text in texts([message], TALK):
                spoken = text.removeprefix("! ")
                assert [one for one in recorded if spoken in one], (str(case), spoken)


def secrets_and_pictures_are_not_text(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        shown = "\n".join(part.text for message in reading.messages for part in message.parts)
        assert "bW9jay1lbmNyeXB0ZWQtcmVhc29uaW5n" not in shown, name  # encrypted_content of a reasoning
        assert "iVBORw0KGgo" not in shown, name


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
    roles_fit_what_is_said,
    a_task_given_to_a_subagent_is_not_a_prompt,
    calls_carry_their_telling_arguments,
    outputs_can_be_found_in_order,
    a_tool_result_is_one_output_though_two_records_hold_it,
    thinking_is_kept_apart,
    a_compaction_is_one_summary_and_no_talk,
    the_session_is_described,
    the_session_begins_and_ends_when_its_records_say,
    a_fork_that_copied_shares_the_identities_of_its_parent,
    no_other_messages_share_an_identity,
    nothing_injected_is_taken_for_talk,
    the_injected_words_stand_in_the_transcripts,
    what_was_injected_can_be_found_as_context,
    the_bookkeeping_says_nothing,
    an_empty_file_says_nothing,
    no_part_is_empty_and_no_call_is_only_a_name,
    places_and_times_name_the_records,
    secrets_and_pictures_are_not_text,
    every_record_is_understood_and_the_reading_ends_with_a_checkpoint,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_cut_down_log(case: str, check: Callable[[Home], None]) -> None:
    check(Home(os.path.join(LOGS, case, "codex"), expectation(case)))


@pytest.mark.parametrize("case", CASES)
def test_expectations_name_every_file_of_the_home(case: str) -> None:
    expected = expectation(case)
    named = {want["file"] for want in expected["sessions"]} | set(expected["empty"]) | set(expected["other"])
    folder = os.path.join(LOGS, case, "codex")
    present = {
        os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/")
        for where, _, names in os.walk(folder)
        for name in names
    }
    assert named == present


def test_the_configuration_folder_in_the_home_is_read_when_no_variable_names_another(tmp_path: Path) -> None:
    fixture = os.path.join(LOGS, "v0_171_main", "codex")
    shutil.copytree(fixture, tmp_path / ".codex")
    found = sources.source("codex").discover(str(tmp_path), env={})
    assert {os.path.basename(one.path) for one in found} == {os.path.basename(name) for name in readings(fixture)}


def test_a_session_that_nobody_named_has_its_first_prompt_for_a_title(tmp_path: Path) -> None:
    shutil.copytree(os.path.join(LOGS, "v0_171_main", "codex"), tmp_path / "codex")
    os.remove(tmp_path / "codex" / "session_index.jsonl")
    native = "01a22bb7-77f1-7c02-ba1d-cd3c87c8c4de"
    told = [reading.session for reading in readings(str(tmp_path / "codex")).values()]
    (session,) = [one for one in told if one is not None and one.native == native]
    assert (session.title, session.title_rank) == ("SCN-FOLLOW 互動 codex tui", 0)


# (case, transcript, step in bytes): a compaction, a picture and a shell command, forks, a resume by a newer
# version, a subagent, a skill. The cuts fall inside characters, escapes and rows, and between the two records
# of one text; the ends of rows are added by the test.
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


def write(path: str, data: bytes) -> None:
    """Replace the file's content in place, so that it stays the same file."""
    with open(path, "r+b") as file:
        file.write(data)
        file.truncate()


@pytest.mark.parametrize(("case", "name", "step"), CUTS)
def test_reading_in_two_pieces_tells_the_same_as_reading_in_one(
    case: str, name: str, step: int, tmp_path: Path
) -> None:
    shutil.copytree(os.path.join(LOGS, case, "codex"), tmp_path / "codex")
    (transcript,) = [one for one in discover(str(tmp_path / "codex")) if os.path.basename(one.path) == name]
    path = transcript.path
    data = content(transcript)
    whole = collect(transcript)
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for cut in sorted({*range(0, len(data), step), *ends, *(end - 1 for end in ends)}):
        write(path, data[:cut])
        head = collect(transcript._replace(size=cut))
        assert isinstance(head.last, Checkpoint), cut
        write(path, data)
        tail = collect(transcript, head.last)
        assert (head.problems, head.restarts, tail.problems, tail.restarts) == ((), (), (), ()), cut
        assert head.messages + tail.messages == whole.messages, cut
        assert (tail.session or head.session) == whole.session, cut
        assert tail.last == whole.last, cut
