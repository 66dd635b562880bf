"""Errors that a user can cause and mend.

Every one of them becomes one line on stderr and exit code 2; none of them shows a traceback.
"""

from __future__ import annotations


class NumasimError(Exception):
    """Base of every error that is the user's to mend."""


class InputError(NumasimError):
    """Something that came from outside is wrong.

    Parameters
    ----------
    what : str
        What is wrong, in one sentence without a full stop.
    file : str, optional
        The file it stands in, as the user named it.
    field : str, optional
        The field, in the words of that file (``link.latency_ns``).
    value : object, optional
        The value found there.
    allowed : str, optional
        What would be accepted instead.
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        field: str | None = None,
        value: object = None,
        allowed: str | None = None,
    ) -> None:
        self.what, self.file, self.field, self.value, self.allowed = what, file, field, value, allowed
        super().__init__(self._message())

    def _message(self) -> str:
        where = ": ".join(_cut(part, _LONGEST_PLACE) for part in (self.file, self.field) if part)
        text = f"{where}: {self.what}" if where else self.what
        if self.value is not None:
            text += f" (got {_short(self.value)})"
        if self.allowed is not None:
            text += f"; allowed: {self.allowed}"
        return " ".join(text.splitlines())  # one line, whatever was in a name or a value


_LONGEST_PLACE, _LONGEST_VALUE = 300, 80  # characters of a file or field, and of a value


def _short(value: object) -> str:
    try:
        return _cut(repr(value), _LONGEST_VALUE)
    except ValueError:  # Python refuses to write whole numbers of thousands of digits
        return "a number of thousands of digits"


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."
