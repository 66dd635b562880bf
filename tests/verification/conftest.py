"""The suite's report: tables of what was compared, after the tests, in Markdown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.verification.intervals import FAMILY_WISE_ERROR
from tests.verification.models import COMPARISONS, ERROR

Row = tuple[str, ...]
HEADS: dict[str, Row] = {
    "verified": ("model", "theory", "engine", "lines", "quantity", "theory says", "simulated", "interval", "inside"),
    "coverage": ("model", "engine", "quantity", "95 % intervals", "contain the theory", "at least"),
    "power": ("model", "engine", "quantity", "service", "theory says", "simulated", "interval", "power"),
    "credits": ("link", "closed form, ns a packet", "simpy", "compiled"),
    "opinion": ("quantity", "engine", "Ciw", "simulated", "difference", "interval of it"),
}
TITLES = {
    "verified": "Theory inside the interval",
    "coverage": "How often 95 % intervals contain the theory",
    "power": "Services 1 % off: rejected",
    "credits": "Credit-limited rate of constant packets: equal",
    "opinion": "Second opinion: Ciw, on a closed network with constant service",
}
Record = Callable[..., None]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands in this folder, before marks are selected."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.verify)


@pytest.fixture
def report(record_property: Callable[[str, object], None]) -> Record:
    """Return a function that takes a row of a table; workers of pytest-xdist send it along with the test's outcome."""

    def add(table: str, *cells: str) -> None:
        record_property(table, list(cells))

    return add


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the tables."""
    tables: dict[str, list[Row]] = {name: [] for name in HEADS}
    for outcome in terminalreporter.stats.values():
        for one in outcome:
            for name, cells in getattr(one, "user_properties", ()):
                if name in tables and one.when == "call":
                    tables[name].append(tuple(cells))
    if not any(tables.values()):
        return
    terminalreporter.section("verification")
    terminalreporter.write_line(
        f"{COMPARISONS} comparisons of simulation and theory, each with an error of {ERROR:.2g} at most: the chance that engines"
    )
    terminalreporter.write_line(
        f"without a defect fail any of them (family-wise error, Bonferroni) is at most {FAMILY_WISE_ERROR:.0%}."
    )
    for name, rows in tables.items():
        if rows:
            terminalreporter.write_line(f"\n{TITLES[name]}\n")
            for row in (HEADS[name], ("---",) * len(HEADS[name]), *sorted(rows)):
                terminalreporter.write_line("| " + " | ".join(row) + " |")
