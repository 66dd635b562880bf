"""From the record of a reader to measured numbers that a machine can be held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from simulator.errors import InputError
from simulator.interop import measured_csv, numademo
from simulator.interop.formats import AUTO, FORMATS, read_record, read_text, unknown
from simulator.interop.measured import LARGEST, SMALLEST, Measurement, Quantity
from simulator.interop.record import Figure, Kind, Matrix, Record, Unit
from simulator.interop.source import STDIN, Source, file_name, read_source

CSV = "csv"
_CSV_TITLE = "CSV of measured numbers, as `numasim measure -o` writes it (docs/compare.md)"
_QUANTITIES = {
    (Kind.LATENCY, Unit.NS): Quantity.LATENCY,
    (Kind.LATENCY, Unit.RELATIVE): Quantity.RELATIVE_LATENCY,
    (Kind.BANDWIDTH, Unit.MB_PER_S): Quantity.BANDWIDTH,
    (Kind.BANDWIDTH, Unit.GB_PER_S): Quantity.BANDWIDTH,
}
_ALL_READS = "all reads"  # of Intel MLC's peaks; the others are in `_about_figures`
_NUMADEMO_READ_SHARES = {"memset": 0.0, "memcpy": 0.5}  # of the one thread that it runs
_WRITES = "Write"  # hwloc's WriteBandwidth and WriteLatency
_MOST_NAMED = 3


@dataclass(frozen=True)
class Measured:
    """What was measured.

    Attributes
    ----------
    rows : tuple of Measurement
    left_out : tuple of str
        What else the file holds, and why no machine can be held against it.
    warnings : tuple of str
        The reader's.
    label : str, optional
        What the user calls the file.
    """

    rows: tuple[Measurement, ...]
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    label: str | None = None


def read_measured(path: str | Path, format: str = AUTO) -> Measured:
    """Read a CSV file of measurements, or any file that the readers know; ``-`` is the standard input.

    Raises
    ------
    InputError
        It cannot be read, or is wrong.
    """
    if path != STDIN and Path(file_name(path)).is_dir():
        if format == CSV:
            raise InputError("is a folder", file=str(path), allowed="a CSV file")
        return replace(measurements_of(read_record(path, format)), label=str(path))
    source = read_source(path)
    if format == CSV or (format == AUTO and measured_csv.recognises(source)):
        return Measured(measured_csv.read_measurements(source), warnings=source.notes, label=source.label)
    if format == AUTO:
        _check_known(source)
    return replace(measurements_of(read_text(source, format)), label=source.label)


def _check_known(source: Source) -> None:
    """Raise InputError where no reader knows the text, saying what is wrong if it is CSV but for a slip."""
    if not any(known.recognises(source) for known in FORMATS):
        raise measured_csv.what_is_wrong(source) or unknown(source, _CSV_TITLE)


def measurements_of(record: Record) -> Measured:
    """Return the measured numbers of a record, and what of it is none."""
    rows: list[Measurement] = []
    left_out: list[str] = []
    names: Counter[str] = Counter()
    for matrix in record.matrices:
        why_not = _why_not(record, matrix)
        if why_not is not None:
            left_out.append(f"{matrix.name}: {why_not}")
            continue
        names[matrix.name] += 1
        again = f", number {names[matrix.name]}" if names[matrix.name] > 1 else ""
        rows += _cells(record, matrix, matrix.name + again)
        left_out += _absurd(matrix)
    rows += [_peak(figure) for figure in record.figures if _is_peak(record, figure)]
    left_out += _about_figures([figure for figure in record.figures if not _is_peak(record, figure)])
    if record.loaded:
        left_out.append(f"{len(record.loaded)} loaded latencies: their delays are counted in a unit of the tool's own")
    return Measured(tuple(rows), tuple(left_out), (*record.warnings, *_doubts(record, rows)))


def _cells(record: Record, matrix: Matrix, experiment: str) -> Iterator[Measurement]:
    quantity = _QUANTITIES[matrix.kind, matrix.unit]
    unit = "" if quantity is Quantity.RELATIVE_LATENCY else str(matrix.unit)
    threads = "1" if record.format == numademo.FORMAT else ""
    read_share = _read_share(record, matrix)
    for from_node, row in zip(matrix.rows, matrix.values, strict=True):
        for to_node, value in zip(matrix.columns, row, strict=True):
            if value is not None and SMALLEST <= value <= LARGEST:
                yield Measurement(experiment, quantity, value, unit, from_node, to_node, threads, read_share)


def _read_share(record: Record, matrix: Matrix) -> float | None:
    """Return the share of reads that a test is known to have; None: reads only, as the tools do without being told."""
    if record.format == numademo.FORMAT:
        return _NUMADEMO_READ_SHARES[matrix.name]
    return 0.0 if matrix.name.startswith(_WRITES) else None


def _absurd(matrix: Matrix) -> Iterator[str]:
    values = [value for row in matrix.values for value in row if value is not None and not SMALLEST <= value <= LARGEST]
    if values:
        yield f"{matrix.name}: {_counted(len(values), 'value')} that no memory has, such as {values[0]:g} {matrix.unit}"


def _why_not(record: Record, matrix: Matrix) -> str | None:
    if matrix.kind is Kind.DISTANCE:
        return "distances of the firmware are no measured times"
    if (matrix.kind, matrix.unit) not in _QUANTITIES:
        return f"{matrix.kind} in {matrix.unit}, which cannot be told in ns or GB/s"
    if matrix.kind is Kind.LATENCY and matrix.name.startswith(_WRITES):
        return "idle latencies are predicted for reads only"
    if record.format == numademo.FORMAT and matrix.name not in _NUMADEMO_READ_SHARES:
        return "what share of its lines this test reads is not known"
    return None


def _is_peak(record: Record, figure: Figure) -> bool:
    name = figure.name.lower().strip()
    return record.format == "mlc" and name == _ALL_READS and figure.unit in (Unit.MB_PER_S, Unit.GB_PER_S)


def _peak(figure: Figure) -> Measurement:
    return Measurement("peak bandwidth", Quantity.BANDWIDTH, figure.value, str(figure.unit), read_fraction=1.0)


def _about_figures(figures: Sequence[Figure]) -> Iterator[str]:
    """Say why figures are left out; those of one reason in one sentence."""
    mixes = [figure for figure in figures if "reads-writes" in figure.name.lower()]
    others = [figure for figure in figures if figure not in mixes]
    if mixes:
        why = "whether the ratio counts the line that a store reads before it writes is not known"
        yield f"{_listed(mixes)}: {why}; docs/matrix.md has the --read-fraction of each if it does"
    if others:
        yield f"{_listed(others)}: named without the nodes, or without the threads that would have to be run"


def _listed(figures: Sequence[Figure]) -> str:
    named = ", ".join(f"{figure.name} {figure.value:g} {figure.unit}" for figure in figures[:_MOST_NAMED])
    more = len(figures) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _doubts(record: Record, rows: Sequence[Measurement]) -> Iterator[str]:
    if rows and record.format in ("hwloc-xml", "lstopo"):
        yield "latencies and bandwidths in hwloc's output are the firmware's (ACPI HMAT) or a user's, perhaps measured by nobody"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
