"""Data folders on odd machines: strange names, links, other people's files, disks that may not be written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from harkback.engines.local import schema
from harkback.errors import RemoteFolder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.test_full_disk import disk, fill
    from tests.crash.test_full_disk import hark as run
    from tests.crash.test_read_only import hark as run_without_rights
    from tests.crash.worlds import World, say
else:
    from test_full_disk import disk, fill
    from test_full_disk import hark as run
    from test_read_only import hark as run_without_rights
    from worlds import World, say

__all__ = ("disk",)

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other names and rights")
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
NOBODY = 65534

NAMES = (
    "a b",
    " lead and trail ",
    "資料 夾/驗收",
    "データ",
    "it's",
    'so "called"',
    "100%",
    "%41%2f",
    "what?mode=memory",
    "c#1",
    "a&b;c=d",
    "back\\slash",
    "-dash",
    "~tilde",
    "$HOME `x` *[1]",
    "new\nline",
    "e\u0301a\u0308",
    "🚀",
    "x" * 200,
)

READING: tuple[list[str], ...] = (
    ["search", "apple"],
    ["search", "--no-sync", "apple"],
    ["status"],
    ["sessions"],
    ["sources"],
    ["show", "claude-code:a"],
    ["resume", "claude-code:a"],
    ["events"],
    ["events", "--no-sync", "--stats"],
    [],
)
WRITING = (["sync"], ["sync", "--full"], ["rebuild"])
EVERY = (*READING, *WRITING)


def assert_says(done: subprocess.CompletedProcess[str], *reasons: str) -> None:
    """It failed, in one clear sentence that holds one of the reasons."""
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("hark: "), done.stderr
    assert done.stderr.count("\n") == 1
    assert any(reason in done.stderr for reason in reasons), done.stderr


def assert_answers(done: subprocess.CompletedProcess[str]) -> None:
    """It said what the archive of one stored message holds."""
    assert any(
        mark in done.stdout
        for mark in ("apple one", "1 message", "1 transcript", "1 on disk", "resume a", '"text":', "prompt 2")
    ), done


def assert_works(world: World) -> None:
    """Everything works, also when there is news and from a second process's eyes."""
    world.write("a", [say("u1", "apple 驗收 one")])
    for argv in (["sync"], ["status"], ["show", "claude-code:a"], ["events", "--no-sync"], ["rebuild"]):
        done = run(world, *argv)
        assert done.returncode == 0, (argv, done.stderr)
        assert "Traceback" not in done.stderr
    world.append("a", [say("u2", "apple two", minute=1)])
    done = run(world, "search", "apple")
    assert "apple 驗收 one" in done.stdout
    assert "apple two" in done.stdout
    assert "archive.sqlite" in os.listdir(world.data)
    state = World(world.base, os.path.realpath(world.data)).state()
    assert state.documents == state.parts


@needs_posix
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_data_folder_may_have_any_name(name: str, world: World) -> None:
    world.data = str(world.base / name / "archive")
    assert_works(world)
    assert sorted(os.listdir(os.path.dirname(world.data))) == ["archive"], "nothing lies beside it"


@needs_posix
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_home_folder_may_have_any_name(name: str, world: World) -> None:
    assert_works(World(world.base / name))


