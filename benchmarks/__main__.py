"""`python -m benchmarks`: what `make bench` runs."""

from __future__ import annotations

import sys

from benchmarks.bench import main

if __name__ == "__main__":
    sys.exit(main())
