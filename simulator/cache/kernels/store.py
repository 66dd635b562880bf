"""Where the machine code of the cache model is kept."""

from __future__ import annotations

from pathlib import Path

from simulator.compile import KernelStore

_STORE = KernelStore(Path(__file__).parent)
compiled, compile_once = _STORE.compiled, _STORE.compile_once
