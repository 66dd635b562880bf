"""Builds as tables."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.schedule.build_spec import BuildSpec, value_at
from simulator.schedule.kernel_build import BuildRow
from simulator.schedule.measured import MeasuredBuild
from simulator.schedule.result import ScheduleResult
from simulator.tables import Cell, Table, number, row, yes_no

SPEEDUP_PERCENT, CPU_POINTS, GROWTH_PERCENT = 3.0, 3.0, (1.2, 2.6)  # what the comparison has to keep to
_QUANTITIES = ("user_s", "system_s", "real_s")
Pairs = Sequence[tuple[MeasuredBuild, ScheduleResult]]


def builds_table(title: str, rows: Sequence[BuildRow], note: str = "") -> Table:
    """Lay simulated beside measured, with signed errors.

    Parameters
    ----------
    title : str
    rows : sequence of BuildRow
    note : str
    """
    headers = ("scheduler", "jobs", "user s", "", "%", "sys s", "", "%", "real s", "", "%", "CPU %", "", "points")
    return Table(title, headers, tuple(_build_row(one) for one in rows), note=note)


def checks_table(rows: Sequence[BuildRow]) -> Table:
    """Say what the comparison of the builds on all cores comes to.

    Parameters
    ----------
    rows : sequence of BuildRow
        Of each scheduler with one, two and more jobs.
    """
    found = []
    for name in sorted({one.measured.scheduler for one in rows}):
        own = sorted((one for one in rows if one.measured.scheduler == name), key=lambda one: one.measured.jobs)
        first, two, last = own[0], next(one for one in own if one.measured.jobs == 2), own[-1]
        speedups = (first.measured.real_s / two.measured.real_s, first.simulated.real_s / two.simulated.real_s)
        error = 100 * (speedups[1] / speedups[0] - 1)
        found.append(
            row(name, "times as fast with 2 jobs", *(number(each, 3) for each in speedups), f"within {SPEEDUP_PERCENT:g} %",
                yes_no(abs(error) <= SPEEDUP_PERCENT))
        )  # fmt: skip
        growths = [100 * (end.user_s / start.user_s - 1) for start, end in _ends(first, last)]
        least, most = GROWTH_PERCENT
        what = f"user time, {last.measured.jobs} jobs against {first.measured.jobs}, %"
        found.append(
            row(name, what, *(number(each, 2, signed=True) for each in growths), f"{least:g} to {most:g}",
                yes_no(least <= growths[1] <= most))
        )  # fmt: skip
        worst = max((one.simulated.cpu_percent - one.measured.cpu_percent for one in own), key=abs)
        found.append(
            row(name, "largest difference of CPU %, points", "", number(worst, 1, signed=True), f"within {CPU_POINTS:g}",
                yes_no(abs(worst) <= CPU_POINTS))
        )  # fmt: skip
    headers = ("scheduler", "what", "measured", "simulated", "wanted", "holds")
    return Table("What it comes to", headers, tuple(found), left=2)


def holds(rows: Sequence[BuildRow]) -> bool:
    """Return whether all of :func:`checks_table` hold."""
    return all(cells[-1].text == "yes" for cells in checks_table(rows).rows)


def memory_bound_table(rows: Sequence[BuildRow], memory_bound: Pairs) -> Table:
    """Lay a build bound by memory beside the described one: same processes, same schedulers.

    Parameters
    ----------
    rows : sequence of BuildRow
    memory_bound : sequence of pairs
        Of the same rows.
    """
    cells = []
    for one, (measured, bound) in zip(rows, memory_bound, strict=True):
        first = next(pair for pair in zip(rows, memory_bound, strict=True) if pair[0].measured.scheduler == measured.scheduler)
        both = ((first[0].simulated, one.simulated), (first[1][1], bound))
        numbers = [
            text
            for start, end in both
            for text in (
                number(end.user_s), number(100 * (end.user_s / start.user_s - 1), signed=True), number(end.real_s),
                number(start.real_s / end.real_s, 2), number(end.cpu_percent),
            )
        ]  # fmt: skip
        cells.append(row(measured.scheduler, str(measured.jobs), *numbers))
    columns = ("user s", "growth %", "real s", "speed-up", "CPU %")
    headers = ("scheduler", "jobs", *columns, *(f"m. {name}" for name in columns))
    note = "m.: the compiler streams through memory; alone it takes as long as the other. Growth and speed-up: against 1 job."
    return Table("What a build bound by memory would do instead", headers, tuple(cells), note=note)


def parameters_table(spec: BuildSpec) -> Table:
    """Say which numbers were fitted, in which range, and where the others come from."""
    rows = [
        row(path, number(value_at(spec, path), 4), f"{least:g} to {most:g}", "fitted")
        for path, (least, most) in spec.fitted.items()
    ]
    blocks = {
        "compiler": spec.compiler, "assembler": spec.assembler, "tools": spec.tools, "memory_bound": spec.memory_bound,
        "compile": spec.compile, "schedulers": spec.schedulers,
        **{f"stages.{place}": stage for place, stage in enumerate(spec.stages)},
        **{f"modules.{place}": stage for place, stage in enumerate(spec.modules)},
    }  # fmt: skip
    for block, table in blocks.items():
        for name, value in table.model_dump(exclude={"source"}).items():
            if f"{block}.{name}" not in spec.fitted:
                rows.append(row(f"{block}.{name}", f"{value:g}" if isinstance(value, float) else str(value), "", "taken"))
    note = "where each comes from stands in the file of the build, at its table"
    return Table("Numbers of the build and the schedulers", ("number", "value", "allowed", "how"), tuple(rows), note=note)


def _ends(first: BuildRow, last: BuildRow) -> tuple[tuple[MeasuredBuild, MeasuredBuild], tuple[ScheduleResult, ScheduleResult]]:
    return (first.measured, last.measured), (first.simulated, last.simulated)


def _build_row(one: BuildRow) -> tuple[Cell, ...]:
    texts = []
    for name, digits in zip(_QUANTITIES, (1, 1, 1), strict=True):
        values = (getattr(one.measured, name), getattr(one.simulated, name))
        texts += [*(number(value, digits) for value in values), number(one.error_percent(name), 1, signed=True)]  # type: ignore[arg-type]
    cpu = one.simulated.cpu_percent - one.measured.cpu_percent
    texts += [number(one.measured.cpu_percent), number(one.simulated.cpu_percent), number(cpu, signed=True)]
    return row(one.measured.scheduler, str(one.measured.jobs), *texts)
