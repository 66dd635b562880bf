"""The page of `numasim report` in a real browser, from disk, without a network; `make browser` runs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.cli.trace_tables import life_tables
from simulator.machine.load import load_machine
from simulator.measure.result import RunResult
from simulator.observe.record import Window, record
from simulator.observe.words import thread_line
from simulator.workload import Workload
from tests.report import samples

pytestmark = pytest.mark.browser
sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)><b>bold</b>"
Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Results, and the pages made of them: of one run with its trace, and of everything."""
    folder = tmp_path_factory.mktemp("report")
    run, trace = samples.run_and_trace(folder)
    others = [maker(folder) for maker in (samples.loaded, samples.store, samples.reproduction, samples.replay)]
    large = folder / "large.json"
    assert main(["trace", "xeon-e7-4830v3-4s", "0.0.w.1", "3.11.r.0", "--warmup", "50", "--window", "200", "-o", str(large)]) == 0
    pages = {"one": [run, trace], "all": [run, trace, *others], "large": [large], "evil": [_evil(run), _evil(trace)]}
    for name, inputs in pages.items():
        assert main(["report", *map(str, inputs), "-o", str(folder / f"{name}.html")]) == 0
    return {"run": run, "trace": trace, **{name: folder / f"{name}.html" for name in pages}}


