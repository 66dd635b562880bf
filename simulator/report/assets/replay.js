// The controls of a replay: they move a time, and everything shows that time. Times inside are ps since the window opened.
"use strict";
window.numasim = window.numasim || {};
numasim.replay = (() => {
  const { Window, Stage, Life } = numasim;

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }

  function words(window_, time) {
    const { data } = window_, flights = window_.flights(time), counts = new Map();
    for (const flight of flights) counts.set(data.kinds[flight.kind].name, (counts.get(data.kinds[flight.kind].name) || 0) + 1);
    const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    const waiting = [...window_.waiting(time)].map(([port, rows]) => `${data.ports[port].name} ${rows.length}`).join(", ");
    const gone = data.pools.filter((pool) => window_.free(pool, time) === 0).map((pool) => pool.name).join(", ");
    return [
      `On links: ${kinds || "nothing"}.`,
      `Waiting: ${waiting || "nothing"}.`,
      `None left of: ${gone || "no buffers or credits"}.`,
    ].join(" ");
  }

  async function start(section, packed, rests) {
    const window_ = new Window(await unpack(packed));
    const find = (name) => section.querySelector(`[data-do="${name}"]`);
    const slider = section.querySelector('input[type="range"]'), output = section.querySelector("output"), now = section.querySelector(".moment");
    const play = find("play"), speed = find("speed"), length = window_.data.length_ps;
    const stage = new Stage(section.querySelector(".machine-place"), window_);
    const life = new Life(section, window_, go);
    let time = 0, playing = false, last = null, rest = null;

    function settle() {
      clearTimeout(rest);
      if (!playing) rest = setTimeout(() => rests(time), 120);
    }

    function show() {
      slider.value = time / 1000;
      const text = `${(time / 1000).toFixed(1)} of ${(length / 1000).toFixed(0)} ns`;
      output.textContent = text;
      slider.setAttribute("aria-valuetext", text);
      stage.show(time, life.chosen);
      life.mark(time);
      now.textContent = words(window_, time);
      settle();
    }

    function go(to) {
      time = Math.max(0, Math.min(length, to));
      show();
    }

    function tick(stamp) {
      if (!playing) return;
      if (last !== null) time = Math.min(length, time + (stamp - last) * Number(speed.value)); // ms x ns/s = ps
      last = stamp;
      show();
      if (time >= length) set(false);
      else requestAnimationFrame(tick);
    }

    function set(on) {
      playing = on;
      last = null;
      if (on && time >= length) time = 0;
      play.textContent = on ? "Pause" : "Play";
      play.setAttribute("aria-pressed", on);
      now.setAttribute("aria-live", on ? "off" : "polite");
      if (on) requestAnimationFrame(tick);
      settle();
    }

    function step(forward) {
      set(false);
      const { events } = window_;
      const next = forward ? events.find((event) => event > time + 0.5) : events.findLast((event) => event < time - 0.5);
      if (next !== undefined) go(next);
    }

    function choose(row, pin) {
      if (life.pinned && !pin) return;
      life.pinned = pin && !(life.pinned && life.chosen === row);
      life.choose(row, time);
      stage.show(time, life.chosen);
    }

    const own = (event) => {
      const element = event.target.closest("[data-line]");
      return element ? Number(element.dataset.line) : null;
    };
    stage.drawing.svg.addEventListener("pointerover", (event) => own(event) !== null && choose(own(event), false));
    stage.drawing.svg.addEventListener("click", (event) => own(event) !== null && choose(own(event), true));
    slider.addEventListener("input", () => go(Number(slider.value) * 1000));
    play.addEventListener("click", () => set(!playing));
    find("back").addEventListener("click", () => step(false));
    find("on").addEventListener("click", () => step(true));
    life.pick.addEventListener("change", () => {
      const row = Number(life.pick.value), { issued, completed } = window_.data.lines;
      life.pinned = false;
      choose(row, true);
      if (time < issued[row] || time >= completed[row]) go(issued[row]);
    });
    const told = Object.keys(window_.data.lives.rows).map(Number), { lines, machine } = window_.data;
    const foreground = told.filter((row) => !machine.threads[lines.thread[row]].background);
    const first = (foreground.length ? foreground : told).find((row) => lines.issued[row] >= 0);
    if (first !== undefined) life.choose(first, time);
    show();
    return { go };
  }

  return { start };
})();
