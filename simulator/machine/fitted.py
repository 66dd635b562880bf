"""Values chosen by looking at published bars: each has a range, and a file may not leave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.machine.document import Document, Path, leaves, merge_tables
from simulator.machine.fields import hint
from simulator.machine.problems import RANGE
from simulator.machine.schema import NODE_BLOCKS
from simulator.machine.spec import Block, Machine


@dataclass(frozen=True)
class FittedValue:
    """A fitted value of a machine: its path as ``--set`` names it, and what it may be."""

    path: str
    value: int | float | str
    allowed: tuple[float, float] | tuple[str, ...]

    @property
    def allowed_text(self) -> str:
        """The range or the choices in words."""
        return allowed_words(self.allowed)


def fitted_values(machine: Machine) -> list[FittedValue]:
    """List the fitted values of a machine, machine-wide ones once, those of one node or link under its own path."""
    found: list[FittedValue] = []
    for name, blocks in _blocks(machine):
        fields = list(dict.fromkeys(field for _, block in blocks for field in block.fitted))
        for field in fields:
            found += _values(name, field, [(key, block) for key, block in blocks if field in block.fitted], len(blocks))
    return found


def check_fitted(document: Document) -> None:
    """See that every fitted value of a file is in its range.

    Raises
    ------
    InputError
        An entry names an unknown field, is no range, or does not hold the value.
    """
    for places in _places(document):
        merged: dict[str, Any] = {}
        for place in places:
            merged = merge_tables(merged, document.get(place) or {})
        for field, allowed in merged.get("fitted", {}).items():
            _check_entry(document, places, merged, field, allowed)


def allowed_words(allowed: Sequence[float | str]) -> str:
    """Say a range or choices in words."""
    if _is_range(allowed):
        return f"{allowed[0]:g} to {allowed[1]:g}"
    return " or ".join(f'"{choice}"' for choice in allowed)


def _is_range(allowed: Sequence[float | str]) -> bool:
    return len(allowed) == 2 and not any(isinstance(bound, str) for bound in allowed)


def _places(document: Document) -> Iterator[tuple[Path, ...]]:
    """Yield where blocks stand, machine-wide place first, so that the last one with a value gives it."""
    for key, value in document.data.items():
        if isinstance(value, dict):
            yield ((key,),)
    for index, node in enumerate(document.data.get("nodes", ())):
        yield (("nodes", index),)
        for name in NODE_BLOCKS:
            if name in node:
                yield ((name,), ("nodes", index, name))
    for index in range(len(document.data.get("links", ()))):
        yield (("link",), ("links", index))


def _check_entry(document: Document, places: tuple[Path, ...], merged: Mapping[str, Any], field: str, allowed: list[Any]) -> None:
    if not allowed:
        return
    entry, here = _last(document, places, ("fitted", field)), _last(document, places, tuple(field.split(".")))
    assert entry is not None
    if here is None:
        values = [name for name in leaves(merged) if name != "source" and not name.startswith("fitted.")]
        raise document.error(entry, f"there is no such value in its block{hint(field, values)}", allowed=", ".join(values))
    value = document.get(here)
    _check_kind(document, entry, value, allowed)
    inside = allowed[0] <= value <= allowed[1] if _is_range(allowed) else value in allowed
    if not inside:
        wider = f"{allowed_words(allowed)}; or another range, or [] if it is not fitted, in [{document.field(entry[:-1])}]"
        raise document.error(here, "is outside the range that `fitted` gives it", value=value, allowed=wider)


def _last(document: Document, places: tuple[Path, ...], name: Path) -> Path | None:
    """Return where a value stands that the last of `places` gives."""
    return next(((*place, *name) for place in reversed(places) if document.get((*place, *name)) is not None), None)


def _check_kind(document: Document, entry: Path, value: object, allowed: list[Any]) -> None:
    if _is_range(allowed):
        if not isinstance(value, int | float) or isinstance(value, bool) or not allowed[0] <= allowed[1]:
            raise document.error(entry, "is no range for this value", value=allowed, allowed=RANGE)
    elif not isinstance(value, str):
        raise document.error(entry, "holds choices, but the value is no text", value=allowed, allowed=RANGE)


def _blocks(machine: Machine) -> Iterator[tuple[str, list[tuple[str, Block]]]]:
    """Yield each kind of block with its instances, as (name in a path, block)."""
    for name in ("processor", "core", "coherence", "routing"):
        yield name, [("", getattr(machine, name))]
    for name in NODE_BLOCKS:
        blocks = [(f"[{node.id}]", getattr(node, name)) for node in machine.nodes]
        yield name, [(key, block) for key, block in blocks if block is not None]
    yield "link", [(link_selector(machine, index), link) for index, link in enumerate(machine.links)]
    if machine.distances is not None:
        yield "distances", [("", machine.distances)]
    if machine.caches is not None:
        yield "caches", [("", machine.caches)]


def link_selector(machine: Machine, index: int) -> str:
    """Name one link as ``--set`` does: ``[0-1]``, ``[0-1#1]`` among parallel ones."""
    link = machine.links[index]
    parallel = sum(other.ends == link.ends for other in machine.links) > 1
    return f"[{link.ends[0]}-{link.ends[1]}{f'#{link.ordinal}' if parallel else ''}]"


def _values(name: str, field: str, blocks: list[tuple[str, Block]], total: int) -> list[FittedValue]:
    values = [(key, _value(block, field), block.fitted[field]) for key, block in blocks]
    if len(blocks) == total and len({(value, allowed) for _, value, allowed in values}) == 1:
        values = [("", *values[0][1:])]
    return [FittedValue(f"{name}{key}.{field}", value, allowed) for key, value, allowed in values]


def _value(block: Block, field: str) -> Any:
    value: Any = block
    for part in field.split("."):
        value = getattr(value, part)
    return value
