"""Which tolerances a reproduction keeps; a missed one is said with its size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from simulator.measure.result import RunResult
from simulator.validation.evaluate import rms
from simulator.validation.reference import Reference
from simulator.validation.report import AnchorRow, BarRow, LoadRow, OrderRow, Summary
from simulator.validation.requests import RunRequest


def is_base(reference: Reference, bar: BarRow) -> bool:
    """Whether a bar is the base on an idle machine, hence 100 by definition."""
    figure = reference.find_figure(bar.figure)
    return bar.threads == reference.base.threads and figure.background is None


def summarise(
    reference: Reference,
    bars: Sequence[BarRow],
    loads: Sequence[LoadRow],
    orders: Sequence[OrderRow],
    anchors: Sequence[AnchorRow],
) -> Summary:
    """Return the errors in short."""
    errors = [bar.error_percent for bar in bars if bar.error_percent is not None and not is_base(reference, bar)]
    return Summary(
        bars_rms_percent=rms(errors),
        bars_max_percent=max(map(abs, errors), default=None),
        loads_rms_percent=rms([load.error_percent for load in loads]),
        orders_hold=all(order.holds for order in orders),
        anchors_hold=all(anchor.holds for anchor in anchors),
    )


def missed(
    reference: Reference,
    bars: Sequence[BarRow],
    loads: Sequence[LoadRow],
    orders: Sequence[OrderRow],
    anchors: Sequence[AnchorRow],
    results: Mapping[RunRequest, RunResult],
) -> tuple[str, ...]:
    """Return what is missed, one sentence each; empty when everything holds."""
    allowed, summary = reference.tolerance, summarise(reference, bars, loads, orders, anchors)
    sentences = [
        *_standstills(results),
        *_too_large("bars: root mean square error", summary.bars_rms_percent, allowed.bars_rms_percent),
        *_bars_too_far(reference, bars),
        *_too_large("loads: root mean square error", summary.loads_rms_percent, allowed.loads_rms_percent),
    ]
    if allowed.orders:
        sentences += [_order_sentence(reference, order, bars) for order in orders if not order.holds]
    return (*sentences, *(_anchor_sentence(anchor) for anchor in anchors if not anchor.holds))


def _standstills(results: Mapping[RunRequest, RunResult]) -> Iterator[str]:
    for request, result in results.items():
        if result.verdict != "steady":
            detail = f" ({result.verdict_detail})" if result.verdict_detail else ""
            yield f"run {request.title}: {result.verdict}{detail}"


def _too_large(what: str, percent: float | None, allowed: float) -> Iterator[str]:
    if percent is not None and not abs(percent) <= allowed:
        yield f"{what} is {percent:.2f} %, allowed {allowed:g} %: {abs(percent) - allowed:.2f} too much"


def _bars_too_far(reference: Reference, bars: Sequence[BarRow]) -> Iterator[str]:
    for bar in bars:
        yield from _too_large(
            f"figure {bar.figure}, {_title(reference, bar)}: error", bar.error_percent, reference.tolerance.bars_max_percent
        )


def _order_sentence(reference: Reference, order: OrderRow, bars: Sequence[BarRow]) -> str:
    if order.figure not in {figure.id for figure in reference.figure}:
        return f"figures {order.figure}: the {order.slower} should be more than {order.faster}, and shrink from figure to figure"
    heights = {_title(reference, bar): bar.simulated_percent for bar in bars if bar.figure == order.figure}
    slower, faster = (f"{name} ({_percent(heights[name])})" for name in (order.slower, order.faster))
    return f"figure {order.figure}: {slower} should be slower than {faster}"


def _anchor_sentence(anchor: AnchorRow) -> str:
    if anchor.simulated is None:
        return f"{anchor.quantity}: no value, the run came to a standstill"
    if anchor.lowest is not None and anchor.simulated < anchor.lowest:
        bound, side = anchor.lowest, "too little"
    else:
        assert anchor.highest is not None
        bound, side = anchor.highest, "too much"
    word = "at least" if side == "too little" else "at most"
    return f"{anchor.quantity}: {anchor.simulated:.4g}, allowed {word} {bound:.4g}: {abs(anchor.simulated - bound):.3g} {side}"


def _title(reference: Reference, bar: BarRow) -> str:
    figure = reference.find_figure(bar.figure)
    return next(case.title for case in figure.cases if case.threads == bar.threads)


def _percent(value: float | None) -> str:
    return "no value" if value is None else f"{value:.1f} %"
