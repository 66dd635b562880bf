"""`numasim sweep` and `numasim results` as a user meets them."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import jsonschema
import pandas
import pytest

from simulator.cli.main import main
from simulator.cli.sweep import pace, with_pace
from simulator.measure.result import RunResult
from simulator.sweep import open_store, run_sweep
from tests.sweep.fakes import quick_run, small_sweep

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-c", "import sys; from simulator.cli.main import main; sys.exit(main())"]
SPEC = """
machine = "two-node"
threads = [["0.0.r.1"], ["0.0.w.1", "1.0.w.0"]]
[set]
"link.latency_ns" = [8, 10]
[accuracy]
lines = 300
warmup = 50
ci_percent = 50.0
"""
QUICK = ["--engine", "simpy", "--jobs", "1"]


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A sweep file of 4 short runs."""
    path = tmp_path / "spec.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def test_sweep_and_second_start(spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "s.sqlite"
    assert main(["sweep", str(spec), "--store", str(store), *QUICK]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"numasim: 4 points in {store}: 0 were there, 4 done now\n")
    assert main(["sweep", str(spec), "--store", str(store), *QUICK, "--set", "link.latency_ns=8,9", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == {"schema_version": 1, "points": 4, "found": 2, "done": 2, "done_elsewhere": 0, "not_steady": []}
    assert main(["schema", "sweep-report"]) == 0
    jsonschema.validate(document, json.loads(capsys.readouterr().out))


def test_a_point_that_is_not_steady_means_exit_code_1(spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec.write_text(SPEC.replace("50.0", "0.001"), encoding="utf-8")
    for found in (0, 4):
        assert main(["sweep", str(spec), "--store", str(tmp_path / "s.sqlite"), *QUICK]) == 1
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == "numasim: too short: two-node link.latency_ns=8 0.0.r.1 seed 1"
        assert lines[4].endswith(f"{found} were there, {4 - found} done now")
    assert main(["results", str(tmp_path / "s.sqlite"), "--where", "verdict = 'too short'", "--csv", "-"]) == 0
    assert capsys.readouterr().out.count("\n") == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["spec.toml"], "the following arguments are required: --store"),
        (["nosuch.toml", "--store", "s.sqlite"], "nosuch.toml: cannot be read: no such file or directory"),
        (["bad.toml", "--store", "s.sqlite"], "bad.toml: machine: is missing"),
        (
            ["spec.toml", "--store", "spec.toml"],
            "spec.toml: is no SQLite file; allowed: a store that `numasim sweep --store` made",
        ),
        (["spec.toml", "--store", "nosuch/s.sqlite"], "nosuch/s.sqlite: its folder is not there"),
        (["spec.toml", "--store", "s.sqlite", "--set", "core.window"], "--set: is no axis"),
        (["spec.toml", "--store", "s.sqlite", "--set", "core.window=4,99"], "spec.toml: core.window: a core cannot have"),
        (["spec.toml", "--store", "s.sqlite", "--jobs", "0"], "argument --jobs: 0 is not a whole number of at least 1"),
        (["spec.toml", "--store", "s.sqlite", "--jobs", "2", "--dask", "tcp://x"], "not allowed with argument --jobs"),
        (["spec.toml", "--store", "s.sqlite", "--json", "-o", "nosuch/r.json"], "cannot be written"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(spec.parent)
    Path("bad.toml").write_text("threads = []\n", encoding="utf-8")
    before = sorted(Path().iterdir())
    assert main(["sweep", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(Path().iterdir()) == before
    assert spec.read_text(encoding="utf-8") == SPEC


def test_without_dask(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["sweep", str(spec), "--store", str(tmp_path / "s.sqlite"), "--dask", "tcp://127.0.0.1:1"]) == 2
    expected = (
        "numasim: error: --dask: needs distributed, which is not installed; allowed: what `pip install 'numasim[dask]'` brings\n"
    )
    assert capsys.readouterr().err == expected
    assert [path.name for path in tmp_path.iterdir()] == ["spec.toml"]


def test_pace() -> None:
    assert pace(0, 10, 5.0) == ""
    assert pace(10, 10, 5.0) == "2/s, 0:05 left"
    assert pace(1, 100, 10.0) == "6/min, 16:40 left"
    assert pace(2, 7300, 1.0) == "2/s, 1:00:50 left"
    times = iter([100.0, 101.0, 104.0])
    shown: list[tuple[int, int, str]] = []
    progress = with_pace(lambda *step: shown.append(step), lambda: next(times))
    for done, last in ((50, ""), (52, "a"), (54, "b")):
        progress(done, 60, last)
    assert shown == [(50, 60, ""), (52, 60, "2/s, 0:04 left a"), (54, 60, "1/s, 0:06 left b")]


def _long_sweep(folder: Path, **streams: object) -> subprocess.Popen[bytes]:
    spec = folder / "long.toml"
    spec.write_text(SPEC, encoding="utf-8")
    overrides = ["--set", f"link.latency_ns={','.join(map(str, range(5, 305)))}"]
    command = [*PROGRAM, "sweep", str(spec), "--store", str(folder / "s.sqlite"), *overrides, "--engine", "simpy", "--jobs", "2"]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True, **streams)  # type: ignore[call-overload, no-any-return]


def _points(store: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=rw", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM points").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_ctrl_c_on_a_terminal_that_shows_progress(tmp_path: Path) -> None:
    mine, theirs = pty.openpty()
    process = _long_sweep(tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown: list[bytes] = []
    reader = threading.Thread(target=lambda: shown.extend(_until_closed(mine)))
    reader.start()
    deadline = time.monotonic() + 60
    while _points(tmp_path / "s.sqlite") < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    reader.join(10)
    os.close(mine)
    kept = _points(tmp_path / "s.sqlite")
    text = b"".join(shown).decode()
    assert (process.returncode, out) == (130, b"")
    assert f"{kept} of 600 points are in {tmp_path / 's.sqlite'}; the same command goes on from there" in text.replace(
        "\r\n", "\n"
    )
    assert text.rstrip().endswith("numasim: interrupted")
    assert "left two-node link.latency_ns=" in text


def _until_closed(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # what Linux says when the other end is closed
            return
        if not data:
            return
        yield data


def test_results_table(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", str(filled), "--where", "link.latency_ns >= 10 and seed = 1"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines() == [
        "4 rows of points",
        "  machine  link.latency_ns  threads          ns a line  CI %   GB/s  busiest link  busy %  verdict",
        "  quartet  10               0.0.w.1 1.0.w.0      50.10  0.30  2.555          0->1    25.0   steady",
        "  quartet  10               0.0.w.1 1.0.w.3      50.10  0.30  2.555          0->1    25.0   steady",
        "  quartet  12               0.0.w.1 1.0.w.0      52.10  0.30  2.457          0->1    25.0   steady",
        "  quartet  12               0.0.w.1 1.0.w.3      52.10  0.30  2.457          0->1    25.0   steady",
    ]
    assert main(["results", str(filled), "--where", "seed = 99"]) == 0
    assert capsys.readouterr().out.startswith("0 rows of points\n")


@pytest.mark.parametrize("table", ["points", "threads", "links", "controllers"])
def test_exports_hold_the_same(table: str, filled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    where = ["--table", table, "--where", "link.latency_ns != 8"]
    names = ["--csv", str(tmp_path / "r.csv"), "--parquet", str(tmp_path / "r.parquet")]
    assert main(["results", str(filled), *where, *names]) == 0
    assert capsys.readouterr().err == f"numasim: wrote {tmp_path / 'r.parquet'}\nnumasim: wrote {tmp_path / 'r.csv'}\n"
    assert main(["results", str(filled), *where, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert main(["schema", "results"]) == 0
    jsonschema.validate(document, json.loads(capsys.readouterr().out))
    from_csv, from_parquet = (
        pandas.read_csv(tmp_path / "r.csv", dtype={"version": str}),
        pandas.read_parquet(tmp_path / "r.parquet"),
    )
    from_json = pandas.DataFrame(document["rows"])
    assert len(from_csv) == len(from_parquet) == len(from_json) > 0
    assert list(from_csv) == list(from_parquet) == list(from_json)
    for column in from_json:
        for frame in (from_csv, from_parquet):
            assert _values(frame[column]) == _values(from_json[column]), column
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "r.parquet"]
    again = tmp_path / "again.parquet"
    assert main(["results", str(filled), *where, "--parquet", str(again)]) == 0
    assert again.read_bytes() == (tmp_path / "r.parquet").read_bytes()


def _values(column: pandas.Series) -> list[object]:  # type: ignore[type-arg]
    """Return the values; a file of CSV does not tell an empty text from none."""
    return [None if value == "" else value for value in column.astype(object).where(column.notna(), None)]


def test_columns_of_numbers_and_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    store = tmp_path / "s.sqlite"
    for values in ({"routing.request": "shortest"}, {"core.window": 4}, {"routing.request": [[[0, 1], [0, 1]]]}):
        run_sweep(small_sweep(machine="two-node", threads=(("0.0.r.1",),), set=values), store, run_one=quick_run)
    assert main(["results", str(store), "--parquet", str(tmp_path / "r.parquet")]) == 0
    frame = pandas.read_parquet(tmp_path / "r.parquet")
    assert set(frame["routing.request"].dropna()) == {"shortest", "[[0, 1], [0, 1]]"}
    assert frame["core.window"].dropna().to_list() == [4, 4]
    capsys.readouterr()
    assert main(["results", str(store), "--csv", "-", "--where", "routing.request like '[[%'"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["routing.request"], row["core.window"]) for row in rows] == [("[[0, 1], [0, 1]]", "")] * 2


def test_the_whole_run_of_a_point(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(filled, read_only=True) as store:
        key = next(store.select().rows)[0]
    assert main(["results", str(filled), "--run", key[:12]]) == 0
    result = RunResult.model_validate_json(capsys.readouterr().out)
    assert result.threads[0].time_per_line_ns == pytest.approx(48.1)
    assert main(["results", str(filled), "--run", "nosuch"]) == 2
    assert "--run: there is no point with such a key (got 'nosuch')" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--where", "sed = 1"], "--where: there is no column sed; did you mean seed?"),
        (["--where", "1; drop table point"], "--where: cannot be read from '; drop table point' on"),
        (["--where", "seed = 1 union select key from owner"], "--where: goes on with union where it should end"),
        (["--table", "owner"], "argument --table: invalid choice: 'owner'"),
        (["--csv", "nosuch/r.csv"], "nosuch/r.csv: cannot be written"),
    ],
)
def test_wrong_questions(arguments: list[str], message: str, filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = filled.read_bytes()
    assert main(["results", str(filled), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert filled.read_bytes() == before


def test_without_pyarrow(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["results", str(filled), "--parquet", str(tmp_path / "r.parquet")]) == 2
    assert (
        "--parquet: needs pyarrow, which is not installed; allowed: what `pip install 'numasim[parquet]'`"
        in capsys.readouterr().err
    )
    assert not list(tmp_path.iterdir())


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("not a store\n", encoding="utf-8")
    for name, message in (("nosuch.sqlite", "there is no such file"), ("notes.txt", "is no SQLite file")):
        assert main(["results", str(tmp_path / name)]) == 2
        assert f"{name}: {message}; allowed: a store that `numasim sweep --store` made\n" in capsys.readouterr().err


def test_reading_while_a_sweep_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        run_sweep(small_sweep(), store, run_one=quick_run)
        store._connection.execute("BEGIN IMMEDIATE")
        assert main(["results", str(tmp_path / "s.sqlite")]) == 0
        store._connection.execute("ROLLBACK")
    assert capsys.readouterr().out.startswith("12 rows of points\n")


@pytest.mark.parametrize("name", ["sweep", "sweep-report", "results"])
def test_schemas(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))
