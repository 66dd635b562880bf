"""`topo import`: the machine file goes where it should, guesses are said, and the machine runs."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli import topo_import
from simulator.cli.main import main
from simulator.cli.schema import schema
from simulator.machine.load import load_machine

FIXTURES = Path(__file__).parents[1] / "interop" / "fixtures"
SQUARE = str(FIXTURES / "numactl-square-4.txt")
FLAT = str(FIXTURES / "numactl-flat.txt")


def test_the_file_is_checked_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "square.toml")
    assert main(["topo", "import", SQUARE, "-o", target]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "numasim: guess, cores: nodes 0-3: each CPU taken as a core; which hardware threads share one is unknown",
        "numasim: guess, links: distance 16, the smallest between nodes, is taken as one link",
        "numasim: guess, constants: taken from opteron-k8; no tool tells those of this machine",
        f"numasim: wrote {target}: numactl-square-4: 4 nodes, 8 cores, 4 links; 3 guesses; hops reproduce the distances",
    ]
    assert main(["topo", "check", target]) == 0
    assert main(["topo", "show", target]) == 0
    assert "Distances: as the machine file gives them (SLIT)." in capsys.readouterr().out
    assert main(["run", target, "0.0.r.0", "--lines", "300"]) in (0, 1)  # 1: too short to be steady
    assert "0.0.r.0" in capsys.readouterr().out


def test_the_file_goes_to_stdout_without_o(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topo", "import", SQUARE]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Written by numasim topo import.")
    (tmp_path / "m.toml").write_text(out)
    assert [link.ends for link in load_machine(tmp_path / "m.toml").links] == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert main(["topo", "import", SQUARE, "-o", "-"]) == 0
    assert capsys.readouterr().out == out


def test_json_follows_its_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "m.toml"
    assert main(["topo", "import", SQUARE, "--json", "-o", str(target)]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("topo-import"))
    assert document["schema_version"] == 1
    assert document["machine_file"] == target.read_text()
    assert [guess["about"] for guess in document["guesses"]] == ["cores", "links", "constants"]
    assert document["record"]["nodes"][1]["cpus"] == [1, 5]
    assert document["reproduces_distances"] is True
    assert main(["topo", "import", SQUARE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == document


def test_a_file_that_tells_no_links_asks_for_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "m.toml"
    assert main(["topo", "import", FLAT, "-o", str(target)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and not target.exists()
    warning, error = err.splitlines()  # the warning says why
    assert warning.startswith("numasim: warning: the firmware gave no distances: 20 between all nodes")
    assert "all distances between nodes are 20, which tells nothing of hops; allowed: with --links: " in error
    assert main(["topo", "import", FLAT, "--links", "full", "-o", str(target)]) == 0
    assert "guess, links" not in capsys.readouterr().err
    machine = load_machine(target)
    assert len(machine.links) == len(machine.nodes) * (len(machine.nodes) - 1) // 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "topo import: wants one machine; allowed: either a FILE or --live"),
        ((SQUARE, "--live"), "topo import: wants one machine"),
        (("--live", "--format", "numactl"), "--format: goes with a file"),
        ((SQUARE, "--json", "-o", "-"), "-o: --json and the machine file cannot both go to stdout"),
        ((SQUARE, "--format", "lstopo"), "numactl-square-4.txt"),
        ((SQUARE, "--format", "nonsense"), "is no format (got 'nonsense'); allowed: auto, "),
        ((SQUARE, "-o", SQUARE), "-o: is the file that is read itself"),
        ((SQUARE, "--links", "0-9"), "--links: has a link to node 9, which is not there (got '0-9'); allowed: nodes 0, 1, 2, 3"),
        (("no/such/file",), "no/such/file: cannot be read"),
        (("a\0b",), "is no file name"),
        ((str(FIXTURES),), "has no folder node0 or the like"),
        ((SQUARE, "-o", "no/such/folder/m.toml"), "no/such/folder/m.toml: cannot be written"),
    ],
)
def test_wrong_use_is_one_line(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topo", "import", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def _host(root: Path, numa: bool) -> None:
    for cpu in range(4):
        (root / f"sys/devices/system/cpu/cpu{cpu}/topology").mkdir(parents=True)
        (root / f"sys/devices/system/cpu/cpu{cpu}/topology/core_cpus_list").write_text(f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}\n")
    (root / "sys/devices/system/cpu/online").write_text("0-3\n")
    for node in range(2) if numa else ():
        (root / f"sys/devices/system/node/node{node}").mkdir(parents=True)
        (root / f"sys/devices/system/node/node{node}/cpulist").write_text(f"{2 * node}-{2 * node + 1}\n")
        (root / f"sys/devices/system/node/node{node}/distance").write_text("10 21\n" if node == 0 else "21 10\n")
        (root / f"sys/devices/system/node/node{node}/meminfo").write_text(f"Node {node} MemTotal: 1048576 kB\n")


def _live(root: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    real = topo_import._live
    monkeypatch.setattr(topo_import, "_live", lambda: real(root))
    return main(["topo", "import", "--live"])


def test_a_live_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _host(tmp_path, numa=True)
    assert _live(tmp_path, monkeypatch) == 0
    out, err = capsys.readouterr()
    (tmp_path / "m.toml").write_text(out)
    machine = load_machine(tmp_path / "m.toml")
    assert [(node.cores, node.memory_gib) for node in machine.nodes] == [(1, 1.0), (1, 1.0)]
    assert "guess, cores" not in err
    assert str(tmp_path) not in out


def test_a_live_machine_without_numa_is_one_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _host(tmp_path, numa=False)
    assert _live(tmp_path, monkeypatch) == 0
    out, err = capsys.readouterr()
    (tmp_path / "m.toml").write_text(out)
    assert [node.cores for node in load_machine(tmp_path / "m.toml").nodes] == [2]
    assert "warning: no NUMA: this kernel lists no nodes" in err
    assert "guess, memory: node 0: memory unknown" in err


def test_a_live_machine_that_tells_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _live(tmp_path, monkeypatch) == 2
    assert "this machine: tells nothing of nodes; no NUMA: this kernel lists no nodes" in capsys.readouterr().err


def test_constants_and_name_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, made = tmp_path / "numactl.txt", tmp_path / "m.toml"
    file.write_text(TWO_NODES)
    assert main(["topo", "import", str(file), "--base", "xeon-qpi", "--name", "My Xeon", "-o", str(made)]) == 0
    assert "guess, constants: taken from xeon-qpi" in capsys.readouterr().err
    machine = load_machine(made)
    assert machine.name == "my-xeon"
    assert machine.core.max_outstanding == load_machine("xeon-e5-2680v2-2s").core.max_outstanding
    assert main(["topo", "import", str(file), "--base", "quartet"]) == 2
    assert "has no constants to extend (got 'quartet'); allowed: opteron-k10, opteron-k8, xeon-qpi" in capsys.readouterr().err


TWO_NODES = """available: 2 nodes (0-1)
node 0 cpus: 0 1
node 0 size: 2048 MB
node 1 cpus: 2 3
node 1 size: 2048 MB
node distances:
node   0   1
  0:  10  21
  1:  21  10
"""
