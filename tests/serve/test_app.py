"""What pages ask of `numasim serve`, and what they get."""

from __future__ import annotations

import json
import shlex
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jsonschema
import pytest
from starlette.testclient import TestClient

from simulator.cli.main import main
from simulator.explain.report import Why
from simulator.measure.result import RunResult
from simulator.serve.limits import LONGEST_TEXT, MOST_BODY_BYTES, MOST_SETTINGS, MOST_THREADS
from tests.serve.conftest import EVERY_CORE


def setup(machine: str = "quartet", *threads: str, **more: list[str]) -> dict[str, Any]:
    return {"machine": machine, "threads": list(threads), **more}


def run(client: TestClient, asked: Any, tab: str = "one") -> Any:
    return client.post("/api/run", json={"tab": tab, "setup": asked})


def command_line(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    words = shlex.split(command)
    assert words[0] == "numasim"
    capsys.readouterr()
    code = main(words[1:])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "asked",
    [
        setup("quartet", "0.0.w.1", "1.0.w.0"),
        setup("quartet", "3.1.r.0", background=["1.0.r.1@0.5", "2.0.w.2@low"], set=["link.credits.response=12", "core.window=6"]),
        setup("two-node", background=["1.1.r.0@2"]),
        setup("quartet", "0.0.w.1", set=["crossbar.arbitration=response-first", "link[0-1].rate_gt_per_s=2.4"]),
    ],
)
def test_a_run_is_that_of_the_command_it_comes_with(client: TestClient, capsys: pytest.CaptureFixture[str], asked: Any) -> None:
    answer = run(client, asked)
    assert answer.status_code == 200
    body = answer.json()
    code, out, _ = command_line(body["command"] + " --json", capsys)
    assert body["document"] == out
    assert code == (0 if json.loads(out)["verdict"] == "steady" else 1)
    _, printed, _ = command_line(body["command"], capsys)
    for row in (row for table in body["tables"] for row in table["rows"]):
        assert " ".join(row).split() in [line.split() for line in printed.splitlines()]


def test_what_a_page_draws(client: TestClient) -> None:
    empty = client.post("/api/machine", json=setup("quartet")).json()["view"]
    body = run(client, setup("quartet", "0.0.w.1")).json()
    result = RunResult.model_validate_json(body["document"])
    assert [node["load"] for node in empty["nodes"]] == [None] * 4
    shown = {link["key"]: link["load"]["utilization"] for link in body["view"]["links"]}
    assert shown == {key: link.utilization for key, link in result.links.items()}
    (path,) = result.breakdown
    assert sum(part["ns"][0] for part in body["breakdown"]["parts"]) == pytest.approx(path.total_ns, rel=0.02)


@pytest.mark.parametrize(
    ("asked", "arguments"),
    [
        (setup("quartet", "0.0.x.1"), ["quartet", "0.0.x.1"]),
        (setup("quartet", "9.0.r.1"), ["quartet", "9.0.r.1"]),
        (setup("quartet", "0.0.r.1", "0.0.w.1"), ["quartet", "0.0.r.1", "0.0.w.1"]),
        (setup("quartet"), ["quartet"]),
        (setup("qartet", "0.0.r.1"), ["qartet", "0.0.r.1"]),
        (setup("", "0.0.r.1"), ["", "0.0.r.1"]),
        (setup("opteron-k8", "0.0.r.1"), None),
        (setup("quartet", background=["0.0.r.1"]), ["quartet", "--background", "0.0.r.1"]),
        (setup("quartet", background=["0.0.r.1@-1"]), ["quartet", "--background", "0.0.r.1@-1"]),
        (setup("quartet", background=["0.0.r.1@much"]), ["quartet", "--background", "0.0.r.1@much"]),
        (setup("quartet", background=["0.0.r.1@1"] * 2), ["quartet", *["--background", "0.0.r.1@1"] * 2]),
        (setup("quartet", "0.0.r.1", set=["link.nonsense=1"]), ["quartet", "0.0.r.1", "--set", "link.nonsense=1"]),
        (setup("quartet", "0.0.r.1", set=["core.window=x"]), ["quartet", "0.0.r.1", "--set", "core.window=x"]),
    ],
)
def test_wrong_input_is_refused_in_the_words_of_the_command_line(
    client: TestClient, capsys: pytest.CaptureFixture[str], asked: Any, arguments: list[str] | None
) -> None:
    answer = run(client, asked)
    assert answer.status_code == 422
    if arguments is None:  # a base that is there, but no machine: not offered
        assert "there is no machine of that name" in answer.json()["error"]
        return
    assert main(["run", *arguments]) == 2
    assert f"numasim: error: {answer.json()['error']}\n" == capsys.readouterr().err


