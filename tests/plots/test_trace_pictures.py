"""Pictures of a trace: Gantt chart, queues over time, packets that move."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from simulator.errors import InputError
from simulator.machine.load import load_machine
from simulator.observe.moments import Moments
from simulator.observe.queues import longest_queues
from simulator.observe.record import Recording, Window, record
from simulator.plots import animation, gantt, queue_over_time
from simulator.plots.animation import draw_animation, frame_times_ps
from simulator.plots.gantt import draw_gantt
from simulator.plots.moving_square import SLOT_COLOURS, MovingSquare
from simulator.plots.packet_looks import legend_entries, look_of
from simulator.plots.queue_over_time import draw_queues
from simulator.plots.style import house_style
from simulator.protocol import PACKET_KINDS
from simulator.workload import Workload
from tests.observe.recordings import crossfire, from_start
from tests.oracle.machines import ring, round_machine
from tests.oracle.watch import once

TWO = round_machine([0, 1], [(0, 1)])


@pytest.fixture(scope="module")
def recording() -> Recording:
    """Crossfire and a reader in the background."""
    return crossfire(200.0)


def _texts(path: Path) -> str:
    return " ".join(re.findall(r"<t(?:ext|span)[^>]*>([^<]*)</t", path.read_text(encoding="utf-8")))


@pytest.mark.usefixtures("text_stays_text")
class TestGantt:
    def test_a_row_a_slot_and_a_server(self, recording: Recording, tmp_path: Path) -> None:
        (path,) = draw_gantt(recording, tmp_path / "gantt.svg")
        text = _texts(path)
        for row in ("0.0.w.1 slot 0", "1.0.w.0 slot 3", "3.0.r.3 slot 7", "queue at a link", "core", "VicBlk", "NOP"):
            assert row in text
        assert re.search(r"link 0-&gt;1, \d+ % busy", text)
        assert f"time since {recording.trace.opened_ps / 1000:.3f} ns of the run, ns" in text
        assert "under way at the end" in text

    def test_only_so_many_rows(self, recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(gantt, "MOST_SLOTS", 2)
        monkeypatch.setattr(gantt, "MOST_SERVERS", 3)
        text = _texts(draw_gantt(recording, tmp_path / "gantt.svg")[0])
        assert text.count(" slot ") == 2
        assert text.count("% busy") == 3
        assert "link 0-&gt;1" in text  # one of the busiest

    def test_bars_are_what_the_line_spends_its_time_on(self) -> None:
        (row, *_) = gantt._slots(from_start(TWO, [once(0, 0, "r", 1)], 200).trace)
        name, bars = row
        assert name == "0.0.r.1 slot 0"
        by_words = {gantt.part_looks()[part].words: spans for part, spans in bars.items() if part != gantt._OPEN}  # type: ignore[index]
        assert by_words["wires"] == [(12.0, 10.0), (88.0, 10.0)]
        assert by_words["core"] == [(124.0, 76.0)]  # cut at the end of the window

    def test_an_empty_window(self, tmp_path: Path) -> None:
        empty = record(TWO, Workload((once(0, 0, "r", 1, start_ns=500.0),)), Window(100.0, start_ns=0.0))
        assert draw_gantt(empty, tmp_path / "gantt.png")
        assert "nothing waits in this window" in _texts(draw_queues(empty, tmp_path / "queues.svg")[0])


@pytest.mark.usefixtures("text_stays_text")
class TestQueues:
    def test_the_longest_first(self, recording: Recording, tmp_path: Path) -> None:
        text = _texts(draw_queues(recording, tmp_path / "queues.svg")[0])
        means = [float(mean) for mean in re.findall(r": mean (\d+\.\d\d)", text)]
        assert len(means) == queue_over_time.MOST_PANELS
        assert means == sorted(means, reverse=True)
        assert re.search(r"node 3 controller: mean \d+\.\d\d of 20", text)
        assert "link 0-&gt;1: mean" in text

    def test_a_queue_by_hand(self) -> None:
        """The second request waits at the link from 10 to 41 for the only credit."""
        machine = round_machine([0, 1], [(0, 1)], ["link.credits.request=1"])
        trace = from_start(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)], 100).trace
        found = longest_queues(trace)
        (panel,) = [queue for queue in found if queue.name == "link 0->1"]
        assert panel.series["request"] == ((0, 0), (10_000, 1), (41_000, 0))
        assert panel.mean >= 0.31
        (places,) = [queue for queue in found if "places taken" in queue.series]
        assert places.series["places taken"][:3] == ((0, 0), (30_000, 1), (61_000, 2))


@pytest.mark.usefixtures("text_stays_text")
@pytest.mark.parametrize("draw", [draw_gantt, draw_queues])
def test_many_threads_do_not_widen_a_picture(draw: Callable[..., object], tmp_path: Path) -> None:
    machine, widths = load_machine("xeon-e7-4830v3-4s"), []
    for count in (2, 12):
        workload = Workload.from_labels([f"{node}.{core}.r.{node}" for node in range(2) for core in range(count // 2)])
        draw(record(machine, workload, Window(20.0, start_ns=0.0)), tmp_path / "a.png")
        widths.append(Image.open(tmp_path / "a.png").width)
    assert widths[1] < 1.1 * widths[0]


def test_equal_recordings_give_equal_bytes(recording: Recording, tmp_path: Path) -> None:
    again = crossfire(200.0)
    for draw, name in ((draw_gantt, "gantt.svg"), (draw_queues, "queues.svg")):
        first, second = (draw(one, tmp_path / f"{place}-{name}")[0] for place, one in enumerate((recording, again)))  # type: ignore[operator]
        assert first.read_bytes() == second.read_bytes()
    for place, one in enumerate((recording, again)):
        draw_animation(one, tmp_path / f"{place}.gif", most_frames=3)
    assert (tmp_path / "0.gif").read_bytes() == (tmp_path / "1.gif").read_bytes()


class TestAnimation:
    def test_a_picture_every_step(self, recording: Recording, tmp_path: Path) -> None:
        draw_animation(recording, tmp_path / "moving.gif", most_frames=5)
        with Image.open(tmp_path / "moving.gif") as picture:
            assert (picture.format, picture.n_frames, picture.info["loop"]) == ("GIF", 5, 0)  # type: ignore[attr-defined]
            frames = []
            for place in range(5):
                picture.seek(place)
                frames.append(picture.convert("RGB").tobytes())
        assert len(set(frames)) == 5
        times = frame_times_ps(recording)
        assert (times[0], times[1] - times[0], len(times)) == (recording.trace.opened_ps, 4000, 51)
        assert times[-1] <= recording.trace.closed_ps
        assert len(frame_times_ps(recording, 7)) == 7

    def test_where_a_packet_is(self) -> None:
        """The request is on the link from 10 to 30, its last byte leaves at 12; the line from 87, its tail leaves at 104."""
        moments = Moments(from_start(TWO, [once(0, 0, "r", 1)], 200).trace)
        (flight,) = moments.flights(20_000)
        assert (flight.kind, flight.head, flight.tail) == ("RdBlk", 0.5, pytest.approx(8 / 18))
        (line,) = [flight for flight in moments.flights(104_000) if flight.kind == "RdResponse"]
        assert (line.head, line.tail) == (pytest.approx(17 / 19), 0.0)
        assert [flight.kind for flight in moments.flights(9_999)] == []
        assert moments.slots(11_000) == {(0, 0): "walking"}
        assert moments.slots(130_000) == {(0, 0): "core"}
        assert moments.places_taken(29_999) == {0: (0, 20), 1: (0, 20)}
        assert moments.places_taken(30_000)[1] == (1, 20)
        assert moments.serving(40_000) == {moments._plan.controller_port[1]: "RdBlk"}

    def test_what_waits_and_which_credits_are_gone(self) -> None:
        machine = round_machine([0, 1], [(0, 1)], ["link.credits.request=1"])
        recording = from_start(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)], 100)
        moments, plan = Moments(recording.trace), recording.trace.plan
        link = plan.ports.name.index("link 0->1")
        assert moments.waiting(20_000) == {link: ["RdBlk"]}
        assert moments.exhausted(20_000) == {link: ["request"]}
        assert moments.exhausted(9_999) == {}
        assert moments.slots(20_000)[1, 0] == "queueing"
        with house_style():
            square = MovingSquare(recording)
            square.show(moments, 20_000)
        assert square._empty[link].get_text() == "no request credit"
        assert len(square._queued.get_offsets()) == 1
        assert square._memory[1][2].get_text() == "0 of 20 places taken"
        red, green, blue, _ = square._slots[1, 0].get_facecolor()  # type: ignore[misc]
        assert f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}" == SLOT_COLOURS["queueing"]

    def test_too_many_nodes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(animation, "MAX_NODES", 3)
        with pytest.raises(InputError, match="too many nodes for a picture"):
            draw_animation(from_start(ring(4), [once(0, 0, "r", 1)]), tmp_path / "a.gif")

    def test_parallel_links_and_many_threads(self, tmp_path: Path) -> None:
        workload = Workload.from_labels([f"0.{core}.r.1" for core in range(4)])
        machine = load_machine("opteron-6172-4p")
        draw_animation(record(machine, workload, Window(20.0, start_ns=0.0)), tmp_path / "a.gif", most_frames=2)
        assert (tmp_path / "a.gif").stat().st_size > 1000


def test_every_kind_of_packet_has_a_colour() -> None:
    assert len({look_of(kind.name) for kind in PACKET_KINDS} | {look_of("NOP")}) == 6
    assert legend_entries({"NOP", "RdBlk", "RdBlkMod"}) == [("RdBlk, RdBlkMod", look_of("RdBlk")), ("NOP", look_of("NOP"))]
