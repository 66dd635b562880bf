"""The slider: all its pictures are drawn at once, the browser chooses, and a sheet stands below."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from simulator.errors import InputError, NumasimError
from simulator.notebook import pair, show
from simulator.notebook.slider import MOST_POSITIONS, slider
from simulator.plots.lines import Axis, Series, draw_lines
from simulator.plots.sheet import width_on_page

VIEW = "application/vnd.jupyter.widget-view+json"


def draw(value: int, path: Path) -> None:
    """Draw something that differs by value."""
    draw_lines([Series("one", [(0, value)], "points")], path, x=Axis("x", 2), y=Axis("y", 9), title=f"value {value}")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what cells show."""
    display = pytest.importorskip("IPython.display")
    outputs: list[dict[str, Any]] = []
    monkeypatch.setattr(display, "display", lambda forms, **_: outputs.append(forms))
    return outputs


def test_widget_first_then_the_sheet(shown: list[dict[str, Any]]) -> None:
    pytest.importorskip("ipywidgets")
    drawn: list[int] = []
    slider(
        "lines",
        [1, 4, 8],
        lambda value, path: (drawn.append(value), draw(value, path)),
        words=lambda value: f"<{value}>",
        start=1,
    )
    assert drawn == [1, 4, 8]
    widget, below = shown
    assert VIEW in widget
    assert "lines: <1>, <4>, <8>" in widget["text/plain"]
    assert all(width_on_page(below["image/png"]) > 1.8 * width_on_page(one) for one in pictures(widget))
    choice, stack = _children(widget)
    assert (choice.index, stack.selected_index) == (1, 1)
    assert len(set(pictures(widget))) == 3


def pictures(widget: dict[str, Any]) -> list[bytes]:
    """Return the pictures that a slider chooses from."""
    return [image.value for image in _children(widget)[1].children]


def _children(widget: dict[str, Any]) -> tuple[Any, Any]:
    from ipywidgets.widgets.widget import _instances

    one, other = _instances[widget[VIEW]["model_id"]].children
    return one, other


@pytest.mark.parametrize("count", [0, MOST_POSITIONS + 1])
def test_too_few_or_too_many_positions_are_refused(count: int) -> None:
    with pytest.raises(InputError, match="1 to 12 positions"):
        slider("lines", list(range(count)), draw)


@pytest.mark.parametrize(
    ("place", "message"),
    [({"start": 2}, "allowed: 0 to 1"), ({"start": -1}, "allowed: 0 to 1"), ({"columns": 0}, "allowed: 1 or more")],
)
def test_no_such_place_is_refused_before_anything_is_drawn(place: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        slider("lines", [1, 4], lambda value, path: pytest.fail("drawn"), **place)


def test_without_ipywidgets_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("ipywidgets"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr("simulator.optional.import_module", lambda name: missing(name))
    with pytest.raises(InputError, match=r"ipywidgets.*numasim\[notebooks\]"):
        show.widgets()


def write(path: Path, code: str) -> Path:
    """Write a notebook's text."""
    path.write_text(f"# %% [markdown]\n# # A title\n\n# %%\n{code}\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_cell_that_fails_or_warns_leaves_nothing_written(tmp_path: Path) -> None:
    pytest.importorskip("nbclient")
    for code, said in (("1 / 0", "a cell failed: ZeroDivisionError"), ("import sys; print('oh', file=sys.stderr)", "stderr: oh")):
        with pytest.raises(NumasimError, match=said):
            pair.write_executed(write(tmp_path / "text.py", code))
    assert [path.name for path in tmp_path.iterdir()] == ["text.py"]
