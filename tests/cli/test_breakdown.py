"""`numasim run --breakdown`: where a line's time goes, as a table and a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.breakdown_tables import breakdown_tables
from simulator.cli.main import main
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Access, ThreadSpec, Workload

SHORT = ["--lines", "300", "--warmup", "100", "--ci", "5"]
TITLE = "Where a line's time goes, ns: walking is latency, standing is queueing"
GROUPS = ("walking", "queueing", "wait for probes", "other: no line in the slot")


def _table(out: str) -> dict[str, list[float]]:
    """Return the rows of the table by their names, an entry a column."""
    lines = out[out.index(TITLE) :].splitlines()[2:-1]
    width = max(len(line) - len(line.lstrip()) for line in lines)
    assert width == 4
    rows = (line.split() for line in lines)
    return {" ".join(cells[:-2]): [float(cell) for cell in cells[-2:]] for cells in rows}


def test_the_table_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    """One decimal behind the point: sums of so many rounded numbers."""
    assert main(["run", "quartet", "0.0.w.1", "1.0.w.0", "--breakdown", *SHORT]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    table = _table(out)
    names = list(table)
    walking = names[names.index("walking") + 1 : names.index("queueing")]
    queueing = names[names.index("queueing") + 1 : names.index("wait for probes")]
    assert walking == ["SRI", "crossbars", "wires", "serialisation", "controller", "DRAM service", "core"]
    assert "queue at a link" in queueing
    for column in (0, 1):
        for name, parts in (("walking", walking), ("queueing", queueing), ("all: slots x time a line", GROUPS)):
            assert table[name][column] == pytest.approx(sum(table[part][column] for part in parts), abs=0.5)
        rest = table["core"][column] + table["other: no line in the slot"][column]
        latency = table["latency: all but core and other"][column]
        assert latency == pytest.approx(table["all: slots x time a line"][column] - rest, abs=0.2)
        for group in ("walking", "queueing"):
            percent = 100 * table[group][column] / table["all: slots x time a line"][column]
            assert table[f"{group}, % of all"][column] == pytest.approx(percent, abs=0.1)


def test_percentiles_and_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "quartet", "0.0.w.1", "1.0.w.0", "--background", "2.0.r.2@1", "--breakdown", *SHORT]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index(TITLE) + 1].split() == ["0.0.w.1", "1.0.w.0"]  # the foreground
    assert "p50 / p95 / p99" in lines[-1]
    assert "latency of all foreground lines, ns: mean" in lines[-1]


def test_only_background(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "two-node", "--background", "0.0.r.0@1", "--breakdown", *SHORT]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index(TITLE) + 1].split() == ["0.0.r.0"]


def test_without_the_option_there_is_no_table_but_json_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "two-node", "0.0.r.1", *SHORT])
    assert TITLE not in capsys.readouterr().out
    documents = []
    for option in ([], ["--breakdown"]):
        assert main(["run", "two-node", "0.0.r.1", "--background", "1.0.r.1@0.5", "--json", *option, *SHORT]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0] == documents[1]
    first, second = documents[0]["breakdown"]
    assert (first["thread"], first["path"], first["background"]) == ("0.0.r.1", "read 0->1", False)
    assert (second["thread"], second["path"], second["background"]) == ("1.0.r.1", "read 1->1", True)
    assert sum(first["parts_ns"].values()) == pytest.approx(documents[0]["latency_ns"]["mean"])


def test_several_paths_are_told_apart() -> None:
    program = (Access("r", 0), Access("w", 1))
    result = run(load_machine("two-node"), Workload((ThreadSpec(0, 0, program),)), Accuracy(5.0, 300, 100))
    (table,) = breakdown_tables(result)
    assert table.headers == ("", "0.0.*.* read 0->0", "0.0.*.* write 0->1")
    assert "all" in [cells[0].text for cells in table.rows]


def test_a_standstill_has_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    never = ThreadSpec(0, 0, (Access("r", 0),), start_ns=1e9)
    stuck = RunResult.model_validate(
        run(load_machine("one-node"), Workload((never,)), Accuracy(5.0, 300, 100)).model_dump() | {"breakdown": ()}
    )
    assert breakdown_tables(stuck) == ()


@pytest.mark.parametrize(
    ("picture", "names"),
    [
        ("run.png", {"run.png", "run-breakdown.png"}),
        ("run.svg", {"run.svg", "run-breakdown.svg"}),
        ("run", {"run.png", "run.svg", "run-breakdown.png", "run-breakdown.svg"}),
        ("a.b", {"a.b.png", "a.b.svg", "a.b-breakdown.png", "a.b-breakdown.svg"}),
    ],
)
def test_pictures(picture: str, names: set[str], tmp_path: Path) -> None:
    assert main(["run", "two-node", "0.0.r.1", "--breakdown", "--picture", str(tmp_path / picture), *SHORT]) == 0
    assert {path.name for path in tmp_path.iterdir()} == names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--picture", "a.png", "-o", "a-breakdown.png"], "a-breakdown.png: --picture: is what -o writes"),
        (["--picture", "a", "-o", "a-breakdown.svg"], "a-breakdown.svg: --picture: is what -o writes"),
        (["--picture", "a.png", "--trace", "link.json"], "link.json: --trace: is what --picture writes"),
        (["--picture", "folder.png"], "folder-breakdown.png: cannot be written: is a directory"),
    ],
)
def test_the_second_picture_is_seen_to_before_the_run(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder-breakdown.png").mkdir()
    Path("link.json").symlink_to("a-breakdown.png")
    assert main(["run", "two-node", "0.0.r.1", "--breakdown", *arguments, *SHORT]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder-breakdown.png", "link.json"]


def test_a_wrong_kind_of_picture_is_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "two-node", "0.0.r.1", "--breakdown", "--picture", str(tmp_path / "run.pdf"), *SHORT]) == 2
    assert "not written in this format" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
