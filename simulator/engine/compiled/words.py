"""What every module of the kernel uses: constants as unsigned words, the address of the memory, one machine instruction.

The types ``Words`` and ``Word`` are for the reader; numba infers its own, an address and a 64-bit unsigned integer. What plan.py,
order.py, interface.py and random_numbers.py say too is repeated here, since machine code is kept under a hash of this folder's
sources alone; tests/engine/test_kernel_constants.py holds both to be equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

Words = Any
Word = Any

ZERO, ONE, TWO, THREE, SIX, EIGHT, SIXTY_THREE, BYTE = (np.uint64(value) for value in (0, 1, 2, 3, 6, 8, 63, 255))
ALL_ONES = np.uint64((1 << 64) - 1)
CACHED = np.uint64((1 << 64) - 2)
NONE = np.uint64((1 << 64) - 1)
CHANNELS = np.uint64(4)
CLASSES = np.uint64(7)
LINK, DRAM = ONE, TWO
SOURCE, PROBES, CORE, SHARED_LINE = ZERO, np.uint64(13), np.uint64(14), np.uint64(15)  # of plan.Part
LOCK_BEGINS, LOCK_ENDS = ONE, TWO  # bits of plan.Program.lock
ACCEPT, REPLY, ANSWER, RELEASE = (np.uint64(value) for value in (1, 2, 3, 5))
REACHED, EXHAUSTED, BUDGET, BROKE, STARVED = 0, 1, 2, 3, 4  # what `advance` returns
ARRIVAL_NUMBERS = np.uint64(1 << 48)
SLOT_BITS = np.uint64(16)
SERVICE_END_KEY = np.uint64(1 << 48)
ARBITRATION_KEY = np.uint64(2 << 48)
COMPONENT_MASK = np.uint64((1 << 32) - 1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U30, U27, U31 = np.uint64(30), np.uint64(27), np.uint64(31)
LAST_BIN = np.uint64((1 << 16) - 1)
LAST_PATH_BIN = np.uint64((1 << 13) - 1)
BIN_SHIFT = np.uint64(8)


def _pointer_to(typing_context: Any, array: Any) -> Any:
    """Address of the first word of an array: functions that take it are cheap to call, and no index can be taken for negative."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    address: Any = types.CPointer  # numba gives it no type
    return address(types.uint64)(array), generate


def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Number of zero bits below the lowest set bit of a word that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


pointer_to: Any = intrinsic(_pointer_to)
trailing_zeros: Any = intrinsic(_trailing_zeros)
