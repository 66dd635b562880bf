"""AMD note 40555 explains its figures in A.2 to A.5 (p.41-43); here each explanation comes out as numbers."""

from __future__ import annotations

import pytest

from simulator.explain.ranking import effect
from simulator.explain.report import Comparison, Effect, GapWithout, ResourceGain, Why
from simulator.explain.resources import KINDS, Resource
from simulator.explain.trials import Bench, HowToRun, Trial
from simulator.explain.why import why
from simulator.machine.load import load_machine
from simulator.machine.spec import Machine
from simulator.measure.accuracy import Accuracy
from simulator.sweep.executors import InProcess
from simulator.workload import Workload
from simulator.workload.levels import background_levels

ACCURACY = Accuracy(ci_percent=0.7, lines=6000)
SHORT = HowToRun(Accuracy(ci_percent=1.0, lines=5000), seed=1, engine="auto", executor=InProcess())
FULL = ("0.1.r.0", "1.1.r.1", "2.0.r.2", "2.1.r.2", "3.0.r.3", "3.1.r.3")  # figure 9
BESIDE = ("1.0.r.1", "2.0.r.2", "3.0.r.3")  # figure 15


@pytest.fixture(scope="module")
def quartet() -> Machine:
    return load_machine("quartet")


@pytest.fixture(scope="module")
def crossfire(quartet: Machine) -> Why:
    """Figure 6, beside no crossfire."""
    return why(quartet, _idle("0.0.w.1", "1.0.w.0"), _idle("0.0.w.1", "1.0.w.3"), accuracy=ACCURACY)


@pytest.fixture(scope="module")
def two_writers(quartet: Machine) -> Why:
    """Figure 11: both write node 0's memory, against one of them node 1's."""
    return why(quartet, _idle("0.0.w.0", "0.1.w.0"), _idle("0.0.w.0", "0.1.w.1"), accuracy=ACCURACY)


class TestCrossfireIsLinkBound:
    """A.2: both directions of link 0-1 are asked for more than they carry."""

    def test_the_link_rate_binds_before_all_else(self, crossfire: Why) -> None:
        first, second = crossfire.resources[:2]
        assert first.name == "link rate"
        assert _least(first.ideal) > _most(second.ideal)
        assert first.twice is not None
        assert _least(first.twice) > 10

    def test_it_is_the_link_between_the_two_and_no_other(self, crossfire: Why) -> None:
        links = [one for one in crossfire.members if one.kinds == ("link rate",)]
        assert [one.member for one in links if one.ideal.beyond_noise] == ["link 0-1"]
        assert links[0].use == {"0->1": pytest.approx(0.9, abs=0.02), "1->0": pytest.approx(0.9, abs=0.02)}
        assert _percent(links[0].ideal) > 0.8 * _percent(_named(crossfire, "link rate").ideal)

    def test_controllers_gain_little_and_credits_next_to_nothing(self, crossfire: Why) -> None:
        assert _most(_named(crossfire, "controller service").ideal) < 6
        assert _most(_named(crossfire, "credits").ideal) < 3
        assert _percent(_named(crossfire, "controller queue").ideal) == 0

    def test_the_queue_at_the_link_is_what_no_crossfire_does_not_have(self, crossfire: Why) -> None:
        comparison = _comparison(crossfire)
        total = sum(part.gap_ns for part in comparison.parts)
        assert comparison.gap.slower_percent == pytest.approx(10, abs=2)
        assert comparison.parts[0].part == "link_queue"
        assert comparison.parts[0].gap_ns > 0.8 * total

    def test_ideal_link_rates_close_the_gap(self, crossfire: Why) -> None:
        gaps = _whole_kinds(_comparison(crossfire))
        assert gaps["link rate"] > 85
        assert max(closed for name, closed in gaps.items() if name != "link rate") < 50

    def test_the_words_say_it(self, crossfire: Why) -> None:
        assert crossfire.sentences[0].startswith("link 0-1 is 9")
        assert " % busy in both directions; twice the link rate would make the threads 1" in crossfire.sentences[0]
        assert "queue at a link +" in _comparison(crossfire).sentences[0]
        assert "links that serialise in no time" in _comparison(crossfire).sentences[1]


