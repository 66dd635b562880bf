"""Sweep files: what they mean, and what is wrong with them in one line."""

from __future__ import annotations

import itertools
import json
import random
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest

from simulator.errors import InputError
from simulator.measure.accuracy import Accuracy
from simulator.sweep import AccuracySpec, BackgroundSpec, Grid, Sweep, load_sweep, open_store
from simulator.sweep import grid as grid_module
from simulator.sweep.grid import Point
from simulator.sweep.spec_file import parse_sweep
from simulator.workload.levels import background_levels
from tests.sweep.fakes import small_sweep

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sweeps.md"
SPEC = """
machine = ["two-node", "quartet"]
threads = [["1.0.w.0", "0.0.w.1"], ["0.0.r.1"]]
seed = [2, 1]

[set]
"link.latency_ns" = [10.0, 8]
"core.window" = 5

[accuracy]
lines = 600

[[background]]
threads = ["1.1.r.1"]
gb_per_s = [2, "low"]

[[background]]
threads = []
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_combination_in_canonical_order(tmp_path: Path) -> None:
    grid = load_sweep(_write(tmp_path, SPEC))
    threads = [("0.0.r.1",), ("0.0.w.1", "1.0.w.0")]
    expected = list(itertools.product(["quartet", "two-node"], [8, 10], threads, [0.0, 0.5, 2.0], [1, 2]))
    assert [(point.machine.name, *_latency(point), point.threads, *_rate(point), point.seed) for point in grid.points] == expected
    assert len({point.key for point in grid.points}) == 48
    assert {point.accuracy for point in grid.points} == {Accuracy(lines=600)}
    assert grid.set_paths == ("core.window", "link.latency_ns")


def _latency(point: Point) -> tuple[float]:
    return (dict(point.settings)["link.latency_ns"],)


def _rate(point: Point) -> tuple[float]:
    return (dict(point.background).get("1.1.r.1", 0.0),)


def test_order_in_the_file_decides_nothing(tmp_path: Path) -> None:
    points = load_sweep(_write(tmp_path, SPEC)).points
    turned = (
        SPEC.replace("[2, 1]", "[1, 2, 1]")
        .replace("[10.0, 8]", "[8.0, 10, 8]")
        .replace('"two-node", "quartet"', '"quartet", "two-node"')
    )
    turned = turned.replace('["1.0.w.0", "0.0.w.1"], ["0.0.r.1"]', '["0.0.r.1"], ["0.0.w.1", "1.0.w.0"]')
    turned = turned.replace('[2, "low"]', "[0.5, 2.0, 0]")
    lines = turned.split("[[background]]")
    turned = "[[background]]".join([lines[0], lines[2] + "\n", lines[1]])
    assert load_sweep(_write(tmp_path, turned)).points == points


def test_key_of_a_point_is_that_of_its_run() -> None:
    from simulator.sweep.key import model_fingerprint, run_key

    grid = Grid(small_sweep())
    jobs = [grid.job(point) for point in grid.points]
    model = model_fingerprint()
    assert [run_key(job.machine, job.workload, job.accuracy, job.seed, model) for job in jobs] == [p.key for p in grid.points]
    assert {job.machine.links[0].latency_ns for job in jobs} == {8.0, 10.0, 12.0}


def test_set_adds_and_replaces_axes(tmp_path: Path) -> None:
    path = _write(tmp_path, SPEC)
    grid = load_sweep(path, ["link.latency_ns=9", "link[1-0].carries=['request','posted','response','probe']", "core.window=4,6"])
    assert grid.set_paths == ("core.window", "link.latency_ns", "link[0-1].carries")
    assert {dict(point.settings)["core.window"] for point in grid.points} == {4, 6}
    assert {dict(point.settings)["link.latency_ns"] for point in grid.points} == {9}
    arbitration = load_sweep(path, ["crossbar.arbitration=response-first,round-robin"])
    assert len(arbitration.points) == 96


def test_spelling_of_a_path_does_not_matter() -> None:
    one = Grid(small_sweep(set={"link[1-0].latency_ns": 9}))
    other = Grid(small_sweep(set={"link[0-1].latency_ns": [9.0]}))
    assert one.points == other.points
    zeros = Grid(small_sweep(set={"link[01-00].latency_ns": 9}))
    assert zeros.points == one.points
    controller = Grid(small_sweep(set={"controller[03].read_ns": 9}))
    assert controller.set_paths == ("controller[3].read_ns",)
    node = Grid(small_sweep(set={"node[3].controller.read_ns": 9}))
    assert node.set_paths == ("controller[3].read_ns",)


def test_machine_files_are_found_from_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "mine.toml").write_text('extends = "two-node"\nname = "mine"\n', encoding="utf-8")
    path = _write(tmp_path / "specs", 'machine = ["../mine.toml", "two-node"]\nthreads = [["0.0.r.1"]]')
    monkeypatch.chdir("/")
    assert [point.machine.name for point in load_sweep(path).points] == ["mine", "two-node"]


def test_equal_points_are_one() -> None:
    accuracy = (AccuracySpec(), AccuracySpec(lines=20_000))
    sweep = Sweep(machine=("quartet", "quartet"), threads=(("0.0.r.1",), ("0.0.r.1",)), seed=(1, 1), accuracy=accuracy)
    assert len(Grid(sweep).points) == 1


def test_background_alone_and_rates_of_their_own() -> None:
    sweep = Sweep(machine="quartet", background=({"threads": ("1.0.r.1@low", "0.0.r.0@0.25")},))  # type: ignore[arg-type]
    (point,) = Grid(sweep).points
    assert point.threads == ()
    assert point.background == (("0.0.r.0", 0.25), ("1.0.r.1", 0.5))


def test_levels_are_amds() -> None:
    from simulator.validation.reference_file import load_reference

    assert background_levels() == {level.name: level.gb_per_s for level in load_reference("amd-40555").background_level}


def test_accuracy_table_has_all_of_an_accuracy() -> None:
    assert {field.name: field.default for field in fields(Accuracy)} == AccuracySpec().model_dump()
    assert AccuracySpec().accuracy() == Accuracy()


def test_schema_accepts_what_the_program_does(tmp_path: Path) -> None:
    schema = Sweep.model_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(SPEC), schema)
    jsonschema.validate(json.loads(small_sweep().model_dump_json()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"machine": "quartet", "thread": []}, schema)


def test_the_example_of_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    assert len(Grid(parse_sweep(tomllib.loads(example), "page")).points) == 18


def test_the_page_names_every_key_and_column(filled: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = {*Sweep.model_fields, *AccuracySpec.model_fields, *BackgroundSpec.model_fields}
    with open_store(filled, read_only=True) as store:
        for view in ("points", "threads", "links", "controllers"):
            assert f"| `{view}` |" in text
            names |= set(store.select(view).columns)
    missing = [name for name in names if not re.search(rf"[`\[]{re.escape(name)}[`\]\"]", text) and name != "link.latency_ns"]
    assert missing == []


GOOD = 'machine = "quartet"\nthreads = [["0.0.r.1"]]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("machine = ", "is not TOML"),
        ('threads = [["0.0.r.1"]]', "machine: is missing"),
        (GOOD + "thread = 1", "thread: is not a key of this table; allowed: schema_version, machine, set, threads"),
        (GOOD + "schema_version = 2", "schema_version: should be 1 (got 2)"),
        ('machine = 5\nthreads = [["0.0.r.1"]]', "machine: should be a valid string (got 5)"),
        ('machine = []\nthreads = [["0.0.r.1"]]', "machine: is an empty list; allowed: a value, or a list of at least one"),
        (GOOD + "seed = []", "seed: is an empty list"),
        ('machine = "quartet"\nthreads = []', "threads: is an empty list"),
        ('machine = "quartet"\nthreads = [[]]', "a run needs at least one thread, in the point quartet; allowed: labels"),
        (GOOD + "schema_version = true", "schema_version: should be 1"),
        (GOOD + "schema_version = 1.0", "schema_version: should be 1"),
        (GOOD + f'[set]\n"core.window" = 0x{"f" * 5000}', "set: core.window: is too large a number (got a number of thousands"),
        (GOOD + f'[set]\n"core.window" = {1 << 63}', "set: core.window: is too large a number (got 9223372036854775808)"),
        (GOOD + f'[set]\n"link[{"1" * 5000}-0].latency_ns" = 8', "does not name a link"),
        (GOOD + f"seed = 0x{'f' * 5000}", "seed: "),
        (GOOD + "[set]\n" + "\n".join(f'"link[{n}-{n + 1}].latency_ns" = 8' for n in range(1_001)),
         "set: sets 1,001 constants; allowed: at most 1,000"),
        ('machine = "nosuch"\nthreads = [["0.0.r.1"]]', "machine: there is no machine of that name (got 'nosuch')"),
        ('machine = "quartet"\nthreads = ["0.0.r.1"]', "threads[1]: should be a list (got '0.0.r.1')"),
        ('machine = "quartet"\nthreads = [["0.0.r.1"], ["0.0.x.1"]]', "threads[2]: not a thread label (got '0.0.x.1')"),
        ('machine = "quartet"', "threads: a run needs at least one thread, in the point quartet"),
        ('machine = "quartet"\nthreads = [["7.0.r.1"]]', "thread 7.0.r.1: quartet has no node 7, in the point quartet 7.0.r.1"),
        (GOOD + 'seed = "one"', "seed: "),
        (GOOD + "seed = [1, 2.5]", "seed[2]: "),
        (GOOD + "seed = true", "seed: "),
        (GOOD + '[set]\n"link.latncy_ns" = 8', "set: link.latncy_ns: there is no latncy_ns here; did you mean latency_ns?"),
        (GOOD + '[set]\n"link.latency_ns" = []', "set: link.latency_ns: has no values"),
        (GOOD + '[set]\n"link.latency_ns" = [8, "fast"]', "link.latency_ns: must be a number"),
        (GOOD + '[set]\n"core.window" = [4, 99]', "core.window: "),
        (GOOD + '[set]\nlink = {latency_ns = 8}', "set: link: is a table"),
        (GOOD + '[set]\n"link[0-1].latency_ns" = 8\n"link[1-0].latency_ns" = 9', "set: link[1-0].latency_ns: is there twice"),
        (GOOD + '[set]\n"link[0-7].latency_ns" = 8', "there is no link 0-7"),
        (GOOD + "[accuracy]\nlines = 0", "lines: lines out of range (got 0)"),
        (GOOD + "[accuracy]\nlines = 1.5", "accuracy.lines: "),
        (GOOD + "[accuracy]\nwindow = 1", "accuracy.window: is not a key of this table; allowed: ci_percent, lines, warmup"),
        (GOOD + '[[background]]\nthreads = ["0.1.r.0"]', "background[1]: a background thread needs a rate (got '0.1.r.0')"),
        (GOOD + '[[background]]\nthreads = ["0.1.r.0"]\ngb_per_s = "lots"', "background[1]: there is no such level (got 'lots')"),
        (GOOD + '[[background]]\nthreads = ["0.1.r.0"]\ngb_per_s = -1', "background[1].gb_per_s: "),
        (GOOD + '[[background]]\nthreads = ["0.1.r.0"]\ngb_per_s = nan', "background[1].gb_per_s: "),
        (GOOD + '[[background]]\nthreads = ["0.1.r.0", "0.1.r.0"]\ngb_per_s = 1', "background[1]: a thread is there twice"),
        (GOOD + '[[background]]\nthreads = ["0.0.r.0"]\ngb_per_s = 1', "are on one core"),
        (GOOD + f"seed = {list(range(100_001))}", "has 100,001 points; allowed: at most 100,000; several"),
    ],
)  # fmt: skip
def test_bad_specs(text: str, message: str, tmp_path: Path) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_sweep(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["link.latency_ns"], "--set: is no axis (got 'link.latency_ns')"),
        (["link.latency_ns="], "--set: is no axis"),
        (["link.latency_ns=8,,9"], "--set: has an empty value"),
        (["link.latency_ns=8", "link.latency_ns=9"], "--set: a path is there twice"),
        (["nosuch.latency_ns=8"], "there is no block nosuch"),
    ],
)
def test_bad_set(overrides: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--set") as caught:
        load_sweep(_write(tmp_path, GOOD), overrides)
    assert message in str(caught.value)


def test_two_machines_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('extends = "two-node"\n[core]\nwindow = 4\n', encoding="utf-8")
    path = _write(tmp_path, 'machine = ["a.toml", "two-node"]\nthreads = [["0.0.r.1"]]')
    with pytest.raises(InputError, match=r"machine: two different machines are called two-node \(got 'two-node'\)"):
        load_sweep(path)


def test_the_limit_is_found_before_anything_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_module, "read_document", None)
    values = random.Random(1).sample(range(10_000), 400)
    with pytest.raises(InputError, match="has 320,000 points"):
        Grid(small_sweep(set={"link.latency_ns": values, "controller.read_ns": values}, seed=1))
