"""From a sweep to its points, in an order that does not depend on how the sweep was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.machine.document import Document
from simulator.machine.merge import read_document
from simulator.machine.read import locate
from simulator.machine.resolve import resolve
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.sweep.axes import Background, background_text, backgrounds, foregrounds, said_of, set_axes
from simulator.sweep.key import key_of_hashes, machine_hash, model_fingerprint
from simulator.sweep.spec import Sweep
from simulator.sweep.work import Job
from simulator.workload import Workload, check_workload

MAX_POINTS = 100_000
MAX_SET_PATHS = 1_000  # each is a column of the store
Settings = tuple[tuple[str, Any], ...]  # paths and values, sorted by path


@dataclass(frozen=True)
class BaseMachine:
    """A machine of the sweep before anything is set; the file is read once, so that all points agree on it."""

    document: Document
    name: str
    hash: str


@dataclass(frozen=True)
class Point:
    """One combination.

    Attributes
    ----------
    key : str
        See :func:`simulator.sweep.key.run_key`.
    machine : BaseMachine
    settings : tuple of (path, value)
        What is set.
    threads : tuple of str
        Foreground labels in canonical order.
    background : tuple of (label, GB/s)
    """

    key: str
    machine: BaseMachine
    settings: Settings
    threads: tuple[str, ...]
    background: Background
    accuracy: Accuracy
    seed: int

    @property
    def title(self) -> str:
        """Short text for progress and messages."""
        settings = [f"{path}={value}" for path, value in self.settings]
        beside = ["beside", background_text(self.background)] if self.background else []
        return " ".join([self.machine.name, *settings, *self.threads, *beside, f"seed {self.seed}"])


class Grid:
    """All points of a sweep, checked: every machine resolves and every workload fits.

    Parameters
    ----------
    sweep : Sweep
    file : str
        What messages call the sweep.
    folder : Path, optional
        What relative paths of machine files start from; the current folder if left out.

    Raises
    ------
    InputError
        Anything wrong with any point, or more than `MAX_POINTS` of them or `MAX_SET_PATHS` constants.
    """

    def __init__(self, sweep: Sweep, file: str = "sweep", folder: Path | None = None) -> None:
        self._file = file
        if len(sweep.set) > MAX_SET_PATHS:
            raise InputError(f"sets {len(sweep.set):,} constants", file=file, field="set", allowed=f"at most {MAX_SET_PATHS:,}")
        self._settings = set_axes(sweep.set, file)
        self._threads = foregrounds(sweep.threads, file)
        self._backgrounds = backgrounds(sweep.background, file)
        self._seeds = sweep.seeds
        with said_of(file):
            self._accuracies = sweep.accuracies
        self._check_size(len(sweep.machines))
        self.machine_files: tuple[Path, ...] = ()
        self._machines = self._read(sweep.machines, folder)
        self._latest: tuple[tuple[str, Settings], Machine] | None = None
        self.model = model_fingerprint()
        self.points = tuple({point.key: point for point in self._points()}.values())

    @property
    def set_paths(self) -> tuple[str, ...]:
        """Paths of the constants that are set."""
        return tuple(axis.path for axis in self._settings)

    def job(self, point: Point) -> Job:
        """Return what a worker needs to do a point."""
        if self._latest is None or self._latest[0] != (point.machine.name, point.settings):
            self._latest = ((point.machine.name, point.settings), self._resolve(point.machine, point.settings))
        machine = self._latest[1]  # points that follow each other mostly share it
        return Job(point.key, machine, _workload(point.threads, point.background), point.accuracy, point.seed)

    def _check_size(self, machines: int) -> None:
        lengths = [machines, *(len(axis.values) for axis in self._settings), len(self._threads), len(self._backgrounds)]
        count = prod([*lengths, len(self._accuracies), len(self._seeds)])
        if count > MAX_POINTS:
            allowed = f"at most {MAX_POINTS:,}; several sweeps may share a store"
            raise InputError(f"has {count:,} points", file=self._file, allowed=allowed)

    def _read(self, names: tuple[str, ...], folder: Path | None) -> list[BaseMachine]:
        machines: dict[str, BaseMachine] = {}
        for name in names:
            with said_of(self._file, "machine"):
                location = locate(name, folder)
            if location.path is not None:
                self.machine_files += (location.path,)
            document = read_document(location)
            machine = resolve(document)
            found = BaseMachine(document, machine.name, machine_hash(machine))
            other = machines.setdefault(machine.name, found)
            if other.hash != found.hash:
                allowed = "a name of its own in each machine file, or results could not be told apart"
                what = f"two different machines are called {machine.name}"
                raise InputError(what, file=self._file, field="machine", value=name, allowed=allowed)
        return [machines[name] for name in sorted(machines)]

    def _points(self) -> Iterator[Point]:
        paths = self.set_paths
        for base, *values in product(self._machines, *(axis.values for axis in self._settings)):
            settings = tuple(zip(paths, values, strict=True))
            machine = self._resolve(base, settings)
            yield from self._on(machine, base, settings)

    def _on(self, machine: Machine, base: BaseMachine, settings: Settings) -> Iterator[Point]:
        hashed = machine_hash(machine)
        for threads, background in product(self._threads, self._backgrounds):
            workload = _workload(threads, background)
            self._check(machine, workload, threads, background)
            for accuracy, seed in product(self._accuracies, self._seeds):
                key = key_of_hashes(hashed, workload, accuracy, seed, self.model)
                yield Point(key, base, settings, threads, background, accuracy, seed)

    def _resolve(self, base: BaseMachine, settings: Settings) -> Machine:
        pairs = zip(self._settings, settings, strict=True)
        overrides = [replace(axis.override, value=value) for axis, (_, value) in pairs]
        with said_of(self._file):
            return resolve(base.document, sorted(overrides, key=lambda override: override.rank))

    def _check(self, machine: Machine, workload: Workload, threads: tuple[str, ...], background: Background) -> None:
        try:
            check_workload(machine, workload)
        except InputError as error:
            beside = ("beside", background_text(background)) if background else ()
            what = f"{error.what}, in the point {' '.join((machine.name, *threads, *beside))}"
            raise InputError(what, file=self._file, field=error.field, value=error.value, allowed=error.allowed) from None


def _workload(threads: tuple[str, ...], background: Background) -> Workload:
    return Workload.from_labels(threads, background=dict(background))
