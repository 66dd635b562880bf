"""`numasim reproduce truth-table`, with a model that answers at once."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.validation import truth_table as module
from tests.validation.pairs import FEW, Interrupted, pair_run, stuck_run

TABLE = ["reproduce", "truth-table", "--jobs", "1"]


@pytest.fixture(autouse=True)
def quick_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs answer at once, and only a few be asked for."""
    _use(monkeypatch, pair_run)


def _use(monkeypatch: pytest.MonkeyPatch, run: object) -> None:
    original = getattr(module.truth_table, "func", module.truth_table)
    monkeypatch.setattr(module, "truth_table", partial(original, threads=FEW, run_one=run, runs_in_a_batch=1))


def test_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "folder"
    assert main([*TABLE, "--out", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Best placements of quartet (25 pairs, ")
    assert "a writer on node 0 with its memory one hop away on node 1 beside a writer on node 1" in out
    kinds = {"json", "csv", "png", "svg", "sqlite"}
    names = {path.name for path in folder.iterdir()} - {"truth-table.parquet"}
    assert names == {f"truth-table.{kind}" for kind in kinds}
    assert err.endswith(f"files in {folder}\n")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TABLE, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert main(["schema", "truth-table"]) == 0
    jsonschema.validate(json.loads(out), json.loads(capsys.readouterr().out))
    assert json.loads(out)["schema_version"] == 1


def test_output_does_not_depend_on_place_or_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    for name, jobs in (("a", "1"), ("b", "2")):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert main(["reproduce", "truth-table", "--jobs", jobs, "--out", "results"]) == 0
        outputs.append({path.name: path.read_bytes() for path in Path("results").iterdir() if path.suffix != ".sqlite"})
    assert outputs[0] == outputs[1]


def test_a_run_that_is_not_steady(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _use(monkeypatch, stuck_run)
    assert main([*TABLE, "--out", str(tmp_path)]) == 1
    assert "numasim: 0.0.w.1 1.0.w.0: deadlock, a waits for b\n" in capsys.readouterr().err
    assert (tmp_path / "truth-table.csv").exists()


def test_interrupt_and_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "results"
    _use(monkeypatch, Interrupted(tmp_path / "log", stops_at=5))
    assert main([*TABLE, "--out", str(folder)]) == 130
    store = folder / "truth-table.sqlite"
    kept = f"4 of 14 runs are in {store}; the same command goes on from there"
    assert capsys.readouterr().err == f"numasim: {kept}\nnumasim: interrupted\n"
    _use(monkeypatch, Interrupted(tmp_path / "log"))
    assert main([*TABLE, "--out", str(folder)]) == 0
    assert len((tmp_path / "log").read_text().splitlines()) == 14
    _use(monkeypatch, Interrupted(tmp_path / "other", stops_at=1))
    assert main(TABLE) == 130
    assert "nothing is kept; with --out DIR finished runs are" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--figure", "4"], "--figure: the truth table has no figures (got '4')"),
        (["--out", "/dev/null/results"], "/dev/null/results: cannot be written: not a directory"),
        (["--seed", "-1"], "--seed: -1 is not a whole number from 0 to 9223372036854775807"),
        (["--ci", "-1"], "ci: confidence out of range"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TABLE, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
