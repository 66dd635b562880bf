"""From results of runs to rows: bars, loads, orders and anchors, simulated beside published."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from simulator.errors import InputError
from simulator.measure.result import RunResult, ThreadReport
from simulator.validation.reference import Anchor, Case, Figure, Load, Reference
from simulator.validation.report import AnchorRow, BarRow, LoadRow, OrderRow
from simulator.validation.requests import Requests, RunRequest

Results = Mapping[RunRequest, RunResult]
_Found = TypeVar("_Found")
ANCHOR_UNITS = {"idle_latency_ns": ", ns", "thread_gb_per_s": ", GB/s", "link_utilization": ""}  # as they end a quantity


def error_percent(simulated: float, published: float) -> float:
    """Signed error in per cent of the published value."""
    return 100 * (simulated - published) / published


def rms(values: Sequence[float]) -> float | None:
    """Root mean square; None of nothing."""
    return math.sqrt(sum(value * value for value in values) / len(values)) if values else None


def bar_percent(result: RunResult, base: RunResult) -> float | None:
    """Height of a bar: mean over foreground threads of the time a line, in per cent of the base's.

    None when a thread finished no line.
    """
    times, base_time = _times(result), _times(base)
    if times is None or base_time is None:
        return None
    return 100 * (sum(times) / len(times)) / base_time[0]


def bar_ci_percent(result: RunResult, base: RunResult) -> float | None:
    """Half width of a bar's 95 % confidence interval, in per cent of the bar.

    Threads of one run share links and controllers, so their errors may go together: half widths are averaged like the times,
    which holds whatever their correlation. The base is another run: its relative half width is added in quadrature. The base
    relative to itself is exactly 100.
    """
    if result == base:
        return 0.0
    times, own = _times(result), [thread.ci_percent for thread in _foreground(result)]
    base_ci = _foreground(base)[0].ci_percent
    if times is None or base_ci is None:
        return None
    half_widths = [time * ci for time, ci in zip(times, own, strict=True) if ci is not None]
    if len(half_widths) < len(times):
        return None
    return math.hypot(sum(half_widths) / sum(times), base_ci)


def bar_rows(reference: Reference, figures: Sequence[Figure], results: Results) -> tuple[BarRow, ...]:
    """Return the bars of these figures, in the published order."""
    requests = Requests(reference)
    base = results[requests.base()]
    return tuple(_bar(figure, case, results[requests.case(figure, case)], base) for figure in figures for case in figure.cases)


def order_rows(figures: Sequence[Figure], bars: Sequence[BarRow]) -> tuple[OrderRow, ...]:
    """Compare the cases whose order is published: the slower one must have the strictly higher bar."""
    heights = {(bar.figure, bar.threads): bar.simulated_percent for bar in bars}
    rows = []
    for figure in figures:
        for order in figure.orders:
            slower = heights[figure.id, figure.case(order.slower).threads]
            faster = heights[figure.id, figure.case(order.faster).threads]
            holds = slower is not None and faster is not None and slower > faster
            rows.append(OrderRow(figure=figure.id, slower=order.slower, faster=order.faster, holds=holds))
    return tuple(rows)


def trend_rows(reference: Reference, bars: Sequence[BarRow]) -> tuple[OrderRow, ...]:
    """Compare the leads whose shrinking is published, as orders across figures; trends of figures left out are left out.

    The lead must not grow from one figure to the next by more than the bars' intervals, and must be smaller in the last than in
    the first.
    """
    found = {(bar.figure, bar.threads): bar for bar in bars}
    rows = []
    for trend in reference.trend:
        pairs = []
        for figure in (reference.find_figure(figure_id) for figure_id in trend.figures):
            pairs.append([found.get((figure.id, figure.case(name).threads)) for name in (trend.slower, trend.faster)])
        leads = [_lead(*pair) for pair in pairs]
        if any(bar is None for pair in pairs for bar in pair):
            continue
        holds = None not in leads and _shrinks([lead for lead in leads if lead is not None])
        lead = f"lead of {trend.faster} over {trend.slower}"
        names = {"slower": f"{lead}, figure {trend.figures[0]}", "faster": f"the same, figure {trend.figures[-1]}"}
        rows.append(OrderRow(figure=f"{trend.figures[0]}-{trend.figures[-1]}", holds=holds, **names))
    return tuple(rows)


def _lead(slower: BarRow | None, faster: BarRow | None) -> tuple[float, float] | None:
    """Return a lead in points and its half width, None where a bar has no value."""
    if slower is None or faster is None or slower.simulated_percent is None or faster.simulated_percent is None:
        return None
    half_widths = [bar.simulated_percent * (bar.ci_percent or 0.0) / 100 for bar in (slower, faster) if bar.simulated_percent]
    return slower.simulated_percent - faster.simulated_percent, math.hypot(*half_widths)


def _shrinks(leads: Sequence[tuple[float, float]]) -> bool:
    steps = zip(leads, leads[1:], strict=False)
    return leads[-1][0] < leads[0][0] and all(after <= before + max(one, other) for (before, one), (after, other) in steps)


def load_rows(reference: Reference, results: Results) -> tuple[LoadRow, ...]:
    """Return the published loads whose run was done.

    Raises
    ------
    InputError
        A load names a link or controller that the machine does not have.
    """
    requests = Requests(reference)
    rows: list[LoadRow] = []
    for load in reference.load:
        result = results.get(requests.load(load))
        if result is not None:
            rows += [_load(load.page, *quantity) for quantity in load_quantities(load, result)]
    return tuple(rows)


def anchor_rows(reference: Reference, results: Results, idle_latencies_ns: Mapping[Anchor, float]) -> tuple[AnchorRow, ...]:
    """Return the base's time a line and every anchor whose value is known.

    Parameters
    ----------
    idle_latencies_ns : mapping of Anchor to float
        Of the anchors of that kind.
    """
    requests = Requests(reference)
    rows = [_base_anchor(reference, results[requests.base()])]
    for anchor in reference.anchor:
        request = requests.anchor(anchor)
        if request is None:
            rows.append(_anchor(anchor, idle_latencies_ns[anchor]))
        elif request in results:
            rows.append(_anchor(anchor, anchor_value(anchor, results[request])))
    return tuple(rows)


def _bar(figure: Figure, case: Case, result: RunResult, base: RunResult) -> BarRow:
    simulated, published = bar_percent(result, base), case.published_percent
    return BarRow(
        figure=figure.id,
        page=figure.page,
        threads=case.threads,
        published_percent=published,
        simulated_percent=simulated,
        error_percent=None if simulated is None or published is None else error_percent(simulated, published),
        ci_percent=None if simulated is None else bar_ci_percent(result, base),
        calibration=case.calibration,
    )


def load_quantities(load: Load, result: RunResult) -> Iterator[tuple[str, float, float]]:
    """Yield what a load is called, its published and its simulated value.

    Raises
    ------
    InputError
        It names a link or controller that the machine does not have.
    """
    where = " ".join(load.threads) if load.threads is not None else f"figure {load.figure}, {load.case}"
    for key, published in load.memory_gb_per_s.items():
        yield f"{where}: memory {key}, GB/s", published, _found(result.controllers, "controller", key).gb_per_s
    for key, published in load.link_gb_per_s.items():
        yield f"{where}: link {key}, GB/s", published, _found(result.links, "link", key).gb_per_s
    for key, published in load.link_utilization.items():
        yield f"{where}: link {key}, utilization", published, _found(result.links, "link", key).utilization


def _load(page: int, quantity: str, published: float, simulated: float) -> LoadRow:
    error = error_percent(simulated, published)
    return LoadRow(page=page, quantity=quantity, published=published, simulated=simulated, error_percent=error)


def _base_anchor(reference: Reference, result: RunResult) -> AnchorRow:
    published, tolerance = reference.base.time_per_line_ns, reference.tolerance.base_time_per_line_percent
    times = _times(result)
    return _anchor_row(
        f"time a line of {reference.base.threads[0]} alone, ns",
        published,
        published * (1 - tolerance / 100),
        published * (1 + tolerance / 100),
        None if times is None else times[0],
    )


def _anchor(anchor: Anchor, simulated: float | None) -> AnchorRow:
    return _anchor_row(anchor.quantity + ANCHOR_UNITS[anchor.kind], anchor.value, anchor.lowest, anchor.highest, simulated)


def _anchor_row(
    quantity: str, published: float | None, lowest: float | None, highest: float | None, simulated: float | None
) -> AnchorRow:
    return AnchorRow(
        quantity=quantity,
        published=published,
        lowest=lowest,
        highest=highest,
        simulated=simulated,
        error_percent=None if simulated is None or published is None else error_percent(simulated, published),
        holds=simulated is not None and (lowest is None or simulated >= lowest) and (highest is None or simulated <= highest),
    )


def anchor_value(anchor: Anchor, result: RunResult) -> float | None:
    """Return what the run of an anchor gives: the utilization of its link, else the mean GB/s of its threads.

    Raises
    ------
    InputError
        It names a link that the machine does not have.
    """
    if anchor.link is not None:
        return _found(result.links, "link", anchor.link).utilization
    threads = _foreground(result) or list(result.threads)
    return sum(thread.gb_per_s for thread in threads) / len(threads)


def _found(reports: Mapping[str, _Found], kind: str, key: str) -> _Found:
    if key not in reports:
        raise InputError(
            f"the machine has no such {kind}", field="load or anchor", value=key, allowed=", ".join(reports) or "none"
        )
    return reports[key]


def _foreground(result: RunResult) -> list[ThreadReport]:
    return [thread for thread in result.threads if not thread.background]


def _times(result: RunResult) -> list[float] | None:
    times = [thread.time_per_line_ns for thread in _foreground(result)]
    known = [time for time in times if time is not None]
    return known if known and len(known) == len(times) else None
