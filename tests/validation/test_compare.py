"""Simulated against measured: errors, summaries, orders, tolerance, and each run once."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest

from simulator.errors import InputError
from simulator.interop.measured import Measurement, Quantity
from simulator.interop.measurements import Measured
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.validation import predictable
from simulator.validation.compare import compare
from simulator.validation.comparison_report import Comparison
from simulator.validation.comparison_tables import beyond_sentences, comparison_tables
from simulator.validation.orders import count_orders
from tests.validation.measured import CountedRun, bandwidth, fake_run, latency, relative

QUARTET = load_machine("quartet")
ALL_NODES = [latency(node, 0, 100.0 + 20.0 * node) for node in range(4)]


def compared(*rows: Measurement, run: Any = fake_run, **options: Any) -> Comparison:
    return compare(Measured(rows), QUARTET, run_one=run, **options)


def test_errors_are_signed_and_of_the_measured_value() -> None:
    report = compared(latency(0, 0, 80.0), latency(0, 1, 150.0), latency(0, 2, 140.0))
    assert [cell.simulated for cell in report.cells] == [100.0, 120.0, 140.0]
    assert [cell.error_percent for cell in report.cells] == [25.0, -20.0, 0.0]
    (summary,) = report.summaries
    assert (summary.cells, summary.mean_absolute_percent, summary.worst_percent, summary.worst) == (3, 15.0, 25.0, "0->0")
    assert summary.bias_percent == pytest.approx(5 / 3)
    assert summary.rank_correlation == pytest.approx(0.5)
    assert report.mean_absolute_percent == 15.0
    assert {cell.verdict for cell in report.cells} == {"steady"}


def test_groups_keep_the_order_of_the_file() -> None:
    report = compared(bandwidth(0, 0, 4.0), latency(0, 1, 120.0), bandwidth(0, 1, 5.0), latency(0, 0, 100.0))
    assert [(cell.experiment, cell.title) for cell in report.cells] == [
        ("stream", "0->0"),
        ("stream", "0->1"),
        ("idle", "0->1"),
        ("idle", "0->0"),
    ]
    assert [summary.experiment for summary in report.summaries] == ["stream", "idle"]


def test_units_are_those_of_the_measured_value() -> None:
    report = compared(bandwidth(0, 1, 5000.0, "MB/s"), bandwidth(0, 1, 5.0))
    assert [(cell.simulated, cell.error_percent) for cell in report.cells] == [(4000.0, -20.0), (4.0, -20.0)]


def test_equal_runs_are_done_once_and_repeats_stay() -> None:
    run = CountedRun()
    pair = "1.0.w.0 0.0.w.1"
    rows = [
        *[latency(0, 1, 120.0), latency(0, 1, 120.0), latency(0, 1, 126.0), latency(0, 1, 120.0, threads="1")],
        *[Measurement("two", Quantity.TIME_PER_LINE, 40.0, "ns", threads=pair)],
        *[Measurement("two", Quantity.TOTAL_TIME, 80.0, "ns", threads=" ".join(reversed(pair.split())))],
        *[relative(0, 1, 1.2), relative(0, 0, 1.0)],
    ]
    report = compared(*rows, run=run)
    assert sorted(run.ran) == [("0.0.r.0",), ("0.0.r.1",), ("0.0.w.1", "1.0.w.0")]
    assert len(report.cells) == len(rows)


def test_many_rows_of_few_runs_are_quick() -> None:
    run = CountedRun()
    report = compared(*(latency(place % 4, 0, 100.0 + place / 1000) for place in range(20_000)), run=run)
    assert len(run.ran) == 4
    (summary,) = report.summaries
    assert summary.cells == 20_000
    assert summary.orders > 10_000_000


def test_too_many_different_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predictable, "MOST_RUNS", 3)
    with pytest.raises(InputError, match="it takes more than 3 different runs"):
        compared(*ALL_NODES)


def test_beyond_is_sorted_by_size_with_the_missing_first() -> None:
    run = CountedRun(still=("3.0.r.0",))
    rows = [latency(0, 0, 110.0), latency(1, 0, 60.0), latency(2, 0, 139.0), latency(3, 0, 160.0)]
    report = compared(*rows, run=run, tolerance_percent=5.0)
    assert [(cell.cell, cell.error_percent and round(cell.error_percent, 1)) for cell in report.beyond] == [
        ("3->0", None),
        ("1->0", 100.0),
        ("0->0", -9.1),
    ]
    assert report.cells[3].verdict == "deadlock"
    assert report.summaries[0].cells == 4
    assert report.summaries[0].worst == "1->0"
    assert compared(*rows, run=run).beyond == ()
    sentences = beyond_sentences(report)
    assert sentences[0] == "idle: latency, 3->0: no value, the run came to a standstill"
    assert sentences[1] == "idle: latency, 1->0: +100.00 %, more than 5 %"


def test_nothing_but_standstills() -> None:
    report = compared(latency(0, 0, 100.0), run=CountedRun(still=("0.0.r.0",)), tolerance_percent=5.0)
    assert report.mean_absolute_percent is None
    assert report.summaries[0].worst is None
    assert len(report.beyond) == 1
    assert "the run came to a standstill" in comparison_tables(report)[0].plain()


def test_relative_latencies_meet_at_the_quickest_that_is_there() -> None:
    report = compared(relative(0, 0, 1.0), relative(0, 1, 1.3), relative(0, 9, 1.1))
    assert [cell.simulated for cell in report.cells] == [1.0, 1.2]
    assert report.not_predicted == ("cost: relative latency: the machine has no node 9 (0->9)",)
    report = compared(relative(9, 9, 1.0), relative(0, 0, 1.5), relative(0, 1, 2.0))
    assert [cell.simulated for cell in report.cells] == pytest.approx([1.5, 1.8])


def test_a_lone_relative_latency_says_nothing() -> None:
    with pytest.raises(InputError, match="relative to other pairs, of which none can be predicted"):
        compared(relative(0, 0, 1.0), relative(0, 0, 1.1), relative(9, 9, 1.2))


def test_reasons_that_are_alike_are_one() -> None:
    rows = [latency(node, 9, 200.0) for node in range(4)] * 20
    report = compared(*ALL_NODES, *rows, bandwidth(0, 0, 4.0, threads="9"))
    assert report.not_predicted == (
        "idle: latency: the machine has no node 9 (0->9; 1->9; 2->9 and 77 more)",
        "stream: bandwidth: node 0 of the machine has 2 cores, not 9 (0->0, 9 threads)",
    )


def test_a_machine_that_was_not_measured_whole() -> None:
    assert compared(*ALL_NODES).warnings == ()
    report = compare(Measured((latency(0, 1, 120.0),), warnings=("odd",)), QUARTET, run_one=fake_run)
    assert report.warnings[0] == "odd"
    assert report.warnings[1].startswith("no measured pair names nodes 2, 3 of quartet: ")
    assert compared(latency(0, 1, 120.0), bandwidth(None, None, 12.0)).warnings == ()


def test_nothing_to_compare() -> None:
    with pytest.raises(InputError, match=r"f.txt: nothing in it can be compared: distances of the firmware"):
        compare(Measured((), ("distances of the firmware are no measured times",), label="f.txt"), QUARTET)
    with pytest.raises(InputError, match="it holds no measured number"):
        compare(Measured(()), QUARTET)


def test_orders_need_values_that_differ_by_more_than_their_doubt() -> None:
    def orders(*rows: Measurement) -> tuple[int, int]:
        (summary,) = compared(*rows).summaries
        return summary.orders, summary.orders_agree

    assert orders(latency(0, 0, 100.0), latency(0, 1, 101.0), latency(0, 2, 150.0)) == (2, 2)
    assert orders(latency(0, 0, 150.0), latency(0, 1, 120.0), latency(0, 2, 100.0)) == (3, 0)
    assert orders(latency(0, 0, 100.0, ci_percent=10.0), latency(0, 1, 115.0, ci_percent=10.0)) == (0, 0)
    assert orders(latency(0, 0, 100.0, ci_percent=0.1), latency(0, 1, 101.0, ci_percent=0.1)) == (1, 1)
    assert orders(latency(0, 1, 100.0), latency(1, 0, 150.0)) == (1, 0)  # simulated equal
    assert orders(relative(0, 0, 1.0), relative(0, 1, 1.1)) == (0, 0)  # Coreinfo rounds to one decimal
    assert orders(relative(0, 0, 1.0), relative(0, 1, 1.2)) == (1, 1)


def test_orders_are_counted_as_by_hand() -> None:
    draw = random.Random(5)
    for size in (0, 1, 2, 40):
        lows = [draw.randrange(30) for _ in range(size)]
        intervals = [(float(low), float(low + draw.randrange(6))) for low in lows]
        simulated = [float(draw.randrange(12)) for _ in range(size)]
        apart = [
            (simulated[one], simulated[other]) if intervals[one][1] < intervals[other][0] else (simulated[other], simulated[one])
            for one, other in combinations(range(size), 2)
            if intervals[one][1] < intervals[other][0] or intervals[other][1] < intervals[one][0]
        ]
        assert count_orders(intervals, simulated) == (len(apart), sum(low < high for low, high in apart))


def test_no_rank_correlation_of_two_or_of_equal_values() -> None:
    assert compared(latency(0, 0, 90.0), latency(0, 1, 120.0)).summaries[0].rank_correlation is None
    assert compared(*(latency(node, node, 90.0 + node) for node in range(4))).summaries[0].rank_correlation is None
    assert compared(*ALL_NODES).summaries[0].rank_correlation == pytest.approx(1.0)


def test_tables() -> None:
    rows = [latency(0, 0, 99.94, ci_percent=2.0), latency(0, 1, 150.0), bandwidth(0, 1, 4321.6, "MB/s", read_fraction=2 / 3)]
    first, second, summary = (table.plain() for table in comparison_tables(compared(*rows, tolerance_percent=10.0)))
    assert [line.split() for line in first.splitlines()] == [
        ["idle:", "latency,", "ns"],
        ["measured", "CI", "%", "simulated", "error", "%"],
        ["0->0", "99.9", "2.0", "100.0", "+0.1"],
        ["0->1", "150.0", "-", "120.0", "-20.0"],
    ]
    assert second.splitlines()[2].split() == ["0->1,", "66.67", "%", "reads", "4322", "4000", "-7.4"]
    assert "idle: latency, ns" in summary
    assert "mean absolute error of all 3 values: 9.2 %" in summary


def test_provenance_and_progress() -> None:
    seen: list[tuple[int, int, str]] = []
    accuracy = Accuracy(2.0, 1000, 50)
    report = compared(
        *ALL_NODES[:2], accuracy=accuracy, seed=7, progress=lambda done, total, last: seen.append((done, total, last))
    )
    assert seen == [(0, 2, ""), (1, 2, "idle, 0->0"), (2, 2, "idle, 1->0")]
    assert (report.provenance.seed, report.provenance.engine, report.provenance.accuracy["lines"]) == (7, "fake", 1000)
    assert report.provenance.machine["name"] == "quartet"


def test_numbers_of_the_machine_itself_agree() -> None:
    from simulator.measure.matrix import measure_matrix

    machine, accuracy = load_machine("two-node"), Accuracy(2.0, 2000, 200)
    cells = measure_matrix(machine, accuracy=accuracy).cells
    rows = tuple(
        Measurement(cell.quantity, Quantity(cell.quantity), cell.value or 0.0, cell.unit, cell.from_node, cell.to_node)
        for cell in cells
    )
    report = compare(Measured(rows), machine, accuracy=accuracy, tolerance_percent=1e-6)
    assert report.beyond == ()
    assert [cell.error_percent for cell in report.cells] == [0.0] * 8
