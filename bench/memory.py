"""Measure that no transcript, however odd, breaks the bound on memory, and that what stands around the oddity is found.

    python -m bench.memory [--size-gb 2]

Each case is a home with one transcript: ordinary lines, the oddity, ordinary lines. The files need `--size-gb` of disk.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from bench._common import (
    Figures,
    Line,
    arguments,
    claude_row,
    environment,
    hark,
    must,
    run,
    synced,
    workspace,
    write_claude,
)

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from typing import BinaryIO

ANON_MB = 400.0
LINE_BYTES = 40_000_000
CHUNK = b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0" * 28_000
"""About a megabyte that looks like base64."""

EARLY, LATE = "wordbeforetheoddity", "wordaftertheoddity"


class Case(NamedTuple):
    """An oddity; `write` puts it into the file."""

    name: str
    write: Callable[[BinaryIO, int], None]


def holes(file: BinaryIO, size: int) -> None:
    """Write zeros as a hole: a crash can leave such a file."""
    file.seek(size, os.SEEK_CUR)
    file.write(b"\n")


def base64_without_newline(file: BinaryIO, size: int) -> None:
    """Write what an agent leaves that keeps attachments in one never-ending line."""
    file.write(b'{"type":"user","message":{"role":"user","content":"')
    file.writelines(CHUNK for _ in range(size // len(CHUNK)))
    file.write(b"\n")


def _long(role: str, content: object) -> bytes:
    row = claude_row("s", "/bench", Line(role, "", int(time.time() * 1000)), None)
    row["message"]["content"] = content
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def long_output(file: BinaryIO, _: int) -> None:
    """Write a line of 40 MB that is a tool's output, stored twice as the client does."""
    text = "one line of a tool's output, with words in it\n" * (LINE_BYTES // 92)
    row = json.loads(_long("user", [{"type": "tool_result", "tool_use_id": "t", "content": text}]))
    file.write(json.dumps({**row, "toolUseResult": {"stdout": text}}).encode() + b"\n")


def long_prompt(file: BinaryIO, _: int) -> None:
    """Write a line of 40 MB that a person pasted, half Chinese."""
    file.write(_long("user", "把這個檔案的內容全部貼上來 and some words that follow 請看。\n" * (LINE_BYTES // 82)))


def long_image(file: BinaryIO, _: int) -> None:
    """Write a line of 40 MB that is an image."""
    data = (CHUNK * (LINE_BYTES // len(CHUNK) + 1))[:LINE_BYTES].decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    file.write(_long("user", [{"type": "image", "source": source}]))


def many_numbers(file: BinaryIO, _: int) -> None:
    """Write a line of 40 MB that decodes into millions of small objects."""
    row = json.loads(_long("user", [{"type": "tool_result", "tool_use_id": "t", "content": "numbers"}]))
    file.write(json.dumps({**row, "toolUseResult": {"n": list(range(1, LINE_BYTES // 9))}}).encode() + b"\n")


CASES = (
    Case("{size:g} GB of zeros without a newline", holes),
    Case("{size:g} GB of base64 without a newline", base64_without_newline),
    Case("a 40 MB line of tool output", long_output),
    Case("a 40 MB line that was pasted", long_prompt),
    Case("a 40 MB line with an image", long_image),
    Case("a 40 MB line of numbers", many_numbers),
)


def measure(figures: Figures, case: Case, folder: str, size_gb: float) -> None:
    """Write a transcript with the oddity in its middle, read it, look for the words around."""
    name = case.name.format(size=size_gb)
    home, data = os.path.join(folder, "home"), os.path.join(folder, "archive")
    now = int(time.time() * 1000)
    native, path, _ = write_claude(home, "bench", [Line("user", f"a question with {EARLY}", now)])
    with open(path, "r+b") as file:
        file.seek(0, os.SEEK_END)
        case.write(file, int(size_gb * 1e9))
        file.write(json.dumps(claude_row(native, "/bench", Line("user", f"and {LATE}", now + 1000), None)).encode())
        file.write(b"\n")
    sync = synced(home, data)
    figures.add(f"{name}: peak RssAnon", sync.peak_anon_mb, "MB", at_most=ANON_MB)
    figures.add(f"{name}: sync", sync.seconds, "s")
    env = environment(home, data)
    found = sum(run(hark("search", "--no-sync", word), env).status == 0 for word in (EARLY, LATE))
    figures.add(f"{name}: words found around it, of 2", found, at_least=2)
    search = run(hark("search", "--no-sync", "words"), env)
    figures.add(f"{name}: peak RssAnon of a search", search.peak_anon_mb, "MB", at_most=ANON_MB)
    status = json.loads(must(run(hark("status", "--json"), env)).stdout)
    figures.add(f"{name}: problems kept", status["coverage"]["problems"])
    os.remove(path)


def main(options: Namespace) -> None:
    figures = Figures("memory")
    with workspace(options.work) as folder:
        for number, case in enumerate(CASES):
            measure(figures, case, os.path.join(folder, f"memory-{os.getpid()}-{number}"), options.size_gb)
    figures.finish(options.out)


if __name__ == "__main__":
    ARGUMENTS = arguments(__doc__)
    ARGUMENTS.add_argument("--size-gb", type=float, default=2.0, help="size of the files without a newline (2)")
    main(ARGUMENTS.parse_args())
