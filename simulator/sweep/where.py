"""The small language of ``--where``: comparisons of columns with numbers and texts, joined by and, or, not.

It is translated into SQL in which columns are looked up and values are bound, so no text of the user becomes SQL.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from simulator.errors import InputError
from simulator.sweep.schema import quoted

Value = int | float | str
Sql = tuple[str, list[Value]]
MAX_LENGTH = 4000
_MAX_DEPTH = 50
_KEYWORDS = ("and", "or", "not", "in", "like", "is", "null")
_OPERATORS = {"=": "=", "==": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_GRAMMAR = "comparisons such as link.latency_ns >= 8 and threads like '0.0.w%' and not verdict in ('deadlock', 'too short')"
_TOKEN = re.compile(
    r"""(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    | (?P<name>[A-Za-z_]\w*(?:\[[\w*\#-]+\])?(?:\.[A-Za-z_]\w*)*)
    | (?P<operator><=|>=|==|!=|<>|[=<>(),])""",
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True)
class _Token:
    kind: str  # number, text, name, keyword, operator, end
    text: str


def condition(text: str, columns: Sequence[str]) -> Sql:
    """Translate a condition.

    Parameters
    ----------
    text : str
        Empty means true.
    columns : sequence of str
        Names that may be used.

    Returns
    -------
    (str, list)
        SQL, and the values for its question marks.

    Raises
    ------
    InputError
        It cannot be read, or names a column that is not there.
    """
    if not text.strip():
        return "1", []
    if not is_text(text):
        raise InputError("is no text in UTF-8", field="--where", value=text, allowed=_GRAMMAR)
    if len(text) > MAX_LENGTH:
        raise InputError("is too long", field="--where", allowed=f"at most {MAX_LENGTH} characters")
    return _Parser(text, columns).whole()


def is_text(text: str) -> bool:
    """Return whether all of a text can be written in UTF-8; what a shell passes on need not be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Parser:
    def __init__(self, text: str, columns: Sequence[str]) -> None:
        self._text = text
        self._columns = columns
        self._tokens = [*_tokens(text), _Token("end", "")]
        self._next = 0
        self._depth = 0

    def whole(self) -> Sql:
        sql = self._either()
        if self._peek().kind != "end":
            self._fail(f"goes on with {self._peek().text} where it should end")
        return sql

    def _either(self) -> Sql:
        return self._joined("or", self._both)

    def _both(self) -> Sql:
        return self._joined("and", self._not)

    def _joined(self, word: str, part: Callable[[], Sql]) -> Sql:
        parts = [part()]
        while self._takes(word):
            parts.append(part())
        sql = f" {word.upper()} ".join(sql for sql, _ in parts)
        return (sql if len(parts) == 1 else f"({sql})"), [value for _, values in parts for value in values]

    def _not(self) -> Sql:
        if self._takes("not"):
            sql, values = self._deeper(self._not)
            return f"(NOT {sql})", values
        if self._takes("("):
            inner = self._deeper(self._either)
            self._demand(")")
            return inner
        return self._comparison()

    def _comparison(self) -> Sql:
        left, values = self._operand()
        if self._takes("is"):
            negated = self._takes("not")
            self._demand("null")
            return f"({left} IS {'NOT ' if negated else ''}NULL)", values
        negated = self._takes("not")
        if self._takes("in"):
            items = self._items()
            return f"({left} {'NOT ' if negated else ''}IN ({', '.join('?' * len(items))}))", [*values, *items]
        if self._takes("like"):
            return f"({left} {'NOT ' if negated else ''}LIKE ?)", [*values, self._value("text")]
        token = self._take()
        if negated or token.text not in _OPERATORS:
            self._fail(f"wants a comparison {f'before {token.text}' if token.text else 'at its end'}")
        right, more = self._operand()
        return f"({left} {_OPERATORS[token.text]} {right})", [*values, *more]

    def _items(self) -> list[Value]:
        self._demand("(")
        items = [self._value("number", "text")]
        while self._takes(","):
            items.append(self._value("number", "text"))
        self._demand(")")
        return items

    def _operand(self) -> Sql:
        if self._peek().kind == "name":
            return quoted(self._column(self._take().text)), []
        return "?", [self._value("number", "text")]

    def _value(self, *kinds: str) -> Value:
        token = self._take()
        if token.kind not in kinds:
            found = token.text or "the end"
            self._fail(f"wants a {' or '.join(kinds)} instead of {found}; text stands in quotes, no value is: is null")
        if token.kind == "text":
            mark = token.text[0]
            return token.text[1:-1].replace(2 * mark, mark)
        return int(token.text) if token.text.lstrip("+-").isdecimal() and len(token.text) < 18 else float(token.text)

    def _column(self, name: str) -> str:
        if name not in self._columns:
            close = difflib.get_close_matches(name, self._columns, 1)
            guess = f"; did you mean {close[0]}?" if close else "; text stands in quotes"
            raise InputError(f"there is no column {name}{guess}", field="--where", allowed=", ".join(self._columns))
        return name

    def _deeper(self, part: Callable[[], Sql]) -> Sql:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._fail("is nested too deep")
        sql = part()
        self._depth -= 1
        return sql

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._peek()
        self._next += token.kind != "end"
        return token

    def _takes(self, text: str) -> bool:
        """Go past a keyword or sign if it comes next."""
        token = self._peek()
        if token.kind not in ("keyword", "operator") or token.text != text:
            return False
        self._next += 1
        return True

    def _demand(self, text: str) -> None:
        if not self._takes(text):
            self._fail(f"wants {text} instead of {self._peek().text or 'the end'}")

    def _fail(self, what: str) -> NoReturn:
        raise InputError(what, field="--where", value=self._text, allowed=_GRAMMAR)


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise InputError(
                f"cannot be read from {text[place : place + 20]!r} on", field="--where", value=text, allowed=_GRAMMAR
            )
        found = match[match.lastgroup]
        keyword = match.lastgroup == "name" and found.lower() in _KEYWORDS
        yield _Token("keyword", found.lower()) if keyword else _Token(match.lastgroup, found)
        place = match.end()
