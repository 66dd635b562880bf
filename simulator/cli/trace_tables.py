"""One line's life as tables."""

from __future__ import annotations

from simulator.engine.plan import Part
from simulator.observe.life import PART_WORDS, Step, line_steps, part_sums
from simulator.observe.record import Recording
from simulator.observe.records import TransactionLife
from simulator.observe.words import thread_line
from simulator.tables import Cell, Mood, Table, number, row
from simulator.units import ns_from_ps


def life_tables(recording: Recording, line: TransactionLife) -> tuple[Table, ...]:
    """Return the time log of a complete line, and what its parts add up to."""
    plan = recording.trace.plan
    name = f"{thread_line(plan, line)} on {recording.machine.name}: {plan.transactions.name[line.row]}"
    log = Table(
        f"Life of line {name}, issued at {ns_from_ps(line.issued_ps):.3f} ns of the run",
        ("at ns", "takes ns", "part", "where", "what"),
        tuple(_step(step) for step in line_steps(recording.trace, line)),
        left=5,
        note="at: since its issue. Rows with a part are the line's own time, one after another; the others go on beside it.",
    )
    return (log, _sums(line))


def _step(step: Step) -> tuple[Cell, ...]:
    mood: Mood = "plain" if step.part is not None else "faint"
    takes = "" if step.takes_ps is None else f"{ns_from_ps(step.takes_ps):9.3f}"
    part = "" if step.part is None else PART_WORDS[step.part]
    return tuple(Cell(text, mood) for text in (f"{ns_from_ps(step.at_ps):9.3f}", takes, part, step.where, step.what))


def _sums(line: TransactionLife) -> Table:
    sums = part_sums(line)
    latency_ps = (line.completed_ps or 0) - line.issued_ps
    rows = [
        row(PART_WORDS[part], number(ns_from_ps(time_ps), 3), number(100 * time_ps / latency_ps) if latency_ps else "-")
        for part, time_ps in sums.items()
        if part is not Part.CORE
    ]
    total_ps = sum(time_ps for part, time_ps in sums.items() if part is not Part.CORE)
    rows.append(row("latency: their sum", number(ns_from_ps(total_ps), 3), number(100.0) if latency_ps else "-"))
    rows.append(row("core time after it", number(ns_from_ps(sums.get(Part.CORE, 0)), 3), ""))
    return Table("What its latency consists of", ("", "ns", "%"), tuple(rows))
