"""`numasim calibrate` as a user runs it: a file that loads, a report that fits its schema, and what wrong input gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.machine.load import load_machine

ROOT = Path(__file__).resolve().parents[2]
HEADER = "experiment,from_node,to_node,threads,quantity,value,unit\n"
QUICK = ("--scan", "2", "--starts", "1", "--steps", "2", "--lines", "100", "--jobs", "1")


@pytest.fixture
def latencies(tmp_path: Path) -> str:
    """Two idle latencies of two nodes, and one that two nodes do not have."""
    file = tmp_path / "latencies.csv"
    file.write_text(HEADER + "idle,0,0,,latency,70,ns\nidle,0,1,,latency,120,ns\nidle,0,5,,latency,120,ns\n")
    return str(file)


def test_file_and_report(latencies: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, report = tmp_path / "new.toml", tmp_path / "report.json"
    free = ["--free", "link.latency_ns:5..30", "--free", "controller.path_ns"]
    code = main(["calibrate", "two-node", "--against", latencies, *free, *QUICK, "-o", str(new), "--report", str(report)])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert printed.out.startswith("two-node against latencies.csv\n")
    assert "fitted rows: rms " in printed.out
    assert "numasim: not fitted: idle: latency 0->5: the machine has no node 5\n" in printed.err
    machine = load_machine(new)
    found = json.loads(report.read_text())
    assert machine.links[0].latency_ns == found["parameters"][0]["value"]
    assert machine.links[0].fitted["latency_ns"] == (5.0, 30.0)
    assert machine.name == "two-node-calibrated"
    main(["schema", "calibrate"])
    jsonschema.validate(found, json.loads(capsys.readouterr().out))


def test_the_machine_on_stdout_stands_alone(latencies: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["calibrate", "two-node", "--against", latencies, "--free", "link.latency_ns", *QUICK, "-o", "-"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("# Written by numasim calibrate.\nextends = ")


def test_settings_beside_are_kept_in_the_file(latencies: str, tmp_path: Path) -> None:
    new = tmp_path / "new.toml"
    arguments = ["--free", "link.latency_ns", "--set", "controller.path_ns=40", *QUICK, "-o", str(new)]
    assert main(["calibrate", "two-node", "--against", latencies, *arguments]) == 0
    machine = load_machine(new)
    assert [node.controller.path_ns for node in machine.nodes if node.controller] == [40.0, 40.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--against", "nowhere.csv"), "nowhere.csv"),
        (("--against", "{csv}", "--free", "link.latency_ns:9..1"), "lower bound is not below"),
        (("--against", "{csv}", "--hold-out", "figure=3"), "is no figure or experiment"),
        (("--against", "{csv}", "-o", "/does/not/exist/x.toml"), "cannot be written"),
        (("--against", "{csv}", "-o", "-", "--json"), "two documents"),
        (("--against", "{csv}", "--set", "link.latency_ns=1", "--set", "link.latency_ns=2"), "is set twice"),
        (("--against", "{csv}", "--free", "link.width_bits:1..9"), "lines"),
    ],
)
def test_wrong_input_is_one_line(
    arguments: tuple[str, ...], message: str, latencies: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [argument.format(csv=latencies) for argument in arguments]
    if message == "lines":
        given += ["--lines", "0"]
    assert main(["calibrate", "two-node", *given]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert len(printed.err.splitlines()) == 1


def test_bounds_that_the_machine_cannot_have_are_said(latencies: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "two-node", "--against", latencies, "--free", "controller.path_ns:-40..-1", *QUICK]) == 2
    assert "path_ns" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["xeon-e5-2680v2-2s", "xeon-e7-4830v3-4s"])
def test_measured_machines_predict_what_their_fit_did_not_see(name: str, tmp_path: Path) -> None:
    measured, report = ROOT / "experiments" / "measured" / f"{name}.csv", tmp_path / "report.json"
    assert main(["compare", str(measured), "--machine", name, "--lines", "3000", "--ci", "3", "--json", "-o", str(report)]) in (
        0,
        1,
    )
    cells = json.loads(report.read_text())["cells"]
    unseen = [cell for cell in cells if cell["experiment"] in ("all_cores_read_others", "all_cores_write")]
    assert len(unseen) == {2: 6, 4: 28}[len(load_machine(name).nodes)]
    assert sum(abs(cell["error_percent"]) for cell in unseen) / len(unseen) < 15
    seen = [cell for cell in cells if cell["experiment"] in ("idle_latency", "one_core_read", "all_cores_read_node_0")]
    assert sum(abs(cell["error_percent"]) for cell in seen) / len(seen) < 5


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [({}, 0, ""), ({"orders_broken": 1}, 1, ""), ({"standstills": 1}, 1, ""), ({"interrupted": True}, 130, "best so far")],
)
def test_exit_codes(
    changes: dict[str, object],
    code: int,
    said: str,
    latencies: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from simulator.calibration import calibrate as calibrating

    done = calibrating.calibrate

    def changed(*arguments: Any, **options: Any) -> calibrating.Outcome:
        outcome = done(*arguments, **options)
        report = outcome.report
        interrupted = bool(changes.get("interrupted"))
        provenance = report.provenance.model_copy(update={"interrupted": interrupted})
        fitted = report.fitted.model_copy(update={key: value for key, value in changes.items() if key != "interrupted"})
        outcome.report = report.model_copy(update={"provenance": provenance, "fitted": fitted})
        return outcome

    monkeypatch.setattr(calibrating, "calibrate", changed)
    new = tmp_path / "new.toml"
    arguments = ["--free", "link.latency_ns", *QUICK, "-o", str(new)]
    assert main(["calibrate", "two-node", "--against", latencies, *arguments]) == code
    assert new.exists()
    assert said in capsys.readouterr().err


def test_outputs_never_replace_inputs(latencies: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = tmp_path / "mine.toml"
    machine.write_text('extends = "two-node"\nschema_version = 1\nname = "mine"\ntitle = "mine"\nsource = "a test"\n')
    for option, place, what in (("-o", machine, "the machine itself"), ("--report", latencies, "what is fitted to itself")):
        before = Path(place).read_text()
        assert main(["calibrate", str(machine), "--against", latencies, "--free", "link.latency_ns", option, str(place)]) == 2
        assert f"is {what}" in capsys.readouterr().err
        assert Path(place).read_text() == before
