"""The compiled loops do the accesses that they are said to do, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.host.area import CHASE_WORD, WORDS_PER_LINE, Words, lay_chase
from simulator.host.kernels import chase_lines, make_flags, read_lines, stop_all, work, write_lines

LINES = 96
MASK = (1 << 64) - 1


@pytest.fixture
def words() -> Words:
    return np.random.default_rng(5).integers(0, 1 << 63, LINES * WORDS_PER_LINE, dtype=np.uint64)


def checksum(words: Words, first: int, last: int, start: int = 0) -> int:
    """Go over word 0 of the lines in plain Python."""
    value = start
    for line in range(first, last):
        value = ((value ^ int(words[line * 8])) + 1) & MASK
    return value


def test_a_read_takes_word_0_of_each_line_in_order(words: Words) -> None:
    before = words.copy()
    assert read_lines(words, 8, 40, np.uint64(0)) == checksum(words, 8, 40)
    assert np.array_equal(words, before)
    for line in range(8, 40):  # every line counts
        changed = words.copy()
        changed[line * WORDS_PER_LINE] ^= np.uint64(1)
        assert read_lines(changed, 8, 40, np.uint64(0)) != checksum(words, 8, 40)


def test_a_read_takes_nothing_else(words: Words) -> None:
    other = words.copy()
    other[np.arange(len(words)) % WORDS_PER_LINE != 0] = 0
    other[: 8 * WORDS_PER_LINE] = other[40 * WORDS_PER_LINE :][: 8 * WORDS_PER_LINE] = 0
    assert read_lines(other, 8, 40, np.uint64(0)) == checksum(words, 8, 40)


def test_a_write_changes_each_line_and_nothing_else(words: Words) -> None:
    before = words.copy()
    write_lines(words, 8, 40, np.uint64(7))
    changed = np.flatnonzero(words != before)
    assert changed.tolist() == [line * WORDS_PER_LINE for line in range(8, 40)]
    value = 7
    for line in range(8, 40):
        value = ((value ^ line) + 1) & MASK
        assert words[line * WORDS_PER_LINE] == value


def test_a_chase_visits_every_line_once(words: Words) -> None:
    lay_chase(words)
    at, seen = np.uint64(CHASE_WORD), []
    for _ in range(LINES):
        at = np.uint64(chase_lines(words, at, 1))
        seen.append(int(at))
    assert sorted(seen) == [line * WORDS_PER_LINE + CHASE_WORD for line in range(LINES)]
    assert seen[-1] == CHASE_WORD
    for steps in (0, 1, 17, LINES - 1):
        assert chase_lines(words, np.uint64(CHASE_WORD), steps) == (seen[steps - 1] if steps else CHASE_WORD)


def test_a_chase_survives_writes_and_goes_in_no_order(words: Words) -> None:
    lay_chase(words)
    order = words[CHASE_WORD::WORDS_PER_LINE].copy()
    write_lines(words, 0, LINES, np.uint64(1))
    assert np.array_equal(words[CHASE_WORD::WORDS_PER_LINE], order)
    steps = np.diff(order.astype(np.int64))
    assert len(set(steps.tolist())) > LINES // 2


def test_a_chase_longer_than_a_block_is_one_cycle(monkeypatch: pytest.MonkeyPatch, words: Words) -> None:
    monkeypatch.setattr("simulator.host.area._BLOCK", 7)
    lay_chase(words)
    at, seen = CHASE_WORD, set()
    for _ in range(LINES):
        at = int(words[at])
        seen.add(at)
    assert len(seen) == LINES


@pytest.mark.parametrize("quota", [1, 5, 11])
def test_work_goes_round_its_array_in_chunks(words: Words, quota: int) -> None:
    log = work("r", words, 24, quota, 3, make_flags(1), 0, 100)
    expected = 3
    for done in range(quota):
        first = done % 4 * 24
        expected = checksum(words, first, first + 24, expected)
    assert log.result == expected
    assert len(log.wall_ns) == len(log.cpu_ns) == quota + 1
    assert (np.diff(log.wall_ns) > 0).all()
    assert (np.diff(log.cpu_ns) >= 0).all()


def test_work_writes_and_chases(words: Words) -> None:
    lay_chase(words)
    assert work("chase", words, 24, 4, CHASE_WORD, make_flags(1), 0, 10).result == CHASE_WORD
    before = words.copy()
    work("w", words, 24, 4, 0, make_flags(1), 0, 10)
    assert np.flatnonzero(words != before).tolist() == list(range(0, len(words), WORDS_PER_LINE))


def test_a_log_has_an_end(words: Words) -> None:
    log = work("r", words, 24, 9, 0, make_flags(1), 0, 4)
    assert len(log.wall_ns) == 5


def test_a_stopped_thread_waits_for_nobody(words: Words) -> None:
    flags = make_flags(2)
    stop_all(flags)
    assert len(work("r", words, 24, 9, 0, flags, 0, 10).wall_ns) == 1
