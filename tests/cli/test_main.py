"""The command as a user meets it: help, versions, exit codes, one line for each mistake."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

import simulator
from simulator.cli import main as module
from simulator.cli.main import COMMANDS, main
from simulator.measure.accuracy import Accuracy
from simulator.validation.reproduce import ACCURACY

PROGRAM = [sys.executable, "-c", "import sys; from simulator.cli.main import main; sys.exit(main())"]


def test_help_is_quick() -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([*PROGRAM, "--help"], capture_output=True, text=True, check=True)
        times.append(time.perf_counter() - start)
    assert all(command in done.stdout for command in COMMANDS)
    assert min(times) < 0.4


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"numasim {simulator.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND; see `numasim --help`"),
        (["nonsense"], "invalid choice: 'nonsense'"),
        (["run"], "required: MACHINE"),
        (["run", "quartet", "0.0.r.0", "--bogus"], "unrecognized arguments: --bogus"),
        (["run", "quartet", "0.0.r.0", "--line", "5"], "unrecognized arguments: --line"),
        (["run", "quartet", "0.0.r.0", "--lines", "none"], "argument --lines: none is not a whole number of at least 1"),
        (["topo", "list", "stray"], "unrecognized arguments: stray"),
        (["reproduce"], "required: REF"),
        (["schema", "nonsense"], "invalid choice: 'nonsense'"),
    ],
)
def test_wrong_command_lines(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_run", interrupted)
    assert main([]) == 130
    assert capsys.readouterr().err == "numasim: interrupted\n"


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -c '{PROGRAM[2]}' schema machine | head -c 10 >/dev/null"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_defaults_are_those_of_the_library() -> None:
    for arguments, accuracy in ((["run", "quartet"], Accuracy()), (["reproduce", "amd-40555"], ACCURACY)):
        args = module.build_parser().parse_args(arguments)
        assert Accuracy(args.ci, args.lines, args.warmup) == accuracy
