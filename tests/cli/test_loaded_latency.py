"""`numasim loaded-latency`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.interop.mlc import read
from simulator.interop.source import Source

PAIR = ["loaded-latency", "quartet", "--from", "0", "--to", "1"]
SHORT = ["--delays", "0,500", "--lines", "600", "--warmup", "50", "--ci", "10"]


def test_text_as_mlc_lays_it_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PAIR, *SHORT]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[3:6] == ["Inject  Latency Bandwidth", "Delay   (ns)    MB/sec", "=========================="]
    assert [line.split()[0] for line in lines[6:8]] == ["00000", "00500"]
    assert lines[8] == "Saturated from a delay of 0 ns"
    assert out.isascii()
    assert len(lines) == 9


def test_our_reader_of_mlc_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    main([*PAIR, *SHORT])
    record = read(Source("loaded.txt", capsys.readouterr().out))
    main([*PAIR, "--json", *SHORT])
    points = json.loads(capsys.readouterr().out)["points"]
    assert len(record.loaded) == len(points) == 2
    for found, point in zip(record.loaded, points, strict=True):
        assert found.inject_delay == point["inject_delay_ns"]
        assert found.latency_ns == pytest.approx(point["latency_ns"], abs=0.0051)
        assert found.bandwidth_gb_per_s == pytest.approx(point["bandwidth_gb_per_s"], abs=0.000051)


def test_csv_of_a_family(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = set()
    for shares in (("1", "1/2"), ("0.5", "1", "1")):
        family = [word for share in shares for word in ("--read-fraction", share)]
        assert main([*PAIR, "--csv", *family, *SHORT]) == 0
        outputs.add(capsys.readouterr().out)
    (text,) = outputs  # the order of arguments does not show
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["read_fraction", "inject_delay_ns", "latency_ns", "bandwidth_gb_per_s"]
    points = [(row["read_fraction"], row["inject_delay_ns"]) for row in rows]
    assert points == [("1.0", "0"), ("1.0", "500"), ("0.5", "0"), ("0.5", "500")]


def test_json_follows_its_schema(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "loaded.json"
    assert main([*PAIR, "--load-from", "0-1", "--seed", "3", "-o", str(target), *SHORT]) == 0
    assert capsys.readouterr().out == ""
    document = json.loads(target.read_text())
    main(["schema", "loaded-latency"])
    jsonschema.validate(document, json.loads(capsys.readouterr().out))
    assert (document["load_nodes"], document["generators"]) == ([0, 1], 3)
    assert document["provenance"]["seed"] == 3


def test_picture(tmp_path: Path) -> None:
    assert main([*PAIR, "--picture", str(tmp_path / "curve.svg"), *SHORT]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["curve.svg"]


def test_a_load_that_is_not_steady_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PAIR, "--delays", "0", "--lines", "100", "--ci", "0.001"]) == 1
    out, err = capsys.readouterr()
    assert "Inject" in out
    assert "numasim: 100 % reads, 0 ns: too short" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quartet", "--from", "0"], "the following arguments are required: --to"),
        (["quartet", "--from", "4", "--to", "0"], "from: quartet has no node 4 with cores (got 4); allowed: nodes 0, 1, 2, 3"),
        (["quartet", "--from", "0", "--to", "4"], "to: quartet has no node 4 with memory"),
        (["quartet", "--from", "x", "--to", "4"], "'x' is not a whole number from 0"),
        (["quartet", "--from", "0", "--to", "0", "--load-from", "0-4"], "--load-from: quartet has no node 4"),
        (["quartet", "--from", "0", "--to", "0", "--delays", "0,-1"], "'-1' is not a whole number from 0"),
        (["quartet", "--from", "0", "--to", "0", "--delays", ""], "'' is not a whole number from 0"),
        (["quartet", "--from", "0", "--to", "0", "--delays", "0," * 1001], "a list of more than 2000 characters"),
        (["quartet", "--from", "0", "--to", "0", "--delays", "10001"], "delays: delay out of range (got 10001)"),
        (["quartet", "--from", "0", "--to", "0", "--read-fraction", "2"], "read fraction: not a share of lines (got 2.0)"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loaded-latency", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1
