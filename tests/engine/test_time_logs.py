"""Tiny plans whose every event is worked out by hand.

All times are whole ns; tests/oracle/machines.py has the constants: SRI 2, crossbar 8, controller entry 7, DRAM read 12 and
write 14 with 3 for turning round, DRAM pipeline 30, probe answer 20, wire 10. On a link a request or probe takes 2, an answer
or note 1, a line from DRAM 17 (header 1), an evicted line 18 (header 2), a NOP 1.
"""

from __future__ import annotations

import pytest

from simulator.engine.interface import Snapshot
from simulator.engine.plan import Plan
from simulator.machine.spec import Machine
from simulator.workload import Access, ThreadSpec
from tests.oracle.machines import link_entry, node_entry, round_machine
from tests.oracle.watch import Log, once, snapshot_at, time_log

TWO = round_machine([0, 1], [(0, 1)])
WIDE = ["sri.to_crossbar.request=16", "sri.to_crossbar.request_data=16", "core.max_outstanding=16"]


def credits(**counts: int) -> list[str]:
    """Return overrides that set credits of every link."""
    return [f"link.credits.{name}={count}" for name, count in counts.items()]


def starts(log: Log, text: str) -> list[float]:
    """Return the times (ns) of an entry."""
    return [time for time, entry in log if entry == text]


def held_ps(plan: Plan, snapshot: Snapshot, pool: str) -> int:
    """Return the time integral of a pool's buffers in use."""
    return snapshot.pool_held_ps[plan.pools.name.index(pool)]


class TestOneRead:
    def test_on_one_node(self) -> None:
        data = 17 + 12 + 30  # controller, DRAM, pipeline
        done = data + 8 + 2  # crossbar, SRI
        assert time_log(round_machine([0]), [once(0, 0, "r", 0)], 1000) == [
            (0, "node 0 SRI to crossbar: RdBlk"),
            (2 + 8, "node 0 crossbar to controller: RdBlk"),
            (10 + 7, "node 0 DRAM: RdBlk"),
            (10 + 7, "node 0 controller to crossbar: Probe"),
            (17 + 8, "node 0 crossbar to SRI: Probe"),  # the other core is asked too: answered at 25 + 2 + 20 = 47
            (data, "node 0 controller to crossbar: RdResponse"),
            (data + 8, "node 0 crossbar to SRI: RdResponse"),
            (done, "0.0.r.0: line"),
            (done, "node 0 SRI to crossbar: SrcDone"),
            (done + 2 + 8, "node 0 crossbar to controller: SrcDone"),
        ]

    def test_on_one_node_with_a_slow_answer(self) -> None:
        machine = round_machine([0], overrides=["coherence.probe_answer_ns=100"])
        log = time_log(machine, [once(0, 0, "r", 0)], 1000)
        assert starts(log, "0.0.r.0: line") == [25 + 2 + 100]  # the data is there at 69

    def test_over_a_link(self) -> None:
        hop = 10 + 8  # wire, crossbar
        at_home = 10 + 2 + hop  # 30
        accepted = at_home + 7  # 37
        probe = accepted + 8  # 45: at the crossbar of the home
        answer = probe + 2 + 20  # 67: of node 1
        data = accepted + 12 + 30 + 8  # 87: at the crossbar of the home
        header = data + 1 + hop  # 106: passed on to the SRI before the tail is there
        tail = data + 17 + hop  # 122
        done = tail + 2  # 124
        assert time_log(TWO, [once(0, 0, "r", 1)], 1000) == sorted(
            [
                (0, "node 0 SRI to crossbar: RdBlk"),
                (10, "link 0->1: RdBlk"),
                (at_home, "node 1 crossbar to controller: RdBlk"),
                (at_home, "link 1->0: NOP"),
                (accepted, "node 1 DRAM: RdBlk"),
                (accepted, "node 1 controller to crossbar: Probe"),
                (probe, "node 1 crossbar to SRI: Probe"),
                (probe, "link 1->0: Probe"),
                (probe + 2 + hop, "node 0 crossbar to SRI: Probe"),
                (probe + 2 + hop, "link 0->1: NOP"),
                (answer, "node 1 SRI to crossbar: ProbeResponse"),
                (answer + 10, "link 1->0: ProbeResponse"),
                (answer + 10 + 1 + hop, "node 0 crossbar to SRI: ProbeResponse"),
                (answer + 10 + 1 + hop, "link 0->1: NOP"),
                (data - 8, "node 1 controller to crossbar: RdResponse"),
                (data, "link 1->0: RdResponse"),
                (header, "node 0 crossbar to SRI: RdResponse"),
                (header, "link 0->1: NOP"),  # the command buffer
                (tail, "link 0->1: NOP"),  # the data buffer
                (done, "0.0.r.1: line"),
                (done, "node 0 SRI to crossbar: SrcDone"),
                (done + 10, "link 0->1: SrcDone"),
                (done + 10 + 1 + hop, "node 1 crossbar to controller: SrcDone"),
                (done + 10 + 1 + hop, "link 1->0: NOP"),
            ]
        )

    def test_bounded_by_the_answer_from_afar(self) -> None:
        """Local on the first of two nodes whose other node answers slowly: the data waits at 69."""
        machine = round_machine([0, 1], [link_entry(0, 1, latency_ns=50.0)])
        probed = 17 + 8 + 2 + 50 + 8  # controller, crossbar, link, wire, crossbar of node 1
        answered = probed + 2 + 20 + 2 + 8 + 1 + 50 + 8 + 2
        log = time_log(machine, [once(0, 0, "r", 0)], 1000)
        assert starts(log, "node 0 crossbar to SRI: RdResponse") == [67]
        assert starts(log, "0.0.r.0: line") == [answered] == [178]


