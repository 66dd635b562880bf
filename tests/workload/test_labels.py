"""AMD's label grammar, and labels with a rate."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.workload import Access, ThreadSpec, Workload, parse_background, parse_label

NUMBER = st.integers(0, 65535)


@given(NUMBER, NUMBER, st.sampled_from("rw"), NUMBER)
def test_a_label_says_what_it_was_read_from(node: int, core: int, mode: str, memory: int) -> None:
    text = f"{node}.{core}.{mode}.{memory}"
    thread = parse_label(text)
    assert thread.label == text
    assert (thread.node, thread.core) == (node, core)
    assert thread.accesses == (Access("r" if mode == "r" else "w", memory),)


def test_what_a_label_does_not_say_is_the_machines() -> None:
    thread = parse_label("2.1.w.3")
    assert thread == ThreadSpec(2, 1, (Access("w", 3),))
    assert (thread.window, thread.core_time_ns, thread.rate_gb_per_s, thread.background) == (None, None, None, False)


def test_leading_zeros_are_numbers() -> None:
    assert parse_label("00.01.r.002").label == "0.1.r.2"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "0.0.r",
        "0.0.r.",
        ".0.r.0",
        "0.0.r.0.0",
        "0.0.x.0",
        "0.0.R.0",
        "0.0.rw.0",
        "0-0-r-0",
        "a.0.r.0",
        "-1.0.r.0",
        "+1.0.r.0",
        "0.0.r.1.5",
        " 0.0.r.0",
        "0.0.r.0 ",
        "0.0.r.0\n",
        "0.0.r.0@1",
        "٠.0.r.0",
        "²0.0.r.0",
        "123456.0.r.0",
        "0.0.r.99999999999999999999",
    ],
)
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_label(text)
    message = str(caught.value)
    assert message == f"thread: not a thread label{_got(text)}; allowed: node.core.r|w.memory, such as 0.0.w.1"
    assert "\n" not in message


def _got(text: str) -> str:
    return f" (got {text!r})"


@pytest.mark.parametrize(("text", "rate"), [("1.0.r.1@0.5", 0.5), ("1.0.r.1@4", 4.0), ("1.0.r.1@1e-3", 0.001)])
def test_a_background_thread_has_a_rate(text: str, rate: float) -> None:
    assert parse_background(text) == ("1.0.r.1", rate)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1.0.r.1", "a background thread needs a rate"),
        ("", "a background thread needs a rate"),
        ("1.0.r.1@", "the rate is not a number"),
        ("1.0.r.1@fast", "the rate is not a number"),
        ("1.0.r.1@1GB", "the rate is not a number"),
        ("1.0.r.1@1@2", "the rate is not a number"),
        ("1.0.r.1@0", "a rate must be positive"),
        ("1.0.r.1@-1", "a rate must be positive"),
        ("1.0.r.1@nan", "a rate must be positive"),
        ("1.0.r.1@inf", "a rate must be positive"),
        ("1.0.r.1@1e999", "a rate must be positive"),
        ("1.0.q.1@1", "not a thread label"),
        ("@1", "not a thread label"),
    ],
)
def test_a_wrong_rate_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        parse_background(text)


class TestWorkload:
    def test_threads_are_in_canonical_order(self) -> None:
        labels = ["1.0.r.0", "0.1.w.3", "0.0.w.1", "0.1.r.3", "0.10.r.0", "10.0.r.0", "2.0.r.0"]
        in_order = ["0.0.w.1", "0.1.r.3", "0.1.w.3", "0.10.r.0", "1.0.r.0", "2.0.r.0", "10.0.r.0"]
        assert [thread.label for thread in Workload.from_labels(labels).threads] == in_order

    @given(st.permutations(["0.0.r.0", "0.1.w.1", "1.0.r.0", "3.1.w.0", "2.0.r.2"]))
    def test_the_order_of_a_list_decides_nothing(self, labels: list[str]) -> None:
        assert Workload.from_labels(labels) == Workload.from_labels(sorted(labels))

    def test_background_threads_keep_their_rates(self) -> None:
        workload = Workload.from_labels(["0.0.r.0"], {"1.0.r.1": 0.5, "0.1.w.0": 4.0})
        assert [(t.label, t.background, t.rate_gb_per_s) for t in workload.threads] == [
            ("0.0.r.0", False, None),
            ("0.1.w.0", True, 4.0),
            ("1.0.r.1", True, 0.5),
        ]
        assert [thread.label for thread in workload.foreground] == ["0.0.r.0"]

    @pytest.mark.parametrize("rate", [0.0, -2.0, float("nan"), float("inf")])
    def test_a_rate_that_is_none_is_refused(self, rate: float) -> None:
        with pytest.raises(InputError, match="a rate must be positive"):
            Workload.from_labels(["0.0.r.0"], {"1.0.r.1": rate})

    def test_a_rate_is_a_line_in_so_many_ns(self) -> None:
        assert parse_label("0.0.r.0", rate_gb_per_s=4.0).interval_ns == 16.0
        assert parse_label("0.0.r.0").interval_ns is None

    def test_a_thread_of_several_kinds_shows_a_star(self) -> None:
        assert ThreadSpec(0, 1, (Access("r", 0), Access("r", 1))).label == "0.1.r.*"
        assert ThreadSpec(0, 1, (Access("r", 2), Access("w", 2))).label == "0.1.*.2"
        assert ThreadSpec(0, 1, (Access("r", 0), Access("w", 1))).label == "0.1.*.*"

    def test_provenance_holds_everything(self) -> None:
        said = {"victim_memory": 2, "extra_core_time_ns": 3.0, "node": 1, "barrier": 4, "compute_ns": 7.0, "shared": 8, "lock": 3}
        access = Access("w", 1, **said)  # type: ignore[arg-type]
        thread = ThreadSpec(0, 1, (access,), background=True, rate_gb_per_s=2.0, window=3, core_time_ns=5.0, start_ns=6.0)
        described = Workload((thread,)).as_dict()["threads"]
        assert described == [
            {
                "label": "0.1.w.1",
                "node": 0,
                "core": 1,
                "accesses": ({"mode": "w", "memory": 1, **said},),
                "background": True,
                "rate_gb_per_s": 2.0,
                "window": 3,
                "core_time_ns": 5.0,
                "start_ns": 6.0,
                "repeat": True,
                "arrivals": None,
                "time_slice": None,
                "handed_in": None,
            }
        ]
