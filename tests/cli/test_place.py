"""`numasim place`: a table, a document, and one line for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.cli.schema import schema

WORKLOADS = Path(__file__).resolve().parents[2] / "experiments" / "workloads"
SMALL = """
name = "small"
[[arrays]]
name = "a"
size_kib = 16.0
policy = "--interleave=0,3"
[[threads]]
name = "w"
node = 2
core = 1
[[phases]]
pattern = "init"
arrays = ["a"]
[[phases]]
pattern = "migrate"
arrays = ["a"]
from_nodes = "3"
to_nodes = "1"
"""


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    assert main(["place", "quartet", str(path)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["a", "4", "KiB", "2", "2", "0", "0", "0"] in rows
    assert ["w.0", "--localalloc", "2", "1", "5"] in rows
    assert ["2", "1", "2", "0"] in rows


def test_the_document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["place", "quartet", str(WORKLOADS / "stream_triad.toml")]
    assert main([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema("place")).validate(document)
    assert document["arrays"][0]["pages"] == {"0": 2, "1": 2, "2": 2, "3": 2}
    assert main([*arguments, "-o", str(tmp_path / "p.json")]) == 0
    assert json.loads((tmp_path / "p.json").read_text(encoding="utf-8")) == document


def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace("0,3", "0,9"), encoding="utf-8")
    assert main(["place", "quartet", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}: arrays[1].policy: --interleave: quartet has no node 9 (got '0,9')" in err
    assert err.count("\n") == 1
    assert main(["place", "quartet", str(tmp_path / "none.toml")]) == 2
    assert "none.toml: cannot be read" in capsys.readouterr().err
    before = path.read_bytes()
    assert main(["place", "quartet", str(path), "-o", str(path)]) == 2
    assert "is the workload file itself" in capsys.readouterr().err
    assert path.read_bytes() == before
