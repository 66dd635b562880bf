// The page of `numasim serve`: what is changed by hand goes to the address and to the server; what comes back is shown.
"use strict";
(() => {
  const { setup: setups, show } = numasim;
  const TAB = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const AGAIN_MS = 2000, ASK_MS = 500, BUSY_MS = 800, HTTP_BUSY = 503, HTTP_ACCEPTED = 202, HTTP_REPLACED = 409;
  const MOST_VIEWS = 20;
  const $ = (id) => document.getElementById(id);
  const page = { information: null, setup: null, view: null, answer: null, before: null, run: 0, asked: null, views: new Map(), placing: null, why: 0 };

  // -- the server -------------------------------------------------------------------------------------------------------

  class Unreachable extends Error {}

  async function ask(method, path, body, signal) {
    const request = { method, signal, cache: "no-store", credentials: "same-origin" };
    if (body !== undefined) Object.assign(request, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    try {
      const response = await fetch(path, request);
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : null };
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (error instanceof SyntaxError) return { status: 500, body: { error: "the server's answer cannot be read" } };
      throw new Unreachable();
    }
  }

  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  // Ask until there is an answer: the server may be busy, or gone and back again.
  async function insist(method, path, body, signal) {
    for (;;) {
      try {
        const answer = await ask(method, path, body, signal);
        unreachable(false);
        if (answer.status !== HTTP_BUSY) return answer;
        await pause(BUSY_MS * (0.5 + Math.random()));
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        unreachable(true);
        await pause(AGAIN_MS);
      }
      if (signal && signal.aborted) throw new DOMException("replaced", "AbortError");
    }
  }

  function unreachable(is) {
    $("unreachable").hidden = !is;
    $("unreachable").textContent = is ? `numasim serve cannot be reached at ${location.host}. Is it still running? This page asks again by itself.` : "";
  }

  function wrong(message) {
    $("wrong").hidden = message === null;
    $("wrong").textContent = message === null ? "" : `numasim: error: ${message}`;
  }

  // -- runs -------------------------------------------------------------------------------------------------------------

  const key = (request) => JSON.stringify([request.machine, request.set]);

  async function run() {
    const request = setups.request(page.setup), number = (page.run += 1), machine = key(request);
    if (page.asked) page.asked.abort();
    page.asked = new AbortController();
    forgetWhy();
    busy(true);
    try {
      if (!page.views.has(machine)) await machineView(request, machine, page.asked.signal);
      const answer = await insist("POST", "api/run", { tab: TAB, setup: request }, page.asked.signal);
      if (number !== page.run || answer.status === HTTP_REPLACED) return;
      busy(false);
      if (answer.status === 200) ran(request, answer.body);
      else failed(answer.body);
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  function busy(is) {
    for (const id of ["drawing", "headline"]) $(id).setAttribute("aria-busy", is);
  }

  const isBusy = () => $("drawing").getAttribute("aria-busy") === "true";

  async function machineView(request, machine, signal) {
    const answer = await insist("POST", "api/machine", { machine: request.machine, set: request.set }, signal);
    if (answer.status !== 200 || key(setups.request(page.setup)) !== machine) return; // the run says what is wrong
    page.view = kept(request, answer.body.view);
    render();
  }

  function kept(request, view) {
    if (page.views.size >= MOST_VIEWS) page.views.clear();
    page.views.set(key(request), view);
    return view;
  }

  function ran(request, body) {
    const answer = { ...body, text: body.document, document: JSON.parse(body.document), threads: new Map(), request };
    const texts = new Map(answer.tables[0].rows.map((row, place) => [place, row[2]]));
    answer.document.threads.forEach((report, place) => {
      const [node, core] = report.label.split(".").map(Number);
      answer.threads.set(setups.at(page.setup, node, core).id, { ...report, text: texts.get(place) });
    });
    if (page.answer && page.answer.command !== answer.command) page.before = page.answer;
    page.answer = answer;
    page.view = body.view;
    wrong(null);
    render();
  }

  function failed(body) {
    wrong(body && body.error ? body.error : "no answer");
    $("headline").textContent = page.answer ? "This setting did not run; below are the numbers of the last that did." : "";
    render();
  }

  // -- showing ----------------------------------------------------------------------------------------------------------

  const current = () => page.answer !== null && JSON.stringify(page.answer.request) === JSON.stringify(setups.request(page.setup));

  function viewThreads() {
    const known = current() ? page.answer.threads : new Map();
    return page.setup.threads.map((one) => {
      const level = page.information.levels[one.rate];
      const rate = one.rate === null ? null : level === undefined ? Number(one.rate) || null : level;
      return { node: one.node, core: one.core, access: one.access, memory: String(one.memory), label: setups.label(one), background: one.rate !== null, rate_gb_per_s: rate, ...known.get(one.id) };
    });
  }

  function bare(view) {
    return { ...view, nodes: view.nodes.map((node) => ({ ...node, load: null })), links: view.links.map((link) => ({ ...link, load: null })) };
  }

  function render() {
    const focus = focused();
    if (page.view) {
      const loads = current() || isBusy() ? page.view : bare(page.view); // the last ones, pale, until those of this setting come
      const view = { ...loads, threads: viewThreads() };
      page.placing = numasim.place.attach(numasim.machine.draw($("drawing"), view), view, page.setup, hands);
      show.threads($("threads").tBodies[0], page.setup, view, hands);
    }
    show.times($("threads").tBodies[0], current() ? page.answer.threads : null, page.before && page.before.threads);
    $("machine").value = page.setup.machine;
    $("settings").value = page.setup.settings.join("\n");
    $("add").disabled = !page.view || !setups.freeCore(page.setup, page.view);
    $("results").hidden = page.answer === null;
    $("results").classList.toggle("stale", !current());
    if (current()) results();
    refocus(focus);
  }

  function results() {
    const { answer } = page;
    $("headline").textContent = show.headline(answer.document, page.before && page.before.document);
    show.breakdown($("breakdown"), answer.breakdown);
    $("command").textContent = answer.command;
    $("tables").replaceChildren(...answer.tables.map(show.table));
  }

  // What has the focus is drawn anew; it is found again by what it stands for.
  function focused() {
    const element = document.activeElement;
    const thread = element && element.closest("[data-thread]");
    if (element && element.matches(".core.free")) return `.node[data-node="${element.closest(".node").dataset.node}"] .core[data-core="${element.dataset.core}"]`;
    if (!thread) return null;
    if (element.matches(".token, .thread")) return `.${element.classList[0]}[data-thread="${thread.dataset.thread}"]`;
    return `tr[data-thread="${thread.dataset.thread}"] [data-control="${element.dataset.control}"]`;
  }

  function refocus(selector) {
    const element = selector && document.querySelector(selector);
    if (!element) return;
    const target = element.matches(".core") ? element.querySelector(".thread") || element : element;
    target.focus({ preventScroll: true, focusVisible: true });
  }

  // -- changes by hand --------------------------------------------------------------------------------------------------

  function commit(change) {
    change();
    history.pushState(null, "", setups.address(page.setup));
    busy(true);
    render();
    run();
  }

  const say = (text) => { $("said").textContent = text; };

  const hands = {
    say,
    moved(one, node, core) {
      const there = setups.at(page.setup, node, core);
      if (there === one) return;
      commit(() => {
        if (there) Object.assign(there, { node: one.node, core: one.core });
        Object.assign(one, { node, core });
        say(`thread is now ${setups.label(one)}${there ? `, the other ${setups.label(there)}` : ""}`);
      });
    },
    memory(one, memory) {
      if (memory !== one.memory) commit(() => { one.memory = memory; say(`thread is now ${setups.label(one)}`); });
    },
    added(node, core) {
      commit(() => { page.setup.threads.push(setups.added(page.view, node, core)); say(`a thread on core ${core} of node ${node}`); });
    },
    ended(one) {
      commit(() => { page.setup.threads = page.setup.threads.filter((other) => other !== one); say(`thread ${setups.label(one)} is gone`); });
    },
    edited(one, values) {
      commit(() => Object.assign(one, values));
    },
  };

  // Threads that the other machine has no place for are left behind, as are changed constants.
  async function machineChosen() {
    const machine = $("machine").value, wanted = { machine, set: [] };
    const answer = page.views.get(key(wanted)) ? null : await insist("POST", "api/machine", wanted);
    if (machine !== $("machine").value) return;
    if (answer && answer.status !== 200) return wrong(answer.body.error);
    const view = answer ? kept(wanted, answer.body.view) : page.views.get(key(wanted));
    const left = page.setup.threads.filter((one) => one.raw === undefined && setups.fits(one, view));
    const gone = page.setup.threads.length - left.length;
    if (gone) say(`${gone} threads do not fit ${machine} and are gone`);
    const threads = left.length ? left : [setups.added(view, ...setups.freeCore({ threads: [] }, view))];
    page.view = view;
    commit(() => Object.assign(page.setup, { machine, settings: [], threads }));
  }

  function fromAddress() {
    const read = setups.keepIds(setups.read(location.hash), page.setup);
    if (page.setup && JSON.stringify(setups.request(read)) === JSON.stringify(setups.request(page.setup))) return;
    const same = page.setup && key(setups.request(read)) === key(setups.request(page.setup));
    page.setup = read;
    if (!same) page.view = page.views.get(key(setups.request(read))) || null;
    busy(true);
    render();
    run();
  }

  // -- why --------------------------------------------------------------------------------------------------------------

  async function explain() {
    const number = (page.why += 1), path = `api/why/${TAB}`;
    whyShown({ running: true, text: "waiting for its turn" });
    let answer = await insist("POST", "api/why", { tab: TAB, setup: setups.request(page.setup) });
    while (number === page.why && answer.status === HTTP_ACCEPTED) {
      whyShown({ running: true, ...progress(answer.body) });
      await pause(ASK_MS);
      if (number === page.why) answer = await insist("GET", path);
    }
    if (number !== page.why) return;
    whyShown({ running: false, text: answer.status === 200 ? "" : answer.body.error });
    if (answer.status === 200) show.why($("why-answer"), answer.body);
  }

  function progress({ state, progress: runs }) {
    if (state === "waiting") return { text: "waiting for its turn" };
    return runs ? { text: `${runs[0]} of ${runs[1]} runs so far: ${runs[2]}`, done: runs[0], planned: runs[1] } : { text: "running" };
  }

  function whyShown({ running, text, done, planned }) {
    $("why").disabled = running;
    $("stop").hidden = $("why-progress").hidden = !running;
    $("why-state").textContent = text;
    if (done === undefined) $("why-progress").removeAttribute("value");
    else Object.assign($("why-progress"), { max: planned, value: done });
  }

  function forgetWhy() {
    const running = $("why").disabled;
    page.why += 1;
    if (running) ask("DELETE", `api/why/${TAB}`).catch(() => {});
    whyShown({ running: false, text: "" });
    $("why-answer").replaceChildren();
  }

  function stopWhy() {
    forgetWhy();
    $("why-state").textContent = "stopped";
    $("why").focus();
  }

  // -- the same from the command line -----------------------------------------------------------------------------------

  async function copy() {
    try {
      await navigator.clipboard.writeText(page.answer.command);
      $("copied").textContent = "copied";
    } catch {
      getSelection().selectAllChildren($("command"));
      $("copied").textContent = "marked: copy it with the keyboard";
    }
  }

  function download() {
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(new Blob([page.answer.text], { type: "application/json" }));
    anchor.download = `${page.answer.document.machine}-run.json`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
  }

  // -- start ------------------------------------------------------------------------------------------------------------

  function accuracyWords({ ci_percent: percent, lines, warmup }) {
    return `Each run: to \u00b1 ${percent} % of a line's time (95 %), at most ${lines.toLocaleString("en")} lines a thread after ${warmup}; seed 1.`;
  }

  async function start() {
    numasim.page.start();
    const { body, status } = await insist("GET", "api/information");
    if (status !== 200) return wrong(body.error);
    page.information = body;
    show.options($("machine"), body.machines.map(({ name, title }) => [name, `${name}: ${title}`]), setups.read(location.hash).machine);
    $("levels").replaceChildren(...Object.entries(body.levels).map(([name, rate]) => show.make("option", { value: name }, `${name}: ${rate} GB/s`)));
    $("accuracy").textContent = accuracyWords(body.accuracy.run);
    $("version").textContent = `numasim ${body.version}. All runs happen on the computer that serves this page.`;
    for (const [id, act] of Object.entries({ why: explain, stop: stopWhy, copy, download, undo: () => history.back() })) $(id).addEventListener("click", act);
    $("machine").addEventListener("change", machineChosen);
    $("add").addEventListener("click", () => hands.added(...setups.freeCore(page.setup, page.view)));
    $("set").addEventListener("click", () => commit(() => { page.setup.settings = $("settings").value.split("\n").map((line) => line.trim()).filter(Boolean); }));
    window.addEventListener("hashchange", fromAddress);
    fromAddress();
    history.replaceState(null, "", setups.address(page.setup));
    $("settings-box").open = page.setup.settings.length > 0;
  }

  start();
})();
