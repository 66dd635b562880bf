"""Bounds, and what a run made of them, as tables."""

from __future__ import annotations

from simulator.tables import Cell, Table, number, row
from simulator.theory.estimate_report import Estimate, StationEstimate, ThreadEstimate

_MOST_COLUMNS = 8  # threads, each with a column of its own
_QUIET_BUFFERS = 0.5  # use below which pools of buffers are not shown


def estimate_tables(report: Estimate) -> tuple[Table, ...]:
    """Return threads, stations and totals; with a run also how far it came, and the laws."""
    tables = [threads_table(report), stations_table(report), total_table(report)]
    if report.verdict is not None:
        tables += [run_table(report), laws_table(report)]
    return tuple(table for table in tables if table.rows)


def threads_table(report: Estimate) -> Table:
    """Return the bounds of each thread, alone and beside the others."""
    rows = tuple(
        row(
            thread.label,
            Cell("background", "faint") if thread.background else "foreground",
            str(thread.window),
            number(thread.zero_load_latency_ns),
            number(thread.alone_gb_per_s, 3),
            thread.alone_limit,
            number(thread.fair_gb_per_s, 3),
            thread.fair_limit,
            number(thread.expected_gb_per_s, 3),
            thread.fullest,
            number(100 * thread.fullest_utilization),
        )
        for thread in report.threads
    )
    headers = (
        "thread",
        "kind",
        "lines",
        "idle ns",
        "alone",
        "held by",
        "together",
        "held by",
        "MVA",
        "fullest station",
        "busy %",
    )
    note = (
        "  held by its window: only more lines in flight would make it faster; by a station: only more of that\n"
        "  MVA: no bound, but what mean value analysis expects where buffers do not fill"
    )
    return Table(f"Most that threads on {report.machine} can do, GB/s, without simulation", headers, rows, left=2, note=note)


def stations_table(report: Estimate) -> Table:
    """Return the stations with their least use; pools of buffers only where they are much used."""
    shown = [one for one in report.stations if one.kind != "buffers" or one.fair_utilization >= _QUIET_BUFFERS]
    rows = tuple(_station(one, report) for one in shown if any(demand != 0 for demand in one.demand_ns))
    simulated = ("simulated",) if report.verdict is not None else ()
    headers = ("station", "kind", "busy %", *simulated, *(thread.label for thread in _columns(report)))
    asked = ", and ns that a line of each thread asks" if _columns(report) else ""
    return Table(f"Stations: least use at the threads' shares{asked}", headers, rows, left=2)


def _columns(report: Estimate) -> tuple[ThreadEstimate, ...]:
    return report.threads if len(report.threads) <= _MOST_COLUMNS else ()


def _station(one: StationEstimate, report: Estimate) -> tuple[Cell, ...]:
    simulated = (number(None if (use := one.simulated_utilization) is None else 100 * use),)
    demands = (number(demand, 2, missing="no buffer") for demand in one.demand_ns[: len(_columns(report))])
    return row(one.name, one.kind, number(100 * one.fair_utilization), *(simulated if report.verdict else ()), *demands)


def total_table(report: Estimate) -> Table:
    """Return what all threads can do together."""
    total = report.total
    rows = [
        row("most that they can do, however unequally", number(total.bound_gb_per_s, 3)),
        row("their shares together", number(total.fair_gb_per_s, 3)),
        row("most if packets were spread over all shortest routes", number(total.best_routes_gb_per_s, 3)),
    ]
    if total.simulated_gb_per_s is not None:
        rows.append(row("simulated", number(total.simulated_gb_per_s, 3)))
        rows.append(row("simulated, per cent of the most", number(total.of_bound_percent)))
    return Table("All threads, GB/s", ("", ""), tuple(rows))


def run_table(report: Estimate) -> Table:
    """Return how far a run came."""
    rows = tuple(
        row(
            thread.label,
            number(thread.simulated_gb_per_s, 3),
            number(thread.ci_percent, 2),
            number(thread.expected_gb_per_s, 3),
            number(thread.of_alone_percent),
            number(thread.of_fair_percent),
        )
        for thread in report.threads
    )
    headers = ("thread", "GB/s", "CI %", "MVA", "% of alone", "% of its share")
    return Table(f"The run, {report.verdict}: how far it came", headers, rows)


def laws_table(report: Estimate) -> Table:
    """Return the operational laws on the run, stations that nothing used left out."""
    rows = tuple(
        row(
            law.place,
            "U = X S" if law.law == "utilization" else "N = X R",
            number(law.measured, 4),
            law.relation,
            number(law.expected, 4),
            number(law.difference_percent, 2, signed=True),
            number(law.tolerance_percent, 2),
            Cell("holds", "good") if law.holds else Cell("fails", "bad"),
        )
        for law in report.laws
        if law.measured or law.expected
    )
    headers = ("place", "law", "measured", "", "by the law", "apart %", "allowed %", "")
    whys = sorted({f"  >=: {law.why}" for law in report.laws if law.why})
    return Table("Laws, checked on the run", headers, rows, left=2, note="\n".join(whys))
