"""Recall of the word index against grep: which sessions hold a text, and in how many of their texts.

    python bench/recall.py --make-home MAKE_HOME.py     # writes 3,000 transcripts, reads them, compares
    python bench/recall.py --home HOME                  # the same on a home that is there (read only)

The truth comes from the transcripts themselves: their rows are parsed here, not by harkback; only folding
(`harkback.text.fold`) is shared, since "equal" means equal after folding. Compared are all sessions, without the
cap on ranked candidates, through the very query that a search asks (`Asked.all`); a sample of every kind is asked
again through `Archive.search`. Ends with status 1 on any difference.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from harkback import rank
from harkback.archive.sessions import Archive
from harkback.config import Place
from harkback.engines.local import LocalEngine, Search, words
from harkback.engines.local.finding import POOL, Asked, session_counts
from harkback.query import parse
from harkback.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Counts = dict[str, int]

NOW_MS = 1_800_000_000_000
BETWEEN = "\x1e"
CJK_RUN = re.compile("[\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
LATIN = re.compile("[0-9a-z]+")
SHORTEST_PART = 3

SAMPLED = 25
"""So many queries of each kind are asked again through the front door."""


class Corpus(NamedTuple):
    """What the transcripts hold in the lanes that are searched by default."""

    sessions: dict[str, str]
    """Session id -> its folded texts, joined by BETWEEN."""

    def texts(self) -> list[str]:
        """Give every text."""
        return [text for joined in self.sessions.values() for text in joined.split(BETWEEN)]


# -- the truth ---------------------------------------------------------------------------------------------------


def corpus(home: str) -> Corpus:
    sessions: dict[str, str] = {}
    for base, _, names in os.walk(os.path.join(home, ".claude", "projects")):
        for name in sorted(names):
            if name.endswith(".jsonl"):
                with open(os.path.join(base, name), encoding="utf-8") as file:
                    rows = file.read()
                found = [text for line in rows.splitlines() for text in texts_of(json.loads(line))]
                sessions[name.removesuffix(".jsonl")] = BETWEEN.join(map(fold, found))
    return Corpus(sessions)


def texts_of(row: dict[str, Any]) -> Iterator[str]:
    """Give what was said, called and given as a title in one row; a call is its name, command and file."""
    if row["type"] == "ai-title":
        yield row["aiTitle"]
    content = row.get("message", {}).get("content", ())
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if block["type"] == "text":
            yield block["text"]
        elif block["type"] == "tool_use":
            given = block["input"]
            yield f"{block['name']} {given['command']}\n{given['file_path']}"


def grep(held: Corpus, holds: Callable[[str], bool], needle: str) -> Counts:
    """Count in every session the texts that hold something; `needle` must stand in each of them."""
    found: Counts = {}
    for session, joined in held.sessions.items():
        if needle in joined and (count := sum(holds(text) for text in joined.split(BETWEEN))):
            found[session] = count
    return found


def grep_inside(held: Corpus, query: str) -> Counts:
    return grep(held, lambda text: query in text, query)


def grep_word(held: Corpus, query: str) -> Counts:
    """Find `query` where neither a letter nor a digit stands before or after it."""
    bordered = re.compile(f"(?<![0-9a-z]){re.escape(query)}(?![0-9a-z])")
    return grep(held, lambda text: bordered.search(text) is not None, query)


class Bigrams:
    """How many texts of each session hold each two characters: one pass instead of thousands of greps."""

    def __init__(self, held: Corpus) -> None:
        self.sessions = list(held.sessions)
        self.number: dict[str, int] = {}
        self.counts = np.zeros((4096, len(self.sessions)), np.uint16)
        for at, joined in enumerate(held.sessions.values()):
            for text in joined.split(BETWEEN):
                pairs = {run[i : i + 2] for run in CJK_RUN.findall(text) for i in range(len(run) - 1)}
                rows = [self.number.setdefault(pair, len(self.number)) for pair in pairs]
                while len(self.number) > len(self.counts):
                    self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)])
                self.counts[rows, at] += 1

    def of(self, pair: str) -> Counts:
        """Count the texts that hold a pair, by session."""
        row = self.counts[self.number[pair]]
        return {self.sessions[at]: int(row[at]) for at in np.flatnonzero(row)}


# -- the index ---------------------------------------------------------------------------------------------------


class Index:
    """Asks the engine which sessions hold a query, all of them."""

    def __init__(self, archive: Archive) -> None:
        engine = LocalEngine.open(archive.place.data)
        assert engine is not None
        self.engine = engine
        listed = engine.rows.sessions(subagents=True, limit=1_000_000)
        self.native = {one.number: one.native for one in listed}

    def counts(self, query: str, *, substring: bool = False) -> Counts:
        """Count the texts that the index finds, by session."""
        search = Search(parse(query, NOW_MS), substring=substring)
        request = self.engine._request(search)  # noqa: SLF001  # the same words and filters as `find` asks for
        found: Counts = {}
        for searcher in self.engine._searchers():  # noqa: SLF001
            asked = Asked(searcher, request)
            wanted = words.filtered(asked.all(), [*request.filters, words.lanes(request.lanes)])
            for session, count in session_counts(searcher, wanted, 1_000_000).items():
                name = self.native[session]
                found[name] = found.get(name, 0) + count
        return found


# -- comparing ---------------------------------------------------------------------------------------------------


class Tally:
    """Compares and counts, and prints a line for each kind of query."""

    def __init__(self, archive: Archive, chooser: random.Random) -> None:
        self.archive = archive
        self.index = Index(archive)
        self.chooser = chooser
        self.differences = 0

    def kind(
        self, name: str, queries: Iterable[str], truth: Callable[[str], Counts], *, substring: bool = False
    ) -> None:
        """Compare the answers to some queries with the truth."""
        began = monotonic()
        asked = list(dict.fromkeys(queries))
        again = set(self.chooser.sample(asked, min(SAMPLED, len(asked))))
        sessions = missed = wrong = front = 0
        for query in asked:
            want, got = truth(query), self.index.counts(query, substring=substring)
            sessions += len(want)
            missed += sum(got.get(session, 0) < count for session, count in want.items())
            wrong += sum(want.get(session, 0) < count for session, count in got.items())
            if want != got:
                self.tell(name, query, want, got)
            if query in again:
                front += self.front_door(name, query, want, substring=substring)
        self.differences += missed + wrong + front
        took = monotonic() - began
        print(f"{name:<44}{len(asked):>7,}{sessions:>12,}{missed:>8}{wrong:>8}{front:>8}{took:>8.1f}", flush=True)

    def tell(self, name: str, query: str, want: Counts, got: Counts) -> None:
        """Name a difference on stderr."""
        missed = sorted(session for session, count in want.items() if got.get(session, 0) < count)
        wrong = sorted(session for session, count in got.items() if want.get(session, 0) < count)
        print(f"  DIFFERENT {name}: {query!r}: missed {missed[:2]}, wrong {wrong[:2]}", file=sys.stderr)

    def front_door(self, name: str, query: str, want: Counts, *, substring: bool) -> int:
        """Ask through `Archive.search`; where more match than are ranked, session by session for some of them."""
        if sum(want.values()) <= POOL:
            return self.same(name, query, set(want), self.found(query, substring=substring))
        holding = self.chooser.sample(sorted(want), 4)
        lacking = sorted(set(self.index.native.values()) - set(want))
        failures = 0
        for session in holding + self.chooser.sample(lacking, min(4, len(lacking))):
            found = self.found(f"{query} session:claude-code:{session}", substring=substring)
            failures += self.same(name, query, {session} & set(want), found)
        return failures

    def found(self, query: str, *, substring: bool) -> set[str]:
        """Name the sessions that hold every word, as a search gives them."""
        answer = self.archive.search(parse(query, NOW_MS), limit=10 * POOL, substring=substring, sync=False)
        return {hit.session.native for hit in answer.found.hits if hit.tier in (rank.PHRASE, rank.ALL)}

    def same(self, name: str, query: str, want: set[str], got: set[str]) -> int:
        """Count how many sessions differ, and name them on stderr."""
        if want != got:
            print(
                f"  DIFFERENT through search, {name}: {query!r}: missed {sorted(want - got)[:2]},"
                f" wrong {sorted(got - want)[:2]}",
                file=sys.stderr,
            )
        return len(want ^ got)


# -- which queries -----------------------------------------------------------------------------------------------


class Choice:
    """Cuts queries out of the texts."""

    def __init__(self, held: Corpus, chooser: random.Random) -> None:
        self.chooser = chooser
        texts = held.texts()
        self.cjk = [run for text in texts for run in CJK_RUN.findall(text)]
        self.kana = [word for run in self.cjk for word in re.findall("[ァ-ヶー]{3,}", run)]
        self.paths = [path for text in texts for path in re.findall(r"[a-z]+/[a-z]+\.ts$|proj-[0-9]+", text)]
        self.ids = [word for text in texts for word in re.findall(r"\bneedle[0-9]+x\b", text)]
        self.latin = {word for text in texts for word in LATIN.findall(text)}
        self.words = sorted(word for word in self.latin if len(word) > SHORTEST_PART + 1)

    def runs(self, length: int, number: int) -> Iterator[str]:
        """Cut CJK runs of this length."""
        while number:
            run = self.chooser.choice(self.cjk)
            if len(run) >= length:
                at = self.chooser.randint(0, len(run) - length)
                yield run[at : at + length]
                number -= 1

    def absent_pairs(self, bigrams: Bigrams, number: int) -> Iterator[str]:
        """Two characters that both occur and never stand side by side."""
        signs = sorted({sign for pair in bigrams.number for sign in pair})
        while number:
            pair = self.chooser.choice(signs) + self.chooser.choice(signs)
            if pair not in bigrams.number:
                yield pair
                number -= 1

    def torn_runs(self, bigrams: Bigrams, held: Corpus, number: int) -> Iterator[str]:
        """Three characters of which each two stand side by side somewhere, all three nowhere (中文本)."""
        by_first: dict[str, list[str]] = {}
        for pair in bigrams.number:
            by_first.setdefault(pair[0], []).append(pair[1])
        pairs = list(bigrams.number)
        while number:
            pair = self.chooser.choice(pairs)
            torn = pair + self.chooser.choice(by_first.get(pair[1]) or [pair[0]])
            if torn[1:] in bigrams.number and not any(torn in joined for joined in held.sessions.values()):
                yield torn
                number -= 1

    def inner(self, number: int, *, letters: bool) -> Iterator[str]:
        """Parts of words, cut from their inside; with `letters` only letters that are no word by themselves.

        A search takes in other English forms of a word, which grep does not know: parts that have one are left out.
        """
        forms: dict[str, list[str]] = {}
        for word in self.latin:
            forms.setdefault(words.stem(word), []).append(word)
        while number:
            word = self.chooser.choice(self.words)
            length = self.chooser.randint(SHORTEST_PART, len(word) - 1)
            at = self.chooser.randint(0, len(word) - length)
            part = word[at : at + length]
            near = forms.get(words.stem(part), [])
            if not near and part.isalpha() if letters else all(part in form for form in near):
                yield part
                number -= 1

    def some(self, values: list[str], number: int) -> list[str]:
        """Choose among the distinct values."""
        distinct = sorted(set(values))
        return self.chooser.sample(distinct, min(number, len(distinct)))


def vocabulary(script: str) -> list[str]:
    """Cut two characters from every word of the generator's Chinese and Japanese lists."""
    with open(script, encoding="utf-8") as file:
        source = file.read()
    lists = re.findall(r'^(?:ZH|JA) = \(?((?:\s*"[^"]+")+)', source, re.MULTILINE)
    listed = [fold(word) for quoted in lists for word in "".join(re.findall('"([^"]+)"', quoted)).split()]
    return [word[i : i + 2] for word in listed for i in range(len(word) - 1)]


