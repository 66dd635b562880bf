"""Where a line's time goes: the parts of every thread and path over the measured window.

Walking is latency, standing is queueing: what a line takes with nobody in its way, and what others cost it. The wait for probes
is kept apart from both, for the probes walk too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.engine.plan import Part, Plan
from simulator.measure.report import Window
from simulator.measure.result import PartsReport, PathReport, RunResult
from simulator.protocol import READ_BLOCK_MODIFY
from simulator.units import ns_from_ps

Group = Literal["walking", "queueing", "probes"]


@dataclass(frozen=True)
class LinePart:
    """One part of a line's time.

    Attributes
    ----------
    part : Part
    name : str
        Field of `PartsReport`; the core time is none of these.
    words : str
    group : {'walking', 'queueing', 'probes'}
    """

    part: Part
    name: str
    words: str
    group: Group


LINE_PARTS = (
    LinePart(Part.SRI, "sri", "SRI", "walking"),
    LinePart(Part.CROSSBAR, "crossbar", "crossbars", "walking"),
    LinePart(Part.WIRE, "wire", "wires", "walking"),
    LinePart(Part.SERIALISATION, "serialisation", "serialisation", "walking"),
    LinePart(Part.CONTROLLER, "controller", "controller", "walking"),
    LinePart(Part.DRAM, "dram_service", "DRAM service", "walking"),
    LinePart(Part.CORE, "core", "core", "walking"),
    LinePart(Part.NODE_QUEUE, "node_queue", "queue in a node", "queueing"),
    LinePart(Part.LINK_QUEUE, "link_queue", "queue at a link", "queueing"),
    LinePart(Part.DRAM_QUEUE, "dram_queue", "queue at DRAM", "queueing"),
    LinePart(Part.CONTROLLER_FULL, "controller_full", "controller full", "queueing"),
    LinePart(Part.NODE_BUFFERS, "node_buffers", "buffers in a node", "queueing"),
    LinePart(Part.CREDITS, "credits", "credits of a link", "queueing"),
    LinePart(Part.SHARED_LINE, "shared_line", "turn at a shared line", "queueing"),
    LinePart(Part.SOURCE, "source", "arrived, no slot", "queueing"),
    LinePart(Part.PROBES, "probe_wait", "wait for probes", "probes"),
)


def path_reports(window: Window) -> tuple[PathReport, ...]:
    """Report every path on which a line ended in the window, by thread and in the order of its program."""
    other_ns = [_other_ns(window, thread) for thread in range(len(window.plan.threads.label))]
    modes = _modes(window.plan)
    order = sorted(range(len(window.plan.paths.thread)), key=lambda path: window.plan.paths.thread[path])
    ended = [path for path in order if window.difference("path_lines", path)]
    return tuple(_path(window, path, modes[path], other_ns[window.plan.paths.thread[path]]) for path in ended)


def line_ns(report: PathReport, part: LinePart) -> float:
    """Return the mean time of a line's part, core included."""
    return report.core_ns if part.part is Part.CORE else float(getattr(report.parts_ns, part.name))


def shown_paths(result: RunResult) -> tuple[PathReport, ...]:
    """Return the paths of the foreground, or all if there is none."""
    return tuple(path for path in result.breakdown if not path.background) or result.breakdown


def path_names(paths: Sequence[PathReport]) -> tuple[str, ...]:
    """Name each path by its thread's label, and where a thread has several by what it does too."""
    several = has_several_paths(paths)
    return tuple(f"{path.thread} {path.path}" if several else path.thread for path in paths)


def has_several_paths(paths: Sequence[PathReport]) -> bool:
    """Return whether some thread has more than one path: `all` is then slots x time a line only in the mean over its lines."""
    return max(Counter(path.place for path in paths).values()) > 1


def parts_ps(window: Window, path: int) -> tuple[int, ...]:
    """Return the time of a path's lines in the window by :class:`~simulator.engine.plan.Part`, exact."""
    before, after = window.opened.path_parts_ps[path], window.last.path_parts_ps[path]
    return tuple(last - first for first, last in zip(before, after, strict=True))


def _modes(plan: Plan) -> Mapping[int, str]:
    """Say of each path whether it reads or writes, by what it asks for."""
    kinds = plan.transactions.request_kind
    asked = (plan.kind_name[kinds[transaction]] for transaction in plan.paths.transaction)
    return {path: "write" if kind == READ_BLOCK_MODIFY.name else "read" for path, kind in enumerate(asked)}


def _path(window: Window, path: int, mode: str, other_ns: float) -> PathReport:
    plan = window.plan
    thread, transaction = plan.paths.thread[path], plan.paths.transaction[path]
    requester, home = plan.transactions.requester[transaction], plan.transactions.home[transaction]
    lines, spent_ps = window.difference("path_lines", path), parts_ps(window, path)
    mean_ns = [ns_from_ps(part_ps / lines) for part_ps in spent_ps]
    latency_ns, core_ns = ns_from_ps((sum(spent_ps) - spent_ps[Part.CORE]) / lines), mean_ns[Part.CORE]
    p50, p95, p99 = window.percentiles_ns([path])
    return PathReport(
        thread=plan.threads.label[thread],
        place=thread,
        background=bool(plan.threads.background[thread]),
        path=f"{mode} {plan.node_ids[requester]}->{plan.node_ids[home]}",
        lines=lines,
        slots=plan.threads.window[thread],
        parts_ns=PartsReport(**{part.name: mean_ns[part.part] for part in LINE_PARTS if part.part is not Part.CORE}),
        latency_ns=latency_ns,
        latency_p50_ns=p50,
        latency_p95_ns=p95,
        latency_p99_ns=p99,
        core_ns=core_ns,
        other_ns=other_ns,
        total_ns=latency_ns + core_ns + other_ns,
        walking_ns=_sum_ns(mean_ns, "walking"),
        queueing_ns=_sum_ns(mean_ns, "queueing"),
    )


def _sum_ns(mean_ns: list[float], group: Group) -> float:
    return sum(mean_ns[part.part] for part in LINE_PARTS if part.group == group)


def _other_ns(window: Window, thread: int) -> float:
    """Return the time, a line, in which the thread's slots had no line: all their time, less latency and core time.

    An arrival has no slot while it waits for one.
    """
    lines = window.difference("thread_lines", thread)
    if not lines:
        return 0.0
    paths = [parts_ps(window, path) for path, owner in enumerate(window.plan.paths.thread) if owner == thread]
    with_line_ps = sum(sum(parts) - parts[Part.SOURCE] for parts in paths)
    slots_ps = window.plan.threads.window[thread] * window.difference("thread_last_ps", thread)
    return ns_from_ps((slots_ps - with_line_ps) / lines)
