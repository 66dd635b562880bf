"""A C reference for the engines: what a compiler makes of the same Plan with the same results."""

from benchmarks.c_reference.build import build_library, c_compiler
from benchmarks.c_reference.engine import CReferenceEngine

__all__ = ["CReferenceEngine", "build_library", "c_compiler"]
