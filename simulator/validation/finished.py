"""Finished runs kept in a folder, so that an interrupted reproduction goes on where it stopped.

A run is found again only under the key of all that determines it (:mod:`simulator.sweep.key`). A file that cannot be read back
is ignored, and the run done again.
"""

from __future__ import annotations

from pathlib import Path

from simulator.files import writable_folder, write_text
from simulator.measure.result import RunResult


class FinishedRuns:
    """Results of runs, one JSON file each.

    Parameters
    ----------
    folder : Path
        Made if it is not there.

    Raises
    ------
    InputError
        The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = writable_folder(folder)

    def get(self, key: str) -> RunResult | None:
        """Return the result kept under `key`; None when there is none to be read."""
        try:
            return RunResult.model_validate_json(self._path(key).read_bytes())
        except (OSError, ValueError):
            return None

    def keep(self, key: str, result: RunResult) -> None:
        """Keep a result."""
        write_text(self._path(key), result.model_dump_json(indent=1) + "\n")

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"
