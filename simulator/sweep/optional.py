"""The helper's former place; it lies in :mod:`simulator.optional`."""

from __future__ import annotations

from simulator.optional import optional_module

__all__ = ["optional_module"]
