"""A reproduction as tables."""

from __future__ import annotations

from simulator.tables import Cell, Mood, Table, number, row, yes_no
from simulator.validation.judge import is_base
from simulator.validation.reference import Reference
from simulator.validation.report import AnchorRow, BarRow, LoadRow, OrderRow, Reproduction

_MISSING_NOTE = "not recorded: no published value recorded; the case is simulated all the same"


def reproduction_tables(reference: Reference, report: Reproduction) -> tuple[Table, ...]:
    """Return bars, loads, orders, anchors and summary; tables without rows are left out."""
    tables = (
        bars_table(reference, report.bars),
        loads_table(report.loads),
        orders_table(reference, report),
        anchors_table(report.anchors),
        summary_table(reference, report),
    )
    return tuple(table for table in tables if table.rows)


def bars_table(reference: Reference, bars: tuple[BarRow, ...]) -> Table:
    """Return the bars: published beside simulated."""
    base = reference.base.threads[0]
    note = _MISSING_NOTE if any(bar.published_percent is None for bar in bars) else ""
    return Table(
        f"Bars: time a line, % of {base} alone",
        ("figure", "case", "threads", "published", "simulated", "error %", "CI %"),
        tuple(_bar(reference, bar) for bar in bars),
        left=3,
        note=f"  {note}" if note else "",
    )


def loads_table(loads: tuple[LoadRow, ...]) -> Table:
    """Return the loads of links and controllers."""
    rows = (
        row(
            load.quantity,
            str(load.page),
            f"{load.published:.4g}",
            f"{load.simulated:.4g}",
            number(load.error_percent, signed=True),
        )
        for load in loads
    )
    return Table("Loads", ("quantity", "page", "published", "simulated", "error %"), tuple(rows))


def orders_table(reference: Reference, report: Reproduction) -> Table:
    """Return the published orders, and by how much each holds or fails."""
    rows = (
        row(
            order.figure,
            order.slower,
            order.faster,
            yes_no(order.holds),
            number(_lead(reference, order, report.bars), signed=True),
        )
        for order in report.orders
    )
    return Table("Orders: slower case first", ("figure", "slower", "faster", "holds", "by, points"), tuple(rows), left=3)


def anchors_table(anchors: tuple[AnchorRow, ...]) -> Table:
    """Return the anchors with what is allowed."""
    rows = (
        row(
            anchor.quantity,
            "-" if anchor.published is None else f"{anchor.published:.4g}",
            _range(anchor),
            "-" if anchor.simulated is None else f"{anchor.simulated:.4g}",
            number(anchor.error_percent, signed=True),
            yes_no(anchor.holds),
        )
        for anchor in anchors
    )
    return Table("Anchors", ("quantity", "published", "allowed", "simulated", "error %", "holds"), tuple(rows))


def summary_table(reference: Reference, report: Reproduction) -> Table:
    """Return each tolerance with what was reached."""
    summary, allowed = report.summary, reference.tolerance
    rows = [
        _tolerance(
            "bars with a published value, the base left out: rms error", summary.bars_rms_percent, allowed.bars_rms_percent
        ),
        _tolerance("the same: largest error", summary.bars_max_percent, allowed.bars_max_percent),
        _tolerance("loads: rms error", summary.loads_rms_percent, allowed.loads_rms_percent),
        _count("orders that hold", [order.holds for order in report.orders]),
        _count("anchors that hold", [anchor.holds for anchor in report.anchors]),
    ]
    return Table("Summary", ("", "reached", "wanted", "holds"), tuple(rows))


def _bar(reference: Reference, bar: BarRow) -> tuple[Cell, ...]:
    figure = reference.find_figure(bar.figure)
    case = next(case for case in figure.cases if case.threads == bar.threads)
    missing = Cell("not recorded", "faint")
    published = missing if bar.published_percent is None else Cell(number(bar.published_percent, 0))
    error = Cell(number(bar.error_percent, signed=True), _mood(bar.error_percent, reference.tolerance.bars_max_percent))
    name = "the base" if is_base(reference, bar) else case.name or ""
    return row(
        bar.figure, name, " ".join(bar.threads), published, number(bar.simulated_percent), error, number(bar.ci_percent, 2)
    )


def _mood(error: float | None, allowed: float) -> Mood:
    if error is None:
        return "faint"
    return "good" if abs(error) <= allowed else "bad"


def _lead(reference: Reference, order: OrderRow, bars: tuple[BarRow, ...]) -> float | None:
    if order.figure not in {figure.id for figure in reference.figure}:
        return None  # a trend across figures
    figure = reference.find_figure(order.figure)
    heights = {bar.threads: bar.simulated_percent for bar in bars if bar.figure == order.figure}
    slower, faster = heights[figure.case(order.slower).threads], heights[figure.case(order.faster).threads]
    return None if slower is None or faster is None else slower - faster


def _range(anchor: AnchorRow) -> str:
    if anchor.lowest is None:
        return f"<= {anchor.highest:.4g}"
    return f">= {anchor.lowest:.4g}" if anchor.highest is None else f"{anchor.lowest:.4g}..{anchor.highest:.4g}"


def _tolerance(what: str, reached: float | None, allowed: float) -> tuple[Cell, ...]:
    if reached is None:
        return row(what, "-", f"<= {allowed:g} %", Cell("nothing to compare", "faint"))
    return row(what, f"{reached:.2f} %", f"<= {allowed:g} %", yes_no(reached <= allowed))


def _count(what: str, holds: list[bool]) -> tuple[Cell, ...]:
    if not holds:
        return row(what, "-", "all", Cell("nothing to compare", "faint"))
    return row(what, f"{sum(holds)} of {len(holds)}", "all", yes_no(all(holds)))
