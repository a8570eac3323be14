"""Cut-down homes that real Pi programs wrote, against expectations written by hand.

`pi_logs/<case>/agent` is what `PI_CODING_AGENT_DIR` points to; `expected/<case>.json` beside it says what people
typed, what was answered and what was done there. It was written from the records, before the parser: change it
when the records prove it wrong, never to suit the parser. `test_shared_logs.py` runs the same checks on the uncut
logs.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
from collections import Counter
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

LOGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pi_logs")
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
    records = list(sources.source("pi").read(transcript, checkpoint))
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
    return list(sources.source("pi").discover(nowhere, env={"PI_CODING_AGENT_DIR": folder}))


@functools.cache
def readings(folder: str) -> dict[str, Reading]:
    """Every transcript below the folder by its path relative to it, with `/` on every platform."""
    found = {}
    for transcript in discover(folder):
        name = os.path.relpath(transcript.path, folder).replace(os.sep, "/")
        found[name] = collect(transcript)
    return found


def identities(message: Message) -> set[str]:
    """What the engine folds copies by."""
    return {message.key, message.copy_key} - {""}


def cases(home: Home) -> Iterator[Case]:
    """Pair every expected session with its reading; rows that its parent's file holds too are copies."""
    found = readings(home.folder)
    file_of = {want["native"]: want["file"] for want in home.expected["sessions"]}
    for want in home.expected["sessions"]:
        reading = found[want["file"]]
        parents: set[str] = set()
        if want["relation"] == "fork":
            parents = {name for message in found[file_of[want["parent"]]].messages for name in identities(message)}
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


