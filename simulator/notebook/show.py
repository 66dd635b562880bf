"""Pictures and tables as outputs of a cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from simulator.optional import optional_module
from simulator.tables import Table

Draw = Callable[[Path], object]
_EXTRA, _PURPOSE = "notebooks", "a notebook"


def show(words: str, draw: Draw) -> None:
    """Show a picture below the cell.

    Parameters
    ----------
    words : str
        What it shows, for where there are no pictures.
    draw : callable
        Writes a PNG to the path that it is called with, as all of `simulator.plots` do.

    Raises
    ------
    InputError
        IPython is not installed.
    """
    display_png(picture(draw), words)


def show_table(*tables: Table) -> None:
    """Show tables as text: read the same in a notebook, on a page and in a terminal.

    Raises
    ------
    InputError
        IPython is not installed.
    """
    from simulator.tables import plain_text

    display({"text/plain": plain_text(tables).rstrip("\n")})


def picture(draw: Draw) -> bytes:
    """Return what `draw` writes, made small."""
    from simulator.plots.sheet import small_png

    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.png"
        draw(path)
        return small_png(path.read_bytes())


def display_png(png: bytes, words: str) -> None:
    """Show a PNG as large as it was drawn, or as the page is wide; the words stand for it where there are no pictures."""
    from simulator.plots.sheet import width_on_page

    display({"image/png": png, "text/plain": f"[{words}]"}, {"image/png": {"width": width_on_page(png)}})


def display(forms: dict[str, Any], about: dict[str, Any] | None = None) -> None:
    """Show one thing, given in several forms by MIME type; the reader's program takes the one that it likes best."""
    optional_module("IPython.display", _EXTRA, _PURPOSE).display(forms, metadata=about, raw=True)


def widgets() -> Any:
    """Return ipywidgets.

    Raises
    ------
    InputError
        It is not installed.
    """
    return optional_module("ipywidgets", _EXTRA, _PURPOSE)
