"""`numasim matrix`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.interop.mlc import read
from simulator.interop.record import Kind
from simulator.interop.source import Source
from simulator.measure.matrix import MatrixReport

SHORT = ["--lines", "600", "--warmup", "50", "--ci", "10"]
ODD = """extends = "opteron-k8"
name = "odd"
title = "memory without cores, cores without memory"
source = "test"
nodes = [
  { id = 0, cores = 2, memory_gib = 1, source = "test" },
  { id = 3, cores = 1, source = "test" },
  { id = 7, cores = 0, memory_gib = 1, source = "test" },
]
links = [{ ends = [0, 3], source = "test" }, { ends = [3, 7], source = "test" }]
"""


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """A machine file with a node without memory and one without cores."""
    path = tmp_path / "odd.toml"
    path.write_text(ODD)
    return str(path)


def test_text_as_mlc_lays_it_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matrix", "two-node", *SHORT]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[1:3] == ["                Numa node", "Numa node           0       1"]
    assert [line[:12] for line in lines[3:5]] == ["       0    ", "       1    "]
    assert len({len(line) for line in lines[2:5]}) == 1  # right-aligned columns
    assert lines[5] == ""
    assert lines[7] == "Bandwidths are in MB/sec (1 MB/sec = 1000000 bytes/sec)"
    assert lines[8] == "Using a thread on every core of a node, read-only traffic"
    assert out.isascii()


def test_our_reader_of_mlc_reads_it(odd: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matrix", odd, *SHORT]) == 0
    text = capsys.readouterr().out
    main(["matrix", odd, "--json", *SHORT])
    report = MatrixReport.model_validate_json(capsys.readouterr().out)
    record = read(Source("matrix.txt", text))
    for kind, quantity, scale in ((Kind.LATENCY, "latency", 1), (Kind.BANDWIDTH, "bandwidth", 1000)):
        matrix = record.matrix(kind)
        assert matrix is not None
        assert (matrix.rows, matrix.columns) == ((0, 3), (0, 7))
        for cell in report.cells:
            if cell.quantity == quantity and cell.value is not None:
                assert matrix.at(cell.from_node, cell.to_node) == pytest.approx(scale * cell.value, abs=0.051)


def test_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "matrix.csv"
    assert main(["matrix", "two-node", "--csv", "-o", str(target), *SHORT]) == 0
    assert capsys.readouterr().out == ""
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert list(rows[0]) == ["from_node", "to_node", "quantity", "value", "unit", "ci_percent"]
    assert [(row["from_node"], row["to_node"], row["quantity"], row["unit"]) for row in rows] == [
        (a, b, quantity, unit) for quantity, unit in (("latency", "ns"), ("bandwidth", "GB/s")) for a in "01" for b in "01"
    ]
    assert all(float(row["value"]) > 0 and float(row["ci_percent"]) >= 0 for row in rows)


def test_json_follows_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["matrix", "two-node", "--json", "--read-fraction", "2/3", "--seed", "9", "--set", "link.latency_ns=9", *SHORT]) == 0
    )
    document = json.loads(capsys.readouterr().out)
    main(["schema", "matrix"])
    jsonschema.validate(document, json.loads(capsys.readouterr().out))
    assert document["schema_version"] == 1
    assert document["read_fraction"] == pytest.approx(2 / 3)
    assert document["provenance"]["seed"] == 9
    assert document["provenance"]["machine"]["links"][0]["latency_ns"] == 9.0


def test_only_one_quantity(capsys: pytest.CaptureFixture[str]) -> None:
    main(["matrix", "one-node", "--latency", "--json", *SHORT])
    assert {cell["quantity"] for cell in json.loads(capsys.readouterr().out)["cells"]} == {"latency"}
    main(["matrix", "one-node", "--bandwidth", "--threads-per-node", "1", "--loop", "test", "--json", *SHORT])
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert (cell["quantity"], cell["threads"]) == ("bandwidth", 1)


def test_picture(tmp_path: Path) -> None:
    assert main(["matrix", "one-node", "--picture", str(tmp_path / "heat"), *SHORT]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["heat.png", "heat.svg"]


def test_a_pair_that_is_not_steady_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matrix", "two-node", "--bandwidth", "--lines", "100", "--ci", "0.001"]) == 1
    out, err = capsys.readouterr()
    assert "Numa node" in out
    assert "numasim: bandwidth 0 -> 1: too short, after 100 lines" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "there is no machine of that name"),
        (["quartet", "--threads-per-node", "3"], "threads per node: not so many cores a node (got 3); allowed: 1 to 2"),
        (["quartet", "--threads-per-node", "0"], "not a whole number of at least 1"),
        (["quartet", "--read-fraction", "1.5"], "read fraction: not a share of lines (got 1.5)"),
        (["quartet", "--read-fraction", "0.123"], "read fraction: a share too fine"),
        (["quartet", "--read-fraction", "1/0"], "1/0 is not a share such as 0.67 or 2/3"),
        (["quartet", "--read-fraction", "1e400"], "1e400 is not a share"),
        (["quartet", "--read-fraction", "nan"], "nan is not a share"),
        (["quartet", "--read-fraction", "."], ". is not a share"),
        (["quartet", "--read-fraction", ""], "is not a share"),
        (["quartet", "--json", "--csv"], "one document at a time"),
        (["quartet", "--picture", "heat.pdf"], "pictures are not written in this format"),
        (["quartet", "--picture", "/nonexistent/heat"], "cannot be written"),
        (["quartet", "-o", "/nonexistent/matrix.json"], "cannot be written"),
        (["quartet", "--ci", "0"], "ci: confidence out of range"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*args: object, **settings: object) -> None:
        raise AssertionError("ran all the same")

    monkeypatch.setattr("simulator.measure.run.Session", never)
    assert main(["matrix", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1
