"""Files and tables of a reproduction."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema

from simulator.tables import plain_text
from simulator.validation.reference import Reference
from simulator.validation.report import Reproduction
from simulator.validation.reproduce import Replay, reproduce
from simulator.validation.save import reproduction_csv, reproduction_json, save_reproduction
from simulator.validation.tables import reproduction_tables
from tests.validation.fakes import changed_run, idle_latency


def test_json_is_what_its_schema_says(replay: Replay) -> None:
    document = json.loads(reproduction_json(replay.report))
    jsonschema.validate(document, Reproduction.model_json_schema())
    assert Reproduction.model_validate(document) == replay.report


def test_csv_has_a_row_for_each_number(replay: Replay) -> None:
    rows = list(csv.DictReader(io.StringIO(reproduction_csv(replay.reference, replay.report))))
    kinds = [row["kind"] for row in rows]
    assert {kind: kinds.count(kind) for kind in kinds} == {"bar": 44, "load": 14, "order": 14, "anchor": 6}
    crossfire = next(row for row in rows if row["figure"] == "7" and row["case"] == "crossfire")
    assert crossfire["threads"] == "0.0.w.1 1.0.w.0"
    assert crossfire["background"] == "0.1.r.0@0.5 1.1.r.1@0.5 2.0.r.2@0.5 3.0.r.3@0.5"
    assert (crossfire["published"], crossfire["calibration"]) == ("144.0", "true")
    bare = next(row for row in rows if row["figure"] == "8")
    assert (bare["published"], bare["error_percent"], bare["calibration"]) == ("", "", "false")


def test_saved_files(replay: Replay, tmp_path: Path) -> None:
    paths = save_reproduction(replay.reference, replay.report, tmp_path)
    assert [path.name for path in paths] == ["reproduce.json", "reproduce.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["reproduce.csv", "reproduce.json"]


def test_tables_say_everything(replay: Replay) -> None:
    text = plain_text(reproduction_tables(replay.reference, replay.report))
    assert [line for line in text.splitlines() if line and not line.startswith(" ")] == [
        "Bars: time a line, % of 0.0.r.0 alone",
        "Loads",
        "Orders: slower case first",
        "Anchors",
        "Summary",
    ]
    lines = text.splitlines()
    assert "  6       crossfire        0.0.w.1 1.0.w.0           149      149.0     +0.0  0.42" in lines
    assert "  9       crossfire        0.0.w.1 1.0.w.0  not recorded      160.0        -  0.42" in lines
    assert "  not recorded: no published value recorded; the case is simulated all the same" in lines
    assert any(line.split()[-4:] == ["14", "of", "14", "all"] or "14 of 14" in line for line in lines)
    assert text.isascii()
    assert max(map(len, lines)) <= 100


def test_a_standstill_is_shown_as_no_value(reference: Reference) -> None:
    run = changed_run({}, standstill="0.0.w.1 1.0.w.0")
    replay = reproduce(reference, ["6"], run_one=run, idle_latency=idle_latency)
    lines = plain_text(reproduction_tables(reference, replay.report)).splitlines()
    assert "  6       crossfire     0.0.w.1 1.0.w.0        149          -        -     -" in lines
