"""What a report reads: each kind is known by what is in it, and what cannot be shown is refused in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.measure.result import RunResult
from simulator.report.documents import MOST_STORED_RUNS, read_documents
from simulator.report.page import report_html


def _changed(path: Path, tmp_path: Path, change: Any) -> Path:
    table = json.loads(path.read_text(encoding="utf-8"))
    change(table)
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(table), encoding="utf-8")
    return changed


def test_each_kind_is_known_by_its_contents(
    run_file: Path, trace_file: Path, other_files: dict[str, Path], tmp_path: Path
) -> None:
    renamed = tmp_path / "no-ending"
    renamed.write_bytes(run_file.read_bytes())
    found = read_documents([renamed, trace_file, *other_files.values()])
    assert [run.name for run in found.runs if isinstance(run.result, RunResult)][0] == "no-ending"
    assert len(found.traces) == len(found.loaded) == len(found.reproductions) == len(found.stores) == 1
    assert len(found.runs) == 1 + 4 + 1  # itself, the points of the store, the replay


def test_points_of_a_store_are_named_by_what_differs(other_files: dict[str, Path]) -> None:
    found = read_documents([other_files["store"]])
    names = [run.name for run in found.runs]
    assert names[0] == "sweep.sqlite: 0.0.r.0, link.latency_ns 4" and len(set(names)) == 4 <= MOST_STORED_RUNS
    assert len(found.stores[0].rows) == 4 and found.stores[0].more == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1, 2]", "is of no kind that a report shows"),
        ("{}", "is of no kind that a report shows"),
        ("{", "is no JSON"),
        ("[" * 5000, "is no JSON"),
        ("", "is no JSON"),
        ("SQLite format 3\x00nonsense", "changed.json"),
        ('{"window_ns": 1, "threads": [], "links": {}}', "is damaged: field required"),
        ('{"traceEvents": []}', "is no trace"),
        ('{"bars": 1, "anchors": 2}', "is damaged"),
    ],
)
def test_what_it_cannot_show_is_refused(content: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "changed.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="changed.json") as error:
        report_html(read_documents([path]))
    assert words in str(error.value)


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_documents([tmp_path / "nothing.json"])
    with pytest.raises(InputError, match="is a folder"):
        read_documents([tmp_path])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no file"):
        read_documents([tmp_path / "pipe"])


def _bad_label(run: dict[str, Any]) -> None:
    run["threads"][0]["label"] = "<b>"


def _no_machine(run: dict[str, Any]) -> None:
    run["provenance"]["machine"] = {}


def _loose_link(run: dict[str, Any]) -> None:
    run["provenance"]["machine"]["links"][0]["ends"] = [0, 77]


def _not_a_number(run: dict[str, Any]) -> None:
    run["links"]["0->1"]["utilization"] = float("nan")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_bad_label, "not a thread label"),
        (_no_machine, "provenance.machine"),
        (_loose_link, "node 77, which is not there"),
        (_not_a_number, "not finite"),
    ],
)
def test_damage_that_no_schema_shows_is_refused(change: Any, words: str, run_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        report_html(read_documents([_changed(run_file, tmp_path, change)]))


def test_a_trace_of_another_workload_is_refused(trace_file: Path, tmp_path: Path) -> None:
    def change(trace: dict[str, Any]) -> None:
        trace["otherData"]["provenance"]["workload"]["threads"].pop()

    with pytest.raises(InputError, match="differs from what its machine and workload have"):
        report_html(read_documents([_changed(trace_file, tmp_path, change)]))


def test_a_reproduction_whose_bars_its_reference_does_not_have_is_refused(other_files: dict[str, Path], tmp_path: Path) -> None:
    def change(report: dict[str, Any]) -> None:
        report["bars"][0]["figure"] = "99"

    with pytest.raises(InputError, match="names what its reference does not have"):
        report_html(read_documents([_changed(other_files["reproduction"], tmp_path, change)]))


def test_the_page_never_replaces_what_it_is_made_of(run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "run.json"
    copy.write_bytes(run_file.read_bytes())
    assert main(["report", str(copy), "-o", str(copy)]) == 2
    assert "is the input" in capsys.readouterr().err and copy.read_bytes() == run_file.read_bytes()
    assert main(["report", str(copy)]) == 2
    assert main(["report", "-", "-o", "page.html"]) == 2
    assert main(["report", str(copy), "-o", str(tmp_path / "missing" / "page.html")]) == 2
    assert main(["report", str(tmp_path / "nothing.json"), "-o", str(tmp_path / "page.html")]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
