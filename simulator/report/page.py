"""The page: parts of all documents put into the template."""

from __future__ import annotations

import json
from typing import Any

from simulator import __version__
from simulator.errors import InputError
from simulator.report.curves import loaded_part, store_part
from simulator.report.documents import MOST_STORED_RUNS, Documents
from simulator.report.published import reproduction_part
from simulator.report.runs import breakdown_table, run_part
from simulator.report.window import window_part
from simulator.web.assets import asset, environment

MOST_BYTES = 3_000_000  # the page still goes by mail and opens at once


def report_html(documents: Documents) -> str:
    """Return one page that shows all documents and needs nothing else: no network, no other file.

    Parameters
    ----------
    documents : Documents

    Raises
    ------
    InputError
        A document is damaged in a way that its schema does not show, or the page would be larger than `MOST_BYTES`.
    """
    runs = [run_part(run, place) for place, run in enumerate(documents.runs, start=1)]
    windows = [window_part(name, trace, place) for place, (name, trace) in enumerate(documents.traces, start=1)]
    loaded = loaded_part(documents.loaded) if documents.loaded else None
    stores = [store_part(store, place) for place, store in enumerate(documents.stores, start=1)]
    reproductions = [
        reproduction_part(name, found, place) for place, (name, found) in enumerate(documents.reproductions, start=1)
    ]
    templates = environment("simulator.report")
    templates.filters["pretty"] = _pretty
    text = templates.get_template("report.html.j2").render(
        title=_title(runs, windows, reproductions, stores, documents),
        version=__version__,
        runs=runs,
        windows=windows,
        loaded=loaded,
        stores=stores,
        reproductions=reproductions,
        most_stored_runs=MOST_STORED_RUNS,
        breakdown_table=breakdown_table,
        data=_chart_data(runs, windows, loaded, stores, reproductions),
        plotly_licence=asset("vendor/plotly-basic.LICENSE"),
    )
    size = len(text.encode())
    if size > MOST_BYTES:
        allowed = f"{MOST_BYTES / 1e6:g} MB: fewer files, or a trace with a shorter --window"
        raise InputError(f"the page would be {size / 1e6:.1f} MB", allowed=allowed)
    return text


def _title(
    runs: list[dict[str, Any]],
    windows: list[dict[str, Any]],
    reproductions: list[dict[str, Any]],
    stores: list[dict[str, Any]],
    documents: Documents,
) -> str:
    if stores:
        return f"Sweep {', '.join(store['name'] for store in stores)}"
    if reproductions:
        return str(reproductions[0]["title"])
    if len(runs) == 1 or (runs and len({run["threads"] for run in runs}) == 1):
        return f"{runs[0]['threads']} on {runs[0]['machine']['name']}"
    if runs:
        return f"{len(runs)} runs on {', '.join(dict.fromkeys(run['machine']['name'] for run in runs))}"
    if windows:
        return f"{windows[0]['threads']} on {windows[0]['machine_name']}"
    return f"Loaded latency of {', '.join(dict.fromkeys(report.machine for _, report in documents.loaded))}"


def _chart_data(
    runs: list[dict[str, Any]],
    windows: list[dict[str, Any]],
    loaded: dict[str, Any] | None,
    stores: list[dict[str, Any]],
    reproductions: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return what the scripts of the page need; all else is in the page as text."""
    return {
        "runs": [{name: run[name] for name in ("id", "machine", "breakdown", "phases")} for run in runs],
        "windows": [{name: window[name] for name in ("id", "queues", "loads", "packed")} for window in windows],
        "loaded": None if loaded is None else {"id": loaded["id"], "curves": loaded["curves"]},
        "stores": [{name: store[name] for name in ("id", "numbers", "words", "labels")} for store in stores],
        "reproductions": [{name: found[name] for name in ("id", "base", "figures")} for found in reproductions],
    }


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1)
