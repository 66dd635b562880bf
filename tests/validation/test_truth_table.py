"""The truth table: which runs it needs, what is computed from them, and that nothing is run twice."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.sweep import local_executor
from simulator.validation.placement import Placement, all_placements, in_words, placement, request_hops
from simulator.validation.reference_file import load_reference
from simulator.validation.reproduce import reproduce
from simulator.validation.symmetry import pair_key, symmetries
from simulator.validation.truth_table import truth_table, wanted_runs
from simulator.validation.truth_table_files import ranking_tables, save_truth_table, truth_table_csv, truth_table_json
from simulator.validation.truth_table_report import PairRow, TruthTable
from simulator.workload import Workload
from tests.validation.fakes import make_result
from tests.validation.pairs import FEW, Interrupted, pair_run, stuck_run

CI_OF_FAKES = 0.3


@pytest.fixture(scope="module")
def quartet() -> Machine:
    """AMD's machine."""
    return load_machine("quartet")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> TruthTable:
    """All pairs, by a model that answers at once."""
    return truth_table(tmp_path_factory.mktemp("whole") / "store.sqlite", run_one=pair_run)


@pytest.fixture
def few(tmp_path: Path) -> dict[tuple[str, str], PairRow]:
    """A few pairs, by both threads."""
    table = truth_table(tmp_path / "store.sqlite", threads=FEW, run_one=pair_run)
    return {(row.first, row.second): row for row in table.rows}


def test_runs_are_counted_as_the_note_counts_them(quartet: Machine) -> None:
    places = all_placements(quartet)
    runs = wanted_runs(places, Placement(0, 0, "r", 0))
    assert len(places) == 64
    assert Counter(map(len, runs)) == {1: 64, 2: 1792}
    assert len(set(runs)) == len(runs)
    assert [place.label for place in places[:9]] == [
        *("0.0.r.0", "0.0.r.1", "0.0.r.2", "0.0.r.3", "0.0.w.0", "0.0.w.1", "0.0.w.2", "0.0.w.3", "0.1.r.0"),
    ]


def test_every_ordered_pair_stands_in_the_table_once(whole: TruthTable) -> None:
    assert len(whole.threads) == len(whole.alone) == 64
    assert [(row.first, row.second) for row in whole.rows] == [(one, two) for one in whole.threads for two in whole.threads]
    assert Counter(row.method for row in whole.rows) == {"simulated": 3584, "time slicing": 512}
    assert {row.verdict for row in whole.rows} == {"steady"}
    assert whole.not_steady == ()


def test_only_pairs_on_one_core_are_time_sliced(whole: TruthTable) -> None:
    for row in whole.rows:
        same_core = row.first.split(".")[:2] == row.second.split(".")[:2]
        assert (row.method == "time slicing") == same_core


def test_a_pair_and_its_reverse_are_the_same_run(whole: TruthTable) -> None:
    rows = {(row.first, row.second): row for row in whole.rows}
    for (first, second), row in rows.items():
        back = rows[second, first]
        assert (row.time_first_ns, row.time_second_ns) == (back.time_second_ns, back.time_first_ns)
        assert (row.percent, row.ci_percent, row.method) == (back.percent, back.ci_percent, back.method)


def test_times_of_a_simulated_pair(few: dict[tuple[str, str], PairRow]) -> None:
    row = few["0.0.w.1", "0.1.r.3"]  # 49 and 44.125 alone, 3 more together
    assert (row.time_first_ns, row.time_second_ns) == (52.0, 47.125)
    assert row.percent == pytest.approx(100 * (52 + 47.125) / 2 / 40)
    assert row.ci_percent == pytest.approx(CI_OF_FAKES * 2**0.5)


def test_time_slicing_is_the_sum_of_both_alone(few: dict[tuple[str, str], PairRow]) -> None:
    row = few["0.0.w.1", "0.0.r.0"]
    assert (row.time_first_ns, row.time_second_ns) == (89.0, 89.0)
    assert row.percent == pytest.approx(100 * 89 / 40)
    itself = few["0.0.r.0", "0.0.r.0"]
    assert (itself.time_first_ns, itself.percent, itself.ci_percent) == (80.0, 200.0, 0.0)


