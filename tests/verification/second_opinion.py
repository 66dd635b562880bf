"""A closed network without product form, for the engines and for Ciw: service is constant, so that no theory here is exact."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from simulator.engine.plan import Plan, PortKind
from tests.verification.draws import exponential
from tests.verification.plans import Customers, Server, network_plan
from tests.verification.window import Window

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).with_name("ciw_network.py")  # runs where Ciw is, which has a package `tests` of its own
SERVICE_NS = (80.0, 100.0)  # constant, one server each; the slower is second, for behind a slower one nobody ever waits
THINK_NS = 200.0  # exponential, each customer alone
CUSTOMERS = 5
QUANTITIES = ("lines/us", "wait ns, server 0", "wait ns, server 1")


def interpreter() -> str:
    """Return the Python that should have Ciw: that of `make verify`, or what the environment says."""
    return os.environ.get("NUMASIM_CIW_PYTHON", str(ROOT / ".venv/bench/bin/python"))


@cache
def what_is_missing() -> str | None:
    """Return why Ciw cannot run here; None: it can."""
    if not Path(interpreter()).exists():
        return f"no Python with Ciw at {interpreter()} (`make verify` makes one)"
    found = subprocess.run([interpreter(), "-c", "import ciw"], capture_output=True, text=True, check=False, cwd="/")
    return None if found.returncode == 0 else f"Ciw cannot be imported by {interpreter()}"


def leave_out(reason: str) -> NoReturn:
    """Skip a test that needs Ciw; fail it where the environment says that Ciw is required, as `make verify` does."""
    if os.environ.get("NUMASIM_VERIFY_CIW") == "required":
        pytest.fail(f"{reason}; `make verify` needs it for its second opinion, `make verify QUICK=1` does not", pytrace=False)
    pytest.skip(reason)


def ciw_replications(count: int, cycles: int, warmup: int, seed: int) -> list[list[float]]:
    """Run the network in Ciw; return the quantities of each replication."""
    network = {"service_ns": SERVICE_NS, "think_ns": THINK_NS, "customers": CUSTOMERS}
    task = json.dumps({**network, "replications": count, "cycles": cycles, "warmup": warmup, "seed": seed})
    done = subprocess.run([interpreter(), "-P", str(SCRIPT)], input=task, capture_output=True, text=True, check=True, cwd="/")
    answer: list[list[float]] = json.loads(done.stdout)
    return answer


def engine_plan(seed: int, factor: float = 1.0) -> Plan:
    """Lay the same network out for the engines."""
    servers = [
        Server(f"server {number}", (round(time_ns * 1000 * factor),), PortKind.LINK) for number, time_ns in enumerate(SERVICE_NS)
    ]
    return network_plan(servers, [Customers("customers", (0, 1), CUSTOMERS, exponential(THINK_NS * 1000))], seed)


def look(window: Window) -> tuple[float, ...]:
    """Return the quantities of one run."""
    return window.per_us(), window.wait_ns(0), window.wait_ns(1)
