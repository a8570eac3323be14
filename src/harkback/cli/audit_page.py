"""An audit as one page that needs nothing but itself: tables and bars, light and dark, wide and narrow.

Every text comes from somebody else and is escaped; the page allows itself no script and no other resource.
"""

from __future__ import annotations

from html import escape
from string import Template

from harkback.audit.advice import advice
from harkback.audit.calls import OWN
from harkback.audit.figures import rate
from harkback.cli.audit_tables import named, percent, reason_of
from harkback.telling import base, line, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harkback.audit.figures import Figures, Row

_SHOWN = 20
_LONG_MS = 10_000
_KINDS = (
    ("hits", "found something"),
    ("none", "found nothing"),
    ("unreadable", "not readable"),
    ("other", "no search"),
)

_PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>$title</title>
<style>
:root { color-scheme: light dark; --ground: #fff; --card: #f4f5f7; --text: #1c2024; --faint: #5f6872;
  --line: #d9dde2; --hits: #1a7f5a; --none: #c77700; --unreadable: #8a93a0; --other: #b9cdea; --bar: #2f6fd0; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181c; --card: #1f242a; --text: #e8eaed; --faint: #a0a9b3;
  --line: #343b44; --hits: #4cc38a; --none: #f0a83c; --unreadable: #76808c; --other: #3d5a80;
  --bar: #6ea8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 60rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans CJK TC", sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
.faint { color: var(--faint); margin: .2rem 0 1.2rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; }
.card { background: var(--card); border-radius: .6rem; padding: .7rem .9rem; }
.card b { display: block; font-size: 1.5rem; line-height: 1.2; } .card span { color: var(--faint); font-size: .85rem; }
.row { display: grid; grid-template-columns: minmax(6rem, 12rem) 1fr 4.5rem; gap: .75rem; align-items: center;
  padding: .2rem 0; }
.row .name { overflow-wrap: anywhere; } .row .number { text-align: right; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: 1rem; background: var(--card); border-radius: .25rem; }
.hits { fill: var(--hits); } .none { fill: var(--none); } .unreadable { fill: var(--unreadable); }
.bar { fill: var(--bar); } .other { fill: var(--other); }
.legend span { display: inline-flex; align-items: center; gap: .35rem; margin-right: 1rem; font-size: .85rem; }
.legend svg { width: .8rem; height: .8rem; }
.wide { overflow-x: auto; margin-top: 1rem; }
table { border-collapse: collapse; width: 100%; min-width: 34rem; font-size: .92rem; }
th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } th { font-weight: 600; color: var(--faint); white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
li { margin: .4rem 0; }
@media (max-width: 30rem) { .row { grid-template-columns: 1fr 4rem; row-gap: .1rem; padding: .3rem 0; }
  .row svg { grid-column: 1 / -1; grid-row: 2; } }
</style>
</head>
<body>
<h1>$title</h1>
<p class="faint">$about</p>
$body
</body>
</html>
""")


def page(found: Figures, now_ms: int) -> str:
    """Write the page of an audit that was made at `now_ms`."""
    body = [
        _cards(found),
        _suggestions(found),
        _months(found),
        _section("Next step after a search", _bars(named(found.steps), found.searches)),
        _section("Why raw transcripts were opened", _bars(found.raw, sum(found.raw.values()))),
        _section("How the second question differed", _bars(found.again, sum(found.again.values()))),
        _section("Why nothing was found", _bars(_counted(found.reasons), found.results.none) + _nothing(found)),
        _section("Why answers could not be read", _bars(_counted(found.whys), found.results.unreadable)),
        _hook(found) if found.command == OWN else "",
        _section("By agent", _rows(list(found.agents.items()))),
        _section("By project", _rows([(base(name), row) for name, row in found.projects.items()])),
        _section("By command", _bars({name or "(none)": n for name, n in found.actions.items()}, found.calls)),
    ]
    title = _text(f"How agents use {found.command}")
    about = _text(f"{found.calls:,} calls in {found.sessions:,} sessions, looked at {when(now_ms)}")
    return _PAGE.substitute(title=title, about=about, body="\n".join(part for part in body if part))


def _text(text: str) -> str:
    return escape(line(text))


def _counted(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: number for name, number in counts.items() if number}


def _section(heading: str, inner: str) -> str:
    return f"<section>\n<h2>{_text(heading)}</h2>\n{inner}\n</section>" if inner else ""


def _cards(found: Figures) -> str:
    slow = _seconds(found.latency_ms.p95, found.latency_ms.number)
    told = [
        (percent(found.hit_rate), "hit rate of what could be read"),
        (f"{found.searches:,}", "searches"),
        (f"{found.results.unreadable:,}", "answers not readable"),
        (f"{found.found_now:,} of {found.results.none:,}", "without a hit would be found now"),
        (f"{found.chars.p50:,}", "characters returned, in the middle"),
        (_seconds(found.latency_ms.p50, found.latency_ms.number), f"latency; {slow} at 95 %"),
    ]
    cards = "\n".join(
        f'<div class="card"><b>{_text(number)}</b><span>{_text(what)}</span></div>' for number, what in told
    )
    return f'<div class="cards">\n{cards}\n</div>'


def _seconds(ms: int, number: int) -> str:
    return "-" if not number else f"{ms:,} ms" if ms < _LONG_MS else f"{ms / 1000:,.1f} s"


def _suggestions(found: Figures) -> str:
    told = [f"<li><b>{_text(one.rule)}</b>: {_text(one.text)}</li>" for one in advice(found)]
    return _section("Suggestions", "<ul>\n" + "\n".join(told) + "\n</ul>") if told else ""


def _bar(pieces: Iterable[tuple[str, int, str]], most: int) -> str:
    """Draw a bar of pieces (class, number, what it is) on a scale that ends at `most`."""
    rects, at = [], 0.0
    for name, number, told in pieces:
        width = 100 * number / most if most else 0.0
        if number:
            rects.append(
                f'<rect class="{name}" x="{at:.2f}" width="{width:.2f}" height="10"><title>{_text(told)}</title></rect>'
            )
        at += width
    return f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img">{"".join(rects)}</svg>'


def _line(name: str, bar: str, number: str) -> str:
    name = f'<span class="name">{_text(name)}</span>'
    return f'<div class="row">{name}{bar}<span class="number">{_text(number)}</span></div>'


def _bars(counts: Mapping[str, int], of: int) -> str:
    most = max(counts.values(), default=0)
    rows = [
        _line(name, _bar([("bar", number, f"{number:,} of {of:,}")], most), f"{number:,}")
        for name, number in list(counts.items())[:_SHOWN]
    ]
    return "\n".join(rows)


def _months(found: Figures) -> str:
    if not found.months:
        return ""
    legend = "".join(f"<span>{_bar([(name, 1, told)], 1)}{_text(told)}</span>" for name, told in _KINDS)
    return _section("By month", f'<p class="legend">{legend}</p>\n{_stacked(found.months)}')


def _stacked(rows: Mapping[str, Row]) -> str:
    most = max((row.calls for row in rows.values()), default=0)
    return "\n".join(_line(name, _pieces(row, most), f"{row.calls:,}") for name, row in rows.items())


def _pieces(row: Row, most: int) -> str:
    numbers = (row.hits, row.none, row.unreadable, row.calls - row.hits - row.none - row.unreadable)
    return _bar(
        [(name, number, f"{number:,} {told}") for (name, told), number in zip(_KINDS, numbers, strict=True)], most
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers_from: int) -> str:
    def cells(tag: str, texts: Sequence[str]) -> str:
        classes = ['class="number"' if at >= numbers_from else "" for at in range(len(texts))]
        return "".join(
            f"<{tag} {name}>{_text(text)}</{tag}>" if name else f"<{tag}>{_text(text)}</{tag}>"
            for name, text in zip(classes, texts, strict=True)
        )

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f'<div class="wide"><table>\n<tr>{cells("th", heads)}</tr>\n{body}\n</table></div>'


def _rows(rows: Sequence[tuple[str, Row]]) -> str:
    if not rows:
        return ""
    told = [
        (name, f"{row.calls:,}", f"{row.hits:,}", f"{row.none:,}", f"{row.unreadable:,}", percent(rate(row)))
        for name, row in rows[:_SHOWN]
    ]
    return _table(("", "calls", "hits", "nothing", "not readable", "hit rate"), told, 1)


def _nothing(found: Figures) -> str:
    if not found.nothing:
        return ""
    told = [
        (
            one.query,
            reason_of(one.why),
            "yes" if one.why.is_found_now else "no",
            when(one.time_ms)[:10],
            f"{one.times:,}",
        )
        for one in found.nothing
    ]
    return _table(("query", "why", "found now", "last asked", "times"), told, 4)


def _hook(found: Figures) -> str:
    hook = found.hook
    told = {"used: a call followed": hook.used, "ignored": hook.ignored, "at starts of sessions": hook.starts}
    spoke = _bars(told, hook.spoke) if hook.spoke or hook.starts else "<p>The hook has not spoken.</p>"
    prompts = _bars(found.prompts, sum(found.prompts.values()))
    return _section("Hook", spoke) + "\n" + _section("Prompts by month", prompts)