def test_without_crossfire_no_link_binds_first(quartet: Machine) -> None:
    """A.2: the load spreads over two links; there is more to gain from the threads' own core time."""
    spread = Bench(quartet, _idle("0.0.w.1", "1.0.w.3"), SHORT)
    spread.time([Trial((_whole("core"),)), Trial((_whole("link rate"),))])
    assert _percent(_effect(spread, _whole("link rate"))) < 0.3 * _percent(_effect(spread, _whole("core")))
    assert [spread.base.links[key].utilization for key in ("0->1", "1->0", "1->3", "3->1")] == pytest.approx([0.57] * 4, abs=0.05)


class TestTwoWritersOnANodeAreControllerBound:
    """A.4: they ask more of one controller than it sustains."""

    def test_only_the_service_of_the_controller_gains(self, two_writers: Why) -> None:
        assert [one.name for one in two_writers.resources if one.ideal.beyond_noise] == ["controller service"]
        assert _least(two_writers.resources[0].ideal) > 20
        assert two_writers.resources[0].use["node 0"] == pytest.approx(1, abs=0.005)

    def test_the_queue_at_dram_is_what_the_other_does_not_have(self, two_writers: Why) -> None:
        comparison = _comparison(two_writers)
        assert comparison.parts[0].part == "dram_queue"
        assert comparison.parts[0].gap_ns > sum(part.gap_ns for part in comparison.parts) > 0  # the hop costs some of it

    def test_ideal_service_turns_the_gap_round(self, two_writers: Why) -> None:
        gaps = _whole_kinds(_comparison(two_writers))
        assert [name for name, closed in gaps.items() if closed > 10] == ["controller service"]
        assert gaps["controller service"] > 100
        assert "controllers" not in two_writers.sentences[0]
        assert two_writers.sentences[0].startswith("node 0's DRAM is 100 % busy; DRAM twice as fast would make the threads 2")


@pytest.fixture(scope="module")
def spread(quartet: Machine) -> Bench:
    """Figure 9, no crossfire."""
    return _timed(quartet, "0.0.w.1", "1.0.w.3")


@pytest.fixture(scope="module")
def fired(quartet: Machine) -> Bench:
    """Figure 9, crossfire."""
    return _timed(quartet, "0.0.w.1", "1.0.w.0")


class TestUnderFullLoadNode3BindsNoCrossfire:
    """A.3: node 3's controller, which is full, makes no crossfire the slower one.

    In the model the wait for probes hides it: by itself an ideal controller of node 3 gains nothing; once no line waits for
    probes, it gains more than any other.
    """

    def test_no_crossfire_is_the_slower_one(self, spread: Bench, fired: Bench) -> None:
        assert _time(spread) > 1.05 * _time(fired)

    def test_only_node_3_is_full(self, spread: Bench) -> None:
        held = {node: report.mean_queue for node, report in spread.base.controllers.items()}
        assert held["3"] > 19.5
        assert max(mean for node, mean in held.items() if node != "3") < 17

    def test_alone_an_ideal_controller_gains_nothing(self, spread: Bench) -> None:
        assert abs(_percent(_effect(spread, _service("node 3")))) < 3

    def test_nor_does_it_gain_anything_to_ask_no_probes(self, spread: Bench) -> None:
        assert _percent(_effect(spread, _whole("probes"))) < 0

    def test_both_at_once_show_that_node_3_binds(self, spread: Bench) -> None:
        gains = {node: _effect(spread, _whole("probes"), _service(f"node {node}")) for node in range(4)}
        assert _percent(gains[3]) > 35
        assert _percent(gains[3]) > 2 * _percent(gains[1])
        assert max(_percent(gains[0]), _percent(gains[2])) < 0
        assert gains[3].threads_faster_percent[1] == pytest.approx(129, abs=15)  # 1.0.w.3, which writes there
        assert abs(gains[3].threads_faster_percent[0] or 0) < 6

    def test_crossfire_does_not_depend_on_node_3(self, fired: Bench) -> None:
        both, probes = _effect(fired, _whole("probes"), _service("node 3")), _effect(fired, _whole("probes"))
        assert both.time_per_line_ns == probes.time_per_line_ns

    def test_without_both_no_crossfire_is_the_faster_one(self, spread: Bench, fired: Bench) -> None:
        def slower(*changed: Resource) -> float:
            here, there = (_effect(bench, *changed).time_per_line_ns for bench in (spread, fired))
            assert here is not None
            assert there is not None
            return here / there

        assert slower(_whole("probes")) > 1.1
        assert slower(_whole("probes"), _service("node 3")) < 0.9


