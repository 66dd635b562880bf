"""Where commands write: devices and links stay what they are, and no output replaces what is read."""

from __future__ import annotations

import io
import os
import shutil
import threading
from functools import partial
from pathlib import Path

import pandas
import pytest

from simulator.cli.main import main
from simulator.files import write_bytes
from simulator.sweep import run_sweep
from simulator.validation import reproduce as reproduce_module
from simulator.validation import truth_table as truth_table_module
from tests.sweep.fakes import quick_run, small_sweep
from tests.validation.fakes import idle_latency, published_run
from tests.validation.pairs import FEW, pair_run

SPEC = 'machine = "mine.toml"\nthreads = [["0.0.r.1"]]\n[accuracy]\nlines = 300\nwarmup = 50\nci_percent = 50.0\n'


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store, to be copied."""
    path = tmp_path_factory.mktemp("store") / "s.sqlite"
    run_sweep(small_sweep(), path, run_one=quick_run)
    return path


@pytest.fixture
def here(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a store, a sweep file and a machine file."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(kept, "s.sqlite")
    Path("hops.toml").write_text(SPEC, encoding="utf-8")
    Path("mine.toml").write_text('extends = "two-node"\nname = "mine"\n', encoding="utf-8")
    return tmp_path


def _pipe(name: str) -> tuple[threading.Thread, list[bytes]]:
    """Make a pipe that somebody reads."""
    os.mkfifo(name)
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(Path(name).read_bytes()), daemon=True)
    thread.start()
    return thread, read


# -- devices and links --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--csv", "--parquet", "-o"])
def test_a_pipe_stays_a_pipe(option: str, here: Path) -> None:
    pytest.importorskip("pyarrow")
    assert main(["results", "s.sqlite", option, "expected"]) == 0
    thread, read = _pipe("pipe")
    assert main(["results", "s.sqlite", option, "pipe"]) == 0
    thread.join(20)
    assert read == [Path("expected").read_bytes()]
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize("option", ["--csv", "--parquet", "-o"])
def test_a_link_stays_a_link(option: str, here: Path) -> None:
    pytest.importorskip("pyarrow")
    Path("folder").mkdir()
    Path("link").symlink_to("folder/rows")
    for _ in range(2):  # to a file that is not there, then to one that is
        assert main(["results", "s.sqlite", option, "link"]) == 0
        assert Path("link").is_symlink()
        assert Path("folder/rows").stat().st_size > 100
    assert os.listdir("folder") == ["rows"]


def test_pictures_and_tables_in_a_folder_keep_links_and_pipes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truth_table_module, "truth_table", partial(truth_table_module.truth_table, threads=FEW, run_one=pair_run))
    Path("out").mkdir()
    Path("out/truth-table.png").symlink_to("../picture.png")
    thread, read = _pipe("out/truth-table.svg")
    assert main(["reproduce", "truth-table", "--jobs", "1", "--out", "out"]) == 0
    thread.join(20)
    assert Path("out/truth-table.png").is_symlink()
    assert Path("picture.png").read_bytes().startswith(b"\x89PNG")
    assert Path("out/truth-table.svg").is_fifo()
    assert b"<svg" in read[0]


def test_a_file_that_is_open_under_another_name_is_written_in_place(tmp_path: Path) -> None:
    """As /dev/stdout is, where a shell has sent it into a file."""
    with (tmp_path / "shell").open("w+b") as stream:
        write_bytes(f"/proc/self/fd/{stream.fileno()}", b"rows")
        assert stream.read() == b"rows"
    assert os.listdir(tmp_path) == ["shell"]


def test_a_link_to_itself(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("loop").symlink_to("loop")
    assert main(["results", "s.sqlite", "--csv", "loop"]) == 2
    assert "loop: cannot be written" in capsys.readouterr().err
    assert Path("loop").is_symlink()


def test_parquet_on_stdout(here: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pytest.importorskip("pyarrow")
    assert main(["results", "s.sqlite", "--parquet", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert len(pandas.read_parquet(io.BytesIO(out))) == 12
    assert err == b""
    assert not Path("-").exists()


# -- outputs that would replace what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["results", "s.sqlite", "--csv", "s.sqlite"], "s.sqlite: --csv: is the store itself; allowed: another file"),
        (["results", "s.sqlite", "--parquet", "./s.sqlite"], "./s.sqlite: --parquet: is the store itself"),
        (["results", "s.sqlite", "-o", "link"], "link: -o: is the store itself"),
        (["results", "link", "--csv", "s.sqlite"], "s.sqlite: --csv: is the store itself"),
        (["results", "s.sqlite", "--csv", "s.sqlite-wal"], "s.sqlite-wal: --csv: is the store's log itself"),
        (["results", "s.sqlite", "--csv", "r", "--parquet", "./r"], "r: --csv: is what --parquet writes"),
        (["results", "s.sqlite", "--csv", "-", "--parquet", "-"], "-: --csv: is what --parquet writes"),
        (["results", "s.sqlite", "--csv", "r", "--parquet", "nosuch/r"], "nosuch/r: cannot be written"),
        (["sweep", "hops.toml", "--store", "s.sqlite", "-o", "s.sqlite"], "s.sqlite: -o: is the store itself"),
        (["sweep", "hops.toml", "--store", "new.sqlite", "-o", "new.sqlite"], "new.sqlite: -o: is the store itself"),
        (["sweep", "hops.toml", "--store", "new.sqlite", "-o", "hops.toml"], "hops.toml: -o: is the sweep file itself"),
        (
            ["sweep", "hops.toml", "--store", "new.sqlite", "-o", "mine.toml"],
            "mine.toml: -o: is the machine file mine.toml itself",
        ),
        (["sweep", "hops.toml", "--store", "hops.toml"], "hops.toml: is no SQLite file"),
        (["reproduce", "ref.toml", "-o", "./ref.toml"], "./ref.toml: -o: is the reference file itself"),
        (
            ["reproduce", "truth-table", "--out", "out", "-o", "out/truth-table.sqlite"],
            "out/truth-table.sqlite: -o: is the store itself",
        ),
    ],
)
def test_an_output_that_is_an_input(
    arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = Path(__file__).resolve().parents[2] / "references" / "amd-40555.toml"
    shutil.copy(shipped, "ref.toml")
    Path("link").symlink_to("s.sqlite")
    Path("out").mkdir()
    before = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--csv", "r", "--json"], "--json: does not go together with --csv; allowed: one of the two"),
        (["--csv", "r", "-o", "j"], "-o: does not go together with --csv"),
        (["--parquet", "r", "--json"], "--json: does not go together with --parquet"),
        (["--run", "0", "--csv", "r"], "--run: does not go together with --csv"),
        (["--run", "0", "--parquet", "r"], "--run: does not go together with --parquet"),
        (["--run", "0", "--where", "seed = 1"], "--run: does not go together with --where"),
        (["--run", "0", "--table", "points"], "--run: does not go together with --table"),
        (["--run", "\udce9"], "--run: is no text in UTF-8"),
        (["--where", "threads = '\udce9'"], "--where: is no text in UTF-8"),
    ],
)
def test_options_of_results_that_cannot_be_followed(
    arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", "s.sqlite", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert not Path("r").exists()


def test_help_of_results_shows_its_example_as_it_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", "--help"]) == 0
    out = capsys.readouterr().out
    assert "like '0.0.w%'" in out
    assert "%%" not in out


# -- names that are found bad before the work, not after it -------------------------------------------------------------------


def _no_run(*args: object, **settings: object) -> None:
    raise AssertionError("work has begun")


@pytest.mark.parametrize("name", [f"truth-table.{kind}" for kind in ("json", "csv", "parquet", "png", "svg", "sqlite")])
def test_a_folder_in_the_place_of_a_file_of_the_truth_table(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(truth_table_module, "truth_table", partial(truth_table_module.truth_table, threads=FEW, run_one=_no_run))
    (tmp_path / name).mkdir()
    assert main(["reproduce", "truth-table", "--jobs", "1", "--out", str(tmp_path)]) == 2
    assert f"{tmp_path / name}: " in (err := capsys.readouterr().err)
    assert ("cannot be written: is a directory" in err) or name.endswith("sqlite")
    assert "work has begun" not in err


@pytest.mark.parametrize("name", ["reproduce.json", "reproduce.csv", "figure-4.png", "figure-15.svg", "links.svg"])
def test_a_folder_in_the_place_of_a_file_of_a_reproduction(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = partial(reproduce_module.reproduce, run_one=_no_run, idle_latency=idle_latency)
    monkeypatch.setattr(reproduce_module, "reproduce", quick)
    (tmp_path / name).mkdir()
    assert main(["reproduce", "amd-40555", "--jobs", "1", "--out", str(tmp_path)]) == 2
    assert f"{tmp_path / name}: cannot be written: is a directory" in capsys.readouterr().err


def test_a_folder_in_the_place_of_a_figure_that_is_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = partial(reproduce_module.reproduce, run_one=published_run, idle_latency=idle_latency)
    monkeypatch.setattr(reproduce_module, "reproduce", quick)
    (tmp_path / "figure-4.png").mkdir()
    assert main(["reproduce", "amd-40555", "--jobs", "1", "--figure", "6", "--out", str(tmp_path)]) == 0


@pytest.mark.parametrize("reference", ["truth-table", "amd-40555"])
def test_a_folder_without_a_name(
    reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", reference, "--jobs", "1", "--out", ""]) == 2
    assert "is no name of a folder (got ''); allowed: a name; . is the current folder" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# -- seeds --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", ["-1", str(1 << 63), "1.5", "x", "9" * 5000, ""])
@pytest.mark.parametrize("command", [["run", "quartet", "0.0.r.0"], ["reproduce", "amd-40555"], ["matrix", "two-node"]])
def test_seeds_out_of_range(seed: str, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, f"--seed={seed}"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "argument --seed: " in err
    assert "is not a whole number from 0 to 9223372036854775807" in err
    assert len(err) < 300


def test_the_largest_seed(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ["--lines", "300", "--warmup", "50", "--ci", "90", "--json"]
    assert main(["run", "two-node", "0.0.r.0", "--seed", str((1 << 63) - 1), *quick]) == 0
    assert f'"seed": {(1 << 63) - 1}' in capsys.readouterr().out
