"""Which calls a shell line holds: one row for each way in which agents write them."""

from __future__ import annotations

import pytest

from harkback.audit.calls import calls_in

CASES: list[tuple[str, list[tuple[str, str]]]] = [
    # plain calls and quoting
    ("hark search 驗收", [("search", "驗收")]),
    ("hark search lock timeout", [("search", "lock timeout")]),
    ("hark search 'lock timeout'", [("search", "lock timeout")]),
    ('hark search "lock timeout"', [("search", "lock timeout")]),
    ("hark search '\"lock timeout\" -redis'", [("search", '"lock timeout" -redis')]),
    ('hark search "\\"lock timeout\\" -redis"', [("search", '"lock timeout" -redis')]),
    ("hark search it\\'s", [("search", "it's")]),
    ("hark search lock\\ timeout", [("search", "lock timeout")]),
    ("hark search $'a\\tb'", [("search", "a\tb")]),
    ("hark search 'C++' # what we said", [("search", "C++")]),
    ("hark search issue#12", [("search", "issue#12")]),
    ("hark search 'a;b' | cat", [("search", "a;b")]),
    ("hark search 'a && b'", [("search", "a && b")]),
    ("  hark   search\tport  ", [("search", "port")]),
    ("hark search \\\n  port", [("search", "port")]),
    # options
    ("hark search -n 5 port", [("search", "port")]),
    ("hark search port -n5 -C2", [("search", "port")]),
    ("hark search --since 7d --project shop-api port", [("search", "port")]),
    ("hark search --since=7d port --json", [("search", "port")]),
    ("hark search -- --no-cache", [("search", "--no-cache")]),
    ("hark search build --no-cache", [("search", "build --no-cache")]),
    ("hark recall '部署' --history", [("recall", "部署")]),
    ("hark show m7jzdc5znaekc -C 3", [("show", "m7jzdc5znaekc")]),
    ("hark remember 'the lamp is green' --kind fact", [("remember", "the lamp is green")]),
    ("hark status", [("status", "")]),
    ("hark", [("", "")]),
    ("hark --version", [("", "")]),
    ("hark --help", [("help", "")]),
    ("hark search --help", [("help", "")]),
    ("hark search port -h", [("help", "")]),
    ("hark search -- --help", [("search", "--help")]),
    # several in one line
    ("hark search a; hark search b", [("search", "a"), ("search", "b")]),
    ("hark search a && hark search b", [("search", "a"), ("search", "b")]),
    ("hark search a || hark search b", [("search", "a"), ("search", "b")]),
    ("hark search a\nhark search b", [("search", "a"), ("search", "b")]),
    ("hark search a & hark recall b & wait", [("search", "a"), ("recall", "b")]),
    ("(hark search a; hark search b) | head -5", [("search", "a"), ("search", "b")]),
    ("{ hark search a; hark search b; } 2>&1", [("search", "a"), ("search", "b")]),
    ("hark search a | grep x; echo done; hark show m12345678", [("search", "a"), ("show", "m12345678")]),
    ("cd /w && hark search a", [("search", "a")]),
    ("make test; hark search '紅燈' && git status", [("search", "紅燈")]),
    ('for q in a b; do hark search "$q"; done', [("search", "$q")]),
    ("if hark search a >/dev/null; then echo yes; else hark recall a; fi", [("search", "a"), ("recall", "a")]),
    ('while read q; do hark search "$q"; done < list', [("search", "$q")]),
    ("! hark search a", [("search", "a")]),
    ("function g { hark search a; }; g", [("search", "a")]),
    ("function g {\n  hark search a\n}\nhark search b", [("search", "a"), ("search", "b")]),
    ("function g() { hark search a; }", [("search", "a")]),
    ("g() { hark search a; }", [("search", "a")]),
    ("find . -name '*.md' -exec hark search port \\;", [("search", "port")]),
    ("find . -exec hark search {} + -exec echo x ';' | head", [("search", "{}")]),
    ("sudo find . -execdir sh -c 'hark search a; hark recall b' \\;", [("search", "a"), ("recall", "b")]),
    ("find . -ok hark show m12345678 \\; ; hark search a", [("show", "m12345678"), ("search", "a")]),
    ("arr=($(hark search a) b)", [("search", "a")]),
    ("arr=(x y)\nhark search a", [("search", "a")]),
    # pipes and redirections
    ("hark search a | head -1", [("search", "a")]),
    ("hark search a 2>/dev/null | wc -l", [("search", "a")]),
    ("hark search a > out.txt 2>&1", [("search", "a")]),
    ("hark search a >out.txt", [("search", "a")]),
    ("hark search a &> out.txt", [("search", "a")]),
    ("hark search a |& tail -3", [("search", "a")]),
    ("hark search 2>&1 a", [("search", "a")]),
    ("2>/dev/null hark search a", [("search", "a")]),
    ("hark search --json a | jq '.hits[0]'", [("search", "a")]),
    ("echo port | xargs hark search", [("search", "")]),
    ("echo port | xargs -n 1 hark search --json", [("search", "")]),
    # where it is called from
    ("/x/.venv/bin/hark search a", [("search", "a")]),
    ("~/.local/bin/hark search a", [("search", "a")]),
    ('"/home/me/my tools/hark" search a', [("search", "a")]),
    ("'C:\\Users\\me\\hark.exe' search a", [("search", "a")]),
    ("uv run hark search a", [("search", "a")]),
    ("uv run --project /w/x hark search a", [("search", "a")]),
    ("uvx --from harkback hark search a", [("search", "a")]),
    ("uv tool run --from harkback hark search a", [("search", "a")]),
    ("uv tool run hark search a", [("search", "a")]),
    ("pipx run --spec harkback hark search a", [("search", "a")]),
    ("python -m harkback search a", [("search", "a")]),
    ("/usr/bin/python3.12 -X utf8 -m harkback search a", [("search", "a")]),
    ("uv run python -m harkback recall a", [("recall", "a")]),
    ("poetry run hark search a", [("search", "a")]),
    ("sudo -u me hark status", [("status", "")]),
    ("time hark search a", [("search", "a")]),
    ("time -p hark search a", [("search", "a")]),
    ("time -p { hark search a; }", [("search", "a")]),
    ("/usr/bin/time -f %e hark search a", [("search", "a")]),
    ("timeout 20 hark search a", [("search", "a")]),
    ("timeout -k 5 20s hark search a", [("search", "a")]),
    ("nohup nice -n 10 hark sync &", [("sync", "")]),
    ("command hark search a", [("search", "a")]),
    ("exec hark mcp", [("mcp", "")]),
    ("HARK_HOME=/tmp/x hark search a", [("search", "a")]),
    ("LANG=C A='b c' hark search a", [("search", "a")]),
    ("env -i HARK_HOME=/tmp/x PATH=$PATH hark search a", [("search", "a")]),
    ("env -u X hark search a", [("search", "a")]),
    # shells inside, substitutions, here documents
    ('bash -lc "hark search a"', [("search", "a")]),
    ("bash -lc 'hark search \"lock timeout\" | head -3'", [("search", "lock timeout")]),
    ("/bin/sh -c 'cd /w; hark search a; hark search b'", [("search", "a"), ("search", "b")]),
    ("bash -e -c 'hark search a'", [("search", "a")]),
    ('eval "hark search a"', [("search", "a")]),
    ("X=$(hark search a)", [("search", "a")]),
    ('echo "found: $(hark search "lock timeout" | wc -l)"', [("search", "lock timeout")]),
    ("echo `hark search a`", [("search", "a")]),
    ("diff <(hark search a) <(hark search b)", [("search", "a"), ("search", "b")]),
    ('hark search "$(cat q.txt)"', [("search", "$(cat q.txt)")]),
    ("hark remember - <<'EOF'\n- hark search is fast\nEOF", [("remember", "-")]),
    ("bash <<'EOF'\nhark search a\nEOF", [("search", "a")]),
    ("cat <<EOF\nhark search a\nEOF\nhark search b", [("search", "b")]),
    ("cat <<-EOF > notes\n\thark search a\n\tEOF\nhark search b", [("search", "b")]),
    ("hark search - <<< port", [("search", "-")]),
    # no calls
    ("arr=(hark search foo)", []),
    ("declare -a arr+=(\n  hark search foo\n)", []),
    ("find . -name hark", []),
    ("find hark -exec echo hark \\;", []),
    ("echo hark search a", []),
    ("echo 'x; hark search a'", []),
    ("# hark search a", []),
    ("git commit -m 'hark search a; hark recall b'", []),
    ("grep -rn 'hark search' docs", []),
    ("which hark", []),
    ("command -v hark", []),
    ("harken search a", []),
    ("cat /x/hark/README.md", []),
    ("python -m harkback_tools search a", []),
    ("python -c 'print(1)' hark search a", []),
    ("cd hark && make", []),
    ("", []),
    ("for hark in a b; do echo $hark; done", []),
    # what no shell takes
    ("hark search 'never closed", [("search", "never closed")]),
    ('hark search "never $(closed', [("search", "never $(closed")]),
    ("hark search a |", [("search", "a")]),
    (")) hark search a", [("search", "a")]),
]


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_calls_in_a_line(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.action, one.query) for one in calls_in(line)] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ccsi 驗收", [("", "驗收")]),
        ("ccsi --limit=5 '驗收 清單' --json", [("", "驗收 清單")]),
        ("ccsi search 驗收", [("search", "驗收")]),
        ("cd /w; /opt/bin/ccsi a | head -1 && ccsi b", [("", "a"), ("", "b")]),
        ("bash -lc 'ccsi a'", [("", "a")]),
        ("ccsi -n 5 驗收", [("", "驗收")]),
        ("ccsi search -n 5 --json 驗收", [("search", "驗收")]),
        ("ccsi 404 -n 5", [("", "404")]),
        ("ccsi -q port", [("", "port")]),
        ("ccsi search --help", [("help", "")]),
        ("ccsi -- --no-cache", [("", "--no-cache")]),
        ("hark search a", []),
        ("echo ccsi a", []),
    ],
)
def test_calls_of_another_command(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.action, one.query) for one in calls_in(line, "ccsi")] == expected


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("rg foo src", "foo"),
        ("rg -n 404 src", "404"),
        ("rg -C 3 -g '*.py' foo src", "foo"),
        ("rg -e foo src", "foo"),
    ],
)
def test_what_a_search_program_was_asked(line: str, query: str) -> None:
    assert [one.query for one in calls_in(line, "rg")] == [query]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hark search a", ()),
        ("hark search a | head -1", ("head",)),
        ("hark search a | grep x | wc -l", ("grep", "wc")),
        ("hark search a | cat", ()),
        ("hark search a > out.txt", ("file",)),
        ("hark search a 2>/dev/null", ()),
        ("hark search a >/dev/null 2>&1", ("file",)),
        ("hark search a 2>&1 | tail -3", ("tail",)),
        ("function g { hark search a; } | head -2", ("head",)),
        ("(function g { hark search a; }; g) | head -2", ("head",)),
        ("arr=($(hark search a))", ("variable",)),
        ("find . -exec hark search a \\; | head -2", ("head",)),
        ("(hark search a; echo x) | sed -n 1,3p", ("sed",)),
        ("for q in a; do hark search $q; done | head -2", ("head",)),
        ("{ hark search a; } > out.txt", ("file",)),
        ("X=$(hark search a)", ("variable",)),
        ("bash -c 'hark search a' | /usr/bin/head -3", ("head",)),
        ("echo x | hark remember -", ()),
    ],
)
def test_what_stands_between_an_answer_and_its_reader(line: str, expected: tuple[str, ...]) -> None:
    (one,) = calls_in(line)
    assert one.cuts == expected


