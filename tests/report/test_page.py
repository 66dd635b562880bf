"""The page of a report: whole in itself, the same for the same results, harmless whatever is in them, all numbers as text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.errors import InputError
from simulator.measure.result import RunResult
from simulator.measure.tables import run_tables
from simulator.observe.life import PART_WORDS, line_steps
from simulator.observe.read_back import trace_of
from simulator.observe.write import read_trace
from simulator.report import page
from simulator.report.documents import Named, read_documents
from simulator.report.published import published_table
from simulator.report.runs import breakdown, run_part
from simulator.report.stepping import packed
from simulator.units import LINE_BYTES
from simulator.web.assets import asset

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & 'quoted' \"words\""


def _html(*paths: Path) -> str:
    return page.report_html(read_documents(paths))


def _data(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def _unpacked(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def _run(path: Path) -> RunResult:
    return RunResult.model_validate_json(path.read_bytes())


@pytest.fixture(scope="module")
def html(run_file: Path, trace_file: Path, other_files: dict[str, Path]) -> str:
    """The page of all samples."""
    return _html(run_file, trace_file, *other_files.values())


def test_it_needs_nothing_else(html: str) -> None:
    own = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", html, flags=re.DOTALL)
    assert "connect-src" not in own and "default-src 'none'" in own
    leads = set(re.findall(r'(?:src|href|action)="([^"]*)"', own))
    ids = {f"#{name}" for name in re.findall(r' id="([^"]*)"', own)}
    assert len(leads) > 5 and leads <= {"data:,", *ids}
    assert "url(" not in own and "@import" not in html
    assert len(html.encode()) < page.MOST_BYTES


def test_the_same_results_give_the_same_bytes(html: str, run_file: Path, trace_file: Path, other_files: dict[str, Path]) -> None:
    assert _html(run_file, trace_file, *other_files.values()) == html


def test_every_number_of_a_run_is_there_as_text(run_file: Path) -> None:
    html = _html(run_file)
    cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>([^<]*)</td>", html)]
    for table in run_tables(_run(run_file)):
        for row in table.rows:
            assert all(cell.text in cells for cell in row)


def test_text_from_files_is_never_markup(run_file: Path, trace_file: Path, tmp_path: Path) -> None:
    for path, place in ((run_file, ()), (trace_file, ("otherData",))):
        table = json.loads(path.read_text(encoding="utf-8"))
        inner = table
        for key in place:
            inner = inner[key]
        inner["machine"] = EVIL
        inner["provenance"]["machine"]["title"] = inner["provenance"]["machine"]["name"] = EVIL
        inner["provenance"]["version"] = EVIL
        if "verdict_detail" in inner:
            inner["verdict_detail"] = EVIL
        changed = tmp_path / "<i>name.json"
        changed.write_text(json.dumps(table), encoding="utf-8")
        html = _html(changed)
        own = html.replace(asset("vendor/plotly-basic.min.js"), "")
        assert "alert(1)</script>" not in own and "<img" not in own and "<i>name" not in own
        assert unescape(html).count(EVIL) >= 2


def test_a_page_that_grows_too_large_is_refused(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST_BYTES", 1_000_000)
    with pytest.raises(InputError, match="shorter --window"):
        _html(run_file)


def test_bars_of_the_breakdown_add_up(run_file: Path) -> None:
    result = _run(run_file)
    data = breakdown(result.breakdown)
    assert data is not None and len(data["paths"]) == 2  # the foreground's
    for place, path in enumerate(path for path in result.breakdown if not path.background):
        whole = sum(part["ns"][place] for part in data["parts"])
        assert whole == pytest.approx(path.latency_ns + path.core_ns, rel=0.01)


def test_published_numbers_stand_beside_those_of_a_run(published_file: Path, run_file: Path, tmp_path: Path) -> None:
    table = published_table(_run(published_file))
    assert table is not None
    texts = {row[0].text: row for row in table.rows}
    times = [thread.time_per_line_ns or 0.0 for thread in _run(published_file).threads]
    bar = texts["time a line, crossfire, ns"]
    assert bar[1].text.startswith("figure 6, page 26: 149 %") and bar[3].text == f"{sum(times) / 2:.4g}"
    assert bar[2].text == f"{1.49 * LINE_BYTES / 1.64:.4g}"  # of the base's 1.64 GB/s
    assert texts["0.0.w.1 1.0.w.0: link 0->1, GB/s"][2].text == "3.5"
    assert "constants differ" not in table.note
    assert published_table(_run(run_file)) is None  # a background that nobody has published
    main(
        ["run", "quartet", "0.0.r.0", "--set", "link.latency_ns=9", "--lines", "600", "--ci", "9", "-o", str(tmp_path / "r.json")]
    )
    changed = published_table(_run(tmp_path / "r.json"))
    assert changed is not None and "constants differ" in changed.note


def test_a_window_is_told_in_the_words_of_the_trace(trace_file: Path) -> None:
    window = _data(_html(trace_file))["windows"][0]
    data = _unpacked(window["packed"])
    trace = trace_of(read_trace(trace_file).otherData)
    told = {int(row): life for row, life in data["lives"]["rows"].items()}
    whole = [row for row, line in enumerate(trace.transactions) if not line.eviction and line.completed_ps is not None]
    assert sorted(told) == whole
    texts, parts = data["lives"]["texts"], [part["words"] for part in data["parts"]]
    for row in whole:
        steps = line_steps(trace, trace.transactions[row])
        assert [(at, takes, texts[where], texts[what]) for at, takes, _, where, what in told[row]["steps"]] == [
            (step.at_ps, step.takes_ps, step.where, step.what) for step in steps
        ]
        assert [None if part is None else parts[part] for _, _, part, _, _ in told[row]["steps"]] == [
            None if step.part is None else PART_WORDS[step.part] for step in steps
        ]


def test_the_replay_has_every_packet_on_a_link_and_every_change_of_a_pool(trace_file: Path) -> None:
    document = read_trace(trace_file).otherData
    data = _unpacked(_data(_html(trace_file))["windows"][0]["packed"])
    links = {row for row, port in enumerate(document.ports) if port.kind == "link"}
    for name, column in (("queued", document.hops.queued), ("arrived", document.hops.arrived)):
        expected = [time for time, port in zip(column, document.hops.port, strict=True) if port in links]
        got = [time for time, port in zip(data["hops"][name], data["hops"]["port"], strict=True) if port in links]
        assert got == [None if time is None else time - document.opened for time in expected]
    for pool in data["pools"]:
        assert pool["time"][0] == 0 and max(pool["free"]) <= pool["capacity"] and min(pool["free"]) >= 0
    changed = {document.pools[pool].port for pool in document.pool_changes.pool}
    assert {pool["port"] for pool in data["pools"]} <= changed
    assert data["length_ps"] == document.closed - document.opened


def test_loads_over_time_are_shares(trace_file: Path) -> None:
    window = _data(_html(trace_file))["windows"][0]
    assert [load["mean"] for load in window["loads"]] == sorted((load["mean"] for load in window["loads"]), reverse=True)
    for load in window["loads"]:
        assert all(0 <= percent <= 100 for percent in load["percent"]) and load["ns"][-1] == 600.0
        assert sum(load["percent"][:-1]) / (len(load["percent"]) - 1) == pytest.approx(load["mean"], abs=0.1)
    for queue in window["queues"]:
        assert all(len(part["value"]) == len(queue["ns"]) for part in queue["series"])


def test_phases_of_a_program_are_steps_over_its_time(other_files: dict[str, Path]) -> None:
    named = read_documents([other_files["replay"]]).runs[0]
    part = run_part(named, 1)
    assert part["phases"]["names"] == ["sequential", "sequential"] and len(part["phases"]["times_ns"]) == 3
    assert all(len(series["percent"]) == 2 for series in part["phases"]["series"])
    assert {thread["label"] for thread in part["machine"]["threads"]} == {f"worker.{place}" for place in range(8)}


def test_a_standstill_has_a_page_too(run_file: Path) -> None:
    result = _run(run_file)
    still = result.model_copy(update={"breakdown": (), "latency_ns": None, "verdict": "deadlock", "verdict_detail": "a < b"})
    part = run_part(Named("still", still), 1)
    assert part["breakdown"] is None and part["verdict"] == "deadlock"


def test_packed_is_the_same_at_any_time() -> None:
    assert base64.b64decode(packed({"a": 1}))[4:8] == bytes(4)  # gzip's time
    assert _unpacked(packed({"a": [1, None, "x"]})) == {"a": [1, None, "x"]}
