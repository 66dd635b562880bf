"""Workload files: what is wrong is said in one line, with file, field, value and what is allowed."""

from __future__ import annotations

import copy
import tomllib
from itertools import islice
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator import load_machine
from simulator.cli.schema import schema
from simulator.errors import InputError
from simulator.program import ArraySpec, KernelPhase, Program, ThreadGroup, load_program, parse_program, place
from tests.placement.machines import square

EXAMPLES = sorted((Path(__file__).parents[2] / "experiments" / "workloads").glob("*.toml"))
GOOD = """
name = "mine"
[[arrays]]
name = "a"
size_mib = 1.0
[[threads]]
name = "w"
[[phases]]
pattern = "sequential"
array = "a"
"""


def _message(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_program(path)
    found = str(caught.value)
    assert found.startswith(f"{path}: ")
    assert "\n" not in found
    return found.removeprefix(f"{path}: ")


def test_the_good_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_program(path, load_machine("quartet")).arrays[0].bytes == 1 << 20


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "mine"', 'nam = "mine"', "name: is missing"),
        (
            'name = "mine"',
            'name = "mine"\nnodes = 3',
            "nodes: is not a key of this table; allowed: schema_version, name, title, seed",
        ),
        ('name = "mine"', 'name = "my mine"', "name: is no name (got 'my mine'); allowed: a letter or _"),
        ('name = "mine"', 'schema_version = 2\nname = "mine"', "schema_version: should be 1 (got 2)"),
        ("size_mib = 1.0", "size_mib = 0.0", "arrays[1].size_mib: should be greater than 0 (got 0.0)"),
        ("size_mib = 1.0", 'size = "1 MiB"', "arrays[1].size: is not a key of this table; allowed: name, size_bytes, size_kib"),
        ("size_mib = 1.0", "", "arrays[1]: has no size (got 'a'); allowed: one of size_bytes, size_kib, size_mib, size_gib"),
        ("size_mib = 1.0", "size_mib = 1.0\nsize_kib = 4.0", "arrays[1]: has 2 sizes: size_kib, size_mib"),
        ("size_mib = 1.0", 'size_mib = 1.0\npage = "1GiB"', "arrays[1].page: should be '4KiB' or '2MiB' (got '1GiB')"),
        ('name = "w"', 'name = "w"\ncore = 1', "threads[1]: node and core go together (got 'w')"),
        ('name = "w"', 'name = "w"\nnode = 0\ncore = 1\ncount = 2', "threads[1].count: one core runs one thread (got 2)"),
        ('name = "w"', 'name = "w"\n[[threads]]\nname = "w"', "threads[2].name: a name is there twice (got 'w')"),
        (
            '"sequential"',
            '"sequentially"',
            "phases[1].pattern: is no pattern (got 'sequentially'); allowed: init, sequential, stride",
        ),
        ('pattern = "sequential"\n', "", "phases[1].pattern: is missing; allowed: init"),
        ('array = "a"', 'array = "b"', "phases[1]: no such array (got 'b'); allowed: a"),
        (
            'array = "a"',
            'array = "a"\narrays = ["a"]',
            "phases[1].arrays: is not a key of this table; allowed: name, threads, barrier, repeat, compute_ns",
        ),
        ('array = "a"', "", "phases[1].array: is missing"),
        (
            'array = "a"',
            'array = "a"\nread_fraction = 1.5',
            "phases[1].read_fraction: should be less than or equal to 1 (got 1.5)",
        ),
        ('array = "a"', 'array = "a"\nread_fraction = 0.12346', "phases[1].read_fraction: a share too fine"),
        ('array = "a"', 'array = "a"\ncompute_ns = -1.0', "phases[1].compute_ns: should be greater than or equal to 0"),
        ('array = "a"', 'array = "a"\nstride_bytes = 64', "phases[1].stride_bytes: stride and stride_bytes go together (got 64)"),
        (
            '"sequential"',
            '"stride"',
            'phases[1].stride_bytes: stride and stride_bytes go together; allowed: with pattern = "stride"',
        ),
        (
            'array = "a"',
            'array = "a"\nthreads = ["v"]',
            "phases[1].threads: no such threads (got 'v'); allowed: w, or one such as w.0",
        ),
        (
            'pattern = "sequential"\narray = "a"',
            'pattern = "triad"\nreads = ["a"]\nwrites = "a"',
            "phases[1].reads: triad reads 2 (got ['a']); allowed: 2 of a",
        ),
        (
            'pattern = "sequential"\narray = "a"',
            'pattern = "mix"\nstreams = [{ pattern = "random", array = "b" }]',
            "phases[1]: no such array (got 'b')",
        ),
        ('array = "a"', 'array = "a"\n[[phases]]\npattern = 3', "phases[2].pattern: is no pattern (got 3)"),
    ],
)
def test_what_is_wrong(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in GOOD
    assert message in _message(tmp_path, GOOD.replace(old, new, 1))


VALUES = st.one_of(
    st.integers(-2, 1 << 45), st.floats(), st.booleans(), st.text(max_size=8), st.just([]), st.just({}),
    st.dictionaries(st.sampled_from(["0", "9", "x"]), st.floats(0, 1) | st.integers(0, 9)),
    st.lists(st.text(max_size=3), max_size=2),
    st.sampled_from(["a", "w.0", "w.9", "init", "mix", "stride", "triad", "migrate", "shared-line", "split-lock"]),
    st.sampled_from(["all", "-m 9", "-m 0", "2MiB", "page-cache", "spread", "whole"]),
)  # fmt: skip
KEYS = st.sampled_from(
    sorted({key for table in schema("workload")["$defs"].values() for key in table["properties"]}) + ["nonsense"]
)
PLACES = st.sampled_from([(), ("arrays", 0), ("threads", 0), ("phases", 0), ("system",)])


@given(st.lists(st.tuples(PLACES, KEYS, VALUES), min_size=1, max_size=3))
def test_any_file_is_placed_or_refused_in_one_line(changes: list[tuple[Any, str, Any]]) -> None:
    table: Any = {**copy.deepcopy(tomllib.loads(GOOD)), "system": {}}
    for path, key, value in sorted(changes, key=lambda change: -len(change[0])):  # whole tables last
        here = table
        for part in path:
            here = here[part]
        here[key] = value
    try:
        found = place(parse_program(table, "fuzz"), square((1000, 1000, 600, 600)), label="fuzz")
    except InputError as error:
        assert str(error).startswith("fuzz: ")
        assert "\n" not in str(error)
        return
    for thread in range(len(found.threads)):
        for chunk in islice(found.chunks(thread), 3):
            assert (found.page_table(chunk.step).nodes(chunk.address) >= 0).all()


def test_kernels_need_arrays_of_one_kind(tmp_path: Path) -> None:
    head = (
        'name = "k"\n[[arrays]]\nname = "a"\nsize_mib = 1.0\n[[arrays]]\nname = "b"\nsize_mib = {}\n{}[[threads]]\nname = "w"\n'
    )
    copy = '[[phases]]\npattern = "copy"\nreads = ["a"]\nwrites = "b"\n'
    assert "phases[1]: arrays of different sizes (got [1048576, 2097152])" in _message(tmp_path, head.format("2.0", "") + copy)
    assert "arrays of all and of each thread" in _message(tmp_path, head.format("1.0", "per_thread = true\n") + copy)


def test_too_many_steps(tmp_path: Path) -> None:
    text = (
        GOOD.replace('name = "mine"', 'name = "mine"\niterations = 100000', 1)
        + '[[phases]]\npattern = "sequential"\narray = "a"\n'
    )
    assert "iterations: too many phases in all iterations" in _message(tmp_path, text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_placed_and_match_the_schema(path: Path) -> None:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema("workload")).validate(table)
    assert table["name"] == path.stem
    found = place(load_program(path), load_machine("quartet"))
    assert any(len(chunk) for chunk in found.chunks(0))


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    validator = jsonschema.Draft202012Validator(schema("workload"))
    table = tomllib.loads(GOOD)
    assert validator.is_valid(table)
    assert not validator.is_valid({**table, "nodes": 3})
    assert not validator.is_valid({**table, "phases": [{"pattern": "sequential", "array": "a", "reads": ["a"]}]})


def test_a_workload_in_python_is_that_of_the_file() -> None:
    size = {"size_mib": 16.0, "page": "2MiB"}
    made = Program(
        name="stream_triad",
        title="STREAM triad over all cores, pages of 2 MiB, each thread's part local",
        iterations=2,
        arrays=tuple(ArraySpec.model_validate({"name": name, **size}) for name in "abc"),
        threads=(ThreadGroup(name="worker", flops_per_ns=2.2),),
        phases=(
            load_program(next(path for path in EXAMPLES if path.stem == "stream_triad")).phases[0],
            KernelPhase(name="triad", pattern="triad", reads=("b", "c"), writes="a", flops_per_byte=0.0833, accesses_per_line=8),
        ),
    )
    assert made == load_program(next(path for path in EXAMPLES if path.stem == "stream_triad"))


def test_first_touch_decides_between_the_examples() -> None:
    quartet = load_machine("quartet")
    shares = {}
    for path in EXAMPLES:
        if path.stem in ("first_touch_serial", "first_touch_parallel", "interleaved"):
            found = place(load_program(path), quartet)
            shares[path.stem] = list(found.pages(found.arrays[0]).values())
    assert shares == {
        "first_touch_serial": [16384, 0, 0, 0],
        "first_touch_parallel": [4096] * 4,
        "interleaved": [4096] * 4,
    }
