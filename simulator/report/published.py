"""What the shipped references say of a run, beside what it gave; and a whole reproduction as data for its charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulator.errors import InputError
from simulator.measure.result import RunResult
from simulator.tables import Cell, Table, number, row
from simulator.validation.evaluate import ANCHOR_UNITS, anchor_value, error_percent, load_quantities
from simulator.validation.reference import Reference
from simulator.validation.reference_file import list_references, load_reference
from simulator.validation.report import Reproduction
from simulator.validation.requests import Requests, RunRequest

_HEADERS = ("quantity", "where", "published", "simulated", "error %")


def published_table(result: RunResult) -> Table | None:
    """Return the published numbers of these threads on this machine, of every shipped reference; None where there are none.

    A bar is a time relative to the base's; beside a single run stands its time a line: the bar times the published time of the
    base.
    """
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for name in list_references():
        reference = load_reference(name)
        found = [*_bars(reference, result), *_loads(reference, result), *_anchors(reference, result)]
        rows += found
        if found:
            notes.append(reference.title)
            notes += ["constants differ from those of the reference's machine"] if _is_changed(reference, result) else []
    if not rows:
        return None
    return Table("Published beside simulated", _HEADERS, tuple(rows), left=2, note="; ".join(notes))


def _is_same(request: RunRequest, result: RunResult) -> bool:
    threads = {(thread.label, thread.rate_gb_per_s if thread.background else None) for thread in result.threads}
    wanted = {(label, None) for label in request.threads} | set(request.background)
    return result.machine == request.machine and threads == wanted and len(result.threads) == len(wanted)


def _bars(reference: Reference, result: RunResult) -> Iterator[tuple[Cell, ...]]:
    requests, base_ns = Requests(reference), reference.base.time_per_line_ns
    times = [
        thread.time_per_line_ns for thread in result.threads if not thread.background and thread.time_per_line_ns is not None
    ]
    for figure in reference.figure:
        for case in figure.cases:
            if case.published_percent is None or not times or not _is_same(requests.case(figure, case), result):
                continue
            published, simulated = base_ns * case.published_percent / 100, sum(times) / len(times)
            where = f"figure {figure.id}, page {figure.page}: {case.published_percent:g} % of {base_ns:.3g} ns"
            yield _row(f"time a line, {case.title}, ns", where, published, simulated)


def _loads(reference: Reference, result: RunResult) -> Iterator[tuple[Cell, ...]]:
    requests = Requests(reference)
    for load in reference.load:
        if _is_same(requests.load(load), result):
            for quantity, published, simulated in load_quantities(load, result):
                yield _row(quantity, f"page {load.page}", published, simulated)


def _anchors(reference: Reference, result: RunResult) -> Iterator[tuple[Cell, ...]]:
    requests = Requests(reference)
    for anchor in reference.anchor:
        request = requests.anchor(anchor)
        if request is not None and anchor.value is not None and _is_same(request, result):
            simulated = anchor_value(anchor, result)
            if simulated is not None:
                yield _row(f"{anchor.quantity}{ANCHOR_UNITS[anchor.kind]}", anchor.source, anchor.value, simulated)


def _row(quantity: str, where: str, published: float, simulated: float) -> tuple[Cell, ...]:
    error = number(error_percent(simulated, published), signed=True)
    return row(quantity, where, f"{published:.4g}", f"{simulated:.4g}", error)


def _is_changed(reference: Reference, result: RunResult) -> bool:
    from simulator.machine.load import load_machine

    return load_machine(reference.machine).model_dump(mode="json") != result.provenance.machine


def reproduction_part(name: str, report: Reproduction, place: int) -> dict[str, Any]:
    """Return all that the page shows of a reproduction: bars of each figure, and the tables of `numasim reproduce`."""
    from simulator.validation.reference_file import parse_reference
    from simulator.validation.tables import reproduction_tables

    reference = parse_reference(report.provenance.reference, name)
    try:
        tables = reproduction_tables(reference, report)
    except KeyError as error:
        raise InputError("names what its reference does not have", file=name, value=error.args[0]) from None
    figures: dict[str, dict[str, Any]] = {}
    for bar in report.bars:
        title = _case_title(reference, bar.figure, bar.threads)
        figure = figures.setdefault(
            bar.figure, {"id": bar.figure, "page": bar.page, "cases": [], "published": [], "simulated": []}
        )
        figure["cases"].append(title)
        figure["published"].append(bar.published_percent)
        figure["simulated"].append(bar.simulated_percent)
    for figure in figures.values():
        figure["title"] = next((known.title for known in reference.figure if known.id == figure["id"]), "")
    return {
        "id": f"reproduction-{place}",
        "name": name,
        "title": reference.title,
        "source": reference.source,
        "base": " ".join(reference.base.threads),
        "figures": list(figures.values()),
        "missed": list(report.missed),
        "tables": tables,
        "provenance": report.provenance.model_dump(mode="json"),
    }


def _case_title(reference: Reference, figure_id: str, threads: tuple[str, ...]) -> str:
    for figure in reference.figure:
        if figure.id == figure_id:
            for case in figure.cases:
                if case.threads == threads:
                    return case.title
    return " ".join(threads)
