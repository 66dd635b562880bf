"""Where the compiled engine's machine code is kept."""

from __future__ import annotations

from pathlib import Path

from simulator.compile import FOLDER_VARIABLE, KernelStore

__all__ = ["FOLDER_VARIABLE", "cache_folder", "compile_once", "compiled", "only_compiler", "writable_folder"]

_STORE = KernelStore(Path(__file__).parent)
cache_folder, writable_folder = _STORE.cache_folder, _STORE.writable_folder
compile_once, only_compiler, compiled = _STORE.compile_once, _STORE.only_compiler, _STORE.compiled
