"""`numasim advise`: a ranking, sentences, lines for numactl, a document, and one line for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.cli.schema import schema
from simulator.program import parse_program

SMALL = """
name = "small"
[[arrays]]
name = "a"
size_kib = 256.0
[[threads]]
name = "w"
count = 1
numactl = "--membind=3"
[[phases]]
pattern = "init"
arrays = ["a"]
[[phases]]
pattern = "pointer-chase"
array = "a"
lines = 400
"""
QUICK = ["--budget", "40", "--lines", "200"]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A workload of one thread whose memory is two hops away."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_the_text(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "quartet", str(small), *QUICK]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["1*", "0:1", "--localalloc"] in [row[:3] for row in rows]
    assert any(row[1:5] == ["0:1", "(the", "file's)", "--membind=3"] for row in rows)
    assert "every placement that differs: 16 placements" in out
    assert "It avoids fetching 100 % of the lines from other nodes (now 0 %)" in " ".join(out.split())
    assert "  numactl --physcpubind=0 --localalloc ./w\n  taskset --cpu-list 0 ./w\n" in out


def test_the_document(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "quartet", str(small), *QUICK, "--json"]) == 0
    text = capsys.readouterr().out
    document = json.loads(text)
    jsonschema.Draft202012Validator(schema("advise")).validate(document)
    best = document["ranking"][document["advised"]]
    assert (best["rank"], best["local_percent"], best["threads"][0]["cpus"]) == (1, 100.0, [0])
    assert document["search"]["exhaustive"]
    assert len(document["tried"]) == document["search"]["placements"] == 16
    assert parse_program(document["program"]).threads[0].numactl == "--physcpubind=0 --localalloc"
    target = tmp_path / "advice.json"
    assert main(["advise", "quartet", str(small), *QUICK, "-o", str(target), "--jobs", "2"]) == 0
    assert target.read_text(encoding="utf-8") == text  # the number of jobs changes nothing


def test_both_engines_say_the_same(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["advise", "two-node", str(small), "--budget", "40", "--lines", "50", "--json"]
    small.write_text(SMALL.replace("membind=3", "membind=1").replace("400", "100"), encoding="utf-8")
    found = []
    for engine in ("simpy", "compiled"):
        assert main([*quick, "--engine", engine]) == 0
        found.append(json.loads(capsys.readouterr().out)["ranking"])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fixed", "x"], "small.toml: --fixed: no such threads (got 'x'); allowed: w"),
        (["--fixed", "w"], "small.toml: --fixed: nothing is left to be placed"),
        (["--budget", "39"], "--budget: too few runs (got 39); allowed: at least 40"),
        (["--budget", "0"], "argument --budget: 0 is not a whole number of at least 1"),
        (["--budget", "100001"], "argument --budget: 100001 is more than 100000"),
        (["--lines", "many"], "argument --lines: many is not a whole number of at least 1"),
        (["--lines", "9" * 5000], "is more than 1000000"),
        (["--jobs", "257"], "argument --jobs: 257 is more than 256"),
        (["--seed", "-1"], "argument --seed"),
        (["-o", "small.toml"], "small.toml"),
        (["-o", ""], "-o: is no file name"),
    ],
)
def test_mistakes(
    options: list[str],
    message: str,
    small: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(small.parent)
    try:
        code = main(["advise", "quartet", "small.toml", *options])
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("numasim: error: ")
    assert err.count("\n") == 1
    assert small.read_text(encoding="utf-8") == SMALL


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("count = 1", "count = 9"), "threads[1]: 9 threads on 8 free CPUs"),
        (("size_kib = 256.0", "size_gib = 9.0"), "array a"),
        (("--membind=3", "--membind=9"), "quartet has no node 9"),
        (("pointer-chase", "dance"), "phases[2].pattern: is no pattern"),
    ],
)
def test_bad_workloads(change: tuple[str, str], message: str, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small.write_text(SMALL.replace(*change), encoding="utf-8")
    assert main(["advise", "quartet", str(small)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
