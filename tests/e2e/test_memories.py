"""`hark remember`, `recall` and their kin, as somebody types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.pens import Claude, hark
else:
    from pens import Claude, hark


def remember(*argv: str) -> str:
    saved = hark("remember", "--json", *argv)
    assert saved.status == 0, saved.err
    one = saved.json["id"]
    assert isinstance(one, str)
    return one


def recalled(*argv: str) -> list[str]:
    return [one["text"] for one in hark("recall", "--json", *argv).json["hits"]]


@pytest.fixture
def facts(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    assert own_home.exists()
    monkeypatch.chdir(tmp_path)  # no project
    return {
        "port": remember("The staging database runs on port 5433"),
        "deploy": remember("我們的部署一律用藍綠部署，金絲雀太慢", "--kind", "decision"),
        "vault": remember("パスワードの保管は1Passwordを使う", "--kind", "preference"),
        "task": remember("renew the TLS certificate", "--kind", "task", "--importance", "5", "--date", "2099-03-18"),
    }


def test_a_fact_is_found_in_other_words_and_other_forms(facts: dict[str, str]) -> None:
    assert facts
    assert recalled("which port does the db of staging run on")[0] == "The staging database runs on port 5433"
    assert recalled("部署怎麼做")[0].startswith("我們的部署")
    assert recalled("部署方式")[0].startswith("我們的部署")
    assert recalled("保管")[0].startswith("パスワード")
    assert hark("recall", "elephant").status == 1


def test_the_answer_says_when_and_where_it_was_said(facts: dict[str, str]) -> None:
    told = hark("recall", "staging port").out.splitlines()[0]
    assert told.startswith(facts["port"])
    assert "saved just now" in told
    assert "剛剛" in hark("recall", "部署").out.splitlines()[0]
    assert "2099-03-18" in hark("recall", "TLS certificate").out


def test_explain_shows_each_signal(facts: dict[str, str]) -> None:
    assert facts
    assert "similarity" not in hark("recall", "staging port").out
    told = hark("recall", "--explain", "staging port").out
    assert "words" in told
    assert "substring" in told
    assert "decay" in told


def test_the_same_again_reinforces_and_another_value_is_named(facts: dict[str, str]) -> None:
    again = hark("remember", "--json", "the staging database runs on port 5433.").json
    assert (again["action"], again["id"]) == ("reinforced", facts["port"])
    other = hark("remember", "--json", "The staging database runs on port 6000").json
    assert other["action"] == "saved"
    assert [one["id"] for one in other["contradictions"]] == [facts["port"]]
    assert f"may contradict {facts['port']}" in hark("remember", "The staging database runs on port 7000").out


def test_what_superseded_comes_back_and_the_old_only_with_its_history(facts: dict[str, str]) -> None:
    told = hark("supersede", facts["port"], "The staging database moved to port 6000", "--json").json
    assert told["action"] == "superseded"
    assert recalled("staging database port")[0] == "The staging database moved to port 6000"
    assert "The staging database runs on port 5433" not in recalled("staging database port")
    assert "The staging database runs on port 5433" in recalled("--history", "staging database port")
    shown = hark("show", told["id"], "--json").json
    assert [one["id"] for one in shown["replaced"]] == [facts["port"]]
    assert shown["replaced_by"] is None
    assert hark("show", facts["port"], "--json").json["replaced_by"]["id"] == told["id"]
    assert f"replaced by {told['id']} (saved just now): The staging database moved" in hark("show", facts["port"]).out


def test_what_was_replaced_is_replaced_once(facts: dict[str, str]) -> None:
    new = remember("--supersedes", facts["port"], "The staging database moved to port 6000")
    for argv in (
        ("supersede", facts["port"], "It is port 7000 now"),
        ("remember", "--supersedes", facts["port"], "x y z"),
    ):
        told = hark(*argv)
        said = f"{facts['port']} was replaced already, by {new}, and only what holds now can be: `hark supersede {new}"
        assert (told.status, told.err[6:]) == (2, f"{said} TEXT`.\n")
    assert len(hark("memories", "--json", "--history").json["memories"]) == 5
    assert hark("supersede", new, "The staging database is on port 7000").status == 0


def test_an_edit_does_not_make_two_memories_say_the_same(facts: dict[str, str]) -> None:
    other = remember("The staging database has a replica")
    told = hark("edit", other, "The staging database runs on port 5433")
    assert (told.status, f"{other} would say just what {facts['port']} says" in told.err) == (2, True)
    assert recalled("replica") == ["The staging database has a replica"]
    assert hark("edit", facts["port"], "The staging database runs on port 5433", "--importance", "4").status == 0


def test_signs_that_turn_text_around_are_not_printed(facts: dict[str, str]) -> None:
    assert facts
    one = remember("The file is called \u202egpj.exe\u2066 and is dangerous\u2069")
    for argv in (
        ("recall", "dangerous file"),
        ("show", one),
        ("memories",),
        ("context",),
        ("search", "dangerous file"),
    ):
        out = hark(*argv).out
        assert "gpj.exe" in out, argv
        assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(out), argv


def test_a_memory_is_edited_finished_and_reopened(facts: dict[str, str]) -> None:
    hark("edit", facts["port"], "The staging database runs on port 5434", "--importance", "4")
    shown = hark("show", facts["port"], "--json").json
    assert (shown["memory"]["text"][-4:], shown["memory"]["importance"]) == ("5434", 4)
    assert [one["text"][-4:] for one in shown["past"]] == ["5433"]
    assert hark("memories", "--due").out.count("TLS") == 1
    assert hark("done", facts["task"]).status == 0
    assert hark("memories", "--due").status == 1
    hark("done", "--undo", facts["task"])
    assert hark("memories", "--due").out.count("TLS") == 1
    assert hark("edit", facts["port"]).err.startswith("hark: Nothing was said that is to be changed")


def test_a_memory_is_forgotten_for_good(facts: dict[str, str]) -> None:
    assert recalled("staging database")
    hark("edit", facts["port"], "The staging database runs on port 5435 of hostalpha")
    refused = hark("forget", facts["port"])
    assert (refused.status, "5435" in refused.err) == (2, True)
    assert hark("forget", facts["port"], "--yes").out == "1 memory forgotten\n"
    assert recalled("staging database") == []
    held = b"".join(path.read_bytes() for path in Path(os.environ["HARK_HOME"]).glob("memory.sqlite*"))
    assert "藍綠".encode() in held
    for word in (b"staging", b"5433", b"5435", b"hostalpha", b"databas"):
        assert word not in held.lower(), word
    assert hark("check").status == 0


def test_memories_and_messages_are_not_forgotten_in_one_go(facts: dict[str, str], own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("pear")
    pen.write(own_home)
    message = hark("search", "--json", "pear").json["hits"][0]["id"]
    both = hark("forget", facts["port"], message, "--yes")
    assert (both.status, "were given together" in both.err) == (2, True)
    assert recalled("staging database")


def test_with_memories_alone_the_commands_answer_about_memories(facts: dict[str, str]) -> None:
    status = hark("status")
    assert (status.status, "memories   4 active" in status.out) == (0, True)
    assert hark("status", "--json").json["memories"] == {"active": 4}
    assert hark("show", facts["port"]).status == 0
    assert hark("forget", facts["port"], "--yes").status == 0
    for argv in (("show", facts["port"]), ("forget", facts["port"], "--yes"), ("show", "kzzzz"), ("done", "kzzzz")):
        told = hark(*argv)
        assert (told.status, told.err[:15]) == (1, "hark: No memory"), argv
    assert hark("show", "12345678").err.startswith("hark: There is no archive")
    assert hark("show", "--raw", facts["task"]).err.startswith("hark: --raw")
    bare = hark().out
    assert "hark remember TEXT" in bare
    assert "hark recall QUESTION" in bare


def test_a_list_that_nothing_fits_does_not_say_that_there_is_nothing(facts: dict[str, str]) -> None:
    hark("done", facts["task"])
    for argv in (("--due",), ("--kind", "lesson")):
        told = hark("memories", *argv)
        assert (told.status, told.out[:15]) == (1, "No memory fits;"), argv
    for one in facts.values():
        hark("forget", one, "--yes")
    assert hark("memories", "--due").out.startswith("No memories.")


@pytest.mark.parametrize("has_sessions", [False, True], ids=["alone", "beside sessions"])
def test_filters_alone_list_memories_newest_first(facts: dict[str, str], own_home: Path, has_sessions: bool) -> None:
    if has_sessions:
        pen = Claude(1, "2026-11-03")
        pen.user("the staging database runs on some port")
        pen.write(own_home)

    def listed(*argv: str) -> list[str]:
        return [one["id"] for one in hark("search", "--json", *argv).json["memories"]]

    newest = [facts["task"], facts["vault"], facts["deploy"], facts["port"]]
    assert listed("in:memory") == newest
    assert listed("in:memory", "-n", "2") == newest[:2]
    assert listed("in:memory", "since:7d") == newest  # what is still to come as well
    assert listed("in:memory", "-staging") == newest[:3]
    assert listed("in:memory", "until:2020-01-01") == []
    assert listed("in:memory", "until:2099-01-01") == newest[1:]
    assert hark("search", "in:memory").out.index("TLS") < hark("search", "in:memory").out.index("5433")
    assert listed("since:7d") == []


def test_search_shows_memories_above_what_was_said(facts: dict[str, str], own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("the staging database runs on some port")
    pen.write(own_home)
    found = hark("search", "--json", "staging database port").json
    assert [one["id"] for one in found["memories"]] == [facts["port"]]
    assert len(found["hits"]) == 1
    out = hark("search", "staging database port").out
    assert out.index("5433") < out.index("some port")
    assert [one["id"] for one in hark("search", "--json", "in:memory", "staging").json["memories"]] == [facts["port"]]
    for query in ("in:talk staging database port", "agent:claude staging database port", "staging port -runs"):
        assert hark("search", "--json", *query.split()).json["memories"] == [], query
    assert hark("search", "--json", '"on port 5433"').json["memories"]
    assert hark("search", "--json", '"port on 5433"').json["memories"] == []
    assert hark("search", "--json", "certificate elephant zebra lion tiger").json["memories"] == []


def git(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    return folder


def test_a_fact_of_one_project_is_no_answer_in_another(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_home.exists()
    alpha, beta = git(tmp_path / "alpha"), git(tmp_path / "beta")
    monkeypatch.chdir(alpha)
    remember("indent with tabs in this code")
    remember("Kim drinks green tea", "--global")
    assert recalled("indent tabs") == ["indent with tabs in this code"]
    monkeypatch.chdir(beta)
    assert recalled("indent tabs") == []
    assert "1 in other projects" in hark("recall", "indent tabs").out
    assert recalled("indent tabs", "--everywhere") == recalled("indent tabs", "--project", "alpha")
    assert recalled("indent tabs", "--everywhere") == ["indent with tabs in this code"]
    assert recalled("green tea") == ["Kim drinks green tea"]
    monkeypatch.chdir(tmp_path)
    assert recalled("indent tabs") == ["indent with tabs in this code"]
    assert "no project is called" in hark("recall", "--project", "gamma", "tabs").err.lower()


def test_a_sealed_project_is_recalled_only_from_inside(
    own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_home.exists()
    inside, outside = git(tmp_path / "sealed-a"), git(tmp_path / "open-b")
    monkeypatch.chdir(inside)
    remember("the client is called Umbrella")
    monkeypatch.chdir(outside)
    assert recalled("client Umbrella", "--everywhere") == ["the client is called Umbrella"]
    hark("exclude", "add", "--sealed", "sealed-*")
    assert recalled("client Umbrella", "--everywhere") == []
    assert hark("memories", "--everywhere").status == 1
    assert hark("search", "--json", "client Umbrella").json["memories"] == []
    monkeypatch.chdir(inside)
    assert recalled("client Umbrella") == ["the client is called Umbrella"]


def test_a_fact_keeps_the_message_it_was_taken_from(own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("pear: we meet tomorrow")
    pen.write(own_home)
    message = hark("search", "--json", "pear").json["hits"][0]["id"]
    saved = hark("remember", "--json", "--from", message, "--kind", "event", "the pear people meet tomorrow").json
    assert saved["event_time"]["since"].startswith("2026-11-04")  # the day after it was said
    source = hark("show", "--json", saved["id"]).json["memory"]["source"]
    assert (source["by"], source["message"]) == ("person", message)
    assert source["session"].startswith("claude-code:")
    assert hark("remember", "--from", "mzzzzzzzz", "pears are ripe now").status == 1


def test_a_fact_of_a_session_counts_its_dates_from_the_end_of_the_session(own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("pear")
    pen.write(own_home)
    session = hark("search", "--json", "pear").json["hits"][0]["session"]
    saved = hark("remember", "--json", "--from", session, "the pear harvest ended yesterday").json
    assert saved["event_time"]["since"].startswith("2026-11-02")


def test_now_is_this_minute(own_home: Path) -> None:
    assert own_home.exists()
    time = hark("remember", "--json", "--date", "now", "the pear harvest has ended").json["event_time"]
    since, until = (datetime.fromisoformat(time[key]) for key in ("since", "until"))
    assert timedelta(seconds=59) <= until - since <= timedelta(seconds=61)


def test_as_of_may_be_to_come(own_home: Path) -> None:
    assert own_home.exists()
    remember("The office is in Ghent")
    for when in ("tomorrow", "明天", "next friday", "in 7 days", "2099-01-01"):
        assert recalled("--as-of", when, "office") == ["The office is in Ghent"], when
    assert recalled("--as-of", "yesterday", "office") == []
    assert recalled("--until", "tomorrow", "office") == ["The office is in Ghent"]
    assert recalled("--since", "tomorrow", "office") == []


@pytest.mark.parametrize(
    ("fact", "ahead"),
    [
        ("The office moved in {month}", "The office will move in {month}"),
        ("The db crashed on {weekday}", "Kim must call Tom on {weekday}"),
        ("我在{number}月換了工作", "我{number}月要換工作"),
        ("{number}月17日に入社しました", "{number}月17日に引っ越します"),
    ],
)
def test_what_has_happened_is_not_due(own_home: Path, fact: str, ahead: str) -> None:
    assert own_home.exists()
    for days in (40, 100, 160, 220, 280, 340):
        day = datetime.now(UTC) + timedelta(days=days)
        told = {"month": f"{day:%B}", "weekday": f"{day:%A}", "number": day.month}
        remember(fact.format(**told))
        assert hark("memories", "--due").status == 1, fact.format(**told)
    remember(ahead.format(**told))
    assert len(hark("memories", "--due", "--json").json["memories"]) == 1


def test_what_happened_is_found_by_its_time(own_home: Path) -> None:
    assert own_home.exists()
    month = f"{datetime.now(UTC) - timedelta(days=70):%B}"
    remember(f"The office moved in {month}")
    remember("The office of the tax adviser is in Ghent", "--date", "2015-03-01")
    assert recalled(f"what happened at the office last {month}")[0] == f"The office moved in {month}"
    assert f"The office moved in {month}" in recalled("when did the office move", "--until", "today")
    remember("星期五資料庫當機了")
    assert hark("memories", "--due").status == 1
    remember("星期天伺服器掛了")
    assert recalled("星期五發生什麼事")[0] == "星期五資料庫當機了"


def lines(text: str, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "harkback", "remember", *argv, "-"],
        input=text, capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip


def test_a_bad_line_is_named_and_the_others_are_saved(own_home: Path) -> None:
    assert own_home.exists()
    told = "The blog is built with Hugo\n服務\n\nThe pump stands behind the shed\n" + "x" * 2001 + "\n"
    done = lines(told)
    assert done.returncode == 2
    assert [line[9:17] for line in done.stdout.splitlines()] == ["  saved "] * 2
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["line 2", "line 5"]
    again = json.loads(lines(told, "--json").stdout)
    assert [one["action"] for one in again["saved"]] == ["reinforced"] * 2
    assert [(one["line"], one["reason"][:6]) for one in again["bad"]] == [(2, "'服務' s"), (5, "A memo")]
    assert json.loads(lines("The well is ten meters deep\n", "--json").stdout)["bad"] == []
    assert lines("The well is deep\n", "--date", "2026-02-30").stderr.startswith("hark: --date")
    assert lines("服務\n").returncode == 2


def test_lines_of_a_list_are_facts_without_its_signs(own_home: Path) -> None:
    assert own_home.exists()
    told = "- The blog is built with Hugo\n * The pump is old\n12. The well is deep\n3) The shed is green\n"
    told += "- [ ] Paint it\n-40 degrees is the lowest here\n2.5 liters are enough\n- \n"
    done = json.loads(lines(told, "--json").stdout)
    assert [one["text"] for one in done["saved"]] == [
        "The blog is built with Hugo",
        "The pump is old",
        "The well is deep",
        "The shed is green",
        "Paint it",
        "-40 degrees is the lowest here",
        "2.5 liters are enough",
    ]


def test_many_lines_take_few_commits_and_are_all_there(own_home: Path) -> None:
    assert own_home.exists()
    text = "".join(f"The sensor {number} of hall {number % 7} measures {number * 3} lux\n" for number in range(450))
    done = lines(text)
    assert (done.returncode, done.stdout.count("  saved ")) == (0, 450)
    assert len(hark("memories", "--json").json["memories"]) == 450
    assert hark("check").status == 0


def test_lines_of_standard_input_are_facts(own_home: Path) -> None:
    assert own_home.exists()
    text = "The blog is built with Hugo\n\nThe blog lives on port 1313\nthe blog is built with Hugo.\n"
    done = subprocess.run(
        [sys.executable, "-m", "harkback", "remember", "--json", "-"],
        input=text, capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip
    assert [one["action"] for one in json.loads(done.stdout)["saved"]] == ["saved", "saved", "reinforced"]
    assert sorted(recalled("blog")) == ["The blog is built with Hugo", "The blog lives on port 1313"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("remember", "x" * 2001), "at most 2,000"),
        (("remember", "服務"), "says too little"),
        (("remember", "--importance", "6", "pears are ripe now"), "from 1 to 5"),
        (("remember", "pears are ripe now", "--priority", "5"), "behind -- it is a word of the text"),
        (("remember", "--kind", "rumour", "pears are ripe now"), "'fact', 'preference'"),
        (("remember", "--date", "2026-02-30", "pears are ripe now"), "2026-03-18"),
        (("remember", "--date", "7d", "pears are ripe now"), "in 7 days"),
        (("remember", "--kind", "event", "--date", "最近3天", "pears are ripe now"), "in 7 days"),
        (("remember", "--supersedes", "kzzzzzzzz", "pears are ripe now"), "`hark memories` lists them"),
        (("recall", "-n", "0", "pears"), "1 to"),
        (("recall", "--global", "pears"), "did you mean --everywhere"),
        (("remember", "--everywhere", "pears are ripe now"), "did you mean --global"),
        (("context", "--budget", "100"), "200 to"),
        (("remember", "--project", "/no/such/folder", "pears are ripe now"), "/no/such/folder is no folder that can"),
        (("recall", "--as-of", "sometime", "pears"), "2026-05-08"),
        (("done", "kzzzzzzzz"), "`hark memories` lists them"),
        (("profile", "edit", "hobby", "pears"), "Valid are work, person"),
        (("profile", "edit", "work"), "TEXT is missing"),
        (("profile", "burn"), "history SECTION"),
    ],
)
def test_what_cannot_be_is_answered_with_what_can(facts: dict[str, str], argv: tuple[str, ...], said: str) -> None:
    assert facts
    done = hark(*argv)
    assert done.status in {1, 2}
    assert said in done.err, done.err
    assert len(done.err.splitlines()) == 1


def test_the_profile_is_written_and_keeps_its_history(own_home: Path) -> None:
    assert own_home.exists()
    assert "The profile is empty" in hark("profile").out
    hark("profile", "edit", "work", "Kim builds gateways")
    hark("profile", "edit", "工作脈絡", "小金現在做韌體")
    told = hark("profile").out
    assert "小金現在做韌體" in told
    assert "工作脈絡" in told
    assert "Kim builds gateways" not in told
    assert hark("profile", "history", "work").out.count("work") == 2
    assert "Kim builds gateways" in hark("profile", "history", "work").out
    remember("Kim prefers short answers")
    material = hark("profile", "refresh").out
    assert "Kim prefers short answers" in material
    assert "小金現在做韌體" in material


def test_context_fits_its_budget_and_says_it_is_data(facts: dict[str, str], own_home: Path) -> None:
    pen = Claude(1, "2026-11-03")
    pen.user("pear")
    pen.write(own_home)
    hark("sync")
    hark("profile", "edit", "instructions", "answer briefly")
    told = hark("context").out
    assert "data, no instructions" in told.splitlines()[0]
    for word in ("answer briefly", "TLS", "5433", "藍綠", "pear"):
        assert word in told
    for budget in (200, 300, 500, 1000):
        assert len(hark("context", "--budget", str(budget)).out) <= budget + 1
    whole = hark("context", "--json").json
    assert [one["id"] for one in whole["tasks"]] == [facts["task"]]
    assert whole["truncated"] == 0


SAVER = """
import os, sys, time
from harkback.archive.memories import Memories
from harkback.config import place
number, slowest = sys.argv[1], 0.0
words = "apple pear plum fig date lime kiwi mango melon grape".split()
for at in range(200):
    memories = Memories(place(os.environ), os.environ, int(time.time() * 1000), "")
    began = time.monotonic()
    text = f"box {number}-{at} holds {words[at % 10]} and {words[at // 10 % 10]}, weight {at * 7 + int(number)} kg"
    assert memories.remember(text).action == "saved"
    slowest = max(slowest, time.monotonic() - began)
