"""Random examples: the same every time in CI, so that a change is judged by itself; new ones on a developer's machine."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from simulator import load_machine
from simulator.measure.idle import zero_load_ps

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("default", settings.get_profile("default"), deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the engine once before tests run side by side; a test may then hold a run to a few seconds."""
    if not hasattr(config, "workerinput"):
        zero_load_ps(load_machine("one-node"), 0, 0)