class TestLinks:
    def test_back_to_back(self) -> None:
        """The evicted line leaves right behind its request; its header is 14 - 12 on the link, its tail 18."""
        log = time_log(TWO, [once(0, 0, "w", 1)], 60, "link 0->1", "node 1 crossbar", "node 1 DRAM")
        assert log == [
            (10, "link 0->1: RdBlkMod"),
            (12, "link 0->1: VicBlk"),
            (12 + 18, "node 1 crossbar to controller: RdBlkMod"),
            (14 + 18, "node 1 crossbar to controller: VicBlk"),  # header; the tail is there at 30 + 18 = 48
            (37, "node 1 DRAM: RdBlkMod"),
            (45, "node 1 crossbar to SRI: Probe"),
            (48 + 7, "node 1 DRAM: VicBlk"),
        ]

    def test_second_request_waits_for_the_only_credit(self) -> None:
        machine = round_machine([0, 1], [(0, 1)], credits(request=1))
        log = time_log(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)], 60, "link", "node 1 crossbar to controller")
        # request 2, wire 10, crossbar 8, there at once passed on; NOP 1, wire 10 (credits count without a crossbar)
        again = 10 + 2 + 10 + 8 + 1 + 10
        assert [entry for entry in log if "RdBlk" in entry[1] or "NOP" in entry[1]] == [
            (10, "link 0->1: RdBlk"),
            (30, "link 1->0: NOP"),
            (30, "node 1 crossbar to controller: RdBlk"),
            (again, "link 0->1: RdBlk"),
        ]
        assert again == 41

    def test_second_line_waits_for_the_only_data_credit(self) -> None:
        """The command buffers suffice; the data buffer comes back once the tail has left for the controller."""
        machine = round_machine([0, 1], [(0, 1)], credits(request=8, request_data=1))
        log = time_log(machine, [once(0, 0, "w", 1), once(0, 1, "w", 1)], 100, "link 0->1")
        first_tail = 12 + 18 + 18  # 48, at the crossbar of node 1
        assert [entry for entry in log if "NOP" not in entry[1]][:4] == [
            (10, "link 0->1: RdBlkMod"),
            (12, "link 0->1: VicBlk"),
            # the second VicBlk has come before the second RdBlkMod could: SRI queues them in the order of issue, behind
            # the first thread's; so does the link, and the head of the queue waits
            (30, "link 0->1: RdBlkMod"),
            (first_tail + 1 + 10, "link 0->1: VicBlk"),
        ]

    def test_sri_buffers_hold_requests_until_the_link_takes_them(self) -> None:
        """One request buffer from SRI to crossbar: the second request leaves the SRI when the first has left for the link."""
        machine = round_machine([0, 1], [(0, 1)], ["sri.to_crossbar.request=1"])
        log = time_log(machine, [once(0, 0, "r", 1), once(0, 1, "r", 1)], 30, "node 0 SRI", "link 0->1")
        assert log == [
            (0, "node 0 SRI to crossbar: RdBlk"),
            (10, "link 0->1: RdBlk"),
            (10 + 2, "node 0 SRI to crossbar: RdBlk"),  # the header has left
            (12 + 10, "link 0->1: RdBlk"),
        ]

    @pytest.mark.parametrize(
        ("releases", "nops", "fourth"),
        [
            (3, [40], 40 + 1 + 10),  # three credits in one NOP
            (2, [40, 41], 40 + 1 + 10),  # two, and one more
            (1, [40, 41, 42], 40 + 1 + 10),  # one by one; the first of them suffices
        ],
    )
    def test_releases_coalesce_on_a_busy_link(self, releases: int, nops: list[int], fourth: int) -> None:
        """An evicted line keeps 0->1 busy from 22 to 40 while three requests arrive at node 0 at 30, 32 and 34."""
        machine = round_machine([0, 1], [(0, 1)], [f"link.nop.releases_per_class={releases}", *WIDE])
        threads = [once(0, 0, "w", 1, start_ns=10), once(1, 0, "r", 0, window=4)]
        log = time_log(machine, threads, 52, "link", "node 0 crossbar to controller")
        assert starts(log, "link 0->1: VicBlk") == [22]
        assert starts(log, "link 1->0: RdBlk") == [10, 12, 14, fourth]  # three credits, then the NOP
        assert starts(log, "node 0 crossbar to controller: RdBlk")[:3] == [30, 32, 34]
        assert starts(log, "link 0->1: NOP")[: len(nops)] == nops

    def test_nops_and_waiting_packets_take_turns(self) -> None:
        """With a release of one class a NOP, three releases owed and three packets waiting alternate, a NOP first."""
        machine = round_machine([0, 1], [(0, 1)], ["link.nop.releases_per_class=1", *WIDE, *credits(request=8)])
        threads = [
            once(0, 0, "w", 1, start_ns=10),  # RdBlkMod 20-22, VicBlk 22-40 on 0->1
            once(0, 1, "r", 1, start_ns=15, window=3),  # three requests at 0->1 from 25
            once(1, 0, "r", 0, window=3),  # at node 0 at 30, 32, 34
        ]
        log = time_log(machine, threads, 46, "link 0->1")
        assert log == [
            (20, "link 0->1: RdBlkMod"),
            (22, "link 0->1: VicBlk"),
            (40, "link 0->1: NOP"),
            (41, "link 0->1: RdBlk"),
            (43, "link 0->1: NOP"),
            (44, "link 0->1: RdBlk"),
            (46, "link 0->1: NOP"),  # next would be the first probe of node 0, which is there since 30 + 7 + 8 = 45
        ]

    def test_crc_after_512_bytes(self) -> None:
        """At 16 GB/s a written line is 80 B, so 5 ns, on the link. Byte 512 falls into the seventh evicted line."""
        links = [link_entry(0, 1, 16.0)]
        machine = round_machine([0, 1], links, [*WIDE, *credits(request=16, request_data=16)])
        log = time_log(machine, [once(0, 0, "w", 1, window=8)], 52, "link 0->1")
        evicted = 72 / 16  # 4.5 ns; a CRC is 0.25 ns
        assert starts(log, "link 0->1: RdBlkMod") == [10, 15, 20, 25, 30, 35, 40, 40 + 0.5 + evicted + 0.25]
        assert starts(log, "link 0->1: VicBlk") == [10.5, 15.5, 20.5, 25.5, 30.5, 35.5, 40.5, 45.25 + 0.5]
        assert starts(log, "link 0->1: CRC") == [40.5]  # 6 x 80 + 8 + 72 = 560 bytes

    def test_nops_count_towards_the_crc(self) -> None:
        """A CRC after every 12 bytes: request 8, NOP 4, so the NOP at 65 brings the CRC and lasts 2 ns."""
        machine = round_machine([0, 1], [link_entry(0, 1, crc={"bytes": 4, "every_bytes": 12})])
        plan, snapshot = snapshot_at(machine, [once(0, 0, "r", 1)], 80)
        port = plan.ports.name.index("link 0->1")
        assert (snapshot.port_nops[port], snapshot.port_crcs[port]) == (1, 1)
        assert snapshot.port_busy_ps[port] == (2 + 1 + 1) * 1000


