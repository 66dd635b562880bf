"""The page of `numasim serve` in a real browser, against a real server; `make browser` runs it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.measure.result import RunResult

pytestmark = pytest.mark.browser
sync_api = pytest.importorskip("playwright.sync_api")
pytest.importorskip("uvicorn")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SERVE = "import sys; from simulator.cli.main import main; sys.exit(main(sys.argv[1:]))"
FIRST = "#machine=quartet&threads=0.0.w.1+1.0.w.0"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


class Server:
    """`numasim serve` as a process."""

    def __init__(self, port: int = 0, *more: str) -> None:
        command = [sys.executable, "-c", SERVE, "serve", "--port", str(port), "--jobs", "2", *more]
        root = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": paths}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            found = re.search(r"http://\S+", line)
            if found:
                self.link = found[0]
                return
        raise AssertionError("no link was printed")

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.link.split(":")[2].split("/")[0])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> int:
        """Press Ctrl-C."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)
        return self.process.returncode


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium; Debian has one: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@contextlib.contextmanager
def opened(browser: Any, link: str, size: dict[str, int] = DESK, may_complain: bool = False, **options: Any) -> Iterator[Any]:
    """A page in a browser of its own, which must not complain on its console."""
    context = browser.new_context(viewport=size, **options)
    context.set_default_timeout(15_000)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(link)
    ready(page)
    yield page
    context.close()
    assert may_complain or complaints == []


def ready(page: Any) -> None:
    """Wait until all threads have times, or an error is shown."""
    page.wait_for_selector("#drawing[aria-busy='false'], #wrong:not([hidden])", timeout=30_000)


def shows(page: Any, selector: str, text: str | re.Pattern[str]) -> None:
    """Wait for a text."""
    sync_api.expect(page.locator(selector)).to_have_text(text, timeout=15_000)


def timed(page: Any) -> None:
    """Wait until the first thread has a time."""
    shows(page, "#threads td.time >> nth=0", re.compile(r"\d"))


def labels(page: Any) -> list[str]:
    return list(page.locator("#threads tbody th").all_inner_texts())


def times(page: Any) -> list[str]:
    return list(page.locator("#threads tbody td.time").all_inner_texts())


def middle(page: Any, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, source: str, target: str) -> None:
    page.mouse.move(*middle(page, source))
    page.mouse.down()
    page.mouse.move(*middle(page, target), steps=6)
    page.mouse.up()
    ready(page)


def core(node: int, number: int) -> str:
    return f".node[data-node='{node}'] .core[data-core='{number}']"


def of_command_line(page: Any, capsys: pytest.CaptureFixture[str]) -> str:
    """What the command that the page shows prints."""
    words = shlex.split(page.locator("#command").inner_text())
    assert words[0] == "numasim"
    capsys.readouterr()
    main([*words[1:], "--json"])
    return capsys.readouterr().out


