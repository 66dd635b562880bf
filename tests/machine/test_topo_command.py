from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from simulator.cli import topo
from simulator.errors import NumasimError
from simulator.machine.report import TopoCheck, TopoList, TopoShow
from tests.machine.builders import HEADER, SQUARE, links_text, nodes_text
from tests.machine.test_distances import QUARTET


def command(*arguments: str) -> int:
    """Run as the main program does: errors are one line on stderr and exit code 2."""
    parser = argparse.ArgumentParser(prog="numasim")
    topo.register(parser.add_subparsers(required=True))
    parsed = parser.parse_args(["topo", *arguments])
    try:
        return int(parsed.handler(parsed))
    except NumasimError as error:
        print(f"numasim: {error}", file=sys.stderr)
        return 2


@pytest.fixture
def ring_file(tmp_path: Path) -> str:
    links = [(node, (node + 1) % 5) for node in range(5)]
    (tmp_path / "ring.toml").write_text(HEADER + nodes_text(*range(5)) + links_text(*links))
    return str(tmp_path / "ring.toml")


def test_list(capsys: pytest.CaptureFixture[str]):
    assert command("list") == 0
    out, err = capsys.readouterr()
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "quartet 4 8 4 Quartet: four dual-core Opterons at 2.2 GHz on a square" in rows
    assert err == ""


@pytest.mark.parametrize(
    ("arguments", "model"),
    [(("list",), TopoList), (("show", "quartet"), TopoShow), (("show", "one-node"), TopoShow), (("check", "quartet"), TopoCheck)],
)
def test_json_is_one_document_that_matches_its_schema(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], model: Any):
    assert command(*arguments, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, model.model_json_schema())
    assert document["schema_version"] == 1


def test_show_begins_as_numactl_does_and_says_where_distances_come_from(capsys: pytest.CaptureFixture[str]):
    assert command("show", "quartet") == 0
    out, err = capsys.readouterr()
    assert out.startswith(QUARTET + "\nDistances: 10 + 2 x hops of the request route; the machine file gives none (no SLIT).\n")
    assert err == ""


def test_show_describes_the_machine(capsys: pytest.CaptureFixture[str]):
    command("show", SQUARE)
    out = capsys.readouterr().out
    for line in (
        "AMD Opteron (K8), 2.2 GHz; coherence: snooped",
        "0-1   16 bit  2 GT/s  4 GB/s    7.55 ns  all",
        "0     2 GiB   6.4 GB/s  ",
        "diameter 2 hops as routed, 2 at best",
        "average distance 1.000 hops as routed, 1.000 at best",
        "between different nodes 1.333 hops as routed, 1.333 at best",
        "probes of node 2: 2->0 2->3 0->1",
        "the routes cannot deadlock",
        "a line of 64 B occupies a link of 4 GB/s for 16 ns",
        'crossbar.arbitration       round-robin  "round-robin" or "response-first"',
    ):
        assert f"  {line}" in out
    at_rest = out[out.index("a read, from core 0 of a node, ns:") :].splitlines()
    assert at_rest[1].split() == ["node", *(f"memory {node}" for node in range(4))] or at_rest[1].split()[0] == "node"
    matrix = [[float(value) for value in line.split()[1:]] for line in at_rest[2:6]]
    assert matrix[0][0] < matrix[0][2] <= matrix[0][1] < matrix[0][3]
    assert [row[::-1] for row in matrix[::-1]] == matrix  # the square looks the same from the opposite corner


