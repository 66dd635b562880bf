"""Reference files: what ships, and what a user may write wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.validation.reference import Reference
from simulator.validation.reference_file import list_references, load_reference

SHIPPED = Path(__file__).resolve().parents[2] / "references" / "amd-40555.toml"

SMALL = """\
schema_version = 1
name = "small"
title = "a reference for tests"
source = "made up"
machine = "quartet"

[base]
threads = ["0.0.r.0"]
published_gb_per_s = 1.6
source = "made up"

[tolerance]
bars_rms_percent = 3.5
bars_max_percent = 7.0
base_time_per_line_percent = 7.0
loads_rms_percent = 6.0
orders = true

[[background_level]]
name = "low"
gb_per_s = 0.5
assumed = true
source = "made up"

[[anchor]]
quantity = "idle latency"
kind = "idle_latency_ns"
node = 0
memory = 0
value = 95.0
tolerance_percent = 10.0
source = "made up"

[[figure]]
id = "1"
page = 1
title = "one reader"
cases = [
  { name = "near", threads = ["0.0.r.0"], published_percent = 100, calibration = false },
  { name = "far", threads = ["0.0.r.3"], published_percent = 130, calibration = true },
]
orders = [{ slower = "far", faster = "near" }]

[[load]]
page = 2
threads = ["0.0.r.0"]
memory_gb_per_s = { 0 = 1.64 }
calibration = true
"""

BACKGROUND = 'page = 1\nbackground = {{ threads = ["0.1.r.0"], level = "{}" }}\n'
FIGURE = '[[figure]]\nid = "1"\npage = 1\ntitle = "x"\ncases = [{ threads = ["0.0.r.0"], calibration = false }]\n'


def _write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_shipped_reference(reference: Reference) -> None:
    assert list_references() == ["amd-40555"]
    assert reference.machine == "quartet"
    assert [figure.id for figure in reference.figure] == [str(number) for number in range(4, 16)]
    assert reference.base.time_per_line_ns == pytest.approx(39.02, abs=0.01)


def test_calibration_rows(reference: Reference) -> None:
    """A fit may look at every published bar but the base, and at every load; never where the background is assumed."""
    for figure in reference.figure:
        for case in figure.cases:
            base = case.threads == reference.base.threads and figure.background is None
            assert case.calibration == (case.published_percent is not None and not base), (figure.id, case)
    assert sum(case.calibration for figure in reference.figure for case in figure.cases) == 17
    assert all(load.calibration for load in reference.load)
    assumed = {level.name for level in reference.background_level if level.assumed}
    assert assumed == {"medium", "high"}
    levels = {figure.id: figure.background.level for figure in reference.figure if figure.background is not None}
    assert {figure for figure, level in levels.items() if level in assumed} == {"13", "14"}


def test_published_bars_by_hand(reference: Reference) -> None:
    """The bars once more, as numbers in a row, so that a slip in the file shows."""
    bars = [case.published_percent for figure in reference.figure for case in figure.cases if case.published_percent is not None]
    assert bars == [100, 108, 109, 130, 113, 127, 129, 149, 113, 130, 149, 113, 136, 144, 145, 127, 126, 136]
    assert sum(len(figure.cases) for figure in reference.figure) == 44
    assert sum(len(figure.orders) for figure in reference.figure) == 11


def test_every_row_has_a_page(reference: Reference) -> None:
    pages = {figure.id: figure.page for figure in reference.figure}
    assert pages == {
        "4": 21, "5": 22, "6": 26, "7": 27, "8": 28, "9": 29, "10": 30, "11": 31, "12": 32, "13": 33, "14": 33, "15": 34
    }  # fmt: skip
    assert [load.page for load in reference.load] == [22, 22, 40, 40, 26, 26, 42, 42]


def test_own_file_and_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_reference(_write(tmp_path, SMALL)).name == "small"
    assert load_reference(tmp_path / "mine.toml").figure[0].case("far").published_percent == 130
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare").write_text(SMALL, encoding="utf-8")
    assert load_reference("bare").name == "small"
    (tmp_path / "amd-40555").write_text(SMALL, encoding="utf-8")
    assert load_reference("amd-40555").name == "amd-40555"
    assert load_reference("./amd-40555").name == "small"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("published_percent = 130,", "publishd_percent = 130,", r"cases\[2\].publishd_percent: is not a key.*allowed: name"),
        ("published_percent = 130,", 'published_percent = "130",', r"cases\[2\].published_percent: should be a valid number"),
        ("published_percent = 130,", "published_percent = -1,", r"published_percent: should be greater than 0 \(got -1\)"),
        ("published_percent = 130,", "published_percent = nan,", r"published_percent: should be .*number"),
        ("published_percent = 130, ", "", r"without published_percent cannot be a calibration row"),
        ('threads = ["0.0.r.3"]', 'threads = ["0.0.x.3"]', r"threads\[1\]: .*pattern.*\(got '0.0.x.3'\)"),
        ('threads = ["0.0.r.3"]', "threads = []", r"cases\[2\].threads: .*at least 1"),
        ('threads = ["0.0.r.3"]', 'threads = ["0.0.r.3", "0.0.r.3"]', r"a thread is there twice"),
        ('slower = "far"', 'slower = "farther"', r"figure\[1\]: figure 1: an order names the unknown case 'farther'"),
        ('name = "far"', 'name = "near"', r"two cases of one name"),
        ("page = 1\n", "", r"figure\[1\].page: is missing"),
        ("page = 1\n", "page = 1.5\n", r"figure\[1\].page: should be a valid integer \(got 1.5\)"),
        ("schema_version = 1", "schema_version = 2", r"schema_version: should be 1 \(got 2\)"),
        ("page = 1\n", BACKGROUND.format("loud"), r"unknown background level 'loud'; allowed: low"),
        ("page = 1\n", BACKGROUND.format("low"), r"'low' is assumed, so no case of it can be a calibration row"),
        ("memory_gb_per_s = { 0 = 1.64 }\n", "", r"load\[1\]: a load needs memory_gb_per_s"),
        ('threads = ["0.0.r.0"]\nmemory', 'figure = "9"\nmemory', r"a load needs either threads, or figure and case"),
        ('threads = ["0.0.r.0"]\nmemory', 'figure = "9"\ncase = "x"\nmemory', r"unknown case 'x' of figure '9'"),
        ("tolerance_percent = 10.0\n", "", r"value and tolerance_percent go together"),
        ("node = 0\nmemory = 0\n", "", r"anchor\[1\]: node and memory belong to the kind idle_latency_ns"),
        ("[[load]]", FIGURE + "[[load]]", r"figure '1' is there twice"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert SMALL.count(old) >= 1
    path = _write(tmp_path, SMALL.replace(old, new, 1) if "memory" not in old else new.join(SMALL.rsplit(old, 1)))
    with pytest.raises(InputError, match=message) as caught:
        load_reference(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"# only a comment\n", "is empty"),
        (b"\x00\xff\xfe\x01", "is not text"),
        (b"a = [1, 2", "is not TOML"),
        (b"a = " + b"[" * 5000, "nested too deep|is not TOML"),
        (b"#" * (2 << 20), "is too large"),
    ],
)
def test_files_that_are_no_reference(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "junk.toml"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        load_reference(path)


def test_places_that_are_no_file(tmp_path: Path) -> None:
    for place, message in (
        (tmp_path, "is a folder"),
        (tmp_path / "none.toml", "cannot be read"),
        (Path("/dev/null"), "no regular file"),
    ):
        with pytest.raises(InputError, match=message):
            load_reference(place)
    with pytest.raises(
        InputError, match=r"no reference of that name \(got 'truth-table'\); allowed: a path, or one of amd-40555"
    ):
        load_reference("truth-table")


def test_shipped_file_is_found_beside_the_package() -> None:
    assert tomllib.loads(SHIPPED.read_text(encoding="utf-8"))["name"] == "amd-40555"