class TestCutThrough:
    """Node 0 reads the memory of node 2 over node 1; times of the line on 2->1 and 1->0."""

    @staticmethod
    def _log(far_gb_per_s: float, near_gb_per_s: float) -> Log:
        machine = round_machine(range(3), [link_entry(0, 1, near_gb_per_s), link_entry(1, 2, far_gb_per_s)])
        return time_log(machine, [once(0, 0, "r", 2)], 1000)

    def test_equal_links(self) -> None:
        log = self._log(4.0, 4.0)
        data = 10 + (2 + 18) + (2 + 18) + 7 + 12 + 30 + 8  # 107, at the crossbar of node 2
        assert starts(log, "link 2->1: RdResponse") == [data]
        assert starts(log, "link 1->0: RdResponse") == [data + 1 + 18]  # after the header of 4 B
        assert starts(log, "node 0 crossbar to SRI: RdResponse") == [data + 2 * (1 + 18)]
        assert starts(log, "0.0.r.2: line") == [data + 18 + 1 + 18 + 17 + 2]

    def test_slow_link_first(self) -> None:
        """On 2 GB/s the header takes 2, the line 34; the 4 GB/s link would be through before the tail has arrived."""
        log = self._log(2.0, 4.0)
        data = 10 + (2 + 18) + (4 + 18) + 7 + 12 + 30 + 8  # 109
        tail = data + 34 + 18  # 161, at node 1
        assert starts(log, "link 2->1: RdResponse") == [data]
        assert starts(log, "link 1->0: RdResponse") == [data + 2 + 18]  # 129: 17 ns would end at 146
        assert starts(log, "node 0 crossbar to SRI: RdResponse") == [data + 2 + 18 + 1 + 18]
        assert starts(log, "0.0.r.2: line") == [tail + 18 + 2]

    def test_fast_link_first(self) -> None:
        log = self._log(4.0, 2.0)
        data = 10 + (4 + 18) + (2 + 18) + 7 + 12 + 30 + 8  # 109
        assert starts(log, "link 1->0: RdResponse") == [data + 1 + 18]
        assert starts(log, "node 0 crossbar to SRI: RdResponse") == [data + 1 + 18 + 2 + 18]
        assert starts(log, "0.0.r.2: line") == [data + 1 + 18 + 34 + 18 + 2]

    def test_the_fast_link_stays_busy_until_the_tail(self) -> None:
        machine = round_machine(range(3), [link_entry(0, 1, 4.0), link_entry(1, 2, 2.0)])
        plan, snapshot = snapshot_at(machine, [once(0, 0, "r", 2)], 161)
        port = plan.ports.name.index("link 1->0")
        # so far: NOP for the request, probe (2), two answers (1 each), the line from 129 to 161, NOPs for what node 1 passed on
        packets_ns = 2 + 1 + 1 + (161 - 129)
        assert snapshot.port_busy_ps[port] == (packets_ns + snapshot.port_nops[port]) * 1000

    def test_into_the_controller_an_evicted_line_goes_whole(self) -> None:
        log = time_log(TWO, [once(0, 0, "w", 1)], 100, "node 1 crossbar to controller", "node 1 DRAM")
        assert starts(log, "node 1 crossbar to controller: VicBlk") == [32]  # the header; the tail comes at 48
        assert starts(log, "node 1 DRAM: VicBlk") == [48 + 7]

    def test_a_rate_of_the_sri(self) -> None:
        machine = round_machine([0], sri={"data_gb_per_s": 4.0})  # as fast as a link, each way
        data = 2 + 10 + 7 + 12 + 30 + 8  # the request takes 2 to leave: 69
        log = time_log(machine, [once(0, 0, "r", 0)], 1000)
        assert starts(log, "node 0 crossbar to controller: RdBlk") == [12]
        assert starts(log, "node 0 crossbar to SRI: RdResponse") == [data]
        assert starts(log, "0.0.r.0: line") == [data + 17 + 2]


