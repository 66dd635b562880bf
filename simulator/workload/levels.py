"""AMD's names for how much a background thread asks for."""

from __future__ import annotations

from simulator.outside import read_toml, shipped_folder

_REFERENCE = "amd-40555"


def background_levels() -> dict[str, float]:
    """Return AMD's levels ``low`` to ``very_high`` in GB/s a thread, from the reference file that ships with numasim."""
    table = read_toml(shipped_folder("references") / f"{_REFERENCE}.toml", _REFERENCE, "a reference file")
    return {level["name"]: float(level["gb_per_s"]) for level in table["background_level"]}
