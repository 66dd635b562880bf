"""`numasim why`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.cli.schema import schema
from simulator.explain import trials
from simulator.explain.report import Why
from simulator.measure.result import RunResult
from simulator.measure.run import run

SHORT = ["--lines", "400", "--warmup", "50", "--ci", "5"]
CROSSFIRE, SPREAD = ["0.0.w.1", "1.0.w.0"], ["0.0.w.1", "1.0.w.3"]


def _json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Why:
    assert main(["why", *arguments, "--json"]) == code
    text = capsys.readouterr().out
    jsonschema.validate(json.loads(text), schema("why"))
    return Why.model_validate_json(text)


def test_tables_and_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "quartet", "0.0.w.0", "0.1.w.0", "--lines", "2000", "--ci", "1"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    assert out.startswith("What holds 0.0.w.0 0.1.w.0 on quartet: 56.")
    assert out.splitlines()[2].split()[:2] == ["controller", "service"]
    assert "\nnode 0's DRAM is 100 % busy; DRAM twice as fast would make the threads 2" in out
    assert max(map(len, out.splitlines())) < 130


@pytest.mark.parametrize(
    "arguments",
    [
        [*CROSSFIRE, "--compare", "--", *SPREAD],
        ["--compare", *CROSSFIRE, "--", *SPREAD],
        [*CROSSFIRE, "--compare", "--", *SPREAD, "--background", "2.0.r.2@low"],
    ],
)
def test_either_way_to_compare(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    report = _json(capsys, "quartet", *arguments, *SHORT)
    assert [thread.label for thread in report.side.threads] == CROSSFIRE
    assert report.comparison is not None
    assert [thread.label for thread in report.comparison.other.threads] == SPREAD
    threads = report.provenance.workload["threads"]
    other = report.provenance.other_workload
    assert other is not None
    for labels, both in ((CROSSFIRE, threads), (SPREAD, other["threads"])):
        assert [thread["label"] for thread in both if not thread["background"]] == labels
        assert [thread["label"] for thread in both if thread["background"]] == (["2.0.r.2"] if "2.0.r.2@low" in arguments else [])


def test_parts_of_a_comparison_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    report = _json(capsys, "quartet", *CROSSFIRE, *SHORT, "--compare", "--", *SPREAD)
    comparison = report.comparison
    assert comparison is not None
    assert report.side.time_per_line_ns is not None
    assert comparison.other.time_per_line_ns is not None
    gap_ns = report.side.time_per_line_ns - comparison.other.time_per_line_ns
    assert sum(part.gap_ns for part in comparison.parts) == pytest.approx(4 * gap_ns)  # a window of four lines
    assert comparison.gap.slower_percent == pytest.approx(
        100 * (report.side.time_per_line_ns / comparison.other.time_per_line_ns - 1)
    )


def test_a_file_and_more_processes_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "why.json"
    arguments = ["one-node", "0.0.w.0", "0.1.r.0", *SHORT]
    assert main(["why", *arguments, "--jobs", "2", "-o", str(file)]) == 0
    capsys.readouterr()
    assert Why.model_validate_json(file.read_text()) == _json(capsys, *arguments)


def test_order_of_labels_does_not_matter(capsys: pytest.CaptureFixture[str]) -> None:
    one = _json(capsys, "two-node", "0.0.w.1", "1.0.w.0", *SHORT)
    assert one == _json(capsys, *SHORT, "two-node", "1.0.w.0", "0.0.w.1")


def test_both_engines_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["one-node", "0.0.w.0", "--lines", "100", "--warmup", "10", "--ci", "50"]
    reports = [_json(capsys, *few, "--engine", engine) for engine in ("simpy", "compiled")]
    assert reports[0].resources == reports[1].resources
    assert [report.provenance.engine for report in reports] == ["simpy", "compiled"]


def test_one_node_has_no_links_and_waits_for_no_probe(capsys: pytest.CaptureFixture[str]) -> None:
    names = {one.name for one in _json(capsys, "one-node", "0.0.r.0", *SHORT).resources}
    assert names == {"controller service", "controller latency", "controller queue", "SRI", "crossbar", "node buffers", "core"}


def test_a_run_that_was_too_short_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "one-node", "0.0.r.0", "--lines", "200", "--ci", "0.01"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "is not steady: too short" in said
    assert said.count("; raise --lines, or --ci.") == 1


def test_an_interval_that_is_not_known_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "one-node", "0.0.r.0", "--lines", "5", "--warmup", "5"]) == 1
    assert capsys.readouterr().out.splitlines()[0].endswith(" ns a line")


def test_a_deadlock_leaves_nothing_to_gain(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*arguments: Any, **options: Any) -> RunResult:
        return run(*arguments, **options).model_copy(update={"verdict": "deadlock", "verdict_detail": "a waits for b"})

    monkeypatch.setattr(trials, "run", stuck)
    report = _json(capsys, "one-node", "0.0.r.0", *SHORT, "--compare", "--", "0.0.w.0", code=1)
    assert (report.side.verdict, report.side.time_per_line_ns) == ("deadlock", None)
    assert (report.resources, report.sentences) == ((), ())
    assert report.comparison is not None
    assert (report.comparison.without, report.comparison.sentences) == ((), ())
    said = "".join(f"\nThe run of {label} is not steady: deadlock, a waits for b.\n" for label in ("0.0.r.0", "0.0.w.0"))
    assert main(["why", "one-node", "0.0.r.0", *SHORT, "--compare", "--", "0.0.w.0"]) == 1
    out = capsys.readouterr().out
    assert out.endswith(said)
    assert " against " not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quartet"], "a run needs at least one thread"),
        (["quartet", "0.0.x.1"], "not a thread label"),
        (["quartet", "0.0.r.0", "--compare"], "--compare: says nothing to compare with"),
        (
            ["quartet", "0.0.r.0", "--compare", "0.0.r.1"],
            "--compare: the threads to be explained stand both before and behind it",
        ),
        (["quartet", "0.0.r.0", "--compare", "--", "0.0.r.9"], "quartet has no node 9"),
        (["quartet", "--", "0.0.r.0", "--compare", "0.0.r.1"], "not a thread label (got '--compare')"),
        (
            ["quartet", "0.0.r.0", "--compare", "0.0.r.1", "--compare", "--", "0.0.r.2"],
            "both before and behind it (got '0.0.r.1')",
        ),
        (["quartet", "0.0.r.0", "--compare", "--", "0.0.r.1", "--", "0.0.r.2"], "unrecognized arguments: -- 0.0.r.2"),
        (["quartet", "0.0.r.0", "--than", "0.0.r.1"], "--than: follows after --compare"),
        (["quartet", "0.0.r.0", "--background", "1.0.r.1@1", "--compare", "--", "1.0.r.0"], "are on one core"),
        (["quartet", "0.0.r.0", "-o", "/"], "/: cannot be written"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
