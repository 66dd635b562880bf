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
        where = ": ".join(part for part in (self.file, self.field) if part)
        text = f"{where}: {self.what}" if where else self.what
        if self.value is not None:
            text += f" (got {_short(self.value)})"
        if self.allowed is not None:
            text += f"; allowed: {self.allowed}"
        return text


def _short(value: object, limit: int = 80) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
