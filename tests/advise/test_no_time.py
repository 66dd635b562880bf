"""A placement under which nothing is left to do: its pages are where the workload wants them moved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main

WORKLOAD = """schema_version = 1
name = "moves"
[[arrays]]
name = "a"
size_kib = 64.0
[[threads]]
name = "w"
count = 1
[[phases]]
pattern = "init"
arrays = ["a"]
[[phases]]
pattern = "migrate"
arrays = ["a"]
to_nodes = "1"
"""


def test_it_is_advised_without_dividing_by_its_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "moves.toml"
    path.write_text(WORKLOAD)
    assert main(["advise", "two-node", str(path), "--budget", "40", "--jobs", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    slower = [one["slower_percent"] for one in document["ranking"]]
    assert slower[0] == 0
    assert None in slower
    assert "longer" not in document["sentences"][0]
