"""Whatever a machine file holds: a machine or one InputError, never anything else."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import outside
from simulator.errors import InputError
from simulator.machine.document import holds
from simulator.machine.load import load_machine, machine_from_dict
from simulator.machine.spec import Machine

_FOLDER = Path(str(outside.shipped_folder("topologies")))
_BASE = tomllib.loads((_FOLDER / "opteron-k8.toml").read_text()) | {
    key: value for key, value in tomllib.loads((_FOLDER / "quartet.toml").read_text()).items() if key != "extends"
}
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 70),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["shortest", "snooped", "request", "response", "quartet"]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=12,
)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += _paths(inner, (*path, key))
    return found


_PATHS = _paths(_BASE)


@st.composite
def _spoilt(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the quartet with a few values replaced, removed or added."""
    result = copy.deepcopy(_BASE)
    for path in draw(st.lists(st.sampled_from(_PATHS), min_size=1, max_size=3)):
        here: Any = result
        for key in path[:-1]:
            here = here[key] if holds(here, key) else None
        action = draw(st.sampled_from(["replace", "remove", "add"]))
        if isinstance(here, dict) and action == "add":
            here[draw(st.text(max_size=6))] = draw(_VALUES)
        elif holds(here, path[-1]):
            if action == "replace":
                here[path[-1]] = draw(_VALUES)
            else:
                del here[path[-1]]
    return result


def _load(table: dict[str, Any], overrides: Any = ()) -> None:
    try:
        assert isinstance(machine_from_dict(table, overrides), Machine)
    except InputError as error:
        assert "\n" not in str(error)


@settings(max_examples=400, deadline=None)
@given(_spoilt())
def test_spoilt_tables(table: dict[str, Any]):
    _load(table)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["extends", "name", "nodes", "links", "link", "core", "routing", "source", "x"]), _VALUES, max_size=4
    )
)
def test_tables_of_anything(table: dict[str, Any]):
    _load(table)
    _load({"extends": "quartet", **table})


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=30),
        st.builds(
            lambda path, which, value: f"{path}{which}={value}",
            st.sampled_from(["link", "node", "core.window", "link.latency_ns", "controller", "routing.request", "crossbar"]),
            st.sampled_from(
                ["", "[0]", "[0-1]", "[*]", "[0-1].latency_ns", "[*].read_ns", "[1].memory_gib", ".x", "[", "[9-9].ends"]
            ),
            st.one_of(st.text(max_size=10), st.integers().map(str), st.floats().map(str)),
        ),
    )
)
def test_overrides_of_anything(override: str):
    try:
        load_machine("quartet", [override])
    except InputError as error:
        assert "\n" not in str(error)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_files_of_anything(tmp_path_factory: Any, content: bytes):
    file = tmp_path_factory.getbasetemp() / "fuzz.toml"
    file.write_bytes(content)
    try:
        load_machine(file)
    except InputError as error:
        assert "\n" not in str(error)