@pytest.mark.slow
def test_why_itself_finds_that_two_limits_hide_each_other(quartet: Machine) -> None:
    sides = (_loaded(FULL, "0.0.w.1", second) for second in ("1.0.w.3", "1.0.w.0"))
    report = why(quartet, *sides, accuracy=Accuracy(ci_percent=1.0, lines=8000))
    assert report.pairs[0].kinds == ("controller service", "probes")
    assert report.pair_members[0].member == "node 3"
    assert "two limits hide each other" in report.sentences[1].lower()
    assert "node 3" in report.sentences[1]
    assert min(_percent(one.ideal) for one in report.resources if one.ideal.beyond_noise) < 0  # what is ideal may slow the whole
    explaining = [one for one in _comparison(report).without if one.explains]
    assert all(len(one.kinds) == 2 for one in explaining)
    assert explaining[0].kinds == ("controller service", "probes")
    assert [one.member for one in explaining if set(one.kinds) == set(explaining[0].kinds)] == [None, "node 3"]
    assert "with that at node 3 alone they take 2" in _comparison(report).sentences[1]


def test_the_imbalance_costs_more_than_the_hop(quartet: Machine) -> None:
    """A.5: under very high background on nodes 1 to 3 the second writer gains nothing at node 1, whose controller is busy."""
    near, far = (Bench(quartet, _loaded(BESIDE, "0.0.w.0", second), SHORT) for second in ("0.1.w.0", "0.1.w.1"))
    assert _time(far) > 1.04 * _time(near)
    controllers = [_service(f"node {node}") for node in range(4)]
    far.time([Trial((one,)) for one in controllers])
    gains = [_effect(far, one) for one in controllers]
    assert [gain.beyond_noise for gain in gains] == [False, True, False, False]
    assert (gains[1].threads_faster_percent[1] or 0) > 20  # the writer that went there
    assert (gains[1].threads_faster_percent[0] or 0) < 1
    assert far.base.controllers["1"].utilization > 0.99


def _idle(*labels: str) -> Workload:
    return Workload.from_labels(labels)


def _loaded(background: tuple[str, ...], *labels: str) -> Workload:
    return Workload.from_labels(labels, background=dict.fromkeys(background, background_levels()["very_high"]))


def _timed(machine: Machine, *labels: str) -> Bench:
    bench = Bench(machine, _loaded(FULL, *labels), SHORT)
    probes = _whole("probes")
    controllers = [_service(f"node {node}") for node in range(4)]
    bench.time([Trial((probes,)), Trial((controllers[3],)), *(Trial((probes, one)) for one in controllers)])
    return bench


def _service(node: str) -> Resource:
    return Resource(_whole("controller service").kind, node)


def _whole(name: str) -> Resource:
    return Resource(next(kind for kind in KINDS if kind.name == name))


def _effect(bench: Bench, *changed: Resource) -> Effect:
    found = effect(bench, Trial(changed))
    assert found is not None
    return found


def _time(bench: Bench) -> float:
    times = [thread.time_per_line_ns for thread in bench.base.threads if not thread.background]
    return sum(time for time in times if time is not None) / len(times)


def _named(report: Why, name: str) -> ResourceGain:
    return next(one for one in report.resources if one.name == name)


def _comparison(report: Why) -> Comparison:
    assert report.comparison is not None
    return report.comparison


def _whole_kinds(comparison: Comparison) -> dict[str, float]:
    """Return by how much of the gap each kind of resource closes, per cent."""
    single: list[GapWithout] = [one for one in comparison.without if len(one.kinds) == 1 and one.member is None]
    return {one.name: one.closes_percent for one in single if one.closes_percent is not None}


def _percent(effect: Effect) -> float:
    assert effect.faster_percent is not None
    return effect.faster_percent


def _least(effect: Effect) -> float:
    assert effect.half_width_percent is not None
    return _percent(effect) - effect.half_width_percent


def _most(effect: Effect) -> float:
    assert effect.half_width_percent is not None
    return _percent(effect) + effect.half_width_percent