class TestArbitration:
    """An answer, a probe and a request meet at 0->1 while a line is on it from 87 to 104."""

    THREADS = (
        once(1, 0, "r", 0),  # its line: at 0->1 from 87 to 104
        once(1, 1, "r", 1, start_ns=20),  # its probe is at node 0 at 65, the answer at the link at 65 + 22 + 10 = 97
        once(0, 0, "r", 1, start_ns=80),  # its request is at the link at 90
        once(0, 1, "r", 0, start_ns=70),  # its probe is at the link at 70 + 17 + 8 = 95
    )

    @pytest.mark.parametrize(
        ("arbitration", "order"),
        [
            # after the response: probe, request, response
            ("round-robin", [(104, "Probe"), (106, "RdBlk"), (108, "ProbeResponse")]),
            ("response-first", [(104, "ProbeResponse"), (105, "Probe"), (107, "RdBlk")]),
        ],
    )
    def test_order_of_virtual_channels(self, arbitration: str, order: list[tuple[float, str]]) -> None:
        machine = round_machine([0, 1], [(0, 1)], crossbar={"arbitration": arbitration})
        log = time_log(machine, self.THREADS, 109, "link 0->1", since_ns=87)
        assert log == [(87, "link 0->1: RdResponse"), *((time, f"link 0->1: {kind}") for time, kind in order)]

    def test_the_sending_crossbar_decides(self) -> None:
        """Node 0 puts responses first, node 1 does not: 0->1 is node 0's."""
        nodes = [node_entry(0, crossbar={"arbitration": "response-first"}), node_entry(1)]
        log = time_log(round_machine(nodes, [(0, 1)]), self.THREADS, 109, "link 0->1", since_ns=88)
        assert [text for _, text in log] == ["link 0->1: ProbeResponse", "link 0->1: Probe", "link 0->1: RdBlk"]

    def test_a_blocked_channel_lets_others_pass(self) -> None:
        """The second request waits for a credit from 72 until 101; an answer of node 0 that comes at 77 does not mind."""
        machine = round_machine([0, 1], [(0, 1)], credits(request=1))
        threads = [once(0, 0, "r", 1, start_ns=60), once(0, 1, "r", 1, start_ns=60), once(1, 0, "r", 1)]
        log = time_log(machine, threads, 102, "link 0->1", since_ns=66)
        assert [entry for entry in log if entry[1].startswith("link") and "NOP" not in entry[1]] == [
            (70, "link 0->1: RdBlk"),
            (17 + 8 + 20 + 22 + 10, "link 0->1: ProbeResponse"),
            (70 + 20 + 11, "link 0->1: RdBlk"),
        ]


