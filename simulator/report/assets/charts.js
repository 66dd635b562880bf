// The charts of the report, by plotly. Each is drawn anew when light and dark change, and for paper.
"use strict";
window.numasim = window.numasim || {};
numasim.charts = (() => {
  // No button that would send a chart to somebody else's computer.
  const LEFT_OUT = ["select2d", "lasso2d", "autoScale2d"];
  const CONFIG = { responsive: true, displaylogo: false, showSendToCloud: false, modeBarButtonsToRemove: LEFT_OUT };
  const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x", "star"];
  const SERIES = 6, PAPER = 680, LEGEND_COLUMN = 165, LEGEND_ROW = 21, LEGEND_SIGN = 42, MARGINS = 150, LETTER = 7;
  const BELOW = { orientation: "h", entrywidth: LEGEND_COLUMN - LEGEND_SIGN, yref: "container", y: 0, yanchor: "bottom", xref: "container", x: 0, maxheight: 2000 };
  const drawn = new Map(); // by element: what draws it

  const colour = numasim.page.colour;
  const series = (place) => colour(`--series-${(place % SERIES) + 1}`);
  // Text of files is never markup: plotly would read <b> and <a> in names.
  const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  function layout(more) {
    const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--line"), linecolor: colour("--faint"), automargin: true };
    const { xaxis, yaxis, ...rest } = more;
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("--ink"), size: 13, family: "inherit" },
      margin: { l: 60, r: 20, t: 20, b: 50 },
      hoverlabel: { bgcolor: colour("--ink"), font: { color: colour("--paper") }, namelength: -1 },
      legend: BELOW,
      xaxis: { ...axis, ...xaxis },
      yaxis: { ...axis, ...yaxis },
      ...rest,
      ...(numasim.charts.paper ? { width: PAPER } : { autosize: true }),
    };
  }

  // Height of a legend, which plotly makes as wide as the plot between its margins.
  const legendRows = (count, entry, width) => LEGEND_ROW * Math.ceil(count / Math.max(1, Math.floor((width - MARGINS) / entry)));

  function show(id, make) {
    const place = document.querySelector(`#${CSS.escape(id)} .plot`);
    if (!place) return null;
    const draw = () => {
      const { traces, look, height } = make(numasim.charts.paper ? PAPER : place.clientWidth);
      place.style.height = `${height}px`;
      const full = layout(look);
      full.height = height;
      Plotly.react(place, traces, full, CONFIG);
    };
    drawn.set(place, draw);
    draw();
    return place;
  }

  // A line at a time, where the replay is.
  function cursor(place, time) {
    if (!place || !place.layout) return;
    const line = { type: "line", xref: "x", yref: "paper", x0: time, x1: time, y0: 0, y1: 1, line: { color: colour("--focus"), width: 2 } };
    Plotly.relayout(place, { shapes: [line] });
  }

  function redraw() {
    for (const [place, draw] of drawn) if (place.offsetParent !== null || numasim.charts.paper) draw();
  }

  // -- kinds of charts --------------------------------------------------------------------------------------------------

  function breakdown(id, data) {
    const names = data.paths.map((path) => plain(path.name));
    return show(id, (width) => ({
      height: 90 + 46 * names.length + legendRows(data.parts.length, LEGEND_COLUMN, width),
      traces: data.parts.map((part) => ({
        type: "bar",
        orientation: "h",
        name: part.words,
        x: part.ns,
        y: names,
        marker: {
          color: part.colour,
          line: { color: "#222222", width: 0.6 },
          pattern: { shape: part.pattern, fillmode: "overlay", fgcolor: "#222222", size: 6, solidity: 0.25 },
        },
        hovertemplate: `${part.words}: %{x:.2f} ns<br>%{y}<extra>${part.group}</extra>`,
      })),
      look: {
        barmode: "stack",
        bargap: 0.35,
        xaxis: { title: { text: "ns a line" } },
        yaxis: { autorange: "reversed", showgrid: false },
        legend: { ...BELOW, traceorder: "normal" },
      },
    }));
  }

  function bars(id, figure) {
    const names = figure.cases.map(plain);
    const kind = (name, values, fill, shape) => ({
      type: "bar",
      orientation: "h",
      name,
      x: values,
      y: names,
      marker: { color: fill, pattern: { shape, fillmode: "overlay", fgcolor: colour("--ink"), size: 6, solidity: 0.2 } },
      hovertemplate: `${name}: %{x:.1f} %<br>%{y}<extra></extra>`,
    });
    return show(id, () => ({
      height: 110 + 44 * names.length,
      traces: [kind("published", figure.published, colour("--published"), "/"), kind("simulated", figure.simulated, series(0), "")],
      look: {
        barmode: "group",
        bargap: 0.3,
        xaxis: { rangemode: "tozero" },
        yaxis: { autorange: "reversed", showgrid: false },
        legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
        margin: { l: 60, r: 10, t: 30, b: 40 },
      },
    }));
  }

  function lines(id, many, { unit, x, shape, height, range }) {
    const entry = LETTER * Math.max(...many.map((line) => line.name.length));
    return show(id, (width) => ({
      height: height + legendRows(many.length, entry + LEGEND_SIGN, width),
      traces: many.map((one, place) => ({
        type: "scatter",
        mode: one.mode || "lines",
        name: plain(one.name),
        x: one.x,
        y: one.y,
        line: { color: series(place), dash: DASHES[Math.floor(place / 2) % DASHES.length], shape, width: 2 },
        ...(one.marker ? { marker: { size: 8, color: series(place), symbol: one.marker(SYMBOLS[place % SYMBOLS.length]) } } : {}),
        customdata: one.extra,
        hovertemplate: one.hover || `%{fullData.name}: %{y:.3~g} ${unit}<extra></extra>`,
      })),
      look: {
        legend: { ...BELOW, entrywidth: entry },
        hovermode: many.some((line) => line.mode) ? "closest" : "x unified",
        xaxis: { title: { text: x }, rangemode: "tozero" },
        yaxis: { title: { text: unit }, rangemode: "tozero", ...(range ? { range } : {}) },
      },
    }));
  }

  function loaded(id, curves) {
    const many = curves.map((curve) => ({
      name: curve.name,
      mode: "lines+markers",
      x: curve.gb_per_s,
      y: curve.latency_ns,
      extra: curve.delay_ns,
      marker: (symbol) => curve.saturated.map((beyond) => (beyond ? `${symbol}-open` : symbol)),
      hover: "%{y:.1f} ns at %{x:.2f} GB/s<br>delay %{customdata} ns<extra>%{fullData.name}</extra>",
    }));
    return lines(id, many, { unit: "latency, ns", x: "bandwidth, GB/s", shape: "linear", height: 440 });
  }

  // One panel below another over the same time; each has series that are stacked.
  function panels(id, data, { each, unit, top }) {
    const gap = 30, whole = data.length * (each + gap), height = whole + 86, seen = new Set();
    return show(id, () => {
      seen.clear();
      const look = { hovermode: "x unified", annotations: [], margin: { l: 50, r: 20, t: 26, b: 60 }, legend: BELOW };
      const traces = [];
      data.forEach((panel, place) => {
        const name = place ? `${place + 1}` : "", high = 1 - (place * (each + gap)) / whole;
        const grid = { gridcolor: colour("--line"), zerolinecolor: colour("--line"), automargin: true };
        look[`yaxis${name}`] = { ...grid, domain: [Math.max(0, high - each / whole), high], rangemode: "tozero", nticks: 4, ...(top ? { range: [0, top] } : {}) };
        const last = place === data.length - 1;
        look[`xaxis${name}`] = { ...grid, anchor: `y${name}`, showticklabels: last };
        if (place) look[`xaxis${name}`].matches = "x";
        if (last) look[`xaxis${name}`].title = { text: "ns since the window opened" };
        look.annotations.push({ text: plain(panel.title), x: 0, xref: "paper", xanchor: "left", y: high, yref: "paper", yanchor: "bottom", showarrow: false, font: { size: 12 } });
        for (const part of panel.series) {
          traces.push({
            type: "scatter",
            mode: "lines",
            stackgroup: `panel${place}`,
            name: part.name,
            legendgroup: part.name,
            showlegend: data.some((other) => other.series.length > 1) && !seen.has(part.name),
            x: panel.ns,
            y: part.value,
            xaxis: `x${name}`,
            yaxis: `y${name}`,
            line: { shape: "hv", width: 1, color: part.colour() },
            hovertemplate: `%{y:.3~g} ${unit(part.name)}<extra></extra>`,
          });
          seen.add(part.name);
        }
      });
      return { height, traces, look };
    });
  }

  function queues(id, data) {
    const places = { request: 0, posted: 4, response: 3, probe: 5 };
    const fill = (name) => () => (name in places ? series(places[name]) : colour("--published"));
    const many = data.map((queue) => ({
      title: `${queue.name}: mean ${queue.mean.toFixed(2)}${queue.capacity === null ? "" : ` of ${queue.capacity}`}`,
      ns: queue.ns,
      series: queue.series.map((part) => ({ ...part, colour: fill(part.name) })),
    }));
    return panels(id, many, { each: 90, unit: (name) => name });
  }

  function loads(id, data) {
    const many = data.map((load) => ({
      title: `${load.name}: mean ${load.mean.toFixed(1)} %`,
      ns: load.ns,
      series: [{ name: "busy", value: load.percent, colour: () => series(0) }],
    }));
    return panels(id, many, { each: 46, unit: () => "%", top: 105 });
  }

  function phases(id, data) {
    const many = data.series.map((line) => ({ name: line.name, x: data.times_ns.map((time) => time / 1000), y: [...line.percent, line.percent[line.percent.length - 1]] }));
    return lines(id, many, { unit: "busy %", x: "us since the start of the run", shape: "hv", height: 380, range: [0, 100] });
  }

  function sweep(id, store, x, y, group) {
    const groups = group ? [...new Set(store.words[group] || store.numbers[group])] : [null];
    const rows = store.labels.map((_, row) => row);
    const many = groups.map((name) => {
      const own = rows.filter((row) => name === null || (store.words[group] || store.numbers[group])[row] === name);
      return {
        name: name === null ? y : `${name}`,
        mode: "markers",
        x: own.map((row) => store.numbers[x][row]),
        y: own.map((row) => store.numbers[y][row]),
        extra: own.map((row) => plain(store.labels[row])),
        marker: (symbol) => symbol,
        hover: `%{customdata}<br>${plain(x)} %{x}<br>${plain(y)} %{y:.4~g}<extra></extra>`,
      };
    });
    return lines(id, many, { unit: plain(y), x: plain(x), shape: "linear", height: 420 });
  }

  return { bars, breakdown, cursor, loaded, loads, phases, queues, redraw, sweep, paper: false };
})();
