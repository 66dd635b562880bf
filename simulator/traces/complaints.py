"""What is said about a bad line: where, what is wrong, and what is allowed."""

from __future__ import annotations

from simulator.errors import InputError
from simulator.traces.blocks import MAX_LINE_BYTES, Block, Place
from simulator.traces.chunk import MAX_ACCESS_BYTES, MAX_THREAD
from simulator.traces.kernels import faults

_ADDRESSES = "0 to 2^64 - 1"
_WHAT: dict[int, tuple[str, str | None]] = {
    faults.NO_ADDRESS: ("has no address", "hexadecimal digits"),
    faults.LARGE_ADDRESS: ("has an address that is too large", _ADDRESSES),
    faults.WRAPS: ("has an access that goes beyond the last address", _ADDRESSES),
    faults.NO_COMMA: ("has no comma behind the address", None),
    faults.NO_SIZE: ("has no size", f"1 to {MAX_ACCESS_BYTES} bytes"),
    faults.BAD_SIZE: ("has a size that no access has", f"1 to {MAX_ACCESS_BYTES} bytes"),
    faults.NO_NUMBER: ("is no number", "a decimal number without a sign; an address may be hexadecimal, 0x..."),
    faults.LARGE_NUMBER: ("is too large", "0 to 2^63 - 1"),
    faults.LARGE_THREAD: ("is too large", f"0 to {MAX_THREAD}"),
    faults.NO_DIRECTION: ("is no direction", "r, w, or m for both"),
    faults.FEW_FIELDS: ("is the last field, but there should be more", "as many fields as the header"),
    faults.MANY_FIELDS: ("should be the last field, but there are more", "as many fields as the header"),
    faults.MORE_TEXT: ("has more text behind it", None),
    faults.BINARY: ("has bytes that no text has", "the text of a trace"),
    faults.LONG_LINE: ("does not end", f"lines of at most {MAX_LINE_BYTES} bytes"),
}


def bad_line(
    name: str, place: Place, line: bytes, fault: int, *, field: str | None = None, form: str | None = None
) -> InputError:
    """Make the error about a line.

    Parameters
    ----------
    name : str
        The trace, as the user named it.
    place : Place
    line : bytes
    fault : int
        As in `simulator.traces.kernels.faults`.
    field : str, optional
        The field of the line.
    form : str, optional
        What a line looks like, where the fault does not say what is allowed.
    """
    what, allowed = _WHAT[fault]
    subject = field or "the line"
    return InputError(f"{subject} {what}", file=name, field=str(place), value=printable(line), allowed=allowed or form)


def cut_off(name: str, block: Block, what: str = "the trace ends in the middle of this line") -> InputError:
    """Make the error about a last line without an end."""
    return InputError(what, file=name, field=str(block.place), value=printable(block.text), allowed="a whole trace")


def printable(line: bytes) -> str:
    """Return a line as text, what is no ASCII as escapes."""
    return line[:200].decode("ascii", "backslashreplace")