def test_no_file_of_the_computer_is_read(client: TestClient, tmp_path: Any) -> None:
    secret = tmp_path / "secret.toml"
    secret.write_text('name = "hidden"\n')
    for name in (str(secret), "/etc/passwd", "../main/README.md", "topologies/quartet.toml"):
        assert "there is no such file" in run(client, setup(name, "0.0.r.0")).json()["error"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (None, "is no set-up"),
        ([], "is no set-up"),
        ({"machine": "quartet", "lines": 10**9}, "there is no such field"),
        ({"machine": 3}, "is no machine"),
        ({"machine": "quartet", "threads": "0.0.r.0"}, "is no list of texts"),
        ({"machine": "quartet", "threads": [1]}, "is no list of texts"),
        (setup("quartet", *["0.0.r.0"] * (MOST_THREADS + 1)), "too many for this page"),
        (setup("quartet", *["0.0.r.0"] * MOST_THREADS, background=["0.1.r.0@1"]), "too many threads for this page"),
        (setup("quartet", "0.0.r.0", set=["core.window=4"] * (MOST_SETTINGS + 1)), "too many for this page"),
        (setup("quartet", "0" * (LONGEST_TEXT + 1)), "is too long"),
    ],
)
def test_what_is_no_set_up_or_too_large_reaches_no_worker(client: TestClient, asked: Any, words: str) -> None:
    answer = run(client, asked)
    assert answer.status_code == 422
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (b"{", "application/json", "is no JSON"),
        (b"[" * 20_000, "application/json", "is no JSON"),
        (b"{}", "text/plain", "is no JSON"),
        (b" " * (MOST_BODY_BYTES + 1), "application/json", "is too large"),
        (b'{"tab": "one"}', "application/json", "an object with tab and setup"),
        (b'{"tab": "../..", "setup": {"machine": "quartet"}}', "application/json", "no name of a tab"),
    ],
)
def test_what_is_no_request(client: TestClient, body: bytes, kind: str, words: str) -> None:
    answer = client.post("/api/run", content=body, headers={"content-type": kind})
    assert answer.status_code == 422
    assert words in answer.json()["error"]


def test_twenty_pages_at_once_all_get_their_answer_and_the_server_answers_meanwhile(client: TestClient) -> None:
    asked = [setup("quartet", f"{page % 4}.0.{'rw'[page % 2]}.{page // 5}", f"{(page + 1) % 4}.1.r.0") for page in range(20)]
    with ThreadPoolExecutor(20) as pages:
        answers = [pages.submit(run, client, one, f"tab-{place}") for place, one in enumerate(asked)]
        assert client.get("/api/information").status_code == 200
        assert not all(answer.done() for answer in answers)
        bodies = [answer.result().json() for answer in answers]
    for one, body in zip(asked, bodies, strict=True):
        assert body["command"].startswith(f"numasim run quartet {' '.join(one['threads'])} ")
        labels = {thread["label"] for thread in json.loads(body["document"])["threads"]}
        assert labels == set(one["threads"])


def test_a_later_run_of_a_page_replaces_its_last(client: TestClient) -> None:
    with ThreadPoolExecutor(1) as page:
        first = page.submit(run, client, EVERY_CORE, "same")
        time.sleep(0.3)
        other = run(client, setup("two-node", "0.0.r.1"), "another")
        second = run(client, setup("two-node", "0.0.r.0"), "same")
        assert (other.status_code, second.status_code) == (200, 200)
        assert first.result().status_code == 409
        assert "replaced" in first.result().json()["error"]


def test_a_run_that_takes_too_long_is_ended_and_the_next_is_done(hurried: TestClient) -> None:
    answer = run(hurried, EVERY_CORE)
    assert answer.status_code == 504
    assert "ended after 1.5 s" in answer.json()["error"]
    assert run(hurried, setup("two-node", "0.0.r.1")).status_code == 200


@pytest.mark.slow
def test_too_many_waiting_runs_are_told_to_come_again(hurried: TestClient) -> None:
    with ThreadPoolExecutor(5) as pages:
        answers = [pages.submit(run, hurried, EVERY_CORE, f"tab-{place}") for place in range(5)]
        statuses = [answer.result().status_code for answer in answers]
    assert 503 in statuses
    assert set(statuses) == {503, 504}


def test_why(client: TestClient) -> None:
    asked = {"tab": "curious", "setup": setup("two-node", "0.0.r.1")}
    answer = client.post("/api/why", json=asked)
    states = []
    while answer.status_code == 202:
        states.append(answer.json())
        time.sleep(0.05)
        answer = client.get("/api/why/curious")
    assert answer.status_code == 200
    report = json.loads(answer.json()["document"])
    jsonschema.validate(report, Why.model_json_schema())
    assert answer.json()["command"] == "numasim why two-node 0.0.r.1 --ci 0.5 --lines 10000"
    done = [state["progress"][0] for state in states if state["progress"]]
    assert done == sorted(done)
    assert states[-1]["state"] == "running"
    assert client.get("/api/why/curious").status_code == 404  # it is handed out once


def test_why_is_stopped_and_refused(client: TestClient) -> None:
    assert client.post("/api/why", json={"tab": "curious", "setup": EVERY_CORE}).status_code == 202
    assert client.delete("/api/why/curious").status_code == 204
    assert client.get("/api/why/curious").status_code == 404
    client.post("/api/why", json={"tab": "curious", "setup": setup("quartet", "0.0.x.1")})
    deadline = time.monotonic() + 30
    while (answer := client.get("/api/why/curious")).status_code == 202 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert answer.status_code == 422
    assert "not a thread label" in answer.json()["error"]
