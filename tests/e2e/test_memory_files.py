"""Export and import of memories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from harkback import errors
from harkback.archive.memories import EVERYWHERE, Details, Memories
from harkback.archive.memory_files import MARKDOWN, MemoryFiles
from harkback.config import Place
from harkback.model import ACTIVE, DONE, IMPORT, SUPERSEDED, TASK

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.pens import hark

    from harkback.memory.merging import Imported, Plan
else:
    from pens import hark

NOW_MS = 1_780_000_000_000


class Desk:
    """One person with an archive."""

    def __init__(self, home: Path, name: str) -> None:
        self.home = home
        self.place = Place(str(home), str(home / name))
        self.now_ms = NOW_MS

    @property
    def memories(self) -> Memories:
        self.now_ms += 60_000
        return Memories(self.place, {}, self.now_ms, str(self.home))

    def save(self, text: str, **details: Any) -> str:
        return self.memories.remember(text, Details(**details)).memory.id

    def export(self, name: str = "out.jsonl", **more: Any) -> list[dict[str, Any]]:
        path = self.home / name
        MemoryFiles(self.memories).export(str(path), overwrite=True, **more)
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def bring(self, name: str, *, agrees: bool = False, project: str | None = None) -> Imported:
        def agreed(_: Plan) -> bool:
            return agrees

        return MemoryFiles(self.memories).bring(str(self.home / name), is_agreed=agreed, project=project)

    def write(self, name: str, *values: object) -> str:
        lines = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
        (self.home / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return name

    def texts(self, status: str = ACTIVE) -> set[str]:
        found = self.memories.listed(scope=EVERYWHERE, history=True).memories
        return {one.text for one in found if one.status == status}


@pytest.fixture
def desk(own_home: Path) -> Desk:
    return Desk(own_home, "one")


@pytest.fixture
def other(own_home: Path) -> Desk:
    return Desk(own_home, "two")


def counts(done: Imported) -> tuple[int, int, int, int, int]:
    return done.added, done.merged, done.kept, done.forgotten, len(done.bad)


def test_json_lines_hold_everything_and_give_it_back(desk: Desk, other: Desk) -> None:
    one = desk.save("薔薇は三月に剪定する", entities=("薔薇",), tags=("庭", "春"), importance=5)
    desk.memories.edit(one, "薔薇は二月に剪定する", Details())
    two = desk.save("The pump is driven by diesel fuel")
    desk.memories.supersede(two, "The pump is driven by solar power")
    desk.memories.finish(desk.save("Order new seeds", kind=TASK))
    desk.memories.write_profile("work", "Kim keeps a garden")
    desk.memories.write_profile("work", "Kim keeps two gardens")
    lines = desk.export()
    assert len(lines) == 5
    assert [line["text"] for line in lines[1]["past"]] == ["薔薇は三月に剪定する"]
    assert lines[2]["superseded_by"] == lines[3]["id"]
    assert counts(other.bring("out.jsonl")) == (4, 0, 0, 0, 0)
    assert other.export("again.jsonl") == lines
    assert counts(other.bring("out.jsonl")) == (0, 0, 4, 0, 0)
    assert other.export("again.jsonl") == lines


def test_texts_that_were_replaced_in_the_same_moment_keep_their_order(desk: Desk, other: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    memories = desk.memories
    for month in ("April", "May", "April", "June", "April", "May"):
        memories.edit(one, f"The roses are pruned in {month}", Details())
    lines = desk.export()
    said = [text["text"].rpartition(" ")[2] for text in lines[0]["past"]]
    assert said == ["April", "June", "April", "May", "April", "March"]
    other.bring("out.jsonl")
    assert other.export("again.jsonl") == lines
    other.bring("out.jsonl")
    assert other.export("again.jsonl") == lines


def test_of_one_id_the_newer_counts_and_an_older_or_emptier_one_replaces_nothing(desk: Desk, other: Desk) -> None:
    one = desk.save("The roses are pruned in March", tags=("garden",))
    desk.export()
    other.bring("out.jsonl")
    desk.now_ms += 10_000_000
    desk.memories.edit(one, "The roses are pruned in May", Details(tags=()))
    desk.save("The well is twelve metres deep")
    desk.export("new.jsonl")
    assert counts(other.bring("new.jsonl")) == (1, 1, 0, 0, 0)
    memory, past, _ = other.memories.find(one)
    assert memory.text == "The roses are pruned in May"
    assert memory.tags == ("garden",)
    assert "The roses are pruned in March" in {text for _, text in past}
    assert counts(other.bring("out.jsonl")) == (0, 0, 1, 0, 0)
    assert other.memories.find(one)[0].text == "The roses are pruned in May"


def test_more_replaced_than_added_is_asked(desk: Desk, other: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.export()
    other.bring("out.jsonl")
    desk.now_ms += 10_000_000
    desk.memories.edit(one, "The roses are pruned in May", Details())
    desk.export()
    with pytest.raises(errors.NotAgreed):
        other.bring("out.jsonl")
    assert other.texts() == {"The roses are pruned in March"}
    assert counts(other.bring("out.jsonl", agrees=True)) == (0, 1, 0, 0, 0)
    assert other.texts() == {"The roses are pruned in May"}


def test_what_was_finished_elsewhere_is_finished(desk: Desk, other: Desk) -> None:
    one = desk.save("Order new seeds", kind=TASK)
    desk.export()
    other.bring("out.jsonl")
    desk.memories.finish(one)
    desk.export()
    assert counts(other.bring("out.jsonl")) == (0, 1, 0, 0, 0)
    assert other.texts(DONE) == {"Order new seeds"}


def test_the_same_said_under_another_id_is_one_memory(desk: Desk, other: Desk) -> None:
    mine = other.save("The roses are pruned in March")
    theirs = desk.save("The roses are pruned in March", tags=("garden",))
    desk.memories.supersede(theirs, "The roses are pruned in early May")
    desk.save("Roses are pruned in March!", tags=("garden",))
    desk.export()
    assert counts(other.bring("out.jsonl")) == (2, 1, 0, 0, 0)
    memory = other.memories.find(mine)[0]
    assert (memory.tags, memory.confirmed) == (("garden",), 1)
    assert other.texts() == {"The roses are pruned in March", "The roses are pruned in early May"}
    assert other.texts(SUPERSEDED) == {"The roses are pruned in March"}


def test_what_was_forgotten_stays_so(desk: Desk) -> None:
    one = desk.save("The roses are pruned in March")
    desk.save("The well is twelve metres deep")
    desk.export()
    desk.memories.forget([one])
    assert counts(desk.bring("out.jsonl")) == (0, 0, 1, 1, 0)
    assert desk.texts() == {"The well is twelve metres deep"}


def test_lines_that_cannot_be_read_are_told_and_the_rest_is_read(desk: Desk) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    name = desk.write(
        "in.jsonl",
        {"text": "The roses are pruned in March"},
        "{broken",
        {"kind": "fact"},
        "",
        {"text": "x"},
        [1],
        {"text": f"the mirror is pulled with {secret}", "kind": "nonsense", "importance": 99, "tags": "none"},
    )
    done = desk.bring(name)
    assert counts(done) == (2, 0, 0, 0, 4)
    assert [line for _, line, _ in done.bad] == [2, 3, 5, 6]
    assert not any(secret in text for text in desk.texts())
    found = desk.memories.listed(scope=EVERYWHERE).memories
    assert {(one.kind, one.importance, one.provenance) for one in found} == {("fact", 3, IMPORT)}


@pytest.mark.parametrize(
    "value",
    [
        ["I live in Ghent now", "I play the cello"],
        [
            {"memory": "I live in Ghent now", "id": "0f", "created_at": "2026-05-01T10:00:00Z"},
            {"content": "I play the cello"},
        ],
        {"results": [{"memory": "I live in Ghent now"}, {"text": "I play the cello"}]},
        {"memories": [{"content": "I live in Ghent now", "created": 1_700_000_000}, "I play the cello"]},
    ],
)
def test_lists_of_other_programs(desk: Desk, value: object) -> None:
    assert counts(desk.bring(desk.write("in.json", json.dumps(value, indent=1)))) == (2, 0, 0, 0, 0)
    assert desk.texts() == {"I live in Ghent now", "I play the cello"}
    assert counts(desk.bring("in.json"))[:2] == (0, 2)


def test_the_graph_of_the_mcp_memory_server(desk: Desk) -> None:
    name = desk.write(
        "memory.json",
        {
            "type": "entity",
            "name": "Kim_Lee",
            "entityType": "person",
            "observations": ["speaks Dutch", "Kim_Lee is shy"],
        },
        {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
        {"type": "relation", "from": "Kim_Lee", "to": "Acme", "relationType": "works_at"},
    )
    assert counts(desk.bring(name)) == (3, 0, 0, 0, 0)
    assert desk.texts() == {"Kim Lee: speaks Dutch", "Kim_Lee is shy", "Kim Lee works at Acme"}
    (one,) = (one for one in desk.memories.listed(scope=EVERYWHERE).memories if "Dutch" in one.text)
    assert (one.entities, one.tags) == (("Kim_Lee",), ("person",))


def test_nothing_that_can_be_read_is_an_error_and_standard_input_is_a_file(own_home: Path) -> None:
    assert own_home.exists()

    def bring(text: str, *argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "harkback", "memories", "import", *(argv or ("-",))]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    assert bring("no json\n[\n").returncode == 2
    assert bring("").returncode == 0
    some = bring('no json\n{"text": "The pump stands behind the shed"}\n')
    assert (some.returncode, some.stdout) == (0, "1 added, 1 not read\n")
    assert some.stderr == "- line 1: it is no JSON\n"


def test_a_folder_of_json_lines_is_read_too(desk: Desk, own_home: Path) -> None:
    folder = own_home / "some"
    (folder / "deep").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    for name in ("one.jsonl", "deep/two.jsonl", ".hidden/three.jsonl"):
        (folder / name).write_text(f'{{"text": "The pump of {name} is old"}}\n', encoding="utf-8")
    (folder / "facts.md").write_text("- The well is deep\n", encoding="utf-8")
    assert counts(desk.bring(str(folder))) == (3, 0, 0, 0, 0)
    assert counts(desk.bring(str(folder))) == (0, 3, 0, 0, 0)


def test_what_replaces_itself_is_refused_and_secrets_in_any_field_are_masked(desk: Desk, own_home: Path) -> None:
    key = "ghp_" + "Q7abcdefghijklmnopqrstuvwxyz01234567"
    file = own_home / "some.jsonl"
    file.write_text(
        '{"id": "k12345678", "text": "The pump is old", "supersedes": "k12345678"}\n'
        f'{{"text": "The well is deep", "project": "/w/{key}", "session": "{key}", "message": "{key}"}}\n',
        encoding="utf-8",
    )
    done = desk.bring(str(file))
    assert (done.added, done.bad) == (1, ((str(file), 1, "it is said to replace itself"),))
    for path in (own_home / "one").iterdir():
        assert key.encode() not in path.read_bytes(), path


def test_markdown_goes_out_and_comes_back(desk: Desk, other: Desk) -> None:
    one = desk.save("The roses are pruned in March:\n\nwith a sharp knife")
    two = desk.save("Order new seeds", kind=TASK)
    desk.memories.finish(two)
    desk.memories.archive(desk.save("The old fence was painted green"))
    path = desk.home / "out.md"
    MemoryFiles(desk.memories).export(str(path), form=MARKDOWN)
    assert path.read_text(encoding="utf-8") == (
        f"# Memories\n\n## Facts\n\n- The roses are pruned in March: <!-- {one} -->\n\n  with a sharp knife\n"
        f"\n## Tasks\n\n- [x] Order new seeds <!-- {two} -->\n"
    )
    assert counts(other.bring("out.md")) == (2, 0, 0, 0, 0)
    assert other.memories.find(one)[0].text == "The roses are pruned in March:\n\nwith a sharp knife"
    memory = other.memories.find(two)[0]
    assert (memory.kind, memory.status) == (TASK, DONE)


def test_a_folder_of_markdown_is_copied_in_and_not_kept(desk: Desk) -> None:
    folder = desk.home / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "one.md").write_text("# Roses\n\nPruned in March\n", encoding="utf-8")
    (folder / "facts.md").write_text("- The well is twelve metres deep\n", encoding="utf-8")
    (folder / "bad.md").write_bytes(b"\xff\xfe")
    assert counts(desk.bring("notes")) == (2, 0, 0, 0, 1)
    assert desk.texts() == {"Roses: Pruned in March", "The well is twelve metres deep"}
    assert (folder / "facts.md").read_text(encoding="utf-8") == "- The well is twelve metres deep\n"
    assert counts(desk.bring("notes"))[:2] == (0, 2)


def test_a_file_is_overwritten_only_when_asked_for(desk: Desk) -> None:
    desk.save("The roses are pruned in March")
    path = desk.home / "out.jsonl"
    path.write_text("precious", encoding="utf-8")
    with pytest.raises(errors.FileThere):
        MemoryFiles(desk.memories).export(str(path))
    assert path.read_text(encoding="utf-8") == "precious"
    assert MemoryFiles(desk.memories).export(str(path), overwrite=True).memories == 1
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(errors.FileUnwritable):
        MemoryFiles(desk.memories).export(str(desk.home / "missing" / "out.jsonl"))
    with pytest.raises(errors.FileUnreadable):
        desk.bring("missing.jsonl")


def test_the_commands(own_home: Path) -> None:
    folder = own_home / "kept"
    folder.mkdir()
    (folder / "one.md").write_text("# Roses\n\nPruned in March\n", encoding="utf-8")
    assert hark("memories", "folder", "list").out.startswith("No folder is kept in step")
    added = hark("memories", "folder", "add", str(folder))
    assert "kept in step with the memories of everywhere: 1 memory added from its files" in added.out
    assert f"in {folder / 'one.md'}\n" in hark("recall", "when are roses pruned").out
    assert hark("memories", "folder", "list", "--json").json["folders"][0]["memories"] == 1
    file = os.path.join(own_home, "out.jsonl")
    assert hark("memories", "export", file).out == f"1 memory written to {file}\n"
    assert hark("memories", "export", file).status == 2
    assert hark("memories", "export", "-").out.count("\n") == 1
    assert hark("memories", "import", file).out == "0 added, 1 kept as they are here\n"
    assert "no longer kept" in hark("memories", "folder", "remove", str(folder)).out
    assert hark("memories", "folder", "remove", str(folder)).status == 1
    assert hark("memories", "folder").status == 2
    assert hark("memories", "export").status == 2
