"""Agents' settings, however they are written: what is put in is taken out again, byte for byte."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from harkback.agents import claude_code, gemini, json_edits, text_block, toml_table
from harkback.agents.json_edits import Edit, Server
from harkback.agents.json_text import NoJson, added, parse, removed
from harkback.agents.program import Unfit, Wanted

WANTED = Wanted(context=True)
EDITS: list[Edit] = [*claude_code.hooks(WANTED), Server(("mcpServers", "harkback"), claude_code.server(WANTED))]
BLANKS = st.sampled_from(["", "", " ", "\n", "\n  ", "\t", "\n\t", " // one, {two}\n  ", "/* [three] */", "\n\n    "])
KEYS = st.sampled_from(["hooks", "UserPromptSubmit", "SessionEnd", "mcpServers", "a", "b b", "文字", "\\u0061x"])
SCALARS = st.sampled_from(["1", "-2.5e3", "true", "null", '""', '"a // b"', '"\\"q\\""', '"文"', '"hark"'])


@st.composite
def values(draw: st.DrawFn, depth: int = 3) -> str:
    """Write a value with blanks and comments wherever they may stand."""
    kind = draw(st.sampled_from("oooaas" if depth else "s"))
    if kind == "s":
        return draw(SCALARS)
    if kind == "a":
        inner = draw(st.lists(values(depth=depth - 1), max_size=3))
        return draw(boxed("[", inner, "]"))
    keys = draw(st.lists(KEYS, max_size=4, unique=True))
    return draw(
        boxed("{", [f'"{key}"{draw(BLANKS)}:{draw(BLANKS)}{draw(values(depth=depth - 1))}' for key in keys], "}")
    )


@st.composite
def boxed(draw: st.DrawFn, start: str, inner: list[str], end: str) -> str:
    text = start + draw(BLANKS)
    for number, one in enumerate(inner):
        is_last = number == len(inner) - 1
        comma = draw(st.sampled_from(["", "", ","])) if is_last else ","
        text += one + draw(BLANKS) + comma + draw(BLANKS)
    return text + end


HOOKS = st.sampled_from(
    [
        '{"hooks": {}}',
        '{"hooks": {"UserPromptSubmit": []}}',
        '{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"other"}]}]}}',
        '{\n\t"hooks": {\n\t\t"Stop": [], // theirs\n\t},\n}',
        '{"mcpServers": {"x": {"command": "y"}, }, }',
        '{\n  "a": 1 // note\n}',
        "",
        "\n",
    ]
)
DOCUMENTS = st.one_of(
    HOOKS,
    st.builds(lambda head, value, tail: head + value + tail, BLANKS, values(), BLANKS),
)
ENDS = st.sampled_from(["\n", "\r\n"])


def with_ends(text: str, end: str) -> str:
    return text.replace("\n", end)


@settings(max_examples=400, deadline=None)
@given(DOCUMENTS, ENDS)
@example('{"a":1,}', "\n")
def test_settings_in_any_layout_come_back_byte_for_byte(text: str, end: str) -> None:
    text = with_ends(text, end)
    try:
        changed = json_edits.put(text, EDITS)
    except Unfit:
        return
    assert json_edits.put(changed, EDITS) == changed, "twice is once"
    found = parse(changed).value
    assert found["mcpServers"]["harkback"]["args"] == ["mcp"]
    assert "hark hook" in json.dumps(found["hooks"]["UserPromptSubmit"])
    assert json_edits.take(changed, EDITS, text) == text
    assert json_edits.take(text, EDITS, text) == text, "where nothing is ours, nothing is taken"


@settings(max_examples=200, deadline=None)
@given(values())
def test_others_values_are_never_touched(text: str) -> None:
    before = parse(text).value
    if not isinstance(before, dict):
        return
    try:
        changed = json_edits.put(text, EDITS)
    except Unfit:
        return
    after: Any = parse(changed).value
    rest = {key: value for key, value in after.items() if key not in {"hooks", "mcpServers"}}
    assert rest == {key: value for key, value in before.items() if key not in {"hooks", "mcpServers"}}
    assert list(after)[: len(before)] == list(before)


@settings(max_examples=300, deadline=None)
@given(values(), ENDS, st.sampled_from([{}, {"x": [1, {"y": 2}]}, [], "文", 3]))
def test_what_is_added_to_a_box_is_removed_again(text: str, end: str, value: object) -> None:
    text = with_ends(text, end)
    box = parse(text)
    if not isinstance(box.value, (dict, list)):
        return
    changed = added(text, box, "new key" if isinstance(box.value, dict) else "", value)
    again = parse(changed)
    wanted = {**box.value, "new key": value} if isinstance(box.value, dict) else [*box.value, value]
    assert again.value == wanted
    assert removed(changed, again, len(again.items) - 1) == text


@settings(max_examples=200, deadline=None)
@given(values(), st.integers(0, 5))
def test_any_member_can_be_taken_out_and_the_rest_stays(text: str, number: int) -> None:
    box = parse(text)
    if not box.items:
        return
    number %= len(box.items)
    left = parse(removed(text, box, number)).value
    if isinstance(box.value, dict):
        assert left == {key: one for key, one in box.value.items() if key != box.items[number].key}
    else:
        assert left == [one for at, one in enumerate(box.value) if at != number]


@settings(max_examples=200, deadline=None)
@given(DOCUMENTS | st.text(alphabet='{}[]",:/*1a \n\\'))
def test_any_text_is_read_as_json_reads_it_or_refused(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        return
    try:
        assert parse(text).value == json.loads(text)
    except NoJson as error:
        if "twice" not in str(error):
            raise


LINES = st.lists(st.sampled_from(["", "# Head", "text", "- item", "<!-- x -->", "文字", "  "]), max_size=6)


@settings(max_examples=300, deadline=None)
@given(LINES, ENDS, st.booleans(), LINES)
def test_a_block_comes_out_of_any_page_again(lines: list[str], end: str, is_ended: bool, more: list[str]) -> None:
    text = end.join(lines) + (end if is_ended else "")
    changed = text_block.put(text, "one\ntwo")
    assert text_block.put(changed, "one\ntwo") == changed
    assert text_block.take(changed, text) == text
    assert text_block.take(text, text) == text
    assert text_block.take(text_block.put(changed, "new"), text) == text
    end = "\r\n" if "\r\n" in text else "\n"
    later = changed + end + end.join(more)
    left = text_block.take(later, text)
    assert left is not None
    assert [one for one in left.splitlines() if one.strip()] == [one for one in (*lines, *more) if one.strip()]


TABLES = st.lists(
    st.sampled_from(
        [
            'model = "x"', "# mine", "", "[features]", "a = [\n  1,\n]", '[projects."/w"]', "[[list]]", "n = {x = 1}",
            "[mcp_servers]", "[mcp_servers.other]", 'command = "y"', "mcp_servers = {}", "s = '''\n[odd]\n'''",
        ]
    ),
    max_size=6,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(TABLES, ENDS, st.booleans(), st.booleans())
def test_a_table_comes_out_of_any_toml_again(lines: list[str], end: str, is_ended: bool, has_env: bool) -> None:
    text = with_ends("\n".join(lines) + ("\n" if is_ended else ""), end)
    values = {"command": "hark", "args": ["mcp"], "required": True} | ({"env": {"A B": "c"}} if has_env else {})
    try:
        before = tomllib.loads(text)
        changed = toml_table.put(text, "mcp_servers", "harkback", values)
    except (tomllib.TOMLDecodeError, Unfit):
        return
    assert toml_table.put(changed, "mcp_servers", "harkback", values) == changed
    assert tomllib.loads(changed)["mcp_servers"]["harkback"] == values
    assert toml_table.take(changed, "mcp_servers", "harkback", text) == text
    later = changed + f"{end}[behind]{end}x = 1{end}"
    left = toml_table.take(later, "mcp_servers", "harkback", text)
    assert left is not None
    assert tomllib.loads(left) == before | {"behind": {"x": 1}}


@given(st.booleans())
def test_the_edits_of_gemini_are_put_in_once_too(context: bool) -> None:
    edits = gemini.edits(Wanted(context=context), "BeforeAgent")
    changed = json_edits.put("{}", edits)
    assert json_edits.put(changed, edits) == changed
    assert json_edits.take(changed, edits, "{}") == "{}"
