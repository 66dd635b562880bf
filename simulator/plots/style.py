"""How every picture looks, and how it is written: the same numbers always give the same bytes."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from simulator.errors import InputError
from simulator.files import write_bytes

# Okabe and Ito's palette: told apart with every common colour blindness, and in grey.
PUBLISHED = "#b3b3b3"
SIMULATED = "#0072b2"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
INK = "#222222"
FAINT = "#8a8a8a"
UTILIZATION_MAP = "viridis_r"
DOTS_AN_INCH = 150  # of a PNG

_FORMATS = ("png", "svg")
_OTHER_FORMATS = (".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".gif", ".webp", ".tif", ".tiff", ".bmp")
_NO_PICTURES = (".txt", ".md", ".json", ".csv", ".toml", ".xml", ".html", ".parquet", ".sqlite")


def _settings() -> Any:
    return {
        "font.family": "DejaVu Sans",  # ships with matplotlib, so pictures are the same everywhere
        "font.size": 10,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": FAINT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 12,
        "xtick.color": INK,
        "ytick.color": INK,
        "svg.hashsalt": "numasim",
        "text.parse_math": False,  # names of machines and files may hold dollar signs
        "savefig.dpi": DOTS_AN_INCH,
    }


@contextmanager
def house_style() -> Iterator[None]:
    """Draw inside this, whatever settings the user's matplotlib has."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_settings())
        yield


def picture_paths(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Return the files that :func:`save` writes for `path`.

    A path that ends in ``.png`` or ``.svg`` is that file. One that ends as files of other kinds do is refused. Any other gives
    both, with these ends added: of ``v1.2``, ``v1.2.png`` and ``v1.2.svg``.

    Raises
    ------
    InputError
        The end asks for another format, or the path has no name of a file at its end.
    """
    target, allowed = Path(path), ".png, .svg, or neither for both"
    if os.path.basename(os.fspath(path)) in ("", ".", ".."):
        raise InputError("is no file name of a picture", value=os.fspath(path), allowed=f"a name in {allowed}")
    if target.suffix.lower().lstrip(".") in _FORMATS:
        return (target,)
    if target.suffix.lower() in (*_OTHER_FORMATS, *_NO_PICTURES):
        raise InputError("pictures are not written in this format", file=os.fspath(path), allowed=allowed)
    return tuple(target.with_name(f"{target.name}.{kind}") for kind in _FORMATS)


def save(figure: Figure, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a picture as PNG, SVG or both (:func:`picture_paths`), and return the files.

    Raises
    ------
    InputError
        A file cannot be written.
    """
    written = picture_paths(path)
    for target in written:
        kind = target.suffix.lower().lstrip(".")
        metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}  # no version, no clock
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight", pad_inches=0.15)
        write_bytes(target, buffer.getvalue())
    return written
