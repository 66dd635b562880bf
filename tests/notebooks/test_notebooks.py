"""The notebooks in notebooks/: each is a pair in step, has the parts that a reader is promised, and runs."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = sorted((ROOT / "notebooks").glob("*.py"))
MOST_BYTES = 3_000_000  # of all executed notebooks together
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"

pytestmark = pytest.mark.notebooks
each = pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.stem)


def cells(text: Path) -> list[dict[str, Any]]:
    """Return the cells of the executed notebook."""
    return list(json.loads(text.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"])


def written(text: Path, kind: str) -> list[str]:
    """Return the sources of one kind of cells."""
    return ["".join(cell["source"]) for cell in cells(text) if cell["cell_type"] == kind]


def outputs(text: Path) -> list[dict[str, Any]]:
    """Return the outputs of all cells."""
    return [output for cell in cells(text) for output in cell.get("outputs", ())]


def test_there_are_six_and_each_has_its_pair() -> None:
    assert [text.stem[:2] for text in TEXTS] == ["01", "02", "03", "04", "05", "06"]
    assert sorted((ROOT / "notebooks").glob("*.ipynb")) == [text.with_suffix(".ipynb") for text in TEXTS]
    assert sum(text.with_suffix(".ipynb").stat().st_size for text in TEXTS) < MOST_BYTES


@each
def test_the_pair_is_in_step(text: Path) -> None:
    """Whoever changes the text has to execute it again: make notebooks."""
    pytest.importorskip("jupytext")
    from simulator.notebook.pair import out_of_step

    assert out_of_step(text, text.with_suffix(".ipynb")) == []


def test_a_pair_out_of_step_is_found(tmp_path: Path) -> None:
    pytest.importorskip("jupytext")
    from simulator.notebook.pair import out_of_step

    source, made = TEXTS[0].read_text(encoding="utf-8"), TEXTS[0].with_suffix(".ipynb")
    changed = tmp_path / "changed.py"
    changed.write_text(source.replace("**Question.**", "**A question.**", 1), encoding="utf-8")
    assert out_of_step(changed, made) == ["cell 1 differs"]
    changed.write_text(source + "\n# %%\n1 + 1\n", encoding="utf-8")
    assert "cells" in out_of_step(changed, made)[0]


@each
def test_it_opens_with_a_question_and_says_what_one_learns(text: Path) -> None:
    first = written(text, "markdown")[0]
    title, _, rest = first.partition("\n\n")
    assert title.startswith(f"# {int(text.stem[:2])}. ")
    found = re.match(r"\*\*Question\.\*\*(.*?)\n\n\*\*You will learn\*\*\n\n((?:- .*?\n)+)\n", rest, re.DOTALL)
    assert found is not None
    assert "?" in found[1]
    assert len(re.findall(r"^- ", found[2], re.MULTILINE)) >= 4
    assert "Guess before you go on" in rest or "write down your answer" in rest


@each
def test_it_has_exercises_whose_answers_are_hidden(text: Path) -> None:
    exercises = written(text, "markdown")[-1].partition("## Exercises\n")[2]
    parts = re.findall(r"\*\*(\d)\.\*\*.*?<details><summary>Answer</summary>\n\n.+?\n\n</details>", exercises, re.DOTALL)
    assert parts == [str(number) for number in range(1, len(parts) + 1)]
    assert len(parts) >= 3
    assert exercises.count("<details>") == exercises.count("</details>") == len(parts)


@each
def test_its_sliders_need_no_kernel(text: Path) -> None:
    """Each has its widgets' state in the file, linked by the browser, and a picture of all positions right below."""
    document = json.loads(text.with_suffix(".ipynb").read_text(encoding="utf-8"))
    state = document["metadata"]["widgets"][STATE]["state"]
    shown = [output.get("data", {}) for output in outputs(text)]
    places = [place for place, data in enumerate(shown) if VIEW in data]
    assert places
    for place in places:
        assert "image/png" in shown[place + 1]
        slide, stack = (state[name.removeprefix("IPY_MODEL_")]["state"] for name in box(state, shown[place]))
        assert len(slide["_options_labels"]) == len(stack["children"]) >= 4
        assert all(state[name.removeprefix("IPY_MODEL_")]["buffers"] for name in stack["children"])
    links = [one for one in state.values() if one["model_name"] == "LinkModel"]
    assert len(links) == len(places)


def box(state: dict[str, Any], data: dict[str, Any]) -> list[str]:
    """Return the children of the box that an output shows."""
    return list(state[data[VIEW]["model_id"]]["state"]["children"])


@each
def test_it_was_executed_in_full_and_holds_nothing_of_the_moment(text: Path) -> None:
    code = [cell for cell in cells(text) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert {output["output_type"] for output in outputs(text)} <= {"stream", "display_data"}
    assert not any(output.get("name") == "stderr" for output in outputs(text))
    whole = text.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert not re.search(r"\b[0-9a-f]{32}\b|\b20\d\d-\d\d-\d\d[T ]\d|/home/|/root/|/tmp/|\"version\": \"3", whole)


@each
def test_it_is_a_thin_user_of_the_library(text: Path) -> None:
    tree = ast.parse(text.read_text(encoding="utf-8"))
    assert not any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    modules = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert modules <= {"simulator", "random", "dataclasses", "tomllib", *(["simpy"] if text.stem.startswith("01") else [])}


@each
@pytest.mark.slow
def test_it_runs_and_gives_what_is_kept(text: Path, tmp_path: Path) -> None:
    """Tables and printed numbers must be equal; pictures may differ with the version of matplotlib."""
    pytest.importorskip("nbclient")
    for name in ("notebooks", "experiments"):
        (tmp_path / name).symlink_to(ROOT / name) if name == "experiments" else (tmp_path / name).mkdir()
    copy = tmp_path / "notebooks" / text.name
    copy.write_text(text.read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-m", "simulator.cli.notebooks", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert [said(output) for output in outputs(copy)] == [said(output) for output in outputs(text)]


def said(output: dict[str, Any]) -> str:
    """Return the text of an output."""
    return "".join(output.get("text") or output["data"]["text/plain"])
