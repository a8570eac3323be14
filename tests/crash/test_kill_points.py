"""`kill -9` at any step of a sync, while transcripts grow, are cut and are rewritten: as if nothing had happened.

The victims live in `nursery.py`. What they report is the log of the run: the tests assert from it how many were
killed, and where.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections import Counter
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from harkback import rank

if TYPE_CHECKING:
    from tests.crash.worlds import NOW_MS, Nursery, World, line, say
else:
    from worlds import NOW_MS, Nursery, World, line, say

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked; Windows cannot")

QUERIES = (
    "驗收",
    "验收",
    "設定檔",
    "设定",
    "驗收報告 設定",
    "五",
    "文字化け",
    "設定ファイル",
    "デプロイ",
    "deploy",
    "nginx config",
    '"rollback plan"',
    "how did we roll back the deploy",
    "project:w deploy",
    "file:nginx.conf",
    "in:title plan",
    "in:output error",
    "deploy -nginx",
    "role:user 五",
)
"""What is asked of both archives: Traditional and Simplified Chinese, Japanese, English, filters, lanes."""

WORDS = (
    "驗收報告今天要交",
    "这次验收没有通过",
    "設定檔為什麼不能用那個寫法",
    "设定完成以后再部署五台机器",
    "文字化けが直りました",
    "設定ファイルをデプロイする",
    "deploy the nginx config again",
    "the rollback plan for the deploy",
    "TypeError in parse_config(), 5G card",
)

KILLS = 200

POOL = 200
"""So many candidates are ranked."""

# Where a kill tells most: around the two commits of a batch and around the watermark.
AIMED = (
    "before COMMIT of part",
    "after COMMIT of part",
    "before index commit",
    "after index commit",
    "before COMMIT of watermark",
    "after COMMIT of watermark",
    "before COMMIT of facts",
    "before index remove",
)


class Hands:
    """What agents and people do to transcripts between two syncs."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.random = Random(seed)
        self.number = itertools.count()
        self.names = [f"{letter}0000000-0000-4000-8000-00000000000{letter}" for letter in "abcdef"]
        self.half: dict[str, bytes] = {}
        for name in self.names:
            self.write(name, 8)
        self.fork()
        # Old versions kept a session's title in another session's file.
        world.write("told", [say("told1", "deploy, as told", "told", 1)])
        world.write("teller", [{"type": "summary", "summary": "plan as told", "leafUuid": "told1"}])

    def rows(self, session: str, count: int) -> list[Any]:
        return [row for _ in range(count) for row in self.turn(session)]

    def turn(self, session: str) -> list[Any]:
        """Make one to three rows of a kind that is drawn."""
        number = next(self.number)
        text = f"{self.random.choice(WORDS)} {number}"
        prompt = say(f"u{number}", text, session, number)
        moment = {key: prompt[key] for key in ("sessionId", "timestamp", "cwd", "gitBranch")}
        reply = moment | {"type": "assistant", "uuid": f"v{number}"}
        said = {"id": f"msg{number}", "role": "assistant", "model": f"model-{number % 3}"}
        match self.random.randrange(10):
            case 0 | 1 | 2:
                return [prompt]
            case 3 | 4:
                return [prompt, reply | {"message": said | {"content": [{"type": "text", "text": f"好 {text}"}]}}]
            case 5 | 6:
                call = {"type": "tool_use", "id": f"t{number}", "name": "Edit", "input": {}}
                call["input"] = {"file_path": f"/w/conf{number % 4}/nginx.conf", "old_string": text}
                result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"error: {text}"}
                return [
                    reply | {"message": said | {"content": [call]}},
                    moment | {"type": "user", "uuid": f"r{number}", "message": {"content": [result]}},
                ]
            case 7:
                return [{"type": "ai-title", "aiTitle": f"plan {text}", "sessionId": session}]
            case 8:
                return [b'{"type":"user","uuid":"broken\0\0\0\n', b"null\n"]
            case _:
                thought = {"type": "thinking", "thinking": f"hmm, {text}"}
                return [reply | {"message": said | {"content": [thought]}}]

    def write(self, name: str, count: int) -> None:
        self.half.pop(name, None)
        self.world.write(name, self.rows(name, count))

    def act(self) -> None:
        """Do one thing to one transcript."""
        name = self.random.choice(self.names)
        path = self.world.path(name)
        size = os.path.getsize(path)
        draw = self.random.randrange(12)
        if draw < 5:
            self.append(name)
        elif draw < 7:  # rewritten in place, longer or shorter
            self.write(name, self.random.randrange(3, 12))
        elif draw < 9:  # cut off somewhere, and in the next round perhaps grown again
            self.half.pop(name, None)
            os.truncate(path, self.random.randrange(size + 1))
        elif draw == 9:  # replaced by another file
            self.half.pop(name, None)
            self.world.write("new", self.rows(name, 6))
            os.replace(self.world.path("new"), path)
        elif draw == 10:  # rotated: the old text goes on under another name
            self.half.pop(name, None)
            os.replace(path, self.world.path(f"{name}-old{next(self.number)}"))
            self.world.write(name, self.rows(name, 3))
        else:
            os.utime(path, ns=(NOW_MS * 1_000_000, NOW_MS * 1_000_000 + next(self.number)))

    def append(self, name: str) -> None:
        """Append rows; a line that was left half is completed, and sometimes the last one is left half."""
        rows = [line(row) for row in self.rows(name, self.random.randrange(1, 5))]
        whole = self.half.pop(name, b"") + b"".join(rows)
        if self.random.random() < 0.4:
            cut = len(whole) - self.random.randrange(1, len(rows[-1]))
            whole, self.half[name] = whole[:cut], whole[cut:]
        self.world.append(name, [whole])

    def fork(self) -> None:
        """Copy the beginning of a session into a new one, as a resumed or branched session does."""
        name = self.random.choice(self.names[:3])
        with open(self.world.path(name), "rb") as file:
            past = [row for row in file.read().splitlines(keepends=True) if row.endswith(b"\n")]
        child = f"fork-{next(self.number)}"
        self.world.write(child, [*past[: len(past) // 2], *self.rows(child, 2)])
        self.names.append(child)


def assert_like_a_clean_sync(world: World) -> None:
    """Compare the archive with one that was made of the same files in one go."""
    world.sync()
    clean = world.beside("clean")
    clean.sync()
    mine, theirs = world.state(), clean.state()
    assert mine.integrity == "ok"
    assert mine.transcripts == theirs.transcripts
    assert mine.sessions == theirs.sessions
    assert mine.messages == theirs.messages
    assert mine.problems == theirs.problems
    assert mine.tallies == theirs.tallies
    assert {key: mine.identities.get(key) for key in theirs.identities} == theirs.identities
    for state in (mine, theirs):
        assert state.documents == state.parts
        assert (state.dead, state.waiting) == (0, 0)
    answers = world.answers(QUERIES)
    # What is left out of a longer answer depends on the last digits of scores.
    assert all(len(answer["hits"]) < POOL for answer in answers.values())
    assert all(answers[text]["hits"] for text in QUERIES if "-" not in text), (
        "a query that finds nothing proves nothing"
    )
    # Which words of a broken-down question are common enough to be left out is told by the index, in which replaced
    # texts still count until it merges; so those answers are compared when both indexes are made anew.
    expected = clean.answers(QUERIES)
    exact = [text for text in QUERIES if expected[text]["tier"] in {rank.PHRASE, rank.ALL}]
    assert len(exact) >= len(QUERIES) - 4
    assert {text: answers[text] for text in exact} == {text: expected[text] for text in exact}
    world.archive().rebuild()
    clean.archive().rebuild()
    assert world.answers(QUERIES) == clean.answers(QUERIES)
    assert world.answers(QUERIES, is_exact=True) == clean.answers(QUERIES, is_exact=True)
    assert world.scores(QUERIES) == clean.scores(QUERIES)


def assert_no_litter(world: World) -> None:
    """Only the archive's own files may lie in its folder: nothing that a killed run left behind."""
    listed = sorted(os.listdir(world.data))
    folders = [name for name in listed if os.path.isdir(os.path.join(world.data, name))]
    assert len(folders) == 1, listed
    assert not [name for name in os.listdir(os.path.join(world.data, folders[0])) if name.startswith(".tmp")]


def test_two_hundred_kills_leave_what_one_clean_sync_makes(world: World, nursery: Nursery) -> None:
    hands = Hands(world, 20)
    aims = itertools.cycle(AIMED)
    died: Counter[str] = Counter()
    for number in range(KILLS):
        if died.total() >= KILLS:
            break
        if number % 30 == 29:
            hands.fork()
        for _ in range(hands.random.randrange(1, 3)):
            hands.act()
        nursery.sync(point=next(aims), nth=hands.random.choice((1, 1, 1, 2, 3)))
        nursery.sync(step=hands.random.randrange(1, 40))
        if number % 40 == 39:
            nursery.sync()  # sometimes one lives
        died = Counter(one.last for one in nursery.log if one.last)
    assert died.total() >= KILLS
    assert died["after COMMIT of part"] + died["before index commit"] >= 10, "between the two commits"
    assert died["after index commit"] + died["before COMMIT of watermark"] >= 10, "before the watermark"
    assert len(died) >= 20, "at many kinds of steps"
    assert_like_a_clean_sync(world)
    assert_no_litter(world)


def test_kills_from_outside_at_any_moment_leave_what_one_clean_sync_makes(world: World, nursery: Nursery) -> None:
    hands = Hands(world, 21)
    nursery.sync()
    for _ in range(3):
        hands.act()
    began = monotonic()
    assert nursery.sync().last is None
    whole_s = monotonic() - began
    for _ in range(60):
        for _ in range(3):
            hands.act()
        nursery.sync(after_s=hands.random.uniform(0.0, whole_s))
    died = [one for one in nursery.log if one.last]
    assert len(died) >= 30
    assert_like_a_clean_sync(world)
    assert_no_litter(world)


def test_a_first_sync_killed_at_each_of_its_steps_completes(world: World, nursery: Nursery) -> None:
    home = world
    home.write("a", [say("u1", "驗收 deploy", minute=1), say("u2", "文字化け", minute=2)])
    home.write("b", [say("u3", "nginx deploy", "b", minute=3)])
    steps = nursery.sync().steps
    messages = home.state().messages
    for number in range(1, len(steps) + 1):
        world = home.beside(f"killed{number}")
        nursery.world = world
        assert nursery.sync(step=number).last == steps[number - 1]
        # Whatever is there can be asked at once, and says no more than is true.
        assert set(world.found("deploy", sync=False)) <= {"驗收 deploy", "nginx deploy"}
        assert world.found("deploy") == ["nginx deploy", "驗收 deploy"]
        state = world.state()
        assert state.documents == state.parts
        assert state.messages == messages


def test_a_list_of_deletions_that_a_kill_left_in_the_index_does_not_stop_the_next_sync(world: World) -> None:
    """The index writes `<segment>.<operation>.del` before its meta.json; done again, the name is the same."""
    world.write("a", [say("u1", "apple old")])
    world.write("b", [say("u2", "apple kept", "b", 1)])
    world.sync()
    before = set(os.listdir(_words(world)))
    killed = world.beside("killed")
    shutil.copytree(world.data, killed.data)
    world.write("a", [say("u3", "apple new", minute=2)])
    world.sync()
    lists = [name for name in set(os.listdir(_words(world))) - before if name.endswith(".del")]
    assert lists, "without such a list this test shows nothing"
    for name in lists:
        with open(os.path.join(_words(killed), name), "wb") as file:
            file.write(b"half")
    killed.sync()
    assert killed.found("apple", sync=False) == ["apple kept", "apple new"]
    assert killed.state().documents == killed.state().parts


def _words(world: World) -> str:
    """Name the folder of the index."""
    [name] = [name for name in os.listdir(world.data) if name.startswith("words")]
    return os.path.join(world.data, name)


@pytest.mark.parametrize("point", ["after COMMIT of part", "after index commit"])
def test_counts_are_right_while_the_index_waits_for_repair(world: World, nursery: Nursery, point: str) -> None:
    world.write("a", [say("u1", "apple one")])
    nursery.sync()
    world.append("a", [say("u2", "apple two", minute=1), say("u3", "apple three", minute=2)])
    assert nursery.sync(point=point, nth=1).last == point
    answer = world.search("apple", sync=False)
    assert (answer.found.lanes, len(answer.found.hits), answer.found.more) == ({"talk": 3}, 3, 0)
    # The next search repairs it although no transcript has news.
    assert world.found("apple") == ["apple one", "apple three", "apple two"]
    assert (world.state().waiting, world.state().dead) == (0, 0)
    assert world.search("apple", sync=False).found.lanes == {"talk": 3}


def test_a_large_transcript_is_read_on_after_a_kill_in_its_middle(world: World, nursery: Nursery) -> None:
    world.write("a", [say(f"u{number}", f"word{number} " + "x" * 80, minute=number) for number in range(60)])
    assert nursery.sync(point="after COMMIT of watermark", nth=2).last
    stored = world.sql("SELECT count(*) FROM part")[0][0]
    assert 0 < stored < 60
    world.sync()
    assert world.found("word59") == ["word59 " + "x" * 80]
    assert world.sql("SELECT count(*) FROM part") == [(60,)]


def test_a_killed_rewrite_never_shows_old_and_new_together(world: World, nursery: Nursery) -> None:
    steps = 1
    killed = 0
    for number in itertools.count(1):
        world.write("a", [say(f"a{number}", f"old apple {number}")])
        world.sync()
        world.write("a", [say(f"b{number}", f"new apple {number}"), say(f"c{number}", "pear")])
        one = nursery.sync(step=steps)
        assert world.found("apple", sync=False) in (
            [f"old apple {number}"],
            [f"new apple {number}"],
        ), f"killed at {one.last}"
        assert world.found("apple") == [f"new apple {number}"]
        if one.last is None:
            break
        killed += 1
        steps += 2
    assert killed >= 10


def test_a_rebuild_killed_at_each_of_its_steps_leaves_a_whole_index_and_no_litter(
    world: World, nursery: Nursery
) -> None:
    world.write("a", [say("u1", "驗收 deploy"), say("u2", "文字化け", minute=1)])
    world.sync()
    whole = world.answers(("驗收", "deploy", "文字化け"))
    killed = 0
    for step in itertools.count(1):
        one = nursery.sync(rebuild=True, step=step)
        assert world.answers(whole) == whole, f"killed at {one.last}"
        if one.last is None:
            break
        killed += 1
    assert killed >= 10
    world.append("a", [say("u3", "later", minute=2)])
    world.sync()
    assert world.state().documents == world.state().parts
    assert_no_litter(world)