def _evil(path: Path) -> Path:
    """Write a result whose names are markup and scripts."""
    table = json.loads(path.read_text(encoding="utf-8"))
    inner = table.get("otherData", table)
    inner["provenance"]["machine"]["title"] = inner["provenance"]["machine"]["name"] = inner["machine"] = EVIL
    if "verdict_detail" in inner:
        inner["verdict_detail"] = EVIL
    changed = path.with_name(f"<img src=x onerror=alert(3)>{path.name}")
    changed.write_text(json.dumps(table), encoding="utf-8")
    return changed


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium; Debian: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, files: dict[str, Path]) -> Iterator[Opened]:
    """Open a page from disk with the network off; at the end nothing may have been asked for nor complained of."""
    complaints: list[str] = []
    contexts = []

    def open_page(name: str = "one", **settings: Any) -> Any:
        context = browser.new_context(offline=True, **{"viewport": DESK, **settings})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if _is_outside(request.url) else None)
        page.goto(files[name].as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _is_outside(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


def _run(files: dict[str, Path]) -> RunResult:
    return RunResult.model_validate_json(files["run"].read_bytes())


def _set_time(page: Any, time_ns: float) -> None:
    page.eval_on_selector(
        ".replay input[type=range]",
        "(slider, time) => { slider.value = time; slider.dispatchEvent(new Event('input')); }",
        time_ns,
    )


def test_everything_is_drawn_and_fits(opened: Opened) -> None:
    for settings in ({}, {"viewport": PHONE}, {"color_scheme": "dark"}):
        page = opened("all", **settings)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.locator("#run-1 svg.machine .node").count() == 4
        assert page.locator("#run-1 svg.machine .link").count() == 8
        for chart in ("run-1-breakdown", "loaded-chart", "store-1-chart", "window-1-loads", "window-1-queues"):
            assert page.locator(f"#{chart} svg.main-svg").first.is_visible()
        assert page.locator("#reproduction-1 .figures svg.main-svg").count() >= 1


def test_names_are_text_whatever_is_in_them(opened: Opened) -> None:
    page = opened("evil")
    assert page.locator("img, b").count() == 0
    assert EVIL in page.locator("#run-1 > p").inner_text() and EVIL in page.locator("#window-1 > p").inner_text()
    assert page.get_attribute("#run-1 svg.machine", "aria-label") == f"the machine {EVIL}"


def test_a_large_machine_with_many_slots_is_replayed(opened: Opened) -> None:
    page = opened("large")
    assert page.locator("#window-1 .core").count() == 48
    assert page.locator("#window-1 .slot").count() > 50
    for place in page.locator("#window-1 .slot").evaluate_all("all => all.map(one => Number(one.getAttribute('width')))"):
        assert place > 1
    _set_time(page, 100)
    assert page.locator("#window-1 .packet").count() > 0


def test_links_show_their_load_by_colour_and_width(opened: Opened, files: dict[str, Path]) -> None:
    page = opened()
    loads = {key: link.utilization for key, link in _run(files).links.items()}
    busiest, idlest = max(loads, key=loads.__getitem__), min(loads, key=loads.__getitem__)

    def width(key: str) -> float:
        return float(page.get_attribute(f'#run-1 .link[data-key="{key}"] .lane', "stroke-width"))

    def colour(key: str) -> str:
        return str(page.eval_on_selector(f'#run-1 .link[data-key="{key}"] .lane', "line => getComputedStyle(line).stroke"))

    assert width(busiest) > 2 * width(idlest) and colour(busiest) != colour(idlest)
    for key, utilization in loads.items():
        assert width(key) == pytest.approx(3 + 12 * utilization, abs=0.01)


def test_hover_and_focus_say_the_same_numbers(opened: Opened, files: dict[str, Path]) -> None:
    page, run = opened(), _run(files)
    box = page.locator('#run-1 .link[data-key="0->1"] .head').bounding_box()
    page.mouse.move(box["x"] - 40, box["y"] + box["height"] / 2)
    tip = page.locator("#tip")
    assert f"busy {100 * run.links['0->1'].utilization:.1f} %" in tip.inner_text()
    page.mouse.move(2, 2)
    assert tip.is_hidden()
    thread = page.locator('#run-1 .thread[data-label="1.0.w.0"]')
    page.locator("[data-theme-toggle]").focus()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.label") == "1.0.w.0":
            break
    reached = next(one for one in run.threads if one.label == "1.0.w.0")
    assert f"{reached.time_per_line_ns:.2f} ns a line" in tip.inner_text()
    assert thread.get_attribute("aria-label") == tip.inner_text().replace("\n", "; ")
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_a_tap_shows_the_numbers_too(opened: Opened, files: dict[str, Path]) -> None:
    page, run = opened(viewport=PHONE, has_touch=True), _run(files)
    page.locator('#run-1 .thread[data-label="1.0.w.0"]').tap()
    tapped = next(one for one in run.threads if one.label == "1.0.w.0")
    assert f"{tapped.time_per_line_ns:.2f} ns a line" in page.locator("#tip").inner_text()


def test_no_button_sends_a_chart_away(opened: Opened) -> None:
    page = opened("all")
    assert page.locator(".modebar-btn").count() > 0
    assert page.locator("[data-title^=Share]").count() == 0


def test_the_steps_of_a_line_fit_their_box(opened: Opened) -> None:
    page = opened("all")
    boxes = "[...document.querySelectorAll('.life .table-wrap')].map((box) => box.scrollWidth - box.clientWidth)"
    assert page.evaluate(boxes)
    assert max(page.evaluate(boxes)) <= 0


def test_every_drawn_part_has_a_text(opened: Opened) -> None:
    page = opened("all")
    assert page.locator("svg.machine [tabindex]:not([aria-label])").count() == 0
    assert page.locator(".plot:not([aria-label])").count() == 0
    assert page.locator("button:not([aria-label])").evaluate_all("all => all.every(one => one.textContent.trim())")
    assert page.locator("input:not([aria-label]), select").evaluate_all("all => all.every(one => one.closest('label'))")


def test_tables_sort_by_number_and_back(opened: Opened, files: dict[str, Path]) -> None:
    page = opened()
    table = page.locator('#run-1 .table-wrap[aria-label^="Links"] table')
    head = table.locator("th", has_text="busy %")
    loads = sorted(f"{100 * link.utilization:.1f}" for link in _run(files).links.values())
    loads.sort(key=float)

    def column() -> list[str]:
        return [text.strip() for text in table.locator("tbody td:nth-child(4)").all_inner_texts()]

    head.get_by_role("button").press("Enter")
    assert column() == loads and head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert column() == loads[::-1] and head.get_attribute("aria-sort") == "descending"


def test_light_and_dark(opened: Opened) -> None:
    page = opened(color_scheme="dark")

    def paper() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    dark, ink = paper(), page.eval_on_selector("#run-1-breakdown .xtick text", "text => getComputedStyle(text).fill")
    page.get_by_role("button", name="switch between light and dark").click()
    assert paper() == "rgb(255, 255, 255)" != dark
    assert page.eval_on_selector("#run-1-breakdown .xtick text", "text => getComputedStyle(text).fill") != ink


def test_paper_is_white_whatever_the_screen_is(opened: Opened) -> None:
    page = opened(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.locator("#run-1-breakdown svg.main-svg[width='680']").first.wait_for()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#window-1 .controls").is_hidden() and page.locator("[data-theme-toggle]").is_hidden()
    page.emulate_media(media="screen", color_scheme="dark")
    page.locator("#run-1-breakdown svg.main-svg[width='680']").first.wait_for(state="detached")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert len(page.pdf()) > 20_000


def _flights(trace: dict[str, Any], time_ps: int) -> int:
    """Count the packets and NOPs on links at a time of the run, from the document itself."""
    data, count = trace["otherData"], 0
    links = {row for row, port in enumerate(data["ports"]) if port["kind"] == "link"}
    hops = data["hops"]
    for row, port in enumerate(hops["port"]):
        if port in links and hops["arrived"][row] is not None:
            way = hops["arrived"][row] - hops["header_out"][row]
            count += hops["granted"][row] <= time_ps < hops["tail_out"][row] + way
    nops = data["nops"]
    return count + sum(sent <= time_ps < arrived for sent, arrived in zip(nops["sent"], nops["arrived"], strict=True))


def test_the_slider_shows_what_was_on_the_links(opened: Opened, files: dict[str, Path]) -> None:
    page, trace = opened(), json.loads(files["trace"].read_text(encoding="utf-8"))
    seen = set()
    for time_ns in (0, 7.5, 100, 333.3, 599):
        _set_time(page, time_ns)
        count = page.locator("#window-1 .packet").count()
        assert count == _flights(trace, trace["otherData"]["opened"] + round(time_ns * 1000))
        seen.add(count)
        assert page.locator("#window-1 output").inner_text().startswith(f"{time_ns:.1f} of 600 ns")
    assert len(seen) > 1


def _free(trace: dict[str, Any], name: str, time_ps: int) -> int:
    data = trace["otherData"]
    pool = next(row for row, pool in enumerate(data["pools"]) if pool["name"] == name)
    free, changes = data["pools"][pool]["free_at_open"], data["pool_changes"]
    for time, changed, after in zip(changes["time"], changes["pool"], changes["free"], strict=True):
        if changed == pool and time <= time_ps:
            free = after
    return int(free)


def test_buffers_fill_and_credits_run_out(opened: Opened, files: dict[str, Path]) -> None:
    page, trace = opened(), json.loads(files["trace"].read_text(encoding="utf-8"))
    opened_ps, found = trace["otherData"]["opened"], set()
    for time_ns in range(0, 600, 23):
        _set_time(page, time_ns)
        free = _free(trace, "link 0->1 response buffers", opened_ps + time_ns * 1000)
        tips = page.locator("#window-1 .pool").evaluate_all("pools => pools.map(pool => pool.dataset.tip)")
        assert next(tip for tip in tips if tip.startswith("link 0->1 response credits\n")).split("\n")[1] == f"{free} of 6 left"
        taken = 20 - _free(trace, "node 0 controller queue request buffers", opened_ps + time_ns * 1000)
        assert page.locator('#window-1 .memory[data-node="0"] text').text_content() == f"{taken} of 20 places"
        found.add(free)
        gone = page.locator("#window-1 .pool.empty").count()
        assert (gone == 0) == page.locator("#window-1 .moment").inner_text().endswith("None left of: no buffers or credits.")
    assert len(found) > 2


def test_play_goes_on_and_stops_at_the_end(opened: Opened) -> None:
    page = opened()
    page.locator('[data-do="speed"]').select_option("600")
    play = page.get_by_role("button", name="Play", exact=True)
    play.press("Enter")
    page.locator("#window-1 output", has_text="600.0 of 600 ns").wait_for()
    assert page.locator('[data-do="play"]').inner_text() == "Play"
    page.locator('[data-do="speed"]').select_option("2")
    page.locator('[data-do="play"]').click()
    page.locator('[data-do="play"]', has_text="Pause").click()
    assert float(page.locator("#window-1 output").inner_text().split()[0]) < 300


def test_the_replay_works_by_keyboard(opened: Opened) -> None:
    page = opened()
    output = page.locator("#window-1 output")
    slider = page.locator("#window-1 input[type=range]")
    slider.press("ArrowRight")
    after = float(output.inner_text().split()[0])
    assert after > 0
    page.locator('[data-do="on"]').press("Enter")
    stepped = float(output.inner_text().split()[0])
    assert stepped >= after
    page.locator('[data-do="back"]').press("Enter")
    assert float(output.inner_text().split()[0]) <= stepped
    slider.press("End")
    assert output.inner_text().startswith("600.0")


def test_the_transaction_under_the_pointer_is_explained(opened: Opened) -> None:
    page = opened()
    words = page.locator("#window-1 .life caption").first
    before = words.inner_text()
    for time_ns in range(50, 550, 10):
        _set_time(page, time_ns)
        packets = page.locator("#window-1 .packet[data-line]")
        names = packets.evaluate_all("all => all.map(one => one.dataset.tip)")
        other = [place for place, name in enumerate(names) if name.split(" of ")[1].split(",")[0] not in before]
        if other:
            packet = packets.nth(other[0])
            name = names[other[0]].split(" of ")[1].split(",")[0]
            break
    packet.dispatch_event("pointerover")
    told = page.locator("#window-1 .life").inner_text()
    assert name in told and before not in told
    packet.dispatch_event("click")
    page.locator("#window-1 .slot[data-line]").first.dispatch_event("pointerover")
    assert name in page.locator("#window-1 .life").inner_text()  # a click keeps it


def test_a_chosen_line_is_told_as_the_command_tells_it(opened: Opened) -> None:
    page = opened()
    pick = page.locator('[data-do="line"]')
    window = Window(600.0, warmup=100)
    workload = Workload.from_labels(samples.CROSSFIRE, background={"2.0.r.2": 1.0})
    recording = record(load_machine("quartet"), workload, window)
    line = next(one for one in recording.trace.completed_lines() if one.issued_ps > recording.trace.opened_ps)
    name = thread_line(recording.trace.plan, line)
    option = next(text for text in pick.locator("option").all_inner_texts() if text.startswith(f"{name}:"))
    pick.select_option(label=option)
    assert page.locator("#window-1 .life caption").first.inner_text().startswith(f"Life of line {name}:")
    at_ns = (line.issued_ps - recording.trace.opened_ps) / 1000
    assert float(page.locator("#window-1 output").inner_text().split()[0]) == pytest.approx(at_ns, abs=0.051)
    table = life_tables(recording, line)[0]
    rows = page.locator("#window-1 .life table").first.locator("tbody tr")
    shown = [[cell.strip() for cell in row.split("\t")] for row in rows.all_inner_texts()]
    assert shown == [[cell.text.strip() for cell in row] for row in table.rows]
    assert page.locator("#window-1 .life tr.now").count() == 1
    page.locator("#window-1 .life tbody button").nth(5).click()
    jumped = at_ns + float(shown[5][0])
    assert float(page.locator("#window-1 output").inner_text().split()[0]) == pytest.approx(jumped, abs=0.051)


def test_runs_and_axes_are_picked(opened: Opened) -> None:
    page = opened("all")
    page.locator("#run-pick").select_option("run-3")
    assert page.locator("#run-3").is_visible() and page.locator("#run-1").is_hidden()
    assert page.locator("#run-3 svg.machine .node").count() == 4
    page.locator('#store-1 [data-pick="group"]').select_option("threads")
    assert page.locator("#store-1-chart .legendtext").all_text_contents() == ["0.0.r.0", "0.0.r.3"]
