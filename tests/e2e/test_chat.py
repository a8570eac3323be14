"""`hark chat`, as somebody pipes lines into it, against a server that speaks Chat Completions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from harkback import errors
from harkback.archive.memories import Memories
from harkback.chat.commands import run as run_command
from harkback.config import Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.chat_dialects import said
    from tests.e2e.chat_server import SOURCE, ChatServer, Reply, chat, served
    from tests.e2e.pens import hark
else:
    from chat_dialects import said
    from chat_server import SOURCE, ChatServer, Reply, chat, served
    from pens import hark


@pytest.fixture
def server(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    assert own_home.exists()
    with served(tmp_path, monkeypatch, EXTRACT_EVERY="0") as one:
        yield one


def test_an_answer_is_streamed_and_the_conversation_goes_on(server: ChatServer) -> None:
    server.replies = [Reply("Hello there. 你好。"), Reply("Again.")]
    talk = chat("hi", "and now?")
    assert talk == (0, "Hello there. 你好。\nAgain.\n", "")
    assert server.requests[0]["stream"] is True
    assert server.requests[0]["model"] == "small"
    assert server.requests[0]["path"] == "/v1/chat/completions"
    assert said(server.requests[1], "user") == "hi\nand now?"
    assert said(server.requests[1], "assistant") == "Hello there. 你好。"


def test_what_is_remembered_stands_in_the_system_message_and_never_in_the_persons_words(server: ChatServer) -> None:
    assert hark("remember", "The staging database runs on port 5433").status == 0
    assert chat("which port does the staging database use?").status == 0
    system = server.systems()[0]
    frame = system[system.index("<harkback") : system.index("</harkback>")]
    assert "(just now) The staging database runs on port 5433" in frame
    assert "Do not mention that you\nremember" in system.partition("<harkback")[0]
    assert said(server.requests[0], "user") == "which port does the staging database use?"
    chat("what is an elephant?")
    assert "<harkback" not in server.systems()[1]


def test_a_meeting_told_in_plain_words_is_known_in_another_process(server: ChatServer) -> None:
    told = chat("記住週四下午三點要跟設計組開會")
    assert told.status == 0
    assert told.out.startswith("Remembered (k")
    assert server.requests == []  # it was saved at once, and no model was asked
    assert chat("這週四我有什麼會議?").status == 0
    today = datetime.now(UTC)
    thursday = today + timedelta(days=(3 - today.weekday()) % 7)
    assert "跟設計組開會" in server.systems()[0]
    assert "Thursday" in server.systems()[0].partition("<harkback")[2]
    assert thursday.tzinfo is not None
    assert "設計組" not in said(server.requests[0], "user")


def test_asked_why_it_shows_the_memories_and_how_they_scored(server: ChatServer) -> None:
    assert hark("remember", "The staging database runs on port 5433").status == 0
    for why in ("/why", "why do you know that?", "為什麼你知道?", "どうして知っているの"):
        talk = chat("which port does the staging database use?", why)
        assert "score" in talk.out, why
        assert "port 5433" in talk.out, why
    assert "No memory was used" in chat("/why").out
    assert len(server.requests) == 4


def test_without_a_model_two_lines_say_how_to_set_one_up(server: ChatServer) -> None:
    assert chat("hi").status == 0
    talk = chat("hi", env={"HARK_CHAT_MODEL": ""})
    assert talk.status == 2
    assert talk.out == ""
    assert "ollama" in talk.err.splitlines()[0]
    assert "OPENAI_API_KEY" in talk.err.splitlines()[1]
    assert chat(env={"HARK_CHAT_MODEL": ""}).status == 2
    assert len(server.requests) == 1


def test_without_a_model_the_memory_is_there_all_the_same(server: ChatServer) -> None:
    none = {"HARK_CHAT_MODEL": ""}
    talk = chat("/remember The blog is built with Hugo", "remember that the cat is called Tama", "/dump", env=none)
    assert talk.status == 0
    assert talk.out.count("Hugo") == 2
    assert talk.out.count("Tama") == 2
    assert "Hugo" in chat("/recall what is the blog built with", env=none).out
    assert server.requests == []


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply(status=429), "too much at once"),
        (Reply(status=529), "too much at once"),
        (Reply("Half of", breaks="drop"), "broke off"),
        (Reply("Half of", breaks="half"), "did not answer"),
        (Reply("Half of", breaks="stall"), "nothing for 2 s"),
    ],
)
def test_a_provider_that_fails_loses_nothing_and_the_prompt_comes_back(
    server: ChatServer, reply: Reply, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARK_CHAT_TIMEOUT_S", "2")
    failing = [reply] if reply.status == 200 else [reply, reply]  # what is busy is asked once more
    server.replies = [*failing, Reply("Now it works.")]
    talk = chat("the first question", "the second")
    assert talk.status == 0
    assert why in talk.err
    assert talk.out.endswith("Now it works.\n")
    assert "the first question" in said(server.requests[-1], "user")
    if reply.status == 200:
        assert said(server.requests[-1], "assistant") == "Half of"


def test_a_key_of_a_provider_is_not_sent_to_another_server(server: ChatServer) -> None:
    keys = {"OPENAI_API_KEY": "sk-the-providers", "OPENAI_ORG_ID": "org-1"}
    assert chat("hi", env=keys).status == 0
    assert "sk-the-providers" not in server.requests[0]["key"]
    assert chat("hi", env={**keys, "HARK_CHAT_KEY": "its-own"}).status == 0
    assert server.requests[1]["key"] == "Bearer its-own"


def test_a_conversation_that_is_forgotten_is_gone_and_its_summary_with_it(server: ChatServer, own_home: Path) -> None:
    env = {"HARK_CHAT_EXTRACT_EVERY": "6"}
    empty = json.dumps({"memories": [], "summary": "The tortoise ledger was looked for."})
    server.replies = [Reply("In the attic."), Reply(empty), Reply("Well."), Reply(empty.replace("tortoise", "zebra"))]
    chat("where is the tortoise ledger", env=env)
    chat("something else", env=env)
    folder = own_home.parent / "archive" / "chat"
    assert "tortoise ledger was" in server.systems()[2]
    hits = hark("search", "tortoise ledger", "--json").json["hits"]
    session = {one["session"] for one in hits}.pop()
    assert len(list(folder.glob("*.jsonl"))) == 2
    assert hark("forget", "--session", session, "--yes").status == 0
    assert len(list(folder.glob("*.jsonl"))) == 1
    assert hark("search", "tortoise").status == 1
    chat("and now?", env=env)
    told = "".join(server.systems()[4:])
    assert "zebra" in told
    assert "tortoise" not in told
    assert "tortoise" not in chat("/sessions").out


def test_no_secret_is_written_or_shown_of_what_was_said(server: ChatServer, own_home: Path) -> None:
    secret = "ghp_" + "k3Jd8fQ2LmZx7Vb1Nc5Ty9Rw4Hs6Ga0Ep2Ui"
    fact = {"text": f"The token is {secret}", "kind": "fact", "turn": 1, "quote": f"token is {secret}"}
    server.replies = [
        Reply(f"So {secret} it is.", calls=(("save_memory", {"text": f"The deploy token is {secret}"}),)),
        Reply("Noted.", calls=(("search_sessions", {"queries": [secret]}), ("nonsense", {"x": [{"y": secret}]}))),
        Reply("Done."),
        Reply(status=400, error=f"your key {secret} is wrong"),
        Reply(json.dumps({"memories": [fact], "summary": f"About {secret}."})),
    ]
    talk = chat(
        f"my deploy token is {secret}",
        f"remember that the token is {secret}",
        "go on",
        env={"HARK_CHAT_EXTRACT_EVERY": "6"},
    )
    assert "· save_memory" in talk.err
    assert secret not in talk.err
    assert talk.out.count(secret) == 1  # the answer itself, as it came
    found = [path for path in (own_home.parent / "archive").rglob("*") if path.is_file()]
    assert any(path.suffix == ".jsonl" and "[masked " in path.read_text() for path in found)
    assert [path.name for path in found if secret.encode() in path.read_bytes()] == []
    for argv in (["search", "token"], ["memories", "--everywhere"], ["recall", "token"]):
        told = hark(*argv)
        assert "[masked " in told.out, argv
        assert secret not in told.out + told.err, argv


def test_a_key_may_lie_in_the_systems_keyring(server: ChatServer, tmp_path: Path) -> None:
    held = {"HARK_CHAT_KEY": "from-the-keyring", "ANTHROPIC_API_KEY": "of-the-provider"}
    keyring = f"def get_password(service, name):\n    return {held}.get(name) if service == 'harkback' else None\n"
    package = tmp_path / "elsewhere" / "keyring.py"
    package.parent.mkdir()
    package.write_text(keyring)
    env = {"PYTHONPATH": f"{SOURCE}:{package.parent}"}
    assert chat("hi", env=env).status == 0
    chat("hi", env={**env, "HARK_CHAT_KEY": "from-the-environment"})
    chat("hi")
    keys = [one["key"] for one in server.requests]
    assert keys == ["Bearer from-the-keyring", "Bearer from-the-environment", "Bearer none"]
    none = {"HARK_CHAT_BASE_URL": "", "HARK_CHAT_MODEL": "anthropic:big"}
    told = chat("hi", env={**none, "ANTHROPIC_API_KEY": ""})
    assert told.status == 2
    assert "keyring set harkback ANTHROPIC_API_KEY" in told.err
    package.write_text("def get_password(service, name):\n    raise RuntimeError('locked')\n")
    assert chat("hi", env=env).status == 0
    assert server.requests[-1]["key"] == "Bearer none"


def test_a_model_that_is_none_is_refused_with_what_to_write(server: ChatServer) -> None:
    assert chat("/model openai:other", "hi").status == 0
    assert server.requests[0]["model"] == "other"
    assert chat("hi", argv=("--model", "openai:third")).status == 0
    assert server.requests[1]["model"] == "third"
    for name in ("gpt", "openai:", "nobody:model"):
        talk = chat("hi", argv=("--model", name))
        assert talk.status == 2
        assert "ollama:NAME" in talk.err
    talk = chat("hi", argv=("--model", "openai:big"), env={"HARK_CHAT_BASE_URL": ""})
    assert "OPENAI_API_KEY" in talk.err


def test_a_line_that_ends_with_a_backslash_goes_on(server: ChatServer) -> None:
    assert chat("one\\", "two").status == 0
    assert said(server.requests[0], "user") == "one\ntwo"


def test_commands_do_what_they_say(server: ChatServer, tmp_path: Path) -> None:
    assert hark("remember", "--kind", "task", "renew the TLS certificate").status == 0
    saved = hark("remember", "The blog is built with Hugo").out.split()[0]
    listed = chat("/mem list --kind task").out
    assert "TLS" in listed
    assert "Hugo" not in listed
    assert "Forgotten" in chat(f"/forget {saved}").out
    assert "Hugo" not in chat("/dump").out
    file = tmp_path / "all.jsonl"
    assert "1 memories written" in chat(f"/export {file}").out
    assert "1 known already" in chat(f"/import {file}").out
    assert "/remember TEXT" in chat("/help").out
    assert chat("/nothing").status == 2
    assert chat("/exit", "hi").out == ""
    assert server.requests == []


def test_what_was_told_in_plain_words_is_offered_once_in_another_process(server: ChatServer) -> None:
    server.otherwise = lambda _: Reply("議程。")
    assert chat("記住週四下午三點有會議").out.startswith("Remembered (k")
    asked = "週四下午的會議要準備什麼\uff1f"
    assert "需要準備嗎" not in chat(asked, env={"HARK_CHAT_PROACTIVE": "off"}).out
    talk = chat(asked, asked)
    assert talk.out.count("\uff1a週四下午三點有會議。需要準備嗎") == 1
    assert talk.out.startswith("議程。\n20")
    assert "需要準備嗎" not in chat("大象是什麼").out


def test_a_fact_with_a_date_has_its_kind(server: ChatServer) -> None:
    told = chat(
        "記住週四下午三點有會議", "remember that I must renew the passport by Friday", "remember the port is 5433"
    )
    assert told.out.count("Remembered (k") == 3
    for option, is_in in (("--kind event", "會議"), ("--kind=task", "passport"), ("--kind fact", "5433")):
        listed = chat(f"/mem list {option}").out
        assert [word for word in ("會議", "passport", "5433") if word in listed] == [is_in]
    assert "Shall we prepare" in chat("where do I renew the passport?").out
    assert len(server.requests) == 1


def test_what_says_too_little_or_too_much_is_said_to_the_model(server: ChatServer) -> None:
    long = f"remember: {'pear ' * 500}pear"
    said_so = [
        "これ覚えて",
        "記住這個",
        "remember: x",
        long,
        "記住我喜歡什麼\uff1f",
        "覚えて\u3001って言ったよね\uff1f",
    ]
    talk = chat(*said_so)
    assert (talk.status, talk.err) == (0, "")
    assert talk.out == "OK.\n" * len(said_so)
    assert said(server.requests[-1], "user") == "\n".join(said_so)
    assert "Nothing is remembered" in chat("/dump").out
    assert chat("記住\uff1a我的生日是5月3日").out.endswith(": 我的生日是5月3日\n")


def test_a_question_that_only_begins_like_why_is_answered(server: ChatServer) -> None:
    assert hark("remember", "docker runs on the staging machine").status == 0
    for asked in ("怎麼知道 docker 有沒有在跑\uff1f", "なぜ知っている人が少ないのか、docker の話"):
        assert chat("where does docker run?", asked).out == "OK.\nOK.\n"
    assert "score" in chat("where does docker run?", "How do you know my machine?").out
    assert len(server.requests) == 5


def test_what_is_saved_before_anything_was_said_names_no_session(server: ChatServer) -> None:
    assert chat("/remember The blog is built with Hugo").status == 0
    assert chat("remember that the cat is called Tama").status == 0
    one, other = sorted(hark("memories", "--json").json["memories"], key=lambda memory: str(memory["text"]))
    assert not one["source"]["session"]
    assert other["source"]["session"].startswith("hark-chat:")
    assert server.requests == []


def test_hints_in_a_chat_are_of_the_chat(server: ChatServer, tmp_path: Path) -> None:
    assert "`/remember TEXT`" in chat(f"/export {tmp_path / 'none'}").err
    assert "Remembered" in chat("/remember The blog is built with Hugo").out
    file = tmp_path / "a b.jsonl"
    assert "1 memories written" in chat(f'/export "{file}"').out
    told = [
        chat(one) for one in ("/forget", "/forget k1234567", f"/export {file}", "/resume 0000", "/mem", "/mem list x")
    ]
    assert [one.status for one in told] == [2] * len(told)
    text = "".join(one.err for one in told)
    for hint in (
        "/forget takes ID.",
        "`/mem list --everywhere`",
        "Name another file.",
        "/sessions lists",
        "takes list,",
    ):
        assert hint in text
    assert not any(wrong in text for wrong in ("--help", "--yes", "`hark "))
    assert "1 known already" in chat(f"/import '{file}'").out
    assert server.requests == []


def test_import_takes_a_file_of_memories_and_nothing_that_lies_around(server: ChatServer, tmp_path: Path) -> None:
    saved = hark("remember", "The blog is built with Hugo").out.split()[0]
    file, odd, page = tmp_path / "all.jsonl", tmp_path / "odd", tmp_path / "page.md"
    assert chat(f"/export {file}").status == 0
    odd.write_text("no memory\n" * 12)
    page.write_text("- The cat is called Tama\n")
    told = chat(f"/import {odd}").out
    assert told.count("    line ") == 5
    assert "7 more lines" in told
    for one in (tmp_path, page):
        assert "`hark memories import` takes folders" in chat(f"/import {one}").err
    assert "Tama" not in chat("/dump").out
    assert hark("edit", saved, "The blog is built with Zola").status == 0
    lines = [json.loads(one) for one in file.read_text().splitlines()]
    changed = [{**one, "changed_ms": one["changed_ms"] + 3_600_000} for one in lines]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in changed))
    talk = chat(f"/import {file}")
    assert "hark memories import" in talk.err
    assert "Zola" in chat("/dump").out
    assert server.requests == []


def test_what_is_pasted_is_no_command(server: ChatServer) -> None:
    pasted = ["/usr/bin/python 是什麼\uff1f", "/help\\", "is what I typed"]
    talk = chat(*pasted)
    assert talk.out == "OK.\nOK.\n"
    assert said(server.requests[-1], "user") == "/usr/bin/python 是什麼\uff1f\n/help\nis what I typed"
    assert "Remembered" in chat("/remember The blog:\\", "it is built with Hugo").out
    assert "There is no command /nothing." in chat("/nothing else").err
    assert len(server.requests) == 2


def test_a_conversation_is_found_by_search_and_gone_on_with(server: ChatServer) -> None:
    server.replies = [Reply("Quinces, of course.")]
    assert chat("which fruit for the jam?").status == 0
    (hit,) = hark("search", "--json", "quinces").json["hits"]
    assert hit["agent"] == "hark-chat"
    session = hark("sessions", "--json").json["sessions"][0]["id"]
    assert "chat --resume" in hark("resume", session).out
    assert "which fruit for the jam?" in chat("/sessions").out
    assert chat("and how many?", argv=("--resume", session)).status == 0
    assert said(server.requests[1], "assistant") == "Quinces, of course."
    assert hark("sync").status == 0
    assert hark("show", session).out.count("and how many?") == 1
    talk = chat(f"/resume {session.partition(':')[2][:8]}", "and sugar?")
    assert talk.out.startswith("Going on with: which fruit")
    assert "and how many?" in said(server.requests[2], "user")
    assert chat("/resume 00000000").status == 2
    assert chat(argv=("--resume", "nobody")).status == 1


def test_a_long_conversation_is_shown_without_its_oldest_rounds(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"number {one} {'pear ' * 40}" for one in range(6)]
    assert chat(*lines).status == 0
    assert "number 0" in said(server.requests[-1], "user")
    monkeypatch.setenv("HARK_CHAT_WINDOW_TOKENS", "200")
    assert chat(*lines).status == 0
    shown = said(server.requests[-1], "user")
    assert "number 5" in shown
    assert "number 1" not in shown
    monkeypatch.delenv("HARK_CHAT_WINDOW_TOKENS")
    talk = chat("one", "two", "three", "/compact", "four")
    assert "2 messages are no longer shown" in talk.out
    assert said(server.requests[-1], "user") == "two\nthree\nfour"


def test_compact_makes_a_file_short_in_its_own_form(own_home: Path, tmp_path: Path) -> None:
    assert own_home.exists()
    messages = [{"role": "system", "content": "be kind"}]
    messages += [{"role": "user", "content": f"number {one} {'pear ' * 40}"} for one in range(10)]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    assert json.loads(hark("compact", str(file)).out) == messages
    assert json.loads(hark("compact", str(file), "--limit", "500").out) == [messages[0], *messages[3:]]
    file.write_text("".join(f"{json.dumps(one)}\n" for one in messages), encoding="utf-8")
    short = hark("compact", str(file), "--limit", "100")
    assert [json.loads(line) for line in short.out.splitlines()] == [messages[0], messages[-1]]
    assert "9 cut" in short.err
    for text in ("no json", "[1]", '{"content": "nobody"}'):
        file.write_text(text, encoding="utf-8")
        assert hark("compact", str(file)).status == 2


def test_the_archive_is_deleted_with_its_conversations(server: ChatServer, own_home: Path) -> None:
    assert chat("hi").status == 0
    assert list((own_home.parent / "archive" / "chat").iterdir())
    assert hark("uninstall", "--delete-archive", "--yes", "--yes").status == 0
    assert not (own_home.parent / "archive").exists()
    assert len(server.requests) == 1


def test_what_cannot_be_written_down_is_answered_and_that_is_said_once(server: ChatServer, own_home: Path) -> None:
    folder = own_home.parent / "archive" / "chat"
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("no folder", encoding="utf-8")
    server.replies = [Reply("One."), Reply("Two.")]
    talk = chat("the first", "the second", env={"HARK_CHAT_EXTRACT_EVERY": "6"})
    assert talk[:2] == (0, "One.\nTwo.\n")
    assert talk.err.count("cannot be written") == 1
    assert "They were not written down either" in talk.err
    assert said(server.requests[1], "user") == "the first\nthe second"
    folder.unlink()
    talk = chat("the third", env={"HARK_CHAT_EXTRACT_EVERY": "6"})
    assert "A later hark chat tries again." in talk.err
    assert len(list(folder.glob("*.jsonl"))) == 1


def test_one_odd_file_among_the_transcripts_stops_nothing(server: ChatServer, own_home: Path) -> None:
    assert chat("where is the tortoise ledger").status == 0
    folder = own_home.parent / "archive" / "chat"
    (folder / "x.jsonl").mkdir()
    (folder / "y.jsonl").write_bytes(b"")
    ahead = {"type": "message", "role": "user", "text": "from far ahead", "timestamp": "9999-01-01T00:00:00.000Z"}
    summary = {"type": "extracted", "turns": 1, "summary": "A zebra was seen."}
    (folder / "z.jsonl").write_text(f"{json.dumps(ahead)}\n{json.dumps(summary)}\n", encoding="utf-8")
    with suppress(OSError):  # as on Windows, without a right for it
        (folder / "w.jsonl").symlink_to(folder / "nowhere")
    talk = chat("and now?", "/sessions")
    assert talk.status == 0
    assert talk.out.startswith("OK.\n")
    assert [line.split("  ", 1)[1] for line in talk.out.splitlines()[1:]] == [
        "just now  and now?",
        "just now  from far ahead",
        "just now  where is the tortoise ledger",
    ]
    assert talk.err == ""
    assert "zebra" not in "".join(server.systems())


def test_of_many_conversations_it_is_said_how_many_are_not_listed(server: ChatServer, own_home: Path) -> None:
    assert chat("the newest").status == 0
    folder = own_home.parent / "archive" / "chat"
    row = {"type": "message", "role": "user", "text": "old", "timestamp": "2020-01-01T00:00:00.000Z"}
    for number in range(20, 45):
        (folder / f"2020_{number:08d}.jsonl").write_text(json.dumps(row), encoding="utf-8")
        os.utime(folder / f"2020_{number:08d}.jsonl", (1_577_836_800, 1_577_836_800))
    listed = chat("/sessions").out.splitlines()
    assert len(listed) == 21
    assert listed[-1].startswith("6 older ones are not listed")
    assert "Going on with: old\n> old\n" in chat("/resume 00000020").out
    assert len(server.requests) == 1


@pytest.mark.skipif(os.name == "nt", reason="no shell that closes what a program reads")
@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_with_a_stream_closed_it_ends_without_a_crash(server: ChatServer, closed: str) -> None:
    env = {**os.environ, "PYTHONPATH": SOURCE, "HARK_CHAT_MODEL": ""}
    argv = ["sh", "-c", f'exec "{sys.executable}" -m harkback chat {closed}']
    done = subprocess.run(argv, input="hi\n", capture_output=True, encoding="utf-8", env=env, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert server.requests == []


@pytest.mark.parametrize("yes", [True, False, None])
def test_an_import_that_would_replace_more_than_it_adds_is_asked_about(
    own_home: Path, tmp_path: Path, *, yes: bool | None
) -> None:
    memories = Memories(Place(str(own_home), os.environ["HARK_HOME"]), {}, 1_780_000_000_000, str(own_home))
    saved = memories.remember("The blog is built with Hugo").memory
    other = {"id": saved.id, "text": "The blog is built with Zola", "changed_ms": saved.changed_ms + 1}
    (tmp_path / "all.jsonl").write_text(json.dumps(other))
    asked: list[str] = []

    def confirms(text: str, question: str) -> bool | None:
        asked.append(f"{text} {question}")
        return yes

    door = SimpleNamespace(cwd=str(tmp_path), in_step=lambda _: None)
    chat_of: Any = SimpleNamespace(door=door, memories=lambda: memories, screen=SimpleNamespace(confirms=confirms))
    if yes:
        assert run_command(chat_of, "/import all.jsonl").startswith("0 memories added, 1 merged")
    else:
        with pytest.raises(errors.ImportNotAgreed, match="Nothing was changed"):
            run_command(chat_of, "/import all.jsonl")
    assert len(asked) == 1
    assert "1 texts of memories would be replaced, 0 memories added. Go on?" in asked[0]
    assert [one.text for one in memories.listed().memories] == [other["text"] if yes else saved.text]
