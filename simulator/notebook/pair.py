"""A notebook is a pair: a text that is written by hand, and the same with its outputs, which is made.

The text is Python in jupytext's percent format. What is made of it holds no clock, no path, no version and no random name, so
that executing it again changes nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simulator.errors import InputError, NumasimError
from simulator.files import write_text
from simulator.optional import optional_module

_EXTRA, _PURPOSE = "notebooks", "executing a notebook"
_WIDGETS = "application/vnd.jupyter.widget-state+json"
_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_QUIET = "--log-level=ERROR"  # of the kernel, which else warns of its own ports
_PAIRED = {"jupytext": {"formats": "ipynb,py:percent"}}

Notebook = Any


def execute(source: Path, *, timeout_s: int = 600) -> Notebook:
    """Run a text and return the notebook with its outputs.

    Parameters
    ----------
    source : Path
        In percent format. It runs in its own folder.
    timeout_s : int
        Of a cell.

    Raises
    ------
    InputError
        The text cannot be read, or a package of the extra `notebooks` is not installed.
    NumasimError
        A cell failed, took too long, ended its kernel, or wrote a warning.
    """
    notebook = _read_text(source)
    client = optional_module("nbclient", _EXTRA, _PURPOSE)
    errors = optional_module("nbclient.exceptions", _EXTRA, _PURPOSE)
    folder = {"metadata": {"path": str(source.resolve().parent)}}
    options = {"timeout": timeout_s, "kernel_name": "python3", "record_timing": False, "extra_arguments": [_QUIET]}
    options["coalesce_streams"] = True  # what is printed stays together, however slowly it comes
    options["shutdown_kernel"] = "immediate"  # a kernel that is asked to end may grumble
    execution = client.NotebookClient(notebook, resources=folder, **options)
    try:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            runner.get_loop().run_until_complete(execution.async_execute())
    except errors.CellExecutionError as error:
        raise NumasimError(f"{source.name}: a cell failed: {error.ename}: {error.evalue}") from None
    except errors.CellTimeoutError:
        raise NumasimError(f"{source.name}: a cell took longer than {timeout_s} s") from None
    except errors.DeadKernelError:
        raise NumasimError(f"{source.name}: a cell ended its kernel") from None
    warned = [output.text for cell in notebook.cells for output in cell.get("outputs", ()) if output.get("name") == "stderr"]
    if warned:
        said = (warned[0].strip() or "an empty line").splitlines()[-1]
        raise NumasimError(f"{source.name}: a cell wrote to stderr: {said}")
    return _settled(notebook)


def write_executed(source: Path) -> Path:
    """Execute a text and write the notebook beside it, as ``.ipynb``; return where.

    Errors as for `execute`.
    """
    target = source.with_suffix(".ipynb")
    write_text(target, json.dumps(execute(source), indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    return target


def out_of_step(source: Path, notebook: Path) -> list[str]:
    """Say where the cells of the two differ; nothing where they are a pair.

    Raises
    ------
    InputError
        jupytext is not installed.
    """
    written = [(cell.cell_type, cell.source) for cell in _read_text(source).cells]
    made = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    found = [(cell["cell_type"], _joined(cell["source"])) for cell in made]
    if len(written) != len(found):
        return [f"{source.name} has {len(written)} cells, {notebook.name} {len(found)}"]
    return [f"cell {place} differs" for place, (one, other) in enumerate(zip(written, found, strict=True), 1) if one != other]


class _Loop(asyncio.SelectorEventLoop):
    """Lets Ctrl-C end the program: nbclient would stop the kernel, and then take it for one that died."""

    def add_signal_handler(self, *_: object) -> None:
        raise RuntimeError("signals are handled elsewhere")

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Say nothing of what Ctrl-C has left; all else is raised."""


def _read_text(source: Path) -> Notebook:
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "is not UTF-8"
        raise InputError(f"cannot be read: {reason.lower()}", file=str(source), allowed="a text in percent format") from None
    return optional_module("jupytext", _EXTRA, _PURPOSE).reads(text, fmt="py:percent")


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _settled(notebook: Notebook) -> Notebook:
    """Return the notebook as plain data, with names by place where those of the moment stood."""
    plain = json.loads(json.dumps(notebook))
    for place, cell in enumerate(plain["cells"], start=1):
        cell["id"] = f"cell-{place:02}"
        cell["metadata"] = {}
    plain["metadata"] = {**_KERNEL, **_PAIRED, **_widgets(plain["metadata"])}
    return _renamed(plain)


def _widgets(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of the widgets, if there are any: what a page needs to show them without a kernel."""
    return {"widgets": {_WIDGETS: metadata["widgets"][_WIDGETS]}} if metadata.get("widgets") else {}


def _renamed(plain: dict[str, Any]) -> Notebook:
    """Give widgets, whose names are random, names by the order in which they were made."""
    state = plain["metadata"].get("widgets", {}).get(_WIDGETS, {}).get("state", {})
    text = json.dumps(plain, ensure_ascii=False)
    for number, name in enumerate(state, start=1):
        text = text.replace(name, f"widget-{number:04}")
    return json.loads(text)
