"""Saving: what is refused, masked, taken for the same or for something else; and a store that agrees with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from harkback import errors
from harkback.engines.local import memories
from harkback.engines.local.memories import MemoryStore
from harkback.engines.local.memory_changes import ChangeRows
from harkback.engines.local.memory_vectors import held
from harkback.memory.saving import REINFORCED, SAVED, Saved, normal, save
from harkback.model import ACTIVE, DONE, EVENT, FACT, SUPERSEDED, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY_MS = 86_400_000
NOW_MS = 1_780_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def store(folder: Path) -> Iterator[MemoryStore]:
    made = MemoryStore.open(str(folder), write=True)
    assert made is not None
    yield made
    made.close()


def put(store: MemoryStore, text: str, now_ms: int = NOW_MS, **more: Any) -> Saved:
    return save(store, Memory("", text, **{"created_ms": now_ms, "changed_ms": now_ms, **more}), now_ms)


def texts(store: MemoryStore) -> list[str]:
    return [one.text for one in store.all()]


# -- what is refused ---------------------------------------------------------------------------------------------


def test_a_text_of_two_thousand_characters_is_saved_and_one_more_refused(store: MemoryStore) -> None:
    longest = "事實 " * 666 + "事實"
    assert len(longest) == 2000
    assert put(store, longest).action == SAVED
    with pytest.raises(errors.MemoryTooLong) as refused:
        put(store, longest + "x")
    assert "2,001" in str(refused.value)
    assert "2,000" in str(refused.value)
    assert len(store.all()) == 1


@pytest.mark.parametrize("text", ["服務", "服務。", "三個字", "deploy", "  !!  ", "", "🙂🙂🙂🙂", "ｻｰﾊﾞ"])
def test_what_says_too_little_to_stand_alone_is_refused(store: MemoryStore, text: str) -> None:
    with pytest.raises(errors.MemoryTooShort):
        put(store, text)
    assert texts(store) == []


@pytest.mark.parametrize("text", ["服務已停", "uses tabs", "朝会は水曜", "Redis 快取"])
def test_four_characters_or_two_words_are_enough(store: MemoryStore, text: str) -> None:
    assert put(store, text).action == SAVED
    assert texts(store) == [text]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"kind": "rumour"}, "rumour"),
        ({"importance": 0}, "0"),
        ({"importance": 6}, "6"),
        ({"tags": tuple(f"tag{number}" for number in range(21))}, "21"),
        ({"entities": ("x" * 101,)}, "xxx"),
    ],
)
def test_a_kind_an_importance_or_names_out_of_bounds_are_refused(
    store: MemoryStore, more: dict[str, Any], told: str
) -> None:
    within: dict[str, Any] = {"kind": FACT, "importance": 5, "tags": tuple(f"tag{number}" for number in range(20)),
              "entities": ("x" * 100,)}  # fmt: skip
    assert put(store, "The lamp is blue", **within).action == SAVED
    with pytest.raises(errors.BadValue) as refused:
        put(store, "The door is green", **more)
    assert told in str(refused.value)
    assert texts(store) == ["The lamp is blue"]


def test_superseding_what_is_not_there_is_refused_and_saves_nothing(store: MemoryStore) -> None:
    first = put(store, "The lamp is blue").memory
    with pytest.raises(errors.NoMemory):
        put(store, "The lamp is red", supersedes="kzzzzzzzz")
    assert texts(store) == ["The lamp is blue"]
    assert put(store, "The lamp is red", supersedes=first.id).action == SUPERSEDED


# -- what is masked and kept -------------------------------------------------------------------------------------

KEY = "ghp_" + "Q7abcdefghijklmnopqrstuvwxyz01234567"


def test_a_secret_is_masked_wherever_it_stands(store: MemoryStore, folder: Path) -> None:
    put(store, f"The deploy token is {KEY}", entities=(KEY, "Deploy bot"), tags=(f"token {KEY}",), event_words=KEY)
    (kept,) = store.all()
    assert kept.text.startswith("The deploy token is ")
    assert "Deploy bot" in kept.entities
    for said in (kept.text, *kept.entities, *kept.tags, kept.event_words):
        assert KEY not in said
    raw = b"".join(path.read_bytes() for path in folder.iterdir())
    assert b"The deploy token is" in raw
    assert KEY.encode() not in raw
    assert KEY.lower().encode() not in raw


def test_what_only_looks_like_a_key_is_kept(store: MemoryStore) -> None:
    put(store, "The risk-based approach uses sk- as a prefix of skills")
    assert texts(store) == ["The risk-based approach uses sk- as a prefix of skills"]


@pytest.mark.parametrize(
    "text",
    [
        "部署前要備份資料庫",
        "部署前要备份数据库吗",
        "デプロイの前にＤＢを保存する",
        "Back up before a deploy",
        "混在 mixed テキスト",
    ],
)
def test_a_text_is_kept_in_its_own_language_and_signs(store: MemoryStore, text: str) -> None:
    put(store, f"  {text}\n")
    assert texts(store) == [text]


def test_names_that_differ_only_in_case_are_one(store: MemoryStore) -> None:
    kept = put(store, "The lamp is blue", tags=("Home", "home ", "HOME", "客廳")).memory
    assert kept.tags == ("HOME", "客廳")


# -- what says the same ------------------------------------------------------------------------------------------


def test_nine_plain_restatements_are_one_confirmed_eight_times(store: MemoryStore) -> None:
    for number, text in enumerate(
        (
            "The user prefers dark themes",
            "User prefers dark themes",
            "the user prefers dark themes.",
            "The user really prefers dark themes",
            "The user prefers  dark themes!",
            "User prefers the dark themes",
            "The USER prefers dark themes",
            "Ｔｈｅ user prefers “dark” themes",
            "A user prefers dark themes",
        )
    ):
        put(store, text, NOW_MS + number)
    (kept,) = store.all()
    assert kept.confirmed == 8
    assert kept.created_ms == NOW_MS
    assert kept.changed_ms == NOW_MS + 8
    assert put(store, "The user prefers light themes").action == SAVED
    assert len(store.all()) == 2


def test_what_is_saved_again_in_another_opening_of_the_store_is_still_one(store: MemoryStore, folder: Path) -> None:
    put(store, "快取伺服器用 Redis")
    again = MemoryStore.open(str(folder), write=True)
    assert again is not None
    saved = put(again, "快取伺服器用Redis。")
    again.close()
    assert saved.action == REINFORCED
    assert [one.text for one in saved.duplicates] == ["快取伺服器用 Redis"]
    assert texts(store) == ["快取伺服器用 Redis"]


def test_reinforcing_keeps_what_either_says(store: MemoryStore) -> None:
    put(store, "Elena reviews every change of the billing module", importance=2, tags=("team",), entities=("Elena",))
    saved = put(
        store, "Elena reviews every change of billing module.",
        NOW_MS + DAY_MS, importance=4, tags=("Team", "review"), event_since_ms=NOW_MS, event_until_ms=NOW_MS + DAY_MS,
    )  # fmt: skip
    assert saved.action == REINFORCED
    (kept,) = store.all()
    assert kept.text == "Elena reviews every change of the billing module"
    assert (kept.importance, kept.tags, kept.entities) == (4, ("team", "review"), ("Elena",))
    assert (kept.event_since_ms, kept.event_until_ms) == (NOW_MS, NOW_MS + DAY_MS)
    assert put(store, "Elena reviews every change of the billing module twice").action == SAVED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The service is written in C", "The service is written in C++"),
        ("Latency changed by +5 ms", "Latency changed by -5 ms"),
        ("圧縮率は +5% になった", "圧縮率は -5% になった"),
        ("服務 A 依賴服務 B", "服務 B 依賴服務 A"),
        ("我對花生過敏", "他對花生過敏"),
        ("Tom was the owner of billing", "Tom is the owner of billing"),
        ("Rent is 900 € a month", "Rent is 900 $ a month"),
        ("Notes are in docs/a.md", "Notes are in docs.a/md"),
        ("The var is named userId", "The var is named userID"),
        ("退貨期限為七天之內", "退貨期限為十七天之內"),
    ],
)
def test_what_differs_in_one_sign_or_word_is_never_lost(store: MemoryStore, one: str, other: str) -> None:
    assert put(store, one).action == SAVED
    assert put(store, one).action == REINFORCED
    assert put(store, other).action == SAVED
    assert texts(store) == [one, other]


def test_a_meeting_tomorrow_said_on_two_days_is_two_meetings(store: MemoryStore) -> None:
    def meeting(day: int) -> Saved:
        since = NOW_MS + (day + 1) * DAY_MS
        return put(store, "Meeting with Kim tomorrow", NOW_MS + day * DAY_MS, kind=EVENT,
                   event_since_ms=since, event_until_ms=since + DAY_MS)  # fmt: skip

    assert meeting(0).action == SAVED
    assert meeting(0).action == REINFORCED
    assert meeting(1).action == SAVED
    assert len(store.all()) == 2


def test_the_same_fact_in_two_projects_is_two_facts(store: MemoryStore) -> None:
    put(store, "Migrations are run by alembic", project="/w/a")
    assert put(store, "Migrations are run by alembic", project="/w/b").action == SAVED
    assert put(store, "Migrations are run by alembic", project="/w/a").action == REINFORCED
    assert len(store.all()) == 2


def test_what_was_superseded_or_finished_is_not_reinforced(store: MemoryStore) -> None:
    first = put(store, "The lamp is blue").memory
    put(store, "The lamp is red", supersedes=first.id)
    assert put(store, "The lamp is blue").action == SAVED
    assert [one.status for one in store.all()] == [SUPERSEDED, ACTIVE, ACTIVE]
    task = put(store, "Renew the passport of Mei", kind="task").memory
    with store.writing():
        store.change(task._replace(status=DONE, ended_ms=NOW_MS), normal(task.text), NOW_MS)
    assert put(store, "Renew the passport of Mei", kind="task").action == SAVED


def test_what_may_contradict_is_stored_and_named_and_nothing_is_replaced(store: MemoryStore) -> None:
    put(store, "The billing service listens on port 8443")
    put(store, "Coffee is on the second floor")
    saved = put(store, "The billing service listens on port 9443")
    assert saved.action == SAVED
    assert [one.text for one in saved.contradictions] == ["The billing service listens on port 8443"]
    assert [one.status for one in store.all()] == [ACTIVE, ACTIVE, ACTIVE]


# -- superseding -------------------------------------------------------------------------------------------------


def test_of_three_that_replace_each_other_only_the_last_is_active(store: MemoryStore) -> None:
    a = put(store, "Indent with tabs", NOW_MS).memory
    b = put(store, "Indent with two spaces", NOW_MS + DAY_MS, supersedes=a.id).memory
    c = put(store, "Indent with four spaces", NOW_MS + 2 * DAY_MS, supersedes=b.id[:5]).memory
    assert [(one.status, one.ended_ms) for one in store.all()] == [
        (SUPERSEDED, NOW_MS + DAY_MS),
        (SUPERSEDED, NOW_MS + 2 * DAY_MS),
        (ACTIVE, None),
    ]
    assert (b.supersedes, c.supersedes) == (a.id, b.id)
    assert {old: new.id for old, new in store.successors([a.id, b.id, c.id]).items()} == {a.id: b.id, b.id: c.id}


def test_superseding_with_what_is_known_already_joins_the_two(store: MemoryStore) -> None:
    old = put(store, "Indent with tabs").memory
    put(store, "Indent with four spaces")
    saved = put(store, "Indent with four spaces.", supersedes=old.id)
    assert saved.action == SUPERSEDED
    assert [(one.text, one.status) for one in store.all()] == [
        ("Indent with tabs", SUPERSEDED),
        ("Indent with four spaces", ACTIVE),
    ]
    assert saved.memory.supersedes == old.id


def test_saving_the_same_in_its_own_place_keeps_one_active(store: MemoryStore) -> None:
    old = put(store, "Indent with tabs").memory
    put(store, "Indent with tabs", supersedes=old.id)
    assert [one.status for one in store.all()] == [SUPERSEDED, ACTIVE]


# -- what does not agree -----------------------------------------------------------------------------------------


def broken(store: MemoryStore, sql: str) -> list[tuple[str, int]]:
    put(store, "快取伺服器用 Redis", tags=("cache",))
    put(store, "The lamp is blue")
    assert list(store.faults()) == []
    store.con.execute(sql)
    return list(store.faults())


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("DELETE FROM memory WHERE number = 1", "words of memories that are gone"),
        ("DELETE FROM posting WHERE memory = 1", "counts of memories with a word are wrong"),
        ("UPDATE term SET memories = memories + 1 WHERE number = 1", "counts of memories with a word are wrong"),
        ("UPDATE total SET memories = 7", "the total of memories is wrong"),
        ("UPDATE total SET length = 7", "the total of memories is wrong"),
        ("UPDATE memory SET status = 'lost' WHERE number = 1", "memories with another status"),
        ("DELETE FROM posting WHERE memory = 1", "memories whose words are not those of their text"),
        ("UPDATE memory SET text = 'Something else here' WHERE number = 1",
         "memories whose words are not those of their text"),
        ("UPDATE posting SET times = 9 WHERE memory = 1", "memories whose words are not those of their text"),
        ("DELETE FROM name", "memories whose words are not those of their text"),
    ],
)  # fmt: skip
def test_each_thing_that_does_not_agree_is_found_and_making_the_words_anew_mends_it(
    store: MemoryStore, sql: str, fault: str
) -> None:
    assert fault in [kind for kind, _ in broken(store, sql)]
    if "status" not in sql:
        store.rebuild_words()
        assert list(store.faults()) == []


def test_a_damaged_page_is_said(folder: Path) -> None:
    made = MemoryStore.open(str(folder), write=True)
    assert made is not None
    for number in range(200):
        put(made, f"The lamp number {number} in hall {number} is blue")
    assert list(made.faults()) == []
    made.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    made.close()
    path = folder / "memory.sqlite"
    whole = bytearray(path.read_bytes())
    for page in range(2, len(whole) // 8192):
        whole[page * 8192 : page * 8192 + 64] = b"\xff" * 64
    path.write_bytes(whole)
    again = MemoryStore.open(str(folder))
    assert again is not None
    assert list(again.faults()) == [("the memories' database is damaged", 1)]
    again.close()


# -- forgetting --------------------------------------------------------------------------------------------------


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("memory.sqlite*")))


def test_what_is_forgotten_stands_in_no_page_of_the_file_or_its_log(store: MemoryStore, folder: Path) -> None:
    one = put(store, "Zanzibar xylophone 祕密花園 in the attic", tags=("qwyjibo",), entities=("Vermilion",),
              event_words="smarchtag").memory  # fmt: skip
    for number in range(60):
        put(store, f"The lamp number {number} in the hall is blue")
    with store.writing():
        edited = one._replace(text="Zanzibar glockenspiel 祕密花園 in the attic")
        store.change(edited, normal(edited.text), NOW_MS)
    put(store, "Something in its place", supersedes=one.id)
    words = [
        "zanzibar",
        "xylophon",
        "glockenspiel",
        "祕密花園",
        "秘密",
        "花园",
        "qwyjibo",
        "vermilion",
        "smarchtag",
        "attic",
    ]
    raw = bytes_of(folder).lower()
    assert [word for word in words if word.encode() not in raw] == []
    assert store.forget([one.id]) == 1
    raw = bytes_of(folder).lower()
    assert b"the lamp number 7 in" in raw
    assert [word for word in words if word.encode() in raw] == []
    assert list(store.faults()) == []
    assert store.is_forgotten(one.id)
    assert [kept.supersedes for kept in store.all() if kept.text == "Something in its place"] == [""]
    assert store.forget([one.id]) == 0


def test_what_is_forgotten_while_another_reads_goes_from_the_log_with_the_next_forgetting(
    store: MemoryStore, folder: Path
) -> None:
    one = put(store, "Zanzibar xylophone in the attic").memory
    two = put(store, "The lamp is blue").memory
    reader = MemoryStore.open(str(folder))
    assert reader is not None
    reader.con.execute("BEGIN")
    assert len(reader.all()) == 2
    store.con.execute("PRAGMA busy_timeout=10")
    store.forget([one.id])
    assert len(reader.all()) == 2
    reader.con.execute("COMMIT")
    reader.close()
    store.forget([two.id])
    assert b"anzibar" not in bytes_of(folder)


def test_a_store_of_the_first_layout_is_read_and_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tmp_path / "old")
    with monkeypatch.context() as patch:
        patch.setattr(memories, "LAYOUT", memories.LAYOUT._replace(migrations=memories.MIGRATIONS[:1]))
        patch.setattr(ChangeRows, "alter", lambda *_: None)  # that layout numbers no changes
        store = MemoryStore.open(folder, write=True)
        assert store is not None
        old = save(store, Memory("", "The staging database runs on port 5433", created_ms=1, changed_ms=1), 1).memory
        store.close()
    reader = MemoryStore.open(folder)
    assert reader is not None
    assert (reader.find(old.id).text, list(reader.faults()), held(reader.con)) == (old.text, [], {})
    reader.close()
    writer = MemoryStore.open(folder, write=True)
    assert writer is not None
    assert writer.forget([old.id]) == 1
    assert list(writer.faults()) == []
    writer.close()
