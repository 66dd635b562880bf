"""From a point and its result to the rows of a store."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from simulator.measure.result import RunResult, ThreadReport
from simulator.sweep.axes import background_text, common_rate
from simulator.sweep.grid import Point
from simulator.sweep.schema import ACCURACY_PREFIX, PARTS

Row = dict[str, Any]


def axes_row(point: Point) -> Row:
    """Return the columns that a sweep adds: what is set, and the accuracy."""
    settings = {path: json.dumps(value) if isinstance(value, list) else value for path, value in point.settings}
    return settings | {ACCURACY_PREFIX + name: value for name, value in asdict(point.accuracy).items()}


def point_row(point: Point, result: RunResult, model: str) -> Row:
    """Return the one row of a point, axes included."""
    clocked = [thread for thread in result.threads if not thread.background] or list(result.threads)
    latency = result.latency_ns
    link, link_utilization = _busiest({key: link.utilization for key, link in result.links.items()})
    controller, controller_utilization = _busiest({key: part.utilization for key, part in result.controllers.items()})
    return axes_row(point) | {
        "key": point.key,
        "machine": point.machine.name,
        "threads": " ".join(point.threads),
        "background": background_text(point.background),
        "background_gb_per_s": common_rate(point.background),
        "seed": point.seed,
        "verdict": result.verdict,
        "verdict_detail": result.verdict_detail,
        "time_per_line_ns": _mean([thread.time_per_line_ns for thread in clocked]),
        "ci_percent": _widest([thread.ci_percent for thread in clocked]),
        "gb_per_s": sum(thread.gb_per_s for thread in clocked),
        "latency_mean_ns": latency and latency.mean,
        "latency_p50_ns": latency and latency.p50,
        "latency_p95_ns": latency and latency.p95,
        "latency_p99_ns": latency and latency.p99,
        "busiest_link": link,
        "busiest_link_utilization": link_utilization,
        "busiest_controller": None if controller is None else int(controller),
        "busiest_controller_utilization": controller_utilization,
        "window_ns": result.window_ns,
        "events": result.events,
        "engine": result.provenance.engine,
        "version": result.provenance.version,
        "model": model[:12],
        "machine_hash": point.machine.hash[:12],
        "result": zlib.compress(result.model_dump_json().encode()),
    }


def part_rows(result: RunResult) -> dict[str, list[Row]]:
    """Return the rows of a point's threads, links and controllers, by view."""
    rows = {
        "threads": list(_threads(result.threads)),
        "links": list(_links(result)),
        "controllers": list(_controllers(result)),
    }
    return {view: [{"place": place, **row} for place, row in enumerate(part)] for view, part in rows.items()}


def _threads(reports: tuple[ThreadReport, ...]) -> Iterator[Row]:
    for report in reports:
        node, core, mode, memory = report.label.split(".")
        yield {
            "thread": report.label,
            "node": int(node),
            "core": int(core),
            "mode": mode,
            "memory": int(memory) if memory.isdecimal() else None,
            "is_background": int(report.background),
            "asked_gb_per_s": report.rate_gb_per_s,
            "time_per_line_ns": report.time_per_line_ns,
            "ci_percent": report.ci_percent,
            "gb_per_s": report.gb_per_s,
            "lines": report.lines,
        }


def _links(result: RunResult) -> Iterator[Row]:
    for key, link in result.links.items():
        sizes = {f"{name}_bytes": size for name, size in link.bytes_by_class.model_dump().items()}
        yield {"link": key, "gb_per_s": link.gb_per_s, "utilization": link.utilization, **sizes}


def _controllers(result: RunResult) -> Iterator[Row]:
    for key, controller in result.controllers.items():
        yield {"node": int(key)} | controller.model_dump(include=set(PARTS["controllers"]))


def _busiest(utilizations: dict[str, float]) -> tuple[str | None, float | None]:
    """Return the first of the busiest, with its utilization."""
    if not utilizations:
        return None, None
    return max(utilizations.items(), key=lambda pair: pair[1])


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _widest(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None
