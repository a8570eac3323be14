"""`hark demo`: a sample archive in a place of its own, searched in three languages."""

from __future__ import annotations

import os
import shlex
import tempfile
from time import time

from harkback.archive.sessions import Archive
from harkback.cli import printing
from harkback.config import Place
from harkback.query import parse

FOLDER = "harkback-demo"


def show_demo(*, as_json: bool) -> int:
    """Write the sample transcripts, read them, search them; gives 0."""
    from harkback.demo import SEARCHES, write

    base = os.path.join(tempfile.gettempdir(), f"{FOLDER}-{os.getuid()}" if hasattr(os, "getuid") else FOLDER)
    os.makedirs(base, mode=0o700, exist_ok=True)
    config, data = os.path.join(base, "claude"), os.path.join(base, "archive")
    write(config)
    # A home of its own, so that none of the user's transcripts is even looked at.
    archive = Archive(Place(base, data), {"CLAUDE_CONFIG_DIR": config}, int(time() * 1000), base)
    report, kept = archive.sync()
    if not as_json:
        print(f"A sample archive of {kept.transcripts} transcripts, written for this demo, in {base}")
        print("Your own sessions and your own archive are not touched.\n")
    for query, what in SEARCHES:
        began = time()
        answer = archive.search(parse(query, archive.now_ms), limit=2)
        if not as_json:
            print(f"{what}\n$ hark search {shlex.quote(query)}")
        printing.search(answer, as_json=as_json, budget=0, seconds=time() - began)
        if not as_json:
            print()
    if not as_json:
        print("Go on in the sample:  HARK_HOME=" + shlex.quote(data) + " hark search --no-sync nginx")
        print("Your own sessions:    hark search WORDS   (reads what is new first)")
    return 0
