"""The document of a trace: written to its schema, consistent, and a tampered one is found out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from simulator.cli.schema import schema
from simulator.errors import InputError
from simulator.observe import check, write
from simulator.observe.check import inconsistencies
from simulator.observe.document import TraceDocument
from simulator.observe.write import read_trace, trace_text
from tests.observe.recordings import crossfire, from_start
from tests.oracle.machines import round_machine
from tests.oracle.watch import once

Events = list[dict[str, Any]]


@pytest.fixture(scope="module")
def text() -> str:
    """A window of crossfire."""
    return trace_text(crossfire(250.0))


@pytest.fixture
def document(text: str) -> dict[str, Any]:
    """The same, to be tampered with."""
    return dict(json.loads(text))


def _wrong(document: dict[str, Any]) -> list[str]:
    return inconsistencies(TraceDocument.model_validate(document))


def _first(document: dict[str, Any], phase: str, category: str | None = None) -> dict[str, Any]:
    events: Events = document["traceEvents"]
    return next(event for event in events if event["ph"] == phase and category in (None, event.get("cat")))


def test_it_keeps_to_its_schema_and_to_itself(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema("trace")).validate(document)
    assert _wrong(document) == []


def test_a_viewer_finds_the_events_first(text: str) -> None:
    """Perfetto takes a file for JSON by its first characters, and stops at a key it does not know."""
    assert text.startswith('{"traceEvents":[\n{"ph":"M"')
    assert list(json.loads(text)) == ["traceEvents", "displayTimeUnit", "schema_version", "otherData"]
    assert text.isascii()


def test_there_is_a_track_a_component(document: dict[str, Any]) -> None:
    events: Events = document["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] in ("thread_name", "process_name")}
    assert {"threads", "links", "node 0", "node 1", "0.0.w.1 slot 3", "3.0.r.3 slot 7", "node 0 DRAM", "link 0->1"} <= names
    assert {event["ph"] for event in events} == {"M", "X", "b", "e", "s", "t", "f", "C"}
    counters = {event["name"] for event in events if event["ph"] == "C"}
    assert {"waiting: link 0->1", "free: link 0->1", "busy %: link 0->1", "busy %: node 1 DRAM"} <= counters


def test_an_arrow_goes_from_the_request_over_every_server_to_the_data() -> None:
    """One line over one link: issue at 0, link at 10, DRAM at 37, link back at 87, at the SRI at 106."""
    machine = round_machine([0, 1], [(0, 1)])
    events: Events = json.loads(trace_text(from_start(machine, [once(0, 0, "r", 1)])))["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    arrow = [
        (event["ph"], event["ts"], tracks[event["tid"]])
        for event in events
        if event.get("cat") == "line" and event["ph"] in "stf"
    ]
    slot = "0.0.r.1 slot 0"
    assert arrow == [
        ("s", 0.0, slot),
        ("t", 0.010, "link 0->1"),
        ("t", 0.037, "node 1 DRAM"),
        ("t", 0.087, "link 1->0"),
        ("f", 0.106, slot),
    ]
    answer = [(event["ph"], event["ts"], tracks[event["tid"]]) for event in events if event.get("cat") == "answer"]
    assert answer == [("s", 0.077, "link 1->0"), ("f", 0.096, slot)]


def _remove(phase: str, category: str | None = None) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["traceEvents"].remove(_first(document, phase, category))


def _set(phase: str, category: str | None, **values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: _first(document, phase, category).update(values)


def _swap_counters(document: dict[str, Any]) -> None:
    counters = [event for event in document["traceEvents"] if event["ph"] == "C" and event["name"] == "busy %: link 0->1"]
    counters[0]["ts"], counters[1]["ts"] = counters[1]["ts"], counters[0]["ts"]
    document["traceEvents"].sort(key=lambda event: event.get("ts", -1))
    counters[1]["ts"] = counters[0]["ts"]


def _lengthen_a_part(document: dict[str, Any]) -> None:
    """Let the last part of a line reach into its core time."""
    events: Events = document["traceEvents"]
    core = next(event for event in events if event["ph"] == "X" and event["name"] == "core")
    line = next(event for event in events if event.get("cat") == "line" and event["tid"] == core["tid"])
    line["dur"] += 0.001


def _column(table: str, column: str, row: int, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["otherData"][table][column].__setitem__(row, value)


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (_remove("e"), "begins but does not end"),
        (_remove("b"), "ends but has not begun"),
        (_remove("f"), "has not one beginning and one end: s"),
        (_remove("s"), "has not one beginning and one end: t"),
        (_set("s", "line", ts=1e6), "at 1000000.0 us is in no slice of track"),
        (_set("e", None, ts=0.0), "stands behind one at"),
        (_swap_counters, "counter busy %: link 0->1 goes back in time"),
        (_set("C", None, args={"busy": -1.0}), "is below zero"),
        (_set("X", "service", dur=10.0), "overlaps the one before it"),
        (_lengthen_a_part, "slice core at"),
        (_set("X", "service", tid=99), "track 99 of process"),
        (lambda document: document["otherData"]["hops"]["port"].pop(), "columns of hops differ in length"),
        (_column("hops", "port", 0, 999), "hops.port names a row that ports does not have"),
        (_column("packets", "cause", 0, -1), "packets.cause names a row that packets does not have"),
        (_column("hops", "granted", 5, 0), "hop 5 goes back in time"),
        (_column("hops", "arrived", 5, 0), "hop 5 arrives before it has left"),
        (_column("spans", "end", 0, 1 << 40), "have a gap at"),
        (_column("pool_changes", "free", 3, 99), "do not add up at"),
        (_column("pool_changes", "time", 3, 0), "changes of pools go back in time at 0 ps"),
    ],
)
def test_a_tampered_document_is_found_out(
    document: dict[str, Any], tamper: Callable[[dict[str, Any]], None], message: str
) -> None:
    tamper(document)
    assert any(message in sentence for sentence in _wrong(document))


def test_a_line_that_does_not_add_up(document: dict[str, Any]) -> None:
    lines = document["otherData"]["transactions"]
    row = next(row for row, time in enumerate(lines["completed"]) if time is not None and not lines["eviction"][row])
    lines["completed"][row] += 1
    assert _wrong(document) == [f"spans of transaction {row} do not add up to its latency"]


class TestReading:
    def test_what_was_written_is_read(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "trace.json"
        path.write_text(text)
        document = read_trace(path)
        assert document.otherData.machine == "quartet"
        assert document.otherData.provenance.engine == "simpy"
        assert document.otherData.closed - document.otherData.opened == 250_000

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("{}", "is no trace: Field required"),
            ("[1, 2", "is no trace: Invalid JSON"),
            ('{"traceEvents": [{"ph": "Q"}], "displayTimeUnit": "ns"}', "traceEvents.0: is no trace"),
        ],
    )
    def test_something_else(self, content: str, message: str, tmp_path: Path) -> None:
        path = tmp_path / "other.json"
        path.write_text(content)
        with pytest.raises(InputError) as caught:
            read_trace(path)
        assert message in str(caught.value)

    def test_a_tampered_file(self, document: dict[str, Any], tmp_path: Path) -> None:
        path = tmp_path / "tampered.json"
        _remove("e")(document)
        path.write_text(json.dumps(document))
        with pytest.raises(InputError, match="tampered.json: contradicts itself: .* begins but does not end"):
            read_trace(path)

    def test_no_file_and_too_large_a_file(self, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(InputError, match="cannot be read: no such file"):
            read_trace(tmp_path / "none.json")
        path = tmp_path / "trace.json"
        path.write_text(text)
        monkeypatch.setattr(write, "MOST_BYTES", len(text) - 1)
        with pytest.raises(InputError, match="is too large"):
            read_trace(path)


def test_too_large_a_document_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = crossfire(100.0)
    size = len(trace_text(recording))
    monkeypatch.setattr(write, "MOST_BYTES", size)
    assert len(trace_text(recording)) == size
    monkeypatch.setattr(write, "MOST_BYTES", size - 1)
    with pytest.raises(
        InputError, match=r"window: the document would be \d+ MB \(got 100\.0\); allowed: .* up to about (89|90) ns"
    ):
        trace_text(recording)
    assert check.MOST_BYTES == 100_000_000


def test_equal_arguments_give_equal_bytes(text: str) -> None:
    assert trace_text(crossfire(250.0)) == text