class TestMemory:
    def test_turning_round_costs(self) -> None:
        """Reads at 17 and 29, the write behind the first one's request: 17-29 read, 29-46 write (14 + 3), 46-61 read (12 + 3)."""
        threads = [once(0, 0, "w", 0), once(0, 1, "r", 0, start_ns=1)]
        log = time_log(round_machine([0]), threads, 70, "node 0 DRAM")
        assert log[:3] == [(17, "node 0 DRAM: RdBlkMod"), (29, "node 0 DRAM: VicBlk"), (46, "node 0 DRAM: RdBlk")]
        plan, snapshot = snapshot_at(round_machine([0]), threads, 200)
        assert snapshot.port_busy_ps[plan.controller_port[0]] == (12 + 14 + 3 + 12 + 3) * 1000

    def test_lines_of_one_direction_follow_each_other(self) -> None:
        log = time_log(round_machine([0]), [once(0, 0, "r", 0), once(0, 1, "r", 0)], 100, "node 0 DRAM")
        assert log == [(17, "node 0 DRAM: RdBlk"), (29, "node 0 DRAM: RdBlk"), (69, "0.0.r.0: line"), (81, "0.1.r.0: line")]

    def test_a_full_queue_holds_the_request_until_srcdone(self) -> None:
        machine = round_machine([0], overrides=["controller.queue=1"])
        log = time_log(machine, [once(0, 0, "r", 0), once(0, 1, "r", 0)], 1000, "node 0 crossbar to controller", "node 0 DRAM")
        freed = 69 + 2 + 8 + 7  # the first line, then its SrcDone: SRI, crossbar, entry
        assert log == [
            (10, "node 0 crossbar to controller: RdBlk"),
            (17, "node 0 DRAM: RdBlk"),
            (69, "0.0.r.0: line"),
            (79, "node 0 crossbar to controller: SrcDone"),  # responses sink, full or not
            (freed, "node 0 crossbar to controller: RdBlk"),
            (freed + 7, "node 0 DRAM: RdBlk"),
            (freed + 7 + 12 + 30 + 8 + 2, "0.1.r.0: line"),
            (freed + 7 + 52 + 10, "node 0 crossbar to controller: SrcDone"),
        ]

    def test_a_queue_entry_is_held_from_arrival_to_srcdone(self) -> None:
        plan, snapshot = snapshot_at(round_machine([0]), [once(0, 0, "r", 0)], 1000)
        assert held_ps(plan, snapshot, "node 0 controller queue request buffers") == (86 - 10) * 1000

    def test_a_request_in_the_queue_does_not_wait_for_those_behind(self) -> None:
        """Five reads in a queue of 20: DRAM serves one every 12 ns, and waiting adds up to 12 + 24 + 36 + 48."""
        machine = round_machine([0], overrides=[*WIDE, "controller.to_crossbar.probe=16"])
        plan, snapshot = snapshot_at(machine, [once(0, 0, "r", 0, window=5)], 1000)
        assert snapshot.port_waiting_ps[plan.controller_port[0]] == (12 + 24 + 36 + 48) * 1000
        assert snapshot.thread_last_ps == ((69 + 48) * 1000,)
        assert snapshot.thread_latency_ps == ((5 * 69 + 12 + 24 + 36 + 48) * 1000,)