@needs_posix
@pytest.mark.parametrize("how", ["/{0}/twice", "{0}/./dots/../dots", "{0}/slash/", "relative", "./relative", "../up"])
def test_a_data_folder_may_be_written_in_any_way(how: str, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.base / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    world.data = how.format(world.base)
    assert_works(world)
    assert os.path.realpath(world.data).startswith(os.path.realpath(world.base))


@needs_posix
def test_a_tilde_in_the_data_folder_is_the_home(world: World) -> None:
    world.write("a", [say("u1", "apple")])
    tilde = world.beside("unused")
    tilde.data = "~/deep/archive"
    assert run(tilde, "sync").returncode == 0
    assert os.path.exists(os.path.join(world.home, "deep", "archive", "archive.sqlite"))


@needs_posix
def test_a_data_folder_whose_name_is_no_text_is_refused(world: World) -> None:
    world.write("a", [say("u1", "apple")])
    world.data = str(world.base / os.fsdecode(b"bytes\xff"))
    for argv in EVERY:
        assert_says(run(world, *argv), "HARK_HOME: ")
    assert not os.path.exists(world.data)


@needs_posix
def test_transcripts_whose_path_is_no_text_do_not_keep_others_from_being_read(world: World) -> None:
    world.write("a", [say("u1", "apple one")])
    world.write(os.fsdecode(b"-odd\xff/b"), [say("u2", "apple two", "b", 1)])
    world.write(os.fsdecode(b"odd\xfe"), [say("u3", "apple three", "c", 2)])
    for argv in EVERY:
        done = run(world, *argv)
        assert done.returncode == 0, (argv, done.stderr)
        assert "Traceback" not in done.stderr
    assert world.found("apple") == ["apple one"]
    world.write(os.fsdecode(b"late\xfd"), [say("u4", "apple four", "d", 3)])
    world.write("e", [say("u5", "apple five", "e", 4)])
    assert world.found("apple") == ["apple five", "apple one"]


@needs_posix
def test_transcripts_whose_path_is_no_text_are_counted_and_named(world: World) -> None:
    world.write("a", [say("u1", "apple one")])
    assert run(world, "sync").stderr == ""
    assert "problems   none" in run(world, "status").stdout
    world.write(os.fsdecode(b"odd\xfe"), [say("u3", "apple three", "c", 2)])
    assert "1 transcript cannot be read, the path not being UTF-8: hark status names it" in run(world, "sync").stderr
    world.write(os.fsdecode(b"-odd\xff/b"), [say("u2", "apple two", "b", 1)])
    assert "2 transcripts cannot be read" in run(world, "sync").stderr
    said = run(world, "status").stdout
    assert "problems   path-not-utf-8 2" in said
    assert "odd\ufffd.jsonl at byte 0: path-not-utf-8: it is not read; rename the file or folder" in said
    assert "pending    nothing" in said
    assert "not read yet" not in run(world, "sources").stdout


@needs_posix
def test_one_may_stand_in_a_folder_that_was_deleted_or_whose_name_is_no_text(world: World) -> None:
    world.write("a", [say("u1", "apple one")])
    odd = world.base / os.fsdecode(b"odd\xff")
    gone = world.base / "gone"
    env = os.environ | {"HOME": world.home, "HARK_HOME": world.data}
    for folder, leave in ((odd, "true"), (gone, f"rmdir '{gone}'")):
        folder.mkdir()
        script = f"{leave}; exec '{sys.executable}' -P -m harkback search apple"
        done = subprocess.run(
            ["/bin/sh", "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "apple one" in done.stdout


# -- links, files ------------------------------------------------------------------------------------------------


@needs_posix
def test_a_link_to_a_folder_is_a_data_folder(world: World) -> None:
    real = world.base / "real"
    real.mkdir()
    os.symlink(real, world.data)
    assert_works(world)
    assert os.path.islink(world.data)
    straight = world.beside("real")
    assert straight.found("apple", sync=False) == world.found("apple", sync=False)


@needs_posix
@pytest.mark.parametrize("argv", EVERY, ids=" ".join)
@pytest.mark.parametrize("target", ["nowhere", "data", "nowhere/below"])
def test_a_link_that_leads_nowhere_is_named_and_nothing_is_made_behind_it(
    argv: list[str], target: str, world: World
) -> None:
    """The disk that it leads to is not mounted: what is made now would be hidden, or fill the wrong disk."""
    world.write("a", [say("u1", "apple")])
    os.symlink(world.base / target, world.data)
    assert_says(run(world, *argv), "which is not there", "Too many levels", os.strerror(errno.ELOOP))
    assert sorted(os.listdir(world.base)) == ["data", "home"]
    assert os.path.islink(world.data)


@needs_posix
@pytest.mark.parametrize("argv", EVERY, ids=" ".join)
@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_in_place_of_the_data_folder_is_named_and_left_alone(argv: list[str], below: str, world: World) -> None:
    world.write("a", [say("u1", "apple")])
    file = world.base / "data"
    file.write_bytes(b"precious")
    world.data = os.path.join(file, below) if below else str(file)
    assert_says(run(world, *argv), f"The archive in {world.data} cannot be opened (Not a directory)")
    assert file.read_bytes() == b"precious"
    assert sorted(os.listdir(world.base)) == ["data", "home"]


@needs_posix
@pytest.mark.parametrize("argv", EVERY, ids=" ".join)
def test_a_folder_in_place_of_the_database_is_named(argv: list[str], world: World) -> None:
    world.write("a", [say("u1", "apple")])
    os.makedirs(os.path.join(world.data, "archive.sqlite"))
    assert_says(run(world, *argv), f"The archive in {world.data} cannot be")


# -- somebody else's -----------------------------------------------------------------------------------------------


def give_away(path: str, mode: int) -> None:
    """Let a file, or a folder with all that is in it, belong to somebody else."""
    for base, _, names in os.walk(path):
        for name in names:
            os.chown(os.path.join(base, name), NOBODY, NOBODY)
            os.chmod(os.path.join(base, name), mode & 0o666)
        os.chown(base, NOBODY, NOBODY)
        os.chmod(base, mode)
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, mode if os.path.isdir(path) else mode & 0o666)


@pytest.fixture
def stored(world: World) -> World:
    """Give an archive of one message with another one unread."""
    world.write("a", [say("u1", "apple one")])
    world.sync()
    world.append("a", [say("u2", "apple two", minute=1)])
    return world


def part(world: World, which: str) -> str:
    if which == "words":
        [which] = [name for name in os.listdir(world.data) if name.startswith("words")]
    return os.path.join(world.data, which)


@needs_root
@pytest.mark.parametrize("mode", [0o700, 0o755], ids=oct)
@pytest.mark.parametrize("which", [".", "archive.sqlite", "words", "sync.lock"])
def test_where_somebody_else_owns_the_archive_every_command_answers_or_says_so(
    which: str, mode: int, stored: World
) -> None:
    """As after a `sudo hark sync`; never is it said that there is no archive, or that nothing was found."""
    give_away(part(stored, which), mode)
    before = sorted(os.listdir(stored.data))
    for argv in EVERY:
        done = run_without_rights(stored, *argv)
        assert "Traceback" not in done.stderr, (argv, done.stderr)
        if done.returncode == 0:
            assert argv in READING, argv
            assert_answers(done)
            continue
        assert_says(done, f"The archive in {stored.data} cannot be")
        assert "Check who owns" in done.stderr
    assert [name for name in sorted(os.listdir(stored.data)) if not name.endswith(("-shm", "-wal"))] == [
        name for name in before if not name.endswith(("-shm", "-wal"))
    ]
    assert sorted(text for (text,) in stored.sql("SELECT text FROM part WHERE pos >= 0")) == ["apple one"]


@needs_root
def test_transcripts_of_somebody_else_are_passed_over_and_named(world: World) -> None:
    world.write("a", [say("u1", "apple one")])
    world.write("-closed/b", [say("u2", "apple two", "b", 1)])
    world.write("c", [say("u3", "apple three", "c", 2)])
    give_away(os.path.dirname(world.path("-closed/b")), 0o700)
    give_away(world.path("c"), 0o600)
    done = run_without_rights(world, "search", "apple")
    assert done.returncode == 0, done.stderr
    assert "apple one" in done.stdout
    assert "apple two" not in done.stdout
    assert "apple three" not in done.stdout
    assert "unreadable" in run_without_rights(world, "status").stdout
    assert "-closed" in run_without_rights(world, "sources").stdout
    for path in (os.path.dirname(world.path("-closed/b")), world.path("c")):
        os.chmod(path, 0o755)
    os.chmod(world.path("-closed/b"), 0o644)
    done = run_without_rights(world, "search", "apple")
    assert all(text in done.stdout for text in ("apple one", "apple two", "apple three")), done.stdout


@pytest.mark.parametrize("code", [errno.EACCES, errno.EPERM, errno.EIO, errno.ESTALE, errno.ENOTCONN])
def test_a_folder_that_cannot_be_looked_into_is_not_an_archive_that_is_not_there(
    code: int, stored: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulated, for those who run the tests as themselves: a closed folder, a dying disk, a share that went away."""
    from harkback.engines.local import LocalEngine
    from harkback.errors import ArchiveUnreadable

    stat = os.stat

    def refusing(path: str, *args: object, **options: object) -> os.stat_result:
        if str(path).endswith("archive.sqlite"):
            raise OSError(code, os.strerror(code), path)
        return stat(path, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", refusing)
    with pytest.raises(ArchiveUnreadable, match="Check who owns the folder"):
        LocalEngine.open(stored.data)


# -- disks -------------------------------------------------------------------------------------------------------


@pytest.fixture
def mounted(disk: Path, world: World) -> Iterator[World]:
    """Give an archive on a disk that is mounted read-only, with a message unread."""
    world.write("a", [say("u1", "apple one")])
    on_disk = World(world.base, "disk/archive")
    assert run(on_disk, "sync").returncode == 0
    world.append("a", [say("u2", "apple two", minute=1)])
    remount = ["mount", "-o", "remount,ro", str(disk)]
    done = subprocess.run(remount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted read-only here: {done.stderr.strip()}")
    yield on_disk
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def test_on_a_read_only_mount_every_command_answers_or_says_so(mounted: World) -> None:
    for argv in EVERY:
        done = run(mounted, *argv)
        assert "Traceback" not in done.stderr, (argv, done.stderr)
        if done.returncode == 0:
            assert argv in READING, argv
            assert_answers(done)
        else:
            assert_says(done, f"The archive in {mounted.data} cannot be")


def test_what_a_read_only_mount_kept_from_being_read_is_read_later(mounted: World) -> None:
    run(mounted, "sync")
    disk = os.path.dirname(mounted.data)
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    found = run(mounted, "search", "apple").stdout  # not in this process, whose files would keep the disk busy
    assert "apple one" in found
    assert "apple two" in found


def test_an_archive_cannot_be_made_on_a_read_only_mount_and_that_is_said(disk: Path, world: World) -> None:
    world.write("a", [say("u1", "apple")])
    if subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=False).returncode:
        pytest.skip("nothing can be mounted read-only here")
    on_disk = World(world.base, "disk/archive")
    try:
        for argv in (["sync"], ["search", "apple"], ["events"]):
            assert_says(run(on_disk, *argv), f"The archive in {on_disk.data} cannot be written (Read-only file system)")
        for argv in (["status"], ["sessions"], ["rebuild"]):
            assert_says(run(on_disk, *argv), "There is no archive")
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def test_transcripts_on_a_read_only_mount_are_read(disk: Path, world: World) -> None:
    home = World(disk)
    home.data = world.data
    home.write("a", [say("u1", "apple one")])
    if subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=False).returncode:
        pytest.skip("nothing can be mounted read-only here")
    try:
        for argv in EVERY:
            done = run(home, *argv)
            assert done.returncode == 0, (argv, done.stderr)
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


@pytest.mark.parametrize("left_kb", [0, 60])
@pytest.mark.parametrize("argv", READING, ids=" ".join)
def test_on_a_full_disk_every_reading_command_answers_or_says_so(
    argv: list[str], left_kb: int, disk: Path, world: World
) -> None:
    world.write("a", [say("u1", "apple one")])
    on_disk = World(world.base, "disk/archive")
    assert run(on_disk, "sync").returncode == 0
    world.append("a", [say("u2", "apple two", minute=1)])
    fill(disk, left_kb)
    done = run(on_disk, *argv)
    assert "Traceback" not in done.stderr, done.stderr
    if done.returncode:
        assert_says(done, "is full", f"The archive in {on_disk.data} cannot be")
    else:
        assert_answers(done)


MOUNTS = """\
/dev/vda / ext4 rw 0 0
nas:/home /home/me/my\\040files nfs4 rw 0 0
tmpfs /home/me/my\\040files/fast tmpfs rw 0 0
//win/share /mnt/back\\134slash cifs rw 0 0
me@far:/ /mnt/far fuse.sshfs rw 0 0
/dev/vdb /mnt/far/again ext4 rw 0 0
nas:/x /mnt/twice nfs rw 0 0
/dev/vdc /mnt/twice ext4 rw 0 0
""".splitlines()


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/archive", "ext4"),
        ("/home/me/my files", "nfs4"),
        ("/home/me/my files/archive", "nfs4"),
        ("/home/me/my files too/archive", "ext4"),
        ("/home/me/my files/fast/archive", "tmpfs"),
        ("/mnt/back\\slash/archive", "cifs"),
        ("/mnt/far/archive", "fuse.sshfs"),
        ("/mnt/far/again/archive", "ext4"),
        ("/mnt/farther", "ext4"),
        ("/mnt/twice/archive", "ext4"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_mount_it_lies_on(folder: str, kind: str) -> None:
    assert schema._file_system(folder, MOUNTS) == kind


def test_a_network_folder_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("a", [say("u1", "apple")])
    monkeypatch.setattr(schema, "_file_system", lambda *_: "nfs4")
    if not os.path.exists("/proc/self/mounts"):
        pytest.skip("only Linux has this table")
    with pytest.raises(RemoteFolder, match="nfs4"):
        world.sync()
