"""What holds threads back, as tables and sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from simulator.explain.report import Comparison, Effect, GapWithout, ResourceGain, Side, Why
from simulator.tables import Cell, Table, number

_MOST_THREADS = 4  # with a column each
_MOST_PARTS = 6
_MOST_WITHOUT = 12
_WIDTH = 110


def why_tables(report: Why) -> tuple[Table, ...]:
    """Return the ranking; with a comparison also the parts that differ, and what closes the gap."""
    tables = [ranking_table(report)]
    if report.comparison is not None:
        tables += [parts_table(report.side, report.comparison), without_table(report.side, report.comparison)]
    return tuple(table for table in tables if table.rows)


def why_text(report: Why) -> str:
    """Return the sentences, and what is to be known of the runs."""
    texts = [" ".join(report.sentences)]
    if report.comparison is not None:
        other = report.comparison.other
        if report.comparison.sentences:
            texts.append(" ".join((f"{_names(report.side)} against {_names(other)}:", *report.comparison.sentences)))
        texts.append(_verdict(other))
    texts.insert(0, _verdict(report.side))
    return "".join("\n" + textwrap.fill(text, _WIDTH) + "\n" for text in texts if text)


def ranking_table(report: Why) -> Table:
    """Return what each resource gains: kinds, below each its members, then what two gain at once."""
    threads = [thread.label for thread in report.side.threads]
    threads = threads if len(threads) <= _MOST_THREADS else []
    rows = []
    for one in report.resources:
        rows.append(_row(one, one.name, threads))
        rows += _members(one, report.members, threads)
    for one in report.pairs:
        rows.append(_row(one, one.name, threads))
        rows += _members(one, report.pair_members, threads)
    headers = ("made ideal", "used %", "faster %", "+-", "twice as good", "+-", *threads)
    side = report.side
    spread = "" if side.ci_percent is None else f", +- {number(side.ci_percent, 2)} %"
    title = f"What holds {_names(side)} on {report.machine}: {number(side.time_per_line_ns, 2)} ns a line{spread}"
    return Table(title, headers, tuple(rows), note=_note(report))


def _note(report: Why) -> str:
    lines = [
        f"  faster: more lines in the same time, mean of the threads; +-: all {report.differences} differences at once, 95 %",
        "  used: of the fullest link direction or controller, as it is; grey or in brackets: not told from noise",
    ]
    if report.unsteady:
        lines.append(f"  {report.unsteady} of the changed runs ended at --lines before the asked accuracy: their +- is wider")
    return "\n".join(lines)


def _members(above: ResourceGain, members: Sequence[ResourceGain], threads: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    for one in members:
        if set(one.kinds) == set(above.kinds) and one.ideal.beyond_noise:
            name = one.member if len(one.kinds) == 1 else one.name
            yield _row(one, f"  {name}", threads)


def _row(one: ResourceGain, name: str, threads: Sequence[str]) -> tuple[Cell, ...]:
    return (
        Cell(name),
        Cell(number(100 * max(one.use.values()), 0) if one.use else ""),
        *_effect(one.ideal),
        *(_effect(one.twice) if one.twice is not None else (Cell(""), Cell(""))),
        *(Cell(number(change, 1, signed=True), "plain") for change in one.ideal.threads_faster_percent[: len(threads)]),
    )


def _effect(effect: Effect) -> tuple[Cell, Cell]:
    if effect.faster_percent is None:
        return Cell(effect.verdict, "bad"), Cell("")
    text, width = number(effect.faster_percent, 1, signed=True), Cell(number(effect.half_width_percent, 1), "faint")
    if effect.half_width_percent == 0:
        return Cell("same", "faint"), Cell("")
    if not effect.beyond_noise:
        return Cell(f"({text})", "faint"), width
    return Cell(text, "good" if effect.faster_percent > 0 else "bad"), width


def parts_table(side: Side, comparison: Comparison) -> Table:
    """Return where the time of a line differs."""
    parts = comparison.parts
    rows = [
        (Cell(part.words), Cell(part.group), *(Cell(number(value)) for value in (part.this_ns, part.other_ns)), _gap(part.gap_ns))
        for part in parts[:_MOST_PARTS]
    ]
    if parts:
        rest = parts[_MOST_PARTS:]
        for name, chosen in (("all other parts", rest), ("all: slots x time a line", parts)):
            sums = (sum(part.this_ns for part in chosen), sum(part.other_ns for part in chosen))
            rows.append((Cell(name), Cell(""), *(Cell(number(value)) for value in sums), _gap(sums[0] - sums[1])))
    title = f"Where {_names(side)} differs from {_names(comparison.other)}, ns a line"
    return Table(title, ("part", "group", "this", "other", "gap"), tuple(rows), left=2)


def _gap(value: float) -> Cell:
    return Cell(number(value, signed=True))


def without_table(side: Side, comparison: Comparison) -> Table:
    """Return what is left of the gap when something is made ideal for both."""
    gaps = [comparison.gap, *comparison.without[:_MOST_WITHOUT]]
    rows = tuple(_without(one) for one in gaps) if comparison.gap.slower_percent is not None else ()
    headers = ("ideal for both", "this ns", "other ns", "slower %", "+-", "closed %")
    title = f"How much slower {_names(side)} is than {_names(comparison.other)}"
    note = (
        "  first what is sure to close half of it or more; above 100 % closed: the other becomes the slower one\n"
        f"  +-: all {comparison.differences} gaps at once, 95 %"
    )
    return Table(title, headers, rows, note=note)


def _without(one: GapWithout) -> tuple[Cell, ...]:
    return (
        Cell(one.name),
        Cell(number(one.this_ns, 2)),
        Cell(number(one.other_ns, 2)),
        Cell(number(one.slower_percent, 1, signed=True)),
        Cell(number(one.half_width_percent, 1), "faint"),
        Cell(number(one.closes_percent, 0) if one.kinds else ""),
    )


def _names(side: Side) -> str:
    labels = [thread.label for thread in side.threads]
    return " ".join(labels) if len(labels) <= _MOST_THREADS else f"{' '.join(labels[:2])} ... ({len(labels)} threads)"


def _verdict(side: Side) -> str:
    if side.verdict == "steady":
        return ""
    detail = f", {side.verdict_detail}" if side.verdict_detail else ""
    advice = "; raise --lines, or --ci" if side.verdict == "too short" else ""
    return f"The run of {_names(side)} is not steady: {side.verdict}{detail}{advice}."
