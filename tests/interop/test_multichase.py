"""multichase: one number after its chatter."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import multichase
from simulator.interop.record import Figure, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("multichase.txt", Figure("chase latency", 143.25, Unit.NS)),
        ("multichase-verbose.txt", Figure("chase latency", 101.125, Unit.NS, threads=2)),
    ],
)
def test_the_number_after_the_chatter(name: str, figure: Figure) -> None:
    source = read_source(FIXTURES / name)
    assert multichase.recognises(source)
    record = multichase.read(source)
    assert record.figures == (figure,)
    assert record.warnings == ("multichase does not tell which CPU asked which node",)


def test_a_lone_number_and_several_runs() -> None:
    assert multichase.recognises(Source("x", "\n 88.5\n"))
    record = multichase.read(Source("x", "multichase -m 1g\n88.5\n89.5\n"))
    assert [figure.value for figure in record.figures] == [88.5, 89.5]
    assert "there are 2 numbers: of several runs" in record.warnings


def test_two_bare_numbers_or_a_whole_one_are_no_multichase() -> None:
    assert not multichase.recognises(Source("x", "88.5\n89.5\n"))
    assert not multichase.recognises(Source("x", "88\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("multichase\n0.0\n", "line 2: is no latency (got '0.0')"),
        ("multichase\n9000000.5\n", "line 2: is no latency"),
        ("Allocated cursor_heap size 4\n\n", "line 1: has no number on a line of its own"),
    ],
)
def test_errors_say_where(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        multichase.read(Source("x", text))
    assert f"x: {message}" in str(caught.value)
