"""A kernel build on two cores, simulated beside measured; and the file that describes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator import load_machine
from simulator.errors import InputError
from simulator.schedule import FEW_LINES, LINES, ScheduledMachine, load_build, read_builds
from simulator.schedule.build import Build, file_sizes
from simulator.schedule.build_spec import BuildSpec, value_at, with_values
from simulator.schedule.fit_build import fit_build
from simulator.schedule.kernel_build import fewer_rows, groups_of, memory_bound_rows, run_build, simulate_rows
from simulator.schedule.measured import MeasuredBuild
from simulator.schedule.report import checks_table, holds, memory_bound_table

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
BUILD = EXPERIMENTS / "builds" / "freebsd-kernel.toml"
MEASURED = read_builds(EXPERIMENTS / "measured" / "athlon64-x2-kernel-build.csv")
KERNEL = groups_of(MEASURED)["kernel", 2]


@pytest.fixture(scope="module")
def machine() -> ScheduledMachine:
    """Speeds as the experiment has them: those of shorter runs differ by a per cent, by their samples of lines."""
    return ScheduledMachine(load_machine("athlon64-x2"), LINES)


@pytest.fixture(scope="module")
def small_machine() -> ScheduledMachine:
    """Speeds from short runs, for what holds at any speeds."""
    return ScheduledMachine(load_machine("athlon64-x2"), FEW_LINES)


@pytest.fixture(scope="module")
def spec() -> BuildSpec:
    return load_build(BUILD)


def _small(spec: BuildSpec, files: int = 20) -> BuildSpec:
    return with_values(spec, {"stages.0.files": files, "stages.0.wait_ms": 10.0, "stages.0.million_instructions_after": 50.0})


@pytest.mark.slow
def test_the_kernel_build_as_measured(machine: ScheduledMachine, spec: BuildSpec) -> None:
    """Speed-up at 2 jobs within 3 %, growth of user time 1.2 to 2.6 %, CPU % within 3 points, both schedulers, all job counts."""
    rows = simulate_rows(machine, spec, KERNEL)
    assert {(one.measured.scheduler, one.measured.jobs) for one in rows} == {
        (name, jobs) for name in ("4bsd", "ule") for jobs in (1, 2, 3, 4, 6, 8, 10, 16)
    }
    assert holds(rows), checks_table(rows).plain()


@pytest.mark.slow
def test_rows_that_no_number_was_fitted_to(machine: ScheduledMachine, spec: BuildSpec) -> None:
    """The uniprocessor kernel, slowed by refilled caches only; and modules, whose builds hardly run in parallel."""
    groups = groups_of(MEASURED)
    for one in simulate_rows(machine, spec, groups["kernel", 1]):
        assert abs(one.error_percent("real_s")) < 3 and abs(one.error_percent("user_s")) < 3
    for one in simulate_rows(machine, spec, groups["kernel and modules", 2]):
        assert abs(one.error_percent("real_s")) < 5 and abs(one.simulated.cpu_percent - one.measured.cpu_percent) < 8


@pytest.mark.slow
def test_a_build_bound_by_memory_slows_down(machine: ScheduledMachine, spec: BuildSpec) -> None:
    """Many times the growth of user time, and less of a speed-up, by the memory controller that both cores share."""
    rows = [one for one in fewer_rows(KERNEL) if one.scheduler == "ule"]
    compiled, bound = simulate_rows(machine, spec, rows), memory_bound_rows(machine, spec, rows)
    growths = [
        results[-1].user_s / results[0].user_s - 1 for results in ([one.simulated for one in compiled], [b for _, b in bound])
    ]
    assert growths[1] > max(0.1, 5 * growths[0])
    assert bound[0][1].real_s / bound[1][1].real_s < 0.95 * compiled[0].simulated.real_s / compiled[1].simulated.real_s
    assert abs(bound[0][1].user_s / compiled[0].simulated.user_s - 1) < 0.05  # alone they take the same
    assert len(memory_bound_table(compiled, bound).rows) == 3


def test_a_small_build_keeps_its_work(small_machine: ScheduledMachine, spec: BuildSpec) -> None:
    """All files are compiled, one after the other or not, and the second job saves time, which a third can hardly."""
    results = [run_build(small_machine, Build(_small(spec), jobs), "4bsd") for jobs in (1, 2, 3)]
    for result in results:
        names = [task.name for task in result.tasks]
        assert [names.count(name) for name in ("make", "cc", "cc1", "as")] == [1, 20, 20, 20]
        assert result.user_s + result.system_s <= 2 * result.real_s
    assert results[1].real_s < 0.75 * results[0].real_s
    assert results[2].real_s > 0.9 * results[1].real_s
    assert run_build(small_machine, Build(_small(spec), 2), "4bsd") == results[1]


def test_one_core_cannot_overlap(small_machine: ScheduledMachine, spec: BuildSpec) -> None:
    result = run_build(small_machine, Build(_small(spec), 4), "ule", cores=1)
    assert result.migrations == 0
    assert result.real_s == pytest.approx(result.user_s + result.system_s + 0.010)  # but for the disk


def test_sizes_of_files() -> None:
    sizes = file_sizes(500, 0.8)
    assert sum(sizes) == pytest.approx(500)
    assert max(sizes) / min(sizes) > 50
    assert sizes != file_sizes(500, 0.8, first=500) and sorted(sizes) == sorted(file_sizes(500, 0.8, first=500))
    assert file_sizes(3, 0.0) == [1.0, 1.0, 1.0] and file_sizes(0, 0.8) == []


def test_the_search_finds_a_number_again(small_machine: ScheduledMachine, spec: BuildSpec) -> None:
    """A build whose file has a tenth too few instructions is fitted to what the right one takes."""
    right = with_values(_small(spec, 6), {"stages.0.million_instructions_before": 0.0})
    result = run_build(small_machine, Build(right, 1), "4bsd")
    row = MeasuredBuild("kernel", 2, "4bsd", 1, result.user_s, result.system_s, result.real_s, result.cpu_percent)
    path = "compile.million_instructions"
    wrong = with_values(right, {path: 0.9 * value_at(right, path)})
    fit = fit_build(small_machine, wrong, [row], [path])
    assert fit.values[path] == pytest.approx(value_at(right, path), rel=0.02)
    assert fit.error_percent < 1.5


def test_fitted_numbers_are_in_their_ranges(spec: BuildSpec) -> None:
    assert spec.fitted
    for path, (least, most) in spec.fitted.items():
        assert least <= value_at(spec, path) <= most


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("spread = 0.8", 'spread = "wide"', "compile.spread"),
        ("files = 1100", "files = -1", "files"),
        ("schema_version = 1", "schema_version = 2", "schema_version"),
        ("pipe_pieces = 2", "pipe_piece = 2", "pipe_piece"),
    ],
)
def test_a_bad_file_is_one_message(old: str, new: str, said: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    text = BUILD.read_text()
    assert old in text
    bad.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        load_build(bad)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_bad_measurements(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    header = "build,cores,scheduler,jobs,user_s,sys_s,real_s,cpu_percent\n"
    file.write_text(header + "kernel,2,cfs,1,1,1,1,\n")
    with pytest.raises(InputError, match="is no timed build"):
        read_builds(file)
    file.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="has other columns"):
        read_builds(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_builds(tmp_path / "none.csv")


def test_no_such_number(spec: BuildSpec) -> None:
    with pytest.raises(InputError, match="no number of a build"):
        value_at(spec, "compile.nonsense")