def test_the_base_is_run_though_nobody_asks_for_its_pairs(tmp_path: Path) -> None:
    table = truth_table(tmp_path / "store.sqlite", threads=["1.0.w.0"], run_one=pair_run)
    assert [(row.first, row.second) for row in table.rows] == [("1.0.w.0", "1.0.w.0")]
    assert table.rows[0].percent == pytest.approx(100 * 98 / 40)
    assert table.alone[0].percent == pytest.approx(100 * 49 / 40)


def test_an_interrupted_table_goes_on_where_it_stopped(tmp_path: Path) -> None:
    store, log = tmp_path / "store.sqlite", tmp_path / "log"
    with pytest.raises(KeyboardInterrupt):
        truth_table(store, threads=FEW, run_one=Interrupted(log, stops_at=7), runs_in_a_batch=3)
    assert len(log.read_text().splitlines()) == 6
    table = truth_table(store, threads=FEW, run_one=Interrupted(log))
    runs = log.read_text().splitlines()
    assert len(runs) == len(set(runs)) == 5 + 9  # of 10 pairs one shares a core; two batches of three were kept
    seen: list[tuple[int, int]] = []
    again = truth_table(store, threads=FEW, run_one=stuck_run, progress=lambda done, total, last: seen.append((done, total)))
    assert again == table
    assert seen == [(14, 14)]


def test_a_store_with_other_runs_in_it_changes_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    other = truth_table(store, threads=FEW, seed=2, run_one=pair_run)
    table = truth_table(store, threads=FEW, run_one=pair_run)
    assert table == truth_table(tmp_path / "fresh.sqlite", threads=FEW, run_one=pair_run)
    assert table.rows != other.rows


def test_the_table_does_not_depend_on_the_number_of_jobs(tmp_path: Path) -> None:
    tables = [
        truth_table(tmp_path / f"{jobs}.sqlite", local_executor(jobs), threads=threads, run_one=pair_run)
        for jobs, threads in ((1, FEW), (2, FEW[::-1]))
    ]
    assert truth_table_json(tables[0]) == truth_table_json(tables[1])


def test_a_standstill_is_named_and_has_no_value(tmp_path: Path) -> None:
    table = truth_table(tmp_path / "store.sqlite", threads=FEW, run_one=stuck_run)
    assert [(run.threads, run.verdict, run.verdict_detail) for run in table.not_steady] == [
        (("0.0.w.1", "1.0.w.0"), "deadlock", "a waits for b")
    ]
    stuck = [row for row in table.rows if row.verdict != "steady"]
    assert {(row.first, row.second) for row in stuck} == {("0.0.w.1", "1.0.w.0"), ("1.0.w.0", "0.0.w.1")}
    assert all(row.percent is None and row.ci_percent is None and row.time_first_ns is None for row in stuck)
    shown = (*table.ranking.best, *table.ranking.worst, *table.ranking.worst_on_two_cores)
    assert ("0.0.w.1", "1.0.w.0") not in {(group.first, group.second) for group in shown}
    assert "0.0.w.1,1.0.w.0,,,,,simulated,deadlock,False\n" in truth_table_csv(table)


def test_published_pairs_are_those_of_the_reproduction(tmp_path: Path) -> None:
    """Figures 4, 5, 6, 10 and 11 are idle: cells of the table, with the same value and interval."""
    accuracy = Accuracy(ci_percent=3.0, lines=400, warmup=100)
    figures = ("4", "5", "6", "10", "11")
    bars = reproduce(load_reference("amd-40555"), figures, accuracy=accuracy).report.bars
    assert len(bars) == 19
    alone = [bar.threads[0] for bar in bars if len(bar.threads) == 1]
    for number, wanted in enumerate([alone, *(bar.threads for bar in bars if len(bar.threads) == 2)]):
        chosen = [bar for bar in bars if set(bar.threads) <= set(wanted) and (number == 0 or bar.threads == wanted)]
        table = truth_table(tmp_path / "store.sqlite", threads=wanted, accuracy=accuracy)
        rows = {(row.first, row.second): row for row in table.rows}
        singles = {(row.thread,): row for row in table.alone}
        for bar in chosen:
            cell = singles[bar.threads] if len(bar.threads) == 1 else rows[bar.threads]
            assert cell.percent == pytest.approx(bar.simulated_percent, rel=1e-12)
            assert cell.ci_percent == pytest.approx(bar.ci_percent, rel=1e-12)


# -- symmetry and words ------------------------------------------------------------------------------------------------------


