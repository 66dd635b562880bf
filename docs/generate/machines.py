"""A page for each machine file that ships: nodes, links, constants, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docs.generate.markdown import escaped, table
from simulator.machine.document import leaves
from simulator.machine.fitted import allowed_words, link_selector
from simulator.machine.load import list_machines, load_machine
from simulator.machine.merge import read_document
from simulator.machine.read import locate, read_table, shipped_names
from simulator.machine.report import machine_entry
from simulator.machine.spec import Link, Machine, Node
from simulator.plots.square import draw_machine

_NO_VALUES = ("source", "fitted")


def machine_pages(folder: Path) -> dict[str, str]:
    """Return the pages of all shipped machines by their path, and draw each machine as ``NAME.png`` into a folder."""
    machines = {name: load_machine(name) for name in list_machines()}
    for name, machine in machines.items():
        draw_machine(machine, folder / f"{name}.png")
    pages = {f"machines/{name}.md": "\n".join(_page(name, machine)) for name, machine in machines.items()}
    return {"machines/index.md": _index(machines), **pages}


def _index(machines: Mapping[str, Machine]) -> str:
    entries = {name: machine_entry(machine) for name, machine in machines.items()}
    rows = (
        [f"[`{name}`]({name}.md)", str(entry.nodes), str(entry.cores), str(entry.links), escaped(entry.title)]
        for name, entry in entries.items()
    )
    bases = ", ".join(f"`{name}`" for name in shipped_names() if name not in machines)
    return "\n".join(
        [
            "# Machine by machine\n",
            "Nodes, links and constants of every file that ships, each with its source. "
            "[Machine files](../topology-format.md) explains every field, "
            "[Add a machine](../add-a-machine.md) how a file is made.\n",
            table(("machine", "nodes", "cores", "links", "is"), rows, left=5),
            f"To extend, constants without nodes: {bases}.\n",
        ]
    )


def _page(name: str, machine: Machine) -> Iterator[str]:
    blocks = read_document(locate(name)).data
    parent = read_table(locate(name)).get("extends")
    yield f"# {name}\n"
    yield f"{escaped(machine.title)}. Source: {escaped(machine.source)}.\n"
    if parent is not None:
        yield f"The file extends `{parent}`; what it takes over from there is shown here too.\n"
    yield f"![Nodes and links of {name}]({name}.png)\n"
    yield f"## Nodes\n\n{table(('node', 'cores', 'memory', 'source'), map(_node, machine.nodes), left=4)}"
    if machine.links:
        links = (_link(machine, index, link) for index, link in enumerate(machine.links))
        yield f"## Links\n\n{table(('link', 'a direction', 'latency', 'source'), links, left=4)}"
    yield "## Constants\n"
    yield (
        "Paths are those of `--set`. A value with a range was fitted: "
        "chosen within it by looking at published or measured numbers.\n"
    )
    for block, values in blocks.items():
        if isinstance(values, dict):
            yield _block(block, values)


def _node(node: Node) -> list[str]:
    memory = "none" if node.memory_gib is None else f"{node.memory_gib:g} GiB"
    return [str(node.id), str(node.cores), memory, escaped(_own_source(node.source))]


def _link(machine: Machine, index: int, link: Link) -> list[str]:
    rate = f"{link.width_bits} bit x {link.rate_gt_per_s:g} GT/s = {link.gb_per_s:g} GB/s"
    return [link_selector(machine, index).strip("[]"), rate, f"{link.latency_ns:g} ns", escaped(_own_source(link.source))]


def _own_source(source: str) -> str:
    """Return what an entry says itself; what its block says stands at the block."""
    return source.partition("; constants: ")[0]


def _block(name: str, values: Mapping[str, Any]) -> str:
    fitted = values.get("fitted", {})
    paths = leaves({key: value for key, value in values.items() if key not in _NO_VALUES})
    rows = ([f"`{name}.{path}`", f"`{_value(values, path)}`", _allowed(fitted.get(path))] for path in paths)
    source = escaped(str(values.get("source", "-")))
    return f"### {name}\n\nSource: {source}.\n\n{table(('value', 'is', 'range of a fit'), rows, left=3)}"


def _value(values: Mapping[str, Any], path: str) -> Any:
    found: Any = values
    for part in path.split("."):
        found = found[part]
    return found


def _allowed(allowed: Any) -> str:
    return "" if not allowed else escaped(allowed_words(allowed))
