"""Each bad file as its user meets it: one line with file, field, value and what is allowed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.machine.builders import HEADER, SQUARE, links_text, message, nodes_text

QUARTET = f'extends = "{SQUARE}"\n'
PAIR = HEADER + nodes_text(0, 1)
LINK_KEYS = "source, fitted, width_bits, rate_gt_per_s, latency_ns, carries, credits, crc, nop"
FILE = "a machine file (at most 64 nodes and 4096 links)"
RANGE = 'two numbers [lowest, highest], choices such as ["a", "b"], or [] to drop what a parent file says'
NODE = '[[nodes]]\nid = 0\ncores = 1\nsource = "test"\n'
TREES = "[[[1, 2], [], [3], []], [[], [0, 3], [], [2]], [[1], [], [0, 3], []], [[], [0], [], [1, 2]]]"

BAD = {
    # keys
    "key without its unit": (
        QUARTET + "[link]\nlatency = 7.5\n",
        f"link.latency: unknown key; the unit is part of the name: latency_ns; allowed: {LINK_KEYS}",
    ),
    "key with another unit": (
        QUARTET + "[link]\nlatency_us = 7.5\n",
        f"link.latency_us: unknown key; the unit is part of the name: latency_ns; allowed: {LINK_KEYS}",
    ),
    "misspelt key": (
        QUARTET + "[link]\nlatncy_ns = 8\n",
        f"link.latncy_ns: unknown key; did you mean latency_ns?; allowed: {LINK_KEYS}",
    ),
    "misspelt block": (
        QUARTET + "[lnk]\nlatency_ns = 8\n",
        "lnk: unknown key; did you mean link?; allowed: extends, schema_version, name, title, source, processor, core, "
        "sri, crossbar, "
        "controller, link, coherence, routing, distances, caches, nodes, links",
    ),
    "key far from any": (
        QUARTET + "[core]\nzzz = 1\n[core.fitted]\n",
        "core.zzz: unknown key; allowed: source, fitted, window, ",
    ),
    "escape sequence as key": (QUARTET + '"\\u001b[31m" = 1\n', '"\\u001b[31m": unknown key; '),
    "key of a nested table": (
        QUARTET + "[link.credits]\nrequests = 1\n",
        "link.credits.requests: unknown key; did you mean request?; ",
    ),
    "key of a node": (PAIR + "cors = 2\n", "node[1].cors: unknown key; did you mean cores?; "),
    # values
    "text for a number": (
        QUARTET + '[link]\nlatency_ns = "8"\n',
        "link.latency_ns: must be a number, without quotes (got '8'); allowed: a number from 0.001 to 1000000 (ns)",
    ),
    "text with a unit for a number": (
        QUARTET + '[link]\nlatency_ns = "8 ns"\n',
        "link.latency_ns: must be a number without a unit: the name says it (got '8 ns'); allowed: a number from 0.001 "
        "to 1000000 (ns)",
    ),
    "truth value for a number": (QUARTET + "[link]\nlatency_ns = true\n", "link.latency_ns: must be a number (got True); "),
    "truth value for a count": (QUARTET + "[core]\nwindow = true\n", "core.window: must be a whole number (got True); "),
    "fraction for a count": (
        QUARTET + "[core]\nwindow = 4.5\n",
        "core.window: must be a whole number (got 4.5); allowed: a whole number from 1 to 4096",
    ),
    "date for a number": (QUARTET + "[link]\nlatency_ns = 1979-05-27\n", "link.latency_ns: must be a number (got datetime.date("),
    "negative rate": (
        QUARTET + "[link]\nrate_gt_per_s = -2.0\n",
        "link.rate_gt_per_s: is too small (got -2.0); allowed: a number from 0.001 to 100 (GT/s)",
    ),
    "rate of zero": (
        QUARTET + "[link]\nrate_gt_per_s = 0\n",
        "link.rate_gt_per_s: is too small (got 0); allowed: a number from 0.001 to ",
    ),
    "negative time": (
        QUARTET + "[link]\nlatency_ns = -1\n",
        "link.latency_ns: is too small (got -1); allowed: a number from 0.001 to ",
    ),
    "not a number": (QUARTET + "[link]\nlatency_ns = nan\n", "link.latency_ns: is not a finite number (got nan); allowed: "),
    "infinity": (QUARTET + "[link]\nlatency_ns = -inf\n", "link.latency_ns: is not a finite number (got -inf); allowed: "),
    "beyond a float": (QUARTET + f"[link]\nlatency_ns = 1{'0' * 400}\n", "link.latency_ns: must be a number (got 1000"),
    "no choice": (
        QUARTET + '[crossbar]\narbitration = "fifo"\n',
        'crossbar.arbitration: is not one of the choices (got \'fifo\'); allowed: "round-robin" or "response-first"',
    ),
    "number for a table": (QUARTET + "link = 3\n", f"link: must be a table (got 3); allowed: a table of {LINK_KEYS}"),
    "number for the nodes": (QUARTET + "nodes = 3\n", "nodes: must be a list (got 3); allowed: a list of tables"),
    "number for a node": (QUARTET + "nodes = [3]\n", "[[nodes]] number 1: must be a table (got 3); allowed: a table of source, "),
    "empty text": (QUARTET + 'title = ""\n', "title: is empty (got ''); allowed: text of at most 2000 characters"),
    "escape sequence": (
        QUARTET + 'title = "\\u001b[31m"\n',
        "title: holds a control character (got '\\x1b[31m'); allowed: text ",
    ),
    "other schema": (QUARTET + "schema_version = 2\n", "schema_version: is not one of the choices (got 2); allowed: 1"),
    "several at once": (
        QUARTET + '[link]\nlatency_ns = "8"\n[core]\nwindow = 1.5\nfoo = 2\n',
        "core.window: must be a whole number (and 2 more problems) (got 1.5); allowed: a whole number from 1 to 4096",
    ),
    # nodes
    "no nodes": (
        HEADER,
        "nodes: the machine has no nodes; allowed: at least one [[nodes]] entry; a file without nodes can only be extended",
    ),
    "node without a number": (
        HEADER + '[[nodes]]\ncores = 1\nsource = "s"\n',
        "[[nodes]] number 1: id: is missing; allowed: a whole number",
    ),
    "node without a source": (HEADER + "[[nodes]]\nid = 0\ncores = 1\n", "node[0].source: is missing; allowed: text"),
    "two nodes of one number": (
        HEADER + nodes_text(0, 3, 3),
        "node[3].id: two nodes have this number ([[nodes]] number 2 and 3) (got 3); allowed: a number of its own",
    ),
    "no cores anywhere": (
        HEADER + '[[nodes]]\nid = 0\ncores = 0\nmemory_gib = 1\nsource = "s"\n',
        "nodes: no node has a core; allowed: cores of at least 1 on one node",
    ),
    "no memory anywhere": (HEADER + NODE, "nodes: no node has memory; allowed: memory_gib on at least one node"),
    "memory of nothing": (
        HEADER + NODE + "memory_gib = 0\n",
        "node[0].memory_gib: is too small; leave it out for a node without memory (got 0); allowed: a number above 0, at "
        "most 1000000 (GiB)",
    ),
    "controller without memory": (
        HEADER + nodes_text(1) + NODE + "controller = { read_ns = 12 }\n",
        "node[0].controller: the node has no memory to control; allowed: memory_gib in the node",
    ),
    "bad value of one node": (
        PAIR + "controller = { read_ns = -1 }\n",
        "node[1].controller.read_ns: is too small (got -1); allowed: ",
    ),
    # links
    "link to an unknown node": (
        PAIR + links_text((0, 7)),
        "link[0-7].ends: the link leads to node 7, which is not there (got [0, 7]); allowed: nodes 0, 1",
    ),
    "link to itself": (
        PAIR + links_text((1, 1)),
        "link[1-1].ends: the link leads from a node to itself (got [1, 1]); allowed: two different nodes",
    ),
    "unreachable node": (
        HEADER + nodes_text(0, 1, 2) + links_text((0, 1)),
        "links: no way leads from node 0 to node 2; allowed: links that join all nodes",
    ),
    "no links": (PAIR, "links: no way leads from node 0 to node 1; allowed: links that join all nodes"),
    "parallel links of one virtual channel": (
        PAIR + links_text((0, 1), (1, 0)),
        "link[1-0].carries: parallel links 0-1 both carry request, so nothing says which one a packet takes (got "
        "['request', 'posted', "
        '\'response\', \'probe\']); allowed: channels shared out: carries = ["request", "posted", "probe"] on one, '
        '["response"] on the other',
    ),
    "link without a needed channel": (
        PAIR + links_text((0, 1)) + 'carries = ["request", "posted", "response"]\n',
        "links: node 1 cannot be reached from node 0 over links that carry probe",
    ),
    "link that carries nothing": (
        PAIR + links_text((0, 1)) + "carries = []\n",
        "link[0-1].carries: names no virtual channel, or one twice (got []); allowed: each at most once",
    ),
    "unknown channel": (
        PAIR + links_text((0, 1)) + 'carries = ["request", "x"]\n',
        'link[0-1].carries[1]: is not one of the choices (got \'x\'); allowed: "request" or "posted" or "response" or "probe"',
    ),
    "no buffers for a channel": (
        PAIR + links_text((0, 1)) + "credits = { probe = 0 }\n",
        "link[0-1].credits.probe: the link carries probe but has no buffer for it (got 0); allowed: at least 1",
    ),
    "no buffers inside a node": (
        QUARTET + "[sri.to_crossbar]\nrequest = 0\n",
        "sri.to_crossbar.request: nothing could pass without a buffer here (got 0); allowed: at least 1",
    ),
    # missing
    "missing block": (
        'schema_version = 1\nname = "x"\ntitle = "x"\nsource = "x"\n' + nodes_text(0),
        "[processor]: the block is missing; allowed: [processor] with source, name, clock_ghz; or extends = a machine "
        "that has it",
    ),
    "missing title": (
        'schema_version = 1\nname = "x"\nsource = "x"\n' + nodes_text(0),
        "title: is missing; allowed: text of at most 2000 ",
    ),
    "missing schema_version": ('name = "x"\n' + nodes_text(0), "schema_version: is missing; allowed: 1"),
    # fitted
    "fitted value out of its range": (
        QUARTET + "[core]\nwindow = 12\n",
        "core.window: is outside the range that `fitted` gives it (got 12); allowed: 4 to 8; or another range, or [] if "
        "it is not fitted, in [core.fitted]",
    ),
    "fitted value of one node out of its range": (
        PAIR + "controller = { read_ns = 30 }\n",
        "node[1].controller.read_ns: is outside the range that `fitted` gives it (got 30); allowed: 10 to 14; or another range, ",
    ),
    "fitted value of one link out of its range": (
        PAIR + links_text((0, 1)) + "latency_ns = 30\n",
        "link[0-1].latency_ns: is outside the range that `fitted` gives it (got 30); allowed: 4 to 12; or another range, ",
    ),
    "fitted names no field": (
        QUARTET + "[core.fitted]\nwindw = [1, 2]\n",
        "core.fitted.windw: there is no such value in its block; did you mean window?; allowed: window, core_time_ns, ",
    ),
    "fitted with three bounds": (
        QUARTET + "[core.fitted]\nwindow = [1, 2, 3]\n",
        f"core.fitted.window: is no range (got [1, 2, 3]); allowed: {RANGE}",
    ),
    "fitted upside down": (
        QUARTET + "[core.fitted]\nwindow = [9, 3]\n",
        f"core.fitted.window: is no range for this value (got [9, 3]); allowed: {RANGE}",
    ),
    "fitted choices for a number": (
        QUARTET + '[core.fitted]\nwindow = ["a"]\n',
        f"core.fitted.window: holds choices, but the value is no text (got ['a']); allowed: {RANGE}",
    ),
    # routing
    "routing that is no table": (
        QUARTET + '[routing]\nrequest = "x"\n',
        "routing.request: is not one of the choices (got 'x'); allowed: \"shortest\" or a list of lists of whole numbers "
        "from 0 to 65535",
    ),
    "text in a routing table": (
        QUARTET + '[routing]\nrequest = [[0, 1, 2, "3"], [0], [0], [0]]\n',
        "routing.request[0][3]: must be a whole number, without quotes (got '3'); allowed: a whole number from 0 to 65535",
    ),
    "too few rows": (
        QUARTET + "[routing]\nrequest = [[0, 1]]\n",
        "routing.request: has the wrong number of entries (got 1); allowed: 4, one for each of the nodes 0, 1, 2, 3; or "
        '"shortest"',
    ),
    "short row": (
        QUARTET + "[routing]\nresponse = [[0, 1, 2, 2], [0, 1, 3, 3], [0, 0, 2], [1, 1, 2, 3]]\n",
        "routing.response, row of node 2: has the wrong number of entries (got 3); allowed: 4, one for each of the nodes ",
    ),
    "hop that is no neighbour": (
        QUARTET + "[routing]\nrequest = [[0, 1, 2, 3], [0, 1, 3, 3], [0, 0, 2, 3], [1, 1, 2, 3]]\n",
        "routing.request, node 0 to 3: is not a neighbour of node 0 (got 3); allowed: neighbours 1, 2",
    ),
    "hop that is no node": (
        QUARTET + "[routing]\nrequest = [[0, 1, 2, 9], [0, 1, 3, 3], [0, 0, 2, 3], [1, 1, 2, 3]]\n",
        "routing.request, node 0 to 3: is not a node of this machine (got 9); allowed: neighbours 1, 2",
    ),
    "route loop": (
        QUARTET + "[routing]\nrequest = [[0, 1, 2, 1], [0, 1, 3, 0], [0, 0, 2, 3], [1, 1, 2, 3]]\n",
        "routing.request, node 0 to 3: route loops: 0->1->0; allowed: a way to the destination",
    ),
    "route from a node to itself": (
        QUARTET + "[routing]\nrequest = [[1, 1, 2, 2], [0, 1, 3, 3], [0, 0, 2, 3], [1, 1, 2, 3]]\n",
        "routing.request, node 0 to 0: has another node where it must have itself (got 1); allowed: 0",
    ),
    "tree that reaches a node twice": (
        QUARTET + f"[routing]\nbroadcast = {TREES.replace('[[1, 2], []', '[[1, 2], [3]', 1)}\n",
        "routing.broadcast, tree of node 0: reaches node 3 twice; allowed: every node exactly once",
    ),
    "tree that misses a node": (
        QUARTET + f"[routing]\nbroadcast = {TREES.replace('[3]', '[]', 1)}\n",
        "routing.broadcast, tree of node 0: never reaches node 3; allowed: every node exactly once",
    ),
    "tree that jumps": (
        QUARTET + f"[routing]\nbroadcast = {TREES.replace('[[1, 2], [], [3]', '[[1, 2, 3], [], []', 1)}\n",
        "routing.broadcast, tree of node 0, at node 0: is not a neighbour of node 0 (got 3); allowed: neighbours 1, 2",
    ),
    "route over a link without the channel": (
        PAIR
        + links_text((0, 1))
        + 'carries = ["request", "posted", "probe"]\n[routing]\nrequest = [[0, 1], [0, 1]]\nresponse = [[0, 1], [0, 1]]\n',
        "routing.response, node 0 to 1: the link 0-1 does not carry response; allowed: response in its `carries`",
    ),
    # distances
    "distances of another shape": (
        PAIR + links_text((0, 1)) + '[distances]\nmatrix = [[10, 20]]\nsource = "s"\n',
        "distances.matrix: has the wrong shape (got '1 rows of 2'); allowed: 2 rows of 2, in order of nodes",
    ),
    "distance too large": (
        PAIR + links_text((0, 1)) + '[distances]\nmatrix = [[10, 20], [20, 300]]\nsource = "s"\n',
        "distances.matrix[1][1]: is too large (got 300); allowed: a whole number from 0 to 255",
    ),
    # windows
    "window beyond the core": (
        QUARTET + "[core]\nwindow = 12\nfitted = { window = [4, 20] }\n",
        "core.window: a core cannot have so many lines in flight (got 12); allowed: 1 to 8 (core.max_outstanding)",
    ),
    # extends
    "unknown parent": (
        'extends = "quartett"\n',
        "extends: there is no such machine or file; did you mean quartet? (got 'quartett'); allowed: a path relative to "
        "this file, or one of ",
    ),
    "parent that is no name": (
        "extends = 3\n",
        "extends: wants a name or a path (got 3); allowed: a path relative to this file, or one of ",
    ),
    "its own parent": ('extends = "mine.toml"\n', "extends: machine files extend each other in a circle: mine.toml -> mine.toml"),
    # no machine file at all
    "empty": ("", f"is empty; allowed: {FILE}"),
    "blank": (" \n\n", f"is empty; allowed: {FILE}"),
    "comments only": ("# nothing\n", f"is empty; allowed: {FILE}"),
    "junk": (b"\x00\x01\xff\xfe\x80", "is not text: byte 2 is not UTF-8; allowed: "),
    "junk that is text": (b"\x7fELF\x02\x01\x01\x00", "is not TOML: invalid statement (at line 1, column 1); allowed: "),
    "no TOML": ("[link\n", "is not TOML: "),
    "nested too deep": ("x = " + "[" * 100_000, "is not TOML that can be read: nested too deep"),
    "number of many digits": ("x = " + "1" * 10_000, "is not TOML: "),
    "key of many parts": ("a." * 100_000 + "b = 1", "has a line with more than 100 dots; allowed: "),
    "10,000 nodes": (HEADER + nodes_text(*range(10_000)), "nodes: too many nodes (got 10000); allowed: at most 64 nodes"),
    "65 nodes": (HEADER + nodes_text(*range(65)), "nodes: too many nodes (got 65); allowed: at most 64 nodes"),
    "5,000 links": (PAIR + links_text(*[(0, 1)] * 5000), "links: too many links (got 5000); allowed: at most 4096 links"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("content", "expected"), BAD.values(), ids=BAD.keys())
def test_bad_file(folder: Path, content: str | bytes, expected: str):
    (folder / "mine.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    start = time.monotonic()
    assert message("mine.toml").startswith(f"mine.toml: {expected}")
    assert time.monotonic() - start < 5


def test_fitted_choices_that_leave_out_the_value_of_the_parent(folder: Path):
    (folder / "mine.toml").write_text(QUARTET + '[crossbar.fitted]\narbitration = ["response-first"]\n')
    assert message("mine.toml").startswith(
        "base.toml, which mine.toml extends: crossbar.arbitration: is outside the range that `fitted` gives it (got "
        "'round-robin'); "
        'allowed: "response-first"; or another range, or [] if it is not fitted, in [crossbar.fitted]'
    )


def test_link_with_three_ends(folder: Path):
    (folder / "mine.toml").write_text(PAIR + links_text((0, 1, 1)))
    assert message("mine.toml") == (
        "mine.toml: [[links]] number 1: ends: is too long (got [0, 1, 1]); allowed: a list of 2 whole numbers from 0 to 65535"
    )


def test_tables_of_the_parent_for_other_nodes(folder: Path):
    (folder / "mine.toml").write_text(QUARTET + nodes_text(0, 1) + links_text((0, 1)))
    assert message("mine.toml") == (
        f"{SQUARE}, which mine.toml extends: routing.request: has the wrong number of entries (got 4); "
        'allowed: 2, one for each of the nodes 0, 1; or "shortest"'
    )


def test_a_base_is_no_machine():
    assert message("opteron-k8").startswith("opteron-k8: nodes: the machine has no nodes; ")


def test_files_in_a_circle(folder: Path):
    (folder / "a.toml").write_text('extends = "b.toml"\n')
    (folder / "b.toml").write_text('extends = "a.toml"\n')
    assert message("a.toml") == "b.toml: extends: machine files extend each other in a circle: a.toml -> b.toml -> a.toml"


def test_a_long_chain(folder: Path):
    for number in range(10):
        (folder / f"c{number}.toml").write_text(f'extends = "c{number + 1}.toml"\n')
    assert message("c0.toml") == "c0.toml: extends: too many files extend each other; allowed: a chain of at most 8 files"


def test_a_file_of_one_gigabyte(folder: Path):
    with (folder / "big.toml").open("wb") as stream:
        stream.truncate(1 << 30)
    start = time.monotonic()
    assert message("big.toml") == f"big.toml: is too large: 1,073,741,824 bytes; allowed: {FILE} of at most 1,048,576 bytes"
    assert time.monotonic() - start < 1


def test_what_is_no_file(folder: Path):
    os.mkfifo(folder / "pipe.toml")
    (folder / "gone.toml").symlink_to("nowhere")
    (folder / "round.toml").symlink_to("round.toml")
    assert message("pipe.toml") == f"pipe.toml: is no regular file; allowed: {FILE}"
    assert message("/dev/zero") == f"/dev/zero: is no regular file; allowed: {FILE}"
    assert message(folder) == f"{folder}: is a folder; allowed: {FILE}"
    assert message("gone.toml").startswith("gone.toml: cannot be read: no such file or directory; ")
    assert message("round.toml").startswith("round.toml: cannot be read: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(folder: Path):
    (folder / "secret.toml").touch(0o000)
    assert message("secret.toml").startswith("secret.toml: cannot be read: permission denied; ")


@pytest.mark.parametrize("name", ["quartett", "nope.toml"])
def test_an_unknown_name(name: str):
    assert message(name).startswith(
        f"there is no machine of that name (got '{name}'); allowed: the path of a machine file, or one of athlon64-x2, "
    )


@pytest.mark.parametrize("name", ["", "no/such.toml", "a\0b", "x" * 5000 + "/y"])
def test_an_unknown_file(name: str):
    assert message(name).startswith("there is no such file (got ")
