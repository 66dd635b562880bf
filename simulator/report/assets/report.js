// Puts drawings, charts and replays into the report.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = numasim.charts;

  function showRun(run) {
    const section = document.getElementById(run.id);
    if (section.dataset.drawn) return;
    section.dataset.drawn = "yes";
    numasim.machine.draw(section.querySelector(".machine-place"), run.machine);
    if (run.breakdown) charts.breakdown(`${run.id}-breakdown`, run.breakdown);
    if (run.phases) charts.phases(`${run.id}-phases`, run.phases);
  }

  function runs() {
    const pick = document.getElementById("run-pick");
    const choose = (id) => {
      for (const run of data.runs) document.getElementById(run.id).hidden = run.id !== id;
      showRun(data.runs.find((run) => run.id === id));
    };
    if (pick) pick.addEventListener("change", () => choose(pick.value));
    if (data.runs.length) choose(pick ? pick.value : data.runs[0].id);
  }

  function stores() {
    for (const store of data.stores) {
      const section = document.getElementById(store.id);
      const pick = (name) => section.querySelector(`[data-pick="${name}"]`);
      if (!pick("x")) continue;
      const measures = Object.keys(store.numbers);
      const options = (select, names, chosen) => {
        for (const name of names) select.add(new Option(name || "nothing", name, false, name === chosen));
      };
      const results = ["time_per_line_ns", "gb_per_s", "latency_mean_ns"].filter((name) => measures.includes(name));
      const axes = measures.filter((name) => !/_ns$|gb_per_s$|percent$|utilization$|^busiest/.test(name) || name.includes("."));
      options(pick("x"), measures, axes[0] || measures[0]);
      options(pick("y"), measures, results[0] || measures[1]);
      options(pick("group"), ["", ...Object.keys(store.words), ...measures.filter((name) => new Set(store.numbers[name]).size <= 8)], "");
      const draw = () => charts.sweep(`${store.id}-chart`, store, pick("x").value, pick("y").value, pick("group").value);
      for (const name of ["x", "y", "group"]) pick(name).addEventListener("change", draw);
      draw();
    }
  }

  function reproductions() {
    for (const found of data.reproductions) found.figures.forEach((figure, place) => charts.bars(`${found.id}-figure-${place}`, figure));
  }

  async function windows() {
    for (const item of data.windows) {
      const places = [charts.loads(`${item.id}-loads`, item.loads), charts.queues(`${item.id}-queues`, item.queues)];
      const rests = (time) => places.forEach((place) => charts.cursor(place, time / 1000));
      const replay = await numasim.replay.start(document.getElementById(item.id), item.packed, rests);
      for (const place of places) {
        if (place && place.on) place.on("plotly_click", (event) => replay.go(event.points[0].x * 1000));
      }
    }
  }

  function paper(on) {
    if (charts.paper === on) return;
    charts.paper = on;
    const root = document.documentElement;
    if (on) {
      root.dataset.before = root.dataset.theme || "";
      root.dataset.theme = "light";
    } else if (root.dataset.before) root.dataset.theme = root.dataset.before;
    else delete root.dataset.theme;
    charts.redraw();
  }

  numasim.page.start();
  runs();
  stores();
  reproductions();
  if (data.loaded) charts.loaded("loaded-chart", data.loaded.curves);
  document.addEventListener("numasim:theme", charts.redraw);
  window.addEventListener("beforeprint", () => paper(true));
  window.addEventListener("afterprint", () => paper(false));
  window.matchMedia("print").addEventListener("change", (event) => paper(event.matches));
  windows().then(() => (document.documentElement.dataset.ready = "yes"));
})();
