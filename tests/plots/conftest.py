"""What tests of pictures share."""

from __future__ import annotations

import pytest

from simulator.plots import style


@pytest.fixture
def text_stays_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep text readable in SVG files."""
    settings = style._settings()
    monkeypatch.setattr(style, "_settings", lambda: {**settings, "svg.fonttype": "none"})
