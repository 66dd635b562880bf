"""Where commands write that read a machine: nothing that is read is replaced; bad names are refused before any work."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest

from simulator.cli.documents import machine_files
from simulator.cli.main import main
from simulator.host import measure as host_measure
from simulator.measure import loaded, matrix
from simulator.validation import compare as comparing
from tests.validation.measured import CountedRun

FIXTURES = Path(__file__).parents[1] / "interop" / "fixtures"
ROWS = "from_node,to_node,quantity,value,unit\n0,1,latency,104,ns\n0,0,latency,61,ns\n"
COMPARE = ["compare", "d.csv", "--machine"]


def _no_work(*args: object, **settings: object) -> None:
    raise AssertionError("work has begun")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a measured file and a machine file that extends another; the longer commands do nothing.

    `run` is left as it is: modules that are loaded meanwhile would keep what stands in its place.
    """
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(ROWS)
    Path("base.toml").write_text('extends = "two-node"\nname = "base"\n')
    Path("my.toml").write_text('extends = "base.toml"\nname = "my"\n')
    Path("my.png").write_text('extends = "two-node"\nname = "png"\n')
    Path("my-matrix-3.svg").write_text(ROWS)
    shutil.copy(FIXTURES / "numactl-square-4.txt", "square.txt")
    Path("link").symlink_to("my.toml")
    for place, name in (
        (matrix, "measure_matrix"),
        (loaded, "measure_loaded_latency"),
        (comparing, "compare"),
        (host_measure, "measure_host"),
    ):
        monkeypatch.setattr(place, name, _no_work)
    return tmp_path


