"""What the answers of commands that are not ours say."""

from __future__ import annotations

import pytest

from harkback.audit.calls import calls_in
from harkback.audit.results import results

FOUND = "src/a.py:3: return lamp"


@pytest.mark.parametrize(
    ("line", "answer", "expected"),
    [
        ("rg lamp src", FOUND, "hits"),
        ("rg lamp src", "Exit code 1\n", "none"),
        ("rg lamp src", "Process exited with code 1\nOutput:\n", "none"),
        ("rg lamp src", "(no output)\n\nCommand exited with code 1", "none"),
        ("rg lamp src", "", "none"),
        ("rg lamp src", "No matches found", "none"),
        ("rg 404 src", "src/a.py: return 'not found'", "hits"),
        ("rg 404 src", "no results", "hits"),
        ("rg denied src", "src/a.py: Permission denied", "hits"),
        ("rg late src", "src/a.py: timed out", "hits"),
        ("rg lamp src | head -3", "", "cut"),
        ("rg lamp src > out.txt", "", "cut"),
        ("rg lamp src", "Exit code 2\nrg: src: No such file or directory (os error 2)", "failed"),
        ("rg lamp src", "Exit code 127\nbash: rg: command not found", "failed"),
        ("rg lamp src", "bash: line 1: rg: command not found", "failed"),
        ("rg lamp src", "Command timed out after 2m 0s", "timed out"),
    ],
)
def test_an_answer_of_a_search_program(line: str, answer: str, expected: str) -> None:
    _check(line, "rg", answer, expected)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("session abc: lamp", "hits"),
        ("No results", "none"),
        ("no results found for 'lamp'.", "none"),
        ("Exit code 1\nccsi: nothing found", "none"),
        ("Found 0 matches", "none"),
        ("No results.\nTry fewer words.", "none"),
        ("lamp not found.", "none"),
        ("沒有找到符合的結果", "none"),
        ("「lamp」は見つかりません", "none"),
        ("found: a file not found error in x.py\n3 results", "hits"),
        ("session abc: file not found", "hits"),
        ("session abc: 找不到檔案", "hits"),
        ("1 result\nno matches for the lamp", "hits"),
        ("one\ntwo\nno results\nfour", "hits"),
        ("one\ntwo\nthree: Permission denied\nit timed out", "hits"),
        ("", "no output"),
        ("Exit code 1\n", "no output"),
        ("bash: ccsi: command not found", "failed"),
        ("Exit code 127\nccsi: command not found", "failed"),
        ("zsh: command not found: ccsi", "failed"),
        ("sh: 1: ccsi: not found\nExit code 127", "failed"),
        ("Exit code 3\n" + "line\n" * 9, "failed"),
        ("Traceback (most recent call last):\n" + "line\n" * 9, "failed"),
        ("Request timed out", "timed out"),
    ],
)
def test_an_answer_of_another_command(answer: str, expected: str) -> None:
    _check("ccsi lamp", "ccsi", answer, expected)


def _check(line: str, command: str, answer: str, expected: str) -> None:
    (told,) = results(calls_in(line, command), answer, command)
    assert (told.why or told.verdict) == expected