def rows(transcript: Transcript, messages: Iterable[Message]) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Every message with the record that stands at its place in the transcript."""
    with open(transcript.path, "rb") as file:
        raw = file.read()
    for message in messages:
        yield message, json.loads(raw[message.offset : message.offset + message.length])


def ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)


def role_of(row: dict[str, Any]) -> str:
    """What kind of record it is: the role of its message, else its type."""
    return str(row["message"]["role"] if row["type"] == "message" else row["type"])


# The checks. Each takes a home and asserts one thing about all of its sessions.


def discover_finds_each_session_once_and_nothing_else(home: Home) -> None:
    names = [os.path.relpath(one.path, home.folder).replace(os.sep, "/") for one in discover(home.folder)]
    assert sorted(names) == sorted(want["file"] for want in home.expected["sessions"])


def prompts_are_what_was_typed_in_order(home: Home) -> None:
    for case in cases(home):
        assert texts(case.own, TALK, USER) == case.want["prompts"], str(case)
        assert texts(case.copied, TALK, USER) == case.want.get("copied_prompts", []), str(case)


def replies_are_what_the_agent_said_in_order(home: Home) -> None:
    for case in cases(home):
        assert texts(case.own, TALK, ASSISTANT) == case.want["replies"], str(case)
        assert texts(case.copied, TALK, ASSISTANT) == case.want.get("copied_replies", []), str(case)


def copies_folded_everything_was_said_once(home: Home) -> None:
    """What the engine keeps: of messages that share an identity only the first."""
    known: set[str] = set()
    kept: list[Message] = []
    for case in cases(home):
        for message in case.reading.messages:
            if not identities(message) & known:
                kept.append(message)
            known |= identities(message)
    for lane, role, name in ((TALK, USER, "prompts"), (TALK, ASSISTANT, "replies")):
        wanted = Counter(text for want in home.expected["sessions"] for text in want[name])
        assert Counter(texts(kept, lane, role)) == wanted, name
    summaries = {text for want in home.expected["sessions"] for text in want["summaries"]}
    assert sorted(text[:60] for text in texts(kept, SUMMARY)) == sorted(summaries)


def only_people_and_agents_talk(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        speakers = {message.role for message in reading.messages if parts([message], TALK)}
        assert speakers <= {USER, ASSISTANT}, name


def each_kind_of_record_has_its_roles_and_lanes(home: Home) -> None:
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
    for name, reading in readings(home.folder).items():
        for message, row in rows(reading.transcript, reading.messages):
            roles, lanes = allowed[role_of(row)]
            assert message.role in roles, (name, row["id"])
            assert {part.lane for part in message.parts} <= lanes, (name, row["id"])


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


def outputs_are_found_one_for_each_result(home: Home) -> None:
    for case in cases(home):
        for messages, pieces in (
            (case.own, case.want["outputs"]),
            (case.copied, case.want.get("copied_outputs", [])),
        ):
            found = texts(messages, OUTPUT)
            assert len(found) == len(pieces), str(case)
            for text, piece in zip(found, pieces, strict=True):
                assert piece in text, (str(case), piece)


def a_result_names_its_tool(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        for message, row in rows(reading.transcript, reading.messages):
            if role_of(row) == "toolResult":
                assert {part.tool for part in message.parts} == {row["message"]["toolName"]}, name


def thinking_is_kept_apart(home: Home) -> None:
    for case in cases(home):
        for messages, wanted in (
            (case.own, case.want["thinking"]),
            (case.copied, case.want.get("copied_thinking", [])),
        ):
            assert [text[:60] for text in texts(messages, THINKING)] == wanted, str(case)


def summaries_are_no_talk(home: Home) -> None:
    for case in cases(home):
        summaries = texts(case.reading.messages, SUMMARY, SYSTEM)
        assert [text[:60] for text in summaries] == case.want["summaries"], str(case)
        for text, piece in zip(summaries, case.want["summaries_have"], strict=True):
            assert piece in text, str(case)


def what_was_injected_can_be_found_as_context(home: Home) -> None:
    for case in cases(home):
        remaining = iter(texts(case.reading.messages, CONTEXT))
        for piece in case.want["contexts"]:
            assert any(piece in text for text in remaining), (str(case), piece)


def the_session_is_described(home: Home) -> None:
    for case in cases(home):
        session, want = case.reading.session, case.want
        assert session is not None, str(case)
        assert (session.agent, session.native) == ("pi", want["native"])
        assert case.reading.transcript.native == want["native"], str(case)
        assert (session.title, session.title_rank) == (want["title"], want["title_rank"]), str(case)
        assert (session.cwd, session.branch) == (want["cwd"], want["branch"]), str(case)
        assert (session.parent, session.relation) == (want["parent"], want["relation"]), str(case)
        assert session.agent_type == want["agent_type"], str(case)


def a_session_begins_and_ends_with_its_records(home: Home) -> None:
    for case in cases(home):
        session, want = case.reading.session, case.want
        assert session is not None, str(case)
        # What a fork copied is older than its header: it may begin with either.
        begins = {ms(want["started"]), ms(want.get("started_also", want["started"]))}
        assert session.started_ms in begins, str(case)
        assert session.ended_ms == ms(want["ended"]), str(case)


def a_copy_shares_its_identity_with_the_original_and_nothing_else_does(home: Home) -> None:
    found = {}
    for case in cases(home):
        assert bool(case.copied) == (case.want["relation"] == "fork"), str(case)
        pairs = rows(case.reading.transcript, case.reading.messages)
        found[str(case)] = {(row["id"], row["timestamp"]): identities(message) for message, row in pairs}
    for (one, first), (other, second) in itertools.combinations(found.items(), 2):
        for (row, mine), (twin, theirs) in itertools.product(first.items(), second.items()):
            assert bool(mine & theirs) == (row == twin), (one, other, row, twin)


def nothing_injected_is_taken_for_talk(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        said = texts(reading.messages, TALK)
        title = reading.session.title if reading.session else ""
        found = [(word, text) for word in home.expected["injected"] for text in [*said, title] if word in text]
        assert found == [], name


def what_no_one_said_is_no_text(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        shown = [part.text for message in reading.messages for part in message.parts]
        assert [(word, text) for word in home.expected["unsaid"] for text in shown if word in text] == [], name


def these_words_stand_in_the_transcripts(home: Home) -> None:
    """Positive twin of the two checks before: words that stand nowhere would prove nothing."""
    raw = ""
    for reading in readings(home.folder).values():
        with open(reading.transcript.path, encoding="utf-8") as file:
            raw += file.read()
    words = [json.dumps(word)[1:-1] for word in home.expected["injected"] + home.expected["unsaid"]]
    assert [word for word in words if word not in raw] == []


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
            # The engine folds by key over all sessions, and eight hex digits come again.
            assert row["id"] not in identities(message), name
            # When it was written, or (for a prompt) typed, (for an answer) asked for.
            inner = row.get("message", {})
            assert message.time_ms in {ms(row["timestamp"]), inner.get("timestamp")}, name
            assert message.branch == "", name


def models_are_those_that_answered(home: Home) -> None:
    for case in cases(home):
        for message, row in rows(case.reading.transcript, case.reading.messages):
            if role_of(row) == "assistant":
                assert message.model == row["message"]["model"], str(case)
                assert message.model in case.want["models"], str(case)
            else:
                assert message.model in {"", *case.want["models"]}, str(case)


def signatures_and_pictures_are_not_text(home: Home) -> None:
    for name, reading in readings(home.folder).items():
        for message, row in rows(reading.transcript, reading.messages):
            content = row.get("message", {}).get("content", "")
            blocks = [block for block in content if isinstance(block, dict)]
            hidden = [block[key] for block in blocks for key in ("thinkingSignature", "textSignature") if key in block]
            hidden += [block["data"] for block in blocks if block["type"] == "image"]
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
    copies_folded_everything_was_said_once,
    only_people_and_agents_talk,
    each_kind_of_record_has_its_roles_and_lanes,
    calls_carry_their_telling_arguments,
    outputs_are_found_one_for_each_result,
    a_result_names_its_tool,
    thinking_is_kept_apart,
    summaries_are_no_talk,
    what_was_injected_can_be_found_as_context,
    the_session_is_described,
    a_session_begins_and_ends_with_its_records,
    a_copy_shares_its_identity_with_the_original_and_nothing_else_does,
    nothing_injected_is_taken_for_talk,
    what_no_one_said_is_no_text,
    these_words_stand_in_the_transcripts,
    no_part_is_empty_and_no_call_is_only_a_name,
    keys_and_places_name_the_records,
    models_are_those_that_answered,
    signatures_and_pictures_are_not_text,
    every_record_is_understood_and_the_reading_ends_with_a_checkpoint,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_cut_down_log(case: str, check: Callable[[Home], None]) -> None:
    check(Home(os.path.join(LOGS, case, "agent"), expectation(case)))


@pytest.mark.parametrize("case", CASES)
def test_expectations_name_every_transcript_of_the_home(case: str) -> None:
    folder = os.path.join(LOGS, case, "agent")
    present = {
        os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/")
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(".jsonl")
    }
    assert {want["file"] for want in expectation(case)["sessions"]} == present


def test_the_agent_folder_in_the_home_is_read_when_no_variable_names_another(tmp_path: Path) -> None:
    fixture = os.path.join(LOGS, "v1_6_0", "agent")
    shutil.copytree(fixture, tmp_path / ".pi" / "agent")
    found = sources.source("pi").discover(str(tmp_path), env={})
    assert {os.path.basename(one.path) for one in found} == {os.path.basename(name) for name in readings(fixture)}


# (case, transcript, step in bytes): a name, a compaction, branches; a fork; the old client; codemode.
# The cuts fall inside characters, escapes and rows; the ends of rows are added by the test.
FOLDER = "sessions/--home-dev-work-pi--/"
CUTS = (
    ("v1_6_0", FOLDER + "2026-11-30T09-13-47-329Z_01a22bbb-5638-776e-9320-24982015ea4b.jsonl", 61),
    ("v1_6_0", FOLDER + "2026-11-30T09-14-57-113Z_01a22bbc-66d9-776e-9320-24a23bae73f4.jsonl", 61),
    ("v1_6_0", FOLDER + "2026-11-30T09-13-29-750Z_01a22bbb-1195-713f-98c5-7613632e66d1.jsonl", 7),
    ("v0_73_1", FOLDER + "2026-11-30T09-15-36-210Z_01a22bbc-ff92-7725-bcc9-c6073876fdb4.jsonl", 7),
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
    shutil.copytree(os.path.join(LOGS, case, "agent"), tmp_path / "agent")
    path = str(tmp_path / "agent" / name)
    (transcript,) = [one for one in discover(str(tmp_path / "agent")) if os.path.samefile(one.path, path)]
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