def test_routing_tables_keep_four_symmetries_of_the_square(quartet: Machine) -> None:
    found = [tuple(mapping[node] for node in range(4)) for mapping in symmetries(quartet)]
    assert found == [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0)]
    assert len(symmetries(load_machine("two-node"))) == 2
    assert len(symmetries(load_machine("one-node"))) == 1


def test_a_link_of_its_own_breaks_the_symmetry() -> None:
    odd = load_machine("quartet", ["link[0-1].latency_ns=20"])
    assert [tuple(mapping.values()) for mapping in symmetries(odd)] == [(0, 1, 2, 3), (1, 0, 3, 2)]


def test_equal_placements_have_one_key(quartet: Machine) -> None:
    relabellings = symmetries(quartet)

    def key(first: str, second: str) -> tuple[Placement, Placement]:
        return pair_key(placement(first, quartet), placement(second, quartet), relabellings)

    crossfire = key("0.0.w.1", "1.0.w.0")
    assert crossfire == key("1.0.w.0", "0.0.w.1") == key("0.1.w.1", "1.0.w.0") == key("2.0.w.3", "3.1.w.2")
    assert crossfire != key("0.0.w.2", "2.0.w.0")  # the square would allow it, the routes do not
    assert key("0.0.r.0", "0.1.r.0") != key("0.0.r.0", "0.0.r.0")
    assert key("0.0.r.0", "0.1.w.0") == key("0.1.r.0", "0.0.w.0")


def test_every_pair_is_in_one_placement(whole: TruthTable, quartet: Machine) -> None:
    relabellings = symmetries(quartet)
    groups = Counter(pair_key(placement(row.first, quartet), placement(row.second, quartet), relabellings) for row in whole.rows)
    assert len(groups) == whole.ranking.placements == 180
    assert sum(groups.values()) == 4096
    assert set(groups.values()) <= {8, 16, 32}


def test_ranking(whole: TruthTable) -> None:
    ranking = whole.ranking
    assert [len(part) for part in (ranking.best, ranking.worst, ranking.worst_on_two_cores)] == [10, 10, 10]
    assert [found.percent for found in ranking.best] == sorted(found.percent for found in ranking.best)
    assert ranking.best[0].first == "0.0.r.0"
    assert ranking.worst[0].percent == max(found.percent for found in ranking.worst) > ranking.best[-1].percent
    assert {found.method for found in ranking.worst} == {"time slicing"}
    assert {found.method for found in ranking.worst_on_two_cores} == {"simulated"}
    text = "".join(table.plain() for table in ranking_tables(whole))
    assert "Best placements of quartet (4,096 pairs, 180 different placements)" in text
    assert "Worst placements: both threads on one core, by time slicing" in text
    assert "Worst placements with a core for each thread" in text


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("0.0.r.0", "3.1.r.3", "a reader on node 0 with local memory beside a reader on node 3 with local memory"),
        (
            "0.0.w.3",
            "0.1.r.1",
            "a writer on node 0 with its memory two hops away on node 3 "
            "beside a reader on another core of node 0 with its memory one hop away on node 1",
        ),
        ("1.0.w.1", "1.0.r.1", "a writer on node 1 with local memory taking turns on its core with a reader with local memory"),
    ],
)
def test_words(first: str, second: str, words: str, quartet: Machine) -> None:
    assert in_words(placement(first, quartet), placement(second, quartet), request_hops(quartet)) == words


# -- files -------------------------------------------------------------------------------------------------------------------


def test_files(tmp_path: Path) -> None:
    table = truth_table(tmp_path / "store.sqlite", threads=FEW, run_one=pair_run)
    written = save_truth_table(table, tmp_path)
    assert TruthTable.model_validate_json((tmp_path / "truth-table.json").read_text()) == table
    rows = list(csv.DictReader(io.StringIO((tmp_path / "truth-table.csv").read_text())))
    header = ["first", "second", "time_first_ns", "time_second_ns", "percent", "ci_percent", "method", "verdict", "exact"]
    assert list(rows[0]) == header
    assert [float(row["percent"]) for row in rows] == [row.percent for row in table.rows]
    assert (tmp_path / "truth-table.parquet" in written) == (tmp_path / "truth-table.parquet").exists()


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = truth_table(tmp_path / "store.sqlite", threads=FEW, run_one=stuck_run)
    save_truth_table(table, tmp_path)
    read = parquet.read_table(tmp_path / "truth-table.parquet").to_pylist()
    assert [PairRow(**row) for row in read] == list(table.rows)