def downloaded(page: Any) -> str:
    with page.expect_download() as download:
        page.click("#download")
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_a_thread_dragged_to_another_node_has_the_numbers_of_the_command_line(
    server: Server, browser: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(browser, server.link + "#machine=quartet&threads=0.0.w.1") as page:
        before = times(page)
        drag(page, ".thread[data-label='0.0.w.1']", core(1, 1))
        assert labels(page) == ["1.1.w.1"]
        assert page.url.endswith("threads=1.1.w.1")
        assert page.locator("#command").inner_text() == "numasim run quartet 1.1.w.1 --ci 1.5 --lines 10000"
        document = of_command_line(page, capsys)
        assert downloaded(page) == document
        thread = RunResult.model_validate_json(document).threads[0]
        assert times(page) == [f"{thread.time_per_line_ns:.2f}"] != before
        change = page.locator("#threads td.change").inner_text()
        percent = 100 * (thread.time_per_line_ns / float(before[0]) - 1)
        assert float(change.replace("\u2212", "-").rstrip(" %")) == pytest.approx(percent, abs=0.1)


def test_memory_is_dragged_too(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST) as page:
        drag(page, ".token >> nth=0", ".node[data-node='3'] .box")
        assert len(set(labels(page)) & {"0.0.w.3", "1.0.w.3"}) == 1
        drag(page, ".thread[data-label^='1.0.w']", ".node[data-node='2'] .memory")
        assert "1.0.w.2" in labels(page)


def test_a_thread_dropped_on_a_taken_core_changes_places_and_one_dropped_nowhere_stays(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST) as page:
        drag(page, ".thread[data-label='0.0.w.1']", core(1, 0))
        assert labels(page) == ["1.0.w.1", "0.0.w.0"]
        drag(page, ".thread[data-label='1.0.w.1']", "#headline")
        assert labels(page) == ["1.0.w.1", "0.0.w.0"]


def test_by_touch(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST, PHONE, has_touch=True, is_mobile=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        source, target = middle(page, ".thread[data-label='0.0.w.1']"), middle(page, core(2, 1))
        touch = page.context.new_cdp_session(page)
        places = [source, ((source[0] + target[0]) / 2, (source[1] + target[1]) / 2), target]
        for name, place in zip(("touchStart", "touchMove", "touchMove"), places, strict=True):
            touch.send("Input.dispatchTouchEvent", {"type": name, "touchPoints": [{"x": place[0], "y": place[1]}]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        shows(page, "#threads th[scope=row] >> nth=0", "2.1.w.1")
        ready(page)
        assert labels(page) == ["2.1.w.1", "1.0.w.0"]


def test_by_keyboard_alone(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST) as page:
        page.locator(".thread[data-label='0.0.w.1']").focus()
        for key in ("Enter", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):  # past core 1 of node 0 and core 0 of node 1
            page.keyboard.press(key)
        assert labels(page) == ["1.1.w.1", "1.0.w.0"]
        ready(page)
        assert page.evaluate("document.activeElement.dataset.label") == "1.1.w.1"  # what was moved keeps the focus
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Escape")
        assert labels(page) == ["1.1.w.1", "1.0.w.0"]
        page.locator(".token[aria-label^='memory of thread 1.1.w.1']").focus()
        for key in ("Enter", "ArrowRight", "ArrowRight", " "):
            page.keyboard.press(key)
        assert labels(page) == ["1.1.w.3", "1.0.w.0"]
        page.locator(core(2, 0)).focus()
        page.keyboard.press("Enter")
        assert labels(page) == ["1.1.w.3", "1.0.w.0", "2.0.r.2"]
        ready(page)
        page.keyboard.press("Delete")
        assert labels(page) == ["1.1.w.3", "1.0.w.0"]
        ready(page)


def test_list_of_threads(server: Server, browser: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(browser, server.link + FIRST) as page:
        page.select_option("#threads tbody tr:nth-child(2) [data-control='access']", "r")
        page.select_option("#threads tbody tr:nth-child(2) [data-control='kind']", "background")
        page.fill("#threads tbody tr:nth-child(2) [data-control='rate']", "low")
        page.keyboard.press("Enter")
        page.click("#add")
        page.select_option("#threads tbody tr:nth-child(3) [data-control='core']", "3.1")
        page.select_option("#threads tbody tr:nth-child(3) [data-control='memory']", "2")
        ready(page)
        command = "numasim run quartet 0.0.w.1 3.1.r.2 --background 1.0.r.0@low --ci 1.5 --lines 10000"
        shows(page, "#command", command)
        assert downloaded(page) == of_command_line(page, capsys)


def test_reload_keeps_the_set_up_and_undo_takes_it_back(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST) as page:
        page.click("#settings-box summary")
        page.fill("#settings", "link.credits.response=12\n\ncore.window=6")
        page.click("#set")
        ready(page)
        drag(page, ".thread[data-label='0.0.w.1']", core(3, 0))
        address, seen = page.url, times(page)
        page.reload()
        ready(page)
        timed(page)
        assert (page.url, labels(page), times(page)) == (address, ["3.0.w.1", "1.0.w.0"], seen)
        assert "--set link.credits.response=12 --set core.window=6" in page.locator("#command").inner_text()
        page.click("#undo")
        shows(page, "#threads th[scope=row] >> nth=0", "0.0.w.1")
        ready(page)


def test_another_machine_keeps_the_threads_that_fit(server: Server, browser: Any) -> None:
    with opened(browser, server.link + "#machine=quartet&threads=0.0.w.1+3.0.w.2") as page:
        page.select_option("#machine", "two-node")
        shows(page, "#command", re.compile("^numasim run two-node 0.0.w.1 --ci"))
        assert labels(page) == ["0.0.w.1"]
        assert page.locator("#wrong").is_hidden()


def test_two_tabs_at_once(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST) as one, opened(browser, server.link + "#machine=two-node&threads=0.0.r.1") as other:
        drag(one, ".thread[data-label='0.0.w.1']", core(2, 0))
        other.select_option("#threads [data-control='access']", "w")
        ready(one)
        ready(other)
        assert (labels(one), labels(other)) == (["2.0.w.1", "1.0.w.0"], ["0.0.w.1"])
        assert one.locator("#command").inner_text().startswith("numasim run quartet 2.0.w.1 1.0.w.0 ")
        assert other.locator("#command").inner_text().startswith("numasim run two-node 0.0.w.1 ")


def test_twenty_tabs_of_one_browser_all_get_their_answer(server: Server, browser: Any) -> None:
    context = browser.new_context(viewport=DESK)
    wanted = [f"{place % 4}.{place % 2}.{'rw'[place % 2]}.{place // 5}" for place in range(20)]
    pages = [context.new_page() for _ in wanted]
    for page, label in zip(pages, wanted, strict=True):
        page.goto(f"{server.link}#machine=quartet&threads={label}", wait_until="commit")
    for page in pages:
        ready(page)
        timed(page)
    assert [labels(page) for page in pages] == [[label] for label in wanted]
    commands = [page.locator("#command").inner_text() for page in pages]
    assert commands == [f"numasim run quartet {label} --ci 1.5 --lines 10000" for label in wanted]
    context.close()


@pytest.mark.parametrize(
    ("address", "arguments"),
    [
        ("#machine=quartet&threads=0.0.x.1", ["quartet", "0.0.x.1"]),
        ("#machine=quartet&threads=0.7.r.1", ["quartet", "0.7.r.1"]),
        ("#machine=quartet&threads=0.0.r.1&background=1.0.r.1@%3Cb%3E", ["quartet", "0.0.r.1", "--background", "1.0.r.1@<b>"]),
        ("#machine=qartet&threads=0.0.r.1", ["qartet", "0.0.r.1"]),
        ("#machine=quartet&threads=0.0.r.1&set=link.nonsense%3D3", ["quartet", "0.0.r.1", "--set", "link.nonsense=3"]),
    ],
)
def test_bad_input_is_refused_in_the_words_of_the_command_line(
    server: Server, browser: Any, capsys: pytest.CaptureFixture[str], address: str, arguments: list[str]
) -> None:
    with opened(browser, server.link + address, may_complain=True) as page:  # browsers note each refusal on the console
        page.wait_for_selector("#wrong:not([hidden])")
        shown = page.locator("#wrong").inner_text()
        assert main(["run", *arguments]) == 2
        assert shown == capsys.readouterr().err.strip()


def test_why_with_progress_and_stop(server: Server, browser: Any) -> None:
    with opened(browser, server.link + FIRST) as page:
        page.click("#why")
        page.wait_for_selector("#stop:not([hidden])")
        page.click("#stop")
        assert page.locator("#why-state").inner_text() == "stopped"
        page.click("#why")
        page.wait_for_selector("#why-answer p", timeout=60_000)
        assert "link 0-1" in page.locator("#why-answer p").first.inner_text()
        assert page.locator("#why-answer code").inner_text().startswith("numasim why quartet 0.0.w.1 1.0.w.0")
        page.select_option("#threads [data-control='access'] >> nth=0", "r")
        ready(page)
        assert page.locator("#why-answer").inner_text() == ""  # it was said of another set-up


def test_a_server_that_is_gone_and_comes_back(browser: Any) -> None:
    with Server() as first, opened(browser, first.link + FIRST, may_complain=True) as page:
        assert first.end() == 130
        drag_without_answer(page)
        page.wait_for_selector("#unreachable:not([hidden])")
        assert f"cannot be reached at 127.0.0.1:{first.port}" in page.locator("#unreachable").inner_text()
        assert labels(page) == ["2.0.w.1", "1.0.w.0"]
        with Server(first.port):
            page.wait_for_selector("#unreachable", state="hidden", timeout=30_000)
            ready(page)
            timed(page)


def drag_without_answer(page: Any) -> None:
    page.mouse.move(*middle(page, ".thread[data-label='0.0.w.1']"))
    page.mouse.down()
    page.mouse.move(*middle(page, core(2, 0)), steps=6)
    page.mouse.up()


def test_elsewhere_the_link_brings_a_token(browser: Any) -> None:
    with Server(0, "--host", "0.0.0.0") as server, opened(browser, local(server.link) + FIRST) as page:
        assert "token" not in page.url
        assert labels(page) == ["0.0.w.1", "1.0.w.0"]
        page.reload()
        ready(page)
        timed(page)


def local(link: str) -> str:
    """The same link by an address that surely leads here."""
    return re.sub(r"//[^:]+:", "//127.0.0.1:", link)
