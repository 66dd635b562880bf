"""Loaded latency, and the points of a store, as data for their charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.measure.loaded import LoadedReport
from simulator.report.documents import StoreRows
from simulator.tables import Table, number, row

_NO_AXES = ("key", "model", "machine_hash", "version", "events", "window_ns")


def loaded_part(reports: Sequence[tuple[str, LoadedReport]]) -> dict[str, Any]:
    """Return a curve for each share of reads of each report, the lightest load first."""
    curves = []
    for name, report in reports:
        where = f"{report.machine}: node {report.from_node} to memory {report.to_node}"
        for share in report.read_fractions:
            points = [point for point in reversed(report.curve(share)) if point.latency_ns is not None]
            curves.append(
                {
                    "name": f"{where}, {100 * share:.3g} % reads",
                    "gb_per_s": [point.bandwidth_gb_per_s for point in points],
                    "latency_ns": [point.latency_ns for point in points],
                    "delay_ns": [point.inject_delay_ns for point in points],
                    "saturated": [point.saturated for point in points],
                    "idle_latency_ns": report.idle_latency_ns,
                    "file": name,
                }
            )
    return {
        "id": "loaded",
        "curves": curves,
        "tables": [_loaded_table(name, report) for name, report in reports],
        "provenance": [{"file": name, **report.provenance.model_dump(mode="json")} for name, report in reports],
    }


def _loaded_table(name: str, report: LoadedReport) -> Table:
    rows = tuple(
        row(
            f"{100 * point.read_fraction:.3g}",
            str(point.inject_delay_ns),
            number(point.latency_ns),
            number(point.latency_p95_ns),
            number(point.bandwidth_gb_per_s, 2),
            number(None if point.memory_utilization is None else 100 * point.memory_utilization),
            point.verdict,
        )
        for point in report.points
    )
    headers = ("reads %", "delay, ns", "latency, ns", "p95, ns", "GB/s", "memory busy %", "verdict")
    return Table(f"{name}: {report.machine}, node {report.from_node} to memory {report.to_node}", headers, rows, left=0)


def store_part(store: StoreRows, place: int) -> dict[str, Any]:
    """Return the table of a store's points, and its columns of numbers, which a chart lays over each other."""
    numbers, words = {}, {}
    for index, name in enumerate(store.columns):
        values = [row[index] for row in store.rows]
        if name in _NO_AXES or len(set(map(str, values))) < 2:
            continue
        if all(value is None or isinstance(value, (int, float)) for value in values):
            numbers[name] = values
        elif len(set(map(str, values))) <= 12:
            words[name] = [str(value) for value in values]
    labels = [str(row[store.columns.index("threads")]) for row in store.rows]
    return {
        "id": f"store-{place}",
        "name": store.name,
        "numbers": numbers,
        "words": words,
        "labels": labels,
        "tables": [store.table],
        "more": store.more,
    }
