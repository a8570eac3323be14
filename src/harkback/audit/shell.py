"""A line for a shell, taken apart into the commands in it, as POSIX shells and bash read it.

Nothing is expanded: what only the shell knew (`$x`, `$(…)`) stays as it was typed and is marked. Every text is a line;
what is never closed runs to the end.
"""

from __future__ import annotations

import re
from itertools import pairwise

from harkback._record import NamedTuple

MOST_CHARS = 200_000
"""A longer line is read so far."""

_OPERATORS = ("&&", "||", "|&", ";;", ";", "&", "|", "(", ")", "\n")
_REDIRECT = re.compile(r"(\d*)(<<<|<<-|<<|<&|<>|<|>>|>&|>\||>)|(&>>|&>)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "a": "\a", "b": "\b", "0": "\0"}
_NAME = re.compile(r"[A-Za-z_]\w*\+?=")
_MOST_UNCLOSED = 20
_MOST_GROUPS = 1000
_OPENING = frozenset({"for", "while", "until", "if", "case", "select", "{"})
_CLOSING = frozenset({"done", "fi", "esac", "}"})
# `-p` is the only option of a keyword: of `time`.
_BETWEEN = frozenset({"then", "else", "elif", "do", "!", "time", "-p"})
_NO_COMMANDS = frozenset({"for", "case", "select"})


class Word(NamedTuple):
    """A word of a command, its quotes taken away."""

    text: str
    is_known: bool = True
    """Whether nothing in it was left to the shell to fill in."""
    inner: tuple[str, ...] = ()
    """Lines that the shell runs to fill it in."""
    is_bare: bool = True
    """Whether it begins without a quote, so that it may be a keyword or an assignment."""


class Command(NamedTuple):
    """One simple command."""

    words: tuple[Word, ...]
    assigned: tuple[Word, ...] = ()
    """The assignments before it, and where it reads from or writes to."""
    through: tuple[str, ...] = ()
    """The commands that its output is piped through, by their first word."""
    is_in_file: bool = False
    """Whether its output goes into a file, or nowhere."""
    heredoc: str = ""
    """What it is given to read."""


class _Token(NamedTuple):
    kind: str
    """word, operator, out (output into a file), in or err (any other redirection)."""
    text: str
    word: Word = Word("")


def commands(line: str) -> list[Command]:
    """Take a line apart; what stands in its substitutions is told by the words that hold them."""
    return _grouped(_Lexer(line[:MOST_CHARS]).tokens())


class _Lexer:
    """Reads a line from left to right."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        self.unclosed = 0
        self.found: list[_Token] = []
        self.waiting: list[tuple[int, str, bool]] = []
        """Here documents whose text begins in the next line: token, last line, whether tabs are dropped."""

    def tokens(self) -> list[_Token]:
        """Give all tokens."""
        while self.at < len(self.line):
            character = self.line[self.at]
            if character in " \t\r":
                self.at += 1
            elif self.line.startswith("\\\n", self.at):
                self.at += 2
            elif character == "#":
                self.at = self.until("\n")
            elif found := _REDIRECT.match(self.line, self.at):
                self.redirect(found)
            else:
                self.operator_or_word()
        return self.found

    def until(self, mark: str) -> int:
        """Give the place of a mark, or the end."""
        found = self.line.find(mark, self.at)
        return len(self.line) if found < 0 else found

    def operator_or_word(self) -> None:
        """Read what stands here, which is neither space nor redirection."""
        operator = next((one for one in _OPERATORS if self.line.startswith(one, self.at)), "")
        if not operator:
            word = self.word()
            self.found.append(_Token("word", word.text, word))
            return
        self.at += len(operator)
        self.found.append(_Token("operator", ";" if operator == "\n" else operator))
        if operator == "\n":
            self.heredocs()

    def redirect(self, found: re.Match[str]) -> None:
        """Read a redirection with its target; `<(…)` and `>(…)` are words."""
        number, sign = found[1] or "", found[2] or found[3]
        if sign in "<>" and self.line.startswith("(", found.end()):
            word = self.word()
            self.found.append(_Token("word", word.text, word))
            return
        self.at = found.end()
        while self.at < len(self.line) and self.line[self.at] in " \t":
            self.at += 1
        target = self.word()
        is_copy = sign in {">&", "<&"} and (target.text.isdigit() or target.text == "-")
        if sign in {"<<", "<<-"}:
            self.waiting.append((len(self.found), target.text, sign == "<<-"))
        is_output = sign.startswith((">", "&>")) and number in {"", "1"} and not is_copy
        self.found.append(_Token("out" if is_output else "in", "", target))

    def heredocs(self) -> None:
        """Read the texts of here documents, which begin where a line ends."""
        for number, last, drops_tabs in self.waiting:
            lines: list[str] = []
            while self.at < len(self.line):
                end = self.until("\n")
                one = self.line[self.at : end]
                self.at = end + 1
                one = one.lstrip("\t") if drops_tabs else one
                if one == last:
                    break
                lines.append(one)
            self.found[number] = self.found[number]._replace(text="\n".join(lines))
        self.waiting.clear()

    def word(self) -> Word:
        """Read a word."""
        pieces: list[str] = []
        inner: list[str] = []
        is_known, start, line = True, self.at, self.line
        while self.at < len(line) and line[self.at] not in " \t\r\n;&|()<>":
            character = line[self.at]
            if character == "\\":
                pieces.append("" if line[self.at + 1 : self.at + 2] == "\n" else line[self.at + 1 : self.at + 2])
                self.at += 2
            elif character == "'" or line.startswith("$'", self.at):
                pieces.append(self.single(decode=character == "$"))
            elif character == '"':
                is_known = self.double(pieces, inner) and is_known
            else:
                is_known = self.substitution(pieces, inner) and is_known
        if self.at == start:  # `<(…)`
            is_known = self.process(pieces, inner)
        return Word("".join(pieces), is_known, tuple(inner), line[start : start + 1] not in {"'", '"', "\\"})

    def single(self, *, decode: bool) -> str:
        """Read what stands in single quotes; in `$'…'` backslashes speak."""
        self.at += 2 if decode else 1
        if not decode:
            start, self.at = self.at, self.until("'") + 1
            return self.line[start : self.at - 1]
        pieces: list[str] = []
        while self.at < len(self.line) and self.line[self.at] != "'":
            if self.line[self.at] == "\\":
                self.at += 1
                pieces.append(_ESCAPES.get(self.line[self.at : self.at + 1], self.line[self.at : self.at + 1]))
            else:
                pieces.append(self.line[self.at])
            self.at += 1
        self.at += 1
        return "".join(pieces)

    def double(self, pieces: list[str], inner: list[str]) -> bool:
        """Read what stands in double quotes; gives whether all of it is known."""
        self.at += 1
        is_known = True
        while self.at < len(self.line) and self.line[self.at] != '"':
            if self.line[self.at] == "\\":
                escaped = self.line[self.at + 1 : self.at + 2]
                pieces.append("" if escaped == "\n" else escaped if escaped in '"\\$`' else "\\" + escaped)
                self.at += 2
            else:
                is_known = self.substitution(pieces, inner) and is_known
        self.at += 1
        return is_known

    def substitution(self, pieces: list[str], inner: list[str]) -> bool:
        """Read one character, or what the shell fills in here; gives whether it is known."""
        line, start = self.line, self.at
        end = -1
        if line.startswith("$(", start):
            end = self.closing(start + 2)
            body = line[start + 2 : end]
        elif line[start] == "`":
            end = line.find("`", start + 1)
            body = line[start + 1 : end]
        if end >= 0:
            self.at = end + 1
            inner.append(body)
        else:
            self.at += 1
        pieces.append(line[start : self.at])
        is_name = line[start] == "$" and line[start + 1 : start + 2].strip("\"' \t\n)") != ""
        return end < 0 and not is_name

    def process(self, pieces: list[str], inner: list[str]) -> bool:
        """Read `<(…)` or whatever else begins no word, so that reading goes on."""
        start = self.at
        self.at += 1
        if self.line.startswith("(", self.at) and (end := self.closing(self.at + 1)) >= 0:
            inner.append(self.line[self.at + 1 : end])
            self.at = end + 1
        pieces.append(self.line[start : self.at])
        return False

    def closing(self, at: int) -> int:
        """Find the bracket that closes what was opened before `at`; -1 if none does."""
        depth, quote = 1, ""
        while at < len(self.line) and self.unclosed < _MOST_UNCLOSED:
            character = self.line[at]
            if character == "\\" and quote != "'":
                at += 1
            elif quote:
                quote = "" if character == quote else quote
            elif character in "'\"":
                quote = character
            elif character in "()":
                depth += 1 if character == "(" else -1
                if not depth:
                    return at
            at += 1
        self.unclosed += 1
        return -1


class _Made:
    """A command that is being read."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assigned: list[Word] = []
        self.through: list[str] = []
        self.is_in_file = False
        self.heredoc = ""


class _Groups:
    """Puts tokens together into commands, and tells the groups of a pipe or a file from single ones."""

    def __init__(self) -> None:
        self.done: list[_Made] = []
        self.now = _Made()
        self.opened: list[tuple[str, int]] = []
        self.closed: list[_Made] = []
        """What the group held that ended last: what follows it is for all of them."""
        self.piping: list[_Made] = []
        """Whose output goes into the command that is being read."""

    def end(self, operator: str) -> None:
        """End a command."""
        one, self.now = self.now, _Made()
        ended = self.closed
        if one.words or one.assigned:
            self.done.append(one)
            ended = [*self.closed, one]
            name = one.words[0].text if one.words else ""
            for before in self.piping:
                before.through.append(name)
        is_pipe = operator in {"|", "|&"}
        self.piping = [*self.piping, *ended] if is_pipe and ended else []
        if operator != ")":
            self.closed = []

    def open(self, name: str) -> None:
        """Begin a group."""
        if len(self.opened) < _MOST_GROUPS:
            self.opened.append((name, len(self.done)))

    def close(self, name: str) -> None:
        """End a group, if one of its kind is open."""
        if self.opened and (self.opened[-1][0] == "(") == (name == ")"):
            _, start = self.opened.pop()
            self.closed = self.done[start:]

    def word(self, word: Word) -> None:
        """Take a word in: a keyword, an assignment, or a word of the command."""
        one = self.now
        if [before.text for before in one.words[:1]] == ["function"] and word.is_bare and word.text == "{":
            self.now = _Made()
            self.open(word.text)
        elif one.words:
            one.words.append(word)
        elif word.is_bare and word.text in _CLOSING:
            self.close(word.text)
        elif word.is_bare and word.text in _BETWEEN:
            pass
        elif word.is_bare and word.text in _OPENING - _NO_COMMANDS:
            self.open(word.text)
        elif word.is_bare and _NAME.match(word.text):
            one.assigned.append(word)
        else:
            if word.is_bare and word.text in _NO_COMMANDS:
                self.open(word.text)
            one.words.append(word)

    def redirect(self, token: _Token) -> None:
        """Take in where a command reads from or writes to; behind a group all of it does."""
        self.now.assigned.append(token.word)
        self.now.heredoc = self.now.heredoc or token.text
        if token.kind == "out":
            for one in [self.now, *([] if self.now.words else self.closed)]:
                one.is_in_file = True


def _grouped(tokens: list[_Token]) -> list[Command]:
    groups = _Groups()
    is_array = False
    for before, token in pairwise([_Token("operator", ";"), *tokens]):
        if is_array:
            is_array = token.kind != "operator" or token.text != ")"
            groups.now.assigned.append(token.word)
        elif token.kind == "word":
            groups.word(token.word)
        elif token.kind != "operator":
            groups.redirect(token)
        elif token.text == "(" and before.word.is_bare and _NAME.fullmatch(before.text):
            is_array = True  # `name=(…)`: its words are run by nobody
        elif token.text == "(":
            groups.end(";") if groups.now.words else None
            groups.open("(")
        else:
            groups.end(token.text)
            if token.text == ")":
                groups.close(")")
    groups.end(";")
    return [
        Command(tuple(one.words), tuple(one.assigned), tuple(one.through), one.is_in_file, one.heredoc)
        for one in groups.done
    ]
