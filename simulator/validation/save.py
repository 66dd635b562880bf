"""A reproduction as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from simulator.files import write_text
from simulator.validation.breakdown import CaseBreakdown, queueing_csv
from simulator.validation.reference import Figure, Reference
from simulator.validation.report import Reproduction

_COLUMNS = (
    "kind",
    "figure",
    "page",
    "case",
    "threads",
    "background",
    "quantity",
    "published",
    "simulated",
    "error_percent",
    "ci_percent",
    "calibration",
    "holds",
)


def reproduction_json(report: Reproduction) -> str:
    """Return the report as one JSON document."""
    return report.model_dump_json(indent=2) + "\n"


def reproduction_csv(reference: Reference, report: Reproduction) -> str:
    """Return bars, loads, orders and anchors as CSV, a row each; empty fields do not apply."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _field(value) for key, value in row.items()} for row in _rows(reference, report))
    return text.getvalue()


def save_reproduction(reference: Reference, report: Reproduction, folder: Path) -> tuple[Path, ...]:
    """Write ``reproduce.json`` and ``reproduce.csv``, and return their paths.

    Raises
    ------
    InputError
        They cannot be written there.
    """
    files = {folder / "reproduce.json": reproduction_json(report), folder / "reproduce.csv": reproduction_csv(reference, report)}
    for path, text in files.items():
        write_text(path, text)
    return tuple(files)


def save_breakdown(cases: Sequence[CaseBreakdown], folder: Path) -> Path:
    """Write ``breakdown.csv``, and return its path.

    Raises
    ------
    InputError
        It cannot be written there.
    """
    path = folder / "breakdown.csv"
    write_text(path, queueing_csv(cases))
    return path


def _rows(reference: Reference, report: Reproduction) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for bar in report.bars:
        figure = reference.find_figure(bar.figure)
        case = next(case for case in figure.cases if case.threads == bar.threads)
        rows.append(
            {
                "kind": "bar",
                "figure": bar.figure,
                "page": bar.page,
                "case": case.name,
                "threads": " ".join(bar.threads),
                "background": _background(reference, figure),
                "quantity": "time a line, % of the base",
                "published": bar.published_percent,
                "simulated": bar.simulated_percent,
                "error_percent": bar.error_percent,
                "ci_percent": bar.ci_percent,
                "calibration": bar.calibration,
            }
        )
    rows += [{"kind": "load", **load.model_dump()} for load in report.loads]
    rows += [
        {"kind": "order", "figure": order.figure, "quantity": f"{order.slower} slower than {order.faster}", "holds": order.holds}
        for order in report.orders
    ]
    rows += [{"kind": "anchor", **anchor.model_dump(exclude={"lowest", "highest"})} for anchor in report.anchors]
    return rows


def _background(reference: Reference, figure: Figure) -> str | None:
    if figure.background is None:
        return None
    rate = reference.level(figure.background.level).gb_per_s
    return " ".join(f"{label}@{rate:g}" for label in figure.background.threads)


def _field(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value