def test_show_of_overridden_and_unusual_machines(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert command("show", "quartet", "--set", "link[0-1].rate_gt_per_s=1.6", "--set", "routing.request=shortest") == 0
    out = capsys.readouterr().out
    assert "0-1   16 bit  1.6 GT/s  3.2 GB/s" in out and "requests   shortest paths" in out
    file = tmp_path / "odd.toml"
    odd = '[[nodes]]\nid = 0\ncores = 2\nsource = "s"\n[[nodes]]\nid = 8\ncores = 0\nmemory_gib = 1\nsource = "s"\n'
    file.write_text(HEADER + odd + links_text((0, 8)) + '[distances]\nmatrix = [[10, 40], [40, 10]]\nsource = "s"\n')
    assert command("show", str(file)) == 0
    out = capsys.readouterr().out
    assert out.startswith("available: 2 nodes (0,8)\nnode 0 cpus: 0 1\nnode 0 size: 0 MB\nnode 8 cpus:\nnode 8 size: 1024 MB\n")
    assert "Distances: as the machine file gives them (SLIT)." in out
    assert "  0     none\n" in out
    assert out[out.index("a read, from core 0") :].splitlines()[1].split() == ["node", "memory", "8"]


def test_show_json_numbers(capsys: pytest.CaptureFixture[str]):
    command("show", "quartet", "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["distances"] == {
        "origin": "hops",
        "nodes": [0, 1, 2, 3],
        "matrix": [[10, 12, 12, 14], [12, 10, 14, 12], [12, 14, 10, 12], [14, 12, 12, 10]],
    }
    assert document["cpus"] == {"0": [0, 1], "1": [2, 3], "2": [4, 5], "3": [6, 7]}
    assert document["routed_hops"]["average"] == 1.0
    reads = document["idle_reads"]
    assert [read["label"] for read in reads] == [f"{node}.0.r.{memory}" for node in range(4) for memory in range(4)]
    assert [read["hops"] for read in reads[:4]] == [0, 1, 1, 2]
    assert document["resolved"]["links"][0]["ends"] == [0, 1]


def test_check_of_a_good_file(capsys: pytest.CaptureFixture[str]):
    assert command("check", "quartet") == 0
    out, err = capsys.readouterr()
    assert out.startswith("quartet: ok: 4 nodes, 8 cores, 4 links; diameter 2, average distance 1.000 hops; ")
    assert err == ""


def test_check_warns_of_deadlock_and_passes(capsys: pytest.CaptureFixture[str], ring_file: str):
    assert command("check", ring_file) == 0
    out, err = capsys.readouterr()
    assert out.startswith("mine: ok, 6 warnings: 5 nodes, 5 cores, 5 links; ")
    assert err.splitlines()[0] == (
        "warning: the routes can deadlock: request 0->1 -> request 1->2 -> request 2->3 -> request 3->4 -> request 4->0 "
        "-> request 0->1"
    )
    assert command("check", ring_file, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["warnings"]) == 6


def test_check_of_a_bad_file(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / "bad.toml").write_text('extends = "quartet"\n[link]\nlatency = 8\n')
    target = tmp_path / "out.json"
    assert command("check", str(tmp_path / "bad.toml"), "--json", "-o", str(target)) == 2
    out, err = capsys.readouterr()
    assert out == "" and not target.exists()
    assert err.startswith(
        f"numasim: {tmp_path / 'bad.toml'}: link.latency: unknown key; the unit is part of the name: latency_ns; allowed: "
    )
    assert err.count("\n") == 1


def test_output_goes_to_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    target = tmp_path / "show.json"
    assert command("show", "quartet", "--json", "-o", str(target)) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(target.read_text())["machine"]["name"] == "quartet"
    assert command("show", "quartet", "--json", "-o", "-") == 0
    assert capsys.readouterr().out == target.read_text()


def test_unwritable_output(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    target = str(tmp_path / "no" / "such.json")
    assert command("list", "--json", "-o", target) == 2
    assert (
        capsys.readouterr().err == f"numasim: {target}: cannot be written: no such file or directory; allowed: a writable place\n"
    )


def test_draw(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    target = tmp_path / "quartet.svg"
    assert command("draw", "quartet", "-o", str(target)) == 0
    assert target.read_text().startswith("<?xml")
    assert capsys.readouterr().err == f"wrote {target}\n"
    assert command("draw", "quartet", "-o", "-") == 2
    assert capsys.readouterr().err.startswith("numasim: -o: a picture needs a file (got '-')")
