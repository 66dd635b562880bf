"""`numasim compare`, mostly with a model that answers at once: tables, documents, pictures, exit codes."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import build_parser, main
from simulator.interop.measured import COLUMNS, UNITS, Quantity
from simulator.measure.accuracy import Accuracy
from simulator.validation import compare as module
from tests.validation.measured import CountedRun

FIXTURES = Path(__file__).parents[1] / "interop" / "fixtures"
MLC = str(FIXTURES / "mlc-two-nodes.txt")
ROWS = """experiment,from_node,to_node,quantity,value,unit,ci_percent
idle,0,0,latency,110,ns,1
idle,0,1,latency,120,ns,1
idle,0,2,latency,100,ns,1
idle,0,7,latency,300,ns,1
idle,1,7,latency,300,ns,1
"""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> CountedRun:
    """Let runs answer at once."""
    run = CountedRun()
    monkeypatch.setattr(module, "compare", partial(module.compare, run_one=run))
    return run


@pytest.fixture
def rows(tmp_path: Path) -> str:
    """A CSV file of measured latencies."""
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return str(path)


def command(measured: str, *more: str, machine: str = "quartet") -> int:
    return main(["compare", measured, "--machine", machine, "--jobs", "1", *more])


@pytest.mark.usefixtures("quick")
def test_tables(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(rows) == 0
    out, err = capsys.readouterr()
    assert out.startswith("idle: latency, ns\n")
    assert "  0->2     100.0   1.0      140.0    +40.0\n" in out
    assert "mean absolute error of all 3 values: 16.4 %" in out
    assert "tolerance" not in out
    assert [line for line in err.splitlines(keepends=True) if "warning" not in line] == [
        "numasim: not compared: idle: latency: the machine has no node 7 (0->7; 1->7)\n"
    ]
    assert "numasim: warning: no measured pair names node 3 of quartet: " in err


@pytest.mark.usefixtures("quick")
def test_tolerance_sets_the_exit_code(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(rows, "--tolerance", "9") == 1
    out = capsys.readouterr().out
    assert out.endswith(
        "missed: idle: latency, 0->2: +40.00 %, more than 9 %\nmissed: idle: latency, 0->0: -9.09 %, more than 9 %\n"
    )
    assert command(rows, "--tolerance", "41") == 0
    assert capsys.readouterr().out.endswith("\nevery tolerance holds\n")
    assert command(rows, "--tolerance", "39", "--json") == 1
    out, err = capsys.readouterr()
    assert [beyond["cell"] for beyond in json.loads(out)["beyond"]] == ["0->2"]
    assert "numasim: missed: idle: latency, 0->2: +40.00 %, more than 39 %\n" in err


def test_the_first_ten_that_are_missed(quick: CountedRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "many.csv"
    path.write_text("quantity,value,unit,from_node,to_node\n" + "".join(f"latency,{50 + n},ns,0,0\n" for n in range(30)))
    assert command(str(path), "--tolerance", "5") == 1
    out = capsys.readouterr().out
    missed = [line for line in out.splitlines() if line.startswith("missed: ")]
    assert len(missed) == 11
    assert missed[0] == "missed: measured: latency, 0->0: +100.00 %, more than 5 %"
    assert missed[-1] == "missed: ... and 20 more values beyond the tolerance"
    assert len(quick.ran) == 1


def test_a_standstill_is_said_and_is_beyond_any_tolerance(
    quick: CountedRun, rows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    quick.still = ("0.0.r.2",)
    assert command(rows) == 1
    assert "numasim: idle 0->2: deadlock\n" in capsys.readouterr().err
    assert command(rows, "--tolerance", "1000") == 1
    assert "missed: idle: latency, 0->2: no value, the run came to a standstill\n" in capsys.readouterr().out


@pytest.mark.usefixtures("quick")
def test_json(rows: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(rows, "--json", "--tolerance", "50") == 0
    text = capsys.readouterr().out
    assert main(["schema", "compare"]) == 0
    document = json.loads(text)
    jsonschema.validate(document, json.loads(capsys.readouterr().out))
    assert (document["schema_version"], document["machine"], len(document["cells"])) == (1, "quartet", 3)
    assert document["not_predicted"] == ["idle: latency: the machine has no node 7 (0->7; 1->7)"]
    assert command(rows, "-o", str(tmp_path / "report.json"), "--tolerance", "50") == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "report.json").read_text() == text
    assert str(tmp_path) not in text


@pytest.mark.usefixtures("quick")
def test_csv(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(rows, "--csv") == 0
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["from_node"], row["to_node"], row["measured"], row["simulated"]) for row in found] == [
        ("0", "0", "110.0", "100.0"),
        ("0", "1", "120.0", "120.0"),
        ("0", "2", "100.0", "140.0"),
    ]
    assert found[2]["error_percent"] == "40.0"
    assert found[2]["verdict"] == "steady"


def test_the_page_names_every_column_quantity_and_unit() -> None:
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(names) == sorted([*COLUMNS, *Quantity])
    for quantity, units in UNITS.items():
        assert f"| `{quantity}` | {', '.join(f'`{unit}`' if unit else 'empty' for unit in units)} |" in page


@pytest.mark.usefixtures("quick")
def test_pictures(tmp_path: Path) -> None:
    assert command(MLC, "--picture", str(tmp_path / "p.png"), machine="two-node") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p-matrix-2.png", "p-matrix.png", "p.png"]


@pytest.mark.usefixtures("quick")
def test_a_tool_that_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(MLC, "--format", "mlc", machine="two-node") == 0
    out, err = capsys.readouterr()
    assert [line for line in out.splitlines() if line and not line.startswith(" ")] == [
        "idle latency, ns",
        "bandwidth, MB/s",
        "peak bandwidth, MB/s",
        "Summary: two-node against the measured values",
    ]
    assert "numasim: not compared: 3 loaded latencies: their delays" in err


@pytest.mark.usefixtures("quick")
def test_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(str(FIXTURES / "mlc-interleaved.txt")) == 0
    err = capsys.readouterr().err
    assert "numasim: warning: local and remote latency differ by at most 1.5 %: node interleaving is on" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{rows}"], "the following arguments are required: --machine"),
        (["{rows}", "--machine", "nothing"], "there is no machine of that name (got 'nothing')"),
        (["{rows}", "--machine", "quartet", "--tolerance", "0"], "argument --tolerance: '0' is not a percentage above 0"),
        (["{rows}", "--machine", "quartet", "--tolerance", "nan"], "'nan' is not a percentage above 0"),
        (
            ["{rows}", "--machine", "quartet", "--format", "xls"],
            "--format: is no format (got 'xls'); allowed: auto, csv, hwloc-xml",
        ),
        (["{rows}", "--machine", "quartet", "--format", "mlc"], "rows.csv: "),
        (["{rows}", "--machine", "quartet", "--set", "no.such=1"], "no.such"),
        (["{rows}", "--machine", "quartet", "--json", "--csv"], "one document at a time"),
        (["{rows}", "--machine", "quartet", "--picture", "p.pdf"], "pictures are not written in this format"),
        (["{rows}", "--machine", "quartet", "--ci", "0"], "confidence out of range"),
        (["none.csv", "--machine", "quartet"], "none.csv: cannot be read: no such file or directory"),
        (["{rows}", "--machine", "quartet", "--set", "node[0].cores=0"], "node 0 of the machine has no cores"),
        ([str(FIXTURES / "numactl-square-4.txt"), "--machine", "quartet"], "distances of the firmware are no measured times"),
        ([str(FIXTURES / "stream-old.txt"), "--machine", "quartet"], "named without the nodes"),
    ],
)
@pytest.mark.usefixtures("quick")
def test_what_is_wrong(arguments: list[str], message: str, rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--jobs", "1", *(text.format(rows=rows) for text in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.usefixtures("quick")
def test_nothing_is_begun_where_a_picture_cannot_be_written(quick: CountedRun, rows: str, tmp_path: Path) -> None:
    (tmp_path / "p-matrix.png").mkdir()
    assert command(rows, "--picture", str(tmp_path / "p.png")) == 2
    assert quick.ran == []


def test_defaults_are_those_of_the_library() -> None:
    args = build_parser().parse_args(["compare", "m.csv", "--machine", "quartet"])
    assert Accuracy(args.ci, args.lines, args.warmup) == module.ACCURACY


def test_jobs_and_engine_change_nothing(rows: str, tmp_path: Path) -> None:
    documents = []
    for jobs, engine in (("1", "compiled"), ("2", "compiled"), ("1", "simpy")):
        target = tmp_path / f"{engine}-{jobs}.json"
        short = ["--lines", "200", "--warmup", "20", "--ci", "5"]
        assert main(["compare", rows, "--machine", "quartet", "--jobs", jobs, "--engine", engine, *short, "-o", str(target)]) == 0
        documents.append(target.read_text().replace('"engine": "simpy"', '"engine": "compiled"'))
    assert documents[0] == documents[1] == documents[2]


def test_what_measure_and_matrix_write_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, short = str(tmp_path / "matrix.csv"), ["--lines", "2000", "--ci", "3"]
    assert main(["matrix", "two-node", "--csv", "-o", target, *short]) == 0
    capsys.readouterr()
    assert command(target, "--tolerance", "0.001", *short, machine="two-node") == 0
    assert "every tolerance holds" in capsys.readouterr().out