def compare(archive: Archive, home: str, script: str, seed: int) -> int:
    began = monotonic()
    held = corpus(home)
    bigrams = Bigrams(held)
    chooser = random.Random(seed)
    choice = Choice(held, chooser)
    tally = Tally(archive, chooser)
    texts = sum(joined.count(BETWEEN) + 1 for joined in held.sessions.values())
    print(f"{len(held.sessions):,} sessions, {texts:,} texts read in {monotonic() - began:.1f} s\n")
    print(f"{'queries':<44}{'number':>7}{'sessions':>12}{'missed':>8}{'wrong':>8}{'search':>8}{'s':>8}")

    def inside(query: str) -> Counts:
        return grep_inside(held, query)

    def word(query: str) -> Counts:
        return grep_word(held, query)

    if script:
        listed = [pair for pair in vocabulary(script) if pair in bigrams.number]
        tally.kind("two characters, the generator's words", listed, bigrams.of)
    tally.kind("two characters, every pair that occurs", bigrams.number, bigrams.of)
    for length in (1, 3, 4, 6):
        tally.kind(f"random runs of {length}", choice.runs(length, 200), inside)
    tally.kind("Japanese words in kana", choice.some(choice.kana, 200), inside)
    tally.kind("pairs that never stand side by side", choice.absent_pairs(bigrams, 200), lambda _: {})
    tally.kind("runs of 3 torn apart", choice.torn_runs(bigrams, held, 200), lambda _: {})
    tally.kind("identifiers", choice.some(choice.ids, 200), word)
    tally.kind("paths", choice.some(choice.paths, 200), word)
    tally.kind("parts of words, --substring", choice.inner(100, letters=False), inside, substring=True)
    tally.kind("parts of identifiers, --substring", parts(choice.ids), inside, substring=True)
    tally.kind("parts of words, automatic", choice.inner(100, letters=True), inside)
    print(f"\n{tally.differences} differences")
    return min(1, tally.differences)