def test_options_are_kept_for_looking_again() -> None:
    (one,) = calls_in("hark search --since 7d --project=shop --all -n 3 'file:x.conf port' --substring")
    assert one.query == "file:x.conf port"
    assert one.options == (("since", "7d"), ("project", "shop"))
    assert one.flags == ("all", "substring")


@pytest.mark.parametrize(("query", "is_known"), [("'$HOME'", True), ('"$q"', False), ("`x`", False), ("a*", True)])
def test_a_query_that_only_the_shell_knew(query: str, is_known: bool) -> None:
    (one,) = calls_in(f"hark search {query}")
    assert one.is_known == is_known


def test_a_monstrous_line_costs_little() -> None:
    assert calls_in("(" * 5000 + '"' * 3 + "$(" * 5000 + "hark search a") is not None
    assert len(calls_in("hark search a; " * 2000)) == 2000


def test_options_with_a_value_are_those_of_the_parser() -> None:
    from harkback.audit.calls import VALUED
    from harkback.cli.parser import _commands, _option_names, parser

    for command in ("search", "recall", "show", "events", "sessions"):
        alone, valued = _option_names(_commands(parser())[command])
        assert valued <= VALUED, command
        assert not alone & VALUED, command


def test_what_find_fills_in_is_not_known() -> None:
    (one,) = calls_in("find . -exec hark search {} \\;")
    assert not one.is_known
    (one,) = calls_in("find . -exec hark search a \\;")
    assert one.is_known


def test_help_is_no_search() -> None:
    assert [one.is_search for line in ("hark search a", "hark search --help") for one in calls_in(line)] == [
        True,
        False,
    ]
    assert [one.is_search for line in ("ccsi a", "ccsi a --help") for one in calls_in(line, "ccsi")] == [True, False]
