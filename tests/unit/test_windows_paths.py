r"""Paths as Windows writes them: drives, backslashes, shares (`\\server\share`), letters of either case.

Only functions that look at a path and not at the disk; they answer the same on every system, for transcripts are
carried from one machine to another.
"""

from __future__ import annotations

import ntpath
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from harkback.agents import resume_argv, resume_env
from harkback.engines.local import engine, schema
from harkback.engines.local.labels import base_name
from harkback.ingest import projects
from harkback.model import StoredSession
from harkback.query import parse
from harkback.sources import claude_code, codex, pi

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

UUID = "0199a213-81c0-7800-8aa1-bbab2a035a53"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("C:\\repo\\conf\\nginx.conf", "nginx.conf"),
        ("c:\\Repo\\Conf\\NGINX.conf", "nginx.conf"),
        ("C:/repo/conf/nginx.conf", "nginx.conf"),
        ("C:\\repo/conf\\nginx.conf", "nginx.conf"),
        ("C:\\repo\\", "repo"),
        ("C:\\", "c:"),
        ("C:", "c:"),
        ("\\\\server\\share\\repo", "repo"),
        ("\\\\server\\share\\", "share"),
        ("\\\\?\\C:\\very\\long", "long"),
        ("\\\\wsl$\\Ubuntu\\home\\dev\\proj", "proj"),
        ("conf\\nginx.conf", "nginx.conf"),
        ("C:\\Program Files\\資料 夾\\驗收.md", "驗收.md"),
        ("/home/dev/proj", "proj"),
        ("/", ""),
        ("", ""),
    ],
)
def test_the_last_part_of_a_path_is_its_name(path: str, name: str) -> None:
    assert base_name(path) == name


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("C:\\repo\\conf\\nginx.conf", "nginx.conf", True),
        ("C:\\repo\\conf\\nginx.conf", "conf\\nginx.conf", True),
        ("C:\\repo\\conf\\nginx.conf", "conf/nginx.conf", True),
        ("C:\\repo\\conf\\nginx.conf", "c:/REPO/conf/nginx.conf", True),
        ("c:\\repo\\conf\\nginx.conf", "C:\\repo\\conf\\nginx.conf", True),
        ("C:\\repo\\conf\\nginx.conf", "onf\\nginx.conf", False),
        ("C:\\repo\\conf\\nginx.conf", "D:\\repo\\conf\\nginx.conf", False),
        ("\\\\server\\share\\proj", "//server/share/proj", True),
        ("\\\\server\\share\\proj", "share\\proj\\", True),
        ("\\\\server\\share\\proj", "\\\\other\\share\\proj", False),
    ],
)
def test_a_file_or_project_is_named_with_either_slash_and_in_either_case(name: str, value: str, *, fits: bool) -> None:
    for kind in ("file", "project"):
        assert engine._is_name(kind, name, value) is fits


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("file:C:\\repo\\nginx.conf", "C:\\repo\\nginx.conf"),
        ("file:c:/repo/nginx.conf", "c:/repo/nginx.conf"),
        ("file:\\\\server\\share\\x.py", "\\\\server\\share\\x.py"),
        ('file:"C:\\Program Files\\x y.conf"', "C:\\Program Files\\x y.conf"),
        ("file:conf\\nginx.conf", "conf\\nginx.conf"),
        ("檔案:C:\\資料\\驗收.md", "C:\\資料\\驗收.md"),
        ("project:C:\\repo\\", "C:\\repo\\"),
        ('project:"C:\\my repo\\"', "C:\\my repo\\"),
        ("path:D:\\x", "D:\\x"),
    ],
)
def test_a_filter_takes_a_windows_path_as_it_is(typed: str, value: str) -> None:
    query = parse(f"{typed} deploy", 0)
    assert [one.values for one in query.filters] == [(value,)]
    assert [[word.text for word in clause.words] for clause in query.clauses] == [["deploy"]]
    assert not query.notes


@pytest.mark.parametrize("typed", ["C:\\repo\\nginx.conf", "d:/x", "\\\\server\\share", "file://server/share"])
def test_a_windows_path_alone_is_words(typed: str) -> None:
    query = parse(typed, 0)
    assert not query.filters
    assert [[word.text for word in clause.words] for clause in query.clauses] == [[typed]]


