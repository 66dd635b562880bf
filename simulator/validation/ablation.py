"""Crossfire with one mechanism changed at a time: which of them makes the 87 %?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.machine.spec import Link, Machine, Node
from simulator.machine.variants import UNLIMITED_BUFFERS, all_credits, unlimited_node_buffers, with_links, with_nodes
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.tables import Table, number, row
from simulator.workload import Workload

CROSSFIRE = ("0.0.w.1", "1.0.w.0")
CROSSFIRE_LINKS = ("0->1", "1->0")
ABLATION_ACCURACY = Accuracy(ci_percent=0.1, lines=100_000)


@dataclass(frozen=True)
class Ablation:
    """One change to a machine."""

    name: str
    change: Callable[[Machine], Machine]


@dataclass(frozen=True)
class AblationRow:
    """Crossfire on the changed machine.

    Attributes
    ----------
    time_per_line_ns, ci_percent : float
        Mean of the two writers, and the half width of its interval (the wider of the two).
    slower_percent : float
        Against the unchanged machine; negative: faster.
    link_gb_per_s, utilization : float
        Mean of the two directions of link 0-1.
    bytes_per_line, flow_control_per_line : float
        All bytes, and those of NOP packets, on one direction for each line of one writer.
    """

    name: str
    time_per_line_ns: float
    ci_percent: float
    slower_percent: float
    link_gb_per_s: float
    utilization: float
    bytes_per_line: float
    flow_control_per_line: float


def crossfire_ablations() -> tuple[Ablation, ...]:
    """Return the changes, the unchanged machine first."""
    return (
        Ablation("as calibrated", lambda machine: machine),
        Ablation("NOP bytes off", lambda machine: with_links(machine, _without_nop_bytes)),
        Ablation("CRC off", lambda machine: with_links(machine, _without_crc)),
        Ablation("all credits 1", lambda machine: with_links(machine, lambda link: _with_credits(link, 1))),
        Ablation("credits unlimited", lambda machine: with_links(machine, lambda link: _with_credits(link, UNLIMITED_BUFFERS))),
        Ablation("window one slot less", lambda machine: _with_window(machine, machine.core.window - 1)),
        Ablation("window one slot more", lambda machine: _with_window(machine, machine.core.window + 1)),
        Ablation("buffers inside nodes unlimited", lambda machine: with_nodes(machine, unlimited_node_buffers)),
        Ablation("core times spread by a tenth as much", lambda machine: _with_jitter(machine, machine.core.jitter_ns / 10)),
        Ablation("round robin instead of responses first", _with_round_robin),
    )


def run_ablations(machine: Machine, accuracy: Accuracy = ABLATION_ACCURACY, seed: int = 1) -> list[AblationRow]:
    """Run crossfire on each changed machine."""
    rows: list[AblationRow] = []
    for ablation in crossfire_ablations():
        result = run(ablation.change(machine), Workload.from_labels(CROSSFIRE), accuracy, seed=seed)
        rows.append(_row(ablation.name, result, rows[0].time_per_line_ns if rows else None))
    return rows


def _row(name: str, result: RunResult, unchanged_ns: float | None) -> AblationRow:
    times = [thread.time_per_line_ns for thread in result.threads if thread.time_per_line_ns is not None]
    time_ns = sum(times) / len(times)
    links = [result.links[key] for key in CROSSFIRE_LINKS]
    lines = sum(thread.lines for thread in result.threads)
    return AblationRow(
        name=name,
        time_per_line_ns=time_ns,
        ci_percent=max(thread.ci_percent or float("nan") for thread in result.threads),
        slower_percent=0.0 if unchanged_ns is None else 100 * (time_ns / unchanged_ns - 1),
        link_gb_per_s=sum(link.gb_per_s for link in links) / 2,
        utilization=sum(link.utilization for link in links) / 2,
        bytes_per_line=sum(sum(link.bytes_by_class.model_dump().values()) for link in links) / lines,
        flow_control_per_line=sum(link.bytes_by_class.flow_control for link in links) / lines,
    )


def _without_nop_bytes(link: Link) -> Link:
    return link.model_copy(update={"nop": link.nop.model_copy(update={"bytes": 0})})


def _without_crc(link: Link) -> Link:
    return link.model_copy(update={"crc": link.crc.model_copy(update={"bytes": 0})})


def _with_credits(link: Link, count: int) -> Link:
    return link.model_copy(update={"credits": all_credits(count)})


def _with_jitter(machine: Machine, jitter_ns: float) -> Machine:
    return machine.model_copy(update={"core": machine.core.model_copy(update={"jitter_ns": jitter_ns})})


def _with_round_robin(machine: Machine) -> Machine:
    def change(node: Node) -> Node:
        return node.model_copy(update={"crossbar": node.crossbar.model_copy(update={"arbitration": "round-robin"})})

    return with_nodes(machine, change)


def _with_window(machine: Machine, window: int) -> Machine:
    return machine.model_copy(update={"core": machine.core.model_copy(update={"window": window})})


def ablation_table(rows: Sequence[AblationRow]) -> Table:
    """Lay the rows out, times in ns and against the unchanged machine."""
    headers = ("changed", "ns a line", "CI %", "slower %", "link GB/s", "link use %", "B a line", "of them NOP")
    return Table(
        f"Crossfire ({' '.join(CROSSFIRE)}): one mechanism changed at a time; loads of one direction of link 0-1",
        headers,
        tuple(
            row(
                ablation.name,
                number(ablation.time_per_line_ns, 2),
                number(ablation.ci_percent, 2),
                number(ablation.slower_percent, 2, signed=True),
                number(ablation.link_gb_per_s, 2),
                number(100 * ablation.utilization, 1),
                number(ablation.bytes_per_line, 1),
                number(ablation.flow_control_per_line, 1),
            )
            for ablation in rows
        ),
    )
