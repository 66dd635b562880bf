"""The language of --where: what it means, and that no text becomes SQL."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.errors import InputError
from simulator.sweep import open_store
from simulator.sweep.where import condition

COLUMNS = ("seed", "verdict", "threads", "link.latency_ns", "link[0-1#1].credits.request", "node[*].cores", "ci_percent")


@pytest.mark.parametrize(
    ("text", "sql", "values"),
    [
        ("", "1", []),
        ("seed = 1", '("seed" = ?)', [1]),
        ("seed==1.5e-1", '("seed" = ?)', [0.15]),
        ("1 <= seed", '(? <= "seed")', [1]),
        ("seed > -2", '("seed" > ?)', [-2]),
        ("link.latency_ns >= 8", '("link.latency_ns" >= ?)', [8]),
        ("link[0-1#1].credits.request <> 4", '("link[0-1#1].credits.request" <> ?)', [4]),
        ("node[*].cores < seed", '("node[*].cores" < "seed")', []),
        ("verdict != 'too short'", '("verdict" <> ?)', ["too short"]),
        ('verdict = "it\'s"', '("verdict" = ?)', ["it's"]),
        ("verdict = 'it''s \"so\"'", '("verdict" = ?)', ["it's \"so\""]),
        (
            "verdict in ('steady', 'x') and seed not in (1,2)",
            '(("verdict" IN (?, ?)) AND ("seed" NOT IN (?, ?)))',
            ["steady", "x", 1, 2],
        ),
        ("threads like '0.0.w%'", '("threads" LIKE ?)', ["0.0.w%"]),
        ("threads NOT LIKE 'a'", '("threads" NOT LIKE ?)', ["a"]),
        ("ci_percent is null or ci_percent IS NOT NULL", '(("ci_percent" IS NULL) OR ("ci_percent" IS NOT NULL))', []),
        ("not seed = 1 and seed = 2 or seed = 3", '(((NOT ("seed" = ?)) AND ("seed" = ?)) OR ("seed" = ?))', [1, 2, 3]),
        ("not (seed = 1 or (seed = 2))", '(NOT (("seed" = ?) OR ("seed" = ?)))', [1, 2]),
        ("seed = 12345678901234567890", '("seed" = ?)', [12345678901234567890.0]),
    ],
)  # fmt: skip
def test_meaning(text: str, sql: str, values: list[object]) -> None:
    assert condition(text, COLUMNS) == (sql, values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nosuch = 1", "there is no column nosuch; text stands in quotes; allowed: seed, verdict"),
        ("sed = 1", "there is no column sed; did you mean seed?"),
        ("verdict = steady", "there is no column steady"),
        ("seed", "wants a comparison at its end"),
        ("seed = ", "wants a number or text instead of the end"),
        ("seed = null", "wants a number or text instead of null; text stands in quotes, no value is: is null"),
        ("seed = 1 seed = 2", "goes on with seed where it should end"),
        ("(seed = 1", "wants ) instead of the end"),
        ("seed in 1", "wants ( instead of 1"),
        ("seed in ()", "wants a number or text instead of )"),
        ("seed in (seed)", "wants a number or text instead of seed"),
        ("threads like 5", "wants a text instead of 5"),
        ("seed not = 1", "wants a comparison before ="),
        ("seed is 1", "wants null instead of 1"),
        ("1 < seed < 3", "goes on with < where it should end"),
        ("thread = 1", "there is no column thread; did you mean threads?"),
        ("threads = 0.0.w.1", "cannot be read from '0.0.w.1' on"),
        ("verdict = 'open", 'cannot be read from "\'open" on'),
        ("seed = 1; drop table point", "cannot be read from '; drop table point' on"),
        ("seed = 1 -- x", "cannot be read from '-- x' on"),
        ("seed = 1 /* x */", "cannot be read from '/* x */' on"),
        ("seed = 1 union select 1", "goes on with union where it should end"),
        ("seed = (select 1)", "wants a number or text instead of ("),
        ("exists (select 1)", "there is no column exists"),
        ("load_extension('x') = 1", "there is no column load_extension"),
        ("seed = 1 or 1", "wants a comparison at its end"),
        ("`seed` = 1", "cannot be read from"),
        ("[seed] = 1", "cannot be read from"),
        ("seed = ?", "cannot be read from '?' on"),
        ("not " * 60 + "seed = 1", "is nested too deep"),
        ("(" * 60 + "seed = 1" + ")" * 60, "is nested too deep"),
        ("seed = 1 or " * 500 + "seed = 1", "is too long"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        condition(text, COLUMNS)
    assert message in str(caught.value)
    assert str(caught.value).startswith("--where: ")


WORDS = [*COLUMNS, "=", "(", ")", "and", "or", "not", "in", "is", "null", "like", "'", '"', ";", "1", "'a'", ","]


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_text_is_refused_or_becomes_a_condition_that_only_reads(text: str) -> None:
    try:
        sql, values = condition(text, COLUMNS)
    except InputError:
        return
    without_columns = sql
    for column in COLUMNS:
        without_columns = without_columns.replace(f'"{column}"', "c")
    assert re.fullmatch(r"(?:[()?,c <>=]|AND|OR|NOT|IN|LIKE|IS|NULL|1)*", without_columns)
    connection = sqlite3.connect(":memory:")
    names = ", ".join(f'"{column}"' for column in COLUMNS)
    connection.execute(f"CREATE TABLE t ({names})")
    connection.execute(f"SELECT * FROM t WHERE {sql}", values)
    connection.close()


def test_it_filters(filled: Path) -> None:
    cases = {
        "link.latency_ns >= 10": 8,
        "link.latency_ns > 8 and seed = 2": 4,
        "threads like '%1.0.w.3'": 6,
        "not threads like '%1.0.w.3' or seed = 1": 9,
        "time_per_line_ns < 48.15": 2,
        "verdict in ('deadlock', 'steady')": 12,
        "verdict = 'x'' or 1=1 --'": 0,
        "verdict_detail is not null": 0,
    }
    with open_store(filled, read_only=True) as store:
        for where, count in cases.items():
            assert len(list(store.select(where=where).rows)) == count, where
        assert len(list(store.select("links", "link = '0->1' and utilization > 0.2").rows)) == 12