class TestWrites:
    def test_the_slot_waits_for_its_eviction(self) -> None:
        """The line is there at 69 and the core done at 74, but TgtDone comes at 46 + 30 + 8 + 2 = 86."""
        thread = ThreadSpec(0, 0, (Access("w", 0),), window=1)  # core time 5
        log = time_log(round_machine([0]), [thread], 90, "node 0 SRI", "node 0 controller to crossbar")
        assert log == [
            (0, "node 0 SRI to crossbar: RdBlkMod"),
            (0, "node 0 SRI to crossbar: VicBlk"),
            (17, "node 0 controller to crossbar: Probe"),
            (59, "node 0 controller to crossbar: RdResponse"),
            (69, "0.0.w.0: line"),
            (69, "node 0 SRI to crossbar: SrcDone"),
            (46 + 30, "node 0 controller to crossbar: TgtDone"),
            (86, "node 0 SRI to crossbar: RdBlkMod"),
            (86, "node 0 SRI to crossbar: SrcDone"),
            (86, "node 0 SRI to crossbar: VicBlk"),
        ]

    def test_the_slot_waits_for_its_core_time_if_that_is_later(self) -> None:
        thread = ThreadSpec(0, 0, (Access("w", 0, extra_core_time_ns=100.0),), window=1)
        log = time_log(round_machine([0]), [thread], 200, "node 0 SRI")
        assert starts(log, "node 0 SRI to crossbar: RdBlkMod") == [0, 69 + 5 + 100]

    def test_a_write_costs_the_core_more(self) -> None:
        machine = round_machine([0], overrides=["core.write_extra_ns=50.0"])
        log = time_log(machine, [ThreadSpec(0, 0, (Access("w", 0),), window=1)], 130, "node 0 SRI")
        assert starts(log, "node 0 SRI to crossbar: RdBlkMod") == [0, 69 + 5 + 50]

    def test_other_slots_go_on_meanwhile(self) -> None:
        """Two slots: each waits for its own eviction only. DRAM: read 17-29, write -46, read -61, write -78."""
        thread = ThreadSpec(0, 0, (Access("w", 0),), window=2)
        machine = round_machine([0], overrides=WIDE)
        log = time_log(machine, [thread], 120, "node 0 SRI to crossbar: RdBlkMod", "node 0 DRAM")
        assert starts(log, "node 0 DRAM: VicBlk")[:2] == [29, 61]
        assert starts(log, "node 0 SRI to crossbar: RdBlkMod") == [0, 0, 46 + 40, 78 + 40]

    def test_an_eviction_to_another_home(self) -> None:
        """The line is local, the evicted one goes to node 1: no probes for it, TgtDone back, SrcDone there."""
        thread = ThreadSpec(0, 0, (Access("w", 0, victim_memory=1),), window=1, core_time_ns=1e6)
        log = time_log(TWO, [thread], 1000)
        arrived = 10 + 18 + 18  # the tail at node 1
        written = arrived + 7 + 14 + 30  # DRAM has not served anything before: no turning round
        back = written + 8 + 1 + 18 + 2
        assert starts(log, "link 0->1: VicBlk") == [10]
        assert starts(log, "node 1 DRAM: VicBlk") == [arrived + 7]
        assert starts(log, "node 1 controller to crossbar: TgtDone") == [written]
        assert starts(log, "node 0 SRI to crossbar: SrcDone")[-1:] == [max(back, log_line(log))]
        assert starts(log, "node 1 controller to crossbar: Probe") == []
        assert [time for time, text in log if text.startswith("node 0 DRAM")] == [17]


