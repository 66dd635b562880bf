"""What the tests of sweeps share."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.sweep import run_sweep
from tests.sweep.fakes import quick_run, small_sweep


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the 12 points of the small sweep; to be read only."""
    path = tmp_path_factory.mktemp("store") / "filled.sqlite"
    run_sweep(small_sweep(), path, run_one=quick_run)
    return path
