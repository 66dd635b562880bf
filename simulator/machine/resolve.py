"""From the tables of a machine file to a Machine: every node and link with all of its constants."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from simulator.errors import InputError
from simulator.machine.checks import check_buffers, check_entries, check_links, check_machine, check_size
from simulator.machine.document import Document, Path, leaves, merge_tables, note_in_source
from simulator.machine.fields import describe
from simulator.machine.fitted import check_fitted
from simulator.machine.overrides import Override, apply_overrides
from simulator.machine.problems import first_problem
from simulator.machine.schema import MACHINE_BLOCKS, NODE_BLOCKS, MachineFile, machine_json_schema
from simulator.machine.spec import LinkConstants, Machine

_Table = dict[str, Any]
_REQUIRED_BLOCKS = ("processor", "core", "coherence", "routing")
_HEADER = ("schema_version", "name", "title", "source")
_MACHINE_KEYS = (*_HEADER, *_REQUIRED_BLOCKS, "distances", "caches", "fitted")


def resolve(document: Document, overrides: Sequence[Override] = ()) -> Machine:
    """Resolve a machine file.

    Fitted values of the file must be in their ranges; overrides may leave them.

    Raises
    ------
    InputError
        Anything wrong with the file or the overrides: the first thing found.
    """
    check_size(document)
    _check_form(document)
    check_fitted(document)
    document = apply_overrides(document, overrides)
    _check_form(document)
    return _resolve_checked(document)


def _check_form(document: Document) -> None:
    try:
        MachineFile.model_validate(document.data)
    except ValidationError as error:
        raise first_problem(error, document) from None


def _resolve_checked(document: Document) -> Machine:
    check_entries(document)
    _check_blocks(document)
    nodes = [_node(document.data, node) for node in document.data["nodes"]]
    links = [_link(document.data, link) for link in document.data.get("links", ())]
    table = {key: document.data[key] for key in _MACHINE_KEYS if key in document.data}
    try:
        machine = Machine.model_validate(_without_empty_ranges({**table, "nodes": nodes, "links": links}))
    except ValidationError as error:
        raise _missing(error, document) from None
    return _fitting_together(document, machine)


def restore(table: Mapping[str, Any], label: str) -> Machine:
    """Return the machine that provenance holds in full, held to all that a machine file is held to.

    Parameters
    ----------
    table : mapping
        What ``Machine.model_dump(mode="json")`` gave, perhaps by way of a file that anybody may have changed.
    label : str
        What messages call that file.

    Raises
    ------
    InputError
        It is no machine.
    """
    try:
        machine = Machine.model_validate_json(json.dumps(table))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(("provenance.machine", *map(str, first["loc"])))
        raise InputError(first["msg"].lower(), file=label, field=field) from None
    data = machine.model_dump(mode="json", exclude_none=True)
    document = Document(data, {}, label)
    check_size(document)
    check_entries(document)
    return _fitting_together(document, machine)


def _fitting_together(document: Document, machine: Machine) -> Machine:
    check_buffers(document, [node.model_dump() for node in machine.nodes])
    check_links(document, [link.model_dump() for link in machine.links])
    machine = machine.model_copy(update={"nodes": _sorted_nodes(machine), "links": _numbered_links(machine)})
    check_machine(document, machine)
    return machine


def _check_blocks(document: Document) -> None:
    """Name a block that is missing as a whole, rather than its first field."""
    data = document.data
    for name in _HEADER:
        if name not in data:
            raise InputError("is missing", file=document.file, field=name, allowed=describe(machine_json_schema(), (name,)))
    needed = [*_REQUIRED_BLOCKS, "sri", "crossbar"]
    needed += ["controller"] if any("memory_gib" in node for node in data["nodes"]) else []
    for name in needed:
        given_by_nodes = name in NODE_BLOCKS and any(name in node for node in data["nodes"])
        if name not in data and not given_by_nodes:
            raise _missing_block(document, name)
    if "link" not in data and any("latency_ns" not in link for link in data.get("links", ())):
        raise _missing_block(document, "link")


def _missing_block(document: Document, name: str) -> InputError:
    fields = [field for field in MACHINE_BLOCKS[name].model_fields if field != "fitted"]
    allowed = f"[{name}] with {', '.join(fields)}; or extends = a machine that has it"
    return InputError("the block is missing", file=document.file, field=f"[{name}]", allowed=allowed)


def _node(data: Mapping[str, Any], entry: Mapping[str, Any]) -> _Table:
    node = dict(entry)
    for name in NODE_BLOCKS:
        node[name] = _node_block(data.get(name, {}), entry.get(name, {}), str(entry["source"]))
    if "memory_gib" not in entry:
        node["controller"] = None
    return node


def _node_block(wide: _Table, own: _Table, node_source: str) -> _Table:
    """Merge a machine-wide block and a node's own; each value keeps a source."""
    block = merge_tables(wide, own)
    own_values = [name for name in leaves(own) if not name.startswith("fitted.")]
    if own_values and "source" not in own:
        block["source"] = note_in_source(wide.get("source"), f"{', '.join(own_values)}: {node_source}")
    return block


def _link(data: Mapping[str, Any], entry: _Table) -> _Table:
    wide = data.get("link", {})
    link = merge_tables(wide, entry)
    if "source" in wide:
        link["source"] = f"{entry['source']}; constants: {wide['source']}"
    return link


def _without_empty_ranges(table: Any) -> Any:
    """Drop ``fitted`` entries that are an empty list: a child file says so that a value is not fitted any more."""
    if isinstance(table, list):
        return [_without_empty_ranges(item) for item in table]
    if not isinstance(table, dict):
        return table
    kept = {key: _without_empty_ranges(value) for key, value in table.items()}
    if isinstance(kept.get("fitted"), dict):
        kept["fitted"] = {name: allowed for name, allowed in kept["fitted"].items() if allowed != []}
    return kept


def _sorted_nodes(machine: Machine) -> tuple[Any, ...]:
    return tuple(sorted(machine.nodes, key=lambda node: node.id))


def _numbered_links(machine: Machine) -> tuple[Any, ...]:
    """Sort links by their ends, lower one first, and number parallel ones in file order."""
    counts: dict[tuple[int, int], int] = {}
    links = []
    for link in machine.links:
        ends = (min(link.ends), max(link.ends))
        ordinal = counts.get(ends, 0)
        counts[ends] = ordinal + 1
        links.append(link.model_copy(update={"ends": ends, "ordinal": ordinal}))
    return tuple(sorted(links, key=lambda link: (link.ends, link.ordinal)))


def _missing(error: ValidationError, document: Document) -> InputError:
    """Say which value is still missing once all blocks are merged; the values that are there have been checked."""
    items = error.errors(include_url=False)
    path = _file_path(items[0])
    more = f" (and {len(items) - 1} more problems)" if len(items) > 1 else ""
    kind = "is missing" if items[0]["type"] == "missing" else items[0]["msg"].lower()
    allowed = describe(machine_json_schema(), path)
    return InputError(f"{kind}{more}", file=document.file, field=document.field(path), allowed=allowed)


def _file_path(item: ErrorDetails) -> Path:
    """Turn the place in the resolved machine into the machine-wide block of the file that should give the value."""
    path: Path = item["loc"]
    if path[0] == "nodes" and len(path) > 2 and path[2] in NODE_BLOCKS:
        return path[2:]
    if path[0] == "links" and len(path) > 2 and path[2] in LinkConstants.model_fields:
        return ("link", *path[2:])
    return path
