"""Measure how well questions find what answers them, on public sets, by gold id and without a model as judge.

DRCD (Traditional Chinese) and JSQuAD (Japanese): every paragraph is one message, every question a query; the gold is
the message that holds the paragraph. Once each paragraph is a session of its own, as the sets mean it; once ten of
one article share a session, so that the cap on hits per session shows what it costs.

RealMem (English): every dialogue is a session, every marked turn a query at the time it was asked; the gold is the
set of earlier sessions named beside the answer, found with `--by session`.

    python -m bench.retrieval --eval FOLDER [--only drcd,jsquad,realmem] [--misses N]

FOLDER holds `drcd/`, `jsquad/` and `realmem/`. The transcripts are read from disk by the archive itself and every
query goes through `Archive.search`, as the command line's does.
"""

from __future__ import annotations

import calendar
import glob
import json
import os
import statistics
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from bench._common import Figures, Line, arguments, need, workspace, write_claude

from harkback.archive.sessions import Archive
from harkback.config import Place
from harkback.query import Filter, parse

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    from harkback.search.answer import Hit

TOP = 10
HOUR_MS = 3_600_000
BEGAN_MS = calendar.timegm((2026, 5, 1, 0, 0, 0)) * 1000
"""When the first paragraph was said; all follow within some days, so that age decides nothing."""

# any@1, any@5, any@10, MRR@10 of the sets' own plain baseline (FTS5 over the same bigrams); any@1 and any@10 are bars.
BASELINE = {"drcd": (0.940, 0.990, 0.995, 0.962), "jsquad": (0.904, 0.961, 0.975, 0.929)}
REALMEM_ANY10 = 0.83


class Asked(NamedTuple):
    """A query and how it went: rank of the first gold hit (0: none), share of the gold found, time."""

    query: str
    rank: int
    recall: float
    ms: float


def report(figures: Figures, name: str, asked: list[Asked], label: str) -> None:
    """Add the figures of one set."""
    base = BASELINE.get(name)
    figures.add(f"{label}: queries", len(asked))
    for number, k in enumerate((1, 5, 10)):
        bar = base[number] if base and k != 5 else REALMEM_ANY10 if not base and k == 10 else None
        note = f"baseline {base[number]:.3f}" if base else ""
        share = sum(0 < one.rank <= k for one in asked) / len(asked)
        figures.add(f"{label}: any@{k}", round(share, 3), at_least=bar, note=note)  # the bars have three places
    mrr = sum(1 / one.rank for one in asked if one.rank) / len(asked)
    figures.add(f"{label}: MRR@10", round(mrr, 3), note=f"baseline {base[3]:.3f}" if base else "")
    if not base:
        figures.add(f"{label}: recall@10", round(statistics.mean(one.recall for one in asked), 3))
    times = sorted(one.ms for one in asked)
    figures.add(f"{label}: median", statistics.median(times), "ms")
    figures.add(f"{label}: 95th percentile", times[int(len(times) * 0.95)], "ms")


def print_misses(name: str, asked: list[Asked], most: int) -> None:
    """Print the first queries whose gold is not the first hit."""
    for one in [one for one in asked if one.rank != 1][:most]:
        print(f"{name} rank {one.rank or '-'}: {one.query[:200]}")


# -- paragraphs -------------------------------------------------------------------------------------------------------


class Paragraph(NamedTuple):
    """A text and the questions it answers."""

    text: str
    questions: tuple[str, ...]


def paragraphs(path: str) -> Iterator[Paragraph]:
    """Read a SQuAD-like file."""
    with open(path, encoding="utf-8") as file:
        articles = json.load(file)["data"]
    for article in articles:
        for one in article["paragraphs"]:
            yield Paragraph(one["context"], tuple(qa["question"] for qa in one["qas"]))


def paragraph_set(found: list[Paragraph], folder: str, per_session: int, *, meaning: bool) -> list[Asked]:
    """Write paragraphs as messages, read them, ask every question."""
    home = os.path.join(folder, "home")
    gold: dict[tuple[str, int], int] = {}
    for first in range(0, len(found), per_session):
        some = found[first : first + per_session]
        # An assistant's messages: a person's first prompt would become the session's title, a second copy of it.
        lines = [Line("assistant", one.text, BEGAN_MS + (first + n) * 60_000) for n, one in enumerate(some)]
        _, path, offsets = write_claude(home, "eval", lines)
        gold.update({(path, offset): first + n for n, offset in enumerate(offsets)})
    archive = Archive(Place(home, os.path.join(folder, "data")), {}, BEGAN_MS + 48 * HOUR_MS, home)
    archive.sync()
    while meaning and archive.make_vectors():
        pass
    asked: list[Asked] = []
    for number, one in enumerate(found):
        asked += [_ask_message(archive, question, number, gold, meaning=meaning) for question in one.questions]
    return asked