def parts(names: list[str]) -> list[str]:
    return [name[2:9] for name in sorted(set(names))] + [name[-5:] for name in sorted(set(names))]


# -- the home ----------------------------------------------------------------------------------------------------


def make(script: str, home: str, files: int, seed: int) -> None:
    command = [sys.executable, script, home, "--claude", str(files), "--seed", str(seed)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    add_titles(home, random.Random(seed))


def add_titles(home: str, chooser: random.Random) -> None:
    """Give every tenth session a title of its own, cut from what is said in it, backwards."""
    for base, _, names in os.walk(os.path.join(home, ".claude", "projects")):
        for name in sorted(names)[::10]:
            with open(os.path.join(base, name), "a+", encoding="utf-8") as file:
                file.seek(0)
                texts = [text for line in file for text in texts_of(json.loads(line))]
                title = chooser.choice(texts).replace("\n", " ")[40:0:-1].strip() or "無題"
                row = {"type": "ai-title", "aiTitle": title, "sessionId": name.removesuffix(".jsonl")}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def main() -> int:
    about = (__doc__ or "").partition("\n")[0]
    options = argparse.ArgumentParser(description=about)
    options.add_argument("--make-home", metavar="SCRIPT", default="", help="the generator of homes")
    options.add_argument("--home", default="", help="a home that is there already")
    options.add_argument("--files", type=int, default=3000, help="transcripts to generate (3000)")
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    if not given.home and not given.make_home:
        options.error("give --make-home or --home")
    with tempfile.TemporaryDirectory() as folder:
        home = given.home or os.path.join(folder, "home")
        if not given.home:
            make(given.make_home, home, given.files, given.seed)
        archive = Archive(Place(home, os.path.join(folder, "archive")), {}, NOW_MS, folder)
        report, kept = archive.sync()
        print(f"{kept.transcripts:,} transcripts, {kept.messages:,} messages read in {report.seconds:.1f} s")
        return compare(archive, home, given.make_home, given.seed)


if __name__ == "__main__":
    sys.exit(main())
