"""The sentences of `why`, from made-up gains of both signs."""

from __future__ import annotations

import pytest

from simulator.explain.gap_words import gap_sentences
from simulator.explain.ranking import Ranking
from simulator.explain.report import Effect, GapWithout, PartGap, ResourceGain
from simulator.explain.words import NOTHING, sentences
from simulator.machine.load import load_machine
from simulator.measure.accuracy import Accuracy
from simulator.measure.result import RunResult
from simulator.measure.run import run
from simulator.workload import Workload

UNTOLD = (0.2, 0.5)  # per cent, and a half width that hides it


@pytest.fixture(scope="module")
def timed() -> RunResult:
    """A run with made-up parts: 30 ns at DRAM, 20 at a link, 50 of core time; 100 of its 200 ns walk."""
    result = run(load_machine("quartet"), Workload.from_labels(["0.0.w.1"]), Accuracy(ci_percent=5, lines=300, warmup=50))
    path = result.breakdown[0]
    none = dict.fromkeys(type(path.parts_ns).model_fields, 0.0)
    parts = path.parts_ns.model_copy(update={**none, "wire": 100.0, "dram_queue": 30.0, "link_queue": 20.0})
    return result.model_copy(
        update={"breakdown": (path.model_copy(update={"total_ns": 200.0, "core_ns": 50.0, "parts_ns": parts}),)}
    )


