"""The picture of the truth table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simulator.plots import style
from simulator.plots import truth_table as module
from simulator.plots.truth_table import draw_truth_table
from simulator.validation.truth_table import truth_table
from simulator.validation.truth_table_report import TruthTable
from tests.validation.pairs import pair_run, stuck_run

SOME = tuple(f"{node}.{core}.{mode}.{memory}" for node in (0, 1) for core in (0, 1) for mode in "rw" for memory in (0, 1))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> TruthTable:
    """Two nodes' worth of pairs, one of them at a standstill."""
    return truth_table(tmp_path_factory.mktemp("table") / "store.sqlite", threads=SOME, run_one=stuck_run)


def test_png_and_svg_the_same_each_time(table: TruthTable, tmp_path: Path) -> None:
    written = draw_truth_table(table, tmp_path / "truth-table")
    assert [path.name for path in written] == ["truth-table.png", "truth-table.svg"]
    once = [path.read_bytes() for path in written]
    assert once == [path.read_bytes() for path in draw_truth_table(table, tmp_path / "truth-table")]
    with Image.open(written[0]) as picture:
        assert picture.width > 600


def test_every_block_is_named(table: TruthTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = style._settings()
    monkeypatch.setattr(style, "_settings", lambda: {**settings, "svg.fonttype": "none"})
    written = draw_truth_table(table, tmp_path / "picture.svg")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", written[0].read_text(encoding="utf-8"))
    for name in ("node 0", "node 1", *(f"core {core} {mode}" for core in (0, 1) for mode in "rw")):
        assert texts.count(name) == (2 if name.startswith("node") else 4)
    assert {"first thread", "second thread", "a core each: simulated, %", "both on one core: time slicing, %"} <= set(texts)
    assert any("% of 0.0.r.0 alone" in text for text in texts)


def test_rows_are_the_first_thread(table: TruthTable) -> None:
    simulated, sliced = module._values(table, "simulated"), module._values(table, "time slicing")
    value = {(row.first, row.second): row.percent for row in table.rows}
    for row, first in enumerate(table.threads):
        for column, second in enumerate(table.threads):
            shown = [grid[row, column] for grid in (simulated, sliced) if not np.isnan(grid[row, column])]
            expected = value[first, second]
            assert shown == ([] if expected is None else [expected])


def test_one_thread_alone_can_be_drawn(tmp_path: Path) -> None:
    one = truth_table(tmp_path / "store.sqlite", threads=["0.0.r.0"], run_one=pair_run)
    assert draw_truth_table(one, tmp_path / "one.png")[0].stat().st_size > 0