def test_without_pyarrow_there_is_no_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.validation.truth_table_files.find_spec", lambda name: None)
    table = truth_table(tmp_path / "store.sqlite", threads=FEW, run_one=pair_run)
    assert [path.name for path in save_truth_table(table, tmp_path)] == ["truth-table.json", "truth-table.csv"]


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"threads": ["0.2.r.0"]}, "thread"),
        ({"threads": ["0.0.r.9"]}, "thread"),
        ({"seed": -1}, "--seed"),
        ({"machine": "x"}, ""),
    ],
)
def test_wrong_input(settings: dict[str, object], field: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        truth_table(tmp_path / "store.sqlite", run_one=pair_run, **settings)  # type: ignore[arg-type]
    assert (caught.value.field or "") == field
    assert not (tmp_path / "store.sqlite").exists()


# -- the exact mode ----------------------------------------------------------------------------------------------------------

RECURRING = {("0.0.r.0",), ("0.0.w.1",), ("0.1.r.3",), ("0.0.r.0", "0.1.r.3")}
EXACT_SHARE = 0.9  # what a thread takes without jitter


def half_exact_run(machine: Machine, workload: Workload, accuracy: Accuracy, *, seed: int = 1, engine: str = "auto") -> RunResult:
    """Some runs recur when the exact mode is asked for, and take less then; the others are ordinary."""
    result = pair_run(machine, workload, accuracy, seed=seed)
    if accuracy.steady == "ci" or tuple(thread.label for thread in workload.threads) not in RECURRING:
        return result
    threads = tuple(
        thread.model_copy(update={"time_per_line_ns": EXACT_SHARE * (thread.time_per_line_ns or 0), "ci_percent": 0.0})
        for thread in result.threads
    )
    return result.model_copy(update={"threads": threads, "verdict_detail": "exact without jitter: at every line"})


@pytest.fixture
def half_exact(tmp_path: Path) -> TruthTable:
    """A table in which some runs are exact."""
    return truth_table(tmp_path / "s.sqlite", threads=FEW, accuracy=Accuracy(steady="exact"), run_one=half_exact_run)


def test_each_row_is_related_to_the_base_of_its_kind(half_exact: TruthTable) -> None:
    """Times are 40, 49 and 44.125 alone, 3 more together, and nine tenths of that where exact."""
    rows = {(row.first, row.second): row for row in half_exact.rows}
    exact, ordinary = rows["0.0.r.0", "0.1.r.3"], rows["0.0.w.1", "0.1.r.3"]
    assert (exact.time_first_ns, exact.time_second_ns) == (pytest.approx(0.9 * 43), pytest.approx(0.9 * 47.125))
    assert exact.percent == pytest.approx(100 * (0.9 * 43 + 0.9 * 47.125) / 2 / 36)
    assert (exact.exact, exact.ci_percent) == (True, 0.0)
    assert (ordinary.time_first_ns, ordinary.time_second_ns) == (52.0, 47.125)
    assert ordinary.percent == pytest.approx(100 * (52 + 47.125) / 2 / 40)
    assert ordinary.ci_percent == pytest.approx(CI_OF_FAKES * 2**0.5)
    assert not ordinary.exact
    alone = {row.thread: row for row in half_exact.alone}
    assert (alone["0.0.r.0"].percent, alone["0.0.r.0"].exact) == (100.0, True)
    assert alone["0.0.w.1"].percent == pytest.approx(100 * 49 / 40)
    assert alone["1.0.w.0"].percent == pytest.approx(100 * 49 / 40)
    base = half_exact.ordinary_base
    assert (base.thread, base.time_ns, base.percent, base.ci_percent, base.exact) == ("0.0.r.0", 40.0, 100.0, 0.0, False)


def test_time_slicing_is_exact_where_both_runs_are(half_exact: TruthTable) -> None:
    rows = {(row.first, row.second): row for row in half_exact.rows}
    both = rows["0.0.r.0", "0.0.w.1"]
    assert (both.method, both.exact, both.ci_percent) == ("time slicing", True, 0.0)
    assert both.percent == pytest.approx(100 * 89 / 40)
    neither = rows["1.0.w.0", "1.0.w.0"]
    assert (neither.exact, neither.percent) == (False, pytest.approx(2 * 100 * 49 / 40))


def test_time_slicing_of_an_exact_and_an_ordinary_run(tmp_path: Path) -> None:
    """Each is related to the base of its kind; only the ordinary one adds to the interval. 0.0.w.0 is ordinary, 45 alone."""
    accuracy = Accuracy(steady="exact")
    table = truth_table(tmp_path / "s.sqlite", threads=["0.0.w.0", "0.0.w.1"], accuracy=accuracy, run_one=half_exact_run)
    for row in table.rows:
        if row.first != row.second:
            assert not row.exact
            assert row.time_first_ns == pytest.approx(45 + 0.9 * 49)
            assert row.percent == pytest.approx(100 * (45 / 40 + 49 / 40))
            own = CI_OF_FAKES * 2**0.5  # the thread's own and the base's
            assert row.ci_percent == pytest.approx(own * 45 / (45 + 49))


def test_without_an_exact_base_all_rows_are_related_to_the_ordinary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "RECURRING", {("0.0.w.1",)})
    accuracy = Accuracy(steady="exact")
    table = truth_table(tmp_path / "s.sqlite", threads=["0.0.r.0", "0.0.w.1"], accuracy=accuracy, run_one=half_exact_run)
    alone = {row.thread: row for row in table.alone}
    assert (alone["0.0.r.0"].percent, alone["0.0.r.0"].ci_percent, alone["0.0.r.0"].exact) == (100.0, 0.0, False)
    assert alone["0.0.w.1"].percent == pytest.approx(100 * 0.9 * 49 / 40)
    assert alone["0.0.w.1"].ci_percent == pytest.approx(CI_OF_FAKES)


