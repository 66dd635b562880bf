"""`numasim trace`, and `numasim run --trace`."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.observe.write import read_trace

SHORT = ["--warmup", "40", "--window", "300"]
TRACE = ["trace", "quartet", "0.0.w.1", "1.0.w.0", *SHORT]


def _error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("numasim: error: ")
    return shown.err.removeprefix("numasim: error: ").strip()


def test_one_line_s_life(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(TRACE) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    lines = out.splitlines()
    assert re.fullmatch(
        r"Life of line [01]\.0\.w\.[01] #\d+ on quartet: read to modify \d->\d, issued at \d+\.\d+ ns of the run", lines[0]
    )
    assert lines[1].split() == ["at", "ns", "takes", "ns", "part", "where", "what"]
    rows = [re.match(r"  +(\d+\.\d{3}) +(\d+\.\d{3})  (\w[\w ]*?)  ", line) for line in lines]
    own = [(float(match[1]), float(match[2]), match[3]) for match in rows if match]
    for (at, takes, _), (after, _, _) in zip(own[:-1], own[1:], strict=True):
        assert after == pytest.approx(at + takes, abs=1e-6)
    latency = next(line for line in lines if line.startswith("  latency: their sum"))
    assert float(latency.split()[-2]) == pytest.approx(sum(takes for _, takes, part in own if part != "core"), abs=1e-6)


def test_another_line(capsys: pytest.CaptureFixture[str]) -> None:
    titles = []
    for number in ("1", "2"):
        assert main([*TRACE, "--line", number]) == 0
        titles.append(capsys.readouterr().out.splitlines()[0])
    assert titles[0] != titles[1]
    assert re.fullmatch(
        r"--line: the window holds fewer lines \(got 999\); allowed: 1 to \d+", _error(capsys, *TRACE, "--line", "999")
    )


def test_the_document_by_option_and_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.json"
    assert main([*TRACE, "-o", str(path)]) == 0
    assert capsys.readouterr() == ("", f"numasim: wrote {path}\n")
    assert read_trace(path).otherData.machine == "quartet"
    for arguments in (["--json"], ["--json", "-o", "-"]):
        assert main([*TRACE, *arguments]) == 0
        assert capsys.readouterr() == (path.read_text(), "")
    assert json.loads(path.read_text())["schema_version"] == 1


def test_rows_by_option_and_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.csv"
    assert main([*TRACE, "-o", str(path)]) == 0
    assert main([*TRACE, "--csv"]) == 0
    text = path.read_text()
    assert capsys.readouterr().out == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {"RdBlkMod", "VicBlk", "NOP"} <= {row["packet"] for row in rows}


def test_the_life_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "life.txt"
    assert main([*TRACE, "-o", str(path)]) == 0
    assert main(TRACE) == 0
    assert capsys.readouterr().out == path.read_text()


def test_pictures_beside_the_life(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"--gantt": "gantt.svg", "--queues": "queues.png", "--animate": "moving.gif"}
    pictures = [text for option, name in files.items() for text in (option, str(tmp_path / name))]
    assert main(["trace", "two-node", "0.0.r.1", "--warmup", "20", "--window", "200", *pictures]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("Life of line")
    assert shown.err.splitlines() == [f"numasim: wrote {tmp_path / name}" for name in files.values()]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "--csv"], "--json --csv: one document at a time; allowed: one of them"),
        (["-o", ""], "-o: is no file name"),
        (["-o", "a.png"], "-o: is the name of a picture (got 'a.png'); allowed: .json, .csv or .txt here"),
        (["--gantt", "a.pdf"], "--gantt: pictures are not written in this format"),
        (["--queues", "-"], "--queues: a picture needs a file"),
        (["--animate", "a.png"], "--animate: is no name of an animation (got 'a.png'); allowed: a file name in .gif"),
        (["--animate", "-"], "--animate: is no name of an animation"),
        (["--window", "0"], "window: is no length of a window (got 0.0)"),
        (["--window", "nan"], "window: is no length of a window"),
        (["--start", "-1"], "start: is no time to start (got -1.0)"),
        (["--warmup", "-1"], "warmup: warm-up out of range"),
        (["--window", "1"], "--window: no line is complete within it (got 1.0); allowed: a longer or a later window"),
        (["--window", "1", "--gantt", "a", "--queues", "b", "--animate", "c.gif"], "--window: no line is complete within it"),
        (["--line", "999", "--gantt", "a", "-o", "t.txt"], "--line: the window holds fewer lines"),
        (["-o", "nowhere/t.json"], "nowhere/t.json: cannot be written"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in _error(capsys, "trace", "quartet", "0.0.r.0", "--warmup", "5", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_outputs_do_not_replace_each_other_nor_the_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine, other = tmp_path / "mine.svg", str(tmp_path / "same.svg")
    machine.write_text('schema_version = 1\nextends = "two-node"\nname = "mine"\ntitle = "mine"\nsource = "test"\n')
    before = machine.read_text()
    assert "is the machine file itself" in _error(capsys, "trace", str(machine), "0.0.r.1", "--gantt", str(machine))
    assert "is what --gantt" in _error(capsys, "trace", str(machine), "0.0.r.1", "--gantt", other, "--queues", other)
    assert machine.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine.svg"]


class TestBesideARun:
    RUN = ("run", "quartet", "0.0.w.1", "1.0.w.0", "--warmup", "40", "--lines", "100", "--ci", "20")

    def test_it_is_what_trace_records(self, tmp_path: Path) -> None:
        both, alone, result = (tmp_path / name for name in ("both.json", "alone.json", "run.json"))
        assert main([*self.RUN, "--trace", str(both), "--window", "300", "-o", str(result)]) == 0
        assert main([*TRACE, "-o", str(alone)]) == 0
        assert both.read_bytes() == alone.read_bytes()
        assert json.loads(result.read_text())["machine"] == "quartet"

    def test_a_run_that_never_warms_up_is_recorded_from_its_start(self, tmp_path: Path) -> None:
        machine = tmp_path / "ring.toml"
        links = "".join(f'[[links]]\nsource = "t"\nends = [{node}, {(node + 1) % 6}]\n' for node in range(6))
        nodes = "".join(f'[[nodes]]\nsource = "t"\nid = {node}\ncores = 1\nmemory_gib = 1.0\n' for node in range(6))
        head = 'schema_version = 1\nextends = "opteron-k8"\nname = "ring"\ntitle = "ring"\nsource = "t"\n'
        machine.write_text(head + nodes + links)
        tight = [
            text
            for name in ("request", "response", "probe", "request_data", "response_data")
            for text in ("--set", f"link.credits.{name}=1")
        ]
        labels = [f"{node}.0.w.{(node + 3) % 6}" for node in range(6)]
        path = tmp_path / "stuck.json"
        assert main(["run", str(machine), *labels, *tight, "--warmup", "100000", "--trace", str(path), "--json"]) == 1
        assert read_trace(path).otherData.opened == 0

    def test_an_exact_run_has_a_trace_without_jitter(self, tmp_path: Path) -> None:
        path = tmp_path / "exact.json"
        arguments = ["run", "one-node", "0.0.r.0", "--steady", "exact", "--warmup", "20", "--trace", str(path), "--window", "300"]
        assert main(arguments) == 0
        lines = read_trace(path).otherData.transactions
        assert len({core for core in lines.core_time if core is not None}) == 1

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--window", "100"], "--window: says how long a trace is (got 100.0); allowed: beside --trace FILE"),
            (["--trace", "-"], "--trace: is no file name"),
            (["--trace", "same.json", "-o", "same.json"], "same.json: --trace: is what -o writes"),
            (["--trace", "same.svg", "--picture", "same.svg"], "--trace: is no name of a trace (got 'same.svg')"),
            (["--trace", "rows.csv"], "--trace: is no name of a trace (got 'rows.csv'); allowed: a JSON document here"),
            (["--trace", "t.json", "--window", "-3"], "window: is no length of a window"),
        ],
    )
    def test_wrong_input(
        self,
        arguments: list[str],
        message: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert message in _error(capsys, *self.RUN, *arguments)
        assert list(tmp_path.iterdir()) == []
