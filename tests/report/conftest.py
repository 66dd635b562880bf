"""Sample results, written once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report import samples


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the sample results are."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="session")
def run_file(folder: Path) -> Path:
    """A run of crossfire beside a background thread."""
    return samples.run_and_trace(folder)[0]


@pytest.fixture(scope="session")
def trace_file(run_file: Path) -> Path:
    """The start of its window."""
    return run_file.with_name("trace.json")


@pytest.fixture(scope="session")
def published_file(folder: Path) -> Path:
    """A run that a shipped reference has published numbers for."""
    return samples.published_run(folder)


@pytest.fixture(scope="session")
def other_files(folder: Path) -> dict[str, Path]:
    """A document of every other kind."""
    makers = (samples.loaded, samples.store, samples.reproduction, samples.replay)
    return {maker.__name__: maker(folder) for maker in makers}
