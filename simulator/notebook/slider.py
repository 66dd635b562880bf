"""A slider over pictures that are all drawn beforehand, so that it needs no kernel, and a sheet of all of them below it.

Where widgets work (Jupyter, VS Code, nbviewer, a page made by nbconvert), the slider chooses one of the pictures in the browser.
Where they do not (GitHub, paper, a page without network), the sheet shows what it would have shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from simulator.errors import InputError
from simulator.notebook.show import display, display_png, picture, widgets
from simulator.plots.sheet import sheet

MOST_POSITIONS = 12
_VIEW = "application/vnd.jupyter.widget-view+json"
Value = TypeVar("Value")


def slider(
    label: str,
    values: Sequence[Value],
    draw: Callable[[Value, Path], object],
    *,
    words: Callable[[Value], str] = str,
    start: int = 0,
    columns: int = 2,
) -> None:
    """Show a slider, and below it the pictures of all its positions.

    Parameters
    ----------
    label : str
        What is chosen, unit included.
    values : sequence
        A position each, at most `MOST_POSITIONS`.
    draw : callable
        Writes the picture of a value to a path, as a PNG. It is called once for each value, at once.
    words : callable
        Names a value beside the slider.
    start : int
        Position at first, from 0.
    columns : int
        Of the sheet.

    Raises
    ------
    InputError
        No values or too many, no such position or number of columns, or ipywidgets is not installed.
    """
    if not 1 <= len(values) <= MOST_POSITIONS:
        allowed = f"1 to {MOST_POSITIONS} positions"
        raise InputError("a slider draws all its pictures at once", field=label, value=len(values), allowed=allowed)
    if not 0 <= start < len(values):
        raise InputError("there is no such position", field=label, value=start, allowed=f"0 to {len(values) - 1}")
    if columns < 1:
        raise InputError("a sheet has columns", field=label, value=columns, allowed="1 or more")
    names = [words(value) for value in values]
    pngs = [picture(lambda path, value=value: draw(value, path)) for value in values]  # type: ignore[misc]
    positions = f"{label}: {', '.join(names)}"
    forms = _widget(label, names, pngs, start)._repr_mimebundle_()
    display({_VIEW: forms[_VIEW], "text/plain": f"[slider over {positions}; all its pictures are below]"})
    display_png(sheet(pngs, columns), f"pictures for {positions}")


def _widget(label: str, names: Sequence[str], pngs: Sequence[bytes], start: int) -> Any:
    """Return a slider that moves a stack of images; the browser links them, no kernel is asked."""
    kit = widgets()
    choice = kit.SelectionSlider(
        options=names,
        index=start,
        description=label,
        continuous_update=True,
        style={"description_width": "initial"},
        layout={"width": "95%", "max_width": "640px"},
    )
    # Outside its own cell no image is shrunk to nothing: a stack has no width of its own.
    images = [kit.Image(value=png, format="png", layout={"max_width": "100%", "width": "640px"}) for png in pngs]
    stack = kit.Stack(images, selected_index=start)
    kit.jslink((choice, "index"), (stack, "selected_index"))
    return kit.VBox([choice, stack])
