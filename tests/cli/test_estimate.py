"""`numasim estimate`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.cli.schema import schema
from simulator.theory.estimate_report import Estimate

SHORT = ["--lines", "1200", "--warmup", "100", "--ci", "2"]
CROSSFIRE = ["0.0.w.1", "1.0.w.0"]


def _json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Estimate:
    assert main(["estimate", *arguments, "--json"]) == code
    text = capsys.readouterr().out
    jsonschema.validate(json.loads(text), schema("estimate"))
    return Estimate.model_validate_json(text)


def _titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith(" ")]


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "quartet", *CROSSFIRE]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.isascii()
    assert _titles(out) == [
        "Most that threads on quartet can do, GB/s, without simulation",
        "Stations: least use at the threads' shares, and ns that a line of each thread asks",
        "All threads, GB/s",
    ]
    assert "link 0->1" in out


def test_nothing_is_simulated_and_little_is_imported() -> None:
    code = (
        "import sys; from simulator.cli.main import main; main(['estimate', 'quartet', '0.0.r.0', '-o', '/dev/null'])\n"
        "print([name for name in ('simpy', 'numba', 'matplotlib', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_crossfire_and_two_local_writers(capsys: pytest.CaptureFixture[str]) -> None:
    crossfire = _json(capsys, "quartet", *CROSSFIRE)
    assert {(thread.fair_limit, thread.fullest) for thread in crossfire.threads} == {("window", "link 0->1")}
    assert crossfire.total.simulated_gb_per_s is None
    assert crossfire.laws == ()
    local = _json(capsys, "quartet", "0.0.w.0", "0.1.w.0")
    assert {thread.fair_limit for thread in local.threads} == {"node 0 DRAM"}
    full = _json(capsys, "quartet", *CROSSFIRE, "--set", "core.window=5")
    assert {thread.fair_limit for thread in full.threads} <= {"link 0->1", "link 1->0"}


def test_a_run_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", "quartet", "0.0.w.0", "0.1.w.0", "--run", *SHORT]) == 0
    assert _titles(capsys.readouterr().out)[3:] == ["The run, steady: how far it came", "Laws, checked on the run"]
    report = _json(capsys, "quartet", "0.0.w.0", "0.1.w.0", "--background", "1.0.r.1@low", "--run", *SHORT)
    assert report.verdict == "steady"
    assert report.total.of_bound_percent == pytest.approx(100, abs=2)
    assert all(thread.of_alone_percent is not None and thread.of_alone_percent <= 102 for thread in report.threads)
    assert report.laws
    assert all(law.holds for law in report.laws)
    assert {one.name: one.simulated_utilization for one in report.stations}["node 0 DRAM"] == pytest.approx(1, abs=0.02)
    assert report.provenance.run is not None


def test_against_a_file_is_the_same_as_running(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    assert main(["run", "two-node", "0.0.w.1", "-o", str(file), *SHORT]) == 0
    against = _json(capsys, "two-node", "0.0.w.1", "--against", str(file))
    assert against == _json(capsys, "two-node", "0.0.w.1", "--run", *SHORT)


def test_a_run_that_was_too_short_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["quartet", *CROSSFIRE, "--run", "--lines", "200", "--ci", "0.01"]
    assert _json(capsys, *arguments, code=1).verdict == "too short"


def test_a_law_that_fails_is_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    assert main(["run", "one-node", "0.0.r.0", "-o", str(file), *SHORT]) == 0
    document = json.loads(file.read_text())
    document["controllers"]["0"]["utilization"] *= 1.1
    file.write_text(json.dumps(document))
    assert main(["estimate", "one-node", "0.0.r.0", "--against", str(file)]) == 1
    assert "fails" in capsys.readouterr().out


def test_order_of_arguments_does_not_matter(capsys: pytest.CaptureFixture[str]) -> None:
    background = ["--background", "2.0.r.2@1", "--background", "3.0.r.3@high"]
    one = _json(capsys, "quartet", *CROSSFIRE, *background)
    assert one == _json(capsys, *background[2:], "quartet", *background[:2], *CROSSFIRE[::-1])


def test_many_threads_fit_on_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    labels = [f"{node}.{core}.r.{(node + 1) % 4}" for node in range(4) for core in range(12)]
    assert main(["estimate", "xeon-e7-4830v3-4s", *labels]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) < 160


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["quartet"], "a run needs at least one thread"),
        (["quartet", "0.0.x.1"], "not a thread label"),
        (["quartet", "9.0.r.1"], "quartet has no node 9"),
        (["nonsense", "0.0.r.0"], "nonsense"),
        (["quartet", "0.0.r.0", "--against", "none.json"], "none.json: cannot be read"),
        (["quartet", "0.0.r.0", "--against", "."], "is a folder"),
        (["quartet", "0.0.r.0", "--against", "bad.json"], "bad.json: is no run"),
        (["quartet", "0.0.r.0", "--against", "other.json"], "is a run of another machine"),
        (["one-node", "0.0.w.0", "--against", "other.json"], "is a run of another workload"),
        (["one-node", "0.0.r.0", "--set", "controller.read_ns=14", "--against", "other.json"], "another machine: nodes differ"),
        (["one-node", "0.0.r.0", "--against", "other.json", "-o", "other.json"], "is the run itself"),
        (["one-node", "0.0.r.0", "--against", "other.json", "--run"], "not allowed with"),
        (["one-node", "0.0.r.0", "-o", ""], "-o: is no file name"),
    ],
)
def test_wrong_input(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("[[[1")
    assert main(["run", "one-node", "0.0.r.0", "-o", "other.json", *SHORT]) == 0
    capsys.readouterr()
    assert main(["estimate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_the_machine_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, mine, link = tmp_path / "base.toml", tmp_path / "mine.toml", tmp_path / "link.json"
    base.write_text('schema_version = 1\nextends = "two-node"\nname = "base"\ntitle = "base"\nsource = "test"\n')
    mine.write_text('schema_version = 1\nextends = "base.toml"\nname = "mine"\ntitle = "mine"\nsource = "test"\n')
    link.symlink_to(mine)
    before = [base.read_text(), mine.read_text()]
    for place in (mine, link, base):
        assert main(["estimate", str(mine), "0.0.r.1", "-o", str(place)]) == 2
        assert "-o: is the machine file" in capsys.readouterr().err
    assert [base.read_text(), mine.read_text()] == before


@pytest.mark.parametrize("lacking", ["threads", "links", "controllers"])
def test_a_run_that_lacks_something_is_refused(lacking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.json"
    assert main(["run", "two-node", "0.0.r.1", "-o", str(path), *SHORT]) == 0
    run = json.loads(path.read_text())
    path.write_text(json.dumps({**run, lacking: type(run[lacking])()}))
    assert main(["estimate", "two-node", "0.0.r.1", "--against", str(path)]) == 2
    assert f"--against: is a run whose {lacking} are not those that it says it is of" in capsys.readouterr().err
