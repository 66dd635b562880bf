"""A workload read back from provenance is the one that was run; what is none is refused."""

from __future__ import annotations

import json

import pytest

from simulator.errors import InputError
from simulator.workload import Access, Arrivals, ThreadSpec, TimeSlice, Workload
from simulator.workload.read_back import workload_of


def test_every_kind_of_thread_comes_back() -> None:
    threads = (
        ThreadSpec(0, 0, (Access("w", 1), Access("r", 0, extra_core_time_ns=3.0, barrier=2)), start_ns=5.0),
        ThreadSpec(1, 0, (Access("r", 0),), background=True, rate_gb_per_s=1.5, window=3),
        ThreadSpec(2, 1, (Access("r", 0),), arrivals=Arrivals(50.0, random=False)),
        ThreadSpec(3, 0, (Access("r", 0),), time_slice=TimeSlice(100.0, 0.0, 50.0)),
    )
    workload = Workload(threads)
    assert workload_of(json.loads(json.dumps(workload.as_dict()))) == workload


@pytest.mark.parametrize("wrong", [{}, {"threads": 3}, {"threads": [4]}, {"threads": [{"node": 0}]}, {"threads": [{"node": []}]}])
def test_what_is_no_workload_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match="file.json: provenance.workload"):
        workload_of(wrong, "file.json")