class TestOneSide:
    @pytest.mark.parametrize(
        ("beside", "said"),
        [
            ((-6.1, 1.0), "unlimited credits alone would make the threads 6.1 % slower"),
            ((4.0, 1.0), "unlimited credits alone would make the threads 4.0 % faster"),
            (UNTOLD, f"unlimited credits alone would change {NOTHING}"),
            ((0.0, 0.0), "unlimited credits alone would change nothing"),
        ],
    )
    def test_what_stands_beside_the_first_is_told_once(self, timed: RunResult, beside: tuple[float, float], said: str) -> None:
        first, second = sentences(timed, _ranking({"link rate": (20.0, 1.0), "credits": beside}))
        assert first.endswith(f"links that serialise in no time would make the threads 20.0 % faster, {said}.")
        assert second == f"No other resource made ideal would make them faster: each changes {NOTHING}, or slows them."

    @pytest.mark.parametrize(
        ("others", "said"),
        [
            ({"SRI": (3.0, 1.0), "crossbar": (2.0, 1.0)}, "After it, made ideal one by one: SRI (+3.0 %) and crossbar (+2.0 %)."),
            (
                {"SRI": (3.0, 1.0), "crossbar": (-2.0, 1.0), "probes": (-7.5, 1.0)},
                "After it, made ideal one by one: SRI (+3.0 %); no probes alone would make the threads 7.5 % slower.",
            ),
            (
                {"SRI": UNTOLD, "crossbar": (-0.2, 0.5)},
                f"No other resource made ideal would make them faster: each changes {NOTHING}, or slows them.",
            ),
        ],
    )
    def test_what_comes_next_and_what_slows(self, timed: RunResult, others: dict[str, tuple[float, float]], said: str) -> None:
        assert sentences(timed, _ranking({"link latency": (20.0, 1.0), **others}))[1] == said

    @pytest.mark.parametrize(
        ("credits", "said"),
        [
            ((-6.1, 1.0), "; unlimited credits alone would make the threads 6.1 % slower."),
            (UNTOLD, "."),
        ],
    )
    def test_where_nothing_gains(self, timed: RunResult, credits: tuple[float, float], said: str) -> None:
        found = sentences(timed, _ranking({"SRI": UNTOLD, "probes": (-1.0, 2.0), "credits": credits}))
        assert found[0] == f"No resource made ideal by itself makes the threads faster: each changes {NOTHING}, or slows them."
        assert "".join(found[1:]) == ("" if said == "." else said.removeprefix("; ").capitalize())

    def test_a_gain_behind_one_that_is_not_told_from_noise_leads(self, timed: RunResult) -> None:
        first, _ = sentences(timed, _ranking({"SRI": (5.0, 9.0), "link latency": (4.0, 1.0)}))
        assert first.startswith("100 of the 200 ns of a line are spent on wires; links without latency would")

    def test_the_core_comes_last(self, timed: RunResult) -> None:
        gains = {"core": (30.0, 1.0), "SRI": (3.0, 1.0), "crossbar": (2.0, 1.0), "credits": (-2.0, 1.0)}
        assert sentences(timed, _ranking(gains)) == (
            "50 of the 200 ns of a line are standing and waiting, longest: queue at DRAM, 30 ns; "
            "SRIs that take no time would make the threads 3.0 % faster.",
            "After it, made ideal one by one: crossbar (+2.0 %); unlimited credits alone would make the threads 2.0 % slower.",
            "The core's own time is 50 of the 200 ns of a line; cores that take no time would make the threads 30.0 % faster.",
        )

    def test_nothing_but_the_core(self, timed: RunResult) -> None:
        first, last = sentences(timed, _ranking({"core": (30.0, 1.0), "SRI": UNTOLD}))
        assert first.endswith("; no resource but the core makes them faster by itself.")
        assert last.startswith("The core's own time is 50 ")

    def test_a_core_that_is_not_first_stays_in_its_place(self, timed: RunResult) -> None:
        found = sentences(timed, _ranking({"link latency": (31.0, 1.0), "core": (30.0, 1.0)}))
        assert (len(found), found[1]) == (2, "After it, made ideal one by one: core (+30.0 %).")

    @pytest.mark.parametrize(
        ("first", "start", "one_by_one"),
        [
            ((26.2, 1.0), "A second limit stands behind it", "-3.0 % with no probes alone"),
            (UNTOLD, "Two limits hide each other", "+0.2 % with DRAM that serves in no time alone, -3.0 % with no probes alone"),
        ],
    )
    def test_two_limits(self, timed: RunResult, first: tuple[float, float], start: str, one_by_one: str) -> None:
        gains = {"controller service": first, "probes": (-3.0, 1.0), "credits": (-1.5, 1.0)}
        pair = _gain(("controller service", "probes"), (76.2, 1.0), hidden=50.0)
        found = sentences(timed, _ranking(gains, pair))
        assert found[1] == (
            f"{start}: DRAM that serves in no time and no probes would together make the threads 76.2 % faster ({one_by_one}); "
            "unlimited credits alone would make the threads 1.5 % slower."
        )

    def test_two_limits_that_hide_less_than_the_first_gains_are_not_told(self, timed: RunResult) -> None:
        pair = _gain(("controller service", "probes"), (40.0, 1.0), hidden=10.0)
        found = sentences(timed, _ranking({"controller service": (26.2, 1.0), "probes": UNTOLD}, pair))
        assert found[1].startswith("No other resource")


