"""docs/workload-files.md names every key, and what it shows is what the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.cli.schema import schema
from simulator.program.spec import Program

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "workload-files.md").read_text(encoding="utf-8")
TABLES = dict(schema("workload")["$defs"])


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_key_is_named(name: str) -> None:
    assert [key for key in TABLES[name]["properties"] if f"`{key}`" not in PAGE] == []


def test_every_pattern_and_every_key_of_the_file_is_named() -> None:
    patterns = {one for table in TABLES.values() for one in _words(table["properties"].get("pattern", {}))}
    assert [pattern for pattern in sorted(patterns) if f'`"{pattern}"`' not in PAGE] == []
    assert [key for key in Program.model_fields if f"`{key}`" not in PAGE and f"[{key}]" not in PAGE] == []


def test_the_example_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0], encoding="utf-8")
    ((command, shown),) = re.findall(r"```\n\$ numasim ([^\n]+)\n(.*?)\n\.\.\.\n```", PAGE, re.DOTALL)
    assert main(command.split()) == 0
    assert capsys.readouterr().out.startswith(shown + "\n")


@pytest.mark.parametrize("page", ["placement.md", "workload-files.md"])
def test_the_python_examples_run(page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(DOCS.parent)
    (example,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, page, "exec"), {})
    wanted = {"placement.md": "[0 1 2 3]\n", "workload-files.md": "{0: 4096, 1: 4096, 2: 4096, 3: 4096} 5\n"}
    assert capsys.readouterr().out == wanted[page]


def _words(schema: dict[str, object]) -> list[str]:
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return [str(word) for word in words]  # type: ignore[attr-defined]
