"""`hark demo`: a sample archive in a place of its own, searched in three languages."""

from __future__ import annotations

import json
import os
import shlex
import stat
import tempfile
from shutil import rmtree
from time import time

from harkback import wire
from harkback.archive.sessions import Archive
from harkback.cli import printing
from harkback.config import Place
from harkback.query import parse

FOLDER = "harkback-demo"


def show_demo(*, as_json: bool) -> int:
    """Write the sample transcripts, read them, search them; gives 0."""
    from harkback.demo import SEARCHES, write

    base = _own_folder()
    config, data = os.path.join(base, "claude"), os.path.join(base, "archive")
    rmtree(data, ignore_errors=True)  # the sample is read anew each time, whichever version made the last one
    write(config)
    # A home of its own, so that none of the user's transcripts is even looked at.
    archive = Archive(Place(base, data), {"CLAUDE_CONFIG_DIR": config}, int(time() * 1000), base)
    _, kept = archive.sync()
    answers = []
    if not as_json:
        print(f"A sample archive of {kept.transcripts} transcripts, written for this demo, in {base}")
        print("Your own sessions and your own archive are not touched.\n")
    for query, what in SEARCHES:
        began = time()
        answer = archive.search(parse(query, archive.now_ms), limit=2)
        if not as_json:
            print(f"{what}\n$ hark search {shlex.quote(query)}")
        if as_json:
            answers.append(wire.search(answer, archive.now_ms))
        else:
            printing.search(answer, archive.now_ms, as_json=False, budget=0, seconds=time() - began)
            print()
    if as_json:
        print(json.dumps({"schema": wire.SCHEMA, "folder": base, "searches": answers}, ensure_ascii=False))
    else:
        print("Go on in the sample:  HARK_HOME=" + shlex.quote(data) + " hark search --no-sync nginx")
        print("Your own sessions:    hark search WORDS   (reads what is new first)")
    return 0


def _own_folder() -> str:
    """Give the demo's folder: always the same one, unless somebody else made it first."""
    if not hasattr(os, "getuid"):
        base = os.path.join(tempfile.gettempdir(), FOLDER)
        os.makedirs(base, exist_ok=True)
        return base
    base = os.path.join(tempfile.gettempdir(), f"{FOLDER}-{os.getuid()}")
    os.makedirs(base, mode=0o700, exist_ok=True)
    found = os.lstat(base)
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
        return base
    return tempfile.mkdtemp(prefix=FOLDER)
