"""docs/traces.md: its examples are read, and its program runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.traces.reading import STREAM, read_text

PAGE = (Path(__file__).parents[2] / "docs" / "traces.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```\n", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = [text for language, text in BLOCKS if not language]


def test_the_examples_are_read(tmp_path: Path) -> None:
    seen = {done.form: done for done in (read_text(tmp_path, example) for example in EXAMPLES[:3])}
    assert {form: len(done.rows) for form, done in seen.items()} == {"lackey": 3, "perf": 1, "csv": 3}
    assert seen["lackey"].complaint is not None  # a part, with valgrind's heading
    assert "closing lines" in seen["lackey"].complaint
    assert seen["csv"].complaint is seen["perf"].complaint is None
    assert [row[4] for row in seen["csv"].rows] == [0, 250, 300]


def test_the_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = [text for language, text in BLOCKS if language == "python"]
    exec(program.replace("stream.lackey.gz", str(STREAM)), {})
    said = capsys.readouterr().out
    assert "accesses=63600" in said
    assert "fills=1865" in said
