"""What the tests of the reproduction share."""

from __future__ import annotations

import pytest

from simulator.validation.reference import Reference
from simulator.validation.reference_file import load_reference
from simulator.validation.reproduce import Replay, reproduce
from tests.validation.fakes import idle_latency, published_run


@pytest.fixture(scope="session")
def reference() -> Reference:
    """AMD's numbers."""
    return load_reference("amd-40555")


@pytest.fixture(scope="session")
def replay(reference: Reference) -> Replay:
    """A reproduction by a model that hits every published number."""
    return reproduce(reference, run_one=published_run, idle_latency=idle_latency)
