"""`numasim run --cpunodebind --membind`: numactl's words in place of labels."""

from __future__ import annotations

import json

import pytest

from simulator.cli.main import main

SHORT = ["--lines", "300", "--warmup", "50", "--ci", "10"]


def _document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    main(["run", "quartet", *arguments, "--json", *SHORT])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_it_is_the_run_of_the_same_labels(capsys: pytest.CaptureFixture[str]) -> None:
    bound = _document(capsys, "--cpunodebind", "0", "--membind", "1")
    assert bound == _document(capsys, "0.0.r.1", "0.1.r.1")


def test_writers_beside_background(capsys: pytest.CaptureFixture[str]) -> None:
    bound = _document(capsys, "--cpunodebind=0,2", "--membind=3", "--access", "w", "--background", "1.0.r.1@0.5")
    assert bound == _document(capsys, "0.0.w.3", "0.1.w.3", "2.0.w.3", "2.1.w.3", "--background", "1.0.r.1@0.5")


def test_cpus_and_short_words(capsys: pytest.CaptureFixture[str]) -> None:
    bound = _document(capsys, "-C", "1,4", "-p", "3")
    assert bound == _document(capsys, "0.1.r.3", "2.0.r.3")


def test_interleaved_memory_is_read_evenly(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "quartet", "-N", "0", "-i", "1-3", "--lines", "3000", "--ci", "2", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert [thread["label"] for thread in document["threads"]] == ["0.0.r.*", "0.1.r.*"]
    rates = {node: controller["gb_per_s"] for node, controller in document["controllers"].items()}
    assert rates["0"] == 0
    assert [rates[node] for node in "123"] == pytest.approx([sum(rates.values()) / 3] * 3, rel=0.1)


def test_weights_of_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "quartet", "-C", "0", "-w", "0,1", "--node-weights", "0=3", "--lines", "3000", "--ci", "2", "--json"])
    rates = {node: one["gb_per_s"] for node, one in json.loads(capsys.readouterr().out)["controllers"].items()}
    assert rates["0"] / rates["1"] == pytest.approx(3, rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["0.0.r.0", "--cpunodebind", "1"], "threads are given twice; allowed: these words or labels, not both"),
        (["0.0.r.0", "--membind", "1"], "threads are given twice"),
        (["0.0.r.0", "--access", "w"], "--access: goes with numactl's words"),
        (["--cpunodebind", "0,4"], "--cpunodebind: quartet has no node 4 (got '0,4'); allowed: nodes 0, 1, 2, 3"),
        (["--membind", "4"], "--membind: quartet has no node 4"),
        (["--interleave", "0,4"], "--interleave: quartet has no node 4 (got '0,4')"),
        (["--physcpubind", "8"], "--physcpubind: quartet has no CPU 8"),
        (["-C", "0", "-N", "0"], "--cpunodebind, --physcpubind: both say where to run; allowed: one of the two"),
        (["-i", "0", "-m", "0"], "--interleave and --membind are two memory policies; allowed: one of them"),
        (["-p", "0,1"], "--preferred: takes one node (got '0,1'); allowed: one node, or --preferred-many"),
        (["0.0.r.0", "-l"], "--localalloc: threads are given twice"),
        (["-m", "0", "--node-weights", "0=2"], "--node-weights: is for --weighted-interleave"),
        (["--membind", "x"], "--membind: not a list of nodes (got 'x')"),
        (["--cpunodebind", "0", "--background", "0.1.r.0@1"], "are on one core"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "quartet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
