"""Every option has an effect: set in the environment or in config.toml it changes what a command does."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from harkback.cli import background, serving
from harkback.config import CHOICE, OPTIONS, option
from harkback.server import running

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.pens import PENS, Claude, Pen, Run, hark
else:
    from pens import PENS, Claude, Pen, Run, hark

LONG = "pear " * 200
NUMBERS = " ".join(str(number) for number in range(10_000, 12_000))
AT_700, AT_600_BEFORE_THE_END = NUMBERS[702:707], NUMBERS[-599:-594]


@pytest.fixture
def home(own_home: Path) -> Path:
    """Give a home of three sessions, the oldest of which is most about damsons."""
    for number in range(1, 4):
        pen = Claude(number, f"2026-11-0{number}")
        pen.user("quince and damson" + " among the other fruits" * 8 * number)
        pen.say(f"medlar {number} {LONG}")
        pen.user(f"quince again {number}")
        pen.say("you are welcome")
        pen.shell("seq", NUMBERS)
        pen.write(own_home)
    return own_home


def hits(run: Run) -> list[str]:
    return re.findall(r"^    session (\d+)", run.out, re.MULTILINE)


def order() -> list[str]:
    return [one[-1] for one in hits(hark("search", "damson"))]


def pending() -> int:
    number = hark("status", "--json").json["coverage"]["pending"]
    assert isinstance(number, int)
    return number


def message() -> str:
    found = hark("search", "--json", "medlar").json["hits"][0]["id"]
    assert isinstance(found, str)
    return found


def session_pages() -> object:
    hark("sync")
    return hark("show", "00000001", "--json").json["pages"]


def pending_after_a_search() -> int:
    assert hark("search", "quince").status == 0
    return pending()


def pending_after_a_sync_in_the_background() -> int:
    assert hark("sync", "--background").status == 0
    return pending()


def sessions_listed() -> int:
    hark("sync")
    return hark("sessions").out.count("\n")


def appended_and_found() -> int:
    """Go on with a session: of that the folder shows nothing."""
    hark("sync")
    (path,) = Path(os.environ["HOME"]).glob(".claude/projects/*/00000001*.jsonl")
    text = path.read_text(encoding="utf-8")
    path.write_text(text + text.splitlines()[0].replace("quince", "loquat").replace("00010000", "00019999") + "\n")
    found = hark("search", "loquat").status
    path.write_text(text, encoding="utf-8")
    return found


def found_in_output(word: str) -> int:
    hark("sync")
    return len(hits(hark("search", "in:output", word)))


class Effect(NamedTuple):
    """What is seen of an option: with its default, and when it is set."""

    value: str
    look: Callable[[], object]
    before: object
    after: object


MEMORIES: tuple[tuple[str, ...], ...] = (
    ("quince jam needs sugar and two hours", "--tag", "kitchen"),
    ("a loquat is boiled for the jam",),
    ("quince harvest, all done by hand", "--kind", "event", "--date", "2025-10-01"),
    ("buy quince for the jam", "--kind", "task", "--importance", "5"),
)


def memories(query: str) -> list[dict[str, Any]]:
    if hark("memories").status:
        for argv in MEMORIES:
            assert hark("remember", *argv).status == 0
    found = hark("recall", "--json", query).json["hits"]
    assert isinstance(found, list)
    return found


def weighed(query: str, text: str, signal: str) -> bool:
    """Whether what was recalled is as similar as the signal that alone counts says."""
    (one,) = [one for one in memories(query) if text in one["text"]]
    return abs(float(one["why"]["similarity"]) - float(one["why"][signal])) < 0.06


def kept(query: str, text: str) -> float:
    (one,) = [one for one in memories(query) if text in one["text"]]
    return round(float(one["why"]["decay"]), 1)


def aged(days: int) -> float:
    """Give what is left of a fact after so many days."""
    memories("jam")
    con = sqlite3.connect(os.path.join(os.environ["HARK_HOME"], "memory.sqlite"))
    con.execute("UPDATE memory SET changed_ms = changed_ms - ?", (days * 86_400_000,))
    con.commit()
    con.close()
    return kept("loquat jam", "loquat")


def characters_of_context() -> bool:
    memories("jam")
    return len(hark("context", "--everywhere").out) > 201


def named_in_the_index() -> int:
    """Count the files that the index of a folder names, of fifteen."""
    folder = Path(os.environ["HOME"]) / "kept"
    if not folder.exists():
        folder.mkdir()
        for number in range(15):
            text = f"# Tree {number}\n\nThis tree bears quinces\n"
            (folder / f"tree{number}.md").write_text(text, encoding="utf-8")
    hark("memories", "folder", "add", str(folder))
    return (folder / "MEMORY.md").read_text(encoding="utf-8").count("](./tree")


EFFECTS = {
    "folder.lines": Effect("10", named_in_the_index, 15, 8),
    "folder.bytes": Effect("100", named_in_the_index, 15, 1),
    "recall.limit": Effect("1", lambda: len(memories("quince jam")), 4, 1),
    "recall.weight_words": Effect("100", lambda: weighed("loquat jam", "quince jam", "words"), False, after=True),
    "recall.weight_substring": Effect(
        "100", lambda: weighed("loquat jam", "quince jam", "substring"), False, after=True
    ),
    "recall.weight_name": Effect("100", lambda: weighed("kitchen loquat", "quince jam", "name"), False, after=True),
    "recall.weight_date": Effect(
        "100", lambda: weighed("loquat in October 2025", "harvest", "date"), False, after=True
    ),
    "recall.decay": Effect("1", lambda: kept("quince harvest", "harvest"), 0.3, 1.0),
    "recall.slow_decay": Effect("0.99", lambda: aged(10), 1.0, 0.9),
    "recall.decay_floor": Effect("0", lambda: kept("quince harvest", "harvest"), 0.3, 0.0),
    "recall.task_boost": Effect("0", lambda: memories("quince jam")[0]["why"]["boost"], 0.1, 0.0),
    "context.budget": Effect("200", characters_of_context, True, after=False),
    "color": Effect("always", lambda: "\x1b[" in hark("search", "quince").out, before=False, after=True),
    "search.limit": Effect("2", lambda: len(hits(hark("search", "quince"))), 6, 2),
    "search.context": Effect("1", lambda: "    assistant: medlar" in hark("search", "quince").out, False, after=True),
    "search.budget": Effect("300", lambda: "not shown" in hark("search", "quince").out, False, after=True),
    "search.sort": Effect("newest", order, ["1", "2", "3"], ["3", "2", "1"]),
    "search.by": Effect("session", lambda: len(hits(hark("search", "quince"))), 6, 3),
    "search.catch_up_s": Effect("0", pending_after_a_search, 0, 2),
    "search.hot_transcripts": Effect("0", appended_and_found, 0, 1),
    "show.context": Effect("0", lambda: "    user: " in hark("show", message()).out, True, after=False),
    "show.page_chars": Effect("500", lambda: "(page 1 of " in hark("show", message()).out, False, after=True),
    "show.page_messages": Effect("1", session_pages, 1, 4),
    "sessions.limit": Effect("1", sessions_listed, 3, 1),
    "sync.background_limit_s": Effect("0", pending_after_a_sync_in_the_background, 0, 2),
    "store.output_head": Effect("1000", lambda: found_in_output(AT_700), 0, 3),
    "store.output_tail": Effect("1000", lambda: found_in_output(AT_600_BEFORE_THE_END), 0, 3),
}
ELSEWHERE = {
    **dict.fromkeys(
        ("recall.weight_meaning", "meaning.embedder", "meaning.endpoint", "meaning.model", "meaning.sync_s"),
        "test_the_options_of_meaning_are_seen_to_work",
    ),
    **dict.fromkeys(("server.url", "server.token_file"), "test_a_server_and_the_file_of_its_token_are_seen_to_work"),
    **dict.fromkeys(
        ("server.port", "server.public_url", "server.proxy"), "test_the_options_of_the_server_are_seen_to_work"
    ),
    **dict.fromkeys(("hook.chars", "hook.context"), "test_the_options_of_the_hook_are_seen_to_work"),
    **dict.fromkeys(
        tuple(one.name for one in OPTIONS if one.name.startswith("chat.")),
        "test_the_options_of_the_chat_are_seen_to_work",
    ),
    "home": "test_the_archive_lies_where_hark_home_says",
    "sync.background": "test_a_search_starts_a_sync_unless_it_is_set_off",
}
"""Options that cannot be seen like that, with their tests."""


def test_every_option_is_seen_to_work() -> None:
    assert {*EFFECTS, *ELSEWHERE} == {one.name for one in OPTIONS}
    assert set(ELSEWHERE.values()) <= set(globals())


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("is_file", [False, True], ids=["environment", "config.toml"])
def test_a_server_and_the_file_of_its_token_are_seen_to_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_file: bool
) -> None:
    token = tmp_path / "token"
    token.write_text("a-token")
    token.chmod(0o600)
    assert hark("memories").err == ""
    for file, said in ((tmp_path / "none", f"into {tmp_path / 'none'}"), (token, "127.0.0.1:1 cannot be reached")):
        given = {"server.url": "http://127.0.0.1:1", "server.token_file": str(file)}
        if is_file:
            lines = [f"{name} = '{value}'\n" for name, value in given.items()]
            Path(os.environ["HARK_HOME"]).mkdir(exist_ok=True)
            (Path(os.environ["HARK_HOME"]) / "config.toml").write_text("".join(lines), encoding="utf-8")
        else:
            for name, value in given.items():
                monkeypatch.setenv(option(name).env, value)
        assert said in hark("memories").err


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("is_file", [False, True], ids=["environment", "config.toml"])
def test_the_options_of_meaning_are_seen_to_work(monkeypatch: pytest.MonkeyPatch, *, is_file: bool) -> None:
    """A server that is not there is named when it is asked, and asked only when it was named."""
    given = {
        "meaning.embedder": "endpoint",
        "meaning.endpoint": "http://127.0.0.1:1/v1",
        "meaning.model": "a-model",
        "meaning.sync_s": "5",
        "recall.weight_meaning": "0",
    }
    assert "127.0.0.1" not in hark("sync").err
    monkeypatch.delenv("HARK_MEANING_EMBEDDER")
    if is_file:
        lines = [f'{name} = "{value}"' if name < "meaning.s" else f"{name} = {value}" for name, value in given.items()]
        (Path(os.environ["HARK_HOME"]) / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        for name, value in given.items():
            monkeypatch.setenv(option(name).env, value)
    assert "http://127.0.0.1:1/v1 failed" in hark("sync").err
    assert "a-model@http://127.0.0.1:1/v1" in hark("status").out
    told = {one["name"]: one["value"] for one in hark("config", "--json").json["options"]}
    assert (told["recall.weight_meaning"], told["meaning.sync_s"]) == (0, 5)
    monkeypatch.setenv("HARK_MEANING_SYNC_S", "0")
    assert "127.0.0.1" not in hark("sync").err
    monkeypatch.setenv("HARK_MEANING_EMBEDDER", "off")
    assert "words only" in hark("status").out


@pytest.mark.parametrize("is_file", [False, True], ids=["environment", "config.toml"])
def test_the_options_of_the_server_are_seen_to_work(monkeypatch: pytest.MonkeyPatch, *, is_file: bool) -> None:
    started: list[running.Settings] = []

    def start(_app: object, settings: running.Settings, _now: object, _tell: object) -> None:
        started.append(settings)

    monkeypatch.setattr(running, "serve", start)
    monkeypatch.setattr(serving, "_app", lambda _: None)
    given = {"server.port": 8766, "server.public_url": "https://m.example.org", "server.proxy": "10.0.0.0/8"}
    assert hark("serve").status == 0
    assert hark("token", "new", "one", "--json").json["url"] == ""
    for name, value in given.items():
        if is_file:
            assert hark("config", name, str(value)).status == 0
        else:
            monkeypatch.setenv(option(name).env, str(value))
    assert hark("serve").status == 0
    assert hark("serve", "--port", "8767", "--public-url", "https://n.example.org").status == 0
    assert [(one.port, one.public_url, one.proxy) for one in started] == [
        (8765, "", "127.0.0.1 ::1"),
        (8766, "https://m.example.org", "10.0.0.0/8"),
        (8767, "https://n.example.org", "10.0.0.0/8"),
    ]
    assert hark("token", "new", "two", "--json").json["url"].startswith("https://m.example.org/mcp/")


def set_in_the_file(name: str, value: str) -> None:
    folder = Path(os.environ["HARK_HOME"])
    folder.mkdir(parents=True, exist_ok=True)
    quoted = f'"{value}"' if option(name).kind == CHOICE else value
    (folder / "config.toml").write_text(f"{name} = {quoted}\n", encoding="utf-8")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("is_file", [False, True], ids=["environment", "config.toml"])
@pytest.mark.parametrize("name", EFFECTS)
def test_an_option_changes_what_is_seen(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_file: bool
) -> None:
    one = EFFECTS[name]
    assert one.look() == one.before
    monkeypatch.setenv("HARK_HOME", str(tmp_path / "another"))
    if is_file:
        set_in_the_file(name, one.value)
    else:
        monkeypatch.setenv(option(name).env, one.value)
    assert one.look() == one.after


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("name", "value", "flagged", "seen"),
    [
        ("search.limit", "1", ("-n", "4"), lambda run: len(hits(run)) == 4),
        ("search.context", "1", ("-C", "0"), lambda run: "    assistant: medlar" not in run.out),
        ("search.budget", "300", ("--budget", "0"), lambda run: "not shown" not in run.out),
        ("search.by", "session", ("--by", "message"), lambda run: len(hits(run)) == 6),
        ("search.sort", "newest", ("--sort", "relevance"), lambda run: hits(run)[1] == "00000002"),
    ],
)
def test_a_flag_counts_more(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, flagged: tuple[str, str], seen: Callable[[Run], bool]
) -> None:
    monkeypatch.setenv(option(name).env, value)
    assert not seen(hark("search", "quince"))
    assert seen(hark("search", *flagged, "quince"))


@pytest.mark.usefixtures("home")
def test_the_flags_of_the_other_commands_count_more_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARK_SHOW_CONTEXT", "0")
    assert "    user: " in hark("show", "-C", "1", message()).out
    monkeypatch.setenv("HARK_SESSIONS_LIMIT", "1")
    assert hark("sessions", "-n", "2").out.count("\n") == 2


@pytest.mark.usefixtures("home")
def test_the_archive_lies_where_hark_home_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HARK_HOME", str(tmp_path / "elsewhere 別處"))
    assert hark("search", "quince").status == 0
    assert (tmp_path / "elsewhere 別處" / "archive.sqlite").exists()


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("is_file", [False, True], ids=["environment", "config.toml"])
def test_a_search_starts_a_sync_unless_it_is_set_off(monkeypatch: pytest.MonkeyPatch, *, is_file: bool) -> None:
    started: list[str] = []

    def start(_: Any, data: str) -> None:
        started.append(data)

    monkeypatch.setattr(background, "start_sync", start)
    monkeypatch.delenv("HARK_BACKGROUND")
    monkeypatch.setenv("HARK_SEARCH_CATCH_UP_S", "0")
    assert hark("search", "quince").status == 0
    assert started == [os.environ["HARK_HOME"]]
    if is_file:
        set_in_the_file("sync.background", "false")
    else:
        monkeypatch.setenv("HARK_BACKGROUND", "off")
    assert hark("search", "quince").status == 0
    assert len(started) == 1


@pytest.mark.parametrize("pen_type", PENS)
def test_a_new_bound_counts_for_what_is_read_from_now_on_or_read_again(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, pen_type: type[Pen]
) -> None:
    pen = pen_type(1, "2026-11-03")
    pen.user("count")
    pen.shell("seq", NUMBERS)
    pen.write(own_home)
    hark("sync")
    monkeypatch.setenv("HARK_STORE_OUTPUT_HEAD", "1000")
    assert hark("search", "in:output", AT_700).status == 1
    hark("sync", "--full")
    assert hark("search", "in:output", AT_700).status == 0


@pytest.mark.usefixtures("home")
def test_no_color_stops_automatic_colours_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in hark("search", "quince").out
    monkeypatch.setenv("HARK_COLOR", "always")
    assert "\x1b[" in hark("search", "quince").out
    monkeypatch.setenv("HARK_COLOR", "never")
    assert "\x1b[" not in hark("search", "quince").out


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("command", [("search", "quince"), ("sync",), ("sessions",), ("status",), ("demo",), ()])
def test_with_a_file_that_is_no_toml_every_command_works_and_says_so_in_one_line(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    hark("sync")
    (Path(os.environ["HARK_HOME"]) / "config.toml").write_text("[search]\nlimit 5\n", encoding="utf-8")
    found = hark(*command)
    assert found.status == 0
    assert found.err.count("hark: ") == 1
    assert "config.toml is not understood in line 2: " in found.err


@pytest.mark.usefixtures("home")
def test_several_wrong_values_are_one_line_and_the_rest_counts() -> None:
    folder = Path(os.environ["HARK_HOME"])
    folder.mkdir()
    (folder / "config.toml").write_text("[search]\nlimit = 2\nsort = 'up'\nlimt = 5\n", encoding="utf-8")
    found = hark("search", "quince")
    assert len(hits(found)) == 2
    (note, _) = found.err.splitlines()
    assert note == (
        f"hark: {folder / 'config.toml'}: search.sort: 'up' is not understood. It takes relevance or newest."
        " And 1 more: hark config"
    )


def test_the_options_of_the_hook_are_seen_to_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(**sent: str) -> str:
        given = json.dumps({"session_id": "s", "cwd": "/w", **sent}).encode()
        argv = [sys.executable, "-m", "harkback", "hook"]
        return subprocess.run(argv, input=given, capture_output=True, check=True).stdout.decode()

    for number in range(6):
        hark(
            "remember", "--global", f"the quince tree {number} in the garden was planted beside the wall in the spring"
        )
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "what did we decide about the quince tree garden?"}
    assert said(**start) == ""
    whole = said(**prompt)
    assert "planted beside the wall" in whole
    monkeypatch.setenv("HARK_HOOK_CONTEXT", "on")
    assert "quince" in said(**start)
    monkeypatch.setenv("HARK_HOOK_CHARS", "500")
    assert 0 < len(said(**prompt)) < len(whole)


def test_the_options_of_the_chat_are_seen_to_work() -> None:
    """They are seen in `test_chat`, where a model answers: each stands there in a test by its variable."""
    page = "".join(one.read_text(encoding="utf-8") for one in Path(__file__).parent.glob("test_chat*.py"))
    missing = [one.env for one in OPTIONS if one.name.startswith("chat.") and f'"{one.env}"' not in page]
    assert missing == []