def _refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line of a command that does nothing."""
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ") and err.count("\n") == 1
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
    return err


MACHINE_COMMANDS = [
    ["run", "my.toml", "0.0.r.1"],
    ["matrix", "my.toml"],
    ["matrix", "my.toml", "--csv"],
    ["loaded-latency", "my.toml", "--from", "0", "--to", "1"],
    ["topo", "show", "my.toml"],
    ["topo", "check", "my.toml"],
    [*COMPARE, "my.toml"],
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", MACHINE_COMMANDS, ids=" ".join)
def test_the_machine_file_is_not_replaced(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "./my.toml: -o: is the machine file itself; allowed: another file" in _refused([*command, "-o", "./my.toml"], capsys)
    assert "link: -o: is the machine file itself" in _refused([*command, "-o", "link"], capsys)
    assert "base.toml: -o: is the machine file base.toml itself" in _refused([*command, "-o", "base.toml"], capsys)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*COMPARE, "two-node", "--json", "-o", "d.csv"], "d.csv: -o: is the measured file itself; allowed: another file"),
        ([*COMPARE, "two-node", "--csv", "-o", "./d.csv"], "./d.csv: -o: is the measured file itself"),
        ([*COMPARE, "my.png", "--picture", "my.png"], "my.png: --picture: is the machine file itself"),
        ([*COMPARE, "my.png", "--picture", "my"], "my.png: --picture: is the machine file itself"),
        (
            ["compare", "my-matrix-3.svg", "--machine", "two-node", "--picture", "my.svg"],
            "--picture: is the measured file itself",
        ),
        ([*COMPARE, "two-node", "-o", "x.svg", "--picture", "x"], "x.svg: --picture: is what -o writes"),
        (["run", "my.png", "0.0.r.1", "--picture", "my.png"], "my.png: --picture: is the machine file itself"),
        (["matrix", "my.png", "--picture", "my"], "my.png: --picture: is the machine file itself"),
        (["topo", "draw", "my.png", "-o", "my"], "my.png: -o: is the machine file itself"),
        (["topo", "import", "square.txt", "-o", "./square.txt"], "./square.txt: -o: is the file that is read itself"),
    ],
)
def test_nothing_that_is_read_is_replaced(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in _refused(arguments, capsys)


def test_a_shipped_name_is_no_file(here: Path) -> None:
    """`-o two-node` beside a machine of that name is a file like any other."""
    assert machine_files("two-node") == {}
    assert list(machine_files("my.toml").values()) == [Path("my.toml"), Path("base.toml")]
    assert main(["topo", "show", "two-node", "-o", "two-node"]) == 0
    assert "Distances" in (here / "two-node").read_text()


PICTURE_COMMANDS = [
    (["run", "two-node", "0.0.r.1"], "--picture"),
    (["matrix", "two-node"], "--picture"),
    (["loaded-latency", "two-node", "--from", "0", "--to", "1"], "--picture"),
    ([*COMPARE, "two-node"], "--picture"),
    (["topo", "draw", "two-node"], "-o"),
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("command", "option"), PICTURE_COMMANDS, ids=lambda value: value if isinstance(value, str) else value[0])
def test_names_that_are_none_of_a_picture(command: list[str], option: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", ".", "/", "..", "nosuchdir/", "../"):
        message = f"{option}: is no file name of a picture (got '{name}'); allowed: a name in .png, .svg, or neither for both"
        assert message in _refused([*command, option, name], capsys)
    assert f"{option}: a picture needs a file (got '-')" in _refused([*command, option, "-"], capsys)
    for name in ("x.txt", "x.PDF", "my.toml"):
        assert f"{option}: pictures are not written in this format (got '{name}')" in _refused([*command, option, name], capsys)
    assert "nosuch/x.png: cannot be written: no such file or directory" in _refused([*command, option, "nosuch/x.png"], capsys)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "command",
    [*MACHINE_COMMANDS, ["topo", "list"], ["topo", "import", "square.txt"], ["measure"]],
    ids=" ".join,
)
def test_an_output_without_a_name(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    message = "-o: is no file name (got ''); allowed: the name of a file, or - for standard output"
    assert message in _refused([*command, "-o", ""], capsys)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "command", [["topo", "import", ""], ["compare", "", "--machine", "two-node"]], ids=lambda value: value[0]
)
def test_an_input_without_a_name(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert "FILE: is no file name (got ''); allowed: the name of a file, or - for standard input" in _refused(command, capsys)


def test_measure_looks_at_its_output_first(here: Path, capsys: pytest.CaptureFixture[str]) -> None:

    assert "nosuch/m.csv: cannot be written" in _refused(["measure", "-o", "nosuch/m.csv"], capsys)


# -- the standard input -------------------------------------------------------------------------------------------------------


def _typed(text: str | bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_import_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").mkdir()  # is not what - means
    _typed((FIXTURES / "numactl-square-4.txt").read_bytes(), monkeypatch)
    assert main(["topo", "import", "-", "-o", "m.toml"]) == 0
    assert "numasim: wrote m.toml: standard-input: 4 nodes, 8 cores, 4 links; " in capsys.readouterr().err
    text = Path("m.toml").read_text()
    assert "standard input (numactl)" in text and 'name = "standard-input"' in text
    _typed((FIXTURES / "mlc-two-nodes.txt").read_bytes(), monkeypatch)
    assert main(["topo", "import", "-"]) == 0
    assert "to fit the constants to them: numasim calibrate MACHINE --against FILE\n" in capsys.readouterr().err


@pytest.mark.parametrize("text", [ROWS, (FIXTURES / "mlc-two-nodes.txt").read_text()], ids=["csv", "mlc"])
def test_compare_standard_input(text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    comparison = comparing.compare
    monkeypatch.setattr(comparing, "compare", lambda *args, **more: comparison(*args, **more, run_one=CountedRun()))
    _typed(text, monkeypatch)
    assert main(["compare", "-", "--machine", "two-node", "--jobs", "1"]) == 0
    assert "Summary: two-node against the measured values" in capsys.readouterr().out


def test_standard_input_that_tells_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _typed("", monkeypatch)
    assert main(["topo", "import", "-"]) == 2
    assert "standard input: is empty; allowed: the output of a tool" in capsys.readouterr().err
    _typed("nothing of any tool", monkeypatch)
    assert main(["compare", "-", "--machine", "two-node"]) == 2
    assert "standard input: is no output of a tool that is known; allowed: " in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", None)  # closed by the caller
    assert main(["topo", "import", "-"]) == 2
    assert "standard input: is closed" in capsys.readouterr().err


def test_help_says_what_a_dash_is(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["compare"], ["topo", "import"]):
        assert main([*command, "--help"]) == 0
        assert "-: standard input" in " ".join(capsys.readouterr().out.split())
