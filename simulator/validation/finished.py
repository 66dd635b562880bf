"""Finished runs kept in a folder, so that an interrupted reproduction goes on where it stopped.

A run is found again only under the key of all that determines it, the model's own code included: nobody gets a result of
an older model. A file that cannot be read back is ignored, and the run done again.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import simulator
from simulator.files import writable_folder, write_text
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.workload import Workload

_MODEL = ("errors.py", "units.py", "machine", "protocol", "workload", "engine", "measure")


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


def run_key(machine: Machine, workload: Workload, accuracy: Accuracy, seed: int, model: str) -> str:
    """Return the key of a run: a hash of all that determines its result.

    Parameters
    ----------
    model : str
        See :func:`model_fingerprint`.
    """
    parts = [model, machine.model_dump(mode="json"), workload.as_dict(), asdict(accuracy), seed]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def model_fingerprint() -> str:
    """Return a hash of the model's source files and version."""
    root = Path(simulator.__file__).parent
    digest = hashlib.sha256(simulator.__version__.encode())
    for name in _MODEL:
        place = root / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(file.relative_to(root).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