def log_line(log: Log) -> float:
    """Return when the first line was complete."""
    return next(time for time, text in log if text.endswith(": line"))


class TestProbes:
    def test_a_copied_probe_keeps_its_buffer_until_the_last_copy_has_left(self) -> None:
        """Node 1 passes the probe on to its SRI at once and to node 2 over a link of 1 GB/s, which takes 8 ns."""
        machine = round_machine(range(3), [link_entry(0, 1), link_entry(1, 2, 1.0)])
        log = time_log(machine, [once(0, 0, "r", 0)], 60, "link 0->1", "link 1->0", "link 1->2", "node 1 crossbar to SRI")
        there = 17 + 8 + 2 + 18  # 45
        assert log == [
            (25, "link 0->1: Probe"),
            (there, "link 1->2: Probe"),
            (there, "node 1 crossbar to SRI: Probe"),
            (there + 8, "link 1->0: NOP"),
        ]

    def test_only_one_probe_buffer_on_the_way(self) -> None:
        """The second probe of node 0 waits for the NOP of the first: 2 + 18 there, 1 + 10 back."""
        machine = round_machine([0, 1], [(0, 1)], credits(probe=1))
        log = time_log(machine, [once(0, 0, "r", 0), once(0, 1, "r", 0)], 60, "link 0->1")
        assert starts(log, "link 0->1: Probe") == [25, 25 + 20 + 11]

    def test_one_probe_buffer_at_the_sri(self) -> None:
        """It is kept until the answer has left: 25, answered 22 later; the answer of the requester's own node leaves at once."""
        machine = round_machine([0], crossbar={"to_sri": {"probe": 1}})
        log = time_log(machine, [once(0, 0, "r", 0), once(0, 1, "r", 0)], 100, "node 0 crossbar to SRI")
        assert starts(log, "node 0 crossbar to SRI: Probe") == [25, 25 + 22]

    def test_the_buffer_is_kept_until_the_answer_has_left_the_sri(self) -> None:
        """One probe and one answer buffer at node 1, one credit, a wire of 100: the third answer is stuck at the SRI.

        Four probes come at 135, 137, 139 and 145. The first answer leaves the SRI at 157 and the node at 167; its credit is back
        1 + 100 + 8 + 1 + 100 later. The second waits for it at the link, the third at the SRI for the second's buffer.
        """
        nodes = [node_entry(0), node_entry(1, crossbar={"to_sri": {"probe": 1}}, sri={"to_crossbar": {"response": 1}})]
        machine = round_machine(nodes, [link_entry(0, 1, latency_ns=100.0)], credits(response=1))
        log = time_log(machine, [once(0, 0, "r", 0, window=2), once(0, 1, "r", 0, window=2)], 400, "node 1", "link 1->0: Probe")
        second_goes = 167 + 1 + 100 + 8 + 1 + 100
        assert starts(log, "node 1 crossbar to SRI: Probe") == [135, 157, 179, second_goes + 1]
        assert starts(log, "node 1 SRI to crossbar: ProbeResponse")[:3] == [157, 179, second_goes + 1]
        assert starts(log, "link 1->0: ProbeResponse")[:2] == [167, second_goes]

    def test_nodes_without_cores_and_memory_answer_too(self) -> None:
        nodes = [node_entry(0), node_entry(1, cores=0), node_entry(2, memory=False)]
        machine = round_machine(nodes, [(0, 1), (1, 2)])
        log = time_log(machine, [once(0, 0, "r", 0)], 1000)
        to_far = 25 + 2 * (2 + 18)
        assert starts(log, "node 2 crossbar to SRI: Probe") == [to_far]
        assert starts(log, "0.0.r.0: line") == [to_far + 22 + 10 + 2 * (1 + 18) + 2]


def test_one_tick_apart_stays_one_tick_apart() -> None:
    """Two packets in one delay at 10.000 and 10.001 ns arrive as two."""
    log = time_log(round_machine([0]), [once(0, 0, "r", 0), once(0, 1, "r", 0, start_ns=0.001)], 20, "node 0 crossbar")
    assert log == [(10.0, "node 0 crossbar to controller: RdBlk"), (10.001, "node 0 crossbar to controller: RdBlk")]


def test_two_machines_do_not_share_anything() -> None:
    """A second engine starts from rest, whatever the first one did."""
    machine: Machine = round_machine([0, 1], [(0, 1)])
    first = time_log(machine, [once(0, 0, "w", 1)], 1000)
    assert time_log(machine, [once(0, 0, "w", 1)], 1000) == first
