"""Packets moving on a machine, as an animated GIF."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from simulator.errors import InputError
from simulator.files import write_bytes
from simulator.observe.moments import Moments
from simulator.observe.record import Recording
from simulator.plots.moving_square import MovingSquare
from simulator.plots.square import MAX_NODES
from simulator.plots.style import house_style
from simulator.units import ps_from_ns

STEP_NS = 4.0  # a short packet is on a link for about four pictures
MOST_FRAMES = 120
_FRAME_MS = 90
_COLOURS = 128


def draw_animation(recording: Recording, path: str | os.PathLike[str], *, most_frames: int = MOST_FRAMES) -> None:
    """Draw a window from its opening on, a picture every `STEP_NS`; what does not fit into `most_frames` is left out.

    Parameters
    ----------
    recording : Recording
    path : path
        Of the GIF.
    most_frames : int

    Raises
    ------
    InputError
        The machine has more than `MAX_NODES` nodes, or the file cannot be written.
    """
    nodes = len(recording.machine.nodes)
    if nodes > MAX_NODES:
        raise InputError("too many nodes for a picture", field="nodes", value=nodes, allowed=f"at most {MAX_NODES}")
    first, *others = _frames(recording, most_frames)
    # The legend is in every picture, and so is every colour; maximum coverage keeps those that are rare.
    palette = first.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in others]
    buffer = io.BytesIO()
    palette.save(buffer, "GIF", save_all=True, append_images=pictures, duration=_FRAME_MS, loop=0, optimize=False)
    write_bytes(path, buffer.getvalue())


def frame_times_ps(recording: Recording, most_frames: int = MOST_FRAMES) -> range:
    """Return the instants that are drawn."""
    trace = recording.trace
    step_ps = ps_from_ns(STEP_NS)
    count = min(most_frames, (trace.closed_ps - trace.opened_ps) // step_ps + 1)
    return range(trace.opened_ps, trace.opened_ps + count * step_ps, step_ps)


def _frames(recording: Recording, most_frames: int) -> Iterator[Image.Image]:
    moments = Moments(recording.trace)
    with house_style():
        square = MovingSquare(recording)
        canvas: Any = FigureCanvasAgg(square.figure)  # matplotlib gives its methods no types
        canvas.draw()
        still = canvas.copy_from_bbox(square.figure.bbox)
        for time_ps in frame_times_ps(recording, most_frames):
            canvas.restore_region(still)
            square.show(moments, time_ps)
            for artist in square.moving:
                square.figure.draw_artist(artist)
            yield Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
