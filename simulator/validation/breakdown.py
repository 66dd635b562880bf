"""Queueing against latency: where a line's time goes in every case of a reference's figures, from the runs that are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from simulator.measure.breakdown import LINE_PARTS, LinePart, line_ns
from simulator.measure.result import PathReport, RunResult
from simulator.tables import Table, csv_text, number, row
from simulator.validation.reference import Case, Figure, Reference
from simulator.validation.requests import Requests, RunRequest

ALL = "all"
Value = Callable[[PathReport], float]
GROUPS: dict[str, Value] = {
    "walking": lambda path: path.walking_ns,
    "queueing": lambda path: path.queueing_ns,
    "probe_wait": lambda path: path.parts_ns.probe_wait,
    "other": lambda path: path.other_ns,
}


@dataclass(frozen=True)
class CaseBreakdown:
    """Where the time of a case's lines goes; means over its foreground threads, which count alike.

    Attributes
    ----------
    figure : Figure
    case : Case
    paths : tuple of PathReport
        One of each foreground thread; empty where the run has no breakdown or a thread completed no line.
    """

    figure: Figure
    case: Case
    paths: tuple[PathReport, ...]

    def mean(self, value: Value) -> float | None:
        """Return the mean of a value over the threads."""
        return sum(map(value, self.paths)) / len(self.paths) if self.paths else None

    def percent(self, value: Value) -> float | None:
        """Return the mean of a value in per cent of the mean of all time."""
        part, whole = self.mean(value), self.mean(lambda path: path.total_ns)
        return 100 * part / whole if part is not None and whole else None

    @property
    def largest_queue(self) -> tuple[LinePart, float] | None:
        """What its lines queue for longest, with the mean time in ns; None where they never queue."""
        parts = [part for part in LINE_PARTS if part.group == "queueing"]
        waits = [(part, self.mean(partial(line_ns, part=part)) or 0.0) for part in parts]
        longest = max(waits, key=lambda pair: pair[1])
        return longest if longest[1] else None


def case_breakdowns(
    reference: Reference, figures: Sequence[Figure], results: Mapping[RunRequest, RunResult]
) -> tuple[CaseBreakdown, ...]:
    """Return every case of these figures, in the published order."""
    requests = Requests(reference)
    return tuple(
        CaseBreakdown(figure, case, _foreground(results[requests.case(figure, case)]))
        for figure in figures
        for case in figure.cases
    )


def _foreground(result: RunResult) -> tuple[PathReport, ...]:
    paths = tuple(path for path in result.breakdown if not path.background)
    return paths if len(paths) == sum(not thread.background for thread in result.threads) else ()


def queueing_table(cases: Sequence[CaseBreakdown]) -> Table:
    """Return a row a case: how much of its lines' time is latency and how much queueing, and what they queue for most."""
    headers = ("figure", "case", "threads", "all, ns", "walking %", "queueing %", "probes %", "other %", "longest queue", "ns")
    rows = []
    for case in cases:
        longest = case.largest_queue
        rows.append(
            row(
                case.figure.id,
                case.case.name or "",
                " ".join(case.case.threads),
                number(case.mean(lambda path: path.total_ns)),
                *(number(case.percent(value)) for value in GROUPS.values()),
                "-" if longest is None else longest[0].words,
                number(longest and longest[1]),
            )
        )
    title = "Queueing against latency: where the time of a line goes, mean over the threads of a case"
    return Table(title, headers, tuple(rows), left=3)


def queueing_csv(cases: Sequence[CaseBreakdown]) -> str:
    """Return the same with every part, as CSV: a row for ``all`` threads of a case, and one for each thread."""
    values: dict[str, Value] = {
        "total_ns": lambda path: path.total_ns,
        "latency_ns": lambda path: path.latency_ns,
        **{f"{name}_ns": value for name, value in GROUPS.items()},
        **{f"{part.name}_ns": partial(line_ns, part=part) for part in LINE_PARTS if part.group != "probes"},
    }
    columns = ("figure", "page", "case", "threads", "background", "thread", *values, *(f"{name}_percent" for name in GROUPS))
    return csv_text(columns, (fields for case in cases for fields in _csv_rows(case, values)))


def _csv_rows(case: CaseBreakdown, values: Mapping[str, Value]) -> Iterator[tuple[object, ...]]:
    background = case.figure.background
    place = (
        case.figure.id,
        case.figure.page,
        case.case.name,
        " ".join(case.case.threads),
        None if background is None else background.level,
    )
    of_threads = ((path.thread, CaseBreakdown(case.figure, case.case, (path,))) for path in case.paths)
    for thread, one in ((ALL, case), *of_threads):
        times = (one.mean(value) for value in values.values())
        yield (*place, thread, *map(_rounded, (*times, *(one.percent(value) for value in GROUPS.values()))))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)  # a femtosecond