class TestTwoSides:
    @pytest.mark.parametrize(
        ("slower", "said"),
        [
            (
                10.3,
                "They take 10.3 % more time a line; of the +16 ns a line in its slot: queue at a link +20, queue at DRAM -4 ns.",
            ),
            (
                -9.0,
                "They take 9.0 % less time a line; of the +16 ns a line in its slot: queue at a link +20, queue at DRAM -4 ns.",
            ),
        ],
    )
    def test_more_or_less(self, slower: float, said: str) -> None:
        parts = (_part("queue at a link", 20.0), _part("queue at DRAM", -4.0))
        assert gap_sentences(_gap((), slower), parts, ())[0] == said

    @pytest.mark.parametrize(
        ("left", "said"),
        [
            (4.0, "they take 4.0 % more time than the others"),
            (-4.0, "they take 4.0 % less time than the others"),
            (0.5, "no difference is left that could be told from noise (+0.5 %)"),
        ],
    )
    def test_what_is_left(self, left: float, said: str) -> None:
        found = gap_sentences(_gap((), 10.0), (), (_gap(("link rate",), left, closes=60.0, explains=True),))
        assert found[1] == f"With links that serialise in no time for both, {said}."

    @pytest.mark.parametrize(
        ("left", "closes", "said"),
        [
            (6.5, 35.0, "; the next, probes, closes 35 % of the gap."),
            (-2.0, 120.0, "; the next, probes, closes 120 % of the gap."),
            (14.0, -40.0, "; the next, probes, widens the gap by 40 %."),
            (8.5, 15.0, "."),  # within the two half widths of 1 each
            (10.0, 0.0, "."),
        ],
    )
    def test_the_next(self, left: float, closes: float, said: str) -> None:
        without = (_gap(("link rate",), 0.2, closes=98.0, explains=True), _gap(("probes",), left, closes=closes))
        assert (
            gap_sentences(_gap((), 10.0), (), without)[1].removeprefix(
                "With links that serialise in no time for both, no difference is left that could be told from noise (+0.2 %)"
            )
            == said
        )

    def test_a_pair(self) -> None:
        pair = ("controller service", "probes")
        without = (
            _gap(pair, -9.5, closes=195.0, explains=True),
            _gap(pair, -22.0, closes=320.0, explains=True, member="node 3"),
            _gap(("core",), 8.0, closes=20.0),
        )
        start = "No resource made ideal by itself closes half of the gap"
        assert gap_sentences(_gap((), 10.0), (), without)[1] == (
            f"{start} for sure; with DRAM that serves in no time and no probes for both, they take 9.5 % less time than the "
            "others, with that at node 3 alone they take 22.0 % less time than the others."
        )
        assert gap_sentences(_gap((), 10.0), (), without[2:])[1] == f"{start}, nor do two of them."

    def test_no_gap(self) -> None:
        assert gap_sentences(_gap((), 0.5), (), ()) == ("The two take the same time a line, as far as can be told from noise.",)
        assert gap_sentences(_gap((), None), (), ()) == ()


def _ranking(gains: dict[str, tuple[float, float]], *pairs: ResourceGain) -> Ranking:
    found = sorted((_gain((kind,), gain) for kind, gain in gains.items()), key=lambda one: -(one.ideal.faster_percent or 0))
    return Ranking(tuple(found), (), pairs, ())


def _gain(kinds: tuple[str, ...], gain: tuple[float, float], hidden: float | None = None) -> ResourceGain:
    """Return what something gains: per cent and half width, 0 for a run that does not differ."""
    percent, half_width = gain
    ideal = Effect(
        time_per_line_ns=50.0,
        faster_percent=percent,
        half_width_percent=half_width,
        beyond_noise=abs(percent) > half_width,
        threads_faster_percent=(percent,),
        verdict="steady",
    )
    use = {"link rate": {"0->1": 0.9}, "controller service": {"node 0": 1.0}}.get(kinds[0], {}) if len(kinds) == 1 else {}
    return ResourceGain(kinds=kinds, member=None, name=" + ".join(kinds), use=use, ideal=ideal, twice=None, hidden_percent=hidden)


def _gap(
    kinds: tuple[str, ...],
    slower: float | None,
    *,
    closes: float | None = None,
    explains: bool = False,
    member: str | None = None,
) -> GapWithout:
    """Return a gap of so many per cent, +- 1."""
    return GapWithout(
        kinds=kinds,
        member=member,
        name=" + ".join(kinds) or "as it is",
        this_ns=50.0,
        other_ns=50.0,
        slower_percent=slower,
        half_width_percent=None if slower is None else 1.0,
        closes_percent=closes,
        explains=explains,
    )


def _part(words: str, gap_ns: float) -> PartGap:
    return PartGap(part=words, words=words, group="queueing", this_ns=50.0 + gap_ns, other_ns=50.0, gap_ns=gap_ns)
