"""Which runs a reference asks for, each once however many rows look at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.errors import InputError
from simulator.validation.reference import Anchor, Background, Case, Figure, Load, Reference
from simulator.workload import Workload, parse_label


@dataclass(frozen=True)
class RunRequest:
    """A run that is wanted: threads in canonical order, so that equal runs are equal requests.

    Attributes
    ----------
    machine : str
        Name or path, as the reference gives it.
    threads : tuple of str
        Foreground labels.
    background : tuple of (str, float)
        Background labels with the GB/s each asks for.
    """

    machine: str
    threads: tuple[str, ...]
    background: tuple[tuple[str, float], ...] = ()

    @property
    def title(self) -> str:
        """Short text for progress and messages."""
        beside = f" beside {len(self.background)} at {self.background[0][1]:g} GB/s" if self.background else ""
        return (" ".join(self.threads) or "no foreground") + beside

    @property
    def size(self) -> int:
        """Number of threads, a rough measure of how long the run takes."""
        return len(self.threads) + 2 * len(self.background)

    def workload(self) -> Workload:
        """Return the workload to run."""
        return Workload.from_labels(self.threads, background=dict(self.background))


class Requests:
    """Finds the run behind each row of a reference.

    Parameters
    ----------
    reference : Reference
    """

    def __init__(self, reference: Reference) -> None:
        self._reference = reference

    def base(self) -> RunRequest:
        """Return the run that all bars are relative to."""
        return self._request(self._reference.base.threads, None)

    def case(self, figure: Figure, case: Case) -> RunRequest:
        """Return the run of one bar."""
        return self._request(case.threads, figure.background)

    def load(self, load: Load) -> RunRequest:
        """Return the run whose loads are published."""
        if load.threads is not None:
            return self._request(load.threads, None)
        assert load.figure is not None and load.case is not None
        figure = self._reference.find_figure(load.figure)
        return self.case(figure, figure.case(load.case))

    def anchor(self, anchor: Anchor) -> RunRequest | None:
        """Return the run of an anchor; None for one that needs no run of its own kind."""
        if anchor.kind == "idle_latency_ns":
            return None
        return self._request(anchor.threads or (), anchor.background, anchor.machine)

    def links_picture(self) -> RunRequest | None:
        """Return the run whose link loads are drawn; None when the reference asks for none."""
        picture = self._reference.links_picture
        if picture is None:
            return None
        figure = self._reference.find_figure(picture.figure)
        return self.case(figure, figure.case(picture.case))

    def of_figures(self, figures: Sequence[Figure]) -> tuple[RunRequest, ...]:
        """Return the distinct runs of these figures, the base first."""
        runs = [self.base(), *(self.case(figure, case) for figure in figures for case in figure.cases)]
        return tuple(dict.fromkeys(runs))

    def of_all(self) -> tuple[RunRequest, ...]:
        """Return the distinct runs of the whole reference, the base first."""
        anchors = (self.anchor(anchor) for anchor in self._reference.anchor)
        runs = [*self.of_figures(self._reference.figure), *(self.load(load) for load in self._reference.load)]
        return tuple(dict.fromkeys(runs + [request for request in anchors if request is not None]))

    def _request(self, threads: Sequence[str], background: Background | None, machine: str | None = None) -> RunRequest:
        beside: tuple[tuple[str, float], ...] = ()
        if background is not None:
            rate = self._reference.level(background.level).gb_per_s
            beside = tuple((label, rate) for label in sorted(background.threads, key=_place))
        return RunRequest(machine or self._reference.machine, tuple(sorted(threads, key=_place)), beside)


def select_figures(reference: Reference, ids: Sequence[str]) -> tuple[Figure, ...]:
    """Return the figures of these ids in the reference's order; all of them when no id is given.

    Raises
    ------
    InputError
        The reference has no figure of that id.
    """
    known = [figure.id for figure in reference.figure]
    for figure_id in ids:
        if figure_id not in known:
            raise InputError(f"{reference.name} has no such figure", field="--figure", value=figure_id, allowed=", ".join(known))
    return tuple(figure for figure in reference.figure if not ids or figure.id in ids)


def _place(label: str) -> tuple[int, int, str, int]:
    thread = parse_label(label)
    return (thread.node, thread.core, thread.accesses[0].mode, thread.accesses[0].memory)
