"""lat_mem_rd: the rule for plateaus, several strides, texts without a head."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.interop import lat_mem_rd
from simulator.interop.record import Figure, Unit
from simulator.interop.source import Source, read_source

FIXTURES = Path(__file__).parent / "fixtures"
STEPS = [
    Figure("plateau 1", 1.2, Unit.NS, working_set_bytes=32 << 10),
    Figure("plateau 2", 4.8, Unit.NS, working_set_bytes=256 << 10),
    Figure("plateau 3", 12.4, Unit.NS, working_set_bytes=4 << 20),
    Figure("memory latency", 90.0, Unit.NS, working_set_bytes=128 << 20),
]


def test_plateaus_without_a_head() -> None:
    source = read_source(FIXTURES / "lat-mem-rd-bare.txt")
    assert lat_mem_rd.recognises(source)
    record = lat_mem_rd.read(source)
    assert list(record.figures) == STEPS
    assert record.warnings == ("lat_mem_rd does not tell which CPU asked which node",)


def test_each_stride_has_its_plateaus() -> None:
    record = lat_mem_rd.read(read_source(FIXTURES / "lat-mem-rd.txt"))
    assert [(figure.name, figure.value) for figure in record.figures] == [
        ("stride 64: plateau 1", 1.2),
        ("stride 64: plateau 2", 4.8),
        ("stride 64: plateau 3", 12.4),
        ("stride 64: memory latency", 90.0),
        ("stride 256: plateau 1", 2.4),
        ("stride 256: plateau 2", 9.6),
        ("stride 256: memory latency", 24.8),
    ]
    assert record.warnings[1:] == (
        "stride 256: the latency still changes at the largest sizes: memory latency is maybe not reached",
    )


@pytest.mark.parametrize(
    ("latencies", "runs"),
    [
        ((10, 10.9, 11.9), [(0, 2)]),  # at most 10 % for each doubling
        ((10, 10.9, 12.1), []),  # 11 %
        ((10, 10), []),  # two points are none
        ((10, 9.2, 8.5), [(0, 2)]),  # falling as well
        ((1, 1, 1, 5, 5, 5, 5), [(0, 2), (3, 6)]),
    ],
)
def test_the_rule_by_doublings(latencies: tuple[float, ...], runs: list[tuple[int, int]]) -> None:
    assert lat_mem_rd.plateaus([(2.0**place, latency) for place, latency in enumerate(latencies)]) == runs


def test_the_rule_between_near_sizes() -> None:
    near = [(1.0, 10.0), (1.01, 10.29), (1.02, 10.58)]  # 3 % is always flat, however near the sizes
    assert lat_mem_rd.plateaus(near) == [(0, 2)]
    assert lat_mem_rd.plateaus([(size, latency**1.1) for size, latency in near]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"stride=64\n', "line 1: has no sizes with latencies"),
        ('"stride=64\n1.0 2.0\n1.0 2.0\n', "line 3: the size does not rise"),
        ('"stride=64\n1.0 2.0\n2.0 0.0\n', "line 3: is no size with a latency above 0"),
        ('"stride=64\n1.0 2.0\n2.0\n', "line 3: is no size with a latency, or is cut off"),
        (
            '"stride=64\n1.0 2.000\n2.0 2.1\n',
            "line 3: the last latency has fewer decimals than the first: the text is cut off here",
        ),
        ('"stride=64\n1.0 2.0\n2.0 x\n', "line 3: is no size with a latency, or is cut off"),
        ('"stride=64\n1.0 1.0\n2.0 2.0\n4.0 4.0\n', "x: has no plateau of latency"),
    ],
)
def test_errors_say_where(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        lat_mem_rd.read(Source("x", text))
    assert message in str(caught.value)


def test_other_numbers_are_not_recognised() -> None:
    assert not lat_mem_rd.recognises(Source("x", "10 20\n20 10\n"))
    assert not lat_mem_rd.recognises(Source("x", "1.0 2.0\n0.5 2.0\n3.0 2.0\n"))
