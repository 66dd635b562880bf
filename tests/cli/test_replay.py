"""`numasim replay`: its options, its documents, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.cli.schema import schema
from tests.replay.tracing import BASE, PAGE, csv, lackey, lines

ROOT = Path(__file__).parents[2]
FALSE_SHARING = str(ROOT / "experiments" / "workloads" / "false_sharing.toml")


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """Return the name of a trace of 128 lines in two pages."""
    return lackey(tmp_path / "t.lackey", lines(BASE, 128)).path


def _document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["replay", "quartet", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document: dict[str, object] = json.loads(out)
    jsonschema.Draft202012Validator(schema("replay")).validate(document)
    return document


def _runs(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    runs = _document(capsys, *arguments)["runs"]
    assert isinstance(runs, list)
    return runs


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["replay", "quartet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_a_workload_file(capsys: pytest.CaptureFixture[str]) -> None:
    (run,) = _runs(capsys, FALSE_SHARING)
    assert run["workload"] == "false_sharing"
    assert run["traces"] == []
    assert [thread["lines"] for thread in run["threads"]] == [2000] * 4  # type: ignore[index, attr-defined]
    assert main(["replay", "quartet", FALSE_SHARING]) == 0
    out = capsys.readouterr().out
    assert out.startswith("false_sharing on quartet, from start to end\n")
    assert "worker.3" in out


def test_placements_side_by_side(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    words = ["-N 0 -m 0", "--interleave=1,3", "--cpunodebind=2"]
    options = [text for placement in words for text in ("--placement", placement)]
    runs = _runs(capsys, trace, *options)
    assert [run["placement"] for run in runs] == words
    assert [run["pages"] for run in runs] == [
        {"0": 2, "1": 0, "2": 0, "3": 0},
        {"0": 0, "1": 1, "2": 0, "3": 1},
        {"0": 0, "1": 0, "2": 2, "3": 0},
    ]
    assert main(["replay", "quartet", trace, *options]) == 0
    table = capsys.readouterr().out
    for placement in words:
        assert f"Threads, {placement}" in table


def test_numactls_words_themselves_are_a_placement(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    (run,) = _runs(capsys, "-C", "5", "--preferred", "1", trace)
    assert run["placement"] == "--physcpubind=5 --preferred=1"
    (placed,) = _runs(capsys, trace, "--placement=--physcpubind=5 --preferred=1")
    assert run == placed
    (weighted,) = _runs(capsys, trace, "-w", "0,1", "--node-weights", "1=2")
    pages = weighted["pages"]
    assert pages in ({"0": 1, "1": 1, "2": 0, "3": 0}, {"0": 0, "1": 2, "2": 0, "3": 0})


def test_page_size_bios_and_window(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    (huge,) = _runs(capsys, trace, "--page", "2MiB")
    assert huge["pages"] == {"0": 512, "1": 0, "2": 0, "3": 0}
    (bios,) = _runs(capsys, trace, "--node-interleaving", "-N", "2")
    assert bios["pages"] == {"0": 1, "1": 1, "2": 0, "3": 0}
    (usual,), (narrow,), (slow,) = (_runs(capsys, trace, *more) for more in ((), ("--window", "1"), ("--cpi", "400")))
    assert narrow["elapsed_ns"] > 1.5 * usual["elapsed_ns"]  # type: ignore[operator]
    assert slow["elapsed_ns"] > 1.5 * usual["elapsed_ns"]  # type: ignore[operator]
    assert usual["provenance"] != narrow["provenance"] != slow["provenance"] != usual["provenance"]


def test_several_traces_and_options_between_them(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    (own,) = _runs(capsys, trace, "--seed", "3", trace)
    assert [thread["name"] for thread in own["threads"]] == ["0.0", "1.0"]  # type: ignore[attr-defined]
    assert own["pages"] == {"0": 4, "1": 0, "2": 0, "3": 0}
    (together,) = _runs(capsys, trace, trace, "--one-program")
    assert together["pages"] == {"0": 2, "1": 0, "2": 0, "3": 0}


def test_both_engines(capsys: pytest.CaptureFixture[str], trace: str) -> None:
    simpy, compiled = (_runs(capsys, trace, "--engine", engine)[0] for engine in ("simpy", "compiled"))
    assert simpy["provenance"]["engine"] == "simpy"  # type: ignore[index]
    assert {**simpy, "provenance": None} == {**compiled, "provenance": None}


def test_files_and_pictures(capsys: pytest.CaptureFixture[str], trace: str, tmp_path: Path) -> None:
    target, picture = tmp_path / "r.json", tmp_path / "r.png"
    assert main(["replay", "quartet", trace, "-o", str(target), "--picture", str(picture)]) == 0
    assert capsys.readouterr() == ("", "")
    assert json.loads(target.read_text(encoding="utf-8"))["runs"][0]["verdict"] == "finished"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_is_read_is_never_written_over(capsys: pytest.CaptureFixture[str], trace: str, tmp_path: Path) -> None:
    other = lackey(tmp_path / "other", lines(BASE, 2)).path
    before = Path(other).read_bytes()
    assert "-o" in _refused(capsys, trace, other, "-o", other)
    assert "--picture" in _refused(capsys, trace, other, "--picture", trace + ".png", "-o", trace + ".png")
    assert Path(other).read_bytes() == before
    link = tmp_path / "r.png"
    link.symlink_to(trace)
    assert "--picture" in _refused(capsys, trace, "--picture", str(link))
    assert "-o" in _refused(capsys, FALSE_SHARING, "-o", FALSE_SHARING)


def _cut(tmp_path: Path) -> str:
    path = tmp_path / "cut.csv"
    csv(path, [(0, address, "r") for address in lines(BASE, 100)])
    path.write_text(path.read_text(encoding="ascii") + "0,401,", encoding="ascii")
    return str(path)


def test_a_damaged_trace_writes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name, target = _cut(tmp_path), tmp_path / "r.json"
    said = _refused(capsys, name, "-o", str(target))
    assert f"{name}: line 102, byte " in said
    assert "the 100 accesses before it are whole, and --partial replays them" in said
    assert not target.exists()


def test_a_damaged_trace_on_request(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = _cut(tmp_path)
    assert main(["replay", "quartet", name, "--partial", "--placement", "-m 0", "--placement", "-m 1"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(f"numasim: warning: {name}: line 102, byte ")
    assert err.count("\n") == 1
    assert "only 100 accesses: " in out
    assert main(["replay", "quartet", name, "--partial", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["runs"][0]["traces"][0]["damage"].startswith(f"{name}: line 102")


def test_a_run_that_does_not_finish_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], trace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.replay.session.to_the_end", lambda *_: ("deadlock", "a waits for a"))
    assert main(["replay", "quartet", trace]) == 1
    assert "local: deadlock: a waits for a" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{toml}", "{trace}"], "false_sharing.toml: a workload file runs by itself; allowed: one .toml file, or traces"),
        (["{toml}", "--cpi", "1"], "false_sharing.toml: --cpi: the workload file says this"),
        (["{toml}", "--placement", "-m 0"], "--placement: the workload file says this"),
        (["{toml}", "-m", "0"], "--membind: the workload file says this"),
        (["{toml}", "--node-weights", "0=2"], "--node-weights: the workload file says this"),
        (["{toml}", "--node-interleaving"], "--node-interleaving: the workload file says this"),
        (["{toml}", "--partial"], "--partial: the workload file says this"),
        (["{trace}", "--cpi", "0"], "cycles_per_instruction: is out of range (got 0.0)"),
        (["{trace}", "--cpi", "nan"], "cycles_per_instruction: is out of range"),
        (["{trace}", "--window", "9"], "window out of range (got 9); allowed: 1 to 8"),
        (["{trace}", "--placement", "-m 9"], "--membind: quartet has no node 9"),
        (["{trace}", "--placement", "-x"], "is no word of numactl's (got '-x')"),
        (["{trace}", "--placement", "-m 0", "-m", "1"], "--placement: the placement is given twice"),
        (["{trace}", "--placement", "-m 0", "--placement", "-m 0"], "--placement: is there twice (got '-m 0')"),
        (["{trace}", "--placement"], "--placement: expected one argument"),
        (["{trace}", "--node-weights", "0=2"], "--node-weights: is for --weighted-interleave (got '0=2')"),
        (["{trace}", "-w", "0,1", "--node-weights", "9=2"], "node_weights of node 9: no weight of a node (got 2)"),
        (["{trace}", "-w", "0,1", "--node-weights", "0=0"], "node_weights of node 0: no weight of a node (got 0)"),
        (["{trace}", "-w", "0,1", "--node-weights", "0"], "is no list of weights such as 0=5,1=2"),
        (["{trace}", "-w", "0,1", "--node-weights", "0=1,0=2"], "names a node twice"),
        (["{trace}", "--page", "1GiB"], "--page: invalid choice"),
        (["{trace}", "--format", "csv"], "header: the header does not name the columns"),
        (["-"], "-: a trace is read twice, a pipe gives it once; allowed: the name of a file"),
        (["none"], "none: cannot be read: no such file or directory"),
        (["{trace}", "-C", "1", "{trace}"], "threads: more threads than CPUs (got 2); allowed: up to 1, a CPU each"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], trace: str) -> None:
    try:
        code = main(["replay", "quartet", *(text.format(toml=FALSE_SHARING, trace=trace) for text in arguments)])
    except SystemExit as error:  # argparse's own
        code = int(str(error.code))
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_node_that_is_full_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = csv(tmp_path / "t.csv", [(0, BASE + PAGE * page, "r") for page in range(5)])
    said = _refused(capsys, file.path, "-m", "1", "--set", "node[1].memory_gib=0.00001")
    assert "--membind=1" in said