# -- projects: the disk is made up -----------------------------------------------------------------------------------


def windows(monkeypatch: pytest.MonkeyPatch, folders: Iterable[str] = (), files: dict[str, str] | None = None) -> None:
    """Let the module see Windows' rules for paths and these folders and files; Windows takes names in either case."""
    there = {ntpath.normcase(path) for path in folders}
    texts = {ntpath.normcase(path): text for path, text in (files or {}).items()}
    path = SimpleNamespace(
        join=ntpath.join,
        dirname=ntpath.dirname,
        normpath=ntpath.normpath,
        isdir=lambda path: ntpath.normcase(path) in there,
        isfile=lambda path: ntpath.normcase(path) in texts,
    )

    class File:
        def __init__(self, path: str) -> None:
            self.text = texts[ntpath.normcase(path)]

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def readline(self, _: int) -> str:
            return self.text

    monkeypatch.setattr(projects, "os", SimpleNamespace(path=path))
    monkeypatch.setattr(projects, "open", lambda path, **_: File(path), raising=False)


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("C:\\repo", "C:\\repo"),
        ("C:\\repo\\src\\deep", "C:\\repo"),
        ("c:\\repo\\src", "C:\\repo"),
        ("C:\\other\\src", "C:\\other\\src"),
        ("C:\\", "C:\\"),
        ("d:\\", "D:\\"),
        ("\\\\server\\share\\repo\\src", "\\\\server\\share\\repo"),
        ("\\\\server\\share\\", "\\\\server\\share\\"),
        ("\\\\server\\share\\no", "\\\\server\\share\\no"),
        ("", ""),
    ],
)
def test_the_project_is_the_repository_above(cwd: str, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    windows(monkeypatch, ["C:\\repo\\.git", "\\\\server\\share\\repo\\.git"])
    assert projects.project_of(cwd) == project


@pytest.mark.parametrize(
    ("mark", "project"),
    [
        ("gitdir: C:/repo/.git/worktrees/wt\n", "C:\\repo"),  # as git for Windows writes it
        ("gitdir: C:\\repo\\.git\\worktrees\\wt\n", "C:\\repo"),
        ("gitdir: ../repo/.git/worktrees/wt\n", "C:\\repo"),
        ("gitdir: //server/share/repo/.git/worktrees/wt\n", "\\\\server\\share\\repo"),
        ("gitdir: C:/repo/.git/modules/sub\n", "C:\\wt"),
        ("nonsense", "C:\\wt"),
    ],
)
def test_a_worktree_belongs_to_its_repository_in_the_same_spelling(
    mark: str, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows(monkeypatch, ["C:\\repo\\.git"], {"C:\\wt\\.git": mark})
    assert projects.project_of("C:\\wt\\src") == project
    assert projects.project_of("C:\\repo\\src") == "C:\\repo"


def test_a_windows_folder_that_was_carried_to_another_system_is_its_own_project() -> None:
    assert projects.project_of("C:\\Users\\dev\\nowhere") == "C:\\Users\\dev\\nowhere"


# -- resuming --------------------------------------------------------------------------------------------------------


def stored(agent: str, path: str, **more: Any) -> StoredSession:
    fields = dict.fromkeys(StoredSession._fields, "") | {"agent": agent, "path": path, "native": UUID, "is_gone": False}
    return StoredSession(**{**fields, **more})


@pytest.mark.parametrize(
    ("agent", "path", "argv", "env"),
    [
        ("claude-code", "C:\\Users\\dev\\.claude\\projects\\C--w\\x.jsonl", ["claude", "--resume", UUID], {}),
        (
            "claude-code",
            "D:\\agents\\work\\projects\\C--w\\x.jsonl",
            ["claude", "--resume", UUID],
            {"CLAUDE_CONFIG_DIR": "D:\\agents\\work"},
        ),
        (
            "claude-code",
            "\\\\server\\share\\cc\\projects\\C--w\\x.jsonl",
            ["claude", "--resume", UUID],
            {"CLAUDE_CONFIG_DIR": "\\\\server\\share\\cc"},
        ),
        ("codex", "C:\\Users\\dev\\.codex\\sessions\\2026\\05\\01\\rollout-x.jsonl", ["codex", "resume", UUID], {}),
        (
            "codex",
            "E:\\codex\\archived_sessions\\rollout-x.jsonl",
            ["codex", "resume", UUID],
            {"CODEX_HOME": "E:\\codex"},
        ),
        ("pi", "C:\\Users\\dev\\.pi\\agent\\sessions\\--C--w--\\x.jsonl", ["pi", "--session", UUID], {}),
        ("pi", "D:\\pi\\x.jsonl", ["pi", "--session", "D:\\pi\\x.jsonl"], {}),
        ("pi", "C:\\Users\\dev\\.openclaw\\agents\\main\\sessions\\x.jsonl", [], {}),
        ("pi", "C:\\Users\\dev\\.omp\\agent\\sessions\\w\\x.jsonl", [], {}),
    ],
)
def test_a_session_is_resumed_from_windows_folders(agent: str, path: str, argv: list[str], env: dict[str, str]) -> None:
    session = stored(agent, path)
    assert resume_argv(session) == argv
    assert resume_env(session) == env


# -- where transcripts lie -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cwd", "folder"),
    [
        ("C:\\Users\\dev\\my proj", "C--Users-dev-my-proj"),
        ("c:\\w", "c--w"),
        ("\\\\server\\share\\proj", "--server-share-proj"),
        ("C:\\資料", "C----"),
    ],
)
def test_claude_code_names_a_folder_after_a_windows_path(cwd: str, folder: str) -> None:
    assert claude_code._path_of("root", cwd, UUID).replace("\\", "/") == f"root/projects/{folder}/{UUID}.jsonl"


@pytest.mark.parametrize("session", ["..\\..\\secret", "C:\\secret", "../secret", "\\\\server\\x", "CON:"])
def test_a_session_id_that_is_a_path_names_no_transcript(session: str) -> None:
    assert claude_code._path_of("root", "C:\\w", session) == ""


@pytest.mark.parametrize(
    ("path", "native"),
    [
        (f"C:\\Users\\dev\\.pi\\agent\\sessions\\--C--w--\\2026-05-01T10-00-00-000Z_{UUID}.jsonl", UUID),
        (f"C:/Users/dev/.pi/agent/sessions/--C--w--/2026-05-01T10-00-00-000Z_{UUID}.jsonl", UUID),
        (f"\\\\server\\share\\{UUID}.jsonl", UUID),
        (f"C:\\x\\{UUID}.jsonl.reset.2026-03-06T05-00-00.000Z", UUID),
        (UUID, UUID),
    ],
)
def test_pi_names_a_session_after_its_file_whichever_system_wrote_the_path(path: str, native: str) -> None:
    assert pi.native_of(path) == native


@pytest.mark.parametrize("end", [".jsonl", ".jsonl.zst"])
def test_natives_are_made_of_names_alone_and_have_no_backslash(end: str) -> None:
    assert codex._native(f"rollout-2026-05-01T10-00-00-{UUID}{end}") == UUID
    assert claude_code._native(f"{UUID}.jsonl", "") == UUID
    assert claude_code._native("agent-5ab.jsonl", UUID) == f"{UUID}/5ab"


@pytest.mark.parametrize(
    ("path", "sep", "uri"),
    [
        ("C:\\Users\\dev\\a b", "\\", "file:/C:/Users/dev/a b?mode=ro"),
        ("C:\\100%\\q#1", "\\", "file:/C:/100%25/q%231?mode=ro"),
        ("\\\\server\\share\\x", "\\", "file:////server/share/x?mode=ro"),
        ("/home/dev/x", "/", "file:/home/dev/x?mode=ro"),
        ("/home/back\\slash", "/", "file:/home/back\\slash?mode=ro"),
        ("//home/dev", "/", "file:////home/dev?mode=ro"),
        ("/what?/x", "/", "file:/what%3f/x?mode=ro"),
    ],
)
def test_the_address_of_the_database_names_its_path_and_no_host(path: str, sep: str, uri: str) -> None:
    assert schema._uri(path, "ro", sep) == uri
