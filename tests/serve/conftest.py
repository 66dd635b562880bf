"""A server without a network, with real workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette")
from starlette.testclient import TestClient

from simulator.serve.app import Settings, build_app
from simulator.serve.guard import LOOPBACK_NAMES
from simulator.serve.information import information
from simulator.serve.limits import Limits

EVERY_CORE = {  # 48 threads and the demand of 16 links: some 13 s
    "machine": "opteron-6172-4p",
    "threads": [f"{node}.{core}.w.{(node + 1 + core % 7) % 8}" for node in range(8) for core in range(6)],
}
ADDRESS = "http://localhost:8642"


def settings(limits: Limits, **changes: Any) -> Settings:
    told = information(())
    offered = tuple(machine["name"] for machine in told["machines"])
    return Settings(**{"information": told, "offered": offered, "limits": limits, "names": LOOPBACK_NAMES, **changes})


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    with TestClient(build_app(settings(Limits(jobs=2))), base_url=ADDRESS) as started:
        yield started


@pytest.fixture(scope="session")
def hurried() -> Iterator[TestClient]:
    """One worker, a second and a half a run."""
    limits = Limits(jobs=1, run_s=1.5, waiting=1, grace_s=0.1)
    with TestClient(build_app(settings(limits)), base_url=ADDRESS) as started:
        yield started
