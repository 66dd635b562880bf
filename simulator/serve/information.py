"""What a page shows before anything has run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from simulator import __version__
from simulator.machine.load import list_machines, load_machine
from simulator.serve.limits import LONGEST_TEXT, MOST_SETTINGS, MOST_THREADS, RUN_ACCURACY, WHY_ACCURACY
from simulator.workload.levels import background_levels


def information(files: Sequence[str]) -> dict[str, Any]:
    """Return the machines, the user's own files first, and what runs are done with.

    Raises
    ------
    InputError
        A file is no machine file, or its name is too long for a request.
    """
    names = [*dict.fromkeys(files), *list_machines()]
    return {
        "version": __version__,
        "machines": [{"name": name, "title": load_machine(name).title} for name in dict.fromkeys(names)],
        "levels": background_levels(),
        "accuracy": {"run": asdict(RUN_ACCURACY), "why": asdict(WHY_ACCURACY)},
        "limits": {"threads": MOST_THREADS, "settings": MOST_SETTINGS, "text": LONGEST_TEXT},
    }
