"""Numbers in text. A line feed ends every text here, so that no loop needs to look for the end.

Each function takes the place of the first character and returns the value and the place behind the last; that place is the
first where there is no number, and `TOO_LARGE` stands for the place where the number is larger than 64 bits hold.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simulator.traces.kernels.store import compiled

Text = npt.NDArray[np.uint8]
TOO_LARGE = -1
_HEX_LIMIT = np.uint64(1 << 60)  # one more digit would not fit
_DECIMAL_LIMIT, _LAST_DIGIT = np.uint64((2**64 - 1) // 10), np.uint64((2**64 - 1) % 10)
_TEN, _FOUR = np.uint64(10), np.uint64(4)


@compiled
def hex_digit(char: int) -> int:
    """Return the value of a hexadecimal digit, or 16."""
    if 48 <= char <= 57:
        return char - 48
    letter = char | 32
    if 97 <= letter <= 102:
        return letter - 87
    return 16


@compiled
def hex_number(text: Text, at: int) -> tuple[np.uint64, int]:
    """Read hexadecimal digits."""
    value = np.uint64(0)
    digit = hex_digit(int(text[at]))
    while digit < 16:
        if value >= _HEX_LIMIT:
            return value, TOO_LARGE
        value = (value << _FOUR) | np.uint64(digit)
        at += 1
        digit = hex_digit(int(text[at]))
    return value, at


@compiled
def decimal_number(text: Text, at: int) -> tuple[np.uint64, int]:
    """Read decimal digits."""
    value = np.uint64(0)
    while 48 <= text[at] <= 57:
        digit = np.uint64(text[at] - 48)
        if value > _DECIMAL_LIMIT or (value == _DECIMAL_LIMIT and digit > _LAST_DIGIT):
            return value, TOO_LARGE
        value = value * _TEN + digit
        at += 1
    return value, at
