"""A window of a run as a Gantt chart: what every slot's line spends its time on, and what every server is busy with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from simulator.engine.plan import Plan
from simulator.observe.record import Recording
from simulator.observe.records import Trace
from simulator.observe.series import busy
from simulator.observe.words import threads_words
from simulator.plots.breakdown import part_looks
from simulator.plots.packet_looks import legend_entries, look_of
from simulator.plots.style import FAINT, INK, house_style, save
from simulator.units import ns_from_ps

MOST_SLOTS, MOST_SERVERS = 40, 24
_WIDTH_INCH, _ROW_INCH = 12.0, 0.24
_HEIGHT = 0.74  # of a bar, where rows are 1 apart
_OPEN = "under way at the end"

Bars = Mapping[object, list[tuple[float, float]]]  # by part or kind of packet: start and length, ns


def draw_gantt(recording: Recording, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Draw a window; time counts from its opening.

    Parameters
    ----------
    recording : Recording
        The first `MOST_SLOTS` slots, the foreground's first, and the `MOST_SERVERS` busiest servers are drawn.
    path : path
        See :func:`simulator.plots.style.picture_paths`.

    Returns
    -------
    tuple of Path
        The files written.
    """
    trace = recording.trace
    slots, servers = _slots(trace), _servers(trace)
    rows = (max(1, len(slots)), max(1, len(servers)))
    with house_style():
        picture = Figure(figsize=(_WIDTH_INCH, 2.4 + _ROW_INCH * sum(rows)), layout="constrained")
        above, below = picture.subplots(2, 1, sharex=True, height_ratios=rows)
        looks: dict[object, tuple[str, str]] = {part: (look.colour, look.hatch) for part, look in part_looks().items()}
        looks[_OPEN] = ("white", "")
        parts = _draw_rows(above, slots, looks)
        kinds = _draw_rows(below, servers, {kind: (look_of(kind), "") for kind in (*trace.plan.kind_name, "NOP")})
        doing = "spend their time on: plain is walking, hatched is waiting, empty is no line"
        above.set_title(f"What {threads_words(recording)} {doing}")
        below.set_title("What servers are busy with")
        below.set_xlabel(f"time since {ns_from_ps(trace.opened_ps):.3f} ns of the run, ns")
        below.set_xlim(0, ns_from_ps(trace.closed_ps - trace.opened_ps))
        names: dict[object, str] = {part: look.words for part, look in part_looks().items()} | {_OPEN: _OPEN}
        handles = [_patch(names[part], *looks[part]) for part in looks if part in parts]
        handles += [_patch(words, colour, "") for words, colour in legend_entries(kinds)]
        picture.legend(handles=handles, loc="outside lower center", ncols=7, frameon=False, fontsize=8.5)
        return save(picture, path)


def _slots(trace: Trace) -> list[tuple[str, Bars]]:
    """Return a row a window slot: its lines' spans within the window by part."""
    plan = trace.plan
    order = sorted(range(len(plan.threads.label)), key=lambda thread: (plan.threads.background[thread], thread))
    rows: dict[tuple[int, int], dict[object, list[tuple[float, float]]]] = {
        (thread, slot): {} for thread in order for slot in range(plan.threads.window[thread])
    }
    for line in trace.transactions:
        for span in line.spans if not line.eviction else ():
            bar = _within(trace, max(span.start_ps, line.launched_ps), span.end_ps)
            if bar is not None:
                rows[line.thread, line.slot].setdefault(span.part, []).append(bar)
        if not line.eviction and line.completed_ps is None:
            bar = _within(trace, line.spans[-1].end_ps if line.spans else line.launched_ps, trace.closed_ps)
            rows[line.thread, line.slot].setdefault(_OPEN, []).extend([bar] if bar is not None else [])
    return [(_slot_name(plan, *key), bars) for key, bars in list(rows.items())[:MOST_SLOTS]]


def _slot_name(plan: Plan, thread: int, slot: int) -> str:
    return f"{plan.threads.label[thread]} slot {slot}"


def _servers(trace: Trace) -> list[tuple[str, Bars]]:
    """Return a row a server, by kind of packet: DRAMs and link directions in the order of the plan."""
    stretches = busy(trace)
    time_ps = {port: sum(end - start for start, end, _ in found) for port, found in stretches.items()}
    chosen = sorted(sorted(time_ps, key=lambda port: (-time_ps[port], port))[:MOST_SERVERS])
    rows: list[tuple[str, Bars]] = []
    for port in chosen:
        bars: dict[object, list[tuple[float, float]]] = {}
        for start_ps, end_ps, what in stretches[port]:
            bar = _within(trace, start_ps, end_ps)
            if bar is not None:
                bars.setdefault(what, []).append(bar)
        percent = 100 * time_ps[port] / (trace.closed_ps - trace.opened_ps)
        rows.append((f"{trace.plan.ports.name[port]}, {percent:.0f} % busy", bars))
    return rows


def _within(trace: Trace, start_ps: int, end_ps: int) -> tuple[float, float] | None:
    """Return start and length, ns since the opening, of what lies within the window; None if nothing does."""
    start_ps, end_ps = max(start_ps, trace.opened_ps), min(end_ps, trace.closed_ps)
    return (ns_from_ps(start_ps - trace.opened_ps), ns_from_ps(end_ps - start_ps)) if end_ps > start_ps else None


def _draw_rows(axes: Axes, rows: Sequence[tuple[str, Bars]], looks: Mapping[object, tuple[str, str]]) -> set[object]:
    """Draw bars and return what they were of."""
    seen: set[object] = set()
    for place, (_, bars) in enumerate(rows):
        for what, stretches in bars.items():
            colour, hatch = looks[what]
            span = (place - _HEIGHT / 2, _HEIGHT)
            axes.broken_barh(stretches, span, facecolor=colour, hatch=hatch, edgecolor=INK, linewidth=0.15)
            seen.add(what)
    _label_rows(axes, [name for name, _ in rows])
    return seen


def _label_rows(axes: Axes, names: Iterable[str]) -> None:
    labels = list(names)
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=FAINT, linewidth=0.3, alpha=0.6)
    axes.set_axisbelow(True)


def _patch(words: str, colour: str, hatch: str) -> Patch:
    return Patch(facecolor=colour, hatch=hatch, edgecolor=INK, linewidth=0.4, label=words)
