"""Makes an archive with another version of the program: the fixtures of this folder.

    python tests/upgrade/make_archive.py SRC NAME

SRC is the `src` folder of that version's checkout. Written are `NAME.tar.gz`, the archive's folder as that version
left it, and `NAME.json`, what it answered. Two things are changed in the archive, for they are of the machine and not
of the version: the home folder's path becomes `HOME`, and no inode is known. The database is vacuumed.

Once made for a release, a fixture stays: it shows that what people have on their disks still opens.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from typing import Any

HOME = "/home/of/the/archive"
A = "aaaaaaaa-0000-4000-8000-00000000000a"
FORK = "bbbbbbbb-0000-4000-8000-00000000000b"
PARENT = "cccccccc-0000-4000-8000-00000000000c"
VANISHED = "dddddddd-0000-4000-8000-00000000000d"
REWRITTEN = "eeeeeeee-0000-4000-8000-00000000000e"
MTIME_NS = 1_780_000_000_000_000_000

QUERIES = (
    "驗收",
    "验收",
    "設定檔",
    "设定",
    "五台",
    "文字化け",
    "設定ファイル",
    "デプロイ",
    "deploy",
    "nginx config",
    '"rollback plan"',
    "how did we roll back the deploy",
    "zebra",
    "giraffe",
    "vanished",
    "rewritten",
    "project:proj deploy",
    "branch:feature hippo",
    "file:nginx.conf deploy",
    "in:title plan",
    "in:output error",
    "in:thinking pondering",
    "session:aaaaaaaa zebra",
    "session:bbbbbbbb zebra",
    "role:user 五台",
    "since:2026-05-02 deploy",
    "deploy -nginx",
    "absentword",
)


def row(uuid: str, session: str, minute: int, text: str, **more: Any) -> dict[str, Any]:
    """Make a prompt as Claude Code 2.1 writes it."""
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": session,
        "timestamp": f"2026-05-{1 + minute // 60:02}T10:{minute % 60:02}:00.000Z",
        "cwd": "/home/dev/proj",
        "gitBranch": "main",
        "version": "2.1.104",
        "message": {"role": "user", "content": text},
        **more,
    }


def reply(uuid: str, session: str, minute: int, *blocks: dict[str, Any]) -> dict[str, Any]:
    """Make an answer."""
    message = {"role": "assistant", "id": f"msg-{uuid}", "model": "model-1", "content": list(blocks)}
    return row(uuid, session, minute, "") | {"type": "assistant", "message": message}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def tool(name: str, number: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": number, "name": name, "input": given}


def result(uuid: str, session: str, minute: int, number: str, text: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": number, "content": text}
    return row(uuid, session, minute, "") | {"message": {"role": "user", "content": [block]}}


def transcripts() -> dict[str, list[Any]]:
    """Give the rows of every transcript, by its path below `projects`."""
    shared = [
        row("a1", A, 0, "請問驗收報告今天要交嗎?設定檔為什麼不能用那個寫法"),
        reply(
            "a2",
            A,
            1,
            {"type": "thinking", "thinking": "pondering the zebra"},
            said("這次验收没有通过,设定完成以后再部署"),
        ),
        row("a3", A, 2, "the zebra: deploy the nginx config again"),
        reply("a4", A, 3, tool("Edit", "t1", file_path="/home/dev/proj/conf/nginx.conf", old_string="x")),
        result("a5", A, 4, "t1", "error: nginx config deploy failed in parse_config()"),
    ]
    there = {"sessionId": FORK, "cwd": "/home/dev/other", "gitBranch": "feature"}
    return {
        f"-home-dev-proj/{A}.jsonl": [
            *shared,
            row("a6", A, 5, "文字化けが直りました。設定ファイルをデプロイする"),
            {"type": "ai-title", "aiTitle": "驗收 plan for the deploy", "sessionId": A},
            b'{"type":"user","uuid":"broken\0\0\n',
        ],
        f"-home-dev-other/{FORK}.jsonl": [
            *[one | there for one in shared],
            row("b6", FORK, 65, "the hippo goes on with the deploy", **there),
        ],
        f"-home-dev-proj/{PARENT}.jsonl": [
            row("c1", PARENT, 70, "看看这五台机器,how did we roll back the deploy?"),
            reply("c2", PARENT, 71, tool("Task", "t2", description="look", prompt="find the giraffe")),
            result("c3", PARENT, 73, "t2", "the giraffe is in the rollback plan"),
            reply("c4", PARENT, 74, said("The rollback plan for the deploy stands in デプロイ手順")),
        ],
        f"-home-dev-proj/{PARENT}/subagents/agent-5ab.jsonl": [
            row("s1", PARENT, 71, "find the giraffe", isSidechain=True, agentId="5ab"),
            reply("s2", PARENT, 72, said("the giraffe stands in 五台機器的設定檔"))
            | {"isSidechain": True, "agentId": "5ab"},
        ],
        f"-home-dev-proj/{VANISHED}.jsonl": [
            row("d1", VANISHED, 80, "what vanished is still found: 驗收, デプロイ, deploy"),
        ],
        f"-home-dev-proj/{REWRITTEN}.jsonl": [row("e1", REWRITTEN, 90, "before it was rewritten: ostrich")],
    }


def line(one: Any) -> bytes:
    return one if isinstance(one, bytes) else json.dumps(one, ensure_ascii=False).encode() + b"\n"


def write_home(home: str, *, is_later: bool = True) -> None:
    """Write the transcripts; `is_later` as they are when one has vanished, one was rewritten and one has grown."""
    listed = transcripts()
    growing = listed[f"-home-dev-proj/{A}.jsonl"]
    if is_later:
        del listed[f"-home-dev-proj/{VANISHED}.jsonl"]
        listed[f"-home-dev-proj/{REWRITTEN}.jsonl"] = [row("e2", REWRITTEN, 91, "rewritten since: emu, 重寫")]
    else:
        del growing[-3:]
    projects = os.path.join(home, ".claude", "projects")
    gone = os.path.join(projects, "-home-dev-proj", f"{VANISHED}.jsonl")
    if is_later and os.path.exists(gone):
        os.unlink(gone)
    for number, (name, rows) in enumerate(sorted(listed.items())):
        path = os.path.join(projects, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.writelines(line(one) for one in rows)
        when = MTIME_NS + (number + 100 * is_later) * 1_000_000_000
        os.utime(path, ns=(when, when))


def moved(database: str, old: str, new: str) -> None:
    """Let every path below `old` lie below `new`, and know no inode."""
    con = sqlite3.connect(database, isolation_level=None)
    for table in ("transcript", "folder"):
        con.execute(
            f"UPDATE {table} SET path = ?2 || substr(path, length(?1) + 1) WHERE substr(path, 1, length(?1)) = ?1",
            (old, new),
        )
    con.execute("UPDATE transcript SET inode = 0")
    con.close()


def answers(hark: Any) -> dict[str, Any]:
    """Ask everything; `hark` runs a command and gives its JSON (None where nothing was found)."""
    told: dict[str, Any] = {"search": {}, "show": {}}
    ids: set[str] = set()
    for query in QUERIES:
        answer = hark("search", "--no-sync", "--json", "-n", "50", query)
        hits = [
            {key: hit[key] for key in ("id", "session", "lane", "role", "time", "project", "title", "gone")}
            | {"copies": sorted(copy["session"] for copy in hit["copies"])}
            for hit in answer["hits"]
        ]
        told["search"][query] = {"tier": answer["tier"], "hits": sorted(hits, key=lambda hit: str(hit["id"]))}
        ids.update(hit["id"] for hit in hits)
    for one in sorted(ids):
        parts = hark("show", "--json", one)["message"]
        told["show"][one] = [{key: part[key] for key in ("lane", "role", "text")} for part in parts]
    keys = ("id", "title", "project", "branch", "messages", "parent", "relation")
    told["sessions"] = [
        {key: one[key] for key in keys} for one in hark("sessions", "--subagents", "--json")["sessions"]
    ]
    status = hark("status", "--json")
    told["status"] = {key: status["coverage"][key] for key in ("files", "messages", "problems")}
    told["problems"] = status["problem_kinds"]
    return told


def _hark(source: str, home: str, data: str) -> Any:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": source, "HOME": home, "HARK_HOME": data, "TZ": "UTC"}
    env |= {"HARK_BACKGROUND": "off"}

    def run(*argv: str) -> Any:
        program = [sys.executable, "-m", "harkback", *argv]
        done = subprocess.run(program, env=env, capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode in {0, 1}, done.stderr
        return json.loads(done.stdout) if "--json" in argv else None

    return run


def make(source: str, name: str) -> None:
    """Make both files of a fixture."""
    with tempfile.TemporaryDirectory() as base:
        home, data = os.path.join(base, "home"), os.path.join(base, "archive")
        hark = _hark(source, home, data)
        for is_later in (False, True):
            write_home(home, is_later=is_later)
            hark("sync")
        told = json.dumps(answers(hark), ensure_ascii=False, indent=1)
        database = os.path.join(data, "archive.sqlite")
        moved(database, home, HOME)
        con = sqlite3.connect(database, isolation_level=None)
        con.execute("VACUUM")
        con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        con.close()
        with tarfile.open(f"{name}.tar.gz", "w:gz") as tar:
            tar.add(data, "archive", filter=_nobody)
    with open(f"{name}.json", "w", encoding="utf-8") as file:
        file.write(told + "\n")


def _nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    make(*sys.argv[1:])
