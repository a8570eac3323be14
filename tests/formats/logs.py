"""Cut-down homes that real programs wrote: how they are read, and the checks that hold for every agent's.

`<agent>_logs/<case>/<folder>` is what the agent's own variable points to; `expected/<case>.json` beside it says what
people typed, what was answered and what was done there. It was written from the records, before the parser: change it
when the records prove it wrong, never to suit the parser. `test_shared_logs.py` runs the same checks on the uncut logs,
which may hold some more sessions of the same kinds (`uncut_only`).
"""

from __future__ import annotations

import functools
import json
import os
import shutil
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from harkback import sources
from harkback.model import (
    ASSISTANT,
    CALLS,
    OUTPUT,
    SUMMARY,
    SYSTEM,
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

    from harkback.model import Record


class Reading(NamedTuple):
    """One transcript read from its beginning to its end."""

    transcript: Transcript
    messages: tuple[Message, ...]
    session: Session | None
    problems: tuple[Problem, ...]
    restarts: tuple[Restart, ...]
    last: object


class Agent(NamedTuple):
    """Whose logs they are, and where they lie."""

    name: str
    variable: str
    """Names the configuration folder."""
    logs: str
    """Beside this file."""
    folder: str
    """The configuration folder in a case."""
    place: str
    """The configuration folder in a person's home where no variable names another, and in the uncut logs."""

    def path(self, *names: str) -> str:
        return os.path.join(os.path.dirname(os.path.abspath(__file__)), self.logs, *names)

    def cases(self) -> list[str]:
        return sorted(name[: -len(".json")] for name in os.listdir(self.path("expected")))

    def expectation(self, case: str, *, is_cut: bool = True) -> dict[str, Any]:
        with open(self.path("expected", f"{case}.json"), encoding="utf-8") as file:
            loaded: dict[str, Any] = json.load(file)
        if is_cut:
            loaded["sessions"] = [want for want in loaded["sessions"] if not want.get("uncut_only")]
        return loaded

    def cut_down(self, case: str) -> Home:
        return Home(self, self.path(case, self.folder), self.expectation(case))

    def uncut(self, case: str, folder: str) -> Home:
        expected = self.expectation(case, is_cut=False)
        return Home(self, os.path.join(folder, expected["log"], *self.place.split("/")), expected)

    def collect(self, transcript: Transcript, checkpoint: Checkpoint | None = None) -> Reading:
        """Read a transcript, from the checkpoint if there is one, and sort the records by kind."""
        records = list(sources.source(self.name).read(transcript, checkpoint))
        told = [record for record in records if isinstance(record, Session)]
        return Reading(
            transcript,
            tuple(record for record in records if isinstance(record, Message)),
            told[-1] if told else None,
            tuple(record for record in records if isinstance(record, Problem)),
            tuple(record for record in records if isinstance(record, Restart)),
            records[-1] if records else None,
        )

    def discover(self, folder: str) -> list[Transcript]:
        nowhere = os.path.join(folder, "no-such-home")
        return list(sources.source(self.name).discover(nowhere, env={self.variable: folder}))


@functools.cache
def readings(agent: Agent, folder: str) -> dict[str, Reading]:
    """Every transcript below the folder by its path relative to it, with `/` on every platform."""
    return {below(folder, one.path): agent.collect(one) for one in agent.discover(folder)}


class Home(NamedTuple):
    """One configuration folder and what is expected of it."""

    agent: Agent
    folder: str
    expected: dict[str, Any]

    def __str__(self) -> str:
        """Name the home in a failed assertion."""
        return self.folder

    def readings(self) -> dict[str, Reading]:
        return readings(self.agent, self.folder)

    def originals(self, want: dict[str, Any]) -> tuple[Message, ...]:
        """What the parent's file of a fork holds."""
        if want["relation"] != "fork":
            return ()
        (file,) = (one["file"] for one in self.expected["sessions"] if one["native"] == want["parent"])
        return self.readings()[file].messages

    def cases(self) -> Iterator[Case]:
        """Pair every expected session with its reading; what its parent's file holds too are copies."""
        for want in self.expected["sessions"]:
            reading = self.readings()[want["file"]]
            parents = set[str]().union(*map(identities, self.originals(want)))
            own = tuple(message for message in reading.messages if not identities(message) & parents)
            copied = tuple(message for message in reading.messages if identities(message) & parents)
            yield Case(want, own, copied, reading)


class Case(NamedTuple):
    """One expected session beside the reading of its transcript."""

    want: dict[str, Any]
    own: tuple[Message, ...]
    copied: tuple[Message, ...]
    reading: Reading

    def __str__(self) -> str:
        """Name the transcript in a failed assertion."""
        return str(self.want["file"])

    def sides(self, name: str) -> Iterator[tuple[tuple[Message, ...], list[Any]]]:
        """Its own messages and the copied ones, each with what is expected of them under this name."""
        yield self.own, self.want[name]
        yield self.copied, self.want.get(f"copied_{name}", [])


def below(folder: str, path: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def files(folder: str, ending: str = "") -> set[str]:
    """Every file below the folder whose name ends so."""
    return {
        below(folder, os.path.join(where, name))
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(ending)
    }


def identities(message: Message) -> set[str]:
    """Both names by which a copy of the message is known, and folded."""
    return {message.key, message.copy_key} - {""}


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


def rows(reading: Reading, messages: Iterable[Message] | None = None) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Every message (or each of these) with the record that stands at its place in the transcript."""
    raw = content(reading.transcript)
    for message in reading.messages if messages is None else messages:
        yield message, json.loads(raw[message.offset : message.offset + message.length])


def strings(value: Any, *, names: bool = False) -> Iterator[str]:
    """Every text of a record, with or without the names of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings(one, names=names)
    elif isinstance(value, dict):
        yield from value if names else ()
        for one in value.values():
            yield from strings(one, names=names)


# Parts of checks: what they assert holds for everything that they give.


def in_place(reading: Reading, name: str) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Every message with its record; no two have one key, and they stand in the order of the transcript."""
    keys = [message.key for message in reading.messages]
    assert len(keys) == len(set(keys)), name
    offsets = [message.offset for message in reading.messages]
    assert offsets == sorted(offsets), name
    yield from rows(reading)


def described(home: Home) -> Iterator[tuple[Case, Session]]:
    """Every case with its session, which has its name, a title that it may have, and its place."""
    for case in home.cases():
        session, want = case.reading.session, case.want
        assert session is not None, str(case)
        assert (session.agent, session.native) == (home.agent.name, want["native"])
        assert session.title in {want["title"], *want.get("title_also", [])}, str(case)
        assert (session.cwd, session.branch) == (want["cwd"], want["branch"]), str(case)
        yield case, session


def given_to_subagents(home: Home) -> Iterator[tuple[Case, list[Message]]]:
    """Every subagent with its talk, of which nothing is a person's."""
    for case in home.cases():
        if case.want["relation"] == "subagent":
            talk = [message for message in case.reading.messages if parts([message], TALK)]
            assert {message.role for message in talk} == {ASSISTANT}, str(case)
            yield case, talk


# The checks. Each takes a home and asserts one thing about all of its sessions.


def discover_finds_each_session_once_and_nothing_else(home: Home) -> None:
    found = home.agent.discover(home.folder)
    names = [below(home.folder, one.path) for one in found]
    wanted = {want["file"] for want in home.expected["sessions"]}
    silent = {noise["file"] for noise in home.expected.get("noise", [])} | set(home.expected.get("empty", []))
    assert len(names) == len(set(names))
    assert wanted <= set(names)
    assert set(names) <= wanted | silent
    assert {one.agent for one in found} == {home.agent.name}


def prompts_are_what_was_typed_in_order(home: Home) -> None:
    for case in home.cases():
        prompts = texts(case.own, TALK, USER)
        # A prompt that a hook refused was typed but never sent (`promptKept: false`): both answers are sound.
        refused = case.want.get("blocked")
        assert prompts == case.want["prompts"] or (refused and prompts == refused), str(case)
        assert texts(case.copied, TALK, USER) == case.want.get("copied_prompts", []), str(case)


def replies_are_what_the_agent_said_in_order(
    home: Home, cleaned: Callable[[Iterable[str]], list[str]] = list[str]
) -> None:
    for case in home.cases():
        wanted = [*case.want.get("tasks", []), *case.want["replies"]]
        assert cleaned(texts(case.own, TALK, ASSISTANT)) == cleaned(wanted), str(case)
        assert texts(case.copied, TALK, ASSISTANT) == case.want.get("copied_replies", []), str(case)


def only_people_and_agents_talk(home: Home) -> None:
    for name, reading in home.readings().items():
        speakers = {message.role for message in reading.messages if parts([message], TALK)}
        assert speakers <= {USER, ASSISTANT}, name


def calls_carry_their_telling_arguments(home: Home) -> None:
    for case in home.cases():
        for messages, wanted in case.sides("calls"):
            calls = parts(messages, CALLS)
            assert len(calls) == len(wanted), str(case)
            for call, want in zip(calls, wanted, strict=True):
                # Codex's tools of a namespace may be named with it or without it.
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
    for case in home.cases():
        for messages, pieces in case.sides("outputs"):
            remaining = iter(texts(messages, OUTPUT))
            for piece in pieces:
                assert any(piece in text for text in remaining), (str(case), piece)


def thinking_is_kept_apart(home: Home) -> None:
    for case in home.cases():
        for messages, wanted in case.sides("thinking"):
            assert [text[:60] for text in texts(messages, THINKING)] == wanted, str(case)


def summaries_are_no_talk(home: Home) -> None:
    for case in home.cases():
        summaries = texts(case.reading.messages, SUMMARY)
        assert texts(case.reading.messages, SUMMARY, SYSTEM) == summaries, str(case)
        assert [text[:60] for text in summaries] == case.want["summaries"], str(case)
        for text, piece in zip(summaries, case.want.get("summaries_have", []), strict=True):
            assert piece in text, str(case)


def nothing_injected_is_taken_for_talk(home: Home) -> None:
    for name, reading in home.readings().items():
        said = texts(reading.messages, TALK)
        title = reading.session.title if reading.session else ""
        found = [(word, text) for word in home.expected["injected"] for text in [*said, title] if word in text]
        assert found == [], name


def the_injected_words_stand_in_the_transcripts(home: Home, *, names: bool = True) -> None:
    """Positive twin of the checks that some words do not stand somewhere: words that stand nowhere prove nothing."""
    raw = "\0".join(
        text
        for reading in home.readings().values()
        for line in content(reading.transcript).splitlines()
        for text in strings(json.loads(line), names=names)
    )
    words = [word for kind in ("injected", "quoted", "unsaid") for word in home.expected.get(kind, [])]
    assert [word for word in words if word not in raw] == []


def an_empty_file_says_nothing(home: Home) -> None:
    found = home.readings()
    for name in home.expected["empty"]:
        assert name not in found or found[name].messages == (), name


def no_part_is_empty_and_no_call_is_only_a_name(home: Home) -> None:
    for name, reading in home.readings().items():
        for message in reading.messages:
            assert message.parts, name
            assert [part for part in message.parts if not part.text.strip()] == [], name
            assert [part for part in parts([message], CALLS) if part.text.strip() == part.tool] == [], name


def signatures_and_pictures_are_not_text(home: Home) -> None:
    for name, reading in home.readings().items():
        for message, row in rows(reading):
            inner = row.get("message", {}).get("content", "")
            blocks = [block for block in inner if isinstance(block, dict)]
            signed = ("signature", "thinkingSignature", "textSignature")
            hidden = [block[key] for block in blocks for key in signed if block.get(key)]
            hidden += [block.get("source", block)["data"] for block in blocks if block["type"] == "image"]
            shown = "\n".join(part.text for part in message.parts)
            assert [secret for secret in hidden if secret in shown] == [], name


def every_record_is_understood_and_the_reading_ends_with_a_checkpoint(home: Home) -> None:
    for name, reading in home.readings().items():
        assert reading.problems == (), name
        assert reading.restarts == (), name
        assert isinstance(reading.last, Checkpoint), name
        assert reading.last.offset == os.path.getsize(reading.transcript.path), name


CHECKS: tuple[Callable[[Home], None], ...] = (
    discover_finds_each_session_once_and_nothing_else,
    prompts_are_what_was_typed_in_order,
    calls_carry_their_telling_arguments,
    nothing_injected_is_taken_for_talk,
    no_part_is_empty_and_no_call_is_only_a_name,
    every_record_is_understood_and_the_reading_ends_with_a_checkpoint,
)
"""Those that every agent's logs stand as they are here; each agent adds others, of this module and of its own."""


# What does not take a home as it lies there.


def the_folder_in_the_home_is_read(agent: Agent, case: str, home: Path) -> None:
    fixture = agent.cut_down(case)
    shutil.copytree(fixture.folder, home.joinpath(*agent.place.split("/")))
    found = sources.source(agent.name).discover(str(home), env={})
    assert {os.path.basename(one.path) for one in found} == {os.path.basename(name) for name in fixture.readings()}


def reading_in_two_pieces_tells_the_same(agent: Agent, case: str, name: str, step: int, folder: Path) -> None:
    """Cut at every so many bytes, and where rows end; the name may leave out the folders before it."""
    shutil.copytree(agent.cut_down(case).folder, folder / "home")
    found = agent.discover(str(folder / "home"))
    (transcript,) = [one for one in found if one.path.replace(os.sep, "/").endswith("/" + name)]
    data = content(transcript)
    whole = agent.collect(transcript)
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for cut in sorted({*range(0, len(data), step), *ends, *(end - 1 for end in ends)}):
        write(transcript, data[:cut])
        head = agent.collect(transcript._replace(size=cut))
        assert isinstance(head.last, Checkpoint), cut
        write(transcript, data)
        tail = agent.collect(transcript, head.last)
        assert (head.problems, head.restarts, tail.problems, tail.restarts) == ((), (), (), ()), cut
        assert head.messages + tail.messages == whole.messages, cut
        assert (tail.session or head.session) == whole.session, cut
        assert tail.last == whole.last, cut


def write(transcript: Transcript, data: bytes) -> None:
    """Replace the file's content in place, so that it stays the same file."""
    with open(transcript.path, "r+b") as file:
        file.write(data)
        file.truncate()


# What holds for the transcripts, too, that the neighbouring tests write row by row.

CHANGES: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("truncated", lambda data: data[:-2]),
    ("rewritten", lambda data: data.replace(b"one", b"two")),
)


def gather(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if not isinstance(record, Session | Checkpoint)]


def last(records: list[Record]) -> Checkpoint:
    checkpoint = records[-1]
    assert isinstance(checkpoint, Checkpoint)
    return checkpoint


def a_changed_transcript_is_read_again(
    path: Path, records: Callable[..., list[Record]], reason: str, change: Callable[[bytes], bytes]
) -> Checkpoint:
    """Give the checkpoint from before the change."""
    checkpoint = last(records())
    path.write_bytes(change(path.read_bytes()))
    restart, *rest = records(checkpoint=checkpoint)
    assert restart == Restart(reason)
    assert rest == records()
    return checkpoint


def a_checkpoint_of_another_kind_is_not_trusted(records: Callable[..., list[Record]]) -> None:
    checkpoint = last(records())
    for state in ("", "{}", "[1]"):
        assert records(checkpoint=checkpoint._replace(state=state))[0] == Restart("state")
    assert not any(isinstance(record, Restart) for record in records(checkpoint=checkpoint))


def a_vanished_transcript_is_a_problem_and_the_checkpoint_stands(transcript: Transcript) -> None:
    read = sources.source(transcript.agent).read
    checkpoint = last(list(read(transcript, None)))
    os.remove(transcript.path)
    problem, after = read(transcript, checkpoint)
    assert isinstance(problem, Problem)
    assert problem.kind == "unreadable"
    assert after == checkpoint


def every_cut_gives_the_same(transcript: Transcript, path: Path, data: bytes) -> list[Record]:
    """Give what the whole says."""
    read = sources.source(transcript.agent).read
    path.write_bytes(data)
    whole = list(read(transcript, None))
    for end in range(len(data)):
        path.write_bytes(data[:end])
        before = list(read(transcript, None))
        checkpoint = last(before)
        path.write_bytes(data)
        after = list(read(transcript, checkpoint))
        assert [*gather(before), *gather(after), *after[-2:]] == [*gather(whole), *whole[-2:]], end
    return whole


def a_long_transcript_can_be_left_and_taken_up_in_the_middle(records: Callable[..., list[Record]]) -> None:
    whole = records()
    stops = [at for at, record in enumerate(whole) if isinstance(record, Checkpoint)]
    assert len(stops) == 3
    for stop in stops:
        assert isinstance(whole[stop - 1], Session)
        after = records(checkpoint=last(whole[: stop + 1]))
        assert gather(whole[:stop]) + gather(after) == gather(whole)
        assert after[-2:] == whole[-2:]
