"""Advice as a table, sentences and command lines."""

from __future__ import annotations

import textwrap

from simulator.advise.report import Advice, PlacementReport
from simulator.tables import Cell, Table, number, row

_WIDTH = 110
_HEADERS = (
    "rank",
    "node:threads",
    "memory",
    "time us",
    "+-",
    "slower %",
    "latency ns",
    "queueing",
    "local %",
    "fullest controller %",
    "fullest link %",
)


def advice_tables(report: Advice) -> tuple[Table, ...]:
    """Return the ranking."""
    rows = [_row(report, place, one) for place, one in enumerate(report.ranking)]
    search = report.search
    how = "every placement that differs" if search.exhaustive else "a search"
    lines = "all lines" if search.lines is None else f"about {search.lines:,} lines of a thread between two barriers, scaled up"
    note = (
        f"  *: advised; = cannot be told from the fastest; {search.seeds} seeds each; +-: 95 %; queueing: of the latency\n"
        f"  {how}: {search.placements} placements, {search.runs} runs of {lines}"
    )
    return (Table(f"Placements of {report.workload} on {report.machine}", _HEADERS, tuple(rows), left=3, note=note),)


def advice_text(report: Advice) -> str:
    """Return the sentences, the lines for a real machine, and notes."""
    if report.advised is None:
        verdicts = ", ".join(sorted({one.verdict for one in report.tried}))
        return f"\nNo placement came to its end: {verdicts}.\n"
    texts = [textwrap.fill(" ".join(report.sentences), _WIDTH, break_on_hyphens=False, break_long_words=False) + "\n"]
    texts.append("".join(f"  {line}\n" for line in report.command_lines))
    if report.notes:
        texts.append("".join(textwrap.fill(note, _WIDTH, break_on_hyphens=False) + "\n" for note in report.notes))
    return "".join("\n" + text for text in texts)


def _row(report: Advice, place: int, one: PlacementReport) -> tuple[Cell, ...]:
    mark = "*" if place == report.advised else "=" if one.equal else ""
    several = len(one.threads) > 1
    places = ", ".join(f"{group.group} {_nodes(group.nodes)}" if several else _nodes(group.nodes) for group in one.threads)
    policies = {group.group: group.policy for group in one.threads}
    memory = [next(iter(policies.values()))] if len(set(policies.values())) == 1 else [f"{g} {p}" for g, p in policies.items()]
    memory += [f"{name} {policy}" for name, policy in one.arrays.items()]
    return row(
        f"{one.rank}{mark}",
        places + (" (the file's)" if one.own else ""),
        ", ".join(memory),
        number(one.time_ns / 1000, 1),
        Cell(number(one.half_width_ns / 1000, 1), "faint"),
        number(one.slower_percent, 1),
        number(one.latency_ns, 1),
        number(one.queueing_ns, 1),
        number(one.local_percent, 0),
        _fullest(one.controllers),
        _fullest(one.links),
    )


def _nodes(nodes: dict[int, int]) -> str:
    return " ".join(f"{node}:{count}" for node, count in nodes.items() if count)


def _fullest(shares: dict[str, float]) -> str:
    if not shares:
        return "-"
    name, share = max(shares.items(), key=lambda item: item[1])
    return f"{name}: {100 * share:.0f}"