def test_the_ordinary_base_of_an_ordinary_table_is_that_of_the_rows(tmp_path: Path) -> None:
    runs: list[str] = []

    def counted(*arguments: object, **options: object) -> RunResult:
        result = pair_run(*arguments, **options)  # type: ignore[arg-type]
        runs.append(" ".join(thread.label for thread in result.threads))
        return result

    table = truth_table(tmp_path / "s.sqlite", threads=FEW, run_one=counted)
    assert table.ordinary_base == table.alone[0]
    assert len(runs) == len(set(runs)) == 14


@pytest.mark.parametrize("alone", ["0.0.w.1", "0.0.r.0"])
def test_time_slicing_has_the_worse_verdict_of_both_runs_alone(alone: str, tmp_path: Path) -> None:
    def stuck_alone(machine: Machine, workload: Workload, accuracy: Accuracy, **options: object) -> RunResult:
        if [thread.label for thread in workload.threads] == [alone]:
            return make_result(machine, workload, accuracy, 1, None, {})
        return pair_run(machine, workload, accuracy)

    table = truth_table(tmp_path / "s.sqlite", threads=["0.0.r.1", alone, "0.0.w.3"], run_one=stuck_alone)
    rows = {(row.first, row.second): row for row in table.rows}
    for pair in (("0.0.r.1", alone), (alone, "0.0.r.1"), (alone, "0.0.w.3"), (alone, alone)):
        assert (rows[pair].verdict, rows[pair].time_first_ns, rows[pair].percent) == ("deadlock", None, None)
    fine = rows["0.0.r.1", "0.0.w.3"]
    assert (fine.verdict, fine.percent is None) == ("steady", alone == "0.0.r.0")  # without a base nothing has per cents


def test_rows_say_which_are_exact(tmp_path: Path) -> None:
    threads = ["0.0.r.0", "0.0.r.1", "0.1.w.3", "1.0.w.3"]
    table = truth_table(tmp_path / "s.sqlite", threads=threads, accuracy=Accuracy(ci_percent=5, lines=12_000, steady="exact"))
    alone = {row.thread: row for row in table.alone}
    rows = {(row.first, row.second): row for row in table.rows}
    assert alone["0.0.r.0"].exact
    assert alone["0.0.r.0"].ci_percent == 0
    assert rows["0.0.r.0", "0.0.r.1"].exact == (alone["0.0.r.0"].exact and alone["0.0.r.1"].exact)  # time slicing
    base = run(load_machine("quartet"), Workload.from_labels(["0.0.r.0"]), Accuracy(ci_percent=5, lines=12_000))
    assert table.ordinary_base.time_ns == base.threads[0].time_per_line_ns
    ordinary = [row for row in table.rows if not row.exact]
    assert ordinary
    assert all(row.ci_percent for row in ordinary)
