"""Several of us at once on one archive: nobody fails, nobody waits, and the archive is what one of us would make."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# So few that each query's hits all fit an answer: what is left out of a longer one depends on a score's last digits.
SESSIONS = 20
TURNS = 8
SEARCHES = 10
MOST_WAIT_S = 1.5

QUERIES = ("驗收", "文字化け", "deploy", "how did we roll back", "session:s8 deploy")
TEXTS = (
    "驗收報告今天要交",
    "设定完成以后再部署五台机器",
    "文字化けが直りました",
    "deploy the nginx config again",
    "how we roll back the deploy",
)

# `hark sync` that stops where it holds whatever a sync may hold, says so, and goes on when a line comes in.
PAUSED = {
    "in the transaction that writes rows": """
import sys
from harkback.engines.local import schema
inner = schema.transaction.__exit__
before = int(sys.argv.pop(1))
def leave(self, *args):
    global before
    if before >= 0 and self.con.execute("SELECT count(*) FROM sqlite_master WHERE name='part'").fetchone()[0]:
        if self.con.execute("SELECT count(*) FROM part").fetchone()[0] > before:
            before = -1
            print("paused", flush=True)
            sys.stdin.readline()
    return inner(self, *args)
schema.transaction.__exit__ = leave
from harkback.cli import run
run()
""",
    "between the rows and the index": """
import sys
from harkback.engines.local import words
sys.argv.pop(1)
inner = words.Words.commit
def commit(self):
    print("paused", flush=True)
    sys.stdin.readline()
    words.Words.commit = inner
    return inner(self)
words.Words.commit = commit
from harkback.cli import run
run()
""",
}


class Person:
    """A home, and an archive beside it, used only through the program."""

    def __init__(self, home: Path, data: Path) -> None:
        self.home = home
        self.projects = home / ".claude" / "projects" / "-w"
        self.data = data
        self.env = os.environ | {"HOME": str(home), "HARK_HOME": str(data)}
        self.written = 0

    def write(self, session: str, turns: int, mode: str = "ab") -> None:
        self.projects.mkdir(parents=True, exist_ok=True)
        rows = []
        for _ in range(turns):
            number = self.written
            self.written += 1
            rows.append(
                {
                    "type": "user",
                    "uuid": f"u{number}",
                    "sessionId": session,
                    "timestamp": f"2026-05-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00.000Z",
                    "cwd": "/w",
                    "message": {"role": "user", "content": f"{TEXTS[number % len(TEXTS)]} {number}"},
                }
            )
        with (self.projects / f"{session}.jsonl").open(mode) as file:
            file.write("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())

    def start(self, *argv: str, script: str = "") -> subprocess.Popen[str]:
        program = ["-c", script] if script else ["-m", "harkback"]
        pipe = subprocess.PIPE
        argv_ = [sys.executable, *program, *argv]
        return subprocess.Popen(argv_, env=self.env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def hark(self, *argv: str) -> Any:
        """Run a command and give its JSON."""
        out, _ = ended(self.start(*argv, "--json"))
        return json.loads(out)

    def everything(self) -> dict[str, Any]:
        """Tell what the archive answers, without what may differ between two archives of the same files."""
        told: dict[str, Any] = {}
        for query in QUERIES:
            answer = self.hark("search", "--no-sync", "-n", "200", query)
            hits = sorted((hit["id"], hit["session"], hit["lane"], hit["snippet"]) for hit in answer["hits"])
            coverage = {key: answer["coverage"][key] for key in ("files", "messages", "pending", "problems")}
            told[query] = (answer["tier"], answer["lanes"], coverage, hits)
        return told


def ended(process: subprocess.Popen[str], good: Sequence[int] = (0,)) -> tuple[str, str]:
    """Wait for a process that must end well."""
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err, err
    assert process.returncode in good, err
    return out, err


def all_at_once(person: Person, searches: Sequence[Sequence[str]]) -> float:
    """Run searches at the same time; give the seconds until the last one has answered."""
    began = monotonic()
    for process in [person.start("search", *argv) for argv in searches]:
        ended(process, good=(0, 1))
    return monotonic() - began


@pytest.fixture
def person(own_home: Path) -> Person:
    person = Person(own_home, own_home.parent / "archive")
    for number in range(SESSIONS):
        person.write(f"s{number}", TURNS)
    return person


def assert_like_a_clean_one(person: Person) -> dict[str, Any]:
    """Compare with an archive made of the same files by one sync, and give what both answer."""
    ended(person.start("sync"))
    clean = Person(person.home, person.data.parent / "clean")
    ended(clean.start("sync"))
    told = person.everything()
    assert told == clean.everything()
    assert len(told["deploy"][3]) >= SESSIONS * TURNS // 5
    return told


SEARCH_ARGV = [[QUERIES[number % len(QUERIES)], *(["--no-sync"] if number % 2 else [])] for number in range(SEARCHES)]


def test_two_syncs_and_ten_searches_on_a_new_archive_all_end_well(person: Person) -> None:
    syncs = [person.start("sync"), person.start("sync")]
    searches = [person.start("search", *argv) for argv in SEARCH_ARGV]
    for process in searches:
        ended(process, good=(0, 1))
    for process in syncs:
        ended(process)
    assert_like_a_clean_one(person)


def test_ten_first_searches_at_once_all_end_well(person: Person) -> None:
    all_at_once(person, [["deploy"]] * SEARCHES)
    assert person.hark("search", "deploy")["hits"]
    assert_like_a_clean_one(person)


def test_syncs_searches_and_rebuilds_beside_growing_and_rewritten_transcripts_all_end_well(person: Person) -> None:
    ended(person.start("sync"))
    for number in range(4):
        running = [person.start("sync"), person.start("rebuild"), person.start("sync")]
        running += [person.start("search", *argv) for argv in SEARCH_ARGV[:4]]
        for session in range(number, SESSIONS, 5):
            person.write(f"s{session}", 3, "wb" if session % 2 else "ab")
        for process in running:
            ended(process, good=(0, 1))
    told = assert_like_a_clean_one(person)
    ended(person.start("rebuild"))
    assert person.everything() == told, "what the index says is what the rows say"


@pytest.mark.parametrize("where", PAUSED)
def test_searches_do_not_wait_for_a_sync_that_stands_still(person: Person, where: str) -> None:
    ended(person.start("sync"))
    parts = SESSIONS * TURNS
    alone_s = min(all_at_once(person, SEARCH_ARGV) for _ in range(2))
    person.write("s0", 5)
    sync = person.start(str(parts), "sync", script=PAUSED[where])
    assert sync.stdout is not None
    assert sync.stdin is not None
    assert sync.stdout.readline() == "paused\n"
    beside_s = min(all_at_once(person, SEARCH_ARGV) for _ in range(2))
    found = person.hark("search", "deploy", "-n", "200")
    assert len(found["hits"]) >= parts // 5
    sync.stdin.write("go on\n")
    ended(sync)
    assert beside_s < alone_s + MOST_WAIT_S
    assert_like_a_clean_one(person)


def test_a_sync_waits_for_another_and_says_so(person: Person) -> None:
    sync = person.start("-1", "sync", script=PAUSED["between the rows and the index"])
    assert sync.stdout is not None
    assert sync.stdin is not None
    assert sync.stdout.readline() == "paused\n"
    second = person.start("sync")
    assert second.stderr is not None
    assert "another sync is running" in second.stderr.readline()
    sync.stdin.write("go on\n")
    ended(sync)
    ended(second)
    assert_like_a_clean_one(person)