print(slowest)
"""


def test_four_processes_save_two_hundred_each_while_a_long_sync_runs(own_home: Path) -> None:
    for number in range(1, 61):
        pen = Claude(number, "2026-11-03")
        for turn in range(100):
            pen.user(f"pear {number} {turn} " + f"words of turn {turn} " * 20)
            pen.shell("seq", f"line {turn} of the output " * 60)
        pen.write(own_home)
    sync = subprocess.Popen([sys.executable, "-m", "harkback", "sync"], stdout=subprocess.DEVNULL)
    savers = [
        subprocess.Popen([sys.executable, "-c", SAVER, str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(1, 5)
    ]
    slowest = [float(saver.communicate(timeout=300)[0]) for saver in savers]
    assert sync.wait(timeout=300) == 0
    assert hark("memories", "--json").json["memories"].__len__() == 800
    assert hark("check").status == 0
    assert max(slowest) <= 0.5 * slack(), slowest


def slack() -> float:
    """More processes than cores wait for each other; on a machine of two cores five times as long may pass."""
    return max(1.0, 10 / (os.cpu_count() or 1))


def test_a_killed_save_leaves_all_or_nothing(own_home: Path) -> None:
    assert own_home.exists()
    remember("The first fact stays where it is")
    for _ in range(5):
        saver = subprocess.Popen([sys.executable, "-c", SAVER, "9"], stdout=subprocess.DEVNULL)
        deadline: Any = None
        while deadline is None and saver.poll() is None:
            found = hark("memories", "--json").json["memories"]
            deadline = len(found) > 3 or None
        saver.kill()
        saver.wait()
        assert hark("check").status == 0
    assert recalled("first fact stays") == ["The first fact stays where it is"]
