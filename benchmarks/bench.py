"""`make bench`: how fast the engines are, as ratios with floors; what an event costs as machines grow; how quickly we start.

Exit code 1: something is below its floor or above its limit, or engines that must be equal are not.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from benchmarks.apart import Section
from benchmarks.engines import FULL, QUICK, Effort, engines_section
from benchmarks.ring.section import ring_section
from benchmarks.scaling import scaling_section
from benchmarks.start_up import start_up_section
from benchmarks.tables import tables_section

SECTIONS: dict[str, Callable[[Effort], Section]] = {
    "engines": engines_section,
    "ring": lambda effort: ring_section(effort.rounds, effort.quick),
    "scaling": lambda effort: scaling_section(effort.quick),
    "start-up": lambda effort: start_up_section(),
    "tables": lambda effort: tables_section(effort.quick),
}


def main() -> int:
    """Run the benchmark, print its report, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="How fast the engines are, as ratios with floors.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"parts to run (all): {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="3 rounds of short runs, wider tolerance for loads, small machines")
    options = parser.parse_args()
    unknown = [name for name in options.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"no such section: {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    complaints: list[str] = []
    print(f"load of this computer at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")  # noqa: T201
    for name in options.sections or SECTIONS:
        section = SECTIONS[name](QUICK if options.quick else FULL)
        print("\n".join(["", f"== {name}", *section.lines]), flush=True)  # noqa: T201
        complaints += section.complaints
    for complaint in complaints:
        print(f"failed: {complaint}")  # noqa: T201
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
