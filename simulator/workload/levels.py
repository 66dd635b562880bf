"""How much background threads ask for: as ``LABEL@GB_PER_S``, or by AMD's names of levels."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.errors import InputError
from simulator.outside import read_toml, shipped_folder
from simulator.workload.labels import parse_background, parse_label

_REFERENCE = "amd-40555"


def background_levels() -> dict[str, float]:
    """Return AMD's levels ``low`` to ``very_high`` in GB/s a thread, from the reference file that ships with numasim."""
    table = read_toml(shipped_folder("references") / f"{_REFERENCE}.toml", _REFERENCE, "a reference file")
    return {level["name"]: float(level["gb_per_s"]) for level in table["background_level"]}


def background_rates(texts: Sequence[str]) -> dict[str, float]:
    """Return the rate, GB/s, that each background label asks for.

    Parameters
    ----------
    texts : sequence of str
        ``LABEL@GB_PER_S``, or ``LABEL@LEVEL``.

    Raises
    ------
    InputError
        One cannot be read, or a label is there twice.
    """
    rates: dict[str, float] = {}
    levels = background_levels() if texts else {}
    for text in texts:
        label, _, level = text.partition("@")
        if level in levels:
            label, rate = parse_label(label).label, levels[level]
        else:
            label, rate = parse_background(text)
        if label in rates:
            raise InputError("is there twice", field="--background", value=label, allowed="one thread a core")
        rates[label] = rate
    return rates
