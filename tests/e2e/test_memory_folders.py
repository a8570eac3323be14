"""Folders of Markdown files kept in step with the memories, in both directions."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from harkback import errors
from harkback.archive.memories import EVERYWHERE, Details, Memories
from harkback.archive.memory_folders import MemoryFolders
from harkback.config import DEFAULTS, Settings, place, read_settings
from harkback.model import ACTIVE, AGENT, ARCHIVED, DECISION, DONE, PREFERENCE, SUPERSEDED, TASK, Memory

if TYPE_CHECKING:
    from pathlib import Path

    from harkback.memory.folders import Synced

NOW_MS = 4_000_000_000_000
"""Later than any file of the tests was written, so that none counts as changed just now."""

CLAUDE = """---
name: feedback_database
description: Integration tests must hit a real database, never mocks
type: feedback
---

Mocked tests passed while the migration failed.

**Why:** mocks drift.
"""


class Desk:
    """One person with an archive and a folder of a git project."""

    def __init__(self, home: Path, settings: Settings = DEFAULTS) -> None:
        self.project = home / "work" / "garden"
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        self.folder = self.project / ".ai_memory"
        self.folder.mkdir(exist_ok=True)
        self.now_ms = NOW_MS
        self.settings = settings

    @property
    def memories(self) -> Memories:
        self.now_ms += 60_000
        env = {"HOME": os.environ["HOME"], "HARK_HOME": os.environ["HARK_HOME"]}
        return Memories(place(env), env, self.now_ms, str(self.project), self.settings)

    @property
    def folders(self) -> MemoryFolders:
        return MemoryFolders(self.memories)

    def add(self, **more: str) -> Synced:
        return self.folders.add(str(self.folder), **more)

    def sync(self) -> Synced:
        (synced,) = self.folders.sync()
        return synced

    def save(self, text: str, **details: object) -> str:
        return self.memories.remember(text, Details(**details)).memory.id  # type: ignore[arg-type]

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8", newline="")

    def replace(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def all(self, status: str = "") -> list[Memory]:
        found = self.memories.listed(scope=EVERYWHERE, history=True).memories
        return [one for one in found if not status or one.status == status]

    def texts(self, status: str = ACTIVE) -> set[str]:
        return {one.text for one in self.all(status)}

    def files(self) -> dict[str, str]:
        return {one.name: one.read_text(encoding="utf-8") for one in self.folder.iterdir()}


@pytest.fixture
def desk(own_home: Path) -> Desk:
    return Desk(own_home)


def ids(text: str) -> list[str]:
    return re.findall(r"<!-- (k\w{8}) -->", text)


# -- from memories to files --------------------------------------------------------------------------------------


def test_memories_are_written_into_one_list_for_each_kind_and_named_in_the_index(desk: Desk) -> None:
    one = desk.save("The greenhouse is heated with pellets")
    two = desk.save("We water at six in the morning", kind=DECISION)
    three = desk.save("Order new seeds", kind=TASK)
    desk.save("This holds everywhere and not here", project="")
    synced = desk.add()
    assert (synced.added, synced.written, synced.notes) == (0, 4, ())
    assert sorted(desk.files()) == ["MEMORY.md", "decisions.md", "facts.md", "tasks.md"]
    assert f"- The greenhouse is heated with pellets <!-- {one} -->\n" in desk.read("facts.md")
    assert f"- We water at six in the morning <!-- {two} -->\n" in desk.read("decisions.md")
    assert f"- [ ] Order new seeds <!-- {three} -->\n" in desk.read("tasks.md")
    assert "- [facts](./facts.md): The greenhouse is heated with pellets\n" in desk.read("MEMORY.md")
    assert "everywhere" not in "".join(desk.files().values())


def test_what_changed_in_the_store_is_written_and_what_no_longer_holds_leaves_the_files(desk: Desk) -> None:
    edited = desk.save("The shed key hangs in the hall")
    replaced = desk.save("The pump is driven by diesel fuel")
    put_away = desk.save("The old fence was painted green")
    forgotten = desk.save("The neighbour was rude on Friday")
    task = desk.save("Sharpen all of the scythes", kind=TASK)
    desk.add()
    assert len(ids(desk.read("facts.md"))) == 4
    desk.memories.edit(edited, "The shed key hangs in the kitchen", Details())
    new = desk.memories.supersede(replaced, "The pump is driven by solar power").memory.id
    desk.memories.archive(put_away)
    desk.memories.forget([forgotten])
    desk.memories.finish(task)
    desk.sync()
    text = desk.read("facts.md")
    assert sorted(ids(text)) == sorted([edited, new])
    assert f"- The shed key hangs in the kitchen <!-- {edited} -->" in text
    assert f"- [x] Sharpen all of the scythes <!-- {task} -->" in desk.read("tasks.md")
    everything = "".join(desk.files().values())
    assert "diesel" not in everything
    assert "fence" not in everything
    assert "neighbour" not in everything
    assert forgotten not in everything


def test_a_memory_that_becomes_another_kind_moves_to_that_list(desk: Desk) -> None:
    one = desk.save("Paths are laid with bark mulch")
    desk.add()
    desk.memories.edit(one, "", Details(kind=DECISION))
    desk.sync()
    assert one not in desk.read("facts.md")
    assert f"<!-- {one} -->" in desk.read("decisions.md")
    assert "(./facts.md)" not in desk.read("MEMORY.md")


def test_nothing_is_written_and_no_file_read_where_nothing_changed(desk: Desk) -> None:
    desk.save("The compost is turned in March")
    desk.add()
    before = {name: (desk.folder / name).stat().st_mtime_ns for name in desk.files()}
    assert desk.folders.sync() == []
    desk.save("The compost is sieved in April")
    assert desk.sync().written == 2
    after = {name: (desk.folder / name).stat().st_mtime_ns for name in desk.files()}
    assert before.keys() == after.keys()
    assert before != after
    assert desk.folders.sync() == []


def test_many_lines_of_one_memory_are_one_item(desk: Desk) -> None:
    text = "Steps of the winter rest:\n\n1. drain the pump\n   and its hose\n- [ ] no item"
    one = desk.save(text)
    desk.add()
    assert desk.folders.sync() == []
    desk.write("facts.md", desk.read("facts.md") + "\n")
    assert desk.sync().changed == 0
    assert desk.memories.find(one)[0].text == text
    desk.replace("facts.md", "drain the pump", "drain the well")
    assert desk.sync().changed == 1
    assert desk.memories.find(one)[0].text == text.replace("the pump", "the well")


# -- from files to memories --------------------------------------------------------------------------------------


def test_a_hand_edit_wins_and_the_old_text_is_kept_in_the_past(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.add()
    desk.replace("facts.md", "in March", "in February")
    assert desk.sync().changed == 1
    memory, past, _ = desk.memories.find(one)
    assert memory.text == "The roses are pruned in February"
    assert [text for _, text in past] == ["The roses are pruned in March"]


def test_of_a_conflict_the_file_wins_and_the_store_keeps_its_version(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.add()
    desk.memories.edit(one, "The roses are pruned in May", Details())
    desk.replace("facts.md", "in March", "in February")
    desk.sync()
    memory, past, _ = desk.memories.find(one)
    assert memory.text == "The roses are pruned in February"
    assert [text for _, text in past] == ["The roses are pruned in May", "The roses are pruned in March"]
    assert "in February" in desk.read("facts.md")


def test_a_new_item_becomes_a_memory_and_gets_its_id(desk: Desk) -> None:
    desk.save("The roses are pruned in March")
    desk.add()
    desk.write("facts.md", desk.read("facts.md") + "* the well is 12 metres deep\n")
    assert desk.sync().added == 1
    assert desk.texts() == {"The roses are pruned in March", "the well is 12 metres deep"}
    (one,) = (memory for memory in desk.all() if "well" in memory.text)
    assert (one.project, one.kind, one.status) == (str(desk.project), "fact", ACTIVE)
    assert desk.read("facts.md").endswith(f"* the well is 12 metres deep <!-- {one.id} -->\n")


def test_items_with_numbers_are_memories_and_keep_their_numbers(desk: Desk) -> None:
    desk.write("facts.md", "1. The pump is old\n2) The well is deep\n   and cold\n10. The shed is green\n")
    assert desk.add().added == 3
    assert desk.texts() == {"The pump is old", "The well is deep\nand cold", "The shed is green"}
    one, two, three = ids(desk.read("facts.md"))
    desk.memories.edit(two, "The well is deep\nand warm", Details())
    desk.sync()
    assert desk.read("facts.md") == (
        f"1. The pump is old <!-- {one} -->\n2) The well is deep <!-- {two} -->\n   and warm\n"
        f"10. The shed is green <!-- {three} -->\n"
    )
    assert desk.folders.sync() == []
    assert len(desk.all()) == 3


def test_a_list_goes_on_in_a_second_file_before_it_is_too_long_to_be_read(desk: Desk) -> None:
    for number in range(620):
        desk.save(f"The sensor {number} of {number * 7} " + " ".join(f"w{number}x{at}" for at in range(200)))
    desk.add()
    sizes = {one.name: one.stat().st_size for one in desk.folder.iterdir() if one.name != "MEMORY.md"}
    assert sorted(sizes) == ["facts-2.md", "facts.md"]
    assert max(sizes.values()) < 1_000_000
    assert len(ids(desk.read("facts.md") + desk.read("facts-2.md"))) == 620
    desk.replace("facts-2.md", "The sensor 619", "The old sensor 619")
    assert desk.sync().changed == 1
    assert len(desk.texts()) == 620
    assert "facts-2.md" in desk.read("MEMORY.md")


def test_a_box_that_is_ticked_finishes_the_task(desk: Desk) -> None:
    one = desk.save("Order new seeds", kind=TASK)
    desk.add()
    desk.replace("tasks.md", "[ ]", "[x]")
    desk.sync()
    assert desk.memories.find(one)[0].status == DONE
    desk.replace("tasks.md", "[x]", "[ ]")
    desk.sync()
    assert desk.memories.find(one)[0].status == ACTIVE


def test_a_deleted_item_or_file_archives_and_undoing_it_brings_back(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    two = desk.save("The well is twelve metres deep")
    desk.save("Order new seeds", kind=TASK)
    desk.add()
    before = desk.read("facts.md")
    desk.write("facts.md", "\n".join(line for line in before.split("\n") if "roses" not in line))
    (desk.folder / "tasks.md").unlink()
    assert desk.sync().archived == 2
    assert desk.texts(ARCHIVED) == {"The roses are pruned in March", "Order new seeds"}
    assert desk.texts() == {"The well is twelve metres deep"}
    assert "tasks" not in desk.read("MEMORY.md")
    desk.write("facts.md", before)
    desk.sync()
    assert {memory.id for memory in desk.all(ACTIVE)} == {one, two}


def test_a_line_copied_by_hand_is_a_memory_of_its_own(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.add()
    line = next(line for line in desk.read("facts.md").split("\n") if "roses" in line)
    desk.write("facts.md", desk.read("facts.md") + line.replace("roses", "vines") + "\n")
    desk.write("lessons.md", f"- Never prune in a frost <!-- {one} -->\n")
    assert desk.sync().added == 2
    assert desk.memories.find(one)[0].text == "The roses are pruned in March"
    assert desk.texts() == {
        "The roses are pruned in March",
        "The vines are pruned in March",
        "Never prune in a frost",
    }
    found = ids(desk.read("facts.md")) + ids(desk.read("lessons.md"))
    assert len(set(found)) == 3
    assert found[0] == one


def test_a_line_moved_to_another_list_stays_the_memory_and_becomes_that_kind(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.save("We water at six in the morning", kind=DECISION)
    desk.add()
    line = next(line for line in desk.read("facts.md").split("\n") if "roses" in line)
    desk.replace("facts.md", line + "\n", "")
    desk.write("decisions.md", desk.read("decisions.md") + line + "\n")
    synced = desk.sync()
    assert (synced.added, synced.archived) == (0, 0)
    assert desk.memories.find(one)[0].kind == DECISION
    assert one in desk.read("decisions.md")
    assert one not in desk.read("facts.md")


def test_an_id_that_was_lost_is_written_again(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.add()
    desk.replace("facts.md", f" <!-- {one} -->", "")
    synced = desk.sync()
    assert (synced.added, synced.archived) == (0, 0)
    assert ids(desk.read("facts.md")) == [one]


def test_the_id_of_something_forgotten_does_not_come_back(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    two = desk.save("The well is twelve metres deep")
    desk.add()
    before = desk.read("facts.md")
    desk.memories.forget([one])
    desk.sync()
    desk.write("facts.md", before)
    desk.sync()
    assert ids(desk.read("facts.md")) == [two]
    assert desk.texts() == {"The well is twelve metres deep"}


def test_a_folder_that_came_with_a_clone_brings_its_ids_along(desk: Desk) -> None:
    desk.write("facts.md", "- The roses are pruned in March <!-- k0123abcd -->\n")
    before = desk.read("facts.md")
    assert desk.add().added == 1
    assert [memory.id for memory in desk.all()] == ["k0123abcd"]
    assert desk.read("facts.md") == before


def test_an_older_copy_of_a_folder_does_not_undo_what_was_changed_since(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    two = desk.save("The pump is driven by diesel fuel")
    desk.add()
    desk.folders.remove(str(desk.folder))
    desk.memories.edit(one, "The roses are pruned in May", Details())
    new = desk.memories.supersede(two, "The pump is driven by solar power").memory.id
    desk.add()
    assert desk.texts() == {"The roses are pruned in May", "The pump is driven by solar power"}
    assert sorted(ids(desk.read("facts.md"))) == sorted([one, new])
    assert "in May" in desk.read("facts.md")


def test_what_is_too_short_or_in_code_or_commented_out_is_no_memory(desk: Desk) -> None:
    desk.save("The roses are pruned in March")
    desk.add()
    more = "- todo\n\n```\n- not a fact in code\n```\n<!--\n- not a fact in a comment\n-->\n- this is really a fact\n"
    desk.write("facts.md", desk.read("facts.md") + more)
    synced = desk.sync()
    assert desk.texts() == {"The roses are pruned in March", "this is really a fact"}
    assert any("line 9 is no memory" in note for note in synced.notes)
    assert "- todo\n" in desk.read("facts.md")


# -- folders of others -------------------------------------------------------------------------------------------


def test_the_files_of_claude_code_are_memories_and_stay_byte_for_byte(desk: Desk) -> None:
    index = "- [Database](feedback_database.md) — real database in tests\n"
    desk.write("MEMORY.md", index)
    desk.write("feedback_database.md", CLAUDE)
    assert desk.add().added == 1
    (memory,) = desk.all()
    assert memory.text == "Integration tests must hit a real database, never mocks"
    assert memory.kind == PREFERENCE
    assert desk.files() == {"MEMORY.md": index, "feedback_database.md": CLAUDE}
    one = desk.save("The suite runs on four workers")
    desk.sync()
    assert desk.read("feedback_database.md") == CLAUDE
    assert desk.read("MEMORY.md") == index + "- [facts](./facts.md): The suite runs on four workers\n"
    assert ids(desk.read("facts.md")) == [one]


def test_an_edit_through_hark_changes_just_the_description(desk: Desk) -> None:
    desk.write("feedback_database.md", CLAUDE)
    desk.add()
    (memory,) = desk.all()
    desk.memories.edit(memory.id, "Integration tests must hit Postgres: never mocks", Details())
    desk.sync()
    assert desk.read("feedback_database.md") == CLAUDE.replace(
        "description: Integration tests must hit a real database, never mocks",
        'description: "Integration tests must hit Postgres: never mocks"',
    )
    assert desk.folders.sync() == []


def test_an_edit_of_the_file_changes_the_memory_and_a_new_name_keeps_it(desk: Desk) -> None:
    desk.write("feedback_database.md", CLAUDE)
    desk.add()
    (before,) = desk.all()
    desk.replace("feedback_database.md", "never mocks", "and no mocks")
    assert desk.sync().changed == 1
    (desk.folder / "feedback_database.md").rename(desk.folder / "tests.md")
    synced = desk.sync()
    assert (synced.added, synced.archived) == (0, 0)
    (after,) = desk.all()
    assert after.id == before.id
    assert after.text == "Integration tests must hit a real database, and no mocks"
    (desk.folder / "tests.md").unlink()
    assert desk.sync().archived == 1


def test_plain_markdown_is_one_memory_of_its_heading_and_first_paragraph(desk: Desk) -> None:
    text = "# Deploy\r\n\r\nRun the blue script first,\r\nthen the green one.\r\n\r\n- more\r\n"
    desk.write("notes/deploy.md", text)
    desk.write(".obsidian/hidden.md", "# Hidden\n\nNothing of this is a memory\n")
    desk.add()
    (memory,) = desk.all()
    assert memory.text == "Deploy: Run the blue script first,\nthen the green one."
    assert desk.folder.joinpath("notes/deploy.md").read_bytes() == text.encode()
    desk.memories.edit(memory.id, "Deploy: Run the green script only", Details())
    desk.sync()
    expected = "# Deploy\r\n\r\nRun the green script only\r\n\r\n- more\r\n"
    assert desk.folder.joinpath("notes/deploy.md").read_bytes() == expected.encode()
    assert "- [notes/deploy](./notes/deploy.md): Deploy: Run the green script only\n" in desk.read("MEMORY.md")


def test_a_file_of_somebody_else_is_never_deleted_and_what_was_forgotten_stays_so(desk: Desk) -> None:
    desk.write("feedback_database.md", CLAUDE)
    desk.add()
    desk.memories.forget([desk.all()[0].id])
    synced = desk.sync()
    assert any("still says what was forgotten" in note for note in synced.notes)
    assert desk.read("feedback_database.md") == CLAUDE
    assert "mocks" not in desk.read("MEMORY.md")
    desk.write("feedback_database.md", CLAUDE + "more\n")
    desk.sync()
    assert desk.all() == []
    desk.write("another.md", CLAUDE.replace("mocks", "stubs"))
    desk.sync()
    assert desk.texts() == {"Integration tests must hit a real database, never stubs"}


def test_notes_in_the_index_are_memories_without_ids_in_it(desk: Desk) -> None:
    text = "# Notes\n\n- the build needs node 22\n- lint runs before each push\n"
    desk.write("MEMORY.md", text)
    assert desk.add().added == 2
    assert desk.read("MEMORY.md") == text
    desk.replace("MEMORY.md", "node 22", "node 24")
    synced = desk.sync()
    assert (synced.added, synced.changed, synced.archived) == (0, 1, 0)
    assert desk.texts() == {"the build needs node 24", "lint runs before each push"}
    (one,) = (memory for memory in desk.all() if "lint" in memory.text)
    desk.memories.edit(one.id, "lint runs before each commit", Details())
    desk.sync()
    assert desk.read("MEMORY.md") == "# Notes\n\n- the build needs node 24\n- lint runs before each commit\n"
    desk.replace("MEMORY.md", "- the build needs node 24\n", "")
    assert desk.sync().archived == 1


def test_a_page_with_the_id_of_a_memory_is_that_memory(desk: Desk) -> None:
    desk.write("pump.md", "---\nid: k0123abcd\nowner: me\n---\n\nThe pump is driven by diesel fuel\n")
    desk.add()
    assert [memory.id for memory in desk.all()] == ["k0123abcd"]
    desk.memories.edit("k0123abcd", "The pump is driven by solar power", Details())
    desk.sync()
    expected = "---\nid: k0123abcd\nowner: me\n---\n\nThe pump is driven by solar power\n"
    assert desk.read("pump.md") == expected
    desk.memories.archive("k0123abcd")
    desk.sync()
    assert sorted(desk.files()) == ["MEMORY.md"]


def test_the_project_of_a_folder(desk: Desk, own_home: Path) -> None:
    desk.save("The greenhouse is heated with pellets")
    name = re.sub(r"[^A-Za-z0-9]", "-", str(desk.project))
    claude = own_home / ".claude" / "projects" / name / "memory"
    claude.mkdir(parents=True)
    (claude / "one.md").write_text(CLAUDE, encoding="utf-8")
    loose = own_home / "notes"
    loose.mkdir()
    assert desk.folders.add(str(claude)).project == str(desk.project)
    assert desk.folders.add(str(loose)).project == ""
    assert desk.add().project == str(desk.project)
    (one,) = (memory for memory in desk.all() if "mocks" in memory.text)
    assert (one.project, one.provenance) == (str(desk.project), AGENT)
    assert [kept.path for kept in desk.folders.kept()] == sorted(map(str, (claude, loose, desk.folder)))


# -- what must not happen ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["missing", "empty", "a file"])
def test_of_a_folder_that_is_not_there_nothing_is_archived(desk: Desk, how: str) -> None:
    desk.save("The roses are pruned in March")
    desk.add()
    away = desk.folder.rename(desk.project / "away")
    if how == "empty":
        desk.folder.mkdir()  # as the mount point of a disk that is not there
    elif how == "a file":
        desk.folder.write_text("", encoding="utf-8")
    synced = desk.sync()
    assert synced.archived == 0
    assert len(synced.notes) == 1
    assert desk.texts() == {"The roses are pruned in March"}
    if how == "empty":
        assert desk.files() == {}
        desk.folder.rmdir()
    elif how == "a file":
        desk.folder.unlink()
    away.rename(desk.folder)
    desk.replace("facts.md", "in March", "in May")
    assert desk.sync().changed == 1


def test_adding_a_folder_again_writes_what_is_missing(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.add()
    for name in desk.files():
        (desk.folder / name).unlink()
    assert desk.sync().written == 0
    desk.add()
    assert ids(desk.read("facts.md")) == [one]
    (desk.folder / "MEMORY.md").unlink()
    desk.sync()
    assert "(./facts.md)" in desk.read("MEMORY.md")


def test_files_that_cannot_be_read_are_left_alone(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    two = desk.save("We water at six in the morning", kind=DECISION)
    desk.add()
    for name, data in (("facts.md", b"- \xff\xfe not text\n"), ("decisions.md", b"- a" * 400_000)):
        (desk.folder / name).write_bytes(data)
        synced = desk.sync()
        assert any(note.startswith(f"{name} is left alone") for note in synced.notes)
        assert (desk.folder / name).read_bytes() == data
    assert {memory.id for memory in desk.all(ACTIVE)} == {one, two}
    assert desk.folders.sync() == []


def test_links_are_not_followed(desk: Desk, own_home: Path) -> None:
    outside = own_home / "outside.md"
    outside.write_text(CLAUDE, encoding="utf-8")
    (own_home / "more").mkdir()
    (own_home / "more" / "in.md").write_text(CLAUDE, encoding="utf-8")
    desk.write("inside.md", CLAUDE.replace("mocks", "stubs"))
    (desk.folder / "link.md").symlink_to(outside)
    (desk.folder / "facts.md").symlink_to(outside)
    (desk.folder / "more").symlink_to(own_home / "more")
    synced = desk.add()
    assert any("link.md is a link" in note for note in synced.notes)
    desk.save("The roses are pruned in March")
    desk.sync()
    assert desk.texts() == {
        "Integration tests must hit a real database, never stubs",
        "The roses are pruned in March",
    }
    assert outside.read_text(encoding="utf-8") == CLAUDE
    assert (desk.folder / "facts.md").is_symlink()


def test_line_ends_and_modes_stay_as_they_are(desk: Desk) -> None:
    desk.save("The roses are pruned in March")
    desk.add()
    path = desk.folder / "facts.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    path.chmod(0o640)
    desk.save("The well is twelve metres deep")
    desk.sync()
    data = path.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") == 9
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_secret_is_masked_in_the_store_and_stays_in_the_file(desk: Desk) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    desk.save("The roses are pruned in March", kind=TASK)
    desk.add()
    desk.write("facts.md", f"- the mirror is pulled with {secret}\n")
    synced = desk.sync()
    assert any("holds a secret" in note for note in synced.notes)
    (one,) = (memory for memory in desk.all() if "mirror" in memory.text)
    assert secret not in one.text
    desk.memories.finish(one.id)
    desk.sync()
    assert desk.read("facts.md") == f"- [x] the mirror is pulled with {secret} <!-- {one.id} -->\n"
    assert secret not in desk.read("MEMORY.md")


def test_the_index_leaves_out_the_least_important(own_home: Path) -> None:
    settings = read_settings({"HARK_FOLDER_LINES": "10"}, str(own_home))
    desk = Desk(own_home, settings)
    for number in range(12):
        desk.write(f"note{number:02}.md", f"# Note\n\nThis is the note with the number {number}\n")
    synced = desk.add()
    assert any("are not named in it" in note for note in synced.notes)
    assert len(desk.read("MEMORY.md").splitlines()) == 10
    (one,) = (memory for memory in desk.all() if memory.text.endswith(" 0"))
    assert "note00" not in desk.read("MEMORY.md") or "note01" not in desk.read("MEMORY.md")
    desk.memories.edit(one.id, "", Details(importance=5))
    desk.sync()
    assert "- [note00](./note00.md): Note: This is the note with the number 0" in desk.read("MEMORY.md")
    assert len(desk.files()) == 13


def test_a_folder_that_is_let_go_keeps_its_files(desk: Desk) -> None:
    desk.save("The roses are pruned in March")
    desk.add()
    before = desk.files()
    desk.folders.remove(str(desk.folder))
    assert desk.folders.kept() == []
    desk.save("The well is twelve metres deep")
    assert desk.folders.sync() == []
    assert desk.files() == before
    with pytest.raises(errors.FolderNotKept):
        desk.folders.remove(str(desk.folder))


def test_folders_that_cannot_be_kept(desk: Desk, own_home: Path) -> None:
    desk.add()
    (desk.folder / "inner").mkdir()
    for folder in (desk.folder / "inner", desk.project, own_home):
        with pytest.raises(errors.FolderTaken):
            desk.folders.add(str(folder))
    with pytest.raises(errors.NoFolder):
        desk.folders.add(str(desk.folder / "missing"))


def test_only_the_newest_files_are_read_before_an_answer(desk: Desk) -> None:
    desk.save("The roses are pruned in March")
    desk.add()
    for number in range(4):
        desk.write(f"note{number}.md", f"# Note\n\nThis is the note with the number {number}\n")
        os.utime(desk.folder / f"note{number}.md", (1_000_000 + number, 1_000_000 + number))
    (desk.folder / "facts.md").unlink()
    (synced,) = desk.folders.sync(most_files=2)
    assert (synced.added, synced.archived) == (2, 0)
    synced = desk.sync()
    assert (synced.added, synced.archived) == (2, 1)


def test_superseded_memories_of_files_of_others_leave_the_index(desk: Desk) -> None:
    desk.write("feedback_database.md", CLAUDE)
    desk.add()
    assert "feedback_database" in desk.read("MEMORY.md")
    (memory,) = desk.all()
    desk.memories.supersede(memory.id, "Integration tests use an in-memory database")
    synced = desk.sync()
    assert any("still says what was superseded" in note for note in synced.notes)
    assert "feedback_database" not in desk.read("MEMORY.md")
    assert desk.texts(SUPERSEDED) == {memory.text}
    assert desk.folders.sync() == []
