"""Pictures beside each other on one sheet, and pictures made small enough to be kept in a notebook."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image

from simulator.plots.style import DOTS_AN_INCH

_COLOURS = 128  # more than a plain picture needs, its smoothed edges included
_GAP = 12  # pixels between pictures
_PIXELS_AN_INCH = 96  # of a browser, whatever the screen (CSS)


def small_png(png: bytes) -> bytes:
    """Return a PNG with a palette, a third as large; the same bytes every time.

    Parameters
    ----------
    png : bytes
    """
    return _written(Image.open(io.BytesIO(png)).convert("RGB"))


def sheet(pngs: Sequence[bytes], columns: int = 2) -> bytes:
    """Lay pictures out row by row, each in a cell as large as the largest of them.

    Parameters
    ----------
    pngs : sequence of bytes
        At least one.
    columns : int

    Returns
    -------
    bytes
        PNG.
    """
    pictures = [Image.open(io.BytesIO(png)).convert("RGB") for png in pngs]
    columns = min(columns, len(pictures))
    wide, tall = (max(picture.size[side] for picture in pictures) + _GAP for side in (0, 1))
    whole = Image.new("RGB", (columns * wide, -(-len(pictures) // columns) * tall), "white")
    for place, picture in enumerate(pictures):
        whole.paste(picture, (place % columns * wide, place // columns * tall))
    return _written(whole)


def width_on_page(png: bytes) -> int:
    """Return the width in a browser's pixels at which text has the size that it was drawn with."""
    return round(Image.open(io.BytesIO(png)).width * _PIXELS_AN_INCH / DOTS_AN_INCH)


def _written(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    # Not by frequency: the few pixels of a mark count as much as the many of the ground.
    few = picture.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
