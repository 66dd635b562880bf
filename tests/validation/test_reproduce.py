"""The whole reproduction with a model that answers at once: what it reports, and what makes it fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator.errors import InputError, NumasimError
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.validation.reference import Reference
from simulator.validation.reproduce import Replay, reproduce
from tests.validation.fakes import changed_run, idle_latency, published_run


def _reproduce(reference: Reference, **settings: object) -> Replay:
    return reproduce(reference, **{"run_one": published_run, "idle_latency": idle_latency, **settings})  # type: ignore[arg-type]


def _with_bar(reference: Reference, figure_id: str, title: str, percent: float) -> Reference:
    """Return the reference with another published bar."""
    figures = []
    for figure in reference.figure:
        cases = [
            case.model_copy(update={"published_percent": percent}) if (figure.id, case.title) == (figure_id, title) else case
            for case in figure.cases
        ]
        figures.append(figure.model_copy(update={"cases": tuple(cases)}))
    return reference.model_copy(update={"figure": tuple(figures)})


def _published(reference: Reference) -> list[tuple[str, str, float]]:
    return [
        (figure.id, case.title, case.published_percent)
        for figure in reference.figure
        for case in figure.cases
        if case.published_percent is not None and case.threads != reference.base.threads
    ]


def test_a_perfect_model_misses_nothing(replay: Replay) -> None:
    report = replay.report
    assert report.missed == ()
    assert report.summary.bars_rms_percent == pytest.approx(0, abs=1e-9)
    assert report.summary.bars_max_percent == pytest.approx(0, abs=1e-9)
    assert report.summary.loads_rms_percent == pytest.approx(0, abs=1e-9)
    assert report.summary.orders_hold
    assert report.summary.anchors_hold
    assert (len(report.bars), len(report.loads), len(report.orders), len(report.anchors), len(report.runs)) == (44, 14, 14, 6, 45)


def test_rows_have_the_fields_that_others_rely_on(replay: Replay) -> None:
    report = replay.report.model_dump()
    assert list(report["bars"][0]) == [
        "figure", "page", "threads", "published_percent", "simulated_percent", "error_percent", "ci_percent", "calibration"
    ]  # fmt: skip
    assert list(report["loads"][0]) == ["page", "quantity", "published", "simulated", "error_percent"]
    assert list(report["orders"][0]) == ["figure", "slower", "faster", "holds"]
    assert list(report["summary"]) == ["bars_rms_percent", "bars_max_percent", "loads_rms_percent", "orders_hold", "anchors_hold"]
    assert report["schema_version"] == 1


def test_bars_without_a_published_value_are_simulated(replay: Replay) -> None:
    bare = [bar for bar in replay.report.bars if bar.published_percent is None]
    assert len(bare) == 26
    assert all(bar.simulated_percent is not None and bar.error_percent is None and not bar.calibration for bar in bare)


def test_one_changed_digit_shows(reference: Reference) -> None:
    """Every published bar, its last digit changed by one, gives its own error and breaks a tight tolerance."""
    tight = reference.tolerance.model_copy(update={"bars_max_percent": 0.1})
    for figure_id, title, percent in _published(reference):
        changed = _with_bar(reference, figure_id, title, percent + 1).model_copy(update={"tolerance": tight})
        report = _reproduce(changed, run_one=changed_run({})).report
        wrong = [bar for bar in report.bars if bar.error_percent is not None and abs(bar.error_percent) > 1e-9]
        assert [bar.figure for bar in wrong] == [figure_id]
        assert wrong[0].error_percent == pytest.approx(-100 / (percent + 1))
        size = 100 / (percent + 1)
        assert report.missed == (
            f"figure {figure_id}, {title}: error is {-size:.2f} %, allowed 0.1 %: {size - 0.1:.2f} too much",
        )


def test_a_changed_ten_breaks_the_published_tolerance(reference: Reference) -> None:
    report = _reproduce(_with_bar(reference, "6", "crossfire", 139)).report
    assert report.missed == ("figure 6, crossfire: error is 7.19 %, allowed 5 %: 2.19 too much",)
    assert report.summary.bars_max_percent == pytest.approx(100 * 10 / 139)


def test_many_small_errors_break_the_root_mean_square(reference: Reference) -> None:
    slow = {case.title if case.name is None else " ".join(case.threads): 1.04 * case.published_percent
            for figure in reference.figure[:3] for case in figure.cases if case.published_percent not in (None, 100)}  # fmt: skip
    report = _reproduce(reference, run_one=changed_run(slow)).report
    count = sum(bar.error_percent is not None and bar.error_percent > 3.9 for bar in report.bars)
    assert count == 10
    assert report.summary.bars_rms_percent == pytest.approx((10 * 16 / 17) ** 0.5)
    assert report.missed == ("bars: root mean square error is 3.07 %, allowed 2.5 %: 0.57 too much",)
    loose = reference.model_copy(update={"tolerance": reference.tolerance.model_copy(update={"bars_rms_percent": 3.1})})
    assert _reproduce(loose, run_one=changed_run(slow)).report.missed == ()


def test_a_wrong_load_shows(reference: Reference) -> None:
    load = reference.load[0].model_copy(update={"memory_gb_per_s": {"0": 2.64}})
    report = _reproduce(reference.model_copy(update={"load": (load, *reference.load[1:])})).report
    assert report.loads[0].error_percent == pytest.approx(100 * (1.64 - 2.64) / 2.64)
    assert report.missed[0].startswith("loads: root mean square error is 10.12 %, allowed 5 %")


def test_a_turned_order_shows(reference: Reference) -> None:
    crossfire = "0.0.w.1 1.0.w.0 beside 6 at 4 GB/s"
    report = _reproduce(reference, run_one=changed_run({crossfire: 171.0})).report
    assert [(order.figure, order.slower) for order in report.orders if not order.holds] == [("9", "no crossfire")]
    assert report.missed == ("figure 9: no crossfire (170.0 %) should be slower than crossfire (171.0 %)",)
    assert not report.summary.orders_hold


def test_equal_bars_are_no_order(reference: Reference) -> None:
    report = _reproduce(reference, run_one=changed_run({"0.0.w.1 1.0.w.0 beside 6 at 4 GB/s": 170.0})).report
    assert not report.summary.orders_hold


def test_a_missed_anchor_shows(reference: Reference) -> None:
    report = _reproduce(reference, idle_latency=lambda machine, node, memory: 105.0).report
    assert report.missed == (
        "idle latency, local, on the square, ns: 105, allowed at most 104.5: 0.5 too much",
        "idle latency, local, one node alone, ns: 105, allowed at most 66: 39 too much",
    )
    assert not report.summary.anchors_hold


def test_a_slow_base_shows(reference: Reference) -> None:
    report = _reproduce(reference, run_one=changed_run({"0.0.r.0": 108.0})).report
    assert report.anchors[0].quantity == "time a line of 0.0.r.0 alone, ns"
    assert report.anchors[0].error_percent == pytest.approx(8.0)
    assert not report.anchors[0].holds


def test_a_deadlock_is_no_bar_and_no_success(reference: Reference) -> None:
    report = _reproduce(reference, run_one=changed_run({}, standstill="0.0.w.0 0.1.w.3 beside 3 at 4 GB/s")).report
    dead = [bar for bar in report.bars if bar.simulated_percent is None]
    assert [(bar.figure, bar.threads) for bar in dead] == [("15", ("0.0.w.0", "0.1.w.3"))]
    assert report.missed == (
        "run 0.0.w.0 0.1.w.3 beside 3 at 4 GB/s: deadlock (a waits for b)",
        "figures 12-15: the lead of 0-2 hop over 0-0 hop, figure 12 should be more than the same, figure 15, "
        "and shrink from figure to figure",
    )


def test_a_choice_of_figures_needs_only_their_runs(reference: Reference) -> None:
    report = _reproduce(reference, figures=["4"]).report
    assert {bar.figure for bar in report.bars} == {"4"}
    assert len(report.runs) == 4
    assert [load.page for load in report.loads] == [22, 40, 40]
    assert report.summary.orders_hold
    assert report.summary.bars_rms_percent == pytest.approx(0, abs=1e-9)
    assert _reproduce(reference, figures=["10"]).report.summary.bars_rms_percent is None


def test_jobs_do_not_change_the_result(reference: Reference, replay: Replay) -> None:
    parallel = _reproduce(reference, jobs=2)
    assert parallel.report.model_dump_json() == replay.report.model_dump_json()


def test_each_run_is_done_once_and_progress_counts_them(reference: Reference) -> None:
    calls: list[tuple[str, ...]] = []
    steps: list[tuple[int, int, str]] = []

    def counting(*args: object, **settings: object) -> RunResult:
        result = published_run(*args, **settings)  # type: ignore[arg-type]
        calls.append(tuple(thread.label + str(thread.rate_gb_per_s) for thread in result.threads))
        return result

    _reproduce(reference, run_one=counting, progress=lambda *step: steps.append(step))
    assert len(calls) == len(set(calls)) == 45
    assert [step[:2] for step in steps] == [(done, 45) for done in range(46)]


def test_finished_runs_are_not_done_again(reference: Reference, replay: Replay, tmp_path: Path) -> None:
    left = 12

    def interrupted(*args: object, **settings: object) -> RunResult:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return published_run(*args, **settings)  # type: ignore[arg-type]

    with pytest.raises(KeyboardInterrupt):
        _reproduce(reference, run_one=interrupted, keep_in=tmp_path / "runs")
    kept = sorted((tmp_path / "runs").iterdir())
    assert len(kept) == 12
    kept[0].write_text(kept[0].read_text()[:100])  # torn by something else: done again

    steps: list[tuple[int, int, str]] = []
    again = _reproduce(reference, keep_in=tmp_path / "runs", progress=lambda *step: steps.append(step))
    assert steps[0] == (11, 45, "")
    assert again.report.model_dump_json() == replay.report.model_dump_json()


def test_finished_runs_of_another_kind_are_not_used(reference: Reference, tmp_path: Path) -> None:
    _reproduce(reference, figures=["4"], keep_in=tmp_path)
    steps: list[tuple[int, int, str]] = []
    for settings in ({"seed": 2}, {"accuracy": Accuracy(lines=100)}, {}):
        _reproduce(reference, figures=["4"], keep_in=tmp_path, progress=lambda *step: steps.append(step), **settings)
    assert [step[0] for step in steps if step[2] == ""] == [0, 0, 4]


def test_a_dead_process_is_said(reference: Reference) -> None:
    with pytest.raises(NumasimError, match="3 processes died over one run, the last with exit code 9"):
        _reproduce(reference, figures=["4"], jobs=2, run_one=_die)


def _die(*args: object, **settings: object) -> RunResult:
    os._exit(9)


def test_a_reference_that_does_not_fit_its_machine(reference: Reference) -> None:
    with pytest.raises(InputError, match="two-node has no node 2, in the run 0.0.r.2"):
        _reproduce(reference.model_copy(update={"machine": "two-node"}))
    with pytest.raises(InputError, match="no machine of that name"):
        _reproduce(reference.model_copy(update={"machine": "nosuch"}))
    load = reference.load[2].model_copy(update={"link_gb_per_s": {"0->3": 1.0}})
    with pytest.raises(InputError, match=r"the machine has no such link \(got '0->3'\); allowed: 0->1, 1->0"):
        _reproduce(reference.model_copy(update={"load": (load,)}))


def test_provenance_has_all_that_determines_it_and_nothing_else(replay: Replay) -> None:
    provenance = replay.report.provenance.model_dump()
    assert set(provenance) == {"version", "engine", "seed", "accuracy", "machines", "reference", "figures"}
    assert provenance["machines"]["quartet"]["name"] == "quartet"
    assert provenance["reference"]["figure"][2]["cases"][2]["name"] == "crossfire"


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_ends_every_process_and_keeps_what_is_done(tmp_path: Path, end: signal.Signals) -> None:
    command = [
        sys.executable,
        "-c",
        "import sys; from simulator.cli.main import main; sys.exit(main())",
        "reproduce",
        "amd-40555",
    ]
    running = subprocess.Popen(
        [*command, "--jobs", "2", "--lines", "400", "--warmup", "100", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("runs/*.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    if end == signal.SIGINT:
        os.killpg(running.pid, end)  # as a terminal does
    else:
        os.kill(running.pid, end)
    out, err = running.communicate(timeout=30)
    if end == signal.SIGINT:
        assert running.returncode == 130
        assert err.splitlines()[-2:] == [f"numasim: finished runs are kept in {tmp_path / 'runs'}", "numasim: interrupted"]
    assert out == ""
    assert not list(tmp_path.glob("reproduce.*"))
    deadline = time.monotonic() + 10
    while _living(running.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _living(running.pid) == []


def _living(group: int) -> list[str]:
    """Return the processes of a group that are not merely waiting to be reaped."""
    stats = [text.rsplit(")", 1)[1].split() for text in map(_read, Path("/proc").glob("[0-9]*/stat")) if text]
    return [" ".join(fields[:3]) for fields in stats if fields[2] == str(group) and fields[0] not in "ZX"]


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
