"""The text of perf script, in the layouts of its documentation and source."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.traces.reading import read_text

SHORT = (
    "sort 1234 5678.000001: cpu/mem-loads,ldlat=30/P: 7ffd10 5080022 "
    "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK N/A\n"
)
LAYOUTS = {
    "as recommended": SHORT,
    "with all that perf prints by itself": (
        "      my sort  1234 [003]  5678.000001:          1 cpu/mem-loads,ldlat=30/P:           7ffd10          5080022 "
        "|OP LOAD|LVL LFB or MAB hit|SNP N/A|TLB L1 or L2 hit|LCK No|BLK  N/A               12            0 "
        "           401136 main+0x20 (/tmp/a.out)\n"
    ),
    "with pid and cpu": "sort 1230/1234 [003] 5678.000001: cpu/mem-loads/P: 7ffd10\n",
    "in nanoseconds, without data_src": "sort 1234 5678.000001000: cpu_core/mem-loads,ldlat=30/: 7ffd10\n",
    "from an AMD": ":-1 1234 5678.000001: ibs_op//: 7ffd10 68 |OP LOAD|LVL L1 miss|SNP N/A|TLB N/A|LCK N/A|BLK N/A 401136\n",
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_layouts(layout: str, tmp_path: Path) -> None:
    done = read_text(tmp_path, LAYOUTS[layout])
    assert (done.rows, done.unit, done.complaint, done.form) == ([(1234, 0x7FFD10, 1, "r", 0)], "time_ns", None, "perf")


def test_times_threads_and_directions(tmp_path: Path) -> None:
    text = (
        "# ========\n# captured on: today\n\n"
        "a 1 10.000000: cpu/mem-stores/P: 40 1 |OP STORE|LVL L1 hit|\n"
        "b c 2 10.000001500: cpu/mem-loads/P: 80 1 |OP LOAD|LVL N/A|\n"
        "\t          401136 main+0x20 (/tmp/a.out)\n"
        "a 1 10.000002: ibs_op//: c0 1 |OP LOAD or STORE|LVL N/A|\n"
        "a 1 10.000003: ibs_op//: 0 1 |OP N/A|LVL N/A|\n"
        "a 1 10.000003: cpu/mem-loads/P: 0 1 |OP LOAD|LVL N/A|\n"
        "a 1 10.000004: PERF_RECORD_MMAP2 1/1: [0x1]\n"
        "    stream_small 21466 24119.577665411: page-faults:     7fffe9496199      1e05080021 |OP N/A|LVL N/A or N/A\n"
        "a 1 10.000005: cpu/mem-stores/P: 100\n"
    )
    done = read_text(tmp_path, text)
    assert done.complaint is None
    assert done.rows == [(1, 0x40, 1, "w", 0), (2, 0x80, 1, "r", 1500), (1, 0xC0, 1, "m", 2000), (1, 0x100, 1, "w", 3000)]
    assert dict(done.counts.skipped) == {
        "comments": 2,
        "empty lines": 1,
        "lines of call chains": 1,
        "other records": 1,
        "samples of no load or store": 2,
        "samples without an address": 1,
    }


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (
            "nonsense",
            "the line is no sample with a thread, a time, an event and an address",
        ),
        ("a 1 10.000001: cycles: 40", "the line does not say whether it is a load or a store"),
        ("a 1 10.000001: cpu/mem-loads/P:", "is no sample"),
        ("a 1 10.01: cpu/mem-loads/P: 40", "is no sample"),
        (
            " dd 1 10.000001: cpu/mem-loads/P:  ffffffff81752a2a elf_load+0x28a ([kernel.kallsyms])",
            "is no sample",
        ),  # ip, not addr
        ("a 99999999999 10.000001: cpu/mem-loads/P: 40", "has no thread number that Linux gives"),
        ("a 1 99999999999.000001: cpu/mem-loads/P: 40", "has a time that is too large"),
        ("sort 1234 5678.000000: cpu/mem-loads/P: 40", "has an earlier time than the sample of this thread before"),
        ("\x00\x01", "is no sample"),
    ],
)
def test_a_bad_line_is_named_after_all_before_it(line: str, what: str, tmp_path: Path) -> None:
    done = read_text(tmp_path, SHORT + SHORT + line + "\n" + SHORT)
    assert len(done.rows) == 2
    assert done.complaint is not None
    assert done.complaint.startswith(f"FILE: line 3, byte {2 * len(SHORT)}: ")
    assert what in done.complaint


def test_a_last_line_without_an_end_is_cut_off(tmp_path: Path) -> None:
    done = read_text(tmp_path, SHORT + SHORT[:50])
    assert len(done.rows) == 1
    assert "line 2, byte 138: the trace ends in the middle of this line" in str(done.complaint).replace(str(len(SHORT)), "138")


def test_a_recording_without_accesses_is_refused(tmp_path: Path) -> None:
    done = read_text(tmp_path, "a 1 10.000003: ibs_op//: 0 1 |OP N/A|LVL N/A|\n")
    assert str(done.complaint).startswith("FILE: holds no access; skipped: 1 samples of no load or store; allowed: lines of")
