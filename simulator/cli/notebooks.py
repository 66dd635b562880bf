"""`python -m simulator.cli.notebooks`: execute notebooks from their texts, as `make notebooks` does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from simulator.cli.guard import exit_code, say
from simulator.errors import InputError


def main(argv: Sequence[str] | None = None) -> int:
    """Execute the given texts, and return the exit code."""
    parser = argparse.ArgumentParser(prog="notebooks", description=__doc__, allow_abbrev=False)
    parser.add_argument("texts", nargs="+", metavar="TEXT.py", help="notebooks in jupytext's percent format")
    return exit_code(lambda: _execute([Path(text) for text in parser.parse_args(argv).texts]))


def _execute(sources: Sequence[Path]) -> int:
    from simulator.notebook.pair import write_executed

    for source in sources:
        if source.suffix != ".py" or not source.is_file():
            raise InputError("is no text of a notebook", file=str(source), allowed="a file in percent format that ends in .py")
    for source in sources:
        say(f"wrote {write_executed(source)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
