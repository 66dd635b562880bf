"""The key of a run: a hash of all that determines its result, the model's own code included.

Whoever keeps results finds them again under this key alone, so nobody gets a result of an older model.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path

import simulator
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.workload import Workload

_MODEL = ("errors.py", "units.py", "machine", "protocol", "workload", "engine", "measure")


def run_key(machine: Machine, workload: Workload, accuracy: Accuracy, seed: int, model: str) -> str:
    """Return the key of a run. The engine is no part of it: all give the same result.

    Parameters
    ----------
    model : str
        See :func:`model_fingerprint`.
    """
    return key_of_hashes(machine_hash(machine), workload, accuracy, seed, model)


def key_of_hashes(machine: str, workload: Workload, accuracy: Accuracy, seed: int, model: str) -> str:
    """Return what :func:`run_key` does, from the machine's hash: for many runs on one machine."""
    return _hash([model, machine, workload.as_dict(), asdict(accuracy), seed])


def machine_hash(machine: Machine) -> str:
    """Return a hash of a resolved machine, sources included."""
    return _hash(machine.model_dump(mode="json"))


@cache
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


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
