"""`numasim measure`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.host import measure as module
from simulator.host.measure import FULL, QUICK, Effort
from simulator.host.report import HostReport
from simulator.host.sizes import choose_sizes
from simulator.interop.measured_csv import read_measurements
from simulator.interop.source import Source

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
EXPERIMENTS = ("idle_latency", "bandwidth", "one_thread")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Effort]:
    """Measure with small arrays, and tell with which effort."""
    efforts, whole = [], module.measure_host

    def small(host: object, effort: Effort, **settings: object) -> HostReport:
        efforts.append(effort)
        return whole(host, Effort(6, 1, 1 << 12, 40), array_bytes=4 << 20, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "measure_host", small)
    return efforts


@linux
def test_tables_and_file(asked: list[Effort], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "measured.csv"
    assert main(["measure", "--quick", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert asked == [QUICK]
    assert out.startswith("This machine: ")
    assert "Idle latency, ns" in out
    assert all(line.startswith("numasim: ") for line in err.splitlines())
    rows = read_measurements(Source("measured.csv", target.read_text()))
    assert {row.experiment for row in rows} >= set(EXPERIMENTS)
    assert list(tmp_path.iterdir()) == [target]


@linux
def test_json(asked: list[Effort], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert asked == [FULL]
    jsonschema.validate(document, HostReport.model_json_schema())
    assert document["schema_version"] == 1
    assert {row["experiment"] for row in document["measurements"]} >= set(EXPERIMENTS)


@linux
def test_csv_on_stdout(asked: list[Effort], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "-o", "-"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("experiment,from_node,to_node,threads,read_fraction,quantity,value,unit,ci_percent\n")
    assert read_measurements(Source("-", out))


@linux
def test_an_interrupt_leaves_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_together", interrupted)
    monkeypatch.setattr(module, "choose_sizes", lambda host, array_bytes: choose_sizes(host, 4 << 20))
    assert main(["measure", "-o", str(tmp_path / "measured.csv")]) == 130
    assert capsys.readouterr().err == "numasim: interrupted\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "-o", "-"], "--json and the CSV file cannot both go to stdout"),
        (["-o", "/nowhere/at/all.csv"], "cannot be written: no such file or directory"),
        (["stray"], "unrecognized arguments: stray"),
    ],
)
def test_wrong_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_other_systems(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(["measure"]) == 2
    assert "cannot be pinned" in capsys.readouterr().err
