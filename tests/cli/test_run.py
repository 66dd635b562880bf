"""`numasim run`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.measure.result import RunResult

SHORT = ["--lines", "600", "--warmup", "100", "--ci", "5"]


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "quartet", "0.0.w.1", "1.0.w.0", *SHORT]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [line for line in out.splitlines() if line and not line.startswith(" ")] == [
        "Threads on quartet",
        "Links: GB/s, what it would be on an ideal link, and bytes by class in per cent",
        "Memories",
        "Run",
    ]
    assert "verdict" in out
    assert out.isascii()


def test_json_follows_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "two-node", "0.0.r.1", "--json", *SHORT]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, RunResult.model_json_schema())
    assert document["threads"][0]["label"] == "0.0.r.1"
    assert document["provenance"]["machine"]["name"] == "two-node"


def test_output_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "run.json"
    assert main(["run", "one-node", "0.0.r.0", "-o", str(target), *SHORT]) == 0
    assert capsys.readouterr().out == ""
    assert RunResult.model_validate_json(target.read_text()).verdict == "steady"
    assert main(["run", "one-node", "0.0.r.0", "-o", "-", *SHORT]) == 0
    assert capsys.readouterr().out == target.read_text()


def test_order_of_arguments_does_not_matter(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = set()
    background = ["--background", "0.1.r.0@0.5", "--background", "1.1.r.1@low"]
    for arguments in (
        ["quartet", "0.0.w.1", "1.0.w.0", *background],
        ["quartet", *background, "1.0.w.0", "0.0.w.1"],
        [*background[2:], "quartet", "0.0.w.1", *background[:2], "1.0.w.0"],
    ):
        main(["run", *arguments, "--json", *SHORT])
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1
    assert [thread["rate_gb_per_s"] for thread in json.loads(outputs.pop())["threads"]] == [None, 0.5, None, 0.5]


def test_set_and_seed_reach_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "quartet", "0.0.r.1", "--json", "--seed", "7", "--set", "link.latency_ns=9", *SHORT])
    provenance = json.loads(capsys.readouterr().out)["provenance"]
    assert provenance["seed"] == 7
    assert {link["latency_ns"] for link in provenance["machine"]["links"]} == {9.0}
    assert provenance["accuracy"] == {"ci_percent": 5.0, "lines": 600, "warmup": 100, "steady": "ci"}


def test_exact_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "two-node", "0.0.r.0", "--steady", "exact", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, RunResult.model_json_schema())
    assert document["threads"][0]["ci_percent"] == 0.0
    assert document["verdict_detail"].startswith("exact without jitter: the state recurs every ")
    assert document["provenance"]["accuracy"]["given"] == "exact"


def test_no_exact_answer(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", "two-node", "0.0.r.0", "1.0.w.0", "--ci", "5", "--lines", "400", "--steady", "exact"]
    main([*arguments, "--engine", "simpy", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["verdict_detail"].startswith("ordinary run, not exact: only the compiled engine can find it")
    assert document["provenance"]["accuracy"]["given"] == "ci"
    assert document["threads"][0]["ci_percent"] > 0.0


def test_too_short_a_run_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "quartet", "0.0.w.1", "1.0.w.0", "--lines", "100", "--ci", "0.01"]) == 1
    assert "too short" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quartet", "0.0.r.0", "--background", "0.1.r.0"], "--background: a background thread needs a rate (got '0.1.r.0')"),
        (["quartet", "0.0.r.0", "--background", "0.1.r.0@"], "--background"),
        (["quartet", "0.0.r.0", "--background", "0.1.r.0@-1"], "a rate must be positive"),
        (["quartet", "0.0.r.0", "--background", "0.1.r.0@inf"], "a rate must be positive"),
        (["quartet", "0.0.r.0", "--background", "0.1.r.0@loud"], "the rate is not a number"),
        (["quartet", "0.0.r.0", "--background", "nonsense@low"], "not a thread label"),
        (["quartet", "0.0.r.0", "--background", "0.1.r.0@1", "--background", "0.1.r.0@2"], "--background: is there twice"),
        (["quartet"], "a run needs at least one thread"),
        (["quartet", "0.7.r.0"], "quartet has no core 7 on node 0"),
        (["quartet", "4.0.r.0"], "quartet has no node 4"),
        (["quartet", "0.0.r.9"], "quartet has no node 9"),
        (["quartet", "0.0.x.0"], "not a thread label"),
        (["quartet", "0.0.r.0", "0.0.w.1"], "are on one core"),
        (["nosuch", "0.0.r.0"], "there is no machine of that name (got 'nosuch')"),
        (["quartet", "0.0.r.0", "--set", "link.latency=9"], "link.latency"),
        (["quartet", "0.0.r.0", "--ci", "0"], "ci: confidence out of range"),
        (
            ["quartet", "0.0.r.0", "--set", "crossbar.arbitration=fair"],
            "crossbar.arbitration",
        ),
        (["quartet", "0.0.r.0", "-o", "/nonexistent/folder/run.json"], "cannot be written: no such file or directory"),
        (["quartet", "0.0.r.0", "-o", "/"], "cannot be written: is a directory"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_unwritable_output_is_found_before_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def never(*args: object, **settings: object) -> None:
        raise AssertionError("ran all the same")

    monkeypatch.setattr("simulator.measure.run.run", never)
    assert main(["run", "quartet", "0.0.r.0", "-o", "/nonexistent/run.json"]) == 2
    assert "cannot be written" in capsys.readouterr().err
