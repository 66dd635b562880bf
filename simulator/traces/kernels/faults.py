"""What can be wrong with a line, as the kernels number it."""

from __future__ import annotations

NONE = 0
NO_ADDRESS, LARGE_ADDRESS, WRAPS = 1, 2, 3
NO_COMMA, NO_SIZE, BAD_SIZE = 4, 5, 6
NO_NUMBER, LARGE_NUMBER, LARGE_THREAD, NO_DIRECTION = 7, 8, 9, 10
FEW_FIELDS, MANY_FIELDS, MORE_TEXT = 11, 12, 13
BINARY, LONG_LINE = 14, 15
