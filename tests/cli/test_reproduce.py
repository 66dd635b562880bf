"""`numasim reproduce` and `numasim schema`, with a model that answers at once."""

from __future__ import annotations

import json
import os
import pty
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import jsonschema
import pytest

from simulator.cli.main import main
from simulator.validation import reproduce as module
from simulator.validation.report import Reproduction
from tests.validation.fakes import changed_run, idle_latency, published_run

REF = ["reproduce", "amd-40555", "--jobs", "1"]


@pytest.fixture(autouse=True)
def quick_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs answer at once."""
    _use(monkeypatch, published_run)


def _use(monkeypatch: pytest.MonkeyPatch, run: object) -> None:
    original = getattr(module.reproduce, "func", module.reproduce)
    monkeypatch.setattr(module, "reproduce", partial(original, run_one=run, idle_latency=idle_latency))


def test_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*REF, "--out", str(tmp_path / "new" / "folder")]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("\nevery tolerance holds\n")
    assert out.startswith("Bars: time a line, % of 0.0.r.0 alone\n  figure  case ")
    assert "\x1b" not in out
    assert err == f"numasim: wrote 31 files in {tmp_path / 'new' / 'folder'}\n"
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    breakdown = {f"breakdown.{kind}" for kind in ("csv", "png", "svg")}
    assert names == {"reproduce.json", "reproduce.csv", "runs", "links.png", "links.svg"} | breakdown | {
        f"figure-{number}.{kind}" for number in range(4, 16) for kind in ("png", "svg")
    }


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*REF, "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == ""
    assert main(["schema", "reproduce"]) == 0
    jsonschema.validate(document, json.loads(capsys.readouterr().out))
    assert document == json.loads(Reproduction.model_validate(document).model_dump_json())


def test_output_does_not_depend_on_place_or_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    for name, jobs in (("a", "1"), ("b", "2")):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert main(["reproduce", "amd-40555", "--jobs", jobs, "--figure", "6", "--out", "results"]) == 0
        outputs.append({path.name: path.read_bytes() for path in Path("results").iterdir() if path.is_file()})
    assert outputs[0] == outputs[1]


def test_chosen_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*REF, "--figure", "4", "--figure", "10", "--out", str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.glob("*.png")} == {"figure-4", "figure-10", "breakdown"}
    assert "0-2 hop" in capsys.readouterr().out


def test_a_missed_tolerance_is_said_with_its_size(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _use(monkeypatch, changed_run({"0.0.w.1 1.0.w.0": 135.0}))
    assert main([*REF, "--figure", "6"]) == 1
    out = capsys.readouterr().out
    assert "missed: figure 6, crossfire: error is -9.40 %, allowed 5 %: 4.40 too much\n" in out
    assert "every tolerance holds" not in out


def test_a_file_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = Path(__file__).resolve().parents[2] / "references" / "amd-40555.toml"
    own = tmp_path / "own.toml"
    own.write_text(
        shipped.read_text(encoding="utf-8").replace("published_percent = 149", "published_percent = 139"), encoding="utf-8"
    )
    assert main(["reproduce", str(own), "--jobs", "1", "--figure", "5"]) == 1
    assert "figure 5, 0.0.w.3: error is 7.19 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "there is no reference of that name (got 'nosuch'); allowed: a path, or one of amd-40555"),
        (["./nosuch.toml"], "./nosuch.toml: cannot be read: no such file or directory"),
        (["amd-40555", "--figure", "99"], "--figure: amd-40555 has no such figure (got '99'); allowed: 4, 5, 6"),
        (["amd-40555", "--out", "/dev/null/results"], "/dev/null/results: cannot be written: not a directory"),
        (["amd-40555", "--out", "/dev/null"], "/dev/null: cannot be written: file exists"),
        (["amd-40555", "-o", "/nonexistent/x.json"], "cannot be written: no such file or directory"),
        (["amd-40555", "--jobs", "0"], "argument --jobs: 0 is not a whole number of at least 1"),
        (["amd-40555", "--ci", "-1"], "ci: confidence out of range"),
    ],
)
def test_wrong_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("numasim: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_interrupt_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*args: object, **settings: object) -> None:
        raise KeyboardInterrupt

    _use(monkeypatch, interrupted)
    assert main([*REF, "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == f"numasim: finished runs are kept in {tmp_path / 'runs'}\nnumasim: interrupted\n"
    assert main(REF) == 130
    assert capsys.readouterr().err.startswith("numasim: nothing is kept; with --out DIR finished runs are\n")


@pytest.mark.parametrize(("stream", "shown"), [("stdout", "every tolerance holds"), ("stderr", "amd-40555: runs")])
def test_colours_and_progress_on_a_terminal(stream: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give one stream a terminal of its own and read what appears there."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    mine, theirs = pty.openpty()
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.extend(_until_closed(mine)))
    reader.start()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, stream, terminal)
        assert main([*REF, "--figure", "4"]) == 0
    reader.join(timeout=10)
    os.close(mine)
    text = b"".join(read).decode()
    assert "\x1b[" in text
    assert shown in text


def _until_closed(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # what Linux says when the other end is closed
            return
        if not data:
            return
        yield data


@pytest.mark.parametrize("name", ["machine", "reference", "run", "reproduce", "topo-list", "topo-show", "topo-check"])
def test_schemas(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    text = capsys.readouterr().out
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    assert main(["schema", name, "-o", str(tmp_path / "schema.json")]) == 0
    assert (tmp_path / "schema.json").read_text() == text