def _ask_message(
    archive: Archive, question: str, number: int, gold: dict[tuple[str, int], int], *, meaning: bool
) -> Asked:
    began = time.perf_counter()
    answer = archive.search(parse(question, archive.now_ms), limit=TOP, sync=False, meaning=meaning)
    took = (time.perf_counter() - began) * 1000
    ranks = [rank for rank, hit in enumerate(answer.found.hits, 1) if number in _numbers(hit, gold)]
    return Asked(question, ranks[0] if ranks else 0, float(bool(ranks)), took)


def _numbers(hit: Hit, gold: dict[tuple[str, int], int]) -> set[int | None]:
    """Say which paragraphs a hit is: its own place, and the copies folded into it."""
    places = [(hit.part.path, hit.part.offset), *((copy.path, copy.offset) for copy in hit.copies)]
    return {gold.get(place) for place in places}


# -- sessions ---------------------------------------------------------------------------------------------------------


class Question(NamedTuple):
    """A turn that needs what earlier sessions said."""

    text: str
    at_ms: int
    gold: frozenset[str]


def dialogues(path: str, home: str) -> list[Question]:
    """Write the dialogues of one person as sessions; gives the marked turns with their gold sessions' native ids."""
    with open(path, encoding="utf-8") as file:
        sessions = json.load(file)["dialogues"]
    natives: dict[str, str] = {}
    questions: list[Question] = []
    start = 0
    for session in sessions:
        day = calendar.timegm(time.strptime(session["current_time"].split()[0], "%Y-%m-%d")) * 1000
        start = max(day, start + HOUR_MS)  # several on one day, and some out of order, follow one another
        turns = session["dialogue_turns"]
        for turn, answer in pairwise(turns):
            if turn.get("is_query") is True:
                # Only earlier sessions count: neither the one that asks nor one that is yet to come.
                gold = {natives[key] for key in answer.get("memory_session_uuids") or () if key in natives}
                if gold:
                    questions.append(Question(turn["content"], start, frozenset(gold)))
        lines = [Line(turn["speaker"].lower(), turn["content"], start + n * 1000) for n, turn in enumerate(turns)]
        natives[session["session_uuid"]], _, _ = write_claude(home, "eval", lines)
    return questions


def session_set(paths: Iterable[str], folder: str) -> list[Asked]:
    """Ask every marked turn of every person, each in an archive of that person's own."""
    asked: list[Asked] = []
    for path in sorted(paths):
        name = os.path.basename(path).split(".")[0]
        home = os.path.join(folder, name, "home")
        questions = dialogues(path, home)
        place = Place(home, os.path.join(folder, name, "data"))
        Archive(place, {}, questions[-1].at_ms, home).sync()
        asked += [_ask_session(Archive(place, {}, one.at_ms, home), one) for one in questions]
    return asked


def _ask_session(archive: Archive, one: Question) -> Asked:
    query = parse(one.text, archive.now_ms)
    # As it was when the question was asked: what came later had not been said.
    query = query._replace(filters=(*query.filters, Filter("until", (), until_ms=one.at_ms)))
    began = time.perf_counter()
    answer = archive.search(query, limit=TOP, sync=False, by_session=True)
    took = (time.perf_counter() - began) * 1000
    natives = [{hit.session.native, *(copy.session.native for copy in hit.copies)} for hit in answer.found.hits]
    ranks = [rank for rank, some in enumerate(natives, 1) if some & one.gold]
    recall = len(one.gold.intersection(*([set().union(*natives)] if natives else [set()]))) / len(one.gold)
    return Asked(one.text, ranks[0] if ranks else 0, recall, took)


def main(options: Namespace) -> None:
    evaluation = need(options.eval, "--eval")
    figures = Figures("retrieval")
    with workspace(options.work) as folder:
        for name in options.only.split(","):
            place = os.path.join(folder, f"retrieval-{os.getpid()}-{name}")
            files = sorted(glob.glob(os.path.join(glob.escape(evaluation), name, "*.json")))
            if not files:
                sys.exit(f"nothing for {name} under {evaluation}")
            if name == "realmem":
                asked = session_set(files, place)
                report(figures, name, asked, name)
                print_misses(name, asked, options.misses)
            else:
                found = [one for path in files for one in paragraphs(path)]
                for size in options.per_session.split(","):
                    asked = paragraph_set(found, f"{place}-{size}", int(size), meaning=options.meaning)
                    report(figures, name, asked, f"{name}, {size} a session")
                    print_misses(name, asked, options.misses)
    figures.finish(options.out)


if __name__ == "__main__":
    ARGUMENTS = arguments(__doc__, eval="folder with drcd/, jsquad/ and realmem/")
    ARGUMENTS.add_argument("--meaning", action="store_true", help="look at meaning too (DRCD and JSQuAD)")
    ARGUMENTS.add_argument("--only", default="drcd,jsquad,realmem", help="sets to measure, joined by commas")
    ARGUMENTS.add_argument("--per-session", default="1,10", help="paragraphs a session, joined by commas (1,10)")
    ARGUMENTS.add_argument("--misses", type=int, default=0, help="print so many queries whose gold is not first")
    main(ARGUMENTS.parse_args())
